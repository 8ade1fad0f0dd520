"""Ranks: a row for each ranking and a column for each item, or a column for each ranking.

Numbers along the rows are ranks where

- all are whole or half numbers from 1, or from 0, up to the number of items;
- complete rows are permutations of 1, 2, 3 …, or have ties as people write them: each group of
  ties has the first, the last or the mean of its places, or the next number;
- incomplete rows begin at 1 or have no ties, where as many other numbers would have some.

Columns without which all complete rows are permutations are no items, whatever they are called.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import comb, lgamma, log
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import RankingFileError, Setting, Text
from rankcut.files.options import (
    TableOptions,
    as_option,
    described,
    free_columns,
    places_in,
    shortened,
    some_of,
)
from rankcut.files.readings.way import (
    CERTAIN,
    FEWEST_ITEMS,
    FITS,
    MOST_ODD,
    POSSIBLE,
    Evidence,
    OnRows,
    Way,
    by_columns,
    way_of_rows,
)
from rankcut.files.readings.words import is_about, words_of
from rankcut.files.tables import TableBlock, is_empty, number_of
from rankcut.rankings.ranking_set import RankingSet

# Permutations in some columns among others are no accident if the odds are this much against it.
_ODDS = log(1e4)

# Ranks without ties are no accident if as many other numbers would have this many.
_TIES_EXPECTED = 3.0

# Questions among others have at most so many items, in tables of at most so many columns; and so
# many columns in the way of all others are taken out.
_MOST_ITEMS, _MOST_SEARCHED, _MOST_OUT = 50, 120, 8

# Codes for no answer are at most so many different ones, and columns with one so many.
_MOST_CODES = 3

_PEOPLE = {"who", "name", "voter", "judge", "rater", "respondent", "person", "participant", "user"}
_ITEMS = {
    *("candidate", "candidates", "item", "items", "option", "options", "alternative", "dish"),
    *("team", "teams", "model", "models", "film", "movie", "choice", "choices", "country", "name"),
}

# What says that a higher number is better.
_HIGHER = re.compile(
    r"(?i)\bpoints?\b|votes given|(higher|highest|larger|bigger)( numbers?)? (is|are|=|means?)"
    r"( the)? (better|best|more)|\b([2-9]|\d\d+) ?(=|is|being)( the)? ?(best|highest|most)"
)


def says_higher(*texts: str) -> bool:
    """Whether a title or header says that higher numbers are better.

    >>> says_higher("Points given"), says_higher("Rank (10 = best)"), says_higher("Rank (1 = best)")
    (True, True, False)
    """
    return any(map(_HIGHER.search, texts))


def recognise(block: TableBlock, columns: Sequence[int]) -> list[Way]:
    """Ranks along the rows, and down the columns."""
    numeric = _with_numbers(block, columns)
    mistyped = [i for i in columns if mistyped_in(block, i)]
    twice = any({again, first} <= {*numeric} for again, first in block.repeats.items())
    if twice or len(numeric) + len(mistyped) < 2:
        return []
    along = list(_along(block, columns, numeric))
    down = list(_down(block, columns, numeric))
    if any(way.named and way.evidence == CERTAIN for way in along):
        return along
    if down and all(way.evidence == FITS for way in along):
        # Ranks without ties down the columns are none with ties along the rows.
        values = np.column_stack([block.numbers(i, "the rank") for i in numeric])
        if _ties(values).any(axis=1).mean() > MOST_ODD:
            along = [replace(way, evidence=POSSIBLE) for way in along]
    return [*along, *down]


def _with_numbers(block: TableBlock, columns: Sequence[int]) -> list[int]:
    """The columns of numbers, and those without any value beside them: items that nobody ranks."""
    empty = block.empty_columns()
    numeric = {i for i in columns if i not in empty and block.is_numeric(i)}
    nothing = len(empty) == len(block.names)
    if len(numeric) > 1 or nothing:
        beside = [i for i in columns if nothing or {i - 1, i + 1} & numeric]
        titled = block.titled
        numeric |= {i for i in beside if titled and i in empty and not is_about(block.names[i])}
    return sorted(numeric)


def rank_evidence(values: NDArray[np.float64]) -> Evidence | None:
    """How much speaks for rows of ranks; None if something speaks against them.

    >>> rank_evidence(np.array([[1.0, 2, 3], [3, 1, 2], [2, 3, 1]]))
    3
    >>> rank_evidence(np.array([[1.0, 2, np.nan], [np.nan, 1, 2], [2, np.nan, 1]]))
    2
    >>> rank_evidence(np.array([[5.0, 3, 1], [4, 4, 2], [5, 5, 2]]))
    >>> rank_evidence(np.array([[1.0, 0, 0], [0, 0, 1], [1, 1, 0]]))
    """
    n_items = values.shape[1]
    n_listed = np.count_nonzero(~np.isnan(values), axis=1)
    ordered = np.sort(values[n_listed > 0], axis=1)
    n_listed = n_listed[n_listed > 0]
    if not n_listed.size or n_items < 2:
        return None
    from_zero = bool((ordered[:, 0] == 0).any())
    ordered = ordered + from_zero
    if ordered[:, 0].min() != 1 or np.nanmax(ordered) > n_items or np.nanmax(2 * ordered % 1) > 0:
        return None
    ties = (np.diff(ordered, axis=1) == 0).sum(axis=1)
    complete = n_listed == n_items
    strict = (ordered == np.arange(1, n_items + 1)) | np.isnan(ordered)
    permuted = complete & strict.all(axis=1)
    mostly = 2 * complete.sum() >= len(complete)
    if mostly and permuted.sum() >= (1 - MOST_ODD) * complete.sum():
        # Two numbers are always a permutation, or tied; of 0 and 1, 1 may be the better.
        return CERTAIN if n_items >= FEWEST_ITEMS else None if from_zero else FITS
    if from_zero:
        return None
    if np.nanmax(ordered) == 1:
        # Nobody orders anything, or everybody marks one.
        return FITS if complete.all() else None if (n_listed > 1).any() else POSSIBLE
    usual = _assigned(ordered, n_listed) | (~complete & (ties == 0))[:, None]
    if usual.mean(axis=0).max() < 1 - MOST_ODD:
        return None
    expected = sum(comb(n, 2) for n in n_listed[ties == 0].tolist()) / n_items
    begin = bool((ordered[:, 0] == 1).mean() >= 1 - MOST_ODD)
    return FITS if mostly or begin or expected >= _TIES_EXPECTED else POSSIBLE


def _assigned(ordered: NDArray[np.float64], n_listed: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which rows, in order, have ranks as people assign them, with ties in each of four ways."""
    n_items = ordered.shape[1]
    place = np.arange(n_items)
    listed = place < n_listed[:, None]
    begins = np.diff(ordered, axis=1, prepend=-np.inf) > 0
    ends = np.diff(ordered, axis=1, append=np.inf) > 0
    ends |= place == n_listed[:, None] - 1
    first = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
    last = np.minimum.accumulate(np.where(ends, place, n_items)[:, ::-1], axis=1)[:, ::-1]
    dense = np.cumsum(begins, axis=1) - 1
    ways = (first, last, (first + last) / 2, dense)
    return np.column_stack([((way + 1 == ordered) | ~listed).all(axis=1) for way in ways])


