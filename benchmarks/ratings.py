"""Does the strength of a preference tell more than its order? Gender and age from MovieLens. Each
kind of vector feeds the same ridge regression. "Presence" knows only which films a person rated;
"respaced stars" keep their order, at random distances. ± is half
of a 95 % interval over repeats of five folds.

Run with: python benchmarks/ratings.py DIRECTORY_OF_MOVIELENS_100K

The penalty of the regression, and τ where there is one, are chosen by the leave-one-out error of
the training people.
"""

import sys
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.linear_model import RidgeCV
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from tables import half_width, print_table

from rankcut import RatingFeatures

REPEATS = 3
STRENGTHS = np.logspace(-2, 3, 11)
NOISES = [0.0, 0.5, 1.0, 2.0]
FEWEST = 100


def main() -> None:
    stars, targets = read(Path(sys.argv[1]))
    respaced = respace(stars, np.random.default_rng(0))
    methods = {
        "presence": [presence(stars)],
        "centred ratings": [centred(stars)],
        "order (τ = 0)": [strengths(stars, 0.0)],
        "strength, τ chosen": [strengths(stars, noise) for noise in NOISES],
        "respaced stars, τ chosen": [strengths(respaced, noise) for noise in NOISES],
    }
    rows = []
    for target, y in targets.items():
        scores = {
            name: np.array([judge(vectors, y, seed) for seed in range(REPEATS)])
            for name, vectors in methods.items()
        }
        for name, own in scores.items():
            gain = own - scores["order (τ = 0)"]
            rows.append(
                [target, name, f"{own.mean():.3f}", f"{gain.mean():+.3f} ± {half_width(gain):.3f}"]
            )
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
    return sparse.csr_array(matrix[:, often]), targets


def respace(stars, rng):
    """The same order of stars for each person, with random distances between the levels."""
    respaced = stars.copy()
    for row in range(stars.shape[0]):
        levels = np.concatenate([[0.0], np.cumsum(rng.exponential(size=4))])
        own = slice(stars.indptr[row], stars.indptr[row + 1])
        respaced.data[own] = levels[stars.data[own].astype(int) - 1] * 4.0 / levels[-1] + 1.0
    return respaced


def presence(stars):
    return unit((stars != 0).astype(float).toarray())


def centred(stars):
    dense = stars.toarray()
    rated = dense != 0
    means = dense.sum(axis=1, keepdims=True) / np.maximum(rated.sum(axis=1, keepdims=True), 1)
    return unit(np.where(rated, dense - means, 0.0))


def strengths(stars, noise):
    features = RatingFeatures(noise=noise, unrated="ignore", normalize=True)
    return features.fit_transform(stars).toarray()


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)


def judge(candidates, y, seed):
    """AUC over people that were left out, each choice made within the training people."""
    scores = np.empty(len(y))
    for training, other in StratifiedKFold(5, shuffle=True, random_state=seed).split(y, y):
        models = [RidgeCV(STRENGTHS).fit(vectors[training], y[training]) for vectors in candidates]
        best = int(np.argmax([model.best_score_ for model in models]))
        scores[other] = models[best].predict(candidates[best][other])
    return roc_auc_score(y, scores)


if __name__ == "__main__":
    main()
