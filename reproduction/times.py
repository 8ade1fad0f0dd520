"""Time of a Gram matrix (Figure 6): in rankcut, and by the paper's procedures done literally.

The cost of a literal procedure is measured for a few rankings or pairs and scaled to all. Claims
are judged as printed, by the literal procedures, in plain Python as the authors' were, at 250
rankings of eight items. What rankcut's kernels take, which compares kernels rather than programs,
is said beside it.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from rankcut import SimilarityGraph, graph_cut_features, make_food
from rankcut.kernels import DiffusionKernel, GraphCutKernel, KendallKernel, MallowsKernel
from reproduction import literal
from reproduction.claims import Verdict, Way, holds_if, shared
from reproduction.kinds import UNRANKED
from reproduction.methods import PER_LIST, Floats
from reproduction.store import Record, Task

NEEDS_DATA = False

# How many of the eight items are ranked, or how many groups of tied ones there are.
LEVELS = {"full": (8,), "top-k": (2, 3, 4, 5, 6), "ties": (2, 3, 4, 5, 6)}
LEVELS |= {"incomplete": (3, 4, 5, 6, 7)}

N_RANKINGS = 250
"""Of a Gram matrix."""

# A trial repeats what takes less, and takes the mean.
_SHORT = 0.004

# The paper reports NA beyond seven minutes.
MOST_SECONDS = 420.0

# A kernel is cheap if it takes at most half of the next one's time, and time is exponential if
# each further item multiplies it by more than this.
_CHEAP, _EXPONENTIAL = 2.0, 1.5

# Time grows almost linearly if it grows with at most this power.
_ALMOST = 1.2

# Of rankings, each with itself too.
_PAIRS = N_RANKINGS * (N_RANKINGS + 1) / 2

# What the paper reports for 5,000 rankings: vectors, and the Gram matrix on its GPU.
PAPER = {"vectors": 6.31, "Gram matrix": 0.576}


def tasks(quick: bool) -> list[Task]:
    """One for each kind and level of censoring: the paper's seven trials, or three."""
    few = {"top-k": (3, 6), "ties": (3, 6), "incomplete": (4, 6, 7)} if quick else {}
    trials = 3 if quick else 7
    levels = [(kind, level) for kind, several in (LEVELS | few).items() for level in several]
    levels.append(("5,000", 10))
    return [{"kind": kind, "level": level, "trials": trials} for kind, level in levels]


def run(task: Task, data: Path | None) -> Iterator[Record]:
    """Seconds of every kernel, and of the literal procedures."""
    kind, level, trials = task["kind"], task["level"], task["trials"]
    if kind == "5,000":
        yield from _five_thousand(trials)
        return
    options = {"top-k": {"k": level}, "ties": {"merges": 8 - level}}
    options |= {"incomplete": {"dropped": 8 - level}}
    food = make_food(N_RANKINGS, kind=kind, random_state=0, **options.get(kind, {}))
    graph = SimilarityGraph(food.item_features).build()
    kernels: dict[str, Callable[..., Floats]] = {
        "graph cut": partial(GraphCutKernel, graph=graph),
        "Kendall": KendallKernel,
        "Mallows": MallowsKernel,
    }
    if kind == "full":
        kernels["diffusion"] = DiffusionKernel
    about = {"kind": kind, "level": level}
    for name, kernel in kernels.items():
        seconds = seconds_of(partial(kernel(unranked=UNRANKED[kind]), food.ranks), trials)
        yield about | {"procedure": "rankcut", "kernel": name, "seconds": seconds}
    for name, literally in LITERAL.items():
        if (seconds := literally(kind, food.ranks, graph, trials)) is not None:
            yield about | {"procedure": "literal", "kernel": name, "seconds": seconds}


def seconds_of(work: Callable[[], object], trials: int) -> float:
    """Mean over trials of the processor's time, after one call that does not count."""
    with warnings.catch_warnings():
        # Draws may not reach the tolerance; that is a matter of accuracy, not of time.
        warnings.simplefilter("ignore")
        work()
        start = time.process_time()
        work()
        repeats = int(np.clip(_SHORT / max(time.process_time() - start, 1e-7), 1, 200))
        start = time.process_time()
        for _ in range(trials * repeats):
            work()
    return (time.process_time() - start) / (trials * repeats)


