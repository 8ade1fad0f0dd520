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
    rankings, intervals : ndarray of shape (n_blocs, n_items) and (n_blocs, n_items, 2)
        The order of each bloc, and the places that are possible.
    strengths, errors : ndarray of shape (n_blocs, n_items)
        Strengths of items, and their standard errors.
    distinctive : dict of lists
        What sets blocs apart.
    structure : {"crowd", "line", "camps"} or None
        What people are; None if the number of blocs was given.
    ends : ndarray of shape (2, n_items) or None
        Strengths at the ends of a line.
    selection : dict or None
        The evidence for each number of blocs and each structure.
    certainty : float
        Mean probability of the bloc that a person is assigned to.
    random_share : float
        The share of people who rank at random.
    confidence : float
        Confidence with which all intervals hold at once.
    notes : list of str
        What a reader should know.
    cross : CrossTable or None
        Blocs and the values of a column.

    Examples
    --------
    >>> from rankcut import RankingBlocs, make_mallows
    >>> centers = [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]]
    >>> votes = make_mallows(100, 5, phi=0.2, centers=centers, random_state=1)
    >>> report = BlocReport.of(RankingBlocs().fit(votes.ranks))
    >>> print("\n".join(report.lines(2)))
    People fall into 2 camps.
    Bloc 1 (50 people, 50 %): 4 > 3 > …
      sets it apart: 4 higher by 3.4 places (3.1 to 3.8), 0 lower by 3.3 places (2.9 to 3.7)
    Bloc 2 (50 people, 50 %): 0 > 1 > …
      sets it apart: 4 lower by 3.4 places (3.1 to 3.8), 0 higher by 3.3 places (2.9 to 3.7)
    Mean probability of the assigned bloc: 1.00.
    """

    items: list[str]
    sizes: NDArray[np.float64]
    rankings: NDArray[np.int64]
    intervals: NDArray[np.int64]
    strengths: NDArray[np.float64]
    errors: NDArray[np.float64]
    distinctive: dict[str, list[Any]]
    structure: str | None
    ends: NDArray[np.float64] | None
    selection: dict[str, Any] | None
    certainty: float
    random_share: float
    confidence: float
    notes: list[str]
    cross: CrossTable | None = None

    @classmethod
    def of(cls, model: Any) -> "BlocReport":
        """The report of a fitted model."""
        return cls(
            [str(item) for item in model._names()],
            model.sizes_,
            model.rankings_,
            model.rank_intervals_,
            model.strengths_,
            model.strength_errors_,
            {**model.distinctive_items_, "item": list(map(str, model.distinctive_items_["item"]))},
            model.structure_,
            model.ends_,
            model.selection_,
            model.certainty_,
            model.random_share_,
            model.confidence,
            model.notes_,
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
        """Sentences about all people together."""
        found = self._structure()
        if len(self.sizes) > 1:
            found.append(f"Mean probability of the assigned bloc: {self.certainty:.2f}.")
        if self.random_share * self.sizes.sum() >= 1:
            found.append(f"{self.random_share:.0%} fit no bloc better than orders at random do.")
        if self.cross is not None:
            found.append(self.cross.sentence())
        return [*found, *self.notes]

    def _structure(self) -> list[str]:
        """What people are: one crowd, along a line, or in camps."""
        k = len(self.sizes)
        if self.structure == "camps":
            return [f"People fall into {k} camps."]
        said = [] if k == 1 else [f"Cut in {k} blocs, as asked."]
        if self.structure == "crowd":
            return ["One crowd: people differ, but not in camps.", *said]
        if self.ends is not None:
            one, other = (self._named(end, 3) for end in self.ends)
            return [
                f"People are spread along a line, from those who prefer {one} to those who prefer "
                f"{other}; there are no camps.",
                *(said or ["A number of blocs cuts the line in as many parts."]),
            ]
        return said or ["One bloc, as asked."]

    def _named(self, strengths: NDArray[np.float64], most: int) -> str:
        """The strongest items, fewer than half of them."""
        order = np.argsort(-strengths, kind="stable")
        return ", ".join(self.items[i] for i in order[: max(1, min(most, len(order) // 2))])

    def lines(self, most: int) -> list[str]:
        """Text for a terminal, with up to ``most`` items per line."""
        first, *others = self.sentences()
        blocs = (line for bloc in range(len(self.sizes)) for line in self.about(bloc, most))
        return [first, *blocs, *others, *self._cross_lines()]

    def columns(self) -> dict[str, list[Any]]:
        """A table with a row for each bloc and item, best item first."""
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
        columns["best"] = [int(self.intervals[where][0]) for where in rows]
        columns["worst"] = [int(self.intervals[where][1]) for where in rows]
        columns["strength"] = [round(float(self.strengths[where]), 6) for where in rows]
        columns["error"] = [round(float(self.errors[where]), 6) for where in rows]
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
            "structure": self.structure,
            "n_blocs": len(self.sizes),
            "sizes": self.sizes,
            "rankings": self.rankings,
            "intervals": self.intervals,
            "strengths": self.strengths,
            "errors": self.errors,
            "ends": self.ends,
            "distinctive_items": self.distinctive,
            "selection": self.selection,
            "certainty": self.certainty,
            "random_share": self.random_share,
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

    def about(self, bloc: int, most: int) -> Iterator[str]:
        """A bloc's size, its order and what sets it apart, with up to ``most`` items each."""
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
