"""The main job on the embedded data set: rankings become vectors, and a classifier learns.

Two types of user rank eight dishes by taste, with noise. For each kind of complete ranking a
classifier learns from graph cut features to tell the types apart, beside two baselines: the
majority class, and the same classifier on Borda counts.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from rankcut.datasets import make_food
from rankcut.estimators import GraphCutFeatures
from rankcut.features.graph_cut import graph_cut_features
from rankcut.graphs import SimilarityGraph, as_item_graph
from rankcut.orders import to_orders

N_RANKINGS = 250
NOISE = 0.5
N_DATA_SETS = 10

KINDS: dict[str, dict[str, Any]] = {
    "full": {"kind": "full"},
    "top 6": {"kind": "top-k", "k": 6},
    "top 3": {"kind": "top-k", "k": 3},
    "with ties": {"kind": "ties"},
}


def run(output: Path, *, seed: int = 0) -> None:
    """Print two rankings with their vectors and a table of F1-scores, and write a picture."""
    console = Console()
    # The first call on a machine compiles the loops, which takes some seconds.
    with console.status("Turning rankings into vectors"):
        graph_cut_features([[1, 2]], [[0, 1], [1, 0]])
    _show_vectors(console, seed)
    with console.status("Learning from rankings of each kind"):
        scores = scores_by_kind(seed)
    _show_scores(console, scores)
    try:
        from rankcut.pictures.items_and_rankings import draw_graph_and_map
    except ImportError:
        console.print(escape('No picture without Matplotlib: pip install "rankcut[plot]"'))
        return
    food = make_food(N_RANKINGS, noise=NOISE, random_state=seed)
    graph = as_item_graph(SimilarityGraph(food.item_features))
    figure = draw_graph_and_map(
        graph,
        graph_cut_features(food.ranks, graph),
        [food.target_names[target] for target in food.target],
        food.item_names,
    )
    figure.savefig(output, dpi=160)
    console.print(f"The item graph and a map of the rankings: [bold]{escape(str(output))}[/bold]")


def scores_by_kind(seed: int) -> dict[str, dict[str, tuple[float, float]]]:
    """Mean F1-score and its standard error, by kind and by method.

    Each of several data sets, drawn one independently of the other, is cross-validated once.
    """
    table = {}
    for name, options in KINDS.items():
        scores: dict[str, list[float]] = {}
        for draw in range(N_DATA_SETS):
            food = make_food(
                N_RANKINGS, noise=NOISE, random_state=N_DATA_SETS * seed + draw, **options
            )
            graph = SimilarityGraph(food.item_features)
            methods = {
                "majority": DummyClassifier(),
                "Borda": make_pipeline(
                    FunctionTransformer(borda_counts), StandardScaler(), LogisticRegression()
                ),
                "graph cut": make_pipeline(
                    GraphCutFeatures(graph, unranked="last"), StandardScaler(), LogisticRegression()
                ),
            }
            for method, model in methods.items():
                folds = cross_val_score(model, food.ranks, food.target, scoring="f1_macro")
                scores.setdefault(method, []).append(float(folds.mean()))
        table[name] = {
            method: (float(np.mean(f1)), float(np.std(f1, ddof=1) / np.sqrt(len(f1))))
            for method, f1 in scores.items()
        }
    return table


def borda_counts(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many more dishes each dish beats than beat it: features of the complete graph."""
    return np.asarray(graph_cut_features(ranks, unranked="last"))


def _show_vectors(console: Console, seed: int) -> None:
    food = make_food(N_RANKINGS, noise=NOISE, random_state=seed)
    pair = [int(np.flatnonzero(food.target == target)[0]) for target in (0, 1)]
    vectors = graph_cut_features(food.ranks[pair], SimilarityGraph(food.item_features))
    orders = to_orders(food.ranks[pair], food.item_names)
    console.print("\nTwo rankings, best first, and their graph cut features\n")
    for target, order, vector in zip((0, 1), orders, vectors, strict=True):
        coordinates = dict(zip(food.item_names, vector, strict=True))
        table = Table(title=f"a {food.target_names[target]}", title_justify="left", box=None)
        for item in order:
            table.add_column(item, justify="right")
        table.add_row(*(f"{coordinates[item]:+.2f}" for item in order))
        console.print(table, "")


def _show_scores(console: Console, scores: dict[str, dict[str, tuple[float, float]]]) -> None:
    table = Table(
        title="F1-score of telling the two types apart",
        title_justify="left",
    )
    table.add_column("rankings")
    for method in next(iter(scores.values())):
        table.add_column(method, justify="right")
    for kind, by_method in scores.items():
        cells = (f"{mean:.3f} ± {error:.3f}" for mean, error in by_method.values())
        table.add_row(kind, *cells)
    console.print(table)
    console.print(
        f"Macro-averaged; mean and standard error over {N_DATA_SETS} data sets of {N_RANKINGS} "
        f"rankings (noise {NOISE}), each cross-validated in 5 folds.\n"
    )
