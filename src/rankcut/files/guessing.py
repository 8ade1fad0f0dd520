"""What a table is, where nobody says: its layout, and which of its columns are items.

A year, an age, the number of a respondent or a code is a number too. Read as a rank it would say
things about a ranking that nobody meant, so a table that nobody described is looked at first:

- ranks are whole or half numbers from 0 or 1 up to the number of items;
- in a column of ranks, rows agree: where every row has its own value, it numbers the rows;
- a complete ranking has a best item: its least rank is that of the table;
- where all ties, gaps or zeros of a table involve the same few columns, and the rankings are
  strict without them, those columns are codes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import RankingFileError, Setting, Text, amount
from rankcut.files.tables import ORDINALS, Layout, TableBlock, shown
from rankcut.parameters import MOST_LISTED

# What the columns of ballots are called: "Choice 1", "rank_2", "3rd preference", "Second choice".
PLACE = re.compile(
    r"(?i)(?:choice|rank|pref|preference|place|position)\W?_?(\d+)|(\d+)(?:st|nd|rd|th)\b"
    rf"|^\s*({'|'.join(ORDINALS)})(?:\W+(?:choice|pick|place|preference))?\s*$"
)
# A place in words: "Rank 2", "Rang 2", "1st choice", "2. Wahl", "1ª opción", "5 (worst)".
_ONE_PLACE = re.compile(
    r"(?:(?:rank(?:ing)?|rang|choice|choix|wahl|opción|place|platz|lugar|posición|position"
    r"|preference|priority|no\.?|nr\.?)\b)?[\s#_]*"
    rf"(?:(\d{{1,4}})(?:[^\w\s]|[^\W\d]{{1,3}}\b)?|({'|'.join(ORDINALS)}))(?:\W\D*)?"
)
_CHOICE = re.compile(r"(?i)choice[ _]?\d+")

# What a ballot's cell says that names no candidate, and that names several at one place.
BLANK = frozenset({"", "skipped", "undervote", "blank"})
OVERVOTE = "overvote"

# What a column with the ratings of a long table is called.
_SCORES = {"points", "rating", "ratings", "score", "scores", "stars"}

# Codes for no answer that survey tools write among ranks, from 1 up to the number of items.
NO_ANSWER = {-99.0, -9.0, -8.0, -1.0, 77.0, 88.0, 97.0, 98.0, 99.0, 999.0}

# Usual words of ratings, from best to worst.
_SCALES = [
    ["strongly agree", "agree", "somewhat agree", "neither agree nor disagree", "neutral",
     "somewhat disagree", "disagree", "strongly disagree"],
    ["excellent", "very good", "good", "average", "fair", "poor", "bad", "very poor", "very bad"],
    ["very satisfied", "satisfied", "neutral", "dissatisfied", "very dissatisfied"],
    ["extremely likely", "very likely", "likely", "neutral", "unlikely", "very unlikely"],
    ["extremely important", "very important", "important", "somewhat important",
     "not important", "not at all important"],
    ["always", "often", "sometimes", "rarely", "never"],
    ["love it", "love", "like it", "like", "neutral", "dislike it", "dislike", "hate it", "hate"],
    ["high", "medium", "low"],
]  # fmt: skip

# This many rows are enough evidence.
_MOST_ROWS = 2000

# With fewer rows than this, codes cannot be told from ties.
_FEWEST_ROWS = 10

# Names that say that a column is about the ranking, whatever its numbers are.
_ABOUT = {
    *("age", "birthyear", "class", "cluster", "country", "county", "date", "day", "district"),
    *("duration", "education", "fold", "gender", "group", "height", "id", "income", "index"),
    *("label", "lat", "latitude", "lon", "longitude", "month", "no", "number", "participant"),
    *("person", "postcode", "precinct", "region", "respondent", "row", "seconds", "sex", "state"),
    *("round", "session", "subject", "target", "task", "time", "timestamp", "trial", "user"),
    *("voter", "ward", "wave", "weight", "weights", "year", "zip", "zipcode"),
}


def _is_about(name: str) -> bool:
    """Whether a column's name says that it is not an item: "age", "Task", "user_id", "Duration"."""
    words = re.split(r"[^a-z]+", name.strip().lower())
    return "_".join(words) in _ABOUT or words[-1] == "id" or words[0] == "duration"


