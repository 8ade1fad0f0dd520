"""``rankcut similar``: the rankings nearest to one of them, or to each."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from rankcut.cli.command import option, with_options
from rankcut.cli.options import GraphOptions, LeftOut
from rankcut.cli.output import TABLES, Results, warnings_as_notes
from rankcut.cli.reading import RankingFile, Reading
from rankcut.errors import InputError

if TYPE_CHECKING:
    from rankcut.rankings.ranking_set import RankingSet


@dataclass(frozen=True)
class SearchOptions:
    """What to look for."""

    to: Annotated[
        str | None,
        option("Name of a ranking, or its row, from 0 (default: each ranking).", metavar="ROW"),
    ] = None
    number: Annotated[int, option("Number of rankings to list.", "-n", min=1)] = 10
    unranked: LeftOut = "error"


@with_options(graph=GraphOptions, options=SearchOptions, results=Results, reading=Reading)
def similar(
    file: RankingFile,
    graph: GraphOptions,
    options: SearchOptions,
    results: Results,
    reading: Reading,
) -> None:
    """Find the rankings most similar to one, or to each.

    Two people are similar if they share what others do not: similarity goes from -1 to 1, the same
    ranking. An item graph (--items or --graph) compares lists that share no item. To CSV, Parquet
    or JSON; CSV on standard output by default.

    Example: rankcut similar votes.soi --to 0 -n 5 --unranked last
    """
    outputs = results.open(TABLES, ".csv", default=["-"])
    graph.check()
    rankings = reading.read(file)
    features = graph.likeness(rankings, options.unranked)
    if options.to is None:
        columns = _of_each(rankings, features, options)
    else:
        columns = _of_one(rankings, features, options, file)
    outputs.write_table(columns)


def _of_one(
    rankings: "RankingSet", features: Any, options: SearchOptions, file: str
) -> dict[str, Any]:
    """The columns of a table: the ranking itself, and those nearest to it."""
    from rankcut.rankings.orders import order_texts
    from rankcut.similar.estimator import SimilarRankings

    row = _row(str(options.to), rankings, file)
    search = SimilarRankings(features).fit(rankings)
    # One more, since the ranking itself is among them unless as many others are the same.
    n_found = min(options.number + 1, len(rankings))
    with warnings_as_notes():
        values, rows = search.kneighbors(rankings.ranks[[row]], n_found)
    near = [
        (other, value)
        for other, value in zip(rows[0].tolist(), values[0].tolist(), strict=True)
        if other != row
    ]
    near = [(row, 1.0 if values[0, 0] > 0 else 0.0), *near[: options.number]]
    found = rankings.rows([other for other, _ in near])
    columns: dict[str, Any] = {"row": [other for other, _ in near]}
    if found.ids is not None:
        columns["ranking"] = list(found.ids)
    columns["similarity"] = _rounded([value for _, value in near])
    if found.counted:
        columns["count"] = found.counts.tolist()
    columns["order"] = order_texts(found.ranks, found.items)
    return columns


def _row(to: str, rankings: "RankingSet", file: str) -> int:
    """The first row of that name, or with that number."""
    names = [str(name) for name in rankings.ids or ()]
    if to in names:
        return names.index(to)
    if to.isdecimal() and int(to) < len(rankings):
        return int(to)
    named = f", nor one called {to!r}, such as {names[0]!r}" if names else ""
    raise InputError(
        f"there is no row {to}: rows count from 0 to {len(rankings) - 1}{named}", file=file
    )


def _of_each(rankings: "RankingSet", features: Any, options: SearchOptions) -> dict[str, Any]:
    """The columns of a table: each ranking, one similar to it, and how similar it is."""
    import numpy as np

    from rankcut.similar.estimator import SimilarRankings

    others = min(options.number, len(rankings) - 1)
    if rankings.n_rankings == 1:
        raise InputError("there is one ranking, and no other to compare it with")
    values, rows = np.empty((len(rankings), 0)), np.empty((len(rankings), 0), dtype=np.int64)
    if others:
        search = SimilarRankings(features, n_neighbors=others).fit(rankings)
        with warnings_as_notes():
            values, rows = search.kneighbors()
    first: list[int] = []
    second: list[int] = []
    similarities: list[float] = []
    for row, count in enumerate(rankings.counts.tolist()):
        # A row that counts several rankings is nearest to itself: they are equal.
        near = [(row, 1.0)] if count > 1 else []
        near += zip(rows[row].tolist(), values[row].tolist(), strict=True)
        for other, value in near[: options.number]:
            first.append(row)
            second.append(other)
            similarities.append(value)
    columns: dict[str, Any] = {"row": first, "similar": second}
    if rankings.ids is not None:
        columns["ranking"] = [rankings.ids[i] for i in first]
        columns["similar ranking"] = [rankings.ids[i] for i in second]
    columns["similarity"] = _rounded(similarities)
    if rankings.counted:
        columns["count"] = rankings.counts[first].tolist()
        same = np.equal(first, second)  # a ranking is not compared with itself
        columns["similar count"] = (rankings.counts[second] - same).tolist()
    return columns


def _rounded(values: list[float]) -> list[float]:
    return [round(value, 4) + 0.0 for value in values]
