"""Scores of models on data sets: means with errors over data sets, win rates, improvements.

A data set is one of those that might have been used, so it is the unit: runs on one data set
(seeds, folds) are averaged first, and say nothing of other data sets. Where each model has a score
on each data set, means have the covariance of the scores over data sets, divided by their number.
Where scores are missing, means are those of an additive model, score = model + data set, whose
errors are by data set too (Bell and McCaffrey's correction).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg, special
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from rankcut._loops.types import Flags, Floats, Longs
from rankcut.errors import InputError, Setting, amount
from rankcut.files.columns import Labels, TableColumn, read_columns, sorted_labels, tokens_of
from rankcut.strengths.errors import enlarged

MODEL_WORDS = {"model", "algorithm", "method", "system", "classifier", "learner", "approach"}
DATA_WORDS = {
    *("dataset", "datasets", "data", "task", "benchmark", "problem", "env", "game", "query"),
    *("instance", "question", "prompt", "subset"),
}
RUN_WORDS = {"seed", "fold", "run", "repeat", "repetition", "trial", "split"}
HIGHER_WORDS = {
    *("accuracy", "acc", "auc", "f1", "score", "bleu", "rouge", "r2", "precision", "recall"),
    *("ndcg", "map", "mrr", "reward", "return", "resolved", "correct", "passed", "solved"),
    *("success",),
}
LOWER_WORDS = {
    *("error", "loss", "rmse", "mae", "mse", "perplexity", "wer", "cer", "time", "seconds"),
    *("latency", "nll", "brier"),
}

# Averages of scores, and columns that describe a model or its place, with the words beside them.
_AVERAGES = {"average", "avg", "mean", "overall", "total"}
_NO_SCORES = _AVERAGES | {
    *("rank", "place", "position", "borda", "index", "unnamed", "column", "#", "score", "scores"),
    *("parameters", "params", "size", "dimensions", "tokens", "memory"),
}
_BESIDE = {
    *("task", "tasks", "type", "tasktype", "datasets", "of", "all", "model", "number"),
    *("max", "embedding", "usage", "mb", "b"),
}


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of items on data sets.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = ScoreTable.of_frame(pd.DataFrame({
    ...     "dataset": ["d1", "d2", "d3"], "forest": [.9, .8, .7], "tree": [.8, .8, .5]}))
    >>> scores.items, scores.means.values.round(2).tolist()
    (('forest', 'tree'), [0.8, 0.7])
    >>> scores.win_rates().round(2).tolist()
    [[0.5, 0.83], [0.17, 0.5]]
    """

    items: Labels
    data_sets: Labels
    item: Longs  #: of each score
    data_set: Longs  #: of each score
    values: Floats
    higher_is_better: bool = True
    left_out: tuple[str, ...] = ()  #: columns and rows that sum others up

    @property
    def read_as(self) -> str:
        """How a table was read, in a line: items, data sets and the largest mean scores."""
        totals = np.bincount(self.item, self.values, len(self.items))
        means = totals / np.maximum(np.bincount(self.item, minlength=len(self.items)), 1)
        best = np.argsort(-means if self.higher_is_better else means, kind="stable")[:3]
        leaders = ", ".join(str(self.items[i]) for i in best)
        direction = "higher" if self.higher_is_better else "lower"
        counted = f"{amount(len(self.items), 'item')}, {amount(len(self.data_sets), 'data set')}"
        left_out = f"; left out {', '.join(self.left_out)}" if self.left_out else ""
        return f"read as scores, {direction} is better: {counted}; first {leaders}{left_out}"

    @classmethod
    def of_frame(
        cls,
        frame: Any,
        *,
        item: str | None = None,
        data_set: str | None = None,
        score: str | None = None,
        higher_is_better: bool | None = None,
    ) -> "ScoreTable":
        """Scores from a frame: a row for each, or a table of data sets by models.

        Averages, ranks and sizes of models beside them are left out.

        Parameters
        ----------
        frame : frame, or columns as :func:`~rankcut.files.columns.read_columns` has them
            Columns such as ``model``, ``dataset`` and ``accuracy``, and perhaps ``seed``; or a
            column of data sets and one for each model; or a column of models and one for each data
            set.
        item, data_set, score : str or None
            The columns of a frame with a row for each score; None: found by their names.
        higher_is_better : bool or None
            None: as the name of the score says.
        """
        columns = frame if isinstance(frame, dict) else read_columns(frame)
        for name in (item, data_set, score):
            if name is not None and name not in columns:
                raise InputError(
                    f"there is no column {name!r}; the table has {', '.join(map(repr, columns))}"
                )
        item = item or _first(columns, MODEL_WORDS)
        data_set = data_set or _first(columns, DATA_WORDS, item)
        if not item and not data_set:
            raise InputError(
                "the table has no column of models or of data sets; it has "
                + ", ".join(map(repr, columns)),
                remedy=["name them: ", Setting("item", "model"), ", ", Setting("data_set", "task")],
            )
        numbers = _numbers_beside(columns, item, data_set)
        left_out: list[Any] = []
        if item and data_set:
            score = score or _score_column([*numbers])
            codes, labels = columns[item].coded
            places, sets = columns[data_set].coded
            values = _numbers(columns[score])
            if values is None:
                raise InputError(f"column {score!r} holds no numbers", column=score)
        else:
            left_out = [name for name in numbers if _is_called(name, _NO_SCORES)]
            wide = {name: each for name, each in numbers.items() if name not in left_out}
            rows, labels = columns[item or data_set].coded
            if len(wide) < 2 or not _are_distinct(columns[item or data_set]):
                raise InputError(
                    f"each row of {item or data_set!r} should have its own name, beside columns of "
                    "scores",
                    remedy=[
                        "for a row a score name ",
                        Setting("item"),
                        " and ",
                        Setting("data_set"),
                    ],
                )
            codes, values = np.repeat(rows, len(wide)), np.column_stack([*wide.values()]).ravel()
            places, sets = np.tile(np.arange(len(wide)), len(rows)), [*wide]
            if not item:
                codes, places, labels, sets = places, codes, sets, labels
        if higher_is_better is None:
            higher_is_better = _direction(score)
        left_out += [name for name in sets if _is_called(name, _AVERAGES)]
        items, item_places = sorted_labels(labels)
        (data_sets, _) = sorted_labels([name for name in sets if name not in left_out])
        place = {name: number for number, name in enumerate(data_sets)}
        set_places = np.array([*(place.get(name, -1) for name in sets), -1])
        there = (codes >= 0) & (set_places[places] >= 0) & np.isfinite(values)
        return cls(
            items,
            data_sets,
            item_places[codes[there]],
            set_places[places[there]],
            values[there],
            higher_is_better,
            tuple(map(str, left_out)),
        )

    @property
    def n_votes(self) -> Longs:
        """On how many data sets each item has a score."""
        return np.asarray(np.isfinite(self.cells).sum(axis=0))

    @cached_property
    def cells(self) -> Floats:
        """``[d, i]``: the mean score of item i on data set d; higher is better; NaN: none."""
        shape = len(self.data_sets), len(self.items)
        cell = self.data_set * shape[1] + self.item
        sums = np.bincount(cell, self.values, shape[0] * shape[1])
        numbers = np.bincount(cell, minlength=shape[0] * shape[1])
        means = np.divide(sums, numbers, out=np.full(len(sums), np.nan), where=numbers > 0)
        return np.asarray(means.reshape(shape) * (1 if self.higher_is_better else -1))

    @cached_property
    def complete(self) -> Floats:
        """The cells of data sets on which each item has a score."""
        return self.cells[np.isfinite(self.cells).all(axis=1)]

    @cached_property
    def means(self) -> "MeanScores":
        """The mean score of each item, with its covariance over data sets; higher is better."""
        return mean_scores(self.cells)

    def win_rates(self) -> Floats:
        """``[i, j]``: on which share of data sets i has the higher score; a tie counts half."""
        data_set, item = np.nonzero(np.isfinite(self.cells))
        return _shares_ahead(self.cells[data_set, item], item, data_set, len(self.items))

    def improvements(self) -> Floats:
        """``[i, j]``: the probability that a run of i has a higher score than one of j.

        On a data set drawn at random (Agarwal and others 2021); a tie counts half.
        """
        values = self.values if self.higher_is_better else -self.values
        return _shares_ahead(values, self.item, self.data_set, len(self.items))


