"""Choices among profiles whose attributes differ from task to task, as conjoint surveys have them.

A table has a row for each alternative shown: whose task it was, which task, the attributes, and
whether it was chosen. Columns that are alike in all alternatives of each task are about the person
or the task, and say nothing of what is chosen.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut._loops.types import Flags, Longs
from rankcut.errors import RankingFileError, Setting, amount
from rankcut.files.tables import TableBlock, is_empty, is_missing
from rankcut.rankings.ranking_set import RankingSet, fitting_ranks

_PEOPLE = {
    *("respid", "id", "person", "personid", "respondent", "respondentid", "sysrespnum", "unitid"),
    *("responseid", "participant", "participantid", "user", "userid", "household", "householdid"),
    *("hhid", "hh", "panel", "panelid", "pid", "subject", "caseid", "indid", "individual"),
}
_TASKS = {
    *("ques", "question", "task", "tasknumber", "set", "choiceset", "choiceid", "chid", "obsid"),
    *("obs", "customid", "scenario", "situation", "choicesituation", "cs", "qid", "screen"),
    *("setid", "taskid", "occasion", "trip"),
}
_ALTERNATIVES = {
    *("alt", "alternative", "concept", "option", "profile", "position", "altid", "profileid"),
    *("alternativeid", "mode", "card"),
}
_CHOSEN = {
    *("choice", "chosen", "chose", "selected", "response", "picked", "pick", "answer", "y"),
    *("choose", "decision", "preferred", "choosen"),
}

_YES, _NO = {"1", "yes", "true", "y", "chosen", "x"}, {"0", "no", "false", "n", "", "-1"}

# What a profile without attributes is called, where it is named.
_NONE = re.compile(
    r"(?i)none( of (these|them|the above))?|no[ -]?choice|opt[ -]?out|neither|no buy"
)


@dataclass(frozen=True)
class ProfileColumns:
    """What the columns of a table are."""

    person: int | None
    task: int | None
    alternative: int | None
    chosen: int
    attributes: tuple[int, ...]
    weight: int | None = None

    @classmethod
    def find(
        cls,
        block: TableBlock,
        people: str | None = None,
        task: str | None = None,
        chosen: str | None = None,
        attributes: Sequence[str] | None = None,
        weight: str | None = None,
    ) -> "ProfileColumns | None":
        """The columns, by their names where they are not given; None if none says what is chosen.

        Those that number the rows are left out; what is left are attributes.
        """
        roles = [
            _column(block, people, _PEOPLE),
            _column(block, task, _TASKS),
            _column(block, None, _ALTERNATIVES),
            _column(block, chosen, _CHOSEN),
        ]
        if roles[3] is None:
            return None
        given = () if attributes is None else tuple(_named(block, name) for name in attributes)
        alternative = None if roles[2] in given else roles[2]
        weighing = None if weight is None else _named(block, weight)
        used = {roles[0], roles[1], alternative, roles[3], weighing}
        others = [i for i in range(len(block.names)) if i not in used]
        rest = tuple(i for i in others if not _numbers_rows(block, i))
        return cls(roles[0], roles[1], alternative, roles[3], given or rest, weighing)


@dataclass(frozen=True, eq=False)
class ProfileTasks:
    """Tasks, and the profiles that they show."""

    rankings: RankingSet  #: a row for each task; the items are numbers of profiles
    columns: dict[str, NDArray[Any]]  #: the attributes of each profile
    is_none: Flags  #: which profiles have no attributes


def looks_like_profiles(block: TableBlock) -> bool:
    """Whether a table has tasks of several rows, in each of which one alternative is chosen."""
    columns = ProfileColumns.find(block)
    if columns is None or not columns.attributes:
        return False
    if columns.task is None and columns.alternative is None:
        return False
    try:
        tasks = _tasks_of(block, columns)
        picks = np.bincount(tasks, _chosen_rows(block, columns, tasks))
    except RankingFileError:
        return False
    several = np.bincount(tasks) > 1
    return bool(several.mean() > 0.9 and (picks == 1).mean() > 0.5)


def read_profiles(
    block: TableBlock, columns: ProfileColumns, levels: Sequence[str] = ()
) -> ProfileTasks:
    """The tasks of a table with a row for each alternative shown.

    ``levels`` are columns of numbers that name levels, and do not measure anything.
    """
    tasks = _tasks_of(block, columns)
    chosen = _chosen_rows(block, columns, tasks)
    picks = np.bincount(tasks, chosen)
    if (picks > 1).any():
        row = int(np.flatnonzero(chosen & (picks[tasks] > 1))[1])
        problem = "another alternative of this task is chosen too"
        block.refuse(row, columns.chosen, problem, "check the columns of people and tasks")
    values, notes = _attributes(block, columns, tasks, levels)
    is_none = _without_attributes(block, columns, values)
    for column in values.values():
        column[is_none] = np.nan if column.dtype.kind == "f" else None
    if not (picks > 0).all():
        notes.append(
            f"{amount(int((picks == 0).sum()), 'task')} without a chosen alternative left out; "
            "where none of these was chosen, a row without attributes says so"
        )
    rows = np.flatnonzero(picks[tasks] > 0)
    if not rows.size:
        raise RankingFileError("no task has a chosen alternative", block.source)
    _, task_of, first = _renumbered(tasks[rows])
    # A profile that is twice in a task is two items there.
    codes = [_codes_of(column[rows]) for column in (*values.values(), is_none)]
    copies = _copies(np.column_stack([task_of, *codes]))
    _, some, profile = np.unique(
        np.column_stack([copies, *codes]), axis=0, return_index=True, return_inverse=True
    )
    ranks = csr_array(
        (np.where(chosen[rows], 1.0, 2.0), (task_of, profile.ravel())),
        shape=(len(first), len(some)),
    )
    people = None
    if columns.person is not None:
        names = _names(block, columns.person)[rows[first]]
        people = names.astype(np.int64) if all(map(str.isdecimal, names)) else names
    weights = None
    if columns.weight is not None:
        weights = block.numbers(columns.weight, "the weight")[rows[first]]
    rankings = RankingSet(
        fitting_ranks(ranks.sorted_indices()),
        tuple(range(len(some))),
        people=people,
        weights=weights,
        notes=tuple(notes),
        unranked="anywhere",
        asked_ties=False,
        file=block.source,
        lines=block.lines[rows[first]],
    )
    profiles = {name: column[rows[some]] for name, column in values.items()}
    return ProfileTasks(rankings, profiles, is_none[rows[some]])


def values_of(block: TableBlock, column: int, *, as_levels: bool = False) -> NDArray[Any]:
    """A column of attributes: numbers with NaN, or text with None."""
    if block.is_numeric(column) and not as_levels and "none" not in _lower(block, column):
        return np.array(block.numbers(column, "the attribute"), dtype=np.float64)
    codes, texts = block.labels(column, _is_blank)
    return np.array([*texts, None], dtype=object)[codes]


def _attributes(
    block: TableBlock, columns: ProfileColumns, tasks: Longs, levels: Sequence[str]
) -> tuple[dict[str, NDArray[Any]], list[str]]:
    """The attributes that differ within tasks, and what is to be said about the others."""
    by_level = {_named(block, name) for name in levels}
    values: dict[str, NDArray[Any]] = {}
    alike = []
    for i in columns.attributes:
        column = values_of(block, i, as_levels=i in by_level)
        if _is_alike_in_tasks(_codes_of(column), tasks):
            alike.append(block.names[i])
        else:
            values[block.names[i]] = column
    if columns.alternative is not None and not block.is_numeric(columns.alternative):
        labels = values_of(block, columns.alternative)
        labels[_names_none(block, columns.alternative)] = None
        codes = _codes_of(labels)
        # So many names are not those of what people choose among, but of cards.
        if len(np.unique(codes)) < 30 and not any(
            _determines(_codes_of(column), codes) for column in values.values()
        ):
            values[block.names[columns.alternative]] = labels
    if not values:
        raise RankingFileError(
            "no attribute differs between the alternatives of a task",
            block.source,
            remedy=["name the columns of attributes with ", Setting("attributes")],
        )
    notes = []
    if alike:
        notes.append(f"alike in all alternatives of each task, so left out: {', '.join(alike)}")
    numbers = [name for name, column in values.items() if column.dtype.kind == "f"]
    slopes = [name for name in numbers if len(np.unique(values[name])) > 2]
    if slopes:
        notes.append(f"numbers, with one coefficient each: {', '.join(slopes)}")
    return values, notes


def _without_attributes(
    block: TableBlock, columns: ProfileColumns, values: Mapping[str, NDArray[Any]]
) -> Flags:
    """Which rows are none of the alternatives: named so, or without any attribute.

    A row of zeros is without attributes if some attribute, such as a price, is 0 in no other.
    """
    missing, zero = [], []
    for column in values.values():
        if column.dtype.kind == "f":
            missing.append(np.isnan(column))
            zero.append(np.isnan(column) | (column == 0))
        else:
            absent = np.array([value is None or bool(_NONE.fullmatch(value)) for value in column])
            missing.append(absent)
            zero.append(absent | (column == "0"))
    is_none = np.all(missing, axis=0)
    zeros = np.all(zero, axis=0)
    if zeros.any() and any((flags == zeros).all() for flags in zero):
        is_none |= zeros
    if columns.alternative is not None:
        is_none |= _names_none(block, columns.alternative)
    return np.asarray(is_none)


def _tasks_of(block: TableBlock, columns: ProfileColumns) -> Longs:
    """The number of each row's task, in order of appearance."""
    people = np.zeros(len(block), np.int64)
    if columns.person is not None:
        people = block.labels(columns.person, is_empty).codes
    if columns.task is not None:
        tasks = block.labels(columns.task, is_empty).codes
    elif columns.alternative is None:
        tasks = np.zeros(len(block), np.int64)
    else:
        tasks = _runs(people, block.labels(columns.alternative, is_empty).codes)
    for column, codes in ((columns.person, people), (columns.task, tasks)):
        if column is not None and (codes < 0).any():
            block.refuse(int(np.argmax(codes < 0)), column, "is empty", "fill it in each row")
    return _renumbered(people * (int(tasks.max()) + 1) + tasks)[1]