def _graph_cut_seconds(kind: str, ranks: Floats, graph: Any, trials: int) -> float:
    """PAVA with an oracle for F, over all coherent partitions; then the inner products."""
    cut, rows = literal.cut_oracle(graph), _closed(kind, ranks[:3])
    three = seconds_of(lambda: [literal.literal_features(row, cut) for row in rows], trials)
    vectors = np.random.default_rng(0).random(ranks.shape)
    return N_RANKINGS / 3 * three + seconds_of(lambda: vectors @ vectors.T, trials)


def _kendall_seconds(kind: str, ranks: Floats, graph: Any, trials: int) -> float:
    """τ for full rankings, signs of pairs for lists, the closed form for incomplete rankings.

    With ties, a mean over all full orders of both, as in the program that the authors call.
    """
    if kind in ("full", "ties"):
        orders = np.mean([literal.count_full_orders(row) for row in ranks[:50]])
        return float(orders) ** 2 * _of_orders(literal.kendall_tau, ranks, trials)

    def signs(one: Floats, other: Floats) -> float:
        return float((np.sign(one[:, None] - one) * np.sign(other[:, None] - other)).sum())

    pair = signs if kind == "top-k" else literal.expected_kendall
    return _of_pairs(pair, _closed(kind, ranks[:20]), trials)


def _mallows_seconds(kind: str, ranks: Floats, graph: Any, trials: int) -> float | None:
    """exp(−λ·discordant pairs), and for top-k lists a mean over four draws of each."""
    draws = {"full": 1, "top-k": PER_LIST}.get(kind)
    # Of e to a power, which takes next to no time, all is in the distance.
    return draws and draws**2 * _of_orders(literal.discordant_pairs, ranks, trials)


LITERAL = {"graph cut": _graph_cut_seconds, "Kendall": _kendall_seconds}
LITERAL |= {"Mallows": _mallows_seconds}
"""Seconds for the Gram matrix; none where there is no procedure."""


def _closed(kind: str, ranks: Floats) -> Floats:
    """Lists with their unlisted items tied below them."""
    return np.where(np.isnan(ranks), 9.0, ranks) if kind == "top-k" else ranks


def _of_pairs(kernel: Any, rows: Any, trials: int) -> float:
    """Seconds for all pairs, from those of neighbours."""
    each = seconds_of(lambda: [kernel(*both) for both in pairwise(rows)], trials) / (len(rows) - 1)
    return _PAIRS * each


def _of_orders(kernel: Any, ranks: Floats, trials: int) -> float:
    """Of one full order for each ranking: which, makes no difference to the time."""
    return _of_pairs(kernel, [np.argsort(row).tolist() for row in ranks[:20]], trials)


def _five_thousand(trials: int) -> Iterator[Record]:
    """The paper's data set: 5,000 rankings of ten items, vectors and their Gram matrix."""
    rng = np.random.default_rng(0)
    ranks = rng.permuted(np.tile(np.arange(1.0, 11.0), (5000, 1)), axis=1)
    graph = SimilarityGraph(rng.random((10, 6))).build()
    cut, vectors = literal.cut_oracle(graph), graph_cut_features(ranks, graph)
    steps = {
        "vectors": (lambda: graph_cut_features(ranks, graph), 1),
        "vectors, literally": (lambda: [literal.literal_features(r, cut) for r in ranks[:50]], 100),
        "Gram matrix": (lambda: vectors @ vectors.T, 1),
    }
    for step, (work, scale) in steps.items():
        yield {"kind": "5,000", "step": step, "seconds": scale * seconds_of(work, trials)}


def found(records: list[Any], data: Any) -> dict[Any, float]:
    """Seconds for 250 rankings by procedure, kind, level and kernel; for 5,000, by step."""
    keys = ("procedure", "kind", "level", "kernel")
    return {row.get("step") or tuple(row[key] for key in keys): row["seconds"] for row in records}


def tables(records: list[Any], found: Any) -> dict[str, Any]:
    """Times that are those of a machine, beside the paper's: remarks, not verdicts."""
    own = {step: f"{found[step]:.2g} s" for step in found if isinstance(step, str)}
    paper = {step: f"{seconds} s" for step, seconds in PAPER.items()}
    return {"5,000 rankings of ten items": [{"": "here"} | own, {"": "the paper"} | paper]}


