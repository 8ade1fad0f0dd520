"""Run parts of the reproduction and write their report, in Markdown."""

import json
import os
import platform
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import rankcut
from rankcut.datasets.downloads import sushi_files
from reproduction.claims import Claim, Outcome, Verdict, Way, home_of, read_claims
from reproduction.store import Work, part_named, run_works

PARTS = ("example", "arithmetic", "kinds", "synthetic", "sushi", "times")

RECORDED = Path(__file__).parents[1] / "docs" / "results" / "reproduction.md"
"""What the last full run that was recorded found."""

Verdicts = dict[Claim, dict[Way, Verdict]]


def reproduce(
    names: Sequence[str],
    output: Path,
    *,
    data: Path | None,
    quick: bool,
    processes: int = 2,
    done: Callable[[], None] = lambda: None,
) -> Verdicts:
    """Run what is missing of the named parts, write the report to a directory, give verdicts."""
    mark = None
    if data is not None:
        files = sorted(sushi_files(data))
        mark = sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
    ready = [name for name in names if data is not None or not part_named(name).NEEDS_DATA]
    works = [
        Work(name, task, mark if part_named(name).NEEDS_DATA else None)
        for name in ready
        for task in getattr(part_named(name), "tasks", lambda quick: [])(quick)
    ]
    found_of = run_works(works, output / "cache", data, done, processes)
    verdicts: Verdicts = {}
    pages = []
    for name in names:
        claims = [claim for claim in read_claims() if claim.part == name]
        if name not in ready:
            needs = Verdict(Outcome.UNCHECKED, "It needs the sushi data, which this run has not.")
            verdicts |= {claim: dict.fromkeys(claim.ways, needs) for claim in claims}
            continue
        own = [some for work, some in zip(works, found_of, strict=True) if work.part == name]
        records = [record for some in own for record in some]
        module = home_of(name)
        found = module.found(records, data) if hasattr(module, "found") else None
        verdicts |= {c: {way: c.judge(found, way) for way in c.ways} for c in claims}
        pages += _section(name, module, records, found, output)
    text = [_opening("Claims of the paper", quick), *verdict_rows(verdicts, quick), *pages]
    (output / "report.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    return verdicts


def _opening(title: str, quick: bool) -> str:
    facts = {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "version": f"rankcut {rankcut.__version__}, Python {platform.python_version()}",
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "command": "`make reproduce" + ("`" if quick else " DATA=DATA_DIR`"),
    }
    rows = "\n".join(f"| {key} | {value} |" for key, value in facts.items())
    return f"# {title}\n\n| | |\n|---|---|\n{rows}\n"


def verdict_rows(verdicts: Verdicts, quick: bool) -> Iterable[str]:
    """A line for each claim and way to look; what a quick run leaves open, as recorded."""
    known = recorded() if quick else {}
    yield "| the paper says | way | verdict | because |\n|---|---|---|---|"
    for claim, ways in verdicts.items():
        for place, (way, (outcome, because)) in enumerate(ways.items()):
            said = f"{claim.statement} ({claim.where}) " if place == 0 else ""
            if (claim.name, way) in known and outcome in (Outcome.UNDECIDED, Outcome.UNCHECKED):
                because = f"{because} The full run: {known[claim.name, way]}"
            yield f"| {said}`{claim.name}` | {way} | {outcome} | {because} |"
    yield ""


def recorded() -> dict[tuple[str, str], str]:
    """By claim and way, the recorded verdict and its numbers, with the date."""
    text = RECORDED.read_text(encoding="utf-8") if RECORDED.exists() else ""
    date = re.search(r"\| date \| (.+) \|", text)
    rows = re.findall(r"^\| .*`(\w+\.\w+)` \| (.+?) \| (.+?) \| (.+) \|$", text, re.M)
    return {
        (name, way): f"{outcome} ({date[1]}). {because}"
        for name, way, outcome, because in rows
        if date is not None
    }


def record(verdicts: Verdicts) -> None:
    """Keep the verdicts of a full run, for quick ones and for the documentation."""
    text = [_opening("Claims of the paper", quick=False), *verdict_rows(verdicts, quick=False)]
    RECORDED.write_text("\n".join(text), encoding="utf-8")


def _section(name: str, module: Any, records: Any, found: Any, output: Path) -> list[str]:
    """The tables and figures of a part, which are written beside the report."""
    lines = [f"## {name.capitalize()}", "", (module.__doc__ or "").strip(), ""]
    output.mkdir(parents=True, exist_ok=True)
    (output / f"{name}.json").write_text(json.dumps(records), encoding="utf-8")
    if hasattr(module, "tables"):
        for caption, rows in module.tables(records, found).items():
            lines += [f"**{caption}**", "", *table(rows), ""]
    if hasattr(module, "figures"):
        for title, figure in module.figures(records, found).items():
            file = title.replace(",", "").replace(" ", "-") + ".svg"
            figure.savefig(output / file)
            lines += [f"![{title}]({file})", ""]
    return lines


def table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Rows as Markdown; columns in order of first appearance.

    >>> table([{"kernel": "Kendall", "F1": ".5"}, {"kernel": "none"}])
    ['| kernel | F1 |', '|---|---|', '| Kendall | .5 |', '| none |  |']
    """
    columns = list(dict.fromkeys(column for row in rows for column in row))
    lines = [[row.get(column, "") for column in columns] for row in rows]
    head = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return head + ["| " + " | ".join(map(str, line)) + " |" for line in lines]
