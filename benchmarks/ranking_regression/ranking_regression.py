"""How often 95 % intervals of a ranking regression hold the truth, and how long large data take.
Five items and two covariates. "True": people rank by the model. "Untrue": utilities are normal,
tastes differ from person to person, each person ranks twice, and ties are utilities that round to
the same whole number; the truth is then what a fit to 100,000 people finds. Sandwich errors hold in
both, plain ones rely on the model. Coverage is the mean over ten coefficients, ± half of a 95 %
interval over samples.

Run with: python -m benchmarks.ranking_regression.ranking_regression [--samples 400]
          [--seed 1] [--rows 1000000]

The covariates are a number that moves strengths, and a group of four in ten people that moves some
of them and not others. Lists are full, name the best two (top-k), rank three items
at random (incomplete), or have ties by Davidson's model.
"""

import argparse
import time
from itertools import combinations

import numpy as np
from scipy import stats

from benchmarks.tables import half_width
from rankcut.errors import InputError
from rankcut.rankings import read_rankings
from rankcut.strengths.designs import covariate, items
from rankcut.strengths.terms import fit_terms

UNRANKED = {"full": "error", "top-k": "last", "incomplete": "anywhere", "tied": "error"}
SIZES = (100, 300, 1000)
EVERYONE = 100_000
N_ITEMS = 5
STRENGTHS = np.array([0.6, 0.3, 0.0, -0.3, -0.6])
EFFECTS = np.array([[0.5, -0.5, 0.25, -0.25, 0.0], [0.4, 0.0, 0.0, 0.0, -0.4]])
LOG_TIE = -0.5


def make_people(rng, n_people):
    """A number, and whether a person is in the group."""
    return np.column_stack([rng.normal(size=n_people), rng.random(n_people) < 0.4]).astype(float)


def davidson(rng, strengths):
    """Rankings by Davidson's model: single items and pairs are chosen from those that remain."""
    n_rows = len(strengths)
    sets = [*combinations(range(N_ITEMS), 1), *combinations(range(N_ITEMS), 2)]
    ranks, left = np.zeros((n_rows, N_ITEMS)), np.ones((n_rows, N_ITEMS), dtype=bool)
    weights = np.column_stack(
        [strengths[:, own].mean(axis=1) + LOG_TIE * (len(own) > 1) for own in map(list, sets)]
    )
    for place in range(1, N_ITEMS + 1):
        allowed = np.column_stack([left[:, own].all(axis=1) for own in map(list, sets)])
        noisy = np.where(allowed, weights + rng.gumbel(size=weights.shape), -np.inf)
        chosen = noisy.argmax(axis=1)
        for row in np.flatnonzero(left.any(axis=1)):
            own = list(sets[chosen[row]])
            ranks[row, own], left[row, own] = place, False
    return ranks


def make_ranks(rng, covariates, kind, *, true):
    """The rankings of people, one each, or two if the model is not true; and whose they are."""
    people = np.arange(len(covariates))
    strengths = STRENGTHS + covariates @ EFFECTS
    if true and kind == "tied":
        return davidson(rng, strengths), people
    if true:
        utilities = strengths + rng.gumbel(size=strengths.shape)
    else:
        people = np.repeat(people, 2)
        tastes = strengths + rng.normal(size=strengths.shape)
        utilities = tastes[people] + rng.normal(size=(len(people), N_ITEMS))
    if kind == "tied":
        utilities = utilities.round()
    ranks = (utilities[:, None, :] > utilities[:, :, None]).sum(axis=2) + 1.0
    if kind == "top-k":
        ranks[ranks > 2] = np.nan
    if kind == "incomplete":
        ranks[rng.random(ranks.shape).argsort(axis=1) >= 3] = np.nan
    return ranks, people


def fit(covariates, ranks, people, kind, errors):
    """Coefficients of both covariates, and how far their intervals reach."""
    rankings = read_rankings(ranks, unranked=UNRANKED[kind], people=people)
    terms = by_item(covariates[people])
    found = fit_terms(rankings, terms, ties="davidson", errors=errors)
    values, sizes, freedoms = (
        np.array(each)
        for each in zip(*(found.estimates(found.of_items([c], [1.0])) for c in (1, 2)), strict=True)
    )
    return values, sizes * stats.t.ppf(0.975, freedoms)


def by_item(covariates):
    """Strengths, and covariates with a coefficient for each item."""
    return [items(), *(covariate(str(c), own) for c, own in enumerate(covariates.T))]


def truth(kind, *, true):
    """The coefficients that a fit of everyone finds."""
    if true:
        return EFFECTS - EFFECTS.mean(axis=1, keepdims=True)
    rng = np.random.default_rng(0)
    covariates = make_people(rng, EVERYONE)
    return fit(covariates, *make_ranks(rng, covariates, kind, true=False), kind, "information")[0]


def coverage(kind, n_people, errors, expected, *, true, samples, seed):
    """The share of intervals that hold the truth, in each sample."""
    held = []
    for sample in range(samples):
        rng = np.random.default_rng([seed, sample, n_people, list(UNRANKED).index(kind), true])
        covariates = make_people(rng, n_people)
        ranks, people = make_ranks(rng, covariates, kind, true=true)
        try:
            values, sizes = fit(covariates, ranks, people, kind, errors)
        except InputError:  # somebody never chose an item: there is no maximum
            continue
        held.append((np.abs(values - expected) <= sizes).mean())
    return np.array(held)


def show_coverage(samples, seed):
    """A line for each kind of list and number of people."""
    print(f"Intervals that hold the truth, %, mean of {samples} samples\n")
    names = [
        f"{model}, {errors}" for model in ("true", "untrue") for errors in ("sandwich", "plain")
    ]
    print(f"{'lists':<11}{'people':>7}" + "".join(f"{name:>18}" for name in names))
    without = 0
    for kind in UNRANKED:
        expected = {true: truth(kind, true=true) for true in (True, False)}
        for n_people in SIZES:
            cells = []
            for true in (True, False):
                for errors in ("sandwich", "information"):
                    held = 100 * coverage(
                        kind,
                        n_people,
                        errors,
                        expected[true],
                        true=true,
                        samples=samples,
                        seed=seed,
                    )
                    without += samples - len(held)
                    cells.append(f"{held.mean():.1f} ± {half_width(held):.1f}")
            print(
                f"{kind:<11}{n_people:>7,}" + "".join(f"{cell:>18}" for cell in cells), flush=True
            )
    print(f"\nSamples without a maximum of the likelihood, left out: {without}")


def show_time(n_rows):
    """How long rankings of ten items with ten covariates take."""
    rng = np.random.default_rng(0)
    covariates, effects = rng.normal(size=(n_rows, 10)), 0.1 * rng.normal(size=(10, 10))
    utilities = covariates @ effects + rng.gumbel(size=(n_rows, 10))
    ranks = (-utilities).argsort(axis=1).argsort(axis=1) + 1.0
    terms = by_item(covariates)
    fit_terms(read_rankings(ranks[:100]), [items()], prior="evidence")
    wall, own = time.perf_counter(), time.process_time()
    fit_terms(read_rankings(ranks), terms)
    wall, own = time.perf_counter() - wall, time.process_time() - own
    print(
        f"\n{n_rows:,} rankings of 10 items, 10 covariates: {wall:.1f} s, {own:.1f} s of processor"
    )


def main():
    """Print both."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    show_coverage(options.samples, options.seed)
    show_time(options.rows)


if __name__ == "__main__":
    main()
