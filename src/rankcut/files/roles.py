"""What each column of a table is: the ranking's name, its count, an item, or a description."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import InputError, RankingFileError, Setting, Text
from rankcut.files.guessing import (
    as_option,
    check_numbers,
    layout_of_text,
    pass_check,
    places_of_ballots,
    rankings_in_text,
    some_of,
)
from rankcut.files.tables import Layout, TableBlock, shown
from rankcut.parameters import EXACT
from rankcut.rankings.ratings import Scale, read_scale
from rankcut.rankings.value import Unranked

RANKING, COUNT = "ranking", "count"

# Names of items are shortened, if asked, at one of these.
_BREAK = re.compile(r"[^\w]+")


@dataclass(frozen=True)
class TableOptions:
    """How to read a table; columns are given by name, or by number from 1.

    Parameters
    ----------
    layout : {"wide", "ratings", "long", "ballots", "orders"} or None
        None is what the table says itself: long for a table with columns item and rank or score,
        orders for one with a column order, ballots for text in columns such as choice 1, and wide
        otherwise.
    ranking : str or sequence of str or None
        The column, or columns, that name the ranking; None is ``ranking`` if there is one.
        Several are joined, and each is also kept as a column that describes the ranking.
    count, weight : str or None
        The column with the counts, and the one with weights, which need not be whole; None is
        ``count`` if there is one, and no weights.
    question : str or None
        Which question of a survey, or contest of an election, if the table has several.
    missing : str or sequence of str
        Cells that stand for no answer, such as ``"99"``, besides empty ones, NA and the like.
    item_columns : str or sequence of str or None
        The columns of the items (wide, ratings) or places (ballots); None is what the table says
        itself, or else all that are left and hold numbers (wide, ratings) or text (ballots).
    columns : str or sequence of str or None
        Columns that are not items although they hold numbers. All that are neither items nor
        named above are kept as columns that describe the rankings.
    known_items : sequence of str or None
        The items of a model. A table with a column for each has these items and no others.
    item, rank, score : str or None
        The columns of a long table; None is the one of that name. A score makes ratings of it.
    order : str or None
        The column with orders such as ``Ann > Bob = Cy``; None is the one of that name.
    higher_is_better : bool or None
        Whether the highest score is the best. None: yes, but a table of scores that nobody
        described is refused.
    scale : str or sequence or None
        Ratings in words, from best to worst, as in ``"good > fair = ok > bad"``.
    shorten : bool
        Leave out what the names of all items begin and end with.
    repeats : {"error", "first", "last", "end"} or None
        What to do when a ranking mentions an item again: that is an error, the first or the last
        mention counts, or a ballot ends there. None: the first mention on a ballot,
        an error elsewhere.
    where : sequence of str
        Conditions, ``"column=value"`` or ``"column!=value"``, that a row must meet to be read.
    """

    layout: Layout | None = None
    ranking: str | Sequence[str] | None = None
    count: str | None = None
    weight: str | None = None
    question: str | None = None
    missing: str | Sequence[str] = ()
    item_columns: str | Sequence[str] | None = None
    columns: str | Sequence[str] | None = None
    known_items: Sequence[str] | None = None
    item: str | None = None
    rank: str | None = None
    score: str | None = None
    order: str | None = None
    higher_is_better: bool | None = None
    scale: Scale | None = None
    shorten: bool = False
    repeats: Literal["error", "first", "last", "end"] | None = None
    where: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.layout is not None and self.layout not in get_args(Layout):
            raise InputError(
                f"must be one of {', '.join(get_args(Layout))}; got {self.layout!r}",
                parameter="layout",
            )
        self.levels()

    @property
    def say_what_it_is(self) -> bool:
        """Whether they say how to read the table, so that nobody needs to guess."""
        told = (self.layout, self.item_columns, self.item, self.rank, self.score, self.order)
        return any(option is not None for option in (*told, self.scale))

    def fitting(self, block: TableBlock) -> Layout:
        """The layout asked for, or else the one that the table says or its columns suggest."""
        if self.layout is not None:
            return self.layout
        if self.order is not None:
            return "orders"
        if block.marked is not None:
            return "wide"
        long = (self.item or "item") in block.names and any(
            (given or usual) in block.names
            for given, usual in ((self.rank, "rank"), (self.score, "score"))
        )
        if long or self.item is not None:
            return "long"
        if self.scale is not None:
            return "ratings"
        if self.item_columns is not None:
            return "wide"
        ranking = self.ranking or RANKING
        named = {ranking} if isinstance(ranking, str) else {*ranking}
        return layout_of_text(block, named | {self.count or COUNT})

    def levels(self) -> dict[str, float] | None:
        """The level of each word of the scale, if there is one."""
        return None if self.scale is None else read_scale(self.scale)


@dataclass(frozen=True, eq=False)
class Guess:
    """A way to read a table that nobody described."""

    what: str  #: what it is, as in "read as a Qualtrics rank-order question"
    block: TableBlock  #: the table in a form that a layout has
    options: dict[str, Any]  #: what reads it so
    question: str = ""  #: the name of the question or contest
    title: str = ""  #: the question in words
    noun: str = "respondent"  #: what a ranking is
    unranked: Unranked = "error"  #: what is meant by items that a ranking leaves out
    asked_ties: bool = True  #: whether tied items are said to be equal; False: nobody asked
    people: str | None = None  #: the column that says whose ranking a row is
    said: tuple[str, ...] = ()  #: what else the user should know
    by_hand: Sequence[Setting] = ()  #: the options with which the user can ask for it


def told_columns(layout: Layout, columns: Sequence[int], block: TableBlock) -> dict[str, Any]:
    """Of a guess that reads some columns in a layout: its options, and the same by hand."""
    names = [block.names[i] for i in columns]
    by_hand = (Setting("layout", layout), Setting("item_columns", as_option(columns, block.names)))
    return {"options": {"layout": layout, "item_columns": names}, "by_hand": by_hand}


@dataclass(frozen=True)
class Roles:
    """What each column is, by its place."""

    ranking: list[int]
    count: int | None
    weight: int | None
    items: list[int]
    columns: list[int]
    labels: tuple[str, ...]  #: of the items


def roles_of(block: TableBlock, options: TableOptions, used: Sequence[int] = ()) -> Roles:
    """Sort the columns by what they are; ``used`` are those of a long table or of orders."""
    names, source = block.names, block.source
    ranking = _named(options.ranking, RANKING, names, source)
    counts = _named(options.count, COUNT, names, source)
    weights = [] if options.weight is None else positions([options.weight], names, source)
    taken = {*ranking, *counts, *weights, *used}
    known = [] if options.columns is None else positions(options.columns, names, source)
    items: list[int] = []
    if not used:
        items = _items(block, options, taken, known)
    # One column that names the ranking is its id; several also describe it.
    used_up = taken if len(ranking) == 1 else taken - {*ranking}
    rest = sorted({*range(len(names))} - used_up - {*items})
    labels = tuple(names[i] for i in items)
    if options.shorten:
        labels = shortened(labels)
    count, weight = (found[0] if found else None for found in (counts, weights))
    return Roles(ranking, count, weight, items, rest, labels)


def _items(
    block: TableBlock, options: TableOptions, taken: set[int], known: Sequence[int]
) -> list[int]:
    names, source = block.names, block.source
    layout = options.fitting(block)
    others = {*taken, *known}
    left = [i for i in range(len(names)) if i not in others]
    if options.item_columns is not None:
        items = [i for i in positions(options.item_columns, names, source) if i not in others]
    elif layout == "ballots":
        items = [i for i in places_of_ballots(names) if i not in others] or left
    elif block.marked is not None:
        items = [i for i in block.marked if i not in others]
    elif (scale := options.levels()) is not None:
        items = [i for i in left if block.is_on(i, scale)]
        _check_named_once(items, block)
    else:
        items = [i for i in left if block.is_numeric(i)]
        _check_named_once(items, block)
        for i in sorted({*left} - {*items}):
            block.check_not_mistyped(i, lambda: pass_check(block, items, layout))
        if items and options.known_items is not None:
            items = _known_items(block, items, options.known_items)
        elif items:
            check_numbers(block, items, layout)
            _check_several(block, items, left)
    if not items:
        raise _no_items(block, options)
    return items


def _check_several(block: TableBlock, items: Sequence[int], left: Sequence[int]) -> None:
    """Refuse one column of numbers beside columns of text: nobody would rank one item."""
    if len(items) == 1 and len(left) > 1:
        raise block.mistake(
            f"only column {block.names[items[0]]!r} holds ranks, and a ranking needs two items",
            ["name the items with ", Setting("item_columns")],
        )


def _known_items(block: TableBlock, items: Sequence[int], known: Sequence[str]) -> list[int]:
    """The columns of a model's items; where one is missing, there must be no other columns."""
    wanted = {*known}
    ours = [i for i in items if block.names[i] in wanted]
    others = [i for i in items if block.names[i] not in wanted]
    found = {block.names[i] for i in ours}
    missing = [name for name in known if name not in found]
    if not (others and missing):
        return ours
    unknown = some_of([repr(block.names[i]) for i in others])
    raise RankingFileError(
        f"the model does not know {unknown}, and its item {missing[0]!r} is missing",
        block.source,
        remedy=[
            "rename the column, or pass ",
            Setting("columns", as_option(others, block.names)),
            " to leave the item unranked",
        ],
    )