def _along(block: TableBlock, columns: Sequence[int], numeric: list[int]) -> Iterator[Way]:
    """The ways to read rows as rankings of some of the columns of numbers."""
    values = {i: block.numbers(i, "the rank") for i in numeric}
    mistyped = {i: words for i in {*columns} - {*numeric} if (words := mistyped_in(block, i))}
    evidence = _judged(block, values, numeric)
    about = [i for i in numeric if is_about(block.names[i]) or _numbers_rows(values[i])]
    if about and evidence != CERTAIN:
        # By its name or numbers a column may be about the ranking; the others are ranks without it.
        others = [i for i in numeric if i not in about]
        without = _judged(block, values, others) or POSSIBLE
        # Where the others alone are ranks, they are some that do order items.
        enough = evidence or (len(others) >= FEWEST_ITEMS and (_rows(values, others) > 1).any())
        if without >= (evidence or FITS) and enough:
            numeric, evidence = others, FITS if evidence else without
        elif evidence:
            evidence = POSSIBLE
    untied = _untied(values, numeric) if evidence == FITS else numeric
    if untied != numeric:
        # Without columns that are tied with all others there are no ties; are they items?
        certain = _judged(block, values, untied) == CERTAIN
        evidence = CERTAIN if certain else POSSIBLE
        if not certain:
            yield from _ways(block, untied, sorted({*values} - {*untied}), POSSIBLE)
        numeric = untied if certain else numeric
    if evidence is not None and not mistyped:
        yield from _ways(block, numeric, sorted({*values} - {*numeric}), evidence)
        if evidence > POSSIBLE:
            return
    groups = list(_permuted(block, values))
    for items in groups:
        question = block.names[items[0]] if len(groups) > 1 else ""
        yield from _ways(block, items, sorted({*values} - {*items}), CERTAIN, question)
    if groups:
        return
    yield from _with_codes(block, [i for i in values if i not in about], about, mistyped)
    fewer = _without_odd(block, values)
    if len(fewer) > 1 and _judged(block, values, fewer):
        left_out = sorted(({*values} | {*mistyped}) - {*fewer})
        yield from _ways(block, fewer, left_out, POSSIBLE)
    elif len(items := [i for i in values if i not in about]) > 1:
        rows = _rows(values, items)
        listed = rows[~np.isnan(rows)]
        whole = not (listed % 1).any() and (listed >= 1).all() and (listed <= len(items)).all()
        if listed.size and whole and 2 * (rows == 1).any(axis=1).sum() > len(rows):
            # Ties and gaps of any kind; a rank of 1 is in most rows.
            way = _ways(block, items, [], POSSIBLE)[0]
            yield replace(way, settings=by_columns("wide", items, block))


