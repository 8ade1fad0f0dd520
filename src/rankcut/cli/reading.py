"""Options for reading rankings from files and data sets, declared once."""

import sys
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rankcut.cli.command import topic_option
from rankcut.cli.output import note, say_reading, working
from rankcut.errors import InputError, RankingFileError, Setting, amount
from rankcut.vocabulary import Format, Layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankcut.dask.parquet import ParquetRankings
    from rankcut.files.feature_tables import ItemTable
    from rankcut.files.tables import Header, TableBlock
    from rankcut.rankings import Unranked
    from rankcut.rankings.ranking_set import RankingSet

_KINDS = ("full", "top-k", "ties", "incomplete")
DATASETS = (
    *(f"lunch:{kind}" for kind in _KINDS),
    *("sushi:a", "sushi:b", "movielens", "starwars:films", "starwars:characters", "eurovision"),
)

RankingFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help=f"Rankings (- for standard input), or a data set: {', '.join(DATASETS[:-1])} or "
        f"{DATASETS[-1]}.",
        show_default=False,
    ),
]


_MORE_BLOCKS = "; then more rows, in blocks"

# Files of more megabytes are not read within a second.
_LARGE = 8


def _said_of_large(source: str) -> AbstractContextManager[Any]:
    """Show that a file is being read, if that takes a while."""
    size = Path(source).stat().st_size / 1e6 if Path(source).is_file() else 0.0
    return working(f"reading {size:.0f} MB") if size > _LARGE else nullcontext()


def _option(help: str, *names: str, **more: Any) -> Any:  # noqa: A002 - Typer's name for it
    return topic_option("reading", *names, help=help, **more)