def _runs(people: Longs, alternatives: Longs) -> Longs:
    """Tasks that nobody numbered: one begins where an alternative or another person comes again."""
    tasks, shown, number = np.empty(len(people), np.int64), set[int](), 0
    for row, alternative in enumerate(alternatives.tolist()):
        if alternative in shown or (row and people[row] != people[row - 1]):
            shown, number = set(), number + 1
        shown.add(alternative)
        tasks[row] = number
    return tasks


def _chosen_rows(block: TableBlock, columns: ProfileColumns, tasks: Longs) -> Flags:
    """Which alternatives are chosen.

    The column is 1 or yes in their rows; or has, in the first row of a task or in all, the place or
    the name of the alternative that is.
    """
    codes, texts = block.labels(columns.chosen, is_empty)
    words = [text.lower() for text in texts]
    if all(word in _YES or word in _NO for word in words):
        return np.array([*(word in _YES for word in words), False])[codes]
    starts = np.flatnonzero(np.append(True, np.diff(tasks) != 0))
    place = np.arange(len(tasks)) - np.repeat(starts, np.diff(np.append(starts, len(tasks))))
    names = place + 1
    if columns.alternative is not None:
        names = _names(block, columns.alternative)
    answers = np.array([*(word if word not in _NO else "" for word in texts), ""], dtype=object)
    # The answer of a task is that of the first row that has one.
    answered = np.flatnonzero(answers[codes] != "")
    answer = np.full(int(tasks.max()) + 1, "", dtype=object)
    answer[tasks[answered][::-1]] = answers[codes][answered][::-1]
    chosen = np.array([str(name) for name in names]) == answer[tasks].astype(str)
    without = (np.bincount(tasks, chosen) == 0) & (answer != "")
    if without.any():
        row = int(np.argmax(without[tasks]))
        problem = f"{answer[tasks[row]]!r} is no alternative of this task"
        block.refuse(row, columns.chosen, problem, "mark the chosen alternative with 1, others 0")
    return np.asarray(chosen)


