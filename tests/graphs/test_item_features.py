"""From a table of item features to points."""

import io
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from rankcut import GraphCutFeatures, NeighborGraph, SimilarityGraph, read_items
from rankcut.graphs import DistanceGraph, item_features
from rankcut.graphs.item_features import item_points


def table(frames):
    return frames.DataFrame(
        {"price": [1.0, 2.0, 6.0], "maki": [True, False, False], "group": ["roe", "clam", "roe"]}
    )


def test_numbers_are_scaled_and_words_one_hot(frames):
    points, items = item_points(table(frames), None, scale=True)
    assert items is None
    for scaled, own in zip(points.T, ([1.0, 2.0, 6.0], [1.0, 0.0, 0.0]), strict=False):
        assert_allclose(scaled, (own - np.mean(own)) / np.std(own))
    assert_array_equal(points[:, 2:], [[0, 1], [1, 0], [0, 1]])


def test_numbers_as_they_are_and_labels_of_the_items(frames):
    points, _ = item_points(table(frames), None, scale=False)
    assert_array_equal(points[:, :2], [[1, 1], [2, 0], [6, 0]])
    named = frames.DataFrame({"name": ["uni", "ika", "ebi"], "price": [1, 2, 6]})
    points, items = item_points(named, "name", scale=False)
    assert items == ("uni", "ika", "ebi")
    assert_array_equal(points, [[1], [2], [6]])
    indexed = pd.DataFrame({"price": [1, 2]}, index=["uni", "ika"])
    assert item_points(indexed, None, scale=True)[1] == ("uni", "ika")
    for plain in (pd.DataFrame([[1, 5], [2, 6]]), [[1, 5], [2, 6]]):
        points, items = item_points(plain, None, scale=False)
        assert_array_equal(points, [[1, 5], [2, 6]])
        assert items is None
    constant = frames.DataFrame({"one": [3.0, 3.0], "two": [1, 2]})
    assert_array_equal(item_points(constant, None, scale=True)[0], [[0, -1], [0, 1]])
    with pytest.raises(ValueError, match="no named columns"):
        item_points([[1, 2]], "name", scale=True)


DAYS = np.array(["2020-01-01", "2020-01-02"], dtype="M8[ms]")
FISH = {"name": ["uni", "ika"]}


@pytest.mark.parametrize(
    ("columns", "label", "message"),
    [
        ({**FISH, "price": [1.0, None]}, "name", "item 'ika' has no value in column 'price'"),
        ({"group": ["roe", None]}, None, "item 1 has no value in column 'group'"),
        ({**FISH, "price": [1.0, np.inf]}, "name", "'ika' has the value inf in column 'price'"),
        ({"tags": [["raw"], ["egg"]]}, None, r"column 'tags'.*(join its words|make it numbers or)"),
        ({"id": [7, 9], "price": [1, None]}, "id", "item 9 has no value in column 'price'"),
        ({"day": DAYS}, None, r"column 'day' .* neither numbers nor categories"),
        ({"name": ["uni", "uni"], "price": [1, 2]}, "name", "item 'uni' has two rows"),
        ({**FISH, "price": [1, 2]}, "id", r"items should name .*; got 'id', .* 'name', 'price'"),
        ({"name": ["uni"]}, "name", "they need items and columns"),
    ],
)
def test_columns_that_are_refused(frames, columns, label, message):
    with pytest.raises(ValueError, match=message):
        item_points(frames.DataFrame(columns), label, scale=False)


@pytest.mark.parametrize("recipe", [SimilarityGraph, DistanceGraph, NeighborGraph])
def test_a_recipe_keeps_plain_arrays(frames, recipe):
    """What a frame was made by appears nowhere in the state, and so it can be saved anywhere."""
    options = {"n_neighbors": 2} if recipe is NeighborGraph else {}
    kept = recipe(table(frames), **options)
    state = pickle.dumps(kept)
    for library in (b"pandas", b"polars", b"pyarrow", b"narwhals"):
        assert library not in state
    assert_array_equal(pickle.loads(state).build().to_dense(), kept.build().to_dense())
    copied = clone(kept.set_params(item_features=table(frames)))
    assert b"pandas" not in pickle.dumps(copied)
    assert_array_equal(copied.build().to_dense(), kept.build().to_dense())


