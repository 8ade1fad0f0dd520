"""Which rankings of a set are most alike, as an answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankcut.errors import InputError, amount
from rankcut.pictures.charts import Row, dot_chart
from rankcut.pictures.scene import Dot, Picture
from rankcut.pictures.theme import colour
from rankcut.rankings import Unranked, read_rankings
from rankcut.rankings.orders import order_texts
from rankcut.results import Result, Table
from rankcut.similar.estimator import SimilarRankings


@dataclass(frozen=True, eq=False, repr=False)
class SimilarPairs(Result):
    """Rankings, each with those most like it; made by :func:`find_similar`."""

    pairs: Table  #: a row for each ranking and one similar to it, the most similar first
    n_rankings: int  #: how many were compared

    def _names(self, row: dict[str, Any]) -> tuple[str, str]:
        if "ranking" in row:
            return str(row["ranking"]), str(row["similar ranking"])
        return f"row {row['row']}", f"row {row['similar']}"

    def sentences(self) -> list[str]:
        """Which two rankings are most alike, and how many were compared."""
        closest = max(self.pairs, key=lambda row: row["similarity"])
        one, other = self._names(closest)
        n_asked = len(dict.fromkeys(self.pairs["row"]))
        return [
            f"Most alike: {one} and {other} (similarity {closest['similarity']:.2f}).",
            f"{amount(n_asked, 'ranking')} compared with {self.n_rankings:,}; 1 is the same "
            "ranking, 0 has nothing in common.",
        ]

    def tables(self) -> dict[str, Table]:
        """A row for each pair, with the order of the similar ranking."""
        return {"pairs": self.pairs}

    def picture(self) -> Picture:
        """How similar each pair is."""
        rows = [
            Row(" – ".join(self._names(row)), [Dot(row["similarity"], colour(0))])
            for row in self.pairs
        ]
        return dot_chart("Similar rankings", "Dots: similarity.", rows, "similarity (1 = the same)")


def find_similar(
    X: Any,
    rows: Sequence[int] | None = None,
    *,
    n: int = 10,
    unranked: Unranked = "error",
    features: Any = None,
) -> SimilarPairs:
    """The rankings most like each of some.

    Parameters
    ----------
    X : array, frame, CSR array or RankingSet of shape (n_rankings, n_items)
        Those to search.
    rows : sequence of int or None
        Whose neighbours to find; None: of each ranking.
    n : int, default=10
        How many for each.
    unranked, features
        As for :class:`~rankcut.SimilarRankings`.

    Examples
    --------
    >>> from rankcut.datasets import load_lunch
    >>> find_similar(load_lunch(), [0], n=2).sentences()[0]
    'Most alike: g01 and g38 (similarity 0.97).'
    """
    search = SimilarRankings(features, unranked=unranked)
    rankings = read_rankings(X, unranked=unranked if features is None else "anywhere")
    n_rows = rankings.shape[0]
    counts = rankings.counts.astype(int) if rankings.counted else np.ones(n_rows, dtype=int)
    if counts.sum() == 1:
        raise InputError("there is one ranking, and no other to compare it with")
    rows = [*range(n_rows)] if rows is None else list(rows)
    # One more, since a ranking finds itself, unless as many others are the same.
    found = search.fit(X).kneighbors(rankings.rows(rows), min(n + 1, n_rows))
    lines: list[tuple[int, int, float]] = []
    for row, values, others in zip(rows, *(each.tolist() for each in found), strict=True):
        # A row that counts several rankings is nearest to itself: they are equal.
        near = [(row, row, 1.0)] if counts[row] > 1 else []
        near += [
            (row, other, round(value, 4) + 0.0)
            for other, value in zip(others, values, strict=True)
            if other != row
        ]
        lines += near[:n]
    first, second, similarity = (list(column) for column in zip(*lines, strict=True))
    columns: dict[str, Any] = {"row": first, "similar": second}
    ids = X.ids if hasattr(X, "__rankings__") else None
    if ids is not None:
        columns["ranking"] = [ids[row] for row in first]
        columns["similar ranking"] = [ids[row] for row in second]
    columns["similarity"] = similarity
    if hasattr(X, "__rankings__") and X.counted:
        columns["count"] = counts[first].tolist()
        # A ranking is not compared with itself.
        columns["similar count"] = (counts[second] - np.equal(first, second)).tolist()
    names = [str(rankings.item(column)) for column in range(rankings.shape[1])]
    columns["order"] = order_texts(rankings.rows(second), names)
    return SimilarPairs(Table(columns), int(counts.sum()))
