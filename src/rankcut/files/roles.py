"""What each column of a table is: the ranking's name, its count, an item, or a description."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import InputError, RankingFileError, Setting, Text
from rankcut.files.blocks import Block, positions
from rankcut.files.rank_check import Finding, check_ranks, check_scores
from rankcut.rankings.ranking_set import LARGEST_COUNT
from rankcut.rankings.ratings import Scale, read_scale

Layout: TypeAlias = Literal["wide", "ratings", "long", "ballots", "orders"]

RANKING, COUNT = "ranking", "count"

# What the columns of ballots are called: "Choice 1", "rank_2", "3rd preference".
_PLACE = re.compile(
    r"(?i)(?:choice|rank|pref|preference|place|position)\W?_?(\d+)|(\d+)(?:st|nd|rd|th)\b"
)

_CHOICE = re.compile(r"(?i)choice[ _]?\d+")

# What a column with the ratings of a long table is called.
_SCORES = {"points", "rating", "ratings", "score", "scores", "stars"}

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
    count : str or None
        The column with the counts; None is ``count`` if there is one.
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
    higher_is_better : bool
        Whether the highest score is the best.
    scale : str or sequence or None
        Ratings in words, from best to worst, as in ``"good > fair = ok > bad"``.
    shorten : bool
        Leave out what the names of all items begin and end with.
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
    item_columns: str | Sequence[str] | None = None
    columns: str | Sequence[str] | None = None
    known_items: Sequence[str] | None = None
    item: str | None = None
    rank: str | None = None
    score: str | None = None
    order: str | None = None
    higher_is_better: bool = True
    scale: Scale | None = None
    shorten: bool = False
    repeats: Literal["error", "first", "last"] = "error"
    where: Sequence[str] = ()
    sparse: bool | None = None

    def __post_init__(self) -> None:
        if self.layout is not None and self.layout not in get_args(Layout):
            raise InputError(
                f"must be one of {', '.join(get_args(Layout))}; got {self.layout!r}",
                parameter="layout",
            )
        self.levels()

    def fitting(self, block: Block) -> Layout:
        """The layout asked for, or else the one that the table says or its columns suggest."""
        if self.layout is not None:
            return self.layout
        if self.order is not None:
            return "orders"
        if block.declared is not None:
            return block.declared.layout  # type: ignore[return-value]
        long = (self.item or "item") in block.names and any(
            (given or usual) in block.names
            for given, usual in ((self.rank, "rank"), (self.score, "score"))
        )
        if long or self.item is not None:
            return "long"
        if self.scale is not None:
            return "ratings"
        return "wide" if self.item_columns is not None else _layout_of_text(block, self)

    def levels(self) -> dict[str, float] | None:
        """The level of each word of the scale, if there is one."""
        return None if self.scale is None else read_scale(self.scale)


@dataclass(frozen=True)
class Roles:
    """What each column is, by its place."""

    ranking: list[int]
    count: int | None
    items: list[int]
    columns: list[int]
    labels: tuple[str, ...]  #: of the items


def roles_of(block: Block, options: TableOptions, used: Sequence[int] = ()) -> Roles:
    """Sort the columns by what they are; ``used`` are those of a long table or of orders."""
    names, source = block.names, block.source
    ranking = _named(options.ranking, RANKING, names, source)
    counts = _named(options.count, COUNT, names, source)
    taken = {*ranking, *counts, *used}
    known = [] if options.columns is None else positions(options.columns, names, source)
    items: list[int] = []
    if not used:
        items = _items(block, options, taken, known)
    # One column that names the ranking is its id; several also describe it.
    used_up = taken if len(ranking) == 1 else taken - {*ranking}
    rest = [i for i in range(len(names)) if i not in used_up and i not in items]
    labels = tuple(names[i] for i in items)
    if options.shorten:
        labels = shortened(labels)
    return Roles(ranking, counts[0] if counts else None, items, rest, labels)


def _items(block: Block, options: TableOptions, taken: set[int], known: Sequence[int]) -> list[int]:
    names, source = block.names, block.source
    layout = options.fitting(block)
    if options.item_columns is not None:
        items = [i for i in positions(options.item_columns, names, source) if i not in taken]
    elif layout == "ballots":
        left = _places(names) or range(len(names))
        items = [i for i in left if i not in taken and i not in known]
    elif block.declared is not None:
        items = [i for i in block.declared.items if i not in taken and i not in known]
    elif (scale := options.levels()) is not None:
        left = [i for i in range(len(names)) if i not in taken and i not in known]
        items = [i for i in left if block.is_on(i, scale)]
        _check_named_once(items, block)
    else:
        left = [i for i in range(len(names)) if block.is_numeric(i)]
        items = [i for i in left if i not in taken and i not in known]
        _check_named_once(items, block)
        for i in sorted({*range(len(names))} - {*items, *taken, *known}):
            block.check_not_mistyped(i)
        if items and options.known_items is not None:
            items = _known_items(block, items, options.known_items)
        elif items:
            _check_numbers(block, items, options)
    if not items:
        raise _no_items(block, options)
    return items


def _known_items(block: Block, items: Sequence[int], known: Sequence[str]) -> list[int]:
    """The columns of a model's items; where one is missing, there must be no other columns."""
    ours = [i for i in items if block.names[i] in set(known)]
    others = [i for i in items if i not in ours]
    missing = sorted({*known} - {block.names[i] for i in ours}, key=list(known).index)
    if not (others and missing):
        return ours
    unknown = [repr(block.names[i]) for i in others]
    are = f"column {unknown[0]} is not an item"
    if len(unknown) > 1:
        are = f"columns {', '.join(unknown[:-1])} and {unknown[-1]} are not items"
    raise RankingFileError(
        f"{are} of the model, and its item {missing[0]!r} is missing",
        block.source,
        remedy=[
            "rename the column, or pass ",
            Setting("columns", _as_option(others, block.names)),
            " to leave the item unranked",
        ],
    )


