"""Progress on a terminal, and silence in a pipe."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

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


def _display() -> Progress:
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
