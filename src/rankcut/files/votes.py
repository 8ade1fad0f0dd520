"""Votes between two, best-worst tasks, scores of models, runs and ratings.

A vote is a ranking of two items; tied if both are as good or as bad. A best-worst task ranks the
items shown: the best, the others tied, the worst. Both leave out all other items, whose place is
unknown. Of a table of scores each data set is a ranking of the models.

========== ======================================================================================
TREC run   ``query Q0 document rank score tag``: each query ranks documents by score
RecBole    ``user_id:token``, ``item_id:token``, ``rating:float`` in a header, tabs between
MovieLens  ``userId,movieId,rating,timestamp``; ``1::1193::5::978300760``; or tabs and no header
========== ======================================================================================
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from rankcut.errors import RankingFileError, Setting
from rankcut.files.guessing import check_ranks
from rankcut.files.roles import Guess
from rankcut.files.tables import TableBlock, shown
from rankcut.files.text import Source, open_text, source_name

_Orders: TypeAlias = list[list[tuple[str, ...]]]

# How the columns of two items, or the winner, tell the left one from the right one.
_LEFT, _RIGHT = ("a", "1", "left", "first", "x"), ("b", "2", "right", "second", "y")
_WINNERS = {
    *("winner", "vote", "preferred", "preference", "choice", "result", "outcome", "judgment"),
    *("judgement", "label", "win", "won", "better"),
}
_TIES = re.compile(
    r"ties?\b.*|draw|equal|both\b.*|bothbad|neither|same|none|no preference|0(\.5)?|="
)
_JUDGES = {
    *("judge", "judge_id", "annotator", "annotator_id", "rater", "rater_id", "voter", "voter_id"),
    *("user", "user_id", "worker", "worker_id", "respondent", "respondent_id", "participant"),
    *("participant_id", "person", "resp_id", "respid", "respondentid", "sys_respnum"),
}
_BEST, _WORST = {"best", "most"}, {"worst", "least"}
_SHOWN = re.compile(r"(item|option|alt|alternative|shown|choice|attribute|object)s?[\s_]?\d+")

_MODELS = {"model", "models", "algorithm", "method", "system", "classifier", "learner", "approach"}
_DATA = {"dataset", "data_set", "data set", "data", "task", "benchmark", "problem", "fold"}
_HIGHER = {"accuracy", "acc", "auc", "f1", "score", "bleu", "rouge", "r2", "precision", "recall"}
_LOWER = {"error", "loss", "rmse", "mae", "mse", "perplexity", "wer", "time", "seconds", "rank"}

_USERS = {"user", "userid", "user_id", "reviewer", "reviewerid", "reviewer_id", "user id"}
_ITEMS = {
    *("item", "itemid", "item_id", "movie", "movieid", "movie_id", "film", "filmid", "film_id"),
    "title",
    *("product", "productid", "product_id", "book", "book_id", "bookid", "asin", "isbn"),
}
_RATINGS = {"rating", "ratings", "stars", "score", "points"}


def votes(block: TableBlock) -> list[Guess]:
    """Votes between two: ``model_a, model_b, winner``, or ``winner, loser``."""
    called = {name.strip().lower(): i for i, name in enumerate(block.names)}
    if {"winner", "loser"} <= {*called}:
        used = [called["winner"], called["loser"]]
        orders: _Orders = [[(a,), (b,)] if a and b else [] for a, b in _texts(block, used)]
        return [_as_long(block, "votes between two", orders, "vote", used)] if any(orders) else []
    found = [
        i
        for name, i in called.items()
        if name in _WINNERS or {*re.split(r"[\s_.-]+", name)} & {"winner", "preferred"}
    ]
    winners = sorted(found, key=block.is_numeric)
    for winner in winners:
        for left, right in _sides(block.names):
            # Ranks of two items are numbers, and not their names.
            if not (block.is_numeric(left) or block.is_numeric(right)):
                decided = _decided(block, [left, right, winner])
                if decided is not None:
                    used = [left, right, winner]
                    return [_as_long(block, "votes between two", decided, "vote", used)]
    return []


def _sides(names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of columns whose names differ as a and b, or left and right, do."""
    parts = [re.split(r"[\s_.-]+|(?<=[a-z])(?=[12]$|[A-Z])", name.strip()) for name in names]
    tokens = [[part.lower() for part in own] for own in parts]
    place = {tuple(own): i for i, own in enumerate(tokens)}
    for left, right in zip(_LEFT, _RIGHT, strict=True):
        for own, i in place.items():
            other = tuple(right if token == left else token for token in own)
            if left in own and other in place:
                yield i, place[other]


