"""How the time of each answer grows with rankings, items, lengths of lists, groups and classes.

Run with: python -m benchmarks.growth [--seconds 1] [--only consensus] [--axis items]

For each answer and axis: the exponent that the work needs, the one found, and the time of the last
point. Processor time, the least of three runs on one thread; a series ends with a point that
takes longer than ``--seconds``. The exponent is the slope of a line through the logarithms of
the last three points. What is more than .3 above what is needed is marked with an exclamation mark.

Lists are of five items of a catalogue, unless their length is the axis. What has a number for each
item needs the exponent 1 in items at most; what has one for each pair of items, such as errors of
all differences, 2.
"""

import argparse
import io
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

import rankcut as rc
from benchmarks.timing import in_words
from rankcut import kernels
from rankcut.consensus.agreement import agree
from rankcut.consensus.transfers import count_transfers
from rankcut.label_ranking import kendall_score, spearman_score, top_k_overlap
from rankcut.maps import map_rankings
from rankcut.rankings import read_rankings
from rankcut.sample import Sample
from rankcut.similar import LikenessFeatures
from rankcut.strengths import fit_strengths

# Lists of this length, unless it is the axis.
LENGTH = 5

# Above what is needed by more than this, an exponent is marked.
MARGIN = 0.3


class Data(NamedTuple):
    """Rankings, and what is beside them."""

    lists: Any  #: a RankingSet
    labels: Any  #: a group or class of each
    covariates: Any


def some_lists(n_rows: int, n_items: int, length: int, n_groups: int, unranked: Any) -> Data:
    """Lists of a few of the items, in the order of their worth; groups differ a little."""
    rng = np.random.default_rng(0)
    labels = np.arange(n_rows) % n_groups
    if length == n_items:
        columns = np.tile(np.arange(n_items), (n_rows, 1))
    else:
        columns = np.sort(rng.integers(0, n_items - length + 1, (n_rows, length)), axis=1)
        columns += np.arange(length)
    worth = rng.normal(size=n_items)[columns] + 0.3 * (labels[:, None] == columns % n_groups)
    ranks = np.argsort(np.argsort(-worth - rng.gumbel(size=columns.shape), axis=1), axis=1) + 1.0
    if length == n_items:
        matrix: Any = ranks
    else:
        starts = np.arange(n_rows + 1) * length
        matrix = csr_array((ranks.ravel(), columns.ravel(), starts), shape=(n_rows, n_items))
    meaning = "error" if length == n_items else unranked
    lists = rc.RankingSet(matrix, tuple(map(str, range(n_items))), unranked=meaning)
    covariates = np.column_stack([rng.normal(size=n_rows), labels == 0]).astype(float)
    return Data(lists, labels, covariates)


class Answer(NamedTuple):
    """What is timed, and the exponents that it needs."""

    prepare: Callable[[Data], Callable[[], object]]
    rankings: float | None = 1  #: in lists, and in full rankings of 20 items
    items: float | None = 0  #: in items, for lists of a length
    length: float | None = 1  #: in items of full rankings
    groups: float | None = None  #: in groups or classes
    unranked: Any = "anywhere"
    most: int = 10**6  #: rankings at most


def fitted(model: Any, *, labelled: bool = False) -> Callable[[Data], Callable[[], object]]:
    """Fitting a fresh copy of a model."""

    def prepare(data: Data) -> Callable[[], object]:
        return partial(model().fit, data.lists, *([data.labels] if labelled else []))

    return prepare


def later(model: Any, method: str, *, labelled: bool = False, rows: int | None = None) -> Any:
    """A method of a fitted model, for all rows or the first of them."""

    def prepare(data: Data) -> Callable[[], object]:
        known = model().fit(data.lists, *([data.labels] if labelled else []))
        return partial(getattr(known, method), data.lists[: rows or len(data.lists)])

    return prepare


def of_rankings(function: Any, **options: Any) -> Callable[[Data], Callable[[], object]]:
    """A function of a set of rankings."""
    return lambda data: partial(function, data.lists, **options)


def gram(kernel: Any) -> Callable[[Data], Callable[[], object]]:
    """All pairs of rankings."""
    return lambda data: partial(kernel, data.lists)


def regressed(model: Any, **options: Any) -> Callable[[Data], Callable[[], object]]:
    """Predicting rankings by covariates."""
    return lambda data: partial(model(**options).fit, data.covariates, data.lists)


def scored(score: Any) -> Callable[[Data], Callable[[], object]]:
    """The score of one ranking for all."""
    return lambda data: partial(
        score, data.lists, np.tile(np.arange(data.lists.shape[1]) + 1.0, (len(data.lists), 1))
    )


def agreed(data: Data) -> Callable[[], object]:
    rankings = read_rankings(data.lists)
    return lambda: agree(Sample.of(rankings), 0.95)


