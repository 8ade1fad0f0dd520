"""Features of the two items of a game: what was shown, from two columns of a table or more."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.files.columns import TableColumn, tokens_of
from rankcut.files.tables import number_of
from rankcut.leaderboard.games import Games, sides_of

# What a feature is called that is 1 for the item shown first, and 0 for the other.
FIRST_WORDS = ("slot", "home", "first")


@dataclass(frozen=True, eq=False)
class Sides:
    """A feature of the two items of each game."""

    name: str
    first: Floats
    second: Floats


def sides_named(games: Games, name: str) -> list[Sides]:
    """A feature by the name that its two columns share; of words, one for each but the first.

    The last words of the name are enough where no other feature has them.

    >>> import pandas as pd
    >>> games = Games.of_frame(pd.DataFrame({
    ...     "model_a": ["x", "y"], "model_b": ["y", "x"], "winner": ["a", "b"],
    ...     "style_a": ["list", "plain"], "style_b": ["plain", "plain"]}))
    >>> [(side.name, side.first.tolist()) for side in sides_named(games, "style")]
    [('style=plain', [0.0, 1.0])]
    """
    pairs = {}
    for pair in sides_of([*games.columns]):
        both = zip(*map(tokens_of, pair), strict=True)
        pairs[tuple(word for word, other in both if word == other)] = pair
    # As its columns are read: a digit at the end of a name would be a side.
    alike: list[tuple[str, str]] = []
    for words in (tuple(tokens_of(f"{name}_a"))[:-1], tuple(tokens_of(name))):
        ending = [pair for each, pair in pairs.items() if words and each[-len(words) :] == words]
        alike = alike or ([pairs[words]] if words in pairs else ending)
    if not alike and name in FIRST_WORDS:
        if not games.ordered:
            raise InputError(
                f"names {name!r}, but the table says who won, not who was shown first",
                parameter="adjust",
                remedy="leave it out",
            )
        return [Sides(name, np.ones(len(games)), np.zeros(len(games)))]
    if len(alike) != 1:
        raise InputError(_no_feature(games, name, ["_".join(each) for each in pairs]))
    columns = [games.columns[each] for each in alike[0]]
    first, second = map(_numbers_of, columns)
    if first is not None and second is not None:
        return [Sides(name, games.values(first), games.values(second))]
    return list(_of_words(games, name, columns))


def _numbers_of(column: TableColumn) -> Floats | None:
    """The numbers in a column, which may be text, as in a file; None if a cell has none."""
    if column.is_numeric:
        return column.numbers
    codes, labels = column.coded
    numbers = [number_of(label, ordinals=False) for label in labels]
    return None if None in numbers else np.array([*numbers, np.nan], dtype=np.float64)[codes]


def _of_words(games: Games, name: str, columns: Sequence[TableColumn]) -> Iterator[Sides]:
    """Whether each side has a word, for each word but the first."""
    coded = [column.coded for column in columns]
    labels = sorted({label for _, some in coded for label in some}, key=str)
    for label in labels[1:]:
        each = [
            np.append([float(other == label) for other in some], np.nan)[games.values(codes)]
            for codes, some in coded
        ]
        yield Sides(name if label is True else f"{name}={label}", *each)


def _no_feature(games: Games, name: str, named: Sequence[str]) -> list[Any]:
    """What is wrong with the name of a feature, and what would work."""
    if name in games.columns:
        problem = (
            f"column {name!r} has one value for both items of a vote; a feature has one for each, "
            f"in two columns such as '{name}_a' and '{name}_b'"
        )
    else:
        problem = (
            f"no two columns are called {name!r} and a side, such as '{name}_a' and '{name}_b'"
        )
    others = [*named, *(FIRST_WORDS[:2] if games.ordered else ())]
    return [problem, "; there is " + ", ".join(map(repr, others))] if others else [problem]
