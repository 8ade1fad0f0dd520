"""Run parts of the reproduction and write their report."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from rankcut.datasets.homes import find_files
from rankcut.experiments.paper.part import Part, Record, Settings, Tables
from rankcut.experiments.paper.parts import part
from rankcut.experiments.paper.running import run_missing, works_of
from rankcut.experiments.paper.store import Store
from rankcut.reports.findings import Outcome, Section, Verdict

SKIPPED = Verdict(Outcome.UNCHECKED, "It needs the sushi data, which this run did not have.")


def fingerprint(data: Path) -> str:
    """A hash of the sushi files' contents."""
    digest = hashlib.sha256()
    for file in sushi_files(data):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def sushi_files(data: Path) -> list[Path]:
    """The files, or an error that says how to get them."""
    return find_files(
        ["sushi3a.5000.10.order", "sushi3b.5000.10.order", "sushi3.idata", "sushi3.udata"],
        ["sushi", "sushi3-2016", "sushi3"],
        data,
        address="https://www.kamishima.net/sushi/",
        terms="for research; not to be passed on",
    )


def reproduce(
    names: Sequence[str],
    output: Path,
    *,
    data: Path | None,
    settings: Settings,
    started: Callable[[int], None],
    done: Callable[[], None],
) -> list[Section]:
    """Run what is missing of the parts, and give a section of the report for each."""
    parts = [part(name) for name in names]
    store = Store(output / "cache")
    mark = None if data is None else fingerprint(data)
    ready = [each for each in parts if data is not None or not each.needs_sushi]
    works = works_of(ready, settings, mark)
    started(len(works))
    run_missing(works, store, data, lambda work: done())
    records: dict[str, list[Record]] = {each.name: [] for each in ready}
    for work in works:
        records[work.part.name] += store.read(work.part.name, work.task, work.data) or []
    return [
        section(each, each.tables(records[each.name]) if each.name in records else {})
        for each in parts
    ]


def section(part: Part, tables: Tables) -> Section:
    """What there is to say of a part; without tables, that it was not run."""
    if not tables:
        claims = [(claim, SKIPPED) for claim in part.claims.values()]
        return Section(part.name, part.title, part.prose(tables), claims)
    verdicts = part.verdicts(tables)
    missing = Verdict(Outcome.UNCHECKED, "This run did not look at it.")
    return Section(
        part.name,
        part.title,
        part.prose(tables),
        [(claim, verdicts.get(key, missing)) for key, claim in part.claims.items()],
        part.figures(tables),
        part.sheets(tables),
        tables,
    )
