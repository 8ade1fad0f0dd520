"""Games between two items, read from the columns of a table: votes, matches, comparisons.

A game has the item that was shown first (on the left, at home), the one that was shown second, and
a result: the first won, the second won, or neither did.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut._loops.types import Flags, Floats, Longs
from rankcut.errors import InputError, Setting, amount
from rankcut.files.columns import (
    Labels,
    TableColumn,
    read_columns,
    sorted_labels,
    tokens_of,
)
from rankcut.files.tables import number_of
from rankcut.rankings import Rankings

# How the names of two columns say which side they are about.
SIDES = (
    ("a", "b"),
    ("1", "2"),
    ("left", "right"),
    ("first", "second"),
    ("x", "y"),
    ("home", "away"),
    ("white", "black"),
    ("winner", "loser"),
)

# Words of a column that holds items, and of one that says who won.
ITEM_WORDS = {
    *("model", "player", "team", "item", "option", "system", "method", "name", "engine", "club"),
    *("algorithm", "candidate", "competitor", "fighter", "country"),
}
WINNER_WORDS = {
    *("winner", "vote", "preferred", "preference", "choice", "result", "outcome", "judgment"),
    *("judgement", "label", "win", "won", "better", "winning"),
}
SCORE_WORDS = {"score", "goals", "points", "runs", "goal", "pts", "sets"}
JUDGE_WORDS = {
    *("judge", "annotator", "rater", "voter", "user", "worker", "respondent", "participant"),
    *("person", "evaluator", "assessor", "reviewer", "visitor"),
}

_TIE = re.compile(
    r"ties?\b.*|draw|d|equal|both\b.*|bothbad|neither|same|none|no[ _]preference|0?\.5|="
)

# Both sides' points, as chess and football have them.
_HALVES = ("1/2", "½", "0.5")
_SCORES = re.compile(r"(\d+|1/2|½|0\.5)\s*[-–:]\s*(\d+|1/2|½|0\.5)")

# Numbers that say who won: of the first item's points, and by their sign.
_POINTS, _SIGNS = {0.0, 0.5, 1.0}, {-1.0, 0.0, 1.0}

# Up to this many cells, equal games are counted in a table rather than sorted: 32 MB.
_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class Games:
    """Games between two items.

    Examples
    --------
    >>> import pandas as pd
    >>> games = Games.of_frame(pd.DataFrame({
    ...     "model_a": ["ada", "bob", "ada"], "model_b": ["bob", "cyd", "cyd"],
    ...     "winner": ["model_a", "tie", "cyd"], "judge": [7, 7, 8]}))
    >>> games.items, games.first.tolist(), games.second.tolist(), games.result.tolist()
    (('ada', 'bob', 'cyd'), [0, 1, 0], [1, 2, 2], [1, 0, -1])
    >>> games.judges, games.judge_column
    ((7, 8), 'judge')
    """

    items: Labels
    first: Longs  #: the item that was shown first, in each game
    second: Longs  #: the other item
    result: NDArray[np.int8]  #: 1: the first won; −1: the second; 0: a tie
    judge: Longs | None = None  #: who judged each game, as a number
    judges: Labels = ()  #: their names
    judge_column: str = ""  #: the column that names them
    ordered: bool = True  #: whether first and second say where items were shown
    #: The other columns, and the rows of them that are games; None: all
    columns: Mapping[str, TableColumn] = field(default_factory=dict)
    used: Longs | None = None
    notes: tuple[str, ...] = ()

    @property
    def read_as(self) -> str:
        """How a table was read, in a line: items, votes and who leads by the share of votes won.

        >>> Games(("ada", "bob"), np.array([0, 0]), np.array([1, 1]), np.array([1, 0])).read_as
        'read as votes between two: 2 items, 2 votes; first ada, bob'
        """
        sides, n_items = np.concatenate([self.first, self.second]), len(self.items)
        points = np.concatenate([1.0 + self.result, 1.0 - self.result]) / 2.0
        played = np.bincount(sides, minlength=n_items)
        shares = np.bincount(sides, points, n_items) / np.maximum(played, 1)
        leaders = ", ".join(str(self.items[i]) for i in np.argsort(-shares, kind="stable")[:3])
        judges = f" by {amount(len(self.judges), 'person', 'people')}" if self.judges else ""
        counted = f"{amount(n_items, 'item')}, {amount(len(self.first), 'vote')}{judges}"
        return "; ".join([f"read as votes between two: {counted}", f"first {leaders}", *self.notes])

    @classmethod
    def of_frame(
        cls,
        frame: Any,
        *,
        items: tuple[str, str] | None = None,
        winner: str | None = None,
        people: str | None = None,
    ) -> "Games":
        """Games from a pandas, Polars or PyArrow table.

        Parameters
        ----------
        frame : frame
            A row for each game.
        items : (str, str) or None
            The columns of the two items; None: found by their names, such as ``model_a`` and
            ``model_b``.
        winner : str or None
            The column that says who won; None: found by its name. Without one there are two columns
            of scores, or ``winner`` and ``loser`` are the items.
        people : str or None
            The column of who judged; None: found by its name.
        """
        return cls.of_columns(read_columns(frame), items=items, winner=winner, people=people)

    @classmethod
    def of_columns(
        cls,
        columns: Mapping[str, TableColumn],
        *,
        items: tuple[str, str] | None = None,
        winner: str | None = None,
        people: str | None = None,
    ) -> "Games":
        """Games from the columns of a table, as :meth:`of_frame`."""
        roles = _roles(columns, items, winner, people)
        (first, first_names), (second, second_names) = (columns[name].coded for name in roles.items)
        labels, first_places, second_places = sorted_labels(first_names, second_names)
        first, second = first_places[first], second_places[second]
        result = _results(columns, roles, labels, first, second)
        decided = (first >= 0) & (second >= 0) & (result != _UNKNOWN) & (first != second)
        notes = []
        if not decided.any():
            raise InputError("no row has two different items and a result", column=roles.items[0])
        if not decided.all():
            missing = int((~decided).sum())
            notes.append(f"{amount(missing, 'row')} without two items and a result left out")
        judge, judges = None, cast(Labels, ())
        if roles.judge:
            judge, judge_names = columns[roles.judge].coded
            judges = tuple(judge_names)
            if (judge < 0).any():
                # Who judged is not known: each such game is someone else's.
                unknown = np.flatnonzero(judge < 0)
                judge = judge.copy()
                judge[unknown] = len(judges) + np.arange(len(unknown))
                judges += tuple(f"unknown {row + 1}" for row in unknown.tolist())
        role_columns = {*roles.items, roles.winner, roles.judge, *roles.scores}
        others = {name: column for name, column in columns.items() if name not in role_columns}
        games = cls(
            labels, first, second, result.astype(np.int8), judge, judges, roles.judge,
            not roles.lost, others, None, tuple(notes),
        )  # fmt: skip
        return games if decided.all() else games.rows(decided)

    def rows(self, which: Any) -> "Games":
        """Some of the games."""
        return replace(
            self,
            first=self.first[which],
            second=self.second[which],
            result=self.result[which],
            judge=None if self.judge is None else self.judge[which],
            used=np.arange(len(self))[which] if self.used is None else self.used[which],
        )

    def __len__(self) -> int:
        return len(self.first)

    def values(self, column: NDArray[Any]) -> NDArray[Any]:
        """What a column of the table has for each game."""
        return column if self.used is None else column[self.used]

    def noting(self, note: str) -> "Games":
        """The games with a further note."""
        return replace(self, notes=(*self.notes, note))

    @cached_property
    def wins(self) -> Floats:
        """How often item i won against item j."""
        return self._matrix(self.result != 0)

    @cached_property
    def ties(self) -> Floats:
        """How often neither of i and j won."""
        half = self._matrix(self.result == 0)
        return half + half.T

    def _matrix(self, which: Flags) -> Floats:
        n_items = len(self.items)
        ahead = self.result >= 0
        winner = np.where(ahead, self.first, self.second)
        loser = np.where(ahead, self.second, self.first)
        cells = np.bincount((winner * n_items + loser)[which], minlength=n_items**2)
        return cells.reshape(n_items, n_items).astype(np.float64)

    @property
    def meetings(self) -> Floats:
        """How often i and j met."""
        return self.wins + self.wins.T + self.ties

    @cached_property
    def n_votes(self) -> Longs:
        """The number of games of each item."""
        return np.asarray(self.meetings.sum(axis=0).astype(np.int64))

    def rankings(self, *, merged: bool = True) -> Rankings:
        """Each different vote of each judge once, as a ranking of two items with its count.

        If not ``merged``, each game is a ranking of its own, in the order of games.
        """
        n_items = len(self.items)
        ahead = self.result >= 0
        winner = np.where(ahead, self.first, self.second)
        loser = np.where(ahead, self.second, self.first)
        # A tie has no winner: the items stand in their order.
        tied = self.result == 0
        winner, loser = (
            np.where(tied, np.minimum(winner, loser), winner),
            np.where(tied, np.maximum(winner, loser), loser),
        )
        n_judges = 1 if self.judge is None else len(self.judges)
        key = (winner * n_items + loser) * 2 + tied
        if self.judge is not None:
            key += self.judge * (2 * n_items**2)
        n_cells = 2 * n_items**2 * n_judges
        counts: NDArray[Any]
        if not merged:
            counts = np.ones(len(key))
        elif n_cells <= _CELLS:
            counts = np.bincount(key, minlength=n_cells)
            key = np.flatnonzero(counts)
            counts = counts[key]
        else:
            key, counts = np.unique(key, return_counts=True)
        pair, tied = key // 2, (key % 2).astype(bool)
        judge, pair = np.divmod(pair, n_items**2)
        winner, loser = np.divmod(pair, n_items)
        swapped = winner > loser
        columns = np.stack([np.minimum(winner, loser), np.maximum(winner, loser)], axis=1)
        ranks = np.ones((len(key), 2))
        ranks[~tied, 1] = 2.0
        ranks[swapped] = ranks[swapped, ::-1]
        starts = np.arange(len(key) + 1) * 2
        matrix = csr_array(
            (ranks.ravel(), columns.ravel().astype(np.int32), starts.astype(np.int32)),
            shape=(len(key), n_items),
        )
        return Rankings(
            matrix,
            self.items,
            "anywhere",
            counts.astype(np.float64),
            people=None if self.judge is None else judge,
        )


def looks_like_games(columns: Mapping[str, TableColumn]) -> bool:
    """Whether a table has columns of two items and who won, and is not of numbers alone."""
    if all(column.is_numeric for column in columns.values()):
        return False
    try:
        _roles(columns, None, None, None)
    except InputError:
        return False
    return True


# A result that a table does not say.
_UNKNOWN = 9


@dataclass(frozen=True)
class GameColumns:
    """Which column says what."""

    items: tuple[str, str]
    winner: str = ""
    scores: tuple[str, ...] = ()
    judge: str = ""
    lost: bool = False  #: the first item won each game


def sides_of(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs of columns whose names differ as a and b, or home and away, do.

    >>> list(sides_of(["model_a", "model_b", "winner"]))
    [('model_a', 'model_b')]
    """
    tokens = {name: tokens_of(name) for name in names}
    place = {tuple(words): name for name, words in tokens.items()}
    for left, right in SIDES:
        for name, words in tokens.items():
            other = tuple(right if word == left else word for word in words)
            if left in words and other in place:
                yield name, place[other]


