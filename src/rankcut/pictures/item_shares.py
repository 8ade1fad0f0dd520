"""How much of each item's variation is explained: one bar for each item."""

from collections.abc import Iterable, Mapping
from typing import Any

from rankcut.pictures.theme import FAINT, INK, SOFT, bare, colour, import_figure, shorten

# Maximum number of items in a picture; those with the clearest dependence are drawn.
_MOST = 30


def draw_item_shares(items: Iterable[Mapping[str, Any]], level: float = 0.05) -> Any:
    """A Matplotlib figure of shares, the largest on top, from a table of items.

    Parameters
    ----------
    items : iterable of rows
        Rows with ``item``, ``p_value`` and ``share_explained``, clearest first.
    level : float
        Items with a p-value above this are drawn faint.

    Examples
    --------
    >>> rows = [{"item": "uni", "p_value": 0.01, "share_explained": 0.2}]
    >>> [text.get_text() for text in draw_item_shares(rows).axes[0].get_yticklabels()]
    ['uni']
    """
    rows = sorted(list(items)[:_MOST], key=lambda row: -row["share_explained"])
    figure = import_figure()(figsize=(5.2, 0.9 + 0.28 * len(rows)), layout="constrained")
    axes = figure.subplots()
    bare(axes)
    axes.grid(axis="x", color=FAINT, linewidth=0.7)
    axes.set_axisbelow(True)
    clear = [row["p_value"] <= level for row in rows]
    shares = [100 * row["share_explained"] for row in rows]
    bars = axes.barh(range(len(rows)), shares, height=0.6, color=colour(0))
    for bar, is_clear in zip(bars, clear, strict=True):
        bar.set_alpha(1.0 if is_clear else 0.35)
    axes.set_yticks(range(len(rows)), [shorten(row["item"]) for row in rows])
    for label, is_clear in zip(axes.get_yticklabels(), clear, strict=True):
        label.set_color(INK if is_clear else SOFT)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel("% of the variation of the item's place", color=INK, size=11)
    return figure
