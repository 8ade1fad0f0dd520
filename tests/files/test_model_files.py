"""Saved models: the same predictions, and nothing foreign is loaded."""

import numpy as np
import pytest

from rankcut import GraphCutFeatures, RankingFileError, SimilarityGraph, make_food
from rankcut.files.model_files import SavedModel, read_model, write_model
from rankcut.reports.classification import make_classifier


class Foreign:
    """A type that is neither scikit-learn's nor ours."""


def test_a_model_predicts_the_same_after_it_was_saved(tmp_path):
    food = make_food(80, random_state=0)
    graph = SimilarityGraph(food.item_features).build()
    classifier = make_classifier("logistic", graph, 8, {"items": tuple(food.item_names)})
    classifier.fit(food.ranks, np.array(food.target_names)[food.target])
    write_model(SavedModel(classifier, tuple(food.item_names), "type"), tmp_path / "m.skops")
    read = read_model(tmp_path / "m.skops")
    assert (read.items, read.target) == (tuple(food.item_names), "type")
    np.testing.assert_array_equal(
        read.classifier.predict_proba(food.ranks), classifier.predict_proba(food.ranks)
    )


def test_a_foreign_type_is_refused_by_name(tmp_path):
    features = GraphCutFeatures(Foreign())
    write_model(SavedModel(features, ("a",), "t"), tmp_path / "m.skops")
    with pytest.raises(RankingFileError, match=r"Foreign, which is neither"):
        read_model(tmp_path / "m.skops")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive", b"\x80\x04N."])
def test_what_is_no_model_is_refused(tmp_path, content):
    (tmp_path / "m.skops").write_bytes(content)
    with pytest.raises(RankingFileError, match="not a model"):
        read_model(tmp_path / "m.skops")
