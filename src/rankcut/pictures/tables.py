"""Tables of a page, and lines with dots that fit their columns at any width."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rankcut.pictures.page import Html, in_css, tag
from rankcut.pictures.theme import SOFT, shorten


class Head(NamedTuple):
    """The head of a column: its name, the class of its cells, and the ends of its scale if any."""

    name: str
    kind: str = ""
    ends: tuple[int, int] | None = None


class Cell(NamedTuple):
    """What a cell shows, and the value by which its column is sorted."""

    shown: Any
    value: Any


class Dot(NamedTuple):
    """A dot on a line, with the part of the line that it may be on."""

    place: float
    colour: str
    low: float | None = None
    high: float | None = None


def table(
    heads: Sequence[Head | str],
    rows: Sequence[Sequence[Any]],
    *,
    items: Sequence[int] | None = None,
    faint: Sequence[bool] | None = None,
) -> Html:
    """A table; columns of numbers are aligned to the right.

    Parameters
    ----------
    heads : sequence of Head or str
        One for each column.
    rows : sequence of rows
        Cells: text, numbers, None, :class:`~rankcut.pictures.page.Html` or :class:`Cell`.
    items : sequence of int or None
        The item of each row, on pages that choose items: columns can be sorted there.
    faint : sequence of bool or None
        Rows that stay in the background.

    Examples
    --------
    >>> table(["item", "p"], [["<uni>", 0.01234]])  # doctest: +ELLIPSIS
    '<div class="wide"><table>...<td>&lt;uni&gt;</td><td class="number">0.0123</td>...'
    """
    known = [head if isinstance(head, Head) else Head(head) for head in heads]
    cells = [
        [each if isinstance(each, Cell) else Cell(_shown(each), each) for each in row]
        for row in rows
    ]
    kinds = [
        head.kind or ("number" if all(_is_number(row[k].value) for row in cells) else "")
        for k, head in enumerate(known)
    ]
    body = []
    for number, row in enumerate(cells):
        data = [None if items is None else each.value for each in row]
        shown = (
            tag("td", each.shown, kind=kind, data_value=value)
            for each, kind, value in zip(row, kinds, data, strict=True)
        )
        item = None if items is None else items[number]
        look = "faint" if faint is not None and faint[number] else ""
        body.append(tag("tr", *shown, kind=look, data_item=item))
    heading = (_head(*each, sortable=items is not None) for each in zip(known, kinds, strict=True))
    content = (tag("thead", tag("tr", *heading)), tag("tbody", *body))
    wide = any(head.kind == "line" for head in known)
    return tag("div", tag("table", *content, kind="full" if wide else ""), kind="wide")


def _head(head: Head, kind: str, *, sortable: bool) -> Html:
    name: Any = tag("button", head.name, type="button", kind="sort") if sortable else head.name
    ends = Html()
    if head.ends is not None:
        ends = tag(
            "span", *(tag("span", end) for end in head.ends), kind="ends", aria_hidden="true"
        )
    return tag("th", name, ends, scope="col", kind=kind)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _shown(value: Any) -> Any:
    if value is None:
        return "–"
    return f"{value:.3g}" if isinstance(value, float) else value


def item_button(number: int, name: str) -> Html:
    """A button with the item's name, which highlights it."""
    look = {"kind": "item", "data_item": number, "aria_pressed": "false", "title": name}
    return tag("button", shorten(name, 60), type="button", **look)


def track(
    dots: Sequence[Dot], ends: tuple[float, float], said: str, *, joined: bool = False
) -> Html:
    """A line from one end of a scale to the other with a dot for each place.

    Parameters
    ----------
    dots : sequence of Dot
        Where they are; the first are on top.
    ends : (float, float)
        The places at the ends of the line.
    said : str
        What it shows, in words.
    joined : bool
        Whether a line joins the dots.
    """
    pieces = list(_pieces(dots, ends, joined=joined))
    return tag("span", *pieces, kind="track", role="img", aria_label=said, data_tip=said)


def _pieces(dots: Sequence[Dot], ends: tuple[float, float], *, joined: bool) -> Iterator[Html]:
    def across(place: float) -> float:
        return 50.0 if ends[0] == ends[1] else 100 * (place - ends[0]) / (ends[1] - ends[0])

    def reach(low: float, high: float, colour: str) -> Html:
        look = f"left:{across(low):.1f}%;width:{across(high) - across(low):.1f}%"
        return tag("span", "", kind="reach", style=f"{look};background:{in_css(colour)}")

    if joined:
        places = [dot.place for dot in dots]
        yield reach(min(places), max(places), SOFT)
    for dot in dots:
        if dot.low is not None and dot.high is not None:
            yield reach(dot.low, dot.high, dot.colour)
    for dot in reversed(dots):
        look = f"left:{across(dot.place):.1f}%;background:{in_css(dot.colour)}"
        yield tag("span", "", kind="dot", style=look)