def layout_of_text(block: TableBlock, named: set[str]) -> Layout:
    """Orders or ballots, if columns of text are called so, and wide otherwise.

    ``named`` are columns that a user, or the header, gives another meaning.
    """
    numbers = [i for i, name in enumerate(block.names) if block.is_numeric(i) and name not in named]
    order = list(block.names).index("order") if "order" in block.names else None
    if order is not None and order not in numbers and (not numbers or _has_orders(block, order)):
        return "orders"
    called_choice = [i for i, name in enumerate(block.names) if _CHOICE.fullmatch(name)]
    called = called_choice if numbers else places_of_ballots(block.names)
    empty = block.empty_columns() if called else set()
    text = [i for i in called if i not in empty]
    return "ballots" if text and not {*text} & {*numbers} else "wide"


def place_of(text: str) -> int | None:
    """The place that a text names, such as "1st choice", "Rank 2", "third" or "4"; None if none.

    >>> [place_of(text) for text in ("1st choice", "Rang 2", "Third", "4. Wahl", "toro", "18-24")]
    [1, 2, 3, 4, None, None]
    """
    found = _ONE_PLACE.fullmatch(text.strip().lower())
    if found is None:
        return None
    return int(found[1]) if found[1] else ORDINALS.index(found[2]) + 1


def places_of_ballots(names: Sequence[str]) -> list[int]:
    """The columns with names of places, in order of their numbers unless two are equal."""
    found = {i: match for i, name in enumerate(names) if (match := PLACE.search(name))}
    numbers = {i: number_of_place(match) for i, match in found.items()}
    distinct = len({*numbers.values()}) == len(numbers)
    return sorted(numbers, key=numbers.__getitem__) if distinct else list(numbers)


def number_of_place(found: re.Match[str]) -> float:
    """The number in a name that ``PLACE`` found: a float, because it may have any length."""
    return float(found[1] or found[2] or ORDINALS.index(found[3].lower()) + 1)


def check_numbers(block: TableBlock, items: Sequence[int], layout: Layout) -> None:
    """Refuse columns of numbers that do not look like ranks or scores, unless named as items."""
    names = [block.names[i] for i in items]
    ordinals = [block.has_ordinals(i) for i in items]
    empty = block.empty_columns() if any(ordinals) else set()
    plain = [k for k, i in enumerate(items) if not ordinals[k] and i not in empty]
    role, check = ("the rank", check_ranks) if layout == "wide" else ("the score", check_scores)
    values = np.column_stack([block.numbers(i, role) for i in items])

    def pass_without(odd: Sequence[int]) -> bool:
        kept = [k for k in range(len(items)) if k not in odd]
        return len(kept) > 1 and check(values[:, kept], [names[k] for k in kept]) is None

    found = check(values, names)
    # A "2nd" among numbers is a rank. Columns of ordinals are all items if they are rankings.
    mixed = layout == "wide" and any(ordinals) and bool(plain) and pass_without(plain)
    if mixed:
        found = Finding(plain, "{} has no ordinals, as other columns have", plain[0])
    if found is None:
        return
    about = [i for k, i in enumerate(items) if _is_about(names[k])]
    ranked = [k for k in range(len(items)) if not _is_about(names[k])]
    row, culprit = found.row, found.culprit
    codes: list[tuple[int, int]] = []
    if layout == "wide" and len(ranked) > 1 and not mixed:
        own = values[:, ranked], [names[k] for k in ranked]
        codes = _codes_of_no_answer(*own)
        if not codes and found.columns and not pass_without(found.columns):
            codes = _codes_of_no_answer(*own, usual=False)
    problem = found.problem.format("" if culprit is None else f"column {names[culprit]!r}")
    naming: Text = ["name the items with ", Setting("item_columns")]
    if codes:
        cells = [(at, ranked[k], shown(block.columns[items[ranked[k]]][at])) for at, k in codes]
        row, culprit, first = cells[0]
        problem = f"column {names[culprit]!r} has {first}, which is not a rank"
        written = {text: values[at, k] for at, k, text in cells}
        missing = ",".join(sorted(written, key=written.__getitem__))
        remedy: Text = ["if that is no answer, pass ", Setting("missing", missing)]
        if about:
            remedy = [*remedy, " ", Setting("columns", as_option(about, block.names))]
        remedy = [*remedy, "; otherwise correct it"]
    elif found.columns:
        odd = [items[k] for k in found.columns]
        these = "it is not an item" if len(odd) == 1 else f"these {len(odd)} are not items"
        option = Setting("columns", as_option(odd, block.names))
        remedy = [f"if {these}, pass ", option, "; otherwise ", *naming]
        if len(odd) == 1 and block.names[odd[0]].lower() in ("weight", "weights"):
            remedy = ["if it holds weights, pass ", Setting("weight", block.names[odd[0]])]
    else:
        said = rankings_in_text(block)
        unlike = f"these do not look like ranks: {problem}"
        problem, remedy = said or (unlike, _reading_scores(block, naming))
    raise block.mistake(problem, remedy, row, None if culprit is None else items[culprit])


