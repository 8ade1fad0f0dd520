"""Long tables: a line for each item of a ranking, with its rank or its score.

Of ranks, as ``raceId, driver, position``: one column, or several together, say which ranking a line
is about; no ranking has an item twice; and the ranks of each are 1, 2, 3 …, for items that other
rankings list too. Of scores, as ``userId, movieId, rating``: no two lines are about one pair, both
columns come again, and names say which of them rates; a run of TREC is one too.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import RankingFileError, Setting, amount
from rankcut.files.options import RANKING, TableOptions, described, ids_of, one_column
from rankcut.files.readings.way import (
    CERTAIN,
    FEWEST_ITEMS,
    FITS,
    MANY_ROWS,
    MOST_ODD,
    POSSIBLE,
    Evidence,
    Way,
    as_described,
    settings_of,
)
from rankcut.files.readings.words import ITEMS, RATINGS, USERS, words_of
from rankcut.files.tables import TableBlock, is_empty, n_distinct, names_nobody, side_column
from rankcut.rankings.ranking_set import RankingSet, fitting_ranks
from rankcut.rankings.ratings import entries_by_row, from_ratings
from rankcut.rankings.reading import first_repeat

_RANKS = {
    *("rank", "ranking", "position", "pos", "place", "placing", "finish", "order", "standing"),
    *("rang", "platz", "rk", "seed", "priority", "preference", "choice"),
}
_ITEMS = {
    *("item", "candidate", "choice", "driver", "team", "player", "option", "name", "title"),
    *("athlete", "model", "film", "movie", "song", "artist", "school", "country", "alternative"),
    *("competitor", "rider", "constructor", "document", "doc", "product", "book", "track"),
}
_RANKINGS = {
    *("ballot", "voter", "race", "critic", "user", "respondent", "judge", "poll", "week", "season"),
    *("id", "event", "round", "year", "person", "participant", "query", "pollster", "stage"),
    *("date", "track"),
}

# Of so many columns, those that together name the ranking are sought by their values alone.
_MOST_KEYS = 8

# Scores have at most so many lines for each pair of an item and a ranking that could be there.
_LEAST_FILLED = 0.02


class _LongColumns(NamedTuple):
    """What the columns of a long table are."""

    rankings: tuple[int, ...]
    item: int
    value: int
    evidence: Evidence
    named: bool = False


def recognise(block: TableBlock, columns: Sequence[int]) -> list[Way]:
    """Long tables of ranks, and of ratings."""
    if "Q0" in block.names:
        how = {"ranking": "query", "item": "document", "score": "score"}
        return [_way(block, how, "a TREC run", CERTAIN, noun="query", unranked="last")]
    named = _without_blanks(block, columns)[0]
    ways = [_ranked_way(block, form) for form in _ranked(named, columns)]
    best = max(((way.evidence, way.named) for way in ways), default=None)
    ways = [way for way in ways if (way.evidence, way.named) == best]
    return [*ways, *_rated(block, columns)]


def _way(block: TableBlock, how: dict[str, Any], what: str, evidence: Evidence, **more: Any) -> Way:
    def read(options: TableOptions) -> RankingSet:
        return _read(block, as_described(options, **how))

    keys = how["ranking"]
    settings = how if isinstance(keys, str) else {**how, "ranking": ",".join(keys)}
    return Way(what=what, read=read, evidence=evidence, settings=settings_of(settings), **more)


def _without_blanks(
    block: TableBlock, columns: Sequence[int]
) -> tuple[TableBlock, tuple[str, ...]]:
    """The table without lines that say "undervote" or the like instead of an item, and a note."""
    for i in columns:
        codes, texts = block.labels(i, is_empty)
        blank = np.array([*(names_nobody(text) for text in texts), False])[codes]
        if blank.any() and not blank.all() and not block.is_numeric(i):
            left_out = amount(int(blank.sum()), "blank choice")
            return block.some(~blank), (f"{left_out} left out",)
    return block, ()


def _ranked_way(block: TableBlock, form: _LongColumns) -> Way:
    keys = [block.names[i] for i in form.rankings]
    how = {"ranking": keys, "item": block.names[form.item], "rank": block.names[form.value]}
    note = f"each {' and '.join(keys)} is a ranking"
    return _way(block, how, "a long table of ranks", form.evidence, named=form.named, notes=(note,))


def _rated(block: TableBlock, columns: Sequence[int]) -> Iterator[Way]:
    """Ratings, one in a row: by names whose and of what, or both are offered."""
    bare = {i: block.names[i].strip().partition(":")[0].lower() for i in columns}
    places = [[i for i in columns if bare[i] in each] for each in (USERS, ITEMS, RATINGS)]
    named = all(len(texts) == 1 for texts in places)
    if named:
        keys, values = [(places[0][0], places[1][0])], [places[2][0]]
    else:
        called = [i for i in columns if {*words_of(bare[i])} & RATINGS and block.is_numeric(i)]
        values = called if len(called) == 1 else []
        others = [i for i in columns if i not in values] if values else []
        others = [i for i in others if _may_name(block, i)][:_MOST_KEYS]
        keys = [(a, b) for a in others for b in others if a != b]
    for ranking, item in keys:
        for value in values:
            if not block.is_numeric(value) or not _are_pairs(block, ranking, item, named=named):
                continue
            how = {
                "ranking": block.names[ranking],
                "item": block.names[item],
                "score": block.names[value],
            }
            typed = named and all(":" in name for name in how.values())
            yield _way(
                block,
                how,
                "ratings of RecBole" if typed else "ratings, one in a row",
                CERTAIN if named else POSSIBLE,
                named=named,
                noun="user" if named else "ranking",
                unranked="anywhere",
                notes=("higher is better",),
            )


def _may_name(block: TableBlock, column: int) -> bool:
    """Whether a column may name items or rankings: text, or whole numbers."""
    if not block.is_numeric(column):
        return True
    values = block.numbers(column, "the item")
    return not (values[~np.isnan(values)] % 1).any()


def _are_pairs(block: TableBlock, ranking: int, item: int, *, named: bool) -> bool:
    """Whether no pair comes again, and each of both comes often, as people who rate items do."""
    codes = [block.cells(i).codes for i in (ranking, item)]
    n_rankings, n_items = (len(block.cells(i).distinct) for i in (ranking, item))
    if n_distinct(codes[0] * n_items + codes[1]) < len(block) or min(n_rankings, n_items) < 2:
        return False
    filled = len(block) / (n_rankings * n_items)
    return named or (len(block) >= 2 * max(n_rankings, n_items) and filled > _LEAST_FILLED)


def _ranked(block: TableBlock, columns: Sequence[int]) -> Iterator[_LongColumns]:
    places = [i for i in columns if _are_places(block, i)]
    # A name beats any other column of places.
    named = [i for i in places if {*words_of(block.names[i])} & _RANKS]
    for rank in (named or places)[:_MOST_KEYS]:
        others = [i for i in columns if i != rank]
        forms = [
            form
            for item in _items(block, others)[:_MOST_KEYS]
            for form in _keyed(block, [i for i in others if i != item], item, rank)
        ]
        # Fewer columns that name a ranking are a simpler form of it.
        fewest = min((len(form.rankings) for form in forms), default=0)
        yield from (form for form in forms if len(form.rankings) == fewest)


def _are_places(block: TableBlock, column: int) -> bool:
    """Whether a column has whole numbers from 1, each at most as often as 1."""
    if not block.is_numeric(column):
        return False
    values = block.numbers(column, "the rank")
    listed = values[~np.isnan(values)]
    if listed.size < 3 or listed.min() != 1 or (listed % 1 > 0).any() or listed.max() > len(block):
        return False
    times = np.bincount(listed.astype(np.int64))[1:]
    # Ties take places from those behind, and short rankings have none there.
    return len(times) > 1 and times[0] > 1 and bool((np.diff(times) <= 0.5 * times[0]).all())


def _items(block: TableBlock, columns: Sequence[int]) -> list[int]:
    """The columns that may name items: text that comes again, called so if any is."""
    listed = []
    for i in columns:
        n_labels = len(block.labels(i, is_empty).texts)
        if 1 < n_labels < len(block) and not block.is_numeric(i):
            listed.append(i)
    named = [i for i in listed if {*words_of(block.names[i])} & _ITEMS]
    if not listed:
        numbered = [i for i in columns if {*words_of(block.names[i])} & (_ITEMS - {"name"})]
        return [i for i in numbered if block.is_numeric(i)]
    return named or listed


def _keyed(
    block: TableBlock, columns: Sequence[int], item: int, rank: int
) -> Iterator[_LongColumns]:
    """The columns that name rankings: each lists an item once, and has the ranks 1, 2, 3 …."""
    ranks = block.numbers(rank, "the rank")
    items = block.labels(item, is_empty).codes
    firsts = int((ranks == 1).sum())
    short = [i for i in columns if 1 < len(block.cells(i).distinct) <= max(firsts * 2, 2)]
    called = [i for i in short if {*words_of(block.names[i])} & _RANKINGS]
    short = [*called, *(i for i in short if i not in called)][:_MOST_KEYS]
    words = [{*words_of(block.names[i])} for i in (item, rank)]
    # "PrecinctName" is no item, as "name" alone is.
    alone = len(words[0]) == 1 or words[0] & (_ITEMS - {"name"})
    named = bool(words[1] & _RANKS and words[0] & _ITEMS and alone)
    for size in (1, 2, 3):
        forms: dict[bytes, _LongColumns] = {}
        for keys in combinations(short, size):
            most = np.prod([float(len(block.cells(i).distinct)) for i in keys])
            if 2 * most < firsts:
                continue  # Each ranking has a first item, or a few that are tied.
            some = slice(MANY_ROWS)
            codes = _together([block.cells(i).codes[some] for i in keys])
            if len(block) > MANY_ROWS:
                if not _evidence(codes, items[some], ranks[some], cut=True):
                    continue
                codes = _together([block.cells(i).codes for i in keys])
            evidence = _evidence(codes, items, ranks)
            few = len(block.labels(item, is_empty).texts) < FEWEST_ITEMS
            if evidence is not None and not named and (few or (size > 1 and not called)):
                evidence = POSSIBLE
            if evidence is not None:
                # Columns that divide the lines alike, such as a number and a name, are one form.
                first = np.sort(np.unique(codes, return_index=True)[1])
                forms.setdefault(first.tobytes(), _LongColumns(keys, item, rank, evidence, named))
        if forms:
            yield from forms.values()
            return


def _together(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    codes = parts[0]
    for other in parts[1:]:
        codes = np.unique(codes * (int(other.max()) + 1) + other, return_inverse=True)[1]
    return codes


def _evidence(
    codes: NDArray[np.int64],
    items: NDArray[np.int64],
    ranks: NDArray[np.float64],
    *,
    cut: bool = False,
) -> Evidence | None:
    """How much speaks for rankings of these lines; if they are ``cut``, the last is not whole."""
    listed = (items >= 0) & ~np.isnan(ranks)
    n_rankings = int(codes.max()) + 1
    size = np.bincount(codes, weights=listed, minlength=n_rankings)
    pairs = codes * (int(items.max()) + 2) + items + 1
    firsts = np.count_nonzero(ranks == 1)
    if 2 * n_rankings < firsts or size.max() < 2 or n_distinct(pairs) < len(pairs):
        return None
    if cut:
        return POSSIBLE
    # In each, the ranks are at most as many as the lines, and the first is 1.
    most, least = np.zeros(n_rankings), np.full(n_rankings, np.inf)
    np.maximum.at(most, codes[listed], ranks[listed])
    np.minimum.at(least, codes[listed], ranks[listed])
    some = size > 0
    total = np.bincount(codes, minlength=n_rankings)
    if (most > total)[some].mean() > MOST_ODD or (least > 1)[some].mean() > MOST_ODD:
        return None
    places = codes[listed] * (int(np.nanmax(ranks)) + 1) + ranks[listed].astype(np.int64)
    strict = n_distinct(places) / max(1, len(places))
    full = ((most == size) & some).sum() / max(1, some.sum())
    # Items that every ranking has for itself are no common set.
    times = np.bincount(items[items >= 0])
    if n_rankings > 1 and (times[items[listed]] > 1).mean() < (0.9 if n_rankings < 3 else 0.5):
        return None
    together = items[listed] * (int(np.nanmax(ranks)) + 1) + ranks[listed].astype(np.int64)
    if n_rankings > 1 and n_distinct(together) == n_distinct(items[listed]):
        return None  # numbers of the items, always the same
    if strict == 1 and full >= 1 - MOST_ODD:
        return CERTAIN
    return FITS if strict > 1 - MOST_ODD else POSSIBLE


def as_long(block: TableBlock, options: TableOptions) -> Way:
    """The long table that options, or its own names, describe."""
    scores = options.score is not None or (options.rank is None and "rank" not in block.names)
    better = "lower" if options.higher_is_better is False else "higher"
    return Way(
        what="a long table",
        read=lambda settled: _read(block, settled),
        evidence=CERTAIN,
        notes=(f"{better} is better",) if scores else (),
    )


def _read(block: TableBlock, options: TableOptions) -> RankingSet:
    """The rankings of a long table: ids and items in order of appearance.

    Other columns of a ranking are read from its first line.
    """
    item = one_column(options.item, "item", block)
    block, blanks = _without_blanks(block, [item])
    scores = options.score is not None or (options.rank is None and "rank" not in block.names)
    usual = "score" if scores else "rank"
    value = one_column(options.score if scores else options.rank, usual, block)
    column, items = block.labels(item, is_empty)
    rankings = ids_of(block, options)
    if rankings is None and len(items) < len(block):
        raise block.mistake(
            "no column says which ranking a line is about", ["name it with ", Setting("ranking")]
        )
    # Items that each have one line are one ranking.
    row, ids = rankings or (np.zeros(len(block), dtype=np.int64), [1])
    if (column < 0).any():
        block.refuse(int(np.argmax(column < 0)), item, "each line needs an item")
    number = block.numbers(value, f"the {usual}")
    starts = np.unique(row, return_index=True)[1]
    lines = block.lines
    if options.repeats in ("first", "last"):
        mentions = _mentions(row, column, options.repeats)
        row, column = row[mentions], column[mentions]
        number, lines = number[mentions], lines[mentions]
    again = first_repeat(row, column)
    if again is not None:
        raise RankingFileError(
            f"ranking {ids[row[again]]!r} mentions item {items[column[again]]!r} a "
            "second time; a ranking ranks each item once",
            block.source,
            int(lines[again]),
            remedy=[
                *("pass ", Setting("repeats", "first"), " or ", Setting("repeats", "last")),
                " to choose a mention",
            ],
        )
    ranks = entries_by_row(row, column, number, (len(ids), len(items)))
    if scores:
        ranks = from_ratings(ranks, higher_is_better=options.higher_is_better is not False)
    about = described(block.some(starts), options, [item, value])
    if options.ranking is None or isinstance(options.ranking, str):
        about["columns"].pop(RANKING if options.ranking is None else options.ranking, None)
    about["columns"] = {name: side_column(cells) for name, cells in about["columns"].items()}
    about |= {"ids": tuple(ids), "notes": blanks}
    return RankingSet(fitting_ranks(ranks), tuple(items), **about)


def _mentions(rows: NDArray[np.int64], columns: NDArray[np.int64], which: str) -> NDArray[np.int64]:
    """Row numbers left after dropping repeated (ranking, item) pairs."""
    lines = np.arange(len(rows)) if which == "first" else np.arange(len(rows))[::-1]
    pairs = np.stack([rows[lines], columns[lines]])
    return np.sort(lines[np.unique(pairs, axis=1, return_index=True)[1]])
