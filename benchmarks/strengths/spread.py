"""Strengths far apart: how often intervals hold, and limits of items that nobody beat.

Ten items meet in pairs at random. "Line": their strengths are equally far apart, from −s to s.
"One": nine lie between −1 and 1, and one is s. Intervals are of strengths about their mean, of
``fit_strengths`` and of ``PlackettLuce``, which takes maximum likelihood where it exists. Items
that won or lost all of their games have one limit.

Run with: python -m benchmarks.strengths.spread [--samples 100]
"""

import argparse

import numpy as np
from scipy.special import expit

from rankcut import PlackettLuce
from rankcut.rankings import read_rankings
from rankcut.strengths import fit_strengths


def draw(rng, theta, n_pairs):
    """Ranks of pairs, one a row."""
    n_items = len(theta)
    first = rng.integers(0, n_items, n_pairs)
    second = (first + rng.integers(1, n_items, n_pairs)) % n_items
    won = rng.random(n_pairs) < expit(theta[first] - theta[second])
    ranks, rows = np.full((n_pairs, n_items), np.nan), np.arange(n_pairs)
    ranks[rows, first], ranks[rows, second] = np.where(won, 1, 2), np.where(won, 2, 1)
    return ranks


def main():
    """A line for each shape, spread and number of pairs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=100)
    options = parser.parse_args()
    print(f"Intervals that hold, %, {options.samples} samples\n")
    heads = ("s", "pairs", "fit_strengths", "PlackettLuce", "extremes", "one limit", "holds")
    print(f"{'':<6}" + "".join(f"{head:>14}" for head in heads))
    for shape in ("line", "one"):
        for spread in (2, 4, 6):
            line = np.linspace(-spread, spread, 10)
            theta = line if shape == "line" else np.append(np.linspace(-1, 1, 9), spread)
            theta = theta - theta.mean()
            for n_pairs in (60, 200, 600, 3_000):
                held, other, ended = [], [], []
                for sample in range(options.samples):
                    ranks = draw(np.random.default_rng([sample, spread, n_pairs]), theta, n_pairs)
                    fit = fit_strengths(read_rankings(ranks, unranked="anywhere"))
                    low, high = fit.intervals().T
                    held.append((low <= theta) & (theta <= high))
                    ended.append(np.isinf(low) | np.isinf(high))
                    table = PlackettLuce(unranked="anywhere").fit(ranks).coefficients_
                    low, high = np.array(table["low"]), np.array(table["high"])
                    other.append((low <= theta) & (theta <= high))
                held, other, ended = np.array(held), np.array(other), np.array(ended)
                limits = f"{100 * held[ended].mean():.1f}" if ended.any() else ""
                shares = [held.mean(), other.mean(), held[:, [0, -1]].mean(), ended.mean()]
                cells = [f"{100 * share:.1f}" for share in shares] + [limits]
                print(
                    f"{shape:<6}{spread:>14}{n_pairs:>14,}" + "".join(f"{c:>14}" for c in cells),
                    flush=True,
                )


if __name__ == "__main__":
    main()
