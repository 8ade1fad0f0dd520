"""Where ballots go next: first choices, and the next choice of those who chose each candidate.

A ballot stands with its first choice; if that candidate leaves, it goes to the next that it lists,
or is exhausted if it lists no other. Tied candidates share a ballot. This describes ballots and
counts no election, for which there are programs with each country's rules.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from rankcut._loops.types import Floats
from rankcut.errors import amount
from rankcut.parameters import MOST_LISTED
from rankcut.pictures.page import Cell, Html, show_picture, table
from rankcut.pictures.scene import (
    LEAST,
    WIDTH,
    Path,
    Picture,
    Scene,
    Shape,
    Text,
    rectangle,
    text_width,
)
from rankcut.pictures.theme import OTHERS, colour, shorten
from rankcut.rankings import read_rankings
from rankcut.results import Result, Table
from rankcut.results.result import NAME_LETTERS
from rankcut.results.words import name_some, percent
from rankcut.sample import ListEntries

EXHAUSTED = "(no further choice)"

# Pixels: the height of all ballots, the gap between two bars, a line of text, the width of a bar.
_HEIGHT, _BAR_GAP, _LABEL_LINE, _BAR_WIDTH = 420.0, 8.0, 18.0, 14.0


@dataclass(frozen=True, eq=False, repr=False)
class Transfers(Result):
    """First choices, and where they go next.

    A :class:`~rankcut.results.Result`, with the table ``transfers``.

    Attributes
    ----------
    items : tuple
        The candidates.
    first : ndarray of shape (n_items,)
        How many ballots stand with each.
    flows : CSR array of shape (n_items, n_items)
        How many of them have each other candidate as their next choice.
    exhausted : ndarray of shape (n_items,)
        How many of them list no other.
    """

    items: tuple[Hashable, ...]
    first: Floats
    flows: csr_array
    exhausted: Floats

    @property
    def next(self) -> Floats:
        """How many ballots go from each candidate to each other one, as an array."""
        return np.asarray(self.flows.toarray())

    def _next_of(self, i: int) -> list[tuple[int, float]]:
        """The next choices of those who choose a candidate, the most frequent first."""
        row = slice(*self.flows.indptr[i : i + 2])
        pairs = zip(self.flows.indices[row].tolist(), self.flows.data[row].tolist(), strict=True)
        return sorted(((j, n) for j, n in pairs if n), key=lambda pair: (-pair[1], pair[0]))

    def order(self) -> list[int]:
        """The candidates, those with most first choices first."""
        return [int(i) for i in np.argsort(-self.first, kind="stable")]

    def sentences(self) -> list[str]:
        """Who has most first choices, and how many ballots go nowhere."""
        total = float(self.first.sum())
        best = [str(self.items[i]) for i in np.flatnonzero(self.first == self.first.max())]
        have = "has" if len(best) == 1 else "have"
        share = percent(float(self.first.max()), total)
        exhausted = percent(float(self.exhausted.sum()), total)
        return [
            f"{name_some(best)} {have} most first choices: {share} of {total:,.7g} ballots.",
            f"{exhausted} of {total:,.7g} ballots list one candidate only.",
        ]

    def facts(self) -> dict[str, Any]:
        """The candidates and their numbers as arrays."""
        return {"items": self.items, "first": self.first, "exhausted": self.exhausted}

    def tables(self) -> dict[str, Table]:
        """A row for each candidate and each next choice that ballots have."""
        order = self.order()
        flows = [
            (i, name, count)
            for i in order
            for name, count in [
                *((str(self.items[j]), count) for j, count in self._next_of(i)),
                (EXHAUSTED, self.exhausted[i]),
            ]
        ]
        shares = [count / self.first[i] if self.first[i] else 0.0 for i, _, count in flows]
        columns: dict[str, list[Any]] = {
            "first": [str(self.items[i]) for i, _, _ in flows],
            "next": [name for _, name, _ in flows],
            "ballots": [round(float(count), 6) for _, _, count in flows],
            "share": [round(float(share), 6) for share in shares],
        }
        return {"transfers": Table(columns)}

    def lines(self, most: int = 20) -> list[str]:
        """Text for a terminal: a line for each candidate."""
        width = min(NAME_LETTERS, max(12, *(len(str(item)) for item in self.items)))
        lines = [f"{'first choice':{width}}  {'ballots':>9}    share  next"]
        for i in self.order():
            name = f"{shorten(self.items[i], width):{width}}"
            share = self.first[i] / max(self.first.sum(), 1e-300)
            lines.append(
                f"{name}  {self.first[i]:>9,.7g}  {100 * share:>5.1f} %  {self._next(i)}".rstrip()
            )
        return [*lines, "", self.sentences()[-1]]

    def _next(self, i: int) -> str:
        """The most frequent next choices of those who choose a candidate."""
        if not self.first[i]:
            return ""
        goals = [
            f"{self.items[j]} {percent(count, self.first[i])}" for j, count in self._next_of(i)[:3]
        ]
        if self.exhausted[i]:
            goals.append(f"no further {percent(self.exhausted[i], self.first[i])}")
        return ", ".join(goals)

    def picture(self) -> Picture:
        """Bands from first choices to next choices, as wide as their ballots."""
        few = self._pooled()
        names = [*map(str, few.items), EXHAUSTED]
        flows = np.column_stack([few.next, few.exhausted])
        scale = _HEIGHT / max(flows.sum(), 1e-300)
        edge = 12 + max(text_width(shorten(name, 20), 13) for name in names)
        sides = (edge, WIDTH - edge - _BAR_WIDTH)
        tops = [_stacked(sums * scale) for sums in (flows.sum(axis=1), flows.sum(axis=0))]
        shapes: list[Shape] = []
        start, end = tops[0].copy(), tops[1].copy()
        for (i, j), count in np.ndenumerate(flows):
            if count:
                size = count * scale
                share = percent(count, float(few.first[i]))
                tip = f"{names[i]} → {names[j]}: {count:,.7g} ({share})"
                ends = float(start[i]), float(end[j])
                band = _band(sides[0] + _BAR_WIDTH, ends[0], sides[1], ends[1], size)
                shapes.append(Path([band], _colour(i, len(names)), 0.0, 0.45, True, tip=tip))
                start[i] += size
                end[j] += size
        for side, sums in enumerate((flows.sum(axis=1), flows.sum(axis=0))):
            for i, total in enumerate(sums):
                if not total:
                    continue
                top, size = tops[side][i], total * scale
                bar = rectangle(sides[side], top, _BAR_WIDTH, size)
                shapes.append(Path(bar, _colour(i, len(names)), 0.0, filled=True))
                x, anchor = (edge - 6, "end") if side == 0 else (sides[1] + _BAR_WIDTH + 6, "start")
                shapes.append(Text(shorten(names[i], 20), x, top + size / 2, anchor=anchor))
        said = "Left: first choices. Right: where they go if that candidate leaves."
        about = "Bands from first choices to next choices"
        low = max(np.max(tops[0] + flows.sum(axis=1) * scale), np.max(end))
        height = float(low) + 2 * _BAR_GAP
        return Picture("Where ballots go next", said, Scene(WIDTH, height, shapes, about, LEAST))

    def body(self) -> Iterator[Html]:
        """The picture and the numbers."""
        order = self.order()
        ballots = [Cell(f"{self.first[i]:,.7g}", float(self.first[i])) for i in order]
        rows = [[str(self.items[i]), n, self._next(i)] for i, n in zip(order, ballots, strict=True)]
        yield from show_picture(self.picture())
        yield table(["first choice", "ballots", "next"], rows)

    def _pooled(self) -> "Transfers":
        """The candidates in order; those after the first dozen are one."""
        order = self.order()
        leading, rest = order[:MOST_LISTED], order[MOST_LISTED:]
        items = tuple(self.items[i] for i in leading)
        number = np.full(len(order), len(leading))
        number[leading] = np.arange(len(leading))
        if rest:
            items = (*items, amount(len(rest), "other"))
        groups = csr_array((np.ones(len(order)), (number, np.arange(len(order)))))
        first, exhausted = groups @ self.first, groups @ self.exhausted
        return Transfers(items, first, groups @ self.flows @ groups.T, exhausted)


def count_transfers(
    X: Any,
    *,
    items: Sequence[Hashable] | None = None,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
) -> Transfers:
    """Count first choices, and where each candidate's ballots go next.

    Parameters
    ----------
    X : rankings of any kind
        Candidates that a ballot does not rank are no choice of it.
    items : sequence or None
        Names of the candidates, if the rankings have none.
    sample_weight : array or None
        How much each ballot weighs.
    counts : array or None
        How many ballots each row is.

    Examples
    --------
    >>> nan = float("nan")
    >>> ballots = [[1, 2, nan], [1, 2, 3], [1, nan, nan], [nan, 2, 1]]
    >>> found = count_transfers(ballots, items=["Ann", "Bob", "Cy"])
    >>> found.first, found.next[0], found.exhausted
    (array([3., 0., 1.]), array([0., 2., 0.]), array([1., 0., 0.]))
    """
    rankings = read_rankings(
        X, items, unranked="anywhere", sample_weight=sample_weight, counts=counts
    )
    entries = ListEntries.of(rankings)
    best = entries.n_better == 0
    n_best = np.bincount(entries.row[best], minlength=entries.n_rows)[entries.row]
    share = rankings.counts[entries.row] / np.maximum(n_best, 1)
    # Those who share a ballot get it in equal parts if one of them leaves.
    is_next = np.where(n_best > 1, best, entries.group == 1)
    n_next = np.bincount(entries.row[is_next], minlength=entries.n_rows)[entries.row] - (n_best > 1)
    standing = entries.some(best).matrix(share[best])
    going = entries.some(is_next).matrix(1 / np.maximum(n_next, 1)[is_next])
    flows = (standing.T @ going).tocsr()
    flows.setdiag(0.0)
    first = standing.sum(axis=0)
    names = tuple(range(entries.n_items)) if rankings.items is None else rankings.items
    return Transfers(names, first, flows, first - flows.sum(axis=1))


def _stacked(sizes: Floats) -> Floats:
    """The top of each bar, one below the other, with room for a line of text each."""
    room = np.maximum(sizes + _BAR_GAP, _LABEL_LINE)
    return np.asarray(8 + np.cumsum(room) - room / 2 - sizes / 2)


def _band(left: float, top: float, right: float, other: float, size: float) -> Floats:
    """The outline of a band that goes smoothly from one height to another."""
    share = np.linspace(0, 1, 24)
    rise = share * share * (3 - 2 * share)
    x, y = left + (right - left) * share, top + (other - top) * rise
    upper, lower = np.column_stack([x, y]), np.column_stack([x, y + size])
    return np.concatenate([upper, lower[::-1], upper[:1]])


def _colour(i: int, n_names: int) -> str:
    return OTHERS if i == n_names - 1 else colour(i)
