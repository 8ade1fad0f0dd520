"""Strengths of items, fitted: the one likelihood behind the answers.

Of many items, nothing has an entry for each pair. Newton's steps are by conjugate gradients; the
evidence, and the errors of the strengths, take the curvature for its diagonal: with lists from a
large catalogue, hardly any two items meet.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import linalg, special
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, cg

from rankcut._loops.types import Flags, Floats
from rankcut.errors import InputError, Setting
from rankcut.graphs.item_graph import as_item_graph
from rankcut.parameters import AT_ONCE, ROUNDING, SIDE
from rankcut.rankings import Rankings
from rankcut.strengths.choices import Choices, Ties
from rankcut.strengths.likelihood import ChoiceLikelihood, People, RankingScores, Slope
from rankcut.strengths.prior import DRAWS, FIRST, Hyperparameters, ItemPrior, SparseSolver

Prior: TypeAlias = Literal["evidence", "none"] | Hyperparameters
Errors: TypeAlias = Literal["sandwich", "information"]

# With more items than this, second derivatives are not a matrix: it would take 32 MB for each part
# of a sum.
MOST_DENSE = SIDE

# Errors and intervals are of strengths under this prior, or a wider one: odds of exp(2) to 1 are
# nothing special. benchmarks/strengths_coverage.py shows that they hold.
WIDE = Hyperparameters(4.0)

# If all choices are ties, log δ would be infinite: a precision that no data notice.
TIE_PRECISION = 1e-8


# The evidence chooses a prior once no strength moves by more than this, until it repeats itself.
CLOSE = 0.1

# Newton's method stops where no strength moves by more than this, and gives up after this many
# steps; ten are usual.
TOLERANCE, MOST_STEPS = 1e-10, 200

# No step of Newton's method is longer: the odds of two items change by exp(8) at most.
LONGEST = 4.0


@dataclass(frozen=True, eq=False)
class SparseFit:
    """Strengths, their prior, and what draws from their distribution need."""

    theta: Floats
    chosen: Hyperparameters
    prior: ItemPrior
    diagonal: Floats
    scores: RankingScores
    people: People

    def draws(self, n_draws: int, seed: int) -> Floats:
        """(K⁻¹ + D)⁻¹ times what people's scores and the prior might have been, beside θ."""
        rng = np.random.default_rng(seed)
        solver = SparseSolver(self.prior, self.chosen, self.diagonal)
        found = []
        step = max(1, AT_ONCE // max(len(self.theta), len(self.people.counts)))
        for start in range(0, n_draws, step):
            number = min(step, n_draws - start)
            lots = rng.standard_normal((number, len(self.people.counts)))
            lots *= np.sqrt(self.people.counts)
            heard = self.people.counts / float(self.people.counts @ self.people.weights)
            lots -= np.outer(lots @ self.people.weights, heard)
            noise = self.scores.added(lots @ self.people.members).T
            noise += solver.precision(self.prior.draws(self.chosen, number, rng))
            found.append(solver.solve(noise).T)
        shifts = np.concatenate(found)
        return np.asarray(self.theta + shifts - shifts.mean(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Strengths:
    """Strengths of items, and how sure they are.

    Attributes
    ----------
    theta : ndarray of shape (n_items,)
        The strength of each item; their mean is 0. exp(θ_i − θ_j) are the odds that i is chosen
        rather than j.
    centre : ndarray of shape (n_items,)
        Strengths with hardly any shrinkage, around which intervals, errors and draws are. With few
        rankings ``theta`` is shrunk, and its errors would be too small. With an item graph this is
        ``theta``, and intervals hold as far as the graph does.
    log_ties : dict
        log δ_d for each size d of a tie (Davidson's model).
    covariance : ndarray of shape (n_items, n_items) or None
        Of ``centre``; None for many items.
    standard_errors : ndarray of shape (n_items,)
        Of each entry of ``centre``.
    log_likelihood : float
        Of the rankings, without the prior.
    prior : Hyperparameters or None
        The prior that was used; None: maximum likelihood.
    connected : ndarray of bool
        Whether wins and losses connect an item with most others. The place of any other item rests
        on the prior alone.
    n_people : int
        Number of people, or of rankings without people, that hold a choice.
    n_effective : float
        The number of people of equal weight that would say as much.
    """

    theta: Floats
    centre: Floats
    log_ties: dict[int, float]
    covariance: Floats | None
    standard_errors: Floats
    log_likelihood: float
    prior: Hyperparameters | None
    connected: Flags
    n_people: int
    n_effective: float
    likelihood: ChoiceLikelihood
    parameters: Floats
    sparse: SparseFit | None = None

    @property
    def worths(self) -> Floats:
        """Exp θ, scaled to add up to 1: the chance of being chosen first from all items."""
        return np.asarray(special.softmax(self.theta))

    def beats(self) -> Floats:
        """The probability that i is chosen rather than j, if one of them is.

        It follows from the strengths: 1 / (1 + exp(θ_j − θ_i)).
        """
        return np.asarray(special.expit(self.theta[:, None] - self.theta[None, :]))

    def intervals(self, confidence: float = 0.95) -> Floats:
        """Confidence limits of each strength, relative to the mean: an array (n_items, 2)."""
        margin = self._quantile(confidence) * self.standard_errors
        return np.stack([self.centre - margin, self.centre + margin], axis=1)

    def _quantile(self, confidence: float) -> float:
        """Of Student's t, with a degree of freedom for each person but one."""
        return float(special.stdtrit(max(self.n_effective - 1, 1.0), (1 + confidence) / 2))

    def draws(self, n_draws: int, seed: int) -> Floats:
        """Strengths as they might be: draws from their joint normal distribution."""
        if self.covariance is None:
            assert self.sparse is not None
            return self.sparse.draws(n_draws, seed)
        rng = np.random.default_rng(seed)
        values, vectors = linalg.eigh(self.covariance)
        # The symmetric root: the signs of the vectors, which rounding decides, do not matter.
        root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        return np.asarray(self.centre + rng.standard_normal((n_draws, len(root))) @ root)


def fit_strengths(
    rankings: Rankings,
    *,
    graph: Any = None,
    prior: Prior = "evidence",
    ties: Ties = "auto",
    errors: Errors = "sandwich",
    n_jobs: int | None = None,
) -> Strengths:
    r"""The strengths θ of items by the Plackett–Luce model, for rankings of any kind.

    From the items that remain, each is chosen next with probability exp θ_i / Σ_j exp θ_j. For
    pairs this is the Bradley–Terry model.

    Parameters
    ----------
    rankings : Rankings
        What :func:`rankcut.rankings.read_rankings` returns.
    graph : ItemGraph, recipe, matrix or None
        The item graph: similar items have similar strengths, as far as the evidence goes. See
        :mod:`rankcut.strengths.prior`.
    prior : {"evidence", "none"} or Hyperparameters
        "evidence": normal, with the variance and the share of the graph that make the rankings most
        probable. "none": maximum likelihood, which exists only if wins connect all items.
    ties : {"auto", "davidson", "exact", "efron", "breslow"}
        What tied items mean. "davidson": people say that they are equal; each size of a tie has a
        parameter of its own (Davidson 1970; Turner and others 2020). "exact": they have an order,
        which nobody asked for, as in best–worst tasks or coarse scales; the likelihood is summed
        over all orders. "efron" and "breslow" are quick approximations of it. "auto" is "davidson",
        or "efron" where more than four items are tied, as in ratings, or "exact" for best–worst
        tasks that were read from a file.
    errors : {"sandwich", "information"}
        "sandwich": errors hold even if people depart from the model, and if they rank more than
        once. "information": only if the model is true.
    n_jobs : int or None
        Number of threads; the result is the same for any number.

    Examples
    --------
    >>> from rankcut.rankings import read_rankings
    >>> rankings = read_rankings([[1, 2, 3], [1, 3, 2], [2, 1, 3], [1, 2, 3]])
    >>> fit = fit_strengths(rankings)
    >>> fit.theta.round(2)
    array([ 1.12, -0.08, -1.04])
    >>> fit.beats().round(2)
    array([[0.5 , 0.77, 0.9 ],
           [0.23, 0.5 , 0.72],
           [0.1 , 0.28, 0.5 ]])
    """
    choices = choices_to_fit(rankings)
    ties = choices.ties_meant(ties)
    likelihood = ChoiceLikelihood(choices, ties, n_jobs)
    connected = _connected(choices, ties)
    people = People.of(choices)
    if prior == "none":
        _check_connected(connected, rankings)
    if graph is not None:
        graph = as_item_graph(graph).aligned(choices.n_items, rankings.items)
    family = ItemPrior(choices.n_items, graph)
    if choices.n_items > MOST_DENSE:
        return _fit_many(likelihood, family, prior, people, connected)
    n_items = choices.n_items
    start = np.zeros(likelihood.n_parameters)
    try:
        parameters, chosen, curvature = _newton(likelihood, family, prior, start)
    except linalg.LinAlgError:
        raise InputError(
            "strengths are lost to rounding: counts are too large, or too uneven",
            remedy="divide all counts by the same number, or leave rare items out",
        ) from None
    scores = likelihood.scores(parameters)
    centre, wide = parameters, chosen
    if prior == "evidence" and chosen and not chosen.share and chosen.scale < WIDE.scale:
        wide = WIDE
        centre, _, curvature = _newton(likelihood, family, wide, parameters)
    covariance = linalg.inv(curvature)
    if errors == "sandwich":
        # Scores of few rankings hardly vary, or not at all if they agree: then the model says how
        # much they might.
        few = min(1.0, (n_items - 1) / people.n_rankings)
        meat = people.variation(likelihood.scores(centre))
        meat += few * likelihood.derivatives(centre)[2]
        if wide is not None:
            # Strengths are pulled to those of the prior, from wherever it might have drawn them.
            meat[:n_items, :n_items] += family.precision(wide)
        covariance = covariance @ meat @ covariance
    covariance = _centred(covariance[:n_items, :n_items])
    sizes = likelihood.orders[1:].tolist()
    return Strengths(
        theta=parameters[:n_items] - parameters[:n_items].mean(),
        centre=centre[:n_items] - centre[:n_items].mean(),
        log_ties=dict(zip(sizes, parameters[n_items:].tolist(), strict=True)),
        covariance=covariance,
        standard_errors=np.sqrt(np.maximum(np.diag(covariance), 0.0)),
        log_likelihood=float(choices.weights @ scores.values),
        prior=chosen,
        connected=connected,
        n_people=people.n_people,
        n_effective=people.n_effective,
        likelihood=likelihood,
        parameters=parameters,
    )


def choices_to_fit(rankings: Rankings) -> Choices:
    """The choices of rankings, of which at least one compares items; weights have the mean 1."""
    choices = Choices.of(rankings)
    if not choices.informative.any():
        raise InputError(
            "no ranking compares two items, so there are no strengths to find",
            remedy=["check the ranks, or what ", Setting("unranked"), " says about them"],
        )
    if not choices.counted:
        # Weights that are no counts say who counts more than whom, not how many people there are.
        used = choices.informative
        weights = choices.weights / choices.weights[used].max()
        choices = replace(choices, weights=weights * used.sum() / weights[used].sum())
    return choices


def _check_connected(connected: Flags, rankings: Rankings) -> None:
    """Maximum likelihood exists only if each item beats each other one, directly or in steps."""
    apart = np.flatnonzero(~connected).tolist()
    if apart:
        named = ", ".join(repr(rankings.item(i)) for i in apart[:3])
        more = f" and {len(apart) - 3:,} more" if len(apart) > 3 else ""
        raise InputError(
            f"wins and losses do not connect {named}{more} with the other items, so that their "
            "strengths could be anything",
            remedy=["use ", Setting("prior", "evidence"), ", or leave them out"],
        )


def _newton(
    likelihood: ChoiceLikelihood, family: ItemPrior, prior: Prior, parameters: Floats
) -> tuple[Floats, Hyperparameters | None, Floats]:
    """From some parameters to those with the largest posterior, its prior, and the curvature."""
    n_items, n_parameters = likelihood.n_items, likelihood.n_parameters
    choosing = prior == "evidence"
    chosen = FIRST if choosing else prior if isinstance(prior, Hyperparameters) else None
    penalty = TIE_PRECISION * np.diag(np.arange(n_parameters) >= n_items).astype(np.float64)
    if chosen is not None:
        penalty[:n_items, :n_items] = family.precision(chosen)
    step, reached = np.zeros(n_parameters), -np.inf
    for _ in range(MOST_STEPS):
        value, gradient, slopes = likelihood.derivatives(parameters)
        value -= float(parameters @ penalty @ parameters) / 2
        moved = float(np.abs(step).max())
        if not value >= reached - TOLERANCE * abs(reached) and moved > TOLERANCE:
            step /= 2
            parameters = parameters - step
            continue
        if choosing and moved <= CLOSE and np.isfinite(reached):
            raised = slopes + _level(slopes, n_items, chosen)
            best = family.choose(parameters[:n_items], *_profile(gradient, raised, n_items))
            choosing = best != chosen
            chosen = best
            penalty[:n_items, :n_items] = family.precision(chosen)
            value = -np.inf
        curvature = slopes + penalty + _level(slopes, n_items, chosen)
        step = linalg.solve(curvature, gradient - penalty @ parameters, assume_a="pos")
        moved = float(np.abs(step).max())
        if moved <= TOLERANCE and not choosing:
            break
        step *= min(1.0, LONGEST / moved) if moved > 0 else 1.0
        reached = value
        parameters = parameters + step
    return parameters, chosen, curvature


def _level(curvature: Floats, n_items: int, chosen: Hyperparameters | None) -> Floats:
    """The likelihood does not change if all strengths rise; this keeps their mean where it is.

    A prior does so too, but is lost to rounding beside enormous counts.
    """
    level = np.zeros_like(curvature)
    level[:n_items, :n_items] = np.trace(curvature[:n_items]) / n_items**2
    return level if chosen is None else ROUNDING * level


def _profile(gradient: Floats, curvature: Floats, n_items: int) -> tuple[Floats, Floats]:
    """Gradient and curvature of the strengths if the best δ follow them."""
    if len(gradient) == n_items:
        return gradient, curvature
    ties = curvature[n_items:, n_items:] + TIE_PRECISION * np.eye(len(gradient) - n_items)
    across = curvature[:n_items, n_items:]
    follow = linalg.solve(ties, np.column_stack([gradient[n_items:], across.T]), assume_a="pos")
    return gradient[:n_items] - across @ follow[:, 0], curvature[:n_items, :n_items] - (
        across @ follow[:, 1:]
    )


def _centred(covariance: Floats) -> Floats:
    """The covariance of strengths minus their mean."""
    centred = covariance - covariance.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    return np.asarray((centred + centred.T) / 2)


def _connected(choices: Choices, ties: Ties) -> Flags:
    """Which items are in the largest set whose items beat each other, directly or in steps.

    Of many items, those that sometimes win and sometimes lose.
    """
    if choices.n_items > MOST_DENSE:
        return choices.chosen_and_passed()
    wins = csr_array(choices.wins(ties_join=ties != "exact"))
    _, label = connected_components(wins, directed=True, connection="strong")
    return np.asarray(label == np.bincount(label).argmax())


def _fit_many(
    likelihood: ChoiceLikelihood, family: ItemPrior, prior: Prior, people: People, connected: Flags
) -> Strengths:
    """Strengths of many items, whose covariance is not a matrix."""
    if prior == "none":
        raise InputError(
            f"strengths of more than {MOST_DENSE:,} items need a prior; there are "
            f"{likelihood.n_items:,} items",
            remedy=["use ", Setting("prior", "evidence")],
        )
    if likelihood.choices.tied:
        raise InputError(
            f"ties among {likelihood.n_items:,} items are too many for strengths",
            remedy=["use ", Setting("method", "borda"), ", or leave rare items out"],
        )
    n_items = likelihood.n_items
    theta, moved = np.zeros(n_items), np.inf
    choosing = prior == "evidence"
    chosen = prior if isinstance(prior, Hyperparameters) else FIRST
    for _ in range(MOST_STEPS):
        slope = likelihood.slope(theta)
        if choosing and moved <= CLOSE:
            target = slope.product(theta) + slope.gradient
            best = family.choose_by_diagonal(target, slope.diagonal)
            choosing, chosen = best != chosen, best
        solver = SparseSolver(family, chosen, slope.diagonal)
        step = _newton_step(slope, solver, theta)
        step *= min(1.0, LONGEST / np.abs(step).max())
        value = slope.value - theta @ solver.precision(theta) / 2
        size = 1.0
        while size > TOLERANCE:
            there = theta + size * step
            reached = likelihood.value(there) - there @ solver.precision(there) / 2
            if reached >= value - TOLERANCE * abs(value):
                theta = there
                break
            size /= 2
        moved = float(np.abs(size * step).max())
        if moved <= TOLERANCE and not choosing:
            break
    theta -= theta.mean()
    scores = likelihood.scores(theta)
    found = SparseFit(theta, chosen, family, likelihood.slope(theta).diagonal, scores, people)
    return Strengths(
        theta=theta,
        centre=theta,
        log_ties={},
        covariance=None,
        standard_errors=found.draws(DRAWS, seed=0).std(axis=0),
        log_likelihood=float(likelihood.choices.weights @ scores.values),
        prior=chosen,
        connected=connected,
        n_people=people.n_people,
        n_effective=people.n_effective,
        likelihood=likelihood,
        parameters=theta,
        sparse=found,
    )


def _newton_step(slope: Slope, solver: SparseSolver, theta: Floats) -> Floats:
    """Newton's step by conjugate gradients, with the diagonal of the curvature beforehand."""
    shape = (len(theta), len(theta))
    system = LinearOperator(
        shape, matvec=lambda v: slope.product(v) + solver.precision(v), dtype=np.float64
    )
    before = LinearOperator(shape, matvec=solver.solve, dtype=np.float64)
    rise = slope.gradient - solver.precision(theta)
    step, _ = cg(system, rise, M=before)
    return np.asarray(step)
