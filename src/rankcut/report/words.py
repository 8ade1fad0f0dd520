"""The sentences of a page about rankings, each made from its numbers."""

import numpy as np
from numpy.typing import NDArray

from rankcut.consensus.words import agreement_sentence, name_some, percent
from rankcut.errors import amount
from rankcut.pictures.ranking_map import RankingMap
from rankcut.report.overview import LEAST_PEOPLE, Overview


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
    """Who comes first, how sure that is, and how much people agree."""
    return f"{page.consensus.leaders(page.items)} {say_agreement(page)}"


def say_agreement(page: Overview) -> str:
    """How much people agree: the share of pairs on which two of them agree."""
    found = page.consensus.agreement
    if found.mean_tau is None:
        return agreement_sentence(found, 0.95)
    said = (
        f"Two people agree on {percent(1 + found.mean_tau, 2)} of the pairs that both order, on "
        "average; 50 % would be chance. "
    )
    return said + agreement_sentence(found, 0.95)


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
        said += (
            f" They differ about {name_some([str(each['item']) for each in rows])}; most about "
            f"{row['item']}, {row['difference']:.1f} places higher in {row['higher_in']} than in "
            f"{row['lower_in']}."
        )
    return said


def say_method(page: Overview) -> str:
    """How groups were compared, and what to know about it."""
    assert page.comparison is not None
    return " ".join([page.comparison["method"], *page.comparison["notes"]])


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