def _ratios(found: Any, procedure: str, kinds: tuple[str, ...]) -> list[float]:
    """The next best kernel's time over that of the graph cut kernel, at each level."""
    ratios = []
    for own, kind, level, kernel in (key for key in found if isinstance(key, tuple)):
        if (own, kernel) == (procedure, "graph cut") and kind in kinds:
            others = [found.get((own, kind, level, other)) for other in ("Kendall", "Mallows")]
            ratios.append(min(filter(None, others)) / found[own, kind, level, kernel])
    return ratios


def _by_level(found: Any, procedure: str, kind: str, kernel: str) -> dict[int, float]:
    keys = [(procedure, kind, level, kernel) for level in range(9)]
    return {key[2]: found[key] for key in keys if key in found}


def _times(ratios: list[float]) -> str:
    low, high = (f"{r:,.0f}" if r >= 10 else f"{r:.2g}" for r in (min(ratios), max(ratios)))
    return f"{low} to {high} times"


def cheap_on_exhaustive_rankings(found: Any, way: Way) -> Verdict:
    kinds = ("full", "top-k", "ties")
    literal, ours = (_ratios(found, procedure, kinds) for procedure in ("literal", "rankcut"))
    return Verdict(
        shared([ratio >= _CHEAP for ratio in literal]),
        f"The next kernel takes {_times(literal)} as long; with an efficient program for each, "
        f"{_times(ours)}.",
    )


def cheaper_than_kendall_on_incomplete_rankings(found: Any, way: Way) -> Verdict:
    literal, ours = (_ratios(found, own, ("incomplete",)) for own in ("literal", "rankcut"))
    return Verdict(
        shared([ratio >= _CHEAP for ratio in literal]),
        f"With the closed form that the authors call, Kendall's kernel takes {_times(literal)} as "
        f"long as the graph cut kernel, least where few items are ranked; in rankcut "
        f"{_times(ours)}.",
    )


def kendall_is_intractable_with_ties(found: Any, way: Way) -> Verdict:
    def seconds(procedure: str) -> list[float]:
        return list(_by_level(found, procedure, "ties", "Kendall").values())

    worst, ours = max(seconds("literal")), max(seconds("rankcut"))
    return holds_if(
        worst > MOST_SECONDS,
        f"Over all full orders, as in the function that the authors call, 250 rankings take up to "
        f"{worst / 3600:,.1f} hours. A tied pair has the sign 0: with that, {ours * 1e3:.2g} ms.",
    )


def incomplete_rankings_cost_exponentially(found: Any, way: Way) -> Verdict:
    def growth(procedure: str) -> float:
        own = _by_level(found, procedure, "incomplete", "graph cut")
        return float((own[min(own)] / own[max(own)]) ** (1 / (max(own) - min(own))))

    return holds_if(
        growth("literal") > _EXPONENTIAL,
        f"Each further unranked item multiplies the time by {growth('literal'):.1f}; in rankcut, "
        f"which draws where there are many completions, by {growth('rankcut'):.1f}.",
    )


def diffusion_is_expensive(found: Any, way: Way) -> Verdict:
    full, kendall = (found["rankcut", "full", 8, name] for name in ("diffusion", "Kendall"))
    return Verdict(
        shared([full > 1.0, True]),
        f"It ends at ten items. By its characters, though, 250 full rankings of 8 items take "
        f"{full * 1e3:.0f} ms, {full / kendall:.0f} times as long as Kendall's.",
    )


def grows_almost_linearly(found: Any, way: Way) -> Verdict:
    def power(vectors: float, gram: float) -> float:
        # Vectors cost in proportion to the rankings, inner products to their square.
        return (vectors + 2 * gram) / (vectors + gram)

    here = power(found["vectors, literally"], found["Gram matrix"])
    paper = power(*PAPER.values())
    return holds_if(
        max(here, paper) <= _ALMOST,
        f"At 5,000 rankings the paper's times imply a local power of {paper:.2f}, and its "
        f"procedure done here {here:.2f}. Inner products grow with the square and prevail later; "
        f"in rankcut, whose vectors are quick, the power is "
        f"{power(found['vectors'], found['Gram matrix']):.2f} already.",
    )
