"""Every answer, once: what makes it, what people may set, and how Python spells it.

The command has a subcommand for each and the page cards; both loop over :data:`ANSWERS`. To add an
answer, write a function of rankings, or an estimator, whose result is a
:class:`~rankcut.results.Result`, and name it here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any

from rankcut.errors import Setting, in_python

if TYPE_CHECKING:
    from rankcut.rankings.ranking_set import RankingSet
    from rankcut.results import Result

# Parameters that are called otherwise where they take values, and not the name of a column.
_OF_VALUES = {"by": "groups"}


@dataclass(frozen=True)
class Answer:
    r"""What makes an answer, and what people may set.

    Examples
    --------
    >>> print("\n".join(ANSWERS["consensus"].in_python({"method": "kemeny", "people": "who"})))
    from rankcut import Consensus
    <BLANKLINE>
    result = Consensus(method="kemeny").fit(rankings, people=rankings["who"])
    >>> print(ANSWERS["map"].in_python({"by": "town"})[-1])
    result = map_rankings(rankings, by="town")
    """

    makes: str  #: an estimator, or a function of rankings: ``module:name``, as users import it
    module: str  #: of :mod:`rankcut.cli`, which has the subcommand
    settings: tuple[str, ...] = ()  #: parameters that take a value
    columns: tuple[str, ...] = ()  #: parameters that take a column of the rankings
    by_name: bool = False  #: whether columns are taken by their names
    needs: tuple[str, ...] = ()  #: the columns without which there is no answer
    view: str = ""  #: what shows a fitted estimator together with its rankings
    least: int = 1  #: how many rankings, and items, it needs
    title: str = ""  #: of its card on the page; empty: it has none
    suffix: str = ".png"  #: of the file that the page suggests

    @property
    def choices(self) -> tuple[str, ...]:
        """What people may set."""
        return (*self.columns, *self.settings)

    def is_possible(self, rankings: "RankingSet", choices: Mapping[str, str]) -> bool:
        """Whether there is an answer about these rankings, with what people chose."""
        named = all(choices.get(name) for name in self.needs)
        return named and min(rankings.ranks.shape) >= self.least

    def compute(
        self,
        rankings: "RankingSet",
        choices: Mapping[str, str],
        progress: Callable[[str], None] | None = None,
    ) -> "Result":
        """The result; a choice that is empty is the default."""
        made_by: Any = _load(self.makes)
        settings: dict[str, Any] = _some(self.settings, choices)
        columns: dict[str, Any] = _some(self.columns, choices)
        if not self.by_name:
            columns = {self._name(name): rankings[column] for name, column in columns.items()}
        if isinstance(made_by, type):
            result: Result = made_by(**settings).fit(rankings, **columns)
            return _load(self.view)(result, rankings) if self.view else result
        if progress is not None and "progress" in signature(made_by).parameters:
            settings["progress"] = progress
        return made_by(rankings, **columns, **settings)  # type: ignore[no-any-return]

    def in_python(self, choices: Mapping[str, str]) -> list[str]:
        """The imports, an empty line, and what gives the same result of ``rankings``."""
        settings = [str(Setting(*each)) for each in _some(self.settings, choices).items()]
        columns = [
            str(Setting(name, column))
            if self.by_name
            else f"{self._name(name)}=rankings[{in_python(column)}]"
            for name, column in _some(self.columns, choices).items()
        ]
        imports, name = [_import(self.makes)], self.makes.partition(":")[2]
        if not isinstance(_load(self.makes), type):
            return [*imports, "", f"result = {_call(name, 'rankings', *columns, *settings)}"]
        fitted = f"{_call(name, *settings)}{_call('.fit', 'rankings', *columns)}"
        if not self.view:
            return [*imports, "", f"result = {fitted}"]
        view = _call(self.view.partition(":")[2], "model", "rankings")
        return [*imports, _import(self.view), "", f"model = {fitted}", f"result = {view}"]

    def _name(self, name: str) -> str:
        return _OF_VALUES.get(name, name)


def _load(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def _import(place: str) -> str:
    module, _, name = place.partition(":")
    return f"from {module} import {name}"


def _call(name: str, *arguments: str) -> str:
    return f"{name}({', '.join(arguments)})"


def _some(names: tuple[str, ...], choices: Mapping[str, str]) -> dict[str, str]:
    """The choices of these names that are not empty."""
    return {name: choices[name] for name in names if choices.get(name)}


ANSWERS = {
    "report": Answer(
        "rankcut.report:report",
        "report",
        settings=("unranked", "source"),
        columns=("by", "people"),
        by_name=True,
        suffix=".html",
    ),
    "consensus": Answer(
        "rankcut:Consensus",
        "consensus",
        settings=("method", "unranked"),
        columns=("people",),
        title="Consensus",
    ),
    "leaderboard": Answer(
        "rankcut:Leaderboard", "leaderboard", settings=("unranked",), columns=("people",), least=2
    ),
    "utilities": Answer(
        "rankcut:Utilities",
        "utilities",
        settings=("unranked", "scale", "anchor"),
        columns=("people",),
        least=2,
        suffix=".csv",
    ),
    "transfers": Answer("rankcut.consensus.transfers:count_transfers", "consensus"),
    "similar": Answer("rankcut.similar:find_similar", "vectors", least=2, suffix=".csv"),
    "compare": Answer(
        "rankcut:compare_groups",
        "groups",
        settings=("unranked",),
        columns=("by", "people"),
        needs=("by",),
        title="Groups",
    ),
    "map": Answer(
        "rankcut.maps:map_rankings",
        "report",
        settings=("unranked",),
        columns=("by",),
        by_name=True,
        least=2,
        title="Map",
    ),
    "blocs": Answer(
        "rankcut:RankingBlocs",
        "groups",
        settings=("unranked",),
        columns=("people",),
        view="rankcut.blocs.report:BlocReport",
        title="Camps",
    ),
    "complete": Answer(
        "rankcut:RankingCompleter", "complete", settings=("unranked",), suffix=".csv"
    ),
}
"""The answers, by the names of their subcommands."""