def _decided(block: TableBlock, columns: Sequence[int]) -> _Orders | None:
    """The order of each vote; None if some cell says neither of both, nor a tie."""
    rows = _texts(block, columns)
    names = {name for a, b, _ in rows for name in (a, b)}
    # Answers of two models are new in each row; the models are not.
    if len(names) > max(2, 1.5 * len(rows)):
        return None
    orders: _Orders = []
    for a, b, won in rows:
        # "model_a" and "answer-b" end in their side.
        side = re.split(r"[\s_-]+", won.lower())[-1]
        if not (a and b and won) or a == b:
            orders.append([])
        elif won == a or (won != b and side in _LEFT):
            orders.append([(a,), (b,)])
        elif won == b or side in _RIGHT:
            orders.append([(b,), (a,)])
        elif _TIES.fullmatch(won.lower()):
            orders.append([(a, b)])
        else:
            return None
    return orders if any(orders) else None


def tasks(block: TableBlock) -> list[Guess]:
    """Best-worst tasks (MaxDiff): the items shown, the best and the worst, one row a task."""
    tokens = [{*re.split(r"[\s_.-]+", name.strip().lower())} for name in block.names]
    best = [i for i, own in enumerate(tokens) if own & _BEST]
    worst = [i for i, own in enumerate(tokens) if own & _WORST]
    if len(best) != 1 or len(worst) != 1:
        return []
    choices = [*best, *worst]
    numbered = [i for i, n in enumerate(block.names) if _SHOWN.fullmatch(n.strip().lower())]
    rows = _texts(block, choices)
    if len(numbered) < 3:
        chosen = {cell for row in rows for cell in row} - {""}
        others = [i for i in range(len(block.names)) if i not in choices]
        numbered = [i for i in others if chosen & {cell for (cell,) in _texts(block, [i])}]
    if len(numbered) > 2:
        sets = _texts(block, numbered)
        return _tasks(block, rows, sets, [*choices, *numbered])
    for i in range(len(block.names)):
        for mark in ";,|":
            sets = [
                [p.strip() for p in cell.split(mark) if p.strip()] for (cell,) in _texts(block, [i])
            ]
            if i not in choices and all(len(own) > 2 for own in sets if own) and any(sets):
                found = _tasks(block, rows, sets, [*choices, i])
                if found:
                    return found
    return []


def _tasks(
    block: TableBlock, rows: list[list[str]], sets: list[list[str]], used: list[int]
) -> list[Guess]:
    orders: _Orders = []
    for (best, worst), items in zip(rows, sets, strict=True):
        shown_items = [item for item in items if item]
        if best.isdecimal() and best not in shown_items:
            # A choice may be the number of the item shown.
            places = [int(best) - 1, int(worst) - 1 if worst.isdecimal() else -1]
            if not all(0 <= place < len(items) for place in places):
                return []
            best, worst = (items[place] for place in places)
        if not (best and worst) or best == worst:
            orders.append([])
            continue
        if not {best, worst} <= {*shown_items}:
            return []
        middle = tuple(item for item in shown_items if item not in (best, worst))
        orders.append([group for group in ((best,), middle, (worst,)) if group])
    return [_as_long(block, "best-worst tasks", orders, "task", used)] if any(orders) else []


def _texts(block: TableBlock, columns: Sequence[int]) -> list[list[str]]:
    cells = [["" if c is None else shown(c) for c in block.objects(i)] for i in columns]
    return [list(row) for row in zip(*cells, strict=True)]


def _as_long(
    block: TableBlock,
    what: str,
    orders: _Orders,
    noun: str,
    used: Sequence[int],
) -> Guess:
    """Orders as a long table, with what else the rows say."""
    entries = [
        (row, item, float(rank))
        for row, order in enumerate(orders)
        for rank, group in enumerate(order, start=1)
        for item in group
    ]
    rows = np.array([row for row, _, _ in entries], dtype=np.int64)
    kept = [i for i in range(len(block.names)) if i not in used]
    names = [f"{n} (column)" if n in ("ranking", "item", "rank") else n for n in block.names]
    columns: list[Any] = [
        (block.lines[rows] - block.lines[0] + 1).astype(np.float64),
        tuple(item for _, item, _ in entries),
        np.array([rank for _, _, rank in entries]),
        *(tuple(block.objects(i)[rows].tolist()) for i in kept),
    ]
    judges = [names[i] for i in kept if block.names[i].strip().lower() in _JUDGES]
    blank = len(orders) - len({*rows.tolist()})
    return Guess(
        what,
        TableBlock(
            block.source,
            ["ranking", "item", "rank", *(names[i] for i in kept)],
            columns,
            block.lines[rows],
        ),
        {"layout": "long", "ranking": "ranking", "item": "item", "rank": "rank"},
        noun=noun,
        unranked="anywhere",
        asked_ties=noun != "task",
        people=judges[0] if judges else None,
        said=(f"{blank} without an answer left out",) if blank else (),
    )