def written(kind: Any) -> Callable[[Data], Callable[[], object]]:
    """Writing a file."""
    return lambda data: lambda: rc.write_file(data.lists, io.BytesIO(), kind)


def reread(kind: Any) -> Callable[[Data], Callable[[], object]]:
    """Reading a file that was written."""

    def prepare(data: Data) -> Callable[[], object]:
        file = io.BytesIO()
        rc.write_file(data.lists, file, kind)
        content = file.getvalue()
        return lambda: rc.read_file(io.BytesIO(content), kind)

    return prepare


def vectors(model: Any) -> Callable[[Data], Callable[[], object]]:
    """A model of vectors."""

    def prepare(data: Data) -> Callable[[], object]:
        dense = rc.graph_cut_features(data.lists, normalize=True)
        dense = dense.toarray() if hasattr(dense, "toarray") else np.asarray(dense)
        return partial(model().fit, dense, data.labels)

    return prepare


def explained(data: Data) -> Callable[[], object]:
    model = rc.RankingClassifier().fit(data.lists, data.labels)
    return partial(rc.explain, model, data.lists, data.labels)


def board(data: Data) -> Callable[[], object]:
    def rate() -> object:
        model = rc.Leaderboard().fit(data.lists)
        return model.ratings_, model.standard_errors_

    return rate


PAIRS = {"rankings": 2, "most": 3000}
ANSWERS: dict[str, Answer] = {
    "Consensus borda": Answer(fitted(partial(rc.Consensus, "borda")), items=1),
    "Consensus strengths": Answer(fitted(partial(rc.Consensus, "strengths")), items=1, length=1),
    "Consensus graph": Answer(fitted(partial(rc.Consensus, "graph")), items=1, length=1),
    "Consensus copeland": Answer(fitted(partial(rc.Consensus, "copeland")), items=2, length=2),
    "agreement": Answer(agreed, items=1),
    "count_transfers": Answer(of_rankings(count_transfers), items=1, unranked="last"),
    "fit_strengths": Answer(
        lambda d: partial(fit_strengths, read_rankings(d.lists)), items=2, length=2
    ),
    "Leaderboard": Answer(board, items=2, length=2),
    "compare_groups": Answer(
        lambda d: partial(rc.compare_groups, d.lists, d.labels, n_permutations=99),
        length=2,
        groups=1,
    ),
    "RankingBlocs": Answer(fitted(partial(rc.RankingBlocs, 2)), items=1),
    "RankingCompleter.fit": Answer(
        fitted(partial(rc.RankingCompleter, listing="random")), items=2, length=2, most=10_000
    ),
    "RankingCompleter.transform": Answer(
        later(partial(rc.RankingCompleter, listing="random"), "transform"), items=1, most=10_000
    ),
    "RankingCompleter.recommend": Answer(
        later(rc.RankingCompleter, "recommend"), items=1, unranked="last", most=10_000
    ),
    "GraphCutFeatures": Answer(
        lambda d: partial(rc.GraphCutFeatures(unranked="last").fit_transform, d.lists),
        unranked="last",
    ),
    "GraphCutFeatures, anywhere": Answer(
        lambda d: partial(rc.GraphCutFeatures().fit_transform, d.lists), items=1, most=30_000
    ),
    "LikenessFeatures": Answer(
        lambda d: partial(LikenessFeatures().fit_transform, d.lists), items=0, unranked="last"
    ),
    "SimilarRankings.fit": Answer(fitted(rc.SimilarRankings), unranked="last"),
    "SimilarRankings.kneighbors": Answer(
        later(rc.SimilarRankings, "kneighbors", rows=100), unranked="last"
    ),
    "AgreementGraph": Answer(
        lambda d: partial(rc.AgreementGraph().build_from, d.lists), items=1, length=2
    ),
    "CoListingGraph": Answer(
        lambda d: partial(rc.CoListingGraph().build_from, d.lists), items=1, length=None
    ),
    "RankingClassifier.fit": Answer(fitted(rc.RankingClassifier, labelled=True), groups=1),
    "RankingClassifier.predict": Answer(
        later(rc.RankingClassifier, "predict", labelled=True), groups=1
    ),
    "ViewFeatures.fit": Answer(fitted(rc.ViewFeatures, labelled=True)),
    "explain": Answer(explained, items=1, length=2, most=10_000),
    "RankingRegressor.fit": Answer(
        regressed(rc.RankingRegressor), items=2, length=2, most=3000
    ),
    "StrengthRegression.fit": Answer(
        regressed(rc.StrengthRegression, prior="evidence"), items=2, length=2, most=10_000
    ),
    "GPClassifier.fit": Answer(vectors(rc.GPClassifier), items=None, length=2, groups=1),
    "GPRegressor.fit": Answer(vectors(rc.GPRegressor), items=None, length=2),
    "KendallKernel": Answer(gram(kernels.KendallKernel()), length=2, **PAIRS),
    "SpearmanKernel": Answer(gram(kernels.SpearmanKernel()), **PAIRS),
    "GaussianKernel": Answer(gram(kernels.GaussianKernel()), length=2, **PAIRS),
    "GraphCutKernel": Answer(gram(kernels.GraphCutKernel()), unranked="last", **PAIRS),
    "RBOKernel": Answer(gram(kernels.RBOKernel()), unranked="last", **PAIRS),
    "WeightedKendallKernel": Answer(
        gram(kernels.WeightedKendallKernel()), length=2, unranked="last", **PAIRS
    ),
    "MallowsKernel": Answer(
        gram(kernels.MallowsKernel(n_draws=8)), items=1, length=2, **PAIRS
    ),
    "KendallFeatures": Answer(
        of_rankings(kernels.KendallFeatures().fit_transform), items=2, length=2, most=10_000
    ),
    "median_lambda": Answer(of_rankings(kernels.median_lambda), length=2),
    "kendall_score": Answer(scored(kendall_score), length=2, items=1),
    "spearman_score": Answer(scored(spearman_score), items=1),
    "top_k_overlap": Answer(scored(top_k_overlap), items=1),
    "map_rankings": Answer(of_rankings(map_rankings), items=1),
    "to_orders": Answer(lambda d: partial(rc.to_orders, d.lists)),
    **{f"write {kind}": Answer(written(kind), items=i) for kind, i in
       (("csv", 1), ("parquet", 1), ("soi", 0))},
    **{f"read {kind}": Answer(reread(kind), items=i) for kind, i in
       (("csv", 1), ("parquet", 1), ("soi", 0))},
}  # fmt: skip


