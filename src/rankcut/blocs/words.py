"""Blocs as a table, as data and as text."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class CrossTable:
    """How many people of each bloc have each value of a column."""

    name: str
    values: list[str]
    counts: NDArray[np.float64]  #: a row for each value, a column for each bloc

    def shares(self) -> NDArray[np.float64]:
        """The share of each bloc among the people with a value."""
        totals = self.counts.sum(axis=1, keepdims=True)
        shares = np.zeros_like(self.counts)
        np.divide(self.counts, totals, out=shares, where=totals > 0)
        return shares

    def association(self) -> float:
        """Cramér's V, corrected for chance: 0 is none, 1 is all."""
        total = float(self.counts.sum())
        rows, columns = (int((self.counts.sum(axis=axis) > 0).sum()) for axis in (1, 0))
        if min(rows, columns) < 2 or total < 2:
            return 0.0
        expected = self.counts.sum(axis=1, keepdims=True) * self.counts.sum(axis=0) / total
        gap = (self.counts - expected) ** 2
        square = float(np.divide(gap, expected, out=np.zeros_like(gap), where=expected > 0).sum())
        excess = max(0.0, square / total - (rows - 1) * (columns - 1) / (total - 1))
        sides = [side - (side - 1) ** 2 / (total - 1) for side in (rows, columns)]
        return float(np.sqrt(min(1.0, excess / max(min(sides) - 1, 1e-12))))

    def sentence(self) -> str:
        """How closely blocs and values are associated."""
        return (
            f"Blocs and {self.name}: Cramér's V {self.association():.2f} "
            "(0 = unrelated, 1 = one determines the other)."
        )


