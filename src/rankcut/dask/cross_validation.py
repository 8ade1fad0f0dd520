"""Scores from sums over blocks of rows, and cross-validation of features in a Dask array.

Each block contributes its confusion matrix, its log-loss and its bins of confidence. The scores
follow from the totals.
"""

from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.dask.collections import as_array, row_blocks
from rankcut.dask.tasks import computed, reduced, shared, task
from rankcut.errors import amount
from rankcut.gp.classifier import GPClassifier
from rankcut.regression.cross_validation import BINS, Score, bin_of


class Tally(NamedTuple):
    """The contribution of a block of predictions to the scores."""

    confusion: NDArray[np.float64]  #: by true and predicted class
    loss: float  #: Σ −log p(true class)
    confidence: NDArray[np.float64]  #: of the predicted class, by bin
    right: NDArray[np.float64]  #: how often it was right, by bin

    def plus(self, other: "Tally") -> "Tally":
        """The sum of both."""
        return Tally(
            self.confusion + other.confusion,
            self.loss + other.loss,
            self.confidence + other.confidence,
            self.right + other.right,
        )

    def times(self, n: int) -> "Tally":
        """The sum of ``n`` equal tallies."""
        return Tally(n * self.confusion, n * self.loss, n * self.confidence, n * self.right)

    def score(self, method: str) -> Score:
        """F1, log-loss and calibration error of the totals."""
        hits = np.diagonal(self.confusion)
        sizes = self.confusion.sum(axis=0) + self.confusion.sum(axis=1)
        f1 = np.divide(2 * hits, sizes, out=np.zeros(len(hits)), where=sizes > 0)
        total = self.confusion.sum()
        gaps = np.abs(self.confidence - self.right).sum()
        return Score(
            method, float(f1.mean()), float(self.loss / total), float(np.round(gaps / total, 12))
        )


def tally(codes: NDArray[np.intp], probabilities: NDArray[np.float64]) -> Tally:
    """The tally of some predictions; ``codes`` are the columns of the true classes."""
    n_classes = probabilities.shape[1]
    guesses = probabilities.argmax(axis=1)
    confidence = probabilities.max(axis=1)
    confusion = np.zeros((n_classes, n_classes))
    np.add.at(confusion, (codes, guesses), 1.0)
    truth = np.clip(probabilities[np.arange(len(codes)), codes], np.finfo(float).eps, 1.0)
    bins = bin_of(confidence)
    return Tally(
        confusion,
        float(-np.log(truth).sum()),
        np.bincount(bins, confidence, minlength=BINS).astype(np.float64),
        np.bincount(bins, guesses == codes, minlength=BINS).astype(np.float64),
    )


def cross_validate(
    X: Any, y: Any, *, name: str, folds: int, seed: int
) -> tuple[list[Score], dict[str, int]]:
    """Scores of a Gaussian process on features in a Dask array, and the size of each class.

    The fold of a row is random, drawn from the seed, its block and its place there. The model for
    a fold is fitted to the rows of the other folds: rows of the fold itself have weight 0.
    """
    blocks, labels = row_blocks(X).parts, row_blocks(y).parts
    draw = task(_folds)
    members = [draw(block, number, folds, seed) for number, block in enumerate(labels)]
    count = task(_counts)
    (tables,) = computed(
        [count(block, own, folds) for block, own in zip(labels, members, strict=True)]
    )
    counts: dict[Any, NDArray[np.intp]] = reduce(_merged, filter(None, tables), {})
    classes = np.array(sorted(counts))
    _check(counts, folds)
    weigh = task(_others)
    judge = task(_judge)
    sums = []
    for fold in range(folds):
        weights = [weigh(own, fold) for own in members]
        weight = as_array(weights, y.chunks[0], np.empty(0))
        model = shared(GPClassifier().fit(X, y, sample_weight=weight))
        parts = [judge(model, *block, fold) for block in zip(blocks, labels, members, strict=True)]
        sums.append(computed(reduced(parts, _added))[0])
    totals = np.array([counts[label] for label in classes.tolist()])
    by_fold = [totals[:, f] for f in range(folds)]
    majority = reduce(Tally.plus, [_constant(own, totals.sum(axis=1) - own) for own in by_fold])
    return [
        majority.score("majority"),
        reduce(Tally.plus, sums).score(name),
    ], {str(label): int(counts[label].sum()) for label in classes.tolist()}


def _constant(own: NDArray[np.intp], others: NDArray[np.intp]) -> Tally:
    """The tally of predictions by the class frequencies of the other folds."""
    codes = np.arange(len(own))
    each = np.tile(others / others.sum(), (len(own), 1))
    parts = [tally(codes[[c]], each[[c]]).times(n) for c, n in enumerate(own.tolist())]
    return reduce(Tally.plus, parts)


def _check(counts: dict[Any, NDArray[np.intp]], folds: int) -> None:
    if len(counts) < 2:
        only = next(iter(counts), None)
        raise ValueError(f"the target is {only!r} everywhere; there is nothing to predict")
    for label, sizes in counts.items():
        if (sizes.sum() - sizes == 0).any():
            raise ValueError(
                f"class {label!r} has {amount(int(sizes.sum()), 'ranking')}, too few for {folds} "
                "folds; use fewer folds, or leave it out"
            )


def _folds(labels: Any, number: int, folds: int, seed: int) -> NDArray[np.int64]:
    return np.random.default_rng([seed, number]).integers(folds, size=len(labels))


def _counts(labels: Any, members: NDArray[np.int64], folds: int) -> dict[Any, NDArray[np.intp]]:
    """The number of rows of each class in each fold."""
    found, codes = np.unique(np.asarray(labels), return_inverse=True)
    return {
        label: np.bincount(members[codes == code], minlength=folds)
        for code, label in enumerate(found.tolist())
    }


def _merged(
    one: dict[Any, NDArray[np.intp]], other: dict[Any, NDArray[np.intp]]
) -> dict[Any, NDArray[np.intp]]:
    none = np.zeros_like(next(iter((one or other).values())))
    return {label: one.get(label, none) + other.get(label, none) for label in {**one, **other}}


def _others(members: NDArray[np.int64], fold: int) -> NDArray[np.float64]:
    return np.asarray(members != fold, dtype=np.float64)


def _judge(
    model: GPClassifier, features: Any, labels: Any, members: NDArray[np.int64], fold: int
) -> Tally:
    own = members == fold
    n_classes = len(model.classes_)
    if not own.any():
        return Tally(np.zeros((n_classes, n_classes)), 0.0, np.zeros(BINS), np.zeros(BINS))
    codes = np.searchsorted(model.classes_, np.asarray(labels)[own])
    return tally(codes, model.predict_proba(np.asarray(features)[own]))


def _added(parts: list[Tally]) -> Tally:
    return reduce(Tally.plus, parts)
