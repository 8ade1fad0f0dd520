"""Describe a set of rankings: kinds, lengths, favourites, repeats and problems."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankcut.consensus import (
    Agreement,
    Units,
    agree,
    compare_pairs,
    mean_scores,
    rank_listed,
)
from rankcut.errors import amount
from rankcut.rankings import read_rankings
from rankcut.rankings.ranking_set import RankingSet

# Items ranked by at least this share of the rankings are listed as most and least preferred.
_WORTH_A_PLACE = 0.01

# Numbers larger than this many times the number of items are probably not ranks.
_PLAUSIBLE = 10

# Up to this many items, agreement compares all pairs of items.
_MOST_PAIRED = 100


@dataclass(frozen=True)
class Preference:
    """The mean share of the other items in a ranking that an item beats."""

    item: str
    beats: float
    n_rankings: int


@dataclass(frozen=True)
class Description:
    """The result of :func:`describe`. A row with a count of c is c rankings.

    Attributes
    ----------
    n_rankings, n_rows, n_items : int
        Number of rankings, rows and items.
    kinds : dict
        Number of rankings of each kind, most frequent first.
    lengths : (int, float, int)
        The smallest, median and largest number of items in a ranking.
    n_tied : int
        Number of rankings with ties.
    n_distinct : int
        Number of distinct orders.
    most_repeated : int
        Number of times the most frequent order occurs.
    preferred : list of Preference
        The items, most preferred first: in the order of :class:`~rankcut.Consensus` by Borda's
        method, unranked items anywhere.
    agreement : Agreement or None
        How much people agree, with 95 % intervals; None if nothing is ranked.
    columns : dict
        The number of distinct values of each other column.
    problems : list of str
        Possible problems, to check.
    """

    n_rankings: int
    n_rows: int
    n_items: int
    kinds: dict[str, int]
    lengths: tuple[int, float, int]
    n_tied: int
    n_distinct: int
    most_repeated: int
    preferred: list[Preference]
    agreement: Agreement | None
    columns: dict[str, int]
    problems: list[str]


def describe(rankings: RankingSet) -> Description:
    """Describe a set of rankings.

    Examples
    --------
    >>> votes = RankingSet(np.array([[1.0, 2.0, 2.0], [2.0, 1.0, np.nan]]), ("a", "b", "c"))
    >>> describe(votes).kinds
    {'with ties, all items': 1, 'strict, part of the items': 1}
    """
    matrix = rankings.sparse()
    rows = np.repeat(np.arange(len(rankings)), np.diff(matrix.indptr))
    lengths = rankings.n_ranked()
    beaten, n_groups = _beaten(rows, matrix.data, lengths)
    tied = n_groups < lengths
    kinds = _kinds(rankings, lengths, tied)
    people = _people(rankings) if lengths.any() else None
    repeats = _repeats(rankings, matrix, beaten, people)
    preferred = _preferred(rankings, rows, matrix.indices, beaten, lengths, people)
    return Description(
        n_rankings=rankings.n_rankings,
        n_rows=len(rankings),
        n_items=len(rankings.items),
        kinds=kinds,
        lengths=(int(lengths.min()), _median(lengths, rankings.counts), int(lengths.max())),
        n_tied=int(rankings.counts[tied].sum()),
        n_distinct=len(repeats),
        most_repeated=max(repeats),
        preferred=preferred,
        agreement=None if people is None else _agreement(people),
        columns={
            name: len({value for value in values.tolist() if value is not None and value == value})
            for name, values in rankings.columns.items()
        },
        problems=_problems(rankings, matrix, lengths, tied, len(repeats)),
    )


def _repeats(
    rankings: RankingSet,
    matrix: sparse.csr_array,
    beaten: NDArray[np.float64],
    people: Units | None,
) -> list[int]:
    """How often each distinct order occurs."""
    if people is not None and people.rankings.grouped:
        return people.counts.tolist()  # type: ignore[no-any-return]
    orders: Counter[bytes] = Counter()
    for row, count in enumerate(rankings.counts.tolist()):
        entries = slice(matrix.indptr[row], matrix.indptr[row + 1])
        items = matrix.indices[entries].astype(np.int64)
        orders[items.tobytes() + beaten[entries].tobytes()] += count
    return list(orders.values())


def _median(lengths: NDArray[np.int64], counts: NDArray[np.int64]) -> float:
    """The median of the lengths, each with its count."""
    order = np.argsort(lengths, kind="stable")
    ends = np.cumsum(counts[order].astype(object))  # exact for any size
    half = [ends[-1] // 2 + 1, (ends[-1] + 1) // 2]
    middle = [lengths[order[int(np.argmax(ends >= place))]] for place in half]
    return float(middle[0] + middle[1]) / 2


def _beaten(
    rows: NDArray[np.int64], ranks: NDArray[np.float64], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The items that each entry beats in its ranking (ties count half), and each row's groups."""
    if _are_places(ranks, lengths):
        return lengths[rows] - ranks, lengths
    order = _by_rank(rows, ranks, lengths)
    row, rank = rows[order], ranks[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(row) != 0) | (np.diff(rank) != 0)
    group = np.cumsum(new) - 1
    size = np.bincount(group) if len(group) else np.zeros(0, dtype=np.int64)
    end = np.cumsum(size)
    ends = np.cumsum(lengths)
    behind = ends[row] - end[group]
    beaten = np.empty(len(order))
    beaten[order] = behind + (size[group] - 1) / 2
    return beaten, np.bincount(row[new], minlength=len(lengths))


