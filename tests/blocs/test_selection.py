"""One crowd, a line, or camps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rankcut import RankingBlocs, make_mallows, make_plackett_luce
from rankcut.blocs.agreement import association, divide_items
from rankcut.blocs.mixtures import MixtureLikelihood
from rankcut.blocs.selection import Comparison
from rankcut.blocs.starts import some_people
from rankcut.datasets import load_lunch
from rankcut.rankings import read_rankings

OPPOSITE = np.array([np.arange(1.0, 9), np.arange(8.0, 0, -1)])


def by_utility(utilities):
    return (-utilities).argsort(axis=1).argsort(axis=1) + 1.0


def along_a_line(n, noise, seed):
    rng = np.random.default_rng(seed)
    people, items = rng.uniform(-1, 1, size=(n, 1)), rng.uniform(-1, 1, size=8)
    return by_utility(-np.abs(people - items) + noise * rng.gumbel(size=(n, 8)))


def at_random(ranks, share, seed):
    ranks, rng = ranks.copy(), np.random.default_rng(seed)
    some = int(share * len(ranks))
    ranks[:some] = rng.random((some, ranks.shape[1])).argsort(axis=1) + 1
    return ranks


def more_or_less_sure(n, seed):
    rng = np.random.default_rng(seed)
    scale = np.exp(0.7 * rng.standard_normal((n, 1)))
    return by_utility(scale * np.linspace(2, -2, 8) + rng.gumbel(size=(n, 8)))


def crowd(n, seed, phi=0.5):
    return make_mallows(n, 8, phi=phi, centers=OPPOSITE[0], random_state=seed).ranks


def tied_crowd(n, seed):
    """Pairs of neighbours are tied, so that ties of some items say where those of others are."""
    order = np.arange(1.0, 8)
    return np.ceil(make_mallows(n, 7, phi=0.37, centers=order, random_state=seed).ranks / 2)


def two_camps(shares, phi=0.4):
    return np.vstack(
        [
            make_mallows(n, 8, phi=phi, centers=centre, random_state=seed).ranks
            for seed, (n, centre) in enumerate(zip(shares, OPPOSITE, strict=True))
        ]
    )


@pytest.mark.parametrize(
    ("ranks", "structure", "number"),
    [
        pytest.param(load_lunch("full").ranks, "camps", 2, id="lunch"),
        pytest.param(two_camps([12, 12]), "camps", 2, id="24 people of two opposite kinds"),
        pytest.param(two_camps([24, 24], phi=0.05), "camps", 2, id="almost no noise"),
        pytest.param(two_camps([270, 30]), "camps", 2, id="90 and 10 %"),
        pytest.param(np.ceil(two_camps([30, 30]) / 2), "camps", 2, id="camps with ties"),
        pytest.param(tied_crowd(1000, 4), "crowd", 1, id="a crowd with ties"),
        pytest.param(crowd(48, 0), "crowd", 1, id="a small crowd"),
        pytest.param(crowd(400, 0), "crowd", 1, id="Mallows"),
        pytest.param(
            make_plackett_luce(400, 8, random_state=0).ranks, "crowd", 1, id="Plackett-Luce"
        ),
        pytest.param(at_random(crowd(400, 1), 0.1, 0), "crowd", 1, id="10 % at random"),
        pytest.param(more_or_less_sure(300, 0), "crowd", 1, id="more or less sure"),
        pytest.param(along_a_line(48, 0.0, 0), "line", 1, id="a line of few"),
        pytest.param(along_a_line(300, 0.0, 5), "line", 1, id="a line"),
        pytest.param(along_a_line(300, 0.1, 2), "line", 1, id="a line with noise"),
    ],
)
def test_the_structure_is_found(ranks, structure, number):
    model = RankingBlocs().fit(ranks)
    assert (model.structure_, model.n_blocs_) == (structure, number)
    assert ("People fall into" in model.summary()) == (structure == "camps")


@pytest.mark.parametrize(
    ("n", "seed", "spread"),
    [
        pytest.param(900, 0, [1.5, 0.3, 1, 0.5, 1.2, 0.3], id="unequal"),
        # Parts of the crowd contradict each other: a line has to do better than that alone.
        pytest.param(1500, 3, [1.26, 1.02, 0.78, 0.54, 0.3, 1.5], id="contradiction"),
        pytest.param(900, 0, None, id="worst item first"),
    ],
)
def test_a_crowd_of_another_model_is_a_crowd(n, seed, spread):
    """Utilities are independent, so that one part of a list says nothing about the rest."""
    rng = np.random.default_rng(seed)
    differ = -rng.gumbel(size=(n, 6)) if spread is None else spread * rng.normal(size=(n, 6))
    ranks = by_utility(np.linspace(2, -2, 6) + differ)
    comparison = compared(ranks)
    _, _, scores, _ = comparison.structure(comparison.grow(1, 3))
    assert scores["line"] < scores["crowd"]
    assert RankingBlocs().fit(ranks).structure_ == "crowd"


def compared(ranks, unranked="error"):
    return Comparison(read_rankings(ranks, unranked=unranked).merged(as_listed=True).rankings)


def by_hand(strengths, groups):
    """The probability of some first groups of a full ranking, and no order within them."""
    worths, value = np.exp(strengths), 1.0
    left = list(range(len(strengths)))
    for group in groups:
        total = worths[left].sum()
        own = worths[list(group)]
        for step, worth in enumerate(own):
            value *= worth / (total - step / len(own) * own.sum())
        left = [item for item in left if item not in group]
    return value


@pytest.mark.parametrize(
    ("rows", "unranked", "groups"),
    [
        ([[2, 1, 4, 3], [1, 3, 2, 4]], "error", [[(1,), (0,), (3,)], [(0,), (2,), (1,)]]),
        ([[2, 1, np.nan, np.nan]], "last", [[(1,), (0,)]]),
        ([[1, 1, 2, 3], [2, 1, 3, 3]], "error", [[(0, 1), (2,)], [(1,), (0,)]]),
    ],
)
def test_likelihood_and_gradient(rows, unranked, groups):
    """Against the products of choices, and against differences."""
    rng = np.random.default_rng(0)
    strengths, shares = rng.standard_normal((3, 4)), np.array([0.2, 0.3, 0.5])
    likelihood = MixtureLikelihood.of(read_rankings(rows, unranked=unranked))
    totals, chances, gradient = likelihood.sums(strengths, shares)
    each = np.array([[by_hand(own, one) for own in strengths] for one in groups]) * shares
    assert_allclose(totals, np.log(each.sum(axis=1)), rtol=1e-12)
    assert_allclose(chances, each / each.sum(axis=1, keepdims=True), rtol=1e-12)
    for q, i in ((0, 0), (1, 2), (2, 3)):
        moved = np.zeros((3, 4))
        moved[q, i] = 1e-6
        up, down = (likelihood.sums(strengths + way * moved, shares)[0].sum() for way in (1, -1))
        assert gradient[q, i] == pytest.approx((up - down) / 2e-6, abs=1e-6)


@pytest.mark.parametrize("tied", [False, True])
def test_parts_say_as_much_about_each_other_as_the_joint_distribution_says(tied):
    ranks = np.ceil(two_camps([30, 20]) / (1 + tied))
    comparison = compared(ranks)
    mixture = comparison.camps(2)
    parts = divide_items(comparison.rankings, np.arange(8.0))
    strengths, shares = mixture.components

    def chance(own):
        """The likelihood of each ranking of a part, by each component."""
        likelihood = MixtureLikelihood.of(read_rankings(ranks[:, own]))
        return np.exp([likelihood.sums(one[None, own], np.ones(1))[0] for one in strengths])

    first, rest = (chance(own) for own, _ in parts)
    expected = np.log(shares @ (first * rest) / (shares @ first) / (shares @ rest)).sum()
    if tied:
        # People whose ties are at the same places, by chance alone.
        sizes = [
            [np.unique(row, return_counts=True)[1] for row in ranks[:, own]] for own, _ in parts
        ]
        kinds = np.array([str((*one, *other)) for one, other in zip(*sizes, strict=True)])
        one, other = (shares[:, None] * each / (shares @ each) for each in (first, rest))
        for kind in np.unique(kinds):
            some = kinds == kind
            means = one[:, some].mean(axis=1) * other[:, some].mean(axis=1)
            expected -= some.sum() * np.log((means / shares).sum())
    assert association(mixture, parts, comparison.weights) == pytest.approx(expected, rel=1e-9)


def test_lists_too_short_for_two_parts_are_not_asked():
    ranks = two_camps([300, 300], phi=0.2)
    hidden = np.random.default_rng(0).random(ranks.shape).argsort(axis=1) >= 3
    model = RankingBlocs(unranked="anywhere").fit(np.where(hidden, np.nan, ranks))
    assert (model.structure_, model.n_blocs_) == ("camps", 2)


def test_a_minority_is_found_or_left_alone():
    model = RankingBlocs().fit(two_camps([388, 12]))
    assert model.n_blocs_ <= 2
    assert model.sizes_[0] >= 380


def test_those_at_random_are_counted():
    model = RankingBlocs().fit(at_random(two_camps([150, 150], phi=0.2), 0.1, 0))
    assert model.n_blocs_ == 2
    assert 0.05 < model.random_share_ < 0.2
    assert "fit no bloc better" in model.summary()


def test_the_ends_of_a_line_are_named():
    rng = np.random.default_rng(0)
    items = np.linspace(-1, 1, 8)
    people = rng.uniform(-1, 1, size=(200, 1))
    model = RankingBlocs(items=list("abcdefgh")).fit(by_utility(-np.abs(people - items)))
    ends = ("those who prefer a, b, c", "those who prefer h, g, f")
    words = model.summary()
    assert any(f"from {one} to {other}" in words for one, other in (ends, ends[::-1]))


def test_people_are_taken_at_equal_distances():
    merged = read_rankings([[1, 2], [2, 1]], sample_weight=[3e9, 1e9]).merged().rankings
    some = some_people(merged)
    assert sorted(some.counts.tolist()) == [500, 1500]
    assert some_people(some) is some


def test_a_number_cuts_a_line_for_description():
    model = RankingBlocs((2, 3)).fit(along_a_line(200, 0.1, 3))
    assert model.structure_ == "line"
    assert model.n_blocs_ in (2, 3)
    assert f"Cut into {model.n_blocs_} blocs, as asked." in model.summary()


def test_few_people_make_no_camps():
    rng = np.random.default_rng(0)
    for n in (2, 3, 5, 10):
        ranks = rng.random((n, 8)).argsort(axis=1) + 1
        model = RankingBlocs().fit(ranks)
        assert model.structure_ == "crowd"
        assert "not looked for among fewer than 20 people" in model.summary()
