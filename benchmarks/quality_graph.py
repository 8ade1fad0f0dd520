"""When does an item graph help to learn from labels? Simulated lists, with and without a graph.

    python benchmarks/quality_graph.py [--page docs/results/labels-and-graph.md]

Items are points, and people list items near a point of their own; a person's class is a side of a
plane. Item features are the points with noise. Reported are AUC without a graph, and what each
graph adds: learned from the labelled lists, learned from eleven times as many lists, and of item
features.
"""

import argparse
from pathlib import Path

import numpy as np
from record import header, own_command
from scipy import sparse
from sklearn.metrics import roc_auc_score

from rankcut import AgreementGraph, CoListingGraph, NeighborGraph, RankingClassifier

N_TEST = 500
N_REPEATS = 4


def simulated(n_lists: int, points: np.ndarray, length: int, rng: np.random.Generator) -> tuple:
    """Lists of items near each person, nearest first with some noise, and classes."""
    own = rng.standard_normal((n_lists, points.shape[1]))
    chosen, places = [], []
    for person in own:
        utility = -((points - person) ** 2).sum(axis=1) / 2 + rng.gumbel(size=len(points))
        items = np.argsort(-utility)[:length]
        chosen.append(items)
        places.append(np.arange(1.0, length + 1))
    starts = np.arange(0, n_lists * length + 1, length)
    shape = (n_lists, len(points))
    lists = sparse.csr_array((np.concatenate(places), np.concatenate(chosen), starts), shape)
    lists.sort_indices()
    return lists, (own[:, 0] > 0).astype(int)


def row(n_items: int, length: int, n_labels: int, noise: float) -> list[str]:
    leads: dict[str, list[float]] = {}
    areas = []
    for repeat in range(N_REPEATS):
        rng = np.random.default_rng([n_items, length, n_labels, repeat])
        points = rng.standard_normal((n_items, 4))
        lists, classes = simulated(11 * n_labels + N_TEST, points, length, rng)
        known, others = slice(0, n_labels), slice(11 * n_labels, None)
        described = points + noise * rng.standard_normal(points.shape)
        graphs = {
            "agreement": AgreementGraph(),
            "co-listing": CoListingGraph(),
            "co-listing, all lists": CoListingGraph().build_from(lists[: 11 * n_labels]),
            "item features": NeighborGraph(described, n_neighbors=10),
        }

        def area(model: RankingClassifier, lists=lists, classes=classes, known=known, rest=others):
            model.fit(lists[known], classes[known])
            return roc_auc_score(classes[rest], model.decision_function(lists[rest]))

        areas.append(area(RankingClassifier(smoothing=0)))
        for name, graph in graphs.items():
            leads.setdefault(name, []).append(area(RankingClassifier(graph)) - areas[-1])
    cells = [
        f"{n_items:,}",
        f"{length}",
        f"{n_labels}",
        f"{noise:g}",
        f"{100 * np.mean(areas):.1f}",
    ]
    for found in leads.values():
        error = np.std(found, ddof=1) / np.sqrt(len(found))
        cells.append(f"{100 * np.mean(found):+.1f} ± {200 * error:.1f}")
    return cells


HEAD = (
    "\nSimulated lists of some of the items nearest to "
    "each person. AUC × 100 of `RankingClassifier` without a graph, and what each graph adds, "
    "± two standard errors.\n\n"
    "| items | listed | labels | noise of features | no graph | agreement | co-listing | "
    "co-listing, all lists | item features |\n"
    "|---|---|---|---|---|---|---|---|---|\n"
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--page", type=Path, help="a page to write the table to")
    options = parser.parse_args()
    lines = []
    for n_items, length, n_labels, noise in (
        (1000, 3, 100, 0.3),
        (1000, 3, 100, 2.0),
        (1000, 20, 100, 0.3),
        (100, 3, 100, 0.3),
        (1000, 3, 400, 0.3),
        (20, 10, 100, 0.3),
    ):
        lines.append("| " + " | ".join(row(n_items, length, n_labels, noise)) + " |")
        print(lines[-1], flush=True)
        if options.page is not None:
            options.page.parent.mkdir(parents=True, exist_ok=True)
            opening = header("When an item graph helps to learn from labels", own_command())
            options.page.write_text(opening + HEAD + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
