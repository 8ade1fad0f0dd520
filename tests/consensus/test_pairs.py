"""Counts of comparisons, Kendall's W and the mean τ, majorities and the sentences about them."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import friedmanchisquare, kendalltau

from rankcut import make_mallows
from rankcut.consensus import Units, agree, compare_pairs
from rankcut.consensus.pairs import (
    components,
    copeland_scores,
    majority_sentence,
    pairwise_winner,
    shortest_cycle,
)
from rankcut.rankings import read_rankings


def agreement(ranks, unranked="anywhere", **options):
    people = Units.of(read_rankings(ranks, unranked=unranked, **options))
    return agree(people, compare_pairs(people), 0.95)


@pytest.mark.parametrize("kind", ["full", "ties"])
def test_w_is_kendalls_corrected_for_ties(kind):
    ranks = make_mallows(12, 6, phi=0.8, kind=kind, random_state=0).ranks
    statistic = friedmanchisquare(*ranks.T).statistic
    assert_allclose(agreement(ranks).kendall_w, statistic / (12 * 5))


def test_tau_is_the_mean_over_pairs_of_people():
    ranks = make_mallows(12, 6, phi=0.8, random_state=0).ranks
    taus = [kendalltau(a, b).statistic for a, b in combinations(ranks, 2)]
    assert_allclose(agreement(ranks).mean_tau, np.mean(taus))


def test_tau_of_partial_lists_counts_each_time_two_people_compare_the_same_items():
    ranks = make_mallows(12, 6, phi=0.8, kind="incomplete", k=4, random_state=0).ranks
    agreed, met = 0, 0
    for a, b in combinations(ranks, 2):
        for i, j in combinations(range(6), 2):
            product = np.sign(a[i] - a[j]) * np.sign(b[i] - b[j])
            if not np.isnan(product):
                agreed, met = agreed + product, met + 1
    assert_allclose(agreement(ranks).mean_tau, agreed / met)


def test_rankings_of_one_person_are_not_compared_with_each_other():
    ranks = make_mallows(10, 5, phi=0.9, random_state=1).ranks
    person = np.arange(10) // 2
    taus = [
        kendalltau(ranks[i], ranks[j]).statistic
        for i, j in combinations(range(10), 2)
        if person[i] != person[j]
    ]
    assert_allclose(agreement(ranks, people=person).mean_tau, np.mean(taus))


def test_extremes():
    same = np.tile([1.0, 2.0, 3.0], (5, 1))
    found = agreement(same)
    assert (found.kendall_w, found.mean_tau) == (1.0, 1.0)
    # The share that five people miss with a chance of 5 % may say the opposite.
    missed = 1 - 0.05 ** (1 / 5)
    assert_allclose(found.mean_tau_interval, (1 - 2 * missed, 1))
    assert_allclose(found.kendall_w_interval, (1 - missed, 1))
    opposed = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    assert agreement(opposed).mean_tau == -1
    assert agreement(opposed).kendall_w == 0
    assert agreement(opposed).mean_tau_interval[1] > 0.5


def test_nothing_compared_is_no_agreement():
    found = agreement(np.ones((3, 4)))
    assert (found.kendall_w, found.mean_tau, found.mean_tau_interval) == (None, None, None)
    assert agreement(np.array([[1.0, 2.0, 3.0]])).mean_tau is None


def test_intervals_cover():
    truth = agreement(make_mallows(20_000, 5, phi=0.8, random_state=0).ranks)
    covered = np.zeros(2)
    for seed in range(200):
        found = agreement(make_mallows(60, 5, phi=0.8, random_state=seed + 1).ranks)
        low, high = found.mean_tau_interval
        covered[0] += low <= truth.mean_tau <= high
        # W of m people is larger than that of many by (1 − W)/m.
        low, high = found.kendall_w_interval
        covered[1] += low <= truth.kendall_w + (1 - truth.kendall_w) / 60 <= high
    # 95 % of 200 is 190; four standard errors below is 178.
    assert covered.min() >= 178


def test_shares_and_counts_of_comparisons():
    nan = np.nan
    people = Units.of(read_rankings([[1, 2, nan], [2, 1, nan], [1, 2, 2]], unranked="anywhere"))
    pairs = compare_pairs(people)
    assert_allclose(pairs.counts(), [[0, 3, 1], [3, 0, 0], [1, 0, 0]])
    assert_allclose(
        pairs.shares(), [[nan, 2 / 3, 1], [1 / 3, nan, nan], [0, nan, nan]], equal_nan=True
    )


def test_margins_of_incomplete_rankings_are_means_over_all_completions():
    nan = np.nan
    ranks = np.array([[1, nan, 2, nan], [nan, 1, nan, nan], [2, 3, 1, nan], [4, 1, 2, 3]])
    every = np.array(list(permutations(range(1, 5))))
    expected = np.zeros((4, 4))
    for row in ranks:
        listed = np.flatnonzero(~np.isnan(row))
        fits = [np.all(np.argsort(e[listed]) == np.argsort(row[listed])) for e in every]
        own = every[fits]
        expected += np.sign(own[:, None, :] - own[:, :, None]).mean(axis=0) / len(ranks)
    pairs = compare_pairs(Units.of(read_rankings(ranks, unranked="anywhere")))
    assert_allclose(pairs.margins(), expected, atol=1e-12)
    # Only those who rank both items compare them.
    assert pairs.counts()[0, 2] == 3


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
    assert winner == (unbeaten[0] if unbeaten else None)


@pytest.mark.parametrize(
    ("margins", "sentence"),
    [
        (CIRCLE, "cycle: 'a' beats 'b', 'b' beats 'c', 'c' beats 'a'."),
        (BELOW, "'d' beats every other item in a pairwise comparison. Majorities below it form a"),
        (
            np.zeros((2, 2)),
            "No item beats every other item in a pairwise comparison: all pairs are",
        ),
        (tournament(3, [(0, 2), (1, 2)]), "'a', 'b' are not beaten, but tied."),
        (np.zeros((1, 1)), "There is only one item"),
    ],
)
def test_what_majorities_say_in_words(margins, sentence):
    assert sentence in majority_sentence(margins, "abcd"[: len(margins)])