def _no_items(block: TableBlock, options: TableOptions) -> RankingFileError:
    problem = "no column holds only numbers, so none is an item"
    remedy: Text = [
        "name the items with ",
        Setting("item_columns"),
        ", or choose a ",
        Setting("layout"),
    ]
    if options.scale is not None:
        problem = f"no column holds only words of the scale {', '.join(options.levels() or ())}"
    else:
        problem, remedy = rankings_in_text(block) or (problem, remedy)
    return block.mistake(problem, remedy)


def shortened(labels: Sequence[str]) -> tuple[str, ...]:
    """The labels without what all begin and end with, cut between words.

    >>> shortened(["Please rank: [toro]", "Please rank: [uni]"])
    ('toro', 'uni')
    """
    if len(labels) < 2:
        return tuple(labels)
    start = _shared_start(labels)
    breaks = [match.end() for match in _BREAK.finditer(start)]
    cut = [label[breaks[-1] if breaks else 0 :] for label in labels]
    end = _shared_start([label[::-1] for label in cut])[::-1]
    tail = next((len(end) - match.start() for match in _BREAK.finditer(end)), 0)
    cut = [label[: len(label) - tail].strip() for label in cut]
    return tuple(cut) if len(set(cut)) == len(cut) and all(cut) else tuple(labels)


