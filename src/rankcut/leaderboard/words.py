"""A leaderboard in tables and in sentences, which do not contradict each other.

The test that all are equal, the clear pairs and the tiers all come from the simultaneous
comparison of :class:`~rankcut.leaderboard.Places`: p is at most .05 exactly if a pair is clear.
"""

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcut.errors import amount
from rankcut.leaderboard.game_features import FIRST_WORDS
from rankcut.leaderboard.scores import student_quantile
from rankcut.parameters import MOST_LISTED
from rankcut.results import Table
from rankcut.results.words import name_some, odds_in_words, p_in_words, percent

if TYPE_CHECKING:
    from rankcut.leaderboard.estimator import Leaderboard
    from rankcut.strengths import StrengthsOverTime

# Tiers are listed item by item up to this many items.
_MOST_IN_TIERS = 24


def board_tables(board: "Leaderboard") -> dict[str, Table]:
    """The items by place; then pairs, tiers and judges."""
    tiers = [", ".join(str(board.items_[i]) for i in tier) for tier in board.places_.tiers]
    tables = {
        "items": items_table(board),
        "pairs": pairs_table(board),
        "tiers": Table({"tier": [*range(1, len(tiers) + 1)], "items": tiers}),
    }
    if board.effects_:
        tables["adjust"] = Table.from_rows([asdict(effect) for effect in board.effects_])
    for label, part in board.boards_.items():
        tables[f"{board.by}: {label}"] = items_table(part)
    if board.history_ is not None:
        tables["history"] = history_table(board, board.history_)
    if board.judges_ is not None:
        judges = asdict(board.judges_)
        del judges["random"], judges["one_sided"]
        tables["judges"] = Table({"judge": judges.pop("judges"), **judges})
    return tables


def items_table(board: "Leaderboard") -> Table:
    """A row for each item, the first place first."""
    places, order, limits = board.places_, board.places_.order, board.intervals_
    columns: dict[str, Any] = {
        "item": [str(board.items_[i]) for i in order],
        "rating": board.ratings_[order],
        "low": limits[order, 0],
        "high": limits[order, 1],
        "place": places.ranks[order],
        "place_low": places.marginal[order, 0],
        "place_high": places.marginal[order, 1],
        "simultaneous_low": places.simultaneous[order, 0],
        "simultaneous_high": places.simultaneous[order, 1],
        "first": places.first[order],
        "n_votes": board.n_votes_[order],
    }
    if board.best is not None:
        columns[f"best_{board.best}"] = places.best(board.best)[order]
    if board.games_ is not None:
        columns["wins"] = (board.games_.wins.sum(axis=1) + board.games_.ties.sum(axis=1) / 2)[order]
    return Table(columns)


def history_table(board: "Leaderboard", history: "StrengthsOverTime") -> Table:
    """A row for each item and period in which it had votes; the items of the board in order."""
    scale, order = board.scale_, board.places_.order
    reach = student_quantile(max(history.n_effective - 1, 1.0), board.confidence)
    ratings = scale.ratings(history.theta.T).T
    half = scale.factor * reach * history.standard_errors
    rows, periods = np.nonzero(history.seen[order])
    cells = order[rows], periods
    return Table(
        {
            "item": [str(board.items_[i]) for i in cells[0]],
            "period": [history.periods[t] for t in periods],
            "rating": ratings[cells],
            "low": (ratings - half)[cells],
            "high": (ratings + half)[cells],
        }
    )


def pairs_table(board: "Leaderboard") -> Table:
    """A row for each pair, the one with the higher rating first, the clearest first."""
    places = board.places_
    one, other = np.triu_indices(len(board.items_), 1)
    first, second = places.order[one], places.order[other]
    p_values = places.p_values[first, second]
    order = np.lexsort((other, one, -places.normal_scores[first, second], p_values))
    first, second = first[order], second[order]
    centre = board.scale_.factor * places.estimates
    columns: dict[str, Any] = {
        "first": [board.items_[i] for i in first],
        "second": [board.items_[i] for i in second],
        "difference": centre[first] - centre[second],
        "p_value": p_values[order],
        "clear": (places.clear | places.clear.T)[first, second],
    }
    if board.games_ is not None:
        columns["wins"] = board.games_.wins[first, second]
        columns["losses"] = board.games_.wins[second, first]
        columns["ties"] = board.games_.ties[first, second]
    return Table(columns)


