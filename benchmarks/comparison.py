"""Comparisons of groups: level, power and p-values compared with other tests, and time.

    python benchmarks/comparison.py [--quick] [level] [power] [same] [time]

Other tests are dcor's energy test (``pip install dcor``), Hotelling's T² on positions and a
chi-squared test of first places; without dcor its columns are left out. Each simulated share has
the standard error sqrt(p(1 − p)/repetitions).
"""

import sys
import time
from collections.abc import Callable

import joblib
import numpy as np
from scipy import stats
from tables import print_table

import rankcut.comparison.statistics as statistics
from rankcut import SpearmanKernel, compare_groups

try:
    import dcor
except ImportError:
    dcor = None

LEVEL = 0.05
RNG = np.random.default_rng(0)


def plackett_luce(n: int, strengths: np.ndarray) -> np.ndarray:
    """Full rankings: strengths and Gumbel noise, in order."""
    noise = RNG.gumbel(size=(n, len(strengths)))
    return (-(strengths + noise)).argsort(axis=1).argsort(axis=1) + 1.0


def mallows(n: int, phi: float, order: np.ndarray) -> np.ndarray:
    """Full rankings by repeated insertion."""
    ranks = np.empty((n, len(order)))
    for row in ranks:
        built: list[int] = []
        for i, item in enumerate(order):
            weights = phi ** np.arange(i, -1, -1.0)
            built.insert(RNG.choice(i + 1, p=weights / weights.sum()), item)
        row[built] = np.arange(1, len(order) + 1)
    return ranks


