"""Tables of people: a row for each, with covariates and perhaps a name."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from rankcut.errors import RankingFileError, Setting, amount
from rankcut.files.blocks import Header, positions, typed
from rankcut.files.parquet import parquet_blocks
from rankcut.files.sheets import text_blocks
from rankcut.files.streams import Source, source_name


@dataclass(frozen=True, eq=False)
class PersonTable:
    """People and their covariates.

    Attributes
    ----------
    columns : dict of ndarrays
        Numbers as float64, NaN where missing; anything else as objects, None where missing.
    ids : tuple of str or None
        The people's names, if a column has them.
    """

    columns: dict[str, NDArray[Any]]
    ids: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return f"PersonTable({amount(len(self), 'row')}: {', '.join(self.columns)})"

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def rows(self, chosen: Any) -> "PersonTable":
        """Some of the people, by a mask or their numbers, in that order."""
        numbers = np.arange(len(self))[chosen]
        ids = None if self.ids is None else tuple(self.ids[i] for i in numbers.tolist())
        return PersonTable({name: values[numbers] for name, values in self.columns.items()}, ids)

    def covariates(self, names: Sequence[str]) -> Any:
        """Columns for a model: an array where all are numbers, a frame otherwise."""
        chosen = {name: self.columns[name] for name in names}
        if all(values.dtype.kind == "f" for values in chosen.values()):
            return np.column_stack(list(chosen.values()))
        backend: Any = next((name for name in ("pandas", "polars") if find_spec(name)), None)
        if backend is None:
            raise ModuleNotFoundError("covariates that are text need pandas: pip install pandas")
        lists = {
            name: values if values.dtype.kind == "f" else values.tolist()
            for name, values in chosen.items()
        }
        return nw.from_dict(lists, backend=backend).to_native()


def read_people(
    source: Source,
    *,
    person: str | None = None,
    delimiter: str | None = None,
    header: Header = 1,
) -> PersonTable:
    r"""Read a table of people from CSV, TSV or Parquet; values may be missing.

    Parameters
    ----------
    source : path or file object
        Its suffix says the format; CSV if it has none that is known.
    person : str or None
        The column with the people's names; None if there is none.
    delimiter, header
        As in :func:`~rankcut.read_file`.

    Examples
    --------
    >>> import io
    >>> table = read_people(io.StringIO("who,age,town\nann,31,york\nbob,,leeds\n"), person="who")
    >>> table
    PersonTable(2 rows: age, town)
    >>> table.ids, table.columns["age"].tolist(), table.columns["town"].tolist()
    (('ann', 'bob'), [31.0, nan], ['york', 'leeds'])
    """
    name = source_name(source)
    suffix = name.removesuffix(".gz").rpartition(".")[2].lower()
    if suffix == "parquet":
        blocks = list(parquet_blocks(source))
    else:
        divider = delimiter or ("\t" if suffix == "tsv" else ",")
        blocks = list(text_blocks(source, delimiter=divider, header=header))
    names = blocks[0].names
    label = None if person is None else positions([person], names, name)[0]
    every = [np.concatenate([block.objects(i) for block in blocks]) for i in range(len(names))]
    columns = {own: typed(every[i]) for i, own in enumerate(names) if i != label}
    if not columns or not len(every[0]):
        raise RankingFileError("has no people, or nothing about them", name)
    ids = None
    if label is not None:
        ids = tuple("" if cell is None else str(cell).strip() for cell in every[label])
        if len(set(ids)) < len(ids):
            twice = next(own for i, own in enumerate(ids) if own in ids[:i])
            raise RankingFileError(
                f"{twice!r} has two rows; each person needs one",
                name,
                remedy=["choose another column with ", Setting("person")],
            )
    return PersonTable(columns, ids)