def _names(block: TableBlock, column: int) -> NDArray[Any]:
    """The text of each row, empty where there is none."""
    codes, texts = block.labels(column, is_empty)
    return np.array([*texts, ""], dtype=object)[codes]


def _names_none(block: TableBlock, column: int) -> Flags:
    """Which rows are called none of these."""
    codes, texts = block.labels(column, is_empty)
    return np.array([*(_NONE.fullmatch(text) is not None for text in texts), False])[codes]


def _is_blank(cell: Any) -> bool:
    """Whether a cell has no value; here "none" is one."""
    return is_missing(cell) and not (isinstance(cell, str) and cell.strip().lower() == "none")


def _lower(block: TableBlock, column: int) -> set[str]:
    return {text.lower() for text in block.labels(column, is_empty).texts}


def _codes_of(column: NDArray[Any]) -> Longs:
    """A number for each different value; one for all that are missing."""
    values = (
        column if column.dtype.kind in "fb" else np.array(["" if v is None else v for v in column])
    )
    return np.asarray(np.unique(values, return_inverse=True)[1], dtype=np.int64)


def _renumbered(codes: Longs) -> tuple[Longs, Longs, Longs]:
    """Codes in order of appearance: the different ones, those of all rows, where each begins."""
    distinct, first, which = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return distinct[order], np.argsort(order)[which], first[order]


