"""The panels of a page about rankings: sentences made of its numbers, drawings and tables."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.blocs.selection import LEAST_PEOPLE
from rankcut.comparison.page import show_items
from rankcut.consensus.figure import about_places, places_table, show_pairs
from rankcut.consensus.words import agreement_sentence, name_some, percent
from rankcut.errors import amount
from rankcut.pictures.graph_pictures import graph_picture
from rankcut.pictures.map_pictures import MOST_ARROWS, about_groups, map_picture, read_map
from rankcut.pictures.page import Html, draw_svg, item_button, show_legend, tag
from rankcut.pictures.ranking_map import RankingMap
from rankcut.pictures.scene import Path, Picture, Scene, Shape, Text, rectangle
from rankcut.pictures.theme import COLOURS, FAINT, SOFT, shorten
from rankcut.report.overview import Overview

# Lengths and places are drawn one by one up to this many; if there are more, several share a bar.
_MOST_BARS = 20


class Panel(NamedTuple):
    """A part of the page."""

    name: str
    said: str
    content: list[Html]


def make_panels(found: Overview) -> Iterator[Panel]:
    """The panels, from what is in the file to the item graph."""
    yield Panel("What is in it", say_contents(found), list(_facts(found)))
    yield Panel("Lengths of lists", say_lengths(found), list(_lengths(found)))
    said = " ".join(filter(None, [say_consensus(found), say_cut(found)]))
    yield Panel("Consensus", said, list(_consensus(found)))
    yield Panel("Places of each item", say_places(found), list(_places(found)))
    every = range(len(found.items))
    if len(every) > 1 and found.consensus.pairwise is not None:
        pairs = show_pairs(found.consensus.pairwise, found.items, every, chosen=True)
        yield Panel("Pairs", say_pairs(found), list(pairs))
    if len(every) > 1 and len(found.sample.counts) > 1:
        yield _map(found)
    if found.comparison is not None:
        numbers = {name: number for number, name in enumerate(found.items)}
        method = " ".join([found.comparison["method"], *found.comparison["notes"]])
        content = [*show_items(found.comparison, numbers), tag("p", method, kind="soft")]
        yield Panel(f"Groups by {found.by}", say_groups(found), content)
    if found.graph is not None:
        picture = graph_picture(found.graph, items=found.items, chosen=True)
        content = [draw_svg(picture.scene), tag("p", picture.said, kind="soft")]
        yield Panel("Item graph", say_graph(found), content if found.graph.n_edges else [])


def _facts(found: Overview) -> Iterator[Html]:
    """What is in the file, and what looks wrong."""
    about = found.description
    large = {
        "rankings": f"{about.n_rankings:,}",
        "items": f"{about.n_items:,}",
        "different orders": f"{about.n_distinct:,}",
    }
    counted = about.n_rows != about.n_rankings
    columns = ", ".join(f"{name} ({number:,})" for name, number in about.columns.items())
    small = {
        "file": f"{about.n_rows:,} rows with counts" if counted else "",
        "kinds": ", ".join(f"{kind}: {number:,}" for kind, number in about.kinds.items()),
        "with ties": f"{about.n_tied:,}",
        "unranked items": _UNRANKED[found.unranked],
        "columns": shorten(columns, 400),
    }
    facts = [
        tag("div", tag("dt", name), tag("dd", value), kind=kind)
        for kind, each in (("large", large), ("", small))
        for name, value in each.items()
        if value
    ]
    yield tag("dl", *facts)
    if about.problems:
        yield tag("p", "To check:")
        yield tag("ul", *(tag("li", problem) for problem in about.problems))


_UNRANKED = {
    "error": "none",
    "last": "taken as tied after all listed ones",
    "anywhere": "taken as unknown: only listed items are compared",
}


class Bar(NamedTuple):
    """A bar: its height as a share of the highest, its tip, and what is written below it."""

    share: float
    tip: str
    label: str = ""
    colour: str = COLOURS[0]


def _bar_chart(bars: Sequence[Bar], width: float, height: float, size: float, about: str) -> Scene:
    """Bars beside each other, with labels in letters of that size."""
    wide = min(60.0, width / len(bars))
    left = (width - wide * len(bars)) / 2
    shapes: list[Shape] = [Path([np.array([[0.0, height], [width, height]])], FAINT)]
    for number, bar in enumerate(bars):
        x = left + number * wide
        tall = max(height * bar.share, 1.0 if bar.share else 0.0)
        outline = rectangle(x + 0.05 * wide, height - tall, 0.9 * wide, tall)
        if bar.tip:
            shapes.append(Path(outline, bar.colour, 0.0, filled=True, tip=bar.tip))
        half = 0.35 * size * len(bar.label)
        middle = min(max(x + wide / 2, half), width - half)
        if bar.label:
            shapes.append(Text(bar.label, middle, height + 0.8 * size, size, SOFT))
    return Scene(width, height + 1.5 * size, shapes, about)


def _lengths(found: Overview) -> Iterator[Html]:
    """A histogram of list lengths."""
    seen = np.flatnonzero(found.lengths)
    if len(seen) == 1:
        return
    low, high = int(seen[0]), int(seen[-1])
    step = -(-(high - low + 1) // _MOST_BARS)
    starts = range(low, high + 1, step)
    totals = [int(found.lengths[start : start + step].sum()) for start in starts]
    every = -(-len(starts) // 8)
    bars = []
    for k, (start, number) in enumerate(zip(starts, totals, strict=True)):
        last = min(start + step - 1, high)
        length = f"{start}" if start == last else f"{start} to {last}"
        share = percent(number, found.description.n_rankings)
        tip = f"{length} items: {number:,} rankings ({share})"
        bars.append(Bar(number / max(totals), tip, "" if k % every else f"{start}"))
    yield draw_svg(_bar_chart(bars, 600, 122, 18, "Histogram of how many items rankings list"))


def _consensus(found: Overview) -> Iterator[Html]:
    """Places with intervals, one row for each item."""
    total = found.description.n_rankings
    listed = [percent(number, total) for number in found.listed.tolist()]
    shown = listed if (found.listed < total).any() else None
    order = range(len(found.items))
    yield places_table(found.consensus, found.items, order, listed=shown, chosen=True)
    yield tag("p", about_places(found.consensus, 0.95), kind="soft")


def _places(found: Overview) -> Iterator[Html]:
    """A card with the places of each item."""
    n_places = 1 + int(np.flatnonzero(found.places.any(axis=0))[-1])
    step = -(-n_places // _MOST_BARS)
    starts = range(0, n_places, step)
    numbers = np.add.reduceat(found.places[:, :n_places], starts, axis=1)
    missing = found.n_people - numbers.sum(axis=1)
    cards = []
    for i, name in enumerate(found.items):
        bars = []
        for start, number in zip(starts, numbers[i].tolist(), strict=True):
            first, last = start + 1, min(n_places, start + step)
            where = f"place {first}" if first == last else f"places {first} to {last}"
            tip = f"{name}, {where}: {number:,} ({percent(number, found.n_people)})"
            ends = f"{first}" if start == 0 else f"{last}" if last == n_places else ""
            bars.append(Bar(number / max(numbers.max(), 1), tip, ends))
        if missing.any():
            share = percent(missing[i], found.n_people)
            # Often far more than in any place: cut at the top.
            part = min(1.0, missing[i] / max(numbers.max(), 1))
            tip = f"{name}, not listed: {missing[i]:,} ({share})"
            bars += [Bar(0.0, ""), Bar(part, tip, "–", SOFT)]
        said = _say_card(found, i, int(missing[i]))
        drawing = draw_svg(_bar_chart(bars, 150, 56, 11, f"Places of {name}: {said}"))
        words = tag("figcaption", said.replace(" %", "\u00a0%"))
        cards.append(tag("figure", item_button(i, name), drawing, words, kind="card", data_item=i))
    yield tag("div", *cards, kind="cards")
    if missing.any():
        yield tag("p", "Grey (–): not listed; cut off where it is above the others.", kind="soft")


def _say_card(found: Overview, i: int, missing: int) -> str:
    places, people = found.places[i], found.n_people
    top = int(places.argmax())
    said = "listed by nobody"
    if places.any():
        said = f"most often place {top + 1} ({percent(places[top], people)})"
    return said + (f", not listed by {percent(missing, people)}" if missing else "")


def _map(found: Overview) -> Panel:
    values: NDArray[np.object_] | None = None
    by = ""
    if found.comparison is not None:
        names = np.array([*found.group_names, ""], dtype=object)
        values, by = names[found.sample_codes], found.by
    elif found.bloc_of is not None and found.bloc_of.max() > 0:
        values, by = np.array([f"bloc {k + 1}" for k in found.bloc_of.tolist()], object), "bloc"
    shown = read_map(found.sample, values, found.unranked, by_name=by)
    picture = map_picture(shown, most_arrows=len(found.items))
    said = " ".join(filter(None, [say_map(found, shown), say_blocs(found)]))
    return Panel("Map", said, list(_map_content(found, picture, about_groups(shown))))


def _map_content(found: Overview, picture: Picture, about: Sequence[str]) -> Iterator[Html]:
    yield from map(show_legend, picture.above)
    yield draw_svg(picture.scene)
    said = ["Points are rankings, arrows point to where an item is ranked high.", *about]
    if any(shape.where == "later" for shape in picture.scene.shapes):
        said.append(
            f"These are the {MOST_ARROWS} longest arrows; any other shows when you choose it."
        )
    yield tag("p", " ".join(said), kind="soft")
    blocs = found.blocs
    if blocs is not None and len(blocs.sizes) > 1:
        lines = (next(blocs.about(bloc, most=8)) for bloc in range(len(blocs.sizes)))
        yield tag("ul", *(tag("li", line) for line in lines))


def say_contents(page: Overview) -> str:
    """What the file contains, and whether anything looks wrong."""
    found = page.description
    kind, number = next(iter(found.kinds.items()))
    said = f"{amount(found.n_rankings, 'ranking')} of {amount(found.n_items, 'item')}: "
    share = "all" if number == found.n_rankings > 1 else percent(number, found.n_rankings)
    said += f"{share} {'is' if number == 1 else 'are'} {_KINDS[kind]}. "
    if found.most_repeated > 1:
        said += (
            "All give the same order. "
            if found.n_distinct == 1
            else f"There are {found.n_distinct:,} different orders; the most frequent occurs "
            f"{found.most_repeated:,} times. "
        )
    problems = len(found.problems)
    return said + (f"{amount(problems, 'thing')} to check." if problems else "Nothing looks wrong.")


_KINDS = {
    "full": "full",
    "with ties, all items": "complete, with ties",
    "strict, part of the items": "incomplete, without ties",
    "with ties, part of the items": "incomplete, with ties",
    "ranks nothing": "empty",
}


def say_cut(page: Overview) -> str:
    """Which items the page is about, if not all; empty otherwise."""
    n_items = page.description.n_items
    if len(page.items) == n_items:
        return ""
    said = (
        f"From here on, this page is about the {len(page.items)} items that most rankings list, of "
        f"{n_items:,}; places count these items only."
    )
    if page.n_left_out:
        said += f" {amount(page.n_left_out, 'ranking')} with none of them left out."
    return said


def say_lengths(page: Overview) -> str:
    """How many items people rank."""
    lengths = np.flatnonzero(page.lengths)
    total = page.description.n_rankings
    n_items = page.description.n_items
    if len(lengths) == 1:
        every = int(lengths[0]) == n_items
        items = f"all {amount(n_items, 'item')}" if every else f"{amount(int(lengths[0]), 'item')}"
        return f"Each ranking lists {items}."
    low, median, high = page.description.lengths
    most = int(page.lengths.argmax())
    said = (
        f"Rankings list {low} to {high} items; half list {median:g} or fewer. The most common "
        f"length is {most} ({percent(page.lengths[most], total)})."
    )
    if page.lengths[n_items] and most != n_items:
        said += f" {percent(page.lengths[n_items], total)} list all {n_items:,} items."
    return said


def say_consensus(page: Overview) -> str:
    """Who comes first, how sure that is, and on how many pairs two people agree."""
    said, found = page.consensus.leaders(page.items), page.consensus.agreement
    if found.mean_tau is not None:
        said += f" Two people agree on {percent(1 + found.mean_tau, 2)} of the pairs that both "
        said += "order, on average; 50 % would be chance."
    return f"{said} {agreement_sentence(found, 0.95)}"


def say_places(page: Overview) -> str:
    """Which item is first most often, and which people disagree about most."""
    listed = page.places.sum(axis=1)
    first = page.places[:, 0]
    top = int(first.argmax())
    said = f"{page.items[top]} is put first most often, by {percent(first[top], page.n_people)}."
    often = listed >= 0.1 * page.n_people
    if often.sum() > 1 and len(page.items) > 2:
        spread = [_spread(row) if often[i] else (-1, 0, 0) for i, row in enumerate(page.places)]
        widest = max(range(len(spread)), key=lambda i: spread[i][0])
        width, low, high = spread[widest]
        if width > 0:
            said += (
                f" People disagree most about {page.items[widest]}: the middle half of those who "
                f"list it put it between places {low} and {high}."
            )
    return said


def _spread(row: NDArray[np.int64]) -> tuple[int, int, int]:
    """The quartiles of places and how far apart they are."""
    ends = np.cumsum(row)
    low, high = (int(np.searchsorted(ends, share * ends[-1])) + 1 for share in (0.25, 0.75))
    return high - low, low, high


def say_pairs(page: Overview) -> str:
    """The clearest and the closest pair."""
    shares = page.consensus.pairwise
    assert shares is not None
    above = np.triu_indices(len(page.items), 1)
    known = np.abs(shares[above] - 0.5)
    if np.isnan(known).all():
        return "No ranking compares two of the items."
    clear, close = int(np.nanargmax(known)), int(np.nanargmin(known))
    said = f"Clearest: {_pair(page, int(above[0][clear]), int(above[1][clear]))}"
    if known[close] < known[clear]:
        said += f"; closest: {_pair(page, int(above[0][close]), int(above[1][close]))}"
    notes = " ".join(page.consensus.notes)
    return f"{said}. {notes}".strip()


def _pair(page: Overview, i: int, j: int) -> str:
    assert page.consensus.pairwise is not None
    share = float(page.consensus.pairwise[i, j])
    first, second = (i, j) if share >= 0.5 else (j, i)
    shown = percent(max(share, 1 - share), 1)
    return f"{page.items[first]} before {page.items[second]} ({shown} of those who compare them)"


def say_map(page: Overview, shown: RankingMap) -> str:
    """How much the map shows, and what is at its ends."""
    across = shown.directions[:, 0]
    share = percent(float(shown.shares.sum()), 1)
    said = f"The map shows {share} of the variation between rankings."
    if np.ptp(across) > 0:
        right, left = page.items[int(across.argmax())], page.items[int(across.argmin())]
        said += f" From left to right it sets those who rank {left} high apart from those who rank "
        said += f"{right} high."
    if shown.n_rankings < page.n_people:
        said += f" It has {shown.n_rankings:,} of {page.n_people:,} rankings, drawn at random."
    return said


def say_blocs(page: Overview) -> str:
    """Whether people fall into blocs, in the words of the blocs."""
    if page.blocs is not None:
        return " ".join(page.blocs.sentences())
    few = int(page.sample.counts.sum()) < LEAST_PEOPLE
    return f"Blocs are not looked for among fewer than {LEAST_PEOPLE} rankings." * few


def say_groups(page: Overview) -> str:
    """Whether groups differ, how much, and where."""
    found = page.comparison
    assert found is not None
    rows = [row for row in found["items"] if row["p_value"] <= 0.05]
    said = str(found["verdict"])
    if rows:
        row = max(rows, key=lambda each: each["difference"])
        more = "places higher" if found["question"] == "places" else "stronger"
        said += (
            f" They differ about {name_some([str(each['item']) for each in rows])}; most about "
            f"{row['item']}, {row['difference']:.1f} {more} in {row['higher_in']} than in "
            f"{row['lower_in']}."
        )
    return said


def say_graph(page: Overview) -> str:
    """Where the graph comes from, and its strongest edge."""
    assert page.graph is not None
    weights = np.triu(page.graph.to_dense(), 1)
    origin = (
        "Learned from the rankings: items that the same people rank high are connected."
        if page.learned
        else "The given graph: similar items are connected."
    )
    if not weights.any():
        return f"{origin} No two of these items are."
    i, j = np.unravel_index(int(weights.argmax()), weights.shape)
    alone = int((page.graph.degrees == 0).sum())
    said = f"{origin} Strongest: {page.items[int(i)]} and {page.items[int(j)]} "
    said += f"({weights[i, j]:.2f})."
    return said + (f" {amount(alone, 'item')} connected to none." if alone else "")


def say_item(found: Overview, i: int) -> str:
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
