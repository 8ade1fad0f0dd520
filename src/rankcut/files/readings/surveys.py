"""Ranking questions as survey tools export them.

=================== ==============================================================================
Qualtrics           three header rows, the third of JSON; ``Q5_1`` … with ranks
SurveyMonkey        two header rows, the question and the items
SPSS                variables ``rank_1`` … with ranks, whose labels name the items
Google, LimeSurvey  ``Question [Item]`` with ranks or ``1st choice``; ``Question [1st choice]`` and
                    ``Q1[1]`` with the item in that place
=================== ==============================================================================
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import amount
from rankcut.files.options import shortened
from rankcut.files.readings.ballots import places_matrix, read_ballots, repeats_along
from rankcut.files.readings.maxdiff import is_maxdiff
from rankcut.files.readings.ranks import rank_rows, says_higher
from rankcut.files.readings.scores import score_rows
from rankcut.files.readings.way import (
    CERTAIN,
    MOST_ODD,
    Way,
    by_columns,
    way_of_rows,
    without_previews,
)
from rankcut.files.readings.words import place_of
from rankcut.files.tables import IMPORT_IDS, Cells, TableBlock, is_missing, number_of

# Codes for no answer that survey tools write among ranks, from 1 up to the number of items.
_NO_ANSWER = (-99.0, -9.0, -8.0, -1.0, 77.0, 88.0, 97.0, 98.0, 99.0, 999.0)

_NUMBERED = re.compile(r"(.*?\d.*?)_\d+_RANK|(.*?)_?\d+")
_AGAIN = re.compile(r" \(\d+\)$")
# "Rank these [toro]", which LimeSurvey may write behind a code, "Q1[1]. Rank these [Rank 1]".
_BRACKETS = re.compile(r"(?:\w+\[[^\[\]]+\]\.\s*(?=.*\[))?(.*?)[\s.:]*\[([^\[\]]+)\]\s*")
_PLACE_CODE = re.compile(r"(?i)(rang|rank(ing)?)?\s*\d+")


def without_headers(block: TableBlock) -> TableBlock:
    """The table without further rows of its header, which become labels of the columns."""
    if block.tool or not all(isinstance(column, Cells) for column in block.columns):
        return block
    second = [_cell(block, i, 1) for i in range(len(block.names))] if len(block) > 2 else []
    if any(str(cell).startswith(IMPORT_IDS) for cell in second):
        return _labelled(block, 2, "Qualtrics")
    untitled = {i for i, name in enumerate(block.names) if name == f"column {i + 1}"} - {0}
    first = block.names[0].lower().replace(" ", "") == "respondentid" or untitled
    if len(block) > 1 and first and _is_second_header(block, untitled):
        names = list(block.names)
        for i in sorted(untitled):
            # The cells of a question stand below its title and the blanks behind it.
            names[i] = f"{_AGAIN.sub('', names[i - 1])} ({i + 1})"
        return _labelled(replace(block, names=names), 1, "SurveyMonkey")
    return block


def _cell(block: TableBlock, column: int, row: int) -> object:
    codes, distinct = block.cells(column)
    return distinct[codes[row]]


def _is_second_header(block: TableBlock, untitled: set[int]) -> bool:
    """Whether the first row has no id, as the others have, and words below missing titles."""
    codes, distinct = block.cells(0)
    blank = np.array([is_missing(cell) for cell in distinct])[codes]
    words = [number_of(_cell(block, i, 0)) is None for i in untitled]
    return bool(blank[0] and not blank[1:].any()) and all(words)


def _labelled(block: TableBlock, n_rows: int, tool: str) -> TableBlock:
    about = tuple(" ".join(str(_cell(block, i, 0)).split()) for i in range(len(block.names)))
    return replace(block.some(np.arange(len(block)) >= n_rows), about=about, tool=tool)


def recognise(block: TableBlock, columns: Sequence[int]) -> list[Way]:
    """The ranking questions of a survey."""
    return _in_labels(block, columns) if block.tool else _in_brackets(block, columns)


def _in_labels(block: TableBlock, columns: Sequence[int]) -> list[Way]:
    """Questions whose columns have ranks, and labels with the items' names."""
    if is_maxdiff(block):
        return []
    block, notes = without_previews(block)
    groups: dict[str, list[int]] = {}
    for i, name in enumerate(block.names):
        if block.tool == "SurveyMonkey":
            groups.setdefault(_AGAIN.sub("", name), []).append(i)
        elif (match := _NUMBERED.fullmatch(name)) and "_DO_" not in name:
            # Q5_DO_1 … say in which order Qualtrics displayed the items.
            groups.setdefault(match[1] or match[2].rstrip("_"), []).append(i)
    ways = []
    for stem, every in groups.items():
        group = [i for i in every if i in columns]
        ranks = _ranks_in(block, group, len(every)) if len(group) > 1 else None
        if ranks is None:
            continue
        labels = [block.about[i] for i in group]
        title, items = stem if block.tool == "SurveyMonkey" else "", shortened(labels)
        if all(" - " in label for label in labels):
            # "Which do you like? - Sweets - toro - Rank": the last part that differs.
            parts = [label.removesuffix(" - Rank").split(" - ") for label in labels]
            title, items = " - ".join(parts[0][:-1]), tuple(part[-1] for part in parts)
        if len({*items}) < len(items) or not all(items):
            items = tuple(block.names[i] for i in group)
        what = f"a {block.tool} rank-order question".replace("a SPSS", "an SPSS")
        if block.names[group[0]].endswith("_RANK"):
            what = "a Qualtrics drag-and-drop group"
        ranks = ranks._replace(notes=(*notes, *ranks.notes))
        ways += _question(block, group, items, ranks, what, stem, title)
    return ways


