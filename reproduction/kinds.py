"""Which kernel handles which kind of ranking: found by running them (Table 1 of the paper).

That each gives what its definition says, and is positive semi-definite, is a test of the library
(``tests/kernels/test_contract.py``).
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rankcut.kernels import (
    DiffusionKernel,
    GraphCutKernel,
    KendallKernel,
    MallowsKernel,
    SpearmanKernel,
    WeightedKendallKernel,
)
from reproduction.claims import Outcome, Verdict, Way, holds_if

NEEDS_DATA = False

KERNELS: dict[str, Callable[..., Any]] = {
    "graph cut": GraphCutKernel,
    "Kendall": KendallKernel,
    "Mallows": MallowsKernel,
    "Spearman": SpearmanKernel,
    **{
        f"weighted Kendall, {weights}": partial(WeightedKendallKernel, weights=weights)
        for weights in ("additive", "multiplicative", "average")
    },
    "weighted Kendall, top-k": partial(WeightedKendallKernel, weights="top-k", k=3),
    "diffusion": DiffusionKernel,
}

UNRANKED = {"full": "error", "top-k": "last", "ties": "error", "incomplete": "anywhere"}
"""The paper calls the last two exhaustive and non-exhaustive."""

RANKINGS = {
    "full": [[1, 2, 3, 4, 5], [5, 4, 1, 2, 3]],
    "top-k": [[1, 2, 3, np.nan, np.nan], [np.nan, 1, np.nan, 3, 2]],
    "ties": [[1, 1, 2, 3, 3], [2, 1, 1, 1, 2]],
    "incomplete": [[1, np.nan, 3, 2, np.nan], [np.nan, 2, np.nan, 3, 1]],
}
"""Two of each kind."""


def found(records: list[Any], data: Path | None) -> dict[tuple[str, str], bool]:
    """Whether each kernel gives numbers, by kernel and kind."""
    return {(name, kind): _handles(name, kind) for name in KERNELS for kind in UNRANKED}


def _handles(name: str, kind: str) -> bool:
    try:
        gram = KERNELS[name](unranked=UNRANKED[kind])(RANKINGS[kind])
    except ValueError:
        return False
    return bool(np.isfinite(gram).all())


def tables(records: list[Any], cells: Any) -> dict[str, list[Any]]:
    """Table 1 of the paper, with more kernels."""
    return {
        "What each kernel handles exactly": [
            {"kernel": name} | {kind: "✓" if cells[name, kind] else "✗" for kind in UNRANKED}
            for name in KERNELS
        ]
    }


def _said(cells: Any, name: str) -> str:
    return f"{name} works on {', '.join(kind for kind in UNRANKED if cells[name, kind])}"


def graph_cut_handles_all_kinds(cells: Any, way: Way) -> Verdict:
    held = all(cells["graph cut", kind] for kind in UNRANKED)
    return holds_if(held, f"{_said(cells, 'graph cut')}.")


def kendall_cannot_handle_incomplete_rankings(cells: Any, way: Way) -> Verdict:
    return holds_if(
        not cells["Kendall", "incomplete"],
        f"{_said(cells, 'Kendall')}. The closed form was known (Jiao and Vert, 2015), and the "
        "paper's own Figures 4e, 5d and 6d use it.",
    )


def mallows_cannot_handle_ties(cells: Any, way: Way) -> Verdict:
    now = [kind for kind in ("ties", "incomplete") if cells["Mallows", kind]]
    return Verdict(
        Outcome.HOLDS,
        "By what was known in 2022: draws for top-k lists (Lomeli and others, 2019), and nothing "
        f"for the others. Today it can be had for {' and '.join(now) or 'neither'}.",
    )


def the_only_one_for_all_kinds(cells: Any, way: Way) -> Verdict:
    others = [name for name in KERNELS if all(cells[name, kind] for kind in UNRANKED)]
    return holds_if(
        "graph cut" in others and not cells["Kendall", "incomplete"],
        "Kendall's handles all four too, by what was known then. Today, means over completions "
        f"make {len(others)} kernels for all kinds: {'; '.join(others)}.",
    )
