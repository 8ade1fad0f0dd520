"""What pages are made of: elements that escape their text, drawings as SVG, legends and tables.

A page is one file that needs no network. Its template, style and script are the files beside this
module.
"""

import json
import math
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Any, NamedTuple

from rankcut.pictures.scene import Dot, Key, Legend, Mark, Path, Picture, Scene, Shape, Text
from rankcut.pictures.theme import ON_DARK, SOFT, VARIABLES, shorten


class Html(str):
    """Text that is HTML already; all other text is escaped."""

    __slots__ = ()


def tag(element: str, *content: Any, **attributes: Any) -> Html:
    """An element of a page.

    Text and attributes are escaped, unless they are :class:`Html`. An attribute of None or ""
    is left out; ``kind`` is the class, and underscores stand for hyphens.

    >>> tag("p", "a < b", kind="soft"), tag("circle", r=2.004, data_tip='"Ann"')
    ('<p class="soft">a &lt; b</p>', '<circle r="2" data-tip="&quot;Ann&quot;"/>')
    """
    looks = "".join(
        f' {"class" if name == "kind" else name.replace("_", "-")}="{_attribute(value)}"'
        for name, value in attributes.items()
        if value is not None and value != ""
    )
    if not content:
        return Html(f"<{element}{looks}/>")
    return Html(f"<{element}{looks}>{join(*content)}</{element}>")


def join(*content: Any) -> Html:
    """Pieces of a page after each other.

    >>> join(Html("<br>"), "<b>")
    '<br>&lt;b&gt;'
    """
    return Html("".join(each if isinstance(each, Html) else escape(str(each)) for each in content))


def _attribute(value: Any) -> str:
    # A hundredth of a pixel is more exact than can be seen.
    return f"{round(value, 2):g}" if isinstance(value, float) else escape(str(value))


@cache
def read_file(package: str, name: str) -> Html:
    """A file beside the modules of a package: a template, a style or a script."""
    return Html(files(package).joinpath(name).read_text(encoding="utf-8"))


def fill(template: str, **values: Any) -> Html:
    """A template with its values, escaped unless they are :class:`Html`.

    >>> fill("<b>$name</b>", name="A & B")
    '<b>A &amp; B</b>'
    """
    return Html(Template(template).substitute({name: join(each) for name, each in values.items()}))


def page(title: str, *body: Any, style: str = "", script: str = "") -> str:
    """A whole page.

    ``body`` is text, and HTML by :func:`tag`; ``style`` and ``script`` are for this page only.

    >>> "<title>A &lt; B</title>" in page("A < B", tag("h1", "Hello"))
    True
    """
    scripts = (read_file(__package__, "page.js"), script)
    filled = fill(
        read_file(__package__, "page.html"),
        title=title,
        style=Html(page_style() + style),
        body=join(*(line for each in body for line in (each, Html("\n")))),
        scripts=Html("".join(f"<script>\n{each}</script>\n" for each in scripts if each)),
    )
    return str(filled)


def items_page(title: str, *body: Any, style: str = "") -> str:
    """A page on which items can be found and chosen, with :func:`find_items` in its body."""
    looks, script = (read_file(__package__, f"items.{kind}") for kind in ("css", "js"))
    return page(title, *body, style=looks + style, script=script)


def find_items(items: Sequence[tuple[str, str]]) -> Html:
    """A field to find an item by its name; of each item, the name and what is said of it."""
    return fill(
        read_file(__package__, "items.html"),
        names=join(*(tag("option", "", value=name) for name, _ in items)),
        items=embed(items),
    )


