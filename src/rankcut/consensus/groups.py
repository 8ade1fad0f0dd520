"""The consensus of each of several groups, side by side."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rankcut.consensus.figure import compared_places, consensus_picture
from rankcut.consensus.result import NAME_WIDTH, ConsensusResult, beyond
from rankcut.errors import InputError, amount
from rankcut.pictures.page import Html, tag
from rankcut.pictures.scene import Picture
from rankcut.pictures.theme import shorten
from rankcut.results import Result, Table


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
        return consensus_picture(self.groups, self.order())

    def lines(self, most: int = 20) -> list[str]:
        """Text for a terminal, with the first ``most`` items."""
        items = self.items
        width = min(NAME_WIDTH, max(4, *map(len, items)))
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
        lines += [*beyond(len(items), most), ""]
        for title, group in self._titled():
            lines += [f"{title}:", *(f"  {sentence}" for sentence in group.sentences())]
        return lines

    def body(self) -> Iterator[Html]:
        """The places of each item in each group, then each group by itself."""
        yield from compared_places(self.groups, self.order())
        for title, group in self._titled():
            yield tag("h2", title)
            yield from group.body()
