"""Votes between two, and games: a row names two items and says which is ahead.

Two columns share their labels. A third decides each row: it names one of the two, or its side, or
scores the first; or two more columns, or one such as "1-0", have the scores of both; or a column
counts how often the first won. A vote is a ranking of two items, tied if both are as good or as
bad. It leaves out all other items, whose place is unknown.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut.errors import RankingFileError, Setting
from rankcut.files.options import MOST_LETTERS, TableOptions, as_option
from rankcut.files.readings.ballots import in_order_of_appearance
from rankcut.files.readings.way import (
    CERTAIN,
    FITS,
    MOST_ODD,
    POSSIBLE,
    Evidence,
    Way,
    ranking_set,
)
from rankcut.files.readings.words import (
    COUNTS,
    JUDGES,
    MARGINS,
    MODELS,
    SCORES,
    SIDES,
    TIES,
    WINNERS,
    is_about,
    opposites,
    words_of,
)
from rankcut.files.tables import TableBlock, n_distinct
from rankcut.rankings.ranking_set import RankingSet

# "1-0", "2:1", "½–½", as games end; "12:30.5" is a time.
_NUMBER = r"(\d+(?:[.,]\d+)?|\d*½|\d+/\d+)"
_RESULT = re.compile(rf"\s*{_NUMBER}\s*(?:[-–—:]|\bto\b)\s*{_NUMBER}\s*")
_TIME = re.compile(r"\d+:\d+\.\d+")
_CLOCK = re.compile(r"\d{1,2}:\d\d")
# "(1) Alabama", as the seeded are listed.
_SEED = re.compile(r"\s*[(\[]\s*(?:no\.?|#)?\s*\d{1,3}\s*[)\]]\s*(.*\S)\s*")

# What stands beside two sides, where there are more than two.
_THIRD = {"1": "3", "i": "iii", "one": "three", "a": "c", "first": "third", "x": "z"}

# What columns of numbers are called that name items, beside the word for the side.
_NUMBERED = {"id", "team", "player", "model", "item", "candidate", "option", "code", "no", "ids"}

# Among more columns of text, a pair is told by its name alone.
_MOST_TEXTS = 40

_FLAGS = {"true": 1.0, "yes": 1.0, "y": 1.0, "1": 1.0} | dict.fromkeys(
    ("false", "no", "n", "0"), 0.0
)
_VIEWED = {"win": 1.0, "won": 1.0, "w": 1.0, "loss": -1.0, "lose": -1.0, "lost": -1.0, "l": -1.0}
_VIEWED |= {"nc": np.nan, "no contest": np.nan}


class _Pair(NamedTuple):
    """Two columns of items."""

    left: int
    right: int
    side: int | None  #: which pair of words in the header tells them apart
    decided: bool = False  #: whether the header says that the first won


class _Ending(NamedTuple):
    """How each row ends: 1 if the first is ahead, -1 if the second is, 0 if tied, NaN unknown."""

    signs: NDArray[np.float64]
    columns: tuple[int, ...]  #: that say so
    evidence: Evidence
    named: bool
    settings: tuple[Setting, ...] = ()
    note: str = ""
    counts: NDArray[np.float64] | None = None  #: how often
    scored: bool = False


def recognise(block: TableBlock, columns: Sequence[int]) -> list[Way]:
    """The ways to read two columns of items and what decides between them."""
    for pair in _pairs(block, columns):
        endings = _completed(list(_endings(block, columns, pair)))
        best = max(((each.evidence, each.named) for each in endings), default=None)
        ways = [_way(block, pair, e) for e in endings if (e.evidence, e.named) == best]
        if ways:
            return ways
    return list(_square(block, columns))


def _square(block: TableBlock, columns: Sequence[int]) -> Iterator[Way]:
    """A table of how often each row beat each column, whose rows are called as its columns are."""
    numeric = [i for i in columns if block.is_numeric(i)]
    names = [block.names[i] for i in numeric]
    for label in columns:
        codes, texts = block.labels(label)
        if {*texts} != {*names} or not len(block) == len(names) > 2:
            continue
        rows = block.some(np.argsort([names.index(texts[code]) for code in codes]))
        wins = np.nan_to_num(np.column_stack([rows.numbers(i, "the wins") for i in numeric]))
        np.fill_diagonal(wins, 0)
        if (wins < 0).any() or (wins % 1 > 0).any() or (wins == wins.T).all():
            continue

        def read(options: TableOptions, wins: NDArray[np.float64] = wins) -> RankingSet:
            first, second = np.nonzero(wins)
            pairs = np.column_stack([first, second]).ravel()
            starts = np.arange(len(first) + 1) * 2
            ranks = np.tile([1.0, 2.0], len(first))
            matrix = csr_array((ranks, pairs, starts), shape=(len(first), len(names)))
            return RankingSet(matrix, tuple(names), counts=wins[first, second].astype(np.int64))

        yield Way(
            what="totals of pairs",
            read=read,
            evidence=CERTAIN,
            noun="vote",
            unranked="anywhere",
            notes=("a row has its wins over the columns",),
            items=tuple(names),
        )


def _completed(endings: list[_Ending]) -> list[_Ending]:
    """Endings that leave rows open, with the scores of those rows where all others agree."""
    scored = [each.signs for each in endings if each.scored]
    completed = []
    for ending in endings:
        blank = np.isnan(ending.signs)
        for signs in [] if ending.scored or ending.counts is not None else scored:
            if (blank & ~np.isnan(signs)).any() and (blank | (signs == ending.signs)).all():
                note = "; ".join(filter(None, [ending.note, "the scores say the others"]))
                signs = np.where(blank, signs, ending.signs)
                ending = ending._replace(signs=signs, note=note)
                break
        completed.append(ending)
    return completed


def _pairs(block: TableBlock, columns: Sequence[int]) -> list[_Pair]:
    """Pairs of columns that share labels: first those whose names are two sides."""
    tokens = {i: words_of(block.names[i]) for i in columns}
    place = {words: i for i, words in reversed(tokens.items())}
    pairs: dict[frozenset[int], _Pair] = {}
    for side, (left, right, _) in enumerate(SIDES):
        for i, words in tokens.items():
            for word in {*words} & {*left}:
                for opposite in right:
                    other = place.get(tuple(opposite if term == word else term for term in words))
                    third = tuple(
                        _THIRD.get(term, term) if term == word else term for term in words
                    )
                    several = third != words and third in place
                    if other is None or several or not _is_pair(block, i, other, named=True):
                        continue
                    if not {*tokens.values()}.isdisjoint(opposites(words, side)):
                        # Several play on a side, as in winner1_id, winner2_id, loser1_id.
                        return []
                    pairs.setdefault(frozenset((i, other)), _Pair(i, other, side, side == 0))
    # Names say more than codes, and many names more than few, such as countries of players.
    named = sorted(
        pairs.values(),
        key=lambda pair: (
            block.is_numeric(pair.left),
            _are_sentences(block, pair.left),
            MODELS.isdisjoint(words_of(block.names[pair.left])),
            not {"id", "ids", "code", "no"}.isdisjoint(words_of(block.names[pair.left])),
            -len(_codes(block, pair.left, pair.right)[1]),
            block.names[pair.left],
        ),
    )
    text = [i for i in columns if not block.is_numeric(i)]
    text = text if len(text) <= _MOST_TEXTS else []
    plain = [
        _Pair(i, j, None)
        for k, i in enumerate(text)
        for j in text[k + 1 :]
        if frozenset((i, j)) not in pairs and _is_pair(block, i, j, named=False)
    ]
    return [*named, *plain]


def _are_sentences(block: TableBlock, column: int) -> bool:
    """Whether texts are answers or the like rather than names of who gave them."""
    texts = block.labels(column).texts
    return sum(map(len, texts)) > MOST_LETTERS * len(texts)


def _is_pair(block: TableBlock, left: int, right: int, *, named: bool) -> bool:
    """Whether two columns have labels of a common set, two different ones in most rows."""
    labels = [{*block.labels(i).texts} for i in (left, right)]
    every = labels[0] | labels[1]
    if (
        left == right
        or len(every) < (2 if named else 3)
        or len(every) > max(2.0, (1.9 if named else 1.5) * len(block))
    ):
        return False
    numeric = [block.is_numeric(i) for i in (left, right)]
    if any(numeric):
        # Ranks, scores or numbers of wins of two items are no names.
        words = words_of(block.names[left])
        called = not {*words}.isdisjoint(_NUMBERED) or (len(words) == 1 and len(words[0]) > 1)
        called = called and COUNTS.isdisjoint(words)
        if not (all(numeric) and named and called):
            return False
        numbers = np.concatenate([block.numbers(i, "the item") for i in (left, right)])
        if (numbers % 1 > 0).any() or not np.nanmax(numbers) > len(block.names):
            return False
    a, b = _codes(block, left, right)[0].T
    both = (a >= 0) & (b >= 0)
    if not both.any() or (a[both] == b[both]).mean() > MOST_ODD:
        return False
    return named or 2 * len(labels[0] & labels[1]) >= min(map(len, labels))


def _codes(block: TableBlock, left: int, right: int) -> tuple[NDArray[np.int64], list[str]]:
    """The numbers of the two items of each row, -1 where there is none, and the items' names."""
    return block.once(("pair", left, right), lambda: _paired(block, left, right))  # type: ignore[no-any-return]


