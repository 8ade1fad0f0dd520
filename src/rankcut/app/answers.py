"""The answers about a file, each with the command and the Python that give the same.

An answer calls what its command calls, on rankings that are read once.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from rankcut.app.reading import EXAMPLES, Asked
from rankcut.blocs.estimator import RankingBlocs
from rankcut.blocs.report import BlocReport, bloc_map, bloc_page
from rankcut.comparison.group_differences import compare_groups
from rankcut.comparison.page import comparison_page
from rankcut.consensus.figure import draw_consensus
from rankcut.consensus.words import ConsensusReport
from rankcut.errors import Setting, in_python, in_shell
from rankcut.files.text import format_text
from rankcut.pictures.figures import draw_figure, save_figure
from rankcut.pictures.maps import map_picture, read_map
from rankcut.pictures.page import Html, join, show_picture
from rankcut.rankings.ranking_set import RankingSet
from rankcut.report import report
from rankcut.report.panels import PANELS
from rankcut.report.ranking_report import show_inside
from rankcut.report.study import Study, read_study


@dataclass(frozen=True)
class Answer:
    """What a card shows, and what can be saved of it."""

    content: Html
    command: str = ""
    python: str = ""
    draw: Callable[[], Any] | None = None
    columns: Mapping[str, Any] | None = None
    page: str = ""

    @property
    def forms(self) -> list[str]:
        """The suffixes of what can be saved."""
        found = {"png": self.draw, "svg": self.draw, "csv": self.columns, "html": self.page}
        return [form for form, own in found.items() if own]

    def save(self, path: Path) -> None:
        """Write a file by its suffix: what its command writes, safe for a spreadsheet."""
        if path.suffix in (".png", ".svg") and self.draw is not None:
            save_figure(self.draw(), path)
        elif path.suffix == ".csv":
            path.write_bytes(format_text(dict(self.columns or {}), ",", spreadsheet=True))
        else:
            path.write_text(self.page, encoding="utf-8")


class Subject:
    """The rankings of one file, and all that is asked of them."""

    def __init__(self, asked: Asked, rankings: RankingSet, say: Callable[[str], None]) -> None:
        filled = rankings.n_ranked() > 0
        self.asked, self.say, self.dropped = asked, say, not filled.all()
        self.rankings = rankings.rows(filled) if self.dropped else rankings
        self.unranked = asked.meaning(rankings)
        self.people = self.rankings.columns[asked.people] if asked.people else None

    @cached_property
    def study(self) -> Study:
        """What the panels of the report are made of."""
        how = self.given("people", "unranked", "method")
        return read_study(self.rankings, progress=self.say, **how)

    def given(self, *names: str) -> dict[str, Any]:
        """The settings of those names that differ from what a command takes by itself."""
        own = {name: getattr(self.asked, name) for name in names} | {"unranked": self.unranked}
        return {name: own[name] for name in names if own[name] not in ("", "auto")}

    def answer(self, content: Html, same: str, imports: str, *lines: str, **more: Any) -> Answer:
        """An answer, and the same as a command with settings of some names, and in Python."""
        asked, home, load, name = self.asked, "rankcut", "read_file", self.asked.name
        command, *names = same.split()
        # A file may be called like an option.
        words = ["rankcut", command, f"./{name}" if name.startswith("-") else name]
        for setting in {**asked.reading, **self.given(*names)}.items():
            words += Setting(*setting).as_option()
        # What Python saves, the command writes.
        saved = re.search(r'"(\w+\.(png|html))"', lines[-1])
        words += ["-o", saved[1]] if saved else []
        if name in EXAMPLES:
            home, load, name = "rankcut.datasets", "load_lunch", name.partition(":")[2]
        reads = f"rankings = {spell(load, in_python(name), **asked.reading)}"
        start = [imports, f"from {home} import {load}", "", reads]
        start += ["rankings = rankings.rows(rankings.n_ranked() > 0)"] * self.dropped
        python = "\n".join([*start, *lines])
        return Answer(content, " ".join(map(in_shell, words)), python, **more)

    def panel(self, key: str, *same: str, **more: Any) -> Answer | None:
        """A panel of the report; ``same`` is another command that gives it, as for an answer."""
        panel = PANELS[key](self.study)
        if panel is None:
            return None
        if not same:
            made = spell("report", "rankings", **self.given("people", "unranked"))
            imports, saved = "from rankcut.report import report", f'{made}.save("report.html")'
            same = ("report people unranked", imports, saved)
        return self.answer(show_inside(panel), *same, **more)


def spell(function: str, *given: str, **settings: Any) -> str:
    """A call as Python writes it: what is given as it is, then settings.

    >>> spell("report", "rankings", unranked="last")
    'report(rankings, unranked="last")'
    """
    values = [*given, *(str(Setting(name, value)) for name, value in settings.items())]
    return f"{function}({', '.join(values)})"


def _column(name: str) -> str:
    return f"rankings[{in_python(name)}]"


def _people(subject: Subject) -> list[str]:
    return [f"people={_column(name)}" for name in subject.given("people").values()]


def consensus(subject: Subject) -> Answer | None:
    """The consensus by the method that was chosen."""
    study, title = subject.study, subject.rankings.title or "Consensus"
    found = ConsensusReport(study.items, subject.asked.method, 0.95, [study.consensus])
    model = spell("Consensus", **subject.given("method", "unranked"))
    return subject.panel(
        "consensus",
        "consensus method people unranked",
        "from rankcut import Consensus, plot_consensus",
        f"model = {model}{spell('.fit', 'rankings', *_people(subject))}",
        f'{spell("plot_consensus", "model", title=title)}.savefig("consensus.png", dpi=150)',
        draw=partial(draw_consensus, found, title),
        columns=found.columns(),
    )


def groups(subject: Subject) -> Answer | None:
    """Whether groups differ, and where."""
    by, rankings = subject.asked.by, subject.rankings
    if not by:
        return None
    given: dict[str, Any] = subject.given("unranked")
    found = compare_groups(rankings, rankings.columns[by], people=subject.people, **given)
    made = spell("compare_groups", "rankings", _column(by), *_people(subject), **given)
    return subject.answer(
        _main(comparison_page([{"title": "", **found.to_dict()}])),
        "compare by people unranked",
        "from rankcut import compare_groups",
        f"found = {made}",
        'found.plot().savefig("groups.png", dpi=150)',
        draw=found.plot,
        columns=found.items.columns,
    )


def ranking_map(subject: Subject) -> Answer | None:
    """The rankings in two dimensions."""
    if min(subject.rankings.ranks.shape) < 2:
        return None
    given, rankings = subject.given("by", "unranked"), subject.rankings
    picture = map_picture(read_map(rankings, **given), rankings.title)
    return subject.answer(
        join(*show_picture(picture)),
        "map by unranked",
        "from rankcut import plot_map",
        f'{spell("plot_map", "rankings", **given)}.savefig("map.png", dpi=150)',
        draw=partial(draw_figure, picture),
    )


def blocs(subject: Subject) -> Answer | None:
    """Whether people fall into camps."""
    given: dict[str, Any] = subject.given("unranked")
    rankings, title = subject.rankings, subject.rankings.title or "Blocs"
    model = RankingBlocs(**given).fit(rankings, people=subject.people)
    found, picture = BlocReport(model), bloc_map(rankings, model)
    drawn = spell("plot_map", "rankings", "names", **given, by_name="bloc", title=title)
    return subject.answer(
        _main(bloc_page(found, title, picture)),
        "blocs people unranked",
        "from rankcut import RankingBlocs, plot_map",
        f"model = {spell('RankingBlocs', **given)}{spell('.fit', 'rankings', *_people(subject))}",
        'names = [f"bloc {label + 1}" for label in model.labels_]',
        f'{drawn}.savefig("blocs.png", dpi=150)',
        draw=partial(draw_figure, picture),
        columns=found.columns(),
    )


def _main(page: str) -> Html:
    return Html(page.partition("<main>")[2].rpartition("</main>")[0])


def whole_page(subject: Subject) -> Answer:
    """The report, as one file to send."""
    given, source = subject.given("by", "people", "unranked"), Path(subject.asked.name).name
    made = report(subject.rankings, **given, source=source, progress=subject.say)
    return Answer(Html(), page=made.html)


ANSWERS: dict[str, Callable[[Subject], Answer | None]] = {
    "consensus": consensus,
    "groups": groups,
    **{key: partial(Subject.panel, key=key) for key in ("contents", "places", "pairs", "graph")},
    "map": ranking_map,
    "blocs": blocs,
    "report": whole_page,
}
"""The answers, and the page with all of them."""