def _shared_start(labels: Sequence[str]) -> str:
    first, last = min(labels), max(labels)
    same = (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b)
    return first[: next(same, min(len(first), len(last)))]


def _check_named_once(items: Sequence[int], block: TableBlock) -> None:
    """Refuse two columns of one item: one must be a mistake."""
    every = {*items}
    for again, first in block.repeats.items():
        if again in every and first in every:
            raise RankingFileError(
                f"item {block.names[first]!r} has two columns, {first + 1} and {again + 1}",
                block.source,
                remedy=["rename one, or choose by number with ", Setting("item_columns")],
            )


def _named(
    chosen: str | Sequence[str] | None, usual: str, names: Sequence[str], source: str
) -> list[int]:
    if chosen is not None:
        return positions(chosen, names, source)
    return [list(names).index(usual)] if usual in names else []


def one_column(chosen: str | None, usual: str, names: Sequence[str], source: str) -> int:
    """The place of a column that a table must have."""
    places = _named(chosen, usual, names, source)
    if len(places) != 1:
        raise RankingFileError(
            f"the table needs a column with the {usual} of each line",
            source,
            remedy=["name it with ", Setting(usual)],
        )
    return places[0]


def counts_of(block: TableBlock, roles: Roles) -> NDArray[np.int64] | None:
    """How many rankings each row stands for, if the table says."""
    if roles.count is None:
        return None
    values = block.numbers(roles.count, "the count")
    good = (values >= 1) & (values <= EXACT) & (values == np.round(values))
    if not good.all():
        block.refuse(int(np.argmin(good)), roles.count, "a count is a whole number from 1 to 2^53")
    return values.astype(np.int64)


