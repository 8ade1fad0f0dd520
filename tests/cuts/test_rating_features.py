"""Vectors of ratings: against sums over pairs, simulated noise, and both ends of the family."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import erf

from rankcut import GraphCutFeatures, RatingFeatures
from rankcut._loops import pairs as loops
from rankcut.cuts import rating_features

N_ITEMS = 6
RNG = np.random.default_rng(0)
WEIGHTS = np.triu(RNG.random((N_ITEMS, N_ITEMS)) * (RNG.random((N_ITEMS, N_ITEMS)) < 0.7), 1)
WEIGHTS += WEIGHTS.T
RATINGS = RNG.integers(1, 6, (12, N_ITEMS)).astype(float)
PARTIAL = np.where(RNG.random(RATINGS.shape) < 0.4, np.nan, RATINGS)
PARTIAL[0], PARTIAL[1, 1:], PARTIAL[1, 0] = np.nan, np.nan, 3.0
GRAPHS = {"complete": None, "dense": WEIGHTS, "sparse": sparse.csr_array(WEIGHTS)}


def by_pairs(x, weights, noise):
    """Σ_j W_ij·erf((x_i − x_j)/(2τ)) over rated items."""
    signs = erf((x[:, np.newaxis] - x) / (2 * noise))
    return np.nansum(weights * signs, axis=1)


def weights_of(graph):
    return 1 - np.eye(N_ITEMS) if graph is None else WEIGHTS


@pytest.mark.parametrize("graph", GRAPHS)
def test_sums_over_pairs_of_rated_items(graph):
    for ratings, meant in ((RATINGS, ("error", "ignore", "anywhere")), (PARTIAL, ("ignore",))):
        expected = [by_pairs(x, weights_of(GRAPHS[graph]), 0.8) for x in ratings]
        for unrated in meant:
            features = RatingFeatures(GRAPHS[graph], noise=0.8, unrated=unrated)
            assert_allclose(features.fit_transform(ratings), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("graph", GRAPHS)
def test_unrated_items_may_be_anywhere(graph):
    # Noise is drawn, then each unrated item falls into a gap of its own choice.
    noise, n_draws = 0.8, 20_000
    rng = np.random.default_rng(1)
    weights = weights_of(GRAPHS[graph])
    got = RatingFeatures(GRAPHS[graph], noise=noise, unrated="anywhere").fit_transform(PARTIAL)
    for x, vector in zip(PARTIAL[:6], got[:6], strict=True):
        rated = ~np.isnan(x)
        k = rated.sum()
        places = np.empty((n_draws, N_ITEMS))
        noisy = x[rated] + noise * rng.standard_normal((n_draws, k))
        places[:, rated] = noisy.argsort(axis=1).argsort(axis=1)
        places[:, ~rated] = rng.integers(0, k + 1, (n_draws, N_ITEMS - k)) - 0.5
        signs = np.sign(places[:, :, np.newaxis] - places[:, np.newaxis])
        gains = (signs * weights).sum(axis=2)
        error = gains.std(axis=0) / np.sqrt(n_draws)
        assert np.all(np.abs(gains.mean(axis=0) - vector) <= 5 * error + 1e-12)


@pytest.mark.parametrize("unrated", ["ignore", "anywhere"])
@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("normalize", [False, True])
def test_sparse_ratings(unrated, graph, normalize):
    rows, columns = np.nonzero(~np.isnan(PARTIAL))
    stored = sparse.coo_array((PARTIAL[rows, columns], (rows, columns)), PARTIAL.shape).tocsr()
    features = RatingFeatures(GRAPHS[graph], unrated=unrated, normalize=normalize)
    expected = features.fit_transform(PARTIAL)
    got = features.fit_transform(stored)
    stays = unrated == "ignore" or graph == "complete"
    assert sparse.issparse(got) == stays
    assert_allclose(got.toarray() if stays else got, expected, rtol=1e-12, atol=1e-13)
    norms = np.linalg.norm(expected, axis=1)
    assert_allclose(norms[norms > 0], 1 if normalize else norms[norms > 0], rtol=1e-12)


def test_a_rating_of_0_is_a_rating():
    ratings = np.array([[0.0, 1, 2], [2, 0, np.nan]])
    got = RatingFeatures(noise=1.0, unrated="ignore").fit_transform(ratings)
    assert_allclose(got[1], [erf(1), -erf(1), 0])


def test_without_noise_the_order_alone_counts():
    expected = GraphCutFeatures().fit_transform(-RATINGS)
    assert_array_equal(RatingFeatures(noise=0).fit_transform(RATINGS), expected)
    assert_allclose(RatingFeatures(noise=1e-9).fit_transform(RATINGS), expected, rtol=1e-12)
    assert_array_equal(RatingFeatures(noise=0).fit_transform(RATINGS**3), expected)


def test_with_much_noise_it_is_the_laplacian():
    noise = 1e5
    laplacian = np.diag(WEIGHTS.sum(axis=1)) - WEIGHTS
    got = RatingFeatures(WEIGHTS, noise=noise).fit_transform(RATINGS) * noise * np.sqrt(np.pi)
    assert_allclose(got, RATINGS @ laplacian, rtol=1e-8, atol=1e-8)


def test_opposite_ratings_have_opposite_vectors():
    got = RatingFeatures(WEIGHTS).fit_transform(np.vstack([RATINGS, 6 - RATINGS]))
    assert_allclose(got[:12], -got[12:], atol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"noise": -1}, "noise must be a finite number, 0 or more; got -1"),
        ({"noise": float("nan")}, "noise must be"),
        ({"unrated": "last"}, 'unrated must be "error", "ignore" or "anywhere"'),
        ({}, "row 0: item 0 is not ranked"),
    ],
)
def test_mistakes(options, message):
    with pytest.raises(ValueError, match=message):
        RatingFeatures(**options).fit(PARTIAL)


def test_machine_code_does_what_the_source_says(monkeypatch):
    names = ("weighted_wins_dense", "weighted_wins_sparse")
    for graph in GRAPHS.values():
        features = RatingFeatures(graph, unrated="anywhere")
        expected = features.fit_transform(PARTIAL)
        with monkeypatch.context() as patch:
            patch.setattr(loops, "expected_sign", loops.expected_sign.py_func)
            for name in names:
                patch.setattr(rating_features, name, getattr(loops, name).py_func)
            assert_allclose(features.fit_transform(PARTIAL), expected, rtol=1e-12, atol=1e-13)
