"""``rankcut features``, ``gram`` and ``similar``: vectors of rankings, and those that are near."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rankcut.cli.command import option, with_options
from rankcut.cli.options import Computing, GraphOptions, LeftOut
from rankcut.cli.output import (
    MATRICES,
    SUFFIXES,
    OutputFiles,
    Outputs,
    Results,
    counted,
    named_files,
    steps,
    warnings_as_notes,
    working,
)
from rankcut.cli.reading import RankingFile, Reading
from rankcut.errors import InputError, amount
from rankcut.parameters import MOST_HELD

if TYPE_CHECKING:
    from rankcut.cuts.transformers import GraphCutFeatures
    from rankcut.files.matrices import MatrixBlock
    from rankcut.rankings.ranking_set import RankingSet


@dataclass(frozen=True)
class VectorOptions(GraphOptions):
    """How to turn rankings into graph cut vectors, and where these go."""

    unranked: LeftOut = "error"
    normalize: Annotated[
        bool, option("Scale vectors to unit length, and products to -1 to 1.", "--normalize")
    ] = False
    output: OutputFiles = None

    def features(self, rankings: "RankingSet") -> "GraphCutFeatures":
        """An estimator of dense vectors of these items, fitted."""
        from rankcut.cuts.transformers import GraphCutFeatures

        estimator = GraphCutFeatures(
            self.item_graph(),
            unranked=self.unranked,
            items=rankings.labels(),
            normalize=self.normalize,
            sparse_output=False,
        )
        return estimator.fit(rankings.plain())


def _write_parts(
    write: Callable[..., object],
    target: str,
    file: str,
    vectors: VectorOptions,
    computing: Computing,
    reading: Reading,
) -> None:
    """Write the blocks of Parquet files to a place of parts, on the cluster that is named."""
    if len(vectors.output or ()) > 1:
        raise InputError("parts of a result must be the only output", file=target)
    lazily = reading.lazily(file, computing.block)
    fitted = vectors.features(lazily.first)
    with computing.cluster(), steps("vectors") as step:
        write(lazily, fitted, target, restart=computing.restart, progress=step)


@with_options(vectors=VectorOptions, computing=Computing, reading=Reading)
def features(
    file: RankingFile, vectors: VectorOptions, computing: Computing, reading: Reading
) -> None:
    """Turn rankings into vectors: graph cut features.

    A row for each ranking, a column for each item, to npy, CSV or Parquet; CSV on standard output.
    Wide tables are read, and all files are written, a block at a time, so they may be larger than
    memory. CSV and Parquet files have a column of counts where the rankings have counts; npy files
    repeat the row.

    To a directory (-o vectors/), the vectors of Parquet files are written as a Parquet file for
    each block, on a cluster if one is named. If interrupted, run the command again to write the
    missing parts.

    Example: rankcut features votes.soi -o features.npy --items items.csv --unranked last
    """
    targets = named_files(vectors.output, "features.npy")
    folders = [target for target in targets if target.endswith("/") or Path(target).is_dir()]
    if folders:
        from rankcut.dask.parquet import write_features

        _write_parts(write_features, folders[0], file, vectors, computing, reading)
        return
    if computing.on_cluster:
        raise InputError(
            "on a cluster vectors are written to a directory of parts; end its name in /",
            file=targets[0],
        )
    outputs = Outputs(targets, MATRICES, ".csv")

    from rankcut.files.matrices import MatrixBlock, write_matrix
    from rankcut.files.writing import columns_beside

    blocks = counted(reading.scan(file, rows=computing.block), "features")
    first = next(blocks)
    transformer = vectors.features(first)

    def vectors_of(rankings: "RankingSet") -> "MatrixBlock":
        counts = rankings.counts if rankings.counted else None
        vectors = transformer.transform(rankings.plain())
        return MatrixBlock(vectors, columns_beside(rankings), counts)

    def matrices() -> "Iterator[MatrixBlock]":
        yield vectors_of(first)
        yield from map(vectors_of, blocks)

    with outputs.places() as places:
        write_matrix(matrices(), [str(item) for item in first.items], places)


@with_options(vectors=VectorOptions, computing=Computing, reading=Reading)
def gram(file: RankingFile, vectors: VectorOptions, computing: Computing, reading: Reading) -> None:
    """Write the kernel matrix of all pairs of rankings.

    Entries are values of the graph cut kernel, to npy, CSV or Parquet; CSV on standard output. A
    ranking with a count of c has c rows and columns. To a Zarr array (.zarr), the matrix of
    Parquet files may be larger than memory, and is computed on a cluster if one is named. If
    interrupted, run it again to write the missing rows.

    Example: rankcut gram votes.csv -o gram.npy --normalize
    """
    targets = named_files(vectors.output, "gram.npy")
    zarr = [target for target in targets if target.rstrip("/").endswith(".zarr")]
    if zarr:
        from rankcut.dask.parquet import write_gram

        _write_parts(write_gram, zarr[0], file, vectors, computing, reading)
        return
    outputs = Outputs(targets, MATRICES, ".csv")
    if computing.on_cluster:
        raise InputError(
            "on a cluster the matrix is written to a Zarr array, .zarr", file=targets[0]
        )
    rankings = reading.read(file)
    size = 8 * rankings.n_rankings**2
    if rankings.n_rankings**2 > MOST_HELD:
        raise InputError(
            f"{amount(rankings.n_rankings, 'ranking')} have a Gram matrix of {size / 1e9:.0f} GB",
            file=file,
            remedy="write it to a Zarr array (.zarr), or 'rankcut features', whose inner products "
            "it holds",
        )
    from rankcut.files.matrices import MatrixBlock, write_matrix

    rankings = rankings.expanded()
    with working("gram"), outputs.places() as places:
        dense = vectors.features(rankings).transform(rankings.plain())
        names = [str(name) for name in rankings.row_names]
        write_matrix([MatrixBlock(dense @ dense.T, {})], names, places)


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

    Two people are similar if they share what others do not. Similarity goes from -1 to 1; the
    same ranking has 1. With an item graph (--items or --graph), lists that share no item are
    compared by their items. A line for each pair, with the order of the similar one, to CSV,
    Parquet or JSON; CSV on standard output by default.

    Example: rankcut similar votes.soi --to 0 -n 5 --unranked last
    """
    outputs = results.open(SUFFIXES, ".csv", default=["-"])
    from rankcut.similar.estimator import find_similar

    graph.check()
    rankings = reading.read(file)
    features = graph.likeness(rankings, options.unranked)
    rows = None if options.to is None else [_row(options.to, rankings, file)]
    with working("similar"), warnings_as_notes():
        similar = find_similar(rankings, rows, n=options.number, features=features)
    outputs.answer(similar, rankings.title)


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