def embed(data: Sequence[Any]) -> Html:
    r"""Data for the script, in an element that runs nothing and that no text can close.

    >>> embed(["</script><script>"])
    '["\\u003c/script>\\u003cscript>"]'
    """
    return Html(json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"))


def page_style() -> str:
    """The look of every page: the theme's colours, in light and in dark, and what uses them."""
    light, dark = (_variables(dark=dark) for dark in (False, True))
    return (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
        f"@media print {{ :root {{ {light} }} }}\n{read_file(__package__, 'page.css')}"
    )


def _variables(*, dark: bool) -> Html:
    looks = ((name, ON_DARK[value] if dark else value) for name, value in VARIABLES.items())
    return Html("".join(f"--{name}:{value};" for name, value in looks))


def in_css(its_colour: str) -> str:
    """A colour of the theme as a variable, which has another value in dark mode.

    >>> from rankcut.pictures.theme import INK, colour
    >>> in_css(colour(0)), in_css(INK), in_css("#440154")
    ('var(--c0)', 'var(--ink)', '#440154')
    """
    return _NAMES.get(its_colour, its_colour)


_NAMES = {value: f"var(--{name})" for name, value in VARIABLES.items()}


def key(entry: Key) -> Html:
    """An entry of a legend; with a group, a button that highlights it."""
    dot = tag("span", "", kind="key", style=f"background:{in_css(entry.colour)}")
    if entry.group is None:
        return tag("li", dot, entry.words)
    button = {"type": "button", "data_key": entry.group, "aria_pressed": "false"}
    return tag("li", tag("button", dot, entry.words, kind="pick", **button))


def show_picture(picture: Picture, caption: str = "") -> Iterator[Html]:
    """What is said, the legends and the drawing; ``caption`` goes on from what the picture says."""
    yield tag("p", f"{picture.said} {caption}".strip(), kind="soft")
    yield from map(show_legend, picture.legends)
    least = picture.scene.least
    look = {"kind": "wide", "tabindex": "0", "aria_label": picture.scene.about} if least else {}
    yield tag("figure", draw_svg(picture.scene, least), **look)


def show_legend(legend: Legend) -> Html:
    """A legend as a list; keys with a group are buttons that highlight it."""
    can_pick = any(each.group is not None for each in legend.keys)
    name = tag("li", f"{legend.name}:") if legend.name and not can_pick else Html()
    return tag("ul", name, *map(key, legend.keys), kind="keys", aria_label=legend.name)


def draw_svg(scene: Scene, least: float = 0.0) -> Html:
    """The drawing by itself, at least so wide; arrow keys go through the shapes with a tip."""
    tips = any(shape.tip for shape in scene.shapes)
    return tag(
        "svg",
        *map(_draw, scene.shapes),
        viewBox=f"0 0 {scene.width:g} {scene.height:g}",
        role="img",
        tabindex="0" if tips else "",
        aria_label=f"{scene.about}; arrow keys go through it" if tips else scene.about,
        style=f"max-width:{1.15 * scene.width:.0f}px;min-width:{least:.0f}px",
    )


def _draw(shape: Shape) -> Html:
    data: dict[str, Any]
    data = {"data_tip": shape.tip, "data_pick": shape.group, "data_item": shape.item}
    data["kind"] = shape.where
    if isinstance(shape, Path):
        return _path(shape, data)
    if isinstance(shape, Mark):
        return _mark(shape, data)
    assert isinstance(shape, Text)
    return _text(shape, data)


def _path(path: Path, data: dict[str, Any]) -> Html:
    pieces = (
        "M" + "L".join(f"{round(x, 1):g},{round(y, 1):g}" for x, y in line.tolist())
        for line in path.lines
    )
    colour, faint = in_css(path.colour), "" if path.opacity == 1 else path.opacity
    return tag(
        "path",
        d="".join(pieces),
        fill=colour if path.filled else "none",
        fill_opacity=faint if path.filled else "",
        stroke=colour if path.width else "",
        stroke_width=path.width or "",
        stroke_opacity=faint if path.width else "",
        **data,
    )


def _mark(mark: Mark, data: dict[str, Any]) -> Html:
    solid = "" if mark.opacity == 1 else mark.opacity
    data["kind"] = f"rim {mark.where}".strip()
    if len(mark.parts) == 1:
        part = mark.parts[0]
        data["data_pick"] = part.group
        place = {"cx": mark.x, "cy": mark.y, "r": mark.radius}
        return tag("circle", **place, fill=in_css(part.colour), fill_opacity=solid, **data)
    sectors, end = [], 0.0
    for part in mark.parts:
        start, end = end, end + part.share
        outline, looks = _sector(mark, start, end), in_css(part.colour)
        sectors.append(tag("path", d=outline, fill=looks, fill_opacity=solid, data_pick=part.group))
    return tag("g", *sectors, **data)


def _sector(mark: Mark, start: float, end: float) -> str:
    """The path of a sector, clockwise from the top."""
    x, y, radius = mark.x, mark.y, mark.radius
    first, last = (
        f"{x + radius * math.sin(turn):.1f},{y - radius * math.cos(turn):.1f}"
        for turn in (2 * math.pi * start, 2 * math.pi * end)
    )
    large = 1 if end - start > 0.5 else 0
    return f"M{x:.1f},{y:.1f}L{first}A{radius:.1f},{radius:.1f} 0 {large} 1 {last}Z"


def _text(text: Text, data: dict[str, Any]) -> Html:
    lines = text.words.split("\n")
    # The middle of small letters is about a third of their size above the line.
    low = text.size * (0.36 - 0.6 * (len(lines) - 1))
    data["kind"] = f"{'halo ' * text.halo}{text.where}".strip()
    place: dict[str, Any] = {"x": text.x}
    if text.turned:
        data["transform"] = f"translate({text.x + low:.1f},{text.y:.1f}) rotate(-90)"
        place = {"x": 0.0}
    else:
        data |= {"x": text.x, "y": text.y + low}
    words: list[Any] = [text.words]
    if len(lines) > 1:
        words = [
            tag("tspan", line, **place, dy="1.2em" if k else "") for k, line in enumerate(lines)
        ]
    return tag(
        "text",
        *words,
        font_size=text.size,
        text_anchor="" if text.anchor == "start" else text.anchor,
        fill=in_css(text.colour),
        **data,
    )


class Head(NamedTuple):
    """The head of a column: its name, the class of its cells, and the ends of its scale if any."""

    name: str
    kind: str = ""
    ends: tuple[int, int] | None = None


class Cell(NamedTuple):
    """What a cell shows, and the value by which its column is sorted."""

    shown: Any
    value: Any


def table(
    heads: Sequence[Head | str],
    rows: Sequence[Sequence[Any]],
    *,
    items: Sequence[int] | None = None,
    faint: Sequence[bool] | None = None,
) -> Html:
    """A table; columns of numbers are aligned to the right.

    Cells are text, numbers, None, :class:`Html` or :class:`Cell`. ``items`` has the item of each
    row, on pages that choose items, where columns can be sorted; ``faint`` rows stay in the
    background.

    >>> table(["item", "p"], [["<uni>", 0.01234]])  # doctest: +ELLIPSIS
    '<div class="wide"><table>...<td>&lt;uni&gt;</td><td class="number">0.0123</td>...'
    """
    columns = [head if isinstance(head, Head) else Head(head) for head in heads]
    cells = [
        [each if isinstance(each, Cell) else Cell(_shown(each), each) for each in row]
        for row in rows
    ]
    kinds = [
        head.kind or ("number" if all(_is_number(row[k].value) for row in cells) else "")
        for k, head in enumerate(columns)
    ]
    body = []
    for number, row in enumerate(cells):
        data = [None if items is None else each.value for each in row]
        row_cells = (
            tag("td", each.shown, kind=kind, data_value=value)
            for each, kind, value in zip(row, kinds, data, strict=True)
        )
        item = None if items is None else items[number]
        look = "faint" if faint is not None and faint[number] else ""
        body.append(tag("tr", *row_cells, kind=look, data_item=item))
    heading = (
        _head(*each, sortable=items is not None) for each in zip(columns, kinds, strict=True)
    )
    content = (tag("thead", tag("tr", *heading)), tag("tbody", *body))
    wide = any(head.kind == "line" for head in columns)
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
    return tag("button", shorten(name, 90), type="button", **look)


def track(
    dots: Sequence[Dot], ends: tuple[float, float], about: str, *, joined: bool = False
) -> Html:
    """A line from one end of a scale to the other with a dot for each place.

    The first dots are on top; ``about`` is what it shows, in words. A line may join the dots.
    """
    pieces = list(_pieces(dots, ends, joined=joined))
    return tag("span", *pieces, kind="track", role="img", aria_label=about, data_tip=about)


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
