"""``rankcut gram``: the kernel between all rankings of a file."""

from typing import Annotated

import typer

from rankcut.cli.cluster import Computing
from rankcut.cli.cutting import Cutting
from rankcut.cli.reading import Rankings, Reading
from rankcut.cli.sharing import with_options
from rankcut.cli.writing import check_target
from rankcut.files.matrices import MatrixFormat
from rankcut.graphs.item_graph import ItemGraph

# A larger matrix is refused, since it is in memory at once.
_MOST_BYTES = 1 << 32


@with_options(cutting=Cutting, computing=Computing, reading=Reading)
def gram(
    file: Rankings,
    reading: Reading,
    cutting: Cutting,
    computing: Computing,
    output: Annotated[str, typer.Option("--output", "-o", help="Where to; - is standard output.")],
    to: Annotated[
        MatrixFormat | None, typer.Option("--to", "-t", help="Format to write, if not by suffix.")
    ] = None,
    normalize: Annotated[
        bool, typer.Option("--normalize", help="Values from -1 to 1, like a correlation.")
    ] = False,
    block: Annotated[int, typer.Option(min=1, help="Rankings of a block, for Zarr.")] = 16384,
) -> None:
    """Write the Gram matrix: how alike each two rankings are, by the graph cut kernel.

    To a Zarr array (.zarr), matrices of Parquet files may be larger than memory and are computed
    on a cluster if one is named. Run again, it writes the rows that are missing.

    Example: rankcut gram votes.csv -o gram.npy --normalize
    """
    from rankcut.cli.progress import working
    from rankcut.files.matrices import write_matrix
    from rankcut.kernels.graph_cut import graph_cut_kernel

    to_zarr = output.rstrip("/").endswith(".zarr")
    if not to_zarr:
        check_target(output)
    item_graph = cutting.item_graph()
    if to_zarr:
        with computing.connected():
            _write_zarr(
                file, reading, output, cutting, item_graph, normalize, block, computing.restart
            )
        return
    if computing.on_cluster:
        raise ValueError(f"{output}: on a cluster the matrix is written to a Zarr array, .zarr")
    rankings = reading.read(file)
    n_rows = len(rankings)
    if 8 * n_rows**2 > _MOST_BYTES:
        raise ValueError(
            f"{file}: {n_rows:,} rankings have a Gram matrix of {8 * n_rows**2 / 1e9:.0f} GB; "
            "write it to a Zarr array (.zarr), or 'rankcut features', whose inner products it holds"
        )
    with working("gram"):
        matrix = graph_cut_kernel(
            rankings.ranks, None, item_graph, normalize=normalize, **cutting.options(rankings)
        )
        ids = range(n_rows) if rankings.ids is None else rankings.ids
        write_matrix([(matrix, {})], [str(own) for own in ids], output, to)


def _write_zarr(
    file: str,
    reading: Reading,
    output: str,
    cutting: Cutting,
    graph: ItemGraph | None,
    normalize: bool,
    block: int,
    restart: bool,
) -> None:
    from rankcut.cli.gram_parts import write_gram
    from rankcut.cli.pieces import LazyRankings, cutting_settings

    rankings = LazyRankings(*reading.pieces(file, block))
    transformer = cutting.transformer(rankings.first, graph, normalize=normalize)
    ranks = rankings.ranks()
    settings = {"command": "gram", **rankings.settings()}
    del settings["block"]  # the matrix is the same however the rankings are cut
    settings |= cutting_settings(cutting, graph, normalize)
    write_gram(transformer.fit(ranks).transform(ranks), output, settings, restart=restart)
