"""Best-worst tasks (MaxDiff), and choices: the items shown, and which of them is best, and worst.

Columns that share their labels, and one or two more that name one of them in each row, or its
number; or the items shown in one cell. A task ranks the items shown: the best, the others tied,
the worst.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut.errors import RankingFileError, Setting, amount
from rankcut.files.options import TableOptions, as_option
from rankcut.files.readings.ballots import in_order_of_appearance, repeats_along
from rankcut.files.readings.way import CERTAIN, Way, ranking_set
from rankcut.files.readings.words import JUDGES, words_of
from rankcut.files.tables import TableBlock
from rankcut.rankings.ranking_set import RankingSet

_BEST, _WORST = {"best", "most"}, {"worst", "least"}
_IDS = {"id", "pid", "respid", "responseid"}
_CHOSEN = {"chosen", "choice", "selected", "pick", "picked", "winner", "answer", "preferred"}
_SHOWN = re.compile(r"(item|option|alt|alternative|shown|choice|attribute|object)s?[\s_]?\d+")


def recognise(block: TableBlock, columns: Sequence[int]) -> list[Way]:
    """Tasks whose answers are among the items shown in each row."""
    words = {i: {*words_of(block.names[i])} for i in columns}
    best = [i for i in columns if words[i] & _BEST or words[i] == {"b"}]
    worst = [i for i in columns if words[i] & _WORST or words[i] == {"w"}]
    if len(best) != 1 or len(worst) != 1:
        best, worst = [i for i in columns if words[i] & _CHOSEN], []
        if len(best) != 1:
            return []
    answers = [*best, *worst]
    others = [i for i in columns if i not in answers]
    numbered = [i for i in others if _SHOWN.fullmatch(block.names[i].strip().lower())]
    if len(numbered) < 3:
        named = {text for i in answers for text in block.labels(i).texts}
        numbered = [i for i in others if named & {*block.labels(i).texts}]
        numbered = [i for i in numbered if not block.is_numeric(i) and _shares(block, i, numbered)]
    if len(numbered) < 3 and worst:
        # Best and worst stand beside the others that were shown.
        others_shown = [i for i in others if _SHOWN.fullmatch(block.names[i].strip().lower())]
        shown = [*answers, *others_shown] if others_shown else []
        if len(shown) > 2 and all(_shares(block, i, shown) for i in shown):
            sets, texts = _shown_in_columns(block, shown)
            if ways := _tasks(block, answers, sets, texts, shown):
                return ways
    if len(numbered) > 2:
        sets, texts = _shown_in_columns(block, numbered)
        return _tasks(block, answers, sets, texts, numbered)
    for i in others if worst else ():
        for mark in ";,|":
            parts = [[p.strip() for p in t.split(mark) if p.strip()] for t in block.labels(i).texts]
            if parts and all(len(labels) > 2 for labels in parts):
                sets, texts = _shown_in_cells(block.labels(i).codes, parts)
                ways = _tasks(block, answers, sets, texts, [i])
                if ways:
                    return ways
    return []


def _shares(block: TableBlock, column: int, columns: Sequence[int]) -> bool:
    """Whether other columns have most of the labels of a column, as those of items shown do."""
    others = {text for i in columns if i != column for text in block.labels(i).texts}
    texts = block.labels(column).texts
    return 2 * len(others & {*texts}) >= len(texts)


def _shown_in_columns(
    block: TableBlock, columns: Sequence[int]
) -> tuple[NDArray[np.int64], list[str]]:
    numbers: dict[str, int] = {}
    codes = []
    for i in columns:
        cells, texts = block.labels(i)
        codes.append(np.array([*(numbers.setdefault(t, len(numbers)) for t in texts), -1])[cells])
    return np.column_stack(codes), list(numbers)


def _shown_in_cells(
    codes: NDArray[np.int64], parts: Sequence[Sequence[str]]
) -> tuple[NDArray[np.int64], list[str]]:
    numbers: dict[str, int] = {}
    sets = np.full((len(parts) + 1, max(map(len, parts))), -1)
    for row, texts in enumerate(parts):
        sets[row, : len(texts)] = [numbers.setdefault(text, len(numbers)) for text in texts]
    return sets[codes], list(numbers)


def _tasks(
    block: TableBlock,
    answers: Sequence[int],
    sets: NDArray[np.int64],
    texts: list[str],
    shown_in: Sequence[int],
) -> list[Way]:
    if repeats_along(sets).any():
        return []
    named = [_places(block, i, sets, texts) for i in answers]
    if any(column is None for column in named):
        return []
    places = np.column_stack([column for column in named if column is not None])
    answered = (places >= 0).all(axis=1)
    if places.shape[1] == 2:
        answered &= places[:, 0] != places[:, 1]
    if not answered.any():
        return []
    names = block.names
    judges = [name for name in names if name.strip().lower() in JUDGES]
    # An id that repeats is that of a person; one that does not, that of a task.
    ids = [i for i, name in enumerate(names) if words_of(name)[-1] in _IDS and i not in answers]
    judges += [names[i] for i in ids if len(block.labels(i).texts) < len(block)]
    blank = int((~answered).sum())
    what = "best-worst tasks" if len(answers) == 2 else "choices among items shown"
    return [
        Way(
            what=what,
            read=lambda options: _read(block, answers, shown_in, sets, texts, places, options),
            evidence=CERTAIN,
            named=True,
            settings=(
                Setting("layout", "tasks"),
                Setting("item_columns", as_option(shown_in, names)),
            ),
            noun="task" if len(answers) == 2 else "choice",
            unranked="anywhere",
            asked_ties=False,
            people=judges[0] if judges else None,
            notes=(f"{amount(blank, 'task')} without an answer left out",) if blank else (),
        )
    ]


def _places(
    block: TableBlock, column: int, sets: NDArray[np.int64], texts: list[str]
) -> NDArray[np.int64] | None:
    """The place among the items shown of each answer, -1 for none; None if one is not among them.

    An answer is an item, or its number.
    """
    cells, answers = block.labels(column)
    number = {text: k for k, text in enumerate(texts)}
    codes = np.array([*(number.get(answer, -2) for answer in answers), -1])[cells]
    if (codes >= -1).all():
        is_there = (sets == codes[:, None]) & (codes[:, None] >= 0)
        if (is_there.any(axis=1) | (codes < 0)).all():
            return np.where(codes < 0, -1, is_there.argmax(axis=1))
    if not all(answer.isdecimal() for answer in answers):
        return None
    places = np.array([*(int(answer) - 1 for answer in answers), -1])[cells]
    within = (places >= -1) & (places < sets.shape[1])
    if not within.all() or (sets[np.arange(len(sets)), places][places >= 0] < 0).any():
        return None
    return places


def _read(
    block: TableBlock,
    answers: Sequence[int],
    shown_in: Sequence[int],
    sets: NDArray[np.int64],
    texts: list[str],
    places: NDArray[np.int64],
    options: TableOptions,
) -> RankingSet:
    rows = np.flatnonzero((places >= 0).all(axis=1))
    if places.shape[1] == 2:
        rows = rows[places[rows, 0] != places[rows, 1]]
    if not rows.size:
        raise RankingFileError("no task has an answer", block.source)
    codes, items = in_order_of_appearance(sets[rows], texts)
    ranks = np.full(codes.shape, 2.0)
    ranks[np.arange(len(rows)), places[rows, 0]] = 1.0
    if places.shape[1] == 2:
        ranks[np.arange(len(rows)), places[rows, 1]] = 3.0
    listed = codes >= 0
    starts = np.concatenate([[0], np.cumsum(listed.sum(axis=1))])
    matrix = csr_array((ranks[listed], codes[listed], starts), shape=(len(rows), len(items)))
    return ranking_set(matrix, items, block.some(rows), options, [*answers, *shown_in])
