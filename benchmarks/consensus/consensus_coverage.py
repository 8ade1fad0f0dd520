"""How often all true places lie in their intervals at once, and how wide the intervals are.

Run with: python -m benchmarks.consensus.consensus_coverage [--samples 2000] [--seed 1]
    [--keep FILE.json] [--seconds S]

"No preference": all orders are equally likely, so intervals must leave every place to every item.
"One order": Mallows' model. "Two blocs": three fifths around an order and two fifths around its
reverse. Lists are full, have ties, name the first 4 of 6 items (7 of 12), or rank as many items at
random. The naive interval has the central 95 % of an item's own place in bootstrap samples of
Borda's method. "Graph" weighs pairs of items at random. There are fewer samples for the naive
interval (200), Copeland's method (400) and Kemeny's (100), which take longer and are not close to
95 %. ``--keep`` goes on with what is in the file, for --seconds of processor time.
"""

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from scipy.stats import binom

from rankcut import make_mallows, to_ranking
from rankcut.consensus.methods import (
    Outcome,
    Resampling,
    borda_vectors,
    by_majorities,
    by_vectors,
    graph_vectors,
)
from rankcut.consensus.pairs import compare_pairs
from rankcut.graphs import as_item_graph
from rankcut.rankings import read_rankings
from rankcut.sample import Sample, Vectors

POPULATIONS = (("no preference", 6), ("no preference", 12), ("one order", 6), ("two blocs", 6))
UNRANKED = {"full": "error", "ties": "error", "top-k": "last", "incomplete": "anywhere"}
SIZES = (10, 20, 40, 60, 100, 200)
METHODS = ("borda", "graph", "copeland", "kemeny")
MAJORITY_METHODS = ("copeland", "kemeny")
MAJORITY_SIZES = (20, 60, 200)
LOT = 50
FEWER = {"naive": 200, "copeland": 400, "kemeny": 100}
EVERYONE = 5000
NO_SAMPLES = Resampling(n_bootstraps=0)


@dataclass(frozen=True)
class Cell:
    """People of a population who are asked for a kind of list, and a method."""

    population: str
    n_items: int
    lists: str
    n_people: int
    method: str

    @property
    def name(self) -> str:
        """What it is kept under."""
        return f"{self.population}, {self.n_items}, {self.lists}, {self.n_people}, {self.method}"

    def count(self, seed: int, lot: int) -> dict[str, list[float]]:
        """Samples, how many of them are covered, and the sum of widths, by kind of interval."""
        rng = np.random.default_rng([seed, lot, *self.name.encode()])
        best, worst = truth(self.population, self.n_items, self.lists, self.method)
        counted = {self.method: np.zeros(3)}
        if self.method == "borda" and lot * LOT < FEWER["naive"]:
            counted["naive"] = np.zeros(3)
        for sample in range(LOT):
            ranks = self.ask(rng)
            found = consensus(ranks, self.lists, self.method, Resampling(0.95, 300, sample))
            for kind, total in counted.items():
                naive = kind == "naive"
                low, high = naive_places(ranks, self.lists, rng) if naive else found.intervals.T
                held = bool(((low <= best) & (worst <= high)).all())
                total += 1, held, float((high - low + 1).mean())
        return {kind: total.tolist() for kind, total in counted.items()}

    def ask(self, rng: np.random.Generator) -> np.ndarray:
        """Rankings of the people of one sample."""
        if self.population == "no preference":
            return draw(self.n_people, self.n_items, 1.0, self.lists, int(rng.integers(1 << 31)))
        all_of_them = everyone(self.population, self.n_items, self.lists)
        return all_of_them[rng.integers(len(all_of_them), size=self.n_people)]


def cells() -> Iterator[Cell]:
    for population, n_items in POPULATIONS:
        for lists in UNRANKED:
            for n_people in SIZES:
                for method in METHODS:
                    by_majority = method in MAJORITY_METHODS
                    # Without preferences they leave every place, and take long to say so.
                    wanted = population != "no preference" and n_people in MAJORITY_SIZES
                    if wanted or not by_majority:
                        yield Cell(population, n_items, lists, n_people, method)


def draw(n_people: int, n_items: int, phi: float, lists: str, seed: int) -> np.ndarray:
    return make_mallows(
        n_people, n_items, phi=phi, kind=lists, k=n_items // 2 + 1, random_state=seed
    ).ranks


@cache
def everyone(population: str, n_items: int, lists: str) -> np.ndarray:
    """All people of a population, from whom samples are drawn."""
    if population == "one order":
        return draw(EVERYONE, n_items, 0.85, lists, 1)
    minority = EVERYONE * 2 // 5
    return np.concatenate(
        [
            draw(EVERYONE - minority, n_items, 0.85, lists, 1),
            draw(minority, n_items, 0.95, lists, 2)[:, ::-1],
        ]
    )


