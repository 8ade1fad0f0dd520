"""Describe a set of rankings: kinds, lengths, favourites, repeats and problems."""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.consensus.agreement import Agreement, agree
from rankcut.consensus.methods import mean_scores, rank_listed
from rankcut.errors import amount
from rankcut.rankings import Rankings, read_rankings
from rankcut.rankings.partitions import Partitions
from rankcut.rankings.ranking_set import RankingSet
from rankcut.rankings.value import Unranked
from rankcut.sample import Sample, weighted_median


@dataclass(frozen=True)
class Preference:
    """The mean share of the other items in a ranking that an item beats."""

    item: str
    beats: float
    n_rankings: int


@dataclass(frozen=True)
class Description:
    """The result of :func:`describe`. A row with a count of c is c rankings."""

    n_rankings: int
    n_rows: int
    n_items: int
    kinds: dict[str, int]  #: number of rankings of each kind, most frequent first
    lengths: tuple[int, float, int]  #: smallest, median and largest number of items
    n_tied: int  #: rankings with ties
    n_distinct: int  #: distinct orders
    most_repeated: int  #: times of the most frequent order
    #: Most preferred first, in the order of a consensus by Borda's method
    preferred: list[Preference]
    agreement: Agreement | None  #: with 95 % intervals; None if nothing is ranked
    unranked: Unranked  #: what the last two take unranked items for
    columns: dict[str, int]  #: number of distinct values of each other column
    problems: list[str]  #: possible ones, to check


def describe(
    rankings: RankingSet, value: Rankings | None = None, *, unranked: Unranked = "error"
) -> Description:
    """Describe a set of rankings; ``value`` are the same rankings, if they are read already.

    If neither these nor ``unranked`` nor the file says what an unranked item means, its place is
    unknown.

    Examples
    --------
    >>> votes = RankingSet(np.array([[1.0, 2.0, 2.0], [2.0, 1.0, np.nan]]), ("a", "b", "c"))
    >>> describe(votes).kinds
    {'complete, with ties': 1, 'incomplete': 1}
    """
    meanings = (unranked, "error" if value is None else value.unranked, rankings.unranked)
    meaning: Unranked = next((each for each in meanings if each != "error"), "anywhere")
    value = read_rankings(rankings if value is None else value, unranked="anywhere")
    filled = rankings.n_ranked() > 0
    sample = None
    if filled.any():
        some = value if filled.all() else value.rows(filled)
        sample = Sample.of(some.meaning(meaning))
    if rankings.weights is not None:
        # Rankings are counted, whatever their weights.
        value = value.with_weights(rankings.counts.astype(np.float64), counted=True)
    same = filled.all() and meaning == "anywhere" and rankings.weights is None
    merged = sample.rankings if sample is not None and same else value.merged().rankings
    # The lists of a catalogue are shorter than the groups of all its items.
    census = _tally(merged if value.sparse is None else value, merged)
    return Description(
        n_rankings=rankings.n_rankings,
        n_rows=len(rankings),
        n_items=len(rankings.items),
        kinds=_kinds(census, len(rankings.items)),
        lengths=(
            int(census.lengths.min()),
            weighted_median(census.lengths, census.counts),
            int(census.lengths.max()),
        ),
        n_tied=int(census.counts[census.tied].sum()),
        n_distinct=len(census.repeats),
        most_repeated=max(census.repeats),
        preferred=[] if sample is None else _preferred(rankings, census, sample),
        agreement=None if sample is None else agree(sample, 0.95),
        unranked=meaning,
        columns={
            name: len({value for value in values.tolist() if value is not None and value == value})
            for name, values in rankings.columns.items()
        },
        problems=_problems(rankings, value, census),
    )


class _Census(NamedTuple):
    """What is counted of rankings, and of each item."""

    counts: NDArray[np.int64]  #: how often each ranking occurs
    lengths: NDArray[np.int64]  #: how many items it lists
    tied: NDArray[np.bool_]  #: whether it has ties
    repeats: list[int]  #: how often each order occurs
    times: NDArray[np.float64]  #: how often each item is listed
    compared: NDArray[np.float64]  #: how often it is listed with others
    beats: NDArray[np.float64]  #: the mean share of these others that it beats


def _tally(rankings: Rankings, merged: Rankings) -> _Census:
    """What is counted of rankings, and how often each of the merged ones occurs."""
    n_rows, n_items = rankings.shape
    counts = rankings.counts
    lengths, n_groups = np.zeros(n_rows, dtype=np.int64), np.zeros(n_rows, dtype=np.int64)
    times, compared, beaten = np.zeros((3, n_items))
    orders: Counter[bytes] = Counter()
    for start, block in rankings.listed_blocks():
        rows = slice(start, start + len(block))
        lengths[rows], n_groups[rows] = block.n_ranked(), block.n_groups
        row, place, first, last = group_bounds(block)
        items, others = block.order[row, place], lengths[rows][row] - 1
        weights = counts[rows][row]
        shares = (others + 1 - last + (last - first - 1) / 2) / np.maximum(others, 1)
        times += np.bincount(items, weights, n_items)
        compared += np.bincount(items, weights * (others > 0), n_items)
        beaten += np.bincount(items, weights * (others > 0) * shares, n_items)
        if not merged.grouped:
            # Too many items for equal rankings to be merged.
            for row_number, length, groups in zip(
                range(len(block)), lengths[rows], block.n_groups, strict=True
            ):
                listed, ends = block.order[row_number, :length], block.ends[row_number, :groups]
                orders[listed.tobytes() + ends.tobytes()] += int(counts[start + row_number])
    repeats_of_rows = counts.astype(np.int64)
    beats = np.divide(beaten, compared, out=np.zeros(n_items), where=compared > 0)
    repeats = list(orders.values()) or merged.counts.astype(np.int64).tolist()
    return _Census(repeats_of_rows, lengths, n_groups < lengths, repeats, times, compared, beats)


