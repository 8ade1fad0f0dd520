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
    SAME_DRAWS,
)
from reproduction.findings import Key, Picture, Row, Sheet, Table
from reproduction.learning import SCORES, SEEDS
from reproduction.panels import FAINT, INK, SOFT, colour_of, new_panel
from reproduction.published import PUBLISHED, VARIANTS

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


def published_settings(rows: Iterable[Row], column: str = "experiment") -> list[str]:
    """Experiments that were published, in order."""
    return list(dict.fromkeys(row[column] for row in rows))


def changes(rows: Sequence[Row], setting: str, names: Iterable[str]) -> list[dict[str, Any]]:
    """The graph cut kernel against Kendall's as published, and with one thing changed at a time.

    Where only one of them is changed, the other is as published.
    """
    own = {variant: [row for row in rows if row["variant"] == variant] for variant in VARIANTS}
    found = []
    for name in names:
        for variant in VARIANTS:
            sides = []
            for kernel in (CUT, KENDALL):
                changed = [
                    row for row in own[variant] if (row[setting], row["method"]) == (name, kernel)
                ]
                usual = [
                    row for row in own[PUBLISHED] if (row[setting], row["method"]) == (name, kernel)
                ]
                sides.append((changed, changed or usual))
            if not any(changed for changed, _ in sides) or not all(used for _, used in sides):
                continue
            scores = Scores([row for _, used in sides for row in used], setting)
            pair = (name, CUT), (name, KENDALL)
            gain = {judge: scores.difference(*pair, judge) for judge in JUDGES}
            found.append(
                {
                    setting: name,
                    "variant": variant,
                    "n": gain["F1"].n,
                    "F1, graph cut": scores.mean(*pair[0], "F1").mean,
                    "F1, Kendall": scores.mean(*pair[1], "F1").mean,
                    "F1, graph cut less Kendall": gain["F1"].signed(),
                    "accuracy, graph cut less Kendall": gain["accuracy"].signed(),
                    "ratio of deviations": str(scores.spread_ratio(pair[1], pair[0], "F1")),
                }
            )
    return found


def changes_sheet(rows: Table) -> Sheet:
    """The table of :func:`changes`."""
    return Sheet(
        rows,
        "As published, and with one thing changed at a time: the graph cut kernel against "
        "Kendall's, with the paper's fits. The ratio is of Kendall's standard deviation of F1 over "
        "seeds to the graph cut kernel's.",
        {"F1, graph cut": ".3f", "F1, Kendall": ".3f"},
    )


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
    MALLOWS_DRAWS: {"linestyle": "--", "linewidth": 1.6},
    MALLOWS: {"marker": "^", "markersize": 5, "linewidth": 1.8},
    KENDALL: {"marker": "D", "markersize": 4.5, "linewidth": 1.8},
    CUT: {"marker": "o", "markersize": 5.5, "linewidth": 2.2},
}

DRAWN = tuple(_LINES)
"""Methods of the figure against noise."""

# Names that fit on a phone.
_SHORT = {
    CONSTANT: "one class for all",
    DUMMY: "uniform dummy",
    BORDA: "Borda, logistic",
    SAME_DRAWS: "the same 600 draws",
}


def draw_noise(rows: Sequence[Row], kind: str, how: str = "") -> Any:
    """F1 against noise: mean and standard error of each method."""
    figure, axes = new_panel(f"{kind.capitalize()} rankings{how}", height=4.3)
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
        if method != CONSTANT:
            axes.fill_between(noise, mean - error, mean + error, color=colour, alpha=0.13, lw=0)
    axes.set(xlabel="standard deviation σ of the noise", ylabel="F1 on the test set")
    axes.set_ylim(0.3, 1.03)
    return figure


def noise_legend(rows: Sequence[Row]) -> list[Key]:
    """The legend of figures against noise."""
    methods = {row["method"] for row in rows}
    return [
        Key(_SHORT.get(method, method), colour_of(method), style.get("linestyle", "-"))
        for method, style in reversed(_LINES.items())
        if method in methods
    ]


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
    axes.set_yticks(range(len(rows)), names)
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
            color=INK,
        )
    axes.set_xticks(range(len(methods)), [method.replace(", ", ",\n") for method in methods])
    axes.grid(axis="x", visible=False)
    axes.set_ylabel(f"{score} on the test set")
    return figure


def draw_paths(rows: Sequence[Row], title: str, marked: Mapping[str, int], *, gap: bool) -> Any:
    """The ELBO by step, or how far it is below its end; dots are where published runs ended."""
    figure, axes = new_panel(title, height=3.6)
    for method in dict.fromkeys(row["method"] for row in rows):
        colour = colour_of(method)
        for seed in dict.fromkeys(row["seed"] for row in rows):
            path = [row for row in rows if (row["method"], row["seed"]) == (method, seed)]
            if not path or (gap and path[-1]["step"] == marked[method]):
                # Fits that were not followed to the end have no gap to show.
                continue
            steps = np.array([row["step"] for row in path])
            bound = np.array([row["bound"] for row in path])
            height = np.maximum(bound[-1] - bound, 1e-3) if gap else bound
            first = 0 if gap else 1
            axes.plot(steps[first:] + 1, height[first:], color=colour, lw=1.3, alpha=0.8)
            at = int(np.searchsorted(steps, marked[method], side="right")) - 1
            axes.plot(steps[at] + 1, height[at], "o", color=colour, markersize=5)
    last = max((row["step"] + 1 for row in rows), default=1)
    doubled = 2 ** np.arange(int(np.ceil(np.log2(max(last, 2)))) + 1)
    # Of many doublings, every second or third is named.
    doubled = doubled[:: 1 + len(doubled) // 9]
    axes.set(xscale="log", xlabel="step of L-BFGS, counted from 1")
    axes.set_xticks(doubled, [f"{step:,}" for step in doubled])
    axes.minorticks_off()
    axes.set(**({"yscale": "log", "ylabel": "ELBO below its end"} if gap else {"ylabel": "ELBO"}))
    return figure
