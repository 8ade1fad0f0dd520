"""From rows and labels to posteriors: one ascent for two classes, else one for each class."""

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing
from threadpoolctl import threadpool_limits

from rankcut._loops.types import Floats
from rankcut.estimators.gp.ascent import Problem, State, Summit, climb
from rankcut.estimators.gp.duplicates import distinct_points, distinct_rows, few_distinct
from rankcut.estimators.gp.function_space import FunctionSpace
from rankcut.estimators.gp.gram import KernelRows
from rankcut.estimators.gp.likelihoods import Likelihood
from rankcut.estimators.gp.predictions import FeaturePredictor, KernelPosterior, KernelPredictor
from rankcut.estimators.gp.prior import Prior
from rankcut.estimators.gp.progress import Progress
from rankcut.estimators.gp.weight_space import LabelledRows, Rows, WeightSpace, mean_square

# Gram matrices up to this size are factorised sooner by one thread than by several.
_SMALL = 512


class Bound(Problem, Protocol):
    """A problem that knows where to start."""

    def start(self) -> State:
        """The first state."""


@dataclass(frozen=True, eq=False)
class Settings:
    """What both solvers are told.

    Attributes
    ----------
    likelihood : Likelihood
        The link.
    kernel_variance, constant_variance : float or None
        σ² and c², None is learned.
    tol, max_iter
        When the ascent ends.
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

    def climb(self, bound: Callable[[int], Bound]) -> list[Summit]:
        """Climb the bound of class 1, or those of each class against the rest."""
        if len(self.classes) == 2:
            tasks = [("", 1)]
        else:
            tasks = [(f"class {c!s}: ", code) for code, c in enumerate(self.classes)]
        summits = []
        with Progress(self.max_iter) as progress:
            for progress.problem, code in tasks:
                problem = bound(code)
                summit = climb(
                    problem,
                    problem.start(),
                    tol=self.tol,
                    max_iter=self.max_iter,
                    watch=progress.step,
                )
                _warn(progress.problem, summit)
                summits.append(summit)
        return summits


@dataclass(frozen=True, eq=False)
class Fit:
    """Where the ascents ended, under which prior, and what predicts from there."""

    summits: list[Summit]
    prior: Prior
    predictor: Any  #: a FeaturePredictor or a KernelPredictor

    def variances(self) -> tuple[Floats, Floats]:
        """σ² and c² of each ascent."""
        learned = np.exp([summit.state.parameters for summit in self.summits])
        none = np.zeros(len(learned))
        return learned[:, 0], learned[:, 1] if self.prior.has_constant else none


def fit_features(
    X: NDArray[np.floating], codes: NDArray[np.intp], weight: Floats | None, settings: Settings
) -> Fit:
    """Maximise the bound over weights of features."""
    few = few_distinct(X, codes, weight)
    if few is not None:
        X, codes, weight = X[few.rows], codes[few.rows], few.weight

    def rows(code: int) -> LabelledRows:
        return LabelledRows(X, codes == code, weight, settings.n_jobs)

    return fit_rows(rows, mean_square(X, weight), settings)


def fit_rows(rows: Callable[[int], Rows], scale: float, settings: Settings) -> Fit:
    """The same for rows that may be anywhere.

    ``rows(code)`` has label 1 for the class of that code; ``scale`` is the mean of ‖φ‖².
    """
    nothing = np.empty((0, 2))
    prior = Prior(
        settings.kernel_variance, settings.constant_variance, scale, nothing[:, 0], nothing
    )

    def bound(code: int) -> WeightSpace:
        return WeightSpace(rows(code), settings.likelihood, prior)

    # Threads share out the blocks; the products inside a block are too small for that.
    with threadpool_limits(1, user_api="blas"):
        summits = settings.climb(bound)
    posteriors = [summit.state.posterior for summit in summits]
    return Fit(summits, prior, FeaturePredictor(posteriors, prior.has_constant))


def fit_kernel(
    kernel: Any, X: Any, codes: NDArray[np.intp], weight: Floats | None, settings: Settings
) -> Fit:
    """Maximise the bound over function values; ``kernel=None`` if X is the Gram matrix."""
    if kernel is None:
        KernelRows(None, X).factor(np.empty(0))  # say what is wrong with the matrix as it is given
        kept = distinct_points(X, codes, weight)
        left = X[np.ix_(kept.rows, kept.rows)]
    else:
        kept = distinct_rows(X, codes, weight)
        left = _safe_indexing(X, kept.rows)
    rows = KernelRows(kernel, left)
    diagonal = rows.factor(rows.start)[0].diagonal()
    scale = float(np.average(diagonal, weights=kept.weight))
    prior = Prior(
        settings.kernel_variance, settings.constant_variance, scale, rows.start, rows.bounds
    )

    labels = codes[kept.rows]

    def bound(code: int) -> FunctionSpace:
        return FunctionSpace(rows, labels == code, kept.weight, settings.likelihood, prior)

    small = len(kept.rows) <= _SMALL
    with threadpool_limits(1, user_api="blas") if small else nullcontext():
        summits = settings.climb(bound)
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
    if kernel is None:
        return Fit(summits, prior, KernelPredictor(posteriors, None, kept.rows, scale))
    return Fit(summits, prior, KernelPredictor(posteriors, left, None, None))


def _warn(name: str, summit: Summit) -> None:
    if not summit.converged:
        warnings.warn(
            f"{name}the ELBO did not converge: after {len(summit.trace) - 1} steps it is "
            f"about {summit.gain:.1e} below its maximum. Raise max_iter, scale the features "
            "(GraphCutFeatures(normalize=True) does), or give kernel_variance a value.",
            ConvergenceWarning,
            stacklevel=5,
        )
