"""Boards of votes, games, rankings and scores."""

import json
import re
from itertools import chain

import choix
import numpy as np
import pandas as pd
import pytest
from scipy import optimize, special

from rankcut import Leaderboard
from rankcut.errors import InputError
from rankcut.leaderboard import next_comparisons

KEYS = {
    *("item", "rating", "low", "high", "place", "place_low", "place_high", "simultaneous_low"),
    *("simultaneous_high", "first", "n_votes"),
}


def made_votes(n_votes=600, n_items=6, seed=0, n_judges=30, ties=0.2, spread=1.0):
    """Votes of judges, by the Bradley–Terry model; some become ties at random."""
    rng = np.random.default_rng(seed)
    strengths = spread * rng.standard_normal(n_items)
    first = rng.integers(0, n_items, n_votes)
    second = (first + rng.integers(1, n_items, n_votes)) % n_items
    won = rng.random(n_votes) < special.expit(strengths[first] - strengths[second])
    winner = np.where(rng.random(n_votes) < ties, "tie", np.where(won, "model_a", "model_b"))
    names = np.array([f"model {i}" for i in range(n_items)])
    return pd.DataFrame(
        {
            "model_a": names[first],
            "model_b": names[second],
            "winner": winner,
            "judge": rng.integers(0, n_judges, n_votes),
        }
    )


def test_a_frame_becomes_a_board():
    board = Leaderboard(anchor="model 2=1500").fit(made_votes())
    data = json.loads(json.dumps(board.to_dict()))
    assert set(data) == {"scale", "anchor", "items", "adjust", "tiers"}
    assert data["scale"] == "elo"
    assert data["anchor"] == "model 2=1500"
    assert [set(item) for item in data["items"]] == [KEYS] * 6
    assert [item["place"] for item in data["items"]] == sorted(range(1, 7))
    by_name = {item["item"]: item for item in data["items"]}
    assert by_name["model 2"]["rating"] == pytest.approx(1500)
    assert sum(item["first"] for item in data["items"]) == pytest.approx(1)
    assert sum(item["n_votes"] for item in data["items"]) == 2 * 600
    for item in data["items"]:
        assert item["low"] <= item["rating"] <= item["high"]
        assert item["simultaneous_low"] <= item["place_low"] <= item["place"]
        assert item["place"] <= item["place_high"] <= item["simultaneous_high"]
    assert sorted(chain.from_iterable(data["tiers"])) == sorted(by_name)


def test_maximum_likelihood_is_that_of_an_independent_optimiser():
    votes = made_votes(ties=0.0)
    board = Leaderboard(scale="log-odds", prior="none").fit(votes)
    games = board.games_

    def loss(theta):
        gaps = theta[games.first] - theta[games.second]
        return np.logaddexp(0, -games.result * gaps).sum()

    best = optimize.minimize(loss, np.zeros(6), method="BFGS", options={"gtol": 1e-9}).x
    assert board.ratings_ == pytest.approx(best - best.mean(), abs=1e-6)


def test_maximum_likelihood_is_that_of_choix():
    votes = made_votes(ties=0.0, seed=4)
    board = Leaderboard(scale="log-odds", prior="none").fit(votes)
    games = board.games_
    ahead = games.result > 0
    pairs = np.where(
        ahead[:, None], np.c_[games.first, games.second], np.c_[games.second, games.first]
    )
    theirs = choix.ilsr_pairwise(6, pairs.tolist(), tol=1e-12, max_iter=10_000)
    assert board.ratings_ == pytest.approx(theirs - theirs.mean(), abs=1e-6)


def test_sides_items_and_rows_in_another_order_make_the_same_board():
    votes = made_votes()
    board = Leaderboard().fit(votes)
    swapped = votes.rename(columns={"model_a": "model_b", "model_b": "model_a"})
    swapped["winner"] = swapped["winner"].map(
        {"model_a": "model_b", "model_b": "model_a", "tie": "tie"}
    )
    rng = np.random.default_rng(0)
    for other in (swapped, votes.iloc[rng.permutation(len(votes))]):
        again = Leaderboard().fit(other)
        assert again.ratings_ == pytest.approx(board.ratings_, abs=1e-6)
        assert again.intervals_ == pytest.approx(board.intervals_, abs=1e-6)
        assert again.places_.marginal.tolist() == board.places_.marginal.tolist()


