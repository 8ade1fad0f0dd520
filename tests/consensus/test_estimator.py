"""One ranking from many: every kind, every container, and what is said of it."""

from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.stats import kendalltau

from rankcut import (
    Consensus,
    GraphCutFeatures,
    make_mallows,
    make_plackett_luce,
)
from rankcut.errors import InputError

METHODS = ["borda", "graph", "copeland", "kemeny", "strengths"]
VOTES = make_mallows(40, 6, phi=0.8, random_state=0).ranks
LISTS = make_mallows(40, 6, phi=0.8, kind="incomplete", k=4, random_state=0).ranks
ARRAYS = ["ranking_", "scores_", "rank_intervals_", "winner_shares_", "pairwise_counts_"]


def assert_same(one, other):
    for name in ARRAYS:
        assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert_array_equal(one.pairwise_, other.pairwise_)
    assert one.agreement_ == other.agreement_


@pytest.mark.parametrize("method", METHODS)
def test_a_clear_case_is_clear_by_every_method(method):
    votes = make_plackett_luce(400, strengths=[27, 9, 3, 1], random_state=0).ranks
    found = Consensus(method).fit(votes)
    assert_array_equal(found.ranking_, [1, 2, 3, 4])
    assert_array_equal(found.rank_intervals_, [[1, 1], [2, 2], [3, 3], [4, 4]])
    assert_allclose(found.winner_shares_, [1, 0, 0, 0])
    assert (found.pairwise_winner_, found.cycle_) == (0, [])
    assert found.optimal_
    assert found.n_people_ == 400


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("unranked", ["last", "anywhere"])
def test_counts_are_repeated_rows_to_the_bit(method, unranked):
    counts = np.random.default_rng(0).integers(0, 5, 40)
    model = Consensus(method, unranked=unranked, n_bootstraps=50)
    counted = model.fit(LISTS, counts=counts)
    repeated = Consensus(method, unranked=unranked, n_bootstraps=50)
    assert_same(counted, repeated.fit(np.repeat(LISTS, counts, axis=0)))


def test_whole_weights_are_no_people():
    weights = np.where(np.arange(40) < 4, 30, 1)
    model = Consensus().fit(VOTES, sample_weight=weights)
    assert model.n_people_ == 40
    assert model.n_effective_ == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert any("design effect" in note for note in model.notes_)
    assert_same(model, Consensus().fit(VOTES, sample_weight=weights * 0.1))
    widths = [
        np.diff(own.rank_intervals_, axis=1).sum()
        for own in (model, Consensus().fit(VOTES, counts=weights))
    ]
    assert widths[0] > widths[1]


@pytest.mark.parametrize("method", METHODS)
def test_permuted_items_have_the_same_places(method):
    votes = make_mallows(41, 5, phi=0.7, random_state=2).ranks
    shuffle = np.random.default_rng(0).permutation(5)
    found = Consensus(method, n_bootstraps=0).fit(votes)
    moved = Consensus(method, n_bootstraps=0).fit(votes[:, shuffle])
    assert_array_equal(moved.ranking_, found.ranking_[shuffle])
    assert_allclose(moved.scores_, found.scores_[shuffle], atol=1e-12)
    assert found.rank_intervals_ is None


def test_scores_are_the_mean_vector_of_the_graph_before_pooling():
    rng = np.random.default_rng(0)
    weights = np.triu(rng.exponential(size=(6, 6)), 1)
    weights += weights.T
    signs = np.sign(VOTES[:, None, :] - VOTES[:, :, None])
    found = Consensus("graph", graph=weights, n_bootstraps=0).fit(VOTES)
    assert_allclose(found.scores_, (signs * weights).sum(axis=2).mean(axis=0), atol=1e-12)
    complete = GraphCutFeatures().fit_transform(VOTES).mean(axis=0)
    assert_allclose(Consensus(n_bootstraps=0).fit(VOTES).scores_, complete, atol=1e-12)


def test_with_a_graph_each_tied_or_unlisted_item_has_its_own_sum_of_signs():
    ranks = np.where(VOTES <= 4, np.ceil(VOTES / 2), np.nan)
    chain = np.diag(np.arange(1.0, 6.0), 1)
    chain += chain.T
    closed = np.where(VOTES <= 4, ranks, 9.0)
    signs = np.sign(closed[:, None, :] - closed[:, :, None])
    found = Consensus("graph", graph=chain, unranked="last", n_bootstraps=0).fit(ranks)
    assert_allclose(found.scores_, (signs * chain).sum(axis=2).mean(axis=0), atol=1e-12)


def test_a_graph_orders_nothing_where_nobody_prefers_anything():
    # Each pair of items is as often the one listed as the other one is.
    top = np.full((30, 6), np.nan)
    for row, (first, second) in zip(top, permutations(range(6), 2), strict=True):
        row[[first, second]] = 1, 2
    star = np.zeros((6, 6))
    star[0, 1:] = star[1:, 0] = 1.0
    found = Consensus("graph", graph=star, unranked="last").fit(top)
    assert_array_equal(found.ranking_, np.ones(6))


