"""What the reports of both learning experiments have in common: tables of means and differences."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from reproduction.comparisons import JUDGES, MARGIN, Interval, Scores
from reproduction.encodings import (
    BORDA,
    CONSTANT,
    CUT,
    DUMMY,
    KENDALL,
    MALLOWS,
    MALLOWS_DRAWS,
    MALLOWS_PUBLISHED,
    SAME_DRAWS,
)
from reproduction.findings import Picture, Row, Sheet, Table
from reproduction.learning import SCORES, SEEDS
from reproduction.panels import FAINT, INK, SOFT, colour_of, new_panel

_GROUPS: dict[str, Sequence[int] | None] = {"the paper's": SEEDS, "all": None}

MATTERS = (
    "Where text and published experiments differ: what is gained or lost by doing as the "
    "experiments did, with 95 % intervals of paired differences. It does not matter if both "
    f"intervals are within ±{MARGIN}; it does if one of them is wholly beyond."
)


def summary_rows(
    scores: Scores, setting: str, names: Iterable[str], methods: Sequence[str]
) -> list[dict[str, Any]]:
    """For each setting, method and group of seeds: means and intervals of all scores."""
    return [
        {setting: name, "method": method, "seeds": group}
        | _columns({score: scores.mean(name, method, score, seeds) for score in SCORES})
        for name in names
        for method in methods
        if scores.has(name, method)
        for group, seeds in _GROUPS.items()
    ]


def difference_row(scores: Scores, one: tuple[str, str], other: tuple[str, str]) -> dict[str, Any]:
    """Mean paired differences of all scores with their intervals."""
    return _columns({score: scores.difference(one, other, score) for score in SCORES})


def _columns(found: Mapping[str, Interval]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for score, interval in found.items():
        columns |= {"n": interval.n, score: interval.mean}
        columns |= {f"{score}, low": interval.low, f"{score}, high": interval.high}
    return columns


def whether_it_matters(rows: Iterable[Row], setting: str) -> list[dict[str, Any]]:
    """Does it matter? Of each variant of the graph cut kernel, from rows of differences."""
    found = []
    for row in rows:
        if not row["method"].startswith(f"{CUT}, "):
            continue
        said = {
            judge: Interval(row[judge], row[f"{judge}, low"], row[f"{judge}, high"], row["n"])
            for judge in JUDGES
        }
        answers = {each.equal for each in said.values()}
        answer = "yes" if False in answers else "too few seeds" if None in answers else "no"
        found.append(
            {setting: row[setting], "instead": row["method"].removeprefix(f"{CUT}, ")}
            | {judge: each.signed() for judge, each in said.items()}
            | {"does it matter?": answer}
        )
    return found


def score_sheets(summary: Table, differences: Table, setting: str, caption: str) -> list[Sheet]:
    """Means of all scores over all seeds; and whether it matters to do as was published."""
    columns = (setting, "method", "n", *SCORES)
    rows = [{key: row[key] for key in columns} for row in summary if row["seeds"] == "all"]
    return [
        Sheet(rows, caption, dict.fromkeys(SCORES, ".3f")),
        Sheet(whether_it_matters(differences, setting), MATTERS),
    ]


def differences_picture(
    differences: Table, setting: str, panels: Mapping[str, str], seeds: str
) -> Picture:
    """What each method gains or loses; ``panels`` names that of each setting."""
    return Picture(
        {
            panel: draw_differences([row for row in differences if row[setting] == name], name)
            for name, panel in panels.items()
        },
        "What other methods gain (right) or lose (left) against the graph cut kernel of the text: "
        f"paired differences of F1, means with 95 % intervals over {seeds}. The shaded band is "
        f"±{MARGIN}.",
    )


# Lines of the figure against noise, from the back to the front.
_LINES: dict[str, dict[str, Any]] = {
    CONSTANT: {"linestyle": ":", "linewidth": 1.4},
    DUMMY: {"linestyle": "--", "linewidth": 1.4},
    BORDA: {"marker": "s", "markersize": 4, "linewidth": 1.2},
    MALLOWS_PUBLISHED: {"linestyle": ":", "linewidth": 2.0},
    MALLOWS_DRAWS: {"linestyle": "--", "linewidth": 1.6},
    MALLOWS: {"marker": "^", "markersize": 5, "linewidth": 1.8},
    KENDALL: {"marker": "D", "markersize": 4.5, "linewidth": 1.8},
    CUT: {"marker": "o", "markersize": 5.5, "linewidth": 2.2},
}

# Names that fit on a phone.
_SHORT = {
    MALLOWS_PUBLISHED: "Mallows, published λ",
    CONSTANT: "one class for all",
    DUMMY: "uniform dummy",
    BORDA: "Borda, logistic",
    SAME_DRAWS: "the same 600 draws",
}


def draw_noise(rows: Sequence[Row], kind: str) -> Any:
    """F1 against noise: mean and standard error of each method."""
    figure, axes = new_panel(f"{kind.capitalize()} rankings", height=4.3)
    for method, style in _LINES.items():
        points = sorted(
            (row for row in rows if row["kind"] == kind and row["method"] == method),
            key=lambda row: row["noise"],
        )
        if not points:
            continue
        noise = np.array([row["noise"] for row in points])
        mean = np.array([row["F1"] for row in points])
        error = np.array([row["standard error"] for row in points])
        colour = colour_of(method)
        axes.plot(noise, mean, color=colour, label=_SHORT.get(method, method), **style)
        if method not in (CONSTANT, MALLOWS_PUBLISHED):
            axes.fill_between(noise, mean - error, mean + error, color=colour, alpha=0.13, lw=0)
    axes.set(xlabel="standard deviation σ of the noise", ylabel="F1 on the test set")
    axes.set_ylim(0.3, 1.03)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], frameon=False, fontsize=9, ncols=2)
    return figure


def draw_differences(rows: Sequence[Row], title: str) -> Any:
    """Paired differences with their intervals, a line for each method."""
    figure, axes = new_panel(title.capitalize(), height=1.3 + 0.38 * len(rows))
    axes.axvspan(-MARGIN, MARGIN, color=FAINT, alpha=0.6, lw=0)
    axes.axvline(0.0, color=SOFT, linewidth=1)
    for place, row in enumerate(rows):
        colour = colour_of(row["method"])
        axes.plot([row["F1, low"], row["F1, high"]], [place, place], color=colour, linewidth=2.4)
        axes.plot(row["F1"], place, "o", color=colour, markersize=7)
    # What it is compared with is the graph cut kernel itself.
    names = [str(_SHORT.get(row["method"], row["method"])) for row in rows]
    names = [name.removeprefix(f"{CUT}, ") for name in names]
    axes.set_yticks(range(len(rows)), names, fontsize=9)
    axes.locator_params(axis="x", nbins=5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("gain of F1")
    return figure


def draw_violins(rows: Sequence[Row], score: str, title: str, lines: dict[str, float]) -> Any:
    """The score of each seed by method, with quartiles, and levels to compare with."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    figure, axes = new_panel(title, height=4.1)
    for place, method in enumerate(methods):
        values = np.array([row[score] for row in rows if row["method"] == method])
        colour = colour_of(method)
        if np.ptp(values) > 0:
            body = axes.violinplot(values, [place], widths=0.8, showextrema=False)["bodies"][0]
            body.set(facecolor=colour, edgecolor=colour, alpha=0.35)
        low, middle, high = np.percentile(values, [25, 50, 75])
        axes.vlines(place, low, high, color=colour, linewidth=4)
        axes.plot(place, middle, "o", color="white", markeredgecolor=colour, markersize=7)
    for place, (name, level) in enumerate(lines.items()):
        axes.axhline(level, color=INK, linewidth=1.2, linestyle=(":", "--")[place % 2])
        axes.annotate(
            name,
            (1.0, level),
            xycoords=("axes fraction", "data"),
            ha="right",
            va="bottom",
            fontsize=9,
            color=INK,
        )
    axes.set_xticks(
        range(len(methods)), [method.replace(", ", ",\n") for method in methods], fontsize=9
    )
    axes.grid(axis="x", visible=False)
    axes.set_ylabel(f"{score} on the test set")
    return figure


