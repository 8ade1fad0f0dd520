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

from rankcut.files.ranking_set import RankingSet


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
def stepping(what: str, total: int) -> Iterator[Callable[[], None]]:
    """Show how many of so many steps are done; what is yielded is called after each."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with _display(*columns) as progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)


def _display(*columns: ProgressColumn) -> Progress:
    return Progress(
        SpinnerColumn(),
        *(columns or [TextColumn("{task.description}")]),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
