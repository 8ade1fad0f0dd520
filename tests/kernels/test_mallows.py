"""The Mallows kernel against explicit enumeration, and the median heuristic."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import prod

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from strategies import partitions, ranks_of

from rankcut import MallowsKernel, make_food
from rankcut.kernels import KendallKernel, median_lambda


def mallows(lam):
    return lambda x, y: np.exp(-lam * oracles.discordant(x, y))


@given(partitions(5), partitions(5), st.sampled_from([1e-3, 0.2, 1.0, 30.0]))
def test_ties_are_the_mean_over_all_tie_breaks(first, second, lam):
    x, y = ranks_of(first, 5), ranks_of(second, 5)
    expected = oracles.mean_over_orders(mallows(lam), [x], [y])
    assert_allclose(MallowsKernel(lam)([x], [y]), expected, rtol=1e-12)


def incomplete(n_rankings, n_items, seed=0):
    rng = np.random.default_rng(seed)
    ranks = rng.integers(1, 5, (n_rankings, n_items)).astype(float)
    ranks[rng.random(ranks.shape) < 0.4] = np.nan
    return ranks


def test_incomplete_is_the_mean_over_all_completions_if_they_are_few():
    ranks = incomplete(7, 5)
    expected = oracles.mean_over_orders(mallows(0.5), ranks)
    got = MallowsKernel(0.5, unranked="anywhere", n_draws=120)(ranks)
    assert_allclose(got, expected, rtol=1e-12)


def test_draws_come_close_to_it_and_closer_the_more_there_are():
    # No two are equal: those have the same draws.
    ranks = incomplete(7, 5)[[0, 1, 2, 4, 5, 6]]
    exact = MallowsKernel(0.5, unranked="anywhere", n_draws=120)(ranks)
    off = ~np.eye(6, dtype=bool)
    errors = []
    for n_draws in (2, 16):
        got = [
            MallowsKernel(0.5, unranked="anywhere", n_draws=n_draws, random_state=seed)(ranks)
            for seed in range(20)
        ]
        errors.append(np.sqrt(np.mean((np.array(got) - exact)[:, off] ** 2)))
        standard_error = np.std(got, axis=0)[off] / np.sqrt(20)
        bias = np.abs(np.mean(got, axis=0) - exact)[off]
        assert (bias < 5 * standard_error + 1e-12).all()
    assert errors[1] < errors[0] / 2


def test_a_mirrored_pair_is_better_than_two_independent_draws():
    ranks = np.array([[1, 2, 3, 4] + 4 * [np.nan], 4 * [np.nan] + [1, 2, 3, 4]])
    full = np.array([[1, 2, 3, 4, 5, 6, 7, 8]])

    def means(n_draws, seeds):
        got = [
            MallowsKernel(unranked="anywhere", n_draws=n_draws, random_state=seed)(ranks, full)
            for seed in seeds
        ]
        return np.array(got)[:, :, 0]

    exact = means(1680, [0])
    mirrored = np.mean((means(2, range(400)) - exact) ** 2)
    independent = np.mean((single_draws(ranks, full, 400) - exact) ** 2) / 2
    assert mirrored < independent


def single_draws(ranks, full, n_draws):
    """The kernel for uniformly drawn completions, by NumPy's generator."""
    rng = np.random.default_rng(0)
    drawn = np.empty((n_draws, len(ranks)))
    for draw in range(n_draws):
        for r, row in enumerate(ranks):
            free = np.flatnonzero(np.isnan(row))
            ranked = np.argsort(row)[: len(row) - len(free)]
            slots = rng.permutation(len(row))
            positions = np.empty(len(row))
            positions[free] = slots[: len(free)]
            positions[ranked] = np.sort(slots[len(free) :])
            drawn[draw, r] = MallowsKernel()(positions[None], full)[0, 0]
    return drawn


def test_draws_depend_on_the_ranking_and_the_seed_alone():
    ranks = incomplete(12, 8)
    options = {"unranked": "anywhere", "n_draws": 6}
    whole = MallowsKernel(random_state=5, **options)(ranks)
    assert_array_equal(MallowsKernel(random_state=5, n_jobs=2, **options)(ranks), whole)
    some = MallowsKernel(random_state=5, **options)(ranks[3:6], ranks[::-1])
    assert_allclose(some, whole[3:6, ::-1], rtol=1e-13)
    # The same ordered partition in other numbers.
    assert_array_equal(MallowsKernel(random_state=5, **options)(10 * ranks - 3), whole)
    assert not np.allclose(MallowsKernel(random_state=6, **options)(ranks), whole)


