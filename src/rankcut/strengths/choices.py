"""Rankings as choices: what was at choice each time, and what was chosen.

A ranking is chosen from the top, group by group. What the kinds of rankings mean:

full
    each item is chosen from those that remain; the last one is no choice;
top-k (``unranked="last"``)
    unlisted items stay at choice and are never chosen. Items tied in the last group are the rest
    too: nobody chose among them;
incomplete (``unranked="anywhere"``)
    only the listed items were at choice; two listed items are a comparison of a pair.
"""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from rankcut._loops.choices import mark_wins
from rankcut._loops.tied_choices import BRESLOW, DAVIDSON, EFRON, EXACT
from rankcut._loops.types import Flags, Floats, Indices, ListedChoices, Longs
from rankcut.errors import InputError, Setting
from rankcut.parameters import MOST_HELD
from rankcut.rankings import Rankings

Ties: TypeAlias = Literal["auto", "davidson", "exact", "efron", "breslow"]
TIES: dict[str, int] = {
    "davidson": DAVIDSON,
    "exact": EXACT,
    "efron": EFRON,
    "breslow": BRESLOW,
}

# Ties of more items than this come from scales with few levels, such as ratings, more than from
# people who find items equal.
_LARGEST_TIE = 4


@dataclass(frozen=True, eq=False)
class Choices:
    """Choices from the top, ranking by ranking."""

    n_items: int
    starts: Longs  #: the items of ranking r are at ``starts[r]:starts[r + 1]``
    items: Indices  #: the listed items, best first
    joined: Flags  #: whether an item is tied with the one before it
    n_listed: Longs  #: how many of each ranking can be chosen; those after them are only at choice
    others: bool  #: whether unlisted items are at choice too, without being among ``items``
    orders: Longs  #: the sizes of the groups that are chosen: 1, and those of ties
    weights: Floats  #: how often each ranking counts
    clusters: Longs | None  #: whose ranking it is; None: each is someone else's
    counted: bool  #: whether weights count people
    asked_ties: bool  #: whether people said that tied items are equal

    @classmethod
    def of(cls, rankings: Rankings, sizes: Longs | None = None) -> "Choices":
        """The choices of rankings that count; those that list nothing leave none.

        ``sizes`` are sizes of groups that could have been chosen, beside those that were.
        """
        n_items = rankings.shape[1]
        others = rankings.unranked == "last"
        items, joined, lengths = [], [], []
        for _, block in rankings.listed_blocks():
            listed = block.n_ranked()
            if others and len(block):
                # Where all items are in a group, those of the last one are the rest.
                full = np.flatnonzero(listed == n_items)
                before = block.ends[full, np.maximum(block.n_groups[full] - 2, 0)]
                listed[full] = np.where(block.n_groups[full] > 1, before, 0)
            width = block.order.shape[1]
            kept = np.arange(width) < listed[:, None]
            ends = np.zeros((len(block), width + 1), dtype=bool)
            rows, groups = np.nonzero(np.arange(width) < block.n_groups[:, None])
            ends[rows, block.ends[rows, groups]] = True
            items.append(block.order[kept])
            joined.append((~ends[:, :width] & (np.arange(width) > 0))[kept])
            lengths.append(listed)
        found = np.concatenate(lengths) if lengths else np.zeros(0, dtype=np.int64)
        choices = cls(
            n_items,
            np.concatenate([[0], np.cumsum(found)]).astype(np.int64),
            np.concatenate(items) if items else np.zeros(0, dtype=np.uint32),
            np.concatenate(joined) if joined else np.zeros(0, dtype=bool),
            found.astype(np.int64),
            others,
            np.ones(1, dtype=np.int64),
            rankings.counts,
            rankings.people,
            rankings.counted,
            rankings.asked_ties,
        )
        known = np.ones(1, dtype=np.int64) if sizes is None else sizes
        tied = choices.joined.any() or len(known) > 1
        return choices._with_ties(known) if tied else choices

    @property
    def n_rankings(self) -> int:
        """Number of rankings."""
        return len(self.n_listed)

    @property
    def tied(self) -> bool:
        """Whether any two items are tied."""
        return len(self.orders) > 1

    @property
    def informative(self) -> Flags:
        """Which rankings count and hold a choice between two items or more."""
        least = 1 if self.others else 2
        return (self.weights > 0) & (np.diff(self.starts) >= least) & (self.n_listed > 0)

    def ties_meant(self, ties: Ties) -> Ties:
        """What "auto" stands for: Davidson's model, or Efron's for ties of many items.

        If nobody asked whether tied items are equal, it is the sum over their orders.
        """
        if ties != "auto":
            return ties
        if not self.asked_ties:
            return "exact"
        return "davidson" if self.orders[-1] <= _LARGEST_TIE else "efron"

    def part(self, rows: slice) -> ListedChoices:
        """The choices of some rankings, for loops."""
        starts = self.starts[rows.start : rows.stop + 1]
        entries = slice(int(starts[0]), int(starts[-1]))
        items, joined = self.items[entries], self.joined[entries]
        return ListedChoices(starts - starts[0], items, joined, self.n_listed[rows], self.others)

    def owners(self) -> Longs:
        """The ranking of each entry."""
        return np.repeat(np.arange(self.n_rankings), np.diff(self.starts))

    def _with_ties(self, known: Longs) -> "Choices":
        """The same with the sizes of ties, and the others as entries after the listed items."""
        begins = np.flatnonzero(~self.joined)
        sizes = np.diff(np.append(begins, len(self.joined)))
        orders = np.union1d(known, sizes).astype(np.int64)
        return replace(self, orders=orders).with_others_as_entries()

    def with_others_as_entries(self) -> "Choices":
        """The same with all that is at choice among ``items``: the others after the listed."""
        if not self.others:
            return self
        if self.n_rankings * self.n_items > MOST_HELD:
            kind = "lists with ties" if self.tied else "lists"
            raise InputError(
                f"{self.n_rankings:,} {kind} from {self.n_items:,} items are too many "
                "for strengths if unlisted items come last",
                remedy=["use ", Setting("unranked", "anywhere"), ", or break the ties" * self.tied],
            )
        listed = np.zeros((self.n_rankings, self.n_items), dtype=bool)
        listed[self.owners(), self.items] = True
        _, absent = np.nonzero(~listed)
        missing = self.n_items - self.n_listed
        starts = np.arange(self.n_rankings + 1) * self.n_items
        entries = np.empty(self.n_rankings * self.n_items, dtype=np.uint32)
        joined = np.zeros(len(entries), dtype=bool)
        own = np.repeat(starts[:-1], self.n_listed) + _count_up(self.n_listed)
        entries[own], joined[own] = self.items, self.joined
        after = np.repeat(starts[:-1] + self.n_listed, missing) + _count_up(missing)
        entries[after] = absent
        return replace(self, starts=starts, items=entries, joined=joined, others=False)

    def chosen_and_passed(self) -> Flags:
        """Which items were sometimes chosen, and sometimes at choice while others were chosen."""
        owners = self.owners()
        place, used = np.arange(len(self.items)) - self.starts[owners], self.informative[owners]
        chosen = used & (place < self.n_listed[owners])
        if not self.others:
            chosen &= place + 1 < np.diff(self.starts)[owners]
        wins, losses, listed = (
            np.bincount(self.items[own], minlength=self.n_items)
            for own in (chosen, used & (place > 0), used)
        )
        if self.others:
            losses = losses + (listed < self.informative.sum())
        return (wins > 0) & (losses > 0)

    def wins(self, *, ties_join: bool) -> Flags:
        """Whether item i was chosen before item j, for all pairs that a chain of wins needs.

        ``ties_join`` says whether a tie counts for both.
        """
        wins = np.zeros((self.n_items, self.n_items), dtype=bool)
        used = np.where(self.informative, self.n_listed, 0)
        every = self.part(slice(0, self.n_rankings))._replace(n_listed=used)
        mark_wins(every, ties_join, wins)
        return wins


def _count_up(lengths: Longs) -> Longs:
    """0, 1, … for each length, one after the other.

    >>> _count_up(np.array([2, 0, 3]))
    array([0, 1, 0, 1, 2])
    """
    ends = np.cumsum(lengths)
    return np.arange(int(lengths.sum())) - np.repeat(ends - lengths, lengths)
