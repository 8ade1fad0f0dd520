"""Charts of items: dots on a scale with a row for each, and critical-difference diagrams."""

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import amount
from rankcut.pictures.scene import (
    LEAST,
    WIDTH,
    Dot,
    Legend,
    Mark,
    Part,
    Path,
    Picture,
    Scene,
    Shape,
    Text,
    text_box,
    text_width,
    wrap_name,
)
from rankcut.pictures.theme import FAINT, INK, MOST_IN_FIGURE, SOFT, colour, shorten_apart

# Pixels: letters, the height of a row with a line of text, of another line and of another dot, the
# radius of a dot, and the width of a line.
LETTERS, _ROW, _LINE, _DOT, _RADIUS, _REACH = 13.0, 26.0, 16.0, 9.0, 5.0, 4.0


class Row(NamedTuple):
    """A row of a chart: a name and dots, the first on top; without dots it is a heading."""

    name: str
    dots: Sequence[Dot] = ()
    faint: bool = False  #: whether it stays in the background


def dot_chart(
    title: str,
    caption: str,
    rows: Sequence[Row],
    axis: str,
    *,
    ends: tuple[float, float] | None = None,
    ticks: Sequence[tuple[float, str]] | None = None,
    reference: float | None = None,
    stacked: bool = False,
    joined: bool = False,
    legends: Sequence[Legend] = (),
) -> Picture:
    """A picture with a row for each item, of the first forty.

    Parameters
    ----------
    title, caption : str
        The heading, and sentences below it.
    rows : sequence of Row
        The first is at the top.
    axis : str
        What the scale measures.
    ends : (float, float) or None
        The ends of the scale; None takes those of dots and lines.
    ticks : sequence of (float, str) or None
        Places with their names; None are round numbers.
    reference : float or None
        Where to draw a vertical line.
    stacked : bool, default=False
        Whether the dots of a row lie below each other.
    joined : bool, default=False
        Whether a line joins the dots of a row.
    legends : sequence of Legend
        What colours mean.

    Examples
    --------
    >>> rows = [Row("uni", [Dot(1.5, "#0072B2", 1.0, 2.0)]), Row("ika", [Dot(3.0, "#0072B2")])]
    >>> picture = dot_chart("Sushi", "Dots: means.", rows, "mean place")
    >>> [shape.words for shape in picture.scene.shapes if hasattr(shape, "words")][:2]
    ['uni', 'ika']
    """
    n_more = len(rows) - MOST_IN_FIGURE
    rows = rows[:MOST_IN_FIGURE]
    if n_more > 0:
        caption = f"{caption} Not drawn: {amount(n_more, 'row')} further down."
    names = [wrap_name(row.name) for row in rows]
    edge = 12 + max((text_box(name, LETTERS)[0] for name in names), default=0.0)
    low, high = ends or _ends(rows, reference)
    scale = (WIDTH - edge - 16) / ((high - low) or 1.0)

    def across(place: float) -> float:
        return edge + 4 + scale * (min(max(place, low), high) - low)

    heights = [
        max(_ROW, _LINE * (name.count("\n") + 1) + 8)
        + (_DOT * max(0, len(row.dots) - 1) if stacked else 0.0)
        for name, row in zip(names, rows, strict=True)
    ]
    bottom = float(sum(heights)) + 4
    shapes: list[Shape] = []
    marks = ticks if ticks is not None else round_ticks(low, high)
    for place, _ in marks:
        line = np.array([[across(place), 0.0], [across(place), bottom]])
        shapes.append(Path([line], FAINT, 0.8))
    if reference is not None:
        line = np.array([[across(reference), 0.0], [across(reference), bottom]])
        shapes.append(Path([line], SOFT, 1.2))
    top = 0.0
    for row, name, height in zip(rows, names, heights, strict=True):
        middle = top + height / 2
        colour, bold = (SOFT if row.faint else INK), not row.dots
        shapes.append(Text(name, edge - 8, middle, LETTERS, colour, anchor="end", bold=bold))
        step = _DOT if stacked else 0.0
        first = middle - step * (len(row.dots) - 1) / 2
        if joined and len(row.dots) > 1:
            places = [across(dot.place) for dot in row.dots]
            line = np.array([[min(places), middle], [max(places), middle]])
            shapes.append(Path([line], FAINT if row.faint else INK, 1.4 if row.faint else 2.2))
        faintness = 0.35 if row.faint else 1.0
        for number, dot in reversed(list(enumerate(row.dots))):
            y = first + step * number
            if dot.low is not None and dot.high is not None and dot.low <= dot.high:
                line = np.array([[across(dot.low), y], [across(dot.high), y]])
                shapes.append(Path([line], dot.colour, _REACH, 0.4 * faintness, tip=dot.tip))
            if dot.place == dot.place:
                part = [Part(dot.colour)]
                shapes.append(Mark(across(dot.place), y, _RADIUS, part, faintness, tip=dot.tip))
        top += height
    line = np.array([[edge + 4, bottom], [WIDTH - 12, bottom]])
    shapes.append(Path([line], SOFT, 1.0))
    shapes += [Text(words, across(place), bottom + 12, LETTERS - 1) for place, words in marks]
    shapes.append(Text(axis, (edge + WIDTH) / 2, bottom + 32, LETTERS, SOFT))
    scene = Scene(WIDTH, bottom + 44, shapes, f"{title}: {axis}", LEAST)
    return Picture(title, caption, scene, list(legends))


def _ends(rows: Sequence[Row], reference: float | None) -> tuple[float, float]:
    """The ends of a scale that holds all dots and lines, with a little room."""
    places = [place for row in rows for dot in row.dots for place in _places(dot)]
    places = [place for place in places if np.isfinite(place)]
    if reference is not None:
        places.append(reference)
    low, high = min(places, default=0.0), max(places, default=1.0)
    room = 0.04 * (high - low) or 0.5
    return low - room, high + room


def _places(dot: Dot) -> Iterator[float]:
    yield from (place for place in (dot.place, dot.low, dot.high) if place is not None)


def round_ticks(low: float, high: float, most: int = 8) -> list[tuple[float, str]]:
    """Round numbers between two, as places and as text: so many do not run into each other.

    >>> [words for _, words in round_ticks(0.2, 3.4)], [words for _, words in round_ticks(-50, 50)]
    (['0.5', '1', '1.5', '2', '2.5', '3'], ['−40', '−20', '0', '20', '40'])
    """
    span = high - low
    if not span > 0:
        return [(low, _number(low))]
    power = floor(log10(span)) - 1
    steps = (size * 10.0**more for more in (power, power + 1, power + 2) for size in (1, 2, 5))
    step = next(step for step in steps if span / step < most + 1)
    places = [step * number for number in range(ceil(low / step), floor(high / step) + 1)]
    return [(place, _number(place)) for place in places]


def whole_ticks(last: int) -> list[tuple[float, str]]:
    """The first place, and about a dozen others up to the last.

    >>> [words for _, words in whole_ticks(5)], [words for _, words in whole_ticks(59)][:4]
    (['1', '2', '3', '4', '5'], ['1', '5', '10', '15'])
    """
    step = max(1, -(-last // 12))
    return [(place, str(place)) for place in range(1, last + 1) if place == 1 or place % step == 0]


def _number(value: float) -> str:
    return f"{value:.6g}".replace("-", "−")


# Pixels: the axis of a diagram from the top, the height of a row with a name, and of a bar.
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
