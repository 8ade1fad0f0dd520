"""A random walk of each item: its strength in a period is that of the period before, and a step.

The strength of an item in the first period in which it was at choice is drawn as that of any item
(:class:`~rankcut.strengths.prior.ItemPrior`, along the item graph if there is one). From a period
to the next in which it was at choice, gap periods later, it changes by N(0, gap·drift). Periods in
which it was not at choice need no column: a random walk between two known ends is the line between
them. So precisions are chains, item by item, and sparse, as is the curvature of the likelihood.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array

from rankcut._loops.types import Floats, Longs
from rankcut.strengths.prior import (
    LEAST_SCALE,
    MOST_SCALE,
    Hyperparameters,
    ItemPrior,
    log_evidence,
)

# Variances of a step from a period to the next: from strengths that hardly move in a thousand
# periods to those of another item.
LEAST_DRIFT, MOST_DRIFT = 2.0**-20, 4.0


@dataclass(frozen=True)
class ChainHyperparameters:
    """How far items differ at first, and the variance of a step from one period to the next."""

    first: Hyperparameters
    drift: float


@dataclass(frozen=True, eq=False)
class ChainPrior:
    """Priors of items over time."""

    items: ItemPrior
    cells: Longs  #: items times the number of periods, plus the period, of each column
    times: Floats  #: of periods

    #: Where Newton's method starts, before the evidence chooses
    first = ChainHyperparameters(Hyperparameters(1.0), 2.0**-6)

    @cached_property
    def owners(self) -> Longs:
        """The item of each column."""
        return self.cells // len(self.times)

    @cached_property
    def gaps(self) -> Floats:
        """Periods since the column before; 0 where an item begins."""
        when = self.times[self.cells % len(self.times)]
        gaps = np.diff(when, prepend=0.0)
        return np.where(np.diff(self.owners, prepend=-1) == 0, gaps, 0.0)

    def links(self, settings: ChainHyperparameters) -> Floats:
        """The precision of the step to each column."""
        steps = self.gaps > 0
        return np.divide(1.0 / settings.drift, self.gaps, out=np.zeros(len(steps)), where=steps)

    def precision(self, settings: ChainHyperparameters) -> csr_array:
        """The inverse of the covariance, sparse."""
        links = self.links(settings)
        diagonal = links + np.append(links[1:], 0.0)
        chains = diags_array([diagonal, -links[1:], -links[1:]], offsets=[0, 1, -1])
        begins = np.flatnonzero(self.gaps == 0)
        if not settings.first.share:
            firsts = np.zeros(len(diagonal))
            firsts[begins] = 1.0 / settings.first.scale
            return csr_array(chains + diags_array(firsts))
        dense = self.items.precision(settings.first)
        rows, columns = np.repeat(begins, len(begins)), np.tile(begins, len(begins))
        firsts = coo_array((dense.ravel(), (rows, columns)), shape=(len(diagonal), len(diagonal)))
        return csr_array(chains + firsts)

    def log_determinant(self, settings: ChainHyperparameters) -> float:
        """The log determinant of the precision."""
        links = self.links(settings)
        return float(np.log(links[links > 0]).sum()) + self.items.log_determinant(settings.first)

    def search(
        self,
        evidence: Callable[[ChainHyperparameters], float],
        start: ChainHyperparameters = first,
    ) -> ChainHyperparameters:
        """The largest evidence for each share and reach of the graph, by doubling and halving."""
        ascents = [
            self._ascended(
                evidence, replace(start, first=Hyperparameters(start.first.scale, *shape))
            )
            for shape in self.items.shapes
        ]
        return max(ascents, key=lambda ascent: ascent[0])[1]

    def _ascended(
        self, evidence: Callable[[ChainHyperparameters], float], start: ChainHyperparameters
    ) -> tuple[float, ChainHyperparameters]:
        """The largest evidence, and where it is: drift and first variance in turn."""

        def value(settings: ChainHyperparameters) -> float:
            return evidence(settings) + math.log(settings.first.scale) / 2

        best, moved = (value(start), start), True
        while moved:
            moved = False
            for step in (_drifting, _scaled):
                for factor in (2.0, 0.5):
                    while (following := step(best[1], factor)) is not None:
                        trial = value(following)
                        if trial <= best[0]:
                            break
                        best, moved = (trial, following), True
        return best

    def choose(self, target: Floats, curvature: Floats) -> ChainHyperparameters:
        """The hyperparameters with the largest evidence, where all is a matrix."""

        def evidence(settings: ChainHyperparameters) -> float:
            system = curvature + self.precision(settings).toarray()
            return log_evidence(target, system) + self.log_determinant(settings) / 2

        return self.search(evidence)

    def between(self, period: int, drift: float) -> tuple[csr_array, Floats]:
        """Strengths in a period from the columns beside it, and the variance of what is between."""
        n_items = self.items.n_items
        n_periods = len(self.times)
        here = np.arange(n_items) * n_periods + period
        after = np.searchsorted(self.cells, here)
        before = np.searchsorted(self.cells, here, side="right") - 1
        last = len(self.cells) - 1
        follows = (after <= last) & (self.owners[np.minimum(after, last)] == np.arange(n_items))
        leads = (before >= 0) & (self.owners[np.maximum(before, 0)] == np.arange(n_items))
        after, before = np.where(follows, after, before), np.where(leads, before, after)
        when = self.times[self.cells % n_periods]
        since = np.where(leads, self.times[period] - when[before], 0.0)
        until = np.where(follows, when[after] - self.times[period], 0.0)
        span = since + until
        inside = leads & follows & (span > 0)
        share = np.divide(since, span, out=np.zeros(n_items), where=inside)
        variance = drift * np.where(inside, share * until, span)
        rows = np.tile(np.arange(n_items), 2)
        cells = (np.concatenate([1.0 - share, share]), (rows, np.concatenate([before, after])))
        return csr_array(cells, shape=(n_items, len(self.cells))), variance


def _drifting(settings: ChainHyperparameters, factor: float) -> ChainHyperparameters | None:
    """With another drift; None at the bounds."""
    drift = factor * settings.drift
    return replace(settings, drift=drift) if LEAST_DRIFT <= drift <= MOST_DRIFT else None


def _scaled(settings: ChainHyperparameters, factor: float) -> ChainHyperparameters | None:
    """With another first variance; None at the bounds."""
    scale = factor * settings.first.scale
    inside = LEAST_SCALE < scale < MOST_SCALE
    return replace(settings, first=replace(settings.first, scale=scale)) if inside else None
