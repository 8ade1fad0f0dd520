"""Regression on features: a Bayesian ridge from sums over blocks of rows.

y = b + ⟨w, φ⟩ + noise, w ~ N(0, σ² I), noise ~ N(0, τ²), and b is free, so that everything is about
φ and y less their means. In the axes of Φᵀ Φ = V·diag(λ)·Vᵀ, with a = Vᵀ Φᵀ y and r = τ²/σ²,

    w = V·a / (λ + r),    τ² = (Σy² − Σ a²/(λ + r)) / n,

and r maximises log p(y), which costs as much as there are axes (MacKay 1992). It is scikit-learn's
``BayesianRidge`` without prior for the variances, for any number of rows: they are read once, and
only sums over them are kept.
"""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from rankcut._loops.types import Floats
from rankcut.gp.weight_space import (
    AddsUp,
    add_up,
    blocks,
    checked_block,
    few_distinct,
    with_constant,
)
from rankcut.parameters import check_counts, check_learned, check_total, within_floats
from rankcut.saved_arrays import Saved
from rankcut.threads import in_order


class TargetSums(NamedTuple):
    """What a block of rows, or all rows, say about the weights."""

    total: float  #: Σ weight
    square: Floats  #: Φᵀ Φ
    linear: Floats  #: Φᵀ y
    targets: float  #: Σ y²


def sum_block(features: Any, targets: Any, weight: Any = None) -> TargetSums:
    """The sums over a block of rows that nobody has checked."""
    X, y, weights = checked_block(features, targets, weight, numbers=True)
    return _sum_block(X, y.astype(np.float64), weights)


def _sum_block(
    features: NDArray[np.floating], targets: Floats, weight: Floats | None
) -> TargetSums:
    """The sums over a block of rows."""
    phi = with_constant(features, True)
    weighted = phi if weight is None else phi * weight[:, None]
    scaled = targets if weight is None else targets * weight
    total = float(len(targets)) if weight is None else float(weight.sum())
    return TargetSums(total, phi.T @ weighted, phi.T @ scaled, float(targets @ scaled))


def sum_rows(
    features: NDArray[np.floating], targets: Floats, weight: Floats | None, n_jobs: int | None
) -> TargetSums:
    """The sums over all rows, block by block: the same bits for any number of threads."""

    def contribution(block: slice) -> TargetSums:
        weights = None if weight is None else weight[block]
        return _sum_block(features[block], targets[block], weights)

    return add_up(in_order(contribution, blocks(*features.shape), n_jobs))


class Ridge(NamedTuple):
    """The posterior of the weights, of features and numbers less their means."""

    weights: Floats
    factor: Floats  #: F, with F·Fᵀ the covariance of the weights
    feature_means: Floats
    level: float  #: the mean of the numbers
    level_variance: float
    variances: tuple[float, float]  #: σ² and τ²
    log_evidence: float


def fit_ridge(
    sums: TargetSums, kernel_variance: float | None, noise_variance: float | None
) -> Ridge:
    """The posterior at the variances that are given, or those that maximise the evidence."""
    n, means = sums.total, sums.square[-1, :-1] / sums.total
    level = float(sums.linear[-1]) / n
    spread = max(sums.targets - n * level**2, 0.0)
    values, vectors = np.linalg.eigh(sums.square[:-1, :-1] - n * np.outer(means, means))
    values = np.maximum(values, 0.0)
    along = vectors.T @ (sums.linear[:-1] - level * n * means)
    # Numbers that are all alike have no variance, but for rounding.
    least = np.finfo(np.float64).eps ** 2 * (sums.targets or 1.0) / n

    def noise(r: float) -> float:
        if noise_variance is not None:
            return noise_variance
        if kernel_variance is not None:
            return kernel_variance * r
        return max((spread - float((along**2 / (values + r)).sum())) / n, least)

    def evidence(log_r: float) -> float:
        r = float(np.exp(log_r))
        residual = spread - float((along**2 / (values + r)).sum())
        penalty = float(np.log1p(values / r).sum())
        return -0.5 * float(n * np.log(2 * np.pi * noise(r)) + penalty + residual / noise(r))

    if kernel_variance is not None and noise_variance is not None:
        best = float(np.log(noise_variance) - np.log(kernel_variance))
    else:
        best = _maximise(evidence, float(np.log(values.max(initial=0.0) or 1.0)))
    r = float(np.exp(best))
    tau = noise(r)
    return Ridge(
        vectors @ (along / (values + r)),
        vectors * np.sqrt(tau / (values + r)),
        means,
        level,
        tau / n,
        (tau / r if kernel_variance is None else kernel_variance, tau),
        evidence(best),
    )