def _roles(
    columns: Mapping[str, TableColumn],
    items: tuple[str, str] | None,
    winner: str | None,
    people: str | None,
) -> GameColumns:
    """Which columns hold the items, who won, the scores and the judge."""
    names = list(columns)
    for name in (*(items or ()), winner, people):
        if name is not None and name not in columns:
            raise InputError(
                f"there is no column {name!r}; the table has {', '.join(map(repr, names))}"
            )
    pairs = list(sides_of(names))
    if items is None:
        items = _item_columns(columns, pairs)
    judge = people or next(
        (
            name
            for name in names
            if {*tokens_of(name)} & JUDGE_WORDS
            and name not in items
            and not any(name in pair for pair in pairs)
        ),
        "",
    )
    first, second = (tokens_of(name) for name in items)
    if "winner" in first and "loser" in second:
        return GameColumns(items, judge=judge, lost=True)
    if winner is None:
        candidates = [
            name
            for name in names
            if {*tokens_of(name)} & WINNER_WORDS and name not in (*items, judge)
        ]
        winner = min(candidates, key=lambda name: columns[name].is_numeric, default="")
    if winner:
        return GameColumns(items, winner, judge=judge)
    scores = next((pair for pair in pairs if _are_scores(pair, columns)), None)
    if scores is None:
        raise InputError(
            f"columns {items[0]!r} and {items[1]!r} hold items, but none says who won",
            remedy=["name it: ", Setting("winner", names[-1])],
        )
    return GameColumns(items, scores=scores, judge=judge)


