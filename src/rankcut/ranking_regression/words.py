"""A model of strengths in tables and words: estimates, tests, and sentences.

Intervals are Student's and tests F's, by degrees of freedom for few people
(:mod:`rankcut.strengths.errors`).
"""

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special, stats

from rankcut._loops.types import Floats
from rankcut.errors import amount
from rankcut.pictures.theme import shorten
from rankcut.results.result import Table
from rankcut.results.words import LEVEL, name_some, p_in_words
from rankcut.strengths.limits import in_words

if TYPE_CHECKING:
    from rankcut.ranking_regression.model import StrengthModel

# Sentences about each column.
_MOST_SENTENCES = 3

# Columns of printed tables, and their heads.
TESTS = {
    "term": "term",
    "wald": "F",
    "n_coefficients": "df",
    "freedom": "of people",
    "p_value": "p",
}
_COEFFICIENTS = {
    "column": "term",
    "item": "item",
    "estimate": "estimate",
    "std_error": "error",
    "z": "z",
    "p_value": "p",
    "low": "from",
    "high": "to",
}

# Smaller numbers, as those of features in large units, are shown by their first two digits.
_SMALL_EFFECT = 0.02

# Columns that are read to three digits.
_THREE_DIGITS = ("estimate", "std_error")


def estimates(
    values: Floats, errors: Floats, freedoms: Floats, *, confidence: float
) -> dict[str, list[float]]:
    """Columns of a table: estimates, errors, z, p-values, intervals, and odds ratios.

    Intervals are Student's, by the degrees of freedom of the errors.
    """
    z = np.divide(values, errors, out=np.zeros_like(values), where=errors > 0)
    enough = freedoms > 0
    degrees = np.where(enough, freedoms, 1.0)
    p_values = np.where(enough, 2 * stats.t.sf(np.abs(z), degrees), np.nan)
    width = np.where(enough, stats.t.ppf((1 + confidence) / 2, degrees), np.inf)
    # Beyond the largest numbers odds are infinite.
    with np.errstate(over="ignore", invalid="ignore"):
        reach, odds = width * errors, np.exp(values)
    columns = {
        "estimate": values,
        "std_error": errors,
        "z": z,
        "p_value": p_values,
        "low": values - reach,
        "high": values + reach,
        "odds_ratio": odds,
    }
    return {name: np.asarray(column).tolist() for name, column in columns.items()}


def context_table(model: "StrengthModel") -> Table:
    """A row for each context and item."""
    rows: list[list[Any]] = []
    for label, fit in model.contexts_.items():
        limits = fit.intervals(model.confidence)
        numbers = np.column_stack([fit.centre, fit.standard_errors, limits]).tolist()
        rows += [[label, item, *row] for item, row in zip(model.labels_, numbers, strict=True)]
    names = [str(model.by), "item", "estimate", "std_error", "low", "high"]
    return Table.from_lists(names, rows)


def verdict(model: "StrengthModel") -> str:
    """One sentence: which terms move strengths, or which items are strongest."""
    if not len(model.tests_):
        order = np.argsort(-model.strengths_.theta, kind="stable")
        return f"Strongest: {name_some([str(model.labels_[i]) for i in order[:3].tolist()])}."
    moving = [row["term"] for row in model.tests_ if row["p_value"] <= LEVEL]
    if not moving:
        return "No term is clearly related to the rankings."
    return f"Related to the rankings: {', '.join(moving)}."


def opening(model: "StrengthModel") -> list[str]:
    """What was fitted, to how many, and what strengths are compared with."""
    n_rankings, n_people = model.n_rankings_, model.n_people_
    rankings = amount(n_rankings, "ranking")
    people = "" if n_people == n_rankings else f" of {amount(n_people, 'person', 'people')}"
    kind = "sandwich errors" if model.errors == "sandwich" else "errors that trust the model"
    fit = f"log-likelihood {model.log_likelihood_:.2f}"
    if not np.isnan(model.aic_):
        fit += f"; AIC {model.aic_:.2f}; BIC {model.bic_:.2f}"
    lines = [
        f"Strengths of {amount(model.n_items_, 'item')} from {rankings}{people}; {kind}.",
        f"{fit[0].upper()}{fit[1:]}.",
    ]
    if model.n_effective_ < n_people:
        lines.append(
            "Some count more than others, by their weights or number of rankings: they say as much "
            f"as {model.n_effective_:.0f} who count alike."
        )
    if model.prior_ == "evidence" and model.over_time_ is None:
        lines.append(
            "A prior chosen by the evidence pulls coefficients to 0: intervals and p-values hold "
            "on average over items, not for each item."
        )
    pairs = zip(model.tests_["term"], model.tests_["p_value"], strict=True)
    few = [term for term, p_value in pairs if p_value != p_value]
    if few:
        lines.append(
            f"So few people tell about {', '.join(few)} that there can be no test: join categories."
        )
    if model.over_time_ is not None:
        lines.append(model.over_time_.in_words())
    lines += in_words(model.fit_.limits, [str(label) for label in model.labels_], model.confidence)
    ends = {limit.item for limit in model.fit_.limits}
    joined = model.fit_.connected.tolist()
    apart = [i for i in range(model.n_items_) if not (joined[i] or i in ends)]
    if apart and model.prior_ == "evidence":
        names = name_some([str(model.labels_[i]) for i in apart])
        lines.append(
            f"Wins and losses do not connect {names} with most others: the prior says where they "
            "are."
        )
    if model.origin_:
        lines.append(f"Strengths are those at {', '.join(model.origin_)}.")
    beside = "the mean of all items"
    if model.reference_item_ is not None:
        beside = str(model.reference_item_)
    return [*lines, f"Items are compared with {beside}."]


