"""Learn two classes from rankings, and score it on rankings that were not seen."""

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, f1_score
from sklearn.utils.extmath import randomized_svd

from rankcut import GPClassifier
from reproduction.methods import DUMMY, Floats, Rows, Seen
from reproduction.store import Record

Labels = NDArray[np.int64]

SEEDS = (4, 12, 34, 42, 1232, 2638)
"""The paper's six."""

ALL_SEEDS = (*SEEDS, *range(101, 131))
"""And thirty more, for intervals."""

# The bound is at its maximum up to this much.
_TOLERANCE = 1e-6

# Draws of the uniform dummy: one would add its own noise to what is compared with it.
_GUESSES = 50

# One ranking in five is kept for the test.
_TEST = 5


class Split(NamedTuple):
    """Rows to learn from, and rows to predict."""

    train: Rows
    test: Rows


def balanced_sample(target: Labels, size: int, seed: int) -> Rows:
    """Rows in random order, as many of each class.

    >>> rows = balanced_sample(np.array([0] * 90 + [1] * 10), 16, seed=0)
    >>> sorted(np.array([0] * 90 + [1] * 10)[rows].tolist()) == [0] * 8 + [1] * 8
    True
    """
    rng = np.random.RandomState(seed)
    halves = [rng.choice(np.flatnonzero(target == c), size // 2, replace=False) for c in (0, 1)]
    return np.asarray(rng.permutation(np.concatenate(halves)))


def split_rows(target: Labels) -> Split:
    """The last fifth of each class is the test set: with rows in random order, a random one.

    Both sets are as balanced as the sample. A split that left it to chance would give the test set
    more of the class that training saw less of, so that a model that knows nothing scores below
    one half.
    """
    tests = []
    for c in (0, 1):
        members = np.flatnonzero(target == c)
        tests.append(members[len(members) - len(members) // _TEST :])
    test = np.sort(np.concatenate(tests))
    return Split(np.setdiff1d(np.arange(len(target)), test), test)


def score(truth: Labels, predicted: NDArray[np.bool_]) -> Record:
    """F1 of class 1, accuracy, and how many are called class 1.

    >>> score(np.array([0, 1]), np.array([False, True]))["F1"]
    1.0
    """
    return {
        "F1": float(f1_score(truth, predicted, zero_division=0.0)),
        "accuracy": float(accuracy_score(truth, predicted)),
        "share of class 1": float(np.mean(predicted)),
    }


def spectral_features(gram: Floats, train: Rows, rank: int) -> Floats:
    """Vectors whose inner products are the kernel, as far as ``rank`` coordinates allow.

    Eigenvectors of the training rows' block, extended to the other rows (Nyström). A Gaussian
    process on them costs O(m·rank²) a step, in place of O(m³).
    """
    block = gram[np.ix_(train, train)]
    if rank >= len(train):
        values, vectors = np.linalg.eigh(block)
    else:
        vectors, values, _ = randomized_svd(block, rank, n_iter=3, random_state=0)
    kept = values > 1e-10 * values.max()
    return np.asarray(gram[:, train] @ (vectors[:, kept] / np.sqrt(values[kept])))


def learn(
    seen: Seen, target: Labels, split: Split, *, rank: int, variance: float | None = None
) -> Record:
    """Scores of a Gaussian process with a linear kernel and a constant, fitted to convergence.

    Both variances are learned, or that of the kernel is given for vectors whose squared length is
    1 on average. A Gram matrix is represented by ``rank`` coordinates.
    """
    features = seen.features
    if features is None:
        features = spectral_features(seen.gram, split.train, rank)
    train, test = features[split.train], features[split.test]
    if variance is not None:
        variance = variance / float((train**2).sum(axis=1).mean())
    model = GPClassifier(kernel_variance=variance, tol=_TOLERANCE)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model.fit(train, target[split.train])
    scores = score(target[split.test], model.predict_proba(test)[:, 1] > 0.5)
    return scores | {"converged": not caught}


def learn_blindly(method: str, target: Labels, split: Split, seed: int) -> Record:
    """Scores of the baselines that see nothing: a uniform dummy, or class 1 for everyone.

    Those of the dummy are means over many draws.
    """
    truth = target[split.test]
    if method != DUMMY:
        return score(truth, np.ones(len(truth), dtype=bool))
    drawn = np.random.RandomState(seed).random_sample((_GUESSES, len(truth))) < 0.5
    # F1 is 2·(both are 1) over (how many are 1, in either).
    f1 = 2 * (drawn & (truth == 1)).sum(axis=1) / (drawn.sum(axis=1) + truth.sum())
    return {
        "F1": float(f1.mean()),
        "accuracy": float((drawn == truth).mean()),
        "share of class 1": float(drawn.mean()),
    }
