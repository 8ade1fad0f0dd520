"""``rankcut features``: the vectors of rankings."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from rankcut.cli.options import TO, Computing, MatrixFormat, with_options
from rankcut.cli.output import MATRICES, Outputs, is_folder
from rankcut.cli.reading import Rankings, Reading
from rankcut.cli.vector_options import VectorOptions
from rankcut.errors import InputError

if TYPE_CHECKING:
    from rankcut.files.matrix_files import MatrixBlock
    from rankcut.rankings.ranking_set import RankingSet


@with_options(vectors=VectorOptions, computing=Computing, reading=Reading)
def features(
    file: Rankings,
    reading: Reading,
    vectors: VectorOptions,
    computing: Computing,
    output: Annotated[
        list[str],
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Output file, by its suffix (- for standard output); may be repeated. Or a "
            "directory, ending in /.",
        ),
    ],
    to: Annotated[MatrixFormat | None, TO] = None,
    normalize: Annotated[
        bool, typer.Option("--normalize", help="Scale each vector to unit length.")
    ] = False,
    block: Annotated[int, typer.Option(min=1, help="Rows per block in memory.")] = 16384,
) -> None:
    """Turn rankings into vectors: graph cut features.

    A row for each ranking, a column for each item, to npy, npz, CSV or Parquet. Wide tables and npy
    files are read, and all are written, a block at a time, so they may be larger than memory. CSV
    and Parquet files have a column of counts where the rankings have counts; npy and npz files
    repeat the row.

    To a directory, the vectors of Parquet files are written as a Parquet file for each block, on
    a cluster if one is named. If interrupted, run the command again to write the missing parts.

    Example: rankcut features votes.soi -o features.npy --items items.csv --unranked last
    """
    from rankcut.cli.progress import counted, steps
    from rankcut.files.matrix_files import MatrixBlock, write_matrix
    from rankcut.files.table_columns import known_columns

    folders = [target for target in output if is_folder(target)]
    if folders:
        from rankcut.dask.vector_blocks import write_features

        if len(output) > 1:
            raise InputError("a directory of parts must be the only output", file=folders[0])
        item_graph = vectors.item_graph()
        rankings = reading.lazily(file, block)
        transformer = vectors.features(rankings.first, item_graph, normalize=normalize)
        transformer.fit(rankings.first.ranks)
        with computing.cluster(), steps("features") as step:
            write_features(
                rankings, transformer, folders[0], restart=computing.restart, progress=step
            )
        return
    outputs = Outputs(output, MATRICES, to=to)
    if computing.on_cluster:
        raise InputError(
            "on a cluster vectors are written to a directory of parts; end its name in /",
            file=output[0],
        )
    item_graph = vectors.item_graph()
    blocks = counted(reading.scan(file, rows=block), "features")
    first = next(blocks)
    transformer = vectors.features(first, item_graph, normalize=normalize)
    transformer.fit(first.ranks)

    def vectors_of(rankings: "RankingSet") -> "MatrixBlock":
        counts = rankings.counts if rankings.counted else None
        return MatrixBlock(transformer.transform(rankings.ranks), known_columns(rankings), counts)

    def matrices() -> "Iterator[MatrixBlock]":
        yield vectors_of(first)
        yield from map(vectors_of, blocks)

    write_matrix(matrices(), [str(item) for item in first.items], outputs.formats())
