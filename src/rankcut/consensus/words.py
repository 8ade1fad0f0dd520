"""The consensus of one or more groups as a table, as data and as text."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.consensus.agreement import Agreement
from rankcut.errors import amount
from rankcut.parameters import MOST_LISTED

# Width in characters of an item's name, and of the line of places: rows of up to 98 in all.
_NAME_WIDTH, _LINE_WIDTH = 28, 24


@dataclass(frozen=True, eq=False)
class GroupConsensus:
    """The consensus of one group."""

    group: str  #: its label; empty if all rankings are one group
    n_people: int  #: number of people
    ranking: NDArray[np.int64]  #: the rank of each item
    scores: NDArray[np.float64]  #: what items are ordered by
    intervals: NDArray[np.int64] | None  #: best and worst possible places
    first: NDArray[np.float64] | None  #: the share of bootstrap samples in which each item is first
    pairwise: NDArray[np.float64] | None  #: the share of people who prefer i to j
    agreement: Agreement  #: how much the people agree
    optimal: bool  #: whether the order is proven best by the method's measure
    tiers: list[list[Any]] | None  #: items by tiers: no two of a tier are surely different
    errors: NDArray[np.float64] | None  #: the standard errors of strengths
    notes: list[str]  #: what a reader should know
    mean_ranks: NDArray[np.float64] | None = None  #: the mean rank of each item
    clear: NDArray[np.bool_] | None = None  #: whether i is surely before j

    @classmethod
    def of(cls, model: Any, group: str = "") -> "GroupConsensus":
        """The result of a fitted :class:`~rankcut.Consensus`."""
        return cls(
            group,
            model.n_people_,
            model.ranking_,
            model.scores_,
            model.rank_intervals_,
            model.winner_shares_,
            getattr(model, "pairwise_", None),
            model.agreement_,
            model.optimal_,
            model.tiers_,
            model.strengths_.standard_errors if model.method_ == "strengths" else None,
            model.notes_,
            getattr(model, "mean_ranks_", None),
            model.clear_,
        )

    def leaders(self, items: Sequence[str]) -> str:
        """Who comes first, and how sure that is."""
        top = [items[i] for i in np.flatnonzero(self.ranking == 1).tolist()]
        first = name_some(top) + (" comes first" if len(top) == 1 else " share the first place")
        if self.intervals is None or len(items) == 1:
            return f"{first}."
        possible = [items[i] for i in np.flatnonzero(self.intervals[:, 0] == 1).tolist()]
        if 2 * len(possible) > len(items):
            which = "all" if len(possible) == len(items) else f"{len(possible)} of"
            return f"No clear winner: {which} {len(items)} items could be first (95 % sure)."
        if len(possible) == 1:
            return f"{first} (95 % sure)."
        others = [name for name in possible if name not in top]
        too = (
            f"{name_some(others)} could be first, too, but no other" if others else "no other could"
        )
        return f"{first}; {too} (95 % sure)."


@dataclass(frozen=True, eq=False)
class ConsensusReport:
    """The consensus of one or more groups about the same items.

    Examples
    --------
    >>> from rankcut import Consensus, make_mallows
    >>> model = Consensus().fit(make_mallows(50, 3, phi=0.3, random_state=0).ranks)
    >>> report = ConsensusReport(["uni", "ika", "ebi"], "borda", 0.95, [GroupConsensus.of(model)])
    >>> report.columns()["item"], report.columns()["place"]
    (['uni', 'ika', 'ebi'], [1, 2, 3])
    """

    items: list[str]
    method: str
    confidence: float
    groups: list[GroupConsensus]

    def order(self) -> list[int]:
        """Items by place: in the only group, or on average over groups."""
        places = np.mean([group.ranking for group in self.groups], axis=0)
        scores = np.sum([group.scores for group in self.groups], axis=0)
        return [int(i) for i in np.lexsort((np.arange(len(places)), -scores, places))]

    def order_of(self, group: GroupConsensus) -> list[int]:
        """Items by their place in a group."""
        return [int(i) for i in np.lexsort((-group.scores, group.ranking))]

    def columns(self) -> dict[str, list[Any]]:
        """A table with one row per item, or per group and item if there are several groups."""
        columns: dict[str, list[Any]] = {}
        if len(self.groups) > 1:
            columns["group"] = [group.group for group in self.groups for _ in self.items]
        order = [(group, i) for group in self.groups for i in self.order_of(group)]
        columns["place"] = [int(group.ranking[i]) for group, i in order]
        columns["item"] = [self.items[i] for _, i in order]
        if all(group.intervals is not None for group in self.groups):
            columns["best"] = [int(group.intervals[i, 0]) for group, i in order]  # type: ignore[index]
            columns["worst"] = [int(group.intervals[i, 1]) for group, i in order]  # type: ignore[index]
        numbers = ("first", 6), ("scores", 9), ("mean_ranks", 6), ("errors", 9)
        for name, digits in numbers:
            if all(getattr(group, name) is not None for group in self.groups):
                values = [float(getattr(group, name)[i]) for group, i in order]
                columns[name.removesuffix("s")] = [round(value, digits) for value in values]
        return columns

    def data(self) -> dict[str, Any]:
        """Everything, for JSON."""
        groups = [asdict(group) for group in self.groups]
        for group in groups:
            group["people"], group["places"] = group.pop("n_people"), group.pop("ranking")
        about = {"method": self.method, "confidence": self.confidence, "items": self.items}
        return {**about, "groups": groups}

    def lines(self, most: int) -> list[str]:
        """Text for a terminal, with the first ``most`` items."""
        if len(self.groups) == 1:
            return self._single(self.groups[0], most)
        return self._side_by_side(most)

    def sentences(self, group: GroupConsensus) -> list[str]:
        """The notes, and how much people agree."""
        notes = list(group.notes)
        if group.errors is not None:
            notes.append(
                "Strengths are by the Plackett–Luce model, ± half of a 95 % interval: exp(a − b) "
                "are the odds that one item is chosen rather than the other."
            )
            notes.extend(self._tiers(group))
        return [*notes, agreement_sentence(group.agreement)]

    def _tiers(self, group: GroupConsensus) -> list[str]:
        """Which items are not clearly different, and how many pairs are."""
        if group.tiers is None or group.clear is None or len(self.items) < 2:
            return []
        named = [name_some([str(item) for item in tier]) for tier in group.tiers]
        n_pairs = len(self.items) * (len(self.items) - 1) // 2
        clear = f"{int(group.clear.sum()):,} of {amount(n_pairs, 'pair')} are clearly different"
        if len(named) > MOST_LISTED:
            named[MOST_LISTED:] = [f"{len(named) - MOST_LISTED} more"]
        return [f"Tiers: {'; '.join(named)}. {clear}."]

    def _single(self, group: GroupConsensus, most: int) -> list[str]:
        sure = group.intervals is not None
        width = min(_NAME_WIDTH, max(4, *(len(item) for item in self.items)))
        title = f"place  {'item':{width}}"
        if group.errors is not None:
            title += f"  {'strength':>13}"
        if sure:
            title += f"  {f'{100 * self.confidence:g} % sure':>9}  first in  "
            title += _scale(len(self.items))
        lines = [title.rstrip()]
        for i in self.order_of(group)[:most]:
            line = f"{group.ranking[i]:5}  {_cut(self.items[i], width):{width}}"
            if group.errors is not None:
                line += f"  {group.scores[i]:>6.2f} ± {1.96 * group.errors[i]:4.2f}"
            if group.intervals is not None and group.first is not None:
                low, high = group.intervals[i].tolist()
                places = str(low) if low == high else f"{low} to {high}"
                line += f"  {places:>9}  {f'{100 * group.first[i]:.1f} %':>8}  "
                line += _track(low, high, int(group.ranking[i]), len(self.items))
            lines.append(line.rstrip())
        return [*lines, *self._left_out(most), "", *self.sentences(group)]

    def _side_by_side(self, most: int) -> list[str]:
        width = min(_NAME_WIDTH, max(4, *(len(item) for item in self.items)))
        cells = [_cut(group.group, 14) for group in self.groups]
        lines = [f"{'item':{width}}" + "".join(f"  {cell:>14}" for cell in cells)]
        for i in self.order()[:most]:
            line = f"{_cut(self.items[i], width):{width}}"
            for group in self.groups:
                cell = str(group.ranking[i])
                if group.intervals is not None:
                    low, high = group.intervals[i].tolist()
                    cell += f" ({low})" if low == high else f" ({low} to {high})"
                line += f"  {cell:>14}"
            lines.append(line)
        lines += [*self._left_out(most), ""]
        for group in self.groups:
            lines.append(f"{group.group} ({amount(group.n_people, 'person', 'people')}):")
            lines += [f"  {sentence}" for sentence in self.sentences(group)]
        return lines

    def _left_out(self, most: int) -> list[str]:
        more = len(self.items) - most
        return [f"… and {more:,} more (-n {len(self.items)} lists all)"] if more > 0 else []


def name_some(names: Sequence[str], most: int = 4) -> str:
    """Names in a sentence, the first few.

    >>> name_some(["uni"]), name_some(["uni", "ika"]), name_some(list("abcdefg"))
    ('uni', 'uni and ika', 'a, b, c, d and 3 more')
    """
    shown = list(names[:most])
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]


def percent(part: float, whole: float) -> str:
    """A share in words; a small share is not rounded to 0 %.

    >>> percent(1, 3), percent(1, 1000), percent(999, 1000), percent(0, 5)
    ('33 %', 'less than 1 %', 'more than 99 %', '0 %')
    """
    share = part / whole if whole else 0.0
    if 0 < share < 0.01:
        return "less than 1 %"
    if 0.99 < share < 1:
        return "more than 99 %"
    return f"{share:.0%}".replace("%", " %")


def agreement_sentence(agreement: Agreement) -> str:
    """How much people agree, in words.

    >>> agreement_sentence(Agreement(0.4, (0.3, 0.5)))
    "Agreement: Kendall's W 0.40 (0.30 to 0.50)."
    """
    if agreement.kendall_w is None:
        return "Agreement: no two items are compared."
    said = f"Agreement: Kendall's W {agreement.kendall_w:.2f}"
    if agreement.kendall_w_interval is not None:
        said += " ({:.2f} to {:.2f})".format(*agreement.kendall_w_interval)
    if agreement.p_value is not None:
        shown = "< 0.001" if agreement.p_value < 0.001 else f"= {agreement.p_value:.3f}"
        said += f"; if all orders were random, p {shown}"
    return said + "."


def _cut(name: str, width: int) -> str:
    return name if len(name) <= width else name[: width - 1] + "…"


def _column(place: int, n_items: int) -> int:
    """The column of a place on a line, from 0."""
    width = min(_LINE_WIDTH, n_items)
    return 0 if n_items == 1 else round((place - 1) * (width - 1) / (n_items - 1))


def _track(low: int, high: int, place: int, n_items: int) -> str:
    line = ["·"] * min(_LINE_WIDTH, n_items)
    for column in range(_column(low, n_items), _column(high, n_items) + 1):
        line[column] = "━"
    line[_column(place, n_items)] = "●"
    return "".join(line)


def _scale(n_items: int) -> str:
    width = min(_LINE_WIDTH, n_items)
    last = str(n_items)
    return "1" + last.rjust(width - 1) if width > len(last) else ""