def _judged(
    block: TableBlock, values: dict[int, NDArray[np.float64]], items: list[int]
) -> Evidence | None:
    """The evidence for ranks in some columns: none for ordinals beside plain numbers."""
    if len(items) < 2 or not {*items}.isdisjoint(block.repeats):
        return None
    empty = block.empty_columns()
    ordinals = {block.has_ordinals(i) for i in items if i not in empty}
    evidence = rank_evidence(np.column_stack([values[i] for i in items]))
    # A "2nd" among numbers is a rank, and columns of ordinals are not beside those of numbers.
    return None if len(ordinals) > 1 and evidence != CERTAIN else evidence


def _permuted(block: TableBlock, values: dict[int, NDArray[np.float64]]) -> Iterator[list[int]]:
    """The groups of columns, beside others, whose complete rows are permutations.

    They are sought among the columns of ordinals, among all that are small enough, and among
    neighbours. Where other columns could be ranks too, chance hardly gives so many permutations.
    """
    listed = {i: column[~np.isnan(column)] for i, column in values.items()}
    most = {
        i: float(column.max())
        for i, column in listed.items()
        if column.size and column.min() >= 1 and not (column % 1).any()
    }
    ordinals = [i for i in most if block.has_ordinals(i)]
    if 1 < len(ordinals) < len(values) and rank_evidence(_rows(values, ordinals)) is not None:
        yield ordinals
        return
    sets = list(_neighbours(most)) if len(most) <= _MOST_SEARCHED else []
    earlier: set[int] = set()
    for items in dict.fromkeys(sets):
        rows = _rows(values, items)
        if not earlier.isdisjoint(items) or rank_evidence(rows) != CERTAIN:
            continue
        complete = int((~np.isnan(rows)).all(axis=1).sum())
        surprise = complete * (len(items) * log(len(items)) - lgamma(len(items) + 1))
        others = [i for i in values if i not in items and not _numbers_rows(values[i])]
        alone = all(most.get(i, np.inf) > len(items) for i in others)
        complete_enough = complete >= (1 - MOST_ODD) * (~np.isnan(rows)).any(axis=1).sum()
        if alone or (complete_enough and surprise > _ODDS + log(len(sets))):
            earlier.update(items)
            yield list(items)


def _numbers_rows(column: NDArray[np.float64]) -> bool:
    """Whether a column counts the rows, one by one."""
    return len(column) > 2 and bool((np.diff(column) == 1).all())


def _neighbours(most: dict[int, float]) -> Iterator[tuple[int, ...]]:
    """Sets of columns none of which has a number beyond the size of the set, the largest first."""
    for size in range(min(len(most), _MOST_ITEMS), FEWEST_ITEMS - 1, -1):
        small = tuple(i for i, largest in most.items() if largest <= size)
        if len(small) == size:
            yield small
        columns = list(most)
        for start in range(len(columns) - size + 1):
            if most[columns[start]] <= size and {*columns[start : start + size]} <= {*small}:
                yield tuple(columns[start : start + size])


def _rows(values: dict[int, NDArray[np.float64]], items: Sequence[int]) -> NDArray[np.float64]:
    return np.column_stack([values[i] for i in items])


def _without_odd(block: TableBlock, values: dict[int, NDArray[np.float64]]) -> list[int]:
    """The columns without those that no ranks have, and without a few in the way of all others."""
    items: list[int] = []
    good = [i for i in values if not is_about(block.names[i])]
    while len(good) > 1 and len(good) != len(items):
        items = good
        good = [i for i in items if _in_range(values[i], len(items))]
    return _untied(values, items)


