"""Statements of the paper that need no experiment: definitions, printed tables, counts, costs."""

import math
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, f1_score

from rankcut import Completions, SimilarityGraph, graph_cut_features
from rankcut.datasets.made_up import DISHES, TASTES
from rankcut.kernels import KendallFeatures, KendallKernel, MallowsKernel
from rankcut.theory import ordered_partitions
from reproduction.claims import Outcome, Verdict, Way, holds_if
from reproduction.literal import coherent_partitions, pool_literally
from reproduction.methods import Floats, drawn_means

NEEDS_DATA = False

# Table 4: scores, and Table 5: places, 7 the most preferred; of type one, then of type two.
SCORES = np.array(
    [
        [0.93, 0.72, 1.06, 0.21, 0.42, 0.36, 0.58, 0.6],
        [0.38, 0.08, 0.79, 0.93, 1.05, 1.18, 0.85, 0.79],
    ]
)
PLACES = np.array([[6, 5, 7, 0, 2, 1, 3, 4], [1, 0, 2, 5, 6, 7, 4, 3]])

# Importance of the most, second and least preferred aspect: as printed, and before rounding.
WEIGHTS, EXACT_WEIGHTS = (1.0, 0.17, 0.09), next(iter(TASTES.values()))

# Equal up to rounding; and draws are enough that leave less than this of squared error.
_ROUNDING, _ENOUGH = 1e-9, 0.05


def f1_is_accuracy(found: Any, way: Way) -> Verdict:
    truth, everyone = np.repeat([0, 1], 100), np.ones(200, dtype=int)
    f1, accuracy = f1_score(truth, everyone), accuracy_score(truth, everyone)
    because = f"One class for everyone has F1 {f1:.2f} and accuracy {accuracy:.2f}."
    return holds_if(bool(f1 == accuracy), because)


def _scores(weights: tuple[float, ...]) -> Floats:
    return np.array([weights, weights[::-1]]) @ np.array(list(DISHES.values())).T


def scores_follow_from_features(found: Any, way: Way) -> Verdict:
    off, exact = (np.abs(_scores(w) - SCORES).max() for w in (WEIGHTS, EXACT_WEIGHTS))
    # Rounded weights and rounded scores: within a unit of the last place.
    return holds_if(
        bool(off < 0.01),
        f"They differ by at most {off:.3f}; with 1, 1/6 and 1/11, which round to the printed "
        f"weights, by {exact:.3f}.",
    )


def places_follow_from_scores(found: Any, way: Way) -> Verdict:
    below = (SCORES[:, None, :] < SCORES[:, :, None]).sum(axis=2)
    equal = (SCORES[:, None, :] == SCORES[:, :, None]).sum(axis=2)
    possible = (below <= PLACES) & (below + equal > PLACES)
    computed = np.argsort(np.argsort(_scores(WEIGHTS), axis=1), axis=1)
    wrong = [list(DISHES)[dish] for user, dish in np.argwhere(computed != PLACES)]
    outcome = Outcome.FAILS if not possible.all() else Outcome.IN_PART if wrong else Outcome.HOLDS
    return Verdict(
        outcome,
        f"By the printed scores, in which some are equal, {int(possible.sum())} of 16 places are "
        f"possible. Scores that are not rounded place {' and '.join(wrong) or 'none'} otherwise.",
    )


def partial_rankings_are_counted(found: Any, way: Way) -> Verdict:
    # a(n) = Σ_k C(n, k)·a(n − k): the first group has k items.
    counts = [1]
    for n in range(1, 13):
        counts.append(sum(math.comb(n, k) * counts[n - k] for k in range(1, n + 1)))
    about = [0.5 * (1 / math.log(2)) ** (n + 1) * math.factorial(n) for n in range(13)]
    return holds_if(
        abs(about[12] / counts[12] - 1) < 0.01,
        f"Counted, {counts[12]:,} for 12 items; the formula is {about[12] / counts[12]:.6f} of it, "
        f"and {about[3] / counts[3]:.4f} already for 3 items.",
    )


