"""From rows and labels to posteriors: one ascent for two classes, or one per class for more."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight
from threadpoolctl import threadpool_limits

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.estimators import take_rows
from rankcut.gp.ascent import Problem, State, Summit, best_along, climb
from rankcut.gp.function_space import (
    FunctionSpace,
    KernelPosterior,
    KernelPredictor,
    KernelRows,
)
from rankcut.gp.gaussian import Gaussian, WeightPrior
from rankcut.gp.likelihoods import Likelihood
from rankcut.gp.weight_space import (
    FeaturePredictor,
    FeatureRows,
    LabelledRows,
    WeightSpace,
    distinct_points,
    distinct_rows,
    few_distinct,
    survey_rows,
)


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
        found = self.summit.state.posterior
        return found if self.prior.has_constant == has_constant else found.with_no_constant()


@dataclass(frozen=True, eq=False)
class Settings:
    """The settings of both solvers.

    Attributes
    ----------
    likelihood : Likelihood
        The link.
    kernel_variance, constant_variance : float or None
        σ² and c². None learns them.
    tol, max_iter
        When to stop.
    n_jobs : int or None
        Threads over blocks of features.
    classes : ndarray
        The labels, for messages.
    """

    likelihood: Likelihood
    kernel_variance: float | None
    constant_variance: float | None
    tol: float
    max_iter: int
    n_jobs: int | None
    classes: NDArray[Any]

    def climb(
        self, bound: Callable[[int, WeightPrior], Problem], prior: WeightPrior
    ) -> list[Ascent]:
        """Climb the bound of class 1, or the bound of each class against the rest."""
        if len(self.classes) == 2:
            tasks = [("", 1)]
        else:
            tasks = [(f"class {c!s}: ", code) for code, c in enumerate(self.classes)]
        ascents = []
        for name, code in tasks:
            ascents.append(self._ascend(partial(bound, code), prior))
            _warn(name, ascents[-1].summit)
        return ascents

    def _ascend(self, bound: Callable[[WeightPrior], Problem], prior: WeightPrior) -> Ascent:
        """Climb, then compare with the nested model without a constant term.

        The bound of the nested model may be higher: a learned variance stays above 0, and an
        ascent may end where nothing is learned, or in a lower maximum whose constant is large.
        """
        problem = bound(prior)
        whole = Ascent(self._highest(problem, problem.start()), prior)
        if prior.constant_variance is not None:
            return whole
        without = prior.without_constant()
        problem = bound(without)
        start = np.delete(whole.summit.state.parameters, 1)
        nested = self._highest(problem, problem.start(start))
        if not nested.state.elbo > whole.summit.state.elbo:
            return whole
        return Ascent(_after(whole.summit, nested), without)

    def _highest(self, problem: Problem, start: State) -> Summit:
        """Climb from ``start``, and again from elsewhere if that ends where nothing is learned."""
        ascend = partial(climb, problem, tol=self.tol, max_iter=self.max_iter)
        summit = ascend(start)
        prior, parameters = problem.prior, summit.state.parameters
        if not prior.knows_nothing(parameters):
            return summit
        better = best_along(
            problem, parameters, prior.better_variances(), tol=self.tol, max_iter=self.max_iter
        )
        return _after(summit, ascend(better)) if better.elbo > summit.state.elbo else summit


def _after(first: Summit, second: Summit) -> Summit:
    """The second ascent, with the trace of the first before its own."""
    higher = second.trace[second.trace > first.trace[-1]]
    return replace(second, trace=np.append(first.trace, higher))


@dataclass(frozen=True, eq=False)
class Fit:
    """Where the ascents ended, and the predictor made from them."""

    ascents: list[Ascent]
    predictor: Any  #: a FeaturePredictor or a KernelPredictor


def fit_features(
    X: NDArray[np.floating], codes: NDArray[np.intp], weight: Floats | None, settings: Settings
) -> Fit:
    """Maximise the bound over weights of features."""
    few = few_distinct(X, codes, weight)
    if few is not None:
        X, codes, weight = X[few.rows], codes[few.rows], few.weight
    survey = survey_rows(X, codes, weight)

    def rows(code: int) -> LabelledRows:
        return LabelledRows(X, codes == code, weight, settings.n_jobs, survey.exponent)

    total = float(survey.totals.sum())
    return fit_rows(rows, survey.scale, total, survey.exponent, settings)


def fit_rows(
    rows: Callable[[int], FeatureRows],
    scale: float,
    total: float,
    exponent: int,
    settings: Settings,
) -> Fit:
    """Maximise the bound over weights of features, in memory or elsewhere.

    ``rows(code)`` has label 1 for the class of that code and divides the features by
    2**exponent. ``scale`` is the mean of ‖φ‖² of the divided features, ``total`` the weight of
    all rows.
    """
    variances = settings.kernel_variance, settings.constant_variance
    # The kernel is a product of two features.
    prior = WeightPrior(*variances, scale, total, exponent=2 * exponent)

    def bound(code: int, prior: WeightPrior) -> WeightSpace:
        return WeightSpace(rows(code), settings.likelihood, prior)

    # The threads work on blocks; the products inside a block are too small for more threads.
    with threadpool_limits(1, user_api="blas"):
        ascents = settings.climb(bound, prior)
    posteriors = [ascent.posterior(prior.has_constant) for ascent in ascents]
    return Fit(ascents, FeaturePredictor(posteriors, prior.has_constant, exponent))


def fit_kernel(
    kernel: Any, X: Any, codes: NDArray[np.intp], weight: Floats | None, settings: Settings
) -> Fit:
    """Maximise the bound over function values; ``kernel=None`` if X is the Gram matrix."""
    if kernel is None:
        KernelRows(None, X).factor(np.empty(0))  # check the matrix as it was given
        kept = distinct_points(X, codes, weight)
        left = X[np.ix_(kept.rows, kept.rows)]
    else:
        kept = distinct_rows(X, codes, weight)
        left = take_rows(X, kept.rows)
    rows = KernelRows(kernel, left)
    diagonal = rows.factor(rows.start)[0].diagonal()
    scale = float(np.average(diagonal, weights=kept.weight))
    assert rows.exponent is not None
    prior = WeightPrior(
        settings.kernel_variance,
        settings.constant_variance,
        scale,
        float(kept.weight.sum()),
        rows.start,
        rows.bounds,
        rows.exponent,
    )

    labels = codes[kept.rows]

    def bound(code: int, prior: WeightPrior) -> FunctionSpace:
        return FunctionSpace(rows, labels == code, kept.weight, settings.likelihood, prior)

    ascents = settings.climb(bound, prior)
    posteriors = []
    for ascent in ascents:
        parameters = ascent.summit.state.parameters
        own = parameters[ascent.prior.n_own :]
        posteriors.append(
            KernelPosterior(
                posterior=ascent.posterior(prior.has_constant),
                factor=rows.factor(own)[0],
                kernel=rows.at(own),
                kernel_variance=float(np.exp(parameters[0])),
                has_constant=prior.has_constant,
                exponent=rows.exponent,
            )
        )
    if kernel is None:
        typical = float(np.ldexp(scale, rows.exponent))
        return Fit(ascents, KernelPredictor(posteriors, None, kept.rows, typical))
    return Fit(ascents, KernelPredictor(posteriors, left, None, None))


def _warn(name: str, summit: Summit) -> None:
    if not summit.converged:
        warnings.warn(
            f"{name}the ELBO did not converge: after {len(summit.trace) - 1} steps it is "
            f"about {summit.gain:.1e} below its maximum. Raise max_iter, scale the features "
            "(GraphCutFeatures(normalize=True) does), or give kernel_variance a value.",
            ConvergenceWarning,
            stacklevel=5,
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
