"""A map of rankings as one HTML page: SVG and a small script, which need no network."""

import math
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankcut.pictures.labels import text_width
from rankcut.pictures.map_figure import pie, read_map
from rankcut.pictures.map_scene import FEW_GROUPS, MOST_ARROWS, Scene, lay_out
from rankcut.pictures.page import in_css, key, page, text, tip
from rankcut.pictures.ranking_map import RankingMap
from rankcut.pictures.theme import OTHERS, SCALE, shorten
from rankcut.rankings import Unranked
from rankcut.rankings.orders import to_orders

_WIDTH, _HEIGHT = 640, 600
# Size of labels, and on a phone, where the drawing is about half as large.
_FONTS = {"roomy": 13.0, "narrow": 23.0}
# Items of a ranking that a tip shows.
_MOST_SHOWN = 8
# Groups without a colour of their own that a tip names.
_MOST_NAMED = 6
# Of more points than this each is drawn fainter.
_FEW_POINTS = 300


def map_page(
    ranks: Any,
    by: ArrayLike | None = None,
    *,
    unranked: Unranked = "error",
    features: Any = None,
    sample_weight: ArrayLike | None = None,
    by_name: str = "",
    title: str = "",
) -> str:
    """A map of rankings as a page; parameters are those of :func:`~rankcut.plot_map`.

    The page shows counts, groups and the most common ranking of the point under the mouse,
    highlights a group that is clicked in the legend, and follows the arrow keys.

    Returns
    -------
    str
        HTML of less than 1 MB.

    Examples
    --------
    >>> from rankcut.datasets import load_lunch
    >>> from rankcut.pictures import map_page
    >>> html = map_page(load_lunch(), by="guest")
    >>> "<title>Lunch</title>" in html, "sweet tooth" in html
    (True, True)
    """
    found = read_map(ranks, by, unranked, features, sample_weight, by_name)
    matrix = ranks.ranks if hasattr(ranks, "ranks") else ranks
    rows = getattr(matrix, "iloc", matrix)[found.rows]
    words = dict(zip(found.rows, describe_orders(rows, found.items), strict=True))
    name = title or getattr(ranks, "title", "") or "Map of rankings"
    return draw_map_page(found, name, words.__getitem__)


def describe_orders(ranks: Any, items: Sequence[str]) -> list[str]:
    """Each ranking as its first items, best first.

    >>> describe_orders(np.array([[2.0, 1.0, 1.0]]), ["toro", "uni", "ika"])
    ['uni = ika > toro']
    """
    found = []
    for order in to_orders(ranks, items):
        words = [" = ".join(group) if isinstance(group, tuple) else group for group in order]
        shown = " > ".join(shorten(word, 40) for word in words[:_MOST_SHOWN])
        found.append(shown + (" > …" if len(words) > _MOST_SHOWN else ""))
    return found


def draw_map_page(found: RankingMap, title: str, describe: Callable[[int], str]) -> str:
    """The page of a map; ``describe`` puts the ranking of a row into words."""
    body = [f"<h1>{escape(title)}</h1>", *map_pieces(found, describe)]
    return page(title, "\n".join(body), script=True)


def map_pieces(found: RankingMap, describe: Callable[[int], str]) -> Iterator[str]:
    """The map with its legends, for a page that has the script."""
    scene = lay_out(found, _WIDTH, _HEIGHT)
    arrows = " Arrows point to where an item is ranked high." if scene.arrows else ""
    said = arrows + about_groups(scene, len(found.groups))
    yield f'<p class="soft">{escape(found.subtitle())}.{said}</p>'
    yield from map_keys(found)
    yield '<figure style="max-width:48rem">'
    yield from draw_map_svg(found, scene, describe)
    yield "</figure>"
    yield from _sizes(scene)


