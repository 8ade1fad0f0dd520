"""The cards of the page: each is an answer, or a part of the report, with its command and Python.

A card calls what its command calls, on rankings that are read once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rankcut.answers import ANSWERS
from rankcut.app.reading import EXAMPLES, PARTS, Asked
from rankcut.errors import Setting, in_python, in_shell
from rankcut.pictures.page import Html, join
from rankcut.rankings.ranking_set import RankingSet
from rankcut.report.panels import PANELS
from rankcut.report.ranking_report import show_inside
from rankcut.report.study import Study, read_study
from rankcut.results import Result


@dataclass(frozen=True)
class Card:
    """What a card shows, and what can be saved of it."""

    content: Html
    command: str
    python: str
    forms: Sequence[str] = ()  #: the suffixes of what can be saved
    result: Result | None = None
    title: str = ""

    def save(self, path: Path) -> None:
        """Write a file by its suffix: what its command writes, safe for a spreadsheet."""
        assert self.result is not None  # it has forms
        self.result.save(path, title=self.title, spreadsheet=True)


# What people may set on the page, by the names of options.
_OPTIONS = ("by", "people", "method", "unranked")


class Subject:
    """The rankings of one file, and all that is asked of them."""

    def __init__(self, asks: Asked, rankings: RankingSet, say: Callable[[str], None]) -> None:
        filled = rankings.n_ranked() > 0
        self.asked, self.say, self.dropped = asks, say, not filled.all()
        self.rankings = rankings.rows(filled) if self.dropped else rankings
        self.choices = {
            "by": asks.by,
            "people": asks.people,
            "method": asks.method.replace("auto", ""),
            "unranked": asks.meaning(rankings),
            "source": Path(asks.name).name,
        }

    @cached_property
    def study(self) -> Study:
        """What the parts of the report are made of."""
        settings: Any = {name: self.choices[name] for name in ("people", "method", "unranked")}
        settings = {name: value for name, value in settings.items() if value}
        return read_study(self.rankings, progress=self.say, **settings)

    def card(self, key: str) -> Card | None:
        """A card by its key; None where there is no such answer."""
        if key == "consensus" or key in PARTS:
            panel = PANELS[key](self.study)
            if panel is None:
                return None
            if key in PARTS:
                return self._card("report", show_inside(panel))
            return self._card(key, show_inside(panel), self.study.consensus)
        answer = ANSWERS[key]
        if not answer.is_possible(self.rankings, self.choices):
            return None
        result = answer.compute(self.rankings, self.choices, self.say)
        return self._card(key, Html() if key == "report" else join(*result.body()), result)

    def _card(self, name: str, content: Html, result: Result | None = None) -> Card:
        """A card with the command of an answer, and the same in Python."""
        answer, title = ANSWERS[name], self.rankings.title
        forms: tuple[str, ...] = ()
        if result is not None:
            forms = ("html",) if name == "report" else ("png", "svg", "csv")
        saved = f"{name}{answer.suffix}"
        return Card(
            content, self._command(name, saved), self._python(name, saved), forms, result, title
        )

    def _command(self, name: str, saved: str) -> str:
        """The words of a shell that write a file of the same answer."""
        file, answer = self.asked.name, ANSWERS[name]
        # A file may be called like an option.
        words = ["rankcut", name, f"./{file}" if file.startswith("-") else file]
        choices = {each: self.choices[each] for each in answer.choices if each in _OPTIONS}
        for setting, value in {**self.asked.reading, **choices}.items():
            for each in value if isinstance(value, tuple) else (value,):
                words += Setting(setting, each).as_option() if each not in ("", None) else []
        return " ".join(map(in_shell, [*words, "-o", saved]))

    def _python(self, name: str, saved: str) -> str:
        """The lines of Python that write a file of the same answer."""
        file, module, load = self.asked.name, "rankcut", "read_file"
        if file in EXAMPLES:
            module, load, file = "rankcut.datasets", "load_lunch", file.partition(":")[2]
        settings = [str(Setting(*each)) for each in self.asked.reading.items()]
        reads = [f"rankings = {load}({', '.join([in_python(file), *settings])})"]
        reads += ["rankings = rankings.rows(rankings.n_ranked() > 0)"] * self.dropped
        lines = ANSWERS[name].in_python(self.choices)
        imports, code = lines[: lines.index("")], lines[lines.index("") + 1 :]
        save = f"result.save({in_python(saved)}, title=rankings.title)"
        return "\n".join([*imports, f"from {module} import {load}", "", *reads, *code, save])
