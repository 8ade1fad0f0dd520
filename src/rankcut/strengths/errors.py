"""Errors of coefficients from few people: the sandwich CR2, and Satterthwaite's degrees of freedom.

Let H be the information, H_g that of person g, and s_g the person's score at the maximum. In
coordinates in which H is the identity, H_g is T_g, and s_g has the covariance T_g − T_g² if the
model holds: people pull the maximum towards themselves. So scores are multiplied by the inverse
root of I − T_g (Bell and McCaffrey 2002), which makes the sandwich unbiased then. The variance of a
contrast is distributed as a χ² with as many degrees of freedom as fit its own variance; a test of
several contrasts is Hotelling's, with degrees of freedom that are found in the same way (Tipton and
Pustejovsky 2015), or, where there are too few people for that, of the clearest (Bonferroni).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np
from scipy import linalg, special

from rankcut._loops.types import Floats
from rankcut.parameters import ROUNDING, SIDE
from rankcut.saved_arrays import Saved

# Up to this size of T_g, (I − T_g)^{-1/2} is a short power series.
_SERIES_NORM = 0.5

# Directions that a single person decides have no error: this near to 1 they are left out.
_DECIDED = 1e-9


class Pulls(NamedTuple):
    """What people add to the covariance of some estimates, by a model of how they differ.

    Strengths of a person deviate from those of all independently, with a variance τ² that all
    scores say: Var(s_g) = H_g + τ²·H_g·H_g (Imbens and Kolesár 2016), corrected as in CR2. The
    sandwich learns the variance of an estimate from those who say something of it, and where these
    are one or two, it may be far too small; τ² is learned from everyone.
    """

    covariance: Floats
    freedom: float  #: degrees of freedom of τ²

    def of_differences(self) -> Floats:
        """The variance of the difference of each two estimates."""
        variances = np.diag(self.covariance)
        both = self.covariance + self.covariance.T
        return np.maximum(variances[:, None] + variances[None, :] - both, 0.0)

    def among(self, contrasts: Floats) -> "Pulls":
        """What people add to contrasts of the estimates."""
        return Pulls(contrasts @ self.covariance @ contrasts.T, self.freedom)


def people_pull(
    root: Floats, scores: Floats, information: Floats, counts: Floats, total: Floats, items: slice
) -> tuple[Pulls, Floats]:
    """What people add to the covariance of all coefficients, and their scores corrected as in CR2.

    ``scores`` and ``information`` are of the people with most rankings, ``total`` is the
    information of all. ``items`` are the coefficients that people deviate in.
    """
    whitened = np.einsum("ij,gjk,lk->gil", root, information, root, optimize=True)
    corrected = _corrected_scores(whitened, scores @ root.T)
    across = information[:, :, items] @ information[:, items]
    moved = np.einsum("ij,gjk,lk->gil", root, across, root, optimize=True)
    more = counts @ ((corrected**2).sum(axis=1) - np.einsum("gii->g", whitened))
    most = float(counts @ np.einsum("gii->g", moved))
    variance = max(0.0, float(more) / most) if most > 0 else 0.0
    covariance = root @ (total - np.tensordot(counts, information, axes=1)) @ root.T
    for count, unit, each in zip(counts, whitened, whitened + variance * moved, strict=True):
        covariance += count * enlarged(unit, enlarged(unit, each).T)
    squares = float(counts @ (moved**2).sum(axis=(1, 2)))
    freedom = most**2 / squares if squares > 0 else 0.0
    return Pulls(root.T @ covariance @ root, freedom), corrected


def _corrected_scores(whitened: Floats, scores: Floats) -> Floats:
    """(I − T_g)^{-1/2} times the score of each person, in coordinates of the information."""
    each = [enlarged(t, s[:, None])[:, 0] for t, s in zip(whitened, scores, strict=True)]
    return np.array(each).reshape(scores.shape)


class WaldTest(NamedTuple):
    """A test that some contrasts are 0: F with degrees of freedom, and the p-value."""

    statistic: float
    n_contrasts: int
    freedom: float  #: of the denominator; infinite if errors are not estimated from people
    p_value: float  #: NaN: too few people to know


@dataclass(frozen=True, eq=False)
class Errors:
    """The covariance of coefficients, and how sure it is itself.

    ``root`` is M with M·H·Mᵀ = I; ``information`` has T_g of each unit, ``counts`` how many people
    each unit stands for. Without them the number of people that say as much stands for the degrees
    of freedom: ``n_people``, infinite if errors are not estimated from people. Of many coefficients
    there are ``draws`` D, whose DDᵀ is the covariance, and neither of the matrices.
    """

    covariance: Annotated[Floats, Saved("parameters", "parameters")]
    root: Annotated[Floats, Saved("parameters", "*")]
    information: Annotated[Floats | None, Saved("units", "*", "*")]
    counts: Annotated[Floats, Saved("units")]
    n_people: float
    draws: Annotated[Floats | None, Saved("parameters", "*")] = None

    @cached_property
    def factor(self) -> Floats:
        """F with FFᵀ the covariance."""
        if self.draws is not None:
            return self.draws
        values, vectors = linalg.eigh(self.covariance)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))

    def covariance_of(self, contrasts: Floats) -> Floats:
        """The covariance of some contrasts."""
        if self.draws is None:
            return np.asarray(contrasts @ self.covariance @ contrasts.T)
        spread = contrasts @ self.factor
        return np.asarray(spread @ spread.T)

    def variances(self, contrasts: Floats) -> Floats:
        """The variance of each contrast."""
        if self.draws is not None:
            return np.asarray(((contrasts @ self.factor) ** 2).sum(axis=1))
        squares = ((contrasts @ self.covariance) * contrasts).sum(axis=1)
        return np.asarray(np.maximum(squares, 0.0))

    def centred(self, centre: Callable[[Floats], Floats]) -> "Errors":
        """Errors of coefficients about some mean: ``centre`` takes rows of contrasts."""
        if self.draws is not None:
            return replace(self, draws=centre(self.draws.T).T)
        covariance = centre(centre(self.covariance).T)
        return replace(self, covariance=(covariance + covariance.T) / 2)

    @classmethod
    def from_people(
        cls, root: Floats, scores: Floats, information: Floats, counts: Floats
    ) -> "Errors":
        """By the sandwich CR2, from the scores and the information of units."""
        whitened = np.einsum("ij,gjk,lk->gil", root, information, root, optimize=True)
        corrected = _corrected_scores(whitened, scores @ root.T)
        middle = (corrected * counts[:, None]).T @ corrected
        return cls(root.T @ middle @ root, root, whitened, counts, float(counts.sum()))

    def freedoms(self, contrasts: Floats) -> Floats:
        """Satterthwaite's degrees of freedom of each contrast."""
        if self.information is None:
            return np.full(len(contrasts), max(self.n_people - 1, 0.0))
        rows = contrasts @ self.root.T
        rows = rows / np.maximum(linalg.norm(rows, axis=1, keepdims=True), np.finfo(float).tiny)
        within, across = self._shares(rows)
        freedoms = np.zeros(len(rows))
        for k, each in enumerate(across.swapaxes(0, 1)):
            squares = (each**2).sum(axis=1)
            spread = self.counts @ ((within[:, k, k] - squares) ** 2 - squares**2)
            spread += self.counts @ (each @ each.T) ** 2 @ self.counts
            freedoms[k] = 1.0 / spread if spread > 0 else 0.0
        return freedoms

    def wald(self, contrasts: Floats, parameters: Floats) -> WaldTest:
        """Test that some contrasts of the coefficients are 0."""
        rows = contrasts @ self.root.T if self.draws is None else contrasts
        vectors, sizes, _ = linalg.svd(rows, full_matrices=False)
        rank = int((sizes > ROUNDING * sizes.max(initial=0.0)).sum())
        if not rank:
            return WaldTest(0.0, 0, np.inf, 1.0)
        directions = (vectors[:, :rank] / sizes[:rank]).T @ contrasts
        there = directions @ parameters
        covariance = self.covariance_of(directions)
        if linalg.eigvalsh(covariance)[0] <= ROUNDING * np.trace(covariance):
            # Fewer people than directions.
            return WaldTest(np.nan, rank, 0.0, np.nan)
        statistic = float(there @ linalg.solve(covariance, there, assume_a="pos"))
        freedom = self._freedom(directions)
        if np.isinf(freedom):
            return WaldTest(statistic / rank, rank, freedom, float(special.chdtrc(rank, statistic)))
        denominator = freedom - rank + 1
        if denominator <= 0:
            return self._by_largest(contrasts, parameters, rank)
        share = denominator / (freedom * rank) * statistic
        return WaldTest(share, rank, denominator, float(special.fdtrc(rank, denominator, share)))

    def _by_largest(self, contrasts: Floats, parameters: Floats, rank: int) -> WaldTest:
        """Too few people for all contrasts together: the clearest t², adjusted by Bonferroni."""
        variances = np.diag(self.covariance_of(contrasts))
        freedoms = self.freedoms(contrasts)
        estimated = np.flatnonzero((variances > 0) & (freedoms >= 1))
        if not estimated.size:
            return WaldTest(np.nan, rank, 0.0, np.nan)
        t = np.abs(contrasts[estimated] @ parameters) / np.sqrt(variances[estimated])
        p_values = 2.0 * special.stdtr(freedoms[estimated], -t)
        k = int(p_values.argmin())
        p_value = min(1.0, float(p_values[k]) * estimated.size)
        return WaldTest(float(t[k] ** 2), rank, float(freedoms[estimated[k]]), p_value)

    def _freedom(self, contrasts: Floats) -> float:
        """Degrees of freedom of the covariance of some contrasts, as of a Wishart matrix."""
        if self.information is None:
            return self.n_people - 1
        q = len(contrasts)
        rows = linalg.qr((contrasts @ self.root.T).T, mode="economic")[0].T
        within, a = self._shares(rows)
        counts, squares = self.counts, np.einsum("gsp,gtp->gst", a, a)
        spread = float(counts @ (_size(within - squares) - _size(squares)))
        if len(a) * q <= SIDE:
            cross = np.einsum("gsp,htp->ghst", a, a, optimize=True)
            spread += float(np.einsum("g,gh,h->", counts, _size(cross), counts))
        return float(q * (q + 1) / spread) if spread > 0 else 0.0

    def _shares(self, rows: Floats) -> tuple[Floats, Floats]:
        """For each unit the covariance of what it adds to some contrasts, and its pull on them."""
        assert self.information is not None
        within, across = [], []
        for each in self.information:
            corrected = enlarged(each, rows.T).T
            across.append(corrected @ each)
            within.append(across[-1] @ corrected.T)
        return np.array(within), np.array(across)


