"""The sentences of a page about rankings, each made from its numbers."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankcut.consensus.words import agreement_sentence
from rankcut.errors import amount
from rankcut.report.overview import LEAST_PEOPLE, Overview

# Names in a list before "and n more".
_MOST_NAMED = 4


def name_some(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> name_some(["uni"]), name_some(["uni", "ika"]), name_some(list("abcdefg"))
    ('uni', 'uni and ika', 'a, b, c, d and 3 more')
    """
    shown = list(names[:_MOST_NAMED])
    if len(names) > _MOST_NAMED:
        return f"{', '.join(shown)} and {len(names) - _MOST_NAMED} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]


def percent(part: float, whole: float) -> str:
    """A share in words; a small share is not rounded to 0 %.

    >>> percent(1, 3), percent(1, 1000), percent(999, 1000), percent(0, 5)
    ('33 %', 'less than 1 %', 'more than 99 %', '0 %')
    """
    share = part / whole if whole else 0.0
    if 0 < share < 0.01:
        return "less than 1 %"
    if 0.99 < share < 1:
        return "more than 99 %"
    return f"{share:.0%}".replace("%", " %")


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
    """Who is first and last, and how sure that is."""
    found, items = page.consensus, page.items
    top = [items[i] for i in np.flatnonzero(found.ranking == 1)]
    said = f"{name_some(top)} {'comes' if len(top) == 1 else 'share the'} first"
    said += "" if len(top) == 1 else " place"
    if found.intervals is not None:
        possible = [items[i] for i in np.flatnonzero(found.intervals[:, 0] == 1)]
        if len(top) == 1 and len(possible) == 1:
            said += ", and with 95 % confidence no other item does"
        elif len(possible) > len(top):
            said += (
                f"; with 95 % confidence, {len(possible)} items could be first: "
                f"{name_some(possible)}"
            )
        sure = int((found.intervals[:, 0] == found.intervals[:, 1]).sum())
        said += f". The exact place of {sure or 'none'} of {amount(len(items), 'item')} is certain"
    return f"{said}. {say_agreement(page)}"


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


def say_map(page: Overview, shares: NDArray[np.float64], loadings: NDArray[np.float64]) -> str:
    """How much the map shows, and what is at its ends."""
    across = loadings[:, 0]
    said = f"The map shows {percent(float(shares.sum()), 1)} of the variation between rankings."
    if np.ptp(across) > 0:
        right, left = page.items[int(across.argmax())], page.items[int(across.argmin())]
        said += f" From left to right it sets those who rank {left} high apart from those who rank "
        said += f"{right} high."
    drawn = int(page.sample.counts.sum())
    if drawn < page.n_people:
        said += f" It has {drawn:,} of {page.n_people:,} rankings, drawn at random."
    return said


def say_blocs(page: Overview) -> str:
    """Whether people fall into blocs."""
    if page.blocs is None:
        few = int(page.sample.counts.sum()) < LEAST_PEOPLE
        return f"Blocs are not looked for among fewer than {LEAST_PEOPLE} rankings." * few
    if len(page.blocs.sizes) == 1:
        return "No blocs were found: people differ by degrees, or are too few to tell."
    total = float(page.blocs.sizes.sum())
    sizes = [percent(size, total) for size in page.blocs.sizes.tolist()]
    said = f"People fall into {len(sizes)} blocs of {name_some(sizes)}."
    orders = [
        f"Bloc {k + 1} puts {page.items[int(row.argmin())]} first"
        for k, row in enumerate(page.blocs.rankings)
    ]
    return f"{said} {'; '.join(orders[:_MOST_NAMED])}."


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
