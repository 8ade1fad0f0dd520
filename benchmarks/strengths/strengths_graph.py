"""What the item graph is worth: how close strengths come to the truth with it and without it.

Run with: python -m benchmarks.strengths.strengths_graph [DATA_DIR] [--draws 5] [--only NAME]
          [--grid]
--grid tries a finer grid of hyperparameters beside the usual one.

Each draw takes some lists, and for the truth the strengths of other people (for the made-up
catalogue, the true ones). The table has Kendall's τ with the truth, ± half of a 95 % interval over
draws: without a graph, with it, and the gain, also of the same graph with its items shuffled.
"Worth": how many times as many lists the same τ takes without the graph, interpolated in the
logarithm of their number.

sushi: set b, lists of ten of 100 sushi, the eight nearest by their features. films and films,
small: MovieLens 100k and small, the 400 most rated films, from each person three to five with
different ratings, nearest by genres and year; the truth is from all ratings of other people.
eurovision: lists of countries in finals from 2010, split by the voting country; the graph connects
countries listed together before 2010. made-up: 200 items, lists of five; strengths follow four
features, which are known with noise, and a part of their own.
"""

import argparse
import os
import re
import sys
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.stats import kendalltau

from benchmarks.tables import half_width
from rankcut import CoListingGraph, NeighborGraph
from rankcut.datasets import load_eurovision, load_movielens, load_sushi
from rankcut.graphs import as_item_graph
from rankcut.graphs.item_graph import fit_graph
from rankcut.rankings import read_rankings
from rankcut.strengths import fit_strengths, prior

N_NEIGHBOURS = 8
N_FILMS = 400
FINER_SHARES = (0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999)
FINER_REACHES = (0.01, 0.03, 0.1, 0.3, 1.0)
SIZES = {
    "sushi": (10, 30, 100, 300, 1000, 3000),
    "films": (30, 60, 100, 200, 450),
    "films, small": (30, 60, 100, 200, 300),
    "eurovision": (10, 30, 100, 300),
    "made-up": (30, 100, 300, 1000, 3000),
}
GRID_SIZES = (100, 300)


def dense(ranks):
    """Ranks of a sparse matrix; absent items are NaN."""
    if not sparse.issparse(ranks):
        return np.asarray(ranks, dtype=float)
    table = np.full(ranks.shape, np.nan)
    entries = ranks.tocoo()
    table[entries.row, entries.col] = entries.data
    return table


def strengths_of(ranks, graph=None, ties="auto"):
    return fit_strengths(read_rankings(ranks, unranked="anywhere"), graph=graph, ties=ties).theta


def nearest(features):
    return NeighborGraph(features, n_neighbors=N_NEIGHBOURS).build()


def sushi(home):
    """Lists of ten, the graph, and a truth for each draw."""
    data = load_sushi("b", data_home=home)
    ranks, graph = dense(data.ranks), nearest(data.item_features)

    def draw(rng):
        people = rng.permutation(len(ranks))
        return ranks[people[2000:]], strengths_of(ranks[people[:2000]])

    return graph, draw


def films(ratings, features):
    """A list of three to five films a person; others' ratings are the truth."""
    often = np.argsort(-(~np.isnan(ratings)).sum(axis=0), kind="stable")[:N_FILMS]
    ratings = ratings[:, often]
    ratings = ratings[(~np.isnan(ratings)).sum(axis=1) > 1]
    graph = nearest({name: np.asarray(values)[often] for name, values in features.items()})

    def one_list(rng, row):
        levels = rng.permutation(np.unique(row[~np.isnan(row)]))[: rng.integers(3, 6)]
        own = np.full(N_FILMS, np.nan)
        for level in levels:
            own[rng.choice(np.flatnonzero(row == level))] = -level
        return own

    def draw(rng):
        people = rng.permutation(len(ratings))
        others, asked = np.array_split(people, 2)
        lists = np.stack([one_list(rng, ratings[person]) for person in asked])
        return lists, strengths_of(-ratings[others], ties="efron")

    return graph, draw


def movielens(home):
    data = load_movielens(data_home=home)
    return films(-dense(data.ranks), data.item_features)


def movielens_small(home):
    import pandas as pd

    folder = next(Path(home).rglob("ratings.csv.gz")).parent
    table = pd.read_csv(folder / "ratings.csv.gz")
    about = pd.read_csv(folder / "movies.csv").set_index("movieId")
    wide = table.pivot_table(index="userId", columns="movieId", values="rating")
    # A few ratings are of films without a description.
    wide = wide[wide.columns.intersection(about.index)]
    about = about.loc[wide.columns]
    year = about["title"].str.extract(r"\((\d{4})\)\s*$")[0].astype(float)
    genres = about["genres"].str.get_dummies("|").astype(bool)
    features = {name: genres[name].to_numpy() for name in genres}
    features["year"] = year.fillna(year.median()).to_numpy()
    return films(wide.to_numpy(), features)