class Axis(NamedTuple):
    """What grows, and the data of each size."""

    what: str
    sizes: tuple[int, ...]
    data: Callable[[int, Answer], Data]


def _lists(answer: Answer, n_rows: int, n_items: int, n_groups: int = 2) -> Data:
    return some_lists(n_rows, n_items, LENGTH, n_groups, answer.unranked)


AXES = {
    "rankings": Axis(
        "rankings of 5 of 50 items",
        (300, 1_000, 3_000, 10_000, 30_000, 100_000),
        lambda size, answer: _lists(answer, size, 50),
    ),
    "items": Axis(
        "items, 1,000 lists of 5",
        (100, 300, 1_000, 3_000, 10_000),
        lambda size, answer: _lists(answer, 1_000, size),
    ),
    "length": Axis(
        "length, 300 full rankings",
        (10, 20, 40, 80, 160, 320),
        lambda size, answer: some_lists(300, size, size, 2, answer.unranked),
    ),
    "groups": Axis(
        "groups or classes, 3,000 lists of 5 of 20 items",
        (2, 4, 8, 16),
        lambda size, answer: _lists(answer, 3_000, 20, size),
    ),
}


def processor_seconds(work: Callable[[], object]) -> float:
    """The least processor time of three runs, or of fewer if they are long."""
    times: list[float] = []
    while len(times) < 3 and sum(times) < 1.0:
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def series(answer: Answer, axis: Axis, seconds: float) -> tuple[list[int], list[float]]:
    """Times of one answer, until a point takes too long."""
    times: list[float] = []
    for size in axis.sizes:
        if axis.sizes is AXES["rankings"].sizes and size > answer.most:
            break
        if times and times[-1] > seconds:
            break
        times.append(processor_seconds(answer.prepare(axis.data(size, answer))))
    return list(axis.sizes[: len(times)]), times


def exponent(sizes: list[int], times: list[float]) -> float:
    """The slope in logarithms of the last three points."""
    return float(np.polyfit(np.log(sizes[-3:]), np.log(np.maximum(times[-3:], 1e-9)), 1)[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="Longest run of a point.")
    parser.add_argument("--only", default="", help="A part of the name of an answer.")
    parser.add_argument("--axis", choices=AXES, help="One axis alone.")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    too_steep = []
    with threadpool_limits(1):
        for place, axis in AXES.items():
            if options.axis not in (None, place):
                continue
            print(f"\n{axis.what}\n  {'answer':<28}{'needed':>8}{'found':>8}  largest, its time")
            for name, answer in ANSWERS.items():
                needed = getattr(answer, place)
                if needed is None or options.only.lower() not in name.lower():
                    continue
                # Compile, and import.
                answer.prepare(axis.data(axis.sizes[0], answer))()
                sizes, times = series(answer, axis, options.seconds)
                slope = exponent(sizes, times)
                steep = slope > needed + MARGIN
                too_steep += [name] * steep
                mark = "  !" if steep else ""
                largest = f"{sizes[-1]:>9,} {in_words(times[-1]):>9}"
                print(f"  {name:<28}{needed:>8g}{slope:>8.2f}{largest}{mark}", flush=True)
    n = len(too_steep)
    print(f"\n{n or 'None'} of the exponents {'is' if n == 1 else 'are'} more than .3 above need")


if __name__ == "__main__":
    main()
