"""A comparison of groups as one HTML page: verdict, picture and tables, and no script."""

import html
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from rankcut.comparison.results import p_in_words, sizes_in_words
from rankcut.pictures.page import in_css, page, text
from rankcut.pictures.theme import COLOURS, colour, name_colours, shorten

# Maximum number of rows of a table or a picture.
_MOST = 40


def comparison_page(results: Sequence[Mapping[str, Any]]) -> str:
    """The page of one or more comparisons.

    Parameters
    ----------
    results : sequence of mappings
        Results of ``GroupComparison.to_dict``, each with a ``title``; if there are several,
        each with ``p_adjusted``, a p-value that holds for all of them together.
    """
    several = len(results) > 1
    sections = [_section(result, several=several) for result in results]
    return page("Comparison of groups", "\n".join(sections))


def _section(result: Mapping[str, Any], *, several: bool) -> str:
    together = p_in_words(result["p_adjusted"]) if several else ""
    sizes = sizes_in_words(result["groups"])
    columns = _few_columns(result)
    pieces = [
        f'<p class="soft">{html.escape(str(result["title"]))}</p>',
        f"<h1>{html.escape(result['verdict'])}</h1>",
        f'<p class="soft">{html.escape(sizes)} {html.escape(result["method"])}</p>',
        *([f'<p class="soft">For all comparisons together: {together}.</p>'] if several else []),
        *(f'<p class="soft">{html.escape(note)}</p>' for note in result["notes"]),
        '<figure style="max-width:32rem">',
        comparison_picture(result["items"][:_MOST], list(result["groups"])),
        "</figure>",
        "<h2>Items</h2>",
        _table(result["items"], columns),
    ]
    if result["pairs"]:
        pieces += [
            f"<h2>Pairs: share that prefers the first{_some(result['pairs'])}</h2>",
            _table(result["pairs"][:_MOST], columns),
        ]
    if result["listing"]:
        pieces += [
            f"<h2>Which items are listed ({p_in_words(result['listing']['p_value'])})</h2>",
            _table(result["listing"]["items"], columns),
            f"<p>How listed items are ordered: {p_in_words(result['order']['p_value'])}.</p>",
        ]
    if result["between"]:
        by_clearness = sorted(result["between"], key=itemgetter("p_value", "p_unadjusted"))
        pieces += [
            f"<h2>Groups, two at a time{_some(result['between'])}</h2>",
            _table(by_clearness[:_MOST]),
        ]
    return "\n".join(pieces)


def _some(rows: Sequence[Any]) -> str:
    return f" (the {_MOST} clearest of {len(rows):,})" if len(rows) > _MOST else ""


def _few_columns(result: Mapping[str, Any]) -> Callable[[str], bool]:
    """Which columns a table has: of many groups, none for each of them."""
    groups = result["groups"]
    if len(groups) <= len(COLOURS):
        return lambda name: True
    ends = tuple(f" in {group}" for group in groups)
    return lambda name: not name.endswith(ends)


def comparison_picture(rows: Sequence[Mapping[str, Any]], groups: Sequence[Any]) -> str:
    """Mean places as dots, the groups of an item joined by a line; best items on top."""
    places = [[row[f"place in {group}"] for group in groups] for row in rows]
    low, high = min(map(min, places)), max(map(max, places))
    labels = [shorten(row["item"], 16) for row in rows]
    # Wide letters of 13 pixels take up to nine.
    left, step = 20 + 9 * max(map(len, labels)), 24
    right = max(left + 310, 430)
    legend = name_colours([str(group) for group in groups])
    top = 22 * (1 + (len(legend) - 1) // 3) + 14
    scale = (right - 20 - left) / (high - low or 1.0)

    def x(place: float) -> float:
        return float(round(left + 10 + (place - low) * scale, 1))

    shapes = []
    for k, (name, its_colour) in enumerate(legend):
        column, line = 140 * (k % 3), 16 + 22 * (k // 3)
        shapes.append(
            f'<circle cx="{column + 8}" cy="{line - 5}" r="6" fill="{in_css(its_colour)}"/>'
            f"{text(shorten(name, 16), column + 20, line, 13)}"
        )
    order = sorted(range(len(rows)), key=lambda k: sum(places[k]))
    for line, k in enumerate(order):
        y = top + step * line + 12
        clear = rows[k]["p_value"] <= 0.05
        shapes.append(
            text(labels[k], left - 8, y + 4, 13, "" if clear else "soft", "end")
            + f'<line x1="{x(min(places[k]))}" x2="{x(max(places[k]))}" y1="{y}" y2="{y}" '
            f'style="stroke:var(--{"ink" if clear else "faint"})" '
            f'stroke-width="{2.5 if clear else 1.5}"/>'
        )
        shapes += [
            f'<circle cx="{x(place)}" cy="{y}" r="6" fill="{in_css(colour(g))}" '
            f'opacity="{1 if clear else 0.35}"><title>'
            f"{html.escape(f'{groups[g]}: {place:.1f}')}</title></circle>"
            # Groups with a colour of their own lie on top.
            for g, place in reversed(list(enumerate(places[k])))
        ]
    height = top + step * len(rows) + 34
    shapes.append(
        text(
            f"mean place, {low:.1f} (better) to {high:.1f}; faint: no difference found",
            8,
            height - 14,
            13,
            "soft",
        )
    )
    return (
        f'<svg viewBox="0 0 {right} {height}" role="img" '
        f'aria-label="Mean place of each item in each group">{"".join(shapes)}</svg>'
    )


def _table(
    rows: Sequence[Mapping[str, Any]], shown: Callable[[str], bool] = lambda name: True
) -> str:
    names = [name for name in rows[0] if shown(name)]
    numeric = {name for name in names if all(isinstance(row[name], float) for row in rows)}

    def cell(kind: str, name: str, value: Any) -> str:
        text = f"{value:.3g}" if isinstance(value, float) else "–" if value is None else str(value)
        mark = ' class="number"' if name in numeric else ""
        # A name such as 18-29 stays in one line.
        style = ' style="white-space:nowrap"' if "-" in text and len(text) <= 12 else ""
        return f"<{kind}{mark}{style}>{html.escape(text)}</{kind}>"

    head = "".join(cell("th", name, name.replace("_", " ")) for name in names)
    body = "".join(
        "<tr>" + "".join(cell("td", name, row[name]) for name in names) + "</tr>" for row in rows
    )
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        "</div>"
    )
