"""The panels of a page about rankings, each made by itself: words, a figure and a table.

``PANELS["consensus"](study)`` is the panel of the consensus, or None where a study has none. Words
are made of numbers, and say how sure they are.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, ndtri

from rankcut._loops.types import Longs
from rankcut.blocs.selection import LEAST_PEOPLE
from rankcut.comparison.page import show_items
from rankcut.comparison.results import item_in_words
from rankcut.consensus.agreement import agree
from rankcut.consensus.figure import (
    about_places,
    places_table,
    show_pairs,
)
from rankcut.errors import amount
from rankcut.graphs.item_graph import ItemGraph
from rankcut.maps.graphs import map_graph
from rankcut.maps.rankings import MOST_ARROWS, about_groups, map_rankings
from rankcut.pictures.page import Html, draw_svg, item_button, join, show_legend, tag
from rankcut.pictures.scene import Path, Scene, Shape, Text, rectangle
from rankcut.pictures.theme import COLOURS, FAINT, SOFT, group_colours, shorten
from rankcut.rankings import Rankings
from rankcut.report.study import Study
from rankcut.results.words import LEVEL, name_some, p_in_words, percent
from rankcut.sample import Sample


class Panel(NamedTuple):
    """A part of the page, and the one sentence of it that the page may begin with."""

    name: str
    said: str
    figure: Html = Html()
    table: Html = Html()
    notes: str = ""  #: how to read it
    finding: str = ""
    stands_out: bool = False  #: whether the finding is more than chance, 95 % sure


def make_groups(study: Study) -> Panel | None:
    """Whether groups differ, how much, and where."""
    comparison = study.comparison
    if comparison is None:
        return None
    rows = [row for row in comparison.items if row["p_value"] <= LEVEL]
    where = ""
    if rows and comparison.p_value <= LEVEL:
        row = max(rows, key=lambda each: each["difference"])
        where = f" They differ about {name_some([str(each['item']) for each in rows])}"
        where += f", most about {row['item']}" * (len(rows) > 1)
        where += f": {item_in_words(row, comparison.p_floor)}."
    numbers = {name: number for number, name in enumerate(study.items)}
    return Panel(
        f"Groups by {study.by}",
        comparison.verdict() + where,
        table=join(*show_items(comparison.to_dict(), numbers)),
        notes=" ".join([comparison.method, *comparison.notes]),
        finding=comparison.verdict() + where,
        stands_out=comparison.p_value <= LEVEL,
    )


def make_consensus(study: Study) -> Panel:
    """Who comes first, how sure that is, how much people agree, and the place of each item."""
    consensus, total = study.consensus, study.description.n_rankings
    leaders = consensus.leaders()
    listed = [percent(number, total) for number in study.listed.tolist()]
    shares = listed if (study.listed < total).any() else None
    # Intervals hold for all items at once; so few could be first only if majorities are clear.
    intervals = consensus.rank_intervals_
    few = intervals is not None and bool((intervals[:, 0] == 1).mean() <= 0.5)
    return Panel(
        "Consensus",
        f"{leaders} {consensus.agreement_.sentence()}",
        table=places_table(consensus, listed=shares, by_items=True),
        notes=about_places(consensus),
        finding=leaders,
        stands_out=few and bool(study.pairs.clear().any()),
    )


def make_pairs(study: Study) -> Panel | None:
    """How many pairs have a clear majority, and which is the clearest."""
    if len(study.items) < 2:
        return None
    shares = study.pairs.shares()
    clear = np.triu(study.pairs.clear(), 1)
    n_pairs = len(shares) * (len(shares) - 1) // 2
    notes = study.consensus.notes_
    if np.isnan(shares[np.triu_indices(len(shares), 1)]).all():
        words = "No ranking compares two of the items."
    elif not clear.any():
        words = f"No majority is more than chance explains, in any of {amount(n_pairs, 'pair')}."
        notes = [note for note in notes if "pairwise comparison" not in note]
    else:
        beyond = np.where(clear, np.abs(shares - 0.5), -1.0)
        i, j = (int(k) for k in np.unravel_index(int(beyond.argmax()), beyond.shape))
        first, second = (i, j) if shares[i, j] >= 0.5 else (j, i)
        words = (
            f"{int(clear.sum())} of {amount(n_pairs, 'pair')} "
            f"{'has' if clear.sum() == 1 else 'have'} a majority that chance does not "
            "explain (95 % sure of all at once). The largest: "
            f"{percent(shares[first, second], 1)} of those who compare them put "
            f"{study.items[first]} before {study.items[second]}."
        )
    return Panel(
        "Pairs",
        " ".join([words, *notes]),
        join(*show_pairs(shares, study.items, range(len(shares)), by_items=True)),
        finding=words if clear.any() else "",
        stands_out=bool(clear.any()),
    )


def make_places(study: Study) -> Panel:
    """Which item is put first most often, and a card with the places of each item."""
    first = study.places[:, 0]
    total = float(study.shown.counts.sum())
    top = int(first.argmax())
    words = f"{study.items[top]} is put first by {percent(first[top], total)}"
    if len(first) > 1:
        second = int(np.argsort(-first, kind="stable")[1])
        # Of as many people of equal weight as say as much.
        people = study.pairs.mass / study.pairs.squared_mass * first[[top, second]]
        p_value = p_of_most(*people.tolist())
        if p_value <= LEVEL:
            words += ", more often than any other item (95 % sure)"
        elif first[top] == first[second]:
            words += f", as often as {study.items[second]}"
        else:
            words += (
                f", and {study.items[second]} by {percent(first[second], total)}; so few people "
                f"cannot tell which is put first more often ({p_in_words(p_value)})"
            )
    grey = "Grey (–): not listed; cut off where it is above the others."
    cards, missing = _cards(study, total)
    return Panel("Places of each item", f"{words}.", cards, notes=grey if missing else "")


def p_of_most(most: float, second: float) -> float:
    """Chance that the item with the most votes leads the second by so much if it is not ahead.

    The two-sided sign test of the two, which holds for any number of other items, whatever items
    these two happen to be (Hung and Fithian, Rank verification for exponential families, Annals
    of Statistics, 2019).

    >>> round(p_of_most(30, 15), 3), p_of_most(10, 10)
    (0.036, 1.0)
    """
    return min(1.0, 2.0 * float(betainc(max(most, 1e-9), second + 1.0, 0.5)))


def _cards(study: Study, total: float, most_bars: int = 20) -> tuple[Html, bool]:
    """A card with the places of each item, and whether any is not listed.

    If there are more places than bars, several share one.
    """
    n_places = 1 + int(np.flatnonzero(study.places.any(axis=0))[-1])
    step = -(-n_places // most_bars)
    starts = range(0, n_places, step)
    numbers = np.add.reduceat(study.places[:, :n_places], starts, axis=1)
    missing = np.maximum(total - numbers.sum(axis=1), 0.0)
    unlisted = bool((missing > 1e-9 * total).any())
    cards = []
    for i, name in enumerate(study.items):
        bars = []
        for start, number in zip(starts, numbers[i].tolist(), strict=True):
            first, last = start + 1, min(n_places, start + step)
            where = f"place {first}" if first == last else f"places {first} to {last}"
            tip = f"{name}, {where}: {percent(number, total)}"
            ends = f"{first}" if start == 0 else f"{last}" if last == n_places else ""
            bars.append(Bar(number / max(numbers.max(), 1e-9), tip, ends))
        if unlisted:
            # Often far more than in any place: cut at the top.
            part = min(1.0, missing[i] / max(numbers.max(), 1e-9))
            tip = f"{name}, not listed: {percent(missing[i], total)}"
            bars += [Bar(0.0, ""), Bar(part, tip, "–", SOFT)]
        row = study.places[i]
        top = int(row.argmax())
        about = f"most often place {top + 1} ({percent(row[top], total)})"
        about = about if row.any() else "listed by nobody"
        about += f", not listed by {percent(missing[i], total)}" * bool(missing[i] > 1e-9 * total)
        drawing = draw_svg(_bar_chart(bars, f"Places of {name}: {about}"))
        words = tag("figcaption", about.replace(" %", "\u00a0%"))
        cards.append(tag("figure", item_button(i, name), drawing, words, kind="card", data_item=i))
    return tag("div", *cards, kind="cards"), unlisted


def make_map(study: Study) -> Panel | None:
    """The rankings in two dimensions, and whether people fall into camps."""
    sample, codes = study.sample
    if len(study.items) < 2 or len(sample.counts) < 2:
        return None
    blocs, values, by = study.blocs, None, ""
    if study.codes is not None:
        names = np.array([*study.group_names, ""], dtype=object)
        values, by = names[codes], study.by
    elif blocs is not None and len(blocs.model.sizes_) > 1:
        values, by = np.array([f"bloc {k + 1}" for k in blocs.model.labels_], object), "bloc"
    colours = None
    if study.comparison is not None:
        colours = group_colours({str(name): n for name, n in study.comparison.groups.items()})
    plane = map_rankings(sample, values, unranked=sample.unranked, by_name=by, colours=colours)
    picture = plane.picture(most_arrows=len(study.items))
    remarks = [] if blocs is None else blocs.remarks()
    if blocs is not None and blocs.model.structure_ == "camps":
        remarks[0] += _agreement_of_camps(sample, blocs.model.labels_)
    structured = blocs is not None and blocs.model.structure_ in ("camps", "line")
    words = [*remarks, f"The map shows {percent(float(plane.shares.sum()), 1)} of the variation."]
    if blocs is None and sample.counts.sum() < LEAST_PEOPLE:
        words.append(f"Camps are not looked for among fewer than {LEAST_PEOPLE} rankings.")
    across = plane.directions[:, 0]
    if structured and np.ptp(across) > 0:
        westmost, eastmost = (study.items[int(k)] for k in (across.argmin(), across.argmax()))
        words.append(f"Those who rank {westmost} high are on the left; {eastmost}, on the right.")
    elif blocs is not None:
        words.append("No direction stands out.")
    if plane.n_rankings < study.description.n_rankings:
        total = study.description.n_rankings
        words.append(f"It has {plane.n_rankings:,} of {total:,} rankings, drawn at random.")
    elif not study.shown.counted:
        words.append(f"Its {plane.n_rankings:,} rankings are drawn at random, by their weights.")
    notes = ["Points are rankings, arrows point to where an item is ranked high."]
    notes += about_groups(plane)
    if any(shape.where == "later" for shape in picture.scene.shapes):
        notes.append(
            f"These are the {MOST_ARROWS} longest arrows; any other shows when you choose it."
        )
    camps = Html()
    if blocs is not None and len(blocs.model.sizes_) > 1:
        lines = (next(blocs.about(bloc, most=8)) for bloc in range(len(blocs.model.sizes_)))
        camps = tag("ul", *(tag("li", line) for line in lines))
    return Panel(
        "Map and camps",
        " ".join(words),
        join(*map(show_legend, picture.legends), draw_svg(picture.scene)),
        camps,
        " ".join(notes),
        remarks[0] if remarks else "",
        structured,
    )


def _agreement_of_camps(sample: Rankings, of: Longs) -> str:
    """Kendall's W of each camp beside that of all; nothing if some camp does not agree more."""
    everyone = agree(Sample.of(sample), 0.95).kendall_w
    camps = [agree(Sample.of(sample.rows(of == k)), 0.95).kendall_w for k in np.unique(of)]
    if everyone is None or any(w is None or w <= everyone for w in camps):
        return ""
    each = name_some([f"{w:.2f}" for w in camps], len(camps))
    return f" Each agrees more than all together: Kendall's W {each} instead of {everyone:.2f}."


