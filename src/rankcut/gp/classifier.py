"""Gaussian process classification as a scikit-learn classifier."""

from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.gaussian_process.kernels import Kernel
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.gp.fits import (
    Fit,
    Settings,
    check_classes,
    class_factors,
    class_totals,
    fit_features,
    fit_kernel,
)
from rankcut.gp.function_space import KernelPredictor
from rankcut.gp.likelihoods import LIKELIHOODS, Link
from rankcut.gp.weight_space import FeaturePredictor
from rankcut.kernels.ranking_kernel import RankingKernel
from rankcut.parameters import (
    check_choice,
    check_count,
    check_counts,
    check_learned,
    check_positive,
    within_floats,
)
from rankcut.rankings.ranking_set import counts_of
from rankcut.rankings.reading import takes_collections


class GPClassifier(ClassifierMixin, BaseEstimator):
    """Gaussian process classification by a variational bound: p(y | x) = E[Φ(y·f(x))].

    The latent function is f ~ GP(0, σ²·k + c²). Its posterior is approximated by a Gaussian q.
    Fitting chooses q, σ² and c² to maximise the ELBO, Σ_i E_q[log p(y_i | f_i)] − KL(q ‖ prior),
    a lower bound on the log evidence. Given features φ, the kernel is ⟨φ, φ'⟩ and the solver works
    on n weights: it reads the rows in blocks, needs O(n²) memory besides the features, and copes
    with millions of rows. Given a kernel or a Gram matrix, it works on m function values, with
    m × m matrices. Both maximise the same bound. More than two classes are fitted one against the
    rest.

    Parameters
    ----------
    kernel : None, "precomputed", callable or sklearn.gaussian_process.kernels.Kernel, default=None
        None: X holds features, from any transformer. A callable takes two rank matrices, or two
        of whatever X is, and returns the matrix of k(x, y). The parameters of a scikit-learn
        kernel are learned unless they are fixed. "precomputed": X is the matrix of k(x, y), where
        the x are the rows to fit or predict and the y are the fitted rows.
    link : {"probit", "logit"}, default="probit"
        The probability given f: Φ(f), where one label in a thousand is assumed to be flipped, as
        in GPflow; or 1/(1 + exp(−f)).
    kernel_variance : float or None, default=None
        σ². None learns it.
    constant_variance : float or None, default=None
        c², the prior variance of a constant term. None learns it; 0 leaves the term out.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn.
    tol : float, default=1e-8
        Stop when the next step is expected to raise the ELBO by less than this.
    max_iter : int, default=200
        Maximum number of steps.
    n_jobs : int or None, default=None
        Number of threads for features, which are read in blocks of rows. The result is the same
        to the last bit for any number. With a kernel, the linear algebra library uses its own
        threads.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    elbo_ : float
        The bound; with more than two classes, the sum over the classes.
    elbo_trace_ : list of ndarrays
        The bound at the start and after each step, for each class (only one for two classes). It
        never falls.
    n_iter_ : int
        The number of steps; with more than two classes, the largest.
    kernel_variance_, constant_variance_ : ndarray of shape (1,) or (n_classes,)
        σ² and c², learned or given.
    kernel_ : list of kernels
        The kernel of each class with its learned parameters. Only if ``kernel`` is a kernel, not
        None or "precomputed".
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Posterior means of the weights; with features only.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Posterior means of the constant term; with features only.
    covariance_ : ndarray of shape (1, n_weights, n_weights) or (n_classes, n_weights, n_weights)
        Posterior covariances of the weights and, last, the constant term; with features only.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if X is a frame whose column names are strings.

    See Also
    --------
    GraphCutFeatures : Features of rankings, for the step before this one.
    sklearn.gaussian_process.GaussianProcessClassifier : Laplace's approximation, m × m matrices.

    References
    ----------
    M. Opper, C. Archambeau. The Variational Gaussian Approximation Revisited. Neural Computation,
    2009.

    Examples
    --------
    >>> from rankcut import GPClassifier, GraphCutFeatures, make_food
    >>> from sklearn.pipeline import make_pipeline
    >>> food = make_food(n_rankings=200, noise=0.5, random_state=0)
    >>> model = make_pipeline(GraphCutFeatures(), GPClassifier())
    >>> model.fit(food.ranks[:150], food.target[:150]).score(food.ranks[150:], food.target[150:])
    0.92
    >>> model.predict_proba(food.ranks[150:152]).round(2)
    array([[1.  , 0.  ],
           [0.01, 0.99]])
    """

    def __init__(
        self,
        kernel: Any = None,
        *,
        link: Link = "probit",
        kernel_variance: float | None = None,
        constant_variance: float | None = None,
        class_weight: Any = None,
        tol: float = 1e-8,
        max_iter: int = 200,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.link = link
        self.kernel_variance = kernel_variance
        self.constant_variance = constant_variance
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        by_name = isinstance(self.kernel, str) and self.kernel == "precomputed"
        if not (self.kernel is None or callable(self.kernel) or by_name):
            raise InputError(
                f'must be None, "precomputed" or a kernel; got {self.kernel!r}', parameter="kernel"
            )
        check_choice(self.link, get_args(Link), "link")
        check_learned(self.kernel_variance, "kernel_variance")
        check_learned(self.constant_variance, "constant_variance", zero=True)
        weight = self.class_weight
        if not (weight is None or isinstance(weight, dict) or weight == "balanced"):
            raise InputError(
                f'must be None, "balanced" or a dict; got {weight!r}', parameter="class_weight"
            )
        check_positive(self.tol, "tol")
        check_count(self.max_iter, "max_iter")

    @takes_collections
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> "GPClassifier":
        """Maximise the ELBO over the posterior and the variances that are not given.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Features, which may be memory-mapped. With a kernel, whatever the kernel takes; if it
            is precomputed, the Gram matrix. Features in a Dask array or DataFrame stay in their
            blocks: each step adds up the contributions of the blocks.
        y : array-like of shape (n_samples,)
            Labels, numbers or strings. With a Dask collection, also a Dask array or Series.
        sample_weight : array-like of shape (n_samples,) or None
            How many times each row counts. None counts each row once.

        Returns
        -------
        self
        """
        self._check_parameters()
        return self._keep(self._fit(X, y, counts_of(X) if sample_weight is None else sample_weight))

    def _keep(self, fit: Fit) -> "GPClassifier":
        """The attributes of a fit."""
        if self.kernel is None:
            means, factors = fit.predictor.weights()
            self.coef_ = means[:, : self.n_features_in_]
            has_constant = fit.predictor.has_constant
            self.intercept_ = means[:, -1] if has_constant else np.zeros(len(means))
            self.covariance_ = np.array([_outer(factor) for factor in factors])
        self._predictor: Any = fit.predictor
        if callable(self.kernel):
            self.kernel_ = [q.kernel for q in self._predictor.posteriors]
        variances = np.array([ascent.variances() for ascent in fit.ascents])
        self.kernel_variance_, self.constant_variance_ = variances.T.copy()
        self.elbo_trace_ = [ascent.summit.trace for ascent in fit.ascents]
        self.elbo_ = float(sum(trace[-1] for trace in self.elbo_trace_))
        self.n_iter_ = max(len(trace) - 1 for trace in self.elbo_trace_)
        return self

    def _fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Fit:
        X, labels = self._read_both(X, y)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        weight = self._weights(codes, sample_weight)
        check_classes(self.classes_, class_totals(codes, weight))
        if self.kernel is None:
            return fit_features(X, codes, weight, self._settings())
        kernel = self.kernel if callable(self.kernel) else None
        return fit_kernel(kernel, X, codes, weight, self._settings())

    def _settings(self) -> Settings:
        return Settings(
            LIKELIHOODS[self.link],
            self.kernel_variance,
            self.constant_variance,
            self.tol,
            self.max_iter,
            self.n_jobs,
            self.classes_,
        )

    @takes_collections
    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable label of each row.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            As in :meth:`fit`. If the kernel is precomputed, the rows k(x, ·) against the fitted
            rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            A Dask array for a Dask collection.
        """
        check_is_fitted(self)
        if len(self.classes_) == 2:
            mean, _ = self._latent(X, variances=False)
            return np.asarray(self.classes_[(mean[:, 0] > 0).astype(int)])
        return np.asarray(self.classes_[np.argmax(self.decision_function(X), axis=1)])

    @takes_collections
    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the labels, averaged over the posterior of f.

        X is as in :meth:`predict`; each row has a number for each class. If the kernel is
        precomputed, k(x, x) is taken to be its mean over the fitted rows, which is right for a
        normalised kernel, or more where k(x, ·) requires it.
        """
        positive = LIKELIHOODS[self.link].probability(self.decision_function(X))
        if positive.ndim == 1:
            return np.column_stack([1.0 - positive, positive])
        # If all probabilities underflow, the classes are equally likely.
        total = positive.sum(axis=1, keepdims=True)
        even = np.full_like(positive, 1.0 / positive.shape[1])
        return np.asarray(np.divide(positive, total, out=even, where=total > 0))

    @takes_collections
    def decision_function(self, X: Any) -> Floats:
        """The value of f with the averaged probability: m/√(1 + v) for probit.

        It orders rows and classes as :meth:`predict_proba` does; the mean of f may not. X is as in
        :meth:`predict`; each row has one number, or one for each of more than two classes.
        """
        mean, variance = self._latent(X, variances=True)
        score = LIKELIHOODS[self.link].score(mean.ravel(), variance.ravel())
        return score if len(self.classes_) == 2 else np.asarray(score.reshape(mean.shape))

    @takes_collections
    def predict_latent(self, X: Any) -> tuple[Floats, Floats]:
        """Posterior mean and variance of f, each of the shape of :meth:`decision_function`."""
        mean, variance = self._latent(X, variances=True)
        if len(self.classes_) == 2:
            return mean[:, 0], variance[:, 0]
        return mean, variance

    def _latent(self, X: Any, *, variances: bool) -> tuple[Floats, Floats]:
        check_is_fitted(self)
        X = self._read(X)
        predictor: FeaturePredictor | KernelPredictor = self._predictor
        if isinstance(predictor, KernelPredictor):
            return predictor.latent(X, variances=variances)
        with threadpool_limits(1, user_api="blas"):
            return predictor.latent(X, self.n_jobs)

    def _read_both(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any]]:
        if self._as_it_is(X):
            labels = validate_data(self, X="no_validation", y=y)
            validate_data(self, X, skip_check_array=True)
            check_consistent_length(X, labels)
        else:
            with within_floats("X"):
                X, labels = validate_data(self, X, y, **self._reading())
        check_classification_targets(labels)
        return X, labels

    def _read(self, X: Any) -> Any:
        if self._as_it_is(X):
            validate_data(self, X, reset=False, skip_check_array=True)
            return X
        with within_floats("X"):
            return validate_data(self, X, reset=False, **self._reading())

    def _as_it_is(self, X: Any) -> bool:
        """Whether to pass X on unchanged: a kernel may need the column names of a frame."""
        return callable(self.kernel) and hasattr(X, "columns")

    def _reading(self) -> dict[str, Any]:
        ranked = self._may_take_rankings()
        return {
            "dtype": [np.float64, np.float32],
            "ensure_all_finite": "allow-nan" if ranked else True,
            "accept_sparse": "csr" if ranked else False,
        }

    def _weights(self, codes: NDArray[np.intp], sample_weight: Any) -> Floats | None:
        if sample_weight is None and self.class_weight is None:
            return None
        weight = check_counts(sample_weight, len(codes))
        if self.class_weight is not None:
            totals = class_totals(codes, weight)
            factors = class_factors(self.class_weight, self.classes_, totals)
            weight = np.asarray(weight * factors[codes])
        return weight

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str)
        tags.input_tags.allow_nan = tags.input_tags.sparse = self._may_take_rankings()
        return tags

    def _may_take_rankings(self) -> bool:
        """Whether NaN and absent entries may mean unranked items to the kernel."""
        if not isinstance(self.kernel, Kernel):
            return callable(self.kernel)
        parts = [self.kernel, *self.kernel.get_params().values()]
        return any(isinstance(part, RankingKernel) for part in parts)


def _outer(factor: Floats) -> Floats:
    """U·Uᵀ; where that is too large for a float it is infinite, and never NaN."""
    scale = float(np.abs(factor).max(initial=0.0)) or 1.0
    unit = factor / scale
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(unit @ unit.T * scale * scale)
