"""Comparisons of groups: level, power and p-values compared with other tests, and time.

    python benchmarks/comparison.py [--samples N] [--keep FILE.json] [--only CASE]
        [level] [power] [same] [time]

Other tests are Hotelling's T² on mean places, a chi-squared test of first places, the energy test
(dcor) and the kernel two-sample test (hyppo) on mean places. The last two are written out here, as
the packages take too long; ``same`` shows that they agree (``pip install dcor hyppo``).
Each simulated share has the standard error sqrt(p(1 − p)/samples). ``--keep`` goes on where a run
stopped.
"""

import argparse
import itertools
import json
import resource
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import joblib
import numpy as np
from comparison_cases import Planted, null_cases, plackett_luce, planted_cases
from scipy import stats
from scipy.spatial.distance import cdist
from tables import print_table

import rankcut.comparison.statistics as statistics
from rankcut import GraphCutFeatures, compare_groups
from rankcut.kernels import GaussianKernel, KendallFeatures, SpearmanKernel

try:
    import dcor
except ImportError:
    dcor = None
try:
    from hyppo.ksample import MMD
except ImportError:
    MMD = None

LEVEL = 0.05
N_PERMUTATIONS = 499
OTHERS = ("Hotelling", "first places", "energy", "kernel")
# So that samples are new: the statistic was chosen on others.
ROUND = 3


class Samples:
    """Shares of p-values up to 0.05 of many samples, kept in a file if one is named."""

    def __init__(self, number: int, keep: Path | None) -> None:
        self.number = number
        self._keep = keep
        self._known = json.loads(keep.read_text()) if keep is not None and keep.exists() else {}

    def shares(self, name: str, one: Callable[[np.random.Generator], dict]) -> dict[str, float]:
        """Of each test, in per cent; ``one`` makes a sample and its p-values."""
        found = self._known.setdefault(name, {"samples": 0, "seen": {}})
        seed = [ROUND, sum(map(ord, name)), len(name)]
        for number in range(found["samples"], self.number):
            for test, p in one(np.random.default_rng([*seed, number])).items():
                found["seen"][test] = found["seen"].get(test, 0) + bool(p <= LEVEL)
            found["samples"] = number + 1
            if self._keep is not None and (number + 1) % 50 == 0:
                self._keep.write_text(json.dumps(self._known))
        return {test: 100 * seen / found["samples"] for test, seen in found["seen"].items()}


def show_level(samples: Samples) -> None:
    tests = ("overall", "items", "pairs", "listing", "order", "gaussian")
    rows = []
    for name, make in null_cases().items():

        def one(rng: np.random.Generator, make=make) -> dict:
            ranks, options = make(rng)
            options |= {"n_permutations": 199, "random_state": int(rng.integers(2**31))}
            result = compare_groups(ranks, **options)
            found = {
                "overall": result.p_value,
                "items": min(result.items["p_value"]),
                "pairs": min(result.pairs["p_value"]),
                "gaussian": compare_groups(ranks, features="gaussian", **options).p_value,
            }
            if result.listing is not None:
                found |= {"listing": result.listing.p_value, "order": result.order.p_value}
            return found

        shares = samples.shares(f"level: {name}", one)
        rows.append([name, *(f"{shares[t]:.1f}" if t in shares else "" for t in tests)])
    error = 100 * np.sqrt(LEVEL * (1 - LEVEL) / samples.number)
    print_table(
        f"Level: % of {samples.number} samples without a difference with p <= 0.05 "
        f"(5 ± {error:.1f} each); items and pairs: any of them",
        ["rankings", *tests],
        rows,
    )
    print("In 'other lists, same order' groups do differ in all but the order of what they list.")


