"""The options by which every command reads rankings, declared once."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rankcut.cli.sources import dataset_rankings, is_dataset
from rankcut.errors import RankingFileError
from rankcut.files.blocks import Header
from rankcut.files.formats import Format, chosen_format, read_file, scan_file
from rankcut.files.roles import Layout
from rankcut.ranking_set import RankingSet

if TYPE_CHECKING:
    from rankcut.files.parquet import Piece, PieceReader

_PANEL = "How to read the file"

Rankings = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Rankings; - is standard input, and lunch:full, lunch:top-k, lunch:ties, "
        "lunch:incomplete, sushi:a, sushi:b and movielens are data sets.",
        show_default=False,
    ),
]


def _option(*names: str, help: str, **more: Any) -> Any:  # noqa: A002 - Typer's name for it
    return typer.Option(*names, help=help, rich_help_panel=_PANEL, show_default=False, **more)


@dataclass(frozen=True)
class Reading:
    """How to read rankings, as the user's options say."""

    format: Annotated[
        Format | None, _option("--format", "-f", help="Format, if the suffix does not say it.")
    ] = None
    layout: Annotated[
        Layout | None,
        _option("--layout", help="Layout of a table; long if it has columns item and rank."),
    ] = None
    ranking: Annotated[
        str | None,
        _option(
            "--ranking", help="Column, or columns, with the ranking's name; ranking unless given."
        ),
    ] = None
    count: Annotated[
        str | None,
        _option("--count", help="Column that says how many a row stands for; count unless given."),
    ] = None
    item_columns: Annotated[
        str | None,
        _option(
            "--item-columns",
            help="Columns of a wide table that are items, by name or number: a,b or 3-9.",
        ),
    ] = None
    columns: Annotated[
        str | None, _option("--columns", help="Columns that say something of each ranking.")
    ] = None
    item: Annotated[
        str | None,
        _option("--item", help="Column with the item of a long table; item unless given."),
    ] = None
    rank: Annotated[
        str | None,
        _option("--rank", help="Column with the rank of a long table; rank unless given."),
    ] = None
    score: Annotated[
        str | None,
        _option("--score", help="Column with the score of a long table; score unless given."),
    ] = None
    lower_is_better: Annotated[
        bool, _option("--lower-is-better", help="The lowest score is the best.")
    ] = False
    repeats: Annotated[
        Literal["error", "first", "last"],
        _option("--repeats", help="If a long table repeats an item: which mention counts."),
    ] = "error"
    where: Annotated[
        list[str] | None,
        _option("--where", help="Rows to read: column=value or column!=value; may be repeated."),
    ] = None
    header: Annotated[
        str,
        _option(
            "--header",
            help="Line with the columns' names, 1-2 for two, 0 for none; 1 unless given.",
        ),
    ] = "1"
    delimiter: Annotated[
        str | None, _option("--delimiter", help="What divides cells, if not a comma or tab.")
    ] = None

    def read(
        self, source: str, *, expand: bool = False, no_items: Sequence[str] = ()
    ) -> RankingSet:
        """All rankings of a file, or of standard input.

        ``no_items`` are columns that are no items, even if they hold numbers.
        """
        if is_dataset(source):
            return dataset_rankings(source)
        place, chosen = self._source(source)
        return read_file(place, chosen, expand=expand, **self._options(no_items))

    def pieces(
        self, source: str, rows: int, *, no_items: Sequence[str] = ()
    ) -> "tuple[list[Piece], PieceReader, RankingSet]":
        """A Parquet data set in pieces, what reads them, and the rankings of the first one."""
        from rankcut.files.parquet import PieceReader, parquet_pieces
        from rankcut.files.roles import TableOptions

        if is_dataset(source) or source == "-" or chosen_format(source, self.format) != "parquet":
            raise RankingFileError(
                "only Parquet files can be read in pieces; make one with 'rankcut convert'", source
            )
        options = self._options(no_items)
        del options["header"], options["delimiter"]
        found = parquet_pieces(source, rows)
        reader, first = PieceReader.like(found, TableOptions(**options))
        return found, reader, first

    def scan(self, source: str, rows: int) -> Iterator[RankingSet]:
        """The rankings a block at a time."""
        if is_dataset(source):
            return iter([dataset_rankings(source)])
        place, chosen = self._source(source)
        return scan_file(place, chosen, rows=rows, **self._options())

    def _source(self, source: str) -> tuple[Any, Format | None]:
        if source != "-":
            return source, self.format
        if self.format is None:
            raise RankingFileError(
                "standard input has no suffix; name its format with --format", "-"
            )
        return sys.stdin.buffer, self.format

    def _options(self, no_items: Sequence[str] = ()) -> dict[str, Any]:
        named = [] if self.columns is None else [self.columns]
        return {
            "layout": self.layout,
            "ranking": self.ranking,
            "count": self.count,
            "item_columns": self.item_columns,
            "columns": [*named, *no_items] if no_items else self.columns,
            "item": self.item,
            "rank": self.rank,
            "score": self.score,
            "higher_is_better": not self.lower_is_better,
            "repeats": self.repeats,
            "where": tuple(self.where or ()),
            "header": parsed_header(self.header),
            "delimiter": parsed_delimiter(self.delimiter),
        }


def parsed_delimiter(text: str | None) -> str | None:
    """One character; a tab may be spelled ``tab``."""
    delimiter = {"tab": "\t", "\\t": "\t"}.get(text or "", text)
    if delimiter is not None and len(delimiter) != 1:
        raise ValueError(f"--delimiter is one character, or tab, and not {delimiter!r}")
    return delimiter


def parsed_header(text: str) -> Header:
    """A line number, or as ``1-2`` a first and a last one."""
    first, _, last = text.partition("-")
    well_formed = first.isdecimal() and (last.isdecimal() or text == first)
    if not well_formed or (last and not 1 <= int(first) <= int(last)):
        raise ValueError(f"--header is a line's number, or two as in 1-2, and not {text!r}")
    return (int(first), int(last)) if last else int(first)
