"""Run parts of the reproduction and write their report."""

import os
import platform
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import rankcut
from rankcut.files.drafts import atomic_file
from reproduction.findings import Document, Outcome, Section, Verdict, as_csv, as_json
from reproduction.html_page import html_page, svg_of
from reproduction.markdown import markdown_page, panel_file
from reproduction.parts import Part, Record, Settings, Tables, part_named, run_missing, works_of
from reproduction.store import Store, data_fingerprint

BIBTEX = """@article{conserva2022graphcut,
  title   = {The Graph Cut Kernel for Ranked Data},
  author  = {Conserva, Michelangelo and Deisenroth, Marc Peter and Sesh Kumar, K. S.},
  journal = {Transactions on Machine Learning Research},
  year    = {2022},
  url     = {https://openreview.net/forum?id=SEUGkraMPi},
  doi     = {10.48550/arXiv.2105.12356}
}"""

TITLE = "The Graph Cut Kernel for Ranked Data, reproduced"

_NO_DATA = Verdict(Outcome.UNCHECKED, "It needs the sushi data, which this run did not have.")
_NOT_SEEN = Verdict(Outcome.UNCHECKED, "This run did not look at it.")


def reproduce(
    names: Sequence[str],
    output: Path,
    *,
    data: Path | None,
    settings: Settings,
    started: Callable[[int], None] = lambda total: None,
    done: Callable[[str], None] = lambda part: None,
) -> Document:
    """Run what is missing of the named parts and write the report to a directory.

    ``started`` is called with the number of tasks, ``done`` after each task, with the name of
    its part.
    """
    parts = [part_named(name) for name in names]
    ready = [each for each in parts if data is not None or not each.needs_sushi]
    mark = None
    if data is not None and any(each.needs_sushi for each in ready):
        mark = data_fingerprint(data)
    store = Store(output / "cache")
    works = works_of(ready, settings, mark)
    started(len(works))
    run_missing(works, store, data, lambda work: done(work.part.name))
    records: dict[str, list[Record]] = {each.name: [] for each in ready}
    for work in works:
        found = store.read(work.part.name, work.task, work.data)
        if found is None:
            # Verdicts on part of the numbers would look like verdicts on all of them.
            raise FileNotFoundError(
                f"{store.directory}: a result of the part {work.part.name!r} is gone; the same "
                "command computes it again"
            )
        records[work.part.name] += found
    sections = [
        section(each, each.tables(records[each.name]) if each.name in records else {})
        for each in parts
    ]
    document = Document(TITLE, lead(settings, data is not None), sections, BIBTEX)
    write_report(document, output)
    return document


def section(part: Part, tables: Tables) -> Section:
    """What there is to say about a part; without tables, that it was not run."""
    if not tables:
        claims = [(claim, _NO_DATA) for claim in part.claims.values()]
        return Section(part.name, part.title, part.prose(tables), claims)
    verdicts = part.verdicts(tables)
    return Section(
        part.name,
        part.title,
        part.prose(tables),
        [(claim, verdicts.get(key, _NOT_SEEN)) for key, claim in part.claims.items()],
        part.figures(tables),
        part.sheets(tables),
        tables,
    )


def lead(settings: Settings, with_data: bool) -> str:
    """The first words of the report."""
    size = "a quick run, with fewer seeds and smaller sizes" if settings.quick else "a full run"
    data = "" if with_data else " Without the sushi data, the parts that need it were left out."
    return (
        "M. Conserva, M. P. Deisenroth and K. S. Sesh Kumar turn a ranking into a short vector, by "
        "a cut function on a graph of the items, and compare rankings by inner products "
        "([TMLR, 2022](https://openreview.net/forum?id=SEUGkraMPi); "
        "[doi:10.48550/arXiv.2105.12356](https://doi.org/10.48550/arXiv.2105.12356)). Here "
        "each experiment of theirs is run again, each figure is drawn again, and each "
        "claim gets a verdict.\n\n"
        "Every number was computed by the run that wrote this page, or by an earlier one of the "
        "same code into the same directory. Verdicts follow from the numbers by rules that the "
        "sections state. Where the text and the published experiments differ, the verdict is on "
        "the text, and *as published* says what the authors' program gives when it is run as it "
        "was.\n\n"
        f"This was {size}, on {date.today().isoformat()}, with rankcut "
        f"{rankcut.__version__} on {platform.machine()} "
        f"({os.cpu_count()} cores), Python {platform.python_version()}.{data}"
    )


def write_report(document: Document, output: Path) -> None:
    """report.html and report.md, the numbers as CSV and JSON, the figures as SVG."""
    for each in document.sections:
        for name, rows in each.tables.items():
            _write(output / f"{name}.csv", as_csv(rows))
            _write(output / f"{name}.json", as_json(rows))
        for name, picture in each.pictures.items():
            for place, panel in enumerate(picture.panels.values()):
                path = output / panel_file(name, place)
                path.parent.mkdir(exist_ok=True)
                with atomic_file(path) as file:
                    file.write(svg_of(panel))
    _write(output / "report.md", markdown_page(document))
    _write(output / "report.html", html_page(document))


def _write(path: Path, text: str) -> None:
    with atomic_file(path) as file:
        file.write(text.encode())