def _paired(block: TableBlock, left: int, right: int) -> tuple[NDArray[np.int64], list[str]]:
    numbers: dict[str, int] = {}
    codes = []
    for i in (left, right):
        labels = block.labels(i)
        item_codes = [numbers.setdefault(text, len(numbers)) for text in labels.texts]
        codes.append(np.array([*item_codes, -1])[labels.codes])
    bare = list(numbers)
    if _is_seeded(block, left, right):
        bare = _without_seeds(bare)
    merged = {name: k for k, name in enumerate(dict.fromkeys(bare))}
    places = np.array([*(merged[name] for name in bare), -1])
    return places[np.column_stack(codes)], list(merged)


def _is_seeded(block: TableBlock, *columns: int) -> bool:
    """Whether a text of the columns may have a seed in front."""

    def opens(i: int) -> bool:
        return any(text.lstrip()[:1] in {"(", "["} for text in block.labels(i).texts)

    return any(block.once(("seeded", i), partial(opens, i)) for i in columns)


def _without_seeds(names: list[str]) -> list[str]:
    """The names without seeds in front, if some names then become the same."""
    bare = [match[1] if (match := _SEED.fullmatch(name)) else name for name in names]
    return bare if len({*bare}) < len({*names}) else names


def _endings(block: TableBlock, columns: Sequence[int], pair: _Pair) -> Iterator[_Ending]:
    codes, names = _codes(block, pair.left, pair.right)
    others = [i for i in columns if i not in pair[:2]]
    if pair.decided:
        signs = np.where((codes >= 0).all(axis=1), 1.0, np.nan)
        ties = next((i for i in others if _says_ties(block, i)), None)
        if ties is not None:
            cells, texts = block.labels(ties)
            tied = np.array([*(_FLAGS[text.lower()] == 1 for text in texts), False])[cells]
            signs = np.where(tied, 0.0, signs)
        yield _Ending(signs, () if ties is None else (ties,), CERTAIN, True)
        return
    for i in [i for i in others if words_of(block.names[i])[-1] != "id"]:
        yield from _named_endings(block, pair, i, [j for j in others if j != i], codes, names)
    yield from _scored_endings(block, pair, columns)
    for i in others:
        yield from _counted_endings(block, pair, i)


