"""Where results go, and in which form: one grammar for all commands.

``-o FILE`` goes by its suffix and may be repeated, ``-`` is standard output, ``--json`` prints
JSON, and what a person reads goes to the terminal. A command that writes follows four steps::

    outputs = results.open(TABLES | PICTURES, ".csv")  # refuses what cannot work, before the work
    ...                                                # the work
    outputs.write(table_writers(columns) | picture_writers(draw))
    outputs.show(data, lines)                          # as JSON or for a reader

To add a command, write a module of its name with a function of its name, and name it in
``rankcut.cli.COMMANDS``. Declare its options as fields of a class, take those of other classes by
``with_options``, end its docstring with an ``Example:`` line, and import what it computes with
inside the function, so that ``rankcut --help`` stays quick.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO, TypeAlias

from rankcut.cli.options import option
from rankcut.errors import InputError, RankingFileError

if TYPE_CHECKING:
    from rankcut.rankings.ranking_set import RankingSet

Writer: TypeAlias = Callable[[str], None]
"""Writes a result to a path, whole or not at all."""

OutputFiles: TypeAlias = Annotated[
    list[str] | None,
    option(
        "Output file, by its suffix (- for standard output); may be repeated.",
        "--output",
        "-o",
        metavar="FILE",
    ),
]
Json: TypeAlias = Annotated[bool, option("Print the result as JSON on standard output.", "--json")]
To: TypeAlias = Annotated[
    str | None,
    option(
        "Format where no suffix names it, as on standard output.", "--to", "-t", metavar="FORMAT"
    ),
]


def _needs_pyarrow() -> None:
    from rankcut.files.parquet import import_pyarrow

    import_pyarrow()


def _needs_matplotlib() -> None:
    from rankcut.pictures.theme import import_figure

    import_figure()


def needs_skops() -> None:
    """Refuse if skops is missing."""
    from rankcut.saved_models import import_skops

    import_skops()


# Suffixes, and what refuses those whose extra is not installed.
Suffixes: TypeAlias = dict[str, Callable[[], None] | None]
TABLES: Suffixes = {".csv": None, ".json": None, ".parquet": _needs_pyarrow}
MATRICES: Suffixes = {".npy": None, ".csv": None, ".parquet": _needs_pyarrow}
PICTURES: Suffixes = dict.fromkeys((".png", ".svg", ".pdf"), _needs_matplotlib)


@dataclass(frozen=True)
class Results:
    """Where an answer goes: to files, and to standard output."""

    output: OutputFiles = None
    as_json: Json = False

    def open(self, suffixes: Suffixes, stdout: str, *, default: Sequence[str] = ()) -> "Outputs":
        """The files, checked; ``default`` where the user names none and wants no JSON."""
        targets = self.output or ([] if self.as_json else default)
        return Outputs(targets, suffixes, stdout, as_json=self.as_json)


@dataclass(frozen=True)
class Files:
    """Where files go that are the whole answer."""

    output: OutputFiles = None
    to: To = None

    def named(self, example: str) -> list[str]:
        """The files that the user names, at least one."""
        if not self.output:
            raise InputError(f"name a file to write, as in -o {example}")
        return self.output


class Outputs:
    """The files that a user names, checked before any work is done for them.

    Parameters
    ----------
    targets : sequence of str
        Files; ``-`` is standard output.
    suffixes : mapping
        The suffixes that the command can write, with a check for extras or None each.
    stdout : str or None
        The suffix of what goes to standard output; None asks the user for ``--to``.
    to : str or None
        The form that the user names with ``--to``, for standard output and for a file whose suffix
        names none.
    as_json : bool
        Whether the user wants JSON on standard output, which then can hold no file.
    """

    def __init__(
        self,
        targets: Sequence[str],
        suffixes: Suffixes,
        stdout: str | None = None,
        *,
        to: str | None = None,
        as_json: bool = False,
    ) -> None:
        unnamed = None if to is None else f".{to}"
        if unnamed is not None and unnamed not in suffixes:
            known = ", ".join(suffix[1:] for suffix in suffixes)
            raise InputError(f"must be one of {known}; got {to!r}", parameter="to")
        self.as_json = as_json
        self.forms = [
            (target, _form(target, suffixes, unnamed or stdout, unnamed)) for target in targets
        ]
        if list(targets).count("-") > 1:
            raise InputError("only one output can go to standard output")
        if as_json and "-" in targets:
            raise InputError(
                "standard output cannot hold both the output and JSON; write one to a file"
            )
        if unnamed is not None and all(_suffix(target) in suffixes for target in targets):
            raise InputError(
                "--to is for standard output (-o -) and files without a known suffix; leave it out"
            )
        for target, suffix in self.forms:
            check_target(target)
            missing = suffixes[suffix]
            if missing is not None:
                missing()

    @property
    def to_stdout(self) -> bool:
        """Whether standard output holds a file."""
        return any(target == "-" for target, _ in self.forms)

    @property
    def text(self) -> TextIO:
        """Where text for a reader goes: standard error if standard output holds a file."""
        return sys.stderr if self.to_stdout else sys.stdout

    def named(self, *suffixes: str) -> bool:
        """Whether the user wants one of these forms."""
        return any(suffix in suffixes for _, suffix in self.forms)

    @contextmanager
    def places(self) -> Iterator[dict[str, Any]]:
        """A path to write each file to, with its format by the name that the library has for it."""
        with ExitStack() as stack:
            yield {
                stack.enter_context(destination(target, suffix)): suffix[1:]
                for target, suffix in self.forms
            }

    def write(self, writers: Mapping[str, Writer]) -> None:
        """Write each file whose form is among these."""
        for target, suffix in self.forms:
            if suffix in writers:
                with destination(target, suffix) as place:
                    writers[suffix](place)

    def show(self, data: Any, lines: Callable[[], Iterable[str]]) -> None:
        """Print JSON if the user wants it, and else lines unless standard output holds a file."""
        if self.as_json:
            print(json_text(data))
        elif not self.to_stdout:
            for line in lines():
                print(line)

    def show_aside(self, data: Any, lines: Iterable[str]) -> None:
        """The same, with the lines on standard error if standard output holds a file."""
        if self.as_json:
            print(json_text(data))
        else:
            for line in lines:
                print(line, file=self.text)

    def write_table(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """Write a table, and print it as JSON if the user wants that."""
        self.write(table_writers(columns))
        if self.as_json:
            print(json_text(records(columns)))


def _suffix(target: str) -> str:
    return Path(target).suffix.lower()


def _form(target: str, suffixes: Suffixes, stdout: str | None, unnamed: str | None) -> str:
    if target == "-":
        if stdout is None:
            raise InputError("standard output has no suffix; name the format with --to")
        return stdout
    suffix = _suffix(target)
    if suffix not in suffixes and unnamed is not None:
        return unnamed
    if suffix not in suffixes:
        *others, last = suffixes
        known = f"{', '.join(others)} or {last}" if others else last
        raise InputError(f"unknown suffix {suffix!r}; write a {known} file", file=target)
    return suffix


def table_writers(columns: Mapping[str, Sequence[Any]], data: Any = None) -> dict[str, Writer]:
    """Writers of a table; JSON has ``data``, or an object for each row."""

    def write(place: str, content: bytes) -> None:
        from rankcut.files.drafts import atomic_file

        with atomic_file(place) as file:
            file.write(content)

    def csv(place: str) -> None:
        from rankcut.files.text import format_text

        write(place, format_text(dict(columns), ","))

    def parquet(place: str) -> None:
        from rankcut.files.parquet import format_parquet

        write(place, format_parquet(dict(columns)))

    def as_json(place: str) -> None:
        write(place, (json_text(records(columns) if data is None else data) + "\n").encode())

    return {".csv": csv, ".parquet": parquet, ".json": as_json}


def picture_writers(draw: Callable[[], Any]) -> dict[str, Writer]:
    """Writers of a figure, whose format Matplotlib chooses by the suffix.

    The same figure is the same bytes: without the date, and with names that are not random.
    """

    def write(place: str) -> None:
        import matplotlib

        from rankcut.files.drafts import atomic_path

        date = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
        with atomic_path(place) as draft, matplotlib.rc_context({"svg.hashsalt": "rankcut"}):
            draw().savefig(draft, dpi=150, metadata=date.get(draft.suffix.lower()))

    return dict.fromkeys(PICTURES, write)


def page_writer(make: Callable[[], str]) -> dict[str, Writer]:
    """A writer of an HTML page."""

    def write(place: str) -> None:
        from rankcut.files.drafts import atomic_file

        with atomic_file(place) as file:
            file.write(make().encode())

    return {".html": write}


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """A table from an object for each row: what :func:`records` undoes.

    >>> columns_of([{"row": 0, "count": 5}, {"row": 1, "count": 1}])
    {'row': [0, 1], 'count': [5, 1]}
    """
    return {name: [row[name] for row in rows] for name in rows[0]}


def named_rows(rankings: "RankingSet") -> dict[str, list[Any]]:
    """The first columns of a table with a row for each ranking: its name and its count."""
    columns: dict[str, list[Any]] = {"ranking": list(rankings.row_names)}
    if rankings.counted:
        columns["count"] = rankings.counts.tolist()
    return columns


def records(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """A table as an object for each row.

    >>> records({"row": [0, 1], "count": [5, 1]})
    [{'row': 0, 'count': 5}, {'row': 1, 'count': 1}]
    """
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def json_text(data: Any) -> str:
    """JSON of plain values, NumPy's numbers and arrays; what is not a number is null."""
    return json.dumps(_plain(data), indent=2, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "tolist"):  # NumPy's
        return _plain(value.tolist())
    if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
        return None
    return value if value is None or isinstance(value, bool | int | float) else str(value)


