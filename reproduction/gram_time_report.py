"""What the times of Gram matrices say: claims, verdicts and figures."""

from typing import Any

import numpy as np

from rankcut.kernels.diffusion import MOST_ITEMS
from reproduction.comparisons import share_outcome
from reproduction.findings import (
    Claim,
    Key,
    Outcome,
    Picture,
    Sheet,
    Table,
    Verdict,
    as_count,
    in_words,
)
from reproduction.panels import SOFT, colour_of, new_panel

# Kernels that the paper times.
LITERAL = ("graph cut", "Kendall", "Mallows")

# The paper reports NA beyond this: seven minutes.
MOST_SECONDS = 420.0

# A method is cheap if it takes at most 1/_CHEAP of the other's time.
_CHEAP = 2.0

# Time is exponential if each further item multiplies it by this much.
_EXPONENTIAL = 1.5

# A matrix of 250 rankings is not intractable, nor prohibitively expensive, if it takes less.
_SHORT = 1.0

EXHAUSTIVE = ("full", "top-k", "ties")
_STYLES = {"rankcut": "-", "literal": "--"}

TITLES = {
    "full": "Full rankings",
    "top-k": "Top-k lists",
    "ties": "Rankings with ties",
    "incomplete": "Incomplete rankings",
}
LEVEL_NAMES = {
    "top-k": "items in the list, of 8",
    "ties": "groups of tied items, of 8 items",
    "incomplete": "ranked items, of 8",
}

CLAIMS = {
    "cheap": Claim(
        "For full, top-k and exhaustive rankings the Gram matrix of the graph cut kernel is "
        "extremely cheap compared with the other kernels.",
        "Section 4.3, Figure 6a–c",
    ),
    "incomplete": Claim(
        "For non-exhaustive rankings it takes long, but significantly less than Kendall's kernel.",
        "Section 4.3, Figure 6d",
    ),
    "ties": Claim(
        "Kendall's kernel becomes intractable in practice when rankings have many ties.",
        "Section 4.3, Figure 6c",
    ),
    "exponential": Claim(
        "For non-exhaustive rankings the cost of the features grows exponentially.",
        "Sections 3.2 and 4.3",
    ),
    "diffusion": Claim(
        "The diffusion kernel is prohibitively expensive in real-world settings.", "Section 1"
    ),
}


def prose(rows: Table) -> str:
    """How time was measured."""
    trials = max(row["trials"] for row in rows)
    return (
        "Rankings of the eight dishes, in one thread, from ranks to the Gram matrix, features "
        f"included; means over {trials} trials. *rankcut* is this library. *Literal* is the "
        "procedure as the paper describes it, in plain Python: features by its algorithm box with "
        "an oracle that sums over the edges, and other kernels pair by pair. The program that the "
        "authors call for Kendall's kernel has a closed form for top-k lists and for incomplete "
        "rankings, and enumerates all full orders for ties; so does ours. Mallows has four draws "
        "a list.\n\n"
        "Literal times are measured on a few rankings or pairs and scaled to all; so are ours "
        "where a matrix would take long. Beyond seven minutes the paper reports NA; the figures "
        "draw a line there.\n\n"
        "Claims are judged at 250 rankings. *Cheap*, or significantly less, means at most half the "
        "time of the next kernel; *exponential*, that each further "
        f"unranked item multiplies the time by more than {_EXPONENTIAL}; *intractable*, more than "
        "seven minutes. It is asked of the literal procedures, which is the paper's comparison, "
        "and of rankcut's kernels, which compares kernels rather than programs; what takes rankcut "
        "less than a second is neither intractable nor prohibitively expensive. A claim that holds "
        "for one of the two, or at some levels of censoring, holds in part."
    )


def verdicts(rows: Table) -> dict[str, Verdict]:
    """Each claim at 250 rankings."""
    at = {
        (row["procedure"], row["kind"], row["level"], row["kernel"]): row["seconds"]
        for row in rows
        if row["rankings"] == 250
    }
    return {
        "cheap": _cheap(at),
        "incomplete": _incomplete(at),
        "ties": _ties(at),
        "exponential": _exponential(at),
        "diffusion": _diffusion(at),
    }


Times = dict[tuple[str, str, int, str], float]


