import numpy as np
import pytest
from sklearn.metrics import f1_score

from rankcut import GPClassifier, make_food
from rankcut.kernels import kendall_kernel, mallows_kernel
from reproduction.encodings import KENDALL, Encoded, Rankings, encode
from reproduction.learning import (
    always_one,
    balanced_sample,
    guess,
    learn_gp,
    spectral_features,
    split_rows,
)


def test_samples_are_balanced_without_repetition_and_follow_the_seed():
    target = np.array([0] * 70 + [1] * 30)
    sample = balanced_sample(target, 40, seed=3)
    assert target[sample].sum() == 20
    assert len(set(sample.tolist())) == 40
    assert np.array_equal(sample, balanced_sample(target, 40, seed=3))
    assert not np.array_equal(sample, balanced_sample(target, 40, seed=4))
    # In random order: not one class after the other.
    assert 0 < target[sample][:20].sum() < 20


@pytest.mark.parametrize("n", [100, 250, 2500])
def test_the_split_is_a_fifth_of_each_class(n):
    target = np.random.RandomState(0).permutation(np.arange(n) % 2)
    split = split_rows(target)
    assert len(split.test) == n // 5
    assert target[split.test].mean() == target[split.train].mean() == 0.5
    assert sorted([*split.train, *split.test]) == list(range(n))


def test_one_class_for_all_has_two_thirds_of_f1_and_half_of_accuracy():
    target = np.arange(100) % 2
    split = split_rows(target)
    constant = always_one(target, split)
    assert constant["F1"] == pytest.approx(2 / 3)
    assert (constant["accuracy"], constant["AUC"]) == (0.5, 0.5)
    assert constant["log-loss"] == pytest.approx(np.log(2))
    dummy = guess(target, split, seed=0)
    assert dummy["share of class 1"] == pytest.approx(0.5, abs=0.05)
    assert dummy["accuracy"] == pytest.approx(0.5, abs=0.05)
    assert dummy["AUC"] == 0.5
    drawn = np.random.RandomState(0).random_sample((50, len(split.test))) < 0.5
    expected = np.mean([f1_score(target[split.test], each) for each in drawn])
    assert dummy["F1"] == pytest.approx(expected)


def test_kendall_in_weight_space_is_kendall_in_function_space():
    food = make_food(50, noise=0.8, random_state=1)
    split = split_rows(food.target)
    rankings = Rankings(food.ranks, "error", food.item_features)
    record = learn_gp(encode(KENDALL, rankings).features, food.target, split)
    gram = kendall_kernel(food.ranks)
    model = GPClassifier(kernel="precomputed")
    model.fit(gram[np.ix_(split.train, split.train)], food.target[split.train])
    cross = gram[np.ix_(split.test, split.train)]
    probability = model.predict_proba(cross, diagonal=np.ones(len(split.test)))[:, 1]
    assert record["ELBO"] == pytest.approx(model.elbo_, abs=1e-5)
    truth = food.target[split.test]
    assert record["accuracy"] == ((probability > 0.5) == truth).mean()
    loss = -np.log(np.where(truth == 1, probability, 1 - probability)).mean()
    assert record["log-loss"] == pytest.approx(loss, abs=1e-5)
    assert record["converged"]


def test_spectral_features_have_the_inner_products_of_the_gram_matrix():
    food = make_food(60, noise=0.8, random_state=1)
    gram = mallows_kernel(food.ranks, lam=0.1)
    train = np.arange(0, 60, 2)
    whole = spectral_features(gram, train, 30)
    np.testing.assert_allclose(
        whole.features[train] @ whole.features[train].T, gram[np.ix_(train, train)], atol=1e-8
    )
    np.testing.assert_allclose(whole.features @ whole.features[train].T, gram[:, train], atol=1e-8)
    assert whole.share == pytest.approx(1.0)
    part = spectral_features(gram, train, 10)
    values = np.linalg.eigvalsh(gram[np.ix_(train, train)])[::-1]
    assert part.share == pytest.approx(values[:10].sum() / values.sum(), abs=1e-3)
    assert part.features.shape == (60, 10)


def test_a_gram_matrix_of_all_ranks_learns_what_the_function_space_learns():
    food = make_food(50, noise=0.8, random_state=2)
    split = split_rows(food.target)
    gram = mallows_kernel(food.ranks, lam=0.1)
    features = spectral_features(gram, split.train, len(split.train)).features
    record = learn_gp(features, food.target, split)
    model = GPClassifier(kernel="precomputed")
    model.fit(gram[np.ix_(split.train, split.train)], food.target[split.train])
    assert record["ELBO"] == pytest.approx(model.elbo_, abs=1e-3)
    assert Encoded(gram=gram).features is None
