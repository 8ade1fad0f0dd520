"""What a table is: every reading is asked, and the evidence in the values decides.

A reading gives ways to read a table. The one for which the values speak most is taken; header names
only break ties. The rankings say in one line as what they were read. Where two ways are left that
differ, the table is refused with both, and the three items that each would put first; a way that is
only possible is offered, never taken. A message names no options but those whose result a fresh
reading gives again.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from rankcut.errors import InputError, RankingFileError, Setting, Text, amount
from rankcut.files.options import (
    RANKING,
    TableOptions,
    as_option,
    free_columns,
    meant_name,
    places_in,
    short,
    some_of,
    wanted,
)
from rankcut.files.readings import LAYOUTS, READINGS
from rankcut.files.readings.ranks import no_ranks
from rankcut.files.readings.surveys import without_headers
from rankcut.files.readings.way import FITS, MANY_ROWS, POSSIBLE, Way
from rankcut.files.tables import (
    BLOCK_CELLS,
    Layout,
    TableBlock,
    is_missing,
    number_of,
    plain_cells,
)
from rankcut.parameters import MOST_LISTED
from rankcut.rankings.ranking_set import RankingSet

READ_AS = "READ AS"
"""The field of a RankingSet's metadata that says as what a file was read."""

# What stands where there is no rank, because somebody did not start or finish, or was not placed.
_NO_PLACE = {
    *("nc", "nr", "ret", "r", "dnf", "dns", "dq", "dsq", "dnq", "dnp", "dnpq", "abd", "ab", "wd"),
    *("w/d", "excl", "unranked", "unr", "inj", "\\n", "np", "ot", "lap", "*"),
}

# What columns are is judged by this many rows or more, and by further ones while a column is
# empty, up to a block of cells.
JUDGED_ROWS = 512

# A message offers at most so many ways, and names about so many settings.
_MOST_OFFERED, _MOST_SETTINGS = 2, 6


def read_table(blocks: Iterable[TableBlock], options: TableOptions) -> RankingSet:
    """All rankings of a table, described by the options or recognised."""
    every = iter(blocks)
    first = without_headers(next(every))
    return _read(TableBlock.joined([first, *every]), options)


def scan_table(blocks: Iterable[TableBlock], options: TableOptions) -> Iterator[RankingSet]:
    """The rankings of a table a block at a time, where each row is a ranking; else all at once."""
    every = iter(blocks)
    judged = _enough_to_judge(every)
    together = TableBlock.joined(judged)
    first = without_headers(together)
    rest = chain(judged if first is together else [first], every)
    options = of_known_items(first, options)
    sample = next(wanted([first], options))
    way = way_of(sample, options)
    if way.on_rows is None or clean(sample)[1]:
        yield _read(TableBlock.joined(list(rest)), options)
        return
    blocks = wanted(rest, options)
    start = way.on_rows(next(blocks), options)
    following = next(blocks, None)
    notes = [
        *first.notes,
        *way.notes,
        *start.notes,
        *(() if following is None else ["then more rows, in blocks"]),
    ]
    yield having_line(start, way.what, way.noun, notes)
    for block in () if following is None else chain([following], blocks):
        yield way.on_rows(block, options)


def _enough_to_judge(blocks: Iterator[TableBlock]) -> list[TableBlock]:
    """The first blocks, until each column has a value and rows are many enough to compare."""
    judged = [next(blocks)]
    empty = judged[0].empty_columns()
    n_rows, width = len(judged[0]), len(judged[0].names)
    while (empty or n_rows < JUDGED_ROWS) and n_rows * width < BLOCK_CELLS:
        block = next(blocks, None)
        if block is None:
            break
        judged.append(block)
        empty &= block.empty_columns()
        n_rows += len(block)
    return judged


