"""How a file was read, as data for the page: its first rows, the role of each column, mistakes."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from rankcut.errors import InputError, amount
from rankcut.files.formats import read_file
from rankcut.files.preview import Preview, column_roles, preview_file, preview_rankings
from rankcut.files.recognising import READ_AS
from rankcut.files.roles import TableOptions
from rankcut.rankings.ranking_set import RankingSet

# A column of at most this many values can be one of groups.
_MOST_GROUPS = 30

# Columns of a table that are shown, and letters of a cell.
_MOST_COLUMNS, _MOST_LETTERS = 60, 80

# How people may have a file read.
_READING = {each.name for each in fields(TableOptions)} - {"known_items", "where"}
_READING |= {"format", "sheet", "header", "delimiter"}

EXAMPLES = ("lunch:full", "lunch:top-k", "lunch:ties", "lunch:incomplete")
"""The data sets that the page offers."""

KEYS = ("contents", "consensus", "groups", "places", "pairs", "graph", "map", "blocs")
"""The answers that the page gives by itself, the quick ones first."""

# What some answers depend on, beside the rankings and what unranked items mean; others, on people.
_USES = {
    "consensus": {"people", "method"},
    "groups": {"by", "people"},
    "map": {"by"},
    "report": {"by", "people"},
}


@dataclass(frozen=True)
class Asked:
    """What people have chosen: how to read a file, and what to ask of it."""

    name: str  #: of the file or example, as a command calls it
    reading: dict[str, Any] = field(default_factory=dict, hash=False)  #: options of ``read_file``
    unranked: str = ""  #: empty: as the file says, or unknown
    by: str = ""  #: the column of groups
    people: str = ""  #: the column that says whose ranking it is
    method: str = "auto"  #: of the consensus

    def reading_with(self, changes: Mapping[str, Any]) -> "Asked":
        """The same, but read in another way; None or "" takes an option back."""
        known = {name: value for name, value in changes.items() if name in _READING}
        kept = {name: v for name, v in (self.reading | known).items() if v not in (None, "")}
        return replace(self, reading=kept)

    def relevant(self, key: str) -> "Asked":
        """What an answer depends on; anything else is as if nobody had chosen it.

        >>> Asked("votes.csv", by="town", method="kemeny").relevant("map").method
        'auto'
        """
        uses = _USES.get(key, {"people"})
        chosen: Any = {"people": "", "by": "", "method": "auto"}
        return replace(self, **{name: own for name, own in chosen.items() if name not in uses})

    def meaning(self, rankings: RankingSet) -> str:
        """What unranked items mean: unknown, unless people or the file say so; "" without any."""
        filled = rankings.n_ranked()
        if (filled[filled > 0] == len(rankings.items)).all():
            return ""
        return self.unranked or rankings.unranked.replace("error", "anywhere")


def look(asked: Asked) -> tuple[RankingSet | None, dict[str, Any]]:
    """The rankings, and how they were read, as data for the page; None if they cannot be."""
    about: dict[str, Any] = {"mistake": None, "roles": [], "names": [], "groups": []}
    rankings = seen = line = None
    example = asked.name in EXAMPLES
    try:
        if example:
            from rankcut.datasets import load_lunch

            rankings = load_lunch(asked.name.partition(":")[2])  # type: ignore[arg-type]
        else:
            rankings = read_file(asked.name, **asked.reading)
    except InputError as mistake:
        about["mistake"], line = say_mistake(mistake), mistake.line
    try:
        seen = None if example else preview_file(asked.name, asked.reading, line=line)
    except InputError as mistake:
        about["mistake"] = about["mistake"] or say_mistake(mistake)
    if rankings is not None:
        about["fixed"] = seen is None
        seen = seen or preview_rankings(rankings)
        about |= _described(asked, rankings, seen)
    if seen is not None:
        most = slice(0, _MOST_COLUMNS)
        about |= asdict(seen) | {
            "names": seen.names[most],
            "labels": seen.labels[most],
            "sheets": {each: each for each in seen.sheets},
            "rows": [[cell[:_MOST_LETTERS] for cell in row[most]] for row in seen.rows],
        }
    return rankings, about


def _described(asked: Asked, rankings: RankingSet, seen: Preview) -> dict[str, Any]:
    sizes = f"{amount(len(rankings.items), 'item')}, {amount(rankings.n_rankings, 'ranking')}"
    said = rankings.metadata.get(READ_AS, f"read as rankings: {sizes}")
    empty = int(rankings.counts[rankings.n_ranked() == 0].sum())
    said += f"; {amount(empty, 'ranking')} without an answer left out" if empty else ""
    return {
        "said": f"{said[0].upper()}{said[1:]}.",
        "title": rankings.title,
        "recognised": READ_AS in rankings.metadata,
        "roles": column_roles(seen, rankings, asked.reading)[:_MOST_COLUMNS],
        "unranked": asked.meaning(rankings),
        "groups": [name for name, values in rankings.columns.items() if _can_group(values)],
    }


def _can_group(values: Any) -> bool:
    known = {value for value in values.tolist() if value is not None and value == value}
    return 1 < len(known) <= _MOST_GROUPS


# What choosing a setting, or one of its values, says on a button.
_SAYS = {
    "columns": "{} is not an item",
    "item_columns": "items: {}",
    "missing": "{} is no answer",
    "layout=ratings": "these are scores",
    "layout=ballots": "each column is a place",
    "layout=long": "each line is one item of a ranking",
    "layout=wide": "each column is an item",
    "scale": "from best to worst: {}",
    "repeats": "count the {} mention",
    "higher_is_better=True": "higher is better",
    "higher_is_better=False": "lower is better",
    "unranked=last": "they come after all others",
    "unranked=anywhere": "we do not know their places",
}


def say_mistake(mistake: Exception) -> dict[str, Any]:
    """What is wrong, where, and what each button would set."""
    if not isinstance(mistake, InputError):
        return {"said": str(mistake) or type(mistake).__name__, "remedies": []}
    choices = mistake.remedies()
    if "format" in str(mistake.remedy) and not choices:
        choices = [{"format": each} for each in ("csv", "tsv", "json", "xlsx", "soi", "blt")]

    def says(name: str, value: Any) -> str:
        if name == "columns" and "," in str(value):
            return f"{str(value).replace(',', ', ')} are not items"
        return _SAYS.get(f"{name}={value}", _SAYS.get(name, f"{name}: {{}}")).format(value)

    return {
        "said": mistake.moved(file=None, remedy="" if choices else mistake.remedy).render(),
        "line": mistake.line,
        "column": mistake.column,
        "remedies": [
            {"says": ", ".join(says(*each) for each in sets.items()), "sets": sets}
            for sets in choices
        ],
    }
