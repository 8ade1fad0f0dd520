"""One way in and one way out for all formats, chosen by the file's suffix or by name."""

import gzip
import io
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, TextIO, get_args

import narwhals as nw

from rankcut.errors import RankingFileError, Setting
from rankcut.files.abif import read_abif, read_cef
from rankcut.files.ballot_texts import format_of_text, log_blocks, read_again, text_file_blocks
from rankcut.files.blt import format_blt, read_blt
from rankcut.files.disk import atomic_file, write_whole
from rankcut.files.options import TableOptions
from rankcut.files.preflib import OrderType, format_preflib, read_preflib
from rankcut.files.recognition import having_line, read_table, scan_table
from rankcut.files.records import record_blocks
from rankcut.files.stored_tables import (
    excel_blocks,
    format_parquet,
    json_blocks,
    parquet_blocks,
    spss_blocks,
)
from rankcut.files.tables import Header, Layout, TableBlock, frame_blocks
from rankcut.files.text import Source, format_text, source_name
from rankcut.files.writing import check_names, marked_columns, table_columns
from rankcut.rankings.ranking_set import RankingSet
from rankcut.vocabulary import Format, Written

# The formats of tables.
TABLES = ("csv", "tsv", "xlsx", "parquet", "json", "sav", "zip", "trec", "txt")
_OTHER_SUFFIXES = {
    "jsonl": "json",
    "ndjson": "json",
    "inter": "tsv",
    "xlsm": "xlsx",
    "cvotes": "cef",
    "run": "trec",
    "dat": "trec",
    "data": "trec",
}


def read_file(
    source: Source,
    format: Format | None = None,
    *,
    delimiter: str | None = None,
    header: Header = None,
    sheet: str | None = None,
    **options: Any,
) -> RankingSet:
    r"""Read rankings from a file of any format.

    Parameters
    ----------
    source : path or file object
        Plain or gzip; a directory of Parquet files, or a pattern such as ``votes/*.parquet``.
    format : str or None
        ``"soc"``, ``"soi"``, ``"toc"``, ``"toi"``, ``"cat"`` (PrefLib), ``"csv"``, ``"tsv"``,
        ``"xlsx"``, ``"parquet"``, ``"json"`` (records, or one on each line), ``"sav"`` (SPSS),
        ``"zip"`` (Dominion's cast vote records), ``"trec"`` (runs; MovieLens without a header),
        ``"blt"``, ``"abif"``, ``"cef"`` (Condorcet Election Format) or
        ``"txt"`` (by its contents); None goes by the suffix.
    delimiter : str or None
        What divides the cells of a CSV or TSV file; None goes by the format, and takes a semicolon
        or tab in a CSV file whose header has no comma.
    header : int, (int, int) or None
        The line of a table with the columns' names, or the first and last of several; 0 if there
        is none. None is the first line, unless that is a row like all others.
    sheet : str or None
        The sheet of an Excel file; None is the first.
    **options
        How to read a table: see :class:`~rankcut.files.options.TableOptions`. Without these, what
        survey tools and others write is recognised.

    Examples
    --------
    >>> import io
    >>> votes = read_file(io.StringIO("ranking,toro,uni,town\na,1,2,Kobe\nb,2,1,Nara\n"), "csv")
    >>> votes.ranks
    array([[1., 2.],
           [2., 1.]])
    >>> votes.ids, votes.items, votes.columns["town"]
    (('a', 'b'), ('toro', 'uni'), array(['Kobe', 'Nara'], dtype=object))
    """
    source, form = _by_contents(source, chosen_format(source, format))
    table = _table_options(form, options, source)
    if form in TABLES:
        blocks = read_blocks(source, form, delimiter, header, sheet)
        return _placed(read_table(blocks, table), source, form)
    read, what = {
        "blt": (read_blt, "a BLT file"),
        "abif": (read_abif, "an ABIF file"),
        "cef": (read_cef, "a file in the Condorcet Election Format"),
    }.get(form, (read_preflib, f"a PrefLib {form} file"))
    rankings = read(source)
    return _placed(having_line(rankings, what, notes=rankings.notes), source, form)


