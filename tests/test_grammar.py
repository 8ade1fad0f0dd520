"""One grammar of parameters: the same name, kind and default in all public signatures."""

import inspect

import pytest

import rankcut

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
    *("RankingSet", "ScoreTable", "Strengths", "PeopleShares"),
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


def test_weights_counts_and_people_come_together():
    """Where survey weights change errors, repetitions and people can be said, too."""
    tested = ("compare_groups", "Consensus.fit", "StrengthRegression.fit")
    things = dict(public())
    for name in (*tested, "RankingBlocs.fit", "BradleyTerry.fit", "PlackettLuce.fit"):
        assert {"counts", "people", "sample_weight"} <= {
            *inspect.signature(things[name]).parameters
        }
