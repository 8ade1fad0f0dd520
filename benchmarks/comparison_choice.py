"""Which overall statistic: textbook ones and combinations of their p-values, on other designs.

    python benchmarks/comparison_choice.py [--samples N]

The rule: of those whose level is at most 5 + 1.5 % (and two standard errors) in each design without
a difference of means, the one that is least behind, on average, the best of Welch with Bonferroni,
Hotelling and PERMANOVA. These count where they keep their level in the same design without the
difference. The smallest of the same three p-values is as good within error. The designs are others
than those of comparison.py.

Statistics of group means: *largest |z|*; *ATS*, the ANOVA-type ‖μ_a − μ_b‖²/tr V (Brunner, Dette
and Munk); *MATS*, the sum of z² (Friedrich and Pauly), also with variances about each group's own
mean, as in Welch's t; *trace*, Hotelling's, with all, three quarters, half or a quarter of the
correlations (a ridge; Warton 2008). P-values are approximate ones (normal, F), and
combinations of them, whose rank among permutations counts (prepivoting).
"""

import argparse
from functools import partial

import numpy as np
from comparison import KEPT_LEVEL, LEVEL, N_PERMUTATIONS, by_permutations, hotelling, welch
from comparison_cases import Make, both, camps, middling, plackett_luce, polarised
from tables import print_table

from rankcut.comparison.statistics import (
    Moments,
    about_mean,
    cauchy_combination,
    modified_anova_type,
    score_statistics,
    two_sided,
    whitened,
    with_equal_weights,
)

OTHERS = ("Welch", "Hotelling", "PERMANOVA")
# Of the correlations a trace keeps this part.
TRACES = {"trace": 0.9999, "trace, ¾": 0.75, "trace, ½": 0.5, "trace, ¼": 0.25}
COMBINED = [("largest |z|", "MATS")] + [
    (*begin, trace)
    for begin in (("largest |z|",), ("MATS",), ("largest |z|", "MATS"))
    for trace in TRACES
]


def moments(vectors: np.ndarray, first: np.ndarray) -> Moments:
    """Of the groups that each row of flags makes."""
    n_items = vectors.shape[1]
    products = (vectors[:, :, None] * vectors[:, None, :]).reshape(len(vectors), -1)
    means, covariances = [], []
    flags = (first, ~first)
    sizes = np.array([each[0].sum() for each in flags])
    for inside, size in zip(flags, sizes, strict=True):
        mean = inside @ vectors / size
        square = (inside @ products).reshape(-1, n_items, n_items) / size
        covariances.append((square - mean[:, :, None] * mean[:, None, :]) / (size - 1))
        means.append(mean)
    spread = np.stack(covariances, axis=1)
    # Two people may agree: no variance is below a thousandth of what all people have.
    least = vectors.var(axis=0) / len(vectors) / 1000
    variances = np.maximum(np.einsum("bgii->bgi", spread), least)
    weights = np.broadcast_to(sizes.astype(float), (len(first), 2))
    return Moments(np.stack(means, axis=1), variances, weights, sizes, spread)


def p_values(make: Make, rng: np.random.Generator) -> dict[str, float]:
    ranks, options = make(rng)
    groups = options["groups"]
    vectors = ranks - ranks.mean(axis=0)
    vectors = vectors[:, vectors.std(axis=0) > 0]
    shuffled = rng.permuted(np.tile(groups == 0, (N_PERMUTATIONS + 1, 1)), axis=1)
    shuffled[0] = groups == 0
    own = moments(vectors, shuffled)
    z = score_statistics(own, np.ones(own.means.shape[-1], dtype=bool)).max(axis=(-2, -1))
    score = about_mean(own)
    single = {
        "largest |z|": two_sided(z, own.means.shape[-1]),
        "MATS": modified_anova_type(score).p_value(),
        "ATS": with_equal_weights(score).p_value(),
        "MATS, own means": modified_anova_type(own).p_value(),
    }
    for name, kept in TRACES.items():
        single[name] = with_equal_weights(about_mean(whitened(own, kept))).p_value()
    looked = {name: -np.log(p) for name, p in single.items()}
    for some in COMBINED:
        parts = [single[name] for name in some]
        looked[f"Cauchy: {', '.join(some)}"] = cauchy_combination(parts)
        looked[f"smallest: {', '.join(some)}"] = -np.log(np.min(parts, axis=0))
    found = {
        name: float((value >= value[0] - 1e-9 * abs(value[0])).mean())
        for name, value in looked.items()
    }
    found["Welch"] = welch(vectors, groups)
    found["Hotelling"] = hotelling(ranks, groups)
    (found["PERMANOVA"],) = by_permutations([vectors @ vectors.T], groups, rng)
    return found


