"""Maximise the bound over a Gaussian q and the prior's parameters θ together.

    ELBO(q, θ) = Σ_i weight_i·E_q[log p(y_i | f_i)] − KL(q ‖ prior_θ)

q is the prior times Gaussian *sites*, one for each row; see
:mod:`~rankcut.gp.gaussian`. At a given q, sites with the natural parameters
D = −2·∂L/∂v and r = ∂L/∂m + D·m make

    T(q, θ) = E_q[log sites] − KL(q ‖ prior_θ)

a model of the bound with the same gradient. Its maximum over q is the evidence of the sites,
known in closed form; climbing it in θ takes no pass over the rows. A step goes to that maximum,
or beyond it in the direction of the last steps (:class:`Anderson`). It is accepted if the bound
rises. If not, θ moves less; or θ stays and the sites move a half, a quarter, … of the way. That
is a damped natural gradient step, which raises the bound if it is short enough.

With many rows, a handful of such steps is enough. With few, the sites may depend too much on θ for
T to show where θ should go. Then L-BFGS climbs the bound maximised over q, as a function of θ.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError
from scipy.optimize import minimize

from rankcut._loops.types import Floats
from rankcut.gp.gaussian import Gaussian

if TYPE_CHECKING:
    from rankcut.gp.weight_space import WeightSpace

# θ are logarithms: no step multiplies a variance by more than e² ≈ 7.
_LONGEST_STEP = 2.0

# Past steps that acceleration remembers.
_DEPTH = 6

# After this many joint steps, q and θ take turns. Where classes can be told apart, joint steps take
# a third of the passes; where one class has a handful of rows, turns are better.
_TOGETHER = 16 * _DEPTH

# How often a step is shortened before it is given up.
_SHORTER = 20


class Sites(NamedTuple):
    """exp(⟨r, w⟩ − ½⟨w, S w⟩): the sites of all rows as one."""

    square: Floats
    linear: Floats

    def towards(self, other: "Sites", share: float) -> "Sites":
        """The sites a ``share`` of the way from these to ``other``."""
        return Sites(
            self.square + share * (other.square - self.square),
            self.linear + share * (other.linear - self.linear),
        )

    def nothing(self) -> "Sites":
        """Sites of the same shape without information."""
        return Sites(np.zeros_like(self.square), np.zeros_like(self.linear))

    def flat(self, parameters: Floats) -> Floats:
        """The sites and the parameters as one vector."""
        return np.concatenate([self.square.ravel(), self.linear, parameters])

    def unflatten(self, vector: Floats) -> "tuple[Sites, Floats]":
        """The inverse of :meth:`flat`, for sites of the same shape."""
        square, linear, parameters = np.split(
            vector, [self.square.size, self.square.size + self.linear.size]
        )
        return Sites(square.reshape(self.square.shape), linear), parameters


@dataclass(frozen=True, eq=False)
class State:
    """A point of the ascent: the sites and θ, their q, the bound there, and T at q."""

    sites: Sites
    parameters: Floats
    posterior: Gaussian
    elbo: float
    target: Sites  #: the sites that make T
    model: float  #: T(q, θ)
    rounding: float  #: of the bound and of T, which are sums
    unit: Sites  #: the size of a change that matters


def rounding_of(*sums: float) -> float:
    """The rounding of a number that is made of such sums."""
    return 8 * float(np.finfo(float).eps * np.abs(sums).max())


@dataclass(frozen=True, eq=False)
class Summit:
    """Where the ascent ended."""

    state: State  #: the best
    trace: Floats  #: the bound at the start and after each accepted step; it never falls
    gain: float  #: that T predicts for the next step
    converged: bool  #: whether the gain is small enough


def climb(problem: "WeightSpace", start: State, *, tol: float, max_iter: int) -> Summit:
    """Step until the predicted gain of the next step is less than ``tol``."""
    bounds = problem.prior.bounds()
    learned = bool((bounds[:, 0] < bounds[:, 1]).any())
    together = min(max_iter, _TOGETHER) if learned else max_iter
    first = _climb_together(problem, start, bounds, tol, together)
    if first.converged or max_iter <= together:
        return first
    return _climb_in_turn(problem, first, bounds, tol, max_iter)


def after(first: Summit, second: Summit) -> Summit:
    """The second ascent, with the trace of the first before its own."""
    higher = second.trace[second.trace > first.trace[-1]]
    return replace(second, trace=np.append(first.trace, higher))


def _climb_together(
    problem: "WeightSpace", state: State, bounds: Floats, tol: float, max_iter: int
) -> Summit:
    """Take joint steps of q and θ."""
    trace = [state.elbo]
    anderson = Anderson()
    gain = np.inf
    for _ in range(max_iter):
        goal = _goal(problem, state, bounds)
        gain = goal.promised - state.model
        # The predicted gain is a difference of sums, so it is no better than their rounding. Nor
        # is the bound: the last step, which refines q, may seem to lower it by as much.
        enough = bool(gain <= tol + state.rounding)
        least = state.elbo - state.rounding if enough else state.elbo
        candidate = None
        if not enough:
            candidate = _accelerated(problem, state, goal, bounds, anderson)
            if candidate is None or not candidate.elbo > state.elbo + 0.1 * gain:
                anderson.forget()
                candidate = None
        if candidate is None:
            steps = _steps(state, goal)
            for sites, parameters in islice(steps, 1) if enough else steps:
                candidate = _try(problem, sites, parameters)
                if candidate is not None and candidate.elbo >= least:
                    break
                candidate = None
        if candidate is not None:
            state = candidate
            trace.append(max(trace[-1], state.elbo))
        if enough or candidate is None:
            return Summit(state, np.array(trace), gain, converged=enough)
    return Summit(state, np.array(trace), gain, converged=False)


def _climb_in_turn(
    problem: "WeightSpace", begun: Summit, bounds: Floats, tol: float, max_iter: int
) -> Summit:
    """Take steps of θ, and maximise over q after each."""
    best = begun.state
    trace = list(begun.trace)
    settled = True

    def loss(parameters: Floats) -> tuple[float, Floats]:
        nonlocal best, settled
        start = _try(problem, best.target, parameters)
        if start is None:
            start = problem.evaluate(best.target.nothing(), parameters)
        fixed = np.column_stack([parameters, parameters])
        there = _climb_together(problem, start, fixed, tol * 1e-3, max_iter)
        settled = there.converged or there.gain <= tol
        if there.state.elbo > best.elbo:
            best = there.state
            trace.append(best.elbo)
        # At the maximum over q, the bound and the evidence of its sites have the same slope.
        return -there.state.elbo, -problem.evidence(there.state.sites, parameters)[1]

    for _ in range(max_iter):
        # Without a box the search begins with costly leaps to places where nothing is learned.
        box = _box(best.parameters, bounds)
        before = best.elbo
        search = minimize(
            loss,
            best.parameters,
            jac=True,
            method="L-BFGS-B",
            bounds=box,
            options={"maxiter": max_iter, "ftol": tol / max(1.0, abs(before)), "gtol": 1e-7},
        )
        held_back = (search.x[:, None] == box) & (box != bounds)
        if not held_back.any() or best.elbo - before <= tol:
            break
    # A line search stopped by rounding reports failure although there is nothing left to gain.
    inside = (bounds[:, 0] < best.parameters) & (best.parameters < bounds[:, 1])
    slope = np.where(inside, search.jac, 0.0)
    gain = 0.5 * float(slope @ search.hess_inv.matvec(slope))
    enough = bool(search.success) or gain <= tol
    further = held_back.any() and best.elbo - before > tol
    return Summit(best, np.array(trace), gain, enough and settled and not further)


class Anderson:
    """Anderson acceleration: combine the last steps of a fixed-point iteration into a longer one.

    A plain step x → x + Δ(x) closes a fixed share of the gap each time. The differences of past
    x and Δ show how Δ changes with x. The combination that makes Δ smallest is a secant step.
    """

    def __init__(self) -> None:
        self._past: deque[tuple[Floats, Floats]] = deque(maxlen=_DEPTH)

    def forget(self) -> None:
        """Forget all but the last point, when the past misleads."""
        while len(self._past) > 1:
            self._past.popleft()

    def propose(self, point: Floats, step: Floats, unit: Floats) -> Floats | None:
        """A better point than ``point + step``; None without a past.

        ``unit`` is the size of a change that matters, for each coordinate.
        """
        past = list(self._past)
        self._past.append((point, step))
        if not past:
            return None
        moved = np.column_stack([point - earlier for earlier, _ in past])
        changed = np.column_stack([step - earlier for _, earlier in past])
        mixture = np.linalg.lstsq(changed / unit[:, None], step / unit, rcond=1e-10)[0]
        return np.asarray(point + step - (moved + changed) @ mixture)


class _Goal(NamedTuple):
    """The next θ, the evidence there, and the evidence at the present θ."""

    parameters: Floats
    promised: float
    staying: float


def _steps(state: State, goal: _Goal) -> Iterator[tuple[Sites, Floats]]:
    """Sites and parameters to try, boldest first."""
    direction = goal.parameters - state.parameters
    if direction.any():
        # A shorter step of θ helps if θ, not the sites, is far from its goal.
        of_sites = goal.staying - state.model
        tries = _SHORTER if of_sites < 0.5 * (goal.promised - state.model) else 1
        for shorter in range(tries):
            yield state.target, state.parameters + 0.25**shorter * direction
    for shorter in range(_SHORTER):
        yield state.sites.towards(state.target, 0.5**shorter), state.parameters


def _accelerated(
    problem: "WeightSpace", state: State, goal: _Goal, bounds: Floats, anderson: Anderson
) -> State | None:
    """The state that acceleration proposes, or None."""
    here = state.sites.flat(state.parameters)
    there = state.target.flat(goal.parameters)
    unit = state.unit.flat(np.ones(len(state.parameters)))
    proposed = anderson.propose(here, there - here, unit)
    if proposed is None:
        return None
    sites, parameters = state.sites.unflatten(proposed)
    box = _box(state.parameters, bounds)
    return _try(problem, sites, np.clip(parameters, box[:, 0], box[:, 1]))


def _try(problem: "WeightSpace", sites: Sites, parameters: Floats) -> State | None:
    try:
        return problem.evaluate(sites, parameters)
    except LinAlgError:
        return None


def _box(here: Floats, bounds: Floats) -> Floats:
    """Bounds of θ for one step."""
    return np.column_stack(
        [
            np.maximum(bounds[:, 0], here - _LONGEST_STEP),
            np.minimum(bounds[:, 1], here + _LONGEST_STEP),
        ]
    )


def _goal(problem: "WeightSpace", state: State, bounds: Floats) -> _Goal:
    """A Newton step of θ up the evidence of the target sites.

    Going to the maximum would cost no more, but the maximum jumps from one end of a flat stretch
    to the other. Acceleration needs steps that change smoothly from one state to the next.
    """
    here = state.parameters
    try:
        staying, gradient = problem.evidence(state.target, here)
        free = bounds[:, 0] < bounds[:, 1]
        free &= np.where(gradient > 0, here < bounds[:, 1], here > bounds[:, 0])
        if not free.any():
            return _Goal(here, staying, staying)
        hessian = np.empty((free.sum(), free.sum()))
        for row, coordinate in enumerate(np.flatnonzero(free)):
            aside, step = here.copy(), 1e-4
            aside[coordinate] += step
            changed = problem.evidence(state.target, aside)[1] - gradient
            hessian[row] = changed[free] / step
    except LinAlgError:
        # Not concave enough to predict a gain: damped steps of the sites come first.
        return _Goal(here, np.inf, np.inf)
    curvatures, axes = np.linalg.eigh(0.5 * (hessian + hessian.T))
    # Uphill, whichever way the evidence curves.
    lengths = (axes.T @ gradient[free]) / np.maximum(np.abs(curvatures), np.finfo(float).tiny)
    direction = np.zeros(len(here))
    direction[free] = axes @ np.clip(lengths, -_LONGEST_STEP, _LONGEST_STEP)
    box = _box(here, bounds)
    for shorter in range(_SHORTER):
        goal = np.clip(here + 0.5**shorter * direction, box[:, 0], box[:, 1])
        try:
            promised = problem.evidence(state.target, goal)[0]
        except LinAlgError:
            continue
        if promised >= staying:
            return _Goal(goal, promised, staying)
    return _Goal(here, staying, staying)