def summary_lines(model: "StrengthModel", most: int) -> list[str]:
    """The verdict, the opening, the tests of terms, and the coefficients."""
    lines = [verdict(model), *opening(model), *model.notes_]
    if len(model.tests_):
        lines += ["", *aligned(model.tests_, TESTS)]
    rows = aligned(model.coefficients_, _COEFFICIENTS)
    lines += ["", *rows[: most + 1]]
    if len(rows) > most + 1:
        lines.append(f"… and {len(rows) - most - 1:,} more")
    contexts = model.contexts_
    if contexts:
        columns: dict[str, Any] = {"item": model.labels_[:most]}
        for label, fit in contexts.items():
            columns[str(label)] = [round(value, 2) for value in fit.centre[:most].tolist()]
        lines += ["", f"Strengths in each {model.by}:", *Table(columns).lines()]
    effects = list(features_in_words(model))
    return [*lines, *([""] if effects else []), *effects]


def aligned(table: Table, heads: Mapping[str, str]) -> list[str]:
    """A table with as many digits as one reads."""
    cells = [[heads[name], *(rounded(name, value) for value in table[name])] for name in heads]
    numbers = [not any(isinstance(value, str) for value in table[name]) for name in heads]
    widths = [max(map(len, column)) for column in cells]
    return [
        "  ".join(
            cell.rjust(width) if number and head != "item" else cell.ljust(width)
            for cell, width, number, head in zip(line, widths, numbers, heads, strict=True)
        ).rstrip()
        for line in zip(*cells, strict=True)
    ]


def rounded(name: str, value: Any) -> str:
    """A cell of a table, with as many digits as one reads."""
    if value is None or value != value or value in (np.inf, -np.inf):
        return "–"
    if name.startswith("p_"):
        return f"{value:.3f}" if value >= 0.0005 else "<.001"
    if not isinstance(value, float):
        return shorten(value)
    if 0 < abs(value) < _SMALL_EFFECT:
        return f"{value:.2g}"
    return f"{value:.3f}" if name in _THREE_DIGITS else f"{value:.2f}"


def features_in_words(model: "StrengthModel") -> Iterator[str]:
    """What more of each feature does to the odds, in steps of which it has some."""
    sizes = dict(zip(model.fit_.names, model.fit_.places, strict=True))
    for row in model.coefficients_:
        if row["item"] == "":
            # Within a choice a feature differs by about twice its deviation from the mean.
            size = 2.0 * float(model.fit_.sizes[sizes[row["column"]].start])
            step = 10.0 ** math.floor(math.log10(size * (1 + 1e-9))) if size < np.inf else 1.0
            with np.errstate(over="ignore"):
                odds, low, high = np.exp(
                    step * np.array([row["estimate"], row["low"], row["high"]])
                )
            yield (
                f"{step:g} more of {row['column']!r} makes the odds of being chosen {odds:.2f} "
                f"times as high ({low:.2f} to {high:.2f}; {p_in_words(row['p_value'])})."
            )


def odds_in_words(model: "StrengthModel") -> list[str]:
    """Sentences about the pairs that each column moves most clearly."""
    return [line for c in range(len(model.formula_.columns)) for line in _about(model, c)]


def _about(model: "StrengthModel", c: int) -> Iterator[str]:
    column, fit = model.formula_.columns[c], model.fit_
    if not column.term.covariates or model.n_items_ < 2:
        return
    labels = [str(item) for item in model.labels_]
    first, second = np.triu_indices(model.n_items_, 1)
    contrasts = model.contrasts(c)
    values, covariance = contrasts @ fit.centre, fit.errors.covariance_of(contrasts)
    variances, freedom = np.diag(covariance), fit.errors.freedoms(contrasts).min()
    change = values[first] - values[second]
    squares = variances[first] + variances[second] - 2 * covariance[first, second]
    error = np.sqrt(np.maximum(squares, 0))
    z = np.divide(change, error, out=np.zeros_like(change), where=error > 0)
    # For all pairs at once.
    level = 1 - (1 - model.confidence) / 2 / len(z)
    reach = float(stats.t.ppf(level, freedom)) if freedom > 0 else np.inf
    clear = [k for k in np.argsort(-np.abs(z), kind="stable") if abs(z[k]) > reach]
    theta = model.strengths_.centre
    for k in clear[:_MOST_SENTENCES]:
        better, worse = (first[k], second[k]) if change[k] > 0 else (second[k], first[k])
        size, before = abs(change[k]), theta[better] - theta[worse]
        low, middle, high = np.exp(size + reach * error[k] * np.array([-1, 0, 1]))
        yield (
            f"{column.change}: {labels[better]} beats {labels[worse]} in "
            f"{100 * special.expit(before + size):.0f} % of cases instead of "
            f"{100 * special.expit(before):.0f} %; "
            f"the odds are {middle:.2f} times as high ({low:.2f} to {high:.2f})."
        )
    if len(clear) > _MOST_SENTENCES:
        others = amount(len(clear) - _MOST_SENTENCES, "other pair")
        yield f"{column.change}: clear, too, for {others}."
    if not clear:
        yield f"{column.change}: no pair of items is clearly moved."
