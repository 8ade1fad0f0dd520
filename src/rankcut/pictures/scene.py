"""A drawing as shapes whose places, labels and colours are decided once.

Pages draw it as SVG (:mod:`rankcut.pictures.svg`), files by Matplotlib
(:mod:`rankcut.pictures.figures`). A unit is a pixel of a page, and y grows downwards. Colours are
those of the theme.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankcut.pictures.labels import place_labels, text_width
from rankcut.pictures.theme import INK

Points: TypeAlias = NDArray[np.float64]

WIDTH = 640
"""Width of a drawing, in pixels of a wide page."""

FONTS = {"roomy": 13.0, "narrow": 22.0}
"""Size of labels, and on a phone, where a drawing is about half as large."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Shape:
    """What pages do with a shape.

    Attributes
    ----------
    tip : str
        What is said under the mouse.
    group : int or None
        The key of a legend that highlights it.
    item : int or None
        The item that it belongs to, on pages that choose items.
    where : str
        ``roomy`` or ``narrow`` for pages of that width only, ``later`` for shapes that wait until
        their item is chosen. Files have what is roomy or anywhere.
    """

    tip: str = ""
    group: int | None = None
    item: int | None = None
    where: str = ""

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
    """Words around a point: it is their middle, or where they begin or end."""

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


class Key(NamedTuple):
    """An entry of a legend: words beside a dot, or beside a line if it is wider than high."""

    words: str
    colour: str
    width: float = 12.0
    height: float = 12.0
    opacity: float = 1.0
    group: int | None = None


class Legend(NamedTuple):
    """Keys in a row, with a name."""

    name: str
    keys: list[Key]


@dataclass(frozen=True, eq=False)
class Picture:
    """A drawing with what is said about it.

    Attributes
    ----------
    title, said : str
        The heading, and sentences below it.
    scene : Scene
        The drawing.
    above, below : list of Legend
        What colours mean, and what sizes mean.
    """

    title: str
    said: str
    scene: Scene
    above: list[Legend] = field(default_factory=list)
    below: list[Legend] = field(default_factory=list)


def rectangle(left: float, top: float, width: float, height: float) -> list[Points]:
    """The outline of a rectangle."""
    right, low = left + width, top + height
    return [np.array([[left, top], [right, top], [right, low], [left, low], [left, top]])]


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
    """Labels beside points, for wide and for narrow pages; those without room come later.

    Parameters
    ----------
    anchors : ndarray of shape (n, 2)
        What they belong to.
    words : sequence of str
        What they say.
    bounds : left, top, right, low
        Where they may be.
    n_placed : int or None
        Number of points, from the first on, whose labels get a place; None: all.
    items : sequence of int or None
        The item of each, for pages that choose items.
    scale : float
        Of the letters.
    **how
        Parameters of :func:`~rankcut.pictures.labels.place_labels`.
    """
    for where, font in FONTS.items():
        size = scale * font
        boxes = np.array([[text_width(each, size) + 4, 1.25 * size] for each in words])
        boxes = boxes.reshape(-1, 2)
        placed = place_labels(anchors[:n_placed], boxes[:n_placed], bounds, **how)
        places = {spot.number: (spot.x, spot.y) for spot in placed}
        for number, label in enumerate(words):
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
