"""Gaussian process classification as a scikit-learn classifier."""

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process.kernels import Kernel
from sklearn.utils import Tags, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)
from threadpoolctl import threadpool_limits

from rankcut.estimators.gp.ascent import Summit, climb
from rankcut.estimators.gp.function_space import FunctionSpace
from rankcut.estimators.gp.gram import KernelRows
from rankcut.estimators.gp.likelihoods import LIKELIHOODS, Floats, Link
from rankcut.estimators.gp.predictions import FeaturePredictor, KernelPosterior, KernelPredictor
from rankcut.estimators.gp.prior import Prior
from rankcut.estimators.gp.progress import Progress
from rankcut.estimators.gp.weight_space import LabelledRows, WeightSpace, mean_square

# Gram matrices up to this size are factorised sooner by one thread than by several.
_SMALL = 512


class GPClassifier(ClassifierMixin, BaseEstimator):
    """p(y | x) = E[Φ(y·f(x))], f a Gaussian process: probabilities that know what they do not.

    The latent function is f ~ GP(0, σ²·k + c²). Its posterior is approximated by the Gaussian q
    that maximises the ELBO, Σ_i E_q[log p(y_i | f_i)] − KL(q ‖ prior), a lower bound of the log
    evidence, and so are σ² and c². Given features φ, the kernel is ⟨φ, φ'⟩, and the solver works
    on weights: blocks of rows, memory of O(n²) besides the features, millions of rows. Given
    a kernel or a Gram matrix it works on function values, with m × m matrices. Both maximise the
    same bound. More than two classes are fitted one against the rest.

    Parameters
    ----------
    kernel : None, "precomputed", callable or sklearn.gaussian_process.kernels.Kernel, default=None
        None takes X as features, the work of any transformer in front. A callable gets two
        rank matrices, or whatever X is, and returns the matrix of k(x, y). The parameters of a
        scikit-learn kernel are learned unless it says they are fixed. "precomputed" takes
        X as the matrix of k(x, y) for rows x to fit or predict and y to fit.
    link : {"probit", "logit"}, default="probit"
        How probabilities follow from f: Φ(f), with one label in a thousand taken to be flipped
        as in GPflow, or 1/(1 + exp(−f)).
    kernel_variance : float or None, default=None
        σ²; None is learned.
    constant_variance : float or None, default=None
        c², the prior variance of a constant term; None is learned, 0 is no constant term.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn.
    tol : float, default=1e-8
        The ascent ends when the next step promises to raise the ELBO by less.
    max_iter : int, default=200
        The most steps of the ascent.
    n_jobs : int or None, default=None
        Number of threads over blocks of rows, for features. The result is the same bits for any
        number. With a kernel the linear algebra library has its own threads.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    elbo_ : float
        The bound; the sum of those of all classes if there are more than two.
    elbo_trace_ : list of ndarrays
        The bound at the start and after each step, for each class (only one for two classes). It
        never falls.
    n_iter_ : int
        The number of steps, the largest of all classes.
    kernel_variance_, constant_variance_ : ndarray of shape (1,) or (n_classes,)
        σ² and c², learned or given.
    kernel_ : list of kernels
        The kernel with its learned parameters for each class; with a kernel only.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Posterior means of the weights; with features only.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Posterior means of the constant term; with features only.
    covariance_ : ndarray of shape (1, n_weights, n_weights) or (n_classes, n_weights, n_weights)
        Posterior covariances of the weights and, last, the constant term; with features only.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X is a frame with names that are strings.

    See Also
    --------
    GraphCutFeatures : Features of rankings, to put in front.
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

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> "GPClassifier":
        """Maximise the ELBO over the posterior and the variances that are not given.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Features, which may be memory-mapped; with a kernel, what it takes; the Gram matrix
            if it is precomputed.
        y : array-like of shape (n_samples,)
            Labels, numbers or strings.
        sample_weight : array-like of shape (n_samples,) or None
            How many times each row counts.

        Returns
        -------
        self
        """
        self._check_parameters()
        X, labels = self._read_both(X, y)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        weight = self._weights(X, codes, sample_weight)
        self._check_classes(codes, weight)
        if self.kernel is None:
            summits = self._fit_features(X, codes, weight)
        else:
            summits = self._fit_kernel(X, codes, weight)
        self.elbo_trace_ = [summit.trace for summit in summits]
        self.elbo_ = float(sum(trace[-1] for trace in self.elbo_trace_))
        self.n_iter_ = max(len(trace) - 1 for trace in self.elbo_trace_)
        return self

    def _fit_features(
        self, X: NDArray[np.floating], codes: NDArray[np.intp], weight: Floats | None
    ) -> list[Summit]:
        nothing = np.empty((0, 2))
        scale = mean_square(X, weight)
        prior = Prior(self.kernel_variance, self.constant_variance, scale, nothing[:, 0], nothing)

        def problem(positive: NDArray[np.bool_]) -> WeightSpace:
            rows = LabelledRows(X, positive, weight)
            return WeightSpace(rows, LIKELIHOODS[self.link], prior, self.n_jobs)

        # Threads share out the blocks; the products inside a block are too small for that.
        with threadpool_limits(1, user_api="blas"):
            summits = self._climb(problem, codes, prior)
        posteriors = [summit.state.posterior for summit in summits]
        self._predictor: Any = FeaturePredictor(posteriors, prior.has_constant)
        means = np.array([posterior.mean for posterior in posteriors])
        self.coef_ = means[:, : X.shape[1]]
        self.intercept_ = means[:, -1] if prior.has_constant else np.zeros(len(means))
        self.covariance_ = np.array([q.factor @ q.factor.T for q in posteriors])
        return summits

    def _fit_kernel(self, X: Any, codes: NDArray[np.intp], weight: Floats | None) -> list[Summit]:
        precomputed = isinstance(self.kernel, str)
        rows = KernelRows(None if precomputed else self.kernel, X)
        scale = np.average(rows.factor(rows.start)[0].diagonal(), weights=weight)
        prior = Prior(
            self.kernel_variance, self.constant_variance, float(scale), rows.start, rows.bounds
        )

        def problem(positive: NDArray[np.bool_]) -> FunctionSpace:
            return FunctionSpace(rows, positive, weight, LIKELIHOODS[self.link], prior)

        small = len(codes) <= _SMALL
        with threadpool_limits(1, user_api="blas") if small else nullcontext():
            summits = self._climb(problem, codes, prior)
        posteriors = []
        for summit in summits:
            own = summit.state.parameters[prior.n_own :]
            posteriors.append(
                KernelPosterior(
                    posterior=summit.state.posterior,
                    factor=rows.factor(own)[0],
                    kernel=rows.at(own),
                    kernel_variance=float(np.exp(summit.state.parameters[0])),
                    has_constant=prior.has_constant,
                )
            )
        self._predictor = KernelPredictor(
            posteriors, None if precomputed else X, np.diagonal(X).copy() if precomputed else None
        )
        self.kernel_ = ["precomputed" if precomputed else q.kernel for q in posteriors]
        return summits

    def _climb(
        self,
        problem: Callable[[NDArray[np.bool_]], WeightSpace | FunctionSpace],
        codes: NDArray[np.intp],
        prior: Prior,
    ) -> list[Summit]:
        """One ascent for two classes, or one for each class against the rest."""
        if len(self.classes_) == 2:
            tasks = [("", codes == 1)]
        else:
            tasks = [(f"class {c!s}: ", codes == k) for k, c in enumerate(self.classes_)]
        summits = []
        with Progress(self.max_iter) as progress:
            for progress.problem, positive in tasks:
                bound = problem(positive)
                summit = climb(
                    bound, bound.start(), tol=self.tol, max_iter=self.max_iter, watch=progress.step
                )
                self._warn(progress.problem, summit)
                summits.append(summit)
        learned = np.exp([summit.state.parameters for summit in summits])
        self.kernel_variance_ = learned[:, 0]
        self.constant_variance_ = learned[:, 1] if prior.has_constant else np.zeros(len(learned))
        return summits

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable label of each row.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            As in :meth:`fit`; rows k(x, ·) against the rows that were fitted if the kernel is
            precomputed.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        if len(self.classes_) == 2:
            mean, _ = self._latent(X, None, variances=False)
            return np.asarray(self.classes_[(mean[:, 0] > 0).astype(int)])
        return np.asarray(self.classes_[np.argmax(self.decision_function(X), axis=1)])

    def predict_proba(self, X: Any, diagonal: ArrayLike | None = None) -> Floats:
        """Probabilities of the labels, averaged over the posterior of f.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            As in :meth:`predict`.
        diagonal : array-like of shape (n_samples,) or None
            k(x, x) of each row if the kernel is precomputed; None if it is the same for all.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        positive = LIKELIHOODS[self.link].probability(self.decision_function(X, diagonal))
        if positive.ndim == 1:
            return np.column_stack([1.0 - positive, positive])
        # Where no class has any probability left, all are as good.
        total = positive.sum(axis=1, keepdims=True)
        even = np.full_like(positive, 1.0 / positive.shape[1])
        return np.asarray(np.divide(positive, total, out=even, where=total > 0))

    def decision_function(self, X: Any, diagonal: ArrayLike | None = None) -> Floats:
        """The value of f that has the averaged probability: m/√(1 + v) for probit.

        Unlike the mean of f, it orders rows and classes as :meth:`predict_proba` does.

        Parameters
        ----------
        X, diagonal
            As in :meth:`predict_proba`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        mean, variance = self._latent(X, diagonal, variances=True)
        score = LIKELIHOODS[self.link].score(mean.ravel(), variance.ravel())
        return score if len(self.classes_) == 2 else np.asarray(score.reshape(mean.shape))

    def predict_latent(self, X: Any, diagonal: ArrayLike | None = None) -> tuple[Floats, Floats]:
        """Posterior mean and variance of the latent function f.

        Parameters
        ----------
        X, diagonal
            As in :meth:`predict_proba`.

        Returns
        -------
        mean, variance : ndarrays of shape (n_samples,) or (n_samples, n_classes)
        """
        mean, variance = self._latent(X, diagonal, variances=True)
        if len(self.classes_) == 2:
            return mean[:, 0], variance[:, 0]
        return mean, variance

    def _latent(
        self, X: Any, diagonal: ArrayLike | None, *, variances: bool
    ) -> tuple[Floats, Floats]:
        check_is_fitted(self)
        X = self._read(X)
        if self.kernel is not None:
            mean, variance = self._predictor.latent(X, diagonal, variances=variances)
            return mean, variance
        if diagonal is not None:
            raise ValueError('diagonal is for kernel="precomputed", and there is no kernel')
        with threadpool_limits(1, user_api="blas"):
            mean, variance = self._predictor.latent(X, self.n_jobs)
        return mean, variance

    def _read_both(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any]]:
        if self._as_it_is(X):
            validate_data(self, X, skip_check_array=True)
            labels = _check_y(y, estimator=self)
            check_consistent_length(X, labels)
        else:
            X, labels = validate_data(self, X, y, **self._reading())
        check_classification_targets(labels)
        return X, labels

    def _read(self, X: Any) -> Any:
        if self._as_it_is(X):
            validate_data(self, X, reset=False, skip_check_array=True)
            return X
        return validate_data(self, X, reset=False, **self._reading())

    def _as_it_is(self, X: Any) -> bool:
        """A frame keeps the names of its columns for a kernel that asks for them."""
        return callable(self.kernel) and hasattr(X, "columns")

    def _reading(self) -> dict[str, Any]:
        if callable(self.kernel):
            return {
                "dtype": [np.float64, np.float32],
                "ensure_all_finite": "allow-nan",
                "accept_sparse": "csr" if not isinstance(self.kernel, Kernel) else False,
            }
        return {"dtype": [np.float64, np.float32]}

    def _weights(self, X: Any, codes: NDArray[np.intp], sample_weight: Any) -> Floats | None:
        if sample_weight is None and self.class_weight is None:
            return None
        weight: Floats = _check_sample_weight(
            sample_weight, X, dtype=np.float64, ensure_non_negative=True
        )
        if self.class_weight is not None:
            by_class = compute_class_weight(
                self.class_weight, classes=self.classes_, y=self.classes_[codes]
            )
            weight = weight * by_class[codes]
        return weight

    def _check_classes(self, codes: NDArray[np.intp], weight: Floats | None) -> None:
        if len(self.classes_) < 2:
            raise ValueError(
                f"all labels are of one class, {self.classes_.tolist()[0]!r}; a classifier needs "
                "rows of two classes or more"
            )
        totals = np.bincount(codes, weights=weight)
        if not totals.all():
            label = self.classes_[totals == 0].tolist()[0]
            raise ValueError(
                f"all rows of class {label!r} have weight 0; leave them out, or give one of them "
                "a weight, so that two classes or more are left"
            )

    def _check_parameters(self) -> None:
        if not (self.kernel is None or self.kernel == "precomputed" or callable(self.kernel)):
            raise ValueError(
                'kernel must be None, "precomputed", a callable or a scikit-learn kernel, and it '
                f"is {self.kernel!r}"
            )
        if self.link not in LIKELIHOODS:
            raise ValueError(f'link must be "probit" or "logit", and it is {self.link!r}')
        _check_number("kernel_variance", self.kernel_variance, lambda v: 0 < v < np.inf, "above 0")
        _check_number(
            "constant_variance", self.constant_variance, lambda v: 0 <= v < np.inf, "0 or above"
        )
        if not (isinstance(self.tol, Real) and self.tol > 0):
            raise ValueError(f"tol must be a number above 0, and it is {self.tol!r}")
        if not (isinstance(self.max_iter, Integral) and self.max_iter >= 1):
            raise ValueError(f"max_iter must be 1 or more, and it is {self.max_iter!r}")

    def _warn(self, name: str, summit: Summit) -> None:
        if not summit.converged:
            warnings.warn(
                f"{name}the ELBO did not converge: after {len(summit.trace) - 1} steps it is "
                f"about {summit.gain:.1e} below its maximum. Raise max_iter, scale the features "
                "(GraphCutFeatures(normalize=True) does), or give kernel_variance a value.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str)
        # A kernel of rankings may give NaN and absent entries a meaning: unranked items.
        tags.input_tags.allow_nan = callable(self.kernel)
        tags.input_tags.sparse = callable(self.kernel) and not isinstance(self.kernel, Kernel)
        return tags


def _check_number(name: str, value: Any, good: Callable[[float], bool], range_name: str) -> None:
    if value is not None and not (isinstance(value, Real) and good(float(value))):
        raise ValueError(
            f"{name} must be a number {range_name}, or None to learn it, and it is {value!r}"
        )
