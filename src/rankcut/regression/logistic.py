"""Logistic regression on several views of a list, each with a scale of its own.

    log odds = Σ_v s_v·S_v·p(L)·w_v + b,    w ~ N(0, I)

at the maximum of the posterior density; b has no prior, so means of views need not be subtracted.
Of two classes the first has the score 0; of more, each has weights of its own.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax

from rankcut._loops.types import Floats
from rankcut.regression.views import View

# The search ends when no slope of the mean loss is larger than this.
_SLOPE = 1e-7


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
        classes = np.arange(codes.max() + 1)
        aims = (codes[:, None] == classes).astype(np.float64)
        n_scores = 1 if len(classes) == 2 else len(classes)
        weights = np.ones(len(codes)) if counts is None else counts
        total = float(weights.sum())
        ends = np.cumsum([0] + [views[name].width for name in scales])
        places = {name: slice(*ends[i : i + 2]) for i, name in enumerate(scales)}
        transposed = {name: views[name].rows.T.tocsr() for name in scales}

        def split(parameters: Floats) -> tuple[Floats, Floats]:
            return parameters[n_scores:].reshape(n_scores, -1), parameters[:n_scores]

        def loss(parameters: Floats) -> tuple[float, Floats]:
            rows, offsets = split(parameters)
            scores = np.tile(offsets, (len(codes), 1))
            for name, place in places.items():
                view = views[name]
                scores += scales[name] * (view.rows @ view.smoothed(rows[:, place]).T)
            logs = _log_probabilities(scores)
            losses = -logs[np.arange(len(codes)), codes]
            missed = (np.exp(logs) - aims)[:, -n_scores:] * weights[:, None]
            slopes = np.empty_like(parameters)
            of_rows, of_offsets = split(slopes)
            of_offsets[:] = missed.sum(axis=0)
            for name, place in places.items():
                pulled = (transposed[name] @ missed).T
                of_rows[:, place] = scales[name] * views[name].smoothed(pulled)
            of_rows += rows
            value = float(weights @ losses) + 0.5 * float((rows**2).sum())
            return value / total, slopes / total

        found = minimize(
            loss,
            np.zeros(n_scores * (1 + int(ends[-1]))),
            jac=True,
            method="L-BFGS-B",
            options={"maxfun": np.inf, "gtol": _SLOPE, "ftol": 0.0},
        )
        self.weights, self._offsets = split(found.x)
        self.scales = dict(scales)
        # What multiplies the sparse rows, smoothing included.
        self._weights: dict[str, Floats] = {
            name: scales[name] * views[name].smoothed(self.weights[:, place]).T
            for name, place in places.items()
        }

    def features(self, views: Mapping[str, View]) -> Floats:
        """The scaled views side by side, filled: what the weights w multiply."""
        empty = np.zeros((views["order"].rows.shape[0], 0))
        filled = [scale * views[name].toarray() for name, scale in self.scales.items()]
        return np.hstack([empty, *filled])

    def scores(self, views: Mapping[str, View]) -> Floats:
        """Log odds of the second of two classes, or scores of all classes."""
        scores = np.tile(self._offsets, (views["order"].rows.shape[0], 1))
        for name, weights in self._weights.items():
            scores += views[name].rows @ weights
        return np.asarray(scores[:, 0] if scores.shape[1] == 1 else scores)

    def probabilities(self, views: Mapping[str, View]) -> Floats:
        """The probability of each class."""
        scores = self.scores(views).reshape(-1, len(self._offsets))
        return np.asarray(np.exp(_log_probabilities(scores)))


def _log_probabilities(scores: Floats) -> Floats:
    """The logarithm of each class's probability: of two classes, the first has the score 0."""
    if scores.shape[1] == 1:
        return -np.logaddexp(0.0, np.hstack([scores, -scores]))
    return np.asarray(log_softmax(scores, axis=1))


def laplace_covariance(
    features: Floats, probabilities: Floats, C: float, counts: Floats | None = None
) -> Floats:
    """The inverse of the curvature of a penalised logistic loss, for each score.

    For two classes there is one score; for more, each class is compared with the rest, the
    other weights held where they are.
    """
    n = features.shape[1]
    design = np.column_stack([features, np.ones(len(features))])
    # The constant has no penalty; where all is certain, almost nothing else bounds it.
    penalty = np.diag(np.append(np.full(n, 1.0 / C), 1e-9))
    chosen = probabilities[:, 1:] if probabilities.shape[1] == 2 else probabilities
    weights = chosen * (1.0 - chosen) * (1.0 if counts is None else counts[:, None])
    curvatures = [(design.T * weight) @ design + penalty for weight in weights.T]
    return np.array([np.linalg.inv(curvature)[:n, :n] for curvature in curvatures])