@pytest.mark.parametrize("kind", ["array", "list", "frame", "sparse"])
def test_the_repr_of_a_pipeline_is_short(frames, kind):
    values = np.random.default_rng(0).random((100, 9))
    features = {
        "array": values,
        "list": values.tolist(),
        "frame": frames.DataFrame({f"x{i}": column for i, column in enumerate(values.T)}),
        "sparse": sparse.csr_array(values),
    }[kind]
    model = make_pipeline(GraphCutFeatures(SimilarityGraph(features)), LogisticRegression())
    assert "SimilarityGraph(item_features=<100 items × 9 columns>)" in repr(model)
    assert len(repr(model)) < 300


def test_rows_of_different_lengths_are_refused_when_built():
    with pytest.raises(ValueError, match="inhomogeneous"):
        SimilarityGraph([[1.0], [1.0, 2.0]]).build()


def test_texts_are_compared_by_their_words(frames):
    titles = ["red fish soup", "RED|fish stew", "green tea", "green tea cake"]
    points, _ = item_points(frames.DataFrame({"title": titles}), None)
    # Words of each text; a rare one weighs 1 + log((1 + n)/(1 + number of texts that have it)).
    words = ["cake", "fish", "green", "red", "soup", "stew", "tea"]
    shown = np.array([[word in title.lower() for word in words] for title in titles], dtype=float)
    expected = shown * (1 + np.log(5 / (1 + shown.sum(axis=0))))
    assert_allclose(points, expected / np.linalg.norm(expected, axis=1, keepdims=True))
    graph = NeighborGraph(frames.DataFrame({"title": titles}), n_neighbors=1).build().to_dense()
    assert_array_equal(graph > 0, [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])


def test_categories_of_several_words_are_no_text():
    values = ["New York", "New Jersey", "New York"]
    one_hot = [[0, 1], [1, 0], [0, 1]]
    for frame in (
        pd.DataFrame({"state": pd.Categorical(values)}),
        pl.DataFrame({"state": pl.Series(values, dtype=pl.Categorical)}),
    ):
        assert_array_equal(item_points(frame, None)[0], one_hot)
    numbers = pd.DataFrame({"code": ["1.5", "2.5", "1.5"]})
    assert_array_equal(item_points(numbers, None)[0], [[1, 0], [0, 1], [1, 0]])


def test_many_words_become_topics(monkeypatch):
    monkeypatch.setattr(item_features, "_MOST_WORDS", 5)
    monkeypatch.setattr(item_features, "_TOPICS", 2)
    titles = ["red fish soup", "red fish stew", "fish red pie", "green tea", "green tea cake"]
    titles += ["tea"]
    points, _ = item_points(pd.DataFrame({"title": titles}), None)
    assert points.shape == (6, 2)
    unit = points / np.linalg.norm(points, axis=1, keepdims=True)
    likeness = unit @ unit.T
    assert likeness[:3, :3].min() > 0.9
    assert likeness[3:, 3:].min() > 0.9
    assert np.abs(likeness[:3, 3:]).max() < 0.1


def test_columns_of_a_dictionary_are_those_of_a_frame(frames):
    columns = {"price": np.array([1.0, 2.0, 6.0]), "maki": [True, False, False]}
    columns["group"] = np.array(["roe", "clam", "roe"])
    assert_array_equal(item_points(columns, None)[0], item_points(table(frames), None)[0])
    named = {"name": ["uni", "ika", "ebi"], **columns}
    points, items = item_points(named, "name")
    assert items == ("uni", "ika", "ebi")
    assert_array_equal(points, item_points(columns, None)[0])
    for price in ([1.0, 2.0], [[1.0], [2.0], [6.0]]):
        with pytest.raises(ValueError, match="columns of the item features have different lengths"):
            SimilarityGraph({**columns, "price": price})


def test_a_table_of_items_from_a_file_has_their_names():
    dishes = read_items(io.StringIO("dish,price,kind\ntoro,9,nigiri\nkappa,2,roll\nuni,8,gunkan"))
    graph = SimilarityGraph(dishes).build()
    assert graph.items == ("toro", "kappa", "uni")
    assert_array_equal(graph.to_dense(), SimilarityGraph(dishes.points()).build().to_dense())