def board_lines(board: "Leaderboard", most: int) -> list[str]:
    """The table for a terminal, then the sentences."""
    digits, rows = board.scale_.digits(board.ratings_), list(items_table(board))
    title, name = ("its place", "place")
    if board.simultaneous:
        title, name = ("all places at once", "simultaneous")
    columns: dict[str, list[Any]] = {
        "place": [row["place"] for row in rows],
        "item": [row["item"] for row in rows],
        "rating": [f"{row['rating']:.{digits}f}" for row in rows],
        f"{100 * board.confidence:g} %": [limits_in_words(row, digits) for row in rows],
        title: [span(row[f"{name}_low"], row[f"{name}_high"]) for row in rows],
        "first": [percent(row["first"], 1) for row in rows],
    }
    if board.best is not None:
        columns[f"best {board.best}"] = [percent(row[f"best_{board.best}"], 1) for row in rows]
    columns[board.unit] = [f"{row['n_votes']:,}" for row in rows]
    if board.games_ is not None:
        columns["wins"] = [f"{row['wins']:,g}" for row in rows]
    aligned = {}
    for heading, texts in columns.items():
        shown = [str(text) for text in texts[:most]]
        width = 0 if heading == "item" else max(map(len, [heading, *shown]))
        aligned[heading.rjust(width)] = [text.rjust(width) for text in shown]
    lines = Table(aligned).lines()
    if len(rows) > most:
        lines.append(f"… and {len(rows) - most:,} more (-n {len(rows)} lists all)")
    return [*lines, "", *board.sentences()]


def span(low: int, high: int) -> str:
    """Places from one to another.

    >>> span(1, 3), span(2, 2)
    ('1 to 3', '2')
    """
    return str(low) if low == high else f"{low} to {high}"


def limits_in_words(row: dict[str, Any], digits: int) -> str:
    """The interval of a rating; an item that always won has a lower limit alone.

    >>> limits_in_words({"low": 3.0, "high": np.inf}, 1)
    'at least 3.0'
    """
    low, high = (f"{row[end]:.{digits}f}" for end in ("low", "high"))
    has_low, has_high = np.isfinite([row["low"], row["high"]])
    if has_low and has_high:
        return f"{low} to {high}"
    return f"at least {low}" if has_low else f"at most {high}" if has_high else "not known"


def board_sentences(board: "Leaderboard") -> list[str]:
    """Who leads, what is clear, what is not, and what it rests on."""
    if len(board.items_) < 2:
        return ["There is one item, so there is nothing to compare."]
    parts = [_leader, _clear, _first_two, _best, _limits, _rests_on, _adjusted]
    parts += [_history, _categories, _prior, _judges]
    return [sentence for part in parts for sentence in part(board)]


def _leader(board: "Leaderboard") -> list[str]:
    places = board.places_
    leaders = np.flatnonzero(places.ranks == 1)
    if len(leaders) > 1:
        return [f"{name_some([str(board.items_[i]) for i in leaders])} share the first place."]
    (leader,) = leaders.tolist()
    name, level = str(board.items_[leader]), f"{100 * board.confidence:g} %"
    chance, likeliest = percent(float(places.first[leader]), 1), int(places.first.argmax())
    if places.first[likeliest] > places.first[leader]:
        most = percent(float(places.first[likeliest]), 1)
        chance += f" ({board.items_[likeliest]}, of which less is known, with {most})"
    if places.marginal[leader, 1] == 1:
        return [f"{name} is first ({level} sure by itself; first with probability {chance})."]
    return [
        f"{name} is first; by itself, its place is {span(*places.marginal[leader].tolist())} "
        f"({level} sure), and it is the best of all with probability {chance}."
    ]


