"""What the reports of both learning experiments have in common: tables of means and differences."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankcut.experiments.paper.comparisons import JUDGES, MARGIN, Interval, Scores
from rankcut.experiments.paper.encodings import CUT
from rankcut.experiments.paper.learning import SCORES, SEEDS
from rankcut.experiments.paper.learning_figures import draw_differences
from rankcut.reports.findings import Picture, Row, Sheet, Table

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
