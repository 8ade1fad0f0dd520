"""Files of the shapes of real ones that were once misread, or refused."""

import io
import json

import numpy as np
import pytest

from rankcut import read_file
from rankcut.errors import InputError

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


ABC = ["a", "b", "c"]
FILES = {
    "a draw beside winner and loser": (
        "csv", "winner,loser,Draw\na,b,FALSE\nb,c,TRUE\nc,a,TRUE\n",
        "votes between two", ABC, [[1, 2, NAN], [NAN, 1, 1], [1, NAN, 1]]),
    "ties that only the scores tell": (
        "csv", "Clube 1,Clube 2,Vencedor,Clube 1 Gols,Clube 2 Gols\n"
               "a,b,a,2,0\nb,c,-,1,1\nc,a,a,0,3\n",
        "votes between two", ABC, [[1, 2, NAN], [NAN, 1, 1], [1, NAN, 2]]),
    "flags of both sides and a draw": (
        "csv", "home_team_id,home_team_name,away_team_id,away_team_name,home_team_win,"
               "away_team_win,draw\n1,a,2,b,1,0,0\n2,b,3,c,0,0,1\n3,c,1,a,0,1,0\n",
        "games with scores", ABC, [[1, 2, NAN], [NAN, 1, 1], [1, NAN, 2]]),
    "a preference by number, 1.5 for a tie": (
        "csv", "output_1,generator_1,output_2,generator_2,preference\n"
               "A!,a,B,b,1.0\nb!,b,c!,c,1.5\nC,c,A,a,2.0\n",
        "votes between two", ABC, [[1, 2, NAN], [NAN, 1, 1], [1, NAN, 2]]),
    "models beside what they wrote": (
        "csv", "HITId,text1,system1,text2,system2,choice\nh1,x x,a,y y,b,system1\n"
               "h2,y y,b,z z,c,system2\nh3,z z,c,x x,a,system2\n",
        "votes between two", ABC, [[1, 2, NAN], [NAN, 2, 1], [1, NAN, 2]]),
    "rows that rank items down the columns, some with ties": (
        "csv", "Candidates,F1,F2,F3,F4\na,1,1,2,1\nb,2,3,1,1\nc,3,2,3,3\n",
        "ranks down the columns", ABC, [[1, 2, 3], [1, 3, 2], [2, 1, 3], [1, 1, 3]]),
    "a title above the names of columns": (
        "csv", "Voter,,,,\n,,a,b,c\n1,Ms X,1,2,*\n2,Mr Y,2,1,3\n3,Dr Z,1,3,2\n4,Mx V,3,2,1\n",
        "ranks", ABC, [[1, 2, NAN], [2, 1, 3], [1, 3, 2], [3, 2, 1]]),
    "a first ballot with one choice and no header": (
        "csv", "a,,,\nb,c,,\na,b,c,\nc,a,,\na,c,,\nb,,,\n",
        "ranked ballots", ABC,
        [[1, NAN, NAN], [NAN, 1, 2], [1, 2, 3], [2, NAN, 1], [1, NAN, 2], [NAN, 1, NAN]]),
    "people numbered from 0": (
        "csv", "Student/Event,a,b,c\n0,1,,2\n1,,1,2\n2,2,1,\n3,1,2,\n4,2,,1\n",
        "ranks", ABC, [[1, NAN, 2], [NAN, 1, 2], [2, 1, NAN], [1, 2, NAN], [2, NAN, 1]]),
    "undervotes in a long table": (
        "csv", "ballot_id,rank,choice\n1,1,a\n1,2,b\n2,1,$UNDERVOTE\n2,2,$UNDERVOTE\n"
               "3,1,c\n3,2,a\n4,1,b\n4,2,$OVERVOTE\n5,1,c\n5,2,b\n",
        "a long table of ranks", ABC,
        [[1, 2, NAN], [2, NAN, 1], [NAN, 1, NAN], [NAN, 2, 1]]),
    "rows that lack cells": (
        "csv", "Name,First,Second,Third\nx,a\ny,b,,\nz,c,b,a\n",
        "ranked ballots", ABC, [[1, NAN, NAN], [NAN, 1, NAN], [3, 2, 1]]),
    "lists as programs write them": (
        "csv", "x,\"['a', 'b', 'c']\"\ny,\"['b', 'a', 'c']\"\nz,\"['c', 'b', 'a']\"\n",
        "lists in one cell", ABC, [[1, 2, 3], [2, 1, 3], [3, 2, 1]]),
    "ties in lists": (
        "txt", "a,b,c\na=b,c\nc,b,a\nb,a=c\n",
        "orders", ABC, [[1, 2, 3], [1, 1, 2], [3, 2, 1], [2, 1, 2]]),
    "a remark above ballots": (
        "csv", "One ballot a line, first to last\nb,c,a\nb,a\na,c,b\nc,a\na,b\n",
        "ranked ballots", ABC,
        [[3, 1, 2], [2, 1, NAN], [1, 3, 2], [2, NAN, 1], [1, 2, NAN]]),
    "the Condorcet Election Format": (
        "txt", "# votes\n#/Candidates: a; b; c\n\na > c * 3\nx || c > a = b ^2 * 2 # y\n",
        "a file in the Condorcet Election Format", ABC, [[1, NAN, 2], [2, 2, 1]]),
    "games in Spanish": (
        "csv", "ID,equipo_local,equipo_visitante,puntos_local,puntos_visitante,fecha\n"
               "1,a,b,23,13,08/10\n2,b,c,5,5,09/10\n3,c,a,1,8,09/10\n",
        "games with scores", ABC, [[1, 2, NAN], [NAN, 1, 1], [1, NAN, 2]]),
    "games with the hour": (
        "csv", "fecha,hora,local,visitante,resultado\n2016-08-26,19:00,a,b,local\n"
               "2016-08-27,14:00,b,c,empate\n2016-08-28,16:00,c,a,visitante\n",
        "votes between two", ABC, [[1, 2, NAN], [NAN, 1, 1], [1, NAN, 2]]),
    "fights": (
        "csv", "event,fighter,opponent,outcome\nE1,a,b,win\nE1,b,c,draw\nE2,c,a,loss\nE2,a,b,nc\n",
        "votes between two", ABC, [[1, 2, NAN], [NAN, 1, 1], [1, NAN, 2]]),
    "places called by numbers, and candidates too": (
        "csv", "timestamp,1,2,3\n22:28,a,b,2\n10:17,b,a,c\n11:18,a,c,070\n12:01,c,b,a\n"
               "12:05,b,c,a\n",
        "ranked ballots", ["a", "b", "c", "2", "070"],
        [[1, 2, NAN, 3, NAN], [2, 1, 3, NAN, NAN], [1, NAN, 2, NAN, 3],
         [3, 2, 1, NAN, NAN], [3, 1, 2, NAN, NAN]]),
    "best, worst and the others": (
        "csv", "id,trial,best,worst,option1\n10,0,a,b,c\n10,1,c,a,b\n11,0,b,a,c\n",
        "best-worst tasks", ABC, [[1, 3, 2], [3, 2, 1], [3, 1, 2]]),
    "a header with two columns of a name, again": (
        "csv", "Wk,Winner,Pts,Loser,Pts\n1,a,63,b,6\nWk,Winner,Pts,Loser,Pts\n2,b,30,c,6\n",
        "votes between two", ABC, [[1, 2, NAN], [NAN, 1, 2]]),
    "a list of everybody above ballots": (
        "csv", "a,b,c\nc,a\nb\na,c\nb,c\n",
        "ranked ballots: 3 items, 5 ballots; first a, b, c; line 1 names everybody", ABC,
        [[1, 2, 3], [2, NAN, 1], [NAN, 1, NAN], [1, NAN, 2], [NAN, 1, 2]]),
    "one ranking": (
        "csv", "item,rank\na,2\nb,1\nc,3\n", "a long table", ABC, [[2, 1, 3]]),
}  # fmt: skip