def _are_scores(pair: tuple[str, str], columns: Mapping[str, TableColumn]) -> bool:
    numeric = all(columns[name].is_numeric for name in pair)
    return numeric and bool({*tokens_of(pair[0])} & SCORE_WORDS)


def _item_columns(
    columns: Mapping[str, TableColumn], pairs: Sequence[tuple[str, str]]
) -> tuple[str, str]:
    """The two columns with the items: those called so, or of text with the fewest values."""
    texts = [pair for pair in pairs if not any(columns[name].is_numeric for name in pair)]
    named = [pair for pair in pairs if {*tokens_of(pair[0])} & ITEM_WORDS and pair in texts]
    numbered = [pair for pair in pairs if {*tokens_of(pair[0])} & ITEM_WORDS]
    choices = named or texts or numbered
    if not choices:
        raise InputError(
            "no two columns hold the items of games, such as model_a and model_b; the table has "
            + ", ".join(map(repr, columns)),
            remedy=["name them: ", Setting("pair", ("model_a", "model_b"))],
        )
    if len(choices) == 1:
        return choices[0]
    return min(choices, key=lambda pair: len(columns[pair[0]].coded[1]))


def _results(
    columns: Mapping[str, TableColumn],
    roles: GameColumns,
    labels: Labels,
    first: Longs,
    second: Longs,
) -> Longs:
    """Who won each game."""
    if roles.lost:
        return np.ones(len(first), dtype=np.int64)
    if roles.scores:
        one, other = (columns[name].numbers for name in roles.scores)
        missing = np.isnan(one) | np.isnan(other)
        return np.where(missing, _UNKNOWN, np.sign(np.nan_to_num(one - other))).astype(np.int64)
    codes, values = columns[roles.winner].coded
    numbers = [number_of(value, ordinals=False) for value in values]
    if None not in numbers and not {*values} & {*labels}:
        by_value = _numbers_as_results([float(number or 0) for number in numbers], roles)
    else:
        by_value = np.array([_word_as_result(value, roles) for value in values], dtype=np.int64)
    place = {label: number for number, label in enumerate(labels)}
    items = np.array([*(place.get(value, -2) for value in values), -2], dtype=np.int64)[codes]
    result = np.append(by_value, _UNKNOWN)[codes]
    result = np.where(items == first, 1, np.where(items == second, -1, result))
    if (result == _OTHER).any():
        row = int(np.argmax(result == _OTHER))
        value = values[int(codes[row])]
        raise InputError(
            f"column {roles.winner!r} holds {value!r}, which is neither of the two items "
            f"({labels[first[row]]!r}, {labels[second[row]]!r}) nor a tie",
            row=row,
            remedy="write the name of the winner, a or b, or tie",
        )
    return result


