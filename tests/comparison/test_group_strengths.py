"""Strengths of groups: the data are one of the permutations, and errors are those of each group."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rankcut import compare_groups
from rankcut.comparison.group_strengths import GroupStrengths, StrengthSteps
from rankcut.comparison.permutations import GroupDraws, Options
from rankcut.comparison.rows import make_design, read_rows, read_weighted
from rankcut.comparison.vectors import Scores, stored
from rankcut.errors import InputError


def sample(kind, n=24, n_items=6):
    """Rankings of some kind, whose groups are shown or list other items."""
    rng = np.random.default_rng(len(kind))
    noise = rng.gumbel(size=(n, n_items)) + np.linspace(1, -1, n_items)
    ranks = (-noise).argsort(axis=1).argsort(axis=1) + 1.0
    groups = np.arange(n) % 3
    if kind == "top":
        return np.where(ranks <= 1 + groups[:, None], ranks, np.nan), groups, "last"
    seen = rng.random(ranks.shape) < np.where(groups[:, None] == 1, 0.9, 0.5)
    ranks = np.ceil(ranks / 2) if kind == "tied" else ranks
    return np.where(seen, ranks, np.nan), groups, "anywhere"


def draws_of(ranks, groups, unranked, weights=None, people=None):
    weighted = read_weighted(ranks, None, unranked, weights, None)
    rows, _ = read_rows(weighted, np.arange(len(ranks)), groups, None, people)
    design = make_design(rows)
    strengths = GroupStrengths(rows, design)
    scores = Scores(design, {"scores": stored(strengths.scores)})
    steps = StrengthSteps(strengths, scores)
    return GroupDraws(scores, scores.columns["scores"], Options(9, 0), steps), strengths


@pytest.mark.parametrize("kind", ["top", "tied", "incomplete", "people", "weights"])
def test_the_data_are_one_of_the_permutations(kind):
    """Their labels, exchanged with themselves, give the same information, errors and strengths."""
    ranks, groups, unranked = sample(kind)
    people = [0, 1, 2, 0, 1, 2, *range(3, 21)] if kind == "people" else None
    weights = 0.5 + np.arange(24) % 5 if kind == "weights" else None
    draws, _ = draws_of(ranks, groups, unranked, weights, people)
    table = draws.scores.design.table
    if kind == "weights":
        again = draws._slotted(np.arange(len(groups), dtype=np.int32)[np.newaxis])
    else:
        own = np.concatenate([np.repeat(range(3), row[draws._order]) for row in table])
        again = draws._labelled(own[np.newaxis].astype(np.uint8))
    for one, other in zip(draws.data(), again, strict=True):
        if one is not None:
            assert_allclose(other, one, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_kernel_looks_beside_strengths(weighted):
    """The overall test is the kernel's; items and pairs are compared by strengths all the same."""
    ranks, groups, unranked = sample("top", 60)
    ranks[groups == 1] = ranks[groups == 1][:, ::-1]
    weights = 0.5 + np.arange(60) % 5 if weighted else None
    found = [
        compare_groups(
            ranks,
            groups,
            unranked=unranked,
            features=features,
            sample_weight=weights,
            n_permutations=99,
        )
        for features in (None, "gaussian")
    ]
    assert found[1].features != "means"
    assert found[1].p_value == 0.01
    for name in ("items", "pairs"):
        one, other = (getattr(each, name)["p_value"] for each in found)
        assert_allclose(one, other, rtol=1e-9)


def test_each_group_has_its_own_information():
    """Large groups take the step that Newton's method takes with their own rankings."""
    ranks, groups, unranked = sample("incomplete", 9000)
    draws, strengths = draws_of(ranks, groups, unranked)
    data = draws.data()
    items = data.means[0][:, draws.columns["items"]]
    # Groups hardly differ, so a step is the whole way, but for ten units of all groups.
    gaps = strengths.theta - strengths.pooled
    assert_allclose(items, gaps, atol=0.02 * np.abs(gaps).max())
    # Errors are those of the model, which holds here: the inverse information.
    first, second = np.triu_indices(6, 1)
    for group, found in enumerate(data.variances[0][:, draws.columns["pairs"]]):
        inverse = np.linalg.pinv(strengths._information[group], rcond=1e-9)
        expected = inverse[first, first] + inverse[second, second] - 2 * inverse[first, second]
        assert_allclose(found, expected, rtol=0.1)


