"""From the bytes of a PrefLib file's orders to the entries of a rank matrix.

A line is a count, a separator, and groups separated by commas: the number of an item, or several
in braces, as in ``25: 3,{1,2},4``. White space between them, empty lines and lines that start with
``#`` are ignored.
"""

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats, Longs

Bytes = NDArray[np.uint8]

# Errors in a line.
FINE, NO_COUNT, LARGE, NO_SEPARATOR, NO_ITEM, NO_SUCH_ITEM, TWICE, EMPTY_GROUP, NO_COMMA = range(9)

# The largest count: every format that has counts can hold it, and sums do not overflow.
LARGEST_COUNT = 10**15

_TAB, _NEWLINE, _RETURN, _SPACE = ord("\t"), ord("\n"), ord("\r"), ord(" ")
_HASH, _COMMA, _OPEN, _CLOSE = ord("#"), ord(","), ord("{"), ord("}")
_ZERO, _NINE = ord("0"), ord("9")


@compiled
def _past_blanks(data: Bytes, at: int) -> int:
    """The next position that is not a blank; line breaks are not blanks."""
    while at < data.shape[0] and (data[at] == _SPACE or data[at] == _TAB or data[at] == _RETURN):
        at += 1
    return at


@compiled
def _number(data: Bytes, at: int) -> tuple[int, int]:
    """The number at a position, or −1 if there is no number, and the position after it."""
    if at >= data.shape[0] or data[at] < _ZERO or data[at] > _NINE:
        return -1, at
    value = 0
    while at < data.shape[0] and _ZERO <= data[at] <= _NINE:
        if value <= LARGEST_COUNT:
            value = 10 * value + int(data[at]) - _ZERO
        at += 1
    return value, at


@compiled
def scan_orders(
    data: Bytes,
    start: int,
    separator: int,
    categories: bool,
    first_item: int,
    n_items: int,
    starts: Longs,
    columns: Longs,
    ranks: Floats,
    counts: Longs,
) -> tuple[int, int, int, int]:
    """Fill the rows from the bytes after ``start``; ``starts[0]`` must be 0.

    Returns the number of rows, the error (``FINE`` if none), its position, and the wrong number.
    With ``categories``, a group may be empty. The arrays have room for one row per line and one
    entry per comma, separator and opening brace.
    """
    size = data.shape[0]
    last_row = np.full(n_items, -1, dtype=np.int64)
    row = 0
    entry = 0
    at = start
    while True:
        at = _past_blanks(data, at)
        if at >= size:
            return row, FINE, at, 0
        if data[at] == _NEWLINE:
            at += 1
            continue
        if data[at] == _HASH:
            while at < size and data[at] != _NEWLINE:
                at += 1
            continue
        count, at = _number(data, at)
        if count < 1:
            return row, NO_COUNT, at, count
        if count > LARGEST_COUNT:
            return row, LARGE, at, count
        at = _past_blanks(data, at)
        if at >= size or data[at] != separator:
            return row, NO_SEPARATOR, at, 0
        at += 1
        rank = 1
        tied = False
        while True:
            at = _past_blanks(data, at)
            empty = False
            if not tied and at < size and data[at] == _OPEN:
                tied = True
                at = _past_blanks(data, at + 1)
                empty = at < size and data[at] == _CLOSE
                if empty and not categories:
                    return row, EMPTY_GROUP, at, 0
            if not empty:
                item, at = _number(data, at)
                if item < 0:
                    return row, NO_ITEM, at, 0
                if item < first_item or item >= first_item + n_items:
                    return row, NO_SUCH_ITEM, at, item
                if last_row[item - first_item] == row:
                    return row, TWICE, at, item
                last_row[item - first_item] = row
                columns[entry] = item - first_item
                ranks[entry] = rank
                entry += 1
            at = _past_blanks(data, at)
            if tied and at < size and data[at] == _CLOSE:
                tied = False
                at = _past_blanks(data, at + 1)
            if not tied:
                rank += 1
            if at < size and data[at] == _COMMA:
                at += 1
            elif not tied and (at >= size or data[at] == _NEWLINE):
                break
            else:
                return row, NO_COMMA, at, 0
        counts[row] = count
        row += 1
        starts[row] = entry
