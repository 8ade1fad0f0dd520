"""Gaussian process regression: y = ⟨w, φ⟩ + b + noise, exactly.

With w ~ N(0, σ² I), b ~ N(0, c²) and noise of variance τ², everything follows from the sums
Φᵀ Φ, Φᵀ y, Σ y² and the number of rows, with a column of ones in Φ for b. One pass over the rows,
in blocks of any number, finds them; the posterior and the evidence of (σ², c², τ²) need no row.

    Σ⁻¹ = diag(σ⁻², …, c⁻²) + Φᵀ Φ/τ²,   μ = Σ Φᵀ y/τ²
    log p(y) = −½ [N log 2πτ² + (Σ y² − ⟨Φᵀ y, μ⟩)/τ² + log |Σ⁻¹| + n log σ² + log c²]

With fewer rows than features, Φᵀ = Q R, the sums are those of Rᵀ = ΦQ, which has as many columns as
rows. The prior is the same in all directions, so w = Q·v with v from these sums, and in directions
outside Q the posterior is the prior.
"""

from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import block_diag
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from rankcut._loops.types import Floats
from rankcut.gp.gaussian import RANGE, Gaussian
from rankcut.gp.weight_space import add_up, blocks, few_distinct, with_constant
from rankcut.parameters import check_counts, check_learned, within_floats
from rankcut.rankings.reading import takes_collections
from rankcut.threads import in_order

# Shares of the variance of y that features may explain at the start; the best result is kept.
_STARTS = (0.1, 0.9)


class TargetSums(NamedTuple):
    """What a block of rows, or all rows, say about the weights."""

    total: float  #: Σ weight
    square: Floats  #: Φᵀ Φ
    linear: Floats  #: Φᵀ y
    targets: float  #: Σ y²


def sum_block(features: NDArray[np.floating], targets: Floats, weight: Floats | None) -> TargetSums:
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
        own = None if weight is None else weight[block]
        return sum_block(features[block], targets[block], own)

    return add_up(in_order(contribution, blocks(*features.shape), n_jobs))


class TargetFit(NamedTuple):
    """The posterior of the weights and, last, the constant, whose evidence is log p(y)."""

    posterior: Gaussian
    variances: tuple[float, float, float]  #: σ², c² and τ²


def fit_sums(
    sums: TargetSums,
    kernel_variance: float | None,
    constant_variance: float | None,
    noise_variance: float | None,
) -> TargetFit:
    """The posterior at the variances that are given, or else maximise the evidence."""
    level = float(sums.linear[-1]) / sums.total
    spread = max(sums.targets / sums.total - level**2, 0.0) or level**2 or 1.0
    scale = float(np.trace(sums.square[:-1, :-1])) / sums.total or 1.0
    units = np.array([spread / scale, spread + level**2, spread])
    given = (kernel_variance, constant_variance, noise_variance)
    bounds = np.log(np.outer(units, RANGE))
    for bound, value in zip(bounds, given, strict=True):
        if value is not None:
            # With no constant term, its variance is as small as can be, not 0.
            bound[:] = np.log(max(value, np.finfo(float).tiny))
    arrow = _Arrow(sums)

    def loss(parameters: Floats) -> tuple[float, Floats]:
        evidence, gradient = arrow.evidence(parameters)
        return -evidence / sums.total, -gradient / sums.total

    ends = []
    for share in _STARTS:
        start = np.clip(np.log(units * [share, 1.0, 1.0 - share]), *bounds.T)
        found = minimize(
            loss,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": 500, "ftol": 1e-15, "gtol": 1e-10},
        )
        ends.append(found)
        if None not in given:
            break
    best = min(ends, key=lambda end: float(end.fun)).x
    kernel, constant, noise = (
        float(np.exp(value)) if own is None else float(own)
        for value, own in zip(best, given, strict=True)
    )
    return TargetFit(posterior_of(sums, best), (kernel, constant, noise))


