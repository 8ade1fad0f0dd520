"""The evidence by the density of labels, and logistic regression against scikit-learn's."""

import numpy as np
import pytest
from oracles import is_at_the_maximum, log_evidence
from scipy import sparse
from scipy.optimize import approx_fprime
from scipy.stats import multivariate_normal
from sklearn.linear_model import LogisticRegression

from rankcut import NeighborGraph
from rankcut.cuts.smoothing import Smoother
from rankcut.rankings import read_rankings
from rankcut.regression.views import (
    Evidence,
    View,
    ViewRegression,
    list_views,
    sum_rotated,
    sum_samples,
    weigh_views,
)

WAYS = [sum_samples, sum_rotated]
LOGS = np.log([0.3, 0.1, 0.7])


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def some_views(rng, n_samples=12, widths=(4, 3), smoother=None):
    """Sparse views, the last of them smoothed."""
    rows = [rng.normal(size=(n_samples, width)) / np.sqrt(width) for width in widths]
    smoothers = [None] * (len(widths) - 1) + [smoother]
    return [View(sparse.csr_array(each), own) for each, own in zip(rows, smoothers, strict=True)]


def centred(views, counts):
    """The views as arrays, less their means."""
    arrays = [view.toarray() for view in views]
    return [each - np.average(each, axis=0, weights=counts) for each in arrays]


@pytest.fixture
def data(rng):
    smoother = Smoother(NeighborGraph(rng.normal(size=(3, 1)), n_neighbors=1).build(), 1.5)
    return some_views(rng, smoother=smoother), rng.choice([-1.0, 1.0], size=(12, 2))


@pytest.mark.parametrize("way", WAYS)
def test_it_is_the_density_of_the_labels(way, data):
    """With a row that counts as that many rows."""
    views, targets = data
    counts = np.arange(12) % 3 + 1.0
    n = int(counts.sum())
    repeated = [np.repeat(each, counts.astype(int), axis=0) for each in centred(views, counts)]
    covariance = sum(v * z @ z.T for v, z in zip([0.3, 0.1], repeated, strict=True))
    density = multivariate_normal(np.zeros(n), covariance + 0.7 * np.eye(n))
    labels = np.repeat(targets, counts.astype(int), axis=0)
    # But for the constant of the normal density.
    expected = -density.logpdf(labels.T).sum() - n * np.log(2 * np.pi)
    assert way(views, targets, counts).loss(LOGS)[0] == pytest.approx(expected)


@pytest.mark.parametrize("way", WAYS)
def test_its_slopes_are_those_of_differences(way, data):
    evidence = way(*data, np.arange(12) % 3 + 1.0)
    by_differences = approx_fprime(LOGS, lambda logs: evidence.loss(logs)[0])
    assert evidence.loss(LOGS)[1] == pytest.approx(by_differences, rel=1e-4)


@pytest.mark.parametrize("n_samples", [30, 300])
def test_the_view_that_explains_the_labels_gets_the_variance(n_samples, rng):
    telling, silent = some_views(rng, n_samples, (20, 20))
    labels = np.sign(telling.toarray() @ rng.normal(size=20))[:, None]
    variances, scales = weigh_views({"one": telling, "other": silent}, labels, np.ones(n_samples))
    assert variances["one"] > 5 * variances["other"]
    # Vectors times these scales have a mean square of the variance.
    squares = (centred([telling], np.ones(n_samples))[0] ** 2).sum(axis=1).mean()
    assert scales["one"] ** 2 * squares == pytest.approx(variances["one"])


@pytest.mark.parametrize("n_samples", [10, 40])
def test_variances_are_at_the_maximum_of_the_evidence(n_samples, rng):
    views = [view.toarray() for view in some_views(rng, n_samples, (6, 4, 8))]
    targets = np.sign(rng.normal(size=(n_samples, 2)) + views[0][:, :2])
    targets -= targets.mean(axis=0)
    found = Evidence([view @ view.T for view in views], targets).best_variances()
    assert is_at_the_maximum(lambda variances: log_evidence(views, targets, variances), found)


def test_a_view_that_is_the_same_for_all_has_no_variance(rng):
    same = View(sparse.csr_array(np.full((40, 3), 1 / np.sqrt(3))))
    (other,) = some_views(rng, 40, (3,))
    variances, scales = weigh_views(
        {"same": same, "other": other}, rng.normal(size=(40, 1)), np.ones(40)
    )
    assert variances["same"] == 0
    assert list(scales) == ["other"]


POINTS = np.random.default_rng(0).random((9, 2))
SMOOTHER = Smoother(NeighborGraph(POINTS, n_neighbors=3).build(), 1.5)


def random_views(n_rankings):
    rng = np.random.default_rng(n_rankings)
    ranks = rng.integers(1, 5, size=(n_rankings, 9)).astype(float)
    ranks[rng.random(ranks.shape) < 0.5] = np.nan
    return list_views(read_rankings(ranks, unranked="anywhere"), SMOOTHER)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("counted", [False, True])
def test_it_is_logistic_regression_on_the_filled_views(n_classes, counted):
    rng = np.random.default_rng(0)
    views, others = random_views(60), random_views(5)
    scales = {"order": 2.0, "both": 0.5, "smooth listing": 1.5}
    codes = np.arange(60) % n_classes
    counts = rng.integers(1, 4, 60).astype(float) if counted else np.ones(60)
    model = ViewRegression(views, scales, codes, counts)

    def filled(some):
        return np.hstack([scale * some[name].toarray() for name, scale in scales.items()])

    exact = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000)
    exact.fit(filled(views), codes, counts)
    # Both end where slopes of the mean loss, which curves by at least 1/180, are below 1e-7.
    assert np.abs(model.probabilities(others) - exact.predict_proba(filled(others))).max() < 1e-4
    np.testing.assert_allclose(
        model.scores(others), exact.decision_function(filled(others)), atol=1e-3
    )