def _check_numbers(block: Block, items: Sequence[int], options: TableOptions) -> None:
    """Refuse columns of numbers that do not look like ranks or scores, unless named as items."""
    layout = options.fitting(block)
    ordinals = [i for i in items if block.has_ordinals(i)]
    empty = block.empty_columns() if ordinals else set()
    others = [i for i in items if i not in ordinals and i not in empty]
    finding: Finding | None
    if ordinals and others and layout == "wide":
        finding = Finding(others, "{} has no ordinals, as other columns have", others[0])
    else:
        values = np.column_stack(
            [block.numbers(i, "the rank" if layout == "wide" else "the score") for i in items]
        )
        check = check_ranks if layout == "wide" else check_scores
        finding = check(values, [block.names[i] for i in items])
        if finding is not None:
            culprit = None if finding.culprit is None else items[finding.culprit]
            finding = Finding([items[i] for i in finding.columns], finding.problem, culprit)
    if finding is None:
        return
    what = "" if finding.culprit is None else f"column {block.names[finding.culprit]!r}"
    problem = finding.problem.format(what)
    naming: Text = ["name the items with ", Setting("item_columns")]
    if not finding.columns:
        other = _in_text(block)
        if other is not None:
            problem, remedy = other
            raise RankingFileError(problem, block.source, int(block.lines[0]), remedy=remedy)
        remedy = ["pass ", Setting("layout", "ratings"), " for scores, or ", *naming]
        score = next((name for name in block.names if name.strip().lower() in _SCORES), None)
        if score is not None:
            remedy = [
                "if each row is one rating, name its columns with ",
                Setting("ranking"),
                ", ",
                Setting("item"),
                " and ",
                Setting("score", score),
                "; otherwise ",
                *naming,
            ]
        raise RankingFileError(
            f"these do not look like ranks: {problem}",
            block.source,
            int(block.lines[0]),
            remedy=remedy,
        )
    number = len(finding.columns)
    raise RankingFileError(
        problem,
        block.source,
        int(block.lines[0]),
        remedy=[
            f"if {'it is not an item' if number == 1 else f'these {number} are not items'}, pass ",
            Setting("columns", _as_option(finding.columns, block.names)),
            "; otherwise ",
            *naming,
        ],
    )


def _as_option(columns: Sequence[int], names: Sequence[str]) -> str:
    """Columns as a user would name them: by names, or by numbers where a name has a comma."""
    chosen = [names[i] for i in columns]
    if any("," in name or name.replace("-", "").isdecimal() for name in chosen):
        return ",".join(str(i + 1) for i in columns)
    return ",".join(chosen)


