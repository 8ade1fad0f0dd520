"""What a consensus says, or those of several groups: sentences, tables, a picture and a page."""

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from rankcut._loops.types import Flags, Floats
from rankcut.consensus.agreement import Agreement
from rankcut.consensus.pairs import Comparisons
from rankcut.errors import InputError, amount
from rankcut.parameters import MOST_LISTED
from rankcut.pictures.page import Html, show_picture, tag
from rankcut.pictures.scene import Picture
from rankcut.pictures.theme import shorten
from rankcut.results import Result, Table
from rankcut.results.result import NAME_LETTERS
from rankcut.results.words import name_some

# Characters of the line of places: rows have up to 98 in all.
_LINE_WIDTH = 24

# Pairs are rows of a table up to this many items: 4,950 rows.
_MOST_IN_PAIRS = 100


class ConsensusResult(Result):
    """One ranking from many, and how sure each place is.

    Tables: ``places``, a row for each item; ``pairs``, a row for each pair that people compare, of
    up to 100 items.
    """

    method_: str
    confidence: float
    ranking_: NDArray[np.int64]
    scores_: Floats
    rank_intervals_: NDArray[np.int64] | None
    winner_shares_: Floats | None
    clear_: Flags | None
    tiers_: list[list[Hashable]] | None
    agreement_: Agreement
    optimal_: bool
    errors_: Floats | None
    n_people_: int
    n_effective_: float
    n_features_in_: int
    _items: tuple[Hashable, ...] | None

    @property
    @abstractmethod
    def notes_(self) -> list[str]:
        """What a reader of the result should know, in sentences."""

    @property
    @abstractmethod
    def mean_ranks_(self) -> Floats | None:
        """The mean rank of each item."""

    @property
    @abstractmethod
    def comparisons_(self) -> Comparisons | None:
        """What people say about each pair of items."""

    @property
    @abstractmethod
    def pairwise_winner_(self) -> Hashable | None:
        """The item that beats every other one by a majority, if there is one."""

    @property
    @abstractmethod
    def best_orders_(self) -> list[list[Hashable]]:
        """By Kemeny's method, the orders that agree most with all comparisons."""

    @property
    @abstractmethod
    def cycle_(self) -> list[Hashable]:
        """A shortest cycle of items each of which beats the next, or empty."""

    @property
    def labels_of_items(self) -> list[str]:
        """The items as text."""
        return [*map(str, range(self.n_features_in_) if self._items is None else self._items)]

    @property
    def reach(self) -> float:
        """Standard errors on either side of a strength that make its interval, by itself."""
        return float(ndtri(0.5 + self.confidence / 2))

    def order(self) -> list[int]:
        """The items by place, the best first."""
        return [int(i) for i in np.lexsort((-self.scores_, self.ranking_))]

    def leaders(self) -> str:
        """Who comes first, and how sure that is."""
        items, sure = self.labels_of_items, f"({100 * self.confidence:g} % sure)"
        top = [items[i] for i in np.flatnonzero(self.ranking_ == 1).tolist()]
        first = name_some(top) + (" comes first" if len(top) == 1 else " share the first place")
        if self.rank_intervals_ is None or len(items) == 1:
            return f"{first}."
        possible = [items[i] for i in np.flatnonzero(self.rank_intervals_[:, 0] == 1).tolist()]
        if 2 * len(possible) > len(items):
            which = "all" if len(possible) == len(items) else f"{len(possible)} of"
            return f"No clear winner: {which} {len(items)} items could be first {sure}."
        if len(possible) == 1:
            return f"{first} {sure}."
        others = [name for name in possible if name not in top]
        too = (
            f"{name_some(others)} could be first, too, but no other" if others else "no other could"
        )
        return f"{first}; {too} {sure}."

    def sentences(self) -> list[str]:
        """Who comes first, what a reader should know, and how much people agree."""
        return [self.leaders(), *self.remarks()]

    def remarks(self) -> list[str]:
        """The notes, and how much people agree."""
        remarks = list(self.notes_)
        if self.errors_ is not None:
            remarks.append(
                "Strengths are by the Plackett–Luce model, ± half of a "
                f"{100 * self.confidence:g} % interval: exp(a − b) are the odds that one item is "
                "chosen rather than the other."
            )
            remarks.extend(self._tiers_in_words())
        return [*remarks, self.agreement_.sentence()]

    def _tiers_in_words(self) -> list[str]:
        """Which items are not clearly different, and how many pairs are."""
        if self.tiers_ is None or self.clear_ is None or self.n_features_in_ < 2:
            return []
        names = [name_some([str(item) for item in tier]) for tier in self.tiers_]
        n_pairs = self.n_features_in_ * (self.n_features_in_ - 1) // 2
        clear = f"{int(self.clear_.sum()):,} of {amount(n_pairs, 'pair')} are clearly different"
        if len(names) > MOST_LISTED:
            names[MOST_LISTED:] = [f"{len(names) - MOST_LISTED} more"]
        return [f"Tiers: {'; '.join(names)}. {clear}."]

    def tables(self) -> dict[str, Table]:
        """The places, and the pairs."""
        return {"places": Table(self.place_columns()), **self._pairs_table()}

    def place_columns(self) -> dict[str, list[Any]]:
        """A row for each item, by place."""
        order, items = self.order(), self.labels_of_items
        columns: dict[str, list[Any]] = {
            "place": self.ranking_[order].tolist(),
            "item": [items[i] for i in order],
        }
        if self.rank_intervals_ is not None:
            columns["best"], columns["worst"] = self.rank_intervals_[order].T.tolist()
        numbers = {
            "first": (self.winner_shares_, 6),
            "score": (self.scores_, 9),
            "mean_rank": (self.mean_ranks_, 6),
            "error": (self.errors_, 9),
        }
        for name, (values, digits) in numbers.items():
            if values is not None:
                columns[name] = [round(value, digits) for value in values[order].tolist()]
        return columns

    def _pairs_table(self) -> dict[str, Table]:
        pairs = self.comparisons_
        if pairs is None or not 1 < self.n_features_in_ <= _MOST_IN_PAIRS:
            return {}
        order, items = self.order(), self.labels_of_items
        shares, counts, clear = pairs.shares(), pairs.counts(), pairs.clear()
        rows = [(i, j) for place, i in enumerate(order) for j in order[place + 1 :] if counts[i, j]]
        columns = {
            "item": [items[i] for i, _ in rows],
            "other": [items[j] for _, j in rows],
            "share": [round(float(shares[pair]), 6) for pair in rows],
            "people": [round(float(counts[pair]), 6) for pair in rows],
            "clear": [bool(clear[pair]) for pair in rows],
        }
        return {"pairs": Table(columns)}

    def facts(self) -> dict[str, Any]:
        """What no table has."""
        return {
            "method": self.method_,
            "confidence": self.confidence,
            "people": self.n_people_,
            "effective_people": self.n_effective_,
            "kendall_w": self.agreement_.kendall_w,
            "kendall_w_interval": self.agreement_.kendall_w_interval,
            "p_value": self.agreement_.p_value,
            "pairwise_winner": self.pairwise_winner_,
            "cycle": self.cycle_,
            "optimal": self.optimal_,
            "best_orders": self.best_orders_,
            "tiers": self.tiers_,
        }

    def picture(self, *, joined: bool = False) -> Picture:
        """A dot for each place and a line for the places that are possible.

        With ``joined``, mean ranks on a line, joined where they are not clearly different.
        """
        from rankcut.consensus.figure import consensus_picture, leaderboard

        return leaderboard(self) if joined else consensus_picture({"": self})

    def lines(self, most: int = 20) -> list[str]:
        """Text for a terminal, with the first ``most`` items."""
        items = self.labels_of_items
        width = min(NAME_LETTERS, max(4, *map(len, items)))
        title = f"place  {'item':{width}}"
        if self.errors_ is not None:
            title += f"  {'strength':>13}"
        if self.rank_intervals_ is not None:
            title += f"  {f'{100 * self.confidence:g} % sure':>9}  first in  "
            title += _scale(len(items))
        lines = [title.rstrip()]
        for i in self.order()[:most]:
            line = f"{self.ranking_[i]:5}  {shorten(items[i], width):{width}}"
            if self.errors_ is not None:
                line += f"  {self.scores_[i]:>6.2f} ± {self.reach * self.errors_[i]:4.2f}"
            if self.rank_intervals_ is not None and self.winner_shares_ is not None:
                low, high = self.rank_intervals_[i].tolist()
                places = str(low) if low == high else f"{low} to {high}"
                line += f"  {places:>9}  {f'{100 * self.winner_shares_[i]:.1f} %':>8}  "
                line += _track(low, high, int(self.ranking_[i]), len(items))
            lines.append(line.rstrip())
        return [*lines, *_beyond(len(items), most), "", *self.sentences()]

    def body(self) -> Iterator[Html]:
        """Places with intervals, what is clearly different, pairs, and an explanation in words."""
        from rankcut.consensus.figure import about_places, leaderboard, places_table, show_pairs

        people = amount(self.n_people_, "person", "people")
        sizes = f"{people}, {amount(self.n_features_in_, 'item')}"
        yield tag("p", f"{sizes}, method: {self.method_}.")
        yield tag("p", " ".join(self.sentences()))
        yield places_table(self)
        yield tag("p", about_places(self), kind="soft")
        if self.clear_ is not None and self.mean_ranks_ is not None:
            yield tag("h2", "What is clearly different")
            yield from show_picture(leaderboard(self))
        if self.comparisons_ is not None:
            shares = self.comparisons_.shares()
            yield from show_pairs(shares, self.labels_of_items, self.order())


