"""BLT: what election offices write, and mistakes with their line."""

import io

import numpy as np
import pytest

from rankcut import RankingSet, read_file, write_file
from rankcut.files import RankingFileError, scan_file
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
    assert votes.ids == ("row 0", "b-7", "row 2")
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
        (RankingSet(np.ones((1, 1)), ("a",), ids=("(x)",)), "brackets"),
    ],
)
def test_names_that_cannot_stand_there_are_refused(rankings, says):
    with pytest.raises(RankingFileError, match=says):
        write_file(rankings, io.BytesIO(), "blt")


GLASGOW = """3 2,
5 1 2 0,
2 3 0,
0,
# ALTERNATIVE NAME 1: Ann Bell (SNP)
# ALTERNATIVE NAME 2: Cy Day (Lab)
# ALTERNATIVE NAME 3: Eve Fox (Con)
Ward 1
"""

SCOTTISH = '3,2,\n5,1,2,\n2,3,\n"Candidate 1","Ann Bell","SNP",\n"Candidate 2","Cy Day","x",\n'
SCOTTISH += '"Candidate 3","Eve Fox","y",\n""Ward 1 - Here, There"",'


@pytest.mark.parametrize("first", [False, True])
def test_names_in_comments(first):
    lines = GLASGOW.splitlines(keepends=True)
    names = [line for line in lines if line.startswith("#")]
    others = [line for line in lines if not line.startswith("#")]
    votes = read_blt(io.StringIO("".join(names + others) if first else GLASGOW))
    assert votes.items == ("Ann Bell (SNP)", "Cy Day (Lab)", "Eve Fox (Con)")
    np.testing.assert_array_equal(votes.ranks, [[1, 2, np.nan], [np.nan, np.nan, 1]])
    assert (votes.counts.tolist(), votes.title) == ([5, 2], "Ward 1")


def test_the_ballot_csv_of_scottish_elections(tmp_path):
    path = tmp_path / "ward.csv"
    path.write_text(SCOTTISH)
    for votes in (read_file(path), next(scan_file(path))):
        assert votes.items == ("Ann Bell", "Cy Day", "Eve Fox")
        np.testing.assert_array_equal(votes.ranks, [[1, 2, np.nan], [np.nan, np.nan, 1]])
        assert votes.counts.tolist() == [5, 2]
        assert votes.title == "Ward 1 - Here, There"
    # As a spreadsheet saves it, with a name in quotes.
    padded = SCOTTISH.replace("Cy Day", '""Cy"" Day').replace(",\n", ",,,\n")
    path.write_text(padded)
    votes = read_file(path)
    assert (votes.items[1], votes.counts.tolist()) == ('"Cy" Day', [5, 2])
    path.write_text("1,2\n2,1\n")
    assert read_file(path, header=0).shape == (2, 2)
