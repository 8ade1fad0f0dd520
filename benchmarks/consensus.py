"""How long a consensus takes, and how often its intervals hold, in one run.

Run with: python benchmarks/consensus.py [--quick] [--sushi FOLDER] [--only speed,kemeny,...]

Parts: speed (Borda with a bootstrap, memory), kemeny (exact orders, beside others), coverage (the
intervals of all places at once, beside naive ones for each item), widths (of the intervals by each
method), few (the coverage for few people and other populations, by --seed) and pooled (how often
the order of a mean vector is the ranking most like it). Beside rankcut run, where they are
installed, corankco, pref_voting and choix, and SciPy's Kendall tau. Seconds are processor time.
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
from scipy.stats import binom, kendalltau
from timing import in_words

from rankcut import (
    Consensus,
    GraphCutFeatures,
    load_sushi,
    make_mallows,
    make_plackett_luce,
    to_ranking,
)
from rankcut._loops.partitions import NOWHERE
from rankcut.consensus import Resampling, by_vectors, compare_pairs, gather, kemeny_order
from rankcut.consensus.means import borda_vectors
from rankcut.consensus.methods import mean_scores
from rankcut.rankings import read_rankings

CONSOLE = Console(width=120)

KINDS = (("full", "error"), ("ties", "error"), ("top-k", "last"), ("incomplete", "anywhere"))


def processor_seconds(work: Callable[[], object]) -> float:
    """Processor time of one run."""
    start = time.process_time()
    work()
    return time.process_time() - start


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
        [["rankcut, with all else", in_words(ours)], ["scipy, each pair", in_words(theirs)]],
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
        ["bootstrap samples", "time", "peak of the process", "more than before"],
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
        Consensus("kemeny").fit(ranks)
        rows = []
        for samples in (0, 1000):
            seconds = processor_seconds(
                partial(Consensus("kemeny", n_bootstraps=samples).fit, ranks)
            )
            rows.append([f"Consensus, {samples:,} bootstrap samples", in_words(seconds)])

        def order_alone() -> None:
            people = gather(read_rankings(ranks))
            kemeny_order(compare_pairs(people).margins(), step=2 / people.n_people)

        rows.append(["margins and the proven order", in_words(processor_seconds(order_alone))])
        rows.append(["choix, maximum likelihood (another method)", by_choix(ranks)])
        show(f"Sushi a, {len(ranks):,} × {ranks.shape[1]}, Kemeny", ["what", "time"], rows)


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


def by_choix(ranks: np.ndarray) -> str:
    if find_spec("choix") is None:
        return "not installed"
    import choix

    rankings = [tuple(row) for row in np.argsort(ranks, axis=1).tolist()]
    return in_words(processor_seconds(lambda: choix.ilsr_rankings(ranks.shape[1], rankings)))


def verdict(score: int, best: int) -> str:
    return ", same score" if score == best else f", score {score} instead of {best}"


def coverage(quick: bool) -> None:
    """How often all true places lie in their intervals at once."""
    times = 200 if quick else 1000
    rows = []
    for method in ("borda", "copeland", "kemeny"):
        for kind, unranked in KINDS:
            for n_people, phi in ((15, 0.8), (60, 0.85), (400, 0.95)):
                rows.append(covered(method, kind, unranked, n_people, phi, times))
    # All items are alike: each place is possible, and naming any order is a mistake.
    for n_people in (10, 60):
        rows.append(covered("borda", "full", "error", n_people, 1.0, times))
    show(
        f"All places of 6 items at once, {times:,} samples of Mallows each; ± one standard error",
        [
            "method",
            "lists",
            "people",
            "φ",
            "covered",
            "± ",
            "width",
            "naive covered",
            "naive width",
        ],
        rows,
    )


def covered(
    method: str, kind: str, unranked: str, n_people: int, phi: float, times: int
) -> list[str]:
    n_items, truth = 6, np.arange(1, 7)
    held, width, naive_held, naive_width = 0, 0.0, 0, 0.0
    for seed in range(times):
        ranks = make_mallows(n_people, n_items, phi=phi, kind=kind, k=4, random_state=seed).ranks
        model = Consensus(method, unranked=unranked, n_bootstraps=199, random_state=seed).fit(ranks)
        low, high = model.rank_intervals_.T
        if phi == 1:
            # Any true order of equal items is right, so an interval must leave them all.
            held += bool((low == 1).all() and (high == n_items).all())
        else:
            held += bool(((low <= truth) & (truth <= high)).all())
        width += float((high - low + 1).mean())
        if method == "borda":
            low, high = naive_places(ranks, unranked)
            naive_held += bool(((low <= truth) & (truth <= high)).all())
            naive_width += float((high - low + 1).mean())
    share = held / times
    naive = (
        [f"{naive_held / times:.1%}", f"{naive_width / times:.2f}"]
        if method == "borda"
        else ["", ""]
    )
    error = np.sqrt(share * (1 - share) / times)
    return [
        method,
        kind,
        str(n_people),
        str(phi),
        f"{share:.1%}",
        f"{error:.1%}",
        f"{width / times:.2f}",
        *naive,
    ]


def naive_places(ranks: np.ndarray, unranked: str) -> tuple[np.ndarray, np.ndarray]:
    """The central 95 % of each item's own place in bootstrap samples: what people often report."""
    vectors = GraphCutFeatures(
        unranked="anywhere" if unranked == "anywhere" else unranked,
        completions="closed_form" if unranked == "anywhere" else "auto",
    ).fit_transform(ranks)
    rng = np.random.default_rng(0)
    times = rng.multinomial(len(vectors), np.full(len(vectors), 1 / len(vectors)), size=199)
    places = to_ranking(times @ vectors)
    return np.quantile(places, 0.025, axis=0), np.quantile(places, 0.975, axis=0)


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


