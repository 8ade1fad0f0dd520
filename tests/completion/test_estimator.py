"""Completed rankings: what must hold of them, on simulated people with known tastes."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rankcut import RankingCompleter, RankingSet
from rankcut.errors import InputError

NAN = np.nan
incomplete = partial(RankingCompleter, unranked="anywhere")


def simulated(n_people=200, n_items=8, n_listed=5, seed=0):
    """Two camps of items: who likes one of a camp likes the others too."""
    rng = np.random.default_rng(seed)
    camps = np.where(np.arange(n_items) % 2 == 0, 1.0, -1.0)
    utilities = rng.normal(size=(n_people, 1)) * 2 * camps
    utilities = utilities + rng.normal(size=(n_people, n_items)) + np.linspace(1, 0, n_items)
    full = (-utilities).argsort(axis=1).argsort(axis=1) + 1.0
    hidden = rng.random(full.shape).argsort(axis=1) >= n_listed
    return full, np.where(hidden, NAN, full)


FULL, LISTS = simulated()
CAMPS = (np.arange(8)[:, None] % 2 == np.arange(8) % 2) * 1.0


@pytest.fixture(scope="module")
def completer():
    return incomplete().fit(LISTS)


def share_right(completer, full, lists):
    """Share of pairs with an unlisted item in the true order."""
    utilities = completer.transform(lists)
    hidden = np.isnan(lists)
    looked_at = (hidden[:, :, None] | hidden[:, None, :]) & (full[:, :, None] < full[:, None, :])
    return (utilities[:, :, None] > utilities[:, None, :])[looked_at].mean()


def test_hidden_items_are_ordered_better_than_by_the_consensus(completer):
    full, lists = simulated(seed=1)
    nobody = incomplete().fit(LISTS)
    nobody._population = type(nobody._population)(
        nobody.consensus_, nobody._population.covariance * 0, 1.0
    )
    assert share_right(completer, full, lists) > share_right(nobody, full, lists) + 0.05


def test_a_graph_helps_when_lists_are_few():
    full, lists = simulated(400, seed=2)
    few = LISTS[:15]
    without = share_right(incomplete().fit(few), full, lists)
    with_graph = incomplete(CAMPS).fit(few)
    assert share_right(with_graph, full, lists) > without
    assert with_graph.graph_share_ > 0.3


def test_the_prior_counts_much_where_its_shape_is_right(completer):
    # Tastes that are independent, as the prior without a graph says, and two camps, which are not.
    rng = np.random.default_rng(0)
    independent = rng.random((200, 8)).argsort(axis=1) + 1.0
    assert incomplete().fit(independent).prior_strength_ >= 300
    assert completer.prior_strength_ <= 30


def test_equally_good_items_are_recommended_in_their_order():
    # Nobody lists the last six of ten items, so nothing is known of them.
    lists = np.full((30, 10), NAN)
    lists[:, :4] = np.random.default_rng(0).random((30, 4)).argsort(axis=1) + 1.0
    best = incomplete().fit(lists).recommend(lists, 3)
    assert_array_equal(best, np.tile([4, 5, 6], (30, 1)))


def test_listed_items_keep_their_order(completer):
    ranks = completer.complete(LISTS)
    utilities = completer.transform(LISTS)
    for given, found, worth in zip(LISTS, ranks, utilities, strict=True):
        listed = ~np.isnan(given)
        assert_array_equal(np.argsort(found[listed]), np.argsort(given[listed]))
        assert sorted(found) == list(range(1, 9))
        assert_array_equal(np.argsort(-worth), np.argsort(found))


def test_ties_stay_ties():
    lists = np.ceil(LISTS / 4)
    completer = incomplete().fit(lists)
    found = completer.complete(lists[:50])
    chances = completer.predict_pairs(lists[:50])
    tied = (lists[:50, :, None] == lists[:50, None, :]) & ~np.eye(8, dtype=bool)
    assert tied.any()
    assert_array_equal((found[:, :, None] == found[:, None, :])[tied], True)
    assert_array_equal(chances[tied], 0.5)


def test_a_person_without_a_list_gets_the_consensus(completer):
    nothing = np.full((1, 8), NAN)
    assert_array_equal(completer.transform(nothing)[0], completer.consensus_)
    assert completer.recommend(nothing, 1)[0, 0] == np.argmax(completer.consensus_)


def test_pair_probabilities_fit_together(completer):
    lists = LISTS[:4]
    found = completer.predict_pairs(lists)
    assert found.shape == (4, 8, 8)
    assert_allclose(found + found.transpose(0, 2, 1), 1.0, atol=1e-12)
    assert_array_equal(found[:, range(8), range(8)], 0.5)
    assert_allclose(completer.predict_pairs(lists, [[0, 5], [7, 2]])[:, 1], found[:, 7, 2])
    utilities = completer.transform(lists)
    gaps = utilities[:, :, None] - utilities[:, None, :]
    assert ((found > 0.5) == (gaps > 0)).all()
    listed = ~np.isnan(lists)
    both = listed[:, :, None] & listed[:, None, :] & ~np.eye(8, dtype=bool)
    assert_array_equal(found[both], (lists[:, :, None] < lists[:, None, :])[both])


def test_top_k_lists_are_completed_after_their_items():
    top = np.where(FULL <= 3, FULL, NAN)
    completer = RankingCompleter(unranked="last").fit(top)
    found = completer.complete(top)
    assert_array_equal(found[FULL <= 3], FULL[FULL <= 3])
    rest = FULL > 3
    pairs = rest[:, :, None] & rest[:, None, :] & (FULL[:, :, None] < FULL[:, None, :])
    assert (found[:, :, None] < found[:, None, :])[pairs].mean() > 0.6
    probabilities = completer.predict_pairs(top)
    assert_array_equal(probabilities[(FULL <= 3)[:, :, None] & rest[:, None, :]], 1.0)
    assert (completer.recommend(top, 5)[0] == np.argsort(found[0])[3:]).all()


@pytest.mark.parametrize("unranked", ["anywhere", "last"])
def test_the_order_of_people_does_not_matter(unranked):
    rows = np.random.default_rng(0).permutation(200)
    found = RankingCompleter(unranked=unranked).fit(LISTS).transform(LISTS)
    other = RankingCompleter(unranked=unranked).fit(LISTS[rows]).transform(LISTS)
    assert_array_equal(other, found)


def test_items_with_names_are_asked_for_by_name(completer):
    names = tuple("abcdefgh")
    assert_array_equal(incomplete(items=names).fit(LISTS).get_feature_names_out(), list(names))
    named = incomplete().fit(RankingSet(LISTS, names))
    assert_array_equal(named.get_feature_names_out(), list(names))
    assert named.recommend(LISTS[:1], 2)[0, 0] == names[completer.recommend(LISTS[:1], 2)[0, 0]]
    assert_array_equal(
        named.predict_pairs(LISTS, [["a", "c"]]), completer.predict_pairs(LISTS, [[0, 2]])
    )


@pytest.mark.parametrize("unranked", ["anywhere", "last"])
@pytest.mark.parametrize("n_people", [1, 2, 6])
def test_a_few_people_are_enough(n_people, unranked):
    completer = RankingCompleter(unranked=unranked).fit(LISTS[:n_people])
    assert np.isfinite(completer.transform(LISTS)).all()
    assert np.isfinite(completer.predict_pairs(LISTS[:9])).all()


def test_rows_are_answered_the_same_in_any_batch_and_threads(completer):
    whole = completer.transform(LISTS)
    assert_array_equal(
        np.vstack([completer.transform(LISTS[i : i + 3]) for i in (0, 3)]), whole[:6]
    )
    assert_array_equal(incomplete(n_jobs=2).fit(LISTS).transform(LISTS), whole)


def test_recommendations_are_never_listed(completer):
    best = completer.recommend(LISTS, 5)
    assert best.shape == (200, 5)
    for given, found in zip(LISTS, best, strict=True):
        known = found[found >= 0]
        assert np.isnan(given[known]).all()
        assert len(known) == np.isnan(given).sum()


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (lambda c: RankingCompleter(unranked="first").fit(LISTS), "unranked must be"),
        (lambda c: incomplete(listing="chance").fit(LISTS), "listing must be"),
        (lambda c: c.recommend(LISTS, 0), "n must be a whole number, 1 or more; got 0"),
        (lambda c: c.predict_pairs(LISTS, [0, 1]), "pairs must have two columns"),
        (lambda c: c.predict_pairs(LISTS, [[0, 8]]), "item 8 is not among the 8 items"),
        (lambda c: c.fit(np.full((3, 4), NAN)), "no ranking orders two items"),
        (
            lambda c: incomplete(np.ones((3, 3))).fit(LISTS),
            "the graph has 3 items",
        ),
    ],
)
def test_mistakes_are_named(act, says):
    with pytest.raises(InputError, match=says):
        act(incomplete().fit(LISTS[:30]))


def test_fitting_says_how_far_it_is():
    said = []
    incomplete().fit(LISTS[:40], progress=said.append)
    assert said[0] == "the prior"
    assert "everyone" in said