def _read(block: TableBlock, options: TableOptions, *, helpful: bool = True) -> RankingSet:
    options = of_known_items(block, options)
    block = next(wanted([block], options))
    way = way_of(block, options, helpful=helpful)
    rankings = way.read(options)
    layout = layout_of(block, options)
    notes = [*block.notes, *(() if layout else clean(block)[1]), *way.notes, *rankings.notes]
    notes += _odd_items(rankings.items)
    blank = rankings.n_ranked() == 0
    if blank.any() and not blank.all() and way.noun != "ranking":
        notes.append(f"{amount(int(blank.sum()), 'blank row')} left out")
        rankings = rankings.rows(~blank)
    if way.people is not None and way.people in rankings.columns:
        # Who is not named is somebody else in each row.
        cells = enumerate(plain_cells(rankings.columns[way.people]), start=1)
        people = [f"unknown {row}" if is_missing(cell) else str(cell) for row, cell in cells]
        rankings = rankings.with_people(np.array(people))
    rankings = rankings.having(title=way.title).meaning(way.unranked, asked_ties=way.asked_ties)
    return having_line(rankings, way.what, way.noun, notes)


def _odd_items(items: Sequence[object]) -> list[str]:
    """What to say of a few items among names that look like codes for no answer."""
    texts = [str(item) for item in items]
    odd = [t for t in texts if number_of(t, ordinals=False) is not None or not re.search(r"\w", t)]
    if not 0 < len(odd) <= len(texts) // 3:
        return []
    are = "is read as an item" if len(odd) == 1 else "are read as items"
    return [f"{some_of([*map(repr, odd)])} {are}"]


def having_line(
    rankings: RankingSet, what: str, noun: str = "ranking", notes: Sequence[str] = ()
) -> RankingSet:
    """The rankings with a line on as what they were read, what comes first and what was left out.

    >>> rankings = RankingSet(np.array([[2.0, 1.0], [2.0, 1.0]]), ("a", "b"))
    >>> having_line(rankings, "a BLT file").metadata
    {'READ AS': 'read as a BLT file: 2 items, 2 rankings; first b, a'}
    """
    plural = "queries" if noun == "query" else None
    counted = amount(rankings.n_rankings, noun, plural)
    if rankings.people is not None:
        counted += f" by {amount(len({*rankings.people.tolist()}), 'person', 'people')}"
    sentence = f"read as {what}: {amount(len(rankings.items), 'item')}, {counted}"
    more = [f"first {', '.join(map(short, first_items(rankings)))}", *notes]
    others = {*rankings.columns} - {*(rankings.details.get("sides") or ())}
    if others:
        more.append(amount(len(others), "other column"))
    return rankings.with_metadata(**{READ_AS: " ".join("; ".join([sentence, *more]).split())})


def layout_of(block: TableBlock, options: TableOptions) -> Layout | None:
    """The layout that options, or the table's own names, say; None if the values decide."""
    if options.layout is not None:
        return options.layout if options.layout in LAYOUTS else None
    if options.order is not None:
        return "orders"
    if block.marked is not None:
        return "wide"
    names = {*block.names}
    # Where others may say which ranking a line is about, the values decide.
    alone = RANKING in names or len(names) == 2
    named = alone and "item" in names and not names.isdisjoint({"rank", "score"})
    if named or (options.item, options.rank, options.score) != (None, None, None):
        return "long"
    if options.scale is not None:
        return "ratings"
    if options.item_columns is not None:
        return "wide"
    if "order" in names:
        order = block.names.index("order")
        numeric = any(map(block.is_numeric, free_columns(block, options)))
        if not block.is_numeric(order) and not numeric:
            return "orders"
    return None


def way_of(block: TableBlock, options: TableOptions, *, helpful: bool = True) -> Way:
    """The way to read a table that options or its values say; if none, a ``helpful`` mistake."""
    layout = layout_of(block, options)
    if layout is None:
        return _chosen_way(block, options, helpful)
    if options.question is not None and options.layout is None:
        raise RankingFileError(
            "a table that is described by options has no questions",
            block.source,
            remedy=["leave out ", Setting("question")],
        )
    return LAYOUTS[layout](block, options)


def clean(block: TableBlock) -> tuple[TableBlock, tuple[str, ...]]:
    """The table without header rows that are repeated in it and codes without a place, and notes.

    >>> from rankcut.files.tables import Cells
    >>> columns = [Cells.of(["a", "who"]), Cells.of(["1", "rank"])]
    >>> table, notes = clean(TableBlock("votes.csv", ["who", "rank"], columns, np.arange(2)))
    >>> len(table), notes
    (1, ('1 repeated header left out',))
    """
    return block.once("clean", lambda: _cleaned(block))  # type: ignore[no-any-return]


