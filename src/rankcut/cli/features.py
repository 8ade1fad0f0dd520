"""``rankcut features``: the vectors of rankings."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from rankcut.cli.options import Computing, option, with_options
from rankcut.cli.output import MATRICES, Files, Outputs, is_folder
from rankcut.cli.reading import RankingFile, Reading
from rankcut.cli.terminal import counted, steps
from rankcut.cli.vector_options import VectorOptions
from rankcut.errors import InputError

if TYPE_CHECKING:
    from rankcut.files.matrices import MatrixBlock
    from rankcut.rankings.ranking_set import RankingSet


@with_options(vectors=VectorOptions, files=Files, computing=Computing, reading=Reading)
def features(
    file: RankingFile,
    vectors: VectorOptions,
    files: Files,
    computing: Computing,
    reading: Reading,
    normalize: Annotated[bool, option("Scale each vector to unit length.", "--normalize")] = False,
) -> None:
    """Turn rankings into vectors: graph cut features.

    A row for each ranking, a column for each item, to npy, CSV or Parquet. Wide tables and npy
    files are read, and all are written, a block at a time, so they may be larger than memory. CSV
    and Parquet files have a column of counts where the rankings have counts; npy files repeat
    the row.

    To a directory (-o vectors/), the vectors of Parquet files are written as a Parquet file for
    each block, on a cluster if one is named. If interrupted, run the command again to write the
    missing parts.

    Example: rankcut features votes.soi -o features.npy --items items.csv --unranked last
    """
    targets = files.named("features.npy")
    folders = [target for target in targets if is_folder(target)]
    if folders and len(targets) > 1:
        raise InputError("a directory of parts must be the only output", file=folders[0])
    if computing.on_cluster and not folders:
        raise InputError(
            "on a cluster vectors are written to a directory of parts; end its name in /",
            file=targets[0],
        )
    if folders:
        _write_parts(file, folders[0], vectors, computing, reading, normalize)
        return
    outputs = Outputs(targets, MATRICES, to=files.to)

    from rankcut.files.matrices import MatrixBlock, write_matrix
    from rankcut.files.table_columns import known_columns

    item_graph = vectors.item_graph()
    blocks = counted(reading.scan(file, rows=computing.block), "features")
    first = next(blocks)
    transformer = vectors.features(first, item_graph, normalize=normalize)
    transformer.fit(first.ranks)

    def vectors_of(rankings: "RankingSet") -> "MatrixBlock":
        counts = rankings.counts if rankings.counted else None
        return MatrixBlock(transformer.transform(rankings.ranks), known_columns(rankings), counts)

    def matrices() -> "Iterator[MatrixBlock]":
        yield vectors_of(first)
        yield from map(vectors_of, blocks)

    with outputs.places() as places:
        write_matrix(matrices(), [str(item) for item in first.items], places)


def _write_parts(
    file: str,
    folder: str,
    vectors: VectorOptions,
    computing: Computing,
    reading: Reading,
    normalize: bool,
) -> None:
    from rankcut.dask.vectors import write_features

    item_graph = vectors.item_graph()
    rankings = reading.lazily(file, computing.block)
    transformer = vectors.features(rankings.first, item_graph, normalize=normalize)
    transformer.fit(rankings.first.ranks)
    with computing.cluster(), steps("features") as step:
        write_features(rankings, transformer, folder, restart=computing.restart, progress=step)
