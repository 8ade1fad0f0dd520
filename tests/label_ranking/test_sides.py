"""Covariates of votes that are about one side move no item, and are refused."""

import numpy as np
import pandas as pd
import pytest

from rankcut import RankingRegressor, StrengthRegression, read_file
from rankcut.errors import InputError


@pytest.fixture(scope="module")
def votes(tmp_path_factory):
    """Votes between four models, of which the longer answer wins more often."""
    rng = np.random.default_rng(2)
    n_votes = 600
    first = rng.integers(0, 4, n_votes)
    second = (first + rng.integers(1, 4, n_votes)) % 4
    lengths = rng.integers(10, 500, (n_votes, 2))
    odds = np.log(lengths[:, 0] / lengths[:, 1])
    wins = rng.random(n_votes) < 1 / (1 + np.exp(-odds))
    frame = pd.DataFrame(
        {
            "model_a": np.array(list("wxyz"))[first],
            "model_b": np.array(list("wxyz"))[second],
            "winner": np.where(wins, "model_a", "model_b"),
            "length_a": lengths[:, 0],
            "length_b": lengths[:, 1],
            "noise": rng.normal(size=n_votes),
            "log_ratio": odds,
        }
    )
    path = tmp_path_factory.mktemp("votes") / "votes.csv"
    frame.to_csv(path, index=False)
    return frame, read_file(path)


@pytest.mark.parametrize("model", [StrengthRegression, RankingRegressor])
@pytest.mark.parametrize(
    ("column", "says"),
    [
        ("length_a", "is of one side"),
        ("length_b", "is of one side"),
        ("dlen", "is 'length_a' minus 'length_b'.*adjust=\"length\""),
        ("minus", "is 'length_b' minus 'length_a'.*adjust=\"length\""),
        ("log_ratio", "goes with the side that wins.*adjust=\"log_ratio\", .* 'log_ratio_a'"),
    ],
)
def test_what_differs_within_a_vote_is_refused(votes, model, column, says):
    frame, rankings = votes
    dlen = frame["length_a"] - frame["length_b"]
    covariates = frame.assign(dlen=dlen, minus=-dlen)[[column]]
    with pytest.raises(InputError, match=f"covariate '{column}' {says}"):
        model(unranked="anywhere").fit(covariates, rankings)


def test_what_is_the_same_for_both_items_is_taken(votes):
    frame, rankings = votes
    model = StrengthRegression(unranked="anywhere").fit(frame[["noise"]], rankings)
    assert model.n_rankings_ == 600
