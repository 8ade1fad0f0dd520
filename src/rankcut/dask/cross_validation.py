"""Scores from sums over blocks of rows, and cross-validation of features in a Dask array.

Each block contributes its confusion matrix, its log-loss and its bins of confidence. The scores
follow from the totals.
"""

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.types import Floats, Longs
from rankcut.dask.collections import as_array, row_blocks
from rankcut.dask.tasks import computed, reduced, shared, task
from rankcut.errors import InputError, amount
from rankcut.gp.classifier import GPClassifier
from rankcut.gp.weight_space import add_up
from rankcut.regression.cross_validation import Score, Tally, tally


def cross_validate(
    X: Any, y: Any, *, name: str, folds: int, seed: int
) -> tuple[list[Score], dict[str, int]]:
    """Scores of a Gaussian process on features in a Dask array, and the size of each class.

    The fold of a row is random, drawn from the seed, its block and its place there. The model for
    a fold is fitted to the rows of the other folds: rows of the fold itself have weight 0.
    """
    blocks, labels = row_blocks(X).parts, row_blocks(y).parts
    members = [task(_folds)(block, number, folds, seed) for number, block in enumerate(labels)]
    counting = [task(_counts)(*pair) for pair in zip(labels, members, strict=True)]
    counts: Counter[tuple[Any, int]] = computed(reduced(counting, _added_counts))[0]
    classes = sorted({label for label, _ in counts})
    table = np.array([[counts[label, fold] for fold in range(folds)] for label in classes])
    _check(classes, table)
    ours, majority = [], []
    for fold in range(folds):
        weights = [task(_others)(own, fold) for own in members]
        weight = as_array(weights, y.chunks[0], np.empty(0))
        model = shared(GPClassifier().fit(X, y, sample_weight=weight))
        judging = zip(blocks, labels, members, strict=True)
        parts = [task(_judge)(model, *block, fold) for block in judging]
        ours.append(computed(reduced(parts, add_up))[0])
        others = table.sum(axis=1) - table[:, fold]
        shares = np.tile(others / others.sum(), (len(classes), 1))
        majority.append(tally(np.arange(len(classes)), shares, table[:, fold]))
    scores = [add_up(majority).score("majority"), add_up(ours).score(name)]
    return scores, dict(zip(map(str, classes), table.sum(axis=1).tolist(), strict=True))


def _check(classes: list[Any], table: NDArray[np.intp]) -> None:
    """Refuse a target that cannot be predicted; ``table`` counts rows by class and fold."""
    if len(classes) < 2:
        only = classes[0] if classes else None
        raise InputError(f"the target is {only!r} everywhere; there is nothing to predict")
    sizes = table.sum(axis=1)
    for label, own, size in zip(classes, table, sizes.tolist(), strict=True):
        if (own == size).any():
            raise InputError(
                f"class {label!r} has {amount(size, 'ranking')}, too few for {table.shape[1]} "
                "folds; use fewer folds, or leave it out"
            )


def _folds(labels: Any, number: int, folds: int, seed: int) -> Longs:
    return np.random.default_rng([seed, number]).integers(folds, size=len(labels))


def _counts(labels: Any, members: Longs) -> Counter[tuple[Any, int]]:
    """The number of rows of each class in each fold."""
    return Counter(zip(np.asarray(labels).tolist(), members.tolist(), strict=True))


def _added_counts(parts: list[Counter[tuple[Any, int]]]) -> Counter[tuple[Any, int]]:
    return sum(parts, Counter())


def _others(members: Longs, fold: int) -> Floats:
    return np.asarray(members != fold, dtype=np.float64)


def _judge(model: GPClassifier, features: Any, labels: Any, members: Longs, fold: int) -> Tally:
    own = members == fold
    if not own.any():
        return tally(np.empty(0, dtype=np.intp), np.empty((0, len(model.classes_))))
    codes = np.searchsorted(model.classes_, np.asarray(labels)[own])
    return tally(codes, model.predict_proba(np.asarray(features)[own]))