def hotelling(places: np.ndarray, groups: np.ndarray) -> float:
    """P-value of Hotelling's T² on all places but one, which follows from the others."""
    x, y = places[groups == 0, :-1], places[groups == 1, :-1]
    (n, p), m = x.shape, len(y)
    if min(n, m) < 2 or n + m < p + 2:
        return 1.0
    pooled = ((n - 1) * np.cov(x.T) + (m - 1) * np.cov(y.T)) / (n + m - 2)
    gap = x.mean(axis=0) - y.mean(axis=0)
    t2 = n * m / (n + m) * gap @ np.linalg.lstsq(pooled, gap, rcond=None)[0]
    return float(stats.f.sf(t2 * (n + m - p - 1) / (p * (n + m - 2)), p, n + m - p - 1))


def first_places(ranks: np.ndarray, groups: np.ndarray) -> float:
    """P-value of a chi-squared test of which item is first; ties share the place."""
    listed = ~np.isnan(ranks).all(axis=1)
    ranks, groups = ranks[listed], groups[listed]
    first = (ranks == np.nanmin(ranks, axis=1, keepdims=True)).astype(float)
    first /= first.sum(axis=1, keepdims=True)
    table = np.array([first[groups == g].sum(axis=0) for g in (0, 1)])
    return float(stats.chi2_contingency(table[:, table.sum(axis=0) > 0])[1])


def by_permutations(kernels: list[np.ndarray], groups: np.ndarray, rng) -> list[float]:
    """P-values of squared distances between means, in the spaces of some kernels."""
    labels = rng.permuted(np.tile(groups.astype(float), (N_PERMUTATIONS + 1, 1)), axis=1)
    labels[0] = groups
    labels -= groups.mean()
    found = []
    for kernel in kernels:
        statistic = ((labels @ kernel) * labels).sum(axis=1)
        extreme = statistic >= statistic[0] - 1e-9 * abs(statistic[0])
        found.append(float(extreme.mean()))
    return found


def gaussian_kernel(distances: np.ndarray) -> np.ndarray:
    """With the median of all distances as its width, as in hyppo."""
    width = np.median(distances)
    return np.exp(-0.5 * (distances / width) ** 2)


def dcor_test(x: np.ndarray, y: np.ndarray, exponent: float, number: int) -> float:
    """P-value of dcor's energy test."""
    with warnings.catch_warnings():
        # With exponent 2 it is only a distance of means, which is what we ask for.
        warnings.simplefilter("ignore", UserWarning)
        found = dcor.homogeneity.energy_test(
            x, y, exponent=exponent, num_resamples=number, random_state=0
        )
    return float(found.pvalue)


def p_values(case: Planted, rng: np.random.Generator) -> dict[str, float]:
    """Of rankcut and the other tests on one sample."""
    ranks, options = case.make(rng)
    groups = options["groups"]
    ours = {**options, "n_permutations": N_PERMUTATIONS, "random_state": int(rng.integers(2**31))}
    result = compare_groups(ranks, **ours)
    unranked = options.get("unranked", "error")
    features = GraphCutFeatures(unranked=unranked).fit_transform(ranks)
    places = (ranks.shape[1] + 1 - features) / 2
    distances = cdist(places, places)
    energy, kernel = by_permutations([-distances, gaussian_kernel(distances)], groups, rng)
    found = {
        "rankcut": result.p_value,
        "Hotelling": hotelling(places, groups),
        "first places": first_places(ranks, groups),
        "energy": energy,
        "kernel": kernel,
    }
    if unranked != "error":
        full = ~np.isnan(ranks).any(axis=1)
        found["Hotelling, full lists"] = hotelling(ranks[full], groups[full])
    if case.any_difference:
        for features in ("mallows", "gaussian"):
            found[features] = compare_groups(ranks, features=features, **ours).p_value
        if result.listing is not None:
            found |= {"listing": result.listing.p_value, "order": result.order.p_value}
    return found