class GroupedConsensus(Result):
    """The consensus of each group about the same items.

    The table ``places`` has a row for each group and item.

    Parameters
    ----------
    groups : mapping of str to fitted Consensus
        By the names of the groups.

    Examples
    --------
    >>> from rankcut import Consensus, make_mallows
    >>> votes = make_mallows(50, 3, phi=0.3, random_state=0).ranks
    >>> both = GroupedConsensus({"Ayr": Consensus().fit(votes), "Bude": Consensus().fit(4 - votes)})
    >>> both.sentences()[:2]
    ['Ayr (50 people): 0 comes first (95 % sure).', 'Bude (50 people): 2 comes first (95 % sure).']
    """

    def __init__(self, groups: Mapping[str, ConsensusResult]) -> None:
        if not groups:
            raise InputError("holds no consensus", parameter="consensus")
        self.groups = dict(groups)

    @property
    def items(self) -> list[str]:
        """The items as text."""
        return next(iter(self.groups.values())).labels_of_items

    def order(self) -> list[int]:
        """The items by place, on average over groups."""
        places = np.mean([group.ranking_ for group in self.groups.values()], axis=0)
        scores = np.sum([group.scores_ for group in self.groups.values()], axis=0)
        return [int(i) for i in np.lexsort((np.arange(len(places)), -scores, places))]

    def sentences(self) -> list[str]:
        """Who comes first in each group."""
        return [f"{title}: {group.leaders()}" for title, group in self._titled()]

    def _titled(self) -> Iterator[tuple[str, ConsensusResult]]:
        for name, group in self.groups.items():
            yield f"{name} ({amount(group.n_people_, 'person', 'people')})", group

    def tables(self) -> dict[str, Table]:
        """The places of each item in each group."""
        parts = {name: group.place_columns() for name, group in self.groups.items()}
        columns: dict[str, list[Any]] = {"group": []}
        for name, part in parts.items():
            columns["group"] += [name] * len(part["item"])
        for title in next(iter(parts.values())):
            if all(title in part for part in parts.values()):
                columns[title] = [value for part in parts.values() for value in part[title]]
        return {"places": Table(columns)}

    def facts(self) -> dict[str, Any]:
        """What no table has, of each group."""
        return {"groups": {name: group.facts() for name, group in self.groups.items()}}

    def picture(self, *, joined: bool = False) -> Picture:
        """A dot for each place and a line for the places that are possible, by group."""
        if joined:
            raise InputError(
                "joins the items of one consensus, and there are several", parameter="joined"
            )
        from rankcut.consensus.figure import consensus_picture

        return consensus_picture(self.groups, self.order())

    def lines(self, most: int = 20) -> list[str]:
        """Text for a terminal, with the first ``most`` items."""
        items = self.items
        width = min(NAME_LETTERS, max(4, *map(len, items)))
        heads = "".join(f"  {shorten(name, 14):>14}" for name in self.groups)
        lines = [f"{'item':{width}}{heads}"]
        for i in self.order()[:most]:
            line = f"{shorten(items[i], width):{width}}"
            for group in self.groups.values():
                cell = str(group.ranking_[i])
                if group.rank_intervals_ is not None:
                    low, high = group.rank_intervals_[i].tolist()
                    cell += f" ({low})" if low == high else f" ({low} to {high})"
                line += f"  {cell:>14}"
            lines.append(line)
        lines += [*_beyond(len(items), most), ""]
        for title, group in self._titled():
            lines += [f"{title}:", *(f"  {sentence}" for sentence in group.sentences())]
        return lines

    def body(self) -> Iterator[Html]:
        """The places of each item in each group, then each group by itself."""
        from rankcut.consensus.figure import compared_places

        yield from compared_places(self.groups, self.order())
        for title, group in self._titled():
            yield tag("h2", title)
            yield from group.body()


def _beyond(n_items: int, most: int) -> list[str]:
    """A line about the items that are not listed."""
    return [f"… and {n_items - most:,} more (-n {n_items} lists all)"] if n_items > most else []


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
