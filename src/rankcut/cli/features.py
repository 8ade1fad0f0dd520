"""``rankcut features`` and ``rankcut gram``: the vectors of rankings, and their inner products."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rankcut.cli.command import option, with_options
from rankcut.cli.options import Computing, VectorOptions
from rankcut.cli.output import MATRICES, OutputFiles, Outputs, counted, named_files, steps, working
from rankcut.cli.reading import RankingFile, Reading
from rankcut.errors import InputError, amount
from rankcut.parameters import MOST_HELD

if TYPE_CHECKING:
    from rankcut.files.matrices import MatrixBlock
    from rankcut.rankings.ranking_set import RankingSet

Normalize = Annotated[
    bool, option("Scale vectors to unit length, and products to -1 to 1.", "--normalize")
]


@with_options(vectors=VectorOptions, computing=Computing, reading=Reading)
def features(
    file: RankingFile,
    vectors: VectorOptions,
    computing: Computing,
    reading: Reading,
    normalize: Normalize = False,
    output: OutputFiles = None,
) -> None:
    """Turn rankings into vectors: graph cut features.

    A row for each ranking, a column for each item, to npy, CSV or Parquet; CSV on standard output.
    Wide tables and npy files are read, and all are written, a block at a time, so they may be
    larger than memory. CSV and Parquet files have a column of counts where the rankings have
    counts; npy files repeat the row.

    To a directory (-o vectors/), the vectors of Parquet files are written as a Parquet file for
    each block, on a cluster if one is named. If interrupted, run the command again to write the
    missing parts.

    Example: rankcut features votes.soi -o features.npy --items items.csv --unranked last
    """
    targets = named_files(output, "features.npy")
    folders = [target for target in targets if target.endswith("/") or Path(target).is_dir()]
    if folders:
        from rankcut.dask.parquet import write_features

        if len(targets) > 1:
            raise InputError("a directory of parts must be the only output", file=folders[0])
        lazily = reading.lazily(file, computing.block)
        transformer = vectors.features(lazily.first, normalize=normalize)
        transformer.fit(lazily.first.ranks)
        with computing.cluster(), steps("vectors") as step:
            write_features(
                lazily, transformer, folders[0], restart=computing.restart, progress=step
            )
        return
    if computing.on_cluster:
        raise InputError(
            "on a cluster vectors are written to a directory of parts; end its name in /",
            file=targets[0],
        )
    outputs = Outputs(targets, MATRICES, ".csv")

    from rankcut.files.matrices import MatrixBlock, write_matrix
    from rankcut.files.table_columns import known_columns

    blocks = counted(reading.scan(file, rows=computing.block), "features")
    first = next(blocks)
    transformer = vectors.features(first, normalize=normalize)
    transformer.fit(first.ranks)

    def vectors_of(rankings: "RankingSet") -> "MatrixBlock":
        counts = rankings.counts if rankings.counted else None
        return MatrixBlock(transformer.transform(rankings.ranks), known_columns(rankings), counts)

    def matrices() -> "Iterator[MatrixBlock]":
        yield vectors_of(first)
        yield from map(vectors_of, blocks)

    with outputs.places() as places:
        write_matrix(matrices(), [str(item) for item in first.items], places)


@with_options(vectors=VectorOptions, computing=Computing, reading=Reading)
def gram(
    file: RankingFile,
    vectors: VectorOptions,
    computing: Computing,
    reading: Reading,
    normalize: Normalize = False,
    output: OutputFiles = None,
) -> None:
    """Write the kernel matrix of all pairs of rankings.

    Entries are values of the graph cut kernel, to npy, CSV or Parquet; CSV on standard output. A
    ranking with a count of c has c rows and columns. To a Zarr array (.zarr), the matrix of
    Parquet files may be larger than memory, and is computed on a cluster if one is named. If
    interrupted, run it again to write the missing rows.

    Example: rankcut gram votes.csv -o gram.npy --normalize
    """
    targets = named_files(output, "gram.npy")
    zarr = [target for target in targets if target.rstrip("/").endswith(".zarr")]
    if zarr:
        from rankcut.dask.parquet import write_gram

        if len(targets) > 1:
            raise InputError("a Zarr array must be the only output", file=zarr[0])
        lazily = reading.lazily(file, computing.block)
        transformer = vectors.features(lazily.first, normalize=normalize)
        with computing.cluster(), steps("vectors") as step:
            write_gram(lazily, transformer, zarr[0], restart=computing.restart, progress=step)
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
        found = vectors.features(rankings, normalize=normalize).fit_transform(rankings.ranks)
        names = [str(own) for own in rankings.row_names]
        write_matrix([MatrixBlock(found @ found.T, {})], names, places)
