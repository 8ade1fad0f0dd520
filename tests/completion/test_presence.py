"""Who lists what, against plain regressions and planted circles of readers."""

import numpy as np
import pytest
from listed import lists_of
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import ndcg_score
from sklearn.model_selection import cross_val_score

from rankcut import RankingCompleter
from rankcut.completion import presence
from rankcut.completion.presence import (
    best_unlisted,
    fit_presence,
    hide_listed,
    learn_presence,
    listed_items,
    ndcg,
)
from rankcut.graphs import as_item_graph


def circles(n_people=240, n_items=60, seed=0):
    """Three circles of readers list 8 books of their own third, which all like in one order."""
    rng = np.random.default_rng(seed)
    liked = rng.permutation(n_items)
    ranks = np.full((n_people, n_items), np.nan)
    for person, own in enumerate(ranks):
        listed = rng.choice(20, 8, replace=False) + 20 * (person % 3)
        own[listed] = liked[listed].argsort().argsort() + 1
    return ranks


LISTS = circles()


def plain_ease(listed, penalty, counts):
    """B by the definition: a regression of each item on all others, with a penalty."""
    n_items = listed.shape[1]
    found = np.zeros((n_items, n_items))
    for item in range(n_items):
        others = np.arange(n_items) != item
        own = listed[:, others] * counts[:, None]
        gram = own.T @ listed[:, others] + penalty * np.eye(n_items - 1)
        found[others, item] = np.linalg.solve(gram, own.T @ listed[:, item])
    return found


@pytest.mark.parametrize("n_people", [40, 240])
@pytest.mark.parametrize("order", [False, True])
def test_scores_are_penalised_regressions_on_the_other_items(n_people, order):
    counts = np.tile([1.0, 2.0], n_people // 2)
    lists = lists_of(LISTS[:n_people], counts=counts)
    values = ~np.isnan(LISTS[:n_people]) * 1.0
    if order:
        values = np.where(values > 0, 1.5 - (np.nan_to_num(LISTS[:n_people]) - 0.5) / 8, 0.0)
    found = fit_presence(lists, 20.0, order=order).worth(lists)
    expected = values @ plain_ease(values, 20.0, counts)
    free = values == 0
    assert_allclose(found[free], expected[free], rtol=1e-8, atol=1e-10)


def test_many_lists_of_many_items_go_by_the_nearest_items(monkeypatch):
    monkeypatch.setattr(presence, "MOST_HELD", 50**2)
    lists = lists_of(LISTS)
    found = fit_presence(lists, 100.0, order=False).worth(lists)
    best = best_unlisted(found, listed_items(lists), 5)
    assert_array_equal(best // 20, np.tile([[0], [1], [2]], (80, 5)))


def test_a_graph_gives_items_that_nobody_lists_to_those_who_like_their_neighbours():
    rare = LISTS.copy()
    rare[:, ::10] = np.nan
    near = np.zeros((60, 60))
    near[range(0, 60, 2), range(1, 60, 2)] = near[range(1, 60, 2), range(0, 60, 2)] = 1.0
    with_graph = fit_presence(lists_of(rare), 100.0, order=False, graph=as_item_graph(near))
    scores = with_graph.worth(lists_of(rare))
    for circle in range(3):
        own = scores[circle::3][:, 20 * circle : 20 * circle + 20 : 10]
        others = np.delete(scores[circle::3], range(20 * circle, 20 * circle + 20), axis=1)
        assert own.min() > others[:, ::10].max()
    # A list of one of them, too, says something.
    alone = np.full((1, 60), np.nan)
    alone[0, 20] = 1.0
    assert with_graph.worth(lists_of(alone))[0].argmax() // 20 == 1
    without = fit_presence(lists_of(rare), 100.0, order=False)
    assert_allclose(without.worth(lists_of(alone)), 0.0, atol=1e-12)


def test_recommendations_go_by_presence_where_it_counts():
    completer = RankingCompleter(unranked="last").fit(LISTS)
    best, scores = completer.recommend(LISTS, 5, return_scores=True)
    # Readers are recommended books of their own circle, none that they listed.
    assert_array_equal(best // 20, np.tile([[0], [1], [2]], (80, 5)))
    assert np.isnan(np.take_along_axis(LISTS, best, axis=1)).all()
    assert (np.diff(scores, axis=1) <= 0).all()
    assert 0 < scores.min() < scores.max() < 1.5
    # In one go or a person at a time; without a list, what everyone likes.
    assert_array_equal(completer.recommend(LISTS[7:8], 5), best[7:8])
    nothing = np.full((1, 60), np.nan)
    assert completer.recommend(nothing, 1)[0, 0] == completer.consensus_.argmax()


def test_one_person_tells_nothing_about_presence():
    few = LISTS[:1]
    completer = RankingCompleter(unranked="last").fit(few)
    free = np.where(np.isnan(few), completer.transform(few), -np.inf)
    best, scores = completer.recommend(few, 1, return_scores=True)
    assert_array_equal(best[:, 0], free.argmax(axis=1))
    assert_array_equal(scores[:, 0], free.max(axis=1))


class Knows:
    """A model that knows who lists what in some lists."""

    def __init__(self, ranks):
        self.ranks = ranks

    def utilities(self, lists):
        return np.where(np.isnan(self.ranks), -1.0, 1.0)


def test_judges_decide_whether_presence_counts():
    listed = lists_of(LISTS)
    # To judges whose lists do not keep to any circle, presence is no help.
    mixed = np.random.default_rng(1).permuted(LISTS[:60], axis=1)
    for judges, model, counts in (
        (LISTS[:60], Knows(np.ones((60, 60))), True),
        (mixed, Knows(mixed), False),
    ):
        rng, others = np.random.default_rng(0), listed.span(60, 240)
        found = learn_presence(listed, lists_of(judges), others, model, None, rng)
        assert (found is not None) == counts


def test_the_score_is_that_of_scikit_learn():
    worth = np.random.default_rng(0).random((60, 60))
    shown, gains = hide_listed(lists_of(LISTS[:60]), np.random.default_rng(1))
    hidden = gains > 0
    assert (hidden & ~np.isnan(LISTS[:60])).sum() == hidden.sum()
    assert gains[hidden].max() <= 1.5
    assert gains[hidden].min() >= 0.5
    expected = []
    for gain, row, listed in zip(gains, worth, listed_items(shown), strict=True):
        if gain.any():
            expected.append(ndcg_score(gain[None, ~listed], row[None, ~listed]))
    assert ndcg(worth, shown, gains) == pytest.approx(np.mean(expected))
    # People with such lists are found by it, and nobody by chance.
    scores = cross_val_score(RankingCompleter(unranked="last"), LISTS, cv=3)
    assert scores.min() > 1.3 * np.mean(expected)
