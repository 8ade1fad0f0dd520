"""A leaderboard: items on a line of mean ranks, and bars that join what is not clearly different.

The diagram of Demšar (2006), whose bars span a critical difference of mean ranks. Here two items
are joined unless their order is sure: what is sure holds for all pairs at once, and allows for
people who judge many times and for items that meet different opponents.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankcut.consensus.words import ConsensusReport
from rankcut.errors import InputError, amount
from rankcut.pictures.scene import WIDTH, Path, Picture, Scene, Shape, Text, text_width
from rankcut.pictures.theme import INK, MOST_ITEMS, SOFT, colour, shorten

# Pixels: from row to row of names, from bar to bar, the axis from the top, and the size of names.
_ROW, _BAR, _AXIS, _SIZE = 22.0, 9.0, 34.0, 13.0


# A drawing with names is legible on a phone at this width, in pixels, and scrolls.
LEAST = 544.0


def joined_runs(order: Sequence[int], clear: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The longest runs of neighbours no two of which are clearly different, as first and last.

    >>> clear = np.zeros((3, 3), dtype=bool)
    >>> clear[0, 2] = True  # the first is surely before the last
    >>> joined_runs([0, 1, 2], clear)
    [(0, 1), (1, 2)]
    """
    either = (clear | clear.T)[np.ix_(order, order)]
    runs: list[tuple[int, int]] = []
    for first in range(len(order)):
        last = first
        while last + 1 < len(order) and not either[first : last + 1, last + 1].any():
            last += 1
        # A run within the one before says nothing new.
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def leaderboard(report: ConsensusReport, title: str) -> Picture:
    """The picture of one group: names at both sides, the best on the left."""
    group = report.groups[0]
    if group.clear is None or group.mean_ranks is None:
        raise InputError(
            "a leaderboard needs intervals, and mean ranks of at most 2,048 items",
            remedy="use bootstraps, and leave rare items out",
        )
    means = group.mean_ranks
    order = [int(i) for i in np.argsort(means, kind="stable")][:MOST_ITEMS]
    runs = joined_runs(order, group.clear)
    low, high = np.floor(means[order[0]]), np.ceil(means[order[-1]])
    names = {i: f"{shorten(report.items[i], 18)}  {means[i]:.1f}" for i in order}
    edge = 10 + max(text_width(name, _SIZE) for name in names.values())
    scale = (WIDTH - 2 * edge) / max(1.0, high - low)
    place = {i: edge + scale * (means[i] - low) for i in order}
    levels = _levels(runs)
    top = _AXIS + 12 + _BAR * (max(levels, default=-1) + 1)
    shapes = _axis(low, high, edge, scale)
    left = order[: -(-len(order) // 2)]
    for side in (left, order[: len(left) - 1 : -1]):
        for row, i in enumerate(side):
            y = top + _ROW * (row + 0.5)
            end = edge - 4 if side is left else WIDTH - edge + 4
            line = np.array([[place[i], _AXIS], [place[i], y], [end, y]])
            shapes.append(Path([line], SOFT, 1.0, tip=_tip(report, i)))
            anchor, beyond = ("end", -4) if side is left else ("start", 4)
            shapes.append(Text(names[i], end + beyond, y, _SIZE, anchor=anchor))
    for (first, last), level in zip(runs, levels, strict=True):
        y = _AXIS + 8 + _BAR * level
        ends = np.array([[place[order[first]] - 4, y], [place[order[last]] + 4, y]])
        shapes.append(Path([ends], colour(0), 4.0, tip="not clearly different"))
    said = "Mean ranks, 1 the best. "
    said += f"Bars join items whose order is not sure ({report.confidence:.0%}, all pairs at once)."
    if len(report.items) > len(order):
        said += f" Not drawn: {amount(len(report.items) - len(order), 'item')} further down."
    about = "Items by mean rank; bars join those that are not clearly different"
    return Picture(title, said, Scene(WIDTH, top + _ROW * len(left) + 6, shapes, about))


def _axis(low: float, high: float, edge: float, scale: float) -> list[Shape]:
    """The line of mean ranks, with about eight numbers."""
    step = max(1, -(-int(high - low) // 8))
    ticks = [*range(int(low), int(high) + 1, step)]
    x = [edge + scale * (tick - low) for tick in ticks]
    ends = np.array([[edge, _AXIS], [edge + scale * max(1.0, high - low), _AXIS]])
    marks = [np.array([[own, _AXIS - 5], [own, _AXIS]]) for own in x]
    numbers = [Text(str(tick), own, _AXIS - 15, _SIZE) for tick, own in zip(ticks, x, strict=True)]
    return [Path([ends, *marks], INK, 1.5), *numbers]


def _levels(runs: Sequence[tuple[int, int]]) -> list[int]:
    """How far below the axis each bar is, so that no two overlap."""
    levels: list[int] = []
    free: list[int] = []  # the last item of the bar at each level
    for first, last in runs:
        level = next((i for i, end in enumerate(free) if end < first), len(free))
        free[level : level + 1] = [last]
        levels.append(level)
    return levels


def _tip(report: ConsensusReport, i: int) -> str:
    group = report.groups[0]
    assert group.intervals is not None
    best, worst = group.intervals[i].tolist()
    return f"{report.items[i]}: place {group.ranking[i]}, from {best} to {worst}"
