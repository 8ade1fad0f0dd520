"""``rankcut gram``: the kernel between all rankings of a file."""

from typing import Annotated

from rankcut.cli.options import Computing, option, with_options
from rankcut.cli.output import MATRICES, Files, Outputs
from rankcut.cli.reading import RankingFile, Reading
from rankcut.cli.terminal import steps, working
from rankcut.cli.vector_options import VectorOptions
from rankcut.errors import InputError, amount

# A larger matrix is refused, because it would be in memory as a whole.
_MOST_BYTES = 1 << 32


@with_options(vectors=VectorOptions, files=Files, computing=Computing, reading=Reading)
def gram(
    file: RankingFile,
    vectors: VectorOptions,
    files: Files,
    computing: Computing,
    reading: Reading,
    normalize: Annotated[
        bool, option("Values from -1 to 1, like a correlation.", "--normalize")
    ] = False,
) -> None:
    """Write the kernel matrix of all pairs of rankings.

    Entries are values of the graph cut kernel. A ranking with a count of c has c rows and columns.
    To a Zarr array (.zarr), the matrix of Parquet files may be larger than memory, and is computed
    on a cluster if one is named. If interrupted, run it again to write the missing rows.

    Example: rankcut gram votes.csv -o gram.npy --normalize
    """
    targets = files.named("gram.npy")
    zarr = [target for target in targets if target.rstrip("/").endswith(".zarr")]
    if zarr:
        from rankcut.dask.gram import write_gram

        if len(targets) > 1:
            raise InputError("a Zarr array must be the only output", file=zarr[0])
        item_graph = vectors.item_graph()
        lazily = reading.lazily(file, computing.block)
        features = vectors.features(lazily.first, item_graph, normalize=normalize)
        with computing.cluster(), steps("gram") as step:
            write_gram(lazily, features, zarr[0], restart=computing.restart, progress=step)
        return
    outputs = Outputs(targets, MATRICES, to=files.to)
    if computing.on_cluster:
        raise InputError(
            "on a cluster the matrix is written to a Zarr array, .zarr", file=targets[0]
        )
    item_graph = vectors.item_graph()
    rankings = reading.read(file)
    size = 8 * rankings.n_rankings**2
    if size > _MOST_BYTES:
        raise InputError(
            f"{amount(rankings.n_rankings, 'ranking')} have a Gram matrix of {size / 1e9:.0f} GB",
            file=file,
            remedy="write it to a Zarr array (.zarr), or 'rankcut features', whose inner products "
            "it holds",
        )
    from rankcut.files.matrices import MatrixBlock, write_matrix
    from rankcut.kernels.graph_cut import graph_cut_kernel

    rankings = rankings.expanded()
    with working("gram"), outputs.places() as places:
        matrix = graph_cut_kernel(
            rankings.ranks, graph=item_graph, normalize=normalize, **vectors.arguments(rankings)
        )
        names = [str(own) for own in rankings.row_names]
        write_matrix([MatrixBlock(matrix, {})], names, places)
