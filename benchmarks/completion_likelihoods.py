"""Normal scores of places, or the exact likelihood of the order? Completion by either.

Run with: python benchmarks/completion_likelihoods.py [--data FOLDER] [--seed 0]

RankingCompleter uses the order of short lists without ties. Here it is compared with itself with
normal scores only, fitted to the same lists and judged on the same people with places hidden: the
share of pairs with a hidden item in the right order, and the log-loss of pair probabilities.
Differences, exact order less scores, are paired, ± two standard errors over people.
"""

import argparse
import time
from unittest.mock import patch

import completion
import numpy as np

from rankcut import NeighborGraph, RankingCompleter
from rankcut.completion import recipe

SETS = ("sushi-b", "sushi-a", "starwars", "eurovision")
SIZES = (100, 300, 1000)


def judge(
    task: completion.Task, size: int, seed: int, *, exact: bool
) -> tuple[np.ndarray, np.ndarray, float]:
    """Pairs right and log-loss of each person, and the processor time of fitting."""
    people, others = completion.split(task, seed)
    truth = task.ranks[people]
    hidden = completion.hide(task, truth, seed)
    shown = np.where(hidden, np.nan, truth)
    judged = completion.judged_pairs(task, truth, hidden, seed)
    graph = None
    if task.features is not None:
        graph = NeighborGraph(task.features, n_neighbors=min(10, len(task.features) // 3))
    start = time.process_time()
    # No share of lists is above 1.
    with patch.object(recipe, "_ORDERED", recipe._ORDERED if exact else 2.0):
        completer = RankingCompleter(graph, unranked="anywhere").fit(task.ranks[others[:size]])
    seconds = time.process_time() - start
    chances = completion.said_chances(completer, shown, judged)
    right = (chances > 0.5) + 0.5 * (chances == 0.5)
    losses = -np.log(np.clip(chances, 1e-6, 1.0))
    n = len(people)
    return (
        completion.by_person(judged, right, n),
        completion.by_person(judged, losses, n),
        seconds,
    )


def compare(task: completion.Task, size: int, seed: int) -> str:
    """A row of the table."""
    scores, order = (judge(task, size, seed, exact=exact) for exact in (False, True))
    return (
        f"| {task.name} | {size:,} | {np.nanmean(scores[0]):.4f} | {said(order[0] - scores[0])} "
        f"| {np.nanmean(scores[1]):.4f} | {said(order[1] - scores[1])} "
        f"| {scores[2]:.1f} | {order[2]:.1f} |"
    )


def said(differences: np.ndarray) -> str:
    """A mean difference and two standard errors."""
    known = differences[~np.isnan(differences)]
    return f"{known.mean():+.4f} ± {2 * known.std(ddof=1) / np.sqrt(len(known)):.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", help="folder of the data sets (default: RANKCUT_DATA)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the split of people")
    options = parser.parse_args()
    print(
        "| set | lists | pairs right by scores | gain of order | log-loss by scores "
        "| change by order | s, scores | s, order |\n|---|---|---|---|---|---|---|---|"
    )
    every = completion.tasks(options.data)
    for name in SETS:
        task = every[name]()
        for size in SIZES:
            if size < len(completion.split(task, options.seed)[1]):
                print(compare(task, size, options.seed), flush=True)


if __name__ == "__main__":
    main()
