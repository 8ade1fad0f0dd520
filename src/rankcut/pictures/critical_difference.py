"""Critical-difference diagrams: items on a line of mean ranks, joined where they do not differ."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankcut.pictures.charts import LETTERS
from rankcut.pictures.scene import LEAST, WIDTH, Path, Picture, Scene, Shape, Text, text_width
from rankcut.pictures.theme import INK, SOFT, colour, shorten_apart

# Pixels: the axis from the top, the height of a row with a name, and of a bar.
_AXIS, _NAME_ROW, _BAR_HEIGHT = 34.0, 22.0, 9.0

MOST_JOINED = 30
"""With more items than this, lines to their names cross too often to be followed."""


def joined_runs(order: Sequence[int], apart: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The longest runs of neighbours no two of which are apart, as first and last.

    >>> apart = np.zeros((3, 3), dtype=bool)
    >>> apart[0, 2] = True  # the first is surely before the last
    >>> joined_runs([0, 1, 2], apart)
    [(0, 1), (1, 2)]
    """
    either = (apart | apart.T)[np.ix_(order, order)]
    runs: list[tuple[int, int]] = []
    for first in range(len(order)):
        last = first
        while last + 1 < len(order) and not either[first : last + 1, last + 1].any():
            last += 1
        # A run within the one before says nothing new.
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def diagram(
    title: str,
    caption: str,
    names: Sequence[str],
    means: NDArray[np.float64],
    apart: NDArray[np.bool_],
    tips: Sequence[str],
) -> Picture:
    """The diagram of Demšar (2006): bars join items of which no two are apart.

    Parameters
    ----------
    title, caption : str
        The heading, and sentences below it.
    names : sequence of str
        Of the items.
    means : ndarray
        Their mean ranks; 1 is best.
    apart : ndarray of bool
        ``apart[i, j]``: whether i and j differ.
    tips : sequence of str
        What is said under the mouse.
    """
    order = [int(i) for i in np.argsort(means, kind="stable")]
    runs = joined_runs(order, apart)
    low, high = np.floor(means[order[0]]), np.ceil(means[order[-1]])
    short = shorten_apart([names[i] for i in order], 18)
    labels = {i: f"{name}  {means[i]:.1f}" for i, name in zip(order, short, strict=True)}
    edge = 10 + max(text_width(label, LETTERS) for label in labels.values())
    scale = (WIDTH - 2 * edge) / max(1.0, high - low)
    place = {i: edge + scale * (means[i] - low) for i in order}
    levels = _levels(runs)
    top = _AXIS + 12 + _BAR_HEIGHT * (max(levels, default=-1) + 1)
    shapes = _axis(low, high, edge, scale)
    west = order[: -(-len(order) // 2)]
    for side in (west, order[: len(west) - 1 : -1]):
        for row, i in enumerate(side):
            y = top + _NAME_ROW * (row + 0.5)
            end = edge - 4 if side is west else WIDTH - edge + 4
            line = np.array([[place[i], _AXIS], [place[i], y], [end, y]])
            shapes.append(Path([line], SOFT, 1.0, tip=tips[i], item=i))
            anchor, beyond = ("end", -4) if side is west else ("start", 4)
            shapes.append(Text(labels[i], end + beyond, y, LETTERS, anchor=anchor, item=i))
    for (first, last), level in zip(runs, levels, strict=True):
        y = _AXIS + 8 + _BAR_HEIGHT * level
        ends = np.array([[place[order[first]] - 4, y], [place[order[last]] + 4, y]])
        shapes.append(Path([ends], colour(0), 4.0, tip="not clearly different"))
    about = "Items by mean rank; bars join those that are not clearly different"
    scene = Scene(WIDTH, top + _NAME_ROW * len(west) + 6, shapes, about, LEAST)
    return Picture(title, caption, scene)


def _axis(low: float, high: float, edge: float, scale: float) -> list[Shape]:
    """The line of mean ranks, with about eight numbers."""
    step = max(1, -(-int(high - low) // 8))
    ticks = [*range(int(low), int(high) + 1, step)]
    x = [edge + scale * (tick - low) for tick in ticks]
    ends = np.array([[edge, _AXIS], [edge + scale * max(1.0, high - low), _AXIS]])
    marks = [np.array([[places, _AXIS - 5], [places, _AXIS]]) for places in x]
    numbers = [
        Text(str(tick), places, _AXIS - 15, LETTERS) for tick, places in zip(ticks, x, strict=True)
    ]
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
