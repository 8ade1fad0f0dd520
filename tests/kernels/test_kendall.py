"""Kendall's kernel, plain and weighted, by each of its algorithms; and vectors of pairs."""

import numpy as np
import oracles
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import kendalltau, weightedtau

from rankcut import make_food
from rankcut.kernels import (
    KendallFeatures,
    KendallKernel,
    WeightedKendallKernel,
    kendall,
    ranking_kernel,
)

KINDS = {"full": "error", "ties": "error", "top-k": "last", "incomplete": "anywhere"}


def random_rankings(n_rankings, n_items, n_ranks=None, missing=0.0):
    rng = np.random.default_rng(n_items)
    if n_ranks is None:
        ranks = rng.permuted(np.tile(np.arange(1.0, n_items + 1), (n_rankings, 1)), axis=1)
    else:
        ranks = rng.integers(1, n_ranks + 1, (n_rankings, n_items)).astype(float)
    ranks[rng.random(ranks.shape) < missing] = np.nan
    return ranks


def agreement(x, y):
    """Concordant less discordant pairs, over all pairs."""
    n = len(x)
    signs = [np.sign(np.subtract.outer(v, v))[np.triu_indices(n, 1)] for v in (x, y)]
    return signs[0] @ signs[1] / (n * (n - 1) / 2)


@pytest.mark.parametrize("n_items", [2, 8, 12, 30])
def test_full_rankings_have_scipys_tau(n_items):
    ranks = random_rankings(9, n_items)
    expected = [[kendalltau(x, y).statistic for y in ranks] for x in ranks]
    assert_allclose(KendallKernel()(ranks), expected, atol=1e-14)


@pytest.mark.parametrize("n_items", [3, 8, 12, 30])
def test_ties_have_tau_a_and_normalized_tau_b(n_items):
    ranks = random_rankings(9, n_items, n_ranks=4)
    tau_a = [[agreement(x, y) for y in ranks] for x in ranks]
    tau_b = [[kendalltau(x, y, variant="b").statistic for y in ranks] for x in ranks]
    assert_allclose(KendallKernel()(ranks), tau_a, atol=1e-14)
    assert_allclose(KendallKernel(normalize=True)(ranks), tau_b, atol=1e-14)


def test_a_ranking_that_ties_all_items_has_no_correlation_with_any():
    ranks = [[1, 1, 1], [1, 2, 3]]
    assert_array_equal(KendallKernel(normalize=True)(ranks), [[0, 0], [0, 1]])
    assert_array_equal(KendallFeatures(normalize=True).fit_transform(ranks)[0], 0)


def test_incomplete_is_the_mean_over_all_full_rankings_that_agree():
    ranks = random_rankings(8, 5, n_ranks=3, missing=0.4)
    ranks[0], ranks[1] = np.nan, [1, 2, 3, 4, 5]

    def tau(x, y):
        return 1 - oracles.discordant(x, y) / 5

    got = KendallKernel(unranked="anywhere")(ranks)
    assert_allclose(got, oracles.mean_over_orders(tau, ranks), atol=1e-14)


@pytest.mark.parametrize("kind", KINDS)
def test_is_the_inner_product_of_features(kind):
    ranks = make_food(20, kind=kind, random_state=3).ranks
    for normalize in (False, True):
        features = KendallFeatures(unranked=KINDS[kind], normalize=normalize).fit_transform(ranks)
        got = KendallKernel(unranked=KINDS[kind], normalize=normalize)(ranks)
        assert features.shape == (20, 28)
        assert_allclose(got, features @ features.T, atol=1e-14)
    single = KendallFeatures(unranked=KINDS[kind], dtype=np.float32).fit_transform(ranks)
    assert single.dtype == np.float32