@dataclass(frozen=True, eq=False)
class MeanScores:
    """Mean scores, and how sure they are."""

    values: Floats
    covariance: Floats
    freedom: Floats  #: of each difference: the data sets that have both, but for one

    def errors(self) -> Floats:
        """The standard error of each mean."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))


def mean_scores(cells: Floats) -> MeanScores:
    """Means over data sets of a table with a row for each; NaN: no score.

    >>> mean_scores(np.array([[1.0, 2.0], [3.0, 5.0], [2.0, 2.0]])).values.tolist()
    [2.0, 3.0]
    """
    there = np.isfinite(cells)
    n_sets, n_items = cells.shape
    freedom = np.maximum(there.T.astype(float) @ there - 1.0, 0.0)
    more = n_sets / max(1, n_sets - 1)
    if there.all():
        centred = cells - cells.mean(axis=0)
        return MeanScores(cells.mean(axis=0), more * centred.T @ centred / n_sets**2, freedom)
    _check_joined(there)
    # Score = model + data set: what is left within each data set after its mean.
    designs = [np.eye(n_items)[listed] - listed / listed.sum() for listed in there]
    within = [row[listed] - row[listed].mean() for row, listed in zip(cells, there, strict=True)]
    inverse = linalg.pinvh(sum(design.T @ design for design in designs))
    means = inverse @ sum(d.T @ values for d, values in zip(designs, within, strict=True))
    levels = np.nanmean(cells - means, axis=1)
    moves = np.sqrt(more) * np.outer(levels - levels.mean(), np.full(n_items, 1 / n_sets))
    for k, (design, values) in enumerate(zip(designs, within, strict=True)):
        residual = (values - design @ means)[:, None]
        moves[k] += inverse @ design.T @ enlarged(design @ inverse @ design.T, residual)[:, 0]
    return MeanScores(means + levels.mean(), moves.T @ moves, freedom)


def _shares_ahead(values: Floats, item: Longs, data_set: Longs, n_items: int) -> Floats:
    """``[i, j]``: how probably a score of i is higher, on a data set drawn at random."""
    total, number = np.zeros((2, n_items, n_items))
    order = np.argsort(data_set, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(data_set[order])) + 1):
        present, which = np.unique(item[rows], return_inverse=True)
        runs = np.eye(len(present))[:, which]
        runs /= runs.sum(axis=1, keepdims=True)
        signs = np.sign(values[rows][:, None] - values[rows][None, :])
        pairs = np.ix_(present, present)
        total[pairs] += (runs @ signs @ runs.T + 1) / 2
        number[pairs] += 1
    return np.divide(total, number, out=np.full_like(total, np.nan), where=number > 0)


def looks_like_scores(columns: Mapping[str, TableColumn]) -> bool:
    """Whether a table has columns of models and data sets, or one of them and several scores."""
    item = _first(columns, MODEL_WORDS)
    data_set = _first(columns, DATA_WORDS, item)
    if not (item or data_set) or (_first(columns, {"best"}) and _first(columns, {"worst"})):
        return False
    n_scores = len(_numbers_beside(columns, item, data_set))
    return n_scores > (0 if item and data_set else 1) and (
        bool(item and data_set) or _are_distinct(columns[item or data_set])
    )


def _numbers_beside(
    columns: Mapping[str, TableColumn], item: str, data_set: str
) -> dict[str, Floats]:
    """The columns of numbers that are no runs, by their names."""
    numbers = {
        name: _numbers(column)
        for name, column in columns.items()
        if name not in (item, data_set) and not {*tokens_of(name)} & RUN_WORDS
    }
    return {name: values for name, values in numbers.items() if values is not None}


def _numbers(column: TableColumn) -> Floats | None:
    """The numbers of a column, 1 for true and 0 for false; None if it holds others."""
    if column.is_numeric:
        return column.numbers
    codes, labels = column.coded
    words = [str(label).lower() for label in labels]
    if not words or not {*words} <= {"true", "false"}:
        return None
    return np.array([*(float(word == "true") for word in words), np.nan])[codes]


def _is_called(name: Any, words: set[str]) -> bool:
    """Whether a name is of some words, with nothing but small words beside them.

    >>> [_is_called(name, _NO_SCORES) for name in ("Mean (Task)", "Rank", "", "RankLLM", "MeanVC")]
    [True, True, True, False, False]
    """
    parts = {*re.findall(r"[^\W\d]+|#", str(name).lower())}
    return not str(name).strip() or (bool(parts & words) and parts <= words | _BESIDE)


def _are_distinct(column: TableColumn) -> bool:
    """Whether each row has a name of its own."""
    codes, labels = column.coded
    return len(labels) == len(codes)


def _check_joined(there: Flags) -> None:
    """Refuse scores of which some models share no data set with the others, in any steps."""
    n_groups, _ = connected_components(csr_array(there.T.astype(float) @ there), directed=False)
    if n_groups > 1:
        raise InputError(
            "some models share no data set with the others, so their means do not compare",
            remedy="leave them out, or add a data set that they share",
        )


def _first(columns: Mapping[str, TableColumn], words: set[str], *others: str | None) -> str:
    """The first column called so."""
    return next((name for name in columns if {*tokens_of(name)} & words and name not in others), "")


def _score_column(numbers: Sequence[str]) -> str:
    named = [name for name in numbers if {*tokens_of(name)} & (HIGHER_WORDS | LOWER_WORDS)]
    choices = named or list(numbers)
    if len(choices) != 1:
        raise InputError(
            f"{len(choices)} columns could be the score"
            + (f": {', '.join(map(repr, choices))}" if choices else ""),
            remedy=["name it: ", Setting("score", choices[0] if choices else "accuracy")],
        )
    return choices[0]


def _direction(score: str | None) -> bool:
    """Whether higher is better, as the name of a score says."""
    words = {*tokens_of(score or "score")}
    lower = bool(words & LOWER_WORDS)
    if lower == bool(words & HIGHER_WORDS):
        raise InputError(
            f"nothing says whether a higher {score!r} is better",
            remedy=[
                "pass ",
                Setting("higher_is_better", True),
                " or ",
                Setting("higher_is_better", False),
            ],
        )
    return not lower


def student_quantile(freedom: Floats | float, confidence: float) -> Floats:
    """How many standard errors an interval reaches to each side."""
    return np.asarray(special.stdtrit(freedom, (1 + confidence) / 2))
