"""A report as one HTML page that holds all it needs: figures, style, and no script."""

import base64
import html
import io
from functools import lru_cache
from string import Template
from typing import Any

from reproduction.findings import (
    Document,
    Key,
    Outcome,
    Picture,
    Section,
    Sheet,
    Verdict,
    columns_of,
    shown,
)
from reproduction.markdown import block_html, inline_html

_CLASSES = {
    Outcome.HOLDS: "holds",
    Outcome.IN_PART: "part",
    Outcome.FAILS: "fails",
    Outcome.UNDECIDED: "open",
    Outcome.UNCHECKED: "open",
}

# Longer tables are folded away.
_LONG = 14

# Tables with more columns do not fit on a phone.
_NARROW = 3

_STYLE = """
:root {
  color-scheme: light dark;
  --paper: #fbfaf7; --card: #ffffff; --ink: #22262b; --soft: #5f676f; --line: #e4e1d9;
  --accent: #2a6f97; --code: #f0ede5; --shade: rgba(34, 38, 43, .22);
  --holds: #2f7d4f; --part: #96600a; --fails: #b23a2a; --open: #636b74; --on-badge: #ffffff;
  --serif: "Iowan Old Style", "Palatino Linotype", Palatino, "Book Antiqua", Georgia, serif;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1.06rem/1.62 var(--serif);
  overflow-wrap: break-word; }
main, header, footer { max-width: 70rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 3.5rem; }
h1 { font-size: clamp(1.9rem, 5vw, 3rem); line-height: 1.12; margin: 0 0 1rem;
  letter-spacing: -.01em; text-wrap: balance; }
h2 { font-size: clamp(1.45rem, 3.2vw, 1.95rem); line-height: 1.2; margin: 0 0 .75rem; }
header > div, .prose { max-width: 42rem; }
p { margin: 0 0 1rem; } ul { margin: 0 0 1rem; padding-left: 1.2rem; } li { margin: .25rem 0; }
a { color: var(--accent); text-underline-offset: .15em; }
code { font: .88em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  background: var(--code); padding: .1em .3em; border-radius: .25em; }
.counts { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0 2rem; padding: 0;
  list-style: none; font-family: var(--sans); }
.counts li { flex: 1 1 7.5rem; margin: 0; padding: .8rem 1rem; background: var(--card);
  border: 1px solid var(--line); border-top: 4px solid currentColor; border-radius: .5rem; }
.counts b { display: block; font-size: 2rem; line-height: 1.1; font-weight: 650; }
.counts span { font-size: .85rem; }
.holds { color: var(--holds); } .part { color: var(--part); }
.fails { color: var(--fails); } .open { color: var(--open); }
.badge { display: inline-block; white-space: nowrap; padding: .12rem .6rem .16rem;
  border-radius: 99px; font: 600 .78rem/1.5 var(--sans); color: var(--on-badge); }
.badge.holds { background: var(--holds); } .badge.part { background: var(--part); }
.badge.fails { background: var(--fails); } .badge.open { background: var(--open); }
nav { font-family: var(--sans); font-size: .92rem; margin: 0 0 2rem; display: flex;
  flex-wrap: wrap; gap: .4rem .5rem; }
nav a { text-decoration: none; background: var(--card); border: 1px solid var(--line);
  border-radius: 99px; padding: .25rem .8rem; }
nav a:hover { border-color: var(--accent); }
section { border-top: 1px solid var(--line); padding: 2.5rem 0 1.5rem; scroll-margin-top: 1rem; }
table { border-collapse: collapse; font: .9rem/1.45 var(--sans); width: 100%; }
th { text-align: left; font-weight: 600; color: var(--soft); border-bottom: 2px solid var(--line);
  padding: .45rem .7rem; vertical-align: bottom; }
td { border-bottom: 1px solid var(--line); padding: .5rem .7rem; vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
/* Shadows at the edges say that there is more to the side; they go when there is not. */
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; margin: 0 0 .5rem;
  background:
    linear-gradient(90deg, var(--card) 30%, transparent) left / 3rem 100% no-repeat local,
    linear-gradient(270deg, var(--card) 30%, transparent) right / 3rem 100% no-repeat local,
    linear-gradient(90deg, var(--shade), transparent) left / 1rem 100% no-repeat scroll,
    linear-gradient(270deg, var(--shade), transparent) right / 1rem 100% no-repeat scroll,
    var(--card); }
.sideways { display: none; font: .82rem var(--sans); color: var(--soft); margin: 0 0 .3rem; }
.summary td { vertical-align: middle; padding: .42rem .8rem; }
.summary td:first-child { width: 8.5rem; } .summary td:last-child { width: 15rem; }
.summary th.part-title { padding-top: 1.1rem; color: var(--ink); font: 600 1.02rem var(--serif); }
.summary a { color: inherit; text-decoration: none; }
.summary a:hover { text-decoration: underline; text-decoration-color: var(--accent); }
sub, sup { line-height: 0; font-size: .72em; }
.claims { list-style: none; padding: 0; margin: 0 0 1.5rem; display: grid; gap: .75rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); }
.claims li { margin: 0; background: var(--card); border: 1px solid var(--line); padding: .9rem 1rem;
  border-left: 4px solid currentColor; border-radius: .5rem; }
.claims p { color: var(--ink); margin: .5rem 0 0; line-height: 1.45; font-size: 1rem; }
.claims small, .where { color: var(--soft); font: .82rem var(--sans); }
figure { margin: 1.5rem 0 2rem; }
/* All panels are drawn at one width and shown at one width, so that their text has one size. */
.panels { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); }
.panels img { display: block; width: 100%; height: auto; background: #fff; padding: .6rem;
  border: 1px solid var(--line); border-radius: .5rem; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; padding: 0;
  margin: 0 0 .6rem; font: .9rem var(--sans); }
.legend li { margin: 0; } .legend svg { vertical-align: middle; margin-right: .4rem; }
.published { border-top: 1px dashed var(--line); padding-top: .5rem; }
pre { overflow-x: auto; font: .85rem ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
figcaption, .caption { font: .92rem/1.5 var(--sans); color: var(--soft); margin: .7rem 0 0;
  max-width: 46rem; }
.caption { margin: 1.2rem 0 .5rem; }
details { margin: 1rem 0; }
summary { cursor: pointer; font: .92rem var(--sans); color: var(--soft); }
.files { font: .88rem var(--sans); color: var(--soft); }
footer { padding: 1rem 1.25rem 3rem; color: var(--soft); font: .88rem var(--sans); }
@media (max-width: 44rem) {
  header { padding-top: 2rem; }
  .summary, .summary tbody, .summary tr, .summary td, .summary th { display: block; }
  .summary td, .summary td:first-child, .summary td:last-child { width: auto; border: 0;
    padding: .1rem .9rem; }
  .summary tr { padding: .55rem 0; border-bottom: 1px solid var(--line); }
  .summary th.part-title { border: 0; padding: .4rem .9rem .1rem; }
  .counts li { flex-basis: 40%; }
  .sideways { display: block; }
  .summary thead { display: none; }
  .summary .beside:not(:empty)::before { content: "as published "; font: .82rem var(--sans);
    color: var(--soft); }
}
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181b; --card: #1e2125; --ink: #e6e4df; --soft: #a3abb3; --line: #353a40;
    --accent: #7fb8dc; --code: #2a2e33; --shade: rgba(0, 0, 0, .7);
    --holds: #6fc191; --part: #e0a64a; --fails: #ea8a7b; --open: #a3abb3; --on-badge: #16181b; }
  /* Figures are drawn dark on light: turned round, with the hues as they were. */
  .panels img { filter: invert(.89) hue-rotate(180deg); border-color: #c6c2bd; }
}
@media print {
  :root { --paper: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #ccc; --code: #eee;
    --holds: #2f7d4f; --part: #96600a; --fails: #b23a2a; --open: #636b74; --on-badge: #fff; }
  @page { margin: 12mm; }
  body { font-size: 8.2pt; line-height: 1.32; }
  main, header, footer { max-width: none; padding: 0; }
  header { padding-top: 0; } h1 { font-size: 20pt; } h2 { font-size: 13pt; }
  header > div, .prose, figcaption, .caption { max-width: none; }
  nav, details, .sideways, .files { display: none; }
  section { padding: .6rem 0 0; }
  .prose { columns: 2; column-gap: 1.5rem; } p { margin-bottom: .4rem; }
  .counts li { padding: .2rem .5rem; } .counts b { font-size: 12pt; }
  .summary td, td, th { padding: .1rem .4rem; } table { font-size: 7.4pt; }
  .summary th.part-title { padding-top: .4rem; }
  .claims { grid-template-columns: repeat(3, 1fr); gap: .4rem; }
  .claims li { padding: .3rem .5rem; break-inside: avoid; }
  .claims p { font-size: 7.6pt; line-height: 1.25; margin-top: .2rem; }
  .badge { font-size: 7pt; padding: 0 .4rem; }
  figure { margin: .5rem 0; break-inside: avoid; }
  .panels { grid-template-columns: repeat(5, 1fr); gap: .3rem; }
  .panels img { padding: .1rem; filter: none; }
  .scroll { overflow: visible; background: none; }
}
"""

