"""What the paper states about time, judged at 250 rankings of eight items.

As printed is the literal procedures, in plain Python as the authors' were. What rankcut's kernels
take, which compares kernels rather than programs, is said beside it.
"""

from typing import Any

from reproduction.claims import Verdict, Way, holds_if, shared
from reproduction.figures import time_figures

# The paper reports NA beyond seven minutes.
MOST_SECONDS = 420.0

# A kernel is cheap if it takes at most half of the next one's time, and time is exponential if
# each further item multiplies it by more than this.
_CHEAP, _EXPONENTIAL = 2.0, 1.5

# Time grows almost linearly if it grows with at most this power.
_ALMOST = 1.2

# What the paper reports for 5,000 rankings: vectors, and the Gram matrix on its GPU.
PAPER = {"vectors": 6.31, "Gram matrix": 0.576}


_KEYS = ("procedure", "kind", "level", "kernel")


def found(records: list[Any], data: Any) -> dict[Any, float]:
    """Seconds for 250 rankings by procedure, kind, level and kernel; for 5,000, by step."""
    return {
        row.get("step") or (row["procedure"], row["kind"], row["level"], row["kernel"]): row[
            "seconds"
        ]
        for row in records
        if row.get("rankings", 250) == 250
    }


def figures(records: list[Any], found: Any) -> dict[str, Any]:
    """Figure 6."""
    return time_figures(records)


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
        f"long as the graph cut kernel, the less the fewer items are ranked; in rankcut "
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
