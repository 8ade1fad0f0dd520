"""BLT: what election offices write, and mistakes with their line."""

import io

import numpy as np
import pytest

from rankcut import RankingSet, write_file
from rankcut.files import RankingFileError
from rankcut.files.blt import read_blt

BALLOTS = """4 2            # four candidates, two seats
-2             # one withdrew
3 4 1 3 0
(b-7) 1 2=3 - 1 0   # a tie, and a rank left blank
1 0
0
"Adam"         # candidate 1
"Basil #2"
"Charlotte "B" C"
Donald
"Gardening Club"
"""


def test_everything_that_ballots_have():
    votes = read_blt(io.StringIO(BALLOTS))
    nan = np.nan
    np.testing.assert_array_equal(
        votes.ranks, [[2, nan, 3, 1], [2, 1, 1, nan], [nan, nan, nan, nan]]
    )
    assert votes.counts.tolist() == [3, 1, 1]
    assert votes.items == ("Adam", "Basil #2", 'Charlotte "B" C', "Donald")
    assert votes.title == "Gardening Club"
    assert votes.metadata == {"SEATS": "2", "WITHDRAWN": "2"}


def test_seats_and_withdrawals_are_written_back():
    sink = io.BytesIO()
    write_file(read_blt(io.StringIO(BALLOTS)), sink, "blt")
    assert sink.getvalue().startswith(b"4 2\n-2\n")


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("4 2 ", "4 ", 1, "number of candidates and of seats"),
        ("4 2 ", "99 2 ", 1, "cannot all be named"),
        ("3 4 1 3 0", "3 4 1 3", 3, "0 at its end"),
        ("3 4 1 3 0", "3 4 1 9 0", 3, "no candidate '9'"),
        ("3 4 1 3 0", "3 4 1 4 0", 3, "candidate 4 appears twice"),
        ("3 4 1 3 0", "3 4=4 0", 3, "candidate 4 appears twice"),
        ("3 4 1 3 0", "3 4= 0", 3, "no candidate ''"),
        ("3 4 1 3 0", "1.5 4 1 3 0", 3, "weight '1.5'"),
        ("3 4 1 3 0", "0 4 1 3 0", 3, "weight '0'"),
        ("1 0\n", "-3\n", 5, "before the ballots"),
        ("-2 ", "-2 1", 2, "before the ballots"),
        ("-2 ", "-0 ", 2, "no candidate '0'"),
        ("\n0\n", "\n", None, "0"),
        ("Donald\n", "", 6, "names of 4 candidates"),
    ],
)
def test_a_mistake_is_named_with_its_line(old, new, line, says):
    text = BALLOTS.replace(old, new)
    if old == "Donald\n":
        text = text.replace('"Gardening Club"\n', "")
    with pytest.raises(RankingFileError, match=says) as caught:
        read_blt(io.StringIO(text))
    assert line is None or caught.value.line == line


@pytest.mark.parametrize(
    ("rankings", "says"),
    [
        (RankingSet(np.ones((1, 1)), ('a" # b',)), "quotation mark"),
        (RankingSet(np.ones((1, 2)), ("a b", "a  b")), "same name"),
    ],
)
def test_names_that_cannot_stand_there_are_refused(rankings, says):
    with pytest.raises(RankingFileError, match=says):
        write_file(rankings, io.BytesIO(), "blt")
