"""What a page shows of a comparison of groups: mean places on lines, and tables."""

import math
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from rankcut.comparison.results import MEASURES, UNITS, limits_in_words
from rankcut.pictures.page import (
    Cell,
    Head,
    Html,
    item_button,
    show_legend,
    table,
    tag,
    track,
)
from rankcut.pictures.scene import Dot, Key, Legend
from rankcut.pictures.theme import COLOURS, MOST_IN_FIGURE, group_colours, name_colours
from rankcut.results.words import LEVEL, p_in_words

FINE_PRINT = (
    "Faint: no difference found. p-values and intervals hold for all items and pairs of groups at "
    "once. They assume independent people; groups may differ in spread and size."
)


def show_details(result: Mapping[str, Any]) -> Iterator[Html]:
    """Notes, items, pairs, lists and pairs of groups of ``GroupComparison.to_dict``."""
    for note in result["notes"]:
        yield tag("p", note, kind="soft")
    yield from show_items(result)
    if result["pairs"]:
        yield tag("h2", f"Pairs: share that prefers the first{_some(result['pairs'])}")
        yield _table(result["pairs"][:MOST_IN_FIGURE], result)
    listing = result["listing"]
    if listing:
        p = p_in_words(listing["p_value"], listing["p_floor"])
        yield tag("h2", f"Which items are listed ({p})")
        yield _table(listing["items"], listing)
    if result["between"]:
        by_clearness = sorted(result["between"], key=itemgetter("p_value"))
        yield tag("h2", f"Groups, two at a time{_some(result['between'])}")
        yield _table(by_clearness[:MOST_IN_FIGURE], result)


def _some(rows: Sequence[Any]) -> str:
    return (
        f" (the {MOST_IN_FIGURE} clearest of {len(rows):,})" if len(rows) > MOST_IN_FIGURE else ""
    )


def show_items(
    result: Mapping[str, Any], numbers: Mapping[str, int] | None = None
) -> Iterator[Html]:
    """The mean places of each item in the groups as dots on a line, clearest first.

    Parameters
    ----------
    result : mapping
        The result of ``GroupComparison.to_dict``.
    numbers : mapping or None
        The numbers of the items, on pages that choose items; rows are in this order.
    """
    groups, rows = list(result["groups"]), list(result["items"])
    yield show_legend(Legend("", [Key(*entry) for entry in name_colours(result["groups"])]))
    colours = group_colours(result["groups"])
    if numbers is not None:
        rows.sort(key=lambda row: numbers[str(row["item"])])
    unit = UNITS[result["measure"]]
    what = "mean place" if unit == "place" else unit
    every = [row[f"{unit} in {group}"] for row in rows for group in groups]
    ends = (math.floor(min(every)), math.ceil(max(every)))
    gaps = {"difference": "difference", "shrunk": "with the graph"}
    gaps = {name: words for name, words in gaps.items() if rows and name in rows[0]}
    interval = f"{100 * result['confidence']:g} % interval"
    if rows and "odds_ratio" in rows[0]:
        interval += " of the odds ratio"
    body = []
    for row in rows:
        name, means = str(row["item"]), [row[f"{unit} in {group}"] for group in groups]
        each = (f"{group} {place:.1f}" for group, place in zip(groups, means, strict=True))
        dots = [Dot(*dot) for dot in zip(means, map(colours.__getitem__, groups), strict=True)]
        line = track(dots, ends, f"{what.capitalize()} of {name}: {', '.join(each)}", joined=True)
        label = name if numbers is None else item_button(numbers[name], name)
        body.append(
            [
                Cell(label, name),
                Cell(line, means[0]),
                *(Cell(f"{row[name]:.2f}", row[name]) for name in gaps),
                Cell(limits_in_words(row), row["low"]),
                row.get("higher_in", row.get("more_in")),
                row.get("lower_in", row.get("less_in")),
                _p_cell(row["p_value"], result),
            ]
        )
    heads = [
        Head("item", "name"),
        Head(what, "line", ends),
        *(Head(gaps[name], "number roomy") for name in gaps),
        Head(interval, "number roomy"),
        Head("higher in", "roomy"),
        Head("lower in", "roomy"),
        Head("p", "number"),
    ]
    item_numbers = None if numbers is None else [numbers[str(row["item"])] for row in rows]
    yield table(heads, body, items=item_numbers, faint=[row["p_value"] > LEVEL for row in rows])
    yield tag("p", MEASURES[result["measure"]], kind="soft")
    yield tag("p", FINE_PRINT, kind="soft")


def _p_cell(value: float, result: Mapping[str, Any]) -> Cell:
    """A p-value below the head "p": its sign is shown only where it is a bound."""
    return Cell(p_in_words(value, result["p_floor"]).removeprefix("p ").removeprefix("= "), value)


def _table(rows: Sequence[Mapping[str, Any]], result: Mapping[str, Any]) -> Html:
    """A table of rows; of many groups, without the columns for each of them."""
    groups = result["groups"]
    ends = tuple(f" in {group}" for group in groups) if len(groups) > len(COLOURS) else ()
    names = [name for name in rows[0] if not name.endswith(ends)]

    def cell(name: str, value: Any) -> Any:
        return _p_cell(value, result) if name == "p_value" else value

    cells = [[cell(name, row[name]) for name in names] for row in rows]
    roomy = ("less_in", "lower_in")
    heads = [Head(name.replace("_", " "), "roomy" if name in roomy else "") for name in names]
    return table(heads, cells)
