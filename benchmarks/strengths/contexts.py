"""Strengths by context: partial pooling beside one fit for all, and a fit for each context.

Log-likelihood of held-out rankings, a ranking, on three sets: sushi of ten kinds by region of
eleven, sushi of a hundred kinds by age, and films of Star Wars by census division. "Pooled" has one
strength for each item, "separate" one for each context, each with a prior by the evidence; "by" is
``PlackettLuce(by=…)``. Gains are those of "by", mean ± half of a 95 % interval over samples.

Run with: python -m benchmarks.strengths.contexts [--samples 10] [--seed 1]
"""

import argparse

import numpy as np

from rankcut import PlackettLuce
from rankcut.datasets import load_starwars, load_sushi
from rankcut.rankings import read_rankings
from rankcut.strengths import ChoiceLikelihood, Choices

SIZES = (30, 100, 300, 1_000, 3_000)


def films():
    """Those who rank all six films, with their division."""
    rankings = load_starwars("films")
    full = ~np.isnan(rankings.dense()).any(axis=1)
    return rankings.rows(full)


SETS = {
    "sushi a by region": (lambda: load_sushi("a"), "region"),
    "sushi b by age": (lambda: load_sushi("b"), "age"),
    "Star Wars by region": (films, "region"),
}


def value(ranks, theta, unranked):
    """The log-likelihood of rankings, a ranking."""
    rankings = read_rankings(ranks, unranked=unranked)
    return float(ChoiceLikelihood(Choices.of(rankings)).value(theta)) / len(ranks)


def held_out(ranks, codes, train, test, unranked):
    """The log-likelihood of the test rankings by the three fits."""
    fitted = {"prior": "evidence", "unranked": unranked}
    about = {"context": codes[train].astype(str).astype(object)}
    pooled = PlackettLuce(**fitted).fit(ranks[train]).strengths_.theta
    partly = PlackettLuce(by="context", **fitted).fit(ranks[train], about=about)
    shrunk = {label: fit.theta for label, fit in partly.contexts_.items()}
    totals = np.zeros(3)
    for code in np.unique(codes[test]):
        rows = test[codes[test] == code]
        own = train[codes[train] == code]
        alone = pooled
        if len(own):
            alone = PlackettLuce(**fitted).fit(ranks[own]).strengths_.theta
        for k, theta in enumerate((pooled, alone, shrunk.get(str(code), pooled))):
            totals[k] += len(rows) * value(ranks[rows], theta, unranked)
    return totals / len(test)


def main():
    """A line for each set and number of rankings."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    heads = ("pooled", "separate", "by", "by − pooled", "by − separate")
    print(f"{'':<22}{'rankings':>9}" + "".join(f"{head:>19}" for head in heads))
    for name, (load, column) in SETS.items():
        rankings = load()
        codes = np.unique([str(value) for value in rankings[column]], return_inverse=True)[1]
        ranks = np.asarray(rankings.dense())
        unranked = "anywhere" if np.isnan(ranks).any() else "error"
        for size in SIZES:
            if size > len(ranks) // 2:
                continue
            rows = []
            for sample in range(options.samples):
                order = np.random.default_rng([options.seed, sample]).permutation(len(ranks))
                test = order[size : size + 2_000]
                rows.append(held_out(ranks, codes, order[:size], test, unranked))
            found = np.array(rows)
            gains = np.column_stack([found[:, 2] - found[:, 0], found[:, 2] - found[:, 1]])
            half = 1.96 * gains.std(axis=0, ddof=1) / np.sqrt(len(gains))
            cells = [f"{mean:.4f}" for mean in found.mean(axis=0)]
            pairs = zip(gains.mean(axis=0), half, strict=True)
            cells += [f"{mean:+.4f} ± {error:.4f}" for mean, error in pairs]
            print(f"{name:<22}{size:>9,}" + "".join(f"{cell:>19}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
