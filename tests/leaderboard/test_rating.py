"""Boards adjusted for what was shown, and boards of categories."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import special
from statsmodels.discrete.discrete_model import Logit

from rankcut import Leaderboard, from_frame
from rankcut.errors import InputError

NAMES = np.array([f"model {i}" for i in range(6)])


def made_votes(n_votes=3000, seed=0, slot=0.3, length=0.02, noise=0.0, n_rare=0):
    """Votes that depend on strengths, length, slot and category; no ties."""
    rng = np.random.default_rng(seed)
    strengths = np.linspace(0.6, -0.6, 6)
    first = rng.integers(0, 6, n_votes)
    second = (first + rng.integers(1, 6, n_votes)) % 6
    lengths = rng.integers(10, 90, (2, n_votes))
    category = np.where(np.arange(n_votes) < n_rare, "rare", np.array(["code", "chat"])[first % 2])
    deviation = noise * rng.standard_normal((2, 6))[(category == "code").astype(int)]
    mine = strengths + deviation
    rows = np.arange(n_votes)
    gaps = mine[rows, first] - mine[rows, second] + slot + length * (lengths[0] - lengths[1])
    won = rng.random(n_votes) < special.expit(gaps)
    return pd.DataFrame(
        {
            "model_a": NAMES[first],
            "model_b": NAMES[second],
            "length_a": lengths[0],
            "length_b": lengths[1],
            "winner": np.where(won, "model_a", "model_b"),
            "category": category,
            "judge": rng.integers(0, 200, n_votes),
        }
    )


def test_style_control_is_logistic_regression_on_differences():
    votes = made_votes(1500)
    names = ["length", "slot"]
    board = Leaderboard(scale="log-odds", prior="none", adjust=names).fit(
        votes.drop(columns="judge")
    )
    design = pd.get_dummies(votes["model_a"], dtype=float) - pd.get_dummies(
        votes["model_b"], dtype=float
    )
    design = design.iloc[:, 1:].assign(length=votes["length_a"] - votes["length_b"], slot=1.0)
    theirs = Logit(votes["winner"] == "model_a", design).fit(disp=0, tol=1e-12, cov_type="HC0")
    strengths = np.append(0.0, theirs.params.iloc[:5])
    assert board.ratings_ == pytest.approx(strengths - strengths.mean(), abs=1e-6)
    effects = {effect.name: effect for effect in board.effects_}
    assert [effects[name].estimate for name in names] == pytest.approx(
        theirs.params[names].tolist(), rel=1e-6
    )
    assert [effects[name].std_error for name in names] == pytest.approx(
        theirs.bse[names].tolist(), rel=0.01
    )
    assert board.to_dict()["adjust"][0] == {
        "name": "length",
        "estimate": effects["length"].estimate,
        "std_error": effects["length"].std_error,
        "low": effects["length"].low,
        "high": effects["length"].high,
    }
    assert "10 more of length multiplies the odds of being preferred by" in board.summary()
    assert "being shown first multiplies" in board.summary()


def test_effects_of_words_and_of_votes_that_hold_none():
    votes = made_votes(800, length=0.0)
    rng = np.random.default_rng(1)
    for side in "ab":
        votes[f"style_{side}"] = rng.choice(["list", "plain", "table"], 800)
    votes.loc[:9, "style_a"] = None
    board = Leaderboard(adjust="style").fit(votes)
    assert [effect.name for effect in board.effects_] == ["style=plain", "style=table"]
    assert len(board.games_) == 790
    assert "10 votes without a value of what is adjusted for left out" in board.summary()
    assert board.next_comparisons(3).tables()["pairs"].columns["information"][0] > 0


def test_order_of_rows_does_not_matter():
    votes = made_votes(600, noise=0.5)
    one = Leaderboard(adjust="length", by="category").fit(votes)
    other = Leaderboard(adjust="length", by="category").fit(votes.sample(frac=1, random_state=0))
    assert other.ratings_ == pytest.approx(one.ratings_)
    assert other.effects_[0].std_error == pytest.approx(one.effects_[0].std_error)
    for label, board in one.boards_.items():
        assert other.boards_[label].ratings_ == pytest.approx(board.ratings_)


def test_categories_borrow_from_each_other():
    votes = made_votes(4000, noise=0.8, n_rare=60)
    board = Leaderboard(by="category", scale="log-odds").fit(votes)
    assert list(board.boards_) == ["chat", "code", "rare"]
    assert board.ratings_ == pytest.approx(Leaderboard(scale="log-odds").fit(votes).ratings_)
    alone = {
        label: Leaderboard(scale="log-odds", prior="none").fit(votes[votes["category"] == label])
        for label in ("chat", "code")
    }
    for label, part in alone.items():
        pooled = board.boards_[label]
        # Many votes speak for themselves …
        assert pooled.ratings_ == pytest.approx(part.ratings_, abs=0.15)
        assert pooled.n_votes_.sum() == 2 * (votes["category"] == label).sum()
    # … and few stay nearer to what all categories say.
    rare = board.boards_["rare"]
    own = Leaderboard(scale="log-odds").fit(votes[votes["category"] == "rare"])
    assert rare.standard_errors_.mean() < own.standard_errors_.mean()
    data = board.to_dict()
    assert set(data["boards"]) == set(board.boards_)
    assert set(data["boards"]["chat"]) == {"scale", "anchor", "items", "adjust", "tiers"}
    assert "category rare (60 votes)" in board.summary()
    assert len(board.to_frame("category: rare")) == 6


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"adjust": "words"}, "no two columns are called 'words'.*there is 'length'"),
        ({"adjust": "gap"}, "column 'gap' has one value for both items of a vote"),
        ({"adjust": "still"}, "'still' never differs between the two items"),
        ({"by": "topic"}, "by names 'topic'; beside the votes, columns are"),
    ],
)
def test_mistakes(parameters, says):
    votes = made_votes(60).assign(gap=1.0, still_a=2, still_b=2)
    with pytest.raises(InputError, match=says):
        Leaderboard(**parameters).fit(votes)


def test_who_won_does_not_say_who_was_shown_first():
    won = pd.DataFrame({"winner": list("xyxz"), "loser": list("yzzx")})
    with pytest.raises(InputError, match="not who was shown first"):
        Leaderboard(adjust="slot").fit(won)
    with pytest.raises(InputError, match="by needs votes between two items"):
        Leaderboard(by="x").fit(np.array([[1, 2], [2, 1]]))


def test_ratings_change_over_time():
    votes = made_votes(2400, slot=0.0)
    months = np.repeat([f"2024-{month:02d}-15" for month in range(1, 7)], 400)
    late = months > "2024-04"
    # Model 5, the last so far, wins nearly all from May on.
    for side, other in (("model_a", "model_b"), ("model_b", "model_a")):
        rises = late & (votes[side] == "model 5")
        votes.loc[rises, "winner"] = np.where(np.arange(rises.sum()) % 10 == 0, other, side)
    votes["date"] = months
    board = Leaderboard(over="date", adjust="length").fit(votes)
    assert board.items_[board.places_.order[0]] == "model 5"
    history = board.to_frame("history")
    own = history[history["item"] == "model 5"].set_index("period")["rating"]
    assert own.index.tolist() == sorted(set(months))
    assert own.iloc[-1] > own.iloc[0] + 200
    assert own.iloc[-1] == pytest.approx(board.to_frame().iloc[0]["rating"])
    assert board.effects_[0].estimate == pytest.approx(0.02, abs=4 * board.effects_[0].std_error)
    assert (
        "Ratings are those of 2024-06-15, the last of 6 periods from 2024-01-15; in all that time"
        in board.summary()
    )
    with pytest.raises(InputError, match="do not go together"):
        Leaderboard(over="date", by="category").fit(votes)
    with pytest.raises(InputError, match="over names 'day'"):
        Leaderboard(over="day").fit(votes)


@pytest.mark.parametrize("container", [lambda table: table, pl.from_pandas])
def test_features_may_be_in_records_within_a_column(container):
    """As arenas publish them: a column whose cells hold the lengths of both answers."""
    votes = made_votes(300)
    plain = Leaderboard(adjust="length").fit(votes)
    lengths = votes[["length_a", "length_b"]].to_dict("records")
    nested = votes.drop(columns=["length_a", "length_b"])
    nested["metadata"] = [
        {**each, "turns": {"h1_a": k % 3, "h1_b": k % 2}} for k, each in enumerate(lengths)
    ]
    nested = container(nested)
    for name in ("length", "metadata.length"):
        (effect,) = Leaderboard(adjust=name).fit(nested).effects_
        assert effect.estimate == pytest.approx(plain.effects_[0].estimate)
    assert Leaderboard(adjust="turns.h1").fit(nested).effects_[0].name == "turns.h1"


def test_boards_of_categories_are_sheets_whatever_they_are_called(tmp_path):
    votes = made_votes(300)
    votes["category"] = np.where(np.arange(300) % 2, "code: [hard]", "chat/other?")
    file = tmp_path / "board.xlsx"
    Leaderboard(by="category").fit(votes).save(file)
    sheets = pd.read_excel(file, sheet_name=None)
    assert len(sheets["category  code   hard "]) == len(sheets["category  chat other "]) == 6


def test_columns_that_say_nothing_of_groups_or_time_are_refused():
    votes = made_votes(300).assign(number=np.arange(300), never=np.full(300, np.nan))
    with pytest.raises(InputError, match="'number' has 300 values in 300 votes"):
        Leaderboard(by="number").fit(votes)
    with pytest.raises(InputError, match="'never' has no value in any vote"):
        Leaderboard(over="never").fit(votes)
    for name in ("by", "over"):
        with pytest.raises(InputError, match=f"{name} names ''"):
            Leaderboard(**{name: ""}).fit(votes)
    # A set of rankings has lost which item was shown with what.
    with pytest.raises(InputError, match="pass the frame of votes itself"):
        Leaderboard(adjust="length").fit(from_frame(votes))


def test_long_times_are_in_plain_numbers():
    votes = made_votes(300)
    votes["date"] = np.where(np.arange(300) % 2, "0001-01-01", "9999-12-31")
    assert "e+" not in Leaderboard(over="date").fit(votes).summary()


def test_numbers_as_text_are_numbers():
    votes = made_votes(300)
    words = votes.astype({"length_a": str, "length_b": str})
    (plain,), (text,) = (Leaderboard(adjust="length").fit(each).effects_ for each in (votes, words))
    assert text == plain


def test_too_few_bootstrap_samples_have_no_interval():
    with pytest.raises(InputError, match="n_bootstrap is 1, too few for a confidence"):
        Leaderboard(n_bootstrap=1).fit(made_votes(300))
