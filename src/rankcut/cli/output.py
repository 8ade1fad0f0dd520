"""Where results go: files, standard output, and the terminal; one grammar for all commands.

``-o FILE`` goes by its suffix and may be repeated, ``-`` is standard output, ``--json`` prints
JSON, and what a person reads goes to the terminal. A command that writes follows three steps::

    outputs = results.open(SUFFIXES, ".csv")  # refuses what cannot work, before the work
    ...                                       # the work
    outputs.answer(result, rankings.title)    # files, and as JSON or for a reader
"""

import codecs
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO, TypeAlias

import typer

from rankcut.errors import InputError, RankingFileError, amount, needed
from rankcut.results.result import PICTURES, Table, json_text
from rankcut.results.result import SUFFIXES as SUFFIXES

if TYPE_CHECKING:
    from rankcut.rankings.ranking_set import RankingSet
    from rankcut.results import Result

OutputFiles: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Output file, in the format of its suffix (- for standard output); may be repeated.",
    ),
]
Json: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON on standard output.")
]
Spreadsheet: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--spreadsheet", help="In CSV, write ' before text that a spreadsheet takes for a formula."
    ),
]


TABLES = (".csv", ".json", ".parquet")
MATRICES = (".npy", ".csv", ".parquet")

# What files of a suffix need, which not everyone has: a module, and what for.
_NEEDS = {
    ".parquet": ("pyarrow", "Parquet files"),
    ".xlsx": ("openpyxl", "Excel files"),
    ".skops": ("skops.io", "saved models"),
    **dict.fromkeys(PICTURES, ("matplotlib.figure", "pictures")),
}


@dataclass(frozen=True)
class Results:
    """Where an answer goes: to files, and to standard output."""

    output: OutputFiles = None
    as_json: Json = False
    spreadsheet: Spreadsheet = False

    def open(
        self, suffixes: Sequence[str], stdout: str, *, default: Sequence[str] = ()
    ) -> "Outputs":
        """The files, checked; ``default`` where the user names none and wants no JSON."""
        targets = self.output or ([] if self.as_json else default)
        return Outputs(
            targets, suffixes, stdout, as_json=self.as_json, spreadsheet=self.spreadsheet
        )


def named_files(output: Sequence[str] | None, example: str) -> Sequence[str]:
    """The files that the user names, at least one."""
    if not output:
        raise InputError(f"name a file to write, as in -o {example}")
    return output