@cache
def truth(population: str, n_items: int, lists: str, method: str) -> tuple[np.ndarray, np.ndarray]:
    """The best and the worst true place of each item: several only where items are tied."""
    if population == "no preference":
        return np.ones(n_items), np.full(n_items, n_items)
    ranking = consensus(everyone(population, n_items, lists), lists, method, NO_SAMPLES).ranking
    better = (ranking[:, None] > ranking).sum(axis=1)
    worse = (ranking[:, None] < ranking).sum(axis=1)
    return 1 + better, n_items - worse


def consensus(ranks: np.ndarray, lists: str, method: str, resampling: Resampling) -> Outcome:
    people = Sample.of(read_rankings(ranks, unranked=UNRANKED[lists]))
    if method in MAJORITY_METHODS:
        return by_majorities(people, compare_pairs(people), method, resampling)
    vectors = borda_vectors if method == "borda" else random_graph_vectors(ranks.shape[1])
    return by_vectors(people, vectors, resampling)


@cache
def random_graph_vectors(n_items: int) -> Vectors:
    weights = np.triu(np.random.default_rng(n_items).exponential(size=(n_items, n_items)), 1)
    return graph_vectors(as_item_graph(weights + weights.T))


def naive_places(
    ranks: np.ndarray, lists: str, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The central 95 % of each item's own place in bootstrap samples: what people often report."""
    block = Sample.of(read_rankings(ranks, unranked=UNRANKED[lists])).blocks(ranks.shape[1])
    vectors = np.concatenate([np.repeat(borda_vectors(b.groups), b.counts, axis=0) for b in block])
    times = rng.multinomial(len(vectors), np.full(len(vectors), 1 / len(vectors)), size=300)
    places = to_ranking(times @ vectors)
    return np.quantile(places, 0.025, axis=0), np.quantile(places, 0.975, axis=0)


def simulate(
    samples: int, seed: int, keep: Path | None, seconds: float
) -> dict[str, dict[str, list[float]]]:
    """What :meth:`Cell.count` adds up to, for each cell."""
    known: dict[str, dict[str, list[float]]] = {}
    if keep is not None and keep.exists():
        known = json.loads(keep.read_text(encoding="utf-8"))
    start = time.process_time()
    for lot in range(-(-samples // LOT)):
        for cell in cells():
            done = known.setdefault(cell.name, {})
            n_done = done[cell.method][0] if done else 0
            if n_done > lot * LOT or lot * LOT >= FEWER.get(cell.method, samples):
                continue
            if time.process_time() - start > seconds:
                return known
            for kind, added in cell.count(seed, lot).items():
                old = done.get(kind, [0, 0, 0])
                done[kind] = [one + more for one, more in zip(old, added, strict=True)]
            if keep is not None:
                keep.write_text(json.dumps(known), encoding="utf-8")
    return known


def show(known: dict[str, dict[str, list[float]]]) -> None:
    kinds = ("borda", "naive", *METHODS[1:])
    print("Covered, %, and the mean number of places that an interval leaves")
    print()
    title = f"{'people':25}{'lists':10}  {'number':>6}"
    print(title + "".join(f"  {kind:>11}" for kind in kinds))
    for population, n_items in POPULATIONS:
        for lists in UNRANKED:
            for n_people in SIZES:
                found: dict[str, list[float]] = {}
                for method in METHODS:
                    cell = Cell(population, n_items, lists, n_people, method)
                    found |= known.get(cell.name, {})
                where = f"{population}, {n_items} items"
                line = f"{where:25}{lists:10}  {n_people:6}"
                line += "".join(f"  {shown(*found.get(kind, (0, 0, 0))):>11}" for kind in kinds)
                print(line.rstrip())
    print()
    for method in METHODS:
        counted = [done[method][:2] for done in known.values() if method in done]
        if not counted:
            continue
        samples, held = np.array(counted).T
        chances = binom.cdf(held, samples, 0.95)
        least = int(np.argmin(held / samples))
        share = held[least] / samples[least]
        half = 1.96 * np.sqrt(share * (1 - share) / samples[least])
        each, together = (chances < 0.05).sum(), (chances < 0.05 / len(chances)).sum()
        print(
            f"{method}: {len(held)} cells of {samples.min():,.0f} samples or more, mean "
            f"{held.sum() / samples.sum():.1%}, least {share:.1%} ± {half:.1%}; below 95 % at the "
            f"5 % level: {each} each by itself, {together} all taken together"
        )


def shown(samples: float, held: float, width: float) -> str:
    return f"{100 * held / samples:.1f} {width / samples:5.2f}" if samples else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    show(simulate(options.samples, options.seed, options.keep, options.seconds))


if __name__ == "__main__":
    main()
