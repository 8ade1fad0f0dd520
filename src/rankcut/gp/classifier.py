"""Gaussian process classification as a scikit-learn classifier."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.gp.ascent import Summit, after, climb
from rankcut.gp.gaussian import Gaussian, WeightPrior, probability
from rankcut.gp.weight_space import (
    AddsUp,
    FeaturePredictor,
    LabelledRows,
    SummedRows,
    Survey,
    WeightSpace,
    few_distinct,
    survey_block,
    survey_rows,
)
from rankcut.parameters import (
    check_count,
    check_counts,
    check_learned,
    check_positive,
    check_total,
    within_floats,
)
from rankcut.saved_arrays import Saved


@dataclass(frozen=True, eq=False)
class Ascent:
    """Where an ascent ended, and its prior."""

    summit: Summit
    prior: WeightPrior

    def variances(self) -> tuple[float, float]:
        """σ² and c²."""
        return self.prior.variances(self.summit.state.parameters)

    def posterior(self, has_constant: bool) -> Gaussian:
        """q, with a constant term of 0 added if one is asked for and q has none."""
        posterior = self.summit.state.posterior
        return (
            posterior if self.prior.has_constant == has_constant else posterior.with_no_constant()
        )


class GPClassifier(ClassifierMixin, BaseEstimator):
    """Gaussian process classification by a variational bound: p(y | x) = E[Φ(y·f(x))].

    The latent function is f ~ GP(0, σ²·k + c²). Its posterior is approximated by a Gaussian q.
    Fitting chooses q, σ² and c² to maximise the ELBO, Σ_i E_q[log p(y_i | f_i)] − KL(q ‖ prior),
    a lower bound on the log evidence. The kernel is ⟨φ, φ'⟩ of features φ, from any transformer.
    q is over their n weights: rows are read in blocks, memory is O(n²) besides the features, and
    millions of rows are no problem. One label in a thousand is assumed to be flipped, as in GPflow.
    More than two classes are fitted one against the rest.

    For a kernel without a small feature map, scikit-learn's ``Nystroem`` makes features; with as
    many components as rows, the bound is that of the kernel.

    Parameters
    ----------
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
        Number of threads. The result is the same to the last bit for any number.

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
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Posterior means of the weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Posterior means of the constant term.
    covariance_ : ndarray of shape (1, n_weights, n_weights) or (n_classes, n_weights, n_weights)
        Posterior covariances of the weights and, last, the constant term.
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

    classes_: Annotated[Any, Saved("*", dtype=None)]
    coef_: Annotated[Floats, Saved("functions", "features")]
    intercept_: Annotated[Floats, Saved("functions")]
    covariance_: Annotated[Floats, Saved("functions", "weights", "weights")]
    kernel_variance_: Annotated[Floats, Saved("functions")]
    constant_variance_: Annotated[Floats, Saved("functions")]
    elbo_trace_: Annotated[list[Floats], Saved("*")]

    def __init__(
        self,
        *,
        kernel_variance: float | None = None,
        constant_variance: float | None = None,
        class_weight: Any = None,
        tol: float = 1e-8,
        max_iter: int = 200,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel_variance = kernel_variance
        self.constant_variance = constant_variance
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def check_parameters(self) -> None:
        """Raise InputError where a parameter has a value that it cannot have."""
        check_learned(self.kernel_variance, "kernel_variance")
        check_learned(self.constant_variance, "constant_variance", zero=True)
        weight = self.class_weight
        if not (weight is None or isinstance(weight, dict) or weight == "balanced"):
            raise InputError(
                f'must be None, "balanced" or a dict; got {weight!r}', parameter="class_weight"
            )
        check_positive(self.tol, "tol")
        check_count(self.max_iter, "max_iter")

    def fit(self, X: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Self:
        """Maximise the ELBO over the posterior and the variances that are not given.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Features, which may be memory-mapped.
        y : array-like of shape (n_samples,)
            Labels, numbers or strings.
        sample_weight : array-like of shape (n_samples,) or None
            How many times each row counts. None counts each row once.
        """
        self.check_parameters()
        with within_floats("X"):
            X, labels = validate_data(self, X, y, dtype=[np.float64, np.float32])
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        weight = self._weights(codes, sample_weight)
        check_classes(self.classes_, class_totals(codes, weight))
        few = few_distinct(X, codes, weight)
        if few is not None:
            X, codes, weight = X[few.rows], codes[few.rows], few.weight
        survey = survey_rows(X, codes, weight)

        def rows(code: int) -> LabelledRows:
            return LabelledRows(X, codes == code, weight, self.n_jobs)

        return self._fit(rows, survey)

    def fit_sums(self, add_up: AddsUp) -> Self:
        """Fit rows that stay where they are: one pass over their blocks for each step.

        Parameters
        ----------
        add_up : callable
            Takes a function of the features, labels and, if there are any, weights of a block, and
            returns the sum of what it gives for all blocks, such as
            ``lambda part: rankcut.dask.add_up(part, X, y)``.

        Examples
        --------
        >>> X, y = np.random.default_rng(0).normal(size=(300, 3)), np.arange(300) % 2
        >>> halves = (slice(150), slice(150, 300))
        >>> def add_up(part):
        ...     first, second = (part(X[half], y[half]) for half in halves)
        ...     if isinstance(first, tuple):
        ...         return type(first)(*map(sum, zip(first, second)))
        ...     return first + second
        >>> bool(np.allclose(GPClassifier().fit_sums(add_up).coef_, GPClassifier().fit(X, y).coef_))
        True
        """
        self.check_parameters()
        survey: Survey = add_up(survey_block)
        check_total(float(survey.totals.sum()))
        self.classes_, self.n_features_in_ = survey.labels, survey.n_features
        check_classes(survey.labels, survey.totals)
        factors = None
        if self.class_weight is not None:
            factors = class_factors(self.class_weight, survey.labels, survey.totals)
            survey = survey.weighted(factors)
        return self._fit(lambda code: SummedRows(add_up, survey, code, factors), survey)

    def _weights(self, codes: NDArray[np.intp], sample_weight: Any) -> Floats | None:
        if sample_weight is None and self.class_weight is None:
            return None
        weight = check_counts(sample_weight, len(codes))
        if self.class_weight is not None:
            totals = class_totals(codes, weight)
            factors = class_factors(self.class_weight, self.classes_, totals)
            weight = np.asarray(weight * factors[codes])
        return weight

    def _fit(self, rows: Callable[[int], LabelledRows | SummedRows], survey: Survey) -> Self:
        """Fit class 1 or each class against the rest; ``rows(code)`` has label 1 for a class."""
        prior = WeightPrior(self.kernel_variance, self.constant_variance, survey.scale)
        tasks = [("", 1)]
        if len(self.classes_) > 2:
            tasks = [(f"class {c!s}: ", code) for code, c in enumerate(self.classes_)]
        ascents = []
        # The threads work on blocks; the products inside a block are too small for more threads.
        with threadpool_limits(1, user_api="blas"):
            for name, code in tasks:
                ascents.append(self._ascend(partial(WeightSpace, rows(code)), prior))
                _warn(name, ascents[-1].summit)
        posteriors = [ascent.posterior(prior.has_constant) for ascent in ascents]
        self._predictor = FeaturePredictor(posteriors, prior.has_constant)
        means = np.array([posterior.mean for posterior in posteriors])
        self.coef_ = means[:, : self.n_features_in_]
        self.intercept_ = means[:, -1] if prior.has_constant else np.zeros(len(means))
        self.covariance_ = np.array([each.factor @ each.factor.T for each in posteriors])
        variances = np.array([ascent.variances() for ascent in ascents])
        self.kernel_variance_, self.constant_variance_ = variances.T.copy()
        self.elbo_trace_ = [ascent.summit.trace for ascent in ascents]
        self.elbo_ = float(sum(trace[-1] for trace in self.elbo_trace_))
        self.n_iter_ = max(len(trace) - 1 for trace in self.elbo_trace_)
        return self

    def _ascend(self, bound: Callable[[WeightPrior], WeightSpace], prior: WeightPrior) -> Ascent:
        """Climb, then compare with the nested model without a constant term.

        The bound of the nested model may be higher: a learned variance stays above 0, and an
        ascent may end where nothing is learned, or in a lower maximum whose constant is large.
        """
        ascend = partial(climb, tol=self.tol, max_iter=self.max_iter)
        problem = bound(prior)
        full = Ascent(ascend(problem, problem.start()), prior)
        if prior.constant_variance is not None:
            return full
        without = prior.without_constant()
        problem = bound(without)
        nested = ascend(problem, problem.start(np.delete(full.summit.state.parameters, 1)))
        if not nested.state.elbo > full.summit.state.elbo:
            return full
        return Ascent(after(full.summit, nested), without)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable label of each row of X, which is as in :meth:`fit`."""
        check_is_fitted(self)
        if len(self.classes_) == 2:
            mean, _ = self._latent(X)
            return np.asarray(self.classes_[(mean[:, 0] > 0).astype(int)])
        return np.asarray(self.classes_[np.argmax(self.decision_function(X), axis=1)])

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the labels, averaged over the posterior of f.

        X is as in :meth:`predict`; each row has a number for each class.
        """
        positive = probability(self.decision_function(X))
        if positive.ndim == 1:
            return np.column_stack([1.0 - positive, positive])
        return np.asarray(positive / positive.sum(axis=1, keepdims=True))

    def decision_function(self, X: Any) -> Floats:
        """The value of f with the averaged probability: m/√(1 + v).

        It orders rows and classes as :meth:`predict_proba` does; the mean of f may not. X is as in
        :meth:`predict`; each row has one number, or one for each of more than two classes.
        """
        mean, variance = self._latent(X)
        score = mean / np.sqrt(1.0 + variance)
        return score[:, 0] if len(self.classes_) == 2 else score

    def predict_latent(self, X: Any) -> tuple[Floats, Floats]:
        """Posterior mean and variance of f, each of the shape of :meth:`decision_function`."""
        mean, variance = self._latent(X)
        if len(self.classes_) == 2:
            return mean[:, 0], variance[:, 0]
        return mean, variance

    def _latent(self, X: Any) -> tuple[Floats, Floats]:
        check_is_fitted(self)
        with within_floats("X"):
            X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        with threadpool_limits(1, user_api="blas"):
            return self._predictor.latent(X, self.n_jobs)


def _warn(name: str, summit: Summit) -> None:
    if not summit.converged:
        warnings.warn(
            f"{name}the ELBO did not converge: after {len(summit.trace) - 1} steps it is "
            f"about {summit.gain:.1e} below its maximum. Raise max_iter, scale the features "
            "(GraphCutFeatures(normalize=True) does), or give kernel_variance a value.",
            ConvergenceWarning,
            stacklevel=4,
        )


def check_classes(classes: NDArray[Any], totals: Floats) -> None:
    """Raise ValueError unless there are two or more classes, each of positive weight."""
    if len(classes) < 2:
        raise InputError(
            f"has one class, {classes.tolist()[0]!r}; a classifier needs two or more",
            parameter="y",
        )
    if not totals.all():
        label = classes[totals == 0].tolist()[0]
        raise InputError(
            f"all rows of class {label!r} have weight 0",
            remedy="drop these rows, or give one of them a positive weight",
        )


def class_totals(codes: NDArray[np.intp], weight: Floats | None) -> Floats:
    """The total weight of each class."""
    return np.bincount(codes, weights=weight).astype(np.float64)


def class_factors(class_weight: Any, classes: NDArray[Any], totals: Floats) -> Floats:
    """The factor for the weights of each class; ``totals`` are the total weights."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        # Balance weights, not numbers of rows: a row of weight 2 is two rows.
        even = np.divide(
            totals.sum(), len(classes) * totals, where=totals > 0, out=np.zeros_like(totals)
        )
        return np.asarray(even)
    return np.asarray(compute_class_weight(class_weight, classes=classes, y=classes))
