"""Strengths by votes: of all, adjusted for what was shown, by category, and over time.

The likelihood is that of :func:`rankcut.strengths.fit_strengths`. A feature has one coefficient, so
that ratings are of items that are shown alike: with length, slot or home as features this is the
logistic regression of public boards with *style control*. Categories have deviations from the
strengths of all, which are as large as the votes say: a category with few votes borrows from the
others (partial pooling). Over time strengths walk at random, as far as the votes say, and a board
is that of the last period.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from rankcut._loops.types import Flags, Floats, Longs
from rankcut.errors import InputError, amount
from rankcut.graphs.item_graph import ItemGraph
from rankcut.strengths import Games, Strengths, StrengthsOverTime, Ties, fit_over_time
from rankcut.strengths.columns import TableColumn, tokens_of
from rankcut.strengths.designs import Term, contexts, feature, items
from rankcut.strengths.fitting import Prior, strengths_of
from rankcut.strengths.games import sides_of
from rankcut.strengths.terms import TermsFit, fit_terms

# What a feature is called that is 1 for the item shown first, and 0 for the other.
FIRST_WORDS = ("slot", "home", "first")


@dataclass(frozen=True)
class Effect:
    """What a unit of a feature adds to the log-odds of being preferred."""

    name: str
    estimate: float
    std_error: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Sides:
    """A feature of the two items of each vote."""

    name: str
    first: Floats
    second: Floats


@dataclass(frozen=True, eq=False)
class Rating:
    """Strengths by all votes and by those of each category, and the effects of features."""

    strengths: Strengths
    games: Games
    effects: tuple[Effect, ...]
    boards: "dict[Any, tuple[Strengths, Games]]"  #: of each category, and its votes
    model_covariance: Floats  #: of strengths, if the model is true
    history: StrengthsOverTime | None = None


def rate(
    games: Games,
    *,
    adjust: Sequence[str] = (),
    by: str | None = None,
    graph: ItemGraph | None = None,
    prior: Prior = "evidence",
    ties: Ties = "auto",
    confidence: float = 0.95,
) -> Rating:
    """Strengths by votes, features of what was shown, and categories.

    >>> import pandas as pd
    >>> votes = pd.DataFrame({"model_a": list("xyzxyz") * 9, "model_b": list("yzxzxy") * 9,
    ...                       "winner": list("aababb" "bbaaab" "babaab") * 3,
    ...                       "length_a": [5, 2, 4] * 18, "length_b": [3, 4, 4, 1] * 13 + [2, 3]})
    >>> rating = rate(Games.of_frame(votes), adjust=["length"])
    >>> [(effect.name, round(effect.estimate, 2)) for effect in rating.effects]
    [('length', 0.17)]
    """
    features = [side for name in adjust for side in sides_named(games, name)]
    games, features = _with_values(games, features)
    terms = [items(), *(_term(games, side) for side in features)]
    rankings = games.rankings(merged=False)
    settings: dict[str, Any] = {"graph": graph, "prior": prior, "ties": ties}
    fit = fit_terms(rankings, terms, **settings)
    contrasts = fit.of_items([0], [1.0])
    boards = {}
    if by is not None:
        codes, labels = _categories(games, by)
        pooled = fit_terms(rankings, [*terms, contexts(by, codes, labels)], **settings)
        for number, label in enumerate(labels):
            some = games.rows(np.flatnonzero(codes == number))
            of_items = pooled.in_context(len(terms), number)
            boards[label] = strengths_of(pooled, of_items, _connected(some)), some
    root = fit.errors.root @ contrasts.T
    return Rating(
        strengths_of(fit, contrasts, _connected(games)),
        games,
        tuple(_effects(fit, features, confidence)),
        boards,
        root.T @ root,
    )


def rate_over_time(
    games: Games,
    over: str,
    *,
    adjust: Sequence[str] = (),
    graph: ItemGraph | None = None,
    ties: Ties = "auto",
    confidence: float = 0.95,
) -> Rating:
    """Strengths in the last period, and their history."""
    codes, labels = _column(games, over, "over").coded
    dated = games.values(codes) >= 0
    if not dated.all():
        missing = amount(int((~dated).sum()), "vote")
        games = games.rows(dated).noting(f"{missing} without a value of {over} left out")
    features = [side for name in adjust for side in sides_named(games, name)]
    games, features = _with_values(games, features)
    when = [labels[code] for code in games.values(codes).tolist()]
    terms = [_term(games, side) for side in features]
    history = fit_over_time(
        games.rankings(merged=False), when, beside=terms, graph=graph, ties=ties
    )
    now, effects = history.at(), tuple(_effects(history.fit, features, confidence))
    assert now.covariance is not None
    return Rating(now, games, effects, {}, now.covariance, history)


def sides_named(games: Games, name: str) -> list[Sides]:
    """A feature by the name that its two columns share; of words, one for each but the first.

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
    columns_of = pairs.get(tuple(tokens_of(f"{name}_a"))[:-1])
    if columns_of is None and name in FIRST_WORDS:
        if not games.ordered:
            raise InputError(
                f"names {name!r}, but the table says who won, not who was shown first",
                parameter="adjust",
            )
        return [Sides(name, np.ones(len(games)), np.zeros(len(games)))]
    if columns_of is None:
        raise InputError(_no_feature(games, name, ["_".join(words) for words in pairs]))
    columns = [games.columns[each] for each in columns_of]
    if all(column.is_numeric for column in columns):
        first, second = (games.values(column.numbers) for column in columns)
        return [Sides(name, first, second)]
    coded = [column.coded for column in columns]
    labels = sorted({label for _, some in coded for label in some}, key=str)
    sides = []
    for label in labels[1:]:
        each = [
            np.append([float(other == label) for other in some], np.nan)[games.values(codes)]
            for codes, some in coded
        ]
        title = name if label is True else f"{name}={label}"
        sides.append(Sides(title, *each))
    return sides


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


