"""Effects with intervals: a dot and a line for each item, the largest on top."""

from collections.abc import Iterable, Mapping
from typing import Any

from rankcut.pictures.theme import FAINT, INK, SOFT, bare, colour, import_figure, shorten

# Maximum number of rows in a picture; the largest effects are drawn.
_MOST = 30


def draw_effects(rows: Iterable[Mapping[str, Any]], unit: str) -> Any:
    """A Matplotlib figure of effects with 95 % intervals.

    Parameters
    ----------
    rows : iterable of rows
        Rows with ``item``, ``effect``, ``std_error`` and perhaps ``class``, largest first.
    unit : str
        What effects are measured in.

    Examples
    --------
    >>> figure = draw_effects([{"item": "uni", "effect": 1.5, "std_error": 0.2}], "log-odds")
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['uni']
    """
    shown = list(rows)[:_MOST]
    items = list(dict.fromkeys(row["item"] for row in shown))
    classes = list(dict.fromkeys(row.get("class") for row in shown))
    figure = import_figure()(figsize=(5.6, 1.2 + 0.28 * len(items)), layout="constrained")
    axes = figure.subplots()
    bare(axes)
    axes.grid(axis="x", color=FAINT, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.axvline(0.0, color=SOFT, linewidth=1.0)
    for row in shown:
        group = classes.index(row.get("class"))
        offset = 0.0 if len(classes) == 1 else 0.3 * (group / (len(classes) - 1) - 0.5)
        height = len(items) - 1 - items.index(row["item"]) - offset
        effect, error = row["effect"], row["std_error"]
        if error == error:
            reach = 1.96 * error
            axes.plot([effect - reach, effect + reach], [height] * 2, color=colour(group), lw=1.8)
        axes.plot(effect, height, "o", color=colour(group), markeredgecolor="white", markersize=7)
    if len(classes) > 1:
        for group, name in enumerate(classes):
            axes.plot([], [], "o", color=colour(group), label=shorten(name))
        axes.legend(frameon=False, fontsize=9)
    axes.set_yticks(range(len(items)), [shorten(item) for item in reversed(items)])
    axes.set_xlabel(f"first instead of last ({unit})", color=INK)
    return figure
