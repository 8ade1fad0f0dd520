"""How often intervals of strengths and of places hold, and how wide they are.

Run with: python -m benchmarks.strengths.strengths_coverage [--samples 300] [--seed 1]

People rank six items by the Plackett–Luce model, or otherwise: two camps with opposite tastes, or
Mallows' model, for which the strengths of 200,000 people are the truth. They rank all items, their
first three, four items at random, or two. "Strengths" is the share of single 95 % intervals that
hold, "places" the share of samples in which the intervals of all places hold at once, "width" how
many places they leave an item on average. Borda's, for the same people, are beside them.

The last tables are hard cases for Borda's, Copeland's and Kemeny's methods and for Kendall's W.
"""

import argparse
import warnings
from functools import cache

import numpy as np

from rankcut import Consensus, make_mallows, to_ranking
from rankcut.consensus.agreement import agree
from rankcut.rankings import read_rankings
from rankcut.sample import Sample
from rankcut.strengths import fit_strengths

N_ITEMS = 6
THETA = np.linspace(1.2, -1.2, N_ITEMS)
EVERYONE = 200_000
KINDS = {"full": "error", "top 3": "last", "4 of 6": "anywhere", "pairs": "anywhere"}
LENGTHS = {"4 of 6": 4, "pairs": 2}
POPULATIONS = ("Plackett–Luce", "two camps", "Mallows")
SIZES = (10, 30, 100, 300, 1000)
LEAST = 0.94


def draw(rng, population, n_people):
    """Full rankings of some people."""
    if population == "Mallows":
        return make_mallows(
            n_people, N_ITEMS, phi=0.75, random_state=int(rng.integers(1 << 31))
        ).ranks
    theta = np.tile(THETA, (n_people, 1))
    if population == "two camps":
        theta[rng.random(n_people) < 0.35] *= -2
    noisy = theta + rng.gumbel(size=theta.shape)
    return (-noisy).argsort(axis=1).argsort(axis=1) + 1.0


def ask(rng, ranks, kind):
    """What they say of it."""
    ranks = ranks.copy()
    if kind == "top 3":
        ranks[ranks > 3] = np.nan
    elif kind in LENGTHS:
        ranks[rng.random(ranks.shape).argsort(axis=1) >= LENGTHS[kind]] = np.nan
    return ranks


@cache
def truth(population, kind):
    """The strengths and Borda's places if everyone were asked."""
    rng = np.random.default_rng(0)
    everyone = ask(rng, draw(rng, population, EVERYONE), kind)
    rankings = read_rankings(everyone, unranked=KINDS[kind])
    theta = THETA if population == "Plackett–Luce" else fit_strengths(rankings, prior="none").theta
    borda = Consensus("borda", unranked=KINDS[kind], n_bootstraps=0).fit(everyone).ranking_
    return theta - theta.mean(), to_ranking(theta), borda


def cell(population, kind, n_people, n_samples, seed):
    theta, places, borda = truth(population, kind)
    rng = np.random.default_rng([seed, n_people, *f"{population} {kind}".encode()])
    counts = np.zeros(6)
    for sample in range(n_samples):
        ranks = ask(rng, draw(rng, population, n_people), kind)
        for method, right, at in (("strengths", places, 1), ("borda", borda, 3)):
            model = Consensus(
                method, unranked=KINDS[kind], n_bootstraps=300, random_state=sample
            ).fit(ranks)
            low, high = model.rank_intervals_.T
            held = bool(((low <= right) & (right <= high)).all())
            counts[at] += held
            counts[at + 1] += float((high - low + 1).mean())
            if method == "strengths":
                counts[5] += not held and not (~np.isnan(ranks)).any(axis=0).all()
                limits = model.strengths_.intervals()
                counts[0] += ((limits[:, 0] <= theta) & (theta <= limits[:, 1])).mean()
    return counts / n_samples


def shortfall(where, found, n_samples):
    """What to say of a row whose coverage is below the least by more than its standard error."""
    said = []
    for name, share in (("strengths", found[0]), ("places", found[1])):
        if share + np.sqrt(share * (1 - share) / n_samples) < LEAST:
            said.append(f"{name} of {where}: {100 * share:.1f} %")
            if name == "places":
                unlisted = 100 * found[5] / (1 - share)
                said[-1] += f" (of the misses, {unlisted:.0f} % where nobody lists an item)"
    return said


def rare(rng, n_people, n_items=20):
    """Nineteen of twenty put item 1 just before item 0, the others put 0 first and 1 last."""
    ranks = np.empty((n_people, n_items))
    for row in ranks:
        rest = rng.permutation(np.arange(2, n_items))
        order = [1, 0, *rest] if rng.random() < 0.95 else [0, *rest, 1]
        if order[0] == 1:
            at = int(rng.integers(n_items - 1))
            order = [*rest[:at], 1, 0, *rest[at:]]
        row[order] = np.arange(1, n_items + 1)
    return ranks


def hard_cases(n_samples, seed):
    print("\n| people | Borda's order of 0 and 1, which are tied, left open |\n|---:|---:|")
    for n_people in (10, 20, 40, 100):
        rng = np.random.default_rng([seed, n_people])
        held = 0
        for sample in range(n_samples):
            model = Consensus("borda", random_state=sample, n_bootstraps=300)
            model.fit(rare(rng, n_people))
            one, other = model.rank_intervals_[:2]
            held += not (one[1] < other[0] or other[1] < one[0])
        print(f"| {n_people} | {100 * held / n_samples:.1f} % |")
    print("\n| Kendall's W | people | in the population | interval holds |\n|---|---:|---:|---:|")
    for name, phi, n_people in (("noise", 1.0, 20), ("strong agreement", 0.3, 10)):
        everyone = agreement(make_mallows(50_000, 6, phi=phi, random_state=0).ranks)
        right = 0.0 if phi == 1.0 else everyone.kendall_w
        held = 0
        for sample in range(n_samples):
            ranks = make_mallows(n_people, 6, phi=phi, random_state=1000 * seed + sample).ranks
            low, high = agreement(ranks).kendall_w_interval
            held += low <= right <= high
        print(f"| {name} | {n_people} | {right:.2f} | {100 * held / n_samples:.1f} % |")


def agreement(ranks):
    units = Sample.of(read_rankings(ranks))
    return agree(units, 0.95)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    # With ten people, an item may be listed by nobody.
    warnings.filterwarnings("ignore", message="Nobody ranks")
    print(*__doc__.strip().split("\n\n")[2:], sep="\n\n", end="\n\n")
    print(
        f"{options.samples} samples a row: a true 95 % is found as 95 ± "
        f"{196 * np.sqrt(0.95 * 0.05 / options.samples):.1f} %.\n"
    )
    heads = "strengths, % | places, % | width | Borda: places, % | width"
    print(f"| people are | lists | people | {heads} |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    short = []
    for population in POPULATIONS:
        for kind in KINDS:
            for n_people in SIZES:
                found = cell(population, kind, n_people, options.samples, options.seed)
                print(
                    f"| {population} | {kind} | {n_people:,} | {100 * found[0]:.1f} | "
                    f"{100 * found[1]:.1f} | {found[2]:.1f} | {100 * found[3]:.1f} | "
                    f"{found[4]:.1f} |",
                    flush=True,
                )
                where = f"{population}, {kind}, {n_people:,} people"
                short += shortfall(where, found, options.samples)
    print(
        f"\nBelow {100 * LEAST:.0f} % by more than a standard error: {'; '.join(short) or 'none'}."
    )
    hard_cases(options.samples, options.seed)


if __name__ == "__main__":
    main()
