"""The largest posterior of a likelihood: Newton's method, with priors chosen by the evidence.

:func:`maximise` is one loop for any likelihood. How a step is solved depends on size: by a matrix
of second derivatives (:class:`DensePrior`), or by conjugate gradients
(:mod:`rankcut.strengths.sparse`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
from scipy import linalg
from scipy.sparse import issparse

from rankcut._loops.types import Floats
from rankcut.parameters import ROUNDING
from rankcut.strengths.prior import log_evidence

# If all choices are ties, log δ would be infinite: a precision that no data notice.
TIE_PRECISION = 1e-8

# The evidence chooses a prior once no parameter moves by more than this, until it repeats itself.
SETTLED = 0.1

# Newton's method stops where no parameter moves by more than this, and gives up after this many
# steps; ten are usual.
TOLERANCE, MOST_STEPS = 1e-10, 200

# No step of Newton's method is longer: the odds of two items change by exp(8) at most.
FARTHEST_STEP = 4.0

# A direction in which the log-likelihood bends less than this, where an even choice between two
# items bends by 1/4, is one about which the rankings say nothing.
FLAT = 1e-6


#: The log-likelihood, its gradient and its curvature, in whatever form a prior takes.
Derivatives: TypeAlias = Callable[[Floats], tuple[float, Floats, Any]]


class Prior(Protocol):
    """A Gaussian prior, and how systems with its precision and a curvature are solved."""

    choosing: bool  #: whether the evidence has yet to choose

    def pull(self, parameters: Floats) -> Floats:
        """The precision times the parameters."""
        ...

    def choose(self, parameters: Floats, gradient: Floats, curvature: Any) -> None:
        """Take the hyperparameters with the largest evidence; done if they stay the same."""
        ...

    def solve(self, curvature: Any, rise: Floats) -> Floats | None:
        """Newton's step; None where there is none because the likelihood is flat."""
        ...


@dataclass
class Maximum:
    """Parameters with the largest posterior, and the log-likelihood and its derivatives there."""

    parameters: Floats
    value: float
    gradient: Floats
    curvature: Any


def maximise(derivatives: Derivatives, prior: Prior, start: Floats) -> Maximum:
    """From some parameters to those with the largest posterior.

    A step that does not rise is halved. Where the log-likelihood is flat and there is no prior,
    the loop ends.
    """
    parameters, step, reached = start, np.zeros_like(start), -np.inf
    for _ in range(MOST_STEPS):
        log_likelihood, gradient, curvature = derivatives(parameters)
        value = log_likelihood - float(parameters @ prior.pull(parameters)) / 2
        moved = float(np.abs(step).max(initial=0.0))
        if not value >= reached - TOLERANCE * abs(reached) and moved > TOLERANCE:
            step = step / 2
            parameters = parameters - step
            continue
        if prior.choosing and moved <= SETTLED and np.isfinite(reached):
            prior.choose(parameters, gradient, curvature)
            value = -np.inf
        rise = prior.solve(curvature, gradient - prior.pull(parameters))
        if rise is None:
            break
        moved = float(np.abs(rise).max(initial=0.0))
        if moved <= TOLERANCE and not prior.choosing:
            break
        step = rise * (min(1.0, FARTHEST_STEP / moved) if moved > 0 else 1.0)
        reached = value
        parameters = parameters + step
    return Maximum(parameters, log_likelihood, gradient, curvature)


@dataclass
class TermPrior:
    """The prior of the coefficients of a term, and where they are."""

    place: slice
    #: An ItemPrior, a ContextPrior or a ChainPrior; None: no prior
    family: Any = None
    chosen: Any = None  #: its hyperparameters; None: no prior, or the evidence chooses
    #: Whether nothing changes if all of them rise: a strength for each item
    level: bool = False


