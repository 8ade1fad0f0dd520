"""Scores of models on data sets: means with errors over data sets, win rates, improvements.

A data set is one of those that might have been used, so it is the unit: runs on one data set
(seeds, folds) are averaged first, and say nothing of other data sets. Where each model has a score
on each data set, means have the covariance of the scores over data sets, divided by their number.
Where scores are missing, means are those of an additive model, score = model + data set, whose
errors are by data set too (Bell and McCaffrey's correction).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, special

from rankcut._loops.types import Flags, Floats, Longs
from rankcut.errors import InputError, Setting, amount
from rankcut.parameters import ROUNDING
from rankcut.strengths.columns import Labels, TableColumn, read_columns, sorted_labels, tokens_of

MODEL_WORDS = {"model", "algorithm", "method", "system", "classifier", "learner", "approach"}
DATA_WORDS = {"dataset", "datasets", "data", "task", "benchmark", "problem", "env", "game", "query"}
RUN_WORDS = {"seed", "fold", "run", "repeat", "repetition", "trial", "split"}
HIGHER_WORDS = {
    *("accuracy", "acc", "auc", "f1", "score", "bleu", "rouge", "r2", "precision", "recall"),
    *("ndcg", "map", "mrr", "reward", "return"),
}
LOWER_WORDS = {
    *("error", "loss", "rmse", "mae", "mse", "perplexity", "wer", "cer", "time", "seconds"),
    *("latency", "nll", "brier"),
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

    @property
    def read_as(self) -> str:
        """How a table was read, in a line: items, data sets and the largest mean scores."""
        totals = np.bincount(self.item, self.values, len(self.items))
        means = totals / np.maximum(np.bincount(self.item, minlength=len(self.items)), 1)
        best = np.argsort(-means if self.higher_is_better else means, kind="stable")[:3]
        leaders = ", ".join(str(self.items[i]) for i in best)
        direction = "higher" if self.higher_is_better else "lower"
        counted = f"{amount(len(self.items), 'item')}, {amount(len(self.data_sets), 'data set')}"
        return f"read as scores, {direction} is better: {counted}; first {leaders}"

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

        Parameters
        ----------
        frame : frame, or columns as :func:`~rankcut.strengths.columns.read_columns` has them
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
        numbers = [
            name
            for name, column in columns.items()
            if column.is_numeric
            and name not in (item, data_set)
            and not {*tokens_of(name)} & RUN_WORDS
        ]
        if item and data_set:
            score = score or _score_column(numbers)
            codes, labels = columns[item].coded
            places, sets = columns[data_set].coded
            values = columns[score].numbers
        elif item or data_set:
            values = np.column_stack([columns[name].numbers for name in numbers])
            rows, labels = columns[item or data_set].coded
            if len(numbers) < 2 or not _are_distinct(columns[item or data_set]):
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
            grid = np.broadcast_to(np.arange(len(numbers)), values.shape)
            wide = np.broadcast_to(rows[:, None], values.shape)
            codes, places = (wide, grid) if item else (grid, wide)
            sets, labels = (numbers, labels) if item else (labels, numbers)
            codes, places, values = codes.ravel(), places.ravel(), values.ravel()
        else:
            raise InputError(
                "the table has no column of models or of data sets; it has "
                + ", ".join(map(repr, columns)),
                remedy=["name them: ", Setting("item", "model"), ", ", Setting("data_set", "task")],
            )
        if higher_is_better is None:
            higher_is_better = _direction(score)
        there = (codes >= 0) & (places >= 0) & np.isfinite(values)
        items, item_places = sorted_labels(labels)
        data_sets, set_places = sorted_labels(sets)
        return cls(
            items,
            data_sets,
            item_places[codes[there]],
            set_places[places[there]],
            values[there],
            higher_is_better,
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
        return _shares(self.cells)

    def improvements(self) -> Floats:
        """``[i, j]``: the probability that a run of i has a higher score than one of j.

        On a data set drawn at random (Agarwal and others 2021); a tie counts half.
        """
        n_items, n_sets = len(self.items), len(self.data_sets)
        runs: dict[tuple[int, int], Floats] = {}
        order = np.lexsort((self.item, self.data_set))
        sign = 1 if self.higher_is_better else -1
        starts = np.flatnonzero(
            np.append(True, np.diff((self.data_set * n_items + self.item)[order]) != 0)
        )
        for rows in np.split(order, starts[1:]):
            runs[int(self.data_set[rows[0]]), int(self.item[rows[0]])] = sign * self.values[rows]
        total, number = np.zeros((2, n_items, n_items))
        for d in range(n_sets):
            there = [i for i in range(n_items) if (d, i) in runs]
            for i in there:
                for j in there:
                    gaps = runs[d, i][:, None] - runs[d, j][None, :]
                    total[i, j] += float((np.sign(gaps).mean() + 1) / 2)
                    number[i, j] += 1
        return np.divide(total, number, out=np.full_like(total, np.nan), where=number > 0)


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
    if there.all():
        centred = cells - cells.mean(axis=0)
        covariance = centred.T @ centred / (n_sets * max(1, n_sets - 1))
        return MeanScores(cells.mean(axis=0), covariance, freedom)
    _check_joined(there)
    # Score = model + data set: within each data set, what is left after its mean.
    information, rise = np.zeros((n_items, n_items)), np.zeros(n_items)
    within = []
    for row, listed in zip(cells, there, strict=True):
        number = int(listed.sum())
        if number < 2:
            continue
        design = np.zeros((number, n_items))
        design[np.arange(number), np.flatnonzero(listed)] = 1.0
        design -= design.mean(axis=0)
        values = row[listed] - row[listed].mean()
        within.append((design, values))
        information += design.T @ design
        rise += design.T @ values
    inverse = linalg.pinvh(information)
    means = inverse @ rise
    meat = np.zeros((n_items, n_items))
    for design, values in within:
        residual = values - design @ means
        roots, vectors = linalg.eigh(np.eye(len(values)) - design @ inverse @ design.T)
        scale = np.where(roots > ROUNDING, 1 / np.sqrt(np.maximum(roots, ROUNDING)), 0.0)
        score = design.T @ (vectors * scale @ (vectors.T @ residual))
        meat += np.outer(score, score)
    level = float(np.nanmean(cells)) - float(means @ there.sum(axis=0) / there.sum())
    return MeanScores(means + level, inverse @ meat @ inverse, freedom)


def looks_like_scores(columns: Mapping[str, TableColumn]) -> bool:
    """Whether a table has columns of models and data sets, or one of them and several scores."""
    item = _first(columns, MODEL_WORDS)
    data_set = _first(columns, DATA_WORDS, item)
    numbers = sum(column.is_numeric for column in columns.values())
    if _first(columns, {"best"}) and _first(columns, {"worst"}):
        return False
    if item and data_set:
        return numbers > 0
    named = item or data_set
    return bool(named) and numbers > 1 and _are_distinct(columns[named])


def _are_distinct(column: TableColumn) -> bool:
    """Whether each row has a name of its own."""
    codes, labels = column.coded
    return len(labels) == len(codes)


def _check_joined(there: Flags) -> None:
    """Refuse scores of which some models share no data set with the others, in any steps."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n_groups, _ = connected_components(csr_array(there.T.astype(float) @ there), directed=False)
    if n_groups > 1:
        raise InputError(
            "some models share no data set with the others, so their means do not compare",
            remedy="leave them out, or add a data set that they share",
        )


def _shares(cells: Floats) -> Floats:
    """On which share of rows each column is higher than each other; a tie counts half."""
    n_items = cells.shape[1]
    shares = np.full((n_items, n_items), 0.5)
    for i in range(n_items):
        gaps = np.sign(cells[:, [i]] - cells)
        both = np.isfinite(gaps)
        counts = both.sum(axis=0)
        sums = np.where(both, gaps, 0.0).sum(axis=0)
        shares[i] = (
            np.divide(sums, counts, out=np.full(n_items, np.nan), where=counts > 0) / 2 + 0.5
        )
    return shares


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


def adjusted_by_holm(p_values: ArrayLike) -> Floats:
    """p-values adjusted by Holm's method.

    >>> adjusted_by_holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def student_quantile(freedom: Floats | float, confidence: float) -> Floats:
    """How many standard errors an interval reaches to each side."""
    return np.asarray(special.stdtrit(freedom, (1 + confidence) / 2))
