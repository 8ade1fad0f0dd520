"""Where ballots go next: first choices, and the next choice of those who chose each candidate.

A ballot stands with its first choice; if that candidate leaves, it goes to the next that it lists,
or is exhausted if it lists no other. Tied candidates share a ballot. This describes ballots and
counts no election, for which there are programs with each country's rules.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankcut._loops.types import Floats
from rankcut.consensus.figure import LEAST
from rankcut.consensus.words import percent
from rankcut.errors import amount
from rankcut.parameters import MOST_LISTED
from rankcut.pictures.figures import draw_figure
from rankcut.pictures.page import Cell, draw_svg, page, table, tag
from rankcut.pictures.scene import WIDTH, Path, Picture, Scene, Shape, Text, rectangle, text_width
from rankcut.pictures.theme import OTHERS, colour, shorten
from rankcut.rankings import read_rankings
from rankcut.rankings.value import block_rows

EXHAUSTED = "(no further choice)"

# Pixels: the height of all ballots, the gap between two bars, a line of text, the width of a bar.
_HEIGHT, _GAP, _LINE, _BAR = 420.0, 8.0, 18.0, 14.0


@dataclass(frozen=True, eq=False)
class Transfers:
    """First choices, and where they go next.

    Attributes
    ----------
    items : tuple
        The candidates.
    first : ndarray of shape (n_items,)
        How many ballots stand with each.
    next : ndarray of shape (n_items, n_items)
        How many of them have each other candidate as their next choice.
    exhausted : ndarray of shape (n_items,)
        How many of them list no other.
    """

    items: tuple[Hashable, ...]
    first: Floats
    next: Floats
    exhausted: Floats

    def order(self) -> list[int]:
        """The candidates, those with most first choices first."""
        return [int(i) for i in np.argsort(-self.first, kind="stable")]

    def columns(self) -> dict[str, list[Any]]:
        """A table with a row for each candidate and each next choice."""
        order = self.order()
        flows = [
            (i, name, count)
            for i in order
            for name, count in [
                *((str(self.items[j]), self.next[i, j]) for j in order if j != i),
                (EXHAUSTED, self.exhausted[i]),
            ]
        ]
        share = [count / self.first[i] if self.first[i] else 0.0 for i, _, count in flows]
        return {
            "first": [str(self.items[i]) for i, _, _ in flows],
            "next": [name for _, name, _ in flows],
            "ballots": [round(float(count), 6) for _, _, count in flows],
            "share": [round(float(own), 6) for own in share],
        }

    def lines(self) -> list[str]:
        """Text for a terminal."""
        width = min(28, max(12, *(len(str(item)) for item in self.items)))
        lines = [f"{'first choice':{width}}  {'ballots':>9}    share  next"]
        for i in self.order():
            name = f"{shorten(self.items[i], width):{width}}"
            share = self.first[i] / max(self.first.sum(), 1e-300)
            lines.append(
                f"{name}  {self.first[i]:>9,.7g}  {100 * share:>5.1f} %  {self._next(i)}".rstrip()
            )
        total = float(self.first.sum())
        alone = percent(float(self.exhausted.sum()), total)
        return [*lines, "", f"{alone} of {total:,.7g} ballots list one candidate only."]

    def _next(self, i: int) -> str:
        """The most frequent next choices of those who choose a candidate."""
        if not self.first[i]:
            return ""
        best = [int(j) for j in np.argsort(-self.next[i], kind="stable")[:3] if self.next[i, j]]
        said = [f"{self.items[j]} {percent(self.next[i, j], self.first[i])}" for j in best]
        if self.exhausted[i]:
            said.append(f"no further {percent(self.exhausted[i], self.first[i])}")
        return ", ".join(said)

    def plot(self, title: str = "Where ballots go next") -> Any:
        """A Matplotlib figure: first choices on the left, next choices on the right."""
        return draw_figure(self.picture(title))

    def picture(self, title: str) -> Picture:
        """Bands from first choices to next choices, as wide as their ballots."""
        few = self._pooled()
        names = [*map(str, few.items), EXHAUSTED]
        flows = np.column_stack([few.next, few.exhausted])
        scale = _HEIGHT / max(flows.sum(), 1e-300)
        edge = 12 + max(text_width(shorten(name, 20), 13) for name in names)
        sides = (edge, WIDTH - edge - _BAR)
        tops = [_stacked(sums * scale) for sums in (flows.sum(axis=1), flows.sum(axis=0))]
        shapes: list[Shape] = []
        start, end = tops[0].copy(), tops[1].copy()
        for (i, j), count in np.ndenumerate(flows):
            if count:
                size = count * scale
                share = percent(count, float(few.first[i]))
                tip = f"{names[i]} → {names[j]}: {count:,.7g} ({share})"
                ends = float(start[i]), float(end[j])
                band = _band(sides[0] + _BAR, ends[0], sides[1], ends[1], size)
                shapes.append(Path([band], _colour(i, len(names)), 0.0, 0.45, True, tip=tip))
                start[i] += size
                end[j] += size
        for side, sums in enumerate((flows.sum(axis=1), flows.sum(axis=0))):
            for i, total in enumerate(sums):
                if not total:
                    continue
                top, size = tops[side][i], total * scale
                bar = rectangle(sides[side], top, _BAR, size)
                shapes.append(Path(bar, _colour(i, len(names)), 0.0, filled=True))
                x, anchor = (edge - 6, "end") if side == 0 else (sides[1] + _BAR + 6, "start")
                shapes.append(Text(shorten(names[i], 20), x, top + size / 2, anchor=anchor))
        said = "Left: first choices. Right: where they go if that candidate leaves."
        about = "Bands from first choices to next choices"
        low = max(np.max(tops[0] + flows.sum(axis=1) * scale), np.max(end))
        height = float(low) + 2 * _GAP
        return Picture(title, said, Scene(WIDTH, height, shapes, about))

    def page(self, title: str) -> str:
        """A page with the picture and the numbers."""
        order = self.order()
        ballots = [Cell(f"{self.first[i]:,.7g}", float(self.first[i])) for i in order]
        rows = [[str(self.items[i]), n, self._next(i)] for i, n in zip(order, ballots, strict=True)]
        picture = self.picture(title)
        drawn = tag("div", draw_svg(picture.scene, LEAST), kind="wide", tabindex="0")
        numbers = table(["first choice", "ballots", "next"], rows)
        return page(title, tag("h1", title), tag("p", picture.said, kind="soft"), drawn, numbers)

    def _pooled(self) -> "Transfers":
        """The candidates in order; those after the first dozen are one."""
        order = self.order()
        kept, rest = order[:MOST_LISTED], order[MOST_LISTED:]
        items = tuple(self.items[i] for i in kept)
        groups = np.zeros((len(kept) + bool(rest), len(order)))
        groups[np.arange(len(kept)), kept] = 1
        if rest:
            items, groups[-1, rest] = (*items, amount(len(rest), "other")), 1
        first, after, exhausted = self.first, self.next, self.exhausted
        return Transfers(items, groups @ first, groups @ after @ groups.T, groups @ exhausted)


def count_transfers(
    X: Any, items: Sequence[Hashable] | None = None, *, sample_weight: ArrayLike | None = None
) -> Transfers:
    """Count first choices, and where each candidate's ballots go next.

    Parameters
    ----------
    X : rankings of any kind
        Candidates that a ballot does not rank are no choice of it.
    items : sequence or None
        Names of the candidates, if the rankings have none.
    sample_weight : array or None
        How often each ballot counts.

    Examples
    --------
    >>> nan = float("nan")
    >>> ballots = [[1, 2, nan], [1, 2, 3], [1, nan, nan], [nan, 2, 1]]
    >>> found = count_transfers(ballots, ["Ann", "Bob", "Cy"])
    >>> found.first, found.next[0], found.exhausted
    (array([3., 0., 1.]), array([0., 2., 0.]), array([1., 0., 0.]))
    """
    rankings = read_rankings(X, items, unranked="anywhere", sample_weight=sample_weight)
    n_rows, n_items = rankings.shape
    first, after = np.zeros(n_items), np.zeros((n_items, n_items))
    step = block_rows(n_items)
    for start in range(0, n_rows, step):
        groups = rankings.groups(start, min(start + step, n_rows), close=False)
        weights = rankings.counts[start : start + step, None]
        best = (groups == 0).astype(np.float64)
        size = best.sum(axis=1, keepdims=True)
        own = weights * np.divide(best, size, out=np.zeros_like(best), where=size > 0)
        first += own.sum(axis=0)
        # Those who share a ballot get it in equal parts if one of them leaves.
        others = np.where(size > 1, best, groups == 1)
        among = np.where(size > 1, size - 1, others.sum(axis=1, keepdims=True))
        after += own.T @ np.divide(others, among, out=np.zeros_like(best), where=among > 0)
        shared = np.where(size > 1, own / np.maximum(size - 1, 1), 0.0)
        after[np.diag_indices(n_items)] -= shared.sum(axis=0)
    names = tuple(range(n_items)) if rankings.items is None else rankings.items
    return Transfers(names, first, after, first - after.sum(axis=1))


def _stacked(sizes: Floats) -> Floats:
    """The top of each bar, one below the other, with room for a line of text each."""
    room = np.maximum(sizes + _GAP, _LINE)
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