def draw_paths(rows: Sequence[Row], title: str, marked: dict[str, int]) -> Any:
    """The bound during L-BFGS, and its maximum; ``marked`` steps are where published runs ended."""
    figure, axes = new_panel(title, height=4.1)
    for method in dict.fromkeys(row["method"] for row in rows):
        colour = colour_of(method)
        label: str | None = method
        for seed in dict.fromkeys(row["seed"] for row in rows):
            path = [row for row in rows if row["method"] == method and row["seed"] == seed]
            if not path:
                continue
            steps = np.array([row["step"] for row in path])
            # How far it is below the maximum that the converged fit found.
            gap = np.array([row["maximum"] - row["ELBO"] for row in path])
            axes.plot(
                steps + 1, np.maximum(gap, 1e-3), color=colour, lw=1.3, alpha=0.8, label=label
            )
            label = None
            # The published run ended there, or where there was nothing left to gain.
            at = int(np.searchsorted(steps, marked[method], side="right")) - 1
            axes.plot(steps[at] + 1, max(gap[at], 1e-3), "o", color=colour, markersize=5)
    axes.set(xscale="log", yscale="log")
    axes.set(xlabel="step of L-BFGS, counted from 1", ylabel="ELBO below its maximum")
    axes.legend(frameon=False, fontsize=9)
    return figure