def draw_map_svg(found: RankingMap, scene: Scene, describe: Callable[[int], str]) -> Iterator[str]:
    """The drawing by itself.

    Arrows after the first :data:`~rankcut.pictures.map_scene.MOST_ARROWS` have the class ``later``:
    a page shows them when their item is chosen.
    """
    yield (
        f'<svg viewBox="-30 0 {_WIDTH + 30} {_HEIGHT + 30}" tabindex="0" role="img" '
        f'aria-label="Map of {escape(found.subtitle())}; arrow keys go through the points">'
        f'<rect class="grid" x=".5" y=".5" width="{_WIDTH - 1}" height="{_HEIGHT - 1}"/>'
    )
    for g, outline in scene.ellipses.items():
        fill = ".1" if len(scene.ellipses) <= FEW_GROUPS else "0"
        path = "L".join(f"{x:.1f},{_HEIGHT - y:.1f}" for x, y in outline.tolist())
        colour = in_css(found.groups[g].colour)
        yield (
            f'<path d="M{path}Z" fill="{colour}" fill-opacity="{fill}" stroke="{colour}" '
            f'stroke-width="1.5" data-pick="{g}"/>'
        )
    scale = None if found.values is None else found.value_colours()
    for mark in scene.order.tolist():
        yield _mark(found, scene, mark, None if scale is None else scale[mark], describe)
    if len(found.groups) > 1:
        for g, (x, y) in scene.means.items():
            yield (
                f'<path d="M{x - 7:.1f},{_HEIGHT - y:.1f}h14m-7,-7v14" class="rim" '
                f'style="stroke-width:7"/><path d="M{x - 7:.1f},{_HEIGHT - y:.1f}h14m-7,-7v14" '
                f'stroke="{in_css(found.groups[g].colour)}" stroke-width="4" data-pick="{g}"'
                f"{tip(f'mean of {found.groups[g].name}')}/>"
            )
    yield from _arrows(scene)
    across, up = found.axis_names()
    for kind, font in _FONTS.items():
        size = font * 0.92
        yield text(across, _WIDTH / 2, _HEIGHT + 22, size, f"soft {kind}", "middle")
        yield (
            f'<g class="{kind}" transform="translate(-9,{_HEIGHT / 2}) rotate(-90)">'
            f"{text(up, 0, 0, size, 'soft', 'middle')}</g>"
        )
    yield "</svg>"


def _mark(
    found: RankingMap, scene: Scene, mark: int, colour: str | None, describe: Callable[[int], str]
) -> str:
    (x, y), radius = scene.marks[mark], scene.radius[mark]
    y = _HEIGHT - y
    solid = 0.82 if len(scene.marks) <= _FEW_POINTS else 0.5
    sectors = pie(found.parts[mark])
    words = [f"{found.counts[mark]:,} ranking{'' if found.counts[mark] == 1 else 's'}"]
    if found.values is not None:
        value = found.values[mark]
        words[0] += f", {found.by} {'unknown' if np.isnan(value) else f'{value:.4g}'}"
    elif found.by or len(found.groups) > 1:
        words[0] = ", ".join(_named_counts(found, mark, [g for g, _, _ in sectors]))
    words.append(describe(found.rows[mark]))
    shown = tip("\n".join(words))
    if colour is not None or len(sectors) == 1:
        group = sectors[0][0]
        return (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" class="rim" '
            f'fill="{colour or in_css(found.groups[group].colour)}" fill-opacity="{solid}" '
            f'data-pick="{group}"{shown}/>'
        )
    paths = (
        f'<path d="{_sector(x, y, radius, start, end)}" fill="{in_css(found.groups[g].colour)}" '
        f'fill-opacity="{solid}" data-pick="{g}"/>'
        for g, start, end in sectors
    )
    return f'<g class="rim"{shown}>{"".join(paths)}</g>'


def _named_counts(found: RankingMap, mark: int, groups: Sequence[int]) -> Iterator[str]:
    """The groups at a mark; a few of those without a colour of their own by their names."""
    for g in groups:
        if found.groups[g].colour != OTHERS:
            yield f"{found.groups[g].name}: {found.parts[mark, g]:,}"
            continue
        named = list(found.others[mark].items())
        yield from (f"{name}: {count:,}" for name, count in named[:_MOST_NAMED])
        if len(named) > _MOST_NAMED:
            rest = sum(count for _, count in named[_MOST_NAMED:])
            yield f"{len(named) - _MOST_NAMED} others: {rest:,}"