def _ratios(at: Times, procedure: str, kinds: tuple[str, ...]) -> list[float]:
    """The next best kernel's time over that of the graph cut kernel, at each level."""
    ratios = []
    for _, kind, level, kernel in [key for key in at if key[0] == procedure]:
        if kind in kinds and kernel == "graph cut":
            others = [
                at[procedure, kind, level, other]
                for other in LITERAL
                if other != kernel and (procedure, kind, level, other) in at
            ]
            ratios.append(min(others) / at[procedure, kind, level, kernel])
    return ratios


def _cheap(at: Times) -> Verdict:
    literal, ours = (_ratios(at, procedure, EXHAUSTIVE) for procedure in ("literal", "rankcut"))
    return Verdict(
        share_outcome([ratio >= _CHEAP for ratio in literal + ours]),
        f"Done literally, the next kernel takes {_times(literal)} as long. In this library the "
        f"next of Kendall's and Mallows takes {_times(ours)} as long.",
    )


def _incomplete(at: Times) -> Verdict:
    literal = _ratios(at, "literal", ("incomplete",))
    ours_kendall = [
        at["rankcut", kind, level, "Kendall"] / at["rankcut", kind, level, "graph cut"]
        for procedure, kind, level, kernel in at
        if procedure == "rankcut" and kind == "incomplete" and kernel == "graph cut"
    ]
    return Verdict(
        share_outcome([ratio >= _CHEAP for ratio in literal + ours_kendall]),
        f"Done literally, with the closed form that the authors call, Kendall's kernel takes "
        f"{_times(literal)} as long as the graph cut kernel, the less the fewer items are ranked. "
        "In this library the graph cut "
        f"kernel takes {_times([1 / ratio for ratio in ours_kendall])} as long as Kendall's: "
        "expected signs need no completions, and mean features do.",
    )


def _ties(at: Times) -> Verdict:
    literal = {
        level: seconds
        for (procedure, kind, level, kernel), seconds in at.items()
        if (procedure, kind, kernel) == ("literal", "ties", "Kendall")
    }
    ours = max(
        seconds
        for (procedure, kind, _, kernel), seconds in at.items()
        if (procedure, kind, kernel) == ("rankcut", "ties", "Kendall")
    )
    lost = [level for level, seconds in literal.items() if seconds > MOST_SECONDS]
    few = min(literal)
    return Verdict(
        _both(bool(lost), ours >= _SHORT),
        f"Over all full orders, {few} groups of 8 items take {in_words(literal[few])} for "
        f"250 rankings"
        + (f" (over seven minutes for {_and(lost)} groups)" if lost else "")
        + f". But a tied pair has the sign 0, and with that it takes at most {in_words(ours)}.",
    )


def _exponential(at: Times) -> Verdict:
    def growth(procedure: str) -> tuple[float, int, int]:
        seconds = {
            level: value
            for (own, kind, level, kernel), value in at.items()
            if (own, kind, kernel) == (procedure, "incomplete", "graph cut")
        }
        least, most = min(seconds), max(seconds)
        return (seconds[least] / seconds[most]) ** (1 / (most - least)), least, most

    literal, least, most = growth("literal")
    ours, _, _ = growth("rankcut")
    return Verdict(
        _both(literal > _EXPONENTIAL, ours > _EXPONENTIAL),
        f"From {8 - most} to {8 - least} unranked items of 8, each one more multiplies the time by "
        f"{literal:.1f} done literally, and by {ours:.1f} in this library, which goes through all "
        "completions where they are few and draws mirrored ones where they are many.",
    )


def _diffusion(at: Times) -> Verdict:
    full = at["rankcut", "full", 8, "diffusion"]
    kendall = at["rankcut", "full", 8, "Kendall"]
    worst = max(
        seconds
        for (procedure, _, _, kernel), seconds in at.items()
        if procedure == "rankcut" and kernel == "diffusion"
    )
    return Verdict(
        # However quick it is for 8 items, it ends before catalogues begin.
        Outcome.IN_PART if full < _SHORT else Outcome.HOLDS,
        f"By its characters, 250 full rankings of 8 items take {in_words(full)}, "
        f"{full / kendall:.0f} times as long as Kendall's. For other kinds it takes up to "
        f"{in_words(worst)}; and it ends at {MOST_ITEMS} items, where a catalogue begins.",
    )


def _both(literal: bool, ours: bool) -> Outcome:
    if literal and ours:
        return Outcome.HOLDS
    return Outcome.IN_PART if literal or ours else Outcome.FAILS


def _times(ratios: list[float]) -> str:
    """A range of ratios in words."""
    low, high = (as_count(ratio) for ratio in (min(ratios), max(ratios)))
    return f"{low} times" if low == high else f"{low} to {high} times"


