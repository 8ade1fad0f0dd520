"""A regression of strengths as a forest plot, by Matplotlib, and as one HTML page."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import inf, log, nan
from typing import TYPE_CHECKING, Any

from rankcut.pictures.figures import name_rows, write_heading
from rankcut.pictures.page import Dot, Head, page, table, tag, track
from rankcut.pictures.theme import INK, MOST_ITEMS, PAPER, SOFT, colour, import_figure, shorten
from rankcut.ranking_regression.formula import STRENGTH
from rankcut.ranking_regression.tables import TESTS, odds_in_words, opening, shown, verdict

if TYPE_CHECKING:
    from rankcut.ranking_regression.estimator import StrengthRegression

# Names of more ticks would run into each other.
_MOST_TICKS = 12


def _groups(model: "StrengthRegression") -> dict[str, list[Mapping[str, Any]]]:
    """Rows of the table by column, without the strengths themselves, highest first."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in model.coefficients_:
        if row["column"] != STRENGTH:
            groups.setdefault("" if row["item"] == "" else row["column"], []).append(row)
    return {
        name: sorted(rows, key=lambda row: -row["coefficient"]) for name, rows in groups.items()
    }


def _clearest(rows: Sequence[Mapping[str, Any]], most: int) -> list[Mapping[str, Any]]:
    """As many rows as there is room for, in their order."""
    kept = sorted(range(len(rows)), key=lambda k: rows[k]["p_value"])[:most]
    return [rows[k] for k in sorted(kept)]


def _name(row: Mapping[str, Any]) -> str:
    return str(row["column"] if row["item"] == "" else row["item"])


def draw_forest(model: "StrengthRegression", title: str) -> Any:
    """Odds ratios and their intervals, a row for each item, below the name of each column."""
    groups = _groups(model)
    most = max(3, MOST_ITEMS // max(1, len(groups)))
    rows: list[tuple[str, Mapping[str, Any] | None]] = []
    for name, own in groups.items():
        rows += [(name, None)] * bool(name) + [(_name(row), row) for row in _clearest(own, most)]
    size = (6.6, 0.8 + 0.26 * len(rows))
    figure = import_figure()(figsize=size, layout="constrained", facecolor=PAPER)
    axes = figure.subplots()
    axes.set_xscale("log")
    name_rows(axes, [name for name, _ in rows])
    axes.axvline(1.0, color=SOFT, linewidth=1.0)
    least, greatest = _known_range(row for _, row in rows if row is not None)
    for height, (_, row) in enumerate(rows):
        if row is None:
            axes.get_yticklabels()[height].set_fontweight("bold")
            continue
        clear = row["low"] > 1 or row["high"] < 1
        look = {"color": colour(0), "alpha": 1.0 if clear else 0.4}
        reach = [max(least, row["low"]), min(greatest, row["high"])]
        axes.plot(reach, [height] * 2, linewidth=1.8, **look)
        axes.plot(row["odds_ratio"], height, "o", markersize=6, markeredgecolor="white", **look)
    axes.minorticks_off()
    axes.set_xticks(*_ticks(*axes.get_xlim()))
    beside = ", compared with the mean of all items" if any(groups) else ""
    axes.set_xlabel(f"odds ratio{beside}", color=INK, size=10)
    left_out = sum(max(0, len(own) - most) for own in groups.values())
    said = (
        f"Dots: odds ratios. Lines: {100 * model.confidence:g} % intervals; faint if they hold 1."
    )
    write_heading(
        figure, title, said + f" The {left_out} least clear are left out." * (left_out > 0)
    )
    return figure


def _known_range(rows: Iterable[Mapping[str, Any]]) -> tuple[float, float]:
    """The least and greatest odds that are known: too few people tell no interval."""
    ends = [row[key] for row in rows for key in ("odds_ratio", "low", "high")]
    known = [end for end in ends if 0 < end < inf]
    return min(known, default=1.0), max(known, default=1.0)


def _ticks(low: float, high: float) -> tuple[list[float], list[str]]:
    """Round odds ratios between two, and their names: the finest steps whose names have room.

    >>> _ticks(0.3, 6)[1], _ticks(0.85, 1.3)[1]
    (['0.3', '0.5', '0.7', '1', '1.5', '2', '3', '5'], ['0.9', '1', '1.1', '1.2', '1.3'])
    """
    found: list[float] = []
    for steps in ((1,), (1, 2, 5), (1, 1.5, 2, 3, 5, 7), (1, 1.1, 1.2, 1.3, *range(2, 10))):
        every = (step * 10.0**power for power in range(-9, 10) for step in steps)
        ticks = sorted({float(f"{tick:.3g}") for tick in every if low <= tick <= high})
        if found and any(log(b / a) < log(high / low) / _MOST_TICKS for a, b in pairwise(ticks)):
            break
        found = ticks
    return found, [f"{tick:g}" for tick in found]


def regression_page(model: "StrengthRegression", title: str | None) -> str:
    """A page: the sentences, tests of terms, and the coefficients of each column."""
    heading = title or "What moves which item"
    body = [tag("h1", shorten(heading, 80)), tag("p", verdict(model), kind="says")]
    body += [tag("p", line, kind="soft") for line in opening(model)]
    if len(model.tests_):
        roomy = ("wald", "n_coefficients", "likelihood_ratio")
        heads = [
            Head(TESTS.get(name, name), "number roomy" if name in roomy else "number")
            for name in model.tests_.columns
        ]
        heads[0] = Head("term", "name")
        tests = [[shown(name, value) for name, value in row.items()] for row in model.tests_]
        body.append(table(heads, tests))
    body += [tag("p", line) for line in odds_in_words(model)]
    changes = {column.name: column.change for column in model.formula_.columns}
    for name, rows in _groups(model).items():
        body.append(tag("h2", changes.get(name, name) or "Features of items"))
        reach = max(abs(log(end)) for end in _known_range(rows)) or 1.0
        heads = [Head("item", "name"), Head("log odds", "line"), Head("odds ratio", "number")]
        heads += [Head("from", "number roomy"), Head("to", "number roomy"), Head("p", "number")]
        cells = []
        for row in rows:
            low, high = (log(end) if 0 < end < inf else nan for end in (row["low"], row["high"]))
            dot = Dot(row["coefficient"], colour(0), max(-reach, low), min(reach, high))
            ends = ", ".join(shown(key, row[key]) for key in ("low", "high"))
            said = f"{row['odds_ratio']:.2f} [{ends}]"
            line = track([Dot(0.0, SOFT), dot][::-1], (-reach, reach), said)
            numbers = [shown(key, row[key]) for key in ("odds_ratio", "low", "high", "p_adjusted")]
            cells.append([_name(row), line, *numbers])
        body.append(table(heads, cells, faint=[row["p_adjusted"] > 0.05 for row in rows]))
    said = (
        f"Bars: {100 * model.confidence:g} % intervals, each by itself. Grey dots: odds ratio 1. "
        "Faint: p above 0.05. p-values hold for all rows of a term at once (Holm)."
    )
    body.append(tag("p", said, kind="soft"))
    return page(heading, *body)
