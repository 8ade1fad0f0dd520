"""What stands beside rankings: columns with a value for each, and features of what was shown."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankcut._loops.types import Flags, Floats, Longs
from rankcut.errors import InputError
from rankcut.files.columns import TableColumn, read_columns
from rankcut.leaderboard.game_features import sides_named
from rankcut.leaderboard.games import Games
from rankcut.ranking_regression.formula import column_names, names_in, read_column
from rankcut.ranking_regression.shown import read_shown
from rankcut.rankings import Rankings, as_frame
from rankcut.rankings.ranking_set import RankingSet
from rankcut.strengths.designs import Term, contexts, feature

#: From numbers of rankings and of items to a value.
Shown: TypeAlias = Callable[[Longs, Longs], Floats]


class Beside:
    """What a model asks for beside rankings, and for which of them it is known.

    Attributes
    ----------
    known : flags
        The rankings of which all that is asked for is known.
    """

    def __init__(self, columns: Mapping[str, TableColumn], n_rows: int, rows: Longs | None) -> None:
        self.known: Flags = np.ones(n_rows, dtype=bool)
        self._columns, self._rows = columns, rows
        self._covariates: Any = {}
        self._contexts: tuple[str, Longs, list[Any]] | None = None
        self._when: Any = None
        self._features: list[tuple[str, Shown]] = []

    @classmethod
    def of(cls, X: Any, about: Any, games: Games | None, n_rows: int) -> "Beside":
        """The columns of a table about rankings, of votes, or of a RankingSet."""
        if about is None and games is not None:
            return cls(games.columns, n_rows, games.used)
        columns = columns_of(X, about)
        for name, column in columns.items():
            size = len(column.coded[0])
            if size != n_rows:
                raise InputError(
                    f"column {name!r} has {size} values for {n_rows} rankings", parameter="about"
                )
        return cls(columns, n_rows, None)

    @classmethod
    def of_covariates(cls, table: Any, on: Sequence[str], n_rows: int) -> "Beside":
        """A table of covariates, which terms name."""
        beside = cls({}, n_rows, None)
        named = {name for term in on for name in names_in(term)}
        for name in named.intersection(column_names(table, "x")):
            values = read_column(table, name, "x", category=None)
            beside.known &= [value is not None and value == value for value in values.tolist()]
        beside._covariates = table
        return beside

    def column(self, name: str, parameter: str) -> TableColumn:
        """A column by its name."""
        if name not in self._columns:
            listed = ", ".join(map(repr, self._columns)) or "none"
            raise InputError(
                f"names {name!r}; beside the rankings, columns are {listed}", parameter=parameter
            )
        return self._columns[name]

    def ask_covariates(self, on: Sequence[str], item_features: Any) -> None:
        """Ask for the covariates that terms name."""
        features = [] if item_features is None else column_names(item_features, "z")
        for name in dict.fromkeys(column for term in on for column in names_in(term)):
            if name not in features:
                self._covariates[name] = self._values(name, "on")

    def ask_contexts(self, by: str) -> None:
        """Ask for the context of each ranking."""
        codes, labels = self.column(by, "by").coded
        codes = codes if self._rows is None else codes[self._rows]
        self._contexts = by, codes, labels
        self.known &= codes >= 0

    def ask_time(self, over: str) -> None:
        """Ask when each ranking was made."""
        self._when = self._values(over, "over")

    def ask_shown(
        self,
        rankings: Rankings,
        games: Games | None,
        adjust: str | Sequence[str] | None,
        shown: Any,
        positions: ArrayLike | None,
    ) -> None:
        """Ask for features of what was shown."""
        names = [adjust] if isinstance(adjust, str) else adjust
        n_rows = rankings.shape[0]
        if games is not None and shown is None:
            for name in names or ():
                for side in sides_named(games, name):
                    self.known &= np.isfinite(side.first) & np.isfinite(side.second)
                    values = _of_sides(games.first, side.first, side.second)
                    self._features.append((side.name, values))
            return
        if names and shown is None:
            shown = {name: self._by_item(name, rankings) for name in names}
        places = None if positions is None else np.asarray(positions, dtype=np.float64)
        if games is not None:
            places = np.full(rankings.shape, np.nan)
            places[np.arange(n_rows), games.first] = 0.0
            places[np.arange(n_rows), games.second] = 1.0
        features = read_shown(shown, rankings.shape, rankings.items, places)
        for name in features if names is None else names:
            if name not in features:
                raise InputError(
                    f"names {name!r}; what was shown has {', '.join(map(repr, features))}",
                    parameter="adjust",
                )
            self.known &= _known_of_listed(rankings, features[name])
            self._features.append((name, _of_matrix(features[name])))

    def _by_item(self, name: str, rankings: Rankings) -> Floats:
        """A feature of which each item has a column, called by its name and the item's."""
        labels = [str(rankings.item(i)) for i in range(rankings.shape[1])]
        for joined in ("{0}_{1}", "{1}_{0}", "{0}.{1}", "{1}.{0}", "{0} {1}", "{1} {0}"):
            called = [joined.format(name, label) for label in labels]
            if all(each in self._columns and self._columns[each].is_numeric for each in called):
                return np.column_stack([self._columns[each].numbers for each in called])
        raise InputError(
            f"names {name!r}, but no column says what was shown; a column for each item would, "
            f"such as '{name}_{labels[0]}'",
            parameter="adjust",
        )

    @property
    def rows(self) -> Longs:
        """The rankings of which all is known."""
        return np.flatnonzero(self.known)

    @property
    def covariates(self) -> Any:
        """Covariates of these rankings."""
        if not isinstance(self._covariates, dict):
            frame = as_frame(self._covariates)
            return self._covariates[self.rows] if frame is None else frame[self.rows.tolist()]
        return {name: values[self.rows] for name, values in self._covariates.items()}

    @property
    def when(self) -> Any:
        """The dates of these rankings; None if they were not asked for."""
        return None if self._when is None else self._when[self.rows]

    def terms(self) -> list[Term]:
        """Features of what was shown, then contexts, of these rankings."""
        rows = self.rows
        terms = [feature(name, _taken(values, rows)) for name, values in self._features]
        if self._contexts is not None:
            by, codes, labels = self._contexts
            codes = codes[rows]
            present = sorted(np.unique(codes).tolist(), key=lambda code: str(labels[code]))
            place = np.full(len(labels), -1)
            place[present] = np.arange(len(present))
            terms.append(contexts(by, place[codes], [labels[code] for code in present]))
        return terms

    def _values(self, name: str, parameter: str) -> Any:
        """The values of a column, numbers or objects; those that are missing are not known."""
        column = self.column(name, parameter)
        if column.is_numeric:
            values = column.numbers if self._rows is None else column.numbers[self._rows]
            self.known &= np.isfinite(values)
            return values
        codes, labels = column.coded
        codes = codes if self._rows is None else codes[self._rows]
        objects = np.empty(len(labels) + 1, dtype=object)
        objects[: len(labels)] = labels
        self.known &= codes >= 0
        return objects[codes]


