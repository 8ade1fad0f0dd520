"""How long a consensus takes beside other packages, in processor time, and how wide its intervals
are.

Run with: python -m benchmarks.consensus.consensus [--quick] [--sushi FOLDER]
          [--only speed,kemeny,...]

Parts: speed (Borda with a bootstrap, memory), kemeny (exact orders, beside others), widths (of the
intervals by each method) and pooled (how often the order of a mean vector is the ranking most like
it). corankco, pref_voting and choix, where installed, and SciPy's Kendall tau run beside rankcut.
``consensus_coverage.py`` measures how often intervals hold.
"""

import argparse
import resource
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from itertools import permutations
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.stats import kendalltau

from benchmarks.timing import in_words
from rankcut import Consensus, GraphCutFeatures, make_mallows, make_plackett_luce
from rankcut.consensus.kemeny import kemeny_order
from rankcut.consensus.pairs import compare_pairs
from rankcut.datasets import load_sushi
from rankcut.rankings import read_rankings
from rankcut.sample import Sample

CONSOLE = Console(width=120)


def processor_seconds(work: Callable[[], object]) -> float:
    """Processor time of one run."""
    start = time.process_time()
    work()
    return time.process_time() - start


def best_and_median(work: Callable[[], object]) -> tuple[str, str]:
    """Processor time of nine runs, after one that may compile."""
    work()
    seconds = sorted(processor_seconds(work) for _ in range(9))
    return in_words(seconds[0]), in_words(seconds[4])


def show(title: str, columns: list[str], rows: list[list[str]]) -> None:
    table = Table(title=title, title_justify="left")
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i == 0 else "right")
    for row in rows:
        table.add_row(*row)
    CONSOLE.print(table)


def speed(quick: bool) -> None:
    """Borda with a bootstrap, and memory that does not grow with it."""
    rows = []
    for n_rankings, n_items in [(1_000, 10), (10_000, 20), (100_000, 20)]:
        ranks = make_mallows(n_rankings, n_items, phi=0.97, random_state=0).ranks
        Consensus().fit(ranks[:50])
        for method in ("borda", "copeland", "kemeny"):
            seconds = processor_seconds(partial(Consensus(method).fit, ranks))
            rows.append([f"{n_rankings:,} × {n_items}", method, in_words(seconds)])
    show("1,000 bootstrap samples", ["rankings", "method", "time"], rows)

    ranks = make_mallows(200, 10, phi=0.9, random_state=0).ranks
    pairs = [(a, b) for a in ranks for b in ranks[:50]]
    ours = processor_seconds(partial(Consensus(n_bootstraps=0).fit, ranks))
    theirs = processor_seconds(lambda: [kendalltau(a, b).statistic for a, b in pairs])
    theirs *= 200 * 199 / 2 / len(pairs)
    show(
        "Mean τ of 200 people",
        ["how", "time"],
        [["rankcut, the whole consensus", in_words(ours)], ["scipy, each pair", in_words(theirs)]],
    )

    rows = []
    big = make_plackett_luce(100_000 if quick else 1_000_000, 10, random_state=0).ranks
    for n_bootstraps in (0, 100, 1000):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seconds = processor_seconds(partial(Consensus(n_bootstraps=n_bootstraps).fit, big))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        rows.append(
            [
                f"{n_bootstraps:,}",
                in_words(seconds),
                f"{peak >> 10:,} MB",
                f"{(peak - before) >> 10:,} MB",
            ]
        )
    show(
        f"{len(big):,} × 10: memory",
        ["bootstrap samples", "time", "peak of the process", "above the start"],
        rows,
    )


def margins_of(ranks: np.ndarray) -> np.ndarray:
    return np.sign(ranks[:, None, :] - ranks[:, :, None]).sum(axis=0)


