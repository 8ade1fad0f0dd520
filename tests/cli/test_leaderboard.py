"""``rankcut leaderboard``: votes, scores, JSON, files, what to ask next."""

import json

import numpy as np
import pandas as pd
import pytest
from commands import fail, succeed


@pytest.fixture
def votes(tmp_path):
    rng = np.random.default_rng(0)
    first = rng.integers(0, 4, 200)
    second = (first + rng.integers(1, 4, 200)) % 4
    names = np.array(["GPT 4", "Claude", "Llama", "Tiny"])
    ahead = rng.random(200) < 1 / (1 + np.exp(0.8 * (first - second)))
    table = pd.DataFrame(
        {
            "model_a": names[first],
            "model_b": names[second],
            "winner": np.where(rng.random(200) < 0.2, "tie", np.where(ahead, "model_a", "model_b")),
            "judge": rng.integers(0, 20, 200),
        }
    )
    file = tmp_path / "votes.csv"
    table.to_csv(file, index=False)
    return file


def test_the_board_in_a_terminal(votes):
    lines = succeed("leaderboard", votes, "--anchor", "GPT 4=1000", "--best", "2").splitlines()
    assert lines[0].split() == [
        *("place", "item", "rating", "95", "%", "its", "place", "first"),
        *("best", "2", "votes", "wins"),
    ]
    assert [line.split()[0] for line in lines[1:5]] == ["1", "2", "3", "4"]
    assert "GPT 4" in lines[1]
    assert "1000 to 1000" in lines[1]
    assert "200 votes by 20 judges" in "\n".join(lines)


def test_json_has_the_words_that_programs_rely_on(votes):
    data = json.loads(succeed("leaderboard", votes, "--json"))
    assert list(data) == ["scale", "anchor", "items", "adjust", "tiers", "read_as"]
    assert data["anchor"] == "mean=1000"
    assert list(data["items"][0]) == [
        *("item", "rating", "low", "high", "place", "place_low", "place_high"),
        *("simultaneous_low", "simultaneous_high", "first", "n_votes"),
    ]
    assert np.mean([item["rating"] for item in data["items"]]) == pytest.approx(1000)


def test_the_table_as_a_file(votes, tmp_path):
    target = tmp_path / "board.csv"
    succeed("leaderboard", votes, "-o", target, "--scale", "log-odds", "--simultaneous")
    table = pd.read_csv(target)
    assert table["rating"].mean() == pytest.approx(0)
    data = json.loads(succeed("leaderboard", votes, "--json"))
    for name in ("place_high", "simultaneous_high", "first", "n_votes"):
        assert table[name].tolist() == [item[name] for item in data["items"]]


def test_what_to_ask_next(votes):
    data = json.loads(succeed("leaderboard", votes, "--next", "5", "--json"))
    assert len(data["pairs"]) == 5
    assert {*data["pairs"][0]} == {"first", "second", "information", "n_votes"}


def test_scores_on_data_sets(tmp_path):
    file = tmp_path / "scores.csv"
    rows = ["dataset,model,seed,accuracy"]
    rows += [
        f"d{d},{model},{seed},{0.7 + 0.02 * d + 0.05 * (model == 'forest') + 0.001 * seed}"
        for d in range(5)
        for model in ("forest", "tree")
        for seed in range(2)
    ]
    file.write_text("\n".join(rows), encoding="utf-8")
    data = json.loads(succeed("leaderboard", file, "--json"))
    assert data["scale"] == "score"
    assert [item["item"] for item in data["items"]] == ["forest", "tree"]
    assert data["items"][0]["n_votes"] == 5


def test_rankings_of_any_kind(tmp_path):
    file = tmp_path / "ranks.csv"
    file.write_text("a,b,c\n1,2,3\n1,3,2\n2,1,3\n", encoding="utf-8")
    data = json.loads(succeed("leaderboard", file, "--json"))
    assert [item["item"] for item in data["items"]] == ["a", "b", "c"]


def test_a_mistake_is_one_line(votes):
    fail("leaderboard", votes, "--anchor", "Nobody=3", says="--anchor names 'Nobody'")
    fail("leaderboard", votes, "--people", "who", says="no column 'who'")
    fail("leaderboard", votes, "-m", "mean", says="means need scores")
    fail("leaderboard", votes, "--best", "4", says="--best must be fewer than the 4 items")


def test_bootstrap_intervals_where_asked(votes):
    plain, asked = (
        json.loads(succeed("leaderboard", votes, "--json", *options))["items"]
        for options in ((), ("--n-bootstrap", "200"))
    )
    for one, other in zip(plain, asked, strict=True):
        assert one["rating"] == other["rating"]
        assert one["low"] != other["low"]
        assert 0.5 < (one["high"] - one["low"]) / (other["high"] - other["low"]) < 2
