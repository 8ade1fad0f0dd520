"""Charts with a row for each item: places in groups, shares explained, effects."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from rankcut.pictures.figures import name_rows, write_heading
from rankcut.pictures.theme import (
    FAINT,
    INK,
    MOST_ITEMS,
    PAPER,
    SOFT,
    colour,
    import_figure,
    shorten,
)


def draw_group_places(
    items: Iterable[Mapping[str, Any]],
    groups: Sequence[Any],
    level: float = 0.05,
    said: str = "",
    unit: Literal["place", "strength", "listed"] = "place",
) -> Any:
    """A Matplotlib figure of means of items, best on top: a dot per group.

    Rows have ``item``, ``p_value`` and, for each group g, ``place in g`` or what ``unit`` says,
    clearest first. Those with a p-value above the level are faint, and ``said`` is a sentence below
    the heading.

    >>> row = {"item": "uni", "p_value": 0.01, "place in east": 3.0, "place in west": 5.0}
    >>> figure = draw_group_places([row], ["east", "west"])
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['uni']
    """
    rows = [
        (row, [row[f"{unit} in {group}"] for group in groups]) for row in list(items)[:MOST_ITEMS]
    ]
    rows.sort(key=lambda pair: sum(pair[1]), reverse=unit != "place")
    axes = _rows([row["item"] for row, _ in rows])
    clear = [row["p_value"] <= level for row, _ in rows]
    for height, (_, places) in enumerate(rows):
        line, width = (INK, 2.2) if clear[height] else (FAINT, 1.4)
        axes.plot([min(places), max(places)], [height] * 2, color=line, linewidth=width, zorder=2)
        # Groups with a colour of their own lie on top.
        for group, place in reversed(list(enumerate(places))):
            _dot(axes, place, height, group, alpha=1.0 if clear[height] else 0.35)
    for group, label in enumerate(groups):
        _dot(axes, [], [], group, label=shorten(label))
    _fade_names(axes, clear)
    what, label = {
        "place": ("Mean places", "mean place (1 = best)"),
        "strength": ("Strengths", "strength (0 = average)"),
        "listed": ("Listed", "share that lists the item"),
    }[unit]
    axes.set_xlabel(label, color=INK, size=10)
    write_heading(axes.figure, f"{what} by group", f"{said} {_faint(clear, level)}", axes)
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
        _dot(axes, effect, height, group)
    if len(classes) > 1:
        for group, name in enumerate(classes):
            _dot(axes, [], [], group, label=shorten(name))
    axes.set_xlabel(f"effect of rank 1 instead of the last ({unit})", color=INK, size=10)
    said = "Dots: effects. Lines: 95 % intervals."
    write_heading(axes.figure, "Effect of each item", said, axes if len(classes) > 1 else None)
    return axes.figure


def _faint(clear: Sequence[bool], level: float) -> str:
    """What faint rows mean, if there are any."""
    return "" if all(clear) else f"Faint:\u00a0p\u00a0>\u00a0{level:g}."


def _rows(items: Sequence[Any]) -> Any:
    """Axes with a row for each item."""
    size = (6.6, 0.8 + 0.28 * len(items))
    axes = import_figure()(figsize=size, layout="constrained", facecolor=PAPER).subplots()
    name_rows(axes, items)
    return axes


def _dot(axes: Any, x: Any, y: Any, group: int, **style: Any) -> None:
    axes.plot(
        x, y, "o", color=colour(group), markersize=7, markeredgecolor="white", zorder=3, **style
    )


def _fade_names(axes: Any, clear: Sequence[bool]) -> None:
    for label, is_clear in zip(axes.get_yticklabels(), clear, strict=True):
        label.set_color(INK if is_clear else SOFT)