@dataclass(frozen=True, eq=False)
class BlocReport:
    r"""What a fitted :class:`~rankcut.RankingBlocs` found.

    Attributes
    ----------
    items : list of str
        The labels of the items.
    sizes : ndarray of shape (n_blocs,)
        Number of people in each bloc.
    rankings, intervals : ndarray of shape (n_blocs, n_items) and (n_blocs, n_items, 2), or None
        The consensus of each bloc, and the places that are possible.
    distinctive : dict of lists
        What sets blocs apart.
    selection : dict of arrays or None
        The evidence for each number of blocs.
    certainty : float or None
        Mean probability of the bloc that a person is assigned to.
    length_share : float or None
        The share of the variance of list lengths between blocs.
    confidence : float
        Confidence with which all intervals hold at once.
    notes : list of str
        What a reader should know.
    remedy : str
        What would make blocs depend less on list length.
    cross : CrossTable or None
        Blocs and the values of a column.

    Examples
    --------
    >>> from rankcut import RankingBlocs, make_mallows
    >>> votes = make_mallows(100, 3, phi=0.2, centers=[[1, 2, 3], [3, 2, 1]], random_state=0)
    >>> report = BlocReport.of(RankingBlocs(2, n_bootstraps=100).fit(votes.ranks))
    >>> print("\n".join(report.lines(3)))
    2 blocs.
    Bloc 1 (51 people, 51 %): 2 > 1 > 0
      sets it apart: 0 lower by 1.8 places (1.6 to 2.1), 2 higher by 1.7 places (1.4 to 2.0)
    Bloc 2 (49 people, 49 %): 0 > 1 > 2
      sets it apart: 0 higher by 1.8 places (1.6 to 2.1), 2 lower by 1.7 places (1.4 to 2.0)
    Mean probability of the assigned bloc: 1.00.
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
    remedy: str = ""
    cross: CrossTable | None = None

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
            _remedy(model.unranked, model._encoder.unit),
        )

    def crossed(
        self, name: str, values: NDArray[Any], labels: NDArray[np.int64], counts: NDArray[Any]
    ) -> "BlocReport":
        """The same with a cross table of a column; empty text is unknown."""
        known = values != ""
        names, codes = np.unique(values[known].astype(str), return_inverse=True)
        table = np.zeros((len(names), len(self.sizes)))
        np.add.at(table, (codes, labels[known]), counts[known])
        return replace(self, cross=CrossTable(name, names.tolist(), table))

    def share(self, bloc: int) -> str:
        """The size of a bloc in words."""
        size, total = float(self.sizes[bloc]), float(self.sizes.sum())
        people = "person" if size == 1 else "people"
        return f"{size:,.6g} {people}, {100 * size / total:.0f} %"

    def rows_of(self, bloc: int) -> list[int]:
        """The rows of the distinctive items of a bloc."""
        return [row for row, own in enumerate(self.distinctive["bloc"]) if own == bloc]

    def sentences(self) -> list[str]:
        """Sentences about all blocs together."""
        found = [self._number()]
        if self.certainty is not None and len(self.sizes) > 1:
            found.append(f"Mean probability of the assigned bloc: {self.certainty:.2f}.")
        if self.length_share is not None and len(self.sizes) > 1:
            said = f"List length: the blocs explain {self.length_share:.0%} of its variation."
            found.append(f"{said} {self.remedy}".rstrip() if self.length_share >= 0.1 else said)
        if self.cross is not None:
            found.append(self.cross.sentence())
        return [*found, *self.notes]

    def lines(self, most: int) -> list[str]:
        """Text for a terminal, with up to ``most`` items per line."""
        first, *others = self.sentences()
        blocs = (line for bloc in range(len(self.sizes)) for line in self.about(bloc, most))
        return [first, *blocs, *others, *self._cross_lines()]

    def columns(self) -> dict[str, list[Any]]:
        """A table with a row for each bloc and item, in the order of its consensus."""
        rows = [
            (bloc, int(i))
            for bloc in range(len(self.sizes))
            for i in np.argsort(self.rankings[bloc], kind="stable")
        ]
        columns: dict[str, list[Any]] = {
            "bloc": [bloc + 1 for bloc, _ in rows],
            "size": [_plain(self.sizes[bloc]) for bloc, _ in rows],
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
            "cross": None
            if self.cross is None
            else {
                "column": self.cross.name,
                "values": self.cross.values,
                "counts": self.cross.counts,
                "association": self.cross.association(),
            },
        }

    def _cross_lines(self) -> Iterator[str]:
        if self.cross is None:
            return
        width = min(28, max(len(self.cross.name), *(len(value) for value in self.cross.values)))
        heads = "".join(f"  {f'bloc {bloc + 1}':>8}" for bloc in range(len(self.sizes)))
        yield f"{self.cross.name[:width]:{width}}{heads}"
        for value, shares in zip(self.cross.values, self.cross.shares().tolist(), strict=True):
            cells = "".join(f"  {share:>8.0%}" for share in shares)
            yield f"{value[:width]:{width}}{cells}"

    def _number(self) -> str:
        k = len(self.sizes)
        words = (
            "One bloc: people do not divide more than chance would explain."
            if k == 1
            else f"{k} blocs."
        )
        if self.selection is None:
            return "One bloc." if k == 1 else words
        row = int(np.argmax(self.selection["n_blocs"] == k))
        if k == 1:
            return words
        gap, error = self.selection["gap"][row], self.selection["error"][row]
        return (
            f"{k} blocs: {gap / max(error, 1e-12):.1f} standard deviations from a population "
            f"without blocs; two halves of the people agree on them to "
            f"{self.selection['stability'][row]:.2f}."
        )

    def about(self, bloc: int, most: int) -> Iterator[str]:
        """A bloc's size, its consensus and what sets it apart, with up to ``most`` items each."""
        yield f"Bloc {bloc + 1} ({self.share(bloc)}): {self._order(bloc, most)}"
        rows = self.rows_of(bloc)
        if not rows:
            if len(self.sizes) > 1:
                yield "  no single item clearly sets it apart"
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


def _plain(size: float) -> int | float:
    """A whole number where it is one."""
    return int(size) if float(size).is_integer() else round(float(size), 9)


def _remedy(unranked: str, unit: bool) -> str:
    """What would make blocs depend less on list length."""
    if unranked == "last":
        return "If items are missing for reasons other than taste, let them be anywhere."
    return "" if unit else "With vectors of unit length, short lists count as much as long ones."
