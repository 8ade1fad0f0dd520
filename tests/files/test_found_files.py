"""Files of the shapes of real ones that were once misread, or refused."""

import io
import json

import numpy as np
import pytest

from rankcut import read_file

NAN = np.nan


def read(text, form="csv", **options):
    return read_file(io.StringIO(text), form, **options)


def line(rankings):
    return rankings.metadata["READ AS"]


def ranks(rankings, items):
    return rankings.with_items(items).dense()


VOTEKIT = """VoteKit {}
Candidates
(Ann:0),(Bob Ray:1),(Cy:2)
Includes Voter Set
True
=,=,=,=,=,=
{}
"""


def test_a_profile_of_scores_or_ranks_from_votekit():
    scores = "0,1,2,&,Weight,&,Voter Set\n2.0,4.0,0.0,&,1.0,&,x\n5.0,4.0,4.0,&,2.0,&,y,z\n"
    votes = read(VOTEKIT.format("ScoreProfile", scores))
    expected = [[2, 1, 3], [1, 2, 2]]
    np.testing.assert_array_equal(ranks(votes, ["Ann", "Bob Ray", "Cy"]), expected)
    assert votes.counts.tolist() == [1, 2]
    places = "Ranking_1,Ranking_2,&,Weight,&\n\"{'0', '2'}\",{'1'},&,1/2,&\n{1},,&,1.5,&\n"
    votes = read(VOTEKIT.format("RankProfile", places))
    np.testing.assert_array_equal(
        ranks(votes, ["Ann", "Bob Ray", "Cy"]), [[1, 2, 1], [NAN, 1, NAN]]
    )
    assert votes.weights.tolist() == [0.5, 1.5]


PLAYED = [("Kobe", "Nara", 2, 1), ("Nara", "Ise", 0, 0), ("Ise", "Kobe", 1, 3)]
GAMES = {
    "teams in a list": [
        {"match": {"date": "May"}, "teams": [{"name": a, "score": s}, {"name": b, "score": t}]}
        for a, b, s, t in PLAYED
    ],
    "sides": {
        "games": [
            {"home": {"team": a, "goals": s}, "away": {"team": b, "goals": t}}
            for a, b, s, t in PLAYED
        ]
    },
    "scores in a list": [
        {"round": "1", "team1": a, "team2": b, "score": {"ft": [s, t]}} for a, b, s, t in PLAYED
    ],
}


@pytest.mark.parametrize("kind", GAMES)
def test_nested_games_in_json(kind):
    votes = read(json.dumps(GAMES[kind]), "json")
    assert line(votes).startswith("read as games with scores: 3 items, 3 games; first Kobe")
    np.testing.assert_array_equal(
        ranks(votes, ["Kobe", "Nara", "Ise"]), [[1, 2, NAN], [NAN, 1, 1], [1, NAN, 2]]
    )


def test_nested_rankings_in_json():
    orders = ["ABC", "BAC", "CAB", "ACB"]
    listed = [{"voter": i, "ranking": [*order]} for i, order in enumerate(orders * 3)]
    entries = [
        {"voter": i, "ranking": [{"item": c, "rank": k + 1} for k, c in enumerate(order)]}
        for i, order in enumerate(orders)
    ]
    for records in (listed, entries):
        votes = read(json.dumps(records), "json")
        expected = [[order.index(c) + 1 for c in "ABC"] for order in orders]
        np.testing.assert_array_equal(ranks(votes, ["A", "B", "C"])[:4], expected)


def test_places_in_words_are_no_items():
    votes = read(
        "who,a,b,c\nx,1st choice,2nd choice,3rd choice\ny,3rd choice,1st choice,2nd choice\n"
    )
    assert line(votes).startswith("read as ranks in words: 3 items, 2 respondents")
    np.testing.assert_array_equal(votes.dense(), [[1, 2, 3], [3, 1, 2]])


def test_what_a_ballot_lacks_is_said():
    votes = read("rank1,rank2,name\nx,y,z\ny,x,z\nz,y,x\n")
    assert "'name' names items too, and is no place" in line(votes)
    votes = read("choice 1,choice 3\nx,y\ny,x\nz,y\n")
    assert "no column is for place 2" in line(votes)
    votes = read("choice 1,choice 2,choice 3\nx,y,z\ny,99,z\nz,x,99\nz,y,x\n")
    assert "'99' is read as an item" in line(votes)


def test_the_first_number_of_a_result_is_of_the_side_that_stands_first():
    votes = read("Away,Score,Home\nx,2-1,y\ny,0-3,z\nz,1-2,x\nz,1-0,x\n")
    assert "the first number is of 'Away'" in line(votes)
    np.testing.assert_array_equal(ranks(votes, ["x", "y", "z"])[0], [1, 2, NAN])


@pytest.mark.parametrize(
    "text",
    [
        "1,toro > uni > ika\n2,uni > ika > toro\n3,ika > toro > uni\n4,toro > ika > uni\n",
        '1,"toro, uni, ika"\n2,"uni, ika, toro"\n3,"ika, toro, uni"\n4,"toro, ika, uni"\n',
        "ann,1,,2,\nbob,,2,1,\ncy,1,2,,\ndi,1,,,2\n",
    ],
)
def test_a_first_line_like_all_others_is_a_row(text):
    assert len(read(text)) == 4
