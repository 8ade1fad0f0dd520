"""Learn two classes from rankings, and score it on rankings that were not seen."""

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, log_loss, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.extmath import randomized_svd

from rankcut.gp.classifier import GPClassifier
from reproduction.encodings import DUMMY, LOGISTIC, Encoded
from reproduction.parts import Record

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]

SEEDS = (4, 12, 34, 42, 1232, 2638)
"""The paper's six."""

QUICK_SEEDS = SEEDS[:2]
"""Those of a quick run."""

FURTHER_SEEDS = tuple(range(101, 131))
"""Thirty more, for intervals."""

SCORES = ("F1", "accuracy", "AUC", "log-loss")

# The bound is at its maximum up to this much.
_TOLERANCE = 1e-6

# Draws of the uniform dummy: one would add its own noise to what is compared with it.
_GUESSES = 50

# One ranking in five is kept for the test.
_TEST = 5


class Split(NamedTuple):
    """Rows to learn from, and rows to predict."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]


def balanced_sample(target: Labels, size: int, seed: int) -> NDArray[np.intp]:
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


def learn_gp(features: Floats, target: Labels, split: Split) -> Record:
    """Scores of a Gaussian process with a linear kernel and a constant, both variances learned."""
    train, test = features[split.train], features[split.test]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model = GPClassifier(tol=_TOLERANCE).fit(train, target[split.train])
    return score(target[split.test], model.predict_proba(test)[:, 1]) | {
        "ELBO": model.elbo_,
        "steps": model.n_iter_,
        "converged": not any(issubclass(w.category, ConvergenceWarning) for w in caught),
        "kernel variance": float(model.kernel_variance_[0]),
    }


def learn_logistic(features: Floats, target: Labels, split: Split) -> Record:
    """Scores of logistic regression on scaled features."""
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000))
    model.fit(features[split.train], target[split.train])
    return score(target[split.test], model.predict_proba(features[split.test])[:, 1])


def guess(target: Labels, split: Split, seed: int) -> Record:
    """Scores of the uniform dummy, each class with probability one half: means over many draws."""
    truth = target[split.test] == 1
    drawn = np.random.RandomState(seed).random_sample((_GUESSES, len(truth))) < 0.5
    # F1 is 2·(both are 1) over (how many are 1, in either).
    f1 = 2 * (drawn & truth).sum(axis=1) / (drawn.sum(axis=1) + truth.sum())
    return {
        "F1": float(f1.mean()),
        "accuracy": float((drawn == truth).mean()),
        "AUC": 0.5,
        "log-loss": float(np.log(2.0)),
        "share of class 1": float(drawn.mean()),
    }


def always_one(target: Labels, split: Split) -> Record:
    """Scores of class 1 for every ranking, with the probability that it has in training."""
    truth = target[split.test]
    share = float(target[split.train].mean())
    return score(truth, np.full(len(truth), share), np.ones(len(truth), dtype=np.int64))


def score(truth: Labels, probability: Floats, predicted: Labels | None = None) -> Record:
    """F1 of class 1, accuracy, AUC and log-loss.

    >>> score(np.array([0, 1]), np.array([0.2, 0.8]))["F1"]
    1.0
    """
    if predicted is None:
        predicted = (probability > 0.5).astype(np.int64)
    return {
        "F1": float(f1_score(truth, predicted, zero_division=0.0)),
        "accuracy": float(accuracy_score(truth, predicted)),
        "AUC": float(roc_auc_score(truth, probability)),
        "log-loss": float(log_loss(truth, probability, labels=[0, 1])),
        "share of class 1": float(np.mean(predicted)),
    }


class Spectral(NamedTuple):
    """Features of a Gram matrix by leading eigenvectors, and their share of its trace."""

    features: Floats
    share: float


def spectral_features(gram: Floats, train: NDArray[np.intp], rank: int) -> Spectral:
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
    features = gram[:, train] @ (vectors[:, kept] / np.sqrt(values[kept]))
    return Spectral(features, float(values[kept].sum() / np.trace(block)))


def learn(method: str, encoded: Encoded, target: Labels, split: Split, *, rank: int) -> Record:
    """Scores of a method by what it sees: a Gaussian process, or logistic regression.

    A Gram matrix is represented by ``rank`` coordinates, at most as many as there are rankings.
    """
    if encoded.features is not None:
        if method in LOGISTIC:
            return learn_logistic(encoded.features, target, split)
        return learn_gp(encoded.features, target, split)
    assert encoded.gram is not None
    spectral = spectral_features(encoded.gram, split.train, rank)
    record = learn_gp(spectral.features, target, split)
    return record | {"share of the trace": spectral.share}


def learn_blindly(method: str, target: Labels, split: Split, seed: int) -> Record:
    """Scores of the two baselines that see nothing."""
    return guess(target, split, seed) if method == DUMMY else always_one(target, split)