def make_graph(study: Study) -> Panel | None:
    """The item graph that was given, or a learned one with edges that are more than chance."""
    graph = study.graph
    if graph is None:
        return None
    if study.learned:
        people = study.pairs.mass**2 / study.pairs.squared_mass
        n_pairs = len(study.items) * (len(study.items) - 1) / 2
        # Fisher's z of the correlations, for all pairs at once.
        least = np.tanh(-ndtri(LEVEL / n_pairs) / np.sqrt(max(people - 3, 1e-9)))
        weights = graph.to_dense()
        graph = ItemGraph(np.where(weights >= least, weights, 0.0), len(weights))
        if graph.n_edges < len(study.items) / 2:
            return None
        words = (
            "Items that the same people rank high are connected: a line is a correlation of their "
            "places that chance does not explain, 95 % sure of all lines at once."
        )
    else:
        words = "The given graph: similar items are connected."
    weights = np.triu(graph.to_dense(), 1)
    picture = map_graph(graph, items=study.items).picture(selectable=True)
    content = Html()
    if weights.any():
        i, j = (int(k) for k in np.unravel_index(int(weights.argmax()), weights.shape))
        words += f" Strongest: {study.items[i]} and {study.items[j]} ({weights[i, j]:.2f})."
        alone = int((graph.degrees == 0).sum())
        words += f" {amount(alone, 'item')} connected to none." * bool(alone)
        content = join(draw_svg(picture.scene), tag("p", picture.said, kind="soft"))
    else:
        words += " No two of these items are."
    name = "Items that go together" if study.learned else "Item graph"
    return Panel(name, words, content)


