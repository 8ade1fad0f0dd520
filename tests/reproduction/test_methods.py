"""What methods see, how they learn, and the literal procedures: oracles of the library."""

from itertools import permutations, product

import numpy as np
import pytest

from rankcut import GPClassifier, SimilarityGraph, graph_cut_features, make_food
from rankcut.kernels import KendallKernel, MallowsKernel
from reproduction import learning, literal, methods
from reproduction.methods import CUT, DRAWN, KENDALL, MALLOWS, MALLOWS_DRAWS, Cut, see

NAN = np.nan
POINTS = np.random.RandomState(0).random_sample((6, 2))
ROWS = [
    [1.0, 2.0, 3.0, 4.0, 5.0],
    [1.0, 1.0, 2.0, 3.0, 3.0],
    [2.0, NAN, 1.0, NAN, 3.0],
    [1.0, NAN, 1.0, 2.0, NAN],
]


def full(n_rankings=5, seed=0):
    rng = np.random.RandomState(seed)
    return np.array([rng.permutation(6) + 1.0 for _ in range(n_rankings)])


def lists():
    ranks = full()
    return np.where(ranks > 3, NAN, ranks)


def test_weights_are_those_of_the_text_and_of_the_experiments():
    distances = np.linalg.norm(POINTS[:, None] - POINTS[None], axis=2)
    scale = np.median(distances)
    rankings = methods.Rankings(full(), "error", POINTS)
    for kernel, weights in (
        ("squared_exponential", np.exp(-0.5 * (distances / scale) ** 2)),
        ("exponential", np.exp(-distances / scale)),
    ):
        np.fill_diagonal(weights, 0)
        found = methods.cut_features(Cut(kernel=kernel), rankings, 0)
        np.testing.assert_allclose(found, graph_cut_features(rankings.ranks, weights))


def test_unweighted_is_the_borda_count_or_keeps_the_edges_of_a_thinned_graph():
    """So that ties and 4 of 10 items, as published, use no item graph at all."""
    for ranks, unranked in ((full(), "error"), (lists(), "anywhere")):
        rankings = methods.Rankings(ranks, unranked, POINTS)
        found = methods.cut_features(Cut(weighted=False), rankings, 0)
        np.testing.assert_allclose(found, graph_cut_features(ranks, unranked=unranked))
    rankings = methods.Rankings(full(), "error", POINTS, keep=0.4)
    kept = methods.item_graph(POINTS, "squared_exponential", 0.4).to_dense() > 0
    assert kept.sum() == 2 * 6
    expected = graph_cut_features(rankings.ranks, kept.astype(float))
    np.testing.assert_allclose(methods.cut_features(Cut(weighted=False), rankings, 0), expected)


def test_many_items_go_in_by_the_gram_matrix(monkeypatch):
    rankings = methods.Rankings(full(), "error", POINTS)
    features = see(KENDALL, rankings).features
    np.testing.assert_allclose(features @ features.T, KendallKernel()(rankings.ranks))
    monkeypatch.setattr(methods, "_MOST_ITEMS", 2)
    np.testing.assert_allclose(see(KENDALL, rankings).gram, KendallKernel()(rankings.ranks))


def test_the_same_completions_for_all(monkeypatch):
    """By the definition: the j-th unranked item of each ranking goes into the same gap."""
    monkeypatch.setattr(methods, "N_DRAWS", 7)
    monkeypatch.setattr(methods, "_AT_ONCE", 2)
    ranks = lists()
    graph = methods.item_graph(POINTS, "squared_exponential")
    gaps = np.random.RandomState(5).randint(0, 4, (7, 3))
    expected = np.zeros(ranks.shape)
    for row, ranking in enumerate(ranks):
        for draw in gaps:
            completed = ranking.copy()
            completed[np.isnan(ranking)] = draw + 0.5
            expected[row] += graph_cut_features(completed[None], graph)[0] / 7
    rankings = methods.Rankings(ranks, "anywhere", POINTS)
    np.testing.assert_allclose(methods.cut_features(Cut(draws="same"), rankings, 5), expected)


@pytest.mark.slow
def test_drawn_completions_are_near_the_exact_mean():
    rankings = methods.Rankings(lists(), "anywhere", POINTS)
    drawn, exact = (see(method, rankings).features for method in (DRAWN, CUT))
    assert 0 < np.abs(drawn - exact).max() < 0.3
    graph = methods.item_graph(POINTS, "squared_exponential")
    pairs = methods.drawn_means(rankings.ranks, graph, 600, 0, mirrored=True)
    assert ((pairs - exact) ** 2).sum() < ((drawn - exact) ** 2).sum()