def show_power(samples: Samples, only: str = "") -> None:
    rows, others = [], []
    for case in planted_cases():
        if only not in f"{case.rankings}: {case.difference}":
            continue

        def one(rng: np.random.Generator, case=case) -> dict:
            return p_values(case, rng)

        power = samples.shares(f"power: {case.rankings}, {case.difference}", one)
        best = max(power[test] for test in OTHERS)
        full = power.get("Hotelling, full lists")
        name = f"{case.rankings}: {case.difference}"
        if case.any_difference:
            others.append(f"{name}: " + ", ".join(f"{t} {v:.1f}" for t, v in power.items()))
            continue
        rows.append(
            [
                name,
                f"{power['rankcut']:.1f}",
                *(f"{power[test]:.1f}" for test in OTHERS),
                "" if full is None else f"{full:.1f}",
                f"{power['rankcut'] - best:+.1f}",
            ]
        )
    print_table(
        f"Power: % of {samples.number} samples of 100 and 100 rankings of 10 items with p <= 0.05\n"
        "(Hotelling, energy and kernel on rankcut's mean places, as they cannot take partial lists;"
        "\n'full lists': Hotelling on the positions of lists without a gap)",
        ["difference", "rankcut", *OTHERS, "full lists", "rankcut - best"],
        rows,
    )
    print("\nDifferences that are not of mean places, or of lists:")
    for line in others:
        print(line)


def by_all_permutations(vectors: np.ndarray, groups: np.ndarray, statistic: Callable) -> float:
    """P-value of a statistic of two samples, by all ways to exchange the labels."""
    values = []
    for chosen in itertools.combinations(range(len(groups)), int((groups == 0).sum())):
        first = np.isin(np.arange(len(groups)), chosen)
        values.append(statistic(vectors[first], vectors[~first]))
    seen = statistic(vectors[groups == 0], vectors[groups == 1])
    return float((np.array(values) >= seen - 1e-9 * abs(seen)).mean())