def _cleaned(block: TableBlock) -> tuple[TableBlock, tuple[str, ...]]:
    notes = []
    # A single column of choices may begin with any of them.
    again = np.full(len(block), block.titled and len(block.names) > 1)
    for i in range(len(block.names)):
        name = block.names[block.repeats.get(i, i)]
        codes, texts = block.labels(i)
        again &= np.array([*(text.lower() == name.strip().lower() for text in texts), False])[codes]
        if not again.any():
            break
    if again.any() and not again.all():
        block = block.some(~again)
        notes.append(f"{amount(int(again.sum()), 'repeated header')} left out")
    without_place: dict[str, int] = {}
    for i in range(len(block.names)):
        if block.is_numeric(i):
            continue
        codes, texts = block.labels(i)
        strays = {text for text in texts if number_of(text) is None}
        out = {text for text in strays if text.lower() in _NO_PLACE}
        if out and out == strays and len(out) < len(texts):
            times = np.bincount(codes[codes >= 0], minlength=len(texts)).tolist()
            for text in out:
                without_place[text] = without_place.get(text, 0) + times[texts.index(text)]
            block = block.without(out, [i])
    if without_place:
        cells = amount(sum(without_place.values()), "cell")
        verb = "is" if len(without_place) == 1 else "are"
        notes.append(f"{', '.join(sorted(without_place))} in {cells} {verb} no place")
    return block, tuple(notes)


def _every_way(block: TableBlock, options: TableOptions) -> list[Way]:
    """All ways to read a table, by the readings that the options leave."""
    table = clean(block)[0]
    columns: Sequence[int] = free_columns(table, options)
    readings = list(READINGS.values())
    if options.layout is not None:
        readings = [READINGS[options.layout]]
        columns = _described_columns(table, options, columns)
    return [way for recognise in readings for way in recognise(table, columns)]


def _described_columns(
    block: TableBlock, options: TableOptions, free: Sequence[int]
) -> Sequence[int]:
    """The columns of votes or tasks that options name; all others too where these are too few."""
    if options.item_columns is None:
        return free
    decides = [option for option in (options.winner, options.score, options.count) if option]
    columns = [i for option in (options.item_columns, *decides) for i in places_in(block, option)]
    decided = options.layout == "votes" and decides
    return list(dict.fromkeys([*columns, *(() if decided else free)]))


def ways_of(block: TableBlock, options: TableOptions) -> list[Way]:
    """The ways to read a table for which its values, and then its header, speak most."""
    return _best(_every_way(block, options), options)


def _best(ways: list[Way], options: TableOptions) -> list[Way]:
    if options.question is not None:
        ways = _asked(ways, options.question) or ways
    least = POSSIBLE if options.layout is not None else FITS
    best = max(((way.evidence, way.named) for way in ways if way.evidence >= least), default=None)
    return [way for way in ways if (way.evidence, way.named) == best]


def _asked(ways: Sequence[Way], question: str) -> list[Way]:
    """The ways to read a question that a user names: whole, by its beginning or by a word of it."""
    begin = [way for way in ways if way.question.lower().startswith(question.lower())]
    meant = meant_name(question, list(dict.fromkeys(way.question for way in ways)))
    return [way for way in ways if way.question == meant] or begin


def _chosen_way(block: TableBlock, options: TableOptions, helpful: bool) -> Way:
    """The one way to read a table, or the question that the user names."""
    every = _every_way(block, options)
    ways = _best(every, options)
    if not ways:
        raise _refusal(block, options, every) if helpful else block.mistake("no reading fits")
    questions = {way.question: way for way in ways}
    if options.question is not None and not _asked(ways, options.question):
        raise _no_question(questions, block)
    different = _different(_directed(ways, options), options)
    if len(different) > 1 and len(questions) > 1:
        raise _several_questions(questions, block)
    if len(different) > 1:
        raise _two_ways(different, block, options) if helpful else block.mistake("several do")
    way = different[0]
    if (
        way.noun in ("ballot", "vote", "game")
        and not way.items
        and _has_no_header(block, way, options)
    ):
        raise block.mistake(
            "the first line names items, as a row does, and not columns",
            ["if it is a row, pass ", Setting("header", 0)],
        )
    if way.open_direction and options.higher_is_better is None:
        remedy: list[str | Setting] = []
        for better in (True, False):
            first = _firsts(way, replace(options, higher_is_better=better))
            remedy += [" or " if remedy else "pass ", Setting("higher_is_better", better)]
            remedy += [f" (first {first})"]
        problem = f"these look like {way.what}, and nothing says whether higher is better"
        raise block.mistake(problem, remedy)
    return way


