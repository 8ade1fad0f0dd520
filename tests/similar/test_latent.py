"""Alternating least squares against its loss, filled, and against soft-impute."""

import numpy as np
import pytest
from scipy import sparse

from rankcut._loops.linear_algebra import add_normal_equations
from rankcut.similar.latent import LatentFactors

RNG = np.random.default_rng(0)
LISTED = RNG.random((14, 9)) < 0.5
DENSE = np.where(LISTED, RNG.normal(size=(14, 9)), 0.0)
ROWS, COLUMNS = np.nonzero(LISTED)
VALUES = sparse.csr_array((DENSE[ROWS, COLUMNS], (ROWS, COLUMNS)), shape=DENSE.shape)
WEIGHTS = RNG.random(VALUES.nnz) + 0.5
FILLED_WEIGHTS = np.zeros(DENSE.shape)
FILLED_WEIGHTS[ROWS, COLUMNS] = WEIGHTS


def loss(people, items, unlisted, penalty, counts=1.0):
    weights = np.where(LISTED, FILLED_WEIGHTS, unlisted)
    missed = (weights * (DENSE - people @ items.T) ** 2).sum(axis=1) + penalty * (people**2).sum(1)
    return float((counts * missed).sum() + penalty * (items**2).sum())


@pytest.mark.parametrize("unlisted", [0.0, 0.3])
def test_no_person_and_no_item_can_be_moved_to_a_smaller_loss(unlisted):
    model = LatentFactors(VALUES, WEIGHTS, unlisted, rank=3, penalty=0.2, n_rounds=400)
    people = model.people(VALUES, WEIGHTS)
    least = loss(people, model.items, unlisted, 0.2)
    for place in range(3):
        for step in (-1e-3, 1e-3):
            moved = model.items.copy()
            moved[4, place] += step
            assert loss(people, moved, unlisted, 0.2) > least
            changed = people.copy()
            changed[7, place] += step
            assert loss(changed, model.items, unlisted, 0.2) > least


def test_with_all_that_is_unlisted_unknown_it_is_soft_impute():
    """Of full rank, alternating least squares finds the minimum of the nuclear norm problem."""
    values = sparse.csr_array(DENSE)
    model = LatentFactors(VALUES, np.ones(VALUES.nnz), 0.0, rank=9, penalty=0.5, n_rounds=2000)
    found = model.people(VALUES, np.ones(VALUES.nnz)) @ model.items.T
    filled = np.zeros(DENSE.shape)
    for _ in range(3000):
        left, sizes, right = np.linalg.svd(np.where(LISTED, DENSE, filled), full_matrices=False)
        filled = left * np.maximum(sizes - 0.5, 0.0) @ right
    assert values.shape == found.shape
    np.testing.assert_allclose(found, filled, atol=2e-4)


def test_counts_are_repeated_rows():
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 4, 14)
    repeated = VALUES[np.repeat(np.arange(14), counts)]
    weights = np.concatenate([np.tile(FILLED_WEIGHTS[r, LISTED[r]], counts[r]) for r in range(14)])
    options = {"rank": 3, "penalty": 0.2}
    one = LatentFactors(repeated, weights, 0.3, **options)
    other = LatentFactors(VALUES, WEIGHTS, 0.3, counts=counts.astype(float), **options)
    np.testing.assert_allclose(other.items, one.items, rtol=1e-9, atol=1e-12)


def test_plain_and_compiled():
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(9, 3))
    found = []
    for loop in (add_normal_equations, add_normal_equations.py_func):
        matrices, rights = np.zeros((14, 3, 3)), np.zeros((14, 3))
        starts, columns = VALUES.indptr.astype(np.int64), VALUES.indices.astype(np.int64)
        loop(starts, columns, VALUES.data, WEIGHTS, factors, matrices, rights)
        found.append((matrices, rights))
    expected = np.einsum("ri,ia,ib->rab", FILLED_WEIGHTS, factors, factors)
    np.testing.assert_allclose(found[0][0], expected, atol=1e-12)
    np.testing.assert_allclose(found[0][1], DENSE @ factors, atol=1e-12)
    np.testing.assert_allclose(found[1][0], found[0][0], rtol=1e-13)
    np.testing.assert_allclose(found[1][1], found[0][1], rtol=1e-12, atol=1e-14)


def test_as_distribution_takes_spread_and_noise_from_the_lists():
    rng = np.random.default_rng(3)
    dense = np.where(rng.random((25, 6)) < 0.7, rng.standard_normal((25, 6)), 0.0)
    values, counts = sparse.csr_array(dense), rng.integers(1, 4, 25).astype(float)
    weights = rng.uniform(0.5, 2.0, values.nnz)
    model = LatentFactors(values, weights, 0.0, rank=3, penalty=0.5, counts=counts)
    people, items = model.people(values, weights), model.items
    rows, columns = np.repeat(np.arange(25), np.diff(values.indptr)), values.indices
    left = values.data - (people @ items.T)[rows, columns]
    noise = np.average(left**2, weights=weights * counts[rows])
    spread = sum(n * np.outer(u, u) for n, u in zip(counts, people, strict=True)) / counts.sum()
    model.as_distribution(values, weights, counts, trust=0.5)
    np.testing.assert_allclose(model.items @ model.items.T, items @ spread @ items.T, atol=1e-9)
    # The expected vector of a list solves the normal equations with twice that noise.
    expected = np.zeros((25, 3))
    for row in range(25):
        own = model.items[columns[rows == row]]
        weight = weights[rows == row]
        inner = own.T @ (weight[:, None] * own) + 2 * noise * np.eye(3)
        expected[row] = np.linalg.solve(inner, own.T @ (weight * values.data[rows == row]))
    np.testing.assert_allclose(model.people(values, weights), expected, atol=1e-9)
