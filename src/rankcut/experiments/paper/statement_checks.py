"""What the statements that need no experiment are about: scores, printed tables, counts, draws."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, f1_score

from rankcut.datasets.food import DISHES, TASTES
from rankcut.experiments.paper.part import Record, Task
from rankcut.features.graph_cut import graph_cut_features
from rankcut.graphs.recipes import SimilarityGraph
from rankcut.kernels import kendall_features, kendall_kernel, mallows_kernel

# Tables 4 and 5 of the paper, in the order of the dishes there.
PRINTED_SCORES = {
    "type one": (0.93, 0.72, 1.06, 0.21, 0.42, 0.36, 0.58, 0.6),
    "type two": (0.38, 0.08, 0.79, 0.93, 1.05, 1.18, 0.85, 0.79),
}
PRINTED_PLACES = {"type one": (6, 5, 7, 0, 2, 1, 3, 4), "type two": (1, 0, 2, 5, 6, 7, 4, 3)}

# Importance of the most, second and least preferred aspect, as the text prints it.
PRINTED_WEIGHTS = (1.0, 0.17, 0.09)


def _check_f1(task: Task) -> Iterator[Record]:
    # Balanced labels, and for each share of positive predictions the expected table of outcomes.
    truth = np.repeat([0, 1], 100)
    for share in range(5, 101, 5):
        predicted = np.tile(np.arange(100) < share, 2).astype(int)
        yield {
            "what": "f1",
            "predicted positive": share / 100,
            "accuracy": float(accuracy_score(truth, predicted)),
            "F1": float(f1_score(truth, predicted)),
            "macro F1": float(f1_score(truth, predicted, average="macro")),
        }


def _computed_scores(importances: Sequence[float]) -> dict[str, NDArray[np.float64]]:
    features = np.array(list(DISHES.values()))
    return {
        "type one": features @ np.array(importances),
        "type two": features @ np.array(importances[::-1]),
    }


def _check_tables(task: Task) -> Iterator[Record]:
    computed = _computed_scores(PRINTED_WEIGHTS)
    exact = _computed_scores(next(iter(TASTES.values())))
    for user in PRINTED_SCORES:
        places = np.argsort(np.argsort(computed[user]))
        others = np.argsort(np.argsort(exact[user]))
        for dish, name in enumerate(DISHES):
            yield {
                "what": "places",
                "user": user,
                "dish": name,
                "printed score": PRINTED_SCORES[user][dish],
                "computed score": float(computed[user][dish]),
                "score with 1, 1/6, 1/11": float(exact[user][dish]),
                "printed place": PRINTED_PLACES[user][dish],
                "computed place": int(places[dish]),
                "place with 1, 1/6, 1/11": int(others[dish]),
            }


def _check_count(task: Task) -> Iterator[Record]:
    # a(n) = Σ_k C(n, k)·a(n − k): the first group has k items.
    counts = [1]
    for n in range(1, 13):
        counts.append(sum(math.comb(n, k) * counts[n - k] for k in range(1, n + 1)))
        about = 0.5 * (1 / math.log(2)) ** (n + 1) * math.factorial(n)
        yield {"what": "count", "n": n, "partial rankings": counts[n], "ratio": about / counts[n]}


def _check_linear(task: Task) -> Iterator[Record]:
    rng = np.random.default_rng(0)
    ranks = np.stack([rng.permutation(7) + 1.0 for _ in range(100)])
    signs, lam = kendall_features(ranks), 0.3
    # Features are scaled so that their inner products are τ; n(n − 1)/2 pairs have signs ±1.
    distances = ((signs[:, None] - signs) ** 2).sum(axis=2) * 21
    yield {
        "what": "linear",
        "pairs": len(ranks) ** 2,
        "Kendall, difference": float(np.abs(signs @ signs.T - kendall_kernel(ranks)).max()),
        "Mallows, difference": float(
            np.abs(np.exp(-lam * distances / 4) - mallows_kernel(ranks, lam=lam)).max()
        ),
    }


def _check_draws(task: Task) -> Iterator[Record]:
    rng = np.random.default_rng(0)
    graph = SimilarityGraph(rng.random((100, 5)), keep=0.1).build()
    ranks = np.full((task["rankings"], 100), np.nan)
    for row in ranks:
        row[rng.permutation(100)[:10]] = np.arange(1.0, 11.0)

    def features(sampler: Any, n_draws: int, seed: int) -> NDArray[np.float64]:
        return np.asarray(
            graph_cut_features(
                ranks,
                graph,
                unranked="anywhere",
                completions="sampled",
                sampler=sampler,
                n_draws=n_draws,
                random_state=seed,
            )
        )

    truth = features("controlled", 20_000, 1)
    for sampler in ("independent", "antithetic", "controlled"):
        for n_draws in (4, 16, 64, 256, 600):
            if sampler == "controlled" and n_draws < 16:
                continue
            wrong = ((features(sampler, n_draws, 2) - truth) ** 2).sum(axis=1)
            yield {
                "what": "draws",
                "sampler": sampler,
                "draws": n_draws,
                "relative squared error": float((wrong / (truth**2).sum(axis=1)).mean()),
            }


CHECKS: dict[str, Callable[[Task], Iterator[Record]]] = {
    "f1": _check_f1,
    "tables": _check_tables,
    "count": _check_count,
    "linear": _check_linear,
    "draws": _check_draws,
}
