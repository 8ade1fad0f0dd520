"""Every answer has the same names, with the same signatures, and draws into given axes."""

import inspect
import json
from functools import cache

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.pipeline import make_pipeline

from rankcut import (
    Consensus,
    GPRegressor,
    GraphCutFeatures,
    Leaderboard,
    RankingBlocs,
    RankingCompleter,
    RankingRegressor,
    RankingSet,
    StrengthRegression,
    compare_groups,
    explain,
)
from rankcut.consensus.transfers import count_transfers
from rankcut.datasets import load_lunch
from rankcut.maps import map_rankings
from rankcut.rankings import read_rankings
from rankcut.regression.cross_validation import cross_validate_numbers
from rankcut.report import report
from rankcut.results import EstimatorResult, Measure, PredictionScores, Result, Table
from rankcut.similar import find_similar
from rankcut.strengths import fit_strengths

LUNCH = load_lunch()
GUEST = (LUNCH.columns["guest"] == LUNCH.columns["guest"][0]).astype(float)
PARTIAL = load_lunch("incomplete")
MODEL = make_pipeline(GraphCutFeatures(items=LUNCH.labels()), GPRegressor())


def scores():
    tested = {"name": "ours", "folds": 3}
    numbers = cross_validate_numbers(MODEL, LUNCH.ranks, GUEST, **tested)
    return PredictionScores({"guest": numbers}, {"r2": Measure("R²", 6, ".3f")})


ANSWERS = {
    "strengths": lambda: fit_strengths(read_rankings(LUNCH)),
    "consensus": lambda: Consensus().fit(LUNCH),
    "leaderboard": lambda: Leaderboard().fit(LUNCH),
    "transfers": lambda: count_transfers(PARTIAL),
    "comparison": lambda: compare_groups(LUNCH, LUNCH.columns["guest"], n_permutations=99),
    "blocs": lambda: RankingBlocs(2).fit(LUNCH),
    "ranking regression": lambda: StrengthRegression().fit(GUEST[:, None], LUNCH),
    "completion": lambda: RankingCompleter(unranked="anywhere").fit(PARTIAL),
    "label ranking": lambda: RankingRegressor().fit(GUEST[:, None], LUNCH),
    "similar": lambda: find_similar(LUNCH, [0, 1], n=3),
    "explanation": lambda: explain(MODEL.fit(LUNCH.ranks, GUEST), LUNCH.ranks, GUEST),
    "scores": scores,
    "map": lambda: map_rankings(LUNCH),
    "report": lambda: report(LUNCH, by="guest"),
}
NAMES = ("sentences", "tables", "summary", "to_frame", "to_dict", "plot", "save")


@cache
def answer_of(name):
    return ANSWERS[name]()


@pytest.mark.parametrize("name", ANSWERS)
def test_every_answer_speaks_words_tables_and_files(name, tmp_path):
    answer = answer_of(name)
    assert isinstance(answer, Result)
    for method in NAMES:
        ours, theirs = (inspect.signature(getattr(kind, method)) for kind in (type(answer), Result))
        assert ours == theirs, method
    sentences, tables = answer.sentences(), answer.tables()
    assert sentences
    assert all(isinstance(sentence, str) and sentence for sentence in sentences)
    assert answer.summary()
    assert all(isinstance(table, Table) for table in tables.values())
    for key in (None, *tables):
        assert len(answer.to_frame(key, "pandas")) == len(tables[key or next(iter(tables))])
    data = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
    assert {"sentences", *tables} <= set(data) or name == "leaderboard"
    assert len(repr(answer)) < 1000
    assert repr(answer).count("\n") < 12
    assert answer._repr_html_().lstrip().startswith("<")
    for suffix in (".csv", ".json", ".html"):
        answer.save(tmp_path / f"answer{suffix}")
        assert (tmp_path / f"answer{suffix}").stat().st_size > 20
    assert answer.page("Places").startswith("<!doctype html>")


@pytest.mark.parametrize("name", ANSWERS)
def test_every_plot_goes_into_given_axes(name):
    answer = answer_of(name)
    figure = Figure(figsize=(8, 6))
    axes = figure.subplots(2, 2)
    before = len(figure.axes)
    assert answer.plot(ax=axes[1, 0], title="A title") is figure
    assert axes[1, 0].get_title() == "A title"
    assert axes[1, 0].texts or axes[1, 0].has_data()
    assert len(figure.axes) == before
    for other in (axes[0, 0], axes[0, 1], axes[1, 1]):
        assert not other.texts
        assert not other.has_data()
    assert answer.plot().axes


def test_an_estimator_that_is_not_fitted_says_so():
    for model in (RankingBlocs(), RankingCompleter(), RankingRegressor(), StrengthRegression()):
        assert isinstance(model, EstimatorResult)
        assert "(" in repr(model)
        with pytest.raises(ValueError, match="not fitted"):
            model.sentences()


def test_labels_of_strengths_are_those_of_the_rankings():
    rankings = RankingSet(np.array([[1.0, 2, 3], [1, 3, 2], [2, 1, 3]]), ("uni", "ika", "ebi"))
    places = fit_strengths(read_rankings(rankings)).to_frame(backend="polars")
    assert places["item"].to_list() == ["uni", "ika", "ebi"]
