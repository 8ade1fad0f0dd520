"""How much people agree: Kendall's W, and whether any of it is chance.

Let v be a ranking's vector on the complete graph, how many of the listed items each one beats minus
how many beat it. *Kendall's W* is Σ_i S_i² / Σ_i N_i·L_i with S_i the sum of v_i over people, N_i
how many of them list item i and L_i the sum of v_i². On full rankings it is Kendall's coefficient
of concordance, with ties the one corrected for ties. Even people who answer at random have a W of
1/m on average. So its interval is for the W of everyone, from pairs of different people: Σ_i (S_i²
− Q_i) / Σ_i (N_i·L_i − Q_i), Q_i what each adds with itself.

*The test* that all items are equal is that of Benard and van Elteren (1953): if each ranking had
put its items in a random order, SᵀV⁻S would have a χ² distribution, V the sum over rankings of the
covariance of such orders. On full rankings it is Friedman's test, on incomplete ones of equal
length Durbin's. If people have several rankings, V is from the sums of each person.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, special

from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats
from rankcut.consensus.means import UnitBlock, Units, listed_wins
from rankcut.consensus.pairs import MOST_PAIRED
from rankcut.parameters import ROUNDING


@dataclass(frozen=True)
class Agreement:
    """How much people agree; None where nothing is compared.

    Attributes
    ----------
    kendall_w : float or None
        Kendall's W of these rankings: 0 = no agreement, 1 = everyone agrees.
    kendall_w_interval : (float, float) or None
        Confidence interval of W in the population.
    p_value : float or None
        Of the test that all items are equal: that each ranking's order is random.
    """

    kendall_w: float | None
    kendall_w_interval: tuple[float, float] | None
    p_value: float | None = None


def agree(units: Units, confidence: float) -> Agreement:
    """Kendall's W, and the test of equal items."""
    sums = _ItemSums.of(units)
    w = sums.concordance()
    if w is None:
        return Agreement(None, None)
    agreed, possible = sums.of_pairs()
    everyone = agreed / possible if possible > 0 else 0.0
    low, high = _interval(everyone, *_without_each(units, sums), confidence, units.n_people)
    return Agreement(w, (low, max(w, high)), _equal_items(units, sums))


@dataclass(frozen=True, eq=False)
class _ItemSums:
    """Sums over people for each item: of vectors, of listings, of squares, and own products."""

    totals: Floats
    listed: Floats
    squares: Floats
    own_totals: Floats
    own_squares: Floats

    @classmethod
    def of(cls, units: Units) -> "_ItemSums":
        sums = np.zeros((5, units.n_items))
        for block in units.blocks(units.n_items):
            counts = block.counts.astype(np.float64)
            for row, part in zip(sums, _parts(block), strict=True):
                row += counts @ part
        return cls(*sums)

    def concordance(self) -> float | None:
        """Kendall's W."""
        possible = float(self.listed @ self.squares)
        return float(self.totals @ self.totals) / possible if possible > 0 else None

    def of_pairs(self) -> tuple[float, float]:
        """Numerator and denominator of the same for pairs of different people."""
        agreed = float(self.totals @ self.totals - self.own_totals.sum())
        return agreed, float(self.listed @ self.squares - self.own_squares.sum())


def _parts(block: UnitBlock) -> tuple[Floats, ...]:
    """What each unit adds to the sums of :class:`_ItemSums`."""
    vectors = listed_wins(block.groups)[0]
    totals = block.totals(vectors)
    listed = block.totals((block.groups != NOWHERE).astype(np.float64))
    squares = block.totals(vectors**2)
    return totals, listed, squares, totals**2, listed * squares


def _without_each(units: Units, sums: _ItemSums) -> tuple[Floats, Floats]:
    """W of pairs without each person, and how many people each number is for."""
    found, counts = [], []
    agreed, possible = sums.of_pairs()
    for block in units.blocks(units.n_items):
        totals, listed, squares, own_totals, own_squares = _parts(block)
        less = 2 * (totals @ sums.totals - own_totals.sum(axis=1))
        fewer = listed @ sums.squares + squares @ sums.listed - 2 * own_squares.sum(axis=1)
        left = possible - fewer
        found.append(np.divide(agreed - less, left, out=np.zeros_like(left), where=left > 0))
        counts.append(block.counts)
    return np.concatenate(found), np.concatenate(counts).astype(np.float64)


def _interval(
    value: float, values: Floats, counts: Floats, confidence: float, n_people: int
) -> tuple[float, float]:
    """By the jackknife over people, on Fisher's scale; ``values`` are without each of them.

    If people hardly differ, the sample shows no spread. So it allows for people who say anything
    else, as large a share as the sample is just likely enough to have missed.
    """
    if n_people < 2:
        return 0.0, 1.0
    mean = float(counts @ values) / n_people
    variance = float(counts @ (values - mean) ** 2) * (n_people - 1) / n_people
    quantile = float(special.stdtrit(n_people - 1, (1 + confidence) / 2))
    missed = 1 - (1 - confidence) ** (1 / n_people)
    lowest = (1 - missed) * value
    if abs(value) >= 1 or variance <= 0:
        return max(0.0, lowest), value + missed * (1 - value)
    middle, margin = np.arctanh(value), quantile * np.sqrt(variance) / (1 - value**2)
    low, high = float(np.tanh(middle - margin)), float(np.tanh(middle + margin))
    return max(0.0, min(low, lowest)), max(high, 0.0)


def _equal_items(units: Units, sums: _ItemSums) -> float | None:
    """The p-value of Benard and van Elteren's test."""
    n_items = units.n_items
    if units.unranked != "anywhere" and units.starts is None:
        # The covariance of random orders of all items is a multiple of one matrix.
        square = _random_square(units)
        if square <= 0:
            return None
        statistic = float(sums.totals @ sums.totals) * (n_items - 1) / square
        return float(special.chdtrc(n_items - 1, statistic))
    if n_items > MOST_PAIRED:
        return None
    covariance = np.zeros((n_items, n_items))
    for block in units.blocks(n_items):
        vectors = listed_wins(block.groups)[0]
        if block.starts is not None:
            totals = block.totals(vectors)
            covariance += totals.T @ totals
            continue
        listed = (block.groups != NOWHERE).astype(np.float64)
        length = listed.sum(axis=1)
        square = np.einsum("ij,ij->i", vectors, vectors)
        times = block.counts * (1.0 if block.weights is None else block.weights**2)
        each = times * square / np.maximum(length * (length - 1), 1)
        covariance -= (listed * each[:, None]).T @ listed
        covariance[np.diag_indices(n_items)] += (each * length) @ listed
    values, directions = linalg.eigh(covariance)
    kept = values > ROUNDING * values[-1]
    if not kept.any():
        return None
    along = directions[:, kept].T @ sums.totals
    return float(special.chdtrc(int(kept.sum()), float(along**2 @ (1 / values[kept]))))


def _random_square(units: Units) -> float:
    """Σ over people of weight² times the squared length of their vectors."""
    total = 0.0
    for block in units.blocks(units.n_items):
        vectors = listed_wins(block.groups)[0]
        times = block.counts * (1.0 if block.weights is None else block.weights**2)
        total += float(times @ np.einsum("ij,ij->i", vectors, vectors))
    return total
