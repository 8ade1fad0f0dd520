"""Comparisons of groups: level and power beside other tests, and time.

    python -m benchmarks.comparison.comparison [--samples N] [--keep FILE.json] [--only DESIGN]
        [--alone]
        [voters] [layouts] [found] [level] [power] [few] [small] [same] [time]

Other tests are Welch's t of each item with Bonferroni's correction, Hotelling's T², PERMANOVA and
the energy test, on mean places, as they take no partial lists, and Wald's test of the group in a
regression of strengths. Designs whose name begins with "breaks" were looked for. Overall shares
have an exact 95 % interval (Clopper and Pearson); others are as sure. ``--keep`` goes on where a
run stopped; a row says how many samples it has. ``--alone`` leaves out the other tests, which take
longer. ``voters`` are people who differ in how many rankings they made (12 x 80: twelve people with
80 each), ``found`` differences between such groups, ``layouts`` are drawn anew in each sample
(a row says how many people the smallest group has), and ``few`` is the level with few people in one
group; ``small`` has few in both, and designs that were looked for until the level broke. ``same``
needs ``pip install dcor``.
"""

import argparse
import json
import resource
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.spatial.distance import cdist

from benchmarks.comparison.comparison_cases import (
    Make,
    few_designs,
    layout_designs,
    null_designs,
    plackett_luce,
    planted_designs,
    planted_voters,
    small_designs,
    voters_designs,
)
from benchmarks.tables import print_table
from rankcut import StrengthRegression, compare_groups
from rankcut.comparison.people import places
from rankcut.kernels import SpearmanKernel
from rankcut.rankings import read_rankings

LEVEL = 0.05
N_PERMUTATIONS = 199
OURS = ("overall", "items", "pairs", "between", "listing")
OTHERS = ("Welch", "Hotelling", "PERMANOVA", "energy", "PL Wald")
# A test keeps its level up to this: 5 ± 1.5 %.
KEPT_LEVEL = 6.5
# Below this it is on the safe side.
SAFE_LEVEL = 3.5
# Others compare each two rankings: they are left out with more than this many.
MOST = 1_000
# So that samples are new.
ROUND = 10


class Samples:
    """Shares of p-values up to 0.05 of many samples, kept in a file if one is named."""

    def __init__(self, number: int, keep: Path | None, *, alone: bool = False) -> None:
        self.number, self._alone = number, alone
        self._keep = keep
        self._known = json.loads(keep.read_text()) if keep is not None and keep.exists() else {}

    def count(self, name: str) -> int:
        """How many samples a design has."""
        return self._known[name]["samples"]

    def limits(self, name: str, test: str) -> tuple[float, float]:
        """The interval of the share of a test, in per cent."""
        of_design = self._known[name]
        low, high = stats.binomtest(of_design["seen"][test], of_design["samples"]).proportion_ci()
        return 100 * low, 100 * high

    def shares(self, name: str, make: Make) -> dict[str, float]:
        """Of each test, in per cent."""
        found = self._known.setdefault(name, {"samples": 0, "seen": {}})
        seed = [ROUND, sum(map(ord, name)), len(name)]
        started = found["samples"]
        for number in range(started, self.number):
            rng = np.random.default_rng([*seed, number])
            for test, p in p_values(make, rng, alone=self._alone).items():
                found["seen"][test] = found["seen"].get(test, 0) + bool(p <= LEVEL)
            found["samples"] = number + 1
        if self._keep is not None and found["samples"] > started:
            part = self._keep.with_suffix(".part")
            part.write_text(json.dumps(self._known))
            part.replace(self._keep)
        return {test: 100 * seen / found["samples"] for test, seen in found["seen"].items()}


