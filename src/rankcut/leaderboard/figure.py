"""Pictures of a leaderboard, and its page."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcut.consensus.figure import pairs_picture, show_pairs
from rankcut.leaderboard.words import items_table, limits_in_words, span
from rankcut.pictures.charts import Row, dot_chart
from rankcut.pictures.page import Cell, Head, Html, find_items, item_button, table, tag, track
from rankcut.pictures.scene import Dot, Picture
from rankcut.pictures.theme import colour
from rankcut.results import Table
from rankcut.results.words import percent
from rankcut.strengths.limits import drawable

if TYPE_CHECKING:
    from rankcut.leaderboard.estimator import Leaderboard

AXES = {
    "elo": "rating (400 points are odds of 10 to 1)",
    "log-odds": "rating (log-odds)",
    "score": "mean score",
}

# Rows of a table that a page shows: more are in a file.
_ROWS = 200


def ratings_picture(board: "Leaderboard") -> Picture:
    """A row for each item: its place, its rating and the interval."""
    rows, order = list(items_table(board)), board.places_.order
    digits = board.scale_.digits(board.ratings_)
    ends = drawable(board.intervals_, board.ratings_)[order].tolist()
    charted = []
    for row, (low, high) in zip(rows, ends, strict=True):
        tip = f"{row['item']}: {row['rating']:.{digits}f} ({limits_in_words(row, digits)}); place "
        tip += span(row["place_low"], row["place_high"])
        dot = Dot(row["rating"], colour(0), low, high, tip)
        charted.append(Row(f"{row['place']}  {row['item']}", [dot]))
    caption = f"Dots: ratings. Lines: {100 * board.confidence:g} % intervals, each by itself."
    return dot_chart("Leaderboard", caption, charted, AXES[board.scale_.name])


def wins_picture(board: "Leaderboard") -> Picture | None:
    """Who won how often against whom."""
    matrix = _wins(board)
    return None if matrix is None else pairs_picture(**matrix)


def _wins(board: "Leaderboard") -> dict[str, Any] | None:
    """What the picture of pairs takes; a tie is half a win for each."""
    if board.games_ is None:
        return None
    wins = board.games_.wins + board.games_.ties / 2
    total = wins + wins.T
    shares = np.divide(wins, total, out=np.full_like(wins, np.nan), where=total > 0)
    names = [str(item) for item in board.items_]
    return {"shares": shares, "items": names, "order": board.places_.order.tolist(), "wins": wins}


def board_body(board: "Leaderboard") -> Iterator[Html]:
    """What the page shows: sentences, a field to find an item, tables, who won against whom."""
    yield from (tag("p", sentence) for sentence in board.sentences())
    tables = board.tables()
    rows, digits = list(tables.pop("items")), board.scale_.digits(board.ratings_)
    about = {
        row["item"]: f"rating {row['rating']:.{digits}f} ({limits_in_words(row, digits)}), place "
        f"{row['place']} ({span(row['place_low'], row['place_high'])})"
        for row in rows
    }
    yield find_items([(str(item), about[str(item)]) for item in board.items_])
    yield _items(board, rows, digits)
    level = f"{100 * board.confidence:g} %"
    yield tag(
        "p",
        f"Place: {level} sure of this item alone. Whole table: {level} sure of all "
        "places at once. First: the probability of being the best of all.",
        kind="soft",
    )
    matrix = _wins(board)
    if matrix is not None:
        yield tag("h2", "Wins")
        yield from show_pairs(**matrix, by_items=True)
    for label, part in board.boards_.items():
        yield tag("h2", f"{str(board.by).capitalize()}: {label}")
        yield _items(part, list(items_table(part)), digits)
    for name in ("history", "tiers", "judges", "adjust"):
        each = tables.get(name, Table({}))
        if len(each):
            yield tag("h2", name.capitalize())
            shown = [_row(each[k], digits) for k in range(min(len(each), _ROWS))]
            yield table(list(each.columns), shown)
        if len(each) > _ROWS:
            yield tag("p", f"… and {len(each) - _ROWS:,} more rows.", kind="soft")


def _row(row: dict[str, Any], digits: int) -> list[Any]:
    """A row of a table, ratings with as many digits as elsewhere."""
    if "rating" not in row:
        return list(row.values())
    ratings = ("rating", "low", "high")
    return [f"{value:.{digits}f}" if name in ratings else value for name, value in row.items()]


def _items(board: "Leaderboard", rows: list[dict[str, Any]], digits: int) -> Html:
    """The board as a table that sorts."""
    heads = [
        Head("place"),
        Head("item", "name"),
        Head("rating", "number"),
        Head(f"{100 * board.confidence:g} %", "line"),
        Head("place is", "number"),
        Head("whole table", "number roomy"),
        Head("first", "number roomy"),
        Head(board.unit, "number roomy"),
    ]
    order, cells = board.places_.order.tolist(), []
    lines = drawable(board.intervals_, board.ratings_)
    ends = float(lines.min()), float(lines.max())
    for i, row in zip(order, rows, strict=True):
        dot = Dot(row["rating"], colour(0), *lines[i].tolist())
        places = [(row[f"{kind}_low"], row[f"{kind}_high"]) for kind in ("place", "simultaneous")]
        cells.append(
            [
                row["place"],
                Cell(item_button(i, row["item"]), row["item"]),
                Cell(f"{row['rating']:.{digits}f}", row["rating"]),
                Cell(track([dot], ends, limits_in_words(row, digits)), float(lines[i, 0])),
                *(Cell(span(low, high), low) for low, high in places),
                Cell(percent(row["first"], 1), row["first"]),
                Cell(f"{row['n_votes']:,}", row["n_votes"]),
            ]
        )
    return table(heads, cells, items=order)
