"""Strengths of many items: nothing has an entry for each pair of them.

Newton's steps are by conjugate gradients. The evidence, and the errors of the strengths, take the
curvature for its diagonal: with lists from a large catalogue, hardly any two items meet.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import LinearOperator, cg

from rankcut._loops.types import Floats
from rankcut.errors import InputError, Setting
from rankcut.parameters import AT_ONCE
from rankcut.strengths.likelihood import ChoiceLikelihood, RankingScores, Slope
from rankcut.strengths.prior import FIRST, Hyperparameters, ItemPrior, SparseSolver
from rankcut.strengths.sandwich import People

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
        solver = self.prior.sparse_solver(self.chosen, self.diagonal)
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


def fit_many(
    likelihood: ChoiceLikelihood, prior: ItemPrior, given: Hyperparameters | None, people: People
) -> SparseFit:
    """The strengths with the largest posterior; the prior is by the evidence unless given."""
    if likelihood.choices.tied:
        raise InputError(
            f"ties among {likelihood.n_items:,} items are too many for strengths",
            remedy=["use ", Setting("method", "borda"), ", or leave rare items out"],
        )
    n_items = likelihood.n_items
    theta, moved = np.zeros(n_items), np.inf
    chosen, choosing = given or FIRST, given is None
    for _ in range(MOST_STEPS):
        slope = likelihood.slope(theta)
        if choosing and moved <= CLOSE:
            target = slope.product(theta) + slope.gradient
            best = prior.choose_by_diagonal(target, slope.diagonal)
            choosing, chosen = best != chosen, best
        solver = prior.sparse_solver(chosen, slope.diagonal)
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
    return SparseFit(
        theta - theta.mean(),
        chosen,
        prior,
        likelihood.slope(theta).diagonal,
        likelihood.scores(theta),
        people,
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