def p_values(make: Make, rng: np.random.Generator, *, alone: bool) -> dict[str, float]:
    """Of rankcut and the other tests on one sample."""
    ranks, options = make(rng)
    seed = int(rng.integers(2**31))
    result = compare_groups(ranks, **options, n_permutations=N_PERMUTATIONS, random_state=seed)
    found = {
        "overall": result.p_value,
        "items": min(result.items["p_value"]),
    }
    if len(result.pairs):
        found["pairs"] = min(result.pairs["p_value"])
    if len(result.between):
        found["between"] = min(result.between["p_value"])
    if result.listing is not None:
        found["listing"] = result.listing.p_value
    if alone:
        return found
    rankings = read_rankings(ranks, unranked=options.get("unranked", "error"))
    vectors = places(rankings)
    _, groups = np.unique(options["groups"], return_inverse=True)
    if len(ranks) < 4 * MOST:
        found["PL Wald"] = strength_wald(ranks, options, groups)
    people = options.get("people")
    if people is not None:
        _, first, person = np.unique(people, return_index=True, return_inverse=True)
        if (groups == groups[first[person]]).all():
            vectors, groups = person_means(vectors, people), groups[first]
    if len(vectors) > MOST:
        return found
    distances = cdist(vectors, vectors)
    found["PERMANOVA"], found["energy"] = by_permutations(
        [vectors @ vectors.T, -distances], groups, rng
    )
    if groups.max() == 1:
        found["Hotelling"] = hotelling(vectors, groups)
    found["Welch"] = welch(vectors, groups)
    return found


def person_means(vectors: np.ndarray, people: np.ndarray) -> np.ndarray:
    """The mean vector of each person."""
    _, person, often = np.unique(people, return_inverse=True, return_counts=True)
    sums = np.zeros((len(often), vectors.shape[1]))
    np.add.at(sums, person, vectors)
    return sums / often[:, np.newaxis]


def strength_wald(ranks: np.ndarray, options: dict[str, Any], groups: np.ndarray) -> float:
    """Wald's test of the group in a regression of strengths, with errors of people."""
    model = StrengthRegression(on=["C(group)"], unranked=options.get("unranked", "error"))
    try:
        model.fit(pd.DataFrame({"group": groups}), ranks, people=options.get("people"))
    except ValueError:  # strengths that could be anything
        return 1.0
    return float(np.nan_to_num(model.wald_test().p_value, nan=1.0))


def welch(vectors: np.ndarray, groups: np.ndarray) -> float:
    """The smallest p-value of Welch's t, over items and pairs of groups, times their number."""
    n_groups = groups.max() + 1
    samples = [vectors[groups == group] for group in range(n_groups)]
    means, variances, sizes = (
        np.array([f(each) for each in samples])
        for f in (lambda x: x.mean(axis=0), lambda x: x.var(axis=0, ddof=1) / len(x), len)
    )
    a, b = np.triu_indices(n_groups, 1)
    spread = variances[a] + variances[b]
    with np.errstate(all="ignore"):  # items that do not vary
        t = np.abs(means[a] - means[b]) / np.sqrt(spread)
        parts = [variances[g] ** 2 / (sizes[g] - 1)[:, np.newaxis] for g in (a, b)]
        p = 2 * stats.t.sf(t, spread**2 / (parts[0] + parts[1]))
    return float(np.nan_to_num(p, nan=1.0).min()) * p.size


def hotelling(vectors: np.ndarray, groups: np.ndarray) -> float:
    """P-value of Hotelling's T² on all places but one, which follows from the others."""
    x, y = vectors[groups == 0, :-1], vectors[groups == 1, :-1]
    (n, p), m = x.shape, len(y)
    if n + m < p + 2:
        return 1.0
    pooled = ((n - 1) * np.cov(x.T) + (m - 1) * np.cov(y.T)) / (n + m - 2)
    gap = x.mean(axis=0) - y.mean(axis=0)
    t2 = n * m / (n + m) * gap @ np.linalg.lstsq(pooled, gap, rcond=None)[0]
    return float(stats.f.sf(t2 * (n + m - p - 1) / (p * (n + m - 2)), p, n + m - p - 1))


