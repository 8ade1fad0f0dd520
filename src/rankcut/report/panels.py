"""The panels of a page about rankings: a name, a sentence and a drawing or a table each."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.comparison.page import show_items
from rankcut.consensus.figure import about_places, places_table, show_pairs
from rankcut.consensus.words import percent
from rankcut.pictures.graph_pictures import graph_picture
from rankcut.pictures.map_pictures import MOST_ARROWS, about_groups, map_picture, read_map
from rankcut.pictures.page import Html, draw_svg, item_button, show_legend, tag
from rankcut.pictures.scene import Path, Picture, Scene, Shape, Text, rectangle
from rankcut.pictures.theme import COLOURS, FAINT, SOFT, shorten
from rankcut.report.overview import Overview
from rankcut.report.words import (
    say_blocs,
    say_consensus,
    say_contents,
    say_cut,
    say_graph,
    say_groups,
    say_lengths,
    say_map,
    say_method,
    say_pairs,
    say_places,
)

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
        content = [*show_items(found.comparison, numbers), tag("p", say_method(found), kind="soft")]
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
