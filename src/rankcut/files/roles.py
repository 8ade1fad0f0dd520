"""What each column of a table is: which ranking, how many, an item, or something known of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import RankingFileError
from rankcut.files.blocks import Block, positions

Layout: TypeAlias = Literal["wide", "ratings", "long", "ballots"]

RANKING, COUNT = "ranking", "count"

# How the columns of ballots are called: "Choice 1", "rank_2", "3rd preference".
_PLACE = re.compile(
    r"(?i)(?:choice|rank|pref|preference|place|position)\W?_?(\d+)|(\d+)(?:st|nd|rd|th)\b"
)


@dataclass(frozen=True)
class TableOptions:
    """How to read a table; columns are given by name, or by number from 1.

    Parameters
    ----------
    layout : {"wide", "ratings", "long", "ballots"} or None
        None is long for a table with columns item and rank or score, and wide otherwise.
    ranking : str or sequence of str or None
        The column, or columns, that name the ranking; None is ``ranking`` if there is one.
        Several are joined, and each is kept as something known of the ranking as well.
    count : str or None
        The column with the counts; None is ``count`` if there is one.
    items : str or sequence of str or None
        The columns of the items (wide, ratings) or places (ballots); None is all that are left
        and hold numbers (wide, ratings) or text (ballots).
    columns : str or sequence of str or None
        Columns that are no items although they hold numbers. All that are neither items nor
        named above are kept as what is known of each ranking.
    item, rank, score : str or None
        The columns of a long table; None is the one of that name. A score makes ratings of it.
    higher_is_better : bool
        Whether the highest score is the best.
    repeats : {"error", "first", "last"}
        What to do when a long table mentions an item of a ranking again: that is an error, or
        the first or the last mention counts.
    where : sequence of str
        Conditions, ``"column=value"`` or ``"column!=value"``, that a row must meet to be read.
    sparse : bool or None
        Ranks as a CSR array or as a dense one; None makes them dense unless too empty.
    """

    layout: Layout | None = None
    ranking: str | Sequence[str] | None = None
    count: str | None = None
    items: str | Sequence[str] | None = None
    columns: str | Sequence[str] | None = None
    item: str | None = None
    rank: str | None = None
    score: str | None = None
    higher_is_better: bool = True
    repeats: Literal["error", "first", "last"] = "error"
    where: Sequence[str] = ()
    sparse: bool | None = None

    def fitting(self, names: Sequence[str]) -> Layout:
        """The layout asked for, or else the one that the columns suggest."""
        if self.layout is not None:
            return self.layout
        long = (self.item or "item") in names and any(
            (given or usual) in names
            for given, usual in ((self.rank, "rank"), (self.score, "score"))
        )
        return "long" if long or self.item is not None else "wide"


@dataclass(frozen=True)
class Roles:
    """What each column is, by its place."""

    ranking: list[int]
    count: int | None
    items: list[int]
    columns: list[int]


def roles_of(block: Block, options: TableOptions, used: Sequence[int] = ()) -> Roles:
    """Sort the columns by what they are; ``used`` are those of a long table."""
    names, source = block.names, block.source
    ranking = _named(options.ranking, RANKING, names, source)
    counts = _named(options.count, COUNT, names, source)
    taken = {*ranking, *counts, *used}
    known = [] if options.columns is None else positions(options.columns, names, source)
    ballots = options.fitting(names) == "ballots"
    places = _places(names) if ballots else []
    items: list[int] = []
    if options.items is not None and not used:
        items = [i for i in positions(options.items, names, source) if i not in taken]
    elif not used:
        left = places or [i for i in range(len(names)) if ballots or block.is_numeric(i)]
        items = [i for i in left if i not in taken and i not in known]
        if not ballots:
            _check_named_once(items, block)
            for i in sorted({*range(len(names))} - {*items, *taken, *known}):
                block.check_not_mistyped(i)
    if not items and not used:
        raise RankingFileError(
            "no column holds numbers alone, so none is an item; name the columns of the items "
            "(items=, or --item-columns), or the layout if it is not wide (layout=, or --layout)",
            source,
            int(block.lines[0]),
        )
    # One column that names the ranking is its id; several also say something of it.
    used_up = taken if len(ranking) == 1 else taken - {*ranking}
    rest = [i for i in range(len(names)) if i not in used_up and i not in items]
    return Roles(ranking, counts[0] if counts else None, items, rest)


def _check_named_once(items: Sequence[int], block: Block) -> None:
    """Refuse two columns of one item, of which one must be a mistake."""
    for again, first in block.repeats.items():
        if again in items and first in items:
            raise RankingFileError(
                f"item {block.names[first]!r} has two columns, {first + 1} and {again + 1}; rename "
                "one, or choose the columns of the items by number (items=, or --item-columns)",
                block.source,
                int(block.lines[0]),
            )


def _places(names: Sequence[str]) -> list[int]:
    """The columns called like places, by their numbers unless two have the same."""
    found = {i: match for i, name in enumerate(names) if (match := _PLACE.search(name))}
    # As a float, since a number of any length is one.
    numbers = {i: float(match[1] or match[2]) for i, match in found.items()}
    distinct = len({*numbers.values()}) == len(numbers)
    return sorted(numbers, key=numbers.__getitem__) if distinct else list(numbers)


def _named(
    chosen: str | Sequence[str] | None, usual: str, names: Sequence[str], source: str
) -> list[int]:
    if chosen is not None:
        return positions(chosen, names, source)
    return [list(names).index(usual)] if usual in names else []


def one_column(chosen: str | None, usual: str, names: Sequence[str], source: str) -> int:
    """The place of a column that a long table must have."""
    places = _named(chosen, usual, names, source)
    if len(places) != 1:
        raise RankingFileError(
            f"a long table needs a column with the {usual} of each line; name it ({usual}=, or "
            f"--{usual})",
            source,
        )
    return places[0]


def counts_of(block: Block, roles: Roles) -> NDArray[np.int64] | None:
    """How many rankings each row stands for, if the table says."""
    if roles.count is None:
        return None
    values = block.numbers(roles.count, "the count")
    good = (values >= 1) & (values <= 1e15) & (values == np.round(values))
    if not good.all():
        block.refuse(int(np.argmin(good)), roles.count, "a count is a whole number from 1 up")
    return values.astype(np.int64)


def ids_of(block: Block, roles: Roles) -> tuple[Any, ...] | None:
    """The rankings' names, those in several columns joined, if the table has them."""
    if not roles.ranking:
        return None
    parts = [block.objects(i).tolist() for i in roles.ranking]
    for place, values in zip(roles.ranking, parts, strict=True):
        if None in values:
            block.refuse(values.index(None), place, "each row needs the name of its ranking")
    if len(parts) == 1:
        return tuple(plain(value) for value in parts[0])
    return tuple(" ".join(str(plain(value)) for value in row) for row in zip(*parts, strict=True))


def plain(value: Any) -> Any:
    """A label as a user would write it: 7.0 is the ranking 7."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value.strip() if isinstance(value, str) else value
