"""Scores: a row for each ranking with a score for each item, or a row for each item.

Names alone say that higher is better, and which of rows and columns are the items, as those of
models and data sets do; otherwise both are offered. Scores in several columns are on one scale, as
are stars, shares or errors; columns of a range of their own are other things.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import RankingFileError, Setting
from rankcut.files.options import (
    TableOptions,
    as_option,
    described,
    free_columns,
    places_in,
    shortened,
)
from rankcut.files.readings.long_tables import as_long
from rankcut.files.readings.ranks import label_column, rank_evidence, row_items
from rankcut.files.readings.way import (
    CERTAIN,
    FEWEST_ITEMS,
    FITS,
    POSSIBLE,
    Evidence,
    OnRows,
    Way,
    as_described,
    settings_of,
    way_of_rows,
)
from rankcut.files.readings.words import DATA, HIGHER, LOWER, MODELS, SCALES, is_about, words_of
from rankcut.files.tables import TableBlock
from rankcut.rankings.ranking_set import RankingSet
from rankcut.rankings.ratings import Scale, from_ratings, read_scale

# The largest scores of columns on one scale differ at most by this factor.
_MOST_APART = 10.0


# "68.4(7.1)", ".95 ± .02", "**.95**": a number, and what papers write beside it.
_ADDED_TO = re.compile(r"[*_\s]*([+-]?\d*\.?\d+)\s*%?\s*(?:\(.*\)|(?:±|\$?\\pm|\+/?-).*)?[*_†‡\s]*")


def recognise(block: TableBlock, columns: Sequence[int]) -> list[Way]:
    """Tables of scores, long or with a column for each model or data set."""
    block = _bare(block)
    return _in_words(block, columns) or _long(block, columns) or _wide(block, columns)


def _in_words(block: TableBlock, columns: Sequence[int]) -> list[Way]:
    """Columns of words of a usual scale, which is offered."""
    text = [i for i in columns if block.labels(i).texts and not block.is_numeric(i)]
    for scale in SCALES:
        rated = [i for i in text if {word.lower() for word in block.labels(i).texts} <= {*scale}]
        words = {word for i in rated for word in block.labels(i).texts}
        if len(rated) > 1 and len(words) > 1:
            names = [block.names[i] for i in rated]
            ordered = " > ".join(sorted(words, key=lambda word: scale.index(word.lower())))
            return [
                way_of_rows(
                    block,
                    word_rows(names, ordered),
                    names,
                    what="ratings in words",
                    evidence=POSSIBLE,
                    settings=(Setting("scale", ordered),),
                )
            ]
    return []


def _bare(block: TableBlock) -> TableBlock:
    """The table with numbers alone in columns of numbers to which something is added."""
    columns = list(block.columns)
    for i in range(len(block.names)):
        codes, texts = block.labels(i)
        matches = [] if block.is_numeric(i) else [*map(_ADDED_TO.fullmatch, texts)]
        if texts and matches and all(matches):
            numbers = [float(match[1]) for match in matches if match]
            columns[i] = np.array([*numbers, np.nan])[codes]
    return replace(block, columns=columns)


def _called(block: TableBlock, columns: Sequence[int], words: set[str]) -> list[int]:
    """The columns with such a name: "classifier_name" names classifiers."""
    called = []
    for i in columns:
        parts = words_of(block.names[i])
        last = parts[-2] if len(parts) > 1 and parts[-1] in ("name", "id") else parts[-1]
        if block.names[i].strip().lower() in words or last in words:
            called.append(i)
    return called


def _long(block: TableBlock, columns: Sequence[int]) -> list[Way]:
    """A row for each model on each data set."""
    models = [i for i in _called(block, columns, MODELS) if not block.is_numeric(i)]
    data = [i for i in _called(block, columns, DATA) if i not in models]
    numbers = [i for i in columns if block.is_numeric(i) and i not in data]
    if len(models) != 1 or len(data) != 1:
        return []
    pairs = np.column_stack([block.cells(i).codes for i in (models[0], data[0])])
    if len(np.unique(pairs, axis=0)) < len(pairs):
        return []
    metrics = [i for i in numbers if {*words_of(block.names[i])} & (HIGHER | LOWER)] or numbers
    ways = []
    for score in metrics:
        names = [block.names[i] for i in (models[0], data[0], score)]
        how: dict[str, Any] = dict(zip(("item", "ranking", "score"), names, strict=True))
        ways.append(_way(block, how, names[2], named=True))
    return ways


def _wide(block: TableBlock, columns: Sequence[int]) -> list[Way]:
    """A row for each data set, or each model, and a column for each of the others."""
    label = label_column(block)
    empty = block.empty_columns()
    numbers = [i for i in columns if block.is_numeric(i) and i not in empty and i != label]
    numbers = [i for i in numbers if not is_about(block.names[i])]
    if label is None or label not in columns or not numbers or len(block) < 2:
        return [] if len(numbers) < 2 else _offered(block, None, numbers)
    values = np.column_stack([block.numbers(i, "the score") for i in numbers])
    if rank_evidence(values) is not None or rank_evidence(values.T) is not None:
        return []
    text = [i for i in columns if i != label and not block.is_numeric(i)]
    named = [] if text else _named_wide(block, label, numbers)
    return named or _offered(block, label, numbers)


def _named_wide(block: TableBlock, label: int, numbers: Sequence[int]) -> list[Way]:
    metrics = [i for i in numbers if {*words_of(block.names[i])} & (HIGHER | LOWER)]
    if _called(block, [label], MODELS):
        if len(metrics) > 1 and 2 * len(metrics) >= len(numbers):
            # Each metric ranks the models, and has its own direction.
            return [_metric(block, label, i) for i in metrics]
        if len(numbers) > 1:
            return [_across(block, label, numbers, "rows", FITS)]
    if _called(block, [label], DATA) and len(numbers) > 1:
        return [_across(block, label, numbers, "columns", FITS)]
    return []


def _metric(block: TableBlock, label: int, column: int, evidence: Evidence = FITS) -> Way:
    """One ranking of the rows, by a column."""
    name = block.names[column]
    how = {"layout": "ratings", "item": block.names[label], "item_columns": [name]}
    way = _way(block, how, name, named=evidence == FITS)
    settings = [each for each in way.settings if each.name != "item_columns"]
    option = Setting("item_columns", as_option([column], block.names))
    what = f"{name}, of which each row has one"
    return replace(way, what=what, evidence=evidence, settings=(*settings, option))


def _offered(block: TableBlock, label: int | None, numbers: Sequence[int]) -> list[Way]:
    """What a user may mean by numbers that nobody describes."""
    # A flag is no score.
    several = [i for i in numbers if not {*block.labels(i).texts} <= {"0", "1"}]
    alike = list(several)
    while len(alike) > 1:
        values = np.column_stack([block.numbers(i, "the score") for i in alike])
        finding = check_scores(values, [block.names[i] for i in alike])
        if finding is None:
            break
        alike = [i for k, i in enumerate(alike) if k not in finding[0]]
    # Most numbers are on one scale; a few others, such as ids, are not.
    fewest = 2 if alike == several else FEWEST_ITEMS
    together = len(alike) >= fewest and 2 * len(alike) > len(several)
    ways = [_across(block, label, alike, "columns", POSSIBLE)] if together else []
    if label is None:
        return ways
    if together:
        people = is_about(block.names[label]) or len(alike) < len(several)
        return ways if people else [*ways, _across(block, label, alike, "rows", POSSIBLE)]
    # Fractions are a metric rather than whole numbers, and so are the last columns.
    fractions = [i for i in several[::-1] if (block.numbers(i, "the score") % 1 > 0).any()]
    most = list(dict.fromkeys([*fractions, *several[::-1]])) or list(numbers)
    ways = [_metric(block, label, i, POSSIBLE) for i in most[:2]]
    others = f", or one of {len(most) - 2} others" if len(most) > 2 else ""
    return [replace(way, what=way.what + others * (way is ways[-1])) for way in ways]


def _across(
    block: TableBlock, label: int | None, numbers: Sequence[int], items: str, evidence: Evidence
) -> Way:
    how: dict[str, Any] = {"layout": "ratings"}
    others = [i for i in range(len(block.names)) if block.is_numeric(i) and i not in numbers]
    if others:
        how["item_columns"] = as_option(numbers, block.names)
    if items == "rows" and label is not None:
        how["item"] = block.names[label]
    elif evidence == FITS and label is not None:
        how["ranking"] = block.names[label]
    way = _way(block, how, "", named=evidence == FITS)
    what = way.what if evidence == FITS else f"scores, with the items in {items}"
    return replace(way, what=what, evidence=evidence)


def _way(block: TableBlock, how: dict[str, Any], metric: str, *, named: bool) -> Way:
    words = {*words_of(metric)}
    better = True if words & HIGHER else False if words & LOWER else None
    if better is not None:
        how = {**how, "higher_is_better": better}
    form = as_long if "score" in how else as_ratings

    def read(options: TableOptions) -> RankingSet:
        settled = as_described(options, columns=None, **how)
        if options.higher_is_better is not None:
            settled = replace(settled, higher_is_better=options.higher_is_better)
        return form(block, settled).read(settled)

    return Way(
        what="scores of models on data sets",
        read=read,
        evidence=FITS,
        named=named,
        settings=settings_of(how),
        noun="data set",
        unranked="anywhere",
        notes=() if better is None else (f"{'higher' if better else 'lower'} is better",),
        open_direction=better is None,
    )


def score_rows(names: Sequence[str], *, higher_is_better: bool) -> OnRows:
    """Reads the columns of these names as the scores of items."""

    def on_rows(block: TableBlock, options: TableOptions, typed: bool) -> RankingSet:
        items = block.columns_of(names)
        scores = np.column_stack([block.numbers(i, "the score") for i in items])
        better = options.higher_is_better
        ranks = from_ratings(
            scores, higher_is_better=higher_is_better if better is None else better
        )
        labels = shortened(names) if options.shorten else tuple(names)
        return RankingSet(ranks, labels, **described(block, options, items, typed=typed))

    return on_rows


def word_rows(names: Sequence[str], words: Scale | None) -> OnRows:
    """Reads the columns of these names as the words of a scale."""

    def on_rows(block: TableBlock, options: TableOptions, typed: bool) -> RankingSet:
        items = block.columns_of(names)
        scale = read_scale(words or ())
        levels = np.column_stack([block.levels(i, scale) for i in items])
        ranks = from_ratings(levels, higher_is_better=False)
        labels = shortened(names) if options.shorten else tuple(names)
        return RankingSet(ranks, labels, **described(block, options, items, typed=typed))

    return on_rows


def as_ratings(block: TableBlock, options: TableOptions) -> Way:
    """The scores of a table that options describe, or its words on a scale."""
    block = block if options.scale is not None else _bare(block)
    free = free_columns(block, options)
    label = None if options.item is None else places_in(block, options.item)[0]
    scale = options.levels()
    if options.item_columns is not None:
        items = [i for i in places_in(block, options.item_columns) if i in free]
    elif scale is not None:
        items = [i for i in free if block.is_on(i, scale)]
        if not items:
            problem = f"no column holds only words of the scale {', '.join(scale)}"
            raise block.mistake(problem, ["name the items with ", Setting("item_columns")])
    else:
        items = _scored(block, [i for i in free if i != label and block.is_numeric(i)])
    names = [block.names[i] for i in items]
    if label is None or scale is not None:
        rows = (
            score_rows(names, higher_is_better=True)
            if scale is None
            else word_rows(names, options.scale)
        )
        notes = () if scale is not None else (_direction(options),)
        return way_of_rows(block, rows, names, what="scores", evidence=CERTAIN, notes=notes)

    def read(settled: TableOptions) -> RankingSet:
        scores = np.array([block.numbers(i, "the score") for i in items])
        ranks = from_ratings(scores, higher_is_better=settled.higher_is_better is not False)
        return RankingSet(ranks, row_items(block, label), ids=tuple(names))

    return Way(
        what="scores, a row for each item",
        read=read,
        evidence=CERTAIN,
        notes=(_direction(options),),
    )


def _direction(options: TableOptions) -> str:
    return f"{'lower' if options.higher_is_better is False else 'higher'} is better"


def _scored(block: TableBlock, numeric: list[int]) -> list[int]:
    """Columns of scores that nobody named; refused if some are other things."""
    if not numeric:
        raise block.mistake(
            "no column holds only numbers, so none is an item",
            ["name the items with ", Setting("item_columns")],
        )
    for again, first in block.repeats.items():
        if {again, first} <= {*numeric}:
            raise RankingFileError(f"item {block.names[first]!r} has two columns", block.source)
    values = np.column_stack([block.numbers(i, "the score") for i in numeric])
    finding = check_scores(values, [block.names[i] for i in numeric])
    if finding is not None:
        odd, problem = finding
        columns = [numeric[k] for k in odd]
        raise block.mistake(
            f"column {block.names[columns[0]]!r} {problem}",
            [
                *(
                    "if it holds no scores, pass ",
                    Setting("columns", as_option(columns, block.names)),
                ),
                *("; otherwise name the items with ", Setting("item_columns")),
            ],
            column=columns[0],
        )
    return numeric


def check_scores(values: NDArray[np.float64], names: Sequence[str]) -> tuple[list[int], str] | None:
    """The columns that are no scores beside the others, and why not; None if all may be.

    >>> stars = np.array([[1956, 5, 2], [1961, 1, 4], [1958, 3, 3], [1959, 3, 1]], dtype=float)
    >>> check_scores(stars, ["held in", "Ann", "Bob"])
    ([0], 'has a range of its own, far from the other scores')
    """
    filled = np.flatnonzero(~np.isnan(values).all(axis=0)).tolist()
    named = [k for k in filled if is_about(names[k])]
    if named:
        return named, "does not sound like an item"
    counting = [k for k in filled if len(values) > 3 and (np.diff(values[:, k]) == 1).all()]
    if counting and len(filled) > 1:
        return counting, "numbers the rows"
    if len(filled) < 2:
        return None
    low, high = np.nanmin(values[:, filled], axis=0), np.nanmax(values[:, filled], axis=0)
    most = np.maximum(np.abs(low), np.abs(high))
    usual = float(np.median(most))
    # The ends of the others, for each column.
    lowest, highest = np.full(len(low), low.min()), np.full(len(high), high.max())
    lowest[low.argmin()], highest[high.argmax()] = np.sort(low)[1], np.sort(high)[-2]
    width = np.maximum(highest - lowest, 1.0)
    far = (low > highest + width) | (high < lowest - width)
    far |= (most > usual * _MOST_APART) | (most < usual / _MOST_APART)
    apart = [filled[k] for k in np.flatnonzero(far).tolist()]
    return (apart, "has a range of its own, far from the other scores") if apart else None
