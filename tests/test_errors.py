"""Errors as data."""

import pickle

import numpy as np
import pytest

import rankcut
from rankcut import cuts, theory
from rankcut.errors import InputError, Setting

REMEDY = ["pass ", Setting("unranked", "last"), " or ", Setting("n_draws", 4)]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "is wrong"),
        ({"row": 3}, "row 3: is wrong"),
        ({"row": 3, "item": "uni"}, "row 3: item 'uni' is wrong"),
        ({"file": "a.csv"}, "a.csv: is wrong"),
        ({"file": "a.csv", "line": 2, "item": 5}, "a.csv:2: item 5 is wrong"),
        ({"parameter": "top"}, "top is wrong"),
        ({"remedy": REMEDY}, 'is wrong; pass unranked="last" or n_draws=4'),
    ],
)
def test_the_message_names_the_place_then_the_mistake_then_the_remedy(fields, text):
    error = InputError("is wrong", **fields)
    assert str(error) == text
    assert error.args == (text,)
    assert isinstance(error, ValueError)


def test_errors_are_rendered_in_other_words_moved_and_pickled():
    error = InputError("must be 1 to 9; got 0", parameter="top", remedy=REMEDY)
    text = error.render(lambda setting: f"--{setting.name.replace('_', '-')}")
    assert text == "--top must be 1 to 9; got 0; pass --unranked or --n-draws"
    error = InputError("is wrong", row=3, item="uni", remedy=REMEDY)
    moved = error.moved(row=1003)
    assert (moved.row, moved.item, moved.remedy) == (1003, "uni", REMEDY)
    assert str(moved).startswith("row 1003: item 'uni' is wrong")
    assert error.row == 3
    again = pickle.loads(pickle.dumps(error))
    assert vars(again) == vars(error)
    assert str(again) == str(error)


HUGE = 10**400  # beyond all floats
FULL = np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0], [2.0, 1.0, 3.0], [1.0, 3.0, 2.0]])
CLASSES = [0, 1, 0, 1]
MODULAR = cuts.Modular([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    "use",
    [
        lambda: rankcut.graph_cut_features([[HUGE, 1, 2]]),
        lambda: rankcut.from_ratings([[HUGE, 1]]),
        lambda: rankcut.to_ranking([HUGE, 1]),
        lambda: rankcut.GraphCutFeatures([[0, HUGE], [HUGE, 0]]).fit([[1, 2]]),
        lambda: rankcut.GraphCutFeatures(smoothing=HUGE).fit(FULL),
        lambda: rankcut.Consensus(n_bootstraps=HUGE).fit(FULL),
        lambda: rankcut.Consensus(method="kemeny", time_limit=HUGE).fit(FULL),
        lambda: rankcut.Consensus().fit(FULL, sample_weight=[HUGE] * 4),
        lambda: rankcut.AgreementGraph().build_from(FULL, sample_weight=[HUGE] * 4),
        lambda: rankcut.compare_groups(FULL, CLASSES, n_permutations=HUGE),
        lambda: rankcut.compare_groups(FULL, CLASSES, sample_weight=[HUGE] * 4),
        lambda: rankcut.GPClassifier().fit([[HUGE]] * 4, CLASSES),
        lambda: rankcut.GPClassifier().fit(FULL, CLASSES).predict([[HUGE, 1, 2]]),
        lambda: rankcut.GPClassifier().fit(FULL, CLASSES, sample_weight=[HUGE] * 4),
        lambda: rankcut.GPRegressor().fit(FULL, [HUGE, 1, 2, 3]),
        lambda: rankcut.GPRegressor().fit(FULL, CLASSES, sample_weight=[HUGE] * 4),
        lambda: rankcut.GPRegressor().fit(FULL, CLASSES).predict([[HUGE, 1, 2]]),
        lambda: rankcut.RankingRegressor().fit([[HUGE]] * 4, FULL),
        lambda: rankcut.make_plackett_luce(3, strengths=[HUGE, 1]),
        lambda: rankcut.make_mallows(3, HUGE),
        lambda: cuts.Modular([HUGE, 1]),
        lambda: cuts.ConcaveOfCardinality(lambda k: HUGE * k, 3),
        lambda: cuts.FromCallable(lambda items: HUGE * len(items), 3)({1}),
        lambda: HUGE * MODULAR,
        lambda: theory.lovasz_extension(MODULAR, [HUGE, 1, 2]),
        lambda: theory.BasePolytope(MODULAR).contains([HUGE, 1, 2]),
        lambda: theory.TangentCone(MODULAR, [[0], [1, 2]]).contains([HUGE, 1, 2]),
    ],
)
def test_whole_numbers_beyond_all_floats_are_refused_in_one_line(use):
    with pytest.raises(InputError) as caught:
        use()
    assert "\n" not in str(caught.value)