def instances(each: int, n_items: int = 40) -> Iterator[tuple[str, np.ndarray]]:
    for n_votes in (11, 51):
        for phi in (0.9, 0.97, 1.0):
            for seed in range(each):
                votes = make_mallows(n_votes, n_items, phi=phi, random_state=seed).ranks
                yield f"{n_votes} votes, φ = {phi}", votes


def kemeny(quick: bool, sushi: Path | None) -> None:
    """Exact orders, and whether they are proven."""
    kemeny_order(margins_of(make_mallows(3, 15, phi=1, random_state=0).ranks))
    found: dict[str, list[tuple[float, bool]]] = {}
    for name, votes in instances(3 if quick else 17):
        margins = margins_of(votes)
        start = time.process_time()
        order = kemeny_order(margins, step=2.0)
        found.setdefault(name, []).append((time.process_time() - start, order.optimal))
    everything = [each for several in found.values() for each in several]
    rows = [
        [
            name,
            str(len(several)),
            str(sum(proven for _, proven in several)),
            in_words(sum(seconds for seconds, _ in several)),
            in_words(max(seconds for seconds, _ in several)),
        ]
        for name, several in [*found.items(), ("all", everything)]
    ]
    show("Exact Kemeny, 40 items", ["instances", "number", "proven", "time", "longest"], rows)

    rows = []
    sizes = [8, 12, 20, 40] if quick else [8, 12, 20, 40, 60]
    for n_items in sizes:
        votes = make_mallows(11, n_items, phi=0.97, random_state=0).ranks
        start = time.process_time()
        ours = kemeny_order(margins_of(votes), step=2.0)
        row = [str(n_items), in_words(time.process_time() - start)]
        best = turned_pairs(votes, ours.order)
        for other in (by_corankco, by_pref_voting):
            row.append(other(votes, best))
        rows.append(row)
    show("Beside others, 11 votes, φ = 0.97", ["items", "rankcut", "corankco", "pref_voting"], rows)

    if sushi is not None:
        ranks = load_sushi("a", data_home=sushi).ranks
        rows = []
        for samples in (0, 1000):
            fit = partial(Consensus("kemeny", n_bootstraps=samples).fit, ranks)
            rows.append([f"Consensus, {samples:,} bootstrap samples", *best_and_median(fit)])

        def order_alone() -> None:
            people = Sample.of(read_rankings(ranks))
            kemeny_order(compare_pairs(people).margins(), step=2 / people.n_people)

        rows.append(["margins and the proven order", *best_and_median(order_alone)])
        rows.append(["choix, maximum likelihood (another method)", *by_choix(ranks)])
        show(
            f"Sushi a, {len(ranks):,} × {ranks.shape[1]}, Kemeny, nine runs",
            ["what", "best", "median"],
            rows,
        )


def turned_pairs(votes: np.ndarray, order: np.ndarray) -> int:
    """Kemeny's score as others count it: pairs that votes have the other way round."""
    margins = margins_of(votes)[np.ix_(order, order)]
    pairs = len(order) * (len(order) - 1) // 2
    return int((pairs * len(votes) - np.triu(margins, 1).sum()) / 2)


def by_corankco(votes: np.ndarray, best: int) -> str:
    """The exact algorithm of corankco, by open-source solvers."""
    if find_spec("corankco") is None:
        return "not installed"
    from corankco.algorithms.exact.exactalgorithmpulp import ExactAlgorithmPulp
    from corankco.dataset import Dataset
    from corankco.ranking import Ranking
    from corankco.scoringscheme import ScoringScheme

    if votes.shape[1] > 40:
        return "left out"
    rankings = [Ranking([{int(i)} for i in np.argsort(row)]) for row in votes]
    scheme = ScoringScheme.get_unifying_scoring_scheme_p(1.0)
    start = time.perf_counter()
    answer = ExactAlgorithmPulp().compute_consensus_rankings(Dataset(rankings), scheme, True)
    seconds = time.perf_counter() - start
    order = [
        int(element.value) for bucket in answer.consensus_rankings[0].buckets for element in bucket
    ]
    return in_words(seconds) + verdict(turned_pairs(votes, np.array(order)), best)


