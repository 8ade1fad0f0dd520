"""Ranking questions as survey tools export them, recognised by what is in the file.

=================== ==============================================================================
Qualtrics           three header rows, the third of JSON; ``Q5_1`` … with ranks
SurveyMonkey        two header rows, the question and the items
SPSS                variables ``rank_1`` … with ranks, whose labels name the items
Google Forms        ``Question [Item]`` with ``1st choice`` …, or ``Question [1st choice]``
LimeSurvey          ``Q1[1]``, ``Q1[2]`` … with the item in each place
Microsoft Forms     one cell, ``A;B;C;``
ODK, Kobo           one cell, ``a b c``
by hand             one cell, ``a > b = c``
=================== ==============================================================================
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import amount
from rankcut.files.guessing import NO_ANSWER, are_places, place_of
from rankcut.files.roles import Guess, shortened, told_columns
from rankcut.files.tables import TableBlock, is_missing, number_of, shown
from rankcut.rankings.orders import parse_order

# Of the rows of a ranking question, at most this share may have ties, by mistakes of people.
_MOST_TIED = 0.05

# "Rank these [toro]", which LimeSurvey may write behind a code, "Q1[1]. Rank these [Rank 1]".
_BRACKETS = re.compile(r"(?:\w+\[[^\[\]]+\]\.\s*(?=.*\[))?(.*?)[\s.:]*\[([^\[\]]+)\]\s*")
# What Qualtrics writes as the status of rows that are no answers, in words or numbers.
_TRIALS = {"Survey Preview", "Survey Test", "Spam", "1", "2", "8", "9"}

_PLACE_CODE = re.compile(r"(?i)(rang|rank(ing)?)?\s*\d+")
_NUMBERED = re.compile(r"(.*?\d.*?)_\d+_RANK|(.*?)_?\d+")


def without_headers(block: TableBlock) -> TableBlock:
    """The table without further rows of its header, which become labels of the columns."""
    if len(block) > 2 and any(str(cells[1]).startswith('{"ImportId"') for cells in block.columns):
        return _labelled(block, 2, "Qualtrics")
    untitled = {i for i, name in enumerate(block.names) if name == f"column {i + 1}"} - {0}
    first = block.names[0].lower().replace(" ", "") == "respondentid" or untitled
    if len(block) > 1 and first and _is_second_header(block, untitled):
        names = list(block.names)
        for i in sorted(untitled):
            # The cells of a question stand below its title and the blanks behind it.
            names[i] = re.sub(r" \(\d+\)$", "", names[i - 1]) + f" ({i + 1})"
        return _labelled(replace(block, names=names), 1, "SurveyMonkey")
    return block


def _is_second_header(block: TableBlock, untitled: set[int]) -> bool:
    """Whether the first row has no id, as the others have, and words below missing titles."""
    ids = list(map(is_missing, block.columns[0]))
    words = [number_of(block.columns[i][0]) is None for i in untitled]
    return ids[0] and not any(ids[1:]) and all(words)


def _labelled(block: TableBlock, n_rows: int, tool: str) -> TableBlock:
    labels = tuple(" ".join(str(cells[0]).split()) for cells in block.columns)
    return replace(block.some(np.arange(len(block)) >= n_rows), labels=labels, tool=tool)


def survey_questions(block: TableBlock) -> list[Guess]:
    """The ranking questions of an export."""
    if block.tool:
        return _labelled_questions(block)
    return [*_grids(block), *_lists(block)]


def _labelled_questions(block: TableBlock) -> list[Guess]:
    """Questions whose columns have ranks, and labels with the items' names."""
    tried = np.zeros(len(block), dtype=bool)
    if block.tool == "Qualtrics" and "Status" in block.names:
        status = block.columns[block.names.index("Status")]
        tried = np.array([shown(cell) in _TRIALS for cell in status])
        block = block.some(~tried)
    said = (f"{amount(int(tried.sum()), 'preview')} left out",) if tried.any() else ()
    groups: dict[str, list[int]] = {}
    for i, name in enumerate(block.names):
        if block.tool == "SurveyMonkey":
            groups.setdefault(re.sub(r" \(\d+\)$", "", name), []).append(i)
        elif (found := _NUMBERED.fullmatch(name)) and "_DO_" not in name:
            # Q5_DO_1 … say in which order Qualtrics displayed the items.
            groups.setdefault(found[1] or found[2].rstrip("_"), []).append(i)
    questions = []
    for stem, columns in groups.items():
        read = _ranks_in(block, columns) if len(columns) > 1 else None
        if read is None:
            continue
        labels = [block.labels[i] for i in columns]
        title, items = stem if block.tool == "SurveyMonkey" else "", shortened(labels)
        if all(" - " in label for label in labels):
            # "Which do you like? - Sweets - toro - Rank": the last part that differs.
            parts = [label.removesuffix(" - Rank").split(" - ") for label in labels]
            title, items = " - ".join(parts[0][:-1]), tuple(part[-1] for part in parts)
        what = f"a {block.tool} rank-order question".replace("a SPSS", "an SPSS")
        if block.names[columns[0]].endswith("_RANK"):
            what = "a Qualtrics drag-and-drop group"
        read = read._replace(said=(*said, *read.said))
        questions.append(_ranked(block, columns, items, read, what, stem, title))
    return questions