@dataclass
class TermPriors:
    """Priors of terms, one after the other; what follows them is log δ of ties."""

    blocks: Sequence[TermPrior]
    n_parameters: int
    choosing: bool = False  #: whether the evidence has yet to choose
    precision: Any = field(init=False)

    def __post_init__(self) -> None:
        for block in self.blocks:
            if block.family is not None and block.chosen is None and self.choosing:
                block.chosen = block.family.first
        self.precision = self._precision()

    def _precision(self) -> Any:
        raise NotImplementedError

    def pull(self, parameters: Floats) -> Floats:
        """The precision times the parameters."""
        return np.asarray(self.precision @ parameters)

    def log_determinant(self) -> float:
        """The log determinant of the precision, without terms that have no prior."""
        with_prior = [block for block in self.blocks if block.chosen is not None]
        return float(sum(block.family.log_determinant(block.chosen) for block in with_prior))


@dataclass
class DensePrior(TermPriors):
    """Priors of terms, and Newton's steps by a matrix of second derivatives."""

    #: Whether a flat direction ends the search: without it some matrices have no inverse
    stops_where_flat: bool = False

    def _precision(self) -> Floats:
        last = max((block.place.stop for block in self.blocks), default=0)
        precision = np.diag(TIE_PRECISION * (np.arange(self.n_parameters) >= last))
        for block in self.blocks:
            if block.chosen is not None:
                precision[block.place, block.place] = _precision_of(block)
        return precision

    def level(self, curvature: Floats) -> Floats:
        """What keeps the mean of strengths where it is: nothing changes if all of them rise.

        A prior does so too, but is lost to rounding beside enormous counts.
        """
        level = np.zeros_like(curvature)
        for block in self.blocks:
            if block.level:
                block_of = curvature[block.place, block.place]
                size = np.trace(block_of) / len(block_of) ** 2
                level[block.place, block.place] = size * (ROUNDING if block.chosen else 1.0)
        return level

    def system(self, curvature: Floats) -> Floats:
        """The curvature of the posterior."""
        return np.asarray(curvature + self.precision + self.level(curvature))

    def solve(self, curvature: Floats, rise: Floats) -> Floats | None:
        """Newton's step."""
        system = self.system(curvature)
        if self.stops_where_flat and flattest(system)[0] < FLAT:
            return None
        if not len(rise):
            return rise
        try:
            return np.asarray(linalg.solve(system, rise, assume_a="pos"))
        except linalg.LinAlgError:
            # Flat but for rounding: along what rises.
            return np.asarray(linalg.lstsq(system, rise)[0])

    def log_evidence(self, target: Floats, curvature: Floats) -> float:
        """½·bᵀA⁻¹b − ½·log det A for the target b and the curvature A of the posterior."""
        try:
            return log_evidence(target, self.system(curvature))
        except linalg.LinAlgError:
            return -np.inf  # flat but for rounding

    def choose(self, parameters: Floats, gradient: Floats, curvature: Floats) -> None:
        """The best prior of each term, the others integrated out, one after the other."""
        raised = curvature + self.level(curvature)
        target = raised @ parameters + gradient
        before = [block.chosen for block in self.blocks]
        for block in self.blocks:
            if block.family is None:
                continue
            inside = np.zeros(len(target), dtype=bool)
            inside[block.place] = True
            rise, bend = target[inside], raised[np.ix_(inside, inside)]
            if not inside.all():
                around = (raised + self.precision)[np.ix_(~inside, ~inside)]
                across = raised[np.ix_(inside, ~inside)]
                sides = np.column_stack([target[~inside], across.T])
                follow = across @ linalg.solve(around, sides, assume_a="pos")
                rise, bend = rise - follow[:, 0], bend - follow[:, 1:]
            block.chosen = block.family.choose(rise, bend)
            self.precision[block.place, block.place] = _precision_of(block)
        self.choosing = before != [block.chosen for block in self.blocks]


def _precision_of(block: TermPrior) -> Any:
    precision = block.family.precision(block.chosen)
    return precision.toarray() if issparse(precision) else precision


def flattest(matrix: Floats) -> tuple[float, Floats]:
    """The smallest eigenvalue of a matrix, and its direction."""
    if not len(matrix):
        return np.inf, np.zeros(0)
    values, vectors = linalg.eigh(matrix, subset_by_index=[0, 0])
    return float(values[0]), vectors[:, 0]