@pytest.mark.parametrize("n_ranks", [None, 6])
def test_the_routine_for_many_items_agrees(n_ranks, monkeypatch):
    ranks = random_rankings(20, 40, n_ranks=n_ranks)
    expected = KendallKernel()(ranks), KendallKernel(normalize=True)(ranks[:5], ranks[3:])
    monkeypatch.setattr(kendall, "BIT_ITEMS", 39)
    assert_array_equal(KendallKernel()(ranks), expected[0])
    assert_array_equal(KendallKernel(normalize=True)(ranks[:5], ranks[3:]), expected[1])


def test_many_items_take_that_routine(monkeypatch):
    ranks = random_rankings(2, kendall.BIT_ITEMS + 1)
    monkeypatch.setattr(kendall, "signs_as_bits", None)
    expected = kendalltau(*ranks).statistic
    assert_allclose(KendallKernel()(ranks)[0, 1], expected, atol=1e-14)


def test_vectors_that_do_not_fit_are_made_block_by_block(monkeypatch):
    ranks = random_rankings(20, 6, n_ranks=4, missing=0.3)
    options = {"weights": "additive", "unranked": "anywhere"}
    expected = WeightedKendallKernel(**options)(ranks)
    monkeypatch.setattr(ranking_kernel, "KEPT", 100)
    assert_allclose(WeightedKendallKernel(**options)(ranks), expected, atol=1e-13)


@pytest.mark.parametrize("missing", [0.2, 0.9])
def test_lists_are_compared_as_their_vectors(missing):
    ranks = random_rankings(30, 70, n_ranks=9, missing=missing)
    ranks[3] = np.nan
    vectors = KendallFeatures(unranked="anywhere").fit_transform(ranks)
    kernel = KendallKernel(unranked="anywhere")
    for one, other in ((ranks, None), (ranks[:8], ranks[5:])):
        left, right = vectors[: len(one)], vectors if other is None else vectors[5:]
        assert_allclose(kernel(one, other), left @ right.T, atol=1e-13)
    assert_array_equal(kernel(ranks), kernel(ranks).T)
    assert_allclose(kernel.diag(ranks), (vectors**2).sum(axis=1), atol=1e-13)


def test_names(frames):
    frame = frames.DataFrame({"uni": [1.0, 2.0], "toro": [2.0, 1.0], "ika": [3.0, 3.0]})
    transformer = KendallFeatures().set_output(transform=frames.__name__)
    got = transformer.fit_transform(frame)
    assert list(got.columns) == ["uni>toro", "uni>ika", "toro>ika"]
    assert_array_equal(got.to_numpy(), KendallFeatures().fit_transform(frame))
    assert KendallFeatures(items=[7, 8]).fit([[1, 2]]).get_feature_names_out() == ["7>8"]
    assert KendallFeatures().fit([[1, 2]]).get_feature_names_out() == ["x0>x1"]


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
    got = WeightedKendallKernel(weights, unranked="anywhere", **OPTIONS[weights])(ranks)
    assert_allclose(got, expected, atol=1e-13)
    others = rankings("full")
    expected = oracles.mean_over_orders(by_definition(weights), ranks, others)
    got = WeightedKendallKernel(weights, unranked="anywhere", **OPTIONS[weights])(ranks, others)
    assert_allclose(got, expected, atol=1e-13)


def test_equal_weights_count_concordant_pairs():
    ranks = rankings("full")
    concordant = (1 + KendallKernel()(ranks)) * N * (N - 1) / 4
    got = WeightedKendallKernel("top-k", k=N)(ranks)
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
        got = WeightedKendallKernel("multiplicative")(x[None] + 1, y[None] + 1)
        assert_allclose(got, (total + signed) / 2, rtol=1e-12)


def test_the_average_is_the_mean_over_k():
    for n_items in (9, 70, 130):  # one, two and three words of bits
        rng = np.random.default_rng(n_items)
        ranks = np.argsort(rng.random((4, n_items)), axis=1) + 1
        layers = [WeightedKendallKernel("top-k", k=k)(ranks) for k in range(1, n_items + 1)]
        assert_allclose(WeightedKendallKernel()(ranks), np.mean(layers, axis=0), rtol=1e-12)


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
        WeightedKendallKernel(**options)(rankings("full"))
