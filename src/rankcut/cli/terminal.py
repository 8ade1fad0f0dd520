"""What a person reads on a terminal: notes, tables and progress; in a pipe, progress is silent."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import typer

from rankcut.errors import amount

if TYPE_CHECKING:
    from rankcut.rankings.ranking_set import RankingSet


def note(message: str) -> None:
    """Tell the user something in one line on standard error."""
    print(f"{styled('rankcut:', sys.stderr, fg='yellow')} {message}", file=sys.stderr)


def styled(text: str, file: TextIO, **style: Any) -> str:
    """The text with colour if the file is a terminal and ``NO_COLOR`` is not set."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not file.isatty()
    return text if plain else typer.style(text, **style)


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


def score_lines(
    title: str, scores: Sequence[Any], shown: Mapping[str, tuple[str, int, str]], file: TextIO
) -> list[str]:
    """The scores of methods as a table.

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


@contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """Show that work is under way; yield a function that takes the progress in words."""
    with _display() as progress:
        task = progress.add_task(what, total=None)

        def say(how_far: str) -> None:
            progress.update(task, description=f"{what}: {how_far}")

        yield say


def counted(blocks: "Iterable[RankingSet]", what: str) -> "Iterator[RankingSet]":
    """Show the number of rankings done."""
    done = 0
    with _display() as progress:
        task = progress.add_task(what, total=None)
        for block in blocks:
            yield block
            done += len(block)
            progress.update(task, description=f"{what}: {amount(done, 'row')}")


@contextmanager
def steps(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar; yield a function that takes the numbers of finished steps and of all steps."""
    with _display(bar=True) as progress:
        task = progress.add_task(what, total=None)

        def step(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        yield step


def _display(*, bar: bool = False) -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    silent = not sys.stderr.isatty()
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        *([BarColumn(), MofNCompleteColumn()] if bar else []),
        TimeElapsedColumn(),
        # Quiet too: in some versions of Rich, a disabled display ends with an empty line.
        console=Console(stderr=True, quiet=silent),
        transient=True,
        disable=silent,
    )