def pass_check(block: TableBlock, items: Sequence[int], layout: Layout) -> bool:
    """Whether the columns are several, and look like ranks or scores."""
    if len(items) < 2:
        return False
    try:
        check_numbers(block, items, layout)
    except RankingFileError:
        return False
    return True


def _codes_of_no_answer(
    values: NDArray[np.float64], names: Sequence[str], *, usual: bool = True
) -> list[tuple[int, int]]:
    """The cells with codes for no answer, usual or any, if the table is one of ranks without them.

    Unusual ones are at most half of a column.
    """
    odd = (values > values.shape[1]) | (values < 0)
    codes = odd & np.isin(values, [*NO_ANSWER]) if usual else odd | (2 * values % 1 > 0)
    if not usual and (2 * codes.sum(axis=0) > (~np.isnan(values)).sum(axis=0)).any():
        return []
    zero = values == 0
    # Ranks may count from 0; where most rows count from 1, a 0 is none of them.
    if zero.any() and zero.any(axis=1).mean() < 0.5 and not codes.any():
        codes = zero
    if not codes.any() or check_ranks(np.where(codes, np.nan, values), names) is not None:
        return []
    return [(row, column) for row, column in np.argwhere(codes).tolist()]


def _reading_scores(block: TableBlock, naming: Text) -> Text:
    """How to read a table whose numbers are scores."""
    score = next((name for name in block.names if name.strip().lower() in _SCORES), None)
    if score is None:
        return ["pass ", Setting("layout", "ratings"), " for scores, or ", *naming]
    return [
        *("if each row is one rating, name its columns with ", Setting("ranking"), ", "),
        *(Setting("item"), " and ", Setting("score", score), "; otherwise ", *naming),
    ]


def some_of(words: Sequence[str]) -> str:
    """The words in a line, and how many more there are."""
    more = f" and {len(words) - MOST_LISTED} more" if len(words) > MOST_LISTED else ""
    return ", ".join(words[:MOST_LISTED]) + more


def as_option(columns: Sequence[int], names: Sequence[str]) -> str:
    """Columns as a user would name them: by names, or by numbers where a name has a comma."""
    chosen = [names[i] for i in columns]
    if any("," in name or name.replace("-", "").isdecimal() for name in chosen):
        return ",".join(str(i + 1) for i in columns)
    return ",".join(chosen)


def rankings_in_text(block: TableBlock) -> tuple[str, Text] | None:
    """Where the rankings are and how to read them, if columns of text seem to hold them."""
    orders = [i for i in range(len(block.names)) if _has_orders(block, i)]
    if orders:
        name = block.names[orders[0]]
        first = next(str(cell) for cell in block.objects(orders[0]) if cell is not None)[:40]
        problem = f"column {name!r} holds orders such as {first!r}"
        return problem, ["pass ", Setting("order", name)]
    words, columns = _shared_words(block)
    if not words:
        return None
    problem = f"some columns hold {', '.join(map(repr, words))}, and none holds ranks"
    if are_places(block, columns):
        named = Setting("item_columns", as_option(columns, block.names))
        return problem, [
            *("if each column is a place: ", Setting("layout", "ballots"), " ", named),
            *("; if the words are places, list these from best to worst with ", Setting("scale")),
        ]
    known = next((scale for scale in _SCALES if {w.lower() for w in words} <= {*scale}), None)
    if known is None:
        remedy: Text = [
            "for ratings in words, list these from best to worst with ",
            Setting("scale"),
        ]
        return problem, remedy
    ordered = " > ".join(sorted(words, key=lambda word: known.index(word.lower())))
    return problem, ["for ratings in words: ", Setting("scale", ordered)]


def are_places(block: TableBlock, columns: Sequence[int]) -> bool:
    """Whether each row has different cells, and the columns share them, as places of items do."""
    cells = [block.objects(i).tolist() for i in columns]
    rows = [[shown(cell) for cell in row if cell is not None] for row in zip(*cells, strict=True)]
    distinct = all(len({*row}) == len(row) for row in rows)
    return distinct and any(rows) and len({cell for row in rows for cell in row}) > 1


