"""One grammar of parameters: the same name, kind and default in all public signatures."""

import inspect
from importlib import import_module

import pytest

import rankcut
from rankcut.answers import ANSWERS

# Each shared parameter, and its default. What holds data, not settings, takes some of them first.
SHARED = {
    "confidence": 0.95,
    "counts": None,
    "items": None,
    "n_jobs": None,
    "people": None,
    "progress": None,
    "random_state": 0,
    "sample_weight": None,
    "strata": None,
    "unranked": "error",
}
DATA = {
    *("ChoiceLikelihood", "Choices", "Games", "ItemGraph", "MeanRanks", "Places", "RankingMap"),
    *("RankingSet", "ScoreTable", "Strengths", "PeopleShares", "Worth"),
}
# Functions of two or three arguments, all of which say what they are about.
PLAIN = {"all_completions", "from_orders", "to_orders", "judge_agreement", "Utilities.transform"}
METHODS = ("fit", "fit_transform", "transform", "predict", "score", "kneighbors")


def public():
    """Each public function, class and method of an estimator, by its name."""
    for name in rankcut.__all__:
        each = getattr(rankcut, name)
        inner = getattr(each, "__all__", ()) if inspect.ismodule(each) else ()
        for label, thing in {name: each, **{own: getattr(each, own) for own in inner}}.items():
            if callable(thing):
                yield label, thing
            if inspect.isclass(thing):
                for method in METHODS:
                    home = getattr(getattr(thing, method, None), "__module__", "")
                    if home.startswith("rankcut."):
                        yield f"{label}.{method}", getattr(thing, method)
    # What the command and the page ask for, and nobody imports by name.
    for answer in ANSWERS.values():
        module, _, name = answer.makes.partition(":")
        yield name, getattr(import_module(module), name)


@pytest.mark.parametrize("parameter", SHARED)
def test_a_shared_parameter_is_given_by_name_and_has_one_default(parameter):
    unlike = {}
    for name, thing in public():
        try:
            signature = inspect.signature(thing)
        except ValueError:
            continue
        found = signature.parameters.get(parameter)
        if found is None or name in DATA | PLAIN:
            continue
        if found.kind is not found.KEYWORD_ONLY or found.default != SHARED[parameter]:
            unlike[name] = str(found)
    assert not unlike


def takes(name):
    """The shared parameters of a function, or of an estimator and its fit."""
    things = dict(public())
    names = (name, f"{name}.fit") if f"{name}.fit" in things else (name,)
    return {each for part in names for each in inspect.signature(things[part]).parameters}


# What has intervals of its own, and no weights: why not.
UNWEIGHTED = {
    "Conjoint": "people and their weights are columns of its table",
    "Leaderboard": "votes and scores are counted",
    "critical_difference": "its rows are data sets",
    "explain": "its rankings are those in which items are moved",
}


def test_weights_counts_and_people_come_together():
    """What holds with a confidence can be said of repetitions, of survey weights and of people."""
    confident = {name for name, thing in public() if "." not in name and name not in DATA | PLAIN}
    confident = {name for name in confident if "confidence" in takes(name)}
    assert {"Consensus", "compare_groups", "explain", "RankingBlocs", "Utilities"} <= confident
    for name in confident - {*UNWEIGHTED}:
        assert {"counts", "people", "sample_weight"} <= takes(name), name
    for name in UNWEIGHTED:
        assert "sample_weight" not in takes(name), f"{name} has no excuse any more"


def test_what_may_be_silent_for_long_tells_its_progress():
    for name in (
        "report",
        "write_features",
        "write_gram",
        "RankingCompleter",
        "Utilities",
        "Conjoint",
    ):
        assert "progress" in takes(name), name
