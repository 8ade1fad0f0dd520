"""The panels of a page about rankings that are tables or cards: they fit any width."""

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from rankcut.pictures.page import in_css, key, text, tip
from rankcut.pictures.theme import COLOURS, colour, shorten
from rankcut.report.overview import Overview
from rankcut.report.words import percent, say_method

# Places are drawn one by one up to this many; if there are more, several share a bar.
_MOST_BARS = 20
_CARD = (150, 56)


class Cell(NamedTuple):
    """A cell of a table that can be sorted."""

    html: str
    value: Any
    kind: str = ""


class Head(NamedTuple):
    """The head of a column: its name, its class, and the ends of its scale if it has one."""

    name: str
    kind: str = ""
    ends: tuple[int, int] | None = None


def sortable_table(heads: Sequence[Head], rows: Sequence[tuple[int, list[Cell]]]) -> str:
    """A table with a button in the head of each column.

    Parameters
    ----------
    heads : sequence of Head
        One for each column.
    rows : sequence of (int, list of Cell)
        The item of each row, and its cells.
    """
    head = "".join(
        f'<th scope="col" class="{kind}"><button type="button" class="sort">{escape(name)}'
        f"</button>{_scale(ends)}</th>"
        for name, kind, ends in heads
    )
    body = "".join(
        f'<tr data-item="{item}">'
        + "".join(
            f'<td class="{cell.kind}" data-value="{escape(str(cell.value))}">{cell.html}</td>'
            for cell in cells
        )
        + "</tr>"
        for item, cells in rows
    )
    return f'<table class="full"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _scale(ends: tuple[int, int] | None) -> str:
    if ends is None:
        return ""
    return (
        f'<span class="ends" aria-hidden="true"><span>{ends[0]}</span><span>{ends[1]}</span></span>'
    )


def item_button(number: int, name: str) -> str:
    """A button with the item's name, which highlights it."""
    return (
        f'<button type="button" class="item" data-item="{number}" aria-pressed="false" '
        f'title="{escape(name)}">{escape(shorten(name, 60))}</button>'
    )


def draw_facts(page: Overview) -> Iterator[str]:
    """What is in the file, and what looks wrong."""
    found = page.description
    rows = f"{found.n_rows:,} rows with counts" if found.n_rows != found.n_rankings else ""
    kinds = ", ".join(f"{kind}: {number:,}" for kind, number in found.kinds.items())
    columns = ", ".join(f"{name} ({number:,})" for name, number in found.columns.items())
    facts = {
        "rankings": f"{found.n_rankings:,}",
        "items": f"{found.n_items:,}",
        "different orders": f"{found.n_distinct:,}",
        "file": rows,
        "kinds": kinds,
        "with ties": f"{found.n_tied:,}",
        "unranked items": _UNRANKED[page.unranked],
        "columns": shorten(columns, 400),
    }
    yield "<dl>"
    for name, value in facts.items():
        if value:
            size = "large" if name in ("rankings", "items", "different orders") else ""
            yield f'<div class="{size}"><dt>{name}</dt><dd>{escape(value)}</dd></div>'
    yield "</dl>"
    if found.problems:
        yield "<p>To check:</p><ul>"
        for problem in found.problems:
            yield f"<li>{escape(problem)}</li>"
        yield "</ul>"


_UNRANKED = {
    "error": "none",
    "last": "taken as tied after all listed ones",
    "anywhere": "taken as unknown: only listed items are compared",
}


def draw_consensus(page: Overview) -> str:
    """Places with intervals, one row for each item."""
    found, n_items = page.consensus, len(page.items)
    heads = [Head("place", "number"), Head("item")]
    heads.append(Head("possible places", "line", (1, n_items) if n_items > 1 else None))
    if found.first is not None:
        heads.append(Head("chance of being first", "number roomy"))
    total = page.description.n_rankings
    if not_all := bool((page.listed < total).any()):
        heads.append(Head("listed by", "number roomy"))
    rows = []
    for i, name in enumerate(page.items):
        place = int(found.ranking[i])
        low, high = (place, place) if found.intervals is None else found.intervals[i].tolist()
        said = f"{name}: place {place}"
        said += "" if found.intervals is None else f", from {low} to {high} with 95 % confidence"
        reach = (
            f'<span class="reach" style="left:{_across(low, n_items):.1f}%;'
            f'width:{_across(high, n_items) - _across(low, n_items):.1f}%;background:var(--c0)">'
            "</span>"
        )
        dot = (
            f'<span class="dot" style="left:{_across(place, n_items):.1f}%;'
            'background:var(--c0)"></span>'
        )
        line = (
            f'<span class="track" role="img" aria-label="{escape(said)}"{tip(said)}>'
            f"{reach}{dot}</span>"
        )
        cells = [
            Cell(str(place), place, "number"),
            Cell(item_button(i, name), name, "name"),
            Cell(line, low + high / 1000, "line"),
        ]
        if found.first is not None:
            share = float(found.first[i])
            cells.append(Cell(percent(share, 1), share, "number roomy"))
        listed = int(page.listed[i])
        if not_all:
            cells.append(Cell(percent(listed, total), listed, "number roomy"))
        rows.append((i, cells))
    said = "A dot is the place in the consensus, a bar what is possible"
    said += " with 95 % confidence, for all items at once." if found.intervals is not None else "."
    if found.first is not None:
        said += '<span class="roomy"> Chance of being first: the share of bootstrap samples '
        said += "of these people in which it is.</span>"
    return f'{sortable_table(heads, rows)}<p class="soft">{said}</p>'


