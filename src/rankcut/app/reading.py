"""How a file was read, as data for the page: its first rows, the role of each column, mistakes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal, TypeAlias

from rankcut.answers import ANSWERS
from rankcut.errors import InputError, RankingFileError, amount
from rankcut.files.formats import TABLES, chosen_format, read_blocks, read_file
from rankcut.files.options import COUNT, RANKING, TableOptions, as_option, positions
from rankcut.files.readings.surveys import without_headers
from rankcut.files.recognition import JUDGED_ROWS, READ_AS, ways_of
from rankcut.files.tables import TableBlock, is_missing, shown
from rankcut.files.text import Source
from rankcut.parameters import MOST_LISTED
from rankcut.rankings.orders import order_texts
from rankcut.rankings.ranking_set import RankingSet

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


Role: TypeAlias = Literal["item", "place", "weight", "person", "other"]
"""What a column is: an item or a place, how much or whose a ranking is, or none of these."""


@dataclass(frozen=True)
class Preview:
    """What a file looks like."""

    names: list[str]  #: of the columns
    rows: list[list[str]]  #: cells as text, empty where there is no value
    lines: list[int]  #: where the rows stand in the file
    labels: list[str] = field(default_factory=list)  #: what a survey tool says about each column
    questions: dict[str, str] = field(default_factory=dict)  #: names and titles, if several
    sheets: list[str] = field(default_factory=list)  #: of a workbook


def preview_file(
    source: Source, options: Mapping[str, Any], *, rows: int = 8, line: int | None = None
) -> Preview | None:
    r"""The first rows of a table, and the one on a line that is asked for; None if it is no table.

    ``options`` are those of :func:`~rankcut.read_file`.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".csv") as file:
    ...     _ = file.write(b"who,toro,uni\nann,1,2\nbob,2,\n"), file.flush()
    ...     preview_file(file.name, {}).rows
    [['ann', '1', '2'], ['bob', '2', '']]
    """
    name = chosen_format(source, options.get("format"))
    if name not in TABLES:
        return None
    how = (options.get("delimiter"), options.get("header"), options.get("sheet"))
    blocks = read_blocks(source, name, *how, JUDGED_ROWS)
    first = without_headers(next(blocks))
    cells, lines = _cells(first, range(min(rows, len(first)))), first.lines[:rows].tolist()
    if line is not None and line not in lines:
        block = first
        while line > int(block.lines[-1]) and (later := next(blocks, None)) is not None:
            block = later
        there = [row for row, own in enumerate(block.lines.tolist()) if own == line]
        cells += _cells(block, there)
        lines += [line] * len(there)
    questions = {way.question: way.title or way.question for way in ways_of(first, TableOptions())}
    several = questions if len(questions) > 1 else {}
    labels, sheets = list(first.about), list(first.sheets)
    return Preview(list(first.names), cells, lines, labels, several, sheets)


def _cells(block: TableBlock, rows: Iterable[int]) -> list[list[str]]:
    columns = [(cells.codes, cells.distinct) for cells in map(block.cells, range(len(block.names)))]
    return [[_text(distinct[codes[row]]) for codes, distinct in columns] for row in rows]


def preview_rankings(rankings: RankingSet, rows: int = 8) -> Preview:
    """The first rankings: ranks of a few items or else orders, and what else is known of them.

    >>> import numpy as np
    >>> votes = RankingSet(np.array([[1.0, 2.0]]), ("toro", "uni"), counts=[3])
    >>> preview_rankings(votes).rows
    [['1', '2', '3']]
    """
    few = rankings.rows(slice(0, rows))
    columns = {name: list(map(_text, values.tolist())) for name, values in few.columns.items()}
    counts = {COUNT: list(map(str, few.counts.tolist()))} if rankings.counted else {}
    ranked: dict[str, list[str]] = {"order": order_texts(few.ranks, few.items)}
    if len(few.items) <= MOST_LISTED:
        cells = zip(map(str, few.items), few.dense().T.tolist(), strict=True)
        ranked = {item: list(map(_text, ranks)) for item, ranks in cells}
    table = {**ranked, **counts, **columns}
    shown_rows = [list(row) for row in zip(*table.values(), strict=True)]
    return Preview(list(table), shown_rows, list(range(1, len(few) + 1)))


def _text(value: Any) -> str:
    return "" if is_missing(value) else shown(value)


def column_roles(
    preview: Preview, rankings: RankingSet, options: Mapping[str, Any] | None = None
) -> list[Role]:
    """What each column of a preview was read as.

    >>> import numpy as np
    >>> seen = Preview(["who", "toro", "uni"], [["ann", "1", "2"]], [2])
    >>> column_roles(seen, RankingSet(np.array([[1.0, 2.0]]), ("toro", "uni"),
    ...                               columns={"who": np.array(["ann"])}))
    ['other', 'item', 'item']
    """
    settings = dict(options or {})
    items = {str(item) for item in rankings.items}

    def named(option: str, usual: str) -> set[int]:
        columns = settings.get(option) or ([usual] if usual in preview.names else [])
        try:
            return set(positions(columns, preview.names, ""))
        except RankingFileError:
            return set()

    weights = named("count", COUNT) | named("weight", "")
    people, others = named("ranking", RANKING), named("columns", "")
    read = {
        i: [row[i] for row in preview.rows if row[i]]
        for i, name in enumerate(preview.names)
        if i not in weights | people | others and name not in rankings.columns
    }
    ids = {shown(own) for own in rankings.ids or ()}
    people |= {i for i, cells in read.items() if cells and ids.issuperset(cells)}
    naming = {i for i, cells in read.items() if cells and items.issuperset(cells)}
    roles: list[Role] = []
    for i in range(len(preview.names)):
        if i in weights or i in people:
            roles.append("weight" if i in weights else "person")
        elif i not in read:
            roles.append("other")
        elif not naming:
            roles.append("item")
        else:
            # Several columns with names of items are places; beside a single one are its ranks.
            roles.append("place" if (i in naming) == (len(naming) > 1) else "item")
    return roles


def reading_with(
    column: int,
    role: str,
    names: Sequence[str],
    roles: Sequence[str],
    options: Mapping[str, Any],
    *,
    recognised: bool = False,
) -> dict[str, Any]:
    """The options that change when a column gets another role; None takes one back.

    A question that was recognised keeps the names of its items.

    >>> reading_with(0, "other", ["year", "toro", "uni"], ["item"] * 3, {})
    {'item_columns': 'toro,uni'}
    >>> reading_with(0, "other", ["Q1_1", "Q1_2", "Q1_3"], ["item"] * 3, {}, recognised=True)
    {'columns': '1'}
    """
    old, items = roles[column], ("item", "place")
    changes: dict[str, Any] = {}
    if "weight" in (old, role):
        changes["weight"] = names[column] if role == "weight" else None
    others = [i for i, own in enumerate(roles) if own in items and i != column]
    about = [own for own in str(options.get("columns", "")).split(",") if own]
    if role in items and old not in items:
        rest = [own for own in about if own not in (names[column], str(column + 1))]
        changes["columns"] = ",".join(rest) or None
        if not recognised or rest == about:
            changes["item_columns"] = as_option(sorted([*others, column]), names)
    elif old in items and role not in items and recognised:
        changes["columns"] = ",".join([*about, str(column + 1)])
    elif old in items and role not in items:
        changes["item_columns"] = as_option(others, names)
    return changes


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


def _can_group(values: Any, most: int = 30, letters: int = 40) -> bool:
    """Whether a column has up to ``most`` groups, some of several rankings.

    Comments are longer than names: they have more than so many letters on average.
    """
    distinct = _groups(values)
    short = sum(map(len, distinct)) <= letters * len(distinct)
    return 1 < len(distinct) <= min(most, len(values) - 1) and short


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