def test_people_are_a_column_and_matter():
    votes = made_votes(n_judges=5)
    by_judge = Leaderboard().fit(votes)
    by_vote = Leaderboard().fit(votes.drop(columns="judge"))
    named = Leaderboard().fit(votes.rename(columns={"judge": "who"}), people="who")
    assert by_judge.ratings_ == pytest.approx(by_vote.ratings_)
    assert by_judge.strengths_.n_people == named.strengths_.n_people == 5
    assert named.intervals_ == pytest.approx(by_judge.intervals_)


def test_rankings_of_any_kind_make_a_board():
    rng = np.random.default_rng(0)
    ranks = np.argsort(np.argsort(rng.standard_normal((80, 4)) + np.arange(4) / 2, axis=1)) + 1
    board = Leaderboard(items=list("abcd")).fit(ranks)
    assert board.places_.ranks.tolist() == [1, 2, 3, 4]
    assert board.n_votes_.tolist() == [80] * 4


DESIGNS = [
    {"seed": seed, "spread": spread, "n_votes": n_votes, "n_items": n_items, "n_judges": n_judges}
    for seed, (spread, n_votes, n_items, n_judges) in enumerate(
        [
            *((0.0, 200, 5, 20), (0.0, 90, 8, 6), (0.0, 900, 4, 200), (0.0, 60, 3, 2)),
            *((0.2, 500, 5, 60), (0.3, 300, 8, 30), (0.3, 1200, 6, 90), (0.4, 800, 10, 25)),
            *((0.5, 60, 6, 30), (0.5, 250, 4, 9), (0.6, 700, 7, 300), (0.8, 400, 3, 40)),
            *((1.0, 100, 6, 4), (1.0, 600, 12, 50), (1.0, 2000, 5, 80), (1.5, 150, 8, 70)),
            *((2.0, 90, 4, 3), (2.0, 700, 9, 100), (3.0, 300, 6, 40), (3.0, 1500, 26, 60)),
        ]
    )
]


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_sentences_agree_with_each_other(design):
    board = Leaderboard().fit(made_votes(**design))
    places, words, n_items = board.places_, board.summary(), len(board.items_)
    n_clear, n_tiers = int(places.clear.sum()), len(places.tiers)
    assert (f"No two of {n_items} are clearly different" in words) == (n_clear == 0)
    assert (f"{n_clear:,} of {n_items * (n_items - 1) // 2:,} pairs are clear" in words) == (
        n_clear > 0
    )
    assert (n_clear > 0) == (n_tiers > 1) == (places.p_equal <= 0.05)
    p = float(re.search(r"like this: p [=≤] ([\d.e-]+)", words)[1])
    assert p == pytest.approx(places.p_equal, rel=0.06)
    if n_clear and n_items <= 24 and n_tiers <= 10:
        listed = re.search("Tiers, of which no two are clearly different: (.*)[.]", words)[1]
        assert len(listed.split(";")) == n_tiers
    first, second = places.order[:2]
    level_or_not = "as good as level" in words or f"first two, {board.items_[first]} and" in words
    assert level_or_not == (not places.clear[first, second])
    # Whoever is sure of the first place by itself is clearly ahead of all by itself.
    assert (f"{board.items_[first]} is first (95 % sure" in words) == (
        places.marginal[first, 1] == 1
    )
    if places.clear[first].sum() == n_items - 1:
        assert places.marginal[first].tolist() == places.simultaneous[first].tolist() == [1, 1]


def test_unbeaten_and_unconnected_items_get_limits_or_a_sentence():
    votes = made_votes(n_votes=200, ties=0.0)
    extra = pd.DataFrame(
        {"model_a": ["star"] * 8, "model_b": ["model 1"] * 8, "winner": "model_a", "judge": 1}
    )
    alone = pd.DataFrame(
        {"model_a": ["x", "y"], "model_b": ["y", "x"], "winner": "model_a", "judge": 2}
    )
    board = Leaderboard().fit(pd.concat([votes, extra, alone]))
    words = board.summary()
    assert "star won all of its 8 votes: its rating is at least" in words
    assert "x and y are not connected with the others" in words
    with pytest.raises(InputError, match="do not connect"):
        Leaderboard(prior="none").fit(pd.concat([votes, extra, alone]))