def _grids(block: TableBlock) -> list[Guess]:
    """Questions with a column for each item, or for each place, named in brackets."""
    groups: dict[str, dict[int, str]] = {}
    for i, name in enumerate(block.names):
        if found := _BRACKETS.fullmatch(name):
            groups.setdefault(found[1], {})[i] = found[2].strip()
    questions = []
    for stem, inner in groups.items():
        if len(inner) < 2:
            continue
        columns, labels = list(inner), tuple(inner.values())
        read = _ranks_in(block, columns)
        if read is not None:
            what = "a Google Forms grid" if read.in_words else "a grid of ranks"
            questions.append(_ranked(block, columns, labels, read, what, stem, stem))
        places = {i: place_of(label) for i, label in inner.items()}
        if None not in places.values() and are_places(block, columns):
            code = all(map(_PLACE_CODE.fullmatch, labels))
            ordered = sorted(columns, key=lambda i: places[i] or 0)
            what = "a LimeSurvey ranking question" if code else "a Google Forms grid of places"
            told = told_columns("ballots", ordered, block)
            questions.append(Guess(what, block, **told, question=stem, title=stem))
    return questions


def _lists(block: TableBlock) -> list[Guess]:
    """Questions whose cells list all items in order."""
    tools = {
        ";": "a Microsoft Forms ranking question",
        " ": "an ODK or Kobo ranking question",
        ",": "lists in one cell",
    }
    questions = []
    for i, name in enumerate(block.names):
        if block.is_numeric(i):
            continue
        cells = sorted({cell for cell in block.objects(i) if isinstance(cell, str)})
        if any(">" in cell for cell in cells) and all(map(_is_order, cells)):
            told: dict[str, Any] = {"layout": "orders", "order": name}
            questions.append(Guess("orders in one column", block, told, question=name))
            continue
        for mark, what in tools.items():
            lists = [[part.strip() for part in c.strip(f"{mark} ").split(mark)] for c in cells]
            items = {*lists[0]} if lists else set()
            if len(items) < 2 or any({*each} != items or len(each) > len(items) for each in lists):
                continue
            closed = mark == ";" and all(cell.rstrip().endswith(";") for cell in cells)
            if closed or len({*map(tuple, lists)}) > 1:
                places = _spread(block, i, mark, len(items))
                told = {"layout": "ballots", "item_columns": places.names[-len(items) :]}
                questions.append(Guess(what, places, told, question=name, title=name))
                break
    return questions


def _is_order(text: str) -> bool:
    """Whether a text lists items, each once, as in ``a > b = c``."""
    listed = [item for group in parse_order(text) for item in group]
    return all(listed) and len({*listed}) == len(listed)


def _spread(block: TableBlock, column: int, mark: str, n_items: int) -> TableBlock:
    """The table with a column for each place of the lists in a column."""
    rows = [
        [] if cell is None else [part.strip() for part in cell.strip(f"{mark} ").split(mark)]
        for cell in block.objects(column)
    ]
    kept = [i for i in range(len(block.names)) if i != column]
    places: list[Any] = [
        tuple(row[place] if place < len(row) else None for row in rows) for place in range(n_items)
    ]
    names = [f"{block.names[column]} [{place + 1}]" for place in range(n_items)]
    return replace(
        block,
        names=[*(block.names[i] for i in kept), *names],
        columns=[*(block.columns[i] for i in kept), *places],
        repeats={},
    )


class _Ranks(NamedTuple):
    """The ranks of a question: an array for each item."""

    columns: list[NDArray[np.float64]]
    in_words: bool  #: such as "1st choice"
    said: tuple[str, ...]  #: about codes for no answer


def _ranks_in(block: TableBlock, columns: Sequence[int]) -> _Ranks | None:
    """The ranks in columns, if these hold ranks."""
    values = np.full((len(block), len(columns)), np.nan)
    in_words = False
    for k, i in enumerate(columns):
        if block.is_numeric(i) and not block.has_ordinals(i):
            values[:, k] = block.numbers(i, "the rank")
            continue
        places: Mapping[Any, float | None] = {
            cell: np.nan if is_missing(cell) else number_of(cell) or place_of(str(cell))
            for cell in {*block.columns[i]}
        }
        if None in places.values():
            return None
        in_words = True
        values[:, k] = [places[cell] for cell in block.columns[i]]
    codes = np.isin(values, [*NO_ANSWER]) & ((values > len(columns)) | (values < 1))
    said = tuple(
        f"{code:g} in {np.count_nonzero(values == code)} cells is no answer"
        for code in np.unique(values[codes]).tolist()
    )
    values[codes] = np.nan
    listed = ~np.isnan(values)
    filled = values[listed]
    if not filled.size or filled.min() < 1 or filled.max() > len(columns) or (filled % 1).any():
        return None
    ordered = np.sort(values, axis=1)
    tied = (np.diff(ordered, axis=1) == 0).any(axis=1)
    if tied.sum() > _MOST_TIED * listed.any(axis=1).sum() or (listed.sum(axis=1) < 2).all():
        return None
    return _Ranks(list(values.T), in_words, said)


def _ranked(
    block: TableBlock,
    columns: Sequence[int],
    items: Sequence[str],
    ranks: _Ranks,
    what: str,
    question: str,
    title: str,
) -> Guess:
    """A question with a column of ranks for each item."""
    cells, names = list(block.columns), list(block.names)
    for i, item, own in zip(columns, items, ranks.columns, strict=True):
        if item in names:
            # A column beside the items that is called like one of them.
            names[names.index(item)] += f" (column {names.index(item) + 1})"
        cells[i], names[i] = own, item
    told = {"layout": "wide", "item_columns": [names[i] for i in columns]}
    named = replace(block, names=names, columns=cells, repeats={})
    by_hand = told_columns("wide", columns, block)["by_hand"]
    return Guess(what, named, told, question, title, said=ranks.said, by_hand=by_hand)
