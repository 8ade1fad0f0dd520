"""Counts of comparisons, Kendall's W, majorities and the sentences about them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import binomtest, chi2, friedmanchisquare

from rankcut import make_mallows
from rankcut.consensus.agreement import agree
from rankcut.consensus.pairs import (
    compare_pairs,
    components,
    copeland_scores,
    majority_sentence,
    pairwise_winner,
    shortest_cycle,
)
from rankcut.rankings import read_rankings
from rankcut.sample import Sample


def agreement(ranks, unranked="anywhere", **options):
    people = Sample.of(read_rankings(ranks, unranked=unranked, **options))
    return agree(people, 0.95)


@pytest.mark.parametrize("kind", ["full", "ties"])
def test_w_is_kendalls_corrected_for_ties(kind):
    ranks = make_mallows(12, 6, phi=0.8, kind=kind, random_state=0).ranks
    statistic = friedmanchisquare(*ranks.T).statistic
    assert_allclose(agreement(ranks).kendall_w, statistic / (12 * 5))


def test_extremes():
    same = np.tile([1.0, 2.0, 3.0], (5, 1))
    found = agreement(same)
    assert found.kendall_w == 1.0
    # The share that five people miss with a chance of 5 % may say anything else.
    assert_allclose(found.kendall_w_interval, (0.05 ** (1 / 5), 1))
    assert agreement(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])).kendall_w == 0
    nothing = agreement(np.ones((3, 4)))
    assert (nothing.kendall_w, nothing.kendall_w_interval) == (None, None)


def test_intervals_cover():
    truth = agreement(make_mallows(20_000, 5, phi=0.8, random_state=0).ranks).kendall_w
    samples = (make_mallows(60, 5, phi=0.8, random_state=seed + 1).ranks for seed in range(200))
    found = (agreement(ranks).kendall_w_interval for ranks in samples)
    # 95 % of 200 is 190; four standard errors below is 178.
    assert sum(low <= truth <= high for low, high in found) >= 178


def test_shares_and_counts_of_comparisons():
    nan = np.nan
    people = Sample.of(read_rankings([[1, 2, nan], [2, 1, nan], [1, 2, 2]], unranked="anywhere"))
    pairs = compare_pairs(people)
    assert_allclose(pairs.counts(), [[0, 3, 1], [3, 0, 0], [1, 0, 0]])
    assert_allclose(
        pairs.shares(), [[nan, 2 / 3, 1], [1 / 3, nan, nan], [0, nan, nan]], equal_nan=True
    )


def test_margins_of_incomplete_rankings_are_shares_of_those_who_compare_both():
    nan = np.nan
    ranks = np.array([[1, nan, 2, nan], [nan, 1, nan, nan], [2, 3, 1, nan], [4, 1, 2, 3]])
    units = Sample.of(read_rankings(ranks, unranked="anywhere"))
    pairs = compare_pairs(units)
    expected = [[0, 0, -1 / 3, -1], [0, 0, 0, 1], [1 / 3, 0, 0, 1], [1, -1, -1, 0]]
    assert_allclose(pairs.margins(), expected, atol=1e-12)
    # Linear vectors have the same means, and errors are those of ratios.
    groups = units.rankings.groups()
    assert_allclose(pairs.vectors(groups).mean(axis=0), pairs.means, atol=1e-12)


@pytest.mark.parametrize("unranked", ["last", "anywhere"])
def test_the_error_of_a_share_is_that_of_the_jackknife(unranked):
    ranks = make_mallows(60, 4, phi=0.7, kind="incomplete", k=3, random_state=0).ranks
    units = Sample.of(read_rankings(ranks, unranked=unranked))
    pairs = compare_pairs(units)
    error = units.mean(pairs.vectors, 6).variance
    without = [
        compare_pairs(
            Sample.of(read_rankings(np.delete(ranks, row, axis=0), unranked=unranked))
        ).means
        for row in range(60)
    ]
    assert_allclose(error, np.var(without, axis=0) * 59**2 / 59, rtol=0.1)


def test_borda_of_incomplete_rankings_is_the_mean_margin_over_opponents():
    nan = np.nan
    ranks = np.array([[1, 2, nan], [1, 2, nan], [2, 1, nan], [1, nan, 2]])
    units = Sample.of(read_rankings(ranks, unranked="anywhere"))
    pairs = compare_pairs(units)
    found = units.mean(pairs.item_vectors(), 3).vector
    # Item 1 never meets item 2: its score is twice the margin against item 0.
    assert_allclose(found, [1 / 3 + 1, -2 / 3, -2], atol=1e-12)


@pytest.mark.parametrize(("kind", "n_items"), [("full", 5), ("ties", 6)])
def test_the_test_of_equal_items_is_friedmans(kind, n_items):
    ranks = make_mallows(12, n_items, phi=0.9, kind=kind, random_state=3).ranks
    assert_allclose(agreement(ranks).p_value, friedmanchisquare(*ranks.T).pvalue)


def test_the_test_of_equal_items_is_durbins_on_balanced_blocks():
    """Each pair of four items once: Durbin's statistic from its own formula."""
    nan = np.nan
    ranks = np.full((6, 4), nan)
    for row, (winner, loser) in zip(
        ranks, [(0, 1), (0, 2), (3, 0), (1, 2), (1, 3), (3, 2)], strict=True
    ):
        row[[winner, loser]] = 1, 2
    t, k, r = 4, 2, 3
    sums = np.nansum(ranks, axis=0)
    durbin = 12 * (t - 1) / (r * t * (k - 1) * (k + 1)) * ((sums - r * (k + 1) / 2) ** 2).sum()
    assert_allclose(agreement(ranks).p_value, chi2.sf(durbin, t - 1))


