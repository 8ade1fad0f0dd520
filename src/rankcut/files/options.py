"""How a user describes a table, and what each column beside its items then is."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import InputError, RankingFileError, Setting
from rankcut.files.tables import Layout, TableBlock, is_missing
from rankcut.parameters import EXACT, MOST_LISTED
from rankcut.rankings.ratings import Scale, read_scale

RANKING, COUNT = "ranking", "count"

# A line shows so many letters of a name.
MOST_LETTERS = 40

# Names of items are shortened, if asked, at one of these.
_BREAK = re.compile(r"[^\w]+")


@dataclass(frozen=True)
class TableOptions:
    """How to read a table; columns are given by name, or by number from 1.

    Parameters
    ----------
    layout : str or None
        wide, transposed, ratings, long, ballots, orders, votes or tasks; None is what the values
        of the table say.
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
        The columns of the items (wide, ratings), places (ballots) or both sides (votes); None is
        what the values say.
    columns : str or sequence of str or None
        Columns that hold no rankings, whatever they look like. All that are neither items nor
        named above are kept as columns that describe the rankings.
    known_items : sequence of str or None
        The items of a model. A table with a column for each has these items and no others.
    item, rank, score : str or None
        The columns of a long table; None is the one of that name. A score makes ratings of it.
    winner : str or None
        The column of votes that says which of two items, or which side, is ahead.
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
    winner: str | None = None
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

    def levels(self) -> dict[str, float] | None:
        """The level of each word of the scale, if there is one."""
        return None if self.scale is None else read_scale(self.scale)


def free_columns(block: TableBlock, options: TableOptions) -> list[int]:
    """The columns to which neither the options nor our own names for them give a meaning."""
    about = [] if options.columns is None else places_in(block, options.columns)
    about += _named(options.ranking, RANKING, block) + _named(options.count, COUNT, block)
    about += _weights(block, options)
    return [i for i in range(len(block.names)) if i not in about]


def described(
    block: TableBlock,
    options: TableOptions,
    reading_columns: Collection[int],
    *,
    typed: bool = True,
) -> dict[str, Any]:
    """What the columns say that hold no items, as arguments of a RankingSet.

    ``reading_columns`` are those of the reading itself; where they are not ``typed``, others keep
    their text.
    """
    cells = block.column if typed else block.objects
    ranking = _named(options.ranking, RANKING, block)
    counts, weights = _named(options.count, COUNT, block), _weights(block, options)
    # One column that names the ranking is its id; several also describe it.
    role_columns = {*reading_columns, *counts, *weights, *(ranking if len(ranking) == 1 else ())}
    ids = ids_of(block, options)
    return {
        "counts": _counts(block, counts[0]) if counts else None,
        "counted": bool(counts),
        "weights": _weighed(block, weights[0]) if weights else None,
        "ids": None if ids is None else tuple(ids[1][code] for code in ids[0].tolist()),
        "columns": {name: cells(i) for i, name in enumerate(block.names) if i not in role_columns},
        "lines": block.lines,
    }


def ids_of(block: TableBlock, options: TableOptions) -> tuple[NDArray[np.int64], list[Any]] | None:
    """Which ranking each row is about, and the rankings' names; None if nothing says."""
    places = _named(options.ranking, RANKING, block)
    if not places:
        return None
    parts = [block.cells(place) for place in places]
    for place, cells in zip(places, parts, strict=True):
        absent = np.array([is_missing(cell) for cell in cells.distinct])[cells.codes]
        if absent.any():
            block.refuse(int(np.argmax(absent)), place, "each row needs the name of its ranking")
    together = np.stack([cells.codes for cells in parts])
    _, first, codes = np.unique(together, axis=1, return_index=True, return_inverse=True)
    order = np.argsort(first)
    names = []
    for row in together[:, first[order]].T.tolist():
        labels = [_plain(cells.distinct[code]) for cells, code in zip(parts, row, strict=True)]
        names.append(labels[0] if len(labels) == 1 else " ".join(map(str, labels)))
    # Names may be equal once they are plain.
    merged = {name: number for number, name in enumerate(dict.fromkeys(names))}
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = [merged[name] for name in names]
    return numbers[codes.ravel()], list(merged)