def show_same() -> None:
    rng = np.random.default_rng(0)
    first, second = plackett_luce(rng, 5, np.zeros(4)), plackett_luce(rng, 5, np.arange(4.0) / 2)
    ranks, groups = np.vstack([first, second]), np.repeat([0, 1], 5)
    signs = KendallFeatures().fit_transform(ranks)

    def gap(x: np.ndarray, y: np.ndarray) -> float:
        return ((x.mean(axis=0) - y.mean(axis=0)) ** 2).sum()

    def energy(x: np.ndarray, y: np.ndarray) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return dcor.homogeneity.energy_test_statistic(x, y, exponent=2)

    def discrepancy(x: np.ndarray, y: np.ndarray) -> float:
        return MMD(gamma=0.5).statistic(x, y)

    scipy = stats.permutation_test(
        (np.arange(5), np.arange(5, 10)),
        lambda x, y: gap(ranks[x], ranks[y]),
        alternative="greater",
        n_resamples=20_000,
    )
    spearman = compare_groups(ranks, groups, features=SpearmanKernel())
    gaussian = compare_groups(ranks, groups, features=GaussianKernel(1.0))
    rows = [
        ["distance of mean positions", "scipy.stats.permutation_test", spearman, scipy.pvalue],
        [
            "distance of mean positions",
            "dcor's energy statistic, exponent 2",
            spearman,
            by_all_permutations(ranks, groups, energy),
        ],
        [
            "Gaussian kernel on Kendall vectors",
            "hyppo's MMD statistic",
            gaussian,
            by_all_permutations(signs, groups, discrepancy),
        ],
    ]
    print_table(
        "The same statistic: 5 and 5 rankings of 4 items, all 252 permutations",
        ["test", "by", "p here", "p there"],
        [[name, by, f"{ours.p_value:.12f}", f"{p:.12f}"] for name, by, ours, p in rows],
    )
    gaps = {"distance of means (dcor, exponent 2)": [], "energy (dcor)": [], "kernel (hyppo)": []}
    for _ in range(40):
        first = plackett_luce(rng, 60, np.zeros(6))
        second = plackett_luce(rng, 60, 0.4 * (np.arange(6) == 2))
        places, groups = np.vstack([first, second]), np.repeat([0, 1], 60)
        distances = cdist(places, places)
        kernels = [-distances, gaussian_kernel(distances)]
        ours = compare_groups(places, groups, features=SpearmanKernel(), n_permutations=999)
        here = [ours.p_value, *by_permutations(kernels, groups, rng)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # hyppo's, of few permutations
            theirs = MMD().test(first, second, reps=499, auto=False)[1]
        there = [dcor_test(first, second, 2, 999), dcor_test(first, second, 1, 499), theirs]
        numbers = [(999, 999), (N_PERMUTATIONS, 499), (N_PERMUTATIONS, 499)]
        for name, p, q, (n, m) in zip(gaps, here, there, numbers, strict=True):
            mean = (p + q) / 2
            gaps[name].append((p - q) / np.sqrt(mean * (1 - mean) * (1 / n + 1 / m)))
    print_table(
        "Random permutations, each test its own: 40 samples of 60 and 60 rankings of 6 items;\n"
        "p here less p there, in units of its Monte Carlo error (mean 0 ± 0.16, spread 1 if equal)",
        ["test", "mean", "spread", "largest"],
        [
            [name, f"{np.mean(z):+.2f}", f"{np.std(z):.2f}", f"{np.abs(z).max():.2f}"]
            for name, z in gaps.items()
        ],
    )


def show_time() -> None:
    strengths, rng = np.linspace(1, -1, 10), np.random.default_rng(0)
    rows = []

    def clock(name: str, work: Callable[[], object]) -> None:
        wall, processor = time.perf_counter(), time.process_time()
        work()
        spent = time.process_time() - processor
        rows.append([name, f"{time.perf_counter() - wall:.2f}", f"{spent:.2f}"])

    ranks, groups = plackett_luce(rng, 5000, strengths), rng.integers(2, size=5000)
    compare_groups(ranks[:100], groups[:100], n_permutations=99)
    clock("rankcut, 5,000 x 10, 9,999 permutations", lambda: compare_groups(ranks, groups))
    if dcor is not None:
        x, y = ranks[groups == 0], ranks[groups == 1]
        clock(
            "dcor, 5,000 x 10, 9 permutations",
            lambda: dcor.homogeneity.energy_test(x, y, num_resamples=9, random_state=0),
        )
    if MMD is not None:
        clock(
            "hyppo, 1,000 x 10, 9 permutations",
            lambda: MMD().test(ranks[:500], ranks[500:1000], reps=9, auto=False),
        )
    many, labels = plackett_luce(rng, 1_000_000, strengths), rng.integers(2, size=1_000_000)
    clock("rankcut, 1,000,000 x 10, limit", lambda: compare_groups(many, labels))
    statistics.VERY_MANY = 1 << 60
    with joblib.parallel_config(n_jobs=2):
        for number in (99, 999, 9_999):
            before = peak_memory()
            clock(
                f"rankcut, 1,000,000 x 10, {number:,} permutations, 2 threads",
                lambda number=number: compare_groups(many, labels, n_permutations=number),
            )
            rows[-1].append(f"{peak_memory() - before:+,.0f}")
    print_table(
        "Time, items and pairs included",
        ["what", "seconds", "processor seconds", "more memory, MB"],
        [row + [""] * (4 - len(row)) for row in rows],
    )


def peak_memory() -> float:
    """The most memory that this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", help="level, power, same, time")
    parser.add_argument("--samples", type=int, default=400, help="for level and power")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", default="", help="part of the names of cases, for power")
    options = parser.parse_args()
    wanted = options.tables or ["level", "power", "same", "time"]
    if (dcor is None or MMD is None) and "same" in wanted:
        parser.error("same needs dcor and hyppo: pip install dcor hyppo")
    samples = Samples(options.samples, options.keep)
    for name, show in (
        ("level", lambda: show_level(samples)),
        ("power", lambda: show_power(samples, options.only)),
        ("same", show_same),
        ("time", show_time),
    ):
        if name in wanted:
            show()


if __name__ == "__main__":
    main()