def make_contents(study: Study) -> Panel:
    """What the file contains, and whether anything looks wrong."""
    about = study.description
    kind, number = next(iter(about.kinds.items()))
    words = f"{amount(about.n_rankings, 'ranking')} of {amount(about.n_items, 'item')}: "
    share = "all" if number == about.n_rankings > 1 else percent(number, about.n_rankings)
    words += f"{share} {'is' if number == 1 else 'are'} {kind}. "
    if about.most_repeated > 1:
        words += (
            "All give the same order. "
            if about.n_distinct == 1
            else f"There are {about.n_distinct:,} different orders; the most frequent occurs "
            f"{about.most_repeated:,} times. "
        )
    low, median, high = about.lengths
    words += (
        f"Each ranking lists {amount(low, 'item')}. "
        if low == high
        else f"Rankings list {low} to {high} items, half of them {median:g} or fewer. "
    )
    problems = len(about.problems)
    check = f"{amount(problems, 'thing')} to check in the file." if problems else ""
    return Panel(
        "What is in it",
        words + (check or "Nothing looks wrong."),
        table=join(*_facts(study)),
        finding=check,
    )


def _facts(study: Study) -> Iterator[Html]:
    """What is in the file, and what looks wrong."""
    about = study.description
    large = {
        "rankings": f"{about.n_rankings:,}",
        "items": f"{about.n_items:,}",
        "different orders": f"{about.n_distinct:,}",
    }
    columns = ", ".join(f"{name} ({number:,})" for name, number in about.columns.items())
    small = {
        "file": f"{about.n_rows:,} rows with counts" * (about.n_rows != about.n_rankings),
        "weights": "survey weights" if study.about.weights is not None else "",
        "people": f"{study.n_people:,}" if study.about.people is not None else "",
        "kinds": ", ".join(f"{kind}: {number:,}" for kind, number in about.kinds.items()),
        "with ties": f"{about.n_tied:,}",
        "unranked items": _UNRANKED[study.value.unranked],
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


def make_utilities(study: Study) -> Panel | None:
    """What each person wants, where people answered several best–worst tasks."""
    model = study.utilities
    if model is None:
        return None
    # Imported where there is something to say: the estimator needs scikit-learn.
    from rankcut.utilities.words import utilities_sentences

    picture = model.picture()
    words = utilities_sentences(model, by_name=False)
    return Panel(
        "Utilities of people",
        " ".join(words),
        draw_svg(picture.scene),
        notes=picture.said,
        finding=words[0],
    )


PANELS: dict[str, Callable[[Study], Panel | None]] = {
    "groups": make_groups,
    "consensus": make_consensus,
    "map": make_map,
    "pairs": make_pairs,
    "places": make_places,
    "utilities": make_utilities,
    "graph": make_graph,
    "contents": make_contents,
}
"""The panels of a page in their order, each a function of a study."""


class Bar(NamedTuple):
    """A bar: its height as a share of the highest, its tip, and what is written below it."""

    share: float
    tip: str
    label: str = ""
    colour: str = COLOURS[0]


def _bar_chart(bars: Sequence[Bar], about: str) -> Scene:
    """Bars beside each other, with labels."""
    width, height, size = 150.0, 56.0, 11.0
    wide = min(60.0, width / len(bars))
    edge = (width - wide * len(bars)) / 2
    shapes: list[Shape] = [Path([np.array([[0.0, height], [width, height]])], FAINT)]
    for number, bar in enumerate(bars):
        x = edge + number * wide
        tall = max(height * bar.share, 1.0 if bar.share else 0.0)
        outline = rectangle(x + 0.05 * wide, height - tall, 0.9 * wide, tall)
        if bar.tip:
            shapes.append(Path(outline, bar.colour, 0.0, filled=True, tip=bar.tip))
        half = 0.35 * size * len(bar.label)
        middle = min(max(x + wide / 2, half), width - half)
        if bar.label:
            shapes.append(Text(bar.label, middle, height + 0.8 * size, size, SOFT))
    return Scene(width, height + 1.5 * size, shapes, about)


def find(panels: dict[str, Panel]) -> list[tuple[str, str]]:
    """What a page begins with: the findings that stand out first, each with the key of its panel.

    Where nothing stands out, it says so, and what was looked for.
    """
    telling = {key: panel for key, panel in panels.items() if panel.finding}
    order = sorted(telling, key=lambda key: not telling[key].stands_out)
    findings = [(telling[key].finding, key) for key in order]
    if any(panel.stands_out for panel in telling.values()):
        return findings
    return [("Nothing stands out: what there is could be chance.", "consensus"), *findings]


def say_cut(study: Study) -> str:
    """Which items the page is about, if not all; empty otherwise."""
    n_items = study.description.n_items
    if len(study.items) == n_items:
        return ""
    words = (
        f"This page is about the {len(study.items)} items that most rankings list, of "
        f"{n_items:,}; places count these items only."
    )
    if study.n_left_out:
        one = study.n_left_out == 1
        verbs = "lists none of them is" if one else "list none of them are"
        words += f" {amount(study.n_left_out, 'ranking')} that {verbs} left out."
    return words


def say_item(study: Study, i: int) -> str:
    """What the page says about an item, in one line."""
    consensus, total = study.consensus, study.description.n_rankings
    words = f"place {consensus.ranking_[i]} of {len(study.items)}"
    if consensus.rank_intervals_ is not None:
        low, high = consensus.rank_intervals_[i].tolist()
        words += " (95 % sure)" if low == high else f" (95 % sure: {low} to {high})"
    words += f", put first by {percent(study.places[i, 0], float(study.shown.counts.sum()))}"
    missing = total - int(study.listed[i])
    return words + f", not listed by {percent(missing, total)}" * bool(missing)
