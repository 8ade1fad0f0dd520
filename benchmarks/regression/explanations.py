"""How often the 95 % intervals of ``explain`` hold, and how many items without an effect they flag.
People rank eight items: "even" orders are random, in "alike" ones the first items are mostly before
the last. Two items have an effect, whose size (none, small, large) heads the columns; "null" items
have none. Models are those that the commands fit, to predict a number or a class: views with a
Gaussian process or a logistic regression, and graph cut features with Gaussian processes. ± is half
of a 95 % interval over samples.

Run with: python -m benchmarks.regression.explanations [--samples 300] [--seed 1] [--keep FILE.json]

Orders follow the Plackett–Luce model. A number is the place of one item minus that of another,
times a size, plus noise of standard deviation 4, which in "alike" orders grows with the place of
the first item; a class has a quarter of that, without the noise, as its log-odds (views) or as the
argument of its probit (cuts).

With --keep, samples that the file holds are not drawn again.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from scipy.special import expit, ndtr
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from benchmarks.tables import half_width, print_table
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
ORDERS = ("even", "alike")
NOISE = 4.0
MODELS = {
    "number, views": make_pipeline(ViewFeatures(), GPRegressor()),
    "number, cuts": make_pipeline(GraphCutFeatures(), GPRegressor()),
    "class, views": make_pipeline(RankingClassifier()),
    "class, cuts": make_pipeline(GraphCutFeatures(), GPClassifier()),
}


def make_orders(rng, n_people: int, orders: str):
    """Ranks of all items."""
    strengths = np.linspace(1.5, -1.5, N_ITEMS) * (orders == "alike")
    utilities = strengths + rng.gumbel(size=(n_people, N_ITEMS))
    return (-utilities).argsort(axis=1).argsort(axis=1) + 1.0


def count(name: str, orders: str, n_people: int, size: float, seed: list[int]) -> list[int]:
    """Of the two items that may matter: intervals, and those that hold; the same of the others."""
    rng = np.random.default_rng(seed)
    ranks = make_orders(rng, n_people, orders)
    scores = size * (ranks[:, 1] - ranks[:, 0])
    factor = 1.0
    if name.startswith("number"):
        spread = ranks[:, 0] / ranks[:, 0].mean() if orders == "alike" else 1.0
        y = scores + spread * rng.normal(0.0, NOISE, n_people)
    else:
        factor = 0.25
        chance = expit if name == "class, views" else ndtr
        y = rng.random(n_people) < chance(factor * scores)
    found = explain(clone(MODELS[name]).fit(ranks, y), ranks, y)
    truth = np.zeros(N_ITEMS)
    # From last to first by seven places, and the other one by one place down.
    truth[0], truth[1] = N_ITEMS * size * factor, -N_ITEMS * size * factor
    # Without an interval (too few of a class), nothing is said, so nothing is counted.
    held = {
        row["item"]: bool(abs(row["effect"] - truth[row["item"]]) <= 1.96 * row["std_error"])
        for row in found.items
        if not np.isnan(row["std_error"])
    }
    own = [held[item] for item in (0, 1) if item in held]
    return [len(own), sum(own), len(held) - len(own), sum(held.values()) - sum(own)]


def count_all(name, orders, n_people, which, options, kept) -> list[str]:
    """The share of intervals that hold and of null items that are flagged, in a cell."""
    key = f"{name}|{orders}|{n_people}|{which}|{options.seed}"
    found = kept.setdefault(key, [])
    place = list(MODELS).index(name)
    for sample in range(len(found), options.samples):
        seed = [options.seed, place, ORDERS.index(orders), n_people, which, sample]
        found.append(count(name, orders, n_people, list(SIZES.values())[which], seed))
    if options.keep:
        Path(options.keep).write_text(json.dumps(kept), encoding="utf-8")
    totals = np.array(found[: options.samples])
    held = 100 * totals[:, 1].sum() / totals[:, 0].sum()
    missed = (totals[:, 2] - totals[:, 3]) / np.maximum(totals[:, 2], 1)
    null = 100 * missed.mean()
    # Items of one sample are related: the interval is over samples.
    return [f"{held:.1f}", f"{null:.1f} ± {100 * half_width(missed):.1f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", metavar="FILE.json")
    options = parser.parse_args()
    there = options.keep and Path(options.keep).exists()
    kept = json.loads(Path(options.keep).read_text(encoding="utf-8")) if there else {}
    header = ["model", "people"]
    for size in SIZES:
        header += [f"{size}: covered", "null flagged"]
    for orders in ORDERS:
        rows = []
        for name in MODELS:
            for n_people in PEOPLE:
                cells = []
                for which in range(len(SIZES)):
                    cells += count_all(name, orders, n_people, which, options, kept)
                rows.append([name, n_people, *cells])
        title = f"Covered, and null items flagged, %, {orders} orders, {options.samples} samples"
        print_table(title, header, rows)


if __name__ == "__main__":
    main()