def _clear(board: "Leaderboard") -> list[str]:
    places = board.places_
    n_items = len(board.items_)
    n_pairs, n_clear = n_items * (n_items - 1) // 2, int(places.clear.sum())
    p = p_in_words(places.p_equal, places.least_p)
    level = f"{100 * board.confidence:g} %"
    if not n_clear:
        return [
            f"No two of {n_items} are clearly different (all pairs at once, {level} sure; if all "
            f"were equal, a largest difference like this: {p})."
        ]
    tiers = places.tiers
    sentence = (
        f"{n_clear:,} of {amount(n_pairs, 'pair')} are clearly different, all pairs at once "
        f"({level} sure; if all were equal, a largest difference like this: {p})."
    )
    if n_items > _MOST_IN_TIERS or len(tiers) > MOST_LISTED:
        return [
            sentence,
            f"They make {amount(len(tiers), 'tier')}: no two of a tier are clearly different.",
        ]
    named = "; ".join(name_some([str(board.items_[i]) for i in tier], 6) for tier in tiers)
    return [sentence, f"Tiers, of which no two are clearly different: {named}."]


def _first_two(board: "Leaderboard") -> list[str]:
    places = board.places_
    first, second = places.order[:2].tolist()
    names = f"{board.items_[first]} and {board.items_[second]}"
    if places.clear[first, second] or board.strengths_ is None:
        return []
    n_votes = float(board.rankings_.counts.sum())
    more = n_votes * (places.times_until_clear(first, second) - 1)
    if more > _NEVER * n_votes:
        return [f"The first two, {names}, are as good as level."]
    return [
        f"All pairs at once, the first two, {names}, are not clearly different: it would take "
        f"about {int(float(f'{max(more, 1):.1e}')):,} more votes like these, if they are as "
        "different as they look."
    ]


# More than so many times as many votes would not be asked for.
_NEVER = 1000.0


def _best(board: "Leaderboard") -> list[str]:
    if board.best is None:
        return []
    chances = board.places_.best(board.best)
    order = [i for i in np.argsort(-chances, kind="stable")[: board.best + 2] if chances[i] > 0]
    named = ", ".join(f"{board.items_[i]} ({percent(float(chances[i]), 1)})" for i in order)
    return [f"Among the best {board.best}, with probability: {named}."]


def _limits(board: "Leaderboard") -> list[str]:
    """Items that always won or always lost, and those that votes do not connect."""
    fit = board.strengths_
    if fit is None or fit.connected.all():
        return []
    sentences: list[str] = []
    apart = ~fit.connected
    digits = board.scale_.digits(board.ratings_)
    for limit in board.limits_:
        apart[limit.item] = False
        if board.n_votes_[limit.item] == 0 or len(sentences) == MOST_LISTED:
            continue
        low, high = board.intervals_[limit.item]
        bounds = limits_in_words({"low": low, "high": high}, digits)
        sentences.append(
            f"{board.items_[limit.item]} {'won' if limit.sign > 0 else 'lost'} all of its "
            f"{amount(int(board.n_votes_[limit.item]), board.unit.removesuffix('s'))}: its rating "
            f"is {bounds} ({100 * board.confidence:g} % sure); how far beyond, votes do not say."
        )
    if apart.any():
        names = name_some([str(board.items_[i]) for i in np.flatnonzero(apart)])
        verb, stand = ("is", "it stands") if apart.sum() == 1 else ("are", "they stand")
        sentences.append(
            f"{names} {verb} not connected with the others by wins and losses: where {stand} among "
            "them rests on the prior."
        )
    return sentences


