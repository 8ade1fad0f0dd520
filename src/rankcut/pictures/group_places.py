"""The mean place of each item in each group: one dot per group, joined by a line."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankcut.pictures.theme import (
    FAINT,
    INK,
    SOFT,
    bare,
    colour,
    import_figure,
    legend_above,
    shorten,
)

# Maximum number of items in a picture; those that differ most clearly are drawn.
_MOST = 30


def draw_group_places(
    items: Iterable[Mapping[str, Any]], groups: Sequence[Any], level: float = 0.05
) -> Any:
    """A Matplotlib figure of mean places, best items on top, from a table of items.

    Parameters
    ----------
    items : iterable of rows
        Rows with ``item``, ``p_value`` and ``place in g`` for each group g, clearest first.
    groups : sequence
        Labels of the groups.
    level : float
        Items with a p-value above this are drawn faint.

    Examples
    --------
    >>> row = {"item": "uni", "p_value": 0.01, "place in east": 3.0, "place in west": 5.0}
    >>> figure = draw_group_places([row], ["east", "west"])
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['uni']
    """
    rows = list(items)[:_MOST]
    places = [[row[f"place in {group}"] for group in groups] for row in rows]
    order = sorted(range(len(rows)), key=lambda k: sum(places[k]))
    figure = import_figure()(figsize=(5.2, 1.1 + 0.28 * len(rows)), layout="constrained")
    axes = figure.subplots()
    bare(axes)
    axes.grid(axis="x", color=FAINT, linewidth=0.7)
    axes.set_axisbelow(True)
    for height, k in enumerate(order):
        clear = rows[k]["p_value"] <= level
        axes.plot(
            [min(places[k]), max(places[k])],
            [height, height],
            color=INK if clear else FAINT,
            linewidth=2.2 if clear else 1.4,
            zorder=2,
        )
        for group, place in enumerate(places[k]):
            axes.plot(
                place,
                height,
                "o",
                color=colour(group),
                alpha=1.0 if clear else 0.35,
                markersize=7,
                zorder=3,
                markeredgecolor="white",
            )
    for group, label in enumerate(groups):
        axes.plot([], [], "o", color=colour(group), label=shorten(label), markersize=7)
    axes.set_yticks(range(len(rows)), [shorten(rows[k]["item"], 28) for k in order])
    for label, k in zip(axes.get_yticklabels(), order, strict=True):
        label.set_color(INK if rows[k]["p_value"] <= level else SOFT)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel("mean place (1 = best)", color=INK, size=11)
    legend_above(axes)
    return figure
