"""Pictures of a leaderboard, and its page."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcut.leaderboard.words import items_table, span
from rankcut.pictures.charts import Row, dot_chart
from rankcut.pictures.page import (
    Cell,
    Head,
    Html,
    find_items,
    item_button,
    show_picture,
    table,
    tag,
    track,
)
from rankcut.pictures.scene import (
    LEAST,
    WIDTH,
    Dot,
    Path,
    Picture,
    Scene,
    Shape,
    Text,
    rectangle,
    text_width,
)
from rankcut.pictures.theme import FAINT, MOST_IN_FIGURE, SOFT, colour, shorten_apart
from rankcut.results import Table
from rankcut.results.words import percent

if TYPE_CHECKING:
    from rankcut.leaderboard.estimator import Leaderboard

AXES = {
    "elo": "rating (400 points are odds of 10 to 1)",
    "log-odds": "rating (log-odds)",
    "score": "mean score",
}

# Rows of a table that a page shows: more are in a file.
_ROWS = 200

# Pixels: letters of the matrix, and the narrowest and widest of its cells.
_CELL_LETTERS, _NARROWEST_CELL, _WIDEST_CELL = 11.0, 14.0, 44.0


def ratings_picture(board: "Leaderboard") -> Picture:
    """A row for each item: its place, its rating and the interval."""
    places, limits, ratings = board.places_, board.intervals_, board.ratings_
    digits = board.scale_.digits(ratings)
    rows = []
    for i in places.order.tolist():
        low, high = limits[i].tolist()
        tip = f"{board.items_[i]}: {ratings[i]:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"
        tip += f"; place {span(*places.marginal[i].tolist())}"
        dot = Dot(float(ratings[i]), colour(0), low, high, tip)
        rows.append(Row(f"{places.ranks[i]}  {board.items_[i]}", [dot]))
    caption = f"Dots: ratings. Lines: {100 * board.confidence:g} % intervals, each by itself."
    return dot_chart("Leaderboard", caption, rows, AXES[board.scale_.name])


def wins_picture(board: "Leaderboard") -> Picture | None:
    """Who won how often against whom: a square for each pair of the first forty items."""
    if board.games_ is None:
        return None
    order = board.places_.order[:MOST_IN_FIGURE]
    names = shorten_apart([str(board.items_[i]) for i in order], 26)
    edge = 12 + max(text_width(name, _CELL_LETTERS) for name in names)
    cell = float(np.clip((WIDTH - edge - 4) / len(order), _NARROWEST_CELL, _WIDEST_CELL))
    half = board.games_.ties[np.ix_(order, order)] / 2
    wins = board.games_.wins[np.ix_(order, order)] + half
    total = wins + wins.T
    top = 24.0
    shapes: list[Shape] = []
    for row, i in enumerate(order.tolist()):
        y = top + cell * row
        shapes.append(Text(names[row], edge - 6, y + cell / 2, _CELL_LETTERS, anchor="end", item=i))
        number = Text(
            str(row + 1), edge + cell * (row + 0.5), top - 10, _CELL_LETTERS, SOFT, item=i
        )
        shapes.append(number)
        for column, j in enumerate(order.tolist()):
            if not total[row, column]:
                continue
            share = wins[row, column] / total[row, column]
            tip = (
                f"{board.items_[i]} won {wins[row, column]:g} of {total[row, column]:g} against "
                f"{board.items_[j]}"
            )
            outline = rectangle(edge + cell * column, y, cell - 1, cell - 1)
            shade = colour(0 if share >= 0.5 else 1)
            depth = 0.08 + 0.92 * abs(2 * share - 1)
            shapes.append(Path(outline, shade, 0.0, depth, filled=True, tip=tip, item=i))
            if cell >= 2.2 * _CELL_LETTERS:
                middle = edge + cell * (column + 0.5)
                words = f"{wins[row, column]:g}"
                shapes.append(Text(words, middle, y + cell / 2, _CELL_LETTERS, halo=True, item=i))
    outline = rectangle(edge, top, cell * len(order), cell * len(order))
    shapes.append(Path(outline, FAINT, 1.0))
    width = edge + cell * len(order) + 4
    scene = Scene(
        width, top + cell * len(order) + 6, shapes, "Wins of each item against each other", LEAST
    )
    caption = (
        "Each row: how often an item won against the others, whose numbers are above (a tie is "
        "half a win). Blue: more than half, orange: less; no square: they never met."
    )
    return Picture("Who won against whom", caption, scene)


def board_body(board: "Leaderboard") -> Iterator[Html]:
    """What the page shows: sentences, a field to find an item, tables, who won against whom."""
    yield from (tag("p", sentence) for sentence in board.sentences())
    tables = board.tables()
    rows, digits = list(tables.pop("items")), board.scale_.digits(board.ratings_)
    said = {
        row["item"]: f"rating {row['rating']:.{digits}f} ({_limits(row, digits)}), place "
        f"{row['place']} ({span(row['place_low'], row['place_high'])})"
        for row in rows
    }
    yield find_items([(str(item), said[str(item)]) for item in board.items_])
    yield _items(board, rows, digits)
    level = f"{100 * board.confidence:g} %"
    yield tag(
        "p",
        f"Place: {level} sure of this item alone. Whole table: {level} sure of all "
        "places at once. First: the probability of being the best of all.",
        kind="soft",
    )
    picture = wins_picture(board)
    if picture is not None:
        yield tag("h2", "Wins")
        yield from show_picture(picture)
    for label, part in board.boards_.items():
        yield tag("h2", f"{str(board.by).capitalize()}: {label}")
        yield _items(part, list(items_table(part)), digits)
    for name in ("history", "tiers", "judges", "adjust"):
        each = tables.get(name, Table({}))
        if len(each):
            yield tag("h2", name.capitalize())
            yield table(
                list(each.columns), [_row(each[k], digits) for k in range(len(each))][:_ROWS]
            )
        if len(each) > _ROWS:
            yield tag("p", f"… and {len(each) - _ROWS:,} more rows.", kind="soft")


def _row(row: dict[str, Any], digits: int) -> list[Any]:
    """A row of a table, ratings with as many digits as elsewhere."""
    if "rating" not in row:
        return list(row.values())
    ratings = ("rating", "low", "high")
    return [f"{value:.{digits}f}" if name in ratings else value for name, value in row.items()]


def _limits(row: dict[str, Any], digits: int) -> str:
    return f"{row['low']:.{digits}f} to {row['high']:.{digits}f}"


def _items(board: "Leaderboard", rows: list[dict[str, Any]], digits: int) -> Html:
    """The board as a table that sorts."""
    ends = min(row["low"] for row in rows), max(row["high"] for row in rows)
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
    for i, row in zip(order, rows, strict=True):
        dot = Dot(row["rating"], colour(0), row["low"], row["high"])
        cells.append(
            [
                row["place"],
                Cell(item_button(i, row["item"]), row["item"]),
                Cell(f"{row['rating']:.{digits}f}", row["rating"]),
                Cell(track([dot], ends, _limits(row, digits)), row["low"]),
                Cell(span(row["place_low"], row["place_high"]), row["place_low"]),
                Cell(
                    span(row["simultaneous_low"], row["simultaneous_high"]), row["simultaneous_low"]
                ),
                Cell(percent(row["first"], 1), row["first"]),
                Cell(f"{row['n_votes']:,}", row["n_votes"]),
            ]
        )
    return table(heads, cells, items=order)