def by_permutations(
    kernels: list[np.ndarray], groups: np.ndarray, rng: np.random.Generator
) -> list[float]:
    """P-values of the sum of squares between groups, in the spaces of some kernels."""
    shuffled = rng.permuted(np.tile(groups, (N_PERMUTATIONS + 1, 1)), axis=1)
    shuffled[0] = groups
    centre = np.eye(len(groups)) - 1.0 / len(groups)
    found = []
    for kernel in kernels:
        centred = centre @ kernel @ centre
        statistic = np.zeros(len(shuffled))
        for group, size in enumerate(np.bincount(groups)):
            inside = (shuffled == group).astype(float)
            statistic += ((inside @ centred) * inside).sum(axis=1) / size
        found.append(float((statistic >= statistic[0] - 1e-9 * abs(statistic[0])).mean()))
    return found


DESIGNS = {
    "voters": voters_designs,
    "layouts": layout_designs,
    "found": planted_voters,
    "level": null_designs,
    "power": planted_designs,
    "few": few_designs,
    "small": small_designs,
}


def simulate(samples: Samples, kind: str, only: str) -> None:
    """All designs in rounds, so that a run that stops has about as many samples of each."""
    wanted = samples.number
    for number in (wanted // 4, wanted // 2, wanted):
        samples.number = number
        for name, make in DESIGNS[kind]().items():
            if only in name:
                samples.shares(f"{kind}: {name}", make)
                print(kind, number, name, file=sys.stderr, flush=True)


def null_of(name: str) -> str:
    """The design without a difference that is most like a planted one."""
    if " x " in name:
        return f"voters: {name}"
    kinds = {
        "full: one item moved, 100 and 20": "full: 20, 100, ten items",
        "full": "full: 100, 100, ten items",
        "ties": "ties: heavy, 40, 40",
        "top-k": "top-k: 1 to 7 of 8",
        "incomplete": "incomplete: 60 % shown",
    }
    null = next(null for start, null in kinds.items() if name.startswith(start))
    return f"level: {null}"


def show(samples: Samples, kind: str, only: str) -> None:
    simulate(samples, kind, only)
    rows, behind = [], {test: [] for test in ("overall", *OTHERS)}
    tests, outside = ["overall", "95 %", *OURS[1:], *OTHERS], []
    nulls = {f"level: {name}": make for name, make in null_designs().items()}
    nulls |= {f"voters: {name}": make for name, make in voters_designs().items()}
    for name, make in DESIGNS[kind]().items():
        if only not in name:
            continue
        shares = samples.shares(f"{kind}: {name}", make)
        low, high = samples.limits(f"{kind}: {name}", "overall")
        words = {t: f"{shares[t]:.1f}" for t in tests if t in shares}
        words["95 %"] = f"{low:.1f} to {high:.1f}"
        moved = name.startswith("moved")
        if not moved and (low > KEPT_LEVEL or high < SAFE_LEVEL):
            outside.append(f"{name} ({shares['overall']:.1f})")
        for test in ("items", "pairs", "between"):
            many = test in shares and samples.limits(f"{kind}: {name}", test)[0] > KEPT_LEVEL
            if many and not moved:
                outside.append(f"{name}, {test} ({shares[test]:.1f})")
        if kind in ("power", "found"):
            level = samples.shares(null_of(name), nulls[null_of(name)])
            # Of few samples a level that is a bit too high may be chance.
            keep = [
                t
                for t in level
                if t in OTHERS and samples.limits(null_of(name), t)[0] <= KEPT_LEVEL
            ]
            best = max((shares[t] for t in keep), default=np.nan)
            words |= {t: f"({shares[t]:.1f})" for t in level if t in OTHERS and t not in keep}
            words["- best"] = f"{shares['overall'] - best:+.1f}"
            for test in ("overall", *keep):
                behind[test].append(best - shares[test])
        number = f"{samples.count(f'{kind}: {name}'):,}"
        rows.append([name, number, *(words.get(t, "") for t in [*tests, "- best"])])
    what = (
        "Power: % of samples with p <= 0.05; last: overall - best of others that keep their level"
        if kind in ("power", "found")
        else "Level: % of samples, of groups with equal means (or strengths), with p <= 0.05 "
        "(5 ± 1.0 of 2,000 samples, ± 1.9 of 500, ± 3.0 of 200, ± 4.3 of 100), and the 95 % "
        "interval of the overall share; where an item moved it is power"
    )
    heads = ["design", "samples", *tests, "- best"]
    said = [column for column in zip(heads, *rows, strict=True) if any(column[1:])]
    heads, *rows = (list(row) for row in zip(*said, strict=True))
    print_table(what, heads, rows)
    if kind not in ("power", "found"):
        print(
            "Interval outside 5 ± 1.5 % (of items, pairs and between: above it):",
            "; ".join(outside) or "none",
            end=".\n",
        )
    print("items, pairs, between (two groups), Welch: any of them.")
    if "Welch" in heads:
        print(
            "Others compare places, those of person means where people rank more than once, and "
            "know no weights; PL Wald is the test of the group in a regression of strengths, with "
            "errors of people."
        )
    if kind in ("power", "found"):
        print(f"In brackets: clearly over {KEPT_LEVEL} % in a design like it without a difference.")
        rows = [
            [test, len(gaps), f"{np.mean(gaps):.1f}", f"{max(gaps):.1f}", sum(g > 3 for g in gaps)]
            for test, gaps in behind.items()
        ]
        print_table(
            "Points behind the best of the others, over designs in which a test keeps its level",
            ["test", "designs", "mean", "most", "more than 3"],
            rows,
        )


def show_same() -> None:
    """The distance of means of equal groups, beside SciPy and dcor."""
    import dcor

    rng = np.random.default_rng(0)
    first, second = plackett_luce(rng, 5, np.zeros(4)), plackett_luce(rng, 5, np.arange(4.0) / 2)
    ranks, groups = np.vstack([first, second]), np.repeat([0, 1], 5)

    def gap(x: np.ndarray, y: np.ndarray) -> float:
        return ((ranks[x].mean(axis=0) - ranks[y].mean(axis=0)) ** 2).sum()

    def energy(x: np.ndarray, y: np.ndarray) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return dcor.homogeneity.energy_test_statistic(ranks[x], ranks[y], exponent=2)

    ours = compare_groups(ranks, groups, features=SpearmanKernel())
    sides = (np.arange(5), np.arange(5, 10))
    theirs = [
        stats.permutation_test(sides, each, alternative="greater", n_resamples=20_000).pvalue
        for each in (gap, energy)
    ]
    print_table(
        "The same statistic: 5 and 5 rankings of 4 items, 9,999 permutations or all 252",
        ["by", "p"],
        [["rankcut", ours.p_value], ["SciPy", theirs[0]], ["dcor, exponent 2", theirs[1]]],
    )


def show_time() -> None:
    strengths, rng = np.linspace(1, -1, 10), np.random.default_rng(0)
    rows = []

    def clock(name: str, work: Callable[[], object]) -> None:
        wall, processor = time.perf_counter(), time.process_time()
        work()
        spent = time.process_time() - processor
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        rows.append([name, f"{time.perf_counter() - wall:.2f}", f"{spent:.2f}", f"{peak:,.0f}"])

    compare_groups(plackett_luce(rng, 100, strengths), rng.integers(2, size=100))
    for n, n_groups in ((1_500, 2), (1_500, 10), (10**6, 2), (10**6, 30)):
        ranks, groups = plackett_luce(rng, n, strengths), rng.integers(n_groups, size=n)
        what = f"{n:,} rankings of 10 items, {n_groups} groups"
        clock(what, lambda ranks=ranks, groups=groups: compare_groups(ranks, groups))
    groups[:] = 0
    groups[:50] = 1
    clock("1,000,000 rankings, 50 of them a group", lambda: compare_groups(ranks, groups))
    print_table(
        "Time, items and pairs included", ["what", "seconds", "processor seconds", "peak MB"], rows
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=[*DESIGNS, "time"])
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--alone", action="store_true")
    options = parser.parse_args()
    samples = Samples(options.samples, options.keep, alone=options.alone)
    for what in options.what:
        if what in DESIGNS:
            show(samples, what, options.only)
        else:
            {"same": show_same, "time": show_time}[what]()
        print()


if __name__ == "__main__":
    main()