# A value that is neither a side nor a tie: it may still be the name of an item.
_OTHER = 8


def _word_as_result(value: Any, roles: GameColumns) -> int:
    """What a word says: the first won, the second did, or neither."""
    text = str(value).strip()
    points = _SCORES.fullmatch(text)
    if points:
        one, other = (0.5 if side in _HALVES else float(side) for side in points.groups())
        return int(np.sign(one - other))
    if text in roles.items:
        return 1 if text == roles.items[0] else -1
    word = text.lower()
    side = re.split(r"[\s_-]+", word)[-1]
    if side in {left for left, _ in SIDES} | {"h"}:
        return 1
    if side in {right for _, right in SIDES}:
        return -1
    return 0 if _TIE.fullmatch(word) else _OTHER


def _numbers_as_results(values: Sequence[float], roles: GameColumns) -> Longs:
    """What numbers say: points of the first item (1, ½, 0), their sign, or sides (1, 2; 0)."""
    numbers = {float(value) for value in values}
    if 0.5 in numbers and numbers <= _POINTS:
        return np.array([int(np.sign(value - 0.5)) for value in values], dtype=np.int64)
    if -1.0 in numbers and numbers <= _SIGNS:
        return np.array([int(value) for value in values], dtype=np.int64)
    if 2.0 in numbers and numbers <= {0.0, 1.0, 2.0}:
        sides = {0.0: 0, 1.0: 1, 2.0: -1}
        return np.array([sides[float(value)] for value in values], dtype=np.int64)
    listed = ", ".join(f"{value:g}" for value in sorted(numbers)[:4])
    raise InputError(
        f"column {roles.winner!r} holds the numbers {listed}, which do not say who won",
        remedy="write the name of the winner, a or b, or tie; or points of the first: 1, 0.5, 0",
    )
