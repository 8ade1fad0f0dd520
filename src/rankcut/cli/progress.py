"""Progress on a terminal, and silence in a pipe."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rankcut.errors import amount

if TYPE_CHECKING:
    from rankcut.rankings.ranking_set import RankingSet


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