_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<link rel="icon" href="data:,">
<style>$style</style>
</head>
<body>
<header>
<h1>$title</h1>
<div>$lead</div>
<ul class="counts">$counts</ul>
<nav aria-label="Sections">$contents</nav>
</header>
<main>
$summary
$sections
</main>
$source
<footer>Written by <code>python -m reproduction</code>, on the numbers of its own run.</footer>
</body>
</html>
""")


def html_page(document: Document) -> str:
    """The whole report."""
    return _PAGE.substitute(
        title=html.escape(document.title),
        style=_STYLE,
        lead=block_html(document.lead),
        counts="".join(_count(document, outcome) for outcome in Outcome),
        contents="".join(
            f'<a href="#{section.anchor}">{html.escape(section.title)}</a>'
            for section in document.sections
        ),
        summary=_summary(document),
        sections="\n".join(map(_section, document.sections)),
        source=_source_of(document),
    )


def _source_of(document: Document) -> str:
    if not document.bibtex:
        return ""
    return (
        '<main><section id="source"><h2>The paper</h2><pre>'
        f"{html.escape(document.bibtex)}</pre></section></main>"
    )


def _count(document: Document, outcome: Outcome) -> str:
    return (
        f'<li class="{_CLASSES[outcome]}"><b>{document.count(outcome)}</b>'
        f"<span>{outcome}</span></li>"
    )


def _summary(document: Document) -> str:
    rows = []
    for section in document.sections:
        if section.claims:
            rows.append(
                f'<tr><th class="part-title" colspan="4"><a href="#{section.anchor}">'
                f"{html.escape(section.title)}</a></th></tr>"
            )
        rows += [
            f'<tr><td>{_badge(verdict)}</td><td class="beside">{_as_published(verdict)}</td>'
            f'<td><a href="#{section.anchor}">{inline_html(claim.statement)}</a></td>'
            f'<td class="where">{html.escape(claim.where)}</td></tr>'
            for claim, verdict in section.claims
        ]
    head = "<thead><tr><th>verdict</th><th>as published</th><th>the paper says</th><th></th></tr>"
    return (
        f'<div class="scroll"><table class="summary">{head}</thead><tbody>{"".join(rows)}</tbody>'
        "</table></div>"
    )


def _section(section: Section) -> str:
    pieces = [
        f'<section id="{section.anchor}"><h2>{html.escape(section.title)}</h2>',
        f'<div class="prose">{block_html(section.prose)}</div>',
    ]
    if section.claims:
        entries = (
            f'<li class="{_CLASSES[verdict.outcome]}">{_badge(verdict)} '
            f"<small>{html.escape(claim.where)}</small><p><strong>{inline_html(claim.statement)}"
            f"</strong></p><p>{inline_html(verdict.because)}</p>{_published(verdict)}</li>"
            for claim, verdict in section.claims
        )
        pieces.append(f'<ul class="claims">{"".join(entries)}</ul>')
    pieces += map(_figure, section.pictures.values())
    pieces += map(_sheet, section.sheets)
    if section.tables:
        links = ", ".join(
            f'<a href="{name}.csv">{name}.csv</a>' for name in map(html.escape, section.tables)
        )
        pieces.append(f'<p class="files">Numbers: {links}; and as JSON.</p>')
    return "\n".join([*pieces, "</section>"])


def _as_published(verdict: Verdict) -> str:
    return _badge(verdict.published) if verdict.published else ""


def _published(verdict: Verdict) -> str:
    if not verdict.published:
        return ""
    because = inline_html(verdict.published.because)
    return f'<p class="published">As published: {_badge(verdict.published)} {because}</p>'


def _badge(verdict: Verdict) -> str:
    return f'<span class="badge {_CLASSES[verdict.outcome]}">{verdict.outcome}</span>'


def _figure(picture: Picture) -> str:
    images = "".join(
        f'<img src="{_source(figure)}" alt="{html.escape(name)}">'
        for name, figure in picture.panels.items()
    )
    keys = "".join(f"<li>{_line(key)}{html.escape(key.label)}</li>" for key in picture.legend)
    legend = f'<ul class="legend">{keys}</ul>' if keys else ""
    return (
        f'<figure>{legend}<div class="panels">{images}</div>'
        f"<figcaption>{inline_html(picture.caption)}</figcaption></figure>"
    )


def _line(key: Key) -> str:
    """A piece of the line."""
    dashes = {"--": "6 4", ":": "2 3"}.get(key.style, "")
    return (
        '<svg width="30" height="10" aria-hidden="true"><line x1="1" y1="5" x2="29" y2="5" '
        f'stroke="{key.colour}" stroke-width="3" stroke-dasharray="{dashes}"/></svg>'
    )


def _source(figure: Any) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg_of(figure)).decode()


@lru_cache(maxsize=512)
def svg_of(figure: Any) -> bytes:
    """The figure as SVG, the same bytes each time; drawn once, for the page and for its file."""
    import matplotlib

    drawn = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "rankcut", "svg.fonttype": "path"}):
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    return drawn.getvalue()


def _sheet(sheet: Sheet) -> str:
    columns = columns_of(sheet.rows)
    numeric = {
        name
        for name in columns
        if all(isinstance(row.get(name), int | float | None) for row in sheet.rows)
        and not any(isinstance(row.get(name), bool) for row in sheet.rows)
    }

    def cell(kind: str, name: str, text: str) -> str:
        mark = ' class="number"' if name in numeric else ""
        return f"<{kind}{mark}>{inline_html(text)}</{kind}>"

    head = "".join(cell("th", name, name) for name in columns)
    body = "".join(
        "<tr>"
        + "".join(
            cell("td", name, shown(row.get(name), sheet.formats.get(name, ""))) for name in columns
        )
        + "</tr>"
        for row in sheet.rows
    )
    sideways = len(columns) > _NARROW
    hint = '<p class="sideways">Scroll sideways for more columns →</p>' if sideways else ""
    table = (
        f'{hint}<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )
    caption = inline_html(sheet.caption)
    if len(sheet.rows) > _LONG:
        return f"<details><summary>{caption}</summary>{table}</details>"
    return f'<p class="caption">{caption}</p>{table}'