@dataclass(frozen=True)
class Reading:
    """How to read rankings, as the user's options say."""

    format: Annotated[
        Format | None, _option("File format (default: by suffix).", "--format", "-f")
    ] = None
    layout: Annotated[Layout | None, _option("Layout of a table (default: automatic).")] = None
    ranking: Annotated[
        str | None, _option("Column or columns that name the ranking (default: ranking).")
    ] = None
    count: Annotated[
        str | None, _option("Column with the number of equal rankings (default: count).")
    ] = None
    weight: Annotated[
        str | None, _option("Column with the weight of each ranking (default: all equal).")
    ] = None
    question: Annotated[
        str | None, _option("Question of a survey, or contest, if the file has several.")
    ] = None
    missing: Annotated[
        str | None, _option("Values that mean no answer, besides empty cells and NA: 99,-1.")
    ] = None
    item_columns: Annotated[
        str | None, _option("Item columns of a wide table, by name or number: a,b or 3-9.")
    ] = None
    columns: Annotated[
        str | None, _option("Columns that describe the rankings, and are not items.")
    ] = None
    item: Annotated[str | None, _option("Item column of a long table (default: item).")] = None
    rank: Annotated[str | None, _option("Rank column of a long table (default: rank).")] = None
    score: Annotated[str | None, _option("Score column of a long table (default: score).")] = None
    winner: Annotated[
        str | None, _option("Column that says which of two sides is ahead, or what is chosen.")
    ] = None
    order: Annotated[
        str | None, _option("Column with orders such as Ann > Bob = Cy (default: order).")
    ] = None
    higher_is_better: Annotated[
        bool | None,
        _option(
            "Whether higher scores are better (default: yes, if the file leaves no doubt).",
            "--higher-is-better/--lower-is-better",
        ),
    ] = None
    scale: Annotated[
        str | None, _option("Ratings in words, best to worst: good > fair = ok > bad.")
    ] = None
    shorten: Annotated[
        bool, _option("Cut the beginning and end that all item names share.", "--shorten")
    ] = False
    repeats: Annotated[
        Literal["error", "first", "last", "end"] | None,
        _option(
            "If a ranking repeats an item: an error, count the first or last mention, or end the "
            "ranking there (default: first on ballots, an error elsewhere)."
        ),
    ] = None
    where: Annotated[
        list[str] | None,
        _option(
            "Rows to read, or with != those to leave out; may be repeated.",
            metavar="COLUMN=VALUE",
        ),
    ] = None
    header: Annotated[
        str | None,
        _option("Header line: its number, 1-2 for two lines, 0 for none (default: automatic)."),
    ] = None
    delimiter: Annotated[
        str | None, _option("Cell delimiter (default: comma, semicolon or tab).")
    ] = None
    sheet: Annotated[str | None, _option("Sheet of an Excel file (default: the first).")] = None
    title: Annotated[str | None, _option("Title of pages and pictures (default: the file's).")] = (
        None
    )

    def read(
        self,
        source: str,
        *,
        no_items: Sequence[str | None] = (),
        known_items: Sequence[Hashable] | None = None,
        table: "TableBlock | None" = None,
    ) -> "RankingSet":
        """All rankings of a file, or of standard input.

        ``no_items`` are columns that are not items, even if they hold numbers; ``known_items``
        are the items of a model; ``table`` is what :meth:`read_table` has read already.
        """
        if is_dataset(source):
            return self._titled(dataset_rankings(source))
        from rankcut.files.formats import chosen_format, from_block, read_file

        place, form = self._source(source)
        options = self._options(no_items)
        names = None if known_items is None else [str(item) for item in known_items]
        if table is None:
            with _said_of_large(source):
                rankings = read_file(place, form, known_items=names, **options)
        else:
            for dialect in ("delimiter", "header", "sheet"):
                del options[dialect]
            rankings = from_block(table, chosen_format(place, form), **options)
        _say_reading(source, rankings)
        if self.weight is None and [item for item in rankings.items if len(str(item)) < 2] == ["w"]:
            note(f"{source}: column 'w' is read as an item; if it holds weights, pass --weight w")
        return self._titled(rankings)

    def read_table(self, source: str) -> "TableBlock | None":
        """The rows of a table as the file has them; None if the file is none, or is described."""
        from rankcut.files.formats import TABLES, chosen_format, read_blocks
        from rankcut.files.tables import TableBlock

        if is_dataset(source) or self.layout is not None:
            return None
        place, named = self._source(source)
        form = chosen_format(place, named)
        if form not in TABLES:
            return None
        options = self._options()
        dialect = options["delimiter"], options["header"], options["sheet"]
        with _said_of_large(source):
            return TableBlock.joined(list(read_blocks(place, form, *dialect)))

    def read_filled(
        self,
        source: str,
        *,
        no_items: Sequence[str | None] = (),
        unranked: "Unranked | None" = None,
        table: "TableBlock | None" = None,
    ) -> "RankingSet":
        """The rankings that rank something; others say nothing, and would look like ties.

        If nobody says what unranked items mean (``unranked`` is "error") and nearly all rankings
        are full, their places are unknown.
        """
        from rankcut.rankings.value import is_nearly_full

        rankings = self.read(source, no_items=no_items, table=table)
        lengths, n_items = rankings.n_ranked(), len(rankings.items)
        filled = lengths > 0
        partial = filled & (lengths < n_items)
        open_meaning = unranked == rankings.unranked == "error"
        if open_meaning and partial.any() and is_nearly_full(lengths, rankings.counts, n_items):
            some = amount(int(partial.sum()), "row that leaves", "rows that leave")
            note(
                f"{source}: {some} out items: as if their places are unknown (--unranked last: "
                "after all others)"
            )
            rankings = rankings.meaning("anywhere")
        if filled.all() or not filled.any():
            return rankings
        empty = amount(int((~filled).sum()), "row that ranks", "rows that rank")
        note(f"{source}: left out {empty} nothing")
        return rankings.rows(filled)

    def _titled(self, rankings: "RankingSet") -> "RankingSet":
        return rankings if self.title is None else rankings.having(title=self.title)

    def read_for_model(
        self,
        source: str,
        items: Sequence[Hashable],
        target: str,
        *,
        no_items: Sequence[str | None] = (),
    ) -> "RankingSet":
        """All rankings of a file, with the items of a model as columns.

        Other columns of numbers in a wide table are ignored, with a line on standard error
        unless it is what the model predicts.
        """
        rankings = self.read(source, no_items=no_items, known_items=items)
        about = {target, *(name for name in no_items if name is not None)}
        if self.columns is None and self.item_columns is None:
            columns = rankings.columns.items()
            numbers = [name for name, values in columns if values.dtype.kind == "f"]
            _note_ignored(source, [name for name in numbers if name not in about])
        return with_known_items(rankings, items, source, no_items=about)

    def lazily(
        self, source: str, rows: int, *, no_items: Sequence[str | None] = ()
    ) -> "ParquetRankings":
        """A Parquet data set in blocks; only the first is read now."""
        from rankcut.dask.parquet import read_parquet
        from rankcut.files.formats import chosen_format

        if is_dataset(source) or source == "-" or chosen_format(source, self.format) != "parquet":
            raise RankingFileError(
                "only Parquet files can be read in blocks by several processes",
                source,
                remedy="make one with 'rankcut convert'",
            )
        options = self._options(no_items)
        del options["header"], options["delimiter"], options["sheet"]
        rankings = read_parquet(source, rows=rows, **options)
        _say_reading(source, rankings.first, "" if len(rankings.places) == 1 else _MORE_BLOCKS)
        return rankings

    def scan(self, source: str, rows: int) -> "Iterator[RankingSet]":
        """The rankings a block at a time."""
        if is_dataset(source):
            yield dataset_rankings(source)
            return
        from rankcut.files.formats import scan_file

        place, form = self._source(source)
        blocks = scan_file(place, form, rows=rows, **self._options())
        first = next(blocks)
        _say_reading(source, first)
        yield first
        yield from blocks

    def _source(self, source: str) -> tuple[Any, Format | None]:
        if source != "-":
            return source, self.format
        if self.format is None:
            raise RankingFileError(
                "standard input has no suffix; name the format with --format", "-"
            )
        return sys.stdin.buffer, self.format

    def _options(self, no_items: Sequence[str | None] = ()) -> dict[str, Any]:
        """The options as arguments of ``read_file``."""
        options = asdict(self)
        not_items = [name for name in (self.columns, *no_items) if name is not None]
        del options["format"], options["title"]
        return options | {
            "missing": self.missing or (),
            "columns": not_items or None,
            "where": tuple(self.where or ()),
            "header": parsed_header(self.header),
            "delimiter": parsed_delimiter(self.delimiter),
        }