def null_cases(m: int = 80, n: int = 6) -> dict[str, Callable[[], tuple[np.ndarray, dict]]]:
    """Rankings that do not depend on their groups."""
    strengths = np.linspace(1, -1, n)

    def groups(share: float = 0.5, size: int = m) -> np.ndarray:
        labels = RNG.random(size) < share
        labels[:2], labels[2:4] = True, False
        return RNG.permutation(labels)

    def full():
        return plackett_luce(m, strengths), {"groups": groups()}

    def ties():
        return np.ceil(plackett_luce(m, strengths) / 2), {"groups": groups()}

    def top_k():
        ranks = plackett_luce(m, strengths)
        lengths = RNG.integers(1, n, size=(m, 1))
        return np.where(ranks <= lengths, ranks, np.nan), {"groups": groups(), "unranked": "last"}

    def incomplete():
        ranks = plackett_luce(m, strengths)
        ranks[RNG.random(ranks.shape) < 0.4] = np.nan
        return ranks, {"groups": groups(), "unranked": "anywhere"}

    def unbalanced():
        return plackett_luce(204, strengths), {"groups": groups(0.0, 204)}

    def repeated():
        own = RNG.normal(size=(m // 4, 1, n)) * 2
        scores = (strengths + own + RNG.gumbel(size=(m // 4, 4, n))).reshape(-1, n)
        ranks = (-scores).argsort(axis=1).argsort(axis=1) + 1.0
        people = np.repeat(np.arange(m // 4), 4)
        return ranks, {"groups": groups(size=m // 4)[people], "people": people}

    def crossed():
        ranks, options = repeated()
        labels = RNG.random(m) < 0.5
        labels[:2] = [True, False]
        return ranks, {"groups": labels, "people": options["people"]}

    def counts():
        return plackett_luce(m, strengths), {
            "groups": groups(),
            "sample_weight": np.ones(m, dtype=int),
        }

    def weighted():
        return plackett_luce(m, strengths), {
            "groups": groups(),
            "sample_weight": RNG.exponential(size=m),
        }

    def other_lists():
        # Groups list different items and lengths: only "order" is a true null.
        ranks = plackett_luce(3 * m, strengths)
        labels = groups(size=3 * m)
        length = np.where(labels, RNG.integers(2, 5, 3 * m), RNG.integers(3, 7, 3 * m))
        return np.where(ranks <= length[:, None], ranks, np.nan), {
            "groups": labels,
            "unranked": "last",
        }

    return {
        "full": full,
        "ties": ties,
        "top-k": top_k,
        "incomplete": incomplete,
        "unbalanced 1:50": unbalanced,
        "repeated people": repeated,
        "people in both groups": crossed,
        "counts": counts,
        "weighted": weighted,
        "other lists, same order": other_lists,
    }


def show_level(repetitions: int) -> None:
    rows = []
    for name, make in null_cases().items():
        found: dict[str, list[bool]] = {}
        for _ in range(repetitions):
            ranks, options = make()
            result = compare_groups(
                ranks, n_permutations=199, random_state=int(RNG.integers(2**31)), **options
            )
            for what, p in (
                ("overall", result.p_value),
                ("items", min(result.items["p_value"])),
                ("pairs", min(result.pairs["p_value"])),
                ("listing", result.listing and result.listing.p_value),
                ("order", result.order and result.order.p_value),
            ):
                if p is not None:
                    found.setdefault(what, []).append(p <= LEVEL)
        rows.append(
            [
                name,
                *(
                    f"{100 * np.mean(found[what]):.1f}" if what in found else ""
                    for what in ("overall", "items", "pairs", "listing", "order")
                ),
            ]
        )
    error = 100 * np.sqrt(LEVEL * (1 - LEVEL) / repetitions)
    print_table(
        f"Level: % of {repetitions} samples without a difference with p <= 0.05 "
        f"(5 ± {error:.1f} each); items and pairs: any of them",
        ["rankings", "overall", "items", "pairs", "listing", "order"],
        rows,
    )
    print("In 'other lists, same order' groups do differ in all but the order of what they list.")


def planted(n: int = 10) -> dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]]:
    """Differences between two groups of 100."""
    base, items = np.linspace(2, -2, n), np.arange(n)

    def swapped(a: int, b: int) -> np.ndarray:
        order = items.copy()
        order[[a, b]] = order[[b, a]]
        return order

    def mixed(phi: float, order: np.ndarray, share: float):
        k = RNG.binomial(100, share)
        second = np.vstack([mallows(100 - k, phi, items), mallows(k, phi, order)])
        return mallows(100, phi, items), second

    def strengths(change: np.ndarray, scale: float = 1.0):
        return plackett_luce(100, scale * base), plackett_luce(100, scale * base + change)

    def moved(item: int, by: float, scale: float = 1.0):
        return strengths(by * (items == item), scale)

    return {
        "one item moved, middle": lambda: moved(3, 0.7),
        "one item moved, top": lambda: moved(0, 0.9, 1.5),
        "one item moved, no other order": lambda: (
            plackett_luce(100, 0 * base),
            plackett_luce(100, 0.6 * (items == 3)),
        ),
        "two swapped, top": lambda: mixed(0.5, swapped(0, 1), 0.6),
        "two swapped, middle": lambda: mixed(0.5, swapped(4, 5), 0.7),
        "two swapped, strengths": lambda: strengths(
            0.4 * ((items == 1).astype(float) - (items == 0))
        ),
        "more spread, same mean": lambda: (
            plackett_luce(100, 0 * base),
            np.where(
                RNG.random((100, 1)) < 0.5,
                plackett_luce(100, 0.5 * base),
                plackett_luce(100, -0.5 * base),
            ),
        ),
    }


def hotelling(x: np.ndarray, y: np.ndarray) -> float:
    """P-value of Hotelling's T² on all positions but one, which follows from the others."""
    x, y = x[:, :-1], y[:, :-1]
    (n, p), m = x.shape, len(y)
    pooled = ((n - 1) * np.cov(x.T) + (m - 1) * np.cov(y.T)) / (n + m - 2)
    gap = x.mean(axis=0) - y.mean(axis=0)
    t2 = n * m / (n + m) * gap @ np.linalg.solve(pooled, gap)
    return float(stats.f.sf(t2 * (n + m - p - 1) / (p * (n + m - 2)), p, n + m - p - 1))


def first_places(x: np.ndarray, y: np.ndarray) -> float:
    """P-value of a chi-squared test of which item is first."""
    table = np.array([np.bincount(z.argmin(axis=1), minlength=z.shape[1]) for z in (x, y)])
    return float(stats.chi2_contingency(table[:, table.sum(axis=0) > 0])[1])


def show_power(repetitions: int) -> None:
    rows = []
    for name, make in planted().items():
        found: dict[str, list[bool]] = {}
        for _ in range(repetitions):
            x, y = make()
            ranks, groups = np.vstack([x, y]), np.repeat([0, 1], 100)
            options = {"n_permutations": 199, "random_state": int(RNG.integers(2**31))}
            tests = {
                "rankcut": compare_groups(ranks, groups, **options).p_value,
                "gaussian": compare_groups(ranks, groups, features="gaussian", **options).p_value,
                "Hotelling": hotelling(x, y),
                "first places": first_places(x, y),
            }
            if dcor is not None:
                tests["energy (dcor)"] = dcor.homogeneity.energy_test(
                    x, y, num_resamples=199, random_state=options["random_state"]
                ).pvalue
            for test, p in tests.items():
                found.setdefault(test, []).append(p <= LEVEL)
        power = {test: 100 * np.mean(seen) for test, seen in found.items()}
        best = max(value for test, value in power.items() if test not in ("rankcut", "gaussian"))
        rows.append(
            [name, *(f"{v:.1f}" for v in power.values()), f"{power['rankcut'] - best:+.1f}"]
        )
    print_table(
        f"Power: % of {repetitions} samples of 100 and 100 rankings of 10 items with p <= 0.05",
        ["difference", *power, "rankcut - best other"],
        rows,
    )


def show_same() -> None:
    ranks = np.vstack([plackett_luce(8, np.zeros(4)), plackett_luce(8, np.array([1.0, 0, 0, 0]))])
    groups = np.repeat([0, 1], 8)

    def gap(x, y):
        return ((ranks[x].mean(axis=0) - ranks[y].mean(axis=0)) ** 2).sum()

    scipy = stats.permutation_test(
        (np.arange(8), np.arange(8, 16)), gap, alternative="greater", n_resamples=20_000
    )
    rows = [
        ["rankcut", compare_groups(ranks, groups, features=SpearmanKernel()).p_value],
        ["scipy.stats.permutation_test", scipy.pvalue],
    ]
    if dcor is not None:
        energy = dcor.homogeneity.energy_test(
            ranks[:8], ranks[8:], exponent=2, num_resamples=9_999, random_state=0
        )
        rows.append(["dcor, exponent 2", energy.pvalue])
    print_table("The same statistic: distance of mean positions", ["test", "p"], rows)


def show_time() -> None:
    strengths = np.linspace(1, -1, 10)
    rows = []

    def clock(name: str, work: Callable[[], object]) -> None:
        wall, processor = time.perf_counter(), time.process_time()
        work()
        spent = time.process_time() - processor
        rows.append([name, f"{time.perf_counter() - wall:.2f}", f"{spent:.2f}"])

    ranks, groups = plackett_luce(5000, strengths), RNG.integers(2, size=5000)
    compare_groups(ranks[:100], groups[:100], n_permutations=99)
    clock("rankcut, 5,000 x 10, 9,999 permutations", lambda: compare_groups(ranks, groups))
    if dcor is not None:
        x, y = ranks[groups == 0], ranks[groups == 1]
        clock(
            "dcor, 5,000 x 10, 9 permutations",
            lambda: dcor.homogeneity.energy_test(x, y, num_resamples=9, random_state=0),
        )
    many, labels = plackett_luce(1_000_000, strengths), RNG.integers(2, size=1_000_000)
    clock("rankcut, 1,000,000 x 10, limit", lambda: compare_groups(many, labels))
    statistics.VERY_MANY = 1 << 60
    with joblib.parallel_config(n_jobs=2):
        clock(
            "rankcut, 1,000,000 x 10, 999 permutations, 2 threads",
            lambda: compare_groups(many, labels, n_permutations=999),
        )
    print_table("Time, items and pairs included", ["what", "seconds", "processor seconds"], rows)


def main() -> None:
    asked = [name for name in sys.argv[1:] if not name.startswith("-")]
    quick = "--quick" in sys.argv
    for name, show in (
        ("level", lambda: show_level(50 if quick else 1000)),
        ("power", lambda: show_power(30 if quick else 500)),
        ("same", show_same),
        ("time", show_time),
    ):
        if not asked or name in asked:
            show()


if __name__ == "__main__":
    main()
