"""Who meets whom: how close each method comes to the true order on ten designs.

Run with: python benchmarks/strengths_designs.py [--samples 10] [--seed 1]

Twenty items have strengths from 3 to −3, and people choose by the Plackett–Luce model. The table
has Kendall's τ between the order that a method finds and the true one, mean ± half of a 95 %
interval over samples. "choix" is the Plackett–Luce fit of that package, with a penalty of 1e-4.
"Ties": items within half a unit of utility are tied.
"""

import argparse

import choix
import numpy as np
from scipy.stats import kendalltau
from tables import half_width

from rankcut import Consensus

N_ITEMS = 20
THETA = np.linspace(3, -3, N_ITEMS)
METHODS = ("strengths", "borda", "copeland", "kemeny")
# Seconds for Kemeny's order; the best found by then counts.
LONGEST = 5.0


def ranked(rng, shown, top=None):
    """Rank matrices of people who are shown some items each."""
    ranks = np.full((len(shown), N_ITEMS), np.nan)
    for row, items in zip(ranks, shown, strict=True):
        order = items[np.argsort(-(THETA[items] + rng.gumbel(size=len(items))))]
        kept = order if top is None else order[: rng.integers(1, top + 1)]
        row[kept] = np.arange(1, len(kept) + 1)
    return ranks


def near(rng, width, number):
    """Items within some places of each other."""
    first = rng.integers(N_ITEMS - width + 1)
    return first + rng.choice(width, number, replace=False)


def any_two(rng):
    return ranked(rng, [rng.choice(N_ITEMS, 2, replace=False) for _ in range(4000)])


def neighbours(rng):
    return ranked(rng, [near(rng, 6, 2) for _ in range(4000)])


def four_of_eight(rng):
    return ranked(rng, [near(rng, 8, 4) for _ in range(1500)])


def unequal_exposure(rng):
    chances = rng.dirichlet(np.full(N_ITEMS, 0.5)) + 0.01
    chances /= chances.sum()
    return ranked(rng, [rng.choice(N_ITEMS, 5, replace=False, p=chances) for _ in range(1500)])


def weak_for_the_strong(rng):
    """Strong items meet weak ones, and items of the middle each other."""
    shown = []
    for _ in range(4000):
        item = int(rng.integers(N_ITEMS))
        other = int(np.clip(N_ITEMS - 1 - item + rng.integers(-3, 4), 0, N_ITEMS - 1))
        if item != other:
            shown.append(np.array([item, other]))
    return ranked(rng, shown)


def top_of_random_length(rng):
    return ranked(rng, [np.arange(N_ITEMS) for _ in range(800)], top=8)


def ties(rng):
    utilities = THETA + rng.gumbel(size=(300, N_ITEMS))
    ranks = np.full(utilities.shape, np.nan)
    for row, own in zip(ranks, utilities, strict=True):
        items = rng.choice(N_ITEMS, 6, replace=False)
        row[items] = -np.round(own[items] * 2)
    return ranks


def full(rng):
    return ranked(rng, [np.arange(N_ITEMS) for _ in range(200)])


def tournament(rng):
    """Swiss rounds: winners meet winners."""
    shown, wins = [], np.zeros(N_ITEMS)
    for _ in range(150):
        order = np.lexsort((rng.random(N_ITEMS), -wins))
        for one, other in order.reshape(-1, 2):
            shown.append(np.array([one, other]))
            chance = 1 / (1 + np.exp(THETA[other] - THETA[one]))
            wins[one if rng.random() < chance else other] += 1
    return ranked(rng, shown)


def few_lists(rng):
    return ranked(rng, [rng.choice(N_ITEMS, 5, replace=False) for _ in range(60)])


DESIGNS = {
    "any two": (any_two, "anywhere"),
    "neighbours": (neighbours, "anywhere"),
    "4 of 8 neighbours": (four_of_eight, "anywhere"),
    "unequal exposure": (unequal_exposure, "anywhere"),
    "strong meet weak": (weak_for_the_strong, "anywhere"),
    "top 1 to 8": (top_of_random_length, "last"),
    "6 of 20 with ties": (ties, "anywhere"),
    "full": (full, "error"),
    "tournament": (tournament, "anywhere"),
    "60 lists of 5": (few_lists, "anywhere"),
}


def choix_scores(ranks, unranked):
    """Strengths by choix; ties are broken at random, since it knows none."""
    rng = np.random.default_rng(0)
    data = []
    for row in ranks:
        listed = np.flatnonzero(~np.isnan(row))
        order = listed[np.lexsort((rng.random(len(listed)), row[listed]))].tolist()
        rest = [i for i in range(N_ITEMS) if np.isnan(row[i])] if unranked == "last" else []
        for t, item in enumerate(order):
            losers = order[t + 1 :] + rest
            if losers:
                data.append((item, losers))
    return choix.opt_top1(N_ITEMS, data, alpha=1e-4)


def taus(ranks, unranked):
    found = [kendalltau(-choix_scores(ranks, unranked), np.arange(N_ITEMS)).statistic]
    for method in METHODS:
        model = Consensus(method, unranked=unranked, n_bootstraps=0, time_limit=LONGEST).fit(ranks)
        found.append(kendalltau(model.ranking_, np.arange(N_ITEMS)).statistic)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(*__doc__.strip().split("\n\n")[2:], sep="\n\n", end="\n\n")
    print(f"Mean τ with the true order ± half of a 95 % interval, {options.samples} samples.\n")
    print("| design | choix | " + " | ".join(METHODS) + " |")
    print("|---|" + "---:|" * (len(METHODS) + 1))
    for number, (name, (make, unranked)) in enumerate(DESIGNS.items()):
        rows = [
            taus(make(np.random.default_rng([options.seed, number, sample])), unranked)
            for sample in range(options.samples)
        ]
        cells = [f"{own.mean():.3f} ± {half_width(own):.3f}" for own in np.transpose(rows)]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
