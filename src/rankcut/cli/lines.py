"""What commands say of rankings and graphs, as lines of text."""

import sys
from collections.abc import Iterable
from typing import Any, TextIO

from rankcut.ranking_set import RankingSet

_NAMES_WIDTH = 17


def print_facts(facts: Iterable[tuple[str, str]], file: TextIO | None = None) -> None:
    """Names and values side by side; a value without a name belongs to the line above.

    >>> print_facts([("items", "3"), ("most alike", "toro - uni"), ("", "ika - uni")])
    items:           3
    most alike:      toro - uni
                     ika - uni
    """
    for name, value in facts:
        title = f"{name}:" if name else ""
        print(f"{title:<{_NAMES_WIDTH}}{value}", file=file or sys.stdout)


def order_lines(rankings: RankingSet) -> list[str]:
    """Each ranking as its items, best first.

    >>> import numpy as np
    >>> order_lines(RankingSet(np.array([[2.0, 1.0, 1.0]]), ("toro", "uni", "ika")))
    ['uni = ika > toro']
    """
    from rankcut.orders import to_orders

    orders = to_orders(rankings.ranks, [str(item) for item in rankings.items])
    return [" > ".join(map(_group, order)) for order in orders]


def _group(tied: Any) -> str:
    return " = ".join(tied) if isinstance(tied, tuple) else str(tied)