def test_what_unranked_means_can_change_the_winner():
    # Five list the first alone, three put the second before it: being listed counts, or does not.
    nan = np.nan
    ranks = np.array([[1, nan, nan]] * 5 + [[2, 1, nan]] * 3 + [[nan, nan, 1]])
    last = Consensus(unranked="last", n_bootstraps=0).fit(ranks)
    assert_array_equal(last.ranking_, [1, 2, 3])
    anywhere = Consensus(unranked="anywhere", n_bootstraps=0).fit(ranks)
    assert anywhere.ranking_[1] < anywhere.ranking_[0]


def test_an_item_nobody_ranks_is_last_and_may_be_anywhere():
    ranks = np.column_stack([np.full(40, np.nan), VOTES])
    # Draws of seven strengths and of six are others: many of them agree.
    model = Consensus(unranked="anywhere", n_bootstraps=10_000)
    for method in METHODS:
        with pytest.warns(UserWarning, match="Nobody ranks 0"):
            model.set_params(method=method).fit(ranks)
        assert model.ranking_[0] == 7
        assert model.rank_intervals_[0].tolist() == [1, 7]
        # It may come before any of the others.
        expected = Consensus(method, n_bootstraps=10_000).fit(VOTES).rank_intervals_ + np.array(
            [0, 1]
        )
        assert_array_equal(model.rank_intervals_[1:], expected)
        assert model.winner_shares_[0] == 0
        assert model.notes_[-1].startswith("Nobody ranks 0")


def test_containers_agree():
    names = list("abcdef")
    expected = Consensus(unranked="anywhere").fit(LISTS)
    frame = pd.DataFrame(LISTS, columns=names)
    for other in (frame, pl.from_pandas(frame)):
        found = Consensus(unranked="anywhere").fit(other)
        assert_same(found, expected)
        assert found.pairwise_winner_ in (*names, None)
    filled = np.nan_to_num(LISTS)
    assert_same(Consensus(unranked="anywhere").fit(sparse.csr_array(filled)), expected)


def test_persons_with_many_rankings_do_not_make_places_surer():
    repeated = np.repeat(VOTES, 10, axis=0)
    persons = np.repeat(np.arange(40), 10)
    naive = Consensus().fit(repeated).rank_intervals_
    honest = Consensus().fit(repeated, people=persons).rank_intervals_
    assert_array_equal(honest, Consensus().fit(VOTES, people=np.arange(40)).rank_intervals_)
    assert (honest[:, 1] - honest[:, 0]).sum() > (naive[:, 1] - naive[:, 0]).sum()


def test_ties_and_labels():
    frame = pd.DataFrame([[1, 2, 2], [1, 3, 3.0]], columns=["uni", "ika", "ebi"])
    found = Consensus().fit(frame)
    assert found.ranking_.tolist() == [1, 2, 2]
    assert found.pairwise_winner_ == "uni"
    assert found.notes_ == [
        "'uni' beats every other item in a pairwise comparison, though chance could explain "
        "all of its 2 majorities."
    ]


def test_all_tied_is_said():
    found = Consensus().fit(np.ones((5, 3)))
    assert_array_equal(found.ranking_, [1, 1, 1])
    assert_array_equal(found.rank_intervals_, np.tile([1, 3], (3, 1)))
    assert "Each ranking ties all its items" in found.notes_[-1]


def test_a_circle_is_said():
    circle = pd.DataFrame([[1, 2, 3], [3, 1, 2], [2, 3, 1]], columns=list("abc"))
    found = Consensus("kemeny").fit(circle)
    assert found.cycle_ == ["a", "b", "c"]
    assert found.pairwise_winner_ is None
    assert found.objective_ == pytest.approx(1 / 3)


def test_a_hurried_kemeny_order_says_that_it_is_not_proven():
    votes = make_mallows(11, 40, phi=1.0, random_state=0).ranks
    found = Consensus("kemeny", time_limit=0, n_bootstraps=0).fit(votes)
    assert not found.optimal_
    assert found.bound_ > found.objective_
    assert "The order is not proven best" in found.notes_[-1]


def test_catalogues_have_places_and_no_pairwise_matrix(monkeypatch):
    monkeypatch.setattr("rankcut.consensus.combining.MOST_TABULATED", 5)
    monkeypatch.setattr("rankcut.consensus.methods.MOST_TABULATED", 5)
    found = Consensus().fit(VOTES)
    assert found.rank_intervals_.shape == (6, 2)
    with pytest.raises(AttributeError, match="pairwise_ has an entry for each pair of items, and"):
        _ = found.pairwise_
    with pytest.raises(InputError, match=r"method looks at all pairs of items, too many for 6"):
        Consensus("kemeny").fit(VOTES)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "condorcet"}, 'method must be "auto", "borda", "graph", "copeland", "kemeny"'),
        (
            {"method": "borda", "graph": np.eye(6)},
            'graph is used by method="strengths" and "graph"',
        ),
        ({"prior": "flat"}, 'prior must be "evidence" or "none"'),
        ({"ties": "win"}, 'ties must be "auto", "davidson", "exact", "efron", "breslow" or "half"'),
        ({"confidence": 95}, "confidence must be between 0 and 1; got 95"),
        ({"n_bootstraps": -1}, "n_bootstraps must be a whole number, 0 or more; got -1"),
        ({"n_bootstraps": 10}, "n_bootstraps is 10, too few for a confidence of 0.95; use 19"),
        ({"time_limit": -1.0}, "time_limit must be a number of seconds, 0 or more; got -1.0"),
    ],
)
def test_parameters_are_checked(options, message):
    with pytest.raises(InputError, match=message):
        Consensus(**options).fit(VOTES)


