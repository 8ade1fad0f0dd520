"""How results become files: tables, pictures and pages, each written whole or not at all."""

import io
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from rankcut.cli.output import say, styled

if TYPE_CHECKING:
    from rankcut.rankings.ranking_set import RankingSet


def write_table(
    place: str, columns: Mapping[str, Sequence[Any]], data: Any = None, *, spreadsheet: bool = False
) -> None:
    """Write a table by its suffix; JSON has ``data``, or an object for each row."""
    if place.endswith(".csv"):
        from rankcut.files.text import format_text

        write_bytes(place, format_text(dict(columns), ",", spreadsheet=spreadsheet))
    elif place.endswith(".parquet"):
        from rankcut.files.stored_tables import format_parquet

        write_bytes(place, format_parquet(dict(columns)))
    else:
        write_bytes(place, json_text(records(columns) if data is None else data).encode() + b"\n")


def write_picture(place: str, figure: Any) -> None:
    """Write a figure, whose format Matplotlib chooses by the suffix."""
    from rankcut.files.disk import atomic_path
    from rankcut.pictures.figures import save_figure

    with atomic_path(place) as draft:
        save_figure(figure, draft)


def write_bytes(place: str, content: bytes) -> None:
    """Write a file."""
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


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """A table from an object for each row: what :func:`records` undoes.

    >>> columns_of([{"row": 0, "count": 5}, {"row": 1, "count": 1}])
    {'row': [0, 1], 'count': [5, 1]}
    """
    return {name: [row[name] for row in rows] for name in rows[0]}


def records(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """A table as an object for each row.

    >>> records({"row": [0, 1], "count": [5, 1]})
    [{'row': 0, 'count': 5}, {'row': 1, 'count': 1}]
    """
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def named_rows(rankings: "RankingSet") -> dict[str, list[Any]]:
    """The first columns of a table with a row for each ranking: its name and its count."""
    columns: dict[str, list[Any]] = {"ranking": list(rankings.row_names)}
    if rankings.counted:
        columns["count"] = rankings.counts.tolist()
    return columns


def score_lines(
    title: str, scores: Sequence[Any], shown: Mapping[str, tuple[str, int, str]], file: TextIO
) -> list[str]:
    """The scores of methods as lines for a reader.

    ``shown`` has for each attribute of a score its heading, its width and its format.
    """
    width = max(len(score.method) for score in scores)
    heads = [f"{head:>{size}}" for head, size, _ in shown.values()]
    lines = [styled(title, file, bold=True)]
    lines.append(styled("  ".join([f"{'method':<{width}}", *heads]), file, fg="cyan"))
    for score in scores:
        cells = [f"{score.method:<{width}}"]
        for name, (_, size, form) in shown.items():
            value = getattr(score, name)
            cells.append(f"{'' if value is None else format(value, form):>{size}}")
        lines.append("  ".join(cells).rstrip())
    return lines


def json_text(data: Any, *, plain: bool = False) -> str:
    """JSON of plain values, NumPy's numbers and arrays; what is not a number is null.

    With ``plain``, all that is not ASCII is escaped.
    """
    return json.dumps(_as_json(data), indent=2, ensure_ascii=plain, allow_nan=False)


def _as_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _as_json(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(each) for each in value]
    if hasattr(value, "tolist"):  # NumPy's
        return _as_json(value.tolist())
    if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
        return None
    return value if value is None or isinstance(value, bool | int | float) else str(value)