def test_sampled_gram_matrices_are_positive_semi_definite():
    ranks = incomplete(60, 8)
    for lam in (0.01, 1.0):
        got = MallowsKernel(lam, unranked="anywhere", n_draws=4)(ranks)
        eigenvalues = np.linalg.eigvalsh(got)
        assert eigenvalues[0] > -1e-13 * eigenvalues[-1]


def test_many_items_and_extreme_rates():
    ranks = make_food(5, kind="ties", random_state=0).ranks
    large = np.repeat(ranks, 25, axis=1)
    for lam in (1e-8, 1.0, 500.0):
        got = MallowsKernel(lam)(large)
        assert np.isfinite(got).all()
        assert (got >= 0).all()
    assert_allclose(MallowsKernel(1e-8)(large), 1, atol=1e-3)


def test_the_default_rate():
    ranks = make_food(5, random_state=0).ranks
    assert_array_equal(MallowsKernel()(ranks), MallowsKernel(4 / (8 * 7))(ranks))


class TestMedian:
    def test_of_full_rankings(self):
        ranks = make_food(21, random_state=0).ranks
        distances = [oracles.discordant(ranks[i], ranks[j]) for i in range(21) for j in range(i)]
        assert_allclose(median_lambda(ranks), 1 / np.median(distances), rtol=1e-12)

    def test_of_incomplete_rankings(self):
        ranks = incomplete(9, 6)
        tau = KendallKernel(unranked="anywhere")(ranks)[np.triu_indices(9, 1)]
        expected = 1 / np.median(15 * (1 - tau) / 2)
        assert_allclose(median_lambda(ranks, unranked="anywhere"), expected, rtol=1e-12)

    def test_of_many_rankings_looks_at_some(self):
        ranks = make_food(1500, random_state=0).ranks
        some = median_lambda(ranks, random_state=1)
        distances = 28 * (1 - KendallKernel()(ranks)[np.triu_indices(1500, 1)]) / 2
        assert abs(1 / some - np.median(distances)) <= 1
        stored = sparse.csr_array(ranks)
        assert median_lambda(stored, random_state=1) == some

    def test_of_equal_rankings(self):
        for ranks in ([[1, 2, 3]], [[1, 2, 3]] * 4):
            with pytest.raises(
                ValueError, match=r"needs rankings that differ.*pass a number as lam"
            ):
                median_lambda(ranks)


@pytest.mark.parametrize("lam", [0, -1.0, np.inf, np.nan])
@pytest.mark.parametrize("n_draws", [0, 3, -2, 2.0, None])
def test_numbers_that_are_none(lam, n_draws):
    with pytest.raises(ValueError, match="lam must be a finite number above 0"):
        MallowsKernel(lam)([[1, 2]])
    with pytest.raises(ValueError, match="n_draws must be an even number from 2 to"):
        MallowsKernel(n_draws=n_draws)([[1, 2]])


def exact_orders(m):
    """[m]_q!/m! for q = ½, as a fraction."""
    return prod((2 - Fraction(2, 2**j)) / j for j in range(1, m + 1))


def exact_value(x, y):
    """The closed form for q = ½, in whole numbers."""
    pairs = combinations(range(len(x)), 2)
    discordant = sum((x[i] - x[j]) * (y[i] - y[j]) < 0 for i, j in pairs)
    value = Fraction(1, 2**discordant)
    for sizes in (Counter(x), Counter(y)):
        value *= prod(map(exact_orders, sizes.values()))
    return value / prod(map(exact_orders, Counter(zip(x, y, strict=True)).values()))


def test_normalised_values_of_very_many_tied_items_against_fractions():
    n = 250
    lists = np.full((4, n), 99)
    lists[0, :5] = lists[1, [4, 1, 2, 3, 0]] = lists[2, 3:8] = np.arange(5)
    lists[3] = 1 + np.arange(n) // 100
    ranks = [row.tolist() for row in lists]
    own = [exact_value(x, x) for x in ranks]
    assert float(own[0]) == 0.0
    expected = [
        [float(exact_value(x, y) ** 2 / (a * b)) ** 0.5 for y, b in zip(ranks, own, strict=True)]
        for x, a in zip(ranks, own, strict=True)
    ]
    got = MallowsKernel(np.log(2), normalize=True)(ranks)
    assert_allclose(got, expected, rtol=1e-11)
    kernel = MallowsKernel(np.log(2), normalize=True)
    assert_array_equal(kernel.diag(ranks), 1)
    step = 1e-6
    higher, lower = (MallowsKernel(np.log(2) * np.exp(t), normalize=True) for t in (step, -step))
    difference = (higher(ranks) - lower(ranks)) / (2 * step)
    gradient = kernel(ranks, eval_gradient=True)[1][:, :, 0]
    assert_allclose(gradient, difference, rtol=1e-6, atol=1e-9)