def columns_of(X: Any, about: Any) -> dict[str, TableColumn]:
    """The columns beside rankings: of a frame, a mapping, or a RankingSet."""
    if about is None:
        if not isinstance(X, RankingSet):
            return {}
        about = X.columns
    if as_frame(about) is not None:
        return read_columns(about)
    columns = {}
    for name, values in about.items():
        cells = np.asarray(values)
        numbers = cells.astype(np.float64) if cells.dtype.kind in "iuf" else None
        columns[str(name)] = TableColumn(cells, numbers)
    return columns


def _of_sides(first: Longs, one: Floats, other: Floats) -> Shown:
    """A feature of the two items of each vote."""
    return lambda rows, which: np.where(first[rows] == which, one[rows], other[rows])


def _of_matrix(values: Floats) -> Shown:
    return lambda rows, which: values[rows, which]


def _taken(values: Shown, taken_rows: Longs) -> Shown:
    """A feature of some of the rankings."""
    return lambda rows, which: values(taken_rows[rows], which)


def _known_of_listed(rankings: Rankings, values: Floats) -> Flags:
    """Whether a feature is known of all items that were at choice."""
    missing = np.isnan(values)
    if rankings.unranked == "anywhere":
        missing &= ~np.isnan(rankings.dense().read(0, rankings.shape[0]))
    return np.asarray(~missing.any(axis=1))
