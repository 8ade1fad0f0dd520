"""Logistic regression on views, against scikit-learn's on the filled ones."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from rankcut import NeighborGraph
from rankcut.cuts.smoothing import Smoother
from rankcut.rankings import read_rankings
from rankcut.regression.logistic import ViewRegression
from rankcut.regression.views import list_views

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
    counts = rng.integers(1, 4, 60).astype(float) if counted else None
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
