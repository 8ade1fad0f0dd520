"""One look for all pictures and pages: colours, type, and how labels are shortened.

Pages take the colours as CSS variables (:mod:`rankcut.pictures.page`), so that a group has the
same colour in a picture and on a page, in light and in dark.
"""

from collections.abc import Sequence
from typing import Any

from rankcut.errors import InputError

INK, SOFT, FAINT, PAPER = "#22262b", "#5f676f", "#d9dde1", "#ffffff"
"""Text, lesser text, lines in the background, background."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#A1356F")
"""Colours of groups, in their order: those of Okabe and Ito without black and yellow, and a red."""

OTHERS = "#b6babf"
"""Colour of the groups that have no colour of their own, and of what is unknown."""

UNKNOWN = "#dde0e4"
"""Colour of those who are in no group."""

ON_DARK = {
    INK: "#e7e9ec",
    SOFT: "#a4acb4",
    FAINT: "#3a4149",
    PAPER: "#14171b",
    **dict(
        zip(
            COLOURS,
            ("#2b93d6", "#ee7420", "#14b886", "#e093bd", "#f0b02a", "#86cdf8", "#c8498f"),
            strict=True,
        )
    ),
    OTHERS: "#5b626b",
    UNKNOWN: "#3a4149",
}
"""The same colours on a dark background, where the others stay in the background."""

VARIABLES = {
    "ink": INK,
    "soft": SOFT,
    "faint": FAINT,
    "paper": PAPER,
    **{f"c{number}": value for number, value in enumerate((*COLOURS, OTHERS, UNKNOWN))},
}
"""What pages call these colours."""

SCALE = ("#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#fde725")
"""Colours of numbers from small to large: viridis at six places."""


MOST_ITEMS = 40
"""Rows of a chart, of a table of pairs or of a page that a reader takes in; the first are shown."""

_REMEDY = 'pip install "rankcut[plot]"'


def import_figure() -> Any:
    """Matplotlib's figure class, which needs no display."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ModuleNotFoundError(f"pictures need Matplotlib: {_REMEDY}") from None
    return Figure


def colour(number: int) -> str:
    """The colour of a group by its number; those after the last colour are grey.

    >>> colour(0), colour(40)
    ('#0072B2', '#b6babf')
    """
    return COLOURS[number] if number < len(COLOURS) else OTHERS


def name_colours(names: Sequence[str]) -> list[tuple[str, str]]:
    """The entries of a legend: groups with their colours, then all grey ones as one.

    >>> name_colours(["east", "west"])
    [('east', '#0072B2'), ('west', '#D55E00')]
    >>> name_colours([f"town {k}" for k in range(40)])[-1]
    ('33 others', '#b6babf')
    """
    n_others = max(0, len(names) - len(COLOURS))
    shown = [*names[: len(COLOURS)], *([f"{n_others} others"] if n_others else [])]
    return [(name, colour(number)) for number, name in enumerate(shown)]


def scale_colour(share: float) -> str:
    """The colour of a number, from 0 for the smallest to 1 for the largest.

    >>> scale_colour(0.0), scale_colour(1.0)
    ('#440154', '#fde725')
    """
    place = min(max(share, 0.0), 1.0) * (len(SCALE) - 1)
    low = min(int(place), len(SCALE) - 2)
    mixed = (
        round(int(a, 16) + (int(b, 16) - int(a, 16)) * (place - low))
        for a, b in ((SCALE[low][i : i + 2], SCALE[low + 1][i : i + 2]) for i in (1, 3, 5))
    )
    return "#" + "".join(f"{value:02x}" for value in mixed)


def shorten(label: Any, most: int = 24) -> str:
    """A label in at most this many characters, on one line.

    >>> shorten("a very long name of an item", 12)
    'a very long…'
    """
    text = " ".join(str(label).split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def check_length(values: Sequence[Any], expected: int, parameter: str, what: str) -> None:
    """Refuse values unless there is one for each row or item."""
    if len(values) != expected:
        raise InputError(f"has {len(values):,} values for {expected:,} {what}", parameter=parameter)
