"""How many blocs: the population without blocs, stability, and the rule."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from rankcut import make_mallows, make_plackett_luce
from rankcut._loops.partitions import NOWHERE
from rankcut.blocs.order_vectors import closed, fit_order_vectors
from rankcut.blocs.selection import (
    MOST_PEOPLE,
    Selection,
    fit_null,
    rand_index,
    rank_like,
    sample_people,
    weigh_numbers,
)
from rankcut.consensus.means import borda_vectors
from rankcut.rankings import read_rankings


def groups(ranks, unranked="error"):
    return read_rankings(ranks, unranked=unranked).groups()


def evidence(gap, error, stability):
    numbers = np.arange(1, len(gap) + 1)
    return Selection(
        numbers, np.ones(len(gap)), np.ones(len(gap)), *map(np.array, (gap, error, stability)), 9
    )


@pytest.mark.parametrize(
    ("kind", "unranked"), [("full", "error"), ("top-k", "last"), ("incomplete", "anywhere")]
)
def test_the_population_without_blocs_has_the_same_mean_and_covariance(kind, unranked):
    ranks = make_plackett_luce(1500, 6, kind=kind, k=4, random_state=0).ranks
    given = groups(ranks, unranked)
    population = fit_null(given, np.ones(1500), np.random.default_rng(0))
    drawn = population.draw(given, np.random.default_rng(1))
    ours, theirs = borda_vectors(given), borda_vectors(drawn)
    # Means of 1,500 people vary by 3.4/√1500 = 0.09 each; differences of two of them by 0.12.
    assert np.abs(ours.mean(axis=0) - theirs.mean(axis=0)).max() < 4 * 0.12
    spread = np.cov(ours.T)
    # Entries of a covariance matrix vary by at most √(2/1500) of the largest variance.
    assert np.abs(spread - np.cov(theirs.T)).max() < 5 * np.sqrt(2 * 2 / 1500) * spread.max()


def test_the_population_without_blocs_is_as_wide_as_one_that_has_some():
    centers = [[1, 2, 3, 4, 5], [5, 4, 3, 1, 2]]
    ranks = make_mallows(3000, 5, phi=0.4, centers=centers, random_state=0).ranks
    given = groups(ranks)
    population = fit_null(given, np.ones(3000), np.random.default_rng(0))
    drawn = population.draw(np.repeat(given, 10, axis=0), np.random.default_rng(1))
    spread, theirs = np.cov(borda_vectors(given).T), np.cov(borda_vectors(drawn).T)
    # Utilities with the covariance of the positions have rankings that are much less wide.
    least = np.abs(spread - theirs).max() / spread.max()
    assert least < 0.1


def test_drawn_rankings_list_the_same_items_and_tie_as_many():
    shapes = np.array([[0, 1, 1, NOWHERE, 2], [0, 0, 0, 1, 1]], dtype=np.uint32)
    found = rank_like(shapes, np.random.default_rng(0).normal(size=(2, 5)))
    assert_array_equal(np.sort(found, axis=1), np.sort(shapes, axis=1))
    assert_array_equal(found == NOWHERE, shapes == NOWHERE)


def test_order_vectors_are_signs_less_their_means():
    ranks = make_mallows(40, 5, kind="incomplete", k=3, random_state=0).ranks
    given = groups(ranks, "anywhere")
    weights = np.arange(1.0, 41.0)
    found = fit_order_vectors(given, weights, "anywhere").vectors(given)
    pair = 0
    for i in range(5):
        for j in range(i + 1, 5):
            both = np.isfinite(ranks[:, i]) & np.isfinite(ranks[:, j])
            sign = np.sign(ranks[both, j] - ranks[both, i])
            mean = np.average(sign, weights=weights[both])
            assert_allclose(found[both, pair], sign - mean, rtol=1e-12)
            assert_array_equal(found[~both, pair], 0.0)
            pair += 1


def test_with_many_items_vectors_are_leads_less_their_means():
    rng = np.random.default_rng(0)
    ranks = np.where(rng.random((30, 40)) < 0.3, rng.integers(1, 9, size=(30, 40)), np.nan)
    given = groups(ranks, "anywhere")
    found = fit_order_vectors(given, np.ones(30), "anywhere").vectors(given)
    leads = np.zeros(ranks.shape)
    for r, i in zip(*np.nonzero(np.isfinite(ranks)), strict=True):
        leads[r, i] = (ranks[r] > ranks[r, i]).sum() - (ranks[r] < ranks[r, i]).sum()
    listed = np.isfinite(ranks)
    means = leads.sum(axis=0) / np.maximum(listed.sum(axis=0), 1)
    assert_allclose(found, np.where(listed, leads - means, 0.0), atol=1e-12)


def test_unranked_items_are_last_if_they_are():
    given = np.array([[1, NOWHERE, 0]], dtype=np.uint32)
    assert_array_equal(closed(given, "last"), [[1, 2, 0]])
    assert closed(given, "anywhere") is given


def test_people_are_counted_or_drawn():
    assert_array_equal(sample_people(np.array([2, 0, 1]), 0), [0, 0, 2])
    drawn = sample_people(np.array([3000, 0, 5000]), 0)
    assert len(drawn) == MOST_PEOPLE
    assert 1 not in drawn
    # 750 are expected of the first row, give or take 19 (hypergeometric).
    assert abs((drawn == 0).sum() - 750) < 5 * 19


@pytest.mark.parametrize(
    ("gap", "stability", "number"),
    [
        ([0, 0.1, 0.05], [1, 0.9, 0.5], 2),  # the clearest
        ([0, 0.015, 0.019], [1, 1.0, 1.0], 1),  # within two errors of none
        ([0, 0.5, 0.5], [1, 0.4, 0.3], 1),  # not stable
        ([0, 0.095, 0.1], [1, 1.0, 1.0], 2),  # the smaller of two alike
        ([0, 0.01, 0.1], [1, 0.9, 0.9], 3),
        ([0, -0.1, -0.2], [1, 1.0, 1.0], 1),
    ],
)
def test_the_rule(gap, stability, number):
    found = evidence(gap, [0, 0.01, 0.01], stability)
    assert found.choose(1, 3) == number
    assert found.choose(2, 3) >= 2
    assert found.choose(1, 1) == 1


def test_of_many_numbers_one_by_itself_is_chance():
    error, stability = np.full(8, 0.01), np.full(8, 0.8)
    alone = [0.0] * 7 + [0.1]
    assert evidence(alone, error, stability).choose(1, 8) == 1
    assert evidence([*[0.0] * 6, 0.05, 0.1], error, stability).choose(1, 8) == 8
    assert evidence([*[0.0] * 6, 0.05, 0.1], error, stability).choose(8, 8) == 8
    # Fewer need nothing before them.
    assert evidence([*[0.0] * 5, 0.1, 0, 0], error, stability).choose(1, 8) == 6


def test_equal_rankings_are_no_blocs():
    given = groups(np.tile([1.0, 2.0, 3.0], (20, 1)))
    vectors = fit_order_vectors(given, np.ones(20), "error").vectors
    assert weigh_numbers(given, np.ones(20), vectors, 3, 0).choose(1, 3) == 1


@pytest.mark.slow
@pytest.mark.parametrize("n_blocs", [1, 3])
def test_the_number_is_found_most_times(n_blocs):
    centers = [[1, 2, 3, 4, 5, 6, 7, 8], [8, 7, 6, 5, 4, 3, 2, 1], [3, 4, 1, 2, 8, 7, 5, 6]]
    right = 0
    for seed in range(10):
        data = make_mallows(500, 8, phi=0.5, centers=centers[:n_blocs], random_state=seed)
        given = groups(data.ranks)
        vectors = fit_order_vectors(given, np.ones(500), "error").vectors
        right += weigh_numbers(given, np.ones(500), vectors, 6, seed).choose(1, 6) == n_blocs
    assert right >= 9


def test_no_row_is_drawn_more_often_than_it_counts():
    counts = np.array([3, MOST_PEOPLE - 4, 2, 1])
    for seed in range(8):
        # All but two of the people, so that most rows are drawn as often as they count.
        drawn = np.bincount(sample_people(counts, seed), minlength=4)
        assert drawn.sum() == MOST_PEOPLE
        assert (drawn <= counts).all()


@pytest.mark.parametrize("k", [2, 3, 8])
def test_the_rand_index_is_that_of_scikit_learn(k):
    rng = np.random.default_rng(k)
    for size in (4, 50):
        one, other = rng.integers(0, k, (2, size)).astype(np.uint32)
        near = np.where(rng.random(size) < 0.2, other, one)
        alone = np.zeros(size, dtype=np.uint32)
        for pair in ((one, other), (one, near), (one, one), (one, alone), (alone, alone)):
            assert rand_index(*pair, k) == pytest.approx(adjusted_rand_score(*pair), abs=1e-12)