def _copies(rows: Longs) -> Longs:
    """How often each row was there before."""
    _, which = np.unique(rows, axis=0, return_inverse=True)
    which = which.ravel()
    order = np.argsort(which, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(which[order]) != 0))
    copies = np.empty(len(which), np.int64)
    lengths = np.diff(np.append(starts, len(which)))
    copies[order] = np.arange(len(which)) - np.repeat(starts, lengths)
    return copies


def _is_alike_in_tasks(codes: Longs, tasks: Longs) -> bool:
    first = np.empty(int(tasks.max()) + 1, np.int64)
    first[tasks[::-1]] = codes[::-1]
    return bool((codes == first[tasks]).all())


def _determines(codes: Longs, others: Longs) -> bool:
    """Whether equal codes have equal others, so that the others say nothing more."""
    first = np.empty(int(codes.max()) + 1, np.int64)
    first[codes[::-1]] = others[::-1]
    return bool((others == first[codes]).all())


def _numbers_rows(block: TableBlock, column: int) -> bool:
    """Whether a column of whole numbers counts the rows."""
    if not block.is_numeric(column) or len(block) < 3:
        return False
    return bool((np.diff(block.numbers(column, "the column")) == 1).all())


def _column(block: TableBlock, given: str | None, names: set[str]) -> int | None:
    """The column of a role: as given, or the first that is called so."""
    if given is not None:
        return _named(block, given)
    bare = [re.sub(r"[^a-z]", "", name.lower()) for name in block.names]
    return next((i for i, name in enumerate(bare) if name in names), None)


def _named(block: TableBlock, name: str) -> int:
    if name not in block.names:
        raise RankingFileError(
            f"has no column {name!r}", block.source, remedy=f"name one of {block.names[:6]}"
        )
    return block.names.index(name)
