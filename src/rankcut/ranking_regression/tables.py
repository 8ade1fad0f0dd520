"""A regression of strengths in tables and words: estimates, tests, and sentences.

A sandwich error is estimated from people, as the standard error of a mean is: intervals are
Student's, and tests are Hotelling's, by the number of people who tell about a column
(:attr:`rankcut.strengths.regression.StrengthEffects.n_telling`).

R. Bell, D. McCaffrey. Bias reduction in standard errors for linear regression with multi-stage
samples. Survey Methodology, 2002.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special, stats

from rankcut._loops.types import Floats
from rankcut.comparison.results import LEVEL, Table
from rankcut.errors import amount
from rankcut.pictures.theme import shorten

if TYPE_CHECKING:
    from rankcut.ranking_regression.estimator import StrengthRegression

# With so few more people than coefficients the variance of Hotelling's statistic is infinite.
FEWEST = 4

# Sentences about each column.
_MOST_SENTENCES = 3


def inflation(n_people: float) -> float:
    """By how much variances estimated from n people are too small: n/(n − 1)."""
    if np.isinf(n_people):
        return 1.0
    return n_people / (n_people - 1) if n_people > 1 else np.inf


def hotelling(statistic: float, sizes: Sequence[int], n_people: Sequence[float]) -> float:
    """The p-value of a sum of Hotelling's T², each with its number of coefficients and people.

    The sum is a multiple of F's distribution with the same mean and variance, which for one T² is
    exact. NaN: the variance of one with so few people is infinite.

    >>> round(hotelling(9.0, [2], [20.0]), 4), hotelling(9.0, [2, 2], [5.0, 20.0])
    (0.0305, nan)
    """
    size, q, n = sum(sizes), np.array(sizes, dtype=float), np.array(n_people)
    if not size:
        return 1.0
    if np.isinf(n).all():
        return float(stats.chi2.sf(statistic, size))
    left = n - q
    if len(q) == 1:
        share = statistic * left[0] / (q[0] * (n[0] - 1))
        return float(stats.f.sf(share, size, left[0])) if left[0] > 0 else np.nan
    if left.min() <= FEWEST:
        return np.nan
    mean = (q * (n - 1) / (left - 2)).sum()
    variance = (2 * q * (n - 1) ** 2 * (n - 2) / ((left - 2) ** 2 * (left - FEWEST))).sum()
    ratio = variance * size / (2 * mean**2)
    freedom = (size - 2 + 4 * ratio) / (ratio - 1)
    return float(stats.f.sf(statistic * freedom / (mean * (freedom - 2)), size, freedom))


def standard_errors(level: float, n_people: float) -> float:
    """How many standard errors, estimated from n people, are not passed with probability level."""
    if n_people <= 1:
        return np.inf
    return float(stats.t.ppf(level, n_people - 1) * np.sqrt(inflation(n_people)))


def estimates(
    values: Floats, errors: Floats, confidence: float, n_people: float
) -> dict[str, list[float]]:
    """Columns of a table: coefficients, errors, z, p-values, odds ratios and their intervals.

    Errors are estimated from n people: intervals are Student's.
    """
    z = np.divide(values, errors, out=np.zeros_like(values), where=errors > 0)
    size = np.abs(z) / np.sqrt(inflation(n_people))
    p_values = 2 * stats.t.sf(size, n_people - 1) if n_people > 1 else np.full(len(z), np.nan)
    # Beyond the largest numbers odds are infinite.
    with np.errstate(over="ignore", invalid="ignore"):
        width = standard_errors((1 + confidence) / 2, n_people) * errors
        odds, low, high = np.exp([values, values - width, values + width])
    columns = {
        "coefficient": values,
        "std_error": errors,
        "z": z,
        "p_value": p_values,
        "odds_ratio": odds,
        "low": low,
        "high": high,
    }
    return {name: np.asarray(column).tolist() for name, column in columns.items()}


def opening(model: "StrengthRegression") -> list[str]:
    """What was fitted, to how many, and what strengths are compared with."""
    lines = [
        f"Strengths of {amount(model.n_items_, 'item')} from {model.n_people_:,} "
        f"{'rankings' if model.n_people_ == model.n_rankings_ else 'people'}; "
        f"log-likelihood {model.log_likelihood_:.2f}; "
        f"{'sandwich errors' if model.errors == 'sandwich' else 'errors that trust the model'}."
    ]
    if model.n_effective_ < model.n_people_:
        lines.append(
            "Some count more than others, by their weights or number of rankings: they say as much "
            f"as {model.n_effective_:.0f} who count alike."
        )
    if model.prior == "evidence":
        lines.append(
            "A prior chosen by the evidence pulls coefficients to 0: intervals and p-values hold "
            "on average over items, not for each item."
        )
    few = [
        f"{column.name} ({n:.0f})"
        for column, n, place in zip(
            model.formula_.columns, model.effects_.n_telling, model.effects_.places, strict=True
        )
        if column.term.covariates and n - (place.stop - place.start) <= FEWEST
    ]
    if few:
        lines.append(
            f"So few people tell about {', '.join(few)} that there may be no test: join categories."
        )
    if model.origin_:
        lines.append(f"Strengths are those at {', '.join(model.origin_)}.")
    return lines


def summary_lines(model: "StrengthRegression") -> list[str]:
    """The opening, the tests of terms, and all coefficients."""
    lines = opening(model)
    if len(model.tests_):
        lines += ["", *_aligned(model.tests_, {"term": "term", **TESTS})]
    return [*lines, "", *_aligned(model.coefficients_, _COEFFICIENTS)]


# Columns of printed tables, and their heads.
TESTS = {
    "wald": "Wald",
    "n_coefficients": "df",
    "p_value": "p",
    "likelihood_ratio": "ratio",
    "p_of_ratio": "p of ratio",
}
_COEFFICIENTS = {
    "column": "column",
    "item": "item",
    "coefficient": "coefficient",
    "std_error": "error",
    "z": "z",
    "p_value": "p",
    "p_adjusted": "adjusted",
    "odds_ratio": "odds",
    "low": "from",
    "high": "to",
}


def _aligned(table: Table, heads: Mapping[str, str]) -> list[str]:
    """A table with as many digits as one reads."""
    names = [name for name in heads if name in table.columns]
    cells = [[heads[name], *(shown(name, value) for value in table[name])] for name in names]
    numbers = [not any(isinstance(value, str) for value in table[name]) for name in names]
    widths = [max(map(len, column)) for column in cells]
    return [
        "  ".join(
            cell.rjust(width) if number and head != "item" else cell.ljust(width)
            for cell, width, number, head in zip(line, widths, numbers, names, strict=True)
        ).rstrip()
        for line in zip(*cells, strict=True)
    ]


def shown(name: str, value: Any) -> str:
    """A cell of a table, with as many digits as one reads."""
    if value is None or value != value or value in (np.inf, -np.inf):
        return "–"
    if name.startswith("p_"):
        return f"{value:.3f}" if value >= 0.0005 else "<.001"
    if not isinstance(value, float):
        return shorten(value)
    return f"{value:.3f}" if name in ("coefficient", "std_error") else f"{value:.2f}"


def odds_in_words(model: "StrengthRegression") -> list[str]:
    """Sentences about the pairs that each column moves most clearly."""
    return [line for c in range(len(model.formula_.columns)) for line in _about(model, c)]


def _about(model: "StrengthRegression", c: int) -> Iterator[str]:
    column, effects = model.formula_.columns[c], model.effects_
    if not column.term.covariates:
        return
    labels = [str(item) for item in (model.items_ or range(model.n_items_))]
    first, second = np.triu_indices(model.n_items_, 1)
    values, covariance = effects.coefficients[c], effects.item_covariance(c, c)
    own = np.diag(covariance)
    change = values[first] - values[second]
    error = np.sqrt(np.maximum(own[first] + own[second] - 2 * covariance[first, second], 0))
    z = np.divide(change, error, out=np.zeros_like(change), where=error > 0)
    if not len(z):
        return
    # For all pairs at once.
    reach = standard_errors(1 - (1 - model.confidence) / 2 / len(z), effects.n_telling[c])
    clear = [k for k in np.argsort(-np.abs(z), kind="stable") if abs(z[k]) > reach]
    for k in clear[:_MOST_SENTENCES]:
        better, worse = (first[k], second[k]) if change[k] > 0 else (second[k], first[k])
        size = abs(change[k])
        before = model.strengths_[better] - model.strengths_[worse]
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


def verdict(model: "StrengthRegression") -> str:
    """One sentence: which terms move strengths."""
    tests = [row for row in model.tests_ if row["p_value"] <= LEVEL]
    if not tests:
        return "No term is clearly related to the rankings."
    return f"Related to the rankings: {', '.join(row['term'] for row in tests)}."
