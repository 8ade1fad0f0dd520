"""The page about a set of rankings: its panels one below the other, with a sentence each.

Elements with ``data-item`` light up together when one of them is clicked, when its button gets
Enter, or when the search finds it; Escape puts the light out. Labels reach the script as JSON in an
element that runs nothing, and the page as text.
"""

import json
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import numpy as np

from rankcut._loops.partitions import close_rows
from rankcut.consensus.means import borda_vectors
from rankcut.pictures.map_page import about_groups, describe_orders, draw_map_svg, map_keys
from rankcut.pictures.map_scene import MOST_ARROWS, Scene, lay_out
from rankcut.pictures.page import page
from rankcut.pictures.ranking_map import Directions, main_directions, map_rankings
from rankcut.report.counted_rankings import Counted
from rankcut.report.drawings import draw_graph, draw_lengths, draw_pairs
from rankcut.report.overview import Overview
from rankcut.report.tables import draw_consensus, draw_facts, draw_groups, draw_places
from rankcut.report.words import (
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

STYLE = """
html { scroll-padding-top: 5.5rem; }
:root { --ground: #f4f6f8; --cell: #000; }
@media (prefers-color-scheme: dark) { :root { --ground: #0e1013; --cell: var(--ink); } }
@media print { :root { --ground: var(--paper); --cell: #000; } }
body { background: var(--ground); } main { padding-top: 2rem; }
h1 { font-size: 2rem; letter-spacing: -.01em; } h2 { margin: 0 0 .5rem; font-size: 1.25rem; }
section { background: var(--paper); border: 1px solid var(--faint); border-radius: .8rem;
  padding: 1.2rem 1.4rem 1.3rem; margin: 1.1rem 0; }
.says { max-width: 50rem; margin-bottom: .9rem; font-size: 1.05rem; }
.tools { position: sticky; top: 0; z-index: 5; background: var(--ground); padding: .6rem 0 .1rem; }
.tools form { display: flex; gap: .5rem; align-items: center; margin: 0; }
.tools label { flex: none; } .tools input { flex: 1 1 10rem; min-width: 0; max-width: 20rem; }
.tools input, .tools button { font: inherit; color: inherit; background: var(--paper);
  border: 1px solid var(--soft); border-radius: .5rem; padding: .25rem .6rem; }
#said { min-height: 1.6em; font-size: .92rem; }
nav { font-size: .92rem; display: flex; flex-wrap: wrap; gap: .3rem .4rem; margin: .9rem 0 .4rem; }
nav a { border: 1px solid var(--faint); border-radius: 1rem; padding: .1rem .7rem;
  text-decoration: none; background: var(--paper); } nav a:hover { border-color: var(--soft); }
a { color: inherit; } a:focus-visible, button:focus-visible, input:focus-visible,
.wide:focus-visible { outline: 2px solid var(--c0); outline-offset: 1px; }
dl { display: grid; grid-template-columns: repeat(3, 1fr); gap: .9rem 1.2rem; margin: .6rem 0; }
dt { color: var(--soft); font-size: .85rem; } dd { margin: 0; overflow-wrap: anywhere; }
dl div:last-child { grid-column: 1 / -1; }
.large dd { font-size: 1.7rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
th { vertical-align: bottom; } td.name { max-width: 16rem; overflow-wrap: anywhere; }
button.item, button.sort { all: unset; cursor: pointer; border-radius: .2rem; }
button.item:hover { text-decoration: underline; } [data-item] { cursor: pointer; }
button.sort:after { content: "\\a0\\2195"; opacity: .6; }
th[aria-sort=ascending] button:after { content: "\\a0\\2191"; opacity: 1; }
th[aria-sort=descending] button:after { content: "\\a0\\2193"; opacity: 1; }
.ends { display: flex; justify-content: space-between; margin: 0 .15rem; font-size: .78rem; }
section tr:last-child td { border-bottom: 0; } .later { display: none; }
.chosen .later.on { display: inline; } svg text.cell { fill: var(--cell); }
button.sort:focus-visible, button.item:focus-visible { outline: 2px solid var(--c0); }
.full { width: 100%; } td.line { width: 45%; min-width: 8rem; }
.track { position: relative; display: block; height: 1rem; margin: 0 .4rem;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.track:before { content: ""; position: absolute; inset: 50% 0 auto; height: 1px;
  background: var(--faint); }
.reach { position: absolute; top: .3rem; height: .4rem; border-radius: .2rem; opacity: .4; }
.dot { position: absolute; top: .2rem; width: .6rem; height: .6rem; margin-left: -.3rem;
  border-radius: 50%; box-shadow: 0 0 0 1px var(--paper); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr));
  gap: .8rem 1rem; }
.card { margin: 0; min-width: 0; font-size: .9rem; }
.card button { display: block; max-width: 100%; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; } .card figcaption { font-size: .8rem; color: var(--soft); }
.bar { fill: var(--c0); } .none { fill: var(--soft); } .frame { fill: none; visibility: hidden;
  stroke: var(--ink); stroke-width: 2.5; pointer-events: none; }
.against { fill: var(--c1); }
svg rect, svg circle.node { print-color-adjust: exact; }
.chosen [data-item]:not(.frame) { opacity: .4; } .chosen [data-item].on { opacity: 1; }
.chosen .frame.on { visibility: visible; } .chosen text.on, .chosen button.item.on {
  font-weight: bold; } .chosen tr.on { background: color-mix(in srgb, var(--c0) 14%, transparent); }
.chosen :is(tr, .card) [data-item].item { opacity: 1; }
@media (max-width: 600px) { th, td { padding: .25rem .35rem; } td.line { min-width: 4rem; }
  td.name { min-width: 5.5rem; } h1 { font-size: 1.6rem; }
  section { padding: .9rem .8rem 1rem; margin: .8rem 0; border-radius: .6rem; }
  dl { grid-template-columns: 1fr 1fr; } .large dd { font-size: 1.35rem; }
  main { padding: 1rem .6rem 3rem; } .cards { gap: .6rem .8rem;
  grid-template-columns: repeat(auto-fill, minmax(7.5rem, 1fr)); } }
@media print { .tools, nav, button.sort:after { display: none; } .card, tr, svg {
  break-inside: avoid; } h2, .says { break-after: avoid; } .wide { overflow: visible; }
  section { border: 0; padding: 0; margin: 1.6rem 0; } main { padding: 0; } }
"""

SCRIPT = """<script>
(() => {
  const items = JSON.parse(document.getElementById("items").textContent);
  const field = document.getElementById("find"), said = document.getElementById("said");
  const clear = document.getElementById("clear");
  let chosen = null;
  const choose = (number) => {
    chosen = number;
    document.body.classList.toggle("chosen", number !== null);
    document.querySelectorAll("[data-item]").forEach((each) => {
      const on = each.dataset.item === String(number);
      each.classList.toggle("on", on);
      if (each.matches("button")) each.setAttribute("aria-pressed", String(on));
    });
    said.textContent = number === null ? "" : items[number].join(": ");
    clear.hidden = number === null;
  };
  const search = () => {
    const words = field.value.trim().toLowerCase();
    if (!words) return choose(null);
    const names = items.map((item) => item[0].toLowerCase());
    const by = [(name) => name === words, (name) => name.startsWith(words),
      (name) => name.includes(words)];
    const number = by.map((fits) => names.findIndex(fits)).find((found) => found >= 0);
    if (number === undefined) {
      choose(null);
      said.textContent = "No item here has that in its name.";
    } else choose(number);
  };
  field.addEventListener("input", search);
  field.form.addEventListener("submit", (event) => {
    event.preventDefault();
    search();
    const row = chosen !== null && document.querySelector("tr.on");
    if (row) row.scrollIntoView({ block: "center" });
  });
  clear.addEventListener("click", () => { field.value = ""; choose(null); field.focus(); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { field.value = ""; choose(null); }
  });
  const sort = (button) => {
    const head = button.closest("th"), body = head.closest("table").tBodies[0];
    const up = head.getAttribute("aria-sort") !== "ascending";
    head.parentNode.querySelectorAll("th").forEach((each) => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const value = (row) => row.cells[head.cellIndex].dataset.value;
    const compare = (a, b) => {
      const [x, y] = [value(a), value(b)], apart = Number(x) - Number(y);
      return (up ? 1 : -1) * (Number.isNaN(apart) ? x.localeCompare(y) : apart);
    };
    body.append(...[...body.rows].sort(compare));
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.sort");
    if (button) return sort(button);
    const mark = event.target.closest("[data-item]");
    if (!mark) return;
    const number = Number(mark.dataset.item);
    choose(number === chosen ? null : number);
  });
})();
</script>
"""


def report_page(found: Overview) -> str:
    """The whole page, which needs no network."""
    title = found.title or "Rankings"
    panels = list(_panels(found))
    links = "".join(f'<a href="#p{k}">{name}</a>' for k, (name, _, _) in enumerate(panels))
    names = "".join(f'<option value="{escape(name)}">' for name in found.items)
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="soft">A report on {found.description.n_rankings:,} rankings. Click an item, or '
        "press Enter on its name, to see it everywhere; Escape clears it.</p>",
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
    yield "Lengths of lists", say_lengths(found), "\n".join(draw_lengths(found))
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
        f'<p class="soft">{_map_key(scene, len(shown.groups))}</p>',
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


def _map_key(scene: Scene, n_groups: int) -> str:
    """How to read the map."""
    said = "Points are rankings, arrows point to where an item is ranked high."
    said += about_groups(scene, n_groups)
    if len(scene.arrows) > MOST_ARROWS:
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


def embed(data: Sequence[Any]) -> str:
    r"""Data for the script, in an element that runs nothing and that no text can close.

    >>> embed(["</script><script>"])
    '<script type="application/json" id="items">["\\u003c/script>\\u003cscript>"]</script>'
    """
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="items">{text}</script>'
