"""Sampled incomplete rankings: time to 1 %, and whether errors are known.

Run with: python benchmarks/sampled.py [--rankings 2500]

Lists of 10 of 100 items on a graph of the strongest 10 % of edges. Processor time of one thread,
and the time on the clock of two, which is half their processor time on cores that nothing else
uses. An error is known if its square is, on average, the one that is reported.
"""

import argparse
import time

import numpy as np

from rankcut import Completions, GraphCutFeatures, SimilarityGraph, graph_cut_features

N_ITEMS, N_RANKED = 100, 10


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rankings", type=int, default=2500)
    n_rankings = parser.parse_args().rankings
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


if __name__ == "__main__":
    main()