def _says_ties(block: TableBlock, column: int) -> bool:
    """Whether a column says of each row that it is tied, or not."""
    called = {*words_of(block.names[column])} & {"tie", "tied", "draw", "drawn"}
    return bool(called) and {text.lower() for text in block.labels(column).texts} <= {*_FLAGS}


def _named_endings(
    block: TableBlock,
    pair: _Pair,
    column: int,
    others: Sequence[int],
    codes: NDArray[np.int64],
    names: Sequence[str],
) -> Iterator[_Ending]:
    """What a column says that names an item, a side, or a score of the first."""
    cells, texts = block.labels(column)
    if not texts:
        return
    words = {*words_of(block.names[column])}
    named = bool(words & WINNERS)
    setting = (Setting("winner", block.names[column]),)
    number = {name: k for k, name in enumerate(names)}
    items = texts
    if _is_seeded(block, pair.left, pair.right, column):
        items = _without_seeds([*names, *texts])[len(names) :]
    by_item = np.array([*(number.get(name, -1) for name in items), -1])[cells]
    tie = block.once(("ties", column), partial(_are_ties, texts))[cells]
    first, second = ((by_item == codes[:, k]) & (by_item >= 0) for k in (0, 1))
    decided = first | second
    if decided.any() and (decided | tie | (cells < 0)).all():
        signs = np.where(first, 1.0, np.where(second, -1.0, np.where(tie, 0.0, np.nan)))
        # A column beside many others may name one of the two for any reason.
        alone = len(block.names) == 3
        if named or (alone and np.unique(signs[decided]).size == 2):
            yield _Ending(signs, (column,), CERTAIN, named, setting)
        return
    sides = [words_of(block.names[i]) for i in pair[:2]]
    # "favorite, underdog, favorite_win_flag": a flag that is called after one of both.
    lone = {*sides[0]} ^ {*sides[1]}
    flag = bool(words & lone) and {text.lower() for text in texts} <= {*_FLAGS}
    if pair.side is None and len(block.names) > 3 and not flag:
        return
    if flag and any(_is_flag(block, i, {*sides[0], *sides[1], "draw", "tie"}) for i in others):
        return  # of home_win, away_win and draw, none alone says who won
    for coding in _codings(block, pair, texts, words):
        signs = np.array([*(coding.signs[text] for text in texts), np.nan])[cells]
        settings = (*setting, *coding.settings)
        yield _Ending(signs, (column,), coding.evidence, named, settings, coding.note)


