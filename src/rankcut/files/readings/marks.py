"""Marks on ballots: a column for each candidate in each place, with 1 where it is marked.

Clear Ballot names them ``Choice_3_1:Mayor:2:Vote For 1:Ann Lee:NON``: a code, the contest, the
place, a rule, the candidate and a party. Two marks in a place are an overvote.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankcut.files.readings.ballots import read_ballots
from rankcut.files.readings.way import CERTAIN, Way, by_columns
from rankcut.files.tables import OVERVOTE, Cells, TableBlock

_MARKED = re.compile(r"[^:]*:(?P<contest>[^:]+):(?P<place>\d+):[^:]*:(?P<candidate>[^:]+)(:[^:]*)?")


def recognise(block: TableBlock, columns: Sequence[int]) -> list[Way]:
    """The contests of a table of marks."""
    contests: dict[str, dict[int, list[tuple[int, str]]]] = {}
    for i in columns:
        if (match := _MARKED.fullmatch(block.names[i])) and block.is_numeric(i):
            places = contests.setdefault(match["contest"], {})
            places.setdefault(int(match["place"]), []).append((i, match["candidate"]))
    return [
        _contest(block, contest, places)
        for contest, places in contests.items()
        if _is_marked(block, places)
    ]


def _is_marked(block: TableBlock, places: dict[int, list[tuple[int, str]]]) -> bool:
    columns = [i for marked in places.values() for i, _ in marked]
    values = np.column_stack([block.numbers(i, "the mark") for i in columns])
    return len(places) > 1 and bool(np.isin(values[~np.isnan(values)], (0, 1)).all())


def _contest(block: TableBlock, contest: str, places: dict[int, list[tuple[int, str]]]) -> Way:
    marked = [i for marks in places.values() for i, _ in marks]
    cells = [_marked(block, places[place]) for place in sorted(places)]
    others = [i for i in range(len(block.names)) if i not in marked]
    names = [f"{contest} choice {place}" for place in sorted(places)]
    ballots = replace(
        block,
        names=[*names, *(block.names[i] for i in others)],
        columns=[*cells, *(block.columns[i] for i in others)],
        repeats={},
    )
    return Way(
        what="ranked ballots of Clear Ballot",
        read=lambda options: read_ballots(ballots, range(len(names)), options),
        evidence=CERTAIN,
        named=True,
        settings=by_columns("ballots", marked, block),
        question=contest,
        title=contest,
        noun="ballot",
    )


def _marked(block: TableBlock, marked: Sequence[tuple[int, str]]) -> Cells:
    """The candidate that each row marks in a place, or that it marks several."""
    marks = np.column_stack([block.numbers(i, "the mark") for i, _ in marked]) == 1
    number = marks.sum(axis=1)
    codes = np.where(number == 0, 0, np.where(number > 1, 1, marks.argmax(axis=1) + 2))
    return Cells(codes, ["", OVERVOTE, *(name for _, name in marked)]).some(slice(None))