def _and(numbers: list[int]) -> str:
    return " and ".join(map(str, numbers))


def figures(rows: Table) -> dict[str, Picture]:
    """Time against the number of rankings, and against censoring."""
    by_size = {
        f"{title}: time against the number of rankings": _size_panel(rows, kind)
        for kind, title in TITLES.items()
    }
    by_level = {
        f"{TITLES[kind]}: time against censoring": _level_panel(rows, kind) for kind in LEVEL_NAMES
    }
    lines = dict.fromkeys((row["kernel"], row["procedure"]) for row in rows)
    legend = [
        Key(f"{kernel}, {procedure}", colour_of(kernel), _STYLES[procedure])
        for kernel, procedure in sorted(lines, key=lambda line: line[1], reverse=True)
    ]
    return {
        "time-rankings": Picture(
            by_size,
            "Time for a Gram matrix against the number of rankings (Figure 6 of the paper). Solid: "
            "this library; dashed: the paper's procedures done literally. Hollow points are scaled "
            "from fewer rankings. The grey line is seven minutes.",
            legend,
        ),
        "time-censoring": Picture(
            by_level,
            "Time for 250 rankings against how much is known of each. To the left, less is known.",
            legend,
        ),
    }


def _middle(rows: Table, kind: str) -> int:
    levels = sorted({row["level"] for row in rows if row["kind"] == kind})
    return int(levels[len(levels) // 2])


def _size_panel(rows: Table, kind: str) -> Any:
    level = _middle(rows, kind)
    within = {"full": "", "top-k": f", k = {level}", "ties": f", {level} groups"}
    figure, axes = new_panel(f"{TITLES[kind]}{within.get(kind, f', {level} of 8')}", height=4.6)
    chosen = [row for row in rows if row["kind"] == kind and row["level"] == level]
    _draw(axes, chosen, "rankings")
    axes.set(xscale="log", xlabel="number of rankings")
    sizes = sorted({row["rankings"] for row in chosen})
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.minorticks_off()
    _finish(axes)
    return figure


def _level_panel(rows: Table, kind: str) -> Any:
    figure, axes = new_panel(TITLES[kind], height=4.6)
    chosen = [row for row in rows if row["kind"] == kind and row["rankings"] == 250]
    _draw(axes, chosen, "level")
    axes.set(xlabel=LEVEL_NAMES[kind])
    axes.set_xticks(sorted({row["level"] for row in chosen}))
    _finish(axes)
    return figure


def _draw(axes: Any, rows: list[Any], across: str) -> None:
    for procedure, style in _STYLES.items():
        for kernel in dict.fromkeys(row["kernel"] for row in rows):
            own = sorted(
                (row for row in rows if (row["procedure"], row["kernel"]) == (procedure, kernel)),
                key=lambda row: row[across],
            )
            if not own:
                continue
            colour = colour_of(kernel)
            x, y = [row[across] for row in own], [row["seconds"] for row in own]
            axes.plot(x, y, style, color=colour, linewidth=1.8)
            for row in own:
                hollow = row["scaled"] and procedure == "rankcut"
                axes.plot(
                    row[across],
                    row["seconds"],
                    "o",
                    color=colour,
                    markersize=4.5,
                    markerfacecolor="white" if hollow else colour,
                )


def _finish(axes: Any) -> None:
    axes.axhline(MOST_SECONDS, color=SOFT, linewidth=1)
    axes.set(yscale="log", ylabel="seconds of one processor")
    low, high = axes.get_ylim()
    axes.set_ylim(low, max(high, 3 * MOST_SECONDS))
    axes.annotate(
        "7 minutes",
        (1, MOST_SECONDS),
        (-2, 3),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        ha="right",
        color=SOFT,
    )


def sheets(rows: Table) -> list[Sheet]:
    """Seconds for 250 rankings."""
    lines: dict[tuple[str, int], dict[str, Any]] = {}
    for row in rows:
        if row["rankings"] == 250:
            line = lines.setdefault(
                (row["kind"], row["level"]), {"kind": row["kind"], "level": row["level"]}
            )
            name = row["kernel"] if row["procedure"] == "rankcut" else f"{row['kernel']}, literal"
            line[name] = in_words(row["seconds"]) if np.isfinite(row["seconds"]) else None
    return [
        Sheet(
            list(lines.values()),
            "Time for the Gram matrix of 250 rankings. The level is how many items, or groups, are "
            "ranked.",
        )
    ]