def _rests_on(board: "Leaderboard") -> list[str]:
    if board.strengths_ is None:
        scores = board.scores_
        lower = "" if scores.higher_is_better else ", lower is better"
        sentences = [
            f"Means over {amount(len(scores.data_sets), 'data set')} ({len(scores.values):,} "
            f"scores{lower}); intervals say what other data sets of the kind might show."
        ]
        if scores.left_out:
            named = name_some([repr(name) for name in scores.left_out])
            sentences.append(f"Left out, as no scores on a data set: {named}.")
        return sentences
    fit = board.strengths_
    what = "votes" if board.games_ is not None else "rankings"
    sentence = f"{int(board.rankings_.counts.sum()):,} {what}"
    if board.rankings_.people is not None:
        sentence += f" by {amount(fit.n_people, 'judge')}"
        if fit.n_people == 1:
            sentence += ", so that nothing says how far others would differ"
        elif fit.n_effective < 0.9 * fit.n_people:
            sentence += f", who say as much as {fit.n_effective:.0f} with as many votes each"
    if board.games_ is not None:
        n_ties = float(board.games_.ties.sum()) / 2
        if n_ties:
            sentence += f"; {percent(n_ties, len(board.games_))} are ties"
        return [sentence + ".", *(f"{note}." for note in board.games_.notes)]
    return [sentence + "."]


def _adjusted(board: "Leaderboard") -> list[str]:
    """What features of what was shown add."""
    sentences = []
    for effect in board.effects_:
        units, odds = odds_in_words(effect.estimate, effect.low, effect.high)
        change = f"{units} more of {effect.name} multiplies"
        if effect.name in FIRST_WORDS:
            change = "being shown first multiplies"
        elif "=" in effect.name:
            change = f"{effect.name} multiplies"
        sentences.append(
            f"Adjusted for {effect.name}: {change} the odds of being preferred by {odds}."
        )
    return sentences


def _history(board: "Leaderboard") -> list[str]:
    """Of which period the board is, and how far ratings move."""
    history = board.history_
    if history is None:
        return []
    periods, unit = history.periods, "points" if board.scale_.name == "elo" else "log-odds"
    span = float(history.times[-1])
    moved = board.scale_.factor * math.sqrt(history.prior.drift * span)
    amount_moved = f"{moved:.2g}" if moved < 10.0 else f"{moved:,.0f}"
    return [
        f"Ratings are those of {periods[-1]}, the last of {amount(len(periods), 'period')} from "
        f"{periods[0]}; in all that time an item moves by about {amount_moved} {unit}."
    ]


def _categories(board: "Leaderboard") -> list[str]:
    """Who leads in each category."""
    sentences = []
    for label, part in list(board.boards_.items())[:MOST_LISTED]:
        places = part.places_
        first = int(places.order[0])
        low, high = places.marginal[first].tolist()
        sure = "" if low == high == 1 else f", its place {low} to {high}"
        sentences.append(
            f"{board.by} {label} ({amount(len(part.games_), 'vote')}): {board.items_[first]} is "
            f"first{sure}."
        )
    return sentences


def _prior(board: "Leaderboard") -> list[str]:
    fit = board.strengths_
    if fit is None or fit.prior is None or board.history_ is not None:
        return []
    if board.unshrunk_ is None:
        return [
            "By maximum likelihood some ratings would be infinite; the prior keeps them finite."
        ]
    moved = np.abs(board.scale_.ratings(board.unshrunk_.theta) - board.scale_.ratings(fit.theta))
    most = int(moved.argmax())
    digits = board.scale_.digits(board.ratings_)
    return [
        f"The prior pulls ratings together by up to {moved[most]:.{digits}f} "
        f"({board.items_[most]}) from maximum likelihood."
    ]


def _judges(board: "Leaderboard") -> list[str]:
    judges = board.judges_
    if judges is None:
        return []
    sentences = []
    if judges.random:
        sentences.append(
            "Judges who agree with the others no more than answers at random would: "
            f"{name_some(judges.random)}."
        )
    if judges.one_sided:
        sentences.append(
            f"Judges who choose nearly always the same side: {name_some(judges.one_sided)}."
        )
    return sentences
