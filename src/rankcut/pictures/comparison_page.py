"""A comparison of groups as one HTML page: verdict, picture and tables, and no script."""

import html
from collections.abc import Mapping, Sequence
from string import Template
from typing import Any

from rankcut.pictures.group_places import FAINT, GROUP_COLOURS, INK, SOFT

# Maximum number of rows of a table or a picture.
_MOST = 40

_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Comparison of groups</title>
<link rel="icon" href="data:,">
<style>
body { margin: 0 auto; max-width: 56rem; padding: 1.5rem 1rem 3rem; background: #fbfaf7;
  color: #22262b; font: 1rem/1.55 system-ui, "Segoe UI", Roboto, Arial, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.3; text-wrap: balance; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .3rem 0; } .soft { color: #5f676f; font-size: .92rem; }
figure { margin: 1rem 0; } svg { width: 100%; height: auto; max-width: 40rem; }
.scroll { overflow-x: auto; background: #fff; border: 1px solid #e4e1d9; border-radius: .5rem; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid #e4e1d9; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
</style>
</head>
<body>
$body
</body>
</html>
""")


def comparison_page(results: Sequence[Mapping[str, Any]]) -> str:
    """The page of one or more comparisons.

    Parameters
    ----------
    results : sequence of mappings
        Results of ``GroupComparison.to_dict``, each with a ``title``.
    """
    return _PAGE.substitute(body="\n".join(map(_section, results)))


def _section(result: Mapping[str, Any]) -> str:
    sizes = ", ".join(f"{name}: {size:,}" for name, size in result["groups"].items())
    pieces = [
        f'<p class="soft">{html.escape(str(result["title"]))}</p>',
        f"<h1>{html.escape(result['verdict'])}</h1>",
        f'<p class="soft">Rankings: {html.escape(sizes)}. {html.escape(result["method"])}</p>',
        *(f'<p class="soft">{html.escape(note)}</p>' for note in result["notes"]),
        f"<figure>{_picture(result['items'][:_MOST], list(result['groups']))}</figure>",
        "<h2>Items</h2>",
        _table(result["items"]),
    ]
    if result["pairs"]:
        pieces += ["<h2>Pairs: share that prefers the first</h2>", _table(result["pairs"][:_MOST])]
    if result["listing"]:
        pieces += [
            f"<h2>Which items are listed (p = {result['listing']['p_value']:.2g})</h2>",
            _table(result["listing"]["items"]),
            f"<p>How listed items are ordered: p = {result['order']['p_value']:.2g}.</p>",
        ]
    if result["between"]:
        pieces += ["<h2>Each two groups</h2>", _table(result["between"])]
    return "\n".join(pieces)


def _picture(rows: Sequence[Mapping[str, Any]], groups: Sequence[Any]) -> str:
    """Mean places as dots, the groups of an item joined by a line; best items on top."""
    places = [[row[f"place in {group}"] for group in groups] for row in rows]
    low, high = min(map(min, places)), max(map(max, places))
    left, right, step = 120, 430, 24
    top = 22 * (1 + (len(groups) - 1) // 3) + 14
    scale = (right - 20 - left) / (high - low or 1.0)

    def x(place: float) -> float:
        return float(round(left + 10 + (place - low) * scale, 1))

    shapes = []
    for k, group in enumerate(groups):
        column, line = 140 * (k % 3), 16 + 22 * (k // 3)
        shapes.append(
            f'<circle cx="{column + 8}" cy="{line - 5}" r="6" fill="{_colour(k)}"/>'
            f'<text x="{column + 20}" y="{line}" fill="{INK}">{html.escape(_cut(group))}</text>'
        )
    order = sorted(range(len(rows)), key=lambda k: sum(places[k]))
    for line, k in enumerate(order):
        y = top + step * line + 12
        clear = rows[k]["p_value"] <= 0.05
        shapes.append(
            f'<text x="{left - 8}" y="{y + 4}" text-anchor="end" fill="{INK if clear else SOFT}">'
            f"{html.escape(_cut(rows[k]['item']))}</text>"
            f'<line x1="{x(min(places[k]))}" x2="{x(max(places[k]))}" y1="{y}" y2="{y}" '
            f'stroke="{INK if clear else FAINT}" stroke-width="{2.5 if clear else 1.5}"/>'
        )
        shapes += [
            f'<circle cx="{x(place)}" cy="{y}" r="6" fill="{_colour(g)}" '
            f'opacity="{1 if clear else 0.35}"/>'
            for g, place in enumerate(places[k])
        ]
    height = top + step * len(rows) + 34
    shapes.append(
        f'<text x="8" y="{height - 14}" fill="{SOFT}">mean place, {low:.1f} (better) to '
        f"{high:.1f}; faint: no difference found</text>"
    )
    return (
        f'<svg viewBox="0 0 {right} {height}" font-size="13" role="img" '
        f'aria-label="Mean place of each item in each group">{"".join(shapes)}</svg>'
    )


def _colour(group: int) -> str:
    return GROUP_COLOURS[group % len(GROUP_COLOURS)]


def _cut(label: Any, most: int = 16) -> str:
    text = str(label)
    return text if len(text) <= most else text[: most - 1] + "…"


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    names = list(rows[0])
    numeric = {name for name in names if all(isinstance(row[name], float) for row in rows)}

    def cell(kind: str, name: str, value: Any) -> str:
        text = f"{value:.3g}" if isinstance(value, float) else "–" if value is None else str(value)
        mark = ' class="number"' if name in numeric else ""
        return f"<{kind}{mark}>{html.escape(text)}</{kind}>"

    head = "".join(cell("th", name, name.replace("_", " ")) for name in names)
    body = "".join(
        "<tr>" + "".join(cell("td", name, row[name]) for name in names) + "</tr>" for row in rows
    )
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        "</div>"
    )