def _in_brackets(block: TableBlock, columns: Sequence[int]) -> list[Way]:
    """Questions with a column for each item, or for each place, named in brackets."""
    groups: dict[str, dict[int, str]] = {}
    for i in columns:
        if match := _BRACKETS.fullmatch(block.names[i]):
            groups.setdefault(match[1], {})[i] = match[2].strip()
    ways = []
    for stem, inner in groups.items():
        if len(inner) < 2:
            continue
        group, labels = list(inner), tuple(inner.values())
        ranks = _ranks_in(block, group)
        if ranks is not None and len({*labels}) == len(labels):
            what = "a Google Forms grid" if ranks.in_words else "a grid of ranks"
            ways += _question(block, group, labels, ranks, what, stem, stem)
        places = {i: place_of(label) for i, label in inner.items()}
        codes, items = places_matrix(block, group)
        if None not in places.values() and not repeats_along(codes).any() and len(items) > 1:
            ordered = sorted(group, key=lambda i: places[i] or 0)
            ways.append(_of_places(block, ordered, labels, stem))
    return ways or _in_words(block, columns)


def _in_words(block: TableBlock, columns: Sequence[int]) -> list[Way]:
    """Columns whose cells all name places, as "2nd choice" does."""
    group = [i for i in columns if not block.is_numeric(i)]
    group = [i for i in group if all(map(place_of, block.labels(i).texts))]
    ranks = _ranks_in(block, group) if len(group) > 1 else None
    if ranks is None:
        return []
    names = [block.names[i] for i in group]
    return _question(block, group, names, ranks, "ranks in words", "", "")


def _of_places(block: TableBlock, places: list[int], labels: Sequence[str], stem: str) -> Way:
    code = all(map(_PLACE_CODE.fullmatch, labels))
    return Way(
        what="a LimeSurvey ranking question" if code else "a Google Forms grid of places",
        read=lambda options: read_ballots(block, places, options),
        evidence=CERTAIN,
        named=True,
        settings=by_columns("ballots", places, block),
        question=stem,
        title=stem,
        noun="respondent",
    )


class _Ranks(NamedTuple):
    """The ranks of a question: an array for each item."""

    columns: list[NDArray[np.float64]]
    in_words: bool  #: such as "1st choice"
    notes: tuple[str, ...]  #: about codes for no answer


def _ranks_in(
    block: TableBlock, columns: Sequence[int], n_ranked: int | None = None
) -> _Ranks | None:
    """The ranks in columns, if these hold ranks from 1 to at most ``n_ranked``."""
    n_ranked = n_ranked or len(columns)
    values = np.full((len(block), len(columns)), np.nan)
    in_words = False
    for k, i in enumerate(columns):
        if block.is_numeric(i) and not block.has_ordinals(i):
            values[:, k] = block.numbers(i, "the rank")
            continue
        codes, texts = block.labels(i)
        places = [number_of(text) or place_of(text) for text in texts]
        if None in places:
            return None
        in_words = True
        values[:, k] = np.array([*places, np.nan], dtype=np.float64)[codes]
    coded = np.isin(values, _NO_ANSWER) & ((values > n_ranked) | (values < 1))
    notes = tuple(
        f"{code:g} in {amount(int(np.count_nonzero(values == code)), 'cell')} is no answer"
        for code in np.unique(values[coded]).tolist()
    )
    values[coded] = np.nan
    listed = ~np.isnan(values)
    filled = values[listed]
    if not filled.size or filled.min() < 1 or filled.max() > n_ranked or (filled % 1).any():
        return None
    tied = (np.diff(np.sort(values, axis=1), axis=1) == 0).any(axis=1)
    if tied.sum() > MOST_ODD * listed.any(axis=1).sum() or (listed.sum(axis=1) < 2).all():
        return None
    return _Ranks(list(values.T), in_words, notes)


def _question(
    block: TableBlock,
    columns: Sequence[int],
    items: Sequence[str],
    ranks: _Ranks,
    what: str,
    question: str,
    title: str,
) -> list[Way]:
    """A question with a column of ranks for each item; as points too, if its title says so."""
    cells, names = list(block.columns), list(block.names)
    for i, item, values in zip(columns, items, ranks.columns, strict=True):
        if item in names:
            # A column beside the items that is called like one of them.
            names[names.index(item)] += f" (column {names.index(item) + 1})"
        cells[i], names[i] = values, item
    named = replace(block, names=names, columns=cells, repeats={})
    labels = [names[i] for i in columns]
    way = way_of_rows(
        named,
        rank_rows(labels),
        (),
        what=what,
        evidence=CERTAIN,
        named=True,
        settings=by_columns("wide", columns, block),
        question=question,
        title=title,
        noun="respondent",
        notes=ranks.notes,
    )
    way = replace(way, on_rows=None)
    if not says_higher(question, title, *(block.about[i] for i in columns if block.about)):
        return [way]
    points = way_of_rows(
        named, score_rows(labels, higher_is_better=True), (), what="", evidence=CERTAIN
    )
    return [
        way,
        replace(
            way,
            what="points, of which more are better",
            read=points.read,
            settings=by_columns("ratings", columns, block),
        ),
    ]