def _say_reading(source: str, rankings: "RankingSet", more: str = "") -> None:
    """Say as what a file was read; data sets are not said."""
    if "READ AS" in rankings.metadata:
        say_reading(source, rankings.metadata["READ AS"] + more)


def parsed_delimiter(text: str | None) -> str | None:
    """One character; a tab may be spelled ``tab``."""
    delimiter = {"tab": "\t", "\\t": "\t"}.get(text or "", text)
    if delimiter is not None and len(delimiter) != 1:
        raise InputError(f"must be one character, or tab; got {delimiter!r}", parameter="delimiter")
    return delimiter


def parsed_header(text: str | None) -> "Header":
    """A line number, or as ``1-2`` a first and a last one."""
    if text is None:
        return None
    first, _, last = text.partition("-")
    well_formed = first.isdecimal() and (last.isdecimal() or text == first)
    if not well_formed or (last and not 1 <= int(first) <= int(last)):
        raise InputError(
            f"must be the number of a line, or two as in 1-2; got {text!r}", parameter="header"
        )
    return (int(first), int(last)) if last else int(first)


def is_dataset(source: str) -> bool:
    """Whether a name is a data set rather than a file; a misspelt data set is an error."""
    if Path(source).exists():
        return False
    family = source.partition(":")[0]
    if source not in DATASETS and family in {name.partition(":")[0] for name in DATASETS}:
        raise InputError(
            f"there is no such file; the data sets are {', '.join(DATASETS)}", file=source
        )
    return source in DATASETS


def dataset_rankings(source: str) -> "RankingSet":
    """The rankings of a data set, with its columns about people."""
    family, _, kind = source.partition(":")
    if family == "lunch":
        from rankcut.datasets.made_up import read_lunch

        return read_lunch(kind)  # type: ignore[arg-type]
    return _load(source)


