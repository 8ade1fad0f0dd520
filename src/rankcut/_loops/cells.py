"""From the bytes of a CSV file to the places of its cells, and to their numbers.

Only plain rows are read here: each on a line of its own, with as many cells as the table has
columns. At anything else the loop stops, and leaves the rest to a reader that knows all the rules.
"""

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats, Ints, Longs

Bytes = NDArray[np.uint8]

# Why the loop stopped: all rows are filled, the bytes end within a row, or a row is not plain.
FULL, CUT_OFF, ODD = range(3)

# Python's csv module refuses longer cells.
_LONGEST = 131_072

# Numbers with up to this many digits, and powers of ten with up to this many zeros, are exact in
# float64, so their quotient is the float nearest to the decimal number.
_MOST_DIGITS = 15
_TENS = np.array([10.0**zeros for zeros in range(_MOST_DIGITS + 1)])

_TAB, _NEWLINE, _RETURN, _SPACE = ord("\t"), ord("\n"), ord("\r"), ord(" ")
_QUOTE, _MINUS, _POINT = ord('"'), ord("-"), ord(".")
_ZERO, _NINE, _A, _N = ord("0"), ord("9"), ord("A"), ord("N")


@compiled
def scan_cells(
    data: Bytes,
    at: int,
    row: int,
    line: int,
    delimiter: int,
    is_all: bool,
    starts: Ints,
    ends: Ints,
    lines: Longs,
    numbers: Floats,
    numeric: NDArray[np.bool_],
) -> tuple[int, int, int, int]:
    """Fill rows, from ``row`` on, with the bytes from a position on, where a line begins.

    A cell that is empty or ``NA`` is NaN; a column with a cell that is neither this nor a
    plain decimal number is no longer ``numeric``. ``line`` is the number of lines before the
    position; ``is_all`` says that the file ends with the bytes. The delimiter does not occur in
    numbers. Returns why the loop stopped, the number of filled rows, the position after them, and
    the number of lines before it.
    """
    size = data.shape[0]
    n_rows, width = starts.shape
    while row < n_rows:
        begin = at
        column = 0
        last = False
        while not last:
            # A cell.
            quoted = at < size and data[at] == _QUOTE
            closing = _QUOTE if quoted else delimiter
            if quoted:
                at += 1
            first = at
            value = 0
            n_digits = 0
            n_decimals = -1
            negative = False
            odd = False
            while at < size:
                byte = int(data[at])
                if _ZERO <= byte <= _NINE:
                    value = 10 * value + byte - _ZERO
                    n_digits += 1
                    if n_decimals >= 0:
                        n_decimals += 1
                    if n_digits > _MOST_DIGITS:
                        odd = True
                        value = 0
                elif byte == closing or (not quoted and byte in (_NEWLINE, _RETURN)):
                    break
                elif byte < _SPACE and byte != _TAB:
                    # Line breaks within quotes, zero bytes, and others that are hardly text.
                    return ODD, row, begin, line
                elif byte == _POINT and n_decimals < 0:
                    n_decimals = 0
                elif byte == _MINUS and at == first:
                    negative = True
                else:
                    odd = True
                at += 1
            end = at
            if quoted:
                at += 1
            # What ends it.
            if at >= size:
                if not is_all or (quoted and end >= size):
                    return (ODD if is_all else CUT_OFF), row, begin, line
                if column == 0 and at == begin:
                    return FULL, row, at, line
                last = True
            elif data[at] == _RETURN:
                if at + 1 >= size and not is_all:
                    return CUT_OFF, row, begin, line
                if at + 1 >= size or data[at + 1] != _NEWLINE:
                    return ODD, row, begin, line
                at += 2
                last = True
            elif data[at] == _NEWLINE:
                at += 1
                last = True
            elif data[at] == delimiter:
                at += 1
            else:
                return ODD, row, begin, line
            # What it holds.
            length = end - first
            if last and column == 0 and length == 0 and not quoted:
                break
            if column >= width:
                if length > 0:
                    return ODD, row, begin, line
            elif length > _LONGEST:
                return ODD, row, begin, line
            else:
                starts[row, column] = first
                ends[row, column] = end
                if length == 0 or (length == 2 and data[first] == _N and data[first + 1] == _A):
                    numbers[row, column] = np.nan
                elif odd or n_digits == 0:
                    numeric[column] = False
                else:
                    number = float(value)
                    if n_decimals > 0:
                        number /= _TENS[n_decimals]
                    numbers[row, column] = -number if negative else number
            column += 1
        line += 1
        if column == 0:
            # A blank line.
            continue
        if column < width:
            return ODD, row, begin, line - 1
        lines[row] = line
        row += 1
    return FULL, row, at, line