def scan_file(
    source: Source,
    format: Format | None = None,
    *,
    rows: int = 65_536,
    delimiter: str | None = None,
    header: Header = None,
    sheet: str | None = None,
    **options: Any,
) -> Iterator[RankingSet]:
    r"""The rankings of a file a block at a time, for files larger than memory.

    Wide tables and ratings in CSV, TSV or Parquet are read about ``rows`` rows at a time; other
    formats all at once. Columns keep the text that the file has. The
    parameters are those of :func:`read_file`.

    >>> import io
    >>> table = io.StringIO("toro,uni\n1,2\n2,1\n1,2\n")
    >>> [len(block) for block in scan_file(table, "csv", rows=2)]
    [2, 1]
    """
    source, form = _by_contents(source, chosen_format(source, format))
    if form in TABLES:
        table = _table_options(form, options, source)
        blocks = scan_table(read_blocks(source, form, delimiter, header, sheet, rows), table)
        yield from (_placed(block, source, form) for block in blocks)
        return
    rankings = read_file(source, form, **options)
    for start in range(0, len(rankings), rows):
        yield rankings.rows(slice(start, start + rows))


def _by_contents(source: Source, form: Format) -> tuple[Source, Format]:
    """What to read from, and its format, which the contents of a text tell."""
    if form != "txt":
        return source, form
    source = read_again(source)
    return source, format_of_text(source)


def _placed(rankings: RankingSet, source: Source, form: Format) -> RankingSet:
    """The rankings with the file that they are from; the rows of a Parquet file are no lines."""
    lines = None if form == "parquet" else rankings.lines
    return rankings.having(file=source_name(source), lines=lines)


def from_frame(frame: Any, **options: Any) -> RankingSet:
    """Rankings from a pandas or Polars frame, with its other columns.

    ``options`` are those of :class:`~rankcut.files.options.TableOptions`.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"toro": [1, 2], "uni": [2, 1], "town": ["Kobe", "Nara"]})
    >>> from_frame(frame)
    RankingSet(2 rows, 2 rankings, 2 items)
    """
    return read_table(frame_blocks(frame, "the frame"), TableOptions(**options))


def from_block(block: TableBlock, form: Format, **options: Any) -> RankingSet:
    """Rankings from a table that was read already, as :func:`read_file` would read it."""
    table = _table_options(form, options, block.source)
    return _placed(read_table([block], table), block.source, form)


def to_frame(rankings: RankingSet, layout: Layout = "wide", *, backend: Any = "pandas") -> Any:
    """A pandas or Polars frame of rankings, wide or long."""
    columns = table_columns(rankings, layout, "the frame")
    return nw.from_dict(columns, backend=backend).to_native()


def write_file(
    rankings: RankingSet,
    target: str | os.PathLike[str] | BinaryIO | TextIO,
    format: Format | None = None,
    *,
    layout: Layout = "wide",
    spreadsheet: bool = False,
) -> None:
    """Write rankings to a file of the formats soc, soi, toc, toi, csv, tsv, parquet and blt.

    A path is written whole or not at all, and compressed if it ends in ``.gz``. What a format
    has no place for is left out: PrefLib and BLT have no ids and no columns.

    Parameters
    ----------
    rankings : RankingSet
        What to write.
    target : path or file object
        Where to write it.
    format : str or None
        As in :func:`read_file`.
    layout : {"wide", "long"}
        The layout of a table.
    spreadsheet : bool
        In CSV and TSV, write ``'`` before text that a spreadsheet takes for a formula.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> votes = RankingSet(np.array([[1.0, 2.0], [2.0, 1.0]]), ("toro", "uni"))
    >>> path = Path(tempfile.mkdtemp()) / "votes.soc"
    >>> write_file(votes, path)
    >>> read_file(path)
    RankingSet(2 rows, 2 rankings, 2 items)
    """
    form = chosen_format(target, format, get_args(Written))
    if form == "parquet" and source_name(target).endswith(".gz"):
        raise RankingFileError(
            "a Parquet file is already compressed; leave out .gz",
            source_name(target),
        )
    content = _formatted(rankings, form, source_name(target), layout, spreadsheet)
    if isinstance(target, io.TextIOBase | TextIO):
        if form == "parquet":
            raise RankingFileError("a Parquet file is no text; open it as binary", "<stream>")
        target.write(content.decode())
        return
    if not isinstance(target, str | os.PathLike):
        write_whole(target, content)
        return
    if os.fspath(target).endswith(".gz"):
        content = gzip.compress(content, mtime=0)
    with atomic_file(target) as file:
        file.write(content)