def _with_values(games: Games, features: Sequence[Sides]) -> tuple[Games, list[Sides]]:
    """The games of which all features are known, where they differ at all."""
    complete = np.ones(len(games), dtype=bool)
    for side in features:
        complete &= np.isfinite(side.first) & np.isfinite(side.second)
    if not complete.all():
        missing = int((~complete).sum())
        games = games.rows(complete).noting(
            f"{amount(missing, 'vote')} without a value of what is adjusted for left out"
        )
        features = [Sides(s.name, s.first[complete], s.second[complete]) for s in features]
    for side in features:
        gaps = side.first - side.second
        if not gaps.any():
            raise InputError(
                f"{side.name!r} never differs between the two items of a vote",
                remedy="leave it out",
                parameter="adjust",
            )
    return games, list(features)


def _term(games: Games, side: Sides) -> Term:
    """A feature of the likelihood."""

    def values(rows: Longs, items: Longs) -> Floats:
        return np.where(games.first[rows] == items, side.first[rows], side.second[rows])

    return feature(side.name, values)


def _column(games: Games, name: str, parameter: str) -> TableColumn:
    """A column beside the votes."""
    if name not in games.columns:
        others = ", ".join(map(repr, games.columns)) or "none"
        raise InputError(
            f"names {name!r}; beside the votes, columns are {others}", parameter=parameter
        )
    return games.columns[name]


def _categories(games: Games, by: str) -> tuple[Longs, list[Any]]:
    """The category of each vote, −1 if it has none, and their names in order."""
    codes, labels = _column(games, by, "by").coded
    codes = games.values(codes)
    counts = np.bincount(codes[codes >= 0], minlength=len(labels))
    order = sorted(np.flatnonzero(counts).tolist(), key=lambda code: str(labels[code]))
    place = np.full(len(labels) + 1, -1)
    place[order] = np.arange(len(order))
    return place[codes], [labels[code] for code in order]


def _connected(games: Games) -> Flags:
    """Which items are in the largest set whose items beat each other, directly or in steps."""
    _, label = connected_components(
        csr_array(games.wins + games.ties), directed=True, connection="strong"
    )
    return np.asarray(label == np.bincount(label).argmax())


def _effects(fit: TermsFit, features: Sequence[Sides], confidence: float) -> Iterator[Effect]:
    contrasts = np.eye(len(fit.parameters))[[place.start for place in fit.places[1:]]]
    for side, contrast in zip(features, contrasts, strict=False):
        (value,), (error,), (freedom,) = fit.estimates(contrast)
        yield _effect(side.name, float(value), float(error), float(freedom), confidence)


def _effect(name: str, value: float, error: float, freedom: float, confidence: float) -> Effect:
    half = error * float(special.stdtrit(max(freedom, 1.0), (1 + confidence) / 2))
    return Effect(name, value, error, value - half, value + half)
