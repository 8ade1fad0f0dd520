"""How often the 95 % intervals of ``explain`` hold, and how many null items they flag.

Run with: python benchmarks/explanations.py [--samples 300] [--seed 1]

People rank eight items at random. A number is the place of one item minus that of another, times a
size, plus noise of standard deviation 4; a class has a quarter of that, without the noise, as its
log-odds (views) or as the argument of its probit (cuts). These two items have effects, the others
have none. Models are those that the commands fit: views with a Gaussian process or a logistic
regression, and graph cut features with Gaussian processes.
"""

import argparse

import numpy as np
from scipy.special import expit, ndtr
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from tables import print_table

from rankcut import (
    GPClassifier,
    GPRegressor,
    GraphCutFeatures,
    RankingClassifier,
    ViewFeatures,
    explain,
)

N_ITEMS = 8
SIZES = {"none": 0.0, "small": 0.3, "large": 1.6}
PEOPLE = (100, 300, 1000, 5000)
NOISE = 4.0
MODELS = {
    "number, views": make_pipeline(ViewFeatures(), GPRegressor()),
    "number, cuts": make_pipeline(GraphCutFeatures(), GPRegressor()),
    "class, views": make_pipeline(RankingClassifier()),
    "class, cuts": make_pipeline(GraphCutFeatures(), GPClassifier()),
}


def count(name: str, n_people: int, size: float, seed: list[int]) -> tuple[int, int, int, int]:
    """Of the two items that matter: intervals, and those that hold; the same of the others."""
    rng = np.random.default_rng(seed)
    ranks = rng.permuted(np.tile(np.arange(1.0, N_ITEMS + 1), (n_people, 1)), axis=1)
    scores = size * (ranks[:, 1] - ranks[:, 0])
    factor = 1.0
    if name.startswith("number"):
        y = scores + rng.normal(0.0, NOISE, n_people)
    else:
        factor = 0.25
        chance = expit if name == "class, views" else ndtr
        y = rng.random(n_people) < chance(factor * scores)
    found = explain(clone(MODELS[name]).fit(ranks, y), ranks, y)
    truth = np.zeros(N_ITEMS)
    # From last to first by seven places, and the other one by one place down.
    truth[0], truth[1] = N_ITEMS * size * factor, -N_ITEMS * size * factor
    held = {
        row["item"]: bool(abs(row["effect"] - truth[row["item"]]) <= 1.96 * row["std_error"])
        for row in found.items
    }
    own = [held[0], held[1]]
    return len(own), sum(own), N_ITEMS - 2, sum(held.values()) - sum(own)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rows = []
    for place, name in enumerate(MODELS):
        for n_people in PEOPLE:
            # Large samples take longer, and are nearer to what theory says.
            samples = options.samples if n_people <= 1000 else options.samples // 3
            cells: list[str] = []
            for which, size in enumerate(SIZES.values()):
                seeds = [[options.seed, place, n_people, which, i] for i in range(samples)]
                total = np.sum([count(name, n_people, size, seed) for seed in seeds], axis=0)
                held, null = 100 * total[1] / total[0], 100 * (1 - total[3] / total[2])
                cells += [f"{held:.1f}", f"{null:.1f}"]
            rows.append([name, n_people, samples, *cells])
    header = ["model", "people", "samples"]
    for size in SIZES:
        header += [f"{size}: covered", "null flagged"]
    print_table("Covered, and null items flagged, %", header, rows)


if __name__ == "__main__":
    main()