@pytest.mark.parametrize("kind", FILES)
def test_a_file_is_read_rightly(kind):
    suffix, text, what, items, expected = FILES[kind]
    votes = read(text, suffix)
    assert line(votes).startswith(f"read as {what}"), line(votes)
    np.testing.assert_array_equal(ranks(votes, items), expected)


REFUSED = {
    "answers to questions": (
        "question,P,Q,R,S\nTax,No,Yes,Yes,No\nRail,Yes,Yes,No,No\nDams,No,No,Yes,Yes\n", {}),
    "numbers of people": (
        "1;Jan;A;1;Pro\n2;Eva;B;1;Con\n1;Jan;A;2;Pro\n2;Eva;B;2;Pro\n1;Jan;A;3;Pro\n"
        "2;Eva;B;3;Con\n", {}),
    "names and numbers in turn": ("2\nx\ny\n1\n2\nz\nx\n0\n1\ny\nz\n0\n", {}),
    "numbers of seasons": ("id,season_number,episode,who,is\n9,1,1,x,SAFE\n2,1,1,y,WIN\n", {}),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_ranking_is_refused(kind):
    text, options = REFUSED[kind]
    with pytest.raises(InputError):
        read(text, **options)


def settings(text, **options):
    with pytest.raises(InputError) as caught:
        read(text, **options)
    return caught.value.remedies()


def test_what_is_offered_makes_sense():
    text = "№;a;b;c;d\n1;4;1;3;4\n2;2;4;4;1\n3;1;3;1;4\n4;3;1;2;2\n5;1;4;4;4\n"
    assert settings(text)[0] == {"layout": "wide", "item_columns": "a,b,c,d"}
    text = (
        "time,run_id,item_name,score,count\n10:00,r1,x,.5,17\n10:01,r2,y,.3,11\n10:02,r3,z,-2,5\n"
    )
    assert {each.get("item", "item_name") for each in settings(text)} == {"item_name"}
    text = "name,choc,fruity,pricepct,winpct\nx,1,0,.86,66.9\ny,0,1,.51,67.6\nz,0,0,.11,32.2\n"
    assert [each["item_columns"] for each in settings(text)] == ["winpct", "pricepct"]
    text = "Record ID,MaxDiff (RLH),x,y,z\n65f0,.51,1.2,-.4,-3.1\n65e1,.43,-1.1,2.4,.1\n"
    assert settings(text) == [{"layout": "ratings", "item_columns": "x,y,z"}]
    text = ",m,n,k\nwine,68.4(7.1),62.7(6.1),74.0(1.5)\niris,39.7(1.9),84.4(0.7),82.9(0.6)\n"
    votes = read(text, layout="ratings")
    np.testing.assert_array_equal(ranks(votes, ["m", "n", "k"]), [[2, 3, 1], [3, 1, 2]])


def test_a_square_of_wins():
    for corner in ("", '"",'):
        votes = read(f'{corner}"a","b","c"\n"a",0,33,4\n"b",5,NA,0\n"c",11,32,0\n')
        assert "totals of pairs: 3 items, 85 votes; first c, a, b; a row has" in line(votes)
        np.testing.assert_array_equal(ranks(votes, ABC)[0], [1, 2, NAN])
        assert votes.counts.tolist() == [33, 4, 5, 11, 32]


def test_scores_by_any_names_are_offered_and_read():
    text = "DATA,CASA,TRASFERTA,GOLCS,GOLTR\n1/8,a,b,2,1\n2/8,b,c,0,0\n3/8,c,a,6,7\n4/8,b,a,1,0\n"
    offered = {"layout": "votes", "item_columns": "CASA,TRASFERTA", "score": "GOLCS,GOLTR"}
    assert settings(text)[0] == offered
    votes = read(text, **offered)
    np.testing.assert_array_equal(ranks(votes, ABC)[1], [NAN, 1, 1])


def test_a_slip_does_not_forbid_what_is_asked_for():
    text = "a,b,c,d\n1,3,4,2\n2,1,3,4\n4,3,1,4\n3,4,2,1\n4,1,3,2\n"
    assert settings(text)[0] == {"layout": "wide", "item_columns": "a,b,c,d"}
    assert len(read(text, layout="wide")) == 5


def test_an_excel_file_by_another_name(tmp_path):
    (tmp_path / "votes.csv").write_bytes(b"PK\x03\x04 and more")
    with pytest.raises(InputError, match="this is an Excel file") as caught:
        read_file(tmp_path / "votes.csv")
    assert caught.value.remedies() == [{"format": "xlsx"}]
