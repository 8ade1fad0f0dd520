"""What is learned from hidden places: how sharp probabilities are, and why items are listed.

Against plain loops over the same hidden places, and simulated people with known tastes.
"""

import numpy as np
import pytest
from listed import lists_of
from numpy.testing import assert_array_equal
from scipy.special import ndtr
from scipy.stats import norm

from rankcut import RankingCompleter
from rankcut.completion import recipe
from rankcut.completion.population import Population
from rankcut.completion.recipe import measure_listing, measure_sharpness

N = 8


def example():
    """Lists of six of eight items, and a population that they are not drawn from."""
    rng = np.random.default_rng(2)
    root = rng.normal(size=(N, 3))
    mean = np.linspace(1.0, -1.0, N)
    utilities = mean + rng.normal(size=(60, 3)) @ root.T + rng.normal(size=(60, N))
    ranks = (-utilities).argsort(axis=1).argsort(axis=1) + 1.0
    ranks[rng.random(ranks.shape).argsort(axis=1) >= 6] = np.nan
    return ranks, Population(mean, root @ root.T + 0.1 * np.eye(N), 0.2)


def likeliest(margins):
    """κ of the highest posterior on a fine grid of logarithms, whose precision is 20."""
    logs = np.linspace(-2, 2, 4001)
    values = [
        norm.logpdf(log, scale=20**-0.5) + norm.logcdf(np.exp(log) * margins).sum() for log in logs
    ]
    return np.exp(logs[np.argmax(values)])


def test_probabilities_have_the_sharpness_that_makes_hidden_places_most_likely():
    ranks, model = example()
    lists = lists_of(ranks)
    hidden = np.zeros(ranks.shape, dtype=bool)
    drawn = recipe._hidden_entries(lists, np.random.default_rng(3), last=False)
    hidden[lists.owners[drawn], lists.items[drawn]] = True
    assert (hidden.sum(axis=1) == 2).all()
    completer = RankingCompleter(unranked="anywhere", listing="random").fit(ranks)
    completer._population, completer._sharpness = model, 2.0
    completer._columns = np.arange(N)
    margins = []
    for row, out in zip(ranks, hidden, strict=True):
        left = np.where(out, np.nan, row)[None]
        shown, chances = lists_of(left), completer.predict_pairs(left)[0]
        worth = model.utilities(shown)[0]
        spread = model.posterior(shown, np.arange(N))
        for i in range(N):
            for j in range(N):
                if row[i] < row[j] and (out[i] or out[j]):
                    variance = spread[i, i] + spread[j, j] - 2 * spread[i, j]
                    margins.append((worth[i] - worth[j]) / np.sqrt(variance))
                    if out[i] and out[j]:
                        assert chances[i, j] == pytest.approx(ndtr(2.0 * margins[-1]), rel=1e-9)
    found = measure_sharpness([lists], [model], np.random.default_rng(3))
    assert found == pytest.approx(likeliest(np.array(margins)), rel=2e-3)


def chosen_lists(slope, *, n_people=300, n_items=16, seed=0):
    """People with tastes along two directions, who list items with chances that rise with them."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n_items, 2))
    utilities = rng.normal(size=(n_people, 2)) @ root.T + 0.7 * rng.normal(size=n_items)
    utilities += 0.6 * rng.normal(size=utilities.shape)
    utilities /= utilities.std()
    listed = rng.random(utilities.shape) < ndtr(slope * utilities - 0.5)
    ranks = np.where(listed, utilities, -np.inf)
    ranks = (-ranks).argsort(axis=1).argsort(axis=1) + 1.0
    return np.where(listed, ranks, np.nan), utilities


def calibration(completer, ranks, utilities):
    """How far probabilities of pairs with an unlisted item are from how often they come true."""
    one, other = np.triu_indices(ranks.shape[1], 1)
    said = completer.predict_pairs(ranks, np.stack([one, other], axis=1))
    open_ = np.isnan(ranks[:, one]) | np.isnan(ranks[:, other])
    true = utilities[:, one] > utilities[:, other]
    said, true = np.append(said[open_], 1 - said[open_]), np.append(true[open_], ~true[open_])
    bins = np.minimum((said * 10).astype(int), 9)
    return sum(abs((said - true)[bins == each].sum()) for each in range(10)) / len(said)


def test_listing_by_taste_is_noticed_and_mended():
    ranks, utilities = chosen_lists(2.0)
    with pytest.warns(UserWarning, match='listed more often .* pass listing="taste"'):
        plain = RankingCompleter(unranked="anywhere").fit(ranks[:200])
    taste, asked = (
        RankingCompleter(unranked="anywhere", listing=why).fit(ranks[:200])
        for why in ("taste", "random")
    )
    assert_array_equal(asked.consensus_, plain.consensus_)
    assert taste.listing_ == plain.listing_ > 0.5
    parts = ranks[200:], utilities[200:]
    assert calibration(taste, *parts) < 0.03 < calibration(plain, *parts)


def test_listing_by_chance_is_left_alone():
    ranks, utilities = chosen_lists(0.0)
    plain = RankingCompleter(unranked="anywhere").fit(ranks[:200])
    assert plain.listing_ < 0.3
    assert calibration(plain, ranks[200:], utilities[200:]) < 0.03


def test_listing_grows_with_how_much_chances_depend_on_utilities():
    found = []
    for slope in (-1.0, 0.5, 3.0):
        ranks, utilities = chosen_lists(slope)
        model = Population(utilities.mean(axis=0), np.cov(utilities.T) - 0.05 * np.eye(16), 0.05)
        found.append(measure_listing([lists_of(ranks)], [model], np.random.default_rng(0)))
    assert found[0] == 0.0
    # The correlation of u and slope·u + noise is 0.45, and 0.95.
    assert 0.2 < found[1] < 0.5 < found[2] < 0.98