def coherent_partitions_are_counted(found: Any, way: Way) -> Verdict:
    gaps, every = [], []
    for n, ranked in ((3, 2), (4, 2), (5, 3), (5, 2), (6, 3)):
        row = np.where(np.arange(n) < ranked, np.arange(1.0, n + 1), np.nan)
        agree = 0
        for groups in ordered_partitions(n):
            place = {item: rank for rank, group in enumerate(groups) for item in group}
            agree += all(place[item] < place[item + 1] for item in range(ranked - 1))
        stated = (ranked + 1) ** (n - ranked)
        gaps.append(len(list(coherent_partitions(row))) == stated)
        every.append(agree == stated)
    return Verdict(
        Outcome.HOLDS if all(every) else Outcome.IN_PART if all(gaps) else Outcome.FAILS,
        f"It counts those in which unranked items fall into the gaps, items of one gap tied: "
        f"{stated} for {ranked} of {n} items. {agree} agree with the ranking.",
    )


def kendall_is_linear(found: Any, way: Way) -> Verdict:
    rng = np.random.default_rng(0)
    ranks = rng.permuted(np.tile(np.arange(1.0, 8.0), (100, 1)), axis=1)
    products = KendallFeatures().fit_transform(ranks) @ KendallFeatures().fit_transform(ranks).T
    # Features are scaled so that their inner products are τ; 21 pairs of items have signs ±1.
    worst = max(
        float(np.abs(products - KendallKernel()(ranks)).max()),
        float(np.abs(np.exp(-0.3 * 21 * (1 - products) / 2) - MallowsKernel(0.3)(ranks)).max()),
    )
    return holds_if(
        worst < _ROUNDING, f"In the signs of all pairs of items; largest difference {worst:.0e}."
    )


def only_the_graph_cut_kernel_uses_a_gpu(found: Any, way: Way) -> Verdict:
    linear = kendall_is_linear(found, way).outcome is Outcome.HOLDS
    return Verdict(
        Outcome.IN_PART if linear else Outcome.HOLDS,
        "It can: its Gram matrix is one product of matrices. So is Kendall's, of signs of pairs, "
        "and Mallows' is a function of that. The authors' program has both in GPflow.",
    )


def draws_are_enough(found: Any, way: Way) -> Verdict:
    rng = np.random.default_rng(0)
    graph = SimilarityGraph(rng.random((100, 5)), keep=0.1).build()
    ranks = np.full((20, 100), np.nan)
    for row in ranks:
        row[rng.permutation(100)[:10]] = np.arange(1.0, 11.0)
    exactly = Completions("sampled", n_draws=5_000, random_state=1)
    truth = graph_cut_features(ranks, graph, unranked="anywhere", completions=exactly)

    def error(n_draws: int, mirrored: bool) -> float:
        wrong = drawn_means(ranks, graph, n_draws, 2, mirrored=mirrored) - truth
        return float(((wrong**2).sum(axis=1) / (truth**2).sum(axis=1)).mean())

    independent = error(600, False)
    pairs = {n: error(n, True) for n in (2, 4, 6, 8)}
    few = next((n for n, left in pairs.items() if left <= independent), 600)
    return holds_if(
        independent < _ENOUGH,
        f"600 independent draws leave {100 * independent:.1f} % of squared error. In mirrored "
        "pairs, "
        + ", ".join(f"{n} leave {100 * left:.1f} %" for n, left in pairs.items())
        + f": {few} do as well.",
    )


def operations_are_bounded(found: Any, way: Way) -> Verdict:
    rng, calls = np.random.default_rng(0), {}
    for size in (10, 100, 1000):
        asked = 0

        def cut(inside: Any, size: int = size) -> float:
            nonlocal asked
            asked += 1
            return float(len(inside) * (size - len(inside)) * (1 + len(inside) % 3))

        pool_literally([[int(item)] for item in rng.permutation(size)], cut)
        calls[size] = asked
    most = max(asked / size for size, asked in calls.items())
    return holds_if(
        all(asked <= size * size for size, asked in calls.items()),
        f"The oracle is asked at most {most:.1f} times for each of up to 1,000 groups: the bound "
        "has a factor n to spare. Products of vectors are m²·n, each draw is one ranking more, and "
        "a vector has n numbers.",
    )
