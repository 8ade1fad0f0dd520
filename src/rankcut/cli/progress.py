"""Progress on a terminal, and silence in a pipe."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from rankcut.ranking_set import RankingSet


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show that something is under way."""
    with _display() as progress:
        progress.add_task(what, total=None)
        yield


def counted(pieces: Iterable[RankingSet], what: str) -> Iterator[RankingSet]:
    """Show how many rankings are done."""
    done = 0
    with _display() as progress:
        task = progress.add_task(what, total=None)
        for piece in pieces:
            yield piece
            done += len(piece)
            progress.update(task, description=f"{what}: {done:,} rankings")


@contextmanager
def steps(what: str) -> Iterator[tuple[Callable[[int], None], Callable[[str], None]]]:
    """Show how many steps of a known number are done: two calls, to begin and after each step."""
    with _display(BarColumn(), MofNCompleteColumn()) as progress:
        task = progress.add_task(what, total=None)

        def begin(total: int) -> None:
            progress.update(task, total=total)

        def step(name: str) -> None:
            progress.update(task, advance=1, description=f"{what}: {name}")

        yield begin, step


def _display(*columns: ProgressColumn) -> Progress:
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        *columns,
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
