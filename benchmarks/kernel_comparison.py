"""Does the kernel that made the labels win as often as its evidence says?

Run with: python benchmarks/kernel_comparison.py [REPEATS]

Labels are drawn from a Gaussian process with one of two kernels, each equally likely, with fixed
variances. By Bayes' rule the kernel that leads by a gap d in log evidence is the one that made the
labels with probability 1/(1 + exp(−d)). The table sorts the repeats by the gap in ELBO.
"""

import sys
from itertools import pairwise

import numpy as np
from scipy.special import expit
from scipy.stats import norm
from tables import print_table

from rankcut import GPClassifier, KendallKernel, MallowsKernel, make_plackett_luce

N_RANKINGS, N_ITEMS, VARIANCE = 60, 6, 4.0
EDGES = [0.0, 0.25, 0.75, 1.5, 3.0, np.inf]


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    rng = np.random.default_rng(0)
    gaps, won = np.array([trial(rng) for _ in range(repeats)]).T
    rows = []
    for low, high in pairwise(EDGES):
        inside = (gaps >= low) & (gaps < high)
        if inside.any():
            implied, share = expit(gaps[inside]).mean(), won[inside].mean()
            error = 1.96 * np.sqrt(implied * (1 - implied) / inside.sum())
            rows.append(
                [
                    f"{low:g} to {high:g}",
                    inside.sum(),
                    f"{implied:.3f} ± {error:.3f}",
                    f"{share:.3f}",
                ]
            )
    rows.append(["all", repeats, f"{expit(gaps).mean():.3f}", f"{won.mean():.3f}"])
    print_table(
        f"Kendall or Mallows, {N_RANKINGS} full rankings of {N_ITEMS} items",
        ["gap in ELBO", "repeats", "implied share ± 95 %", "share won by the maker"],
        rows,
    )


def trial(rng):
    """The lead of the kernel with more evidence, and whether it made the labels."""
    ranks = make_plackett_luce(N_RANKINGS, N_ITEMS, random_state=int(rng.integers(2**31))).ranks
    grams = [KendallKernel()(ranks), MallowsKernel(0.2)(ranks)]
    maker = int(rng.integers(2))
    root = np.linalg.cholesky(VARIANCE * grams[maker] + 1e-8 * np.eye(N_RANKINGS))
    latent = root @ rng.standard_normal(N_RANKINGS)
    y = rng.random(N_RANKINGS) < norm.cdf(latent)
    if y.all() or not y.any():
        return trial(rng)
    model = GPClassifier("precomputed", kernel_variance=VARIANCE, constant_variance=0.0)
    first, second = (model.fit(gram, y).elbo_ for gram in grams)
    return abs(first - second), (first < second) == maker


if __name__ == "__main__":
    main()
