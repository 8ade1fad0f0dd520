"""Which kernel handles which kind of ranking: found by running them."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.cuts import GraphCut
from rankcut.graphs.recipes import SimilarityGraph
from rankcut.kernels import (
    diffusion_kernel,
    graph_cut_kernel,
    kendall_kernel,
    lovasz_bregman_divergence,
    mallows_kernel,
    spearman_kernel,
    weighted_kendall_kernel,
)
from rankcut.theory import MajorantCone
from reproduction.findings import Claim, Outcome, Sheet, Table, Verdict, tiny
from reproduction.literal import coherent_partitions, full_orders
from reproduction.parts import Part, Record, Settings, Tables, Task

N_ITEMS = 5
GRAPH = SimilarityGraph(np.random.default_rng(0).random((N_ITEMS, 2)))

KERNELS: dict[str, Callable[..., NDArray[Any]]] = {
    "graph cut": partial(graph_cut_kernel, graph=GRAPH, completions="exact"),
    "Spearman": spearman_kernel,
    "Kendall": kendall_kernel,
    "weighted Kendall, top-k": partial(weighted_kendall_kernel, weights="top-k", k=3),
    "weighted Kendall, additive": partial(weighted_kendall_kernel, weights="additive"),
    "weighted Kendall, multiplicative": partial(weighted_kendall_kernel, weights="multiplicative"),
    "weighted Kendall, average": weighted_kendall_kernel,
    # As many draws as there may be completions, so that all of them are gone through.
    "Mallows": partial(mallows_kernel, n_draws=120),
    "diffusion": partial(diffusion_kernel, n_draws=120),
    "Lovász–Bregman": lovasz_bregman_divergence,
}

# The kinds as the paper names them, and as we do.
KINDS = {"Full": "full", "Top-k": "top-k", "Exhaustive": "ties", "Non-exhaustive": "incomplete"}
UNRANKED = {"full": "error", "top-k": "last", "ties": "error", "incomplete": "anywhere"}

# Table 1 of the paper.
PRINTED = {
    "Mallows": {"full": True, "top-k": True, "ties": False, "incomplete": False},
    "Kendall": {"full": True, "top-k": True, "ties": True, "incomplete": False},
    "graph cut": {"full": True, "top-k": True, "ties": True, "incomplete": True},
}

# Values of a kernel agree with those of its definition up to this, and eigenvalues count as
# negative below it.
ROUNDING = 1e-9

CLAIMS = {
    "graph cut": Claim(
        "The graph cut kernel handles all four kinds of ranking.", "Section 1, Table 1"
    ),
    "only": Claim(
        "Previous kernels are tailored to certain kinds; the graph cut kernel is the only one for "
        "all.",
        "Section 1, Table 1",
    ),
    "Kendall": Claim(
        "Kendall's kernel cannot handle non-exhaustive rankings.", "Section 1, Table 1"
    ),
    "Mallows": Claim(
        "The Mallows kernel cannot handle exhaustive rankings with ties, nor non-exhaustive ones.",
        "Section 1, Table 1",
    ),
}


class Kinds(Part):
    """The paper's table of kernels, generated."""

    name = "kinds"
    title = "Which kernel handles which kind of ranking"
    claims = CLAIMS

    def tasks(self, settings: Settings) -> list[Task]:
        """One task for each kind."""
        rankings = 6 if settings.quick else 20
        return [{"kind": kind, "rankings": rankings, "seed": 0} for kind in UNRANKED]

    def run(self, task: Task, data: Path | None) -> list[Record]:
        """Run every kernel, look at its eigenvalues, and compare with its definition."""
        rng = np.random.default_rng(task["seed"])
        small = _rankings(task["kind"], task["rankings"], rng)
        many = _rankings(task["kind"], 100, rng)
        return [
            {"kernel": name, "kind": task["kind"], **_look(name, task["kind"], small, many)}
            for name in KERNELS
        ]

    def tables(self, records: Sequence[Record]) -> dict[str, Table]:
        """Each kernel on each kind."""
        return {"kinds-checks": records}

    def sheets(self, tables: Tables) -> list[Sheet]:
        """The table of the paper, filled in."""
        cells = _cells(tables)
        rows = []
        for kernel in KERNELS:
            row = {"kernel": kernel}
            for kind in UNRANKED:
                printed = PRINTED.get(kernel, {}).get(kind)
                paper = "" if printed is None else f" (paper: {'✓' if printed else '✗'})"
                row[kind] = _word(cells[kernel, kind]) + paper
            rows.append(row)
        return [
            Sheet(
                rows,
                "✓: it runs, its Gram matrix of 100 rankings has no negative eigenvalue, and its "
                "values are those of its definition, gone through one completion after the other. "
                "In brackets what Table 1 of the paper says.",
            )
        ]

    def verdicts(self, tables: Tables) -> dict[str, Verdict]:
        """By the table."""
        cells = _cells(tables)
        able = {
            kernel: {kind for kind in UNRANKED if _works(cells[kernel, kind])} for kernel in KERNELS
        }
        others = [
            kernel for kernel in KERNELS if kernel != "graph cut" and able[kernel] == set(UNRANKED)
        ]
        return {
            "graph cut": Verdict(
                Outcome.HOLDS if able["graph cut"] == set(UNRANKED) else Outcome.FAILS,
                f"It works on {_listed(able['graph cut'])} rankings; its values differ from the "
                f"definition by at most {tiny(_largest(cells, 'graph cut'))}.",
            ),
            "only": Verdict(
                Outcome.HOLDS
                if able["graph cut"] == set(UNRANKED) and not others
                else Outcome.FAILS,
                f"{len(others)} others work on all four kinds: {'; '.join(others) or 'none'}.",
            ),
            **{kernel: _against_paper(kernel, able, cells) for kernel in ("Kendall", "Mallows")},
        }

    def prose(self, tables: Tables) -> str:
        """How the table comes about."""
        return (
            f"Every kernel of the library is run on rankings of {N_ITEMS} items of each kind. It "
            "handles a kind if it runs, if its Gram matrix has no negative eigenvalue, and if its "
            "values are those of its definition to nine digits. The definition is written down "
            "without any shortcut: for the graph cut kernel shortest vectors of cones, averaged "
            "over all coherent partitions; for the others the mean over all full rankings that "
            "agree.\n\n"
            "Kendall's mean over completions is an inner product of expected signs, and the mean "
            "of the Mallows kernel over broken ties has a closed form. Neither goes through "
            "completions. For incomplete rankings with more than a few completions, the Mallows "
            "and the diffusion kernel draw some.\n\n"
            "The paper itself runs Kendall's kernel on non-exhaustive rankings (Figures 4e, 5d and "
            "6d). The Lovász–Bregman divergence compares scores with rankings. It is 0 where they "
            "agree, so it is no kernel."
        )


