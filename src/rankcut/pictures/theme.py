"""One look for all pictures and pages: colours, type, and how labels are shortened.

Pages take the colours as CSS variables (:mod:`rankcut.pictures.page`), so that a group has the
same colour in a picture and on a page, in light and in dark.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rankcut.errors import InputError, needed

INK, SOFT, FAINT, PAPER = "#22262b", "#5f676f", "#d9dde1", "#ffffff"
"""Text, lesser text, lines in the background, background."""

COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#A1356F", "#6B5B3A"),
)
"""Colours of groups, in their order: those of Okabe and Ito without black and yellow, a red and a
brown."""

OTHERS = "#b6babf"
"""Colour of the groups that have no colour of their own, and of what is unknown."""

UNKNOWN = "#dde0e4"
"""Colour of those who are in no group."""

_ON_DARK = (
    *("#2b93d6", "#ee7420", "#14b886", "#e093bd", "#f0b02a", "#86cdf8", "#c8498f", "#8a774f"),
)
ON_DARK = {
    INK: "#e7e9ec",
    SOFT: "#a4acb4",
    FAINT: "#3a4149",
    PAPER: "#14171b",
    **dict(zip(COLOURS, _ON_DARK, strict=True)),
    OTHERS: "#5b626b",
    UNKNOWN: "#3a4149",
}
"""These colours on a dark background, where the others stay in the background."""

VARIABLES = {
    "ink": INK,
    "soft": SOFT,
    "faint": FAINT,
    "paper": PAPER,
    **{f"c{number}": value for number, value in enumerate((*COLOURS, OTHERS, UNKNOWN))},
}
"""What pages call these colours."""

MOST_IN_FIGURE = 40
"""Rows of a chart, of a table of pairs or of a page that a reader takes in; the first are shown."""


def import_figure() -> Any:
    """Matplotlib's figure class, which needs no display."""
    return needed("matplotlib.figure", "pictures").Figure


def colour(number: int) -> str:
    """The colour of a group by its number; those after the last colour are grey.

    >>> colour(0), colour(40)
    ('#0072B2', '#b6babf')
    """
    return COLOURS[number] if number < len(COLOURS) else OTHERS


def group_colours(sizes: Mapping[str, float]) -> dict[str, str]:
    """The colour of each group, the same wherever it is drawn: the largest have one of their own.

    Colours go by names, numbers by size before words; the others are grey.

    >>> group_colours({"west": 4, "east": 2})
    {'east': '#0072B2', 'west': '#D55E00'}
    """
    largest = sorted(sizes, key=lambda name: (-sizes[name], _natural(name)))[: len(COLOURS)]
    colours = {name: colour(number) for number, name in enumerate(sorted(largest, key=_natural))}
    return colours | {name: OTHERS for name in sorted(sizes, key=_natural) if name not in colours}


def name_colours(sizes: Mapping[str, float]) -> list[tuple[str, str]]:
    """The entries of a legend: groups with their colours, then all grey ones as one.

    >>> name_colours({"west": 4, "east": 2})
    [('east (2)', '#0072B2'), ('west (4)', '#D55E00')]
    >>> name_colours({f"town {k:02}": 3 for k in range(40)})[-1]
    ('32 others (96)', '#b6babf')
    """
    colours = group_colours(sizes)
    entries = [(f"{name} ({sizes[name]:,})", its_colour) for name, its_colour in colours.items()]
    grey = [name for name, its_colour in colours.items() if its_colour == OTHERS]
    if len(grey) > 1:
        total = sum(sizes[name] for name in grey)
        entries[-len(grey) :] = [(f"{len(grey)} others ({total:,})", OTHERS)]
    return entries


def _natural(name: str) -> tuple[int, float, str]:
    """Numbers by size, before words."""
    try:
        return 0, float(name), name
    except ValueError:
        return 1, 0.0, name


def shorten(label: Any, most: int = 24) -> str:
    """A label in at most this many characters, on one line.

    >>> shorten("a very long name of an item", 12)
    'a very long…'
    """
    text = " ".join(str(label).split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def shorten_apart(labels: Sequence[Any], most: int = 24) -> list[str]:
    """Labels in at most this many characters each; those that begin alike keep their ends.

    >>> shorten_apart(["a park in the north", "a park in the south", "a pool"], 12)
    ['a park…north', 'a park…south', 'a pool']
    """
    # Names that differ in their last letters alone are hard to tell apart, too.
    begin = [shorten(label, 2 * most // 3) for label in labels]
    before = Counter(begin)
    return [
        shorten(label, most) if before[name] == 1 else _shorten_middle(label, most)
        for name, label in zip(begin, labels, strict=True)
    ]


def _shorten_middle(label: Any, most: int) -> str:
    """A label without its middle."""
    text = " ".join(str(label).split())
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return text[: most - 1 - end].rstrip() + "…" + text[-end:].lstrip()


def check_length(values: Sequence[Any], expected: int, parameter: str, what: str) -> None:
    """Refuse values unless there is one for each row or item."""
    if len(values) != expected:
        raise InputError(f"has {len(values):,} values for {expected:,} {what}", parameter=parameter)
