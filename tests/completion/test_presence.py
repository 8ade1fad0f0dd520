"""Who lists what, against plain singular vectors and planted circles of readers."""

import numpy as np
from listed import lists_of
from numpy.testing import assert_allclose, assert_array_equal

from rankcut import RankingCompleter
from rankcut.completion.presence import Presence, learn_presence, matrix, principal_directions


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


def test_directions_are_singular_vectors_of_what_is_listed():
    lists = lists_of(LISTS, counts=np.tile([1.0, 2.0], 120))
    weighted = np.sqrt(lists.counts)[:, None] * ~np.isnan(LISTS)
    expected = np.linalg.svd(weighted, full_matrices=False)[2][:3].T
    found = principal_directions(lists, 3)
    assert_allclose(found @ found.T, expected @ expected.T, atol=1e-8)


def test_unlisted_items_of_a_top_list_are_not_present():
    lists = lists_of(LISTS, unranked="last")
    assert_array_equal(matrix(lists).toarray() > 0, ~np.isnan(LISTS))


def test_worth_is_presence_and_utility_in_standard_units():
    rng = np.random.default_rng(3)
    directions, utilities = rng.normal(size=(60, 2)), rng.normal(size=(2, 60))
    rankings = LISTS[:2].copy()
    rankings[1] = np.nan
    lists = lists_of(rankings, unranked="last")
    found = Presence(directions, 0.5).worth(lists, utilities)
    free = np.isnan(LISTS[0])
    present = ~free @ directions @ directions.T
    expected = sum(
        weight * (values - values[free].mean()) / values[free].std()
        for weight, values in ((1.0, present), (0.5, utilities[0]))
    )
    assert_allclose(found[0], expected, rtol=1e-10)
    # Without a list, by utility alone.
    assert_array_equal(np.argsort(found[1]), np.argsort(utilities[1]))
    assert Presence(directions, np.inf).worth(lists, utilities) is utilities


def test_recommendations_go_by_presence_where_it_counts():
    completer = RankingCompleter(unranked="last").fit(LISTS[:20])
    completer._presence = Presence(principal_directions(lists_of(LISTS), 3), 0.0)
    best = completer.recommend(LISTS, 5)
    # Readers are recommended books of their own circle, none that they listed.
    assert_array_equal(best // 20, np.tile([[0], [1], [2]], (80, 5)))
    assert np.isnan(np.take_along_axis(LISTS, best, axis=1)).all()
    # In one go or a person at a time; without a list, what everyone likes.
    assert_array_equal(completer.recommend(LISTS[7:8], 5), best[7:8])
    nothing = np.full((1, 60), np.nan)
    assert completer.recommend(nothing, 1)[0, 0] == completer.consensus_.argmax()


def test_few_people_tell_nothing_about_presence():
    few = LISTS[:3]
    completer = RankingCompleter(unranked="last").fit(few)
    free = np.where(np.isnan(few), completer.transform(few), -np.inf)
    assert_array_equal(completer.recommend(few, 1)[:, 0], free.argmax(axis=1))


def test_judges_decide_whether_presence_counts():
    listed = lists_of(LISTS)

    class Blind:
        def utilities(self, lists, *, keep):
            return np.zeros((len(lists), lists.n_items))

    others = listed.span(60, 240)
    found = learn_presence(listed, listed.span(0, 60), others, Blind(), np.random.default_rng(0))
    assert found.weight < np.inf
    assert_allclose(
        found.directions.T @ found.directions, np.eye(found.directions.shape[1]), atol=1e-9
    )
    # To judges whose lists do not keep to any circle, presence is no help.
    mixed = np.random.default_rng(1).permuted(LISTS[:60], axis=1)
    judges = lists_of(mixed)
    found = learn_presence(listed, judges, others, Blind(), np.random.default_rng(0))
    assert found.weight == np.inf


def test_wanted_items_are_the_better_half_of_what_is_hidden():
    class Knowing:
        """Knows the order that all readers share."""

        def utilities(self, lists, *, keep):
            return np.tile(-np.nanmean(LISTS, axis=0), (len(lists), 1))

    listed = lists_of(LISTS)
    parts = listed.span(0, 60), listed.span(60, 240)
    found = learn_presence(listed, *parts, Knowing(), np.random.default_rng(0))
    assert 0.0 < found.weight < np.inf

    class Contrary(Knowing):
        def utilities(self, lists, *, keep):
            return -super().utilities(lists, keep=keep)

    found = learn_presence(listed, *parts, Contrary(), np.random.default_rng(0))
    assert found.weight == 0.0
