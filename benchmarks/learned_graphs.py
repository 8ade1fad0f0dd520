"""Does a graph whose parameters are learned by the evidence predict better?

Run with: python benchmarks/learned_graphs.py DIRECTORY_OF_SUSHI

Tasks fixed beforehand: from full rankings of ten kinds of sushi, the gender of a person, whether
they are 40 or older, and whether they live in the east or the west of Japan. Each model is a
Gaussian process classifier with the graph cut kernel, on the same training people; the log-loss is
that of other people. Graphs: none; one lengthscale by the median heuristic; one lengthscale for
each item feature, learned; and the same learned after the features were shuffled among the items,
as a control.
"""

import sys
from functools import partial

import numpy as np
from scipy import stats
from tables import print_table

from rankcut import DissimilarityGraph, GPClassifier, GraphCutKernel, SimilarityGraph
from rankcut.datasets import load_sushi

N_TRAINING, N_TEST, SPLITS = 200, 1500, 5
BOUNDS = (1e-1, 1e2)


def main() -> None:
    sushi = load_sushi(data_home=sys.argv[1])
    ranks = np.asarray(sushi.ranks)
    points = np.asarray(sushi.item_points, dtype=float)
    points = (points - points.mean(axis=0)) / np.maximum(points.std(axis=0), 1e-12)
    tasks = targets(sushi)
    rows = []
    for task, y in tasks.items():
        losses = np.array([split(ranks, y, points, seed) for seed in range(SPLITS)])
        for number, name in enumerate(GRAPHS):
            gain = losses[:, number] - losses[:, 1]
            half = stats.t.ppf(0.975, SPLITS - 1) * gain.std(ddof=1) / np.sqrt(SPLITS)
            rows.append(
                [task, name, f"{losses[:, number].mean():.4f}", f"{gain.mean():+.4f} ± {half:.4f}"]
            )
    print_table(
        f"{N_TRAINING} training people, {N_TEST} others, {SPLITS} splits",
        ["task", "graph", "log-loss", "against the median heuristic"],
        rows,
    )


def targets(sushi):
    """Three questions with two answers."""
    return {
        "side": np.asarray(sushi.target),
        "gender": (sushi.columns["gender"] == "female").astype(int),
        "40 or older": (sushi.columns["age"] >= "40").astype(int),
    }


def plain(points, rng):
    return None


def median(points, rng):
    return DissimilarityGraph(SimilarityGraph(points))


def learned(points, rng, *, shuffled=False):
    if shuffled:
        points = points[rng.permutation(len(points))]
    start = np.full(points.shape[1], float(np.sqrt(points.shape[1])))
    return DissimilarityGraph(SimilarityGraph(points, lengthscale=start, lengthscale_bounds=BOUNDS))


GRAPHS = {
    "none": plain,
    "median heuristic": median,
    "learned, one for each feature": learned,
    "learned, features shuffled": partial(learned, shuffled=True),
}


def split(ranks, y, points, seed):
    """The log-loss of each graph on other people."""
    rng = np.random.default_rng(seed)
    people = rng.permutation(len(y))
    training, other = people[:N_TRAINING], people[N_TRAINING : N_TRAINING + N_TEST]
    losses = []
    for graph in GRAPHS.values():
        kernel = GraphCutKernel(graph(points, rng), normalize=True)
        model = GPClassifier(kernel, max_iter=50).fit(ranks[training], y[training])
        found = model.predict_proba(ranks[other])
        own = found[np.arange(len(other)), np.searchsorted(model.classes_, y[other])]
        losses.append(float(-np.log(own).mean()))
    return losses


if __name__ == "__main__":
    main()