def _is_flag(block: TableBlock, column: int, words: set[str]) -> bool:
    """Whether a column with one of some words in its name says yes or no."""
    called = words & {*words_of(block.names[column])}
    return bool(called) and {text.lower() for text in block.labels(column).texts} <= {*_FLAGS}


def _are_ties(texts: Sequence[str]) -> NDArray[np.bool_]:
    """Which of the texts say that nobody won, and False for none."""
    return np.array([*(TIES.fullmatch(text.lower()) is not None for text in texts), False])


class _SideCodes(NamedTuple):
    """What codes for sides stand for: 1 for the first, -1 for the second, 0 for a tie."""

    signs: Mapping[str, float]
    evidence: Evidence
    settings: tuple[Setting, ...] = ()
    note: str = ""


def _codings(
    block: TableBlock, pair: _Pair, texts: Sequence[str], words: set[str]
) -> Iterator[_SideCodes]:
    sides = [block.names[pair.left], block.names[pair.right]]
    left, right, ties = SIDES[pair.side] if pair.side is not None else ((), (), ())
    lone = [word for word in words_of(sides[0]) if word not in words_of(sides[1])]
    other = [word for word in words_of(sides[1]) if word not in words_of(sides[0])]
    is_outcome = bool(words & (WINNERS | SCORES | {"wins", "beats"}))
    signs: dict[str, float] = {}
    plain = {text: text if _score(text) is None else f"{_score(text):g}" for text in texts}
    plain |= {text: text for text in texts if text.lower() in _FLAGS}
    for text in texts:
        lower, last = plain[text].lower(), words_of(plain[text])[-1]
        if lower == sides[0].lower() or {lower, last} & {*lone} or last in left:
            signs[text] = 1.0
        elif lower == sides[1].lower() or {lower, last} & {*other} or last in right:
            signs[text] = -1.0
        elif lower in ties or TIES.fullmatch(lower) or (lower == "1.5" and "2" in plain.values()):
            signs[text] = 0.0
        elif lower in _VIEWED:
            signs[text] = _VIEWED[lower]
        elif not is_outcome or _score(text) is None:
            return
    values = {*plain.values()}
    directed = all(signs.get(text) for text in texts if signs.get(text) != 0.0)
    if {*signs} == {*texts} and len(values) > 1 and not values <= {"0", "1", "-1", "0.5"}:
        in_words = not all(text.lstrip("-").replace(".", "").isdigit() for text in values)
        if values == {"0", "1", "2"} and not (lone == ["1"] and other == ["2"]):
            from_zero = {"0": 1.0, "1": -1.0, "2": 0.0}
            yield from _either(signs, {text: from_zero[plain[text]] for text in texts}, sides)
        elif directed and (in_words or is_outcome):
            coded = ", ".join(
                f"{text} is {'a tie' if not sign else repr(sides[0] if sign > 0 else sides[1])}"
                for text, sign in sorted(signs.items())
            )
            yield _SideCodes(signs, CERTAIN if in_words else FITS, (), "" if in_words else coded)
        return
    scored = {text: _score(text) for text in texts}
    if None in scored.values() or len(values) < 2 or not is_outcome:
        return
    numbers = {float(value) for value in scored.values() if value is not None}
    if numbers <= {0.0, 0.5, 1.0} or numbers <= {-1.0, 0.0, 1.0}:
        middle = 0.0 if -1.0 in numbers else 0.5
        first = {text: float(np.sign((v or 0.0) - middle)) for text, v in scored.items()}
        flipped = {text: -sign for text, sign in first.items()}
        if words & {*left, *lone}:
            yield _SideCodes(first, CERTAIN)
        elif words & {*right, *other}:
            yield _SideCodes(flipped, CERTAIN)
        elif middle in numbers and words & SCORES:
            yield _SideCodes(first, FITS, (), f"1 is a win of {sides[0]!r}")
        else:
            yield from _either(first, flipped, sides)