def _are_places(ranks: NDArray[np.float64], lengths: NDArray[np.int64]) -> bool:
    """Whether each row has the ranks 1 to its length once, and all have the same length.

    >>> _are_places(np.array([2.0, 1.0, 1.0, 2.0]), np.array([2, 2]))
    True
    >>> _are_places(np.array([2.0, 2.0, 1.0, 2.0]), np.array([2, 2]))
    False
    """
    length = int(lengths[0]) if len(lengths) else 0
    if not 0 < length < 63 or (lengths != length).any():
        return False
    places = ranks.astype(np.int64)
    if (places != ranks).any() or places.min() < 1 or places.max() > length:
        return False
    # A bit for each place.
    seen = np.bitwise_or.reduce((1 << places).reshape(-1, length), axis=1)
    return bool((seen == (1 << (length + 1)) - 2).all())


def _by_rank(
    rows: NDArray[np.int64], ranks: NDArray[np.float64], lengths: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The entries row by row, best first; rows of one length are sorted side by side."""
    length = int(lengths[0]) if len(lengths) else 0
    if not length or (lengths != length).any():
        return np.lexsort((ranks, rows))
    within = np.argsort(ranks.reshape(-1, length), axis=1, kind="stable")
    within += length * np.arange(len(lengths))[:, np.newaxis]
    return within.ravel()


def _kinds(
    rankings: RankingSet, lengths: NDArray[np.int64], tied: NDArray[np.bool_]
) -> dict[str, int]:
    whole = lengths == len(rankings.items)
    kinds = {
        "full": whole & ~tied,
        "with ties, all items": whole & tied,
        "strict, part of the items": ~whole & ~tied & (lengths > 0),
        "with ties, part of the items": ~whole & tied,
        "ranks nothing": lengths == 0,
    }
    found = {kind: int(rankings.counts[rows].sum()) for kind, rows in kinds.items()}
    return {kind: n for kind, n in sorted(found.items(), key=lambda pair: -pair[1]) if n}


def _preferred(
    rankings: RankingSet,
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    beaten: NDArray[np.float64],
    lengths: NDArray[np.int64],
    people: Units | None,
) -> list[Preference]:
    if people is None:
        return []
    n_items = len(rankings.items)
    counts = rankings.counts.astype(np.float64)[rows]
    times = np.bincount(columns, weights=counts, minlength=n_items)
    compared = lengths[rows] > 1
    share = beaten[compared] / (lengths[rows[compared]] - 1)
    weight = counts[compared]
    total = np.bincount(columns[compared], weights=weight * share, minlength=n_items)
    among = np.bincount(columns[compared], weights=weight, minlength=n_items)
    enough = (among > 0) & (times >= _WORTH_A_PLACE * rankings.n_rankings)
    beats = np.divide(total, among, out=np.zeros(n_items), where=among > 0)
    places = rank_listed(mean_scores(people), people.listed)
    order = [i for i in np.argsort(places, kind="stable").tolist() if enough[i]]
    return [Preference(str(rankings.items[i]), float(beats[i]), int(times[i])) for i in order]


def _people(rankings: RankingSet) -> Units:
    return Units.of(read_rankings(rankings, unranked="anywhere"))


def _agreement(people: Units) -> Agreement:
    """How much people agree; the mean tau of two people only for few items."""
    pairs = compare_pairs(people) if people.n_items <= _MOST_PAIRED else None
    return agree(people, pairs, 0.95)


def _problems(
    rankings: RankingSet,
    matrix: sparse.csr_array,
    lengths: NDArray[np.int64],
    tied: NDArray[np.bool_],
    n_distinct: int,
) -> list[str]:
    problems = list(rankings.notes)
    empty = int(rankings.counts[lengths == 0].sum())
    if empty:
        first = int(np.argmax(lengths == 0))
        problems.append(f"{_of(empty)} nothing, the first in row {first}")
    single = int(rankings.counts[lengths == 1].sum())
    if single and len(rankings.items) > 1:
        problems.append(
            f"{_of(single)} a single item, which compares nothing unless the others are last"
        )
    if len(rankings.items) == 1:
        problems.append(
            f"there is only one item, {rankings.items[0]!r}: are these the right columns?"
        )
    elif rankings.n_rankings > 1 and n_distinct == 1:
        problems.append("all rankings are the same: are these the right columns?")
    ranks = matrix.data
    largest = float(ranks.max()) if ranks.size else 0.0
    if largest > _PLAUSIBLE * len(rankings.items):
        problems.append(
            f"ranks go up to {largest:,g}, with {amount(len(rankings.items), 'item')}: are these "
            "ranks? (scores: --layout ratings; a line for each item: --layout long; columns that "
            "are not items: --columns)"
        )
    seen = np.bincount(matrix.indices, minlength=len(rankings.items))
    unseen = np.flatnonzero(seen == 0)
    if unseen.size:
        problems.append(
            f"{amount(unseen.size, 'item')} in no ranking, such as {rankings.items[unseen[0]]!r}"
        )
    if rankings.ids is not None and len(set(rankings.ids)) < len(rankings.ids):
        twice, times = Counter(rankings.ids).most_common(1)[0]
        problems.append(f"rankings share a name: {twice!r} occurs {times} times")
    return problems + _against_header(rankings, lengths, tied, n_distinct)


def _of(number: int) -> str:
    return f"{amount(number, 'ranking')} {'ranks' if number == 1 else 'rank'}"


def _against_header(
    rankings: RankingSet, lengths: NDArray[np.int64], tied: NDArray[np.bool_], n_distinct: int
) -> list[str]:
    """Disagreements between the header of a PrefLib file and its orders."""
    problems = []
    header = rankings.metadata
    for key, found in (
        ("NUMBER VOTERS", rankings.n_rankings),
        ("NUMBER UNIQUE ORDERS", n_distinct),
        # All items in the first category and all in the last are one order and two preferences.
        ("NUMBER UNIQUE PREFERENCES", len(rankings)),
    ):
        if key in header and header[key] != str(found):
            problems.append(f"the header says {key.lower()}: {header[key]}, but there are {found}")
    kind = header.get("DATA TYPE", "")
    if kind in ("soc", "soi") and tied.any():
        problems.append(f"the header says {kind}, strict orders, but there are ties")
    if kind in ("soc", "toc") and (lengths < len(rankings.items)).any():
        problems.append(f"the header says {kind}, complete orders, but some leave items out")
    return problems