def _has_no_header(block: TableBlock, way: Way, options: TableOptions) -> bool:
    """Whether two names of columns are items, which only rows name; in a long table, one row is."""
    if len(block) > MANY_ROWS or not block.titled:
        return False
    names = block.names
    numbered = [name for name in names if number_of(name) is not None]
    if numbered == [str(n + 1) for n in range(len(numbered))]:
        names = [name for name in names if name not in numbered]  # places, in order
    return len({*names} & {str(item) for item in way.read(options).items}) > 1


def _directed(ways: Sequence[Way], options: TableOptions) -> Sequence[Way]:
    """The ways that take scores as the options say, if some do."""
    better = Setting("higher_is_better", options.higher_is_better)
    return [way for way in ways if better in way.settings] or ways


def _no_question(questions: dict[str, Way], block: TableBlock) -> RankingFileError:
    if any(questions):
        return _several_questions(questions, block)
    return RankingFileError(
        "the table has no question that ranks items, or it is not known to be a survey's",
        block.source,
        remedy=["name the items with ", Setting("item_columns")],
    )


def _several_questions(questions: dict[str, Way], block: TableBlock) -> RankingFileError:
    named = [
        f"{question!r}" + (f" ({way.title})" if way.title not in ("", question) else "")
        for question, way in questions.items()
    ]
    return RankingFileError(
        f"has {amount(len(questions), 'ranking question')}: {some_of(named)}",
        block.source,
        remedy=["name one: ", Setting("question", next(iter(questions)))],
    )


def _different(ways: Sequence[Way], options: TableOptions) -> list[Way]:
    """One of the ways for each set of rankings that they give."""
    if len(ways) < 2:
        return list(ways)
    kinds: dict[object, Way] = {}
    for way in ways:
        try:
            rankings = way.read(options)
        except InputError:
            continue
        matrix = rankings.sparse()
        content = (matrix.data.tobytes(), matrix.indices.tobytes(), matrix.indptr.tobytes())
        kinds.setdefault((rankings.items, content), way)
    return list(kinds.values()) or list(ways[:1])


def _two_ways(ways: Sequence[Way], block: TableBlock, options: TableOptions) -> RankingFileError:
    """The refusal of a table that can be read in several ways, with options for the likeliest."""
    number = {2: "two"}.get(len(ways), "several")
    remedy = _offers(ways, block, options, len(ways))
    return RankingFileError(f"can be read in {number} ways", block.source, remedy=remedy)


def _offers(
    ways: Iterable[Way], block: TableBlock, options: TableOptions, most: int
) -> list[str | Setting]:
    """The options by which a user asks for some ways, and the items that each puts first."""
    remedy: list[str | Setting] = []
    offered = 0
    for way in ways:
        named = sum(isinstance(part, Setting) for part in remedy)
        if offered == most or named >= _MOST_SETTINGS:
            break
        if way.settings and _gives(way, block, options):
            spaced = [part for setting in way.settings for part in (setting, " ")][:-1]
            text = f"as {way.what} (first {_firsts(way, options)}): "
            remedy += ["; or " if remedy else "", text, *spaced]
            offered += 1
    return remedy


def _gives(way: Way, block: TableBlock, options: TableOptions) -> bool:
    """Whether the settings of a way, in a fresh reading, give what the way gives."""
    settled = replace(options, where=(), **{s.name: s.value for s in way.settings})
    try:
        promised = way.read(options)
        return _equal(_read(replace(block), settled, helpful=False), promised)
    except InputError:
        return False


def _equal(one: RankingSet, other: RankingSet) -> bool:
    """Whether two sets have the same rankings, whatever their items are called."""
    one, other = (rankings.rows(rankings.n_ranked() > 0) for rankings in (one, other))
    if {*one.items} == {*other.items}:
        one = one.with_items(other.items)
    first, second = one.sparse(), other.sparse()
    return first.shape == second.shape and bool((first != second).nnz == 0)