def weights_of(block: TableBlock, roles: Roles) -> NDArray[np.float64] | None:
    """How much each ranking of a row counts, if the table says."""
    if roles.weight is None:
        return None
    values = block.numbers(roles.weight, "the weight")
    if not (values > 0).all():
        block.refuse(int(np.argmin(values > 0)), roles.weight, "a weight is a number above 0")
    return values


def ids_of(block: TableBlock, roles: Roles) -> tuple[Any, ...] | None:
    """The names of the rankings, joined if in several columns, or None."""
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


def positions(chosen: str | Sequence[str], names: Sequence[str], source: str) -> list[int]:
    """The columns that a user names, one by one or, as ``10-15``, by their numbers from 1.

    >>> positions("uni,1,3-4", ["toro", "uni", "ika", "ebi"], "votes.csv")
    [1, 0, 2, 3]
    """
    places: list[int] = []
    known = {name: i for i, name in enumerate(names)}
    for part in _parts(chosen, known):
        if part in known:
            places.append(known[part])
            continue
        first, _, last = part.partition("-")
        if not (first.isdecimal() and (last.isdecimal() or not last)) or len(part) > 20:
            raise RankingFileError(
                f"there is no column {part!r}; the columns are {some_of(list(map(repr, names)))}",
                source,
            )
        numbers = range(int(first), int(last or first) + 1)
        if not numbers or not 1 <= numbers[0] <= numbers[-1] <= len(names):
            raise RankingFileError(
                f"there are no columns {part}: they are numbered from 1 to {len(names)}", source
            )
        places.extend(number - 1 for number in numbers)
    return list(dict.fromkeys(places))


def _parts(chosen: str | Sequence[str], names: Collection[str]) -> list[str]:
    if not isinstance(chosen, str):
        return [part for each in chosen for part in _parts(each, names)]
    # A name may itself have a comma.
    return [chosen] if chosen in names else [part.strip() for part in chosen.split(",")]


class NoSuchRowsError(RankingFileError):
    """No row of a table meets the conditions."""


def meeting(blocks: Iterable[TableBlock], conditions: Sequence[str]) -> Iterator[TableBlock]:
    """The blocks with only the rows that meet ``column=value`` or ``column!=value``."""
    any_row = False
    for block in blocks:
        kept = np.ones(len(block), dtype=bool)
        for condition in conditions:
            name, equals, value = condition.partition("=")
            if not equals:
                raise RankingFileError(
                    f"the condition {condition!r} should read column=value or column!=value",
                    block.source,
                )
            (place,) = positions([name.removesuffix("!").strip()], block.names, block.source)
            cells = ("" if cell is None else shown(cell) for cell in block.objects(place))
            same = np.array([cell == value.strip() for cell in cells])
            kept &= ~same if name.endswith("!") else same
        any_row = any_row or bool(kept.any())
        if kept.all():
            yield block
        elif kept.any():
            yield block.some(kept)
    if not any_row:
        said = f"no row meets {' and '.join(conditions)}"
        raise NoSuchRowsError(said, block.source, int(block.lines[-1]))