def posterior_of(sums: TargetSums, parameters: Floats) -> Gaussian:
    """The posterior for (log σ², log c², log τ²): each row is a site with a precision of 1/τ²."""
    noise = float(np.exp(parameters[2]))
    precision = np.full(len(sums.linear), np.exp(-parameters[0]))
    precision[-1] = np.exp(-parameters[1])
    square = sums.square / noise
    # Beside large weights, the precision of the prior may be lost in rounding.
    rounding = len(square) * np.finfo(float).eps * np.diagonal(square)
    square[np.diag_indices(len(square))] += np.maximum(rounding - precision, 0.0)
    found = Gaussian.from_sites(precision, square, sums.linear / noise)
    alone = sums.total * np.log(2.0 * np.pi * noise) + sums.targets / noise
    return replace(found, evidence=found.evidence - 0.5 * alone)


class _Arrow:
    """The sums in the axes of Φᵀ Φ, where it is diagonal but for the constant's row and column.

    The prior is the same in all axes, so the evidence of other variances takes n steps, not n³.
    """

    def __init__(self, sums: TargetSums) -> None:
        values, vectors = np.linalg.eigh(sums.square[:-1, :-1])
        self._values = np.maximum(values, 0.0)
        self._border, self._last = vectors.T @ sums.square[:-1, -1], float(sums.square[-1, -1])
        self._linear, self._level = vectors.T @ sums.linear[:-1], float(sums.linear[-1])
        self._targets, self._total = sums.targets, sums.total

    def evidence(self, parameters: Floats) -> tuple[float, Floats]:
        """The evidence and its gradient in (log σ², log c², log τ²)."""
        kernel, constant = np.exp(parameters[:2] / 2.0)
        noise = float(np.exp(parameters[2]))
        # 1 + G/τ² in units of the prior's deviations: its diagonal, border and corner.
        diagonal = 1.0 + kernel**2 * self._values / noise
        border = kernel * constant * self._border / noise
        corner = 1.0 + constant**2 * self._last / noise - float(border @ (border / diagonal))
        # It is never less, but for rounding.
        corner = max(corner, 1.0)
        towards = kernel * self._linear / noise
        last = float(constant * self._level / noise - border @ (towards / diagonal)) / corner
        whitened = (towards - border * last) / diagonal
        mean, level = kernel * whitened, constant * last
        # The diagonal of the inverse.
        spread = 1.0 / diagonal + (border / diagonal) ** 2 / corner
        fitted = float(self._linear @ mean) + self._level * level
        evidence = -0.5 * float(
            self._total * np.log(2.0 * np.pi * noise)
            + (self._targets - fitted) / noise
            + np.log(diagonal).sum()
            + np.log(corner)
        )
        square = float(
            self._values @ mean**2 + 2.0 * level * (self._border @ mean) + self._last * level**2
        )
        residual = self._targets - 2.0 * fitted + square
        determined = len(diagonal) + 1.0 - float(spread.sum()) - 1.0 / corner
        gradient = [
            0.5 * float((whitened**2 + spread - 1.0).sum()),
            0.5 * (last**2 + 1.0 / corner - 1.0),
            0.5 * (residual / noise + determined - self._total),
        ]
        return evidence, np.array(gradient)