def _firsts(way: Way, options: TableOptions) -> str:
    try:
        return ", ".join(map(short, first_items(way.read(options).meaning(way.unranked))))
    except InputError:
        return "none"


def first_items(rankings: RankingSet, number: int = 3) -> list[object]:
    """The items that beat most others, less those that beat them, over all rankings: Borda's count.

    >>> first_items(RankingSet(np.array([[2.0, 1.0, 3.0], [2.0, 1.0, 3.0]]), ("a", "b", "c")), 2)
    ['b', 'a']
    """
    matrix = rankings.sparse()
    n_listed = np.diff(matrix.indptr)
    row = np.repeat(np.arange(matrix.shape[0]), n_listed)
    order = np.lexsort((matrix.data, row))
    ranks = matrix.data[order]
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = (np.diff(ranks) != 0) | (np.diff(row) != 0)
    group = np.cumsum(begins) - 1
    start = np.flatnonzero(begins)
    size = np.diff(np.append(start, len(order)))
    before = (start - matrix.indptr[row[start]])[group]
    after = n_listed[row] - before - size[group]
    weights = rankings.counts.astype(np.float64)
    if rankings.weights is not None:
        weights = weights * np.asarray(rankings.weights, dtype=np.float64)
    net = (after - before).astype(np.float64)
    if rankings.unranked != "anywhere":
        # Items that a ranking leaves out come after those that it lists.
        net += matrix.shape[1] - n_listed[row]
    total = np.bincount(matrix.indices[order], weights[row] * net, minlength=matrix.shape[1])
    if rankings.unranked != "anywhere":
        by_row = weights * n_listed
        absent = by_row.sum() - np.bincount(matrix.indices, by_row[row], minlength=matrix.shape[1])
        total = total - absent
    best = np.argsort(-total, kind="stable")[:number]
    return [rankings.items[i] for i in best.tolist()]


def _refusal(block: TableBlock, options: TableOptions, every: Sequence[Way]) -> InputError:
    """Why a table is not read, and the two likeliest ways of those that a fresh reading takes."""
    table = clean(block)[0]
    mistake = no_ranks(table, free_columns(table, options))
    if mistake.line is None:  # two columns of one item
        return mistake
    ways = [way for way in every if way.evidence == POSSIBLE]
    ways.sort(key=lambda way: way.noun not in ("vote", "game"))
    remedy = _offers(ways, block, options, _MOST_OFFERED)
    if remedy:
        return mistake.moved(remedy=remedy)
    words = _shared_words(table)
    if words:
        problem = f"some columns hold {', '.join(map(repr, words))}, and none holds ranks"
        listing: Text = [
            "for ratings in words, list these from best to worst with ",
            Setting("scale"),
        ]
        return table.mistake(problem, listing)
    return mistake


def _shared_words(block: TableBlock) -> list[str]:
    """The words of columns that share a few, as columns of ratings do."""
    homes: dict[str, set[int]] = {}
    for i in range(len(block.names)):
        for text in [] if block.is_numeric(i) else block.labels(i).texts:
            homes.setdefault(text, set()).add(i)
    shared = {word for word, where in homes.items() if len(where) > 1}
    rated = {i for word in shared for i in homes[word]}
    # A word that a single column has is on the scale too, unless the column is about another thing.
    rated = {
        i for i in rated if 2 * len(shared & {*block.labels(i).texts}) >= len(block.labels(i).texts)
    }
    first = min(rated, default=0)
    rated = {i for i in rated if any({i, first} <= where for where in homes.values())}
    words = [word for word, where in homes.items() if where & rated]
    return words if 2 <= len(words) <= MOST_LISTED else []


def of_known_items(block: TableBlock, options: TableOptions) -> TableOptions:
    """The options for a table with columns of a model's items, which are then the items.

    Where an item has no column, no other column may hold numbers.
    """
    model_items = options.known_items
    if model_items is None or layout_of(block, options) is not None:
        return options
    numeric = [i for i in free_columns(block, options) if block.is_numeric(i)]
    ours = [block.names[i] for i in numeric if block.names[i] in model_items]
    others = [i for i in numeric if block.names[i] not in model_items]
    missing = [name for name in model_items if name not in ours]
    if not ours:
        return options
    if others and missing:
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
    return replace(options, layout="wide", item_columns=ours)
