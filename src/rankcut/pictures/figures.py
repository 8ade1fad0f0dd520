"""Pictures as figures of Matplotlib, in fonts that have the signs of any script."""

import os
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import groupby
from typing import Any

from rankcut.errors import amount
from rankcut.pictures.scene import (
    Key,
    Legend,
    Mark,
    Part,
    Path,
    Picture,
    Shape,
    Text,
    text_width,
    wrapped,
)
from rankcut.pictures.theme import (
    INK,
    PAPER,
    SOFT,
    import_figure,
    shorten,
)

# Signs that are not drawn: they join others, choose how these look, or are spaces.
_WITHOUT_SHAPE = ("Cf", "Cc", "Mn", "Zs", "Zl", "Zp")

# A pixel of a page is three quarters of a point.
_POINTS_PER_PIXEL = 0.75
# Space around a picture, the height of a line and of one of the heading, and sizes of letters, in
# pixels; letters of an entry of a legend.
_EDGE, _CAPTION_LINE, _HEADING, _TITLE, _SAID, _KEY = 16.0, 20.0, 25.0, 19.0, 13.0, 48


def draw_figure(picture: Picture) -> Any:
    """A Matplotlib figure whose axes have the drawing and, above it, the legends."""
    with fonts_for(picture):
        return _drawn(picture)


def _drawn(picture: Picture) -> Any:
    room = picture.scene.width
    left_out = sum(shape.where == "roomy later" for shape in picture.scene.shapes)
    missing = f" {amount(left_out, 'label')} left out for lack of room." if left_out else ""
    caption = wrapped(picture.said + missing, room, _SAID)
    # Bold letters are wider.
    heading = wrapped(picture.title, room, 1.2 * _TITLE)
    middle = 1.3 * _EDGE + _HEADING * max(0, len(heading) - 1)
    top = middle + 1.2 * _EDGE + _CAPTION_LINE * len(caption)
    above = _lay_out(picture.legends, room)[1]
    width, height = room + 2 * _EDGE, top + above + picture.scene.height + _EDGE / 2
    size = (width * _POINTS_PER_PIXEL / 72, height * _POINTS_PER_PIXEL / 72)
    figure = import_figure()(figsize=size, facecolor=PAPER)
    part = (_EDGE / width, _EDGE / 2 / height, room / width, 1 - (top + _EDGE / 2) / height)
    _draw_below_legends(figure.add_axes(part), picture, _POINTS_PER_PIXEL)

    def write(line: str, y: float, size: float, **look: Any) -> None:
        place = (_EDGE / width, 1 - y / height)
        figure.text(
            *place, line, size=size * _POINTS_PER_PIXEL, va="center", parse_math=False, **look
        )

    for number, line in enumerate(heading):
        write(line, 1.3 * _EDGE + _HEADING * number, _TITLE, color=INK, weight="bold")
    for number, line in enumerate(caption):
        write(line, middle + 1.2 * _EDGE + _CAPTION_LINE * (number + 0.4), _SAID, color=SOFT)
    return figure


def draw_axes(axes: Any, picture: Picture) -> Any:
    """Draw a picture into axes, with its title, as large as they are; the figure is returned.

    Letters and lines shrink with the drawing.
    """
    figure = axes.get_figure()
    axes.set_title(picture.title, parse_math=False)
    height = picture.scene.height + _lay_out(picture.legends, picture.scene.width)[1]
    frame = axes.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
    points = 72 * min(frame.width / picture.scene.width, frame.height / height)
    with fonts_for(picture):
        _draw_below_legends(axes, picture, points)
    return figure


def _draw_below_legends(axes: Any, picture: Picture, points: float) -> None:
    """Draw legends above the drawing, where a pixel is that many points."""
    room, height = picture.scene.width, picture.scene.height
    legends, above = _lay_out(picture.legends, room)
    axes.set(xlim=(0, room), ylim=(height, -above), aspect="equal")
    axes.set_axis_off()
    draw_shapes(axes, legends, points)
    draw_shapes(axes, picture.scene.shapes, points)


def save_figure(figure: Any, path: Any) -> None:
    """Write a figure to a path: the same bytes for the same figure, without date or chance."""
    import matplotlib

    date = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    suffix = os.path.splitext(path)[1].lower()
    with matplotlib.rc_context({"svg.hashsalt": "rankcut"}), warnings.catch_warnings():
        # A sign that fonts lack is drawn as a box, as a warning said before.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(path, dpi=150, metadata=date.get(suffix))


def _lay_out(legends: Sequence[Legend], room: float) -> tuple[list[Shape], float]:
    """The shapes of legends, each from left to right, that end at 0, and how high they are."""
    places: list[tuple[float, float, Key | str]] = []
    y = 0.0
    for legend in legends:
        x = 0.0
        if legend.name:
            name = f"{shorten(legend.name)}:"
            places.append((x, y, name))
            x = text_width(name, _SAID) + 10
        for each in legend.keys:
            wide = 18 + text_width(shorten(each.words, _KEY), _SAID)
            if x + wide > room and x > 0:
                x, y = 0.0, y + _CAPTION_LINE
            places.append((x, y, each))
            x += wide + 12
        y += _CAPTION_LINE
    height = y + _EDGE / 2 if places else 0.0
    shapes: list[Shape] = []
    for x, below, entry in places:
        middle = below + _CAPTION_LINE / 2 - height
        if isinstance(entry, str):
            shapes.append(Text(entry, x, middle, anchor="start", colour=SOFT))
        else:
            shapes.append(Mark(x + 6, middle, 6.0, [Part(entry.colour)]))
            shapes.append(Text(shorten(entry.words, _KEY), x + 18, middle, anchor="start"))
    return shapes, height


