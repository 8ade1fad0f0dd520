"""Pictures of a model of strengths, and what its page shows."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import exp, inf, log
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcut.parameters import LARGEST_LOG
from rankcut.pictures.charts import Row, dot_chart
from rankcut.pictures.page import Head, Html, show_picture, table, tag, track
from rankcut.pictures.scene import Dot, Picture
from rankcut.pictures.theme import MOST_IN_FIGURE, SOFT, colour
from rankcut.ranking_regression import words
from rankcut.ranking_regression.formula import STRENGTH
from rankcut.strengths import Strengths
from rankcut.strengths.limits import drawable
from rankcut.strengths.lines import lines_over_time

if TYPE_CHECKING:
    from rankcut.ranking_regression.model import StrengthModel

# Names of more ticks would run into each other.
_MOST_NAMED_TICKS = 12


def model_picture(model: "StrengthModel") -> Picture:
    """Lines over time; strengths in each context; what covariates move; or strengths."""
    if model.over_time_ is not None:
        names = [str(label) for label in model.labels_]
        return lines_over_time(model.over_time_, names, model.confidence)
    contexts = model.contexts_
    return _strengths(model, contexts) if contexts or not _moves(model) else _forest(model)


def _moves(model: "StrengthModel") -> bool:
    """Whether covariates, or features of items, move strengths."""
    columns = model.formula_.columns
    return any(column.term.covariates or column.features for column in columns)


def _strengths(model: "StrengthModel", contexts: Mapping[Any, Strengths]) -> Picture:
    """Strengths with their intervals, a panel for each context."""
    fits = contexts or {"": model.strengths_}
    order = np.argsort(-model.strengths_.theta, kind="stable").tolist()
    room = max(3, MOST_IN_FIGURE // len(fits) - (len(fits) > 1))
    rows: list[Row] = []
    for number, (label, fit) in enumerate(fits.items()):
        limits = drawable(fit.intervals(model.confidence), fit.centre).tolist()
        rows += [Row(f"{model.by} {label}")] * (len(fits) > 1)
        for i in order[:room]:
            dot = Dot(float(fit.centre[i]), colour(number), *limits[i])
            rows.append(Row(str(model.labels_[i]), [dot]))
    return dot_chart(
        "Strengths",
        f"Dots: strengths. Lines: {100 * model.confidence:g} % intervals.",
        rows,
        "log odds of being chosen (0 = an average item)",
        reference=0.0,
    )


def _groups(model: "StrengthModel") -> dict[str, list[Mapping[str, Any]]]:
    """Rows of the table by column, without the strengths themselves, highest first."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in model.coefficients_:
        if row["column"] != STRENGTH:
            groups.setdefault("" if row["item"] == "" else row["column"], []).append(row)
    return {name: sorted(rows, key=lambda row: -row["estimate"]) for name, rows in groups.items()}


def _clearest(rows: Sequence[Mapping[str, Any]], most: int) -> list[Mapping[str, Any]]:
    """As many rows as there is room for, in their order."""
    numbers = sorted(range(len(rows)), key=lambda k: rows[k]["p_value"])[:most]
    return [rows[k] for k in sorted(numbers)]


def _name(row: Mapping[str, Any]) -> str:
    return str(row["column"] if row["item"] == "" else row["item"])


