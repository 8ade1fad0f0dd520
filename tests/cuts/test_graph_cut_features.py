"""GraphCutFeatures among scikit-learn's tools."""

import pickle

import joblib
import numpy as np
import pytest
from maps import grouped
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from rankcut import (
    Completions,
    GraphCutFeatures,
    SimilarityGraph,
    graph_cut_features,
    make_food,
)
from rankcut.kernels import KendallFeatures

FOOD = make_food(80, noise=0.3, random_state=0)
GRAPH = SimilarityGraph(FOOD.item_features)


def food_frame(frames):
    columns = {name: FOOD.ranks[:, i] for i, name in enumerate(FOOD.item_names)}
    return frames.DataFrame(columns)


@pytest.mark.parametrize(
    "options",
    [
        {"unranked": "last"},
        {"unlisted_weight": 0.3},
        {"normalize": True},
        {"completions": "closed_form"},
        {"completions": "sampled"},
        {"n_draws": 8},
        {"tolerance": 0.3},
        {"random_state": 5},
        {"smoothing": 1.5},
        {"smoothing": 1.5, "smoothing_graph": np.ones((8, 8)) - np.eye(8)},
        {"dtype": np.float32},
    ],
    ids=str,
)
def test_each_option_has_its_say_and_the_same_as_in_the_function(options):
    ranks = make_food(20, kind="incomplete", dropped=5, random_state=0).ranks

    def both(options):
        found = GraphCutFeatures(GRAPH, **grouped(**options)).fit_transform(ranks)
        given = graph_cut_features(ranks, GRAPH, **grouped(**options))
        return [each.toarray() if sparse.issparse(each) else each for each in (found, given)]

    # Samples that are small, so that each of their options shows.
    plain = {"unranked": "anywhere"}
    if options.keys() & {"n_draws", "tolerance", "random_state"}:
        plain |= {"completions": "sampled", "n_draws": 16}
    if "tolerance" in options:
        del plain["n_draws"]
    found, given = both(plain | options)
    assert_array_equal(found, given)
    assert found.dtype == given.dtype
    assert (found != both(plain)[0]).any()


class TestNames:
    def test_of_items(self, frames):
        transformer = GraphCutFeatures(GRAPH).fit(food_frame(frames))
        assert transformer.feature_names_in_.tolist() == FOOD.item_names
        for labels in (FOOD.item_names, [7, ("a", 1)], None):
            model = GraphCutFeatures(items=labels)
            names = model.fit([range(len(labels or "ab"))]).get_feature_names_out().tolist()
            assert names == (labels or ["x0", "x1"])

    def test_set_output(self, frames):
        name = frames.__name__
        transformer = GraphCutFeatures(GRAPH).set_output(transform=name)
        features = transformer.fit_transform(food_frame(frames))
        assert isinstance(features, frames.DataFrame)
        assert list(features.columns) == FOOD.item_names
        assert_array_equal(features.to_numpy(), graph_cut_features(FOOD.ranks, GRAPH))

    def test_other_columns_than_fitted(self, frames):
        frame = food_frame(frames)
        transformer = GraphCutFeatures(GRAPH).fit(frame)
        with pytest.raises(ValueError, match="feature names should match"):
            transformer.transform(frame[FOOD.item_names[::-1]])
        with pytest.raises(ValueError, match="X has 2 features, but GraphCutFeatures is exp"):
            GraphCutFeatures().fit([[1, 2, 3]]).transform([[1, 2]])

    @pytest.mark.filterwarnings("ignore:X has feature names")
    @pytest.mark.parametrize("model", [GraphCutFeatures, KendallFeatures])
    @pytest.mark.parametrize("labels", [[10, 20, 30], [0, 1, 2], None], ids=str)
    def test_labels_in_another_order(self, labels, model):
        pd = pytest.importorskip("pandas")
        if labels is not None:
            transformer = model().fit(pd.DataFrame([[1, 2, 3]], columns=labels))
        else:  # the names of the graph count too
            labels = list("abc")
            features = pd.DataFrame({"price": [0.0, 1, 5]}, index=labels)
            transformer = GraphCutFeatures(SimilarityGraph(features)).fit([[1, 2, 3]])
        expected = transformer.transform(pd.DataFrame([[1, 2, 3]], columns=labels))
        moved = transformer.transform(pd.DataFrame([[3, 2, 1]], columns=labels[::-1]))
        assert_array_equal(moved, expected)