class Outputs:
    """The files that a user names, checked before any work is done for them.

    Of the targets, ``-`` is standard output, whose suffix is ``stdout``; JSON there leaves no room
    for a file. ``suffixes`` are those that the command can write; ``spreadsheet`` is whether CSV
    files are for one.
    """

    def __init__(
        self,
        targets: Sequence[str],
        suffixes: Sequence[str],
        stdout: str,
        *,
        as_json: bool = False,
        spreadsheet: bool = False,
    ) -> None:
        self.as_json = as_json
        self.spreadsheet = spreadsheet
        self.forms = [
            (target, stdout if target == "-" else _known_suffix(target, suffixes))
            for target in targets
        ]
        if list(targets).count("-") > 1:
            raise InputError("only one output can go to standard output")
        if as_json and "-" in targets:
            raise InputError(
                "standard output cannot hold both the output and JSON; write one to a file"
            )
        for target, suffix in self.forms:
            check_target(target)
            if suffix in _NEEDS:
                needed(*_NEEDS[suffix])

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

    def write(self, **writers: Callable[[str], object]) -> None:
        """Write each file of these forms, each to a path, by its suffix."""
        for target, suffix in self.forms:
            if suffix[1:] in writers:
                with destination(target, suffix) as place, warnings_as_notes():
                    writers[suffix[1:]](place)

    def answer(self, result: "Result", title: str = "", most: int = 20, **options: Any) -> None:
        """Write each file, and show the answer as JSON or for a reader.

        ``options`` are those of the picture.
        """
        self.save_result(result, title, **options)
        self.show(result.to_dict, lambda: in_colours(result.lines(most), self.text))

    def save_result(self, result: "Result", title: str = "", **options: Any) -> None:
        """Write each file that a result can be."""
        for target, suffix in self.forms:
            if suffix in SUFFIXES:
                with destination(target, suffix) as place, warnings_as_notes():
                    result.save(place, title=title or None, spreadsheet=self.spreadsheet, **options)

    def save(
        self, model: Any, items: Sequence[Any], target: str = "", columns: Sequence[str] = ()
    ) -> None:
        """Save a fitted model of these items for 'rankcut predict'."""
        if self.named(".skops"):
            from rankcut.saved_models import SavedModel, write_model

            saved = SavedModel(model, tuple(items), target, tuple(columns))
            self.write(skops=lambda place: write_model(saved, place))

    def show(self, data: Any, lines: Callable[[], Iterable[str]]) -> None:
        """Print JSON if the user wants it, and else lines unless standard output holds a file."""
        if self.as_json or not self.to_stdout:
            self.show_aside(data, [] if self.as_json else lines())

    def show_aside(self, data: Any, lines: Iterable[str]) -> None:
        """Print JSON, or lines, on standard error if standard output holds a file."""
        if self.as_json:
            answer = data() if callable(data) else data
            if READ_AS and isinstance(answer, dict):
                answer = {**answer, "read_as": READ_AS}
            text = json_text(answer, ascii_only=not _takes_any_text(sys.stdout))
            if sys.stdout.isatty():
                for line in text.split("\n"):
                    say(line, sys.stdout)
            else:
                print(text)
        else:
            for line in lines:
                say(line, self.text)

    def write_json(self, data: Any) -> None:
        """Write data to each JSON file."""
        self.write(json=lambda place: _put(place, json_text(data).encode() + b"\n"))

    def write_table(
        self,
        columns: Mapping[str, Sequence[Any]],
        marked: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        """Write a table; JSON has an object for each row, and is printed if the user wants it.

        ``marked`` are the columns as CSV and Parquet files have them, if that is otherwise.
        """
        from rankcut.files.stored_tables import format_parquet
        from rankcut.files.text import format_text

        rows, filed = [*Table(columns)], dict(columns if marked is None else marked)
        csv = {"spreadsheet": self.spreadsheet}
        self.write_json(rows)
        self.write(
            csv=lambda place: _put(place, format_text(filed, ",", **csv)),
            parquet=lambda place: _put(place, format_parquet(filed)),
        )
        if self.as_json:
            self.show_aside(rows, [])


def _known_suffix(target: str, suffixes: Sequence[str]) -> str:
    suffix = Path(target).suffix.lower()
    if suffix not in suffixes:
        *others, last = suffixes
        names = f"{', '.join(others)} or {last}" if others else last
        raise InputError(f"unknown suffix {suffix!r}; write a {names} file", file=target)
    return suffix


def check_target(target: str) -> None:
    """Refuse a file that cannot be written, before any work is done for it."""
    if target == "-":
        return
    place = Path(os.path.realpath(target))
    if place.is_symlink():
        raise RankingFileError("symbolic links that lead to each other", target)
    if place.is_dir():
        raise RankingFileError("this is a directory; name a file in it", target)
    if place.exists() and not place.is_file():
        return
    if not place.parent.is_dir():
        raise RankingFileError(f"there is no directory {place.parent}", target)
    if not os.access(place.parent, os.W_OK):
        raise RankingFileError(f"directory {place.parent} is not writable", target)


# --- files: each written whole or not at all ---------------------------------------------------


def _put(place: str, content: bytes) -> None:
    from rankcut.files.disk import atomic_file

    with atomic_file(place) as file:
        file.write(content)


@contextmanager
def destination(target: str, suffix: str) -> Iterator[str]:
    """A path to write to: the target itself, or a draft that goes there at the end.

    Some formats go back to the beginning of the file, and a pipe cannot.
    """
    if target != "-" and (Path(target).is_file() or not Path(target).exists()):
        yield target
        return
    import tempfile

    from rankcut.files.disk import atomic_file, copy_whole

    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / f"output{suffix}"
        yield str(draft)
        with draft.open("rb") as file:
            if target != "-":
                with atomic_file(target) as sink:
                    copy_whole(file, sink)
            elif sys.stdout.isatty():
                for line in io.TextIOWrapper(file, encoding="utf-8", errors="replace"):
                    say(line.removesuffix("\n"), sys.stdout)
            else:
                copy_whole(file, sys.stdout.buffer)


def named_rows(rankings: "RankingSet") -> dict[str, list[Any]]:
    """The first columns of a table with a row for each ranking: its name and its count."""
    columns: dict[str, list[Any]] = {"ranking": list(rankings.row_names)}
    if rankings.counted:
        columns["count"] = rankings.counts.tolist()
    return columns


# --- what a person reads ------------------------------------------------------------------------

# Characters that move the cursor, ring, or turn the direction of
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
# The colours that `styled` gives: red, yellow, cyan, bold, none.
_OURS = re.compile("(\x1b\\[(?:31|33|36|1|0)m)")
_BARS = re.compile("█+")


def _takes_any_text(stream: TextIO) -> bool:
    """Whether a stream takes any text without loss."""
    return codecs.lookup(stream.encoding or "ascii").name.startswith("utf")


def without_controls(text: str) -> str:
    r"""The text with control characters as escapes: a name must not command a terminal.

    >>> without_controls("toro\x1b[2J")
    'toro\\x1b[2J'
    """
    return _CONTROLS.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def styled(text: str, file: TextIO, **style: Any) -> str:
    """The text with colour if the file is a terminal and ``NO_COLOR`` is not set."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not file.isatty()
    return text if plain else typer.style(without_controls(text), **style)


def in_colours(lines: Iterable[str], file: TextIO) -> Iterator[str]:
    """What an answer says, the first line bold and bars in colour."""
    for number, line in enumerate(lines):
        bold = styled(line, file, bold=True)
        yield _BARS.sub(lambda bar: styled(bar[0], file, fg="cyan"), line) if number else bold


def say(line: str, file: TextIO) -> None:
    """Print a line for a reader; only our own colours reach the terminal."""
    pieces = _OURS.split(line) if file.isatty() else [line]
    safe = (piece if k % 2 else without_controls(piece) for k, piece in enumerate(pieces))
    print("".join(safe), file=file)


READ_AS: dict[str, str] = {}
"""How the files of this command were read; ``--json`` has it, too."""


def say_reading(file: str, line: str) -> None:
    """Say as what a file was read, on standard error and in JSON."""
    READ_AS[file] = line
    note(f"{file}: {line}")


def note(message: str) -> None:
    """Tell the user something in one line on standard error."""
    say(f"{styled('rankcut:', sys.stderr, fg='yellow')} {message}", sys.stderr)


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Tell the user in notes what would be warnings in Python, options as at the command line."""
    import warnings

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for warning in caught:
        note(re.sub(r'\b([a-z]+)="([a-z]+)"', r"--\1 \2", str(warning.message)))


def say_mistake(message: str) -> None:
    """Tell the user what is wrong, in one line on standard error."""
    words = " ".join(message.split())
    say(f"{styled('rankcut:', sys.stderr, fg='red')} {words}", sys.stderr)


def fact_lines(facts: Iterable[tuple[str, str]], file: TextIO) -> list[str]:
    r"""Names and values side by side; a value without a name belongs to the line above.

    >>> facts = [("items", "3"), ("most alike", "toro - uni"), ("", "ika - uni")]
    >>> print("\n".join(fact_lines(facts, sys.stdout)))
    items:      3
    most alike: toro - uni
                ika - uni
    """
    titles = [(f"{name}:" if name else "", value) for name, value in facts]
    width = max(len(title) for title, _ in titles) + 1
    return [
        f"{styled(title, file, fg='cyan')}{' ' * (width - len(title))}{value}"
        for title, value in titles
    ]


# --- progress: shown on a terminal, silent in a pipe -------------------------------------------


@contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """Show that work is under way; yield a function that takes the progress in words."""
    if not sys.stderr.isatty():
        yield lambda how_far: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)

        def report(how_far: str) -> None:
            progress.update(task, description=without_controls(f"{what}: {how_far}"))

        yield report


def counted(blocks: "Iterable[RankingSet]", what: str) -> "Iterator[RankingSet]":
    """Show the number of rankings done."""
    n_rows = 0
    with working(what) as report:
        for block in blocks:
            yield block
            n_rows += len(block)
            report(amount(n_rows, "row"))


@contextmanager
def steps(what: str) -> Iterator[Callable[[int, int], None]]:
    """Progress of a known number of steps: the function takes how many are finished, and all."""
    with working(what) as report:
        yield lambda n_done, total: report(f"{n_done:,} of {total:,}")