def item_table(source: str, **options: Any) -> "ItemTable":
    """The items of a data set, or of a table read with options of ``read_items``."""
    from rankcut.files.feature_tables import ItemTable, read_items

    if not is_dataset(source):
        return read_items(sys.stdin.buffer if source == "-" else source, **options)
    data = _load(source)
    if data.item_features is None:
        raise InputError("this data set says nothing about its items", file=source)
    return ItemTable(tuple(data.item_names), data.item_features)


def _load(source: str) -> "RankingSet":
    from rankcut import datasets

    name, _, which = source.partition(":")
    load: Callable[..., RankingSet] = getattr(datasets, f"load_{name}")
    return load(which) if which else load()


def column_of(rankings: "RankingSet", column: str, file: str) -> "NDArray[Any]":
    """A column beside the items, by its name, or the beginning or a word of it."""
    from rankcut.files.options import meant_name

    name = meant_name(column, list(rankings.columns))
    if name is None:
        names = ", ".join(map(repr, rankings.columns)) or "none"
        raise RankingFileError(
            f"there is no column {column!r} beside the items; found {names}", file
        )
    return rankings.columns[name]


def with_column(mistake: InputError, column: str | None) -> InputError:
    """The mistake in a column of the file, where the library names its parameter."""
    if column is None or mistake.parameter != "groups":
        return mistake
    remedy: Any = mistake.remedy
    if not isinstance(remedy, str):
        remedy = [
            Setting(part.name, part.value.replace("groups", column, 1))
            if isinstance(part, Setting) and part.name == "where"
            else part
            for part in remedy
        ]
    problem = f"column {column!r} {mistake.problem}"
    return mistake.moved(problem=problem, remedy=remedy, parameter=None)


def known_values(rankings: "RankingSet", column: str, file: str) -> "NDArray[Any]":
    """A column as text, empty where there is no value."""
    import numpy as np

    from rankcut.files.tables import shown

    values = column_of(rankings, column, file).tolist()
    texts = ["" if value is None or value != value else shown(value) for value in values]
    return np.array(texts, dtype=np.str_)


def labelled(rankings: "RankingSet", target: str, file: str) -> "tuple[RankingSet, NDArray[Any]]":
    """The rankings whose class is known, and their classes."""
    from rankcut.files.tables import refuses

    classes = known_values(rankings, target, file)
    rows = [row for row, name in enumerate(classes.tolist()) if name and not refuses(name)]
    if not rows:
        raise RankingFileError(f"column {target!r} has no values", file)
    return rankings.rows(rows), classes[rows]


def numbered(rankings: "RankingSet", target: str, file: str) -> "tuple[RankingSet, NDArray[Any]]":
    """The rankings whose number is known, and their numbers."""
    import numpy as np

    from rankcut.files.tables import number_of

    filled, texts = labelled(rankings, target, file)
    numbers = [number_of(text, ordinals=False) for text in texts.tolist()]
    if None in numbers:
        raise RankingFileError(
            f"column {target!r} holds {texts[numbers.index(None)]!r}, which is not a number",
            file,
            remedy="for classes use 'rankcut classify'",
        )
    if not np.isfinite(np.array(numbers)).all():
        raise RankingFileError(f"column {target!r} holds a number that is not finite", file)
    return filled, np.array(numbers)


def with_known_items(
    rankings: "RankingSet", items: Sequence[Hashable], file: str, *, no_items: Collection[str] = ()
) -> "RankingSet":
    """The rankings with these items as columns, by name if the file has names.

    Those in ``no_items`` are not items. Others that the model does not know are left out, with a
    line on standard error.
    """
    if rankings.labels() is None:
        return rankings
    model_items = set(items)
    unknown = [item for item in rankings.items if item not in model_items and item not in no_items]
    _note_ignored(file, unknown)
    columns = [i for i, item in enumerate(rankings.items) if item in model_items]
    if not columns:
        raise RankingFileError(f"has no item of the model, such as {items[0]!r}", file)
    return rankings.among(columns).with_items(items)


def _note_ignored(file: str, names: Sequence[Hashable]) -> None:
    from rankcut.files.options import some_of

    if names:
        listed = some_of(list(map(repr, names)))
        note(f"{file}: ignored, because the model does not know them: {listed}")