def scores(block: TableBlock) -> list[Guess]:
    """Scores of models on data sets: a table of numbers, or a row for each score."""
    called = {name.strip().lower(): i for i, name in enumerate(block.names)}
    models = [i for name, i in called.items() if name in _MODELS and not block.is_numeric(i)]
    data = [i for name, i in called.items() if name in _DATA]
    numbers = [i for i in range(len(block.names)) if block.is_numeric(i) and i not in data]
    if len(models) == 1 and len(data) == 1:
        metrics = [i for i in numbers if block.names[i].strip().lower() in _HIGHER | _LOWER]
        if len(metrics or numbers) != 1:
            return []
        (score,) = metrics or numbers
        told = dict(zip(("item", "ranking", "score"), (models[0], data[0], score), strict=True))
        options: dict[str, Any] = {key: block.names[i] for key, i in told.items()}
        by_hand = [Setting(key, value) for key, value in options.items()]
        return [_scored(block, {"layout": "long", **options}, block.names[score], by_hand)]
    own = models or data
    if len(own) != 1 or own[0] != 0 or len(numbers) < 2:
        return []
    values = np.column_stack([block.numbers(i, "the score") for i in numbers])
    if check_ranks(values if data else values.T, [""] * (values.shape[1 if data else 0])) is None:
        return []
    name = block.names[0]
    key = "item" if models else "ranking"
    told_wide = {"layout": "ratings", key: name}
    hand = [Setting("layout", "ratings"), Setting(key, name)]
    return [_scored(block, told_wide, "", hand)]


def _scored(block: TableBlock, options: dict[str, Any], metric: str, by_hand: Any) -> Guess:
    words = {*re.split(r"[\s_.-]+", metric.strip().lower())}
    better = True if words & _HIGHER else False if words & _LOWER else None
    if better is not None:
        options = {**options, "higher_is_better": better}
    said = () if better is None else (f"{'higher' if better else 'lower'} is better",)
    what = "scores of models on data sets"
    return Guess(
        what, block, options, noun="data set", said=said, by_hand=by_hand, unranked="anywhere"
    )


def log_blocks(source: Source) -> Iterator[TableBlock]:
    """The table of a TREC run, or of a MovieLens file without a header."""
    name = source_name(source)
    with open_text(source) as text:
        lines = [(n, line.strip()) for n, line in enumerate(text, start=1) if line.strip()]
    rows = [re.split(r"::|\s+", line) for _, line in lines]
    known = {
        6: ["query", "Q0", "item", "rank in the run", "score", "run"],
        4: ["user", "item", "rating", "timestamp"],
    }
    width = len(rows[0]) if rows else 0
    is_run = width == 6 and all(row[1:2] in (["Q0"], ["0"]) for row in rows)
    if not is_run and not (width == 4 and all(len(r) == 4 and r[1].isdigit() for r in rows)):
        raise RankingFileError(
            "neither a TREC run ('query Q0 document rank score tag') nor ratings of MovieLens "
            "('user::film::rating::time')",
            name,
            1,
            remedy="if it is a table, name its format: csv or tsv",
        )
    for (line, _), row in zip(lines, rows, strict=True):
        if len(row) != width:
            raise RankingFileError(f"this line has {len(row)} fields, not {width}", name, line)
    columns = list(zip(*rows, strict=True))
    yield TableBlock(name, known[width], columns, np.array([line for line, _ in lines]))


def ratings(block: TableBlock) -> list[Guess]:
    """Ratings by users, or a TREC run: one row for each item of a ranking."""
    bare = [name.strip().partition(":")[0].lower() for name in block.names]
    if "Q0" in block.names:
        told = {"layout": "long", "ranking": "query", "item": "item", "score": "score"}
        return [Guess("a TREC run", block, told, noun="query", unranked="last")]
    found = [
        [i for i, own in enumerate(bare) if own in each] for each in (_USERS, _ITEMS, _RATINGS)
    ]
    if any(len(own) != 1 for own in found):
        return []
    names = [block.names[own[0]] for own in found]
    told = {"layout": "long", **dict(zip(("ranking", "item", "score"), names, strict=True))}
    typed = all(":" in name for name in names)
    what = "ratings of RecBole" if typed else "ratings, one in a row"
    return [Guess(what, block, told, noun="user", unranked="anywhere", said=("higher is better",))]