def _forest(model: "StrengthModel") -> Picture:
    """Odds ratios and their intervals, a row for each item, below the name of each column."""
    groups = _groups(model)
    most = max(3, MOST_IN_FIGURE // max(1, len(groups)))
    rows: list[Row] = []
    for name, of_column in groups.items():
        rows += [Row(name)] * bool(name)
        rows += [_row(each) for each in _clearest(of_column, most)]
    ends = [0.0] + [
        row[key]
        for of_column in groups.values()
        for row in of_column
        for key in ("estimate", "low", "high")
        if -inf < row[key] < inf
    ]
    room = 0.04 * (max(ends) - min(ends)) or 0.5
    low, high = min(ends) - room, max(ends) + room
    ends_of_odds = (exp(min(max(end, -LARGEST_LOG), LARGEST_LOG)) for end in (low, high))
    ticks = [(log(tick), name) for tick, name in zip(*_ticks(*ends_of_odds), strict=True)]
    beside = ", compared with the mean of all items" if any(groups) else ""
    more = sum(max(0, len(of_column) - most) for of_column in groups.values())
    legend = (
        f"Dots: odds ratios. Lines: {100 * model.confidence:g} % intervals; faint if they hold 1."
    )
    return dot_chart(
        "What moves which item",
        legend + f" The {more} least clear are left out." * (more > 0),
        rows,
        f"odds ratio{beside}",
        ends=(low, high),
        ticks=ticks,
        reference=0.0,
    )


def _row(row: Mapping[str, Any]) -> Row:
    """A row of the chart, on the scale of log odds; an interval that nobody knows is not drawn."""
    low, high = (row[key] if -inf < row[key] < inf else None for key in ("low", "high"))
    faint = not (row["low"] > 0 or row["high"] < 0)
    tip = f"{_name(row)}: {words.rounded('odds_ratio', row['odds_ratio'])}"
    return Row(_name(row), [Dot(row["estimate"], colour(0), low, high, tip)], faint)


def _ticks(low: float, high: float) -> tuple[list[float], list[str]]:
    """Round odds ratios between two, and their names: the finest steps whose names have room.

    >>> _ticks(0.3, 6)[1], _ticks(0.85, 1.3)[1]
    (['0.3', '0.5', '0.7', '1', '1.5', '2', '3', '5'], ['0.9', '1', '1.1', '1.2', '1.3'])
    """
    best: list[float] = []
    for steps in ((1,), (1, 2, 5), (1, 1.5, 2, 3, 5, 7), (1, 1.1, 1.2, 1.3, *range(2, 10))):
        every = (step * 10.0**power for power in range(-9, 10) for step in steps)
        ticks = sorted({float(f"{tick:.3g}") for tick in every if low <= tick <= high})
        if best and any(
            log(b / a) < log(high / low) / _MOST_NAMED_TICKS for a, b in pairwise(ticks)
        ):
            break
        best = ticks
    return best, [f"{tick:g}" for tick in best]


def model_body(model: "StrengthModel") -> Iterator[Html]:
    """What a page shows: sentences, the picture, tests of terms, and the coefficients."""
    yield tag("p", words.verdict(model), kind="says")
    yield from (tag("p", line, kind="soft") for line in [*words.opening(model), *model.notes_])
    yield from (tag("p", line) for line in words.features_in_words(model))
    if model.over_time_ is not None or model.contexts_ or not _moves(model):
        yield from show_picture(model.picture())
    if len(model.tests_):
        roomy = ("wald", "n_coefficients")
        heads = [
            Head(title, "number roomy" if name in roomy else "number")
            for name, title in words.TESTS.items()
        ]
        heads[0] = Head("term", "name")
        rows = [[words.rounded(name, row[name]) for name in words.TESTS] for row in model.tests_]
        yield table(heads, rows)
    yield from (tag("p", line) for line in words.odds_in_words(model))
    changes = {column.name: column.change for column in model.formula_.columns}
    for name, of_column in _groups(model).items():
        yield tag("h2", changes.get(name, name) or "Features")
        yield _column_table(of_column)
    tables = model.tables()
    for name in ("contexts", "over_time"):
        if name in tables:
            yield tag("h2", {"contexts": f"In each {model.by}"}.get(name, "Over time"))
            cells = [
                [words.rounded(key, value) for key, value in row.items()] for row in tables[name]
            ]
            yield table(list(tables[name].columns), cells)
    note = (
        f"Bars: {100 * model.confidence:g} % intervals, each by itself. Grey dots: odds ratio 1. "
        "Faint: p above 0.05. p-values hold for all rows of a term at once (Holm)."
    )
    if _groups(model):
        yield tag("p", note, kind="soft")


def _column_table(rows: Sequence[Mapping[str, Any]]) -> Html:
    """Odds ratios of a column, as lines and numbers."""
    ends = [abs(row[key]) for row in rows for key in ("estimate", "low", "high")]
    reach = max((end for end in ends if end < inf), default=0.0) or 1.0
    heads = [Head("item", "name"), Head("log odds", "line"), Head("odds ratio", "number")]
    heads += [Head("from", "number roomy"), Head("to", "number roomy"), Head("p", "number")]
    cells = []
    for row in rows:
        low, high = max(-reach, row["low"]), min(reach, row["high"])
        dot = Dot(row["estimate"], colour(0), low, high)
        odds = [
            words.rounded("odds_ratio", exp(row[key]) if row[key] < LARGEST_LOG else inf)
            for key in ("estimate", "low", "high")
        ]
        about = f"{odds[0]} [{odds[1]}, {odds[2]}]"
        line = track([Dot(0.0, SOFT), dot][::-1], (-reach, reach), about)
        cells.append([_name(row), line, *odds, words.rounded("p_value", row["p_adjusted"])])
    return table(heads, cells, faint=[row["p_adjusted"] > 0.05 for row in rows])