class TestCopies:
    @pytest.mark.parametrize("graph", [None, GRAPH, GRAPH.build(), sparse.eye_array(8) * 0])
    def test_pickle_joblib_clone(self, graph, tmp_path):
        transformer = GraphCutFeatures(graph, normalize=True).fit(FOOD.ranks)
        expected = transformer.transform(FOOD.ranks)
        joblib.dump(transformer, tmp_path / "model")
        for copy in (
            pickle.loads(pickle.dumps(transformer)),
            joblib.load(tmp_path / "model"),
            clone(transformer).fit(FOOD.ranks),
        ):
            assert_array_equal(copy.transform(FOOD.ranks), expected)

    @pytest.mark.slow
    def test_in_worker_processes(self):
        transformer = GraphCutFeatures(GRAPH).fit(FOOD.ranks)
        halves = joblib.Parallel(n_jobs=2)(
            joblib.delayed(transformer.transform)(half) for half in np.split(FOOD.ranks, 2)
        )
        assert_array_equal(np.vstack(halves), transformer.transform(FOOD.ranks))


def test_random_state():
    ranks = make_food(20, kind="incomplete", dropped=5, random_state=0).ranks

    def features(random_state):
        completions = Completions("sampled", n_draws=8, random_state=random_state)
        model = GraphCutFeatures(GRAPH, unranked="anywhere", completions=completions)
        return model.fit_transform(ranks)

    assert_array_equal(features(3), features(np.int64(3)))
    one, two = (features(np.random.RandomState(seed)) for seed in (1, 2))
    assert_array_equal(features(np.random.RandomState(1)), one)
    assert (one != two).any()
    assert (features(None) != features(None)).any()
    # A seed that is drawn is drawn by fit: the same rankings have the same vectors afterwards.
    completions = Completions("sampled", n_draws=8, random_state=None)
    model = GraphCutFeatures(GRAPH, unranked="anywhere", completions=completions).fit(ranks)
    assert_array_equal(model.transform(ranks), model.transform(ranks))


def test_fit_refuses_what_transform_would():
    top = make_food(5, kind="top-k", random_state=0).ranks
    with pytest.raises(ValueError, match=r'is not ranked .*unranked="last"'):
        GraphCutFeatures().fit(top)
    transformer = GraphCutFeatures().fit(FOOD.ranks)
    with pytest.raises(ValueError, match=r'is not ranked .*unranked="last"'):
        transformer.transform(top)


def test_peak_memory_is_the_output_and_a_constant():
    import tracemalloc

    n_rows, n_items = 200_000, 20
    ranks = np.random.default_rng(0).permuted(
        np.tile(np.arange(1, n_items + 1), (n_rows, 1)), axis=1
    )
    transformer = GraphCutFeatures(n_jobs=2).fit(ranks)
    transformer.transform(ranks)
    tracemalloc.start()
    features = transformer.transform(ranks)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < features.nbytes + 8 * 2**20


@pytest.mark.parametrize("call", ["transform", "compact", "transform_with_report"])
def test_what_is_not_fitted_says_so(call):
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        getattr(GraphCutFeatures(), call)(np.array([[1.0, 2.0]]))


def test_ticks_without_an_order_say_that_nothing_is_left_of_them():
    ticks = np.array([[1, 1, np.nan, np.nan], [np.nan, 1, 1, np.nan]])
    with pytest.warns(UserWarning, match='all vectors are 0.*unranked="last"'):
        GraphCutFeatures(np.ones((4, 4)), unranked="anywhere").fit_transform(ticks)
    assert GraphCutFeatures(np.ones((4, 4)), unranked="last").fit_transform(ticks).any()
