"""Every answer has the same names, with the same signatures, and draws into given axes."""

import inspect
import json
import pkgutil
from functools import cache
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from best_worst import some_tasks
from matplotlib.figure import Figure
from sklearn.pipeline import make_pipeline

import rankcut
from rankcut import (
    BradleyTerry,
    Conjoint,
    Consensus,
    GPRegressor,
    GraphCutFeatures,
    Leaderboard,
    PlackettLuce,
    RankingBlocs,
    RankingCompleter,
    RankingRegressor,
    RankingSet,
    StrengthRegression,
    Utilities,
    compare_groups,
    explain,
)
from rankcut.blocs.report import BlocReport
from rankcut.comparison.results import ComparisonSeries
from rankcut.consensus.result import GroupedConsensus
from rankcut.consensus.transfers import count_transfers
from rankcut.datasets import load_lunch
from rankcut.leaderboard import ScoreTable, critical_difference
from rankcut.maps import map_graph, map_polytope, map_rankings
from rankcut.rankings import read_rankings
from rankcut.regression.cross_validation import cross_validate_numbers
from rankcut.report import report
from rankcut.results import EstimatorResult, Measure, PredictionScores, Result, Table
from rankcut.results.result import SUFFIXES
from rankcut.similar import find_similar
from rankcut.strengths import fit_strengths

LUNCH = load_lunch()
GUEST = (LUNCH.columns["guest"] == LUNCH.columns["guest"][0]).astype(float)
PARTIAL = load_lunch("incomplete")
MODEL = make_pipeline(GraphCutFeatures(items=LUNCH.labels()), GPRegressor())
TRIANGLE = [[0, 1, 2], [1, 0, 3], [2, 3, 0]]
NAN = np.nan
VOTES = np.array([[1, 2, NAN], [NAN, 1, 2], [2, NAN, 1], [2, 1, NAN]] * 5)
BOARD = pd.DataFrame({"model": list("abc"), "x": [0.9, 0.8, 0.1], "y": [0.8, 0.7, 0.3]})


def scores():
    tested = {"name": "ours", "folds": 3}
    numbers = cross_validate_numbers(MODEL, LUNCH.ranks, GUEST, **tested)
    return PredictionScores({"guest": numbers}, {"r2": Measure("R²", 6, ".3f")})


def compared(n_permutations=99):
    return compare_groups(LUNCH, LUNCH.columns["guest"], n_permutations=n_permutations)


def blocs():
    return RankingBlocs(2).fit(LUNCH)


def utilities():
    return Utilities(unranked="anywhere").fit(some_tasks())


def conjoint():
    """Ten people choose one of three offers, mostly the cheapest, six times."""
    rng = np.random.default_rng(0)
    prices = rng.permuted(np.tile([1.0, 2.0, 3.0], (60, 1)), axis=1)
    chosen = np.argmax(-prices + rng.gumbel(size=(60, 3)), axis=1)
    task = np.repeat(np.arange(60), 3)
    columns = {"person": task // 6, "task": task, "price": prices.ravel(), "size": rng.random(180)}
    chosen = chosen[task] == np.tile(np.arange(3), 60)
    return Conjoint().fit(pd.DataFrame({**columns, "chosen": chosen.astype(int)}))


# One of each class, which the last test compares with those that there are.
ANSWERS = {
    "strengths": lambda: fit_strengths(read_rankings(LUNCH)),
    "consensus": lambda: Consensus().fit(LUNCH),
    "consensus of groups": lambda: GroupedConsensus({"all": Consensus().fit(LUNCH)}),
    "leaderboard": lambda: Leaderboard().fit(LUNCH),
    "next votes": lambda: Leaderboard().fit(LUNCH).next_comparisons(3),
    "critical difference": lambda: critical_difference(ScoreTable.of_frame(BOARD)),
    "transfers": lambda: count_transfers(PARTIAL),
    "comparison": compared,
    "comparisons": lambda: ComparisonSeries({"one": compared(), "another": compared(199)}),
    "blocs": blocs,
    "blocs with their rankings": lambda: BlocReport(blocs(), LUNCH),
    "ranking regression": lambda: StrengthRegression().fit(GUEST[:, None], LUNCH),
    "Plackett–Luce": lambda: PlackettLuce().fit(LUNCH),
    "Bradley–Terry": lambda: BradleyTerry(unranked="anywhere").fit(VOTES),
    "completion": lambda: RankingCompleter(unranked="anywhere").fit(PARTIAL),
    "label ranking": lambda: RankingRegressor().fit(GUEST[:, None], LUNCH),
    "similar": lambda: find_similar(LUNCH, [0, 1], n=3),
    "explanation": lambda: explain(MODEL.fit(LUNCH.ranks, GUEST), LUNCH.ranks, GUEST),
    "scores": scores,
    "utilities": utilities,
    "conjoint": conjoint,
    "worth": lambda: conjoint().worth("price"),
    "shares of people": lambda: utilities().shares(),
    "map": lambda: map_rankings(LUNCH),
    "item graph": lambda: map_graph(TRIANGLE),
    "polytope": lambda: map_polytope(TRIANGLE),
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
    for suffix in SUFFIXES:
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


def test_no_answer_is_forgotten():
    """Each class that is a result, and nothing else, has a line above."""
    for module in pkgutil.walk_packages(rankcut.__path__, "rankcut."):
        if module.name.split(".")[1] not in ("__main__", "app", "cli"):
            import_module(module.name)

    def kinds(kind):
        for each in kind.__subclasses__():
            yield each
            yield from kinds(each)

    ours = {kind for kind in kinds(Result) if kind.__module__.startswith("rankcut.")}
    whole = {kind for kind in ours if not kind.__subclasses__()}
    answers = {type(answer_of(name)) for name in ANSWERS}
    assert whole <= answers
    assert answers <= ours
