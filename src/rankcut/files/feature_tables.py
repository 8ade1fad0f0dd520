"""Tables that describe items or people: a row for each, with its name and its features."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from rankcut.errors import RankingFileError, Setting, Text, amount
from rankcut.files.options import positions
from rankcut.files.stored_tables import parquet_blocks
from rankcut.files.tables import Header, TableBlock, is_missing, typed
from rankcut.files.text import Source, source_name, text_blocks


@dataclass(frozen=True, eq=False)
class ItemTable:
    """Items and their features.

    Attributes
    ----------
    items : tuple of str
        The items' names.
    features : dict of ndarrays
        Numbers as float64, categories as objects.
    """

    items: tuple[str, ...]
    features: dict[str, NDArray[np.generic]]

    def __repr__(self) -> str:
        return f"ItemTable({amount(len(self.items), 'item')}: {', '.join(self.features)})"

    def points(self) -> NDArray[np.float64]:
        """One point for each item: scaled numbers, TF-IDF of texts, categories one-hot."""
        from rankcut.graphs.item_features import encoded

        return np.hstack([encoded(values) for values in self.features.values()])


def read_items(
    source: Source,
    *,
    item: str | None = None,
    columns: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    header: Header = None,
) -> ItemTable:
    r"""Read a table of items from CSV, TSV or Parquet.

    Parameters
    ----------
    source : path or file object
        Its suffix gives the format; CSV if the suffix is unknown.
    item : str or None
        The column with the items' names; None is the first.
    columns : str or sequence of str or None
        The columns to take as features, by name or number; None is all the others.
    delimiter, header
        As in :func:`~rankcut.read_file`.

    Examples
    --------
    >>> import io
    >>> table = read_items(io.StringIO("dish,price,kind\ntoro,9,nigiri\nkappa,2,roll\n"))
    >>> table
    ItemTable(2 items: price, kind)
    >>> table.items
    ('toro', 'kappa')
    >>> table.points()
    array([[ 1.,  1.,  0.],
           [-1.,  0.,  1.]])
    """
    table = _whole_table(source, delimiter, header)
    name, names = table.source, table.names
    if table.marked is not None:
        raise RankingFileError(
            "holds rankings; it is not a table of items",
            name,
            remedy="learn a graph from them (AgreementGraph, or 'rankcut graph --learn agreement')",
        )
    label = 0 if item is None else positions([item], names, name)[0]
    places = positions(columns, names, name) if columns is not None else range(len(names))
    cells = table.objects(label)
    items = tuple("" if cell is None else str(cell).strip() for cell in cells)
    _check_names(items, table)
    features = {names[i]: _feature(table, i, items) for i in places if i != label}
    if not features:
        raise RankingFileError(
            "a table of items needs at least one column besides the names of the items", name
        )
    if columns is None:
        _check_tells(features, name)
    return ItemTable(items, features)


def _whole_table(source: Source, delimiter: str | None, header: Header) -> TableBlock:
    """All rows of a CSV, TSV or Parquet file."""
    suffix = source_name(source).removesuffix(".gz").rpartition(".")[2].lower()
    if suffix == "parquet":
        return TableBlock.joined(list(parquet_blocks(source)))
    divider = delimiter or ("\t" if suffix == "tsv" else ",")
    return TableBlock.joined(list(text_blocks(source, delimiter=divider, header=header)))


def _check_names(items: Sequence[str], table: TableBlock) -> None:
    earlier: set[str] = set()
    for item, line in zip(items, table.lines.tolist(), strict=True):
        if not item:
            raise RankingFileError("this item has no name", table.source, line)
        if item in earlier:
            raise RankingFileError(
                f"item {item!r} has two rows; each item needs one",
                table.source,
                line,
                remedy=["name the column of their names with ", Setting("item")],
            )
        earlier.add(item)


def _feature(table: TableBlock, column: int, items: Sequence[str]) -> NDArray[np.generic]:
    """A column, each item with a value."""
    cells, name = table.objects(column), table.names[column]
    missing = [row for row, cell in enumerate(cells) if is_missing(cell)]
    if missing:
        raise table.mistake(
            f"item {items[missing[0]]!r} has no value in column {name!r}",
            ["fill it in, or choose other columns with ", Setting("columns")],
            missing[0],
        )
    values = typed(cells)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise table.mistake(
            f"item {items[row]!r} has {str(cells[row])[:40]} in column {name!r}, "
            "which is not a finite number",
            row=row,
        )
    return values


def _check_tells(features: Mapping[str, NDArray[np.generic]], name: str) -> None:
    """Refuse text that differs from item to item, such as titles, unless asked to compare it."""
    distinct = {
        column: len(set(values.tolist()))
        for column, values in features.items()
        if values.dtype.kind == "O"
    }
    n_items = len(next(iter(features.values())))
    titles = [column for column, number in distinct.items() if number > max(20, n_items / 2)]
    if not titles:
        return
    others = [column for column in features if column not in titles]
    remedy: Text = ["name the columns to compare by with ", Setting("columns")]
    if others:
        remedy = ["compare by the others: ", Setting("columns", ",".join(others))]
    raise RankingFileError(
        f"column {titles[0]!r} has {distinct[titles[0]]:,} different texts for {n_items:,} items, "
        "so it says little about which items are similar",
        name,
        remedy=remedy,
    )


@dataclass(frozen=True, eq=False)
class PersonTable:
    """People and their covariates."""

    #: Numbers as float64, NaN where missing; anything else as objects, None where missing
    columns: dict[str, NDArray[Any]]

    def __repr__(self) -> str:
        return f"PersonTable({amount(len(self), 'row')}: {', '.join(self.columns)})"

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def rows(self, chosen: Any) -> "PersonTable":
        """Some of the people, by a mask or their numbers, in that order."""
        return PersonTable({name: values[chosen] for name, values in self.columns.items()})

    def covariates(self, names: Sequence[str], *, framed: bool = False) -> Any:
        """Columns for a model: an array where all are numbers and names do not matter, or a frame.

        ``framed`` keeps the names.
        """
        columns = {name: self.columns[name] for name in names}
        if not framed and all(values.dtype.kind == "f" for values in columns.values()):
            return np.column_stack(list(columns.values()))
        backend: Any = next((name for name in ("pandas", "polars") if find_spec(name)), None)
        if backend is None:
            raise ModuleNotFoundError("covariates with names need pandas: pip install pandas")
        lists = {
            name: values if values.dtype.kind == "f" else values.tolist()
            for name, values in columns.items()
        }
        return nw.from_dict(lists, backend=backend).to_native()


def read_people(
    source: Source, *, delimiter: str | None = None, header: Header = None
) -> PersonTable:
    r"""Read a table of people, as :func:`read_items` reads one of items; values may be missing.

    >>> import io
    >>> table = read_people(io.StringIO("age,town\n31,york\n,leeds\n"))
    >>> table
    PersonTable(2 rows: age, town)
    >>> table.columns["age"].tolist(), table.columns["town"].tolist()
    ([31.0, nan], ['york', 'leeds'])
    """
    table = _whole_table(source, delimiter, header)
    return PersonTable({title: typed(table.objects(i)) for i, title in enumerate(table.names)})
