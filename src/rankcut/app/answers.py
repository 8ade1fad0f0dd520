"""The answers about a file, each with the command and the Python that give the same.

An answer calls what its command calls, on rankings that are read once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from rankcut.app.reading import Asked
from rankcut.comparison.results import LEVEL
from rankcut.errors import Setting, in_python, in_shell
from rankcut.pictures.page import Html, join, show_picture, tag
from rankcut.rankings.ranking_set import RankingSet
from rankcut.report.panels import PANELS
from rankcut.report.study import Study, read_study


@dataclass(frozen=True)
class Answer:
    """What a card shows, and what can be saved of it."""

    content: Html
    command: str
    python: str
    finding: str = ""  #: if it is more than chance
    draw: Callable[[], Any] | None = None
    columns: Mapping[str, Any] | None = None
    page: str = ""


class Subject:
    """The rankings of one file, and all that is asked of them."""

    def __init__(self, asked: Asked, rankings: RankingSet, say: Callable[[str], None]) -> None:
        filled = rankings.n_ranked() > 0
        self.asked, self.say, self.dropped = asked, say, not filled.all()
        self.rankings = rankings.rows(filled) if self.dropped else rankings
        self.unranked: Any = "error"
        if (rankings.n_ranked()[filled] < len(rankings.items)).any():
            self.unranked = asked.unranked or asked.meaning(rankings, "error")

    @cached_property
    def study(self) -> Study:
        """What the panels of the report are made of."""
        how = self.given("people", "unranked", "method")
        return read_study(self.rankings, progress=self.say, **how)

    def given(self, *names: str) -> dict[str, Any]:
        """The settings of those names that differ from what a command takes by itself."""
        own = {name: getattr(self.asked, name) for name in names} | {"unranked": self.unranked}
        usual = ("", "auto", "error")
        return {name: own[name] for name in names if own[name] not in usual}

    def command(self, name: str, *names: str, output: str = "") -> str:
        """The command that gives the same."""
        every = {**self.asked.reading, **self.given(*names)}
        options = (Setting(option, value).as_option() for option, value in every.items())
        # A file may be called like an option.
        file = f"./{self.asked.name}" if self.asked.name.startswith("-") else self.asked.name
        words = ["rankcut", name, file, *chain.from_iterable(options)]
        return " ".join(map(in_shell, [*words, *(["-o", output] if output else [])]))

    def python(self, imports: str, *lines: str) -> str:
        """The same in Python."""
        asked, home, load, name = self.asked, "rankcut", "read_file", self.asked.name
        if asked.dataset:
            home, load, name = "rankcut.datasets", "load_lunch", name.partition(":")[2]
        reads = f"rankings = {spell(load, in_python(name), **asked.reading)}"
        start = [imports, f"from {home} import {load}", "", reads]
        start += ["rankings = rankings.rows(rankings.n_ranked() > 0)"] * self.dropped
        return "\n".join([*start, *lines])

    def panel(self, key: str, **more: Any) -> Answer | None:
        """A panel of the report; ``more`` is what another command says about it."""
        panel = PANELS[key](self.study)
        if panel is None:
            return None
        made = spell("report", "rankings", **self.given("people", "unranked"))
        shown: dict[str, Any] = {
            "command": self.command("report", "people", "unranked", output="report.html"),
            "python": self.python(
                "from rankcut.report import report", f'{made}.save("report.html")'
            ),
        }
        notes = tag("p", panel.notes, kind="soft") if panel.notes else ""
        said = tag("p", panel.said.replace(" %", "\u00a0%"), kind="says")
        content = join(said, panel.figure, panel.table, notes)
        return Answer(content, finding=panel.finding * panel.stands_out, **(shown | more))


def spell(function: str, *given: str, **settings: Any) -> str:
    """A call as Python writes it: what is given as it is, then settings.

    >>> spell("report", "rankings", unranked="last")
    'report(rankings, unranked="last")'
    """
    values = [*given, *(str(Setting(name, value)) for name, value in settings.items())]
    return f"{function}({', '.join(values)})"


def _column(name: str) -> str:
    return f"rankings[{in_python(name)}]"


def _saved(name: str) -> str:
    return f'.savefig("{name}.png", dpi=150)'


def contents(subject: Subject) -> Answer | None:
    """What is in the file, and what looks wrong."""
    describe = spell("describe", "rankings", **subject.given("unranked"))
    imports = "from rankcut.report.description import describe"
    return subject.panel(
        "contents",
        command=subject.command("info", "unranked"),
        python=subject.python(imports, f"print({describe})"),
    )


def consensus(subject: Subject) -> Answer | None:
    """The consensus by the method that was chosen."""
    from rankcut.consensus.figure import draw_consensus
    from rankcut.consensus.words import ConsensusReport

    study, title = subject.study, subject.rankings.title or "Consensus"
    report = ConsensusReport(study.items, subject.asked.method, 0.95, [study.consensus])
    people = [f"people={_column(value)}" for value in subject.given("people").values()]
    model = spell("Consensus", **subject.given("method", "unranked"))
    return subject.panel(
        "consensus",
        command=subject.command(
            "consensus", "method", "people", "unranked", output="consensus.png"
        ),
        python=subject.python(
            "from rankcut import Consensus, plot_consensus",
            f"model = {model}{spell('.fit', 'rankings', *people)}",
            f"{spell('plot_consensus', 'model', title=title)}{_saved('consensus')}",
        ),
        draw=lambda: draw_consensus(report, title),
        columns=report.columns(),
    )


def groups(subject: Subject) -> Answer | None:
    """Whether groups differ, and where."""
    from rankcut.comparison.group_differences import compare_groups
    from rankcut.comparison.page import comparison_page

    by, people, columns = subject.asked.by, subject.asked.people, subject.rankings.columns
    if not by:
        return None
    found = compare_groups(
        subject.rankings,
        columns[by],
        unranked=subject.unranked,
        people=columns[people] if people else None,
    )
    words = ["rankings", _column(by), *([f"people={_column(people)}"] if people else [])]
    made = spell("compare_groups", *words, **subject.given("unranked"))
    return Answer(
        _main(comparison_page([{"title": "", **found.to_dict()}])),
        subject.command("compare", "by", "people", "unranked", output="groups.png"),
        subject.python(
            "from rankcut import compare_groups",
            f"found = {made}",
            f"found.plot(){_saved('groups')}",
        ),
        found.verdict() * bool(found.p_value <= LEVEL),
        found.plot,
        found.items.columns,
    )


def ranking_map(subject: Subject) -> Answer | None:
    """The rankings in two dimensions."""
    from rankcut.pictures.figures import draw_figure
    from rankcut.pictures.maps import map_picture, read_map

    rankings = subject.rankings
    if min(rankings.ranks.shape) < 2:
        return None
    picture = map_picture(read_map(rankings, **subject.given("by", "unranked")), rankings.title)
    made = spell("plot_map", "rankings", **subject.given("by", "unranked"))
    return Answer(
        join(*show_picture(picture)),
        subject.command("map", "by", "unranked", output="map.png"),
        subject.python("from rankcut import plot_map", f"{made}{_saved('map')}"),
        draw=lambda: draw_figure(picture),
    )


def blocs(subject: Subject) -> Answer | None:
    """Whether people fall into camps."""
    from rankcut.blocs.estimator import RankingBlocs
    from rankcut.blocs.figure import bloc_page
    from rankcut.blocs.words import BlocReport
    from rankcut.pictures.figures import draw_figure
    from rankcut.pictures.maps import map_picture, read_map

    rankings, given = subject.rankings, subject.given("unranked")
    title = rankings.title or "Blocs"
    model = RankingBlocs(**given).fit(rankings)
    report = BlocReport.of(model)
    names = np.array([f"bloc {label + 1}" for label in model.labels_.tolist()], dtype=object)
    picture = map_picture(read_map(rankings, names, **given, by_name="bloc"), title)
    return Answer(
        _main(bloc_page(report, title, picture)),
        subject.command("blocs", "unranked", output="blocs.png"),
        subject.python(
            "from rankcut import RankingBlocs, plot_map",
            f"model = {spell('RankingBlocs', **given)}.fit(rankings)",
            'names = [f"bloc {label + 1}" for label in model.labels_]',
            spell("plot_map", "rankings", "names", **given, by_name="bloc", title=title)
            + _saved("blocs"),
        ),
        report.sentences()[0] * (report.structure in ("camps", "line")),
        lambda: draw_figure(picture),
        report.columns(),
    )


def _main(page: str) -> Html:
    return Html(page.partition("<main>")[2].rpartition("</main>")[0])


def whole_page(subject: Subject) -> Answer:
    """The report, as one file to send."""
    from rankcut.report import report

    given, source = subject.given("by", "people", "unranked"), Path(subject.asked.name).name
    made = report(subject.rankings, **given, source=source, progress=subject.say)
    return Answer(Html(), "", "", page=made.html)


ANSWERS: dict[str, Callable[[Subject], Answer | None]] = {
    "contents": contents,
    "consensus": consensus,
    "groups": groups,
    "places": lambda subject: subject.panel("places"),
    "pairs": lambda subject: subject.panel("pairs"),
    "graph": lambda subject: subject.panel("graph"),
    "map": ranking_map,
    "blocs": blocs,
}
"""The answers, the quick ones first."""

MAKERS = {**ANSWERS, "report": whole_page}
"""The same, and the page that is made when somebody wants it."""