def test_scores_become_means():
    table = pd.DataFrame(
        {
            "dataset": [f"d{k}" for k in range(12)],
            "forest": np.linspace(0.8, 0.9, 12),
            "tree": np.linspace(0.6, 0.9, 12) - 0.05,
        }
    )
    board = Leaderboard().fit(table)
    assert board.method_ == "mean"
    assert board.to_dict()["scale"] == "score"
    assert board.ratings_ == pytest.approx(table[["forest", "tree"]].mean().to_numpy())
    assert board.n_votes_.tolist() == [12, 12]
    assert "Means over 12 data sets" in board.summary()


def test_next_comparisons_are_a_table():
    board = Leaderboard().fit(made_votes())
    table = next_comparisons(board, 7).to_frame()
    assert len(table) == 7
    assert (table["information"] > 0).all()
    assert {*table["first"], *table["second"]} <= {*board.items_}


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"scale": "points"}, 'scale must be "elo"'),
        ({"anchor": "nobody=1"}, "anchor names 'nobody'"),
        ({"prior": "wide"}, "prior must be"),
        ({"method": "mean"}, "means need scores"),
        ({"best": 6}, "best must be fewer than the 6 items"),
        ({"n_bootstrap": -1}, "n_bootstrap must be"),
        ({"anchor": "model 2=inf"}, "anchor must be a number"),
        ({"anchor": "modl 2=7"}, "such as 'model 2'"),
        ({"confidence": 2}, "confidence must be"),
    ],
)
def test_mistakes(parameters, says):
    with pytest.raises(InputError, match=says):
        Leaderboard(**parameters).fit(made_votes(n_votes=60))


def test_bootstrap_intervals_are_those_of_fits_to_samples_of_judges():
    votes = made_votes(n_votes=500, n_judges=40)
    judges = votes["judge"].unique()
    rng = np.random.default_rng(0)
    by_hand = []
    for _ in range(150):
        drawn = [votes[votes["judge"] == judge] for judge in rng.choice(judges, len(judges))]
        by_hand.append(Leaderboard(prior="none").fit(pd.concat(drawn)).ratings_)
    board = Leaderboard(prior="none", n_bootstrap=600).fit(votes)
    spread = np.std(by_hand, axis=0)
    assert board.standard_errors_ == pytest.approx(spread, rel=0.25)
    expected = np.quantile(by_hand, [0.025, 0.975], axis=0).T
    assert np.abs(board.intervals_ - expected).max() < 0.8 * spread.max()
    assert board.ratings_ == pytest.approx(Leaderboard(prior="none").fit(votes).ratings_)
    again = Leaderboard(prior="none", n_bootstrap=600).fit(votes)
    assert (again.intervals_ == board.intervals_).all()


def test_bootstraps_of_a_model_with_features_and_categories():
    votes = made_votes(n_votes=300).assign(kind=np.arange(300) % 2, length_a=1.0)
    votes["length_b"] = np.arange(300) % 7
    settings = {"adjust": ["length", "slot"], "by": "kind"}
    plain = Leaderboard(**settings).fit(votes)
    board = Leaderboard(**settings, n_bootstrap=60, anchor="model 1=500").fit(votes)
    assert board.intervals_[1].tolist() == pytest.approx([500, 500])
    widths = (np.diff(each.boards_[1].intervals_, axis=1) for each in (plain, board))
    assert next(widths).mean() == pytest.approx(next(widths).mean(), rel=0.35)
    with pytest.raises(InputError, match="over and n_bootstrap=60 do not go together"):
        Leaderboard(over="kind", n_bootstrap=60).fit(votes)
    with pytest.raises(InputError, match="n_bootstrap needs votes"):
        Leaderboard(n_bootstrap=60).fit(
            pd.DataFrame({"dataset": ["a", "b"], "x": [1.0, 2.0], "y": [2.0, 2.5]})
        )


def test_a_leader_of_whom_less_is_known_than_of_another():
    """Who is likeliest the best of all is named if that is not the one with the first place."""
    for seed in range(30):
        board = Leaderboard().fit(made_votes(n_votes=40, seed=seed, spread=0.3))
        places = board.places_
        leader, likeliest = int(places.order[0]), int(places.first.argmax())
        named = f"({board.items_[likeliest]}, of which less is known" in board.summary()
        assert named == (places.first[likeliest] > places.first[leader])