def _plain(value: Any) -> Any:
    """A label as a user would write it: 7.0 is the ranking 7."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value.strip() if isinstance(value, str) else value


def _weights(block: TableBlock, options: TableOptions) -> list[int]:
    if options.weight is not None:
        return places_in(block, [options.weight])
    return [] if block.weighted is None else [block.weighted]


def _counts(block: TableBlock, column: int) -> NDArray[np.int64]:
    values = block.numbers(column, "the count")
    good = (values >= 1) & (values <= EXACT) & (values == np.round(values))
    if not good.all():
        block.refuse(int(np.argmin(good)), column, "a count is a whole number from 1 to 2^53")
    return values.astype(np.int64)


def _weighed(block: TableBlock, column: int) -> NDArray[np.float64]:
    values = block.numbers(column, "the weight")
    if np.isnan(values).any():
        # A blank row says nothing, whatever it weighs.
        values = np.where(block.blank_rows(), 1.0, values)
    if not (values > 0).all():
        row = int(np.argmin(values > 0))
        codes, texts = block.labels(column)
        value = texts[codes[row]] if codes[row] >= 0 else ""
        without = Setting("where", f"{block.names[column]}!={value}")
        problem = "a weight is a number above 0"
        block.refuse(row, column, problem, ["leave out such rows: ", without])
    return values


def _named(option: str | Sequence[str] | None, usual: str, block: TableBlock) -> list[int]:
    if option is not None:
        return places_in(block, option)
    return [block.names.index(usual)] if usual in block.names else []


def one_column(option: str | None, usual: str, block: TableBlock) -> int:
    """The place of a column that a table must have."""
    places = _named(option, usual, block)
    if len(places) != 1:
        raise RankingFileError(
            f"the table needs a column with the {usual} of each line",
            block.source,
            remedy=["name it with ", Setting(usual)],
        )
    return places[0]


def places_in(block: TableBlock, columns: str | Sequence[str]) -> list[int]:
    """The columns of a table that a user names."""
    return positions(columns, block.names, block.source)


def positions(columns: str | Sequence[str], names: Sequence[str], source: str) -> list[int]:
    """The columns that a user names, one by one or, as ``10-15``, by their numbers from 1.

    >>> positions("uni,1,3-4", ["toro", "uni", "ika", "ebi"], "votes.csv")
    [1, 0, 2, 3]
    """
    places: list[int] = []
    place = {name: i for i, name in enumerate(names)}
    for part in _parts(columns, place):
        if part in place:
            places.append(place[part])
            continue
        first, _, last = part.partition("-")
        match = None if first.isdecimal() else meant_name(part, names)
        if match is not None:
            places.append(place[match])
            continue
        if not (first.isdecimal() and (last.isdecimal() or not last)) or len(part) > 20:
            raise RankingFileError(
                f"there is no column {part!r}; the columns are {some_of(list(map(repr, names)))}",
                source,
            )
        numbers = range(int(first), int(last or first) + 1)
        if not numbers or not 1 <= numbers[0] <= numbers[-1] <= len(names):
            raise RankingFileError(
                f"there are no columns {part}: they are numbered from 1 to {len(names)}",
                source,
            )
        places.extend(number - 1 for number in numbers)
    return list(dict.fromkeys(places))


def meant_name(part: str, names: Sequence[str]) -> str | None:
    """The one name that is meant by its beginning, or by a word of it; None if none or several are.

    >>> meant_name("gender", ["What is your gender?", "Age"]), meant_name("wh", ["who", "what"])
    ('What is your gender?', None)
    """
    if part in names:
        return part
    low = part.strip().lower()
    begin = [name for name in names if name.lower().startswith(low)]
    words = [name for name in names if low in re.findall(r"\w+", name.lower())]
    matches = begin if len(begin) == 1 else words
    return matches[0] if len(low) > 2 and len(matches) == 1 else None


def _parts(columns: str | Sequence[str], names: Collection[str]) -> list[str]:
    if not isinstance(columns, str):
        return [part for each in columns for part in _parts(each, names)]
    # A name may itself have a comma.
    return [columns] if columns in names else [part.strip() for part in columns.split(",")]


def as_option(columns: Sequence[int], names: Sequence[str]) -> str:
    """Columns as a user would name them: by names, or by numbers where a name has a comma."""
    texts = [names[i] for i in columns]
    if any(
        "," in text or text != text.strip() or text.replace("-", "").isdecimal() for text in texts
    ):
        return ",".join(str(i + 1) for i in columns)
    return ",".join(texts)


def short(label: object) -> str:
    r"""A label as a line has room for it.

    >>> short("to\ni")
    'to i'
    """
    text = " ".join(str(label).split())
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}…"


def some_of(words: Sequence[str]) -> str:
    """The words in a line, and how many more there are."""
    more = f" and {len(words) - MOST_LISTED} more" if len(words) > MOST_LISTED else ""
    return ", ".join(words[:MOST_LISTED]) + more


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
    differ = (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b)
    return first[: next(differ, min(len(first), len(last)))]


class NoSuchRowsError(RankingFileError):
    """No row of a table meets the conditions."""


def wanted(blocks: Iterable[TableBlock], options: TableOptions) -> Iterator[TableBlock]:
    """The blocks with the rows that meet ``where``, and without codes for missing values."""
    missing = options.missing.split(",") if isinstance(options.missing, str) else options.missing
    codes = {code.strip() for code in missing}
    any_row = False
    for each in blocks:
        block = each.without(codes) if codes else each
        good = np.ones(len(block), dtype=bool)
        for condition in options.where:
            good &= _meets(block, condition)
        any_row = any_row or bool(good.any())
        if good.any():
            yield block if good.all() else block.some(good)
    if not any_row:
        problem = f"no row meets {' and '.join(options.where)}"
        raise NoSuchRowsError(problem, block.source, int(block.lines[-1]))


def _meets(block: TableBlock, condition: str) -> NDArray[np.bool_]:
    """Which rows meet ``column=value`` or ``column!=value``."""
    name, equals, value = condition.partition("=")
    if not equals:
        raise RankingFileError(
            f"the condition {condition!r} should read column=value or column!=value", block.source
        )
    (place,) = places_in(block, [name.removesuffix("!").strip()])
    codes, texts = block.labels(place)
    equal = np.array([*(text == value.strip() for text in texts), not value.strip()])[codes]
    return ~equal if name.endswith("!") else equal
