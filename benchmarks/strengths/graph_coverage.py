"""With an item graph: how often 95 % intervals hold, if the graph is right, or partly or all wrong.

A hundred items in ten groups meet in pairs at random; the graph joins items of a group. Items of a
group have like strengths ("right"); so have those of half of the groups ("half wrong") or of none
("wrong"); or a tenth of the items, the odd ones, are unlike their group ("odd items").

Run with: python -m benchmarks.strengths.graph_coverage [--samples 60]
"""

import argparse

import numpy as np

from benchmarks.strengths.spread import draw
from rankcut.rankings import read_rankings
from rankcut.strengths import fit_strengths

N_ITEMS, N_GROUPS = 100, 10


def truth(rng, kind):
    """Strengths, and which items are odd."""
    group = np.repeat(np.arange(N_GROUPS), N_ITEMS // N_GROUPS)
    shared, own = rng.normal(size=N_GROUPS)[group], rng.normal(size=N_ITEMS)
    alike = np.ones(N_ITEMS, dtype=bool)
    if kind == "half wrong":
        alike = group < N_GROUPS // 2
    elif kind == "wrong":
        alike[:] = False
    elif kind == "odd items":
        alike[rng.permutation(N_ITEMS)[: N_ITEMS // 10]] = False
    theta = np.where(alike, shared + 0.2 * own, own)
    return theta - theta.mean(), ~alike


def main():
    """A line for each kind of graph and number of pairs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=60)
    options = parser.parse_args()
    group = np.repeat(np.arange(N_GROUPS), N_ITEMS // N_GROUPS)
    graph = (group[:, None] == group[None, :]) * 1.0 - np.eye(N_ITEMS)
    print(f"95 % intervals that hold, %, {options.samples} samples\n")
    heads = ("pairs", "graph", "items unlike", "width", "without", "width")
    print(f"{'graph is':<12}" + "".join(f"{head:>14}" for head in heads))
    for kind in ("right", "odd items", "half wrong", "wrong"):
        for n_pairs in (300, 1_000, 3_000):
            held, unlike, plain, widths = [], [], [], []
            for sample in range(options.samples):
                rng = np.random.default_rng([sample, n_pairs])
                theta, odd = truth(rng, kind)
                rankings = read_rankings(draw(rng, theta, n_pairs), unranked="anywhere")
                size = []
                for each, found in ((graph, held), (None, plain)):
                    low, high = fit_strengths(rankings, graph=each).intervals().T
                    found.append((low <= theta) & (theta <= high))
                    size.append(np.median(high - low))
                unlike.extend(held[-1][odd])
                widths.append(size)
            odd_share = f"{100 * np.mean(unlike):.1f}" if unlike else ""
            wide = np.mean(widths, axis=0)
            cells = [f"{100 * np.mean(held):.1f}", odd_share, f"{wide[0]:.2f}"]
            cells += [f"{100 * np.mean(plain):.1f}", f"{wide[1]:.2f}"]
            print(f"{kind:<12}{n_pairs:>14,}" + "".join(f"{c:>14}" for c in cells), flush=True)


if __name__ == "__main__":
    main()
