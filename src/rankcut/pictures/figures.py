"""Figures by Matplotlib: pictures with the shapes of a page, and charts with its headings."""

import pathlib
import warnings
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from rankcut.errors import amount
from rankcut.pictures.scene import (
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
from rankcut.pictures.theme import FAINT, INK, PAPER, SOFT, import_figure, name_colours, shorten

# A pixel of a page is three quarters of a point.
_POINTS = 0.75
# Space around a picture, the height of a line, and sizes of letters, in pixels.
_EDGE, _LINE, _TITLE, _SAID = 16.0, 20.0, 19.0, 13.0


def draw_figure(picture: Picture) -> Any:
    """A Matplotlib figure: its first axes have the drawing, the second the legends."""
    scene = picture.scene
    room = scene.width
    left_out = sum(shape.where == "roomy later" for shape in scene.shapes)
    missing = f" {amount(left_out, 'label')} left out for lack of room." if left_out else ""
    said = wrapped(picture.said + missing, room, _SAID)
    above, top = _lay_out(picture.above, room, 2.5 * _EDGE + _LINE * len(said))
    below, low = _lay_out(picture.below, room, top + scene.height)
    width, height = room + 2 * _EDGE, low + _EDGE / 2
    size = (width * _POINTS / 72, height * _POINTS / 72)
    figure = import_figure()(figsize=size, facecolor=PAPER)
    for shapes, start, end in (
        (scene.shapes, top, top + scene.height),
        ([*above, *below], 0.0, height),
    ):
        part = (_EDGE / width, 1 - end / height, room / width, (end - start) / height)
        axes = figure.add_axes(part, xlim=(0, room), ylim=(end - start, 0), aspect="equal")
        axes.set_axis_off()
        draw_shapes(axes, shapes)

    def write(line: str, y: float, size: float, **look: Any) -> None:
        place = (_EDGE / width, 1 - y / height)
        figure.text(*place, line, size=size * _POINTS, va="center", parse_math=False, **look)

    # Bold letters are wider.
    heading = wrapped(picture.title, room, 1.2 * _TITLE)
    write(heading[0] if heading else "", 1.3 * _EDGE, _TITLE, color=INK, weight="bold")
    for number, line in enumerate(said):
        write(line, 2.5 * _EDGE + _LINE * (number + 0.4), _SAID, color=SOFT)
    return figure


def save_figure(figure: Any, path: Any) -> None:
    """Write a figure to a path: the same bytes for the same figure, without date or chance."""
    import matplotlib

    date = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    suffix = pathlib.Path(path).suffix.lower()
    with matplotlib.rc_context({"svg.hashsalt": "rankcut"}), warnings.catch_warnings():
        # A sign that the font lacks is drawn as a box.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(path, dpi=150, metadata=date.get(suffix))


def _lay_out(legends: Sequence[Legend], room: float, top: float) -> tuple[list[Shape], float]:
    """The shapes of legends from there on, each from left to right, and where they end."""
    shapes: list[Shape] = []
    for legend in legends:
        tall = max([_LINE, *(each.height + 4 for each in legend.keys)])
        x, y = 0.0, top + tall / 2
        if legend.name:
            name = f"{shorten(legend.name)}:"
            shapes.append(Text(name, x, y, anchor="start", colour=SOFT))
            x = text_width(name, _SAID) + 10
        for each in legend.keys:
            words = shorten(each.words, 48)
            wide = each.width + 6 + text_width(words, _SAID)
            if x + wide > room:
                x, y = 0.0, y + tall
            line = np.array([[x, y], [x + each.width, y]])
            middle = (x + each.width / 2, y, each.width / 2)
            shapes += [
                Path([line], each.colour, each.height, each.opacity)
                if each.width > each.height
                else Mark(*middle, [Part(each.colour)], each.opacity),
                Text(words, x + each.width + 6, y, anchor="start"),
            ]
            x += wide + 12
        top = y + tall / 2
    return shapes, top + _EDGE / 2


def draw_shapes(axes: Any, shapes: Sequence[Shape]) -> None:
    """Draw shapes in axes whose units are pixels."""
    shown = [shape for shape in shapes if shape.in_files]
    for order, (kind, run) in enumerate(groupby(shown, type)):
        if kind is not Text:
            _collect(axes, list(run), order)
        for shape in run:
            if isinstance(shape, Text):
                _write(axes, shape, order)


def _collect(axes: Any, shapes: Sequence[Any], order: int) -> None:
    """Draw paths or marks, one above the other."""
    from matplotlib.collections import PatchCollection

    patches, fills, strokes, widths = [], [], [], []
    for shape in shapes:
        for patch, fill, stroke, width in _patches(shape):
            patches.append(patch)
            fills.append(fill)
            strokes.append(stroke)
            widths.append(width * _POINTS)
    looks: Any = {"facecolors": fills, "edgecolors": strokes, "linewidths": widths}
    axes.add_collection(PatchCollection(patches, zorder=order + 2, capstyle="round", **looks))


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
        whole = len(shape.parts) == 1
        # Angles grow clockwise, as y grows downwards.
        sector = Wedge(middle, shape.radius, 360 * start - 90, 360 * end - 90)
        yield Circle(middle, shape.radius) if whole else sector, colour, to_rgba(PAPER), 0.8


def _write(axes: Any, text: Text, order: int) -> None:
    from matplotlib.patheffects import withStroke

    axes.text(
        text.x,
        text.y,
        text.words,
        ha={"start": "left", "middle": "center", "end": "right"}[text.anchor],
        va="center",
        rotation=90 if text.turned else 0,
        rotation_mode="anchor" if text.turned else "default",
        size=text.size * _POINTS,
        color=text.colour,
        weight="bold" if text.bold else "normal",
        parse_math=False,
        zorder=order + 2,
        path_effects=[withStroke(linewidth=2.6, foreground=PAPER, alpha=0.85)] * text.halo,
    )


def bare(axes: Any) -> None:
    """Keep only what is needed to read an axis."""
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(SOFT)
    axes.tick_params(colors=SOFT, labelcolor=INK, labelsize=10, left=False)


def name_rows(axes: Any, items: Sequence[Any]) -> None:
    """Give an axis a row for each item, the first on top."""
    bare(axes)
    axes.grid(axis="x", color=FAINT, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.set_yticks(range(len(items)), [shorten(item) for item in items], parse_math=False)
    axes.set_ylim(len(items) - 0.4, -0.6)


def write_heading(figure: Any, title: str, said: str = "", legend_of: Any = None) -> None:
    """Write a title, a line below it, and the names of an axis's colours, above all that is drawn.

    The figure grows by what they need. Its layout must be "constrained".
    """
    edge, space, large, small = (_POINTS * size for size in (_EDGE, _LINE, _TITLE, _SAID))
    width, height = 72 * figure.get_size_inches()
    room = width - 2 * edge
    lines = wrapped(said, room, small)
    handles, names = ([], []) if legend_of is None else legend_of.get_legend_handles_labels()
    names = [name for name, _ in name_colours(names)]
    handles = handles[: len(names)]
    # A colour and the gap to the next name take about two letters and a half each.
    widest = max((text_width(name, small) for name in names), default=0.0) + 30.0
    columns = max(1, min(len(names), int(room / widest)))
    below = 2 * space + space * len(lines)
    head = below + (space * -(-len(names) // columns) + 10 if names else 4)
    height += head
    figure.set_size_inches(width / 72, height / 72)
    engine = figure.get_layout_engine()
    engine.set(w_pad=edge / 72, h_pad=5 / 72, rect=(0, 0, 1, 1 - head / height))
    look = {"va": "center", "parse_math": False}
    title = wrapped(title, room, large)[0] if title else ""
    left, top = edge / width, height - 20
    figure.text(left, top / height, title, size=large, color=INK, weight="bold", **look)
    for number, line in enumerate(lines):
        at = (top - 20 - space * number) / height
        figure.text(left, at, line, size=small, color=SOFT, **look)
    if names:
        figure.legend(
            handles,
            names,
            loc="upper left",
            bbox_to_anchor=(left, 1 - (below + 6) / height),
            borderpad=0,
            borderaxespad=0,
            ncols=columns,
            frameon=False,
            labelcolor=INK,
            fontsize=small,
            handlelength=1.0,
            handletextpad=0.4,
            columnspacing=1.4,
        )