def _maximise(evidence: Callable[[float], float], middle: float) -> float:
    """Where the evidence is largest: near the best of 200 places around the middle."""
    places = (middle + np.linspace(np.log(1e-12), np.log(1e12), 200)).tolist()
    best = int(np.argmax([evidence(place) for place in places]))
    bounds = places[max(best - 1, 0)], places[min(best + 1, len(places) - 1)]
    search = minimize_scalar(
        lambda place: -evidence(place), bounds=bounds, method="bounded", options={"xatol": 1e-9}
    )
    return float(search.x if -search.fun >= evidence(places[best]) else places[best])


class GPRegressor(RegressorMixin, BaseEstimator):
    """Predict a number from a ranking: Gaussian process regression with a linear kernel, exactly.

    y = ⟨w, φ⟩ + b + noise, with w ~ N(0, σ² I), b free and noise of variance τ². Given features φ,
    the kernel is ⟨φ, φ'⟩. It is a Bayesian ridge: the variances that are not given maximise the
    evidence. The rows are read once, in blocks; only the sums Φᵀ Φ and Φᵀ y are kept, so millions
    of rows are no problem; nor are many thousand features of fewer rows.

    Parameters
    ----------
    kernel_variance : float or None, default=None
        σ². None learns it.
    noise_variance : float or None, default=None
        τ². None learns it.
    n_jobs : int or None, default=None
        Number of threads. The result is the same to the last bit for any number.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Posterior means of the weights.
    intercept_ : float
        Posterior mean of the constant term.
    covariance_ : ndarray of shape (n_features + 1, n_features + 1)
        Posterior covariance of the weights and, last, the constant term, computed when asked for.
    kernel_variance_, noise_variance_ : float
        σ² and τ², learned or given.
    log_evidence_ : float
        log p(y), the logarithm of the marginal likelihood, of y less its mean.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if X is a frame whose column names are strings.

    See Also
    --------
    GraphCutFeatures : Features of rankings, for the step before this one.
    GPClassifier : Classes from rankings.
    sklearn.linear_model.BayesianRidge : For rows in memory.
    sklearn.gaussian_process.GaussianProcessRegressor : With any of our kernels, m × m matrices.

    Examples
    --------
    >>> from rankcut import GPRegressor, GraphCutFeatures, make_food
    >>> from sklearn.pipeline import make_pipeline
    >>> food = make_food(n_rankings=300, noise=0.5, random_state=0)
    >>> age = 40 - 3 * food.ranks[:, 0] + np.random.default_rng(0).normal(0, 2, 300)
    >>> model = make_pipeline(GraphCutFeatures(), GPRegressor()).fit(food.ranks[:200], age[:200])
    >>> model.score(food.ranks[200:], age[200:]) > 0.5
    True
    >>> mean, std = model.predict(food.ranks[200:], return_std=True)
    >>> inside = abs(age[200:] - mean) < 1.96 * std
    >>> bool(0.9 <= inside.mean() <= 1.0)
    True
    """

    coef_: Annotated[Floats, Saved("features")]
    _factor: Annotated[Floats, Saved("directions", "directions")]
    _feature_means: Annotated[Floats, Saved("directions")]

    #: Q, with fewer rows than features
    _basis: Annotated[Floats | None, Saved("features", "directions")] = None

    def __init__(
        self,
        *,
        kernel_variance: float | None = None,
        noise_variance: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel_variance = kernel_variance
        self.noise_variance = noise_variance
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Self:
        """Maximise the evidence over the variances that are not given.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Features, which may be memory-mapped.
        y : array-like of shape (n_samples,)
            Numbers to predict.
        sample_weight : array-like of shape (n_samples,) or None
            How many times each row counts. None counts each row once.
        """
        self.check_parameters()
        # The threads work on blocks; the products inside a block are too small for more threads.
        with threadpool_limits(1, user_api="blas"):
            return self._solve(*self._sum(X, y, sample_weight))

    def fit_sums(self, add_up: AddsUp) -> Self:
        """Fit rows that stay where they are, in one pass over their blocks.

        ``add_up`` is that of :meth:`GPClassifier.fit_sums`, with numbers for labels.
        """
        self.check_parameters()
        sums: TargetSums = add_up(sum_block)
        check_total(sums.total)
        self.n_features_in_ = len(sums.square) - 1
        return self._solve(sums)

    def _solve(self, sums: TargetSums, basis: Floats | None = None) -> Self:
        """The posterior that follows from the sums of Φ, or of ΦQ with the basis Q."""
        ridge = fit_ridge(sums, self.kernel_variance, self.noise_variance)
        self._basis, self._factor = basis, ridge.factor
        self._feature_means, self._level_variance = ridge.feature_means, ridge.level_variance
        self.coef_ = ridge.weights if basis is None else basis @ ridge.weights
        self.intercept_ = ridge.level - float(ridge.feature_means @ ridge.weights)
        self.kernel_variance_, self.noise_variance_ = ridge.variances
        self.log_evidence_ = ridge.log_evidence
        return self

    @property
    def covariance_(self) -> Floats:
        """Posterior covariance of the weights and, last, the constant term."""
        factor, means = self._factor, self._feature_means
        weights = factor @ factor.T
        if self._basis is not None:
            outside = np.eye(len(self._basis)) - self._basis @ self._basis.T
            weights = self._basis @ weights @ self._basis.T + self.kernel_variance_ * outside
            means = self._basis @ means
        across = -weights @ means
        corner = self._level_variance - float(across @ means)
        return np.block([[weights, across[:, None]], [across[None], np.array([[corner]])]])

    def _sum(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[TargetSums, Floats | None]:
        with within_floats("X or y"):
            X, targets = validate_data(self, X, y, dtype=[np.float64, np.float32], y_numeric=True)
        weight = None
        if sample_weight is not None:
            weight = check_counts(sample_weight, len(X))
            positive = weight > 0
            X, targets, weight = X[positive], targets[positive], weight[positive]
        targets = np.asarray(targets, dtype=np.float64)
        # Weights and repeated rows, in whatever order, are the same problem to the last bit.
        few = few_distinct(X, np.unique(targets, return_inverse=True)[1], weight)
        if few is not None:
            X, targets, weight = X[few.rows], targets[few.rows], few.weight
        basis = None
        if len(X) < X.shape[1]:
            basis, triangle = np.linalg.qr(np.asarray(X, dtype=np.float64).T)
            X = np.ascontiguousarray(triangle.T)
        return sum_rows(X, targets, weight, self.n_jobs), basis

    def check_parameters(self) -> None:
        """Raise InputError where a parameter has a value that it cannot have."""
        check_learned(self.kernel_variance, "kernel_variance")
        check_learned(self.noise_variance, "noise_variance")

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The predicted number of each row of X, which is as in :meth:`fit`, and how sure it is.

        With ``return_std``, also the standard deviation of a new observation, its noise included:
        the mean ± 1.96 deviations holds 95 % of them. Without the noise it is
        ``sqrt(std**2 - noise_variance_)``.
        """
        check_is_fitted(self)
        moments = self._moments(X)
        return (moments[:, 0].copy(), moments[:, 1].copy()) if return_std else moments[:, 0].copy()

    def _moments(self, X: Any) -> Floats:
        with within_floats("X"):
            X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        moments = np.empty((len(X), 2))

        def fill(block: slice) -> None:
            rows, outside = np.asarray(X[block], dtype=np.float64), 0.0
            moments[block, 0] = self.intercept_ + rows @ self.coef_
            if self._basis is not None:
                length = np.einsum("ij,ij->i", rows, rows)
                rows = rows @ self._basis
                beyond = np.maximum(length - np.einsum("ij,ij->i", rows, rows), 0.0)
                outside = self.kernel_variance_ * beyond
            away = (rows - self._feature_means) @ self._factor
            variance = np.einsum("ij,ij->i", away, away) + self._level_variance + outside
            moments[block, 1] = np.sqrt(variance + self.noise_variance_)

        with threadpool_limits(1, user_api="blas"):
            for _ in in_order(fill, blocks(*X.shape), self.n_jobs):
                pass
        return moments
