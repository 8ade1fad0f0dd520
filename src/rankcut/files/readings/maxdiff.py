"""MaxDiff questions as Qualtrics exports them: a row for each person, a block of columns a task.

A question has a column for each item, ``Q1_1`` …, with one code for the best and one for the worst,
and the numbers of the items shown in ``Q1_DO`` or ``DO-Q-Q1``, as 8|11|4|1, if the order of viewing
is exported. The MaxDiff module has a column for each place, ``C1_1`` …, and the item there in
``1.1_MAXDIFF``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut.errors import RankingFileError, amount
from rankcut.files.options import TableOptions, shortened
from rankcut.files.readings.way import CERTAIN, Way, ranking_set, without_previews
from rankcut.files.tables import TableBlock
from rankcut.rankings.ranking_set import RankingSet

_ITEM = re.compile(r"(.+?)[_-](\d+)")
_PLACE = re.compile(r"C(\d+)_(\d+)")
_SHOWN = re.compile(r"(\d+)\.(\d+)_MAXDIFF")
_BEST, _WORST = re.compile(r"(?i)\b(most|best)\b"), re.compile(r"(?i)\b(least|worst)\b")


@dataclass(frozen=True, eq=False)
class _BestWorstTasks:
    """What each person was shown in each task, and which cells are marked."""

    items: list[str]
    people: NDArray[np.int64]  #: the row of each task
    sets: NDArray[np.int64]  #: the items shown, -1 where there is none
    marks: NDArray[np.int64]  #: the number of the code of each, -1 where there is none
    codes: list[str]
    columns: list[int]  #: of the block that hold all this


def recognise(block: TableBlock, columns: Sequence[int]) -> list[Way]:
    """MaxDiff tasks, of which the file says what each of them showed."""
    if block.tool != "Qualtrics":
        return []
    block, notes = without_previews(block)
    tasks = _of_questions(block) or _of_module(block)
    if tasks is None or len(tasks.codes) != 2:
        return []
    best = [k for k, code in enumerate(tasks.codes) if _BEST.search(code)]
    worst = [k for k, code in enumerate(tasks.codes) if _WORST.search(code)]
    in_words = len(best) == len(worst) == 1 and best != worst
    ids = [name for name in block.names if name.lower() in ("responseid", "sys_respnum")]

    def read(options: TableOptions) -> RankingSet:
        low, high = sorted((0, 1), key=lambda k: _number(tasks.codes[k]))
        named = (high, low) if options.higher_is_better is not False else (low, high)
        return _read(block, tasks, (best[0], worst[0]) if in_words else named, options)

    return [
        Way(
            what="best-worst tasks of Qualtrics",
            read=read,
            evidence=CERTAIN,
            named=True,
            noun="task",
            unranked="anywhere",
            asked_ties=False,
            people=ids[0] if ids else None,
            notes=notes,
            open_direction=not in_words,
        )
    ]


def is_maxdiff(block: TableBlock) -> bool:
    """Whether a table of Qualtrics has tasks, and what each of them showed."""
    return block.once("maxdiff", lambda: bool(recognise(block, ())))  # type: ignore[no-any-return]


def _of_questions(block: TableBlock) -> _BestWorstTasks | None:
    """The tasks of questions with a column for each item."""
    groups: dict[str, dict[str, int]] = {}
    for i, name in enumerate(block.names):
        if match := _ITEM.fullmatch(name):
            groups.setdefault(match[1], {})[match[2]] = i
    shown_in = {
        stem: block.names.index(name)
        for stem in groups
        for name in (f"{stem}_DO", f"DO-Q-{stem}")
        if name in block.names
    }
    if not shown_in:
        return None
    numbers = list(groups[next(iter(shown_in))])
    items = _labels(block, [groups[next(iter(shown_in))][number] for number in numbers])
    if any(list(groups[stem]) != numbers for stem in shown_in):
        return None
    places = {name: k for names in (numbers, items) for k, name in enumerate(names)}
    tasks, codes = [], dict[str, int]()
    for stem, column in shown_in.items():
        cells = _marks(block, list(groups[stem].values()), codes)
        which, texts = block.labels(column)
        sets = [[places.get(part.strip(), -1) for part in text.split("|")] for text in texts]
        if any(-1 in shown or len({*shown}) < max(len(shown), 2) for shown in sets):
            return None
        for row in np.flatnonzero(which >= 0).tolist():
            shown = sets[which[row]]
            tasks.append((row, shown, cells[row, shown].tolist()))
    # All items shown at once are a question of rank order.
    if not any(len(shown) < len(items) for _, shown, _ in tasks):
        return None
    columns = [i for stem in shown_in for i in groups[stem].values()]
    return _gathered(items, tasks, codes, [*columns, *shown_in.values()])


def _of_module(block: TableBlock) -> _BestWorstTasks | None:
    """The tasks of the module, with a column for each place."""
    answers, shown_in = (
        {(m[1], m[2]): i for i, name in enumerate(block.names) if (m := form.fullmatch(name))}
        for form in (_PLACE, _SHOWN)
    )
    if not answers or not answers.keys() <= shown_in.keys():
        return None
    codes, numbers = dict[str, int](), dict[str, int]()
    tasks = []
    for task in dict.fromkeys(task for task, _ in answers):
        places = [place for each, place in answers if each == task]
        cells = _marks(block, [answers[task, place] for place in places], codes)
        sets = _marks(block, [shown_in[task, place] for place in places], numbers)
        for row in np.flatnonzero((sets >= 0).any(axis=1)).tolist():
            tasks.append((row, sets[row].tolist(), cells[row].tolist()))
    return _gathered(list(numbers), tasks, codes, [*answers.values(), *shown_in.values()])


def _marks(block: TableBlock, columns: Sequence[int], numbers: dict[str, int]) -> NDArray[np.int64]:
    """Columns as numbers of their texts, which grow where there are new ones; -1 where empty."""
    marks = []
    for column in columns:
        codes, texts = block.labels(column)
        marks.append(np.array([*(numbers.setdefault(t, len(numbers)) for t in texts), -1])[codes])
    return np.column_stack(marks)


def _labels(block: TableBlock, columns: Sequence[int]) -> list[str]:
    """The items, as the labels of their columns end; or the names of the columns."""
    labels = [block.about[i] for i in columns]
    if all(" - " in label for label in labels):
        labels = [label.split(" - ")[-1] for label in labels]
    items = list(shortened(labels))
    distinct = len({*items}) == len(items) and all(items)
    return items if distinct else [block.names[i] for i in columns]


def _gathered(
    items: list[str],
    tasks: list[tuple[int, list[int], list[int]]],
    codes: dict[str, int],
    columns: list[int],
) -> _BestWorstTasks | None:
    if not tasks:
        return None
    width = max(len(shown) for _, shown, _ in tasks)
    sets, marks = np.full((2, len(tasks), width), -1)
    for number, (_, shown, cells) in enumerate(tasks):
        sets[number, : len(shown)], marks[number, : len(shown)] = shown, cells
    people = np.array([row for row, _, _ in tasks])
    return _BestWorstTasks(items, people, sets, marks, list(codes), columns)


def _number(code: str) -> float:
    return float(code) if re.fullmatch(r"-?\d+(\.\d+)?", code) else 0.0


def _read(
    block: TableBlock, tasks: _BestWorstTasks, named: tuple[int, int], options: TableOptions
) -> RankingSet:
    """The tasks in which one item is the best and one the worst."""
    best, worst = (tasks.marks == code for code in named)
    answered = (best.sum(axis=1) == 1) & (worst.sum(axis=1) == 1)
    if not answered.any():
        line = int(block.lines[tasks.people[0]])
        raise RankingFileError("no task has one best and one worst item", block.source, line)
    sets, rows = tasks.sets[answered], tasks.people[answered]
    ranks = np.where(best, 1.0, np.where(worst, 3.0, 2.0))[answered]
    listed = sets >= 0
    starts = np.append(0, np.cumsum(listed.sum(axis=1)))
    matrix = csr_array((ranks[listed], sets[listed], starts), shape=(len(sets), len(tasks.items)))
    rankings = ranking_set(matrix, tasks.items, block.some(rows), options, tasks.columns)
    n_blank = int((~answered).sum())
    if n_blank:
        notes = (*rankings.notes, f"{amount(n_blank, 'task')} without an answer left out")
        rankings = rankings.having(notes=notes)
    return rankings