def group_bounds(block: Partitions) -> tuple[NDArray[np.int64], ...]:
    """Row and place of each listed item, and where its group begins and ends.

    >>> block = Partitions.of_groups([[[2], [0, 1]]], 3)
    >>> [found.tolist() for found in group_bounds(block)]
    [[0, 0, 0], [0, 1, 2], [0, 1, 1], [1, 3, 3]]
    """
    columns = np.arange(block.order.shape[1])
    row, group = np.nonzero(columns < block.n_groups[:, np.newaxis])
    begins = np.zeros(block.order.shape, dtype=np.int64)
    ends = block.ends[row, group]
    # Each group begins a step, so that sums along a row count the groups up to a place.
    inner = group + 1 < block.n_groups[row]
    begins[row[inner], ends[inner]] = 1
    listed = columns < block.n_ranked()[:, np.newaxis]
    number = begins.cumsum(axis=1)[listed]
    row, place = np.nonzero(listed)
    last = block.ends[row, number].astype(np.int64)
    first = np.where(number > 0, block.ends[row, np.maximum(number - 1, 0)], 0).astype(np.int64)
    return row, place, first, last


def _kinds(census: _Census, n_items: int) -> dict[str, int]:
    is_full = census.lengths == n_items
    kinds = {
        "full": is_full & ~census.tied,
        "complete, with ties": is_full & census.tied,
        "incomplete": ~is_full & ~census.tied & (census.lengths > 0),
        "incomplete, with ties": ~is_full & census.tied,
        "empty": census.lengths == 0,
    }
    numbers = {kind: int(census.counts[rows].sum()) for kind, rows in kinds.items()}
    return {kind: n for kind, n in sorted(numbers.items(), key=lambda pair: -pair[1]) if n}


def _preferred(rankings: RankingSet, census: _Census, sample: Sample) -> list[Preference]:
    # Items that hardly anyone ranks are not listed.
    enough = (census.compared > 0) & (census.times >= 0.01 * rankings.n_rankings)
    places = rank_listed(mean_scores(sample), sample.listed)
    return [
        Preference(str(rankings.items[i]), float(census.beats[i]), int(census.times[i]))
        for i in np.argsort(places, kind="stable").tolist()
        if enough[i]
    ]


def _problems(rankings: RankingSet, value: Rankings, census: _Census) -> list[str]:
    problems = list(rankings.notes)
    n_items = len(rankings.items)
    empty, single = (int(census.counts[census.lengths == n].sum()) for n in (0, 1))
    if empty:
        first = int(np.argmax(rankings.n_ranked() == 0))
        problems.append(f"{_of(empty)} nothing, the first in row {first}")
    if single and n_items > 1:
        problems.append(
            f"{_of(single)} a single item, which compares nothing unless the others are last"
        )
    if n_items == 1:
        problems.append(
            f"there is only one item, {rankings.items[0]!r}: are these the right columns?"
        )
    elif rankings.n_rankings > 1 and len(census.repeats) == 1:
        problems.append("all rankings are the same: are these the right columns?")
    ranks = value.stored if value.sparse is None else value.sparse.data
    largest = float(np.nanmax(ranks)) if census.times.any() else 0.0
    # So large numbers are probably not ranks.
    if largest > 10 * n_items:
        problems.append(
            f"ranks go up to {largest:,g}, with {amount(n_items, 'item')}: are these "
            "ranks? (scores: --layout ratings; a line for each item: --layout long; columns that "
            "are not items: --columns)"
        )
    unseen = np.flatnonzero(census.times == 0)
    if unseen.size:
        problems.append(
            f"{amount(unseen.size, 'item')} in no ranking, such as {rankings.items[unseen[0]]!r}"
        )
    if rankings.ids is not None and len(set(rankings.ids)) < len(rankings.ids):
        twice, times = Counter(rankings.ids).most_common(1)[0]
        problems.append(f"rankings share a name: {twice!r} occurs {times} times")
    again = _n_again(rankings)
    if again:
        problems.append(
            f"{amount(again, 'row')} again, with the same answers in every column: sent twice?"
        )
    tied = int(census.counts[census.tied].sum())
    # So few ties may be mistakes.
    if rankings.asked_ties and 0 < tied <= 0.05 * rankings.n_rankings:
        problems.append(f"{_of(tied)} some items equal, and all others none")
    return problems


def _n_again(rankings: RankingSet) -> int:
    """How many rows are another's in all that is known of them, if that tells rows apart."""
    about: list[Any] = [*rankings.columns.values()]
    about += [] if rankings.ids is None else [rankings.ids]
    if not about or rankings.unranked == "anywhere":
        return 0
    known = list(zip(*([str(value) for value in values] for values in about), strict=True))
    # Only columns that differ in many rows, such as times and names, tell what was sent twice.
    if len({*known}) < 0.5 * len(known):
        return 0
    ranks = rankings.sparse()
    answers = [
        (ranks.indices[a:b].tobytes(), ranks.data[a:b].tobytes())
        for a, b in pairwise(ranks.indptr.tolist())
    ]
    return len(known) - len({*zip(known, answers, strict=True)})


def _of(number: int) -> str:
    return f"{amount(number, 'ranking')} {'ranks' if number == 1 else 'rank'}"
