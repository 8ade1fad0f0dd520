"""Figures by Matplotlib: pictures with the shapes of a page, and charts with a row per item."""

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal

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
    wrap_name,
    wrapped,
)
from rankcut.pictures.theme import (
    COLOURS,
    FAINT,
    INK,
    MOST_ITEMS,
    OTHERS,
    PAPER,
    SOFT,
    colour,
    group_colours,
    import_figure,
    name_colours,
    shorten,
)

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
    legends, top = _lay_out(picture.legends, room, 2.5 * _EDGE + _LINE * len(said))
    width, height = room + 2 * _EDGE, top + scene.height + _EDGE / 2
    size = (width * _POINTS / 72, height * _POINTS / 72)
    figure = import_figure()(figsize=size, facecolor=PAPER)
    for shapes, start, end in (
        (scene.shapes, top, top + scene.height),
        (legends, 0.0, height),
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
    suffix = os.path.splitext(path)[1].lower()
    with matplotlib.rc_context({"svg.hashsalt": "rankcut"}), warnings.catch_warnings():
        # A sign that the font lacks is drawn as a box.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(path, dpi=150, metadata=date.get(suffix))


def _lay_out(legends: Sequence[Legend], room: float, top: float) -> tuple[list[Shape], float]:
    """The shapes of legends from there on, each from left to right, and where they end."""
    shapes: list[Shape] = []
    for legend in legends:
        x, y = 0.0, top + _LINE / 2
        if legend.name:
            name = f"{shorten(legend.name)}:"
            shapes.append(Text(name, x, y, anchor="start", colour=SOFT))
            x = text_width(name, _SAID) + 10
        for each in legend.keys:
            words = shorten(each.words, 48)
            wide = 18 + text_width(words, _SAID)
            if x + wide > room:
                x, y = 0.0, y + _LINE
            shapes += [
                Mark(x + 6, y, 6.0, [Part(each.colour)]),
                Text(words, x + 18, y, anchor="start"),
            ]
            x += wide + 12
        top = y + _LINE / 2
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


def name_rows(axes: Any, items: Sequence[Any]) -> None:
    """Give an axis a row for each item, the first on top, and only what is needed to read it."""
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(SOFT)
    axes.tick_params(colors=SOFT, labelcolor=INK, labelsize=10, left=False)
    axes.grid(axis="x", color=FAINT, linewidth=0.7)
    axes.set_axisbelow(True)
    names = [wrap_name(item) for item in items]
    axes.set_yticks(range(len(items)), names, parse_math=False, linespacing=1.0)
    axes.set_ylim(len(items) - 0.4, -0.6)


def row_height(items: Sequence[Any], groups: int = 1) -> float:
    """Inches for the row of an item, with dots for some groups below each other."""
    lines = max((wrap_name(item).count("\n") for item in items), default=0)
    return max(0.28 + 0.1 * (groups - 1), 0.16 * (lines + 1) + 0.06)


def write_heading(figure: Any, title: str, said: str = "", legend_of: Any = None) -> None:
    """Write a title, a line below it, and the names of an axis's colours, above all that is drawn.

    The figure grows by what they need. Its layout must be "constrained".
    """
    edge, space, large, small = (_POINTS * size for size in (_EDGE, _LINE, _TITLE, _SAID))
    width, height = 72 * figure.get_size_inches()
    room = width - 2 * edge
    # Bold letters are wider.
    titles, lines = wrapped(title, room, 1.2 * large), wrapped(said, room, small)
    handles, names = ([], []) if legend_of is None else legend_of.get_legend_handles_labels()
    others = len(names) - len(COLOURS)
    if others > 1:
        names = [*names[: len(COLOURS)], f"{others} others"]
        handles = handles[: len(names)]
    # A colour and the gap to the next name take about two letters and a half each.
    widest = max((text_width(name, small) for name in names), default=0.0) + 30.0
    columns = max(1, min(len(names), int(room / widest)))
    top = 20 + 1.4 * large * max(len(titles) - 1, 0)
    below = top + 20 + space * len(lines)
    head = below + (space * -(-len(names) // columns) + 10 if names else 0)
    height += head
    figure.set_size_inches(width / 72, height / 72)
    engine = figure.get_layout_engine()
    engine.set(w_pad=edge / 72, h_pad=5 / 72, rect=(0, 0, 1, 1 - head / height))
    look = {"va": "center", "parse_math": False}
    left = edge / width
    for number, line in enumerate(titles):
        at = 1 - (20 + 1.4 * large * number) / height
        figure.text(left, at, line, size=large, color=INK, weight="bold", **look)
    for number, line in enumerate(lines):
        at = 1 - (top + 20 + space * number) / height
        figure.text(left, at, line, size=small, color=SOFT, **look)
    if names:
        figure.legend(
            handles,
            names,
            loc="upper left",
            bbox_to_anchor=(left, 1 - (below + 2) / height),
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


def draw_group_places(
    items: Iterable[Mapping[str, Any]],
    groups: Mapping[Any, int],
    level: float = 0.05,
    said: str = "",
    unit: Literal["place", "strength", "listed"] = "place",
) -> Any:
    """A Matplotlib figure of means of items, best on top: a dot per group.

    Rows have ``item``, ``p_value`` and, for each group g, ``place in g`` or what ``unit`` says,
    clearest first; ``groups`` have their sizes. Items with a p-value above the level are faint, and
    ``said`` is a sentence below the heading.

    >>> row = {"item": "uni", "p_value": 0.01, "place in east": 3.0, "place in west": 5.0}
    >>> figure = draw_group_places([row], {"east": 20, "west": 30})
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['uni']
    """
    rows = [
        (row, [row[f"{unit} in {group}"] for group in groups]) for row in list(items)[:MOST_ITEMS]
    ]
    rows.sort(key=lambda pair: sum(pair[1]), reverse=unit != "place")
    axes = _rows([row["item"] for row, _ in rows])
    sizes = {str(group): size for group, size in groups.items()}
    colours = group_colours(sizes)
    clear = [row["p_value"] <= level for row, _ in rows]
    for height, (_, places) in enumerate(rows):
        line, width = (INK, 2.2) if clear[height] else (FAINT, 1.4)
        axes.plot([min(places), max(places)], [height] * 2, color=line, linewidth=width, zorder=2)
        # Groups with a colour of their own lie on top.
        dots = sorted(zip(sizes, places, strict=True), key=lambda dot: colours[dot[0]] != OTHERS)
        for name, place in dots:
            _dot(axes, place, height, colours[name], alpha=1.0 if clear[height] else 0.35)
    for name, own in name_colours(sizes):
        _dot(axes, [], [], own, label=shorten(name, 40))
    _fade_names(axes, clear)
    what, label = {
        "place": ("Mean places by group", "mean place in the group (1 = best)"),
        "strength": (
            "Strengths by group",
            "strength in the group (log odds of being chosen; 0 = an average item)",
        ),
        "listed": ("Listed by group", "share of the group that lists the item"),
    }[unit]
    axes.set_xlabel(label, color=INK, size=10)
    write_heading(axes.figure, what, f"{said} {_faint(clear, level)}", axes)
    return axes.figure


def draw_item_shares(
    items: Iterable[Mapping[str, Any]], level: float = 0.05, said: str = ""
) -> Any:
    """A Matplotlib figure of how much of each item's variation is explained, largest on top.

    Rows have ``item``, ``p_value`` and ``share_explained``; all else is as for
    :func:`draw_group_places`.

    >>> rows = [{"item": "uni", "p_value": 0.01, "share_explained": 0.2}]
    >>> [text.get_text() for text in draw_item_shares(rows).axes[0].get_yticklabels()]
    ['uni']
    """
    rows = sorted(list(items)[:MOST_ITEMS], key=lambda row: -row["share_explained"])
    axes = _rows([row["item"] for row in rows])
    clear = [row["p_value"] <= level for row in rows]
    shares = [100 * row["share_explained"] for row in rows]
    bars = axes.barh(range(len(rows)), shares, height=0.6, color=colour(0))
    for bar, is_clear in zip(bars, clear, strict=True):
        bar.set_alpha(1.0 if is_clear else 0.35)
    _fade_names(axes, clear)
    axes.set_xlabel("% of the variation of the item's place", color=INK, size=10)
    write_heading(axes.figure, "How much is explained, by item", f"{said} {_faint(clear, level)}")
    return axes.figure


def draw_effects(rows: Iterable[Mapping[str, Any]], unit: str) -> Any:
    """A Matplotlib figure of effects with 95 % intervals, largest on top.

    Rows have ``item``, ``effect``, ``std_error`` and perhaps ``class``, largest first; ``unit`` is
    what effects are measured in.

    >>> figure = draw_effects([{"item": "uni", "effect": 1.5, "std_error": 0.2}], "log-odds")
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['uni']
    """
    shown = list(rows)[:MOST_ITEMS]
    items = list(dict.fromkeys(row["item"] for row in shown))
    classes = list(dict.fromkeys(row.get("class") for row in shown))
    axes = _rows(items)
    axes.axvline(0.0, color=SOFT, linewidth=1.0)
    for row in shown:
        group = classes.index(row.get("class"))
        offset = 0.0 if len(classes) == 1 else 0.3 * (group / (len(classes) - 1) - 0.5)
        height = items.index(row["item"]) + offset
        effect, error = row["effect"], row["std_error"]
        if error == error:
            reach = 1.96 * error
            axes.plot([effect - reach, effect + reach], [height] * 2, color=colour(group), lw=1.8)
        _dot(axes, effect, height, colour(group))
    if len(classes) > 1:
        for group, name in enumerate(classes):
            _dot(axes, [], [], colour(group), label=shorten(name, 40))
    axes.set_xlabel(f"effect of rank 1 instead of the last ({unit})", color=INK, size=10)
    said = "Dots: effects. Lines: 95 % intervals."
    write_heading(axes.figure, "Effect of each item", said, axes if len(classes) > 1 else None)
    return axes.figure


def _faint(clear: Sequence[bool], level: float) -> str:
    """What faint rows mean, if there are any."""
    return "" if all(clear) else f"Faint:\u00a0p\u00a0>\u00a0{level:g}."


def _rows(items: Sequence[Any]) -> Any:
    """Axes with a row for each item."""
    size = (7.6, 0.8 + row_height(items) * len(items))
    axes = import_figure()(figsize=size, layout="constrained", facecolor=PAPER).subplots()
    name_rows(axes, items)
    return axes


def _dot(axes: Any, x: Any, y: Any, its_colour: str, **style: Any) -> None:
    axes.plot(x, y, "o", color=its_colour, markersize=7, markeredgecolor="white", zorder=3, **style)


def _fade_names(axes: Any, clear: Sequence[bool]) -> None:
    for label, is_clear in zip(axes.get_yticklabels(), clear, strict=True):
        label.set_color(INK if is_clear else SOFT)
