"""A way to read a table, and how much the values speak for it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy import sparse

from rankcut.errors import Setting, amount
from rankcut.files.options import TableOptions, as_option, described
from rankcut.files.tables import TableBlock
from rankcut.rankings.ranking_set import RankingSet, fitting_ranks
from rankcut.rankings.value import Unranked

Evidence = Literal[1, 2, 3]
"""How much the values of a table speak for a way to read it."""

# Nothing speaks against it, so it is offered, never taken; the values have its form, as others
# hardly would; they could not be anything else.
POSSIBLE: Evidence = 1
FITS: Evidence = 2
CERTAIN: Evidence = 3

# Of the rows of a table, at most this share may be odd, by mistakes of people.
MOST_ODD = 0.05

# Among so many rows, one more or less does not matter, and the others say what the last do.
MANY_ROWS = 20_000

# Two columns of 1 and 2 may be anything; so many items or more are told by permutations.
FEWEST_ITEMS = 3

# What Qualtrics writes as the status of rows that are no answers, in words or numbers.
_TRIALS = {"Survey Preview", "Survey Test", "Spam", "1", "2", "8", "9"}

OnRows = Callable[[TableBlock, TableOptions, bool], RankingSet]
"""Reads rows of a table, and columns beside the items as numbers where they are, or as text."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Way:
    """A way to read a table."""

    what: str  #: what the table is, as in "read as a Qualtrics rank-order question"
    #: Makes the rankings. The options are those of the user, about weights, counts and the like
    read: Callable[[TableOptions], RankingSet]
    evidence: Evidence
    named: bool = False  #: whether the header speaks for it, which only breaks ties
    settings: tuple[Setting, ...] = ()  #: the options by which a user asks for it
    question: str = ""  #: the name of the question or contest
    title: str = ""  #: the question in words
    noun: str = "ranking"  #: what a ranking is
    unranked: Unranked = "error"  #: what is meant by items that a ranking leaves out
    asked_ties: bool = True  #: whether tied items are said to be equal; False: nobody asked
    people: str | None = None  #: the column that says whose ranking a row is
    notes: tuple[str, ...] = ()  #: what else the user should know
    #: Reads any rows of the table, where each is a ranking
    on_rows: Callable[[TableBlock, TableOptions], RankingSet] | None = None
    items: tuple[str, ...] = ()  #: the columns of the items, where each row is a ranking
    open_direction: bool = False  #: whether nothing says if higher scores are better


def way_of_rows(block: TableBlock, on_rows: OnRows, items: Sequence[str], **more: Any) -> Way:
    """A way to read a table whose rows are rankings, so that any of them can be read alone."""
    return Way(
        read=lambda options: on_rows(block, options, True),
        on_rows=lambda rows, options: on_rows(rows, options, False),
        items=tuple(items),
        **more,
    )


def without_previews(block: TableBlock) -> tuple[TableBlock, tuple[str, ...]]:
    """A table of Qualtrics without rows that are no answers, and a note about them."""
    if block.tool != "Qualtrics" or "Status" not in block.names:
        return block, ()
    codes, texts = block.labels(block.names.index("Status"))
    tried = np.array([*(text in _TRIALS for text in texts), False])[codes]
    if not tried.any() or tried.all():
        return block, ()
    return block.some(~tried), (f"{amount(int(tried.sum()), 'preview')} left out",)


def by_columns(layout: str, columns: Sequence[int], block: TableBlock) -> tuple[Setting, ...]:
    """The options that read some columns in a layout."""
    return Setting("layout", layout), Setting("item_columns", as_option(columns, block.names))


def settings_of(options: dict[str, Any]) -> tuple[Setting, ...]:
    """Options as a message names them."""
    return tuple(Setting(name, value) for name, value in options.items() if value is not None)


def ranking_set(
    ranks: Any,
    items: Sequence[str],
    block: TableBlock,
    options: TableOptions,
    reading_columns: Sequence[int],
) -> RankingSet:
    """A rank matrix with a row for each row of a table, and what the table says beside it."""
    about = described(block, options, reading_columns)
    if sparse.issparse(ranks):
        ranks = fitting_ranks(ranks.sorted_indices())
    return RankingSet(ranks, tuple(items), **about)


def as_described(options: TableOptions, **settings: Any) -> TableOptions:
    """The options of a user, with what a reading found out in place of what it asks for."""
    return replace(options, question=None, where=(), missing=(), **settings)
