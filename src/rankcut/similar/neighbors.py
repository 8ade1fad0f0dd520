"""One ranking and those nearest to it: which row a user means, and what to show."""

from typing import Any, NamedTuple

from rankcut.errors import InputError
from rankcut.rankings.ranking_set import RankingSet


class Neighbors(NamedTuple):
    """A ranking and its nearest neighbours, itself first."""

    rows: list[int]
    similarities: list[float]
    rankings: RankingSet


def itself_first(
    row: int, own: float, rows: list[int], values: list[float], number: int
) -> tuple[list[int], list[float]]:
    """Rows and similarities to show: the ranking itself, then its nearest neighbours.

    >>> itself_first(7, 1.0, [3, 7, 5], [1.0, 1.0, 0.5], 2)
    ([7, 3, 5], [1.0, 1.0, 0.5])
    """
    others = [(i, value) for i, value in zip(rows, values, strict=True) if i != row]
    shown = [(row, own), *others[:number]]
    return [i for i, _ in shown], [value for _, value in shown]


def find_row(names: Any, chosen: str) -> int | None:
    """The first row with that name."""
    for row, name in enumerate(names or ()):
        if str(name) == chosen:
            return row
    return None


def row_number(chosen: str, n_rows: int, names: Any, file: str | None = None) -> int:
    """The row with this number, for a text that is not a name."""
    if chosen.isdecimal() and int(chosen) < n_rows:
        return int(chosen)
    named = f", nor one called {chosen!r}, such as {names[0]!r}" if names else ""
    raise InputError(
        f"there is no row {chosen}: rows count from 0 to {n_rows - 1}{named}", file=file
    )
