"""Strengths by votes: of all, adjusted for what was shown, by category, and over time.

The likelihood is that of :func:`rankcut.strengths.fit_strengths`. A feature has one coefficient, so
that ratings are of items that are shown alike: with length, slot or home as features this is the
logistic regression of public boards with *style control*. Categories have deviations from the
strengths of all, which are as large as the votes say: a category with few votes borrows from the
others (partial pooling). Over time strengths walk at random, as far as the votes say, and a board
is that of the last period.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rankcut._loops.types import Flags, Floats, Longs
from rankcut.errors import InputError, Setting, amount
from rankcut.files.columns import TableColumn
from rankcut.graphs.item_graph import ItemGraph
from rankcut.leaderboard.game_features import Sides, sides_named
from rankcut.leaderboard.games import Games
from rankcut.leaderboard.scores import student_quantile
from rankcut.strengths import Strengths, StrengthsOverTime, fit_over_time, fit_strengths
from rankcut.strengths.designs import Term, contexts, feature, items
from rankcut.strengths.fitting import strengths_of, strengths_of_items
from rankcut.strengths.limits import unbeaten
from rankcut.strengths.terms import TermsFit, choices_to_fit, fit_terms, separated_items


@dataclass(frozen=True)
class Effect:
    """What a unit of a feature adds to the log-odds of being preferred."""

    name: str
    estimate: float
    std_error: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Rating:
    """Strengths by all votes and by those of each category, and the effects of features."""

    strengths: Strengths | None
    games: Games | None = None  #: the votes that were used
    effects: tuple[Effect, ...] = ()
    boards: "dict[Any, tuple[Strengths, Games]]" = field(default_factory=dict)
    history: StrengthsOverTime | None = None


def rate(
    games: Games,
    *,
    adjust: Sequence[str] = (),
    by: str | None = None,
    over: str | None = None,
    graph: ItemGraph | None = None,
    confidence: float = 0.95,
    **settings: Any,
) -> Rating:
    """Strengths by votes, features of what was shown, and categories or time.

    ``settings`` are those of :func:`rankcut.strengths.fit_strengths`.

    >>> import pandas as pd
    >>> votes = pd.DataFrame({"model_a": list("xyzxyz") * 9, "model_b": list("yzxzxy") * 9,
    ...                       "winner": list("aababb" "bbaaab" "babaab") * 3,
    ...                       "length_a": [5, 2, 4] * 18, "length_b": [3, 4, 4, 1] * 13 + [2, 3]})
    >>> rating = rate(Games.of_frame(votes), adjust=["length"], prior="evidence")
    >>> [(effect.name, round(effect.estimate, 2)) for effect in rating.effects]
    [('length', 0.17)]
    """
    if over is not None:
        codes, labels = _column(games, over, "over").coded
        dated = games.values(codes) >= 0
        if not dated.any():
            raise InputError(f"{over!r} has no value in any vote", parameter="over")
        games = _where(games, dated, f"a value of {over}")
    features = [side for name in adjust for side in sides_named(games, name)]
    games, features = _with_values(games, features)
    beside, rankings = [_term(games, side) for side in features], games.rankings(merged=False)
    if over is not None:
        when, ties = [labels[code] for code in games.values(codes).tolist()], settings["ties"]
        history = fit_over_time(rankings, when, beside=beside, graph=graph, ties=ties)
        now = history.at()
        if unbeaten(games.wins + games.ties > 0).any():
            now = replace(now, limits=fit_strengths(games.rankings(), ties=ties).limits)
        effects = _effects(history.fit, features, confidence)
        return Rating(now, games, effects, history=history)
    settings["graph"] = graph
    fit = fit_terms(rankings, [items(), *beside], **settings)
    boards = {}
    if by is not None:
        codes, labels = _categories(games, by)
        pooled = fit_terms(rankings, [items(), *beside, contexts(by, codes, labels)], **settings)
        for number, label in enumerate(labels):
            some = games.rows(np.flatnonzero(codes == number))
            of_items = pooled.in_context(1 + len(beside), number)
            connected = separated_items(choices_to_fit(some.rankings()), "half")[1]
            strengths = strengths_of(pooled, of_items, connected)
            boards[label] = replace(strengths, limits=fit.limits), some
    return Rating(strengths_of_items(fit), games, _effects(fit, features, confidence), boards)


def _where(games: Games, known: Flags, what: str) -> Games:
    """The games of which something is known, with a note on the others."""
    if known.all():
        return games
    missing = amount(int((~known).sum()), "vote")
    return games.rows(known).noting(f"{missing} without {what} left out")


def _with_values(games: Games, features: Sequence[Sides]) -> tuple[Games, list[Sides]]:
    """The games of which all features are known, where they differ at all."""
    known = np.ones(len(games), dtype=bool)
    for side in features:
        known &= np.isfinite(side.first) & np.isfinite(side.second)
    features = [Sides(side.name, side.first[known], side.second[known]) for side in features]
    for side in features:
        if not (side.first != side.second).any():
            raise InputError(
                f"{side.name!r} never differs between the two items of a vote",
                remedy="leave it out",
                parameter="adjust",
            )
    return _where(games, known, "a value of what is adjusted for"), features


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
    order = sorted(np.unique(codes[codes >= 0]).tolist(), key=lambda code: str(labels[code]))
    n_votes = int((codes >= 0).sum())
    if 2 * len(order) > n_votes:
        raise InputError(
            f"{by!r} has {amount(len(order), 'value')} in {amount(n_votes, 'vote')}, and a board "
            "needs two votes or more of most",
            parameter="by",
            remedy=["name a column of categories; dates are for ", Setting("over")],
        )
    place = np.full(len(labels) + 1, -1)
    place[order] = np.arange(len(order))
    return place[codes], [labels[code] for code in order]


def _effects(fit: TermsFit, features: Sequence[Sides], confidence: float) -> tuple[Effect, ...]:
    """What each feature adds; their terms come after that of items."""
    if not features:
        return ()
    starts = [place.start for place in fit.places[1 : 1 + len(features)]]
    values, errors, freedoms = fit.estimates(np.eye(len(fit.parameters))[starts])
    half = errors * student_quantile(np.maximum(freedoms, 1.0), confidence)
    columns = np.stack([values, errors, values - half, values + half], axis=1).tolist()
    return tuple(Effect(side.name, *each) for side, each in zip(features, columns, strict=True))