def _has_orders(block: TableBlock, column: int) -> bool:
    cells = [cell for cell in block.objects(column) if cell is not None]
    return any(isinstance(cell, str) and ">" in cell for cell in cells)


def _shared_words(block: TableBlock) -> tuple[list[str], list[int]]:
    """The words of columns that share a few, as columns of ratings do, and these columns."""
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
    # Columns that share no word with the first of them answer another question.
    first = min(rated, default=0)
    rated = {i for i in rated if any({i, first} <= where for where in seen.values())}
    words = [word for word, where in seen.items() if where & rated]
    return (words, sorted(rated)) if 2 <= len(words) <= MOST_LISTED else ([], [])


@dataclass(frozen=True)
class Finding:
    """What is wrong with the numbers of a table."""

    #: The columns that do not look like ranks; empty if the table as a whole is not one of ranks
    columns: list[int]
    problem: str  #: what is wrong, with ``{}`` for the column that has the problem
    culprit: int | None = None  #: that column; None if the problem names none
    row: int = 0  #: a row that has the problem


def check_ranks(values: NDArray[np.float64], names: Sequence[str]) -> Finding | None:
    """Evidence against ranks, or None.

    >>> votes = np.array([[1956, 1, 2, 3], [1957, 2, 1, 3], [1958, 3, 2, 1]], dtype=float)
    >>> check_ranks(votes, ["held in", "Ann", "Bob", "Cy"])
    Finding(columns=[0], problem='{} reaches 1958, beyond 4 columns of numbers', culprit=0, row=2)
    """
    values = values[:_MOST_ROWS]
    left = np.flatnonzero(~np.isnan(values).all(axis=0)).tolist()
    found = _odd_by_range(values, left, values.shape[1])
    for i in left:
        if _is_about(names[i]):
            found.setdefault(i, ("{} does not sound like an item", 0))
    left = [i for i in left if i not in found]
    for i in _codes(values, left) if len(left) > 2 else []:
        found[i] = "{} has ties or gaps, and without it every ranking is strict", 0
    left = [i for i in left if i not in found]
    if found:
        # The first that was found has the clearest problem.
        culprit, (problem, row) = next(iter(found.items()))
        return Finding(sorted(found) if len(left) > 1 else [], problem, culprit, row)
    if left and _look_like_scores(values[:, left]):
        return Finding([], "most complete rows lack some ranks, as scores do")
    return None


def check_scores(values: NDArray[np.float64], names: Sequence[str]) -> Finding | None:
    """Evidence against scores: a column that numbers the rows, or has a range of its own.

    >>> stars = np.array([[1956, 5, 2], [1961, 1, 4], [1958, 3, 3], [1959, 3, 1]], dtype=float)
    >>> check_scores(stars, ["held in", "Ann", "Bob"]).problem
    '{} has a range of its own, far from the other scores'
    """
    values = values[:_MOST_ROWS]
    left = np.flatnonzero(~np.isnan(values).all(axis=0)).tolist()
    by_name = [i for i in left if _is_about(names[i])]
    if by_name:
        return Finding(by_name, "{} does not sound like an item", by_name[0])
    numbered = [i for i in left if _numbers_rows(values[:, i]) and len(left) > 1]
    if numbered:
        return Finding(numbered, "{} numbers the rows", numbered[0])
    if len(left) < 3:
        return None
    low, high = np.nanmin(values[:, left], axis=0), np.nanmax(values[:, left], axis=0)
    apart = []
    for at, column in enumerate(left):
        others = np.arange(len(left)) != at
        least, most = low[others].min(), high[others].max()
        width = max(most - least, 1.0)
        if low[at] > most + width or high[at] < least - width:
            apart.append(column)
    if not apart:
        return None
    return Finding(apart, "{} has a range of its own, far from the other scores", apart[0])


