"""Panels of one report in one style: light, legible on a phone, a colour for each method."""

from collections.abc import Sequence
from typing import Any

from rankcut.pictures.theme import import_figure

# All panels have the same, so that text is of one size where they are shown.
_WIDTH = 4.5

TEXT = 10
"""The size of all text in figures, in points: Matplotlib's own."""

INK = "#22262b"
SOFT = "#6b737c"
FAINT = "#d9dde1"

COLOURS = {
    "graph cut": "#c8553d",
    "Kendall": "#2a6f97",
    "Mallows": "#588157",
    "Spearman": "#e09f3e",
    "weighted Kendall": "#6fa8c9",
    "diffusion": "#9d4edd",
    "Lovász–Bregman": "#7a6f5d",
    "Borda": "#b5838d",
    "presence": "#8d99ae",
    "dummy": "#868e96",
    "constant": "#495057",
}
"""The colour of a method, in all figures."""

OTHERS = ("#bc6c25", "#118ab2", "#8f2d56", "#4f772d", "#5f0f40", "#3d405b")


def colour_of(method: str) -> str:
    """The colour of the method whose name it is, or with whose name it begins."""
    for name in sorted(COLOURS, key=len, reverse=True):
        if method.startswith(name):
            return COLOURS[name]
    return OTHERS[sum(map(ord, method)) % len(OTHERS)]


def new_panel(
    title: str = "", *, height: float = 3.4, ncols: int = 1, nrows: int = 1
) -> tuple[Any, Any]:
    """A figure and its axes (an array of them if several), in our style.

    At the width of a phone, text of ten points is then legible.

    Examples
    --------
    >>> figure, axes = new_panel("Full rankings")
    >>> axes.get_title(loc="left")
    'Full rankings'
    """
    figure = import_figure()(figsize=(_WIDTH, height), layout="constrained")
    axes = figure.subplots(nrows, ncols)
    every: Sequence[Any] = [axes] if nrows * ncols == 1 else list(axes.flat)
    for each in every:
        each.spines[["top", "right"]].set_visible(False)
        each.spines[["left", "bottom"]].set_color(SOFT)
        each.tick_params(colors=SOFT, labelcolor=INK, labelsize=TEXT)
        each.grid(color=FAINT, linewidth=0.7)
        each.set_axisbelow(True)
        for label in (each.xaxis.label, each.yaxis.label):
            label.set(color=INK, size=TEXT)
    if title:
        every[0].set_title(title, loc="left", color=INK, size=TEXT, weight="bold")
    return figure, axes


def in_our_style(figure: Any) -> Any:
    """A figure that was drawn elsewhere: text and titles as ours, and no legend of its own."""
    for legend in list(figure.legends):
        legend.remove()
    for text in figure.findobj(lambda each: hasattr(each, "set_fontsize")):
        text.set_fontsize(TEXT)
    for axes in figure.axes:
        axes.set_title(axes.get_title(loc="left"), loc="left", size=TEXT, weight="bold")
    return figure