@contextmanager
def destination(target: str, suffix: str) -> Iterator[str]:
    """A path to write to: the target itself, or a draft that goes there at the end.

    Some formats go back to the beginning of the file, and a pipe cannot.
    """
    if target != "-" and _suffix(target) == suffix and not _is_pipe(Path(target)):
        yield target
        return
    from rankcut.files.drafts import atomic_file, copy_whole

    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / f"output{suffix}"
        yield str(draft)
        with draft.open("rb") as file:
            if target == "-":
                copy_whole(file, sys.stdout.buffer)
                return
            with atomic_file(target) as sink:
                copy_whole(file, sink)


def is_folder(output: str) -> bool:
    """Whether an output is a directory of parts."""
    return output.endswith("/") or Path(output).is_dir()


def check_target(target: str) -> None:
    """Refuse a file that cannot be written, before any work is done for it."""
    if target == "-":
        return
    place = Path(target).resolve()
    if place.is_dir():
        raise RankingFileError("this is a directory; name a file in it", target)
    if _is_pipe(place):
        return
    if not place.parent.is_dir():
        raise RankingFileError(f"there is no directory {place.parent}", target)
    if not os.access(place.parent, os.W_OK):
        raise RankingFileError(f"directory {place.parent} is not writable", target)


def _is_pipe(place: Path) -> bool:
    return place.exists() and not place.is_file()