def _sector(x: float, y: float, radius: float, start: float, end: float) -> str:
    """The path of a sector, clockwise from the top."""
    ends = (
        f"{x + radius * math.sin(turn):.1f},{y - radius * math.cos(turn):.1f}"
        for turn in (2 * math.pi * start, 2 * math.pi * end)
    )
    first, last = ends
    large = 1 if end - start > 0.5 else 0
    return f"M{x:.1f},{y:.1f}L{first}A{radius:.1f},{radius:.1f} 0 {large} 1 {last}Z"


def _arrows(scene: Scene) -> Iterator[str]:
    x0, y0 = scene.origin
    for number, arrow in enumerate(scene.arrows):
        x, y = arrow.tip
        later = " later" * (number >= MOST_ARROWS)
        length = math.hypot(x - x0, y - y0) or 1.0
        across, up = (x - x0) / length, (y - y0) / length
        # A head of seven units, and the shaft up to it.
        bx, by = x - 7 * across, y - 7 * up
        head = f"M{x:.1f},{_HEIGHT - y:.1f}L{bx - 3 * up:.1f},{_HEIGHT - by - 3 * across:.1f}"
        head += f"L{bx + 3 * up:.1f},{_HEIGHT - by + 3 * across:.1f}Z"
        yield (
            f'<g class="arrow{later}" pointer-events="none" data-item="{arrow.item}">'
            f'<line x1="{x0:.1f}" y1="{_HEIGHT - y0:.1f}" '
            f'x2="{bx:.1f}" y2="{_HEIGHT - by:.1f}"/><path d="{head}"/></g>'
        )
    for kind, font in _FONTS.items():
        for number, (x, y) in scene.labels(font).items():
            arrow = scene.arrows[number]
            label = text(arrow.label, x, _HEIGHT - y + 0.36 * font, font, f"halo {kind}", "middle")
            yield f'<g data-item="{arrow.item}">{label}</g>'
        for arrow in scene.arrows[MOST_ARROWS:]:
            x, y = arrow.tip
            half = text_width(arrow.label, font) / 2
            x = min(max(x, half), scene.width - half)
            label = text(arrow.label, x, _HEIGHT - y - 0.4 * font, font, f"halo {kind}", "middle")
            yield f'<g class="later" data-item="{arrow.item}">{label}</g>'


def about_groups(scene: Scene, n_groups: int) -> str:
    """What crosses and ellipses mean, if there are any; it goes on from another sentence."""
    said = " Crosses are group means." if n_groups > 1 and scene.means else ""
    if scene.ellipses:
        said += " An ellipse would hold half of its group if it were normal."
    return said


def map_keys(found: RankingMap) -> Iterator[str]:
    """The legend of a map."""
    if found.values is not None:
        low, high = found.value_range()
        yield (
            f'<p>{escape(found.by)}: {low:.3g} <span style="display:inline-block;width:8rem;'
            f'height:.7em;background:linear-gradient(to right,{",".join(SCALE)})"></span> '
            f"{high:.3g}</p>"
        )
    elif len(found.groups) > 1 or found.by:
        yield f'<ul class="keys" aria-label="{escape(found.by)}">'
        for number, group in enumerate(found.groups):
            yield key(f"{group.name} ({group.count:,})", group.colour, number)
        yield "</ul>"


def _sizes(scene: Scene) -> Iterator[str]:
    if scene.sizes:
        yield '<ul class="keys soft"><li>Rankings at a point:</li>'
        for count, radius in scene.sizes:
            side = f"width:{2 * radius:.0f}px;height:{2 * radius:.0f}px"
            yield (
                f'<li><span class="key" style="background:{OTHERS};{side};vertical-align:middle">'
                f"</span>{count:,}</li>"
            )
        yield "</ul>"