def eurovision(home):
    data = load_eurovision(data_home=home, first_year=1975)
    years = np.asarray(data["year"]).astype(int)
    ranks, voters = dense(data.ranks), np.asarray(data["country"])
    before = read_rankings(ranks[years < 2010], unranked="anywhere")
    known = (~np.isnan(ranks[years < 2010])).any(axis=0) & (~np.isnan(ranks[years >= 2010])).any(
        axis=0
    )
    weights = fit_graph(CoListingGraph(), before).to_dense()[np.ix_(known, known)]
    later, voters = ranks[years >= 2010][:, known], voters[years >= 2010]
    countries = np.unique(voters)

    def draw(rng):
        mine = np.isin(voters, rng.choice(countries, len(countries) // 2, replace=False))
        return rng.permutation(later[mine]), strengths_of(later[~mine])

    return as_item_graph(weights), draw


def made_up(home):
    rng = np.random.default_rng(0)
    points = rng.standard_normal((200, 4))
    truth = points @ [0.8, -0.6, 0.4, 0.2] + 0.4 * rng.standard_normal(200)
    graph = nearest(points + 0.3 * rng.standard_normal(points.shape))

    def draw(rng):
        lists = np.full((max(SIZES["made-up"]), 200), np.nan)
        for row in lists:
            shown = rng.choice(200, 5, replace=False)
            row[shown] = (-(truth[shown] + rng.gumbel(size=5))).argsort().argsort()
        return lists, truth

    return graph, draw


DATA = {
    "sushi": sushi,
    "films": movielens,
    "films, small": movielens_small,
    "eurovision": eurovision,
    "made-up": made_up,
}


def shuffled(graph, rng):
    """The same graph between other items."""
    order = rng.permutation(graph.n_items)
    return as_item_graph(graph.to_dense()[np.ix_(order, order)])


def tau(found, truth):
    # Equal strengths, as of items that nobody lists without a graph, are tied.
    return kendalltau(found.round(9), truth).statistic


def measure(name, home, n_draws, sizes, variants):
    """τ of each variant, for each size and draw."""
    graph, draw = DATA[name](home)
    found = np.empty((len(sizes), n_draws, len(variants)))
    for number in range(n_draws):
        rng = np.random.default_rng([number, *name.encode()])
        lists, truth = draw(rng)
        wrong = shuffled(graph, rng)
        for row, size in enumerate(sizes):
            for column, fit in enumerate(variants):
                found[row, number, column] = tau(fit(lists[:size], graph, wrong), truth)
        print(f"{name}: draw {number + 1} of {n_draws}", file=sys.stderr, flush=True)
    return found


def finer(ranks, graph, wrong):
    """Strengths by the evidence on a finer grid."""
    usual = prior._SHARES, prior._REACHES
    prior._SHARES, prior._REACHES = FINER_SHARES, FINER_REACHES
    try:
        return strengths_of(ranks, graph)
    finally:
        prior._SHARES, prior._REACHES = usual


def without(ranks, graph, wrong):
    return strengths_of(ranks)


def with_graph(ranks, graph, wrong):
    return strengths_of(ranks, graph)


def with_wrong(ranks, graph, wrong):
    return strengths_of(ranks, wrong)


def said(values):
    """Mean ± half of a 95 % interval."""
    return f"{values.mean():.3f} ± {half_width(values):.3f}"


def worth(level, sizes, curve):
    """How many lists without a graph have this τ."""
    if level > curve.max():
        return np.inf
    return float(np.exp(np.interp(level, np.maximum.accumulate(curve), np.log(sizes))))


def table(home, options):
    print(*__doc__.strip().split("\n\n")[2:], sep="\n\n", end="\n\n")
    print("| data | lists | without graph | with graph | gain | shuffled graph: gain | worth |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in options.only or DATA:
        sizes = SIZES[name]
        found = measure(name, home, options.draws, sizes, (without, with_graph, with_wrong))
        alone, joined, wrong = np.moveaxis(found, 2, 0)
        curve = alone.mean(axis=1)
        for row, size in enumerate(sizes):
            times = worth(joined[row].mean(), sizes, curve) / size
            shown = f"> {sizes[-1] / size:.1f}" if np.isinf(times) else f"{times:.1f}"
            shown = "" if size == sizes[-1] else shown
            gains = [said(other[row] - alone[row]) for other in (joined, wrong)]
            print(
                f"| {name} | {size:,} | {said(alone[row])} | {said(joined[row])} | {gains[0]} | "
                f"{gains[1]} | {shown} |",
                flush=True,
            )


def grid(home, options):
    print(f"What finer grids add to τ, mean of {options.draws} draws ± half of a 95 % interval.\n")
    print("| data | lists | usual grid | finer grid: gain |\n|---|---:|---:|---:|")
    for name in options.only or DATA:
        found = measure(name, home, options.draws, GRID_SIZES, (with_graph, finer))
        for row, size in enumerate(GRID_SIZES):
            usual, fine = found[row].T
            print(f"| {name} | {size} | {said(usual)} | {said(fine - usual)} |", flush=True)


def curves(page):
    """From the page of results: for each data set, lists, τ without and with the graph."""
    row = re.compile(r"^\| ([^|]+) \| ([\d,]+) \| ([\d.]+) ± [\d.]+ \| ([\d.]+) ± ", re.M)
    found = {}
    for name, size, alone, joined in row.findall(page):
        found.setdefault(name, []).append((int(size.replace(",", "")), float(alone), float(joined)))
    return {name: np.array(rows).T for name, rows in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", default=os.environ.get("RANKCUT_DATA"))
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--only", action="append", choices=list(DATA))
    parser.add_argument("--grid", action="store_true")
    options = parser.parse_args()
    (grid if options.grid else table)(options.data, options)


if __name__ == "__main__":
    main()