def _either(
    first: Mapping[str, float], flipped: Mapping[str, float], sides: Sequence[str]
) -> Iterator[_SideCodes]:
    for signs, side, better in ((first, sides[0], True), (flipped, sides[1], False)):
        settings = (Setting("higher_is_better", better),)
        yield _SideCodes(signs, FITS, settings, f"1 is a win of {side!r}")


def _score(text: str) -> float | None:
    try:
        return _FLAGS[text.lower()] if text.lower() in _FLAGS else float(text)
    except ValueError:
        return None


def _scored_endings(block: TableBlock, pair: _Pair, columns: Sequence[int]) -> Iterator[_Ending]:
    """Two columns with the score of each side, or one such as "1-0"."""
    others = [i for i in columns if i not in pair[:2]]
    # "Away, Score, Home": the first number is of the side that stands first.
    turned = columns.index(pair.right) < columns.index(pair.left)
    for i in others:
        cells, texts = block.labels(i)
        results = block.once(("results", i), partial(_results, texts))
        named = bool({*words_of(block.names[i])} & SCORES)
        odd = sum(result is None for result in results)
        if not named and all(map(_CLOCK.fullmatch, texts)):
            continue
        if texts and odd <= MOST_ODD * len(texts):
            signs = [
                np.nan if result is None else float(np.sign(result[turned] - result[not turned]))
                for result in results
            ]
            note = f"the first number is of {block.names[pair.right]!r}" if turned else ""
            setting = (Setting("score", block.names[i]),)
            by_row = np.array([*signs, np.nan])[cells]
            yield _Ending(by_row, (i,), CERTAIN, named, setting, note, scored=True)
        if {*words_of(block.names[i])} & MARGINS and block.is_numeric(i):
            margin = block.numbers(i, "the margin")
            if (margin > 0).any() and (margin < 0).any():
                note = f"{block.names[i]} above 0 is a win of {block.names[pair.left]!r}"
                setting = (Setting("score", block.names[i]),)
                yield _Ending(np.sign(margin), (i,), FITS, True, setting, note, scored=True)
    pairs = list(_score_columns(block, others)) or _whole_numbers(block, others)
    for i, j in pairs:
        values = [block.numbers(k, "the score") for k in (i, j)]
        if any((scores < 0).any() or np.isnan(scores).all() for scores in values):
            continue
        by_row = np.sign(values[0] - values[1])
        words = {*words_of(block.names[i])}
        most = max(np.nanmax(scores) for scores in values)
        if words & COUNTS and most > 1 and _are_unique(block, pair):
            yield _Ending(by_row, (i, j), CERTAIN, True, counts=np.column_stack(values))
            continue
        named = bool(words & SCORES) or words_of(block.names[i])[-1].startswith("ft")
        named |= all(_is_flag(block, k, {*words_of(block.names[k])}) for k in (i, j))
        settings = (Setting("score", as_option([i, j], block.names)),)
        # Shots, odds or cards are of two sides too.
        evidence = CERTAIN if named else POSSIBLE
        yield _Ending(by_row, (i, j), evidence, named, settings, scored=True)