def chosen_format(
    place: Any,
    format: str | None,
    formats: tuple[str, ...] = get_args(Format),
    option: str = "format",
) -> Format:
    """The format asked for by an option, or else the one of the suffix, if it is known."""
    name = source_name(place)
    on_disk = isinstance(place, str | os.PathLike)
    if format is None and on_disk and Path(place).is_dir():
        return "parquet"
    suffix = Path(name.removesuffix(".gz")).suffix[1:].lower()
    label = _OTHER_SUFFIXES.get(suffix, suffix) if format is None else format
    if label in formats:
        form: Format = label  # type: ignore[assignment]
        return form
    to_read = format is None and on_disk and formats == get_args(Format)
    if to_read and not (suffix or Path(place).exists()):
        raise RankingFileError("there is no such file", name)
    what = "it has no suffix"
    if format is not None or suffix:
        verb = "read" if formats == get_args(Format) else "write"
        what = f"{f'.{suffix}' if format is None else format!r} is not a format to {verb}"
    listed = f": {', '.join(formats)}"
    raise RankingFileError(what, name, remedy=["name the format with ", Setting(option), listed])


def _table_options(form: Format, options: dict[str, Any], source: Source) -> TableOptions:
    table = TableOptions(**options)
    described = [
        name for name, value in asdict(table).items() if value != asdict(TableOptions())[name]
    ]
    if form not in TABLES and set(described) - {"known_items"}:
        raise RankingFileError(
            [f"{form} files have no columns, and ", Setting(described[0]), " is about columns"],
            source_name(source),
            remedy="leave it out, or convert the file to a table",
        )
    return table


def read_blocks(
    source: Source,
    form: Format,
    delimiter: str | None,
    header: Header,
    sheet: str | None,
    rows: int | None = None,
) -> Iterator[TableBlock]:
    """The blocks of a table as they are in a file of that format."""
    if form == "parquet":
        return parquet_blocks(source, rows=rows)
    if form == "xlsx":
        return excel_blocks(source, sheet=sheet, header=header, rows=rows)
    others = {"json": json_blocks, "sav": spss_blocks, "zip": record_blocks, "trec": log_blocks}
    if form in others:
        return iter(others[form](source))
    divider = delimiter or ("\t" if form == "tsv" else None)
    return text_file_blocks(
        source, delimiter=divider, header=header, rows=rows, plain=form == "txt"
    )


def _formatted(
    rankings: RankingSet, form: Format, name: str, layout: Layout, spreadsheet: bool
) -> bytes:
    if form not in TABLES:
        check_names([*map(str, rankings.items), rankings.title], name)
    if form == "blt":
        return format_blt(rankings, name)
    if form not in TABLES:
        kind: OrderType = form  # type: ignore[assignment]
        return format_preflib(rankings, name, kind)
    columns = marked_columns(rankings, layout, name)
    if form == "parquet":
        return format_parquet(columns)
    return format_text(columns, "," if form == "csv" else "\t", spreadsheet=spreadsheet)
