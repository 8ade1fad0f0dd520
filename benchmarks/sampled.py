"""How long sampling incomplete rankings to an error of 1 % takes, and whether reported errors are
right.

Run with: python benchmarks/sampled.py [--rankings 2500] [--seeds 600]

Lists of 10 of 100 items on a graph of the strongest 10 % of edges. Processor time of one thread,
and the time on the clock of two, which is half their processor time on cores that nothing else
uses. An error is right if its square is, on average, the one that is reported. Then the same of
single rankings of 6 to 9 items, with and without ties, on graphs of all, half and a third of the
edges, each against all of its completions: those with more completions than draws.
"""

import argparse
import time

import numpy as np

from rankcut import Completions, GraphCutFeatures, SimilarityGraph, graph_cut_features

N_ITEMS, N_RANKED = 100, 10
AMOUNTS = [{"n_draws": n} for n in (8, 12, 16, 64)] + [{"tolerance": 0.05}, {"tolerance": 0.01}]


def small_rankings(rng, n_items, n_rankings=10):
    """Orders of some of the items, every other one with ties."""
    ranks = np.full((n_rankings, n_items), np.nan)
    for number, row in enumerate(ranks):
        n_ranked = rng.integers(2, min(n_items - 1, 6) + 1)
        places = np.arange(1.0, n_ranked + 1)
        row[rng.choice(n_items, n_ranked, replace=False)] = np.ceil(places / (1 + number % 2))
    return ranks


def true_over_reported(ranks, graph, amount, n_seeds):
    """For each ranking that is sampled, the root of the ratio of mean squared errors."""
    truth = graph_cut_features(ranks, graph, unranked="anywhere", completions="exact")
    errors, reported = np.zeros(len(ranks)), np.zeros(len(ranks))
    for seed in range(n_seeds):
        completions = Completions("sampled", random_state=seed, **amount)
        model = GraphCutFeatures(graph, unranked="anywhere", completions=completions).fit(ranks)
        vectors, report = model.transform_with_report(ranks)
        errors += ((vectors - truth) ** 2).sum(axis=1)
        reported += (report.standard_error**2).sum(axis=1)
    # Vectors of 0 have no error but rounding.
    known = (report.method == "sampled") & (errors > 1e-20)
    return np.sqrt(errors[known] / reported[known])


def print_small(n_seeds):
    print(f"single rankings of 6 to 9 items, true error over reported error, {n_seeds} seeds:")
    for amount in AMOUNTS:
        found = []
        for n_items in (6, 7, 8, 9):
            for number, keep in enumerate((1.0, 0.5, 0.3)):
                rng = np.random.default_rng([n_items, number])
                graph = SimilarityGraph(rng.random((n_items, 3)), keep=keep).build()
                ranks = small_rankings(rng, n_items)
                found.append(true_over_reported(ranks, graph, amount, n_seeds))
        ratios = np.concatenate(found)
        ((name, value),) = amount.items()
        print(
            f"  {name} {value}: {len(ratios)} rankings, median {np.median(ratios):.2f}, "
            f"nine of ten {np.quantile(ratios, 0.9):.2f}, largest {ratios.max():.2f}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rankings", type=int, default=2500)
    parser.add_argument("--seeds", type=int, default=600)
    options = parser.parse_args()
    n_rankings = options.rankings
    rng = np.random.default_rng(0)
    graph = SimilarityGraph(rng.random((N_ITEMS, 5)), keep=0.1).build()
    ranks = np.full((n_rankings, N_ITEMS), np.nan)
    for row in ranks:
        row[rng.choice(N_ITEMS, N_RANKED, replace=False)] = np.arange(1, N_RANKED + 1)
    model = GraphCutFeatures(
        graph, unranked="anywhere", completions=Completions(tolerance=0.01)
    ).fit(ranks)
    seconds = np.inf
    model.transform(ranks[:2])
    for _ in range(2):
        start = time.process_time()
        vectors, report = model.transform_with_report(ranks)
        seconds = min(seconds, time.process_time() - start)
    model.set_params(n_jobs=2).fit(ranks)
    on_two = (np.inf, np.inf)
    for _ in range(3):
        start, began = time.perf_counter(), time.process_time()
        both, _ = model.transform_with_report(ranks)
        on_two = min(on_two, (time.perf_counter() - start, time.process_time() - began))
    if not np.array_equal(both, vectors):
        raise SystemExit("two threads give other vectors than one")
    print(f"{n_rankings:,} lists of {N_RANKED} of {N_ITEMS} items to 1 %, one thread:")
    print(f"  {seconds:.2f} s, {seconds / n_rankings * 1e3:.2f} ms a ranking")
    print(f"  two threads: {on_two[0]:.2f} s on the clock, {on_two[1]:.2f} s of processors")
    print(
        f"  {report.n_draws.mean():.0f} draws each, relative error at most "
        f"{report.relative_error.max():.2%}"
    )
    some = slice(0, min(50, n_rankings))
    truth = graph_cut_features(
        ranks[some],
        graph,
        unranked="anywhere",
        completions=Completions("sampled", n_draws=20_000, random_state=1),
    )
    squares = ((vectors[some] - truth) ** 2).sum(axis=1) / (truth**2).sum(axis=1)
    reported = report.relative_error[some] ** 2
    print(
        f"  of {len(truth)} rankings, against 20,000 draws: mean square of the relative error "
        f"{squares.mean():.2g}, as reported {reported.mean():.2g}; "
        f"{np.mean(squares < 4 * reported):.0%} within twice the error reported"
    )
    print_small(options.seeds)


if __name__ == "__main__":
    main()