def _results(texts: Sequence[str]) -> list[tuple[float, float] | None]:
    return [*map(_result, texts)]


def _result(text: str) -> tuple[float, float] | None:
    """The two scores of a result.

    >>> _result("3–1"), _result("½-½"), _result("Q3")
    ((3.0, 1.0), (0.5, 0.5), None)
    """
    match = _RESULT.fullmatch(text)
    if match is None or _TIME.fullmatch(text):
        return None
    numbers = []
    for part in match.groups():
        above, _, below = part.replace(",", ".").partition("/")
        half = 0.5 if above.endswith("½") else 0.0
        above = above.removesuffix("½") or "0"
        numbers.append((float(above) + half) / (float(below) or 1.0 if below else 1.0))
    return numbers[0], numbers[1]


def _whole_numbers(block: TableBlock, others: Sequence[int]) -> list[tuple[int, int]]:
    """The two columns of whole numbers, if there are two, which may be the scores of the sides."""
    numeric = [i for i in others if block.is_numeric(i) and not is_about(block.names[i])]
    values = {i: block.numbers(i, "the score") for i in numeric}
    whole = [i for i, column in values.items() if not (column % 1 > 0).any()]
    return [(whole[0], whole[1])] if len(whole) == 2 else []


def _score_columns(block: TableBlock, others: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Columns of numbers whose names differ as the sides do."""
    tokens = {i: words_of(block.names[i]) for i in others if block.is_numeric(i)}
    lengths: dict[int, list[int]] = {}
    for i, words in tokens.items():
        lengths.setdefault(len(words), []).append(i)
    for left, right, _ in SIDES[1:]:
        for alike in lengths.values():
            for i, j in permutations(alike[:_MOST_TEXTS], 2):
                if _differ(tokens[i], tokens[j], left, right):
                    yield i, j


def _differ(
    first: tuple[str, ...], second: tuple[str, ...], left: Sequence[str], right: Sequence[str]
) -> bool:
    """Whether two names differ in the words for the sides: "home_score", "FTHG" and "FTAG"."""
    unlike = [(a, b) for a, b in zip(first, second, strict=True) if a != b]
    if len(unlike) != 1:
        return False
    a, b = unlike[0]
    letters = [(x, y) for x, y in zip(a, b, strict=False) if x != y]
    short = len(a) == len(b) < 6 and len(letters) == 1
    return (a in left and b in right) or (
        short and letters[0][0] in left and letters[0][1] in right
    )


def _are_unique(block: TableBlock, pair: _Pair) -> bool:
    """Whether no pair of items comes again."""
    codes, names = _codes(block, pair.left, pair.right)
    return n_distinct(codes[:, 0] * (len(names) + 1) + codes[:, 1]) == len(codes)


def _counted_endings(block: TableBlock, pair: _Pair, column: int) -> Iterator[_Ending]:
    """A column that counts how often the first is ahead."""
    words = {*words_of(block.names[column])}
    if not (words & COUNTS and block.is_numeric(column) and _are_unique(block, pair)):
        return
    values = block.numbers(column, "the count")
    listed = values[~np.isnan(values)]
    if listed.size and (listed >= 0).all() and (listed % 1 == 0).all():
        counts = np.column_stack([values, np.zeros_like(values)])
        setting = (Setting("count", block.names[column]),)
        yield _Ending(np.sign(values), (column,), FITS, True, setting, counts=counts)


def _way(block: TableBlock, pair: _Pair, ending: _Ending) -> Way:
    names = block.names
    judges = [name for name in names if name.strip().lower() in JUDGES]
    what, noun = ("games with scores", "game") if ending.scored else ("votes between two", "vote")
    if ending.counts is not None:
        what = "totals of pairs"
    notes = [ending.note] if ending.note else []
    if blank := int(np.isnan(ending.signs).sum()):
        notes.append(f"{blank:,} without an answer left out")
    texts = [text for i in pair[:2] for text in block.labels(i).texts]
    if _is_seeded(block, *pair[:2]) and _without_seeds(texts) != texts:
        notes.append("seeds such as (1) are no part of names")
    columns = Setting("item_columns", as_option(pair[:2], names))
    return Way(
        what=what,
        read=lambda options: _read(block, pair, ending, options),
        evidence=ending.evidence,
        named=ending.named or pair.side is not None,
        settings=(Setting("layout", "votes"), columns, *ending.settings),
        noun=noun,
        unranked="anywhere",
        people=judges[0] if judges else None,
        notes=tuple(notes),
    )


def _read(block: TableBlock, pair: _Pair, ending: _Ending, options: TableOptions) -> RankingSet:
    codes, names = _codes(block, pair.left, pair.right)
    signs, rows = ending.signs, np.arange(len(block))
    counts = None
    if ending.counts is not None:
        # How often the first won, then how often the second did.
        rows, counts = np.repeat(rows, 2), ending.counts.ravel()
        signs = np.where(counts > 0, np.tile([1.0, -1.0], len(block)), np.nan)
    good = ~np.isnan(signs) & (codes[rows] >= 0).all(axis=1) & (codes[rows, 0] != codes[rows, 1])
    if not good.any():
        raise RankingFileError("no row says which of two items is ahead", block.source)
    every = counts is None and bool(good.all())
    rows, signs = rows[good], signs[good]
    pairs, items = in_order_of_appearance(codes[rows], names)
    ranks = np.column_stack([np.where(signs < 0, 2.0, 1.0), np.where(signs > 0, 2.0, 1.0)])
    shape = (len(rows), len(items))
    matrix = csr_array((ranks.ravel(), pairs.ravel(), np.arange(len(rows) + 1) * 2), shape=shape)
    # Scores are kept for later use, and so are the sides, unless they say who won.
    outcome_columns = [
        *(() if ending.scored else ending.columns),
        *(pair[:2] if pair.decided else ()),
    ]
    about = options if counts is None else replace(options, count=None)
    rankings = ranking_set(
        matrix, items, block if every else block.some(rows), about, outcome_columns
    )
    if counts is not None:
        rankings = rankings.with_counts(counts[good].astype(np.int64), rankings.weights)
    sides = None if pair.decided else (block.names[pair.left], block.names[pair.right])
    return rankings.with_details(sides=sides)