def _across(place: float, n_items: int, low: float = 1.0) -> float:
    """Where a place is on a line from ``low`` to ``n_items``, in percent."""
    return 50.0 if n_items == low else 100 * (place - low) / (n_items - low)


def draw_places(page: Overview) -> Iterator[str]:
    """A card with the places of each item."""
    n_items = len(page.items)
    n_places = 1 + int(np.flatnonzero(page.places.any(axis=0))[-1])
    step = -(-n_places // _MOST_BARS)
    n_bars = -(-n_places // step)
    binned = np.zeros((n_items, n_bars), dtype=np.int64)
    for place in range(n_places):
        binned[:, place // step] += page.places[:, place]
    missing = page.n_people - binned.sum(axis=1)
    has_missing = bool(missing.any())
    highest = float(max(binned.max(), 1))
    width, height = _CARD
    bar = width / (n_bars + (1.5 if has_missing else 0))
    yield '<div class="cards">'
    for i, name in enumerate(page.items):
        listed = int(binned[i].sum())
        top = int(page.places[i].argmax())
        words = "listed by nobody"
        if listed:
            words = f"most often place {top + 1} ({percent(page.places[i, top], page.n_people)})"
        if missing[i]:
            words += f", not listed by {percent(missing[i], page.n_people)}"
        yield f'<figure class="card" data-item="{i}">{item_button(i, name)}'
        yield (
            f'<svg viewBox="0 0 {width} {height + 14}" role="img" tabindex="0" '
            f'aria-label="{escape(f"Places of {name}: {words}")}">'
            f'<line class="grid" x1="0" x2="{width}" y1="{height}" y2="{height}"/>'
        )
        for b in range(n_bars):
            first, last = b * step + 1, min(n_places, (b + 1) * step)
            where = f"place {first}" if first == last else f"places {first} to {last}"
            shown = f"{name}, {where}: {binned[i, b]:,} ({percent(binned[i, b], page.n_people)})"
            yield _bar("bar", b * bar, bar, height, binned[i, b] / highest, shown)
        if has_missing:
            shown = f"{name}, not listed: {missing[i]:,} ({percent(missing[i], page.n_people)})"
            # Often far more than in any place: cut at the top.
            part = min(1.0, missing[i] / highest)
            yield _bar("none", (n_bars + 0.5) * bar, bar, height, part, shown)
            yield text("–", width - 1, height + 11, 11, "soft", "end")
        yield text("1", bar / 2, height + 11, 11, "soft", "middle")
        if n_bars > 1:
            yield text(n_places, n_bars * bar - 1, height + 11, 11, "soft", "end")
        shown = escape(words).replace(" %", "&nbsp;%")
        yield f"</svg><figcaption>{shown}</figcaption></figure>"
    yield "</div>"
    if has_missing:
        yield '<p class="soft">Grey (–): not listed; cut off where it is above the others.</p>'


def _bar(kind: str, x: float, width: float, height: float, part: float, words: str) -> str:
    tall = max(height * part, 0.8 if part else 0.0)
    return (
        f'<rect class="{kind}" x="{x + 0.05 * width:.1f}" y="{height - tall:.1f}" '
        f'width="{0.9 * width:.1f}" height="{tall:.1f}"{tip(words)}/>'
    )


def draw_groups(page: Overview) -> Iterator[str]:
    """Mean places in each group, one row for each item."""
    found = page.comparison
    assert found is not None
    groups = list(found["groups"])
    shown = groups[: len(COLOURS)]
    yield f'<ul class="keys" aria-label="{escape(page.by)}">'
    for k, group in enumerate(shown):
        yield key(f"{shorten(group, 40)} ({found['groups'][group]:,})", colour(k))
    if len(groups) > len(shown):
        yield f"<li>and {len(groups) - len(shown):,} more, not drawn</li>"
    yield "</ul>"
    numbers = {name: i for i, name in enumerate(page.items)}
    every = [float(row[f"place in {group}"]) for row in found["items"] for group in shown]
    ends = (math.floor(min(every)), math.ceil(max(every)))
    rows = []
    for row in sorted(found["items"], key=lambda each: numbers[str(each["item"])]):
        name = str(row["item"])
        means = [float(row[f"place in {group}"]) for group in groups]
        parts = [_across(place, ends[1], ends[0]) for place in means[: len(shown)]]
        said = ", ".join(f"{group} {place:.1f}" for group, place in zip(shown, means, strict=False))
        said = f"Mean place of {name}: {said}"
        dots = "".join(
            f'<span class="dot" style="left:{part:.1f}%;background:{in_css(colour(k))}"></span>'
            for k, part in enumerate(parts)
        )
        line = (
            f'<span class="track" role="img" aria-label="{escape(said)}"{tip(said)}>'
            f'<span class="reach" style="left:{min(parts):.1f}%;'
            f'width:{max(parts) - min(parts):.1f}%;background:var(--soft)"></span>{dots}</span>'
        )
        p_value = float(row["p_value"])
        cells = [
            Cell(item_button(numbers[name], name), name, "name"),
            Cell(line, means[0], "line"),
            Cell(f"{row['difference']:.2f}", row["difference"], "number roomy"),
            Cell(escape(shorten(row["higher_in"], 24)), row["higher_in"], "roomy"),
            Cell(f"{p_value:.2g}", p_value, "number"),
        ]
        rows.append((numbers[name], cells))
    heads = [
        Head("item"),
        Head("mean place", "line", ends),
        Head("difference", "number roomy"),
        Head("higher in", "roomy"),
        Head("p", "number"),
    ]
    yield sortable_table(heads, rows)
    yield f'<p class="soft">{escape(say_method(page))} p-values hold for all items at once.</p>'
