"""Votes as tables have them: sides, winners, ties, scores, judges."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rankcut.errors import InputError
from rankcut.leaderboard import Games

VOTES = pd.DataFrame(
    {
        "model_a": ["ada", "bob", "ada", "cyd"],
        "model_b": ["bob", "cyd", "cyd", "bob"],
        "winner": ["model_a", "tie", "cyd", "b"],
        "judge": ["x", "y", "x", None],
    }
)


def results(games):
    """Each game as (first, second, result), with names."""
    return [
        (games.items[i], games.items[j], int(result))
        for i, j, result in zip(games.first, games.second, games.result, strict=True)
    ]


EXPECTED = [("ada", "bob", 1), ("bob", "cyd", 0), ("ada", "cyd", -1), ("cyd", "bob", -1)]


@pytest.mark.parametrize("container", [lambda t: t, pl.from_pandas, pa.Table.from_pandas])
def test_any_frame_gives_the_same_votes(container):
    games = Games.of_frame(container(VOTES))
    assert results(games) == EXPECTED
    assert games.judge_column == "judge"
    assert len({games.judge[0], games.judge[1], games.judge[3]}) == 3
    assert games.judge[0] == games.judge[2]


@pytest.mark.parametrize(
    "columns",
    [
        ("left", "right", "preferred"),
        ("player1", "player2", "result"),
        ("HomeTeam", "AwayTeam", "outcome"),
        ("x_name", "y_name", "label"),
    ],
)
def test_sides_and_winners_are_known_by_their_names(columns):
    named = dict(zip(["model_a", "model_b", "winner"], columns, strict=True))
    table = VOTES.rename(columns=named).replace({"model_a": "ada"})
    assert results(Games.of_frame(table)) == EXPECTED


@pytest.mark.parametrize(
    "words",
    [
        ["left", "draw", "right", "right"],
        ["1", "0", "2", "2"],
        [1, 0, 2, 2],
        [1.0, 0.5, 0.0, 0.0],
        [1, 0, -1, -1],
        ["model_a", "tie (bothbad)", "model_b", "model_b"],
        ["A", "both good", "B", "B"],
        ["ada", "neither", "cyd", "bob"],
        ["1-0", "1/2-1/2", "0-1", "0-1"],
        ["3 : 1", "2 – 2", "0:1", "1:10"],
    ],
)
def test_words_and_numbers_that_say_who_won(words):
    assert results(Games.of_frame(VOTES.assign(winner=words))) == EXPECTED


def test_scores_say_who_won():
    table = VOTES.drop(columns="winner").assign(score_a=[3, 1, 0, 1.5], score_b=[1, 1, 2, 2.5])
    assert results(Games.of_frame(table)) == EXPECTED


def test_winners_and_losers():
    table = pd.DataFrame({"winner": ["ada", "bob"], "loser": ["bob", "cyd"]})
    games = Games.of_frame(table)
    assert results(games) == [("ada", "bob", 1), ("bob", "cyd", 1)]
    assert not games.ordered


def test_rows_without_an_answer_are_left_out_and_said():
    table = VOTES.assign(winner=["model_a", None, "", "b"])
    games = Games.of_frame(table)
    assert results(games) == [EXPECTED[0], EXPECTED[3]]
    assert games.notes == ("2 rows without two items and a result left out",)


def test_a_game_against_oneself_is_left_out():
    games = Games.of_frame(VOTES.assign(model_b=["ada", "cyd", "cyd", "bob"]))
    assert len(games) == 3


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (
            VOTES.assign(winner=["model_a", "tie", "dan", "b"]),
            r"row 2: column 'winner'.*'dan'.*tie",
        ),
        (VOTES.assign(winner=[1, 0, 1, 1]), "numbers 0, 1, which do not say who won"),
        (VOTES.drop(columns="winner"), "none says who won; name it: winner="),
        (VOTES[["model_a", "winner"]], "no two columns hold the items"),
    ],
)
def test_mistakes_name_the_column_and_the_remedy(table, says):
    with pytest.raises(InputError, match=says):
        Games.of_frame(table)


def test_rankings_merge_equal_votes_of_a_judge():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "model_a": rng.choice(list("abc"), 300),
            "model_b": rng.choice(list("def"), 300),
            "winner": rng.choice(["model_a", "model_b", "tie"], 300),
            "judge": rng.integers(0, 4, 300),
        }
    )
    games = Games.of_frame(table)
    merged = games.rankings()
    found = {}
    for row in range(merged.shape[0]):
        entries = merged.stored[[row]]
        ranks = dict(zip(entries.indices.tolist(), entries.data.tolist(), strict=True))
        found[int(merged.people[row]), tuple(sorted(ranks.items()))] = merged.counts[row]
    expected = {}
    for row in table.itertuples():
        a, b = games.items.index(row.model_a), games.items.index(row.model_b)
        ranks = {"model_a": {a: 1, b: 2}, "model_b": {a: 2, b: 1}, "tie": {a: 1, b: 1}}[row.winner]
        key = games.judges.index(row.judge), tuple(sorted(ranks.items()))
        expected[key] = expected.get(key, 0) + 1
    assert found == expected
    assert games.wins.sum() + games.ties.sum() / 2 == 300
    assert games.meetings[0, 3] == ((table.model_a == "a") & (table.model_b == "d")).sum()
