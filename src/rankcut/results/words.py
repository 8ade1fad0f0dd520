"""Numbers and p-values in words, the same in every answer."""

from collections.abc import Sequence

import numpy as np

from rankcut.parameters import EQUAL_WITHIN, LARGEST_LOG

LEVEL = 0.05
"""p-values up to this are called a difference."""

SMALLEST_P = 1e-300
"""Numbers of a computer end here: smaller p-values are said to be below it."""


def p_in_words(value: float, floor: float = 0.0) -> str:
    """A p-value with about two digits; up to ``floor`` permutations cannot tell how small it is.

    >>> p_in_words(0.0123), p_in_words(0.001, 0.001), p_in_words(3.14e-9), p_in_words(0.0)
    ('p = 0.012', 'p ≤ 0.001', 'p = 3.1e-09', 'p < 1e-300')
    """
    if value < SMALLEST_P:
        return f"p < {SMALLEST_P:g}"
    if value <= floor * (1.0 + EQUAL_WITHIN):
        return f"p ≤ {value:.2g}"
    return f"p = {value:.2g}" if value < 0.1 else f"p = {value:.2f}"


def adjusted_in_words(adjusted: float, unadjusted: float, floor: float) -> str:
    """A p-value adjusted by Holm's method, which is a bound if the unadjusted one is.

    >>> adjusted_in_words(0.02, 0.01, 0.01), adjusted_in_words(0.04, 0.02, 0.01)
    ('p ≤ 0.02', 'p = 0.04')
    """
    return p_in_words(adjusted, adjusted if unadjusted <= floor * (1.0 + EQUAL_WITHIN) else 0.0)


def odds_in_words(estimate: float, low: float, high: float) -> tuple[str, str]:
    """How many units of a number, a power of ten, change odds visibly, and by what factor.

    >>> odds_in_words(0.00041, 0.0003, 0.0005)
    ('1,000', '1.51 (1.35 to 1.65)')
    >>> odds_in_words(0.7, 0.2, 1.2)
    ('1', '2.01 (1.22 to 3.32)')
    """
    size = max(abs(estimate), abs(low), abs(high))
    unit = 10.0 ** np.clip(np.ceil(-1.0 - np.log10(size)), 0, 9) if size > 0 else 1.0
    odds, least, most = (
        float(np.exp(min(unit * value, LARGEST_LOG))) for value in (estimate, low, high)
    )
    return f"{unit:,.0f}", f"{odds:.3g} ({least:.3g} to {most:.3g})"


def percent(part: float, total: float) -> str:
    """A share in words; a small share is not rounded to 0 %.

    >>> percent(1, 3), percent(1, 1000), percent(999, 1000), percent(0, 5)
    ('33 %', 'less than 1 %', 'more than 99 %', '0 %')
    """
    share = part / total if total else 0.0
    if 0 < share < 0.01:
        return "less than 1 %"
    if 0.99 < share < 1:
        return "more than 99 %"
    return f"{share:.0%}".replace("%", " %")


def name_some(names: Sequence[str], most: int = 4) -> str:
    """Names in a sentence, the first few.

    >>> name_some(["uni"]), name_some(["uni", "ika"]), name_some(list("abcdefg"))
    ('uni', 'uni and ika', 'a, b, c, d and 3 more')
    """
    first = list(names[:most])
    if len(names) > most:
        return f"{', '.join(first)} and {len(names) - most} more"
    return " and ".join([", ".join(first[:-1]), first[-1]]) if len(first) > 1 else first[0]