def people_who_count(moves: Floats, counts: Floats) -> float:
    """How many people who count alike would move estimates as unevenly as these units do.

    Each of ``counts`` people of a unit moves the estimates by a row of ``moves``, q = Σ of its
    squares. If moves were normal with covariances s²Σ, E q² would be (1 + 2/k)·(E q)², with
    k = (tr Σ)²/tr Σ² directions. The number is Satterthwaite's, (Σ s²)²/Σ s⁴, by the squares there
    are: people who say much, and differ from each other, decide more of an error than their number
    of rankings says.

    >>> round(people_who_count(np.eye(4), np.ones(4)), 1)
    5.5
    """
    squares = (moves**2).sum(axis=1)
    spread = (moves * counts[:, None]).T @ moves
    total = float(np.trace(spread))
    if total <= 0:
        return float(counts.sum())
    excess = 2.0 * float((spread**2).sum()) / total**2
    return float((1 + excess) * total**2 / (counts @ squares**2) - excess)


def _size(matrices: Floats) -> Floats:
    """(tr W)² + tr W² of each matrix."""
    trace = np.einsum("...ss->...", matrices)
    return np.asarray(trace**2 + np.einsum("...st,...ts->...", matrices, matrices))


def enlarged(information: Floats, columns: Floats) -> Floats:
    """(I − T)^{-1/2} times some columns."""
    if linalg.norm(information) > _SERIES_NORM:
        values, vectors = linalg.eigh(information)
        remaining = 1.0 - values
        factors = np.where(
            remaining > _DECIDED, 1.0 / np.sqrt(np.maximum(remaining, _DECIDED)), 0.0
        )
        return np.asarray(vectors @ (factors[:, None] * (vectors.T @ columns)))
    total, term, k = columns, columns, 0
    while np.abs(term).max(initial=0.0) > ROUNDING * np.abs(total).max(initial=0.0):
        k += 1
        term = (information @ term) * ((2 * k - 1) / (2 * k))
        total = total + term
    return total