def draw_shapes(axes: Any, shapes: Sequence[Shape], points: float) -> None:
    """Draw shapes in axes whose units are pixels of that many points."""
    visible = [shape for shape in shapes if shape.in_files]
    for order, (kind, run) in enumerate(groupby(visible, type)):
        if kind is not Text:
            _collect(axes, list(run), order, points)
        for shape in run:
            if isinstance(shape, Text):
                _write(axes, shape, order, points)


def _collect(axes: Any, shapes: Sequence[Any], order: int, points: float) -> None:
    """Draw paths or marks, one above the other."""
    from matplotlib.collections import PatchCollection

    patches, fills, strokes, widths = [], [], [], []
    for shape in shapes:
        for patch, fill, stroke, width in _patches(shape):
            patches.append(patch)
            fills.append(fill)
            strokes.append(stroke)
            widths.append(width * points)
    looks: Any = {"facecolors": fills, "edgecolors": strokes, "linewidths": widths}
    axes.add_collection(
        PatchCollection(patches, zorder=order + 2, capstyle="round", **looks), autolim=False
    )


def _patches(shape: Path | Mark) -> Iterator[tuple[Any, Any, Any, float]]:
    """Patches with the colours of what they enclose and of their lines, and the width of these."""
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Circle, PathPatch, Wedge
    from matplotlib.path import Path as Outline

    if isinstance(shape, Path):
        outline = Outline.make_compound_path(*(Outline(line) for line in shape.lines))
        inside = to_rgba(shape.colour, shape.opacity if shape.filled else 0.0)
        lines = to_rgba(shape.colour, shape.opacity if shape.width else 0.0)
        yield PathPatch(outline), inside, lines, shape.width
        return
    end = 0.0
    for part in shape.parts:
        start, end = end, end + part.share
        middle, colour = (shape.x, shape.y), to_rgba(part.colour, shape.opacity)
        alone = len(shape.parts) == 1
        # Angles grow clockwise, as y grows downwards.
        sector = Wedge(middle, shape.radius, 360 * start - 90, 360 * end - 90)
        yield Circle(middle, shape.radius) if alone else sector, colour, to_rgba(PAPER), 0.8


def _write(axes: Any, text: Text, order: int, points: float) -> None:
    from matplotlib.patheffects import withStroke

    axes.text(
        text.x,
        text.y,
        text.words,
        ha={"start": "left", "middle": "center", "end": "right"}[text.anchor],
        va="center",
        rotation=90 if text.turned else 0,
        rotation_mode="anchor" if text.turned else "default",
        size=text.size * points,
        color=text.colour,
        weight="bold" if text.bold else "normal",
        parse_math=False,
        zorder=order + 2,
        path_effects=[withStroke(linewidth=2.6, foreground=PAPER, alpha=0.85)] * text.halo,
    )


@contextmanager
def fonts_for(picture: Picture, most_named: int = 5) -> Iterator[None]:
    """Draw with fonts that have the signs of a picture; a warning says which no font here has."""
    # Which says how to install Matplotlib.
    import_figure()
    import matplotlib

    words = [picture.title, picture.said]
    for legend in picture.legends:
        words += [legend.name, *(key.words for key in legend.keys)]
    words += [shape.words for shape in picture.scene.shapes if isinstance(shape, Text)]
    signs = {sign for sign in "".join(words) if not sign.isascii()}
    families, lacking = _families(
        frozenset(sign for sign in signs if unicodedata.category(sign) not in _WITHOUT_SHAPE)
    )
    if lacking:
        some = " ".join(lacking[:most_named]) + " …" * (len(lacking) > most_named)
        warnings.warn(
            f"no font here has {some}, drawn as boxes: install one that has, such as Noto Sans CJK "
            "or Noto Emoji, or write .svg or .html",
            UserWarning,
            stacklevel=1,
        )
    with matplotlib.rc_context({"font.family": [*matplotlib.rcParams["font.family"], *families]}):
        yield


@cache
def _families(signs: frozenset[str]) -> tuple[list[str], list[str]]:
    """Families beside the usual one that have some of the signs, and the signs that none has."""
    from matplotlib.font_manager import FontProperties, findfont, fontManager

    lacking = {ord(sign) for sign in signs}
    if lacking:
        lacking -= _codes(findfont(FontProperties()))
    families = []
    fonts = [font for font in fontManager.ttflist if font.style == "normal"]
    # Matplotlib's last resort has a box for each script.
    files = {font.name: font.fname for font in fonts if not font.name.startswith("Last Resort")}
    # Fonts without serifs first.
    for family in sorted(files, key=lambda name: ("Sans" not in name, name)) if lacking else ():
        covered = lacking & _codes(files[family])
        families += [family] * bool(covered)
        lacking -= covered
    return families, sorted(map(chr, lacking))


@cache
def _codes(file: str) -> frozenset[int]:
    """The signs that a font has, by number; none of one that Matplotlib cannot scale."""
    from matplotlib.ft2font import FT2Font

    try:
        font = FT2Font(file)
        return frozenset(font.get_charmap()) if font.scalable else frozenset()
    except (OSError, RuntimeError):
        return frozenset()
