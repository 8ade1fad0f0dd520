"""Saved models: the same predictions, and nothing foreign is loaded."""

import io
import json
import time
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from rankcut import (
    DissimilarityGraph,
    GPRegressor,
    GraphCutFeatures,
    NeighborGraph,
    RankingBlocs,
    RankingClassifier,
    RankingCompleter,
    RankingRegressor,
    SimilarityGraph,
    StrengthRegression,
    make_food,
)
from rankcut.cuts import fastest_algorithm
from rankcut.files import RankingFileError
from rankcut.files.disk import pack_archive, unpack_archive
from rankcut.files.matrices import npy_bytes
from rankcut.label_ranking import models as label_models
from rankcut.saved_models import SavedModel, read_model, write_model

FOOD = make_food(60, random_state=0)


class Foreign:
    """A type that is neither scikit-learn's nor ours."""


def logistic(graph=None, **options):
    """Logistic regression on graph cut features."""
    features = GraphCutFeatures(graph, sparse_output=False, **options)
    return make_pipeline(features, StandardScaler(), LogisticRegression())


def saved_and_read(saved, folder):
    write_model(saved, folder / "m.skops")
    return read_model(folder / "m.skops")


def model_bytes(tmp_path):
    write_model(classes()[0], tmp_path / "m.skops")
    return (tmp_path / "m.skops").read_bytes()


def test_the_same_model_gives_the_same_bytes(tmp_path, monkeypatch):
    first = model_bytes(tmp_path)
    kept = [object() for _ in range(1000)]  # other addresses
    monkeypatch.setattr(time, "time", lambda: 1e9)
    assert model_bytes(tmp_path) == first, len(kept)


def test_our_types_have_names_that_do_not_depend_on_modules(tmp_path):
    with zipfile.ZipFile(io.BytesIO(model_bytes(tmp_path))) as archive:
        assert json.loads(archive.read("rankcut.json")) == {"format": 8}
        schema = archive.read("schema.json").decode()
    assert '"__module__": "rankcut"' in schema
    assert "rankcut." not in schema


EARLIER = r"earlier version .*; fit and save it again, as in 'rankcut classify"


@pytest.mark.parametrize(
    ("header", "kind", "says"),
    [
        (None, "RankingClassifier", EARLIER),
        ({"format": 7}, "RankingClassifier", EARLIER),
        # A class that this version no longer has.
        ({"format": 8}, "RankingClusters", EARLIER),
        ({"format": 9}, "RankingClassifier", r"later version .*; update rankcut"),
    ],
)
def test_models_of_other_versions_say_what_to_do(tmp_path, header, kind, says):
    members = unpack_archive(model_bytes(tmp_path), "m")
    members["rankcut.json"] = json.dumps(header).encode()
    members["schema.json"] = members["schema.json"].replace(b"RankingClassifier", kind.encode())
    if header is None:
        del members["rankcut.json"]
    with pytest.raises(RankingFileError, match=says):
        read_model(io.BytesIO(pack_archive(members)))


