"""Style and script of the page about a set of rankings, beside those of all pages.

Elements with ``data-item`` light up together when one of them is clicked, when its button gets
Enter, or when the search finds it; Escape puts the light out. Labels reach the script as JSON in an
element that runs nothing, and the page as text.
"""

import json
from collections.abc import Sequence
from typing import Any

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
.against { fill: var(--c1); } .edge { stroke: var(--soft); }
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


def embed(data: Sequence[Any]) -> str:
    r"""Data for the script, in an element that runs nothing and that no text can end.

    >>> embed(["</script><script>"])
    '<script type="application/json" id="items">["\\u003c/script>\\u003cscript>"]</script>'
    """
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="items">{text}</script>'