def test_the_test_of_equal_items_holds_its_level_on_incomplete_lists_and_persons():
    rng = np.random.default_rng(0)
    rejected = np.zeros(2)
    for _ in range(400):
        ranks = rng.permuted(np.tile(np.arange(1.0, 6.0), (40, 1)), axis=1)
        ranks[np.arange(40), rng.integers(5, size=40)] = np.nan
        rejected[0] += agreement(ranks).p_value <= 0.05
        # Persons repeat themselves.
        twice = np.repeat(ranks, 2, axis=0)
        rejected[1] += agreement(twice, people=np.arange(80) // 2).p_value <= 0.05
    # 5 % of 400 is 20; four standard errors above is 37.
    assert rejected.max() <= 37


def tournament(n_items, wins):
    margins = np.zeros((n_items, n_items))
    for i, j in wins:
        margins[i, j], margins[j, i] = 1.0, -1.0
    return margins


CIRCLE = tournament(3, [(0, 1), (1, 2), (2, 0)])
BELOW = tournament(4, [(3, 0), (3, 1), (3, 2), (0, 1), (1, 2), (2, 0)])


def test_ties_are_half_wins_and_the_first_of_equals_comes_first():
    assert copeland_scores(tournament(3, [(0, 1)])).tolist() == [1.5, 0.5, 1.0]
    apart = components(np.zeros((3, 3), dtype=bool), np.array([0.5, 1.0, 0.5]))
    assert [items.tolist() for items in apart] == [[1], [0], [2]]


@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_circles_and_components_agree_with_the_relation(n_items, seed):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(-1, 2, (n_items, n_items)), 1).astype(float)
    margins = upper - upper.T
    sets = components(margins > 0, copeland_scores(margins))
    assert sorted(np.concatenate(sets).tolist()) == list(range(n_items))
    for place, items in enumerate(sets):
        for later in sets[place + 1 :]:
            assert (margins[np.ix_(items, later)] >= 0).all()
    cycle = shortest_cycle(margins)
    assert bool(cycle) == any(len(items) > 1 for items in sets)
    for one, following in zip(cycle, cycle[1:] + cycle[:1], strict=True):
        assert margins[one, following] > 0
    winner = pairwise_winner(margins)
    unbeaten = [i for i in range(n_items) if (np.delete(margins[i], i) > 0).all()]
    # A single item beats nobody.
    assert winner == (unbeaten[0] if unbeaten and n_items > 1 else None)


@pytest.mark.parametrize(
    ("margins", "sentence"),
    [
        (CIRCLE, "cycle: 'a' beats 'b', 'b' beats 'c', 'c' beats 'a'."),
        (BELOW, "'d' beats every other item in a pairwise comparison. Some majorities form a cyc"),
        (np.zeros((2, 2)), "No item beats every other item in a pairwise comparison."),
        (np.zeros((1, 1)), "There is only one item"),
    ],
)
def test_what_majorities_say_in_words(margins, sentence):
    assert sentence in majority_sentence(margins, "abcd"[: len(margins)])


def test_chance_could_explain_what_is_not_clear():
    told = majority_sentence(CIRCLE, "abc", np.zeros((3, 3), dtype=bool))
    assert "form a cycle, which chance could explain: 'a' beats 'b'" in told
    told = majority_sentence(tournament(3, [(0, 1), (0, 2)]), "abc", np.eye(3, k=1) > 0)
    assert told.endswith("though chance could explain 1 of its 2 majorities.")


@pytest.mark.parametrize("kind", ["full", "incomplete"])
def test_clear_majorities_are_those_of_sign_tests(kind):
    ranks = make_mallows(150, 5, phi=0.7, kind=kind, random_state=0).ranks
    pairs = compare_pairs(Sample.of(read_rankings(ranks, unranked="anywhere")))
    for i, j in combinations(range(5), 2):
        wins, losses = (ranks[:, i] < ranks[:, j]).sum(), (ranks[:, i] > ranks[:, j]).sum()
        expected = 10 * binomtest(int(wins), int(wins + losses)).pvalue <= 0.05
        assert pairs.clear()[i, j] == pairs.clear()[j, i] == expected
    assert 0 < pairs.clear().sum() < 20


def test_rankings_of_one_person_are_one_vote_for_clear_majorities():
    ranks = np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]] * 8)
    thrice = np.repeat(ranks, 3, axis=0)
    once, people = (
        compare_pairs(Sample.of(read_rankings(each, people=who)))
        for each, who in ((ranks, None), (thrice, np.repeat(np.arange(24), 3)))
    )
    assert not once.clear().any()
    assert not people.clear().any()
    assert compare_pairs(Sample.of(read_rankings(thrice))).clear()[0, 1]


def test_votes_of_a_judge_about_different_pairs_say_as_much_as_a_ranking():
    full = np.tile([1.0, 2.0, 3.0], (9, 1))
    votes = np.repeat(full, 3, axis=0)
    votes[np.arange(27), np.tile([2, 1, 0], 9)] = np.nan
    judges = np.repeat(np.arange(9), 3)
    apart = compare_pairs(Sample.of(read_rankings(votes, unranked="anywhere", people=judges)))
    assert apart.clear().tolist() == compare_pairs(Sample.of(read_rankings(full))).clear().tolist()
    assert apart.clear()[np.triu_indices(3, 1)].all()
