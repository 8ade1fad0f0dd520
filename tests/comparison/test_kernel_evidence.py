"""Kernels compared by evidence and held-out loss: against a Gaussian process fitted by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from rankcut import (
    GPClassifier,
    GraphCutFeatures,
    KendallKernel,
    MallowsKernel,
    RankingSet,
    compare_kernels,
    make_food,
    make_mallows,
)

FOOD = make_food(40, noise=0.5, random_state=0)


def test_evidence_and_loss_are_those_of_the_classifier():
    kernel = KendallKernel(normalize=True)
    found = compare_kernels(FOOD.ranks, FOOD.target, [kernel], n_folds=3)
    row = found.kernels[0]
    assert row["elbo"] == pytest.approx(GPClassifier(kernel).fit(FOOD.ranks, FOOD.target).elbo_)
    probabilities = np.empty((40, 2))
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    for training, other in folds.split(FOOD.ranks, FOOD.target):
        model = GPClassifier(kernel).fit(FOOD.ranks[training], FOOD.target[training])
        probabilities[other] = model.predict_proba(FOOD.ranks[other])
    assert row["log_loss"] == pytest.approx(log_loss(FOOD.target, probabilities))
    assert (row["behind"], row["loss_difference"], row["low"], row["high"]) == (0, 0, 0, 0)


def test_counts_are_refused():
    rankings = RankingSet(FOOD.ranks, tuple("abcdefgh"), counts=[2] * 40)
    with pytest.raises(ValueError, match=r"rows have counts.*pass ranks.expanded\(\)"):
        compare_kernels(rankings, FOOD.target, [KendallKernel()])


def test_vectors_stand_for_their_inner_products():
    model = GPClassifier(kernel_variance=1.0, constant_variance=0.0)
    kernels = {"vectors": GraphCutFeatures(normalize=True)}
    found = compare_kernels(FOOD.ranks, FOOD.target, kernels, model=model, n_folds=2)
    features = GraphCutFeatures(normalize=True).fit_transform(FOOD.ranks)
    expected = model.fit(features, FOOD.target).elbo_
    assert_allclose(found.kernels["elbo"], [expected], rtol=1e-9)


def test_a_kernel_that_sees_spread_wins_where_only_spread_differs():
    same = np.arange(1, 6.0)
    loose = make_mallows(60, 5, phi=0.9, centers=[same], random_state=1).ranks
    tight = make_mallows(60, 5, phi=0.1, centers=[same], random_state=2).ranks
    ranks = np.vstack([loose, tight, 6 - loose, 6 - tight])
    y = np.tile(np.repeat([0, 1], 60), 2)
    found = compare_kernels(
        ranks, y, {"Kendall": KendallKernel(), "Mallows": MallowsKernel(0.3, "fixed")}, n_folds=2
    )
    assert found.kernels["kernel"] == ["Mallows", "Kendall"]
    assert found.kernels[1]["low"] > 0
    assert "Mallows has the most evidence" in found.summary()
    assert "Kendall is clearly worse than Mallows" in found.summary()
    assert list(found.to_frame().columns)[:2] == ["kernel", "elbo"]
    assert "<table>" in found._repr_html_()


def test_frames_classes_and_words():
    ranks = FOOD.ranks[:30]
    frame = pytest.importorskip("pandas").DataFrame(ranks, columns=list("abcdefgh"))
    y = np.array(["x", "y"])[FOOD.target[:30]]
    found = compare_kernels(frame, y, [KendallKernel()], n_folds=2)
    assert_allclose(
        found.kernels["elbo"],
        compare_kernels(ranks, y, [KendallKernel()], n_folds=2).kernels["elbo"],
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kernels": []}, "kernels must hold at least one kernel"),
        ({"kernels": [3]}, "kernels must be kernel objects or estimators of vectors"),
        ({"n_folds": 1}, "n_folds must be from 2 to"),
        ({"y": np.zeros(40)}, "y has one class"),
        ({"y": np.zeros(6)}, "y has one class"),
        ({"y": [0, 1, 0]}, "there are 40 rankings and 3 labels"),
    ],
)
def test_mistakes(arguments, message):
    given = {"y": FOOD.target, "kernels": [KendallKernel()], **arguments}
    with pytest.raises(ValueError, match=message):
        compare_kernels(FOOD.ranks, **given)
