"""Maximise the bound over a Gaussian q and the prior's parameters θ together.

    ELBO(q, θ) = Σ_i weight_i·E_q[log p(y_i | f_i)] − KL(q ‖ prior_θ)

q is the prior times Gaussian *sites*, one for each row; see
:mod:`~rankcut.estimators.gp.gaussian`. At a given q, sites with the natural parameters
D = −2·∂L/∂v and r = ∂L/∂m + D·m make

    T(q, θ) = E_q[log sites] − KL(q ‖ prior_θ)

a model of the bound with the same gradient. Its maximum over q is the evidence of the sites,
known in closed form, and its maximum over θ costs no pass over the rows. A step goes there. It
is taken if the bound rises; if not, θ moves less, and then not at all while the sites move a half,
a quarter, … of the way, which is a damped natural gradient and rises when it is short enough.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from scipy.linalg import LinAlgError
from scipy.optimize import minimize

from rankcut.estimators.gp.gaussian import Gaussian
from rankcut.estimators.gp.likelihoods import Floats

# θ are logarithms: no step multiplies a variance by more than e³ ≈ 20.
_LONGEST_STEP = 3.0

# Halvings before a step of the sites counts as lost.
_HALVINGS = 20


class Sites(NamedTuple):
    """exp(r·u − ½·D·u²), summed up over rows (u = w) or for each row (u = f)."""

    square: Floats
    linear: Floats

    def towards(self, other: "Sites", share: float) -> "Sites":
        """A ``share`` of the way from these sites to others."""
        return Sites(
            self.square + share * (other.square - self.square),
            self.linear + share * (other.linear - self.linear),
        )


@dataclass(frozen=True, eq=False)
class State:
    """Where the ascent is: q from its sites and θ, the bound there, and T at q."""

    sites: Sites
    parameters: Floats
    posterior: Gaussian
    elbo: float
    target: Sites  #: the sites that make T
    model: float  #: T(q, θ)


class Problem(Protocol):
    """What is maximised: a weight space or a function space."""

    def evaluate(self, sites: Sites, parameters: Floats) -> State:
        """The bound at the q of these sites; LinAlgError if they make none."""

    def evidence(self, sites: Sites, parameters: Floats) -> tuple[float, Floats]:
        """The maximum of T over q, and its gradient by θ; LinAlgError if there is none."""

    def bounds(self) -> Floats:
        """Least and greatest value of each parameter; equal for those that are fixed."""


@dataclass(frozen=True, eq=False)
class Summit:
    """Where the ascent ended.

    Attributes
    ----------
    state : State
        The best state.
    trace : ndarray of shape (n_iterations + 1,)
        The bound at the start and after each accepted step; it never falls.
    gain : float
        How much T promised the next step would bring.
    converged : bool
        Whether that was little enough.
    """

    state: State
    trace: Floats
    gain: float
    converged: bool


def climb(
    problem: Problem,
    start: State,
    *,
    tol: float,
    max_iter: int,
    watch: Callable[[int, float, float], None],
) -> Summit:
    """Step until the next step promises to raise the bound by less than ``tol``.

    ``watch(iteration, elbo, gain)`` is called after each step.
    """
    state = start
    trace = [state.elbo]
    bounds = problem.bounds()
    trust = 1.0
    gain = np.inf
    for iteration in range(1, max_iter + 1):
        goal, promised = _best_parameters(problem, state, bounds)
        gain = promised - state.model
        # What is promised is a difference of sums, and no better than their rounding.
        enough = gain <= tol + 8 * np.finfo(float).eps * abs(state.elbo)
        moves = bool((goal != state.parameters).any())
        for share, theta_share in _steps(trust, moves=moves):
            candidate = _try(
                problem,
                state.sites.towards(state.target, share),
                state.parameters + theta_share * (goal - state.parameters),
            )
            if candidate is not None and candidate.elbo >= state.elbo:
                if moves:
                    trust = min(1.0, 2 * theta_share) if theta_share > 0 else trust / 16
                state = candidate
                trace.append(state.elbo)
                break
            if enough:
                break
        else:
            break
        watch(iteration, state.elbo, gain)
        if enough:
            return Summit(state, np.array(trace), gain, converged=True)
    return Summit(state, np.array(trace), gain, converged=False)


def _steps(trust: float, *, moves: bool) -> Iterator[tuple[float, float]]:
    """How far to go for the sites and for θ, boldest first."""
    if moves:
        yield 1.0, trust
        yield 1.0, trust / 4
    for halvings in range(_HALVINGS):
        yield 0.5**halvings, 0.0


def _try(problem: Problem, sites: Sites, parameters: Floats) -> State | None:
    try:
        return problem.evaluate(sites, parameters)
    except LinAlgError:
        return None


def _best_parameters(problem: Problem, state: State, bounds: Floats) -> tuple[Floats, float]:
    """θ of the greatest evidence within reach, and that evidence."""
    here = state.parameters
    box = np.column_stack(
        [
            np.maximum(bounds[:, 0], here - _LONGEST_STEP),
            np.minimum(bounds[:, 1], here + _LONGEST_STEP),
        ]
    )
    free = box[:, 0] < box[:, 1]
    try:
        value = problem.evidence(state.target, here)[0]
    except LinAlgError:
        # Not concave enough to promise anything: damped steps of the sites come first.
        return here, np.inf
    if not free.any():
        return here, value

    def loss(moved: Floats) -> tuple[float, Floats]:
        parameters = here.copy()
        parameters[free] = moved
        try:
            evidence, gradient = problem.evidence(state.target, parameters)
        except LinAlgError:
            return abs(value) + 1e6, np.zeros(len(moved))
        return -evidence, -gradient[free]

    found = minimize(
        loss,
        here[free],
        jac=True,
        method="L-BFGS-B",
        bounds=box[free],
        options={"maxiter": 30, "ftol": 1e-15, "gtol": 1e-9},
    )
    if -found.fun <= value:
        return here, value
    goal = here.copy()
    goal[free] = found.x
    return goal, float(-found.fun)
