"""The measures and the plain methods that completion is compared with."""

import numpy as np
import pytest
from listed import lists_of

from benchmarks.completion import completion, completion_baselines

RNG = np.random.default_rng(0)
FULL = np.argsort(RNG.random((40, 6)), axis=1) + 1.0
TASK = completion.Task("simulated", FULL, RNG.normal(size=(6, 2)), n_judges=15)


def test_people_who_are_judged_are_never_learned_from():
    people, others = completion.split(TASK, 0)
    assert len(people) == 15
    assert sorted([*people, *others]) == list(range(40))
    blocks = np.arange(40) // 4
    people, others = completion.split(
        completion.Task("in blocks", FULL, blocks=blocks, n_judges=10), 0
    )
    assert not set(blocks[people]) & set(blocks[others])


def test_true_orders_score_one_and_reversed_ones_zero():
    hidden = completion.hide(TASK, FULL, 0)
    assert (hidden.sum(axis=1) == 2).all()
    judged = completion.judged_pairs(TASK, FULL, hidden, 0)
    assert len(judged.person) == 40 * (15 - 6)
    gaps = FULL[judged.person, judged.worse] - FULL[judged.person, judged.better]
    sure = completion.score("true", gaps, np.ones(len(gaps)), judged, 40, 0.0)
    assert (sure.right == 1).all()
    assert np.nanmean(sure.tau) == 1
    assert sure.calibration < 1e-5
    wrong = completion.score("reversed", -gaps, np.full(len(gaps), 0.5), judged, 40, 0.0)
    assert (wrong.right == 0).all()
    assert wrong.log_loss == pytest.approx(np.log(2))


@pytest.mark.parametrize("name", completion_baselines.BASELINES)
def test_plain_methods_keep_the_listed_order(name):
    shown = np.where(completion.hide(TASK, FULL, 0), np.nan, FULL)
    lists = lists_of(shown)
    worth = completion_baselines.BASELINES[name](lists, TASK.features)(lists)
    assert worth.shape == FULL.shape
    assert np.isfinite(worth).all()
    if name != "popularity":
        for own, given in zip(worth, shown, strict=True):
            listed = ~np.isnan(given)
            assert (np.argsort(-own[listed]) == np.argsort(given[listed])).all()
