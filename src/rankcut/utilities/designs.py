"""Best–worst answers with a row for each person, and the design that says what was shown.

The design has a row for each task of each version, and a column for each item shown; or a row for
each item shown. Its versions may be people, each with a design. The answers have a version, where
there are several, and for each task a column with the best and one with the worst: an item, its
number, or its place among those shown.
"""

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from rankcut.errors import RankingFileError, amount
from rankcut.files.readings.words import ITEMS, JUDGES
from rankcut.files.tables import TableBlock
from rankcut.rankings.ranking_set import RankingSet

BEST_WORDS = {"best", "most", "b", "top", "chosen", "choice", "pick", "answer", "selected"}
WORST_WORDS = {"worst", "least", "w", "bottom"}
_VERSIONS = {"version", "versions", "ver", "block", "design", "form", "list"}
_TASKS = {"task", "tasks", "set", "question", "screen", "choice_set", "choiceset", "card"}
_PLACES = {"position", "place", "order", "slot", "alt", "alternative", "concept"}
_PEOPLE = JUDGES | {"id", "respid", "responseid", "response_id", "record", "sys_respnum"}
_ITEMS = ITEMS | {"attribute", "statement", "message", "feature", "label"}
_PARTS = re.compile(r"[a-z]+|\d+")
_WHOLE = re.compile(r"(-?\d+)\.0*")


def read_designed(
    answers: TableBlock, design: TableBlock, *, people: str | None = None
) -> RankingSet:
    """The tasks of people, as rankings: the best, the others tied, the worst.

    Parameters
    ----------
    answers : TableBlock
        A row for each person.
    design : TableBlock
        What each task of each version showed.
    people : str or None
        The column of the answers that names people; None: one that is called so, or their rows.
    """
    shown = _Design.of(design)
    columns = _answer_columns(answers)
    person_column = _person_column(answers, people)
    taken = {i for pair in columns.values() for i in pair.values()}
    versions = _versions(answers, shown, person_column, taken)
    names = _names(answers, person_column)
    items = shown.items
    numbers = {text: k for k, text in enumerate(items)}
    tasks = []
    for task, pair in columns.items():
        for row in range(len(answers)):
            cells = {side: _cell(answers, row, column) for side, column in pair.items()}
            if not all(cells.values()):
                continue
            key = (versions[row], task)
            if key not in shown.sets:
                version = f"version {key[0]!r}" if key[0] else "the design"
                raise _mistake(
                    answers, row, pair["best"], f"{version} has no task {task}", design.source
                )
            tasks.append(_Answered(row, pair, cells, shown.sets[key]))
    if not tasks:
        raise RankingFileError("no task has an answer", answers.source)
    by_name = all(numbers.get(text) in each.items for each in tasks for text in each.cells.values())
    ranks = np.full((len(tasks), len(items)), np.nan)
    for number, each in enumerate(tasks):
        ranks[number, list(each.items)] = 2.0
        places = {
            side: numbers[text] if by_name else _at_place(answers, design, each, side)
            for side, text in each.cells.items()
        }
        if len(set(places.values())) < len(places):
            ranks[number] = np.nan
            continue
        ranks[number, places["best"]] = 1.0
        if "worst" in places:
            ranks[number, places["worst"]] = 3.0
    usable = ~np.isnan(ranks).all(axis=1)
    rows = np.array([each.row for each in tasks])[usable]
    notes = []
    if not usable.all():
        same = amount(int((~usable).sum()), "task")
        notes.append(f"{same} with the same item as best and worst left out")
    n_blank = len(answers) * len(columns) - len(tasks)
    if n_blank:
        notes.append(f"{amount(n_blank, 'task')} without an answer left out")
    return RankingSet(
        ranks[usable],
        tuple(items),
        people=np.array(names, dtype=object)[rows],
        notes=tuple(notes),
        unranked="anywhere",
        asked_ties=False,
        file=answers.source,
        lines=answers.lines[rows],
    )


@dataclass(frozen=True)
class _Answered:
    """A task with an answer."""

    row: int
    columns: dict[str, int]  #: of the best and the worst
    cells: dict[str, str]
    items: tuple[int, ...]  #: what was shown


@dataclass(frozen=True)
class _Design:
    """What each task of each version showed, as numbers of items."""

    items: list[str]
    sets: dict[tuple[str, int], tuple[int, ...]]
    by_person: bool  #: whether each version, if there are any, is of one person

    @classmethod
    def of(cls, table: TableBlock) -> "_Design":
        """The design of a table: by item columns, or with a row for each item shown."""
        version = _named(table, _VERSIONS)
        by_person = version is None
        if by_person:
            version = _named(table, _PEOPLE)
        task, place = _named(table, _TASKS), _named(table, _PLACES)
        others = [i for i in range(len(table.names)) if i not in (version, task, place)]
        numbered = [i for i in others if table.names[i].strip()[-1:].isdigit()]
        if place is None and len(numbered) > 1:
            others = numbered
        elif len(others) > 1 and place is not None:
            item = _named(table, _ITEMS)
            others = [others[0] if item is None else item]
        if task is None or not others:
            raise RankingFileError(
                "is no design: it has no column of tasks, or none of items",
                table.source,
                remedy="name its columns version, task, item1, item2 and so on",
            )
        rows = [*range(len(table))]
        if place is not None:
            rows.sort(key=lambda row: _whole_number(table, row, place))
        texts = dict.fromkeys(
            text for row in range(len(table)) for i in others if (text := _cell(table, row, i))
        )
        # Numbers of items are in their order; names are in that of the file.
        names = sorted(texts, key=int) if all(map(str.isdecimal, texts)) else [*texts]
        numbers = {text: k for k, text in enumerate(names)}
        sets: dict[tuple[str, int], list[int]] = {}
        for row in rows:
            number = _whole_number(table, row, task)
            key = ("" if version is None else _cell(table, row, version), number)
            if place is None and len(others) > 1 and key in sets:
                raise _mistake(table, row, task, f"task {number} is there twice", "")
            shown = sets.setdefault(key, [])
            for column in others:
                text = _cell(table, row, column)
                if not text:
                    continue
                if numbers[text] in shown:
                    raise _mistake(table, row, column, f"item {text!r} is twice in the task", "")
                shown.append(numbers[text])
        for (_, number), shown in sets.items():
            if len(shown) < 2:
                raise RankingFileError(
                    f"task {number} shows {amount(len(shown), 'item')}",
                    table.source,
                    remedy="a task shows two items or more",
                )
        return cls(names, {key: tuple(shown) for key, shown in sets.items()}, by_person)

    @property
    def versions(self) -> set[str]:
        """The names of versions; one without a name where there are none."""
        return {version for version, _ in self.sets}


