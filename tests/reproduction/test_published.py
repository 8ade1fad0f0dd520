"""The published experiments: people, labels, draws, and one thing changed at a time."""

import numpy as np
import pytest

from rankcut import make_food
from reproduction import encodings, published
from reproduction.encodings import CUT, KENDALL, MALLOWS, Cut, Rankings
from reproduction.learning import split_rows
from reproduction.published import (
    BOTH,
    CONVERGED,
    EVEN,
    NEITHER,
    OWN,
    OWN_CONVERGED,
    PUBLISHED,
    TEXT,
    TWENTY,
    Lesson,
    Release,
    first_rows,
    mixed_up,
    released_sample,
    runs,
    runs_with_own_completions,
    see,
)

# Steps, a constant, where the variance starts, and for cuts: weighted, unit length, draws.
RELEASED = {
    ("sushi", "full", CUT): (20, True, 1.0, True, False, "tolerance"),
    ("sushi", "full", KENDALL): (20, False, 1.0),
    ("sushi", "full", MALLOWS): (20, False, 1.0),
    ("sushi", "top-6", CUT): (20, True, 1.0, True, False, "tolerance"),
    ("sushi", "top-6", KENDALL): (20, False, 10.0),
    ("sushi", "top-6", MALLOWS): (20, False, 1.0),
    ("sushi", "4 of 10", CUT): (10, False, 1.0, False, False, "tolerance"),
    ("sushi", "4 of 10", KENDALL): (200, False, 1.0),
    ("sushi", "10 of 100", CUT): (10, False, 1.0, False, False, "same"),
    ("sushi", "10 of 100", KENDALL): (200, False, 1.0),
    ("synthetic", "full", CUT): (20, True, 1.0, True, False, "tolerance"),
    ("synthetic", "full", KENDALL): (20, False, 1.0),
    ("synthetic", "full", MALLOWS): (20, False, 1.0),
    ("synthetic", "top-6", CUT): (20, True, 1.0, True, False, "tolerance"),
    ("synthetic", "top-6", KENDALL): (20, False, 1.0),
    ("synthetic", "top-6", MALLOWS): (20, False, 1.0),
    ("synthetic", "top-3", CUT): (20, True, 1.0, True, False, "tolerance"),
    ("synthetic", "top-3", KENDALL): (20, False, 1.0),
    ("synthetic", "top-3", MALLOWS): (20, False, 1.0),
    ("synthetic", "ties", CUT): (200, False, 1.0, False, True, "tolerance"),
    ("synthetic", "ties", KENDALL): (200, False, 1.0),
    ("synthetic", "incomplete", CUT): (200, False, 1.0, False, False, "tolerance"),
    ("synthetic", "incomplete", KENDALL): (200, False, 1.0),
}

SIDE = np.random.default_rng(0).permutation(np.arange(400) % 4 == 0).astype(int)


def test_settings_are_those_of_the_released_program():
    found = {}
    for data, experiments in (("sushi", published.SUSHI), ("synthetic", published.SYNTHETIC)):
        for experiment, kernels in experiments.items():
            for kernel, release in kernels.items():
                cut = release.cut
                about = () if cut is None else (cut.weighted, cut.normalize, cut.draws)
                assert cut is None or cut.kernel == "exponential"
                settings = (release.steps, release.constant, release.variance, *about)
                found[data, experiment, kernel] = settings
    assert found == RELEASED
    # Lists of 8 dishes were taken for lists of 10.
    assert published.SYNTHETIC["top-6"][KENDALL].absent == 2


def test_people_are_all_of_one_side_and_as_many_of_the_other():
    people = released_sample(SIDE, 200, 7)
    assert set(np.flatnonzero(SIDE == 1)) < set(people.tolist())
    assert len(set(people.tolist())) == 200
    # Fewer are the first of the same, whatever their side.
    some = released_sample(SIDE, 150, 7)
    assert np.array_equal(some, people[:150])
    assert SIDE[some].sum() != 75
    assert not np.array_equal(some, released_sample(SIDE, 150, 8))


def test_the_first_four_fifths_are_learned_from():
    split = first_rows(2500)
    assert np.array_equal(split.train, np.arange(2000))
    assert np.array_equal(split.test, np.arange(2000, 2500))


def test_lists_had_the_labels_of_other_people():
    people = released_sample(SIDE, 190, 0)
    for mix in mixed_up("top-6", SIDE, (3, 5), 150, 190):
        assert np.array_equal(mix.people[mix.rows], people[:150])
        assert np.array_equal(mix.target, SIDE[released_sample(SIDE, 150, mix.seed)])
        assert np.array_equal(mix.right, SIDE[people[:150]])
        assert 0.3 < (mix.target == mix.right).mean() < 0.7


