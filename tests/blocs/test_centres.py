"""Blocs of a given number, against brute force and scikit-learn on expanded rows."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans

from rankcut.blocs.centres import assign, by_means, by_medoids, fit_spread, membership


def clouds(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)) + 6 * rng.integers(0, 2, size=(n, 1))


def test_two_blocs_of_few_people_are_the_best_of_all_divisions():
    points = np.random.default_rng(1).normal(size=(9, 2))
    weights = np.arange(1.0, 10.0)

    def squares(chosen):
        own = weights[chosen]
        mean = own @ points[chosen] / own.sum()
        return own @ ((points[chosen] - mean) ** 2).sum(axis=1)

    best = min(
        squares(np.array(part)) + squares(np.setdiff1d(np.arange(9), part))
        for size in range(1, 5)
        for part in itertools.combinations(range(9), size)
    )
    assert by_means(points, weights, 2, 20, 0).inertia == pytest.approx(best, rel=1e-12)


def test_weights_are_repeated_rows_for_k_means():
    points, counts = clouds(), np.random.default_rng(2).integers(1, 4, size=60)
    found = by_means(points, counts.astype(float), 2, 10, 0)
    expanded = KMeans(2, n_init=10, random_state=5).fit(np.repeat(points, counts, axis=0))
    assert found.inertia == pytest.approx(expanded.inertia_, rel=1e-12)
    order = np.argsort(expanded.cluster_centers_[:, 0])
    assert_allclose(
        found.centres[np.argsort(found.centres[:, 0])], expanded.cluster_centers_[order], rtol=1e-12
    )


def test_medoids_are_the_best_of_all_pairs():
    points = np.random.default_rng(3).normal(size=(12, 2))
    weights = np.arange(1.0, 13.0)
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    best = min(
        itertools.combinations(range(12), 2),
        key=lambda pair: weights @ apart[:, list(pair)].min(axis=1),
    )
    found = by_medoids(points, weights, 2, 20, 0)
    assert sorted(map(tuple, found.centres)) == sorted(tuple(points[i]) for i in best)


def test_each_row_is_assigned_on_its_own():
    points, centres = clouds(), clouds(3, seed=9)
    labels, squares = assign(points, centres)
    apart = ((points[:, None] - centres[None]) ** 2).sum(axis=2)
    assert_array_equal(labels, apart.argmin(axis=1))
    for r in (0, 17, 59):
        alone = assign(points[r : r + 1], centres)
        assert alone[0][0] == labels[r]
        assert alone[1][0] == squares[r]


def test_membership_is_that_of_normal_clouds():
    rng = np.random.default_rng(4)
    side = rng.integers(0, 2, size=4000)
    points = rng.normal(size=(4000, 2)) + np.outer(side, [3.0, 0.0])
    centres = np.array([[0.0, 0.0], [3.0, 0.0]])
    spread = fit_spread(points, np.ones(4000), centres)
    # The variance is 1; its maximum likelihood estimate from 4,000 people varies by about 0.03.
    assert spread == pytest.approx(1.0, abs=0.12)
    chance = membership(points, centres, spread)
    assert_allclose(chance.sum(axis=1), 1.0, rtol=1e-12)
    # The mean of what it says of the right side is how often that is the right one.
    sure = chance.max(axis=1)
    right = chance.argmax(axis=1) == side
    assert abs(sure.mean() - right.mean()) < 4 * np.sqrt(0.25 / 4000)


def test_equal_points_are_one_bloc():
    points = np.zeros((5, 2))
    found = by_means(points, np.ones(5), 3, 2, 0)
    assert len(found.centres) == 1
    assert_array_equal(found.labels, 0)
    assert_array_equal(membership(points, found.centres, 0.0), np.ones((5, 1)))