def test_only_those_who_list_both_items_make_a_pairwise_winner():
    # b beats a where both are listed; a is listed by most, and above the others.
    ranks = [[2, 1, np.nan]] * 3 + [[1, np.nan, 2]] * 12 + [[np.nan, 1, 2]] * 2
    for method in METHODS:
        model = Consensus(method, unranked="anywhere", n_bootstraps=0).fit(ranks)
        assert model.pairwise_winner_ == 1
        assert model.ranking_[1] == 1


def test_rankings_that_list_nothing_leave_every_statistic():
    blank = np.vstack([LISTS, np.full((11, 6), np.nan)])
    for unranked in ("last", "anywhere"):
        for method in METHODS:
            model = Consensus(method, unranked=unranked, n_bootstraps=50)
            assert_same(model.fit(blank), Consensus(**model.get_params()).fit(LISTS))


@pytest.mark.parametrize("method", METHODS)
def test_tiny_and_huge_weights_are_weights_all_the_same(method):
    weights = np.random.default_rng(1).uniform(0.5, 2, 40)
    expected = Consensus(method, unranked="anywhere").fit(LISTS, sample_weight=weights)
    for scale in (1e-165, 1e14):
        found = Consensus(method, unranked="anywhere").fit(LISTS, sample_weight=scale * weights)
        assert_allclose(found.scores_, expected.scores_, rtol=1e-6, atol=1e-9)
        assert_array_equal(found.rank_intervals_, expected.rank_intervals_)


def test_an_item_that_few_are_shown_keeps_its_place_by_strengths():
    """The best of six, shown to 15 % or to 90 % of people: first by strengths either way."""
    rng = np.random.default_rng(0)
    theta = np.array([2.0, 1.5, 1.0, 0.5, 0.0, -0.5])
    ranks = (-theta - rng.gumbel(size=(600, 6))).argsort(axis=1).argsort(axis=1) + 1.0
    for share in (0.15, 0.9):
        shown = ranks.copy()
        shown[rng.random(600) > share, 0] = np.nan
        model = Consensus(unranked="anywhere").fit(shown)
        assert model.method_ == "strengths"
        assert model.ranking_[0] == 1


def test_strengths_survive_comparisons_of_neighbours_and_borda_says_that_it_does_not():
    rng = np.random.default_rng(0)
    n_items = 20
    theta = np.linspace(3, -3, n_items)
    one = rng.integers(n_items, size=4000)
    other = np.clip(one + rng.integers(1, 6, size=4000) * rng.choice([-1, 1], size=4000), 0, 19)
    one, other = one[one != other], other[one != other]
    wins = rng.random(len(one)) < 1 / (1 + np.exp(theta[other] - theta[one]))
    ranks = np.full((len(one), n_items), np.nan)
    ranks[np.arange(len(one)), np.where(wins, one, other)] = 1
    ranks[np.arange(len(one)), np.where(wins, other, one)] = 2
    found = {
        method: Consensus(method, unranked="anywhere", n_bootstraps=0).fit(ranks)
        for method in ("strengths", "borda")
    }
    order = np.arange(n_items)
    assert kendalltau(found["strengths"].ranking_, order).statistic > 0.97
    assert kendalltau(found["borda"].ranking_, order).statistic < 0.9
    assert "whoever meets weak opponents looks strong" in found["borda"].notes_[-1]
    assert found["strengths"].notes_[-1].startswith("Nobody puts")


def test_tiers_hold_items_that_are_not_surely_different():
    votes = make_plackett_luce(400, strengths=[20, 19, 3, 1], random_state=0).ranks
    for method in METHODS:
        assert Consensus(method).fit(votes).tiers_ == [[0, 1], [2], [3]]


def test_a_graph_places_items_that_nobody_ranks():
    """On a chain of items whose strengths fall, an unlisted item is placed by its neighbours."""
    rng = np.random.default_rng(0)
    n_items = 12
    theta = np.linspace(4, -4, n_items)
    chain = np.diag(np.ones(n_items - 1), 1)
    chain += chain.T
    ranks = (-theta - rng.gumbel(size=(60, n_items))).argsort(axis=1).argsort(axis=1) + 1.0
    ranks[:, 1] = np.nan
    with pytest.warns(UserWarning, match="placed by the item graph alone"):
        model = Consensus(graph=chain, unranked="anywhere").fit(ranks)
    assert model.method_ == "strengths"
    assert model.ranking_[1] <= 4
    assert any("The item graph explains" in note for note in model.notes_)
