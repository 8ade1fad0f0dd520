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

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, special
from scipy.sparse import csr_array, issparse

from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats
from rankcut.consensus.methods import listed_wins
from rankcut.consensus.pairs import MOST_TABULATED
from rankcut.parameters import ROUNDING
from rankcut.sample import ListEntries, Sample


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

    def sentence(self) -> str:
        """How much people agree, in words.

        >>> Agreement(0.4, (0.3, 0.5)).sentence()
        "Agreement: Kendall's W 0.40 (0.30 to 0.50)."
        """
        if self.kendall_w is None:
            return "Agreement: no two items are compared."
        words = f"Agreement: Kendall's W {self.kendall_w:.2f}"
        if self.kendall_w_interval is not None:
            words += " ({:.2f} to {:.2f})".format(*self.kendall_w_interval)
        if self.p_value is not None:
            number = "< 0.001" if self.p_value < 0.001 else f"= {self.p_value:.3f}"
            words += f"; if all orders were random, p {number}"
        return f"{words}."


def agree(sample: Sample, confidence: float) -> Agreement:
    """Kendall's W, and the test of equal items."""
    sums = _ItemSums.of(sample)
    w = sums.concordance()
    if w is None:
        return Agreement(None, None)
    agreed, possible = sums.of_pairs()
    everyone = agreed / possible if possible > 0 else 0.0
    low, high = _interval(everyone, *_without_each(sample, sums), confidence, sample.n_people)
    return Agreement(w, (low, max(w, high)), _equal_items(sample, sums))


@dataclass(frozen=True, eq=False)
class _ItemSums:
    """Sums over people for each item: of vectors, of listings, of squares, and own products."""

    totals: Floats
    listed: Floats
    squares: Floats
    own_totals: Floats
    own_squares: Floats

    @classmethod
    def of(cls, sample: Sample) -> "_ItemSums":
        sums = np.zeros((5, sample.n_items))
        for part in _parts(sample):
            with_themselves = (
                _product(part.totals, part.totals),
                _product(part.listed, part.squares),
            )
            for row, values in zip(
                sums, (part.totals, part.listed, part.squares, *with_themselves), strict=True
            ):
                row += part.counts @ values
        return cls(*sums)

    def concordance(self) -> float | None:
        """Kendall's W."""
        possible = float(self.listed @ self.squares)
        return float(self.totals @ self.totals) / possible if possible > 0 else None

    def of_pairs(self) -> tuple[float, float]:
        """Numerator and denominator of the same for pairs of different people."""
        agreed = float(self.totals @ self.totals - self.own_totals.sum())
        return agreed, float(self.listed @ self.squares - self.own_squares.sum())


class _UnitSums(NamedTuple):
    """What some units add up to for each item, as arrays; of short lists, as sparse matrices."""

    counts: Floats  #: how many people each unit stands for
    totals: Any  #: of vectors
    listed: Any  #: of listings
    squares: Any  #: of squares of vectors


def _parts(sample: Sample) -> Iterator[_UnitSums]:
    """All units, some at a time."""
    if sample.rankings.sparse is None or sample.unranked == "last":
        for block in sample.blocks(sample.n_items):
            vectors = listed_wins(block.groups)[0]
            listed = (block.groups != NOWHERE).astype(np.float64)
            sums = (block.totals(rows) for rows in (vectors, listed, vectors**2))
            yield _UnitSums(block.counts.astype(np.float64), *sums)
        return
    entries = ListEntries.of(sample.rankings)
    wins, listed = entries.matrix(entries.wins()), entries.matrix(np.ones(len(entries.item)))
    sums = (sample.membership @ rows for rows in (wins, listed, wins.power(2)))
    yield _UnitSums(sample.counts.astype(np.float64), *sums)


def _product(one: Any, other: Any) -> Any:
    return one.multiply(other) if issparse(one) else one * other


def _without_each(sample: Sample, sums: _ItemSums) -> tuple[Floats, Floats]:
    """W of pairs without each person, and how many people each number is for."""
    values, counts = [], []
    agreed, possible = sums.of_pairs()
    for part in _parts(sample):
        own_totals = _product(part.totals, part.totals).sum(axis=1)
        own_squares = _product(part.listed, part.squares).sum(axis=1)
        less = 2 * (part.totals @ sums.totals - own_totals)
        fewer = part.listed @ sums.squares + part.squares @ sums.listed - 2 * own_squares
        rest = possible - fewer
        values.append(np.divide(agreed - less, rest, out=np.zeros_like(rest), where=rest > 0))
        counts.append(part.counts)
    return np.concatenate(values), np.concatenate(counts)


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


def _equal_items(sample: Sample, sums: _ItemSums) -> float | None:
    """The p-value of Benard and van Elteren's test."""
    n_items = sample.n_items
    if sample.unranked != "anywhere" and sample.single:
        # The covariance of random orders of all items is a multiple of one matrix.
        square = sum(float(part.counts @ (part.totals**2).sum(axis=1)) for part in _parts(sample))
        if square <= 0:
            return None
        statistic = float(sums.totals @ sums.totals) * (n_items - 1) / square
        return float(special.chdtrc(n_items - 1, statistic))
    if n_items > MOST_TABULATED:
        return None
    if sample.single:
        return _equal_in_lists(sample, sums.totals)
    covariance = np.zeros((n_items, n_items))
    for part in _parts(sample):
        covariance += part.totals.T @ _product(part.totals, part.counts[:, None])
    values, directions = linalg.eigh(covariance)
    varies = values > ROUNDING * values[-1]
    if not varies.any():
        return None
    along = directions[:, varies].T @ sums.totals
    return float(special.chdtrc(int(varies.sum()), float(along**2 @ (1 / values[varies]))))


def _equal_in_lists(sample: Sample, totals: Floats) -> float | None:
    """The test for one list each: V is the Laplacian of who is listed with whom.

    A set of items that lists connect is known up to a constant, so one of its items is left out.
    """
    from scipy.sparse.csgraph import connected_components

    weights = np.zeros((sample.n_items, sample.n_items))
    for part in _parts(sample):
        listed = (part.listed > 0).astype(np.float64)
        length = listed.sum(axis=1)
        square = part.counts * _product(part.totals, part.totals).sum(axis=1)
        each = square / np.maximum(length * (length - 1), 1)
        weights += listed.T @ _product(listed, each[:, None])
    np.fill_diagonal(weights, 0.0)
    item_set = connected_components(csr_array(weights), directed=False)[1]
    free = np.ones(sample.n_items, dtype=bool)
    free[np.unique(item_set, return_index=True)[1]] = False
    if not free.any():
        return None
    laplacian = np.diag(weights.sum(axis=1)) - weights
    try:
        solved = linalg.solve(laplacian[np.ix_(free, free)], totals[free], assume_a="pos")
    except linalg.LinAlgError:  # weights so unlike that some are rounding
        return None
    return float(special.chdtrc(int(free.sum()), float(totals[free] @ solved)))