class GPRegressor(RegressorMixin, BaseEstimator):
    """Predict a number from a ranking: Gaussian process regression with a linear kernel, exactly.

    y = ⟨w, φ⟩ + b + noise, with w ~ N(0, σ² I), b ~ N(0, c²) and noise of variance τ². Given
    features φ, the kernel is ⟨φ, φ'⟩. The variances that are not given maximise the evidence.
    The rows are read once, in blocks; only the sums Φᵀ Φ and Φᵀ y are kept, so millions
    of rows are no problem; nor are many thousand features of fewer rows.

    Parameters
    ----------
    kernel_variance : float or None, default=None
        σ². None learns it.
    constant_variance : float or None, default=None
        c², the prior variance of a constant term. None learns it; 0 leaves the term out.
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
    kernel_variance_, constant_variance_, noise_variance_ : float
        σ², c² and τ², learned or given.
    log_evidence_ : float
        log p(y), the logarithm of the marginal likelihood.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if X is a frame whose column names are strings.

    See Also
    --------
    GraphCutFeatures : Features of rankings, for the step before this one.
    GPClassifier : Classes from rankings.
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

    _basis: Floats | None = None  #: Q, with fewer rows than features

    def __init__(
        self,
        *,
        kernel_variance: float | None = None,
        constant_variance: float | None = None,
        noise_variance: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel_variance = kernel_variance
        self.constant_variance = constant_variance
        self.noise_variance = noise_variance
        self.n_jobs = n_jobs

    @takes_collections
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Maximise the evidence over the variances that are not given.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Features, which may be memory-mapped. A Dask array or DataFrame stays in its blocks;
            the sums over the blocks are added up.
        y : array-like of shape (n_samples,)
            Numbers to predict. With a Dask collection, also a Dask array or Series.
        sample_weight : array-like of shape (n_samples,) or None
            How many times each row counts. None counts each row once.
        """
        self._check_parameters()
        # The threads work on blocks; the products inside a block are too small for more threads.
        with threadpool_limits(1, user_api="blas"):
            return self._keep(*self._sum(X, y, sample_weight))

    def _keep(self, sums: TargetSums, basis: Floats | None = None) -> Self:
        """The posterior that follows from the sums of Φ, or of ΦQ with the basis Q."""
        found, variances = fit_sums(
            sums, self.kernel_variance, self.constant_variance, self.noise_variance
        )
        self._posterior = found
        self._basis = basis
        self.coef_ = found.mean[:-1].copy() if basis is None else basis @ found.mean[:-1]
        self.intercept_ = float(found.mean[-1])
        self.kernel_variance_, self.constant_variance_, self.noise_variance_ = variances
        self.log_evidence_ = found.evidence
        return self

    @property
    def covariance_(self) -> Floats:
        """Posterior covariance of the weights and, last, the constant term."""
        found = self._posterior.factor @ self._posterior.factor.T
        if self._basis is None:
            return np.asarray(found)
        wide = block_diag(self._basis, 1.0)
        found = wide @ found @ wide.T
        outside = np.eye(len(self._basis)) - self._basis @ self._basis.T
        found[:-1, :-1] += self.kernel_variance_ * outside
        return np.asarray(found)

    def _sum(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[TargetSums, Floats | None]:
        with within_floats("X or y"):
            X, targets = validate_data(self, X, y, dtype=[np.float64, np.float32], y_numeric=True)
        weight = None
        if sample_weight is not None:
            weight = check_counts(sample_weight, len(X))
            kept = weight > 0
            X, targets, weight = X[kept], targets[kept], weight[kept]
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

    def _check_parameters(self) -> None:
        check_learned(self.kernel_variance, "kernel_variance")
        check_learned(self.constant_variance, "constant_variance", zero=True)
        check_learned(self.noise_variance, "noise_variance")

    @takes_collections
    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The predicted number of each row of X, which is as in :meth:`fit`, and how sure it is.

        With ``return_std``, also the standard deviation of a new observation, its noise included:
        the mean ± 1.96 deviations holds 95 % of them. Without the noise it is
        ``sqrt(std**2 - noise_variance_)``. Both are Dask arrays for a Dask collection.
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
            if self._basis is not None:
                length = np.einsum("ij,ij->i", rows, rows)
                rows = rows @ self._basis
                left = np.maximum(length - np.einsum("ij,ij->i", rows, rows), 0.0)
                outside = self.kernel_variance_ * left
            mean, variance = self._posterior.project(with_constant(rows, True))
            moments[block, 0] = mean
            moments[block, 1] = np.sqrt(variance + outside + self.noise_variance_)

        with threadpool_limits(1, user_api="blas"):
            for _ in in_order(fill, blocks(*X.shape), self.n_jobs):
                pass
        return moments