def few(quick: bool, seed: int) -> None:
    """How often all places are covered with few people, at places that no rule was chosen on."""
    times = 100 if quick else 300
    sizes = (10, 20, 40, 60, 200)
    rows, all_held = [], []
    for phi in (1.0, None):
        for n_items in (4, 6, 10):
            weights = np.triu(np.random.default_rng(n_items).exponential(size=2 * [n_items]), 1)
            for kind, unranked in KINDS:
                for method, graph in (("borda", None), ("graph", weights + weights.T)):
                    population = Population(n_items, kind, unranked, phi, vectors_of(graph))
                    held = [population.count_held(size, times, seed) for size in sizes]
                    all_held += held
                    said = "all alike" if phi else "two blocs"
                    rows.append(
                        [said, str(n_items), kind, method, *(f"{n / times:.1%}" for n in held)]
                    )
    show(
        f"All places at once, {times:,} samples a cell, seed {seed}",
        ["people", "items", "lists", "method", *map(str, sizes)],
        rows,
    )
    chances = binom.cdf(all_held, times, 0.95)
    CONSOLE.print(
        f"{len(chances)} cells: mean {np.mean(all_held) / times:.1%}, least "
        f"{min(all_held) / times:.1%}; significantly below 95 %, all cells taken together: "
        f"{int((chances < 0.05 / len(chances)).sum())}; by itself: {int((chances < 0.05).sum())}"
    )


def vectors_of(graph: np.ndarray | None) -> Callable[[np.ndarray], np.ndarray]:
    """From groups to vectors before pooling."""
    if graph is None:
        return borda_vectors
    features = GraphCutFeatures(graph, unranked="anywhere", completions="closed_form")
    features.fit(np.arange(1.0, len(graph) + 1)[None])

    def vectors(groups: np.ndarray) -> np.ndarray:
        return features.transform(np.where(groups == NOWHERE, np.nan, groups))

    return vectors


class Population:
    """People who are asked: all orders alike, or two blocs of which the true places are known."""

    def __init__(
        self,
        n_items: int,
        kind: str,
        unranked: str,
        phi: float | None,
        vectors: Callable[[np.ndarray], np.ndarray],
    ) -> None:
        self.n_items, self.kind, self.unranked, self.vectors = n_items, kind, unranked, vectors
        self.everyone = None
        self.truth = None
        if phi is None:
            blocs = [self.draw(3000, 0.85, 1), self.draw(2000, 0.95, 2)[:, ::-1]]
            self.everyone = np.concatenate(blocs)
        elif kind == "top-k" and vectors is not borda_vectors:
            # Tied items share their mean vector, which a graph does not make equal for all items.
            self.everyone = self.draw(20_000, phi, 1)
        if self.everyone is not None:
            means = mean_scores(gather(read_rankings(self.everyone), unranked), vectors)
            self.truth = np.argsort(np.argsort(-means)) + 1

    def draw(self, n_people: int, phi: float, seed: int) -> np.ndarray:
        """People of one bloc."""
        k = self.n_items // 2 + 1
        return make_mallows(
            n_people, self.n_items, phi=phi, kind=self.kind, k=k, random_state=seed
        ).ranks

    def count_held(self, n_people: int, times: int, seed: int) -> int:
        """In how many samples of people all true places lie in their intervals."""
        cell = [n_people, self.n_items, *self.kind.encode()]
        rng = np.random.default_rng([seed, *cell])
        if self.everyone is None:
            asked = self.draw(n_people * times, 1.0, int(rng.integers(1 << 31)))
        else:
            asked = self.everyone[rng.integers(len(self.everyone), size=n_people * times)]
        held = 0
        for each, ranks in enumerate(np.split(asked, times)):
            people = gather(read_rankings(ranks), self.unranked)
            places = by_vectors(people, self.vectors, Resampling(0.95, 300, each)).intervals
            low, high = places.T
            if self.truth is None:
                # Any order of equal items is right, so an interval must leave them all.
                held += bool((low == 1).all() and (high == self.n_items).all())
            else:
                held += bool(((low <= self.truth) & (self.truth <= high)).all())
        return held


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
        ["items", "the order of the mean is most like it", "below the most, on average"],
        rows,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer and smaller runs")
    parser.add_argument("--sushi", type=Path, help="folder with the sushi files")
    parser.add_argument(
        "--only", default="speed,kemeny,coverage,widths,few,pooled", help="parts to run"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the samples of few people")
    options = parser.parse_args()
    parts = {
        "speed": partial(speed, options.quick),
        "kemeny": partial(kemeny, options.quick, options.sushi),
        "coverage": partial(coverage, options.quick),
        "widths": partial(widths, options.quick),
        "few": partial(few, options.quick, options.seed),
        "pooled": partial(pooled, options.quick),
    }
    for name in options.only.split(","):
        parts[name]()


if __name__ == "__main__":
    main()
