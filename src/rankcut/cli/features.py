"""``rankcut features``: the vectors of rankings."""

from collections.abc import Iterator
from typing import Annotated

import typer

from rankcut.cli.cluster import Computing
from rankcut.cli.cutting import Cutting
from rankcut.cli.reading import Rankings, Reading
from rankcut.cli.sharing import with_options
from rankcut.cli.writing import check_target, is_folder
from rankcut.files.matrices import MatrixBlock, MatrixFormat


@with_options(cutting=Cutting, computing=Computing, reading=Reading)
def features(
    file: Rankings,
    reading: Reading,
    cutting: Cutting,
    computing: Computing,
    output: Annotated[str, typer.Option("--output", "-o", help="Where to; - is standard output.")],
    to: Annotated[
        MatrixFormat | None, typer.Option("--to", "-t", help="Format to write, if not by suffix.")
    ] = None,
    normalize: Annotated[
        bool, typer.Option("--normalize", help="Scale each vector to unit length.")
    ] = False,
    block: Annotated[int, typer.Option(min=1, help="Rankings to hold in memory at once.")] = 16384,
) -> None:
    """Write the graph cut features of rankings: a row for each, a column for each item.

    To npy, npz, CSV or Parquet. Wide tables and npy files are read, and all are written, a block
    of rankings at a time, so they may be larger than memory.

    To a directory, whose name ends in /, vectors of Parquet files are written as a Parquet file
    for each block, on a cluster if one is named. Run again, it writes those that are missing.

    Example: rankcut features votes.soi -o features.npy --items items.csv --unranked last
    """
    from rankcut.cli.progress import counted
    from rankcut.files.matrices import write_matrix
    from rankcut.files.table_columns import known_columns

    if not is_folder(output):
        check_target(output)
    item_graph = cutting.item_graph()
    if is_folder(output):
        from rankcut.cli.pieces import LazyRankings, transformer_of, write_feature_parts

        rankings = LazyRankings(*reading.pieces(file, block))
        transformer = transformer_of(rankings, cutting, item_graph, normalize=normalize)
        with computing.connected() as client:
            write_feature_parts(
                rankings, transformer, cutting, output, client, restart=computing.restart
            )
        return
    if computing.on_cluster:
        raise ValueError(
            f"{output}: on a cluster vectors are written to a directory of parts; end its name in /"
        )
    pieces = counted(reading.scan(file, rows=block), "features")
    first = next(pieces)
    transformer = cutting.transformer(first, item_graph, normalize=normalize)
    transformer.fit(first.ranks)

    def blocks() -> Iterator[MatrixBlock]:
        yield transformer.transform(first.ranks), known_columns(first)
        for piece in pieces:
            yield transformer.transform(piece.ranks), known_columns(piece)

    write_matrix(blocks(), [str(item) for item in first.items], output, to)
