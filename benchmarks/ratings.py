"""Does the strength of a preference tell more than its order? Gender and age from MovieLens.

Run with: python benchmarks/ratings.py DIRECTORY_OF_MOVIELENS_100K

Each representation feeds the same logistic regression, whose strength of regularisation (and τ,
where there is one) is chosen within the training people. Five folds, repeated; intervals are over
repeats. *Respaced stars* are a control: each person's stars keep their order, and the distances
between them are drawn at random.
"""

import sys
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler
from tables import print_table

from rankcut import RatingFeatures

REPEATS = 3
STRENGTHS = [1e-3, 1e-2, 1e-1, 1.0]
NOISES = [0.0, 0.5, 1.0, 2.0]
FEWEST = 30


def main() -> None:
    stars, targets = read(Path(sys.argv[1]))
    respaced = respace(stars, np.random.default_rng(0))
    methods = {
        "presence": (stars, FunctionTransformer(presence), {}),
        "centred ratings": (stars, FunctionTransformer(centred), {}),
        "order (τ = 0)": (stars, RatingFeatures(noise=0.0, unrated="ignore", normalize=True), {}),
        "strength, τ chosen": (stars, strength(), {"ratingfeatures__noise": NOISES}),
        "respaced stars, τ chosen": (respaced, strength(), {"ratingfeatures__noise": NOISES}),
    }
    rows = []
    for target, y in targets.items():
        base = None
        for name, (ratings, transformer, grid) in methods.items():
            scores = np.array(
                [judge(ratings, y, transformer, grid, seed) for seed in range(REPEATS)]
            )
            base = scores if name == "order (τ = 0)" else base
            against = (
                ""
                if base is None
                else f"{np.mean(scores - base):+.3f} ± {spread(scores - base):.3f}"
            )
            rows.append([target, name, f"{scores.mean():.3f}", against])
    print_table(
        f"{stars.shape[0]} people, {stars.shape[1]} films with at least {FEWEST} ratings",
        ["target", "vectors", "AUC", "against order"],
        rows,
    )


def read(directory: Path):
    """Ratings as CSR of the films that are rated often, and two targets."""
    user, film, rating = np.loadtxt(directory / "u.data", dtype=np.int64, usecols=(0, 1, 2)).T
    people = [line.split("|") for line in (directory / "u.user").read_text().splitlines()]
    matrix = sparse.csr_array((rating.astype(float), (user - 1, film - 1)))
    often = np.flatnonzero(np.bincount(film - 1) >= FEWEST)
    age = np.array([int(person[1]) for person in people])
    targets = {
        "gender": np.array([person[2] == "F" for person in people]),
        "older than the median": age > np.median(age),
    }
    return matrix[:, often], targets


def respace(stars, rng):
    """The same order of stars for each person, with random distances between the levels."""
    respaced = stars.copy()
    for row in range(stars.shape[0]):
        levels = np.concatenate([[0.0], np.cumsum(rng.exponential(size=4))])
        own = slice(stars.indptr[row], stars.indptr[row + 1])
        respaced.data[own] = levels[stars.data[own].astype(int) - 1] * 4.0 / levels[-1] + 1.0
    return respaced


def presence(ratings):
    return unit(
        sparse.csr_array(
            (np.ones_like(ratings.data), ratings.indices, ratings.indptr), ratings.shape
        )
    )


def centred(ratings):
    lengths = np.diff(ratings.indptr)
    means = np.asarray(ratings.sum(axis=1)) / np.maximum(lengths, 1)
    values = ratings.data - np.repeat(means, lengths)
    return unit(sparse.csr_array((values, ratings.indices, ratings.indptr), ratings.shape))


def unit(vectors):
    norms = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1)))
    vectors.data /= np.repeat(np.maximum(norms, 1e-300), np.diff(vectors.indptr))
    return vectors


def strength():
    return RatingFeatures(noise=1.0, unrated="ignore", normalize=True)


def judge(ratings, y, transformer, grid, seed):
    """AUC over people that were left out, each choice made within the training people."""
    model = make_pipeline(transformer, MaxAbsScaler(), LogisticRegression(max_iter=2000))
    search = GridSearchCV(
        model, {"logisticregression__C": STRENGTHS, **grid}, scoring="roc_auc", cv=3
    )
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    scores = cross_val_predict(search, ratings, y, cv=folds, method="decision_function")
    return roc_auc_score(y, scores)


def spread(values):
    """Half the width of a 95 % interval over repeats."""
    return 4.30 * values.std(ddof=1) / np.sqrt(len(values))


if __name__ == "__main__":
    main()
