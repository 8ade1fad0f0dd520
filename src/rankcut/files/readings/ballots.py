"""Ranked ballots: a column for each place, with the item there.

Places share their labels, and no row has one twice. Cells follow the usual rules of RCTab: blanks,
``skipped`` and ``undervote`` are passed over, an ``overvote`` ends the ballot, and of a candidate
who is chosen again the first choice counts (``repeats``). Write-ins are one candidate.

The header names places, as in ``Mayor Choice 1 of 5``, or there are three columns or more of the
same labels, and no other column says which of them won. Two columns alone are votes as well.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut.errors import RankingFileError, Setting, amount
from rankcut.files.options import TableOptions, as_option, free_columns, places_in, some_of
from rankcut.files.readings.ranks import rank_evidence, rank_rows
from rankcut.files.readings.way import (
    CERTAIN,
    FITS,
    MOST_ODD,
    POSSIBLE,
    Evidence,
    Way,
    by_columns,
    ranking_set,
    way_of_rows,
)
from rankcut.files.readings.words import (
    PLACE,
    SCALES,
    WINNERS,
    number_of_place,
    opposites,
    place_columns,
    place_of,
    words_of,
)
from rankcut.files.tables import NOBODY, OVERVOTE, Cells, TableBlock, is_missing, number_of, shown
from rankcut.rankings.ranking_set import RankingSet

_WRITE_IN = re.compile(r"(?i)(undeclared )?write[\s-]?ins?\b.*|uwi")
_NUMBERED = re.compile(r"(.*?)[\s_]*(\d+)")
_OF_PLACES = re.compile(r"(?i)^\s*(choice\b)?\s*(of \d+)?|\s*\(\d+\)$")
_RESULT = re.compile(r"\d\s*[-–—:]\s*\d")
# "1:23.456", "+0.5s": times are no labels.
_TIME = re.compile(r"\+?\d+([:.]\d+)+s?|\+?\d+ laps?")


def recognise(block: TableBlock, columns: Sequence[int]) -> list[Way]:
    """The contests of a table, each with a column for every place."""
    groups = _named_places(block, columns)
    groups = {contest: by_place for contest, by_place in groups.items() if len(by_place) > 1}
    if groups:
        every = {i for by_place in groups.values() for i in by_place.values()}
        beside = [i for i in columns if i not in every and not block.is_numeric(i)]
        return [
            replace(way, notes=(*way.notes, *_left_out(block, by_place, beside)))
            for contest, by_place in groups.items()
            for way in _contest(block, columns, [*by_place.values()], contest, named=True)
        ]
    text = [i for i in columns if not block.is_numeric(i)]
    ways = [
        way
        for contest, places in _numbered(block, text).items()
        for way in _contest(block, columns, places, contest, named=False)
    ]
    return ways or _contest(block, columns, text, "", named=False)


def _left_out(
    block: TableBlock, by_place: Mapping[float, int], beside: Sequence[int]
) -> Iterator[str]:
    """What to say of places without a column, and of columns that name the items but no place."""
    absent = [f"{n}" for n in range(1, int(max(by_place))) if n not in by_place]
    if absent:
        yield f"no column is for place {some_of(absent)}"
    items = {text for i in by_place.values() for text in block.labels(i).texts}
    for i in beside:
        texts = block.labels(i).texts
        if len(shared := items & {*texts}) > 1 and 2 * len(shared) >= len(texts):
            yield f"{block.names[i]!r} names items too, and is no place"


def _named_places(block: TableBlock, columns: Sequence[int]) -> dict[str, dict[float, int]]:
    """The columns whose names are places, by contest and place, best first."""
    groups: dict[str, dict[float, int]] = {}
    # Tools that label columns, or use brackets, name more than places.
    for i in columns if not block.tool else ():
        name = block.names[i]
        if (match := PLACE.search(name)) and "[" not in name:
            # "Mayor Choice 1 of 5 Citywide (0269)" is about "Mayor Citywide".
            rest = f"{name[: match.start()]} {_OF_PLACES.sub('', name[match.end() :])}"
            contest = " ".join(rest.split()).strip(" :-_/")
            groups.setdefault(contest, {})[number_of_place(match)] = i
    # "25th" and "75th" are no places: these begin with the first, and few are left out.
    groups = {
        contest: by_place
        for contest, by_place in groups.items()
        if min(by_place) <= 2 and max(by_place) <= 2 * len(by_place)
    }
    if not any(len(by_place) > 1 for by_place in groups.values()):
        # Columns called 1, 2, 3 … that hold text.
        bare = {i: number_of(block.names[i], ordinals=False) for i in columns if block.titled}
        numbers = {n: i for i, n in bare.items() if n is not None and not block.is_numeric(i)}
        whole = all(n >= 1 and n % 1 == 0 for n in numbers)
        if len(numbers) > 1 and whole and max(numbers) <= 2 * len(numbers):
            groups = {"": numbers}
    return {contest: dict(sorted(by_place.items())) for contest, by_place in groups.items()}


def _numbered(block: TableBlock, columns: Sequence[int]) -> dict[str, list[int]]:
    """Columns whose names are numbered: ``Mayor 1``, ``Mayor 2``."""
    groups: dict[str, dict[float, int]] = {}
    for i in columns:
        match = _NUMBERED.fullmatch(block.names[i].strip())
        if match and match[1]:
            groups.setdefault(match[1], {})[float(match[2])] = i
    return {
        name: [by_number[n] for n in sorted(by_number)]
        for name, by_number in groups.items()
        if len(by_number) > 2
    }


def _contest(
    block: TableBlock,
    columns: Sequence[int],
    places: Sequence[int],
    contest: str,
    *,
    named: bool,
) -> list[Way]:
    """The ways to read columns like places: as ballots, as ranks of such items, or both."""
    if not named and not contest:
        places = _sharing(block, places)
    evidence = _evidence(block, columns, places, named=named)
    ways = []
    beside = [i for i in columns if i not in places]
    if len(places) == 2 and not named and not all(_is_label(block, i) for i in beside):
        # A column beside two that name the same items may be an outcome.
        return []
    if evidence is not None:
        ways.append(_way(block, places, evidence, contest, named=named))
    if named and all(map(block.is_numeric, places)):
        values = np.column_stack([block.numbers(i, "the rank") for i in places])
        names = [block.names[i] for i in places]
        if rank_evidence(values) is not None:
            ways.append(
                way_of_rows(
                    block,
                    rank_rows(names),
                    names,
                    what="ranks of items with these names",
                    evidence=CERTAIN,
                    named=True,
                    settings=by_columns("wide", places, block),
                    question=contest,
                )
            )
    return ways


def _sharing(block: TableBlock, columns: Sequence[int]) -> list[int]:
    """The columns of text that share most of their labels with each other."""
    groups: list[tuple[list[int], set[str]]] = []
    for i in columns:
        labels = {*block.labels(i).texts}
        for group, every in groups:
            if labels and 2 * len(labels & every) >= min(len(labels), len(every)):
                group.append(i)
                every |= labels
                break
        else:
            groups.append(([i], labels))
    return max((group for group, _ in groups), key=len, default=[])


def _is_label(block: TableBlock, column: int) -> bool:
    """Whether each row has another text in a column."""
    texts = block.labels(column).texts
    plain = not block.is_numeric(column) and not any(map(_RESULT.search, texts))
    return plain and len(texts) == len(block)


def _are_sides(block: TableBlock, columns: Sequence[int]) -> bool:
    """Whether names of columns differ in the word for a side, such as winner and loser."""
    called = {words_of(block.names[i]) for i in columns}
    # Numbers and letters count places as well.
    return any(
        other in called and all(len(a) > 3 for a, b in zip(words, other, strict=True) if a != b)
        for words in called
        for other in opposites(words)
    )


def _evidence(
    block: TableBlock, columns: Sequence[int], places: Sequence[int], *, named: bool
) -> Evidence | None:
    """How much speaks for ballots; None where values are no labels of a common set of items."""
    if len(places) < 2:
        return None
    codes, items = places_matrix(block, places)
    items = [item for item in items if item != OVERVOTE]
    listed = codes[codes >= 0]
    times = sum(_TIME.fullmatch(item) is not None for item in items)
    counts = np.bincount(listed, minlength=len(items) + 1)
    if len(items) < 2 or 2 * times > len(items) or (counts[listed] > 1).mean() < 0.5:
        return None
    # Answers to different questions share no labels.
    labels = [{*block.labels(i).texts} for i in places]
    if sum(map(len, labels)) <= len(set().union(*labels)):
        return None
    # "2nd choice" is the place of an item, and none.
    numbers = [number_of(item, ordinals=False) for item in items]
    places_named = [place_of(item) for item, n in zip(items, numbers, strict=True) if n is None]
    if 2 * sum(place is not None for place in places_named) > len(items):
        return None
    again = repeats_along(codes).any(axis=1).mean()
    if again > 1 - 2 * MOST_ODD:
        return None  # Answers to questions come again in nearly every row, choices in some.
    if named:
        return CERTAIN if again <= 0.5 else FITS
    rated = any({item.lower() for item in items} <= {*scale} for scale in SCALES)
    called = {word for i in places for word in words_of(block.names[i])}
    odd = rated or {"best", "worst"} <= called or _are_sides(block, places) or len(items) < 3
    odd = odd or 2 * sum(number is not None for number in numbers) > len(items)
    if odd or again > MOST_ODD or _is_decided(block, columns, places, codes, items):
        return None
    strict = not again and 2 * (codes[:, 1] >= 0).sum() > (codes[:, 0] >= 0).sum()
    enough = len(places) > 2 and len(listed) >= 2 * len(items)
    return FITS if strict and enough and _change_places(codes) else POSSIBLE


def _change_places(codes: NDArray[np.int64]) -> bool:
    """Whether items stand before each other here, and behind each other there, as in no list."""
    both = codes[(codes[:, :2] >= 0).all(axis=1), :2]
    width = int(codes.max()) + 1
    pairs, back = both[:, 0] * width + both[:, 1], both[:, 1] * width + both[:, 0]
    return bool(np.isin(pairs, back).mean() > MOST_ODD) if len(both) else False


def _is_decided(
    block: TableBlock,
    columns: Sequence[int],
    places: Sequence[int],
    codes: NDArray[np.int64],
    items: Sequence[str],
) -> bool:
    """Whether another column names an item of each row, or its number, as an outcome does."""
    number = {item: k for k, item in enumerate(items)}
    for i in columns:
        if i in places:
            continue
        labels = block.labels(i)
        if block.is_numeric(i):
            texts = {*labels.texts}
            is_number = texts <= {str(k) for k in range(len(places) + 1)} and len(texts) > 1
            if is_number and (len(places) == 2 or {*words_of(block.names[i])} & WINNERS):
                return True
            continue
        named = np.array([*(number.get(text, -1) for text in labels.texts), -1])[labels.codes]
        there = (codes == named[:, None]).any(axis=1) & (named >= 0)
        if labels.texts and there.sum() >= (1 - MOST_ODD) * (labels.codes >= 0).sum():
            return True
    return False


def _way(
    block: TableBlock, places: Sequence[int], evidence: Evidence, contest: str, *, named: bool
) -> Way:
    with_names = _with_names(block, places)
    cells = {text.lower() for i in places for text in block.labels(i).texts}
    notes = []
    if cells & NOBODY:
        notes.append("blanks are passed over")
    if OVERVOTE in cells:
        notes.append("an overvote ends a ballot")
    if any(map(_WRITE_IN.fullmatch, cells)):
        notes.append("write-ins are one candidate")
    return Way(
        what="ranked ballots",
        read=lambda options: read_ballots(with_names, places, options),
        evidence=evidence,
        named=named,
        settings=by_columns("ballots", places, block),
        question=contest,
        title=contest,
        noun="ballot",
        notes=tuple(notes),
    )


def _with_names(block: TableBlock, places: Sequence[int]) -> TableBlock:
    """The table with names of candidates for codes, and one for all write-ins."""
    columns = list(block.columns)
    for i in places:
        codes, distinct = block.cells(i)
        named = [None if is_missing(c) else _candidate(shown(c), block.codes) for c in distinct]
        columns[i] = Cells(codes, named)
    return replace(block, columns=columns)


def _candidate(cell: str, codes: Mapping[str, str]) -> str:
    return "Write-in" if _WRITE_IN.fullmatch(cell) else codes.get(cell, cell)


def as_ballots(block: TableBlock, options: TableOptions) -> Way:
    """The ballots of the columns that an option names, or whose names are places."""
    free = free_columns(block, options)
    if options.item_columns is not None:
        places = [i for i in places_in(block, options.item_columns) if i in free]
    else:
        places = [i for i in place_columns(block.names) if i in free] or free
    if options.item_columns is None and not place_columns(block.names):
        _check_shared(block, places)
    return replace(_way(block, places, CERTAIN, "", named=True))


def _check_shared(block: TableBlock, columns: Sequence[int]) -> None:
    """Refuse a column whose cells no other has: it names people or answers, and not items."""
    labels = {i: {*block.labels(i).texts} for i in columns}
    for i, texts in labels.items():
        others = set().union(*(each for j, each in labels.items() if j != i))
        if len(block) > 1 and texts and not texts & others:
            raise block.mistake(
                f"column {block.names[i]!r} shares no item with the other columns, so it is not a "
                "place on a ballot",
                [
                    *("if it is not one, pass ", Setting("columns", as_option([i], block.names))),
                    *("; otherwise name the places with ", Setting("item_columns")),
                ],
                column=i,
            )


def read_ballots(block: TableBlock, places: Sequence[int], options: TableOptions) -> RankingSet:
    """The rankings of ballots with an item in each of these columns, the best first."""
    codes, items = places_matrix(block, places)
    mark = items.index(OVERVOTE) if OVERVOTE in items else -2
    # An overvote ends a ballot.
    codes[np.maximum.accumulate(codes == mark, axis=1)] = -1
    again = repeats_along(codes)
    if options.repeats == "error" and again.any():
        row, place = divmod(int(np.argmax(again)), again.shape[1])
        block.refuse(
            row,
            places[place],
            f"item {items[codes[row, place]]!r} is chosen twice on this ballot",
            ["pass ", Setting("repeats", "first"), " to count the first choice"],
        )
    if options.repeats == "end":
        codes[np.maximum.accumulate(again, axis=1)] = -1
    elif options.repeats == "last":
        codes[repeats_along(codes[:, ::-1])[:, ::-1]] = -1
    else:
        codes[again] = -1
    codes, items = in_order_of_appearance(codes, items)
    if not items:
        raise RankingFileError("no ballot names an item", block.source)
    listed = codes >= 0
    ranks = np.cumsum(listed, axis=1)[listed].astype(np.float64)
    starts = np.concatenate([[0], np.cumsum(listed.sum(axis=1))])
    matrix = csr_array((ranks, codes[listed], starts), shape=(len(codes), len(items)))
    rankings = ranking_set(matrix, items, block, options, places)
    if again.any() and options.repeats is None:
        note = f"{amount(int(again.any(axis=1).sum()), 'ballot')} with a repeated choice: "
        rankings = rankings.with_notes(f"{note}the first counts")
    return rankings


def places_matrix(block: TableBlock, columns: Sequence[int]) -> tuple[NDArray[np.int64], list[str]]:
    """The number of the item in each place of each row, -1 where there is none, and the items.

    Blanks are none; all overvotes are one label.
    """
    numbers: dict[str, int] = {}
    codes = np.empty((len(block), len(columns)), dtype=np.int64)
    for k, i in enumerate(columns):
        labels = block.labels(i)
        places = [
            -1
            if text.lower() in NOBODY
            else numbers.setdefault(OVERVOTE if text.lower() == OVERVOTE else text, len(numbers))
            for text in labels.texts
        ]
        codes[:, k] = np.array([*places, -1])[labels.codes]
    return in_order_of_appearance(codes, list(numbers))


def in_order_of_appearance(
    codes: NDArray[np.int64], texts: Sequence[str]
) -> tuple[NDArray[np.int64], list[str]]:
    """Numbers of labels, -1 for none, numbered again as they appear row by row."""
    listed = codes[codes >= 0]
    present, first = np.unique(listed, return_index=True)
    order = present[np.argsort(first)]
    numbers = np.full(len(texts) + 1, -1)
    numbers[order] = np.arange(len(order))
    return numbers[codes], [texts[code] for code in order.tolist()]


def repeats_along(codes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The cells that repeat one before them in their row.

    >>> repeats_along(np.array([[2, 1, 2, -1, -1]])).tolist()
    [[False, False, True, False, False]]
    """
    order = np.argsort(codes, axis=1, kind="stable")
    ordered = np.take_along_axis(codes, order, axis=1)
    equal = (np.diff(ordered, axis=1, prepend=-1) == 0) & (ordered >= 0)
    again = np.zeros(codes.shape, dtype=bool)
    np.put_along_axis(again, order, equal, axis=1)
    return again