def designs() -> tuple[dict[str, Make], dict[str, tuple[Make, Make]]]:
    """Two groups with equal means; and planted differences, each with the same without it."""

    def two(first, second) -> Make:
        return lambda rng: both(first(rng), second(rng))

    def crowd(n: int, strengths):
        return partial(plackett_luce, n=n, strengths=np.asarray(strengths, dtype=float))

    def moved(n: int, m: int, base, change) -> tuple[Make, Make]:
        return tuple(two(crowd(n, base), crowd(m, np.asarray(base) + by)) for by in (change, 0))

    def one(n_items: int, item: int):
        return (np.arange(n_items) == item).astype(float)

    line = np.linspace
    zero = np.zeros
    null = {
        "same, 30, 30": two(crowd(30, line(1, -1, 6)), crowd(30, line(1, -1, 6))),
        "same, 15, 120": two(crowd(15, line(1, -1, 8)), crowd(120, line(1, -1, 8))),
        "same, 8, 80": two(crowd(8, line(1, -1, 5)), crowd(80, line(1, -1, 5))),
        "camps 150, indifferent 12": two(partial(camps, n=150, n_items=6), crowd(12, zero(6))),
        "camps 12, indifferent 150": two(partial(camps, n=12, n_items=6), crowd(150, zero(6))),
        "camps 30, indifferent 150": two(partial(camps, n=30, n_items=8), crowd(150, zero(8))),
        "noisy camps 20, indifferent 100": two(
            partial(camps, n=20, n_items=7, scale=1.0), crowd(100, zero(7))
        ),
        "noisy camps 100, indifferent 20": two(
            partial(camps, n=100, n_items=7, scale=1.0), crowd(20, zero(7))
        ),
        "polarised 20, indifferent 150": two(
            partial(polarised, n=20, n_items=5), crowd(150, zero(5))
        ),
        "polarised 150, indifferent 20": two(
            partial(polarised, n=150, n_items=5), crowd(20, zero(5))
        ),
        "polarised 20, middling 150": two(
            partial(polarised, n=20, n_items=7), partial(middling, n=150, n_items=7)
        ),
        "middling 12, polarised 150": two(
            partial(middling, n=12, n_items=5), partial(polarised, n=150, n_items=5)
        ),
        "camps 120, indifferent 15": two(partial(camps, n=120, n_items=8), crowd(15, zero(8))),
        "camps 300, indifferent 10": two(partial(camps, n=300, n_items=7), crowd(10, zero(7))),
        "camps 100, indifferent 25": two(partial(camps, n=100, n_items=12), crowd(25, zero(12))),
        "camps 250, indifferent 40": two(partial(camps, n=250, n_items=4), crowd(40, zero(4))),
        "camps 60, indifferent 60": two(partial(camps, n=60, n_items=6), crowd(60, zero(6))),
    }
    random = np.random.default_rng(77)
    planted = {
        "one of 6 moved": moved(60, 60, line(1, -1, 6), 0.75 * one(6, 3)),
        "the top of 8 moved": moved(80, 80, line(1.5, -1.5, 8), -0.75 * one(8, 0)),
        "one of 15 moved": moved(80, 80, line(1.5, -1.5, 15), 0.75 * one(15, 8)),
        "one of 6 moved, 100, 20": moved(100, 20, line(1, -1, 6), one(6, 2)),
        "one of 8 moved, no order": moved(80, 80, zero(8), 0.6 * one(8, 2)),
        "neighbours swapped": moved(90, 90, line(1.5, -1.5, 8), 0.45 * (one(8, 2) - one(8, 3))),
        "top swapped, clear order": moved(90, 90, line(4, -4, 8), 0.7 * (one(8, 1) - one(8, 0))),
        "less of one mind": moved(90, 90, line(1.5, -1.5, 8), -0.3 * line(1.5, -1.5, 8)),
        "all of 8 moved": moved(90, 90, line(1.5, -1.5, 8), 0.25 * random.normal(size=8)),
        "all of 5 moved, no order": moved(60, 60, zero(5), 0.33 * random.normal(size=5)),
        "half up, half down": moved(80, 80, zero(8), 0.22 * np.repeat([1.0, -1.0], 4)),
        "camps 100, one moved 40": tuple(
            two(partial(camps, n=100, n_items=6, scale=1.0), crowd(40, by * one(6, 2)))
            for by in (0.55, 0)
        ),
    }
    return null, planted


def shares(name: str, make: Make, samples: int) -> dict[str, float]:
    """Of p-values up to 0.05, in per cent."""
    seed = [7, len(name), ord(name[0])]
    seen = [p_values(make, np.random.default_rng([*seed, k])) for k in range(samples)]
    return {test: 100 * np.mean([each[test] <= LEVEL for each in seen]) for test in seen[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=500)
    samples = parser.parse_args().samples
    most = KEPT_LEVEL + 200 * np.sqrt(LEVEL * (1 - LEVEL) / samples)
    null, planted = designs()
    levels = [shares(name, make, samples) for name, make in null.items()]
    behind = []
    for name, (make, same) in planted.items():
        found, level = (shares(name, each, samples) for each in (make, same))
        levels.append(level)
        best = max(found[o] for o in OTHERS if level[o] <= most)
        behind.append({test: best - share for test, share in found.items()})
    rows = []
    for test in levels[0]:
        own, gaps = [level[test] for level in levels], [gap[test] for gap in behind]
        keeps = "yes" if max(own) <= most else ""
        rows.append([test, f"{min(own):.1f}", f"{max(own):.1f}", keeps])
        rows[-1] += [f"{np.mean(gaps):.1f}", f"{max(gaps):.1f}", sum(gap > 3 for gap in gaps)]
    print_table(
        f"Level over {len(levels)} designs, and points of power behind the best over "
        f"{len(behind)}; {samples} samples each",
        ["statistic", "least", "most", f"<= {most:.1f}", "behind, mean", "most", "more than 3"],
        rows,
    )


if __name__ == "__main__":
    main()