def _rankings(kind: str, n_rankings: int, rng: np.random.Generator) -> NDArray[np.float64]:
    orders = np.tile(np.arange(1.0, N_ITEMS + 1), (n_rankings, 1))
    ranks = rng.permuted(orders, axis=1)
    if kind == "top-k":
        ranks[ranks > 3] = np.nan
    elif kind == "ties":
        ranks = rng.integers(1, 4, ranks.shape).astype(np.float64)
    elif kind == "incomplete":
        ranks[rng.permuted(orders, axis=1) <= 2] = np.nan
    return ranks


def _look(name: str, kind: str, small: Any, many: Any) -> Record:
    if name == "Lovász–Bregman":
        return _look_at_divergence(kind, many)
    kernel = partial(KERNELS[name], unranked=UNRANKED[kind])
    try:
        gram = kernel(many)
        eigenvalues = np.linalg.eigvalsh(gram)
        return {
            "runs": True,
            "smallest eigenvalue over largest": float(eigenvalues[0] / eigenvalues[-1]),
            "largest difference from the definition": float(
                np.abs(kernel(small) - _by_definition(name, kind, small)).max()
            ),
        }
    except ValueError as problem:
        return {"runs": False, "says": str(problem)}


def _look_at_divergence(kind: str, ranks: NDArray[np.float64]) -> Record:
    """A divergence of scores from rankings: of rankings written as scores, 0 from themselves."""
    scores = np.where(np.isnan(ranks), 0.0, -ranks)
    try:
        values = KERNELS["Lovász–Bregman"](scores, ranks, unranked=UNRANKED[kind])
    except ValueError as problem:
        return {"runs": False, "says": str(problem)}
    return {"runs": True, "largest value of a ranking with itself": float(np.diag(values).max())}


def _by_definition(name: str, kind: str, ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    rows = [np.where(np.isnan(row), N_ITEMS, row) for row in ranks] if kind == "top-k" else ranks
    if name == "graph cut":
        function = GraphCut(GRAPH.build())
        vectors = np.stack(
            [
                np.mean(
                    [
                        MajorantCone(function, groups).min_norm_point()
                        for groups in coherent_partitions(row)
                    ],
                    axis=0,
                )
                for row in rows
            ]
        )
        return np.asarray(vectors @ vectors.T)
    completions = [
        np.array([np.argsort(order) + 1.0 for order in full_orders(row)]) for row in rows
    ]
    every = np.concatenate(completions)
    ends = np.cumsum([len(each) for each in completions])[:-1]
    # The kernel of full rankings is the definition that the others are means of.
    gram = KERNELS[name](every)
    means = np.stack([part.mean(axis=0) for part in np.split(gram, ends)])
    return np.stack([part.mean(axis=1) for part in np.split(means, ends, axis=1)], axis=1)


def _cells(tables: Tables) -> dict[tuple[str, str], Any]:
    return {(row["kernel"], row["kind"]): row for row in tables["kinds-checks"]}


def _works(cell: Any) -> bool:
    return (
        bool(cell["runs"])
        and cell.get("smallest eigenvalue over largest", -1.0) > -ROUNDING
        and cell["largest difference from the definition"] < ROUNDING
    )


def _word(cell: Any) -> str:
    if not cell["runs"]:
        return "✗"
    if "smallest eigenvalue over largest" not in cell:
        return "runs; a divergence"
    if cell["smallest eigenvalue over largest"] <= -ROUNDING:
        return "runs, not positive"
    return "✓" if _works(cell) else "runs, inexact"


def _largest(cells: dict[tuple[str, str], Any], kernel: str) -> float:
    return max(
        float(cells[kernel, kind].get("largest difference from the definition", 0.0))
        for kind in UNRANKED
    )


def _listed(kinds: set[str]) -> str:
    return ", ".join(kind for kind in UNRANKED if kind in kinds) or "no"


def _against_paper(
    kernel: str, able: dict[str, set[str]], cells: dict[tuple[str, str], Any]
) -> Verdict:
    """What became of the kinds that the paper's table denies a kernel."""
    denied = [kind for kind, can in PRINTED[kernel].items() if not can]
    handled = [kind for kind in denied if kind in able[kernel]]
    differences = " and ".join(
        f"{tiny(cells[kernel, kind]['largest difference from the definition'])} ({kind})"
        for kind in handled
    )
    outcome = (
        Outcome.FAILS
        if len(handled) == len(denied)
        else Outcome.IN_PART
        if handled
        else Outcome.HOLDS
    )
    return Verdict(
        outcome,
        f"It works on {_listed(able[kernel])} rankings"
        + (f", and differs from the definition by at most {differences}." if handled else "."),
    )
