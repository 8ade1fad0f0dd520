"""The weighted Kendall kernel against its definition, SciPy and explicit enumeration."""

import numpy as np
import oracles
import pytest
from numpy.testing import assert_allclose
from scipy.stats import weightedtau

from rankcut.kernels import kendall_kernel, weighted_kendall_kernel

N = 5
U = 1 / np.arange(1.0, N + 1)
PAIR_WEIGHTS = {
    "average": lambda p, q, r, s: (N + 1 - max(q, s)) / N,
    "top-k": lambda p, q, r, s: float(q <= 3 and s <= 3),
    "additive": lambda p, q, r, s: (U[p - 1] + U[q - 1]) * (U[r - 1] + U[s - 1]),
    "multiplicative": lambda p, q, r, s: U[p - 1] * U[q - 1] * U[r - 1] * U[s - 1],
}
OPTIONS = {"average": {}, "top-k": {"k": 3}, "additive": {}, "multiplicative": {}}


def by_definition(weights):
    """Σ over ordered pairs of items that both full rankings order so."""

    def kernel(x, y):
        return sum(
            PAIR_WEIGHTS[weights](x[i], x[j], y[i], y[j])
            for i in range(N)
            for j in range(N)
            if x[i] < x[j] and y[i] < y[j]
        )

    return kernel


def rankings(kind):
    rng = np.random.default_rng(0)
    full = rng.permuted(np.tile(np.arange(1.0, N + 1), (8, 1)), axis=1)
    if kind == "ties":
        return np.ceil(full / rng.integers(1, 4, (8, 1)))
    if kind == "top-k":
        return np.where(full > rng.integers(1, N, (8, 1)), N, full)
    if kind == "incomplete":
        ranks = np.ceil(full / rng.integers(1, 3, (8, 1)))
        ranks[rng.random(ranks.shape) < 0.4] = np.nan
        ranks[0] = np.nan
        return ranks
    return full


@pytest.mark.parametrize("kind", ["full", "ties", "top-k", "incomplete"])
@pytest.mark.parametrize("weights", PAIR_WEIGHTS)
def test_is_the_mean_of_the_definition_over_full_rankings(weights, kind):
    ranks = rankings(kind)
    expected = oracles.mean_over_orders(by_definition(weights), ranks)
    got = weighted_kendall_kernel(ranks, weights=weights, unranked="anywhere", **OPTIONS[weights])
    assert_allclose(got, expected, atol=1e-13)
    others = rankings("full")
    expected = oracles.mean_over_orders(by_definition(weights), ranks, others)
    got = weighted_kendall_kernel(
        ranks, others, weights=weights, unranked="anywhere", **OPTIONS[weights]
    )
    assert_allclose(got, expected, atol=1e-13)


def test_equal_weights_count_concordant_pairs():
    ranks = rankings("full")
    concordant = (1 + kendall_kernel(ranks)) * N * (N - 1) / 4
    got = weighted_kendall_kernel(ranks, weights="top-k", k=N)
    assert_allclose(got, concordant, atol=1e-13)


def weighted_agreement(x, y, v):
    """Σ_{i<j} v_i v_j · sign · sign, and Σ_{i<j} v_i v_j, by SciPy's weighted τ."""
    total = (v.sum() ** 2 - (v**2).sum()) / 2
    tau = weightedtau(-x, -y, rank=np.arange(len(v)), weigher=lambda item: v[item], additive=False)
    return tau.statistic * total, total


@pytest.mark.parametrize("n_items", [3, 7, 20])
def test_multiplicative_weights_by_scipys_weighted_tau(n_items):
    # For one pair of rankings, u_p·u_q·u_r·u_s is a product of weights of the two items.
    rng = np.random.default_rng(n_items)
    u = 1 / np.arange(1.0, n_items + 1)
    for _ in range(5):
        x, y = rng.permutation(n_items), rng.permutation(n_items)
        signed, total = weighted_agreement(x, y, u[x] * u[y])
        got = weighted_kendall_kernel(x[None] + 1, y[None] + 1, weights="multiplicative")
        assert_allclose(got, (total + signed) / 2, rtol=1e-12)


def test_the_average_is_the_mean_over_k():
    for n_items in (9, 70, 130):  # one, two and three words of bits
        rng = np.random.default_rng(n_items)
        ranks = np.argsort(rng.random((4, n_items)), axis=1) + 1
        layers = [
            weighted_kendall_kernel(ranks, weights="top-k", k=k) for k in range(1, n_items + 1)
        ]
        assert_allclose(weighted_kendall_kernel(ranks), np.mean(layers, axis=0), rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": "top"}, 'weights must be "average", "top-k"'),
        ({"weights": "top-k"}, "k must be from 1 to 5, the number of items; got None"),
        ({"weights": "top-k", "k": 6}, "k must be from 1 to 5"),
        ({"weights": "additive", "k": 2}, 'k is for weights="top-k"'),
    ],
)
def test_parameters_that_do_not_fit(options, message):
    with pytest.raises(ValueError, match=message):
        weighted_kendall_kernel(rankings("full"), **options)
