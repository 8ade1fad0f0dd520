"""Tables whose outcome, header or direction is easily overlooked: read rightly, or refused.

A frame is read as its file is, and the command says the same.
"""

import io
import json

import numpy as np
import pandas as pd
import pytest
from commands import run

from rankcut import read_file
from rankcut.errors import InputError
from rankcut.files import from_frame

NAN = np.nan
ABC = ["a", "b", "c"]
WON = [[1, 2, NAN], [NAN, 1, 1], [1, NAN, 2]]

RIGHT = {
    "who won by number": ("algo1,algo2,chosen_algo\na,b,1\nb,c,0\nc,a,2\n", "votes", WON),
    "a result between two": ("Team 1,FT,Team 2\na,3–0,b\nb,1–1,c\nc,0–2,a\n", "games", WON),
    "nobody named": (
        "player1,player2,winner\na,b,a\nb,c,\nc,a,a\n", "votes", [WON[0], WON[2]]),
    "who won by column": (
        "mapA,mapB,chosen_map\na,b,mapA\nc,a,mapB\nb,c,mapB\n",
        "votes", [WON[0], WON[2], [NAN, 2, 1]]),
    "items as rows": (
        "Candidates,F1,F2,F3\na,1,2,1\nb,2,1,3\nc,3,3,2\n",
        "ranks down the columns", [[1, 2, 3], [2, 1, 3], [1, 3, 2]]),
    "a header again": (
        "Winner,Loser\na,b\nWinner,Loser\na,c\nb,c\n",
        "votes", [[1, 2, NAN], [1, NAN, 2], [NAN, 1, 2]]),
    "seeds": (
        "winner,loser\n(1) a,(4) b\n(2) a,(3) c\n(1) b,c\n(3) c,(2) b\n",
        "votes", [[1, 2, NAN], [1, NAN, 2], [NAN, 1, 2], [NAN, 2, 1]]),
    "a race": (
        "raceId,driver,position\n1,a,1\n1,b,2\n1,c,NC\n2,b,1\n2,a,2\n2,c,3\n",
        "a long table of ranks", [[1, 2, NAN], [2, 1, 3]]),
    "goals beside shots": (
        "HomeTeam,AwayTeam,FTHG,FTAG,HS,AS\na,b,2,0,4,9\nb,c,1,1,7,3\nc,a,0,1,9,9\n", "games", WON),
    "columns in other words": (
        "Lfd. Nr.;Alter;a;b;c\n1;31;1;2;3\n2;28;3;1;2\n3;55;2;3;1\n",
        "ranks", [[1, 2, 3], [3, 1, 2], [2, 3, 1]]),
    "totals of pairs": ("A,B,wins\na,b,7\nb,c,6\n", "totals", [[1, 2, NAN], [NAN, 1, 2]]),
}  # fmt: skip


def of_frame(text):
    divider = ";" if ";" in text else ","
    return from_frame(pd.read_csv(io.StringIO(text), sep=divider))


@pytest.mark.parametrize("kind", RIGHT)
def test_a_table_is_read_rightly_from_a_file_a_frame_and_by_the_command(kind, tmp_path):
    text, what, expected = RIGHT[kind]
    (tmp_path / "table.csv").write_text(text)
    votes = read_file(tmp_path / "table.csv")
    said = votes.metadata["READ AS"]
    for each in (votes, of_frame(text)):
        assert each.metadata["READ AS"] == said
        assert what in said
        np.testing.assert_array_equal(each.with_items(ABC).dense(), expected)
    done = run("info", tmp_path / "table.csv", "--json")
    assert [*json.loads(done.stdout)["read_as"].values()] == [said]


REFUSED = {
    "lap times": "Driver,Q1,Q2,Q3\na,1:23.4,1:22.1,DNF\nb,1:23.9,1:22.8,1:21.5\nc,1:24.0,DNF,DNF\n",
    "points": "Points for a,Points for b,Points for c\n1,2,3\n3,1,2\n2,3,1\n",
    "a leaderboard": "model,accuracy,rmse\na,.9,3\nb,.8,2\nc,.7,1\n",
    "answers": "one,two,three\nYes,No,Yes\nNo,No,Yes\nYes,Yes,No\nNo,No,No\n",
    "ages in groups": "who,Age,Town\nx,18-29,Kobe\ny,30-44,Nara\nz,18-29,Ise\n",
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_table_is_refused_as_a_file_and_as_a_frame(kind):
    text = REFUSED[kind]
    for read in (lambda text: read_file(io.StringIO(text), "csv"), of_frame):
        with pytest.raises(InputError) as caught:
            read(text)
        for options in caught.value.remedies():
            assert "first" in str(caught.value)
            read_file(io.StringIO(text), "csv", **options)