def _odd_by_range(
    values: NDArray[np.float64], left: Sequence[int], n_columns: int
) -> dict[int, tuple[str, int]]:
    """The columns with numbers that no rank has, and what is wrong with each, in which row."""
    odd: dict[int, tuple[str, int]] = {}
    left = list(left)
    while left:
        found = {}
        for i in left:
            column = values[:, i]
            least, most = int(np.nanargmin(column)), int(np.nanargmax(column))
            strange = int(np.argmax(2 * column % 1 > 0))
            if column[least] < 0:
                found[i] = f"{{}} has {column[least]:g}, and ranks are not negative", least
            elif 2 * column[strange] % 1 > 0:
                found[i] = f"{{}} has {column[strange]:g}, and ranks are whole numbers", strange
            elif column[most] > n_columns - len(odd):
                width = amount(n_columns, "column")
                found[i] = f"{{}} reaches {column[most]:g}, beyond {width} of numbers", most
        # A column of ranks may look too large once others are gone: the first look decides, and
        # later ones while most columns stay.
        if not found or (odd and 2 * len(found) >= len(left)):
            break
        odd.update(found)
        left = [i for i in left if i not in found]
    return odd


def _numbers_rows(column: NDArray[np.float64]) -> bool:
    """Whether a column counts the rows, one by one."""
    return len(column) > 3 and bool((np.diff(column) == 1).all())


def _codes(values: NDArray[np.float64], left: Sequence[int]) -> list[int]:
    """The columns without which all rankings are strict, if they are few and in the way."""
    for gaps in (True, False):
        removed: list[int] = []
        kept = list(left)
        while True:
            trouble = _trouble(values[:, kept], gaps=gaps)
            rows = trouble.any(axis=1)
            if not rows.any():
                return removed
            there = ~np.isnan(values[:, kept])
            share = trouble.sum(axis=0) / np.maximum(1, there.sum(axis=0))
            worst = int(np.argmax(share))
            column = values[:, kept[worst]]
            enough = there[:, worst].sum() >= _FEWEST_ROWS or _numbers_rows(column)
            few = 2 * (len(removed) + 1) < len(left)
            if share[worst] < 0.5 or not enough or not few or len(kept) < 3:
                break
            if not _spreads(values[:, kept], worst, trouble[:, worst]):
                break
            removed.append(kept.pop(worst))
    return []


def _trouble(values: NDArray[np.float64], *, gaps: bool) -> NDArray[np.bool_]:
    """The cells that no strict ranking has: ties, and zeros or gaps that are not everywhere."""
    listed = ~np.isnan(values)
    n_listed = listed.sum(axis=1, keepdims=True)
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    equal = ordered[:, 1:] == ordered[:, :-1]
    tied = np.zeros_like(listed)
    tied[:, 1:] |= equal
    tied[:, :-1] |= equal
    same = np.zeros_like(listed)
    np.put_along_axis(same, order, tied, axis=1)
    # Ranks from 0 up have a zero in every row; a zero here and there is a code.
    zeros = (values == 0).any(axis=1)
    base = 0 if zeros[listed.any(axis=1)].all() else 1
    bad = same | (values < base)
    if gaps:
        with np.errstate(invalid="ignore"):
            bad |= values > n_listed + base - 1
    return np.asarray(bad & listed)


def _spreads(values: NDArray[np.float64], column: int, trouble: NDArray[np.bool_]) -> bool:
    """Whether a column is in the way of several others: two that are always tied are items."""
    tied = np.delete(values == values[:, column : column + 1], column, axis=1)
    partners = int(tied.any(axis=0).sum())
    no_tie = trouble & ~tied.any(axis=1)
    return partners >= min(3, tied.shape[1]) or bool(4 * no_tie.sum() >= trouble.sum())


def _look_like_scores(values: NDArray[np.float64]) -> bool:
    """Whether most complete rows are not ranks as anybody assigns them."""
    complete = values[~np.isnan(values).any(axis=1)]
    n_items = complete.shape[1]
    if len(complete) < 2 or n_items < 2:
        return False
    ranks = np.sort(complete - (0.0 if np.nanmin(values) == 0 else 1.0), axis=1)
    # Groups of ties have the first, the last or the mean place of their items, or count from 0.
    place = np.arange(n_items)
    begins = np.diff(ranks, axis=1, prepend=-np.inf) > 0
    ends = np.diff(ranks, axis=1, append=np.inf) > 0
    first = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
    backwards = np.where(ends, place, n_items)[:, ::-1]
    last = np.minimum.accumulate(backwards, axis=1)[:, ::-1]
    dense = np.cumsum(begins, axis=1) - 1
    as_assigned = np.zeros(len(ranks), dtype=bool)
    for usual in (first, last, (first + last) / 2, dense):
        as_assigned |= (usual == ranks).all(axis=1)
    starts = as_assigned | (ranks[:, 0] == 0)
    return bool(starts.mean() < 0.5) or bool(
        len(ranks) >= _FEWEST_ROWS and as_assigned.mean() < 0.25
    )
