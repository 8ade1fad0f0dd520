"""The page about a set of rankings: its panels one below the other, with a sentence each."""

from collections.abc import Iterator
from html import escape

import numpy as np

from rankcut._loops.partitions import close_rows
from rankcut.consensus.means import borda_vectors
from rankcut.pictures.map_page import describe_orders, draw_map_svg, map_keys
from rankcut.pictures.map_scene import MOST_ARROWS, lay_out
from rankcut.pictures.page import page
from rankcut.pictures.ranking_map import Directions, main_directions, map_rankings
from rankcut.pictures.report_drawings import draw_graph, draw_lengths, draw_pairs
from rankcut.pictures.report_style import SCRIPT, STYLE, embed
from rankcut.pictures.report_tables import draw_consensus, draw_facts, draw_groups, draw_places
from rankcut.reports.counted_rankings import Counted
from rankcut.reports.overview import Overview
from rankcut.reports.overview_words import (
    percent,
    say_blocs,
    say_consensus,
    say_contents,
    say_cut,
    say_graph,
    say_groups,
    say_lengths,
    say_map,
    say_pairs,
    say_places,
)

_TOOLS = """<div class="tools"><form role="search">
<label for="find">Find an item</label>
<input id="find" type="search" list="names" autocomplete="off">
<button id="clear" type="button" hidden>Clear</button></form>
<div id="said" role="status"></div>
<datalist id="names">{names}</datalist></div>"""


def report_page(found: Overview) -> str:
    """The whole page, which needs no network."""
    title = found.title or "Rankings"
    panels = list(_panels(found))
    links = "".join(f'<a href="#p{k}">{name}</a>' for k, (name, _, _) in enumerate(panels))
    names = "".join(f'<option value="{escape(name)}">' for name in found.items)
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="soft">A report on {found.description.n_rankings:,} rankings. Click an item, or '
        "press Enter on its name, to see it everywhere; Escape ends that.</p>",
        f'<nav aria-label="Panels">{links}</nav>',
        _TOOLS.format(names=names),
    ]
    for k, (name, sentence, content) in enumerate(panels):
        body += [
            f'<section aria-labelledby="p{k}"><h2 id="p{k}">{name}</h2>',
            f'<p class="says">{_kept_together(sentence)}</p>',
            content,
            "</section>",
        ]
    body += [embed([[name, _facts(found, i)] for i, name in enumerate(found.items)]), SCRIPT]
    return page(title, "\n".join(body), script=True, style=STYLE)


def _panels(found: Overview) -> Iterator[tuple[str, str, str]]:
    """The name, the sentence and the content of each panel."""
    yield "What is in it", say_contents(found), "\n".join(draw_facts(found))
    yield "Who ranks how many", say_lengths(found), "\n".join(draw_lengths(found))
    said = " ".join(filter(None, [say_consensus(found), say_cut(found)]))
    yield "Consensus", said, draw_consensus(found)
    yield "Places of each item", say_places(found), "\n".join(draw_places(found))
    if len(found.items) > 1:
        yield "Pairs", say_pairs(found), "\n".join(draw_pairs(found))
    if len(found.items) > 1 and len(found.sample.counts) > 1:
        yield _map_panel(found)
    if found.comparison is not None:
        yield f"Groups by {escape(found.by)}", say_groups(found), "\n".join(draw_groups(found))
    if found.graph is not None:
        yield "Item graph", say_graph(found), "\n".join(draw_graph(found))


def _map_panel(found: Overview) -> tuple[str, str, str]:
    directions, drawn = _directions(found)
    sample = found.sample
    values, by = None, ""
    if found.comparison is not None:
        names = np.array([*found.group_names, ""], dtype=object)
        values, by = names[sample.codes], found.by
    elif found.bloc_of is not None and found.bloc_of.max() > 0:
        values, by = np.array([f"bloc {k + 1}" for k in found.bloc_of.tolist()], object), "bloc"
    shown = map_rankings(drawn, sample.counts, found.items, values, by)
    scene = lay_out(shown, 640, 600, most_arrows=len(found.items))
    ranks = sample.ranks()
    words = dict(zip(shown.rows, describe_orders(ranks[shown.rows], found.items), strict=True))
    said = [say_map(found, directions.shares, directions.loadings), say_blocs(found)]
    content = [
        *map_keys(shown),
        '<figure style="max-width:44rem">',
        *draw_map_svg(shown, scene, words.__getitem__),
        "</figure>",
        f'<p class="soft">{_map_key(len(scene.arrows))}</p>',
    ]
    if found.blocs is not None and len(found.blocs.sizes) > 1:
        content += ["<ul>"]
        orders = describe_orders(found.blocs.rankings.astype(np.float64), found.items)
        for k, order in enumerate(orders):
            content.append(f"<li>Bloc {k + 1} ({found.blocs.share(k)}): {escape(order)}</li>")
        content += ["</ul>"]
    return "Map", " ".join(filter(None, said)), "\n".join(content)


def _kept_together(sentence: str) -> str:
    """A sentence, escaped, in which no line begins with a percent sign."""
    return escape(sentence).replace(" %", "&nbsp;%")


def _map_key(n_arrows: int) -> str:
    """How to read the map."""
    said = "Points are rankings, arrows point to where an item is ranked high."
    if n_arrows > MOST_ARROWS:
        said += f" These are the {MOST_ARROWS} longest arrows; any other shows when you choose it."
    return said


def _directions(found: Overview) -> tuple[Directions, Directions]:
    """The axes of many rankings, and along them the points of those that are drawn."""
    many = found.directions_from
    axes = main_directions(_vectors(many, found.unranked), many.counts)
    if many is found.sample:
        return axes, axes
    vectors = _vectors(many, found.unranked)
    middle = many.counts / many.counts.sum() @ vectors
    points = (_vectors(found.sample, found.unranked) - middle) @ axes.loadings
    return axes, Directions(points, axes.shares, axes.loadings)


def _vectors(counted: Counted, unranked: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    groups = counted.groups.copy()
    if unranked == "last":
        close_rows(groups)
    return borda_vectors(groups)


def _facts(found: Overview, i: int) -> str:
    """What the page says about an item, in one line."""
    consensus = found.consensus
    said = f"place {consensus.ranking[i]} of {len(found.items)}"
    if consensus.intervals is not None:
        low, high = consensus.intervals[i].tolist()
        said += " (certain)" if low == high else f" ({low} to {high})"
    said += f", put first by {percent(int(found.places[i, 0]), found.n_people)}"
    missing = found.description.n_rankings - int(found.listed[i])
    return said + (
        f", not listed by {percent(missing, found.description.n_rankings)}" * bool(missing)
    )
