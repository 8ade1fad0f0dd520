"""Do intervals of what sets blocs apart hold, and is membership as sure as it says?"""

import numpy as np
from blocs_data import N_ITEMS, POPULATIONS, UNRANKED, population
from scipy.optimize import linear_sum_assignment
from scipy.stats import binomtest, t

from rankcut import RankingBlocs
from rankcut._loops.centres import squared_distances
from rankcut.blocs.centres import Blocs, assign, by_means
from rankcut.blocs.descriptions import Differences, measure_differences
from rankcut.blocs.order_vectors import closed
from rankcut.consensus.means import borda_vectors
from rankcut.rankings import read_rankings

N_PEOPLE, N_OTHERS = 400, 20_000

CASES = (
    ("Mallows", "full"),
    ("Gaussian", "full"),
    ("2 blocs", "full"),
    ("3 blocs", "full"),
    ("3 blocs", "top 4"),
    ("3 blocs", "random 6 of 10"),
)


def sure(page, samples: int) -> None:
    """A table of coverage and certainty."""
    rows = []
    for name, kind in CASES:
        k = max(2, POPULATIONS[name])
        found = np.array([judge(name, kind, k, seed) for seed in range(samples)])
        held, circular, said, right = found.T
        span = binomtest(int(held.sum()), samples).proportion_ci()
        cells = [name, kind, str(k), f"{held.mean():.1%} ({span.low:.1%} to {span.high:.1%})"]
        cells += [f"{circular.mean():.1%}", f"{said.mean():.3f}"]
        rows.append([*cells, f"{right.mean():.3f}" if POPULATIONS[name] > 1 else ""])
    page.show(
        "Intervals and certainty",
        ["population", "rankings", "k", "intervals hold", "without a split", "certainty", "right"],
        rows,
        f"{samples} samples of {N_PEOPLE} people, k given. Intervals hold if all of them, for all "
        "items and blocs at once, contain the difference among 20,000 other people who are put "
        "into the same blocs; 95 % are promised. Without a split, the people who found the blocs "
        "measure them too. Certainty is the mean probability of the bloc a person is put in, "
        "right the share who are in the bloc they were planted in.",
    )


def judge(name: str, kind: str, k: int, seed: int) -> tuple[bool, bool, float, float]:
    """Whether intervals hold with and without a split; certainty, and who is in the right bloc."""
    ranks, bloc = population(name, kind, N_PEOPLE + N_OTHERS, 7000 + seed)
    unranked = UNRANKED[kind]
    model = RankingBlocs(k, unranked=unranked, n_bootstraps=0, n_init=3, random_state=seed)
    model.fit(ranks[:N_PEOPLE])
    groups = read_rankings(ranks, unranked="anywhere").groups()
    vectors = model._encoder.vectors(groups)
    places = (N_ITEMS + 1.0 - borda_vectors(closed(groups, unranked))) / 2
    asked, others = slice(N_PEOPLE), slice(N_PEOPLE, None)
    centres, searched = model.cluster_centers_, []

    def search(some: np.ndarray, weights: np.ndarray) -> Blocs:
        searched.append(by_means(some, weights, k, 3, seed))
        return searched[-1]

    ones = np.ones(N_PEOPLE, dtype=np.int64)
    split = measure_differences(
        vectors[asked], places[asked], ones, None, centres, search, 0.95, seed
    )
    held = contains(split, vectors[others], places[others], matched(searched[0].centres, centres))
    whole = of_all(places[asked], model.labels_, k)
    circular = contains(whole, vectors[others], places[others], centres)
    table = np.zeros((k, max(k, int(bloc.max()) + 1)))
    np.add.at(table, (model.labels_, bloc[asked]), 1)
    right = table[linear_sum_assignment(-table)].sum() / N_PEOPLE
    return held, circular, model.certainty_, right


def matched(found: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """The centres of a half in the order of those of all."""
    apart = np.empty((len(found), len(centres)))
    squared_distances(found, centres, apart)
    return found[linear_sum_assignment(apart.T)[1]]


def contains(
    said: Differences, vectors: np.ndarray, places: np.ndarray, centres: np.ndarray
) -> bool:
    """Whether all intervals contain what other people say."""
    labels, _ = assign(vectors, centres)
    true = np.array(
        [
            places[labels == bloc].mean(axis=0) - places[labels != bloc].mean(axis=0)
            for bloc in range(len(centres))
        ]
    )
    # What 20,000 people say is uncertain too, by about a seventh as much as for 400.
    return bool((np.abs(said.inside - said.outside - true) <= said.margin).all())


def of_all(places: np.ndarray, labels: np.ndarray, k: int) -> Differences:
    """The same differences from the people who found the blocs."""
    inside, outside, margin = np.empty((3, k, N_ITEMS))
    for bloc in range(k):
        own, other = places[labels == bloc], places[labels != bloc]
        inside[bloc], outside[bloc] = own.mean(axis=0), other.mean(axis=0)
        error = np.sqrt(own.var(axis=0, ddof=1) / len(own) + other.var(axis=0, ddof=1) / len(other))
        least = min(len(own), len(other))
        margin[bloc] = t.isf(0.05 / (2 * k * N_ITEMS), least - 1) * error
    return Differences(inside, outside, margin)
