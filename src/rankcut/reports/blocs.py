"""Blocs as a table, as data and as text."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class BlocReport:
    r"""What a fitted :class:`~rankcut.RankingClusters` found.

    Attributes
    ----------
    items : list of str
        The labels of the items.
    sizes : ndarray of shape (n_blocs,)
        How many people each bloc has.
    rankings, intervals : ndarray of shape (n_blocs, n_items) and (n_blocs, n_items, 2), or None
        The consensus of each bloc, and the places that are possible.
    distinctive : dict of lists
        What sets blocs apart.
    selection : dict of arrays or None
        The evidence for each number of blocs.
    certainty : float or None
        The mean probability of the bloc that people are in.
    length_share : float or None
        The share of the variance of list lengths between blocs.
    confidence : float
        Of all intervals at once.
    notes : list of str
        What a reader should know.

    Examples
    --------
    >>> from rankcut import RankingClusters, make_mallows
    >>> votes = make_mallows(100, 3, phi=0.2, centers=[[1, 2, 3], [3, 2, 1]], random_state=0)
    >>> report = BlocReport.of(RankingClusters(2, n_bootstraps=100).fit(votes.ranks))
    >>> print("\n".join(report.lines(3)))
    2 blocs.
    Bloc 1 (51 people, 51 %): 2 > 1 > 0
      sets it apart: 0 lower by 1.8 places (1.6 to 2.1), 2 higher by 1.7 places (1.4 to 2.0)
    Bloc 2 (49 people, 49 %): 0 > 1 > 2
      sets it apart: 0 higher by 1.8 places (1.6 to 2.1), 2 lower by 1.7 places (1.4 to 2.0)
    Mean probability of the bloc a person is put in: 1.00.
    """

    items: list[str]
    sizes: NDArray[np.float64]
    rankings: NDArray[np.int64]
    intervals: NDArray[np.int64] | None
    distinctive: dict[str, list[Any]]
    selection: dict[str, NDArray[Any]] | None
    certainty: float | None
    length_share: float | None
    confidence: float
    notes: list[str]

    @classmethod
    def of(cls, model: Any) -> "BlocReport":
        """The report of a fitted model."""
        return cls(
            [str(item) for item in model._names()],
            model.sizes_,
            model.rankings_,
            model.rank_intervals_,
            {**model.distinctive_items_, "item": list(map(str, model.distinctive_items_["item"]))},
            model.selection_,
            model.certainty_,
            model.length_share_,
            model.confidence,
            model.notes_,
        )

    def order(self, bloc: int) -> str:
        """The consensus of a bloc in one line.

        Tied items are joined by =.
        """
        return self._order(bloc, len(self.items))

    def sentences(self) -> list[str]:
        """What is true of all blocs together."""
        found = [self._number()]
        if self.certainty is not None and len(self.sizes) > 1:
            found.append(f"Mean probability of the bloc a person is put in: {self.certainty:.2f}.")
        if self.length_share is not None and len(self.sizes) > 1:
            said = f"List length: the blocs explain {self.length_share:.0%} of its variation."
            if self.length_share >= 0.1:
                said += ' To leave it out, compare the order of listed items: unranked="anywhere".'
            found.append(said)
        return [*found, *self.notes]

    def lines(self, most: int) -> list[str]:
        """Text for a terminal, with up to ``most`` items in a line."""
        first, *others = self.sentences()
        blocs = (line for bloc in range(len(self.sizes)) for line in self._bloc(bloc, most))
        return [first, *blocs, *others]

    def columns(self) -> dict[str, list[Any]]:
        """A table with a row for each bloc and item, in the order of its consensus."""
        rows = [
            (bloc, int(i))
            for bloc in range(len(self.sizes))
            for i in np.argsort(self.rankings[bloc], kind="stable")
        ]
        columns: dict[str, list[Any]] = {
            "bloc": [bloc + 1 for bloc, _ in rows],
            "size": [float(self.sizes[bloc]) for bloc, _ in rows],
            "place": [int(self.rankings[where]) for where in rows],
            "item": [self.items[i] for _, i in rows],
        }
        if self.intervals is not None:
            columns["best"] = [int(self.intervals[where][0]) for where in rows]
            columns["worst"] = [int(self.intervals[where][1]) for where in rows]
        known = {
            (bloc, item): row
            for row, (bloc, item) in enumerate(
                zip(self.distinctive["bloc"], self.distinctive["item"], strict=True)
            )
        }
        for name in ("difference", "low", "high"):
            columns[name] = [
                round(self.distinctive[name][known[bloc, self.items[i]]], 6)
                if (bloc, self.items[i]) in known
                else None
                for bloc, i in rows
            ]
        return columns

    def data(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "items": self.items,
            "n_blocs": len(self.sizes),
            "sizes": self.sizes,
            "rankings": self.rankings,
            "intervals": self.intervals,
            "distinctive_items": self.distinctive,
            "selection": self.selection,
            "certainty": self.certainty,
            "length_share": self.length_share,
            "confidence": self.confidence,
            "notes": self.notes,
        }

    def _number(self) -> str:
        k = len(self.sizes)
        words = "One bloc: no sign that people divide." if k == 1 else f"{k} blocs."
        if self.selection is None:
            return "One bloc." if k == 1 else words
        row = int(np.argmax(self.selection["n_clusters"] == k))
        if k == 1:
            return words
        gap, error = self.selection["gap"][row], self.selection["error"][row]
        return (
            f"{k} blocs: {gap / max(error, 1e-12):.1f} standard deviations from a population "
            f"without blocs; two halves of the people agree on them to "
            f"{self.selection['stability'][row]:.2f}."
        )

    def _bloc(self, bloc: int, most: int) -> Iterator[str]:
        size, total = self.sizes[bloc], self.sizes.sum()
        people = "person" if size == 1 else "people"
        yield (
            f"Bloc {bloc + 1} ({size:,.6g} {people}, {100 * size / total:.0f} %): "
            f"{self._order(bloc, most)}"
        )
        rows = [row for row, own in enumerate(self.distinctive["bloc"]) if own == bloc]
        if not rows:
            if len(self.sizes) > 1:
                yield "  no single item surely sets it apart"
            return
        yield f"  sets it apart: {', '.join(self.difference(row) for row in rows[:most])}"

    def difference(self, row: int) -> str:
        """A distinctive item in words."""
        difference = self.distinctive["difference"][row]
        ends = sorted(abs(self.distinctive[name][row]) for name in ("low", "high"))
        where = "higher" if difference < 0 else "lower"
        return (
            f"{self.distinctive['item'][row]} {where} by {abs(difference):.1f} places "
            f"({ends[0]:.1f} to {ends[1]:.1f})"
        )

    def _order(self, bloc: int, most: int) -> str:
        ranks = self.rankings[bloc]
        order = np.argsort(ranks, kind="stable")[:most].tolist()
        text: str = self.items[order[0]]
        for before, item in pairwise(order):
            text += f" {'=' if ranks[before] == ranks[item] else '>'} {self.items[item]}"
        return text + (" > …" if most < len(ranks) else "")