def _answer_columns(table: TableBlock) -> dict[int, dict[str, int]]:
    """The columns of the best and the worst of each task."""
    tasks: dict[int, dict[str, int]] = {}
    for column, name in enumerate(table.names):
        parts = _PARTS.findall(name.lower())
        sides = ["best" if part in BEST_WORDS else "worst" for part in parts if part in _SIDES]
        numbers = [int(part) for part in parts if part.isdigit()]
        if len(sides) != 1 or not numbers:
            continue
        pair = tasks.setdefault(numbers[-1], {})
        if sides[0] in pair:
            raise RankingFileError(
                f"columns {table.names[pair[sides[0]]]!r} and {name!r} are both the {sides[0]} of "
                f"task {numbers[-1]}",
                table.source,
                remedy="rename one of them, or leave it out",
            )
        pair[sides[0]] = column
    tasks = {task: pair for task, pair in sorted(tasks.items()) if "best" in pair}
    if not tasks:
        raise RankingFileError(
            "has no columns of answers",
            table.source,
            remedy="name them task1_best, task1_worst, task2_best and so on",
        )
    return tasks


_SIDES = BEST_WORDS | WORST_WORDS


def _versions(
    table: TableBlock, design: _Design, person: int | None, answers: set[int]
) -> list[str]:
    """The version that each person saw."""
    if design.versions == {""}:
        return [""] * len(table)
    column = person if design.by_person else _named(table, _VERSIONS, answers)
    if column is None:
        if len(design.versions) == 1:
            return list(design.versions) * len(table)
        raise RankingFileError(
            f"has no column of versions, of which the design has {len(design.versions)}",
            table.source,
            remedy="name it version",
        )
    versions = [_cell(table, row, column) for row in range(len(table))]
    for row, version in enumerate(versions):
        # Who answered no task need not have a version.
        if version not in design.versions and any(_cell(table, row, each) for each in answers):
            problem = f"the design has no version {version!r}" if version else "has no version"
            raise _mistake(table, row, column, problem, "the design")
    return versions


def _person_column(table: TableBlock, people: str | None) -> int | None:
    if people is None:
        return _named(table, _PEOPLE)
    if people not in table.names:
        raise RankingFileError(
            f"has no column {people!r}", table.source, remedy=f"name one of {table.names[:4]}"
        )
    return table.names.index(people)


def _names(table: TableBlock, column: int | None) -> Sequence[Hashable]:
    """The name of each person, each different."""
    if column is None:
        return range(len(table))
    names = [_cell(table, row, column) for row in range(len(table))]
    seen: set[str] = set()
    for row, name in enumerate(names):
        if not name:
            raise _mistake(table, row, column, "this person has no name", "")
        if name in seen:
            raise _mistake(table, row, column, f"person {name!r} has two rows", "")
        seen.add(name)
    return names


def _at_place(answers: TableBlock, design: TableBlock, task: _Answered, side: str) -> int:
    """The item at a place among those shown."""
    text = task.cells[side]
    if text.isdecimal() and 1 <= int(text) <= len(task.items):
        return task.items[int(text) - 1]
    problem = f"{text!r} is not among the {len(task.items)} items that the design shows there"
    raise _mistake(answers, task.row, task.columns[side], problem, design.source)


def _named(table: TableBlock, words: set[str], without: set[int] | None = None) -> int | None:
    """The first column whose name is one of some words, or ends with one."""
    names = [name.strip().lower() for name in table.names]
    for column, name in enumerate(names):
        if name in words and column not in (without or ()):
            return column
    for column, name in enumerate(names):
        last = re.split(r"[\s_.]+", name)[-1]
        if last in words and column not in (without or ()):
            return column
    return None


def _cell(table: TableBlock, row: int, column: int) -> str:
    """A cell as text, empty where it is missing; a whole number without its decimals."""
    codes, texts = table.labels(column)
    code = int(codes[row])
    text = texts[code] if code >= 0 else ""
    # A column with empty cells may have become one of floats: 3.0 is item 3.
    whole = _WHOLE.fullmatch(text)
    return whole[1] if whole else text


def _whole_number(table: TableBlock, row: int, column: int) -> int:
    """The number of a task, as in 3 or Task 3."""
    digits = re.findall(r"\d+", _cell(table, row, column))
    if not digits:
        raise _mistake(table, row, column, "is no number of a task", "")
    return int(digits[-1])


def _mistake(
    table: TableBlock, row: int, column: int, problem: str, other: str
) -> RankingFileError:
    """What is wrong with a cell, by its line and column."""
    return RankingFileError(
        f"column {table.names[column]!r}: {problem}",
        table.source,
        int(table.lines[row]),
        remedy=f"check it against {other}" if other else "",
    )
