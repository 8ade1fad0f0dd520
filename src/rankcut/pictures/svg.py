"""A scene as SVG, and a picture as a piece of a page."""

import math
from collections.abc import Iterator
from typing import Any

from rankcut.pictures.page import Html, in_css, key, tag
from rankcut.pictures.scene import Legend, Mark, Path, Picture, Scene, Shape, Text


def show_picture(picture: Picture, said: str = "") -> Iterator[Html]:
    """What is said, the legends and the drawing; ``said`` goes on from what the picture says."""
    yield tag("p", f"{picture.said} {said}".strip(), kind="soft")
    yield from map(show_legend, picture.above)
    yield tag("figure", draw_svg(picture.scene))
    yield from map(show_legend, picture.below)


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
    # The middle of small letters is about a third of their size above the line.
    low = 0.36 * text.size
    data["kind"] = f"{'halo ' * text.halo}{text.where}".strip()
    if text.turned:
        data["transform"] = f"translate({text.x + low:.1f},{text.y:.1f}) rotate(-90)"
    else:
        data |= {"x": text.x, "y": text.y + low}
    return tag(
        "text",
        text.words,
        font_size=text.size,
        text_anchor="" if text.anchor == "start" else text.anchor,
        fill=in_css(text.colour),
        **data,
    )
