"""How a file was read, as data for the page: its first rows, the role of each column, mistakes."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from rankcut.answers import ANSWERS
from rankcut.app.preview import Preview, column_roles, preview_file, preview_rankings
from rankcut.errors import InputError, amount
from rankcut.files.formats import read_file
from rankcut.files.options import TableOptions
from rankcut.files.recognition import READ_AS
from rankcut.files.tables import shown
from rankcut.rankings.ranking_set import RankingSet

# A column of at most this many values can be one of groups.
_MOST_GROUPS = 30

# Longer answers, on average, are comments.
_LETTERS_OF_GROUP = 40

# Columns of a table that are shown, and letters of a cell.
_COLUMNS_SHOWN, _LETTERS_SHOWN = 60, 80

# How people may have a file read.
_READING = {each.name for each in fields(TableOptions)} - {"known_items"}
_READING |= {"format", "sheet", "header", "delimiter"}

EXAMPLES = ("lunch:full", "lunch:top-k", "lunch:ties", "lunch:incomplete")
"""The data sets that the page offers."""

PARTS = {
    "places": "Places of each item",
    "pairs": "Pairs",
    "graph": "Items that go together",
    "contents": "What is in it",
}
"""The parts of the report that have a card."""

TITLES = {name: answer.title for name, answer in ANSWERS.items() if answer.title} | PARTS
"""The cards of the page in their order, with their headings."""

KEYS = (
    "contents",
    "consensus",
    *sorted({*TITLES} - {"contents", "consensus"}, key=[*PARTS, *ANSWERS].index),
)
"""The cards in the order in which they are made, the quick ones first."""


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
        """What was asked of the file, read in another way; None or "" takes an option back."""
        options = {name: value for name, value in changes.items() if name in _READING}
        if "where" in options:
            options["where"] = tuple(map(str, options["where"] or ()))
        reading = {n: v for n, v in (self.reading | options).items() if v not in (None, "", ())}
        return replace(self, reading=reading)

    def relevant(self, key: str) -> "Asked":
        """What an answer depends on; anything else is as if nobody had chosen it.

        >>> Asked("votes.csv", by="town", method="kemeny").relevant("map").method
        'auto'
        """
        uses = ANSWERS[key].choices if key in ANSWERS else ("people",)
        unset: Any = {"people": "", "by": "", "method": "auto"}
        return replace(self, **{name: value for name, value in unset.items() if name not in uses})

    def meaning(self, rankings: RankingSet) -> str:
        """What unranked items mean: unknown, unless people or the file say so; "" without any."""
        filled = rankings.n_ranked()
        if (filled[filled > 0] == len(rankings.items)).all():
            return ""
        return self.unranked or rankings.unranked.replace("error", "anywhere")


def look(asks: Asked) -> tuple[RankingSet | None, dict[str, Any]]:
    """The rankings, and how they were read, as data for the page; None if they cannot be."""
    about: dict[str, Any] = {"mistake": None, "roles": [], "names": [], "groups": {}}
    rankings = preview = line = None
    example = asks.name in EXAMPLES
    try:
        if example:
            from rankcut.datasets import load_lunch

            rankings = load_lunch(asks.name.partition(":")[2])  # type: ignore[arg-type]
        else:
            rankings = read_file(asks.name, **asks.reading)
    except InputError as mistake:
        about["mistake"], line = say_mistake(mistake), mistake.line
    try:
        preview = None if example else preview_file(asks.name, asks.reading, line=line)
    except InputError as mistake:
        about["mistake"] = about["mistake"] or say_mistake(mistake)
    if rankings is not None:
        about["fixed"] = preview is None
        preview = preview or preview_rankings(rankings)
        about |= _described(asks, rankings, preview)
    return rankings, about if preview is None else about | _rows(preview)


def first_rows(asks: Asked) -> dict[str, Any] | None:
    """The first rows of a table, for the page to show while all of them are read."""
    try:
        preview = None if asks.name in EXAMPLES else preview_file(asks.name, asks.reading)
    except InputError:
        return None
    return None if preview is None else _rows(preview)


def _rows(preview: Preview) -> dict[str, Any]:
    most = slice(0, _COLUMNS_SHOWN)
    return asdict(preview) | {
        "names": preview.names[most],
        "labels": preview.labels[most],
        "sheets": {each: each for each in preview.sheets},
        "rows": [[cell[:_LETTERS_SHOWN] for cell in row[most]] for row in preview.rows],
    }


def _described(asks: Asked, rankings: RankingSet, preview: Preview) -> dict[str, Any]:
    sizes = f"{amount(len(rankings.items), 'item')}, {amount(rankings.n_rankings, 'ranking')}"
    line = rankings.metadata.get(READ_AS, f"read as rankings: {sizes}")
    empty = int(rankings.counts[rankings.n_ranked() == 0].sum())
    line += f"; {amount(empty, 'ranking')} without an answer left out" if empty else ""
    return {
        "said": f"{line[0].upper()}{line[1:]}.",
        "title": rankings.title,
        # Items that are no names of columns are known to a reading only.
        "recognised": not {*map(str, rankings.items)} <= {*preview.names},
        "roles": column_roles(preview, rankings, asks.reading)[:_COLUMNS_SHOWN],
        "unranked": asks.meaning(rankings),
        "groups": {
            name: _groups(values) for name, values in rankings.columns.items() if _can_group(values)
        },
    }


def _can_group(values: Any) -> bool:
    """Whether a column has groups, some of several rankings; comments are longer than names."""
    distinct = _groups(values)
    short = sum(map(len, distinct)) <= _LETTERS_OF_GROUP * len(distinct)
    return 1 < len(distinct) <= min(_MOST_GROUPS, len(values) - 1) and short


def _groups(values: Any) -> list[str]:
    """The groups of a column as text, in order."""
    distinct = {shown(value) for value in values.tolist() if value is not None and value == value}
    return sorted(distinct)


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
