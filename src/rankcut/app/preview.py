"""The first rows of a file as they are in it, and what each column is read as."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from rankcut.errors import RankingFileError
from rankcut.files.formats import TABLES, chosen_format, read_blocks
from rankcut.files.options import COUNT, RANKING, TableOptions, as_option, positions
from rankcut.files.readings.surveys import without_headers
from rankcut.files.recognition import JUDGED_ROWS, ways_of
from rankcut.files.tables import TableBlock, is_missing, shown
from rankcut.files.text import Source
from rankcut.parameters import MOST_LISTED
from rankcut.rankings.orders import order_texts
from rankcut.rankings.ranking_set import RankingSet

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
