"""Which kernel handles which kind of ranking: found by running them (Table 1 of the paper)."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rankcut import SimilarityGraph
from rankcut.cuts import GraphCut
from rankcut.kernels import (
    diffusion_kernel,
    graph_cut_kernel,
    kendall_kernel,
    mallows_kernel,
    spearman_kernel,
    weighted_kendall_kernel,
)
from rankcut.theory import MajorantCone
from reproduction.claims import Outcome, Verdict, Way, holds_if
from reproduction.literal import coherent_partitions, full_orders
from reproduction.methods import Floats
from reproduction.store import Record, Task

NEEDS_DATA = False

N_ITEMS = 5
GRAPH = SimilarityGraph(np.random.default_rng(0).random((N_ITEMS, 2)))

KERNELS: dict[str, Callable[..., Floats]] = {
    "graph cut": partial(graph_cut_kernel, graph=GRAPH, completions="exact"),
    "Kendall": kendall_kernel,
    # As many draws as there may be completions, so that all of them are gone through.
    "Mallows": partial(mallows_kernel, n_draws=120),
    "Spearman": spearman_kernel,
    **{
        f"weighted Kendall, {weights}": partial(weighted_kendall_kernel, weights=weights)
        for weights in ("additive", "multiplicative", "average")
    },
    "weighted Kendall, top-k": partial(weighted_kendall_kernel, weights="top-k", k=3),
    "diffusion": partial(diffusion_kernel, n_draws=120),
}

UNRANKED = {"full": "error", "top-k": "last", "ties": "error", "incomplete": "anywhere"}
"""The paper calls the last two exhaustive and non-exhaustive."""

# Values agree with the definition up to this, and eigenvalues count as negative below it.
_ROUNDING = 1e-9


def tasks(quick: bool) -> list[Task]:
    """One for each kind."""
    return [{"kind": kind, "rankings": 6 if quick else 20} for kind in UNRANKED]


def run(task: Task, data: Path | None) -> Iterator[Record]:
    """Run every kernel, look at its eigenvalues, and compare with its definition."""
    rng, kind = np.random.default_rng(0), task["kind"]
    small, many = (rankings(kind, n, rng) for n in (task["rankings"], 100))
    for name in KERNELS:
        kernel = partial(KERNELS[name], unranked=UNRANKED[kind])
        record: Record = {"kernel": name, "kind": kind, "handles": False}
        try:
            eigenvalues = np.linalg.eigvalsh(kernel(many))
            off = float(np.abs(kernel(small) - _by_definition(name, kind, small)).max())
        except ValueError:
            yield record
            continue
        least = float(eigenvalues[0] / eigenvalues[-1])
        yield record | {"handles": least > -_ROUNDING and off < _ROUNDING, "difference": off}


def rankings(kind: str, n_rankings: int, rng: np.random.Generator) -> Floats:
    """Random rankings of a kind."""
    orders = np.tile(np.arange(1.0, N_ITEMS + 1), (n_rankings, 1))
    ranks = rng.permuted(orders, axis=1)
    if kind == "top-k":
        ranks[ranks > 3] = np.nan
    elif kind == "ties":
        ranks = rng.integers(1, 4, ranks.shape).astype(np.float64)
    elif kind == "incomplete":
        ranks[rng.permuted(orders, axis=1) <= 2] = np.nan
    return ranks


def _by_definition(name: str, kind: str, ranks: Floats) -> Floats:
    """Means over all partitions, or over all full orders, that agree with each ranking."""
    rows = [np.where(np.isnan(row), N_ITEMS, row) for row in ranks] if kind == "top-k" else ranks
    if name == "graph cut":
        function = GraphCut(GRAPH.build())
        points = [
            [MajorantCone(function, groups).min_norm_point() for groups in coherent_partitions(row)]
            for row in rows
        ]
        vectors = np.stack([np.mean(each, axis=0) for each in points])
        return np.asarray(vectors @ vectors.T)
    completions = [np.argsort(list(full_orders(row)), axis=1) + 1.0 for row in rows]
    ends = np.cumsum([len(each) for each in completions])[:-1]
    # The kernel of full rankings is the definition that the others are means of.
    gram = KERNELS[name](np.concatenate(completions))
    means = np.stack([part.mean(axis=0) for part in np.split(gram, ends)])
    return np.stack([part.mean(axis=1) for part in np.split(means, ends, axis=1)], axis=1)


def found(records: list[Record], data: Path | None) -> dict[tuple[str, str], Record]:
    """By kernel and kind."""
    return {(row["kernel"], row["kind"]): row for row in records}


def tables(records: list[Record], cells: Any) -> dict[str, list[Record]]:
    """Table 1 of the paper, with more kernels."""
    return {
        "What each kernel handles exactly": [
            {"kernel": name} | {k: "✓" if cells[name, k]["handles"] else "✗" for k in UNRANKED}
            for name in KERNELS
        ]
    }


def _said(cells: Any, name: str) -> str:
    able = [kind for kind in UNRANKED if cells[name, kind]["handles"]]
    worst = max(float(cells[name, kind].get("difference", 0.0)) for kind in UNRANKED)
    return f"{name} works on {', '.join(able)}; within {worst:.0e} of its definition"


def graph_cut_handles_all_kinds(cells: Any, way: Way) -> Verdict:
    held = all(cells["graph cut", kind]["handles"] for kind in UNRANKED)
    return holds_if(held, f"{_said(cells, 'graph cut')}.")


def kendall_cannot_handle_incomplete_rankings(cells: Any, way: Way) -> Verdict:
    return holds_if(
        not cells["Kendall", "incomplete"]["handles"],
        f"{_said(cells, 'Kendall')}. The closed form was known (Jiao and Vert, 2015), and the "
        "paper's own Figures 4e, 5d and 6d use it.",
    )


def mallows_cannot_handle_ties(cells: Any, way: Way) -> Verdict:
    now = [kind for kind in ("ties", "incomplete") if cells["Mallows", kind]["handles"]]
    return Verdict(
        Outcome.HOLDS,
        "By what was known in 2022: draws for top-k lists (Lomeli and others, 2019), and nothing "
        f"for the others. Today it can be had for {' and '.join(now) or 'neither'}.",
    )


def the_only_one_for_all_kinds(cells: Any, way: Way) -> Verdict:
    others = [k for k in KERNELS if all(cells[k, kind]["handles"] for kind in UNRANKED)]
    return holds_if(
        "graph cut" in others and not cells["Kendall", "incomplete"]["handles"],
        "Kendall's handles all four too, by what was known then. Today, means over completions "
        f"make {len(others)} kernels for all kinds: {'; '.join(others)}.",
    )
