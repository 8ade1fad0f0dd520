"""What is known of each ranking besides its order: a column, as text."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.ranking_set import RankingSet


def known_values(rankings: RankingSet, column: str, file: str) -> NDArray[Any]:
    """A column as text, empty where there is no value."""
    if column not in rankings.columns:
        known = ", ".join(map(repr, rankings.columns)) or "none"
        raise ValueError(
            f"{file}: there is no column {column!r} beside the items; those there are: {known}"
        )
    values = rankings.columns[column]
    return np.array([_text(value) for value in values.tolist()], dtype=np.str_)


def _text(value: Any) -> str:
    if value is None or value != value:
        return ""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def labelled(rankings: RankingSet, target: str, file: str) -> tuple[RankingSet, NDArray[Any]]:
    """The rankings whose class is known, and their classes."""
    classes = known_values(rankings, target, file)
    if not (classes != "").any():
        raise ValueError(f"{file}: column {target!r} has no values")
    return rankings.rows(classes != ""), classes[classes != ""]