def test_mallows_from_draws_is_exact_on_full_rankings_and_near_it_on_lists():
    rankings = methods.Rankings(full(), "error", POINTS)
    np.testing.assert_allclose(see(MALLOWS_DRAWS, rankings).gram, see(MALLOWS, rankings).gram)
    food = make_food(40, noise=1.0, kind="top-k", k=6, random_state=0)
    rankings = methods.Rankings(food.ranks, "last", food.item_features)
    drawn, exact = (see(method, rankings).gram for method in (MALLOWS_DRAWS, MALLOWS))
    assert np.corrcoef(drawn.ravel(), exact.ravel())[0, 1] > 0.95
    full_rankings = methods.draw_full_rankings(food.ranks, 4, 1)
    listed = np.repeat(~np.isnan(food.ranks), 4, axis=0)
    assert (full_rankings[listed] == np.repeat(food.ranks, 4, axis=0)[listed]).all()
    assert (np.sort(full_rankings, axis=1) == np.arange(1.0, 9.0)).all()


def test_samples_are_balanced_and_one_class_for_all_has_two_thirds_of_f1():
    target = np.array([0] * 70 + [1] * 30)
    sample = learning.balanced_sample(target, 40, seed=3)
    assert target[sample].sum() == 20
    assert len(set(sample.tolist())) == 40
    assert not np.array_equal(sample, learning.balanced_sample(target, 40, seed=4))
    split = learning.split_rows(target[sample])
    assert (len(split.test), target[sample][split.test].sum()) == (8, 4)
    assert sorted([*split.train, *split.test]) == list(range(40))
    target = np.arange(100) % 2
    split = learning.split_rows(target)
    one = learning.learn_blindly(methods.CONSTANT, target, split, 0)
    assert (one["F1"], one["accuracy"]) == pytest.approx((2 / 3, 0.5))
    dummy = learning.learn_blindly(methods.DUMMY, target, split, 0)
    assert dummy["F1"] == pytest.approx(0.5, abs=0.05)


def test_a_gram_matrix_of_all_ranks_learns_what_its_features_learn():
    food = make_food(60, noise=1.0, random_state=0)
    split = learning.split_rows(food.target)
    seen = see(KENDALL, methods.Rankings(food.ranks, "error", food.item_features))
    gram = methods.Seen(gram=seen.features @ seen.features.T)
    spectral = learning.spectral_features(gram.gram, split.train, 30)
    np.testing.assert_allclose(spectral @ spectral.T, gram.gram, atol=1e-8)
    one = learning.learn(seen, food.target, split, rank=0)
    assert one == learning.learn(gram, food.target, split, rank=60)
    # A variance that is given is that of vectors of length 1.
    given = learning.learn(seen, food.target, split, rank=0, variance=3.0)
    model = GPClassifier(kernel_variance=3.0, tol=1e-6).fit(
        seen.features[split.train], food.target[split.train]
    )
    accuracy = model.score(seen.features[split.test], food.target[split.test])
    assert given["accuracy"] == accuracy


@pytest.mark.parametrize("row", ROWS)
def test_the_algorithm_box_gives_the_features(row):
    """Also: the box pools where v falls, so that it solves the problem of the majorant cone."""
    graph = SimilarityGraph(np.random.default_rng(0).random((5, 2))).build()
    found = literal.literal_features(np.array(row), literal.cut_oracle(graph))
    ours = graph_cut_features([row], graph, unranked="anywhere", completions="exact")[0]
    np.testing.assert_allclose(found, ours, atol=1e-12)


@pytest.mark.parametrize("one", ROWS)
@pytest.mark.parametrize("other", ROWS)
def test_convolution_kernels(one, other):
    def agrees(order, row):
        listed = [row[item] for item in order if not np.isnan(row[item])]
        return listed == sorted(listed)

    first, second = ([o for o in permutations(range(5)) if agrees(o, row)] for row in (one, other))
    assert len(first) == literal.count_full_orders(np.array(one))
    pairs = list(product(first, second))
    tau = np.mean([literal.kendall_tau(*both) for both in pairs])
    assert tau == pytest.approx(KendallKernel(unranked="anywhere")([one], [other])[0, 0])
    mean = np.mean([np.exp(-0.3 * literal.discordant_pairs(*both)) for both in pairs])
    ours = MallowsKernel(0.3, unranked="anywhere", n_draws=120)([one], [other])[0, 0]
    assert mean == pytest.approx(ours)
    if {len(set(row)) for row in (one, other)} == {5}:
        closed = literal.expected_kendall(np.array(one), np.array(other))
        assert closed == pytest.approx(tau, abs=1e-12)