def _layout_of_text(block: Block, options: TableOptions) -> Layout:
    """Orders or ballots, if columns of text are called so, and wide otherwise."""
    named = {options.ranking or RANKING, options.count or COUNT}
    numbers = [i for i, name in enumerate(block.names) if block.is_numeric(i) and name not in named]
    order = list(block.names).index("order") if "order" in block.names else None
    if order is not None and order not in numbers and (not numbers or _has_orders(block, order)):
        return "orders"
    called_choice = [i for i, name in enumerate(block.names) if _CHOICE.fullmatch(name)]
    places = called_choice if numbers else _places(block.names)
    empty = block.empty_columns() if places else set()
    text = [i for i in places if i not in empty]
    return "ballots" if text and not {*text} & {*numbers} else "wide"


def _no_items(block: Block, options: TableOptions) -> RankingFileError:
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
        problem, remedy = _in_text(block) or (problem, remedy)
    return RankingFileError(problem, block.source, int(block.lines[0]), remedy=remedy)


def _in_text(block: Block) -> tuple[str, Text] | None:
    """Where the rankings are and how to read them, if columns of text seem to hold them."""
    orders = [i for i in range(len(block.names)) if _has_orders(block, i)]
    if orders:
        name = block.names[orders[0]]
        problem = f"column {name!r} holds orders such as {_first(block, orders[0])!r}"
        return problem, ["pass ", Setting("order", name)]
    words = _shared_words(block)
    if not words:
        return None
    return f"some columns hold {', '.join(map(repr, words))}, and none holds ranks", [
        "for ratings in words, list these from best to worst: ",
        Setting("scale", " > ".join(words)),
        "; for ballots pass ",
        Setting("layout", "ballots"),
    ]


def _first(block: Block, column: int) -> str:
    return next(str(cell) for cell in block.objects(column) if cell is not None)[:40]


def _has_orders(block: Block, column: int) -> bool:
    cells = [cell for cell in block.objects(column) if cell is not None]
    return any(isinstance(cell, str) and ">" in cell for cell in cells)


def _shared_words(block: Block) -> list[str]:
    """The words of columns that share a few, as columns of ratings do."""
    seen: dict[str, set[int]] = {}
    for i in range(len(block.names)):
        for cell in [] if block.is_numeric(i) else block.objects(i):
            if isinstance(cell, str):
                seen.setdefault(cell.strip(), set()).add(i)
    shared = {word for word, where in seen.items() if len(where) > 1}
    rated = {i for word in shared for i in seen[word]}
    # A word that a single column has is on the scale too, unless the column is about another thing.
    for i in list(rated):
        own = [word for word, where in seen.items() if i in where]
        if len(shared & {*own}) * 2 < len(own):
            rated.discard(i)
    words = [word for word, where in seen.items() if where & rated]
    return words if 2 <= len(words) <= 12 else []


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


def _check_named_once(items: Sequence[int], block: Block) -> None:
    """Refuse two columns of one item: one must be a mistake."""
    for again, first in block.repeats.items():
        if again in items and first in items:
            raise RankingFileError(
                f"item {block.names[first]!r} has two columns, {first + 1} and {again + 1}",
                block.source,
                remedy=["rename one, or choose by number with ", Setting("item_columns")],
            )


def _places(names: Sequence[str]) -> list[int]:
    """The columns with names of places, in order of their numbers unless two are equal."""
    found = {i: match for i, name in enumerate(names) if (match := _PLACE.search(name))}
    # As a float, because a number may have any length.
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
    """The place of a column that a table must have."""
    places = _named(chosen, usual, names, source)
    if len(places) != 1:
        raise RankingFileError(
            f"the table needs a column with the {usual} of each line",
            source,
            remedy=["name it with ", Setting(usual)],
        )
    return places[0]


def counts_of(block: Block, roles: Roles) -> NDArray[np.int64] | None:
    """How many rankings each row stands for, if the table says."""
    if roles.count is None:
        return None
    values = block.numbers(roles.count, "the count")
    good = (values >= 1) & (values <= LARGEST_COUNT) & (values == np.round(values))
    if not good.all():
        block.refuse(
            int(np.argmin(good)), roles.count, "a count is a whole number from 1 up to 10^15"
        )
    return values.astype(np.int64)


def ids_of(block: Block, roles: Roles) -> tuple[Any, ...] | None:
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