# What no model is made of: a type of the caller's, a type of another room, a function, a learner
# in compiled code.
@pytest.mark.parametrize(
    "foreign", [Foreign(), FOOD, fastest_algorithm, SVC(), HistGradientBoostingClassifier()]
)
def test_what_is_foreign_to_models_is_refused_by_name(tmp_path, foreign):
    learner = hasattr(foreign, "fit")
    model = fitted(foreign) if learner else GraphCutFeatures(foreign)
    name = r"sklearn\.\S+" if learner else getattr(foreign, "__name__", type(foreign).__name__)
    with pytest.raises(RankingFileError, match=f"{name}, which is neither rankcut's nor a"):
        saved_and_read(SavedModel(model, tuple(FOOD.item_names), "t"), tmp_path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive", b"\x80\x04N."])
def test_what_is_no_model_is_refused(content):
    with pytest.raises(RankingFileError, match="not a model"):
        read_model(io.BytesIO(content))


def fitted(*learner):
    classifier = make_pipeline(GraphCutFeatures(), *learner) if learner else logistic()
    return classifier.fit(FOOD.ranks, FOOD.target)


def regressor():
    X = np.arange(12.0)[:, None]
    return RankingRegressor(Ridge()).fit(X, np.where(X > 5, [[1, 2, 3]], [[3, 2, 1]]))


@pytest.mark.parametrize(
    ("part", "value", "says"),
    [
        ("model", "no", "the model is missing"),
        ("model", lambda: fitted(LinearRegression()), "return_std"),
        ("model", lambda: regressor(), "covariates have no names"),
        ("model", lambda: fitted()[1:], "features of rankings"),
        ("model", logistic(), "NotFittedError"),
        ("items", [["a"]] * 8, "names"),
        ("items", ["a"] * 8, "same name"),
        ("items", list("abc"), "8"),
        ("items", [], "names"),
        ("target", ["t"], "target"),
    ],
)
def test_a_file_that_loads_but_is_no_model_is_refused(tmp_path, part, value, says):
    parts = {"model": fitted(), "items": list("abcdefgh"), "target": "t"}
    saved_and_read(SavedModel(**parts), tmp_path)
    changed = parts | {part: value() if callable(value) else value}
    with pytest.raises(RankingFileError, match=f"not a model .*{says}"):
        saved_and_read(SavedModel(**changed), tmp_path)


@pytest.mark.parametrize("of_weights", [False, True])
def test_a_graph_from_a_frame_is_saved(tmp_path, frames, of_weights):
    food = make_food(40, random_state=0)
    if of_weights:
        weights = SimilarityGraph(food.item_features).build().to_dense()
        graph = frames.DataFrame(dict(zip(food.item_names, weights, strict=True)))
    else:
        columns = dict(zip(food.feature_names, food.item_features.T, strict=True))
        columns = {"dish": food.item_names, **columns, "kind": list("aaabbbcc")}
        graph = SimilarityGraph(frames.DataFrame(columns), items="dish")
    for estimator in (
        (GraphCutFeatures(graph, items=food.item_names), LogisticRegression()),
        (RankingClassifier(graph, items=food.item_names),),
    ):
        fitted = make_pipeline(*estimator).fit(food.ranks, food.target)
        expected = fitted.predict_proba(food.ranks)
        read = saved_and_read(SavedModel(fitted, tuple(food.item_names), "type"), tmp_path).model
        np.testing.assert_array_equal(read.predict_proba(food.ranks), expected)
        again = clone(read).fit(food.ranks, food.target)
        np.testing.assert_array_equal(again.predict_proba(food.ranks), expected)


LISTS = make_food(60, kind="incomplete", random_state=0)
PEOPLE = pd.DataFrame({"age": np.linspace(-1.0, 1.0, 40), "town": ["york", "leeds"] * 20})


def numbers():
    model = make_pipeline(GraphCutFeatures(), GPRegressor()).fit(FOOD.ranks, FOOD.ranks[:, 0])
    saved = SavedModel(model, tuple(FOOD.item_names), "age")
    return saved, lambda model: np.array(model.predict(FOOD.ranks, return_std=True))


def rankings():
    ranks = np.where(PEOPLE[["age"]] > 0, [[1, 2, 3]], [[3, 2, 1]])
    model = RankingRegressor().fit(PEOPLE, ranks)
    saved = SavedModel(model, ("a", "b", "c"), "ranking", ("age", "town"))
    return saved, lambda model: model.predict_pairs(PEOPLE)


def strengths():
    ranks = np.random.default_rng(0).permuted(np.tile([1.0, 2, 3], (40, 1)), axis=1)
    ranks[0] = [1, 1, 2]
    features = pd.DataFrame({"price": [1.0, 2.0, 4.0]})
    terms = ["age", "town:price"]
    model = StrengthRegression(on=terms, item_features=features).fit(PEOPLE, ranks)
    saved = SavedModel(model, ("a", "b", "c"), "ranking", ("age", "town"))
    return saved, lambda model: np.array(model.predict_strengths(PEOPLE, return_std=True))


def completer():
    graph = NeighborGraph(LISTS.item_features, n_neighbors=2).build()
    model = RankingCompleter(graph, unranked="anywhere").fit(LISTS.ranks)
    saved = SavedModel(model, tuple(LISTS.item_names))
    return saved, lambda model: model.predict_pairs(LISTS.ranks)


def blocs(features=None):
    model = RankingBlocs(2, features=features).fit(FOOD.ranks)
    saved = SavedModel(model, tuple(FOOD.item_names))
    return saved, lambda model: model.predict_membership(FOOD.ranks)


def blocs_of_vectors():
    return blocs(GraphCutFeatures())


def classes():
    graph = NeighborGraph(FOOD.item_features, n_neighbors=2)
    model = make_pipeline(RankingClassifier(graph)).fit(FOOD.ranks, FOOD.target)
    saved = SavedModel(model, tuple(FOOD.item_names), "type")
    return saved, lambda model: model.predict_proba(FOOD.ranks)


def classes_of_vectors():
    graph = DissimilarityGraph(NeighborGraph(FOOD.item_features, n_neighbors=2))
    model = logistic(graph, smoothing=0.5).fit(FOOD.ranks, FOOD.target)
    saved = SavedModel(model, tuple(FOOD.item_names), "type")
    return saved, lambda model: model.predict_proba(FOOD.ranks)


MAKERS = [numbers, rankings, strengths, completer, blocs, blocs_of_vectors, classes]
of_each_kind = pytest.mark.parametrize("make", [*MAKERS, classes_of_vectors])


@of_each_kind
def test_models_of_all_kinds_predict_the_same_after_they_were_saved(tmp_path, monkeypatch, make):
    monkeypatch.setattr(label_models, "_TREES", 3)
    saved, predict = make()
    read = saved_and_read(saved, tmp_path)
    for name in ("kind", "items", "target", "columns"):
        assert getattr(read, name) == getattr(saved, name)
    np.testing.assert_array_equal(predict(read.model), predict(saved.model))


def test_blocs_keep_their_words_and_their_items(tmp_path):
    saved = blocs()[0]
    assert saved_and_read(saved, tmp_path).model.summary() == saved.model.summary()
    with pytest.raises(RankingFileError, match="the blocs have other items"):
        saved_and_read(SavedModel(saved.model, ("uni",)), tmp_path)


def changed_arrays(array):
    """What a damaged or hostile file may hold in the place of an array."""
    yield array[None]
    array = np.atleast_1d(array)
    yield array[:-1] if array.size else np.ones((1, *array.shape[1:]), array.dtype)
    yield np.concatenate([array, array])
    yield array.astype(np.float32 if array.dtype == np.float64 else np.float64)
    if array.dtype.kind in "iu" and array.size:
        for value in (2**31 - 1, 68):
            other = array.copy()
            other.flat[-1] = value
            yield other
    if array.dtype.kind == "f" and array.size:
        yield np.where(np.arange(array.size).reshape(array.shape) == 0, np.nan, array)


@of_each_kind
def test_arrays_are_checked_before_a_loop_sees_them(tmp_path, monkeypatch, make):
    monkeypatch.setattr(label_models, "_TREES", 2)
    saved, predict = make()
    write_model(saved, tmp_path / "m.skops")
    members = unpack_archive((tmp_path / "m.skops").read_bytes(), "m")
    refused = 0
    for name in (name for name in members if name.endswith(".npy")):
        array = np.load(io.BytesIO(members[name]))
        for other in changed_arrays(array):
            try:
                read = read_model(io.BytesIO(pack_archive({**members, name: npy_bytes(other)})))
            except RankingFileError:
                refused += 1
            else:
                # Arrays that nothing is predicted from, or that scikit-learn checks itself.
                predict(read.model)
    assert refused >= 3


@pytest.mark.parametrize(
    ("part", "change", "says"),
    [
        ("indices", lambda array: np.where(array == array[-1], 68, array), "not all from 0 to 7"),
        ("indices", lambda array: np.full_like(array, 2**31 - 1), "not all from 0 to 7"),
        ("indptr", lambda array: np.where(np.arange(9) == 4, 10**9, array), "does not rise"),
        ("data", lambda array: array[:-1], "data"),
        ("data", lambda array: array * np.nan, "not finite"),
    ],
)
def test_a_sparse_graph_in_a_model_is_checked(tmp_path, part, change, says):
    saved = classes()[0]
    matrix = saved.model[0].graph_.weights.matrix
    setattr(matrix, part, change(getattr(matrix, part)))
    with pytest.raises(RankingFileError, match=f"not a model .*{says}"):
        saved_and_read(saved, tmp_path)