def test_an_item_that_a_group_did_not_happen_to_choose():
    """Its score hardly varies in the group, but its strength is known least."""
    rng = np.random.default_rng(0)
    noise = rng.gumbel(size=(200, 5)) + np.array([1.5, 1.0, 0.5, 0.0, -1.5])
    full = (-noise).argsort(axis=1).argsort(axis=1) + 1.0
    groups = np.repeat([0, 1], 100)
    ranks = np.where((full == 1) | (groups == 1)[:, None], full, np.nan)
    ranks = np.where((groups == 0)[:, None] & (ranks[:, [4]] == 1), [1] + [np.nan] * 4, ranks)
    draws, _ = draws_of(ranks, groups, "last")
    variances = draws.data().variances[0, 0, :5]
    # Less is known of items that are rarely chosen: the last one, then the one before it.
    assert (np.diff(variances) > 0).all()


def test_how_much_people_vary_counts_where_they_are_few():
    """A person's four lists say as much as one if they are equal, and as four if not."""
    rng = np.random.default_rng(0)
    noise = rng.gumbel(size=(400, 4, 5)) + np.linspace(1, -1, 5)
    people, groups = np.repeat(np.arange(400), 4), np.repeat(np.arange(400) % 2, 4)
    for lists, expected in ((noise, 0.25), (np.repeat(noise[:, :1], 4, axis=1), 1.0)):
        ranks = (-lists.reshape(-1, 5)).argsort(axis=1).argsort(axis=1) + 1.0
        draws, _ = draws_of(ranks, groups, "last", people=people)
        assert draws._steps._dispersion == pytest.approx(expected, rel=0.15)


def shown(first, second):
    """30 rankings of six items in each of two groups, who see some of them."""
    noise = np.random.default_rng(0).gumbel(size=(60, 6)) + np.linspace(2, -2, 6)
    full = (-noise).argsort(axis=1).argsort(axis=1) + 1.0
    groups = np.repeat(["a", "b"], 30)
    seen = np.where(groups[:, None] == "a", np.isin(range(6), first), np.isin(range(6), second))
    return np.where(seen, full, np.nan), groups


def test_what_a_single_group_puts_in_order_is_left_out():
    """And so are items that it compares only with such ones."""
    ranks, groups = shown([0, 1, 2, 3], [2, 3, 4])
    graph = np.eye(6, k=1) + np.eye(6, k=-1)
    result = compare_groups(ranks, groups, unranked="anywhere", graph=graph, n_permutations=99)
    assert sorted(result.items["item"]) == [2, 3]
    assert "Left out what only one group puts in order: 0, 1, 4." in result.notes
    # What remains is compared as if nobody had been asked for more.
    fewer = compare_groups(ranks[:, 2:4], groups, unranked="anywhere", n_permutations=99)
    assert fewer.p_value == result.p_value
    # Item 3 is in a list with items of both groups, but with no other that both have.
    ranks, groups = shown([0, 1, 3], [1, 3, 4, 5])
    ranks[groups == "b", 3:5] = np.nan
    result = compare_groups(ranks, groups, unranked="anywhere", n_permutations=99)
    assert result.measure == "listing"


def test_two_of_several_groups_that_share_nothing_are_not_compared():
    first, groups = shown([0, 1, 2], [3, 4, 5])
    both, _ = shown([1, 2, 3, 4], [1, 2, 3, 4])
    result = compare_groups(
        np.vstack([first, both]),
        np.append(groups, ["c"] * 60),
        unranked="anywhere",
        n_permutations=99,
    )
    assert [(row["first"], row["second"]) for row in result.between] == [("a", "c"), ("b", "c")]


def test_nothing_in_common_is_no_evidence_of_no_difference():
    ranks, groups = shown([0, 1, 2], [3, 4, 5])
    result = compare_groups(ranks, groups, unranked="anywhere", n_permutations=99)
    assert result.measure == "listing"
    assert "No difference" not in result.summary()
    with pytest.raises(InputError, match="no two groups that put the same items in order"):
        compare_groups(ranks, groups, unranked="anywhere", measure="strengths")
    with pytest.raises(InputError, match="features looks at how items are ordered"):
        compare_groups(ranks, groups, unranked="anywhere", features="gaussian")