def by_pref_voting(votes: np.ndarray, best: int) -> str:
    """pref_voting's Kemeny-Young, by all orders: for few items."""
    if find_spec("pref_voting") is None:
        return "not installed"
    if votes.shape[1] > 8:
        return "left out"
    from pref_voting.other_methods import kemeny_young_rankings
    from pref_voting.profiles import Profile

    profile = Profile([np.argsort(row).tolist() for row in votes])
    start = time.perf_counter()
    orders, _ = kemeny_young_rankings(profile)
    seconds = time.perf_counter() - start
    return in_words(seconds) + verdict(turned_pairs(votes, np.array(orders[0])), best)


def by_choix(ranks: np.ndarray) -> tuple[str, str]:
    if find_spec("choix") is None:
        return "not installed", ""
    import choix

    rankings = [tuple(row) for row in np.argsort(ranks, axis=1).tolist()]
    return best_and_median(lambda: choix.ilsr_rankings(ranks.shape[1], rankings))


def verdict(score: int, best: int) -> str:
    return ", same score" if score == best else f", score {score} instead of {best}"


def widths(quick: bool) -> None:
    """How many places an interval leaves by each method, from a vague order to a clear one."""
    times = 10 if quick else 50
    rows = []
    for n_people, phi in ((60, 0.8), (60, 0.5), (500, 0.8), (500, 0.5)):
        row = [str(n_people), str(phi)]
        for method in ("borda", "copeland", "kemeny"):
            found = []
            for seed in range(times):
                ranks = make_mallows(n_people, 6, phi=phi, random_state=seed).ranks
                low, high = Consensus(method).fit(ranks).rank_intervals_.T
                found.append(float((high - low + 1).mean()))
            row.append(f"{np.mean(found):.1f}")
        rows.append(row)
    show(
        f"Places left to each of 6 items, mean of {times} samples of Mallows",
        ["people", "φ", "borda", "copeland", "kemeny"],
        rows,
    )


def pooled(quick: bool) -> None:
    """How often the order of a mean of pooled features is the ranking most like the mean."""
    rows = []
    rng = np.random.default_rng(0)
    for n_items in (4, 5, 6):
        orders = np.array(list(permutations(range(n_items))))
        every = np.argsort(orders, axis=1) + 1.0
        best, loss, times = 0, 0.0, 50 if quick else 1000
        for _ in range(times):
            weights = np.triu(rng.exponential(size=(n_items, n_items)), 1)
            features = GraphCutFeatures(weights + weights.T).fit(every)
            vectors = features.transform(every)
            mean = features.transform(every[rng.integers(len(every), size=11)]).mean(axis=0)
            likeness = vectors @ mean
            own = likeness[
                np.flatnonzero((every == np.argsort(np.argsort(-mean)) + 1).all(axis=1))[0]
            ]
            best += own >= likeness.max() - 1e-9 * abs(likeness.max())
            loss += 1 - own / likeness.max()
        rows.append([str(n_items), f"{best / times:.1%}", f"{loss / times:.2%}"])
    show(
        f"Pooled features, {times:,} random graphs, means of 11 rankings",
        ["items", "the order of the mean is the most similar", "similarity lost, on average"],
        rows,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer and smaller runs")
    parser.add_argument("--sushi", type=Path, help="folder with the sushi files")
    parser.add_argument("--only", default="speed,kemeny,widths,pooled", help="parts to run")
    options = parser.parse_args()
    parts = {
        "speed": partial(speed, options.quick),
        "kemeny": partial(kemeny, options.quick, options.sushi),
        "widths": partial(widths, options.quick),
        "pooled": partial(pooled, options.quick),
    }
    for name in options.only.split(","):
        parts[name]()


if __name__ == "__main__":
    main()
