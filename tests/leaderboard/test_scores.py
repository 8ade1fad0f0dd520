"""Scores on data sets: tables of any shape, means with errors, win rates, improvements."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import statsmodels.api as sm
from scipy import stats

from rankcut.errors import InputError
from rankcut.leaderboard import Leaderboard, ScoreTable
from rankcut.leaderboard.scores import mean_scores

RNG = np.random.default_rng(0)
LONG = pd.DataFrame(
    [
        (f"m{i}", f"d{d}", seed, i / 5 + d / 3 + RNG.normal() / 4)
        for i in range(4)
        for d in range(9)
        for seed in range(3)
    ],
    columns=["model", "dataset", "seed", "accuracy"],
)
CELLS = LONG.groupby(["dataset", "model"])["accuracy"].mean().unstack()


@pytest.mark.parametrize("container", [lambda table: table, pl.from_pandas])
def test_tables_of_any_shape_are_the_same_scores(container):
    by_run = ScoreTable.of_frame(container(LONG))
    wide = ScoreTable.of_frame(container(CELLS.reset_index()))
    turned = ScoreTable.of_frame(container(CELLS.T.reset_index()))
    for scores in (by_run, wide, turned):
        assert scores.items == ("m0", "m1", "m2", "m3")
        assert scores.cells == pytest.approx(CELLS.to_numpy())


def test_means_have_the_errors_of_paired_t_tests():
    """Each difference over its error is the statistic of the paired t-test, with its freedom."""
    means = ScoreTable.of_frame(LONG).means
    values = CELLS.to_numpy()
    for i, j in ((0, 1), (1, 3), (0, 2)):
        test = stats.ttest_rel(values[:, i], values[:, j])
        spread = means.covariance[i, i] + means.covariance[j, j] - 2 * means.covariance[i, j]
        assert (means.values[i] - means.values[j]) / np.sqrt(spread) == pytest.approx(
            test.statistic
        )
        assert means.freedom[i, j] == test.df


def test_means_of_missing_scores_are_those_of_a_linear_model():
    values = CELLS.to_numpy().copy()
    values[0, 1] = values[3, 0] = values[4, 2] = values[4, 3] = np.nan
    means = mean_scores(values)
    rows, columns = np.nonzero(np.isfinite(values))
    design = np.c_[np.eye(4)[columns][:, 1:], np.eye(9)[rows]]
    fit = sm.OLS(values[rows, columns], design).fit(
        cov_type="cluster", cov_kwds={"groups": rows, "use_correction": False}
    )
    assert means.values[1:] - means.values[0] == pytest.approx(fit.params[:3])
    # Bell and McCaffrey's errors allow for nine clusters: by 9/8 and a little more.
    spread = np.diag(means.covariance)[1:] + means.covariance[0, 0] - 2 * means.covariance[0, 1:]
    plain = fit.bse[:3] ** 2
    assert (spread > plain).all()
    assert (spread < 1.5 * plain).all()


def test_means_with_and_without_missing_scores_are_one_formula():
    """A data set that no model has a score on but one adds nothing."""
    values = CELLS.to_numpy()
    alone = np.vstack([values, [np.nan, 1.0, np.nan, np.nan]])
    whole, more = mean_scores(values), mean_scores(alone)
    contrast = np.eye(4) - 0.25
    assert contrast @ more.values == pytest.approx(contrast @ whole.values)
    assert contrast @ more.covariance @ contrast == pytest.approx(
        contrast @ whole.covariance @ contrast
    )


def test_lower_is_better_turns_scores_around():
    lower = ScoreTable.of_frame(LONG.rename(columns={"accuracy": "error"}))
    assert lower.cells == pytest.approx(-CELLS.to_numpy())


def test_win_rates_and_improvements_count_pairs():
    scores = ScoreTable.of_frame(LONG)
    values = CELLS.to_numpy()
    assert scores.win_rates()[0, 1] == pytest.approx((values[:, 0] > values[:, 1]).mean())
    expected = []
    for d in range(9):
        one, other = (
            LONG.query(f"model == '{name}' and dataset == 'd{d}'")["accuracy"].to_numpy()
            for name in ("m0", "m2")
        )
        expected.append(stats.mannwhitneyu(one, other).statistic / 9)
    assert scores.improvements()[0, 2] == pytest.approx(np.mean(expected))
    assert scores.improvements() + scores.improvements().T == pytest.approx(np.ones((4, 4)))


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (LONG.rename(columns={"accuracy": "number"}), "nothing says whether a higher 'number'"),
        (LONG.assign(loss=1.0), "2 columns could be the score"),
        (LONG[["model", "accuracy"]], "each row of 'model' should have its own name"),
        (LONG[["seed", "accuracy"]], "no column of models or of data sets"),
    ],
)
def test_mistakes(table, says):
    with pytest.raises(InputError, match=says):
        ScoreTable.of_frame(table)


def test_models_that_share_no_data_set_are_refused():
    values = np.array([[1.0, 2.0, np.nan, np.nan], [np.nan, np.nan, 1.0, 3.0]])
    with pytest.raises(InputError, match="share no data set"):
        mean_scores(values)


def test_lower_scores_are_shown_as_they_are_and_are_better():
    errors = pd.DataFrame(
        {
            "dataset": list("abcd"),
            "forest_rmse": [1.0, 2.0, 1.5, 1.2],
            "svm_rmse": [2.0, 3.1, 2.4, 2.3],
        }
    ).melt("dataset", var_name="model", value_name="rmse")
    board = Leaderboard().fit(errors)
    assert dict(zip(board.items_, board.ratings_, strict=True)) == pytest.approx(
        {"forest_rmse": 1.425, "svm_rmse": 2.45}
    )
    assert board.places_.ranks.tolist() == [1, 2]
    low, high = board.intervals_.T
    assert (low < board.ratings_).all()
    assert (board.ratings_ < high).all()
    assert "lower is better" in board.summary()


def test_tasks_of_people_are_no_table_of_scores():
    tasks = pd.DataFrame(
        {
            "respondent": [1, 1, 2, 2],
            "task": [1, 2, 1, 2],
            "item1": ["a", "b", "a", "c"],
            "item2": ["b", "c", "c", "d"],
            "item3": ["c", "d", "d", "a"],
            "best": ["a", "b", "a", "c"],
            "worst": ["c", "d", "d", "a"],
        }
    )
    board = Leaderboard().fit(tasks)
    assert board.method_ == "strengths"
    assert board.items_[board.places_.order[0]] in ("a", "b")
    assert board.strengths_.n_people == 2


def test_averages_and_ranks_beside_scores_are_left_out_and_said():
    """As on public boards: a column of ranks, one of means, and a size of each model."""
    board = CELLS.T.reset_index()
    board.insert(0, "Rank", [4, 3, 2, 1])
    board.insert(1, "Mean (Task)", CELLS.mean().to_numpy())
    board["Number of Parameters"] = [7e9, 1e9, 3e8, 2e9]
    scores = ScoreTable.of_frame(board)
    assert scores.cells == pytest.approx(CELLS.to_numpy())
    assert scores.left_out == ("Rank", "Mean (Task)", "Number of Parameters")
    assert "left out Rank, Mean (Task), Number of Parameters" in scores.read_as
    assert "Left out, as no scores on a data set: 'Rank'" in Leaderboard().fit(board).summary()
    below = pd.concat([CELLS.reset_index(), CELLS.mean().to_frame().T.assign(dataset="Average")])
    assert ScoreTable.of_frame(below).cells == pytest.approx(CELLS.to_numpy())


@pytest.mark.parametrize("as_cell", [int, bool, str])
def test_solved_or_not_is_a_score(as_cell):
    rng = np.random.default_rng(0)
    solved = rng.random((30, 3)) < 0.5
    table = pd.DataFrame(
        [(f"m{i}", f"issue {d}", as_cell(solved[d, i])) for i in range(3) for d in range(30)],
        columns=["model", "instance_id", "resolved"],
    )
    board = Leaderboard().fit(table)
    assert board.method_ == "mean"
    assert board.ratings_ == pytest.approx(solved.mean(axis=0))


def test_a_missing_score_hardly_changes_how_sure_means_are():
    values = CELLS.to_numpy().copy()
    whole = mean_scores(values)
    values[0, 1] = np.nan
    assert mean_scores(values).errors() == pytest.approx(whole.errors(), rel=0.15)
