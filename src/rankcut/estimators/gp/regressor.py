"""Gaussian process regression as a scikit-learn regressor."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from rankcut._loops.types import Floats
from rankcut.dask import is_lazy, map_rows, stand_in
from rankcut.estimators.gp.duplicates import few_distinct
from rankcut.estimators.gp.regression import Sums, fit_sums, sum_rows
from rankcut.estimators.gp.weight_space import blocks
from rankcut.parameters import check_learned, within_floats
from rankcut.threads import in_order


class GPRegressor(RegressorMixin, BaseEstimator):
    """Predict a number from a ranking: Gaussian process regression with a linear kernel, exactly.

    y = ⟨w, φ⟩ + b + noise, with w ~ N(0, σ² I), b ~ N(0, c²) and noise of variance τ². Given
    features φ, the kernel is ⟨φ, φ'⟩. The variances that are not given maximise the evidence.
    The rows are read once, in blocks; only the sums Φᵀ Φ and Φᵀ y are kept, so millions
    of rows are no problem.

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
        Posterior covariance of the weights and, last, the constant term.
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

        Returns
        -------
        self
        """
        check_learned(self.kernel_variance, "kernel_variance")
        check_learned(self.constant_variance, "constant_variance", zero=True)
        check_learned(self.noise_variance, "noise_variance")
        # The threads work on blocks; the products inside a block are too small for more threads.
        with threadpool_limits(1, user_api="blas"):
            sums = (self._sum_lazily if is_lazy(X) else self._sum)(X, y, sample_weight)
            self._posterior = fit_sums(
                sums, self.kernel_variance, self.constant_variance, self.noise_variance
            )
        found = self._posterior
        self.coef_ = found.mean[:-1].copy()
        self.intercept_ = float(found.mean[-1])
        self.covariance_ = found.factor @ found.factor.T
        self.kernel_variance_ = found.kernel_variance
        self.constant_variance_ = found.constant_variance
        self.noise_variance_ = found.noise_variance
        self.log_evidence_ = found.evidence
        return self

    def _sum(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Sums:
        with within_floats("X or y"):
            X, targets = validate_data(self, X, y, dtype=[np.float64, np.float32], y_numeric=True)
        weight = None
        if sample_weight is not None:
            with within_floats("sample_weight"):
                weight = _check_sample_weight(
                    sample_weight, X, dtype=np.float64, ensure_non_negative=True
                )
            kept = weight > 0
            X, targets, weight = X[kept], targets[kept], weight[kept]
        targets = np.asarray(targets, dtype=np.float64)
        # Weights and repeated rows, in whatever order, are the same problem to the last bit.
        few = few_distinct(X, np.unique(targets, return_inverse=True)[1], weight)
        if few is not None:
            X, targets, weight = X[few.rows], targets[few.rows], few.weight
        return sum_rows(X, targets, weight, self.n_jobs)

    def _sum_lazily(self, X: Any, y: Any, sample_weight: Any) -> Sums:
        from rankcut.dask.gp_rows import sum_lazily

        validate_data(self, stand_in(X), skip_check_array=True)
        return sum_lazily(X, y, sample_weight)

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The predicted number of each row, and how sure it is.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            As in :meth:`fit`.
        return_std : bool, default=False
            Also return the standard deviation of a new observation, its noise included: the mean
            ± 1.96 deviations holds 95 % of them. Without the noise it is
            ``sqrt(std**2 - noise_variance_)``.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
            A Dask array for a Dask collection.
        std : ndarray of shape (n_samples,)
            If asked for.
        """
        check_is_fitted(self)
        if is_lazy(X):
            validate_data(self, stand_in(X), reset=False, skip_check_array=True)
            both = map_rows(self._moments, X)
            return (both[:, 0], both[:, 1]) if return_std else both[:, 0]
        moments = self._moments(X)
        return (moments[:, 0].copy(), moments[:, 1].copy()) if return_std else moments[:, 0].copy()

    def _moments(self, X: Any) -> Floats:
        with within_floats("X"):
            X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        moments = np.empty((len(X), 2))

        def fill(block: slice) -> None:
            mean, variance = self._posterior.project(X[block])
            moments[block, 0] = mean
            moments[block, 1] = np.sqrt(variance + self.noise_variance_)

        with threadpool_limits(1, user_api="blas"):
            for _ in in_order(fill, blocks(*X.shape), self.n_jobs):
                pass
        return moments
