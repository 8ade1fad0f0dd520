"""Logistic regression on several views, each with its own scale.

    log odds = Σ_v s_v·S_v·p(L)·w_v + b,    w ~ N(0, I)

at the maximum of the posterior density; b has no prior, so means of views need not be
subtracted. No view becomes dense: smoothing is applied to the weights.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

from rankcut._loops.types import Floats
from rankcut.estimators.views import View

# The search ends where no slope of the mean loss is larger.
_SLOPE = 1e-7
_MOST_ITERATIONS = 5000

_ROUNDING = 1e-9


class ViewRegression:
    """The weights of all views, and the intercept.

    Parameters
    ----------
    views : mapping of View
        All views of the same rankings.
    scales : mapping of float
        s of the views to use.
    codes : array of int, shape (n_rankings,)
        Classes from 0 on.
    counts : array of shape (n_rankings,) or None
        How often each ranking counts.

    Attributes
    ----------
    weights : ndarray of shape (n_scores, n_weights)
        w of all views that are used, one after another.
    scales : dict of float
        s of these views.
    """

    def __init__(
        self,
        views: Mapping[str, View],
        scales: Mapping[str, float],
        codes: NDArray[np.intp],
        counts: Floats | None,
    ) -> None:
        n_classes = int(codes.max()) + 1
        n_scores = 1 if n_classes == 2 else n_classes
        weights = np.ones(len(codes)) if counts is None else counts
        total = float(weights.sum())
        names = list(scales)
        widths = [views[name].rows.shape[1] for name in names]
        ends = np.cumsum([0, *widths])
        transposed = {name: views[name].rows.T.tocsr() for name in names}
        aims = (
            (codes == 1).astype(float)[:, None]
            if n_scores == 1
            else (codes[:, None] == np.arange(n_classes)).astype(float)
        )

        def split(parameters: Floats) -> tuple[Floats, Floats]:
            return parameters[n_scores:].reshape(n_scores, -1), parameters[:n_scores]

        def loss(parameters: Floats) -> tuple[float, Floats]:
            rows, offsets = split(parameters)
            scores = np.tile(offsets, (len(codes), 1))
            for name, start, end in zip(names, ends, ends[1:], strict=False):
                view = views[name]
                scores += scales[name] * (view.rows @ view.smoothed(rows[:, start:end]).T)
            missed, losses = _missed(scores, aims)
            missed *= weights[:, None]
            slopes = np.empty_like(parameters)
            of_rows, of_offsets = split(slopes)
            of_offsets[:] = missed.sum(axis=0)
            for name, start, end in zip(names, ends, ends[1:], strict=False):
                pulled = (transposed[name] @ missed).T
                of_rows[:, start:end] = scales[name] * views[name].smoothed(pulled)
            of_rows += rows
            value = float(weights @ losses) + 0.5 * float((rows**2).sum())
            return value / total, slopes / total

        start = np.zeros(n_scores * (1 + int(ends[-1])))
        found = minimize(
            loss,
            start,
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": _MOST_ITERATIONS, "gtol": _SLOPE, "ftol": 0.0, "maxfun": 10**6},
        )
        rows, self._offsets = split(found.x)
        self.weights: Floats = rows
        self.scales = dict(scales)
        # What multiplies the sparse rows, smoothing included.
        self._weights: dict[str, Floats] = {
            name: scales[name] * views[name].smoothed(rows[:, start:end]).T
            for name, start, end in zip(names, ends, ends[1:], strict=False)
        }

    def features(self, views: Mapping[str, View]) -> Floats:
        """The scaled views side by side, filled: what the weights w multiply."""
        n_rows = len(next(iter(views.values())))
        filled = [scale * views[name].toarray() for name, scale in self.scales.items()]
        return np.hstack([np.zeros((n_rows, 0)), *filled])

    def scores(self, views: Mapping[str, View]) -> Floats:
        """Log odds of the second of two classes, or scores of all classes."""
        n_rows = len(next(iter(views.values())))
        scores = np.tile(self._offsets, (n_rows, 1))
        for name, weights in self._weights.items():
            scores += views[name].rows @ weights
        return np.asarray(scores[:, 0] if scores.shape[1] == 1 else scores)

    def probabilities(self, views: Mapping[str, View]) -> Floats:
        """The probability of each class."""
        scores = self.scores(views)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        return np.asarray(np.exp(scores - logsumexp(scores, axis=1, keepdims=True)))


def _missed(scores: Floats, aims: Floats) -> tuple[Floats, Floats]:
    """Probabilities minus aims, and the loss of each ranking."""
    if scores.shape[1] == 1:
        signs = 1.0 - 2.0 * aims
        losses = np.logaddexp(0.0, signs * scores)[:, 0]
        return np.exp(-np.logaddexp(0.0, -scores)) - aims, losses
    top = logsumexp(scores, axis=1, keepdims=True)
    return np.exp(scores - top) - aims, (top - (scores * aims).sum(axis=1, keepdims=True))[:, 0]


def laplace_covariance(
    features: Floats, probabilities: Floats, C: float, counts: Floats | None = None
) -> Floats:
    """The inverse of the curvature of a penalised logistic loss, for each score.

    For two classes there is one score; for more, each class is compared with the rest, the
    other weights held where they are.
    """
    n = features.shape[1]
    design = np.column_stack([features, np.ones(len(features))])
    chosen = probabilities[:, 1:] if probabilities.shape[1] == 2 else probabilities
    found = []
    for p in chosen.T:
        weight = p * (1.0 - p) if counts is None else counts * p * (1.0 - p)
        curvature = (design.T * weight) @ design
        curvature[np.arange(n), np.arange(n)] += 1.0 / C
        # The constant has no penalty; where all is certain, nothing else bounds it.
        curvature[n, n] += _ROUNDING
        found.append(np.linalg.inv(curvature)[:n, :n])
    return np.array(found)
