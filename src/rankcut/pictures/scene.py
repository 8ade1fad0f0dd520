"""A drawing as shapes whose places, labels and colours are decided once.

Pages draw it as SVG (:mod:`rankcut.pictures.page`), files by Matplotlib
(:mod:`rankcut.pictures.figures`). A unit is a pixel of a page, and y grows downwards. Colours are
those of the theme. Labels are placed so that they do not collide.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankcut.pictures.theme import INK, shorten

Points: TypeAlias = NDArray[np.float64]

WIDTH = 640
"""Width of a drawing, in pixels of a wide page."""

LEAST = 544.0
"""A drawing with names is legible on a phone at this width, in pixels, and scrolls."""

FONTS = {"roomy": 13.0, "narrow": 22.0}
"""Size of labels, and on a phone, where a drawing is about half as large."""

# Labels are wrapped at this many times their size, and lines are this far apart.
_WRAPPED, _LEADING = 11.0, 1.25

_NARROW = frozenset("iljtfrI.,:;'|!()[] -")
_WIDE = frozenset("mwMW@%—…<>=+~#")
# Directions tried around an anchor, from the favoured one to the opposite.
_TURNS = np.deg2rad([0, 30, -30, 60, -60, 90, -90, 120, -120, 150, -150, 180])


@dataclass(frozen=True, kw_only=True, eq=False)
class Shape:
    """What pages do with a shape."""

    tip: str = ""  #: what is said under the mouse
    group: int | None = None  #: the key of a legend that highlights it
    item: int | None = None  #: the item that it belongs to, on pages that choose items
    where: str = ""  #: ``roomy`` or ``narrow`` pages only, or ``later``: when its item is chosen

    @property
    def in_files(self) -> bool:
        """Whether a file shows it."""
        return self.where in ("", "roomy")


@dataclass(frozen=True, eq=False)
class Path(Shape):
    """Lines through points; what they enclose can be filled. A width of 0 draws no lines."""

    lines: Sequence[Points]
    colour: str
    width: float = 1.0
    opacity: float = 1.0
    filled: bool = False


class Part(NamedTuple):
    """A sector of a mark: its colour, its share of the whole, its group."""

    colour: str
    share: float = 1.0
    group: int | None = None


@dataclass(frozen=True, eq=False)
class Mark(Shape):
    """A disc with a rim, cut into sectors clockwise from the top."""

    x: float
    y: float
    radius: float
    parts: Sequence[Part]
    opacity: float = 1.0


@dataclass(frozen=True, eq=False)
class Text(Shape):
    """Words around a point, in one line or more: it is their middle, or where they begin or end."""

    words: str
    x: float
    y: float
    size: float = FONTS["roomy"]
    colour: str = INK
    anchor: str = "middle"
    halo: bool = False
    turned: bool = False
    bold: bool = False


@dataclass(frozen=True, eq=False)
class Scene:
    """Shapes on a canvas, the first at the bottom, and what they show together."""

    width: float
    height: float
    shapes: list[Shape]
    about: str = ""
    least: float = 0.0  #: pages that are narrower than this, in pixels, scroll it


class Dot(NamedTuple):
    """A dot on a line, with the part of the line that it may be on, and what is said of it."""

    place: float
    colour: str
    low: float | None = None
    high: float | None = None
    tip: str = ""


class Key(NamedTuple):
    """An entry of a legend: words beside a dot."""

    words: str
    colour: str
    group: int | None = None


class Legend(NamedTuple):
    """Keys in a row, with a name."""

    name: str
    keys: list[Key]


@dataclass(frozen=True, eq=False)
class Picture:
    """A drawing with what is said about it."""

    title: str  #: the heading
    said: str  #: sentences below it
    scene: Scene
    legends: list[Legend] = field(default_factory=list)  #: what colours mean


def rectangle(west: float, top: float, width: float, height: float) -> list[Points]:
    """The outline of a rectangle."""
    right, low = west + width, top + height
    return [np.array([[west, top], [right, top], [right, low], [west, low], [west, top]])]


def write_labels(
    anchors: Points,
    words: Sequence[str],
    bounds: tuple[float, float, float, float],
    *,
    n_placed: int | None = None,
    items: Sequence[int] | None = None,
    scale: float = 1.0,
    **how: Any,
) -> Iterator[Text]:
    """Whole names beside points, for wide and for narrow pages; those without room come later.

    The first ``n_placed`` get a place within the bounds (left, top, right, low); ``items`` are for
    pages that choose items, ``scale`` is that of the letters, and ``how`` is for
    :func:`place_labels`.
    """
    labels = [wrap_name(each) for each in words]
    for where, font in FONTS.items():
        size = scale * font
        boxes = np.array([text_box(each, size) for each in labels]).reshape(-1, 2)
        placed = place_labels(anchors[:n_placed], boxes[:n_placed], bounds, **how)
        places = {spot.number: (spot.x, spot.y) for spot in placed}
        for number, label in enumerate(labels):
            half = boxes[number, 0] / 2
            inside = float(np.clip(anchors[number, 0], bounds[0] + half, bounds[2] - half))
            x, y = places.get(number, (inside, float(anchors[number, 1]) - size))
            yield Text(
                label,
                x,
                y,
                size,
                halo=True,
                item=None if items is None else items[number],
                where=where if number in places else f"{where} later",
            )


def wrap_name(name: Any, most: int = 72) -> str:
    r"""A whole name in lines of some 18 letters; only a very long one is cut.

    >>> wrap_name("The Empire Strikes Back")
    'The Empire Strikes\nBack'
    """
    return "\n".join(wrapped(shorten(name, most), _WRAPPED, 1.0))


def text_box(words: str, size: float) -> tuple[float, float]:
    """About how wide and high a text of one or more lines is."""
    lines = words.split("\n")
    return max(text_width(line, size) for line in lines) + 4, _LEADING * size * len(lines)


class Placed(NamedTuple):
    """A label that found a place: its number, and the middle of its box."""

    number: int
    x: float
    y: float


def text_width(text: str, size: float) -> float:
    """About how wide a text is in a sans serif font of this size; rather more than less.

    >>> text_width("ill", 10) < text_width("mom", 10)
    True
    """
    widths = (
        0.36
        if c in _NARROW
        else 0.95
        if c in _WIDE or ord(c) > 0x2E7F
        else 0.72
        if c.isupper()
        else 0.6
        for c in text
    )
    return size * sum(widths)


def wrapped(text: str, width: float, size: float) -> list[str]:
    """A text as lines of at most this width; a word may be wider. Spaces can be hard ones.

    >>> wrapped("a dot for each place", 60, 10)
    ['a dot for', 'each place']
    """
    lines: list[str] = []
    for word in text.strip().split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return [line for line in lines if line]


def place_labels(
    anchors: NDArray[np.float64],
    sizes: NDArray[np.float64],
    bounds: Sequence[float],
    *,
    away: NDArray[np.float64] | None = None,
    gap: float = 4.0,
    reach: int = 4,
    obstacles: NDArray[np.float64] | None = None,
    covered: NDArray[np.float64] | None = None,
) -> list[Placed]:
    """A box beside each anchor such that no two boxes overlap and none leaves the bounds.

    Labels are placed in their order, each at the free place around its anchor that covers the least
    and is the nearest to where it should be. One that finds none is left out.

    ``sizes`` are widths and heights; boxes are (left, low, right, high). A label goes in the
    direction ``away`` if it can (None: away from the other anchors), at a ``gap``, or up to
    ``reach`` times its height farther. It stays clear of ``obstacles``, which are boxes, and covers
    the points ``covered`` only if it would be worse off elsewhere.

    >>> two = np.array([[0.0, 0.0], [1.0, 0.0]])
    >>> [placed.number for placed in place_labels(two, np.full((2, 2), 8.0), (-50, -50, 50, 50))]
    [0, 1]
    """
    occupied = np.zeros((0, 4)) if obstacles is None else np.asarray(obstacles, dtype=float)
    points = np.zeros((0, 2)) if covered is None else covered
    directions = _apart(anchors) if away is None else away
    least, most = np.reshape(bounds, (2, 2))
    placed = []
    for number, (anchor, size) in enumerate(zip(anchors, sizes, strict=True)):
        turns = np.arctan2(directions[number, 1], directions[number, 0]) + _TURNS
        towards = np.stack([np.cos(turns), np.sin(turns)], axis=1)
        # From the anchor to the middle of a box that it touches in that direction.
        touch = (size / 2 / np.maximum(np.abs(towards), 1e-9)).min(axis=1)
        distance = touch + gap + size[1] * np.arange(reach)[:, np.newaxis]
        middles = anchor + (distance[:, :, np.newaxis] * towards).reshape(-1, 2)
        low, high = (middles + sign * size / 2 for sign in (-1, 1))
        free = (low >= least).all(axis=1) & (high <= most).all(axis=1)
        over = (low[:, np.newaxis] < occupied[:, 2:]) & (occupied[:, :2] < high[:, np.newaxis])
        free &= ~over.all(axis=2).any(axis=1)
        hidden = ((points >= low[:, np.newaxis]) & (points <= high[:, np.newaxis])).all(axis=2)
        # It goes three places farther from where it should be rather than cover a point.
        costs = np.where(free, np.arange(len(low)) + 3.0 * hidden.sum(axis=1), np.inf)
        best = int(costs.argmin())
        if free[best]:
            occupied = np.vstack([occupied, [*low[best], *high[best]]])
            placed.append(Placed(number, *middles[best].tolist()))
    return placed


def points_along(
    starts: NDArray[np.float64], ends: NDArray[np.float64], step: float = 8.0
) -> NDArray[np.float64]:
    """Points on lines, every few units, which labels should avoid.

    >>> points_along(np.zeros((1, 2)), np.array([[16.0, 0.0]])).tolist()
    [[0.0, 0.0], [8.0, 0.0], [16.0, 0.0]]
    """
    pieces = [np.zeros((0, 2))]
    for start, end in zip(starts, ends, strict=True):
        steps = 1 + int(np.ceil(np.linalg.norm(end - start) / step))
        pieces.append(np.linspace(start, end, steps))
    return np.concatenate(pieces)


def _apart(anchors: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each anchor the direction away from the others, the near ones most of all."""
    apart = anchors[:, None] - anchors[None]
    lengths = np.linalg.norm(apart, axis=2)
    scale = max(float(lengths.max(initial=0.0)), 1e-9)
    push = apart / (lengths / scale + 0.02)[:, :, None] ** 3
    total = push.sum(axis=1)
    total[np.abs(total).max(axis=1) == 0] = (1.0, 0.0)
    return np.asarray(total)
