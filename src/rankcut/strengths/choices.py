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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.choices import mark_wins
from rankcut._loops.tied_choices import ALL_ORDERS, BRESLOW, DAVIDSON, EFRON, HALF, LARGEST_HALVED
from rankcut._loops.types import Flags, Floats, Indices, ListedChoices, Longs
from rankcut.errors import InputError, Setting
from rankcut.parameters import MOST_HELD
from rankcut.rankings import Rankings
from rankcut.vocabulary import Ties as Ties

TIES: dict[str, int] = {
    "davidson": DAVIDSON,
    "exact": ALL_ORDERS,
    "efron": EFRON,
    "breslow": BRESLOW,
    "half": HALF,
}

# The step of the generator splitmix64 (Steele, Lea and Flood 2014), whose other two are in _mixed.
_MIXED = np.uint64(0x9E3779B97F4A7C15)

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
            is_listed = np.arange(width) < listed[:, None]
            ends = np.zeros((len(block), width + 1), dtype=bool)
            rows, groups = np.nonzero(np.arange(width) < block.n_groups[:, None])
            ends[rows, block.ends[rows, groups]] = True
            items.append(block.order[is_listed])
            joined.append((~ends[:, :width] & (np.arange(width) > 0))[is_listed])
            lengths.append(listed)
        n_listed = np.concatenate(lengths) if lengths else np.zeros(0, dtype=np.int64)
        choices = cls(
            n_items,
            np.concatenate([[0], np.cumsum(n_listed)]).astype(np.int64),
            np.concatenate(items) if items else np.zeros(0, dtype=np.uint32),
            np.concatenate(joined) if joined else np.zeros(0, dtype=bool),
            n_listed.astype(np.int64),
            others,
            np.ones(1, dtype=np.int64),
            rankings.counts,
            rankings.people,
            rankings.counted,
            rankings.asked_ties,
        )
        group_sizes = np.ones(1, dtype=np.int64) if sizes is None else sizes
        tied = choices.joined.any() or len(group_sizes) > 1
        return choices._with_ties(group_sizes) if tied else choices

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
        if ties == "half" and self.orders[-1] > LARGEST_HALVED:
            raise InputError(
                f"{self.orders[-1]} items are tied in a ranking, too many to share wins",
                remedy=["use ", Setting("ties", "efron")],
            )
        if ties != "auto":
            return ties
        if not self.asked_ties:
            return "exact"
        return "davidson" if self.orders[-1] <= _LARGEST_TIE else "efron"

    def merged(self, *beside: NDArray[Any]) -> "MergedChoices":
        """Each different ranking once, with the sum of its weights.

        ``beside`` has a number, or some, for each entry, which differ in different rankings.
        Rankings that are merged are nobody's in particular. Their order depends on contents alone.
        """
        lengths = np.diff(self.starts)
        values = [self.items, self.joined, *(np.asarray(each) for each in beside)]
        codes = [v if v.dtype.kind in "bu" else v.view(np.uint64) for v in values if v.size]
        place = (count_up(lengths) + 1).astype(np.uint64) * _MIXED
        keys = np.zeros(len(self.items), dtype=np.uint64)
        for column in (c for code in codes for c in code.reshape(len(keys), -1).T):
            keys = _mixed(keys ^ column.astype(np.uint64)) + _MIXED
        # Rankings without entries are not added up by reduceat.
        sums = np.zeros(len(keys) + 1, dtype=np.uint64)
        np.cumsum(_mixed(keys + place), out=sums[1:])
        rows = _mixed(
            sums[self.starts[1:]] - sums[self.starts[:-1]] + self.n_listed.astype(np.uint64)
        )
        _, first, which = np.unique(rows, return_index=True, return_inverse=True)
        entries = self.entries_of(first)
        if len(first) < len(which):
            # Rows of one key that differ, if there ever are any, leave all rows as they are.
            all_entries = self.entries_of(np.arange(self.n_rankings))
            like = self.entries_of(first[which])
            if not np.array_equal(lengths, lengths[first[which]]) or not all(
                np.array_equal(v[all_entries], v[like]) for v in values
            ):
                return MergedChoices(self, np.arange(self.n_rankings), all_entries)
        weights = np.bincount(which, self.weights, len(first)).astype(np.float64)
        distinct = replace(self.some(first), weights=weights, clusters=None)
        return MergedChoices(distinct, which, entries)

    def some(self, rows: Longs) -> "Choices":
        """Some rankings, by their numbers, which may repeat."""
        entries = self.entries_of(rows)
        return replace(
            self,
            starts=np.append(0, np.cumsum(np.diff(self.starts)[rows])),
            items=self.items[entries],
            joined=self.joined[entries],
            n_listed=self.n_listed[rows],
            weights=self.weights[rows],
            clusters=None if self.clusters is None else self.clusters[rows],
        )

    def entries_of(self, rows: Longs) -> Longs:
        """The entries of some rankings, one after the other."""
        lengths = np.diff(self.starts)[rows]
        return np.asarray(np.repeat(self.starts[rows], lengths) + count_up(lengths))

    def part(self, rows: slice) -> ListedChoices:
        """The choices of some rankings, for loops."""
        starts, entries = self.starts[rows.start : rows.stop + 1], self.entries(rows)
        items, joined = self.items[entries], self.joined[entries]
        return ListedChoices(starts - starts[0], items, joined, self.n_listed[rows], self.others)

    def entries(self, rows: slice) -> slice:
        """Where the entries of some rankings are."""
        return slice(int(self.starts[rows.start]), int(self.starts[rows.stop]))

    def owners(self) -> Longs:
        """The ranking of each entry."""
        return np.repeat(np.arange(self.n_rankings), np.diff(self.starts))

    def _with_ties(self, more_sizes: Longs) -> "Choices":
        """These choices with the sizes of ties, and the others as entries after the listed."""
        begins = np.flatnonzero(~self.joined)
        sizes = np.diff(np.append(begins, len(self.joined)))
        orders = np.union1d(more_sizes, sizes).astype(np.int64)
        return replace(self, orders=orders).with_others_as_entries()

    def with_others_as_entries(self) -> "Choices":
        """These choices with all that is at choice among ``items``: the others after the listed."""
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
        listed_at = np.repeat(starts[:-1], self.n_listed) + count_up(self.n_listed)
        entries[listed_at], joined[listed_at] = self.items, self.joined
        after = np.repeat(starts[:-1] + self.n_listed, missing) + count_up(missing)
        entries[after] = absent
        return replace(self, starts=starts, items=entries, joined=joined, others=False)

    def chosen_and_passed(self) -> Flags:
        """Which items were sometimes chosen, and sometimes at choice while others were chosen."""
        owners = self.owners()
        place = np.arange(len(self.items)) - self.starts[owners]
        informative = self.informative[owners]
        won = informative & (place < self.n_listed[owners])
        if not self.others:
            won &= place + 1 < np.diff(self.starts)[owners]
        wins, losses, listed = (
            np.bincount(self.items[entries], minlength=self.n_items)
            for entries in (won, informative & (place > 0), informative)
        )
        if self.others:
            losses = losses + (listed < self.informative.sum())
        return (wins > 0) & (losses > 0)

    def wins(self, *, ties_join: bool) -> Flags:
        """Whether item i was chosen before item j, for all pairs that a chain of wins needs.

        ``ties_join`` says whether a tie counts for both.
        """
        wins = np.zeros((self.n_items, self.n_items), dtype=bool)
        n_listed = np.where(self.informative, self.n_listed, 0)
        every = self.part(slice(0, self.n_rankings))._replace(n_listed=n_listed)
        mark_wins(every, ties_join, wins)
        return wins


class MergedChoices(NamedTuple):
    """Different rankings, and where they come from."""

    choices: Choices
    which: Longs  #: which of them each row was
    entries: Longs  #: the entry that each of theirs was


def _mixed(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers that look random, different ones for different keys (splitmix64)."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(keys ^ (keys >> np.uint64(31)))


def count_up(lengths: Longs) -> Longs:
    """0, 1, … for each length, one after the other.

    >>> count_up(np.array([2, 0, 3]))
    array([0, 1, 0, 1, 2])
    """
    ends = np.cumsum(lengths)
    return np.arange(int(lengths.sum())) - np.repeat(ends - lengths, lengths)