def _untied(values: dict[int, NDArray[np.float64]], items: list[int]) -> list[int]:
    """The columns without a few that are tied with several others, if no ties are left then."""
    fewer = items
    for _ in range(min(_MOST_OUT, len(items) - FEWEST_ITEMS) + 1):
        rows = _rows(values, fewer)
        ties = _ties(rows)
        if ties.any(axis=1).mean() <= MOST_ODD:
            return fewer
        worst = int(np.argmax(ties.sum(axis=0)))
        column = rows[:, worst]
        partners = (rows == column[:, None]).any(axis=0).sum() - 1
        many = 2 * ties[:, worst].sum() >= (~np.isnan(column)).sum()
        if not many or partners < 2 or len(fewer) <= FEWEST_ITEMS:
            break
        fewer = [*fewer[:worst], *fewer[worst + 1 :]]
    return items


def _in_range(column: NDArray[np.float64], n_items: int) -> bool:
    listed = column[~np.isnan(column)]
    in_halves = not (2 * listed % 1).any()
    return bool(not listed.size or (listed.min() >= 0 and listed.max() <= n_items and in_halves))


def _ties(rows: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The cells whose number another has in their row."""
    order = np.argsort(rows, axis=1)
    equal = np.diff(np.take_along_axis(rows, order, axis=1), axis=1) == 0
    tied = np.zeros(rows.shape, dtype=bool)
    either = np.pad(equal, ((0, 0), (1, 0))) | np.pad(equal, ((0, 0), (0, 1)))
    np.put_along_axis(tied, order, either, axis=1)
    return tied


def _with_codes(
    block: TableBlock, items: list[int], about: list[int], mistyped: dict[int, list[str]]
) -> Iterator[Way]:
    """Ranks among which a few codes or words stand for no answer."""
    columns = sorted([*items, *mistyped])
    texts = {text: number_of(text) for i in columns for text in block.labels(i).texts}
    from_zero = 2 * sum(_times(block, i, "0") for i in columns) > len(block)
    codes = [
        text
        for text, number in texts.items()
        if number is None
        or not 0 <= number <= len(columns)
        or 2 * number % 1
        or (number == 0 and not from_zero)
    ]
    if len(columns) < 2 or not 0 < len(codes) <= _MOST_CODES or "," in "".join(codes):
        return
    bare = block.without(codes, columns)
    listed = sum(_count(block, i) for i in columns)
    if 2 * sum(_count(bare, i) for i in columns) < listed:
        return
    if rank_evidence(np.column_stack([bare.numbers(i, "the rank") for i in columns])) is None:
        return
    codes.sort(key=lambda code: (texts[code] is None, texts[code] or 0.0, code))
    settings = [Setting("missing", ",".join(codes))]
    if about:
        settings.append(Setting("columns", as_option(about, block.names)))
    are = "is" if len(codes) == 1 else "are"
    yield replace(
        _ways(bare, columns, about, POSSIBLE)[0],
        what=f"ranks, where {' and '.join(map(repr, codes))} {are} no answer",
        settings=tuple(settings),
    )


def _times(block: TableBlock, column: int, text: str) -> int:
    """In how many rows a column has a text."""
    codes, texts = block.labels(column)
    return int((codes == texts.index(text)).sum()) if text in texts else 0


def _count(block: TableBlock, column: int) -> int:
    return int((block.labels(column).codes >= 0).sum())


def mistyped_in(block: TableBlock, column: int) -> list[str]:
    """The few cells of a column of numbers that are none."""
    if block.is_numeric(column):
        return []
    codes, texts = block.labels(column)
    strays = [k for k, text in enumerate(texts) if number_of(text, ordinals=False) is None]
    few = 2 * np.isin(codes, strays).sum() <= (codes >= 0).sum()
    return [texts[k] for k in strays] if few and strays else []


def _ways(
    block: TableBlock, items: list[int], others: list[int], evidence: Evidence, question: str = ""
) -> list[Way]:
    """Some columns read as ranks; as points too, where their names say so."""
    names = [block.names[i] for i in items]
    empty = block.empty_columns()
    unranked = [repr(block.names[i]) for i in items if i in empty]
    notes = []
    if 0 < len(unranked) < len(items):
        notes.append(f"nobody ranks {some_of(unranked)}")
    if others:
        listed = some_of([repr(block.names[i]) for i in others])
        notes.append(f"{listed} {'is no item' if len(others) == 1 else 'are no items'}")
    settings = [Setting("item_columns", as_option(items, block.names))] if others else []
    if 0 < len(others) <= len(items):
        settings = [Setting("columns", as_option(others, block.names))]
    weights = [i for i in others if block.names[i].strip().lower() in ("weight", "weights")]
    if others and weights == others:
        # Weights are no items, but nobody said that they count.
        settings, evidence = [Setting("weight", block.names[weights[0]])], POSSIBLE
    who = {*words_of(block.names[0])} & _PEOPLE and not block.is_numeric(0)
    ways = [
        way_of_rows(
            block,
            rank_rows(names),
            names,
            what="ranks",
            evidence=evidence,
            named=bool(who),
            settings=tuple(settings) or (Setting("layout", "wide"),),
            notes=tuple(notes),
            question=question,
        )
    ]
    if says_higher(*names, PurePath(block.source).name):
        from rankcut.files.readings.scores import score_rows

        ways.append(
            way_of_rows(
                block,
                score_rows(names, higher_is_better=True),
                names,
                what="points, of which more are better",
                evidence=evidence,
                named=bool(who),
                settings=(Setting("layout", "ratings"), *settings),
                notes=tuple(notes),
                question=question,
            )
        )
        ways[0] = replace(ways[0], settings=(Setting("layout", "wide"), *settings))
    return ways


def rank_rows(names: Sequence[str], labels: Sequence[str] = ()) -> OnRows:
    """Reads the columns of these names as the ranks of items, called by labels if there are any."""

    def on_rows(block: TableBlock, options: TableOptions, typed: bool) -> RankingSet:
        items = block.columns_of(names)
        ranks = np.column_stack([block.numbers(i, "the rank") for i in items])
        item_names = shortened(labels or names) if options.shorten else tuple(labels or names)
        return RankingSet(ranks, item_names, **described(block, options, items, typed=typed))

    return on_rows


def _down(block: TableBlock, columns: Sequence[int], numeric: Sequence[int]) -> Iterator[Way]:
    """Items as rows, which a column of text names, and a column of ranks for each person."""
    label = label_column(block)
    if label is None or label not in columns or len(block) < FEWEST_ITEMS:
        return
    orders = [i for i in numeric if _is_order(block, i)]
    if len(orders) < 2:
        return
    # Where half or more of the people order the rows, others may have ties.
    tied = [i for i in numeric if i not in orders and _has_ties(block, i)]
    people = sorted([*orders, *tied]) if len(tied) <= len(orders) else orders
    others = [i for i in numeric if i not in people]
    complete = all(_count(block, i) == len(block) for i in people)
    evidence = CERTAIN if complete and not tied else FITS
    if not all(is_about(block.names[i]) for i in others):
        evidence = POSSIBLE
    settings, notes = [Setting("layout", "transposed")], []
    if others:
        settings.append(Setting("item_columns", as_option(people, block.names)))
        notes.append(f"{some_of([repr(block.names[i]) for i in others])} left out")
    called = {*words_of(block.names[label])}
    yield replace(
        _turned(block, label, people),
        evidence=evidence,
        named=bool(called & _ITEMS) and not called & (_PEOPLE - {"name"}),
        settings=tuple(settings),
        notes=tuple(notes),
    )


def _is_order(block: TableBlock, column: int) -> bool:
    """Whether a column numbers some of the rows from 1, without ties."""
    listed = np.sort(block.numbers(column, "the rank"))
    listed = listed[~np.isnan(listed)]
    named = {*words_of(block.names[column])} & {"no", "number", "id", "index", "#"}
    numbered = bool(named) or _numbers_rows(block.numbers(column, "the rank"))
    return listed.size > 1 and not numbered and bool((listed == np.arange(listed.size) + 1).all())


def _has_ties(block: TableBlock, column: int) -> bool:
    """Whether a column ranks the rows with ties, as people assign them."""
    values = block.numbers(column, "the rank")[None, :]
    n_listed = np.count_nonzero(~np.isnan(values), axis=1)
    usual = n_listed[0] > 2 and not is_about(block.names[column])
    return bool(usual) and bool(_assigned(np.sort(values, axis=1), n_listed).any())


def _turned(block: TableBlock, label: int, people: Sequence[int]) -> Way:
    def read(options: TableOptions) -> RankingSet:
        items = row_items(block, label)
        ranks = np.array([block.numbers(i, "the rank") for i in people]).reshape(-1, len(block))
        return RankingSet(ranks, items, ids=tuple(block.names[i] for i in people))

    return Way(what="ranks down the columns, a row for each item", read=read, evidence=CERTAIN)


def label_column(block: TableBlock) -> int | None:
    """The first column of text with a different one in each row, rather names than ids or times."""
    labels = []
    for i in range(len(block.names)):
        if not block.is_numeric(i):
            codes, texts = block.labels(i, is_empty)
            if len(texts) == len(block) == len(codes):
                labels.append(i)
    names = [i for i in labels if not is_about(block.names[i])]
    return next(iter([*names, *labels]), None)


def row_items(block: TableBlock, label: int) -> tuple[str, ...]:
    """The items that the rows of a table are, each once."""
    codes, texts = block.labels(label, is_empty)
    if len(texts) < len(block):
        row = int(np.argmax(np.bincount(codes, minlength=1)[codes] > 1)) if texts else 0
        block.refuse(row, label, "each row needs an item of its own")
    return tuple(texts[code] for code in codes.tolist())


def as_wide(block: TableBlock, options: TableOptions) -> Way:
    """The ranks of a table that an option, or its own header, calls wide."""
    free = free_columns(block, options)
    items = block.marked and [i for i in block.marked if i in free]
    if options.item_columns is not None:
        items = [i for i in places_in(block, options.item_columns) if i in free]
    if items:
        names = [block.names[i] for i in items]
        return way_of_rows(block, rank_rows(names), names, what="ranks", evidence=CERTAIN)
    ways = list(_along(block, free, _with_numbers(block, free)))
    decisions = {"missing", "weight"}
    if not ways or any(setting.name in decisions for setting in ways[0].settings):
        raise no_ranks(block, free)
    return ways[0]


def as_transposed(block: TableBlock, options: TableOptions) -> Way:
    """The ranks of a table whose rows are items."""
    label = label_column(block) if options.item is None else places_in(block, options.item)[0]
    if label is None:
        raise block.mistake(
            "no column names the items, each once", ["name it with ", Setting("item")]
        )
    free = [i for i in free_columns(block, options) if i != label and block.is_numeric(i)]
    if options.item_columns is not None:
        free = places_in(block, options.item_columns)
    if not free:
        raise block.mistake("no column has the ranks of a person", column=label)
    return _turned(block, label, free)


def no_ranks(block: TableBlock, columns: Sequence[int]) -> RankingFileError:
    """What stands in the way of reading rows as ranks."""
    naming: Text = ["name the items with ", Setting("item_columns"), " or a ", Setting("layout")]
    numeric = _with_numbers(block, columns)
    for again, first in block.repeats.items():
        if not {again, first} <= {*numeric}:
            continue
        return RankingFileError(
            f"item {block.names[first]!r} has two columns, {first + 1} and {again + 1}",
            block.source,
            remedy=["rename one, or choose by number with ", Setting("item_columns")],
        )
    for i in columns:
        if strays := mistyped_in(block, i):
            codes, texts = block.labels(i)
            row = int(np.argmax(codes == texts.index(strays[0])))
            problem = (
                f"column {block.names[i]!r}: {strays[0][:40]!r} is not a number, and others are"
            )
            return block.mistake(problem, naming, row, i)
    if not numeric:
        return block.mistake("no column holds only numbers, so none is an item", naming)
    if len(numeric) == 1 and len(block.names) > 1:
        problem = (
            f"only column {block.names[numeric[0]]!r} holds ranks, and a ranking needs two items"
        )
        return block.mistake(problem, naming)
    values = np.column_stack([block.numbers(i, "the rank") for i in numeric])
    if np.isnan(values).all():
        return block.mistake("no row ranks any item")
    zero = (values == 0) & (2 * (values == 0).any(axis=1).sum() <= len(block))
    for odd, says in (
        (values < 0, "has {}, and ranks are not negative"),
        (2 * values % 1 > 0, "has {}, and ranks are whole numbers"),
        (values > len(numeric), "reaches {}, beyond {} columns of numbers"),
        (zero, "has {}, and ranks begin at 1"),
    ):
        if odd.any():
            place = np.nanargmax(np.where(odd, values, -np.inf))
            row, k = divmod(int(place), len(numeric))
            reason = says.format(block.text(row, numeric[k]), len(numeric))
            name = block.names[numeric[k]]
            problem = f"column {name!r} {reason}"
            return block.mistake(problem, naming, row, numeric[k])
    return block.mistake(
        "these do not look like ranks: rows have ties or gaps that ranks do not have", naming
    )