def test_labels_of_incomplete_rankings_were_right_for_the_first_seed_alone():
    first, second, third = mixed_up("4 of 10", SIDE, (3, 5, 9), 150, 190)
    assert np.array_equal(first.target, first.right)
    for before, mix in ((first, second), (second, third)):
        # Drawn from labels that were drawn before, by numbers that are of the matrix.
        assert np.array_equal(mix.target, before.target[mix.rows])
        assert 0.3 < (mix.target == mix.right).mean() < 0.7


def test_the_same_draws_do_not_depend_on_the_seed(monkeypatch):
    """Theirs are choices among every second of 2·l + 1 places, by the number of items as seed."""
    monkeypatch.setattr(encodings, "N_DRAWS", 5)
    ranks = np.array([[1.0, 2.0, np.nan, np.nan, np.nan], [np.nan, 1.0, np.nan, 2.0, np.nan]])
    points = np.random.default_rng(0).random((5, 2))
    rankings = Rankings(ranks, "anywhere", points)
    release = Release(10, cut=Cut(draws="same"))
    found = see(CUT, release, rankings, 1).features
    assert np.array_equal(found, see(CUT, release, rankings, 2).features)
    places = np.random.RandomState(5).choice(range(0, 5, 2), (5, 3))
    expected = np.random.RandomState(5).randint(0, 3, (5, 3))
    assert np.array_equal(places, 2 * expected)
    np.testing.assert_array_equal(found, encodings._same_completions(ranks, _graph(points), 5))


def _graph(points):
    return encodings.item_graph(points, "squared_exponential")


@pytest.fixture(scope="module")
def lessons():
    """Vectors as released and by the text, with their split and ours."""
    food = make_food(40, noise=1.0, random_state=3)
    rankings = Rankings(food.ranks, "error", food.item_features)
    seen = see(CUT, published.FULL_AND_LISTS[CUT], rankings, 0)
    text = published.Seen(encodings.encode(CUT, rankings).features)
    theirs = Lesson(seen, food.target, first_rows(40))
    return theirs, Lesson(seen, food.target, split_rows(food.target)), text


def test_one_thing_is_changed_at_a_time(lessons):
    theirs, ours, text = lessons
    release = Release(2, constant=True)
    found = {run.variant: run.record for run in runs(release, theirs, text=text, even=ours)}
    assert set(found) == {PUBLISHED, NEITHER, BOTH, TWENTY, CONVERGED, TEXT, EVEN}
    # A constant is what this kernel had.
    assert found[BOTH] == found[PUBLISHED]
    assert found[NEITHER] != found[PUBLISHED]
    assert found[PUBLISHED]["steps"] == found[TEXT]["steps"] == found[EVEN]["steps"] == 2
    assert found[PUBLISHED]["ELBO"] < found[TWENTY]["ELBO"] <= found[CONVERGED]["ELBO"]
    without = {run.variant: run.record for run in runs(Release(2), theirs)}
    assert without[NEITHER] == without[PUBLISHED] == found[NEITHER]
    assert without[BOTH] == found[PUBLISHED]
    assert TEXT not in without
    assert EVEN not in without


def test_own_completions_are_fitted_as_published_and_to_the_end(lessons):
    theirs, _, _ = lessons
    stopped, ended = runs_with_own_completions(Release(2), theirs)
    assert (stopped.variant, ended.variant) == (OWN, OWN_CONVERGED)
    usual = {run.variant: run.record for run in runs(Release(2), theirs)}
    assert stopped.record == usual[PUBLISHED]
    assert ended.record == usual[CONVERGED]


def test_alone_nothing_is_changed(lessons):
    theirs, _, _ = lessons
    (only,) = runs(Release(3), theirs, alone=True)
    assert (only.variant, only.record["steps"], len(only.path)) == (PUBLISHED, 3, 4)


def test_mallows_goes_in_whole_and_is_run_as_published_alone():
    food = make_food(20, noise=1.0, kind="top-k", k=6, random_state=3)
    rankings = Rankings(food.ranks, "last", food.item_features)
    seen = see(MALLOWS, Release(2), rankings, 0)
    assert seen.full.shape == (80, 8)
    (only,) = runs(Release(2), Lesson(seen, food.target, first_rows(20)))
    assert only.variant == PUBLISHED


def test_items_that_are_in_no_list_are_counted():
    food = make_food(6, noise=1.0, kind="top-k", k=6, random_state=3)
    rankings = Rankings(food.ranks, "last", food.item_features)
    plain = see(KENDALL, Release(1), rankings, 0).features
    more = see(KENDALL, Release(1, absent=2), rankings, 0).features
    assert (plain.shape[1], more.shape[1]) == (28, 45)
