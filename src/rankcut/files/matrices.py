"""Matrices in files: item graphs as npz, and vectors written block by block.

The file of a graph has its weights, dense, CSR or in parts, and the items' names. No pickled object
is ever read: a file that holds one is refused.
"""

import csv
import io
import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from scipy import sparse

from rankcut.errors import InputError, RankingFileError, amount
from rankcut.files.disk import (
    atomic_file,
    check_proportion,
    pack_archive,
    reading_as,
    unpack_archive,
)
from rankcut.files.stored_tables import import_pyarrow
from rankcut.files.tables import Columns
from rankcut.files.text import Source, read_all, source_name

if TYPE_CHECKING:  # Graphs need scikit-learn, which reading rankings does not.
    from rankcut.graphs import ItemGraph

MatrixFormat: TypeAlias = Literal["npy", "csv", "parquet"]


def read_arrays(source: Source) -> dict[str, NDArray[Any]]:
    """The arrays of numbers and text in an npz archive, by name.

    Nothing is unpacked that would take memory out of proportion to the file, and no array takes
    more than its bytes.
    """
    name = source_name(source)
    content = read_all(source)
    with reading_as("an item graph (npz), as 'rankcut graph' writes it", name):
        arrays = {}
        for member, array in unpack_archive(content, name).items():
            stream = io.BytesIO(array)
            arrays[member.removesuffix(".npy")] = _read_array(stream, name)
        return arrays


def _read_array(stream: IO[bytes], name: str) -> NDArray[Any]:
    """The numbers or text of a NumPy file; anything odd in its header is a damaged file."""
    with reading_as("a NumPy file of numbers", name):
        version = npy.read_magic(stream)
        header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
        if version not in header:
            raise RankingFileError(f"NumPy's format {version} is not read", name)
        shape, fortran, dtype = header[version](stream)
        if dtype.kind not in "fiubU" or dtype.hasobject:
            raise RankingFileError(
                f"holds {dtype}, not numbers (objects are never read from a file)", name
            )
        if not all(type(length) is int and 0 <= length < 1 << 48 for length in shape):
            raise RankingFileError(f"its header has the shape {shape}, which is impossible", name)
    content, expected = stream.read(), math.prod(shape) * dtype.itemsize
    if len(content) < expected:
        raise RankingFileError(
            f"the file is cut off: its header promises {expected:,} bytes of numbers, and there "
            f"are {len(content):,}",
            name,
        )
    if dtype.itemsize == 0:
        return np.empty(shape, dtype)
    numbers = np.frombuffer(content, dtype, math.prod(shape))
    return numbers.reshape(shape, order="F" if fortran else "C")


def write_graph(graph: "ItemGraph", target: str | os.PathLike[str]) -> None:
    """Write an item graph, whole or not at all."""
    members = {f"{name}.npy": npy_bytes(array) for name, array in graph_arrays(graph).items()}
    with atomic_file(target) as file:
        file.write(pack_archive(members))


def npy_bytes(array: Any) -> bytes:
    """The bytes of a NumPy file."""
    sink = io.BytesIO()
    np.save(sink, array, allow_pickle=False)
    return sink.getvalue()


def graph_arrays(graph: "ItemGraph") -> dict[str, Any]:
    """Everything that makes up a graph, as arrays of numbers and text."""
    arrays: dict[str, Any] = {"n_items": np.array(graph.n_items)}
    kind = graph.weights.kind
    if kind == "dense":
        arrays["weights"] = graph.to_dense()
    elif kind != "complete":
        matrix = graph.weights.matrix
        arrays |= {part: getattr(matrix, part) for part in ("data", "indices", "indptr")}
        arrays["constant"] = np.array(graph.weights.constant)
    if graph.items is not None:
        arrays["items"] = np.array([str(item) for item in graph.items])
    return arrays


def read_graph(source: Source) -> "ItemGraph":
    """Read an item graph that :func:`write_graph` wrote.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rankcut import ItemGraph
    >>> path = Path(tempfile.mkdtemp()) / "graph.npz"
    >>> write_graph(ItemGraph(np.array([[0.0, 2.0], [2.0, 0.0]]), 2, ("toro", "uni")), path)
    >>> read_graph(path).items
    ('toro', 'uni')
    """
    arrays = read_arrays(source)
    name = source_name(source)
    with reading_as("an item graph (npz), as 'rankcut graph' writes it", name):
        # A complete graph is stored as a number, and takes memory for each item.
        check_proportion(
            int(arrays["n_items"]), sum(array.nbytes for array in arrays.values()), name
        )
        try:
            return _graph(arrays)
        except InputError as mistake:
            raise RankingFileError(str(mistake), name) from None


def _graph(arrays: dict[str, Any]) -> "ItemGraph":
    from rankcut.graphs import ItemGraph, Weights

    n_items = int(arrays["n_items"])
    names = arrays.get("items")
    if names is not None and names.shape != (n_items,):
        raise ValueError(f"{amount(names.size, 'name')} for {amount(n_items, 'item')}")
    items = None if names is None else tuple(names.tolist())
    if "data" in arrays:
        parts = (arrays["data"], arrays["indices"], arrays["indptr"])
        weights = sparse.csr_array(parts, shape=(n_items, n_items))
        if "factors" in arrays and arrays["factors"].size:
            raise InputError(
                "the graph has low-rank weights, which this version does not read",
                remedy="build it again, as a NeighborGraph of the same features",
            )
        return ItemGraph(Weights(weights, float(arrays.get("constant", 0.0))), n_items, items)
    if "weights" in arrays:
        return ItemGraph(arrays["weights"], n_items, items)
    return ItemGraph(None, n_items, items)


class MatrixBlock(NamedTuple):
    """Rows of a matrix, and columns that describe them.

    ``known`` are columns in front of a table. Where rows have ``counts``, npy files, which
    have no columns, repeat each row.
    """

    matrix: NDArray[Any]
    known: Columns
    counts: NDArray[np.int64] | None = None

    def rows(self) -> NDArray[np.float64]:
        """A row for each ranking."""
        repeated = self.matrix if self.counts is None else self.matrix.repeat(self.counts, axis=0)
        return np.ascontiguousarray(repeated, dtype="<f8")


def write_matrix(
    blocks: Iterable[MatrixBlock], names: Sequence[str], targets: Mapping[str, MatrixFormat]
) -> None:
    """Write a matrix with columns of these names, block by block, to paths in their formats.

    >>> import tempfile
    >>> from pathlib import Path
    >>> place = str(Path(tempfile.mkdtemp()) / "features.csv")
    >>> block = MatrixBlock(np.eye(2), {"ranking": ["a", "b"]})
    >>> write_matrix([block], ["toro", "uni"], {place: "csv"})
    >>> print(Path(place).read_text())
    ranking,toro,uni
    a,1.0,0.0
    b,0.0,1.0
    <BLANKLINE>
    """
    kinds: dict[str, type[Any]] = {
        "npy": _NpyWriter,
        "csv": _CsvWriter,
        "parquet": _ParquetWriter,
    }
    tables = [target for target, kind in targets.items() if kind in ("csv", "parquet")]
    with ExitStack() as stack:
        files = {target: stack.enter_context(atomic_file(target)) for target in targets}
        writers = [kinds[targets[target]](file, names) for target, file in files.items()]
        try:
            for block in blocks:
                if tables:
                    _check_distinct([*block.known, *names], tables[0])
                for writer in writers:
                    writer.add(block)
        finally:
            for writer in writers:
                writer.close()


def _check_distinct(columns: Sequence[str], target: str) -> None:
    if len(set(columns)) < len(columns):
        twice, _ = Counter(columns).most_common(1)[0]
        raise RankingFileError(
            f"two columns would be called {twice!r}; rename the item or the ranking, or write "
            "npy, which has no names",
            target,
        )


class _NpyWriter:
    def __init__(self, file: BinaryIO, names: Sequence[str]) -> None:
        self.file = file
        self.header = {"descr": "<f8", "fortran_order": False, "shape": (0, len(names))}
        npy.write_array_header_1_0(file, self.header)
        self.start = file.tell()
        self.n_rows = 0
        self.n_columns = len(names)

    def add(self, block: MatrixBlock) -> None:
        rows = block.rows()
        self.file.write(rows.data)
        self.n_rows += len(rows)

    def close(self) -> None:
        # NumPy leaves room in the header for the number of rows to grow, so that it can be filled
        # in when it is known.
        self.file.seek(0)
        shape = (self.n_rows, self.n_columns)
        npy.write_array_header_1_0(self.file, {**self.header, "shape": shape})
        assert self.file.tell() == self.start, "the header of an npy file grew over its numbers"
        self.file.seek(0, os.SEEK_END)


class _CsvWriter:
    def __init__(self, file: BinaryIO, names: Sequence[str]) -> None:
        self.text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        self.writer = csv.writer(self.text, lineterminator="\n")
        self.names = names
        self.started = False

    def add(self, block: MatrixBlock) -> None:
        if not self.started:
            self.writer.writerow([*block.known, *self.names])
            self.started = True
        rows = zip(*block.known.values(), block.matrix.tolist(), strict=True)
        self.writer.writerows([*front, *row] for *front, row in rows)

    def close(self) -> None:
        self.text.detach()


class _ParquetWriter:
    def __init__(self, file: BinaryIO, names: Sequence[str]) -> None:
        self.file = file
        self.names = names
        self.writer: Any = None

    def add(self, block: MatrixBlock) -> None:
        pa, pq = import_pyarrow()
        columns = {
            name: pa.array([None if cell is None else str(cell) for cell in cells], pa.string())
            for name, cells in block.known.items()
        }
        columns |= {name: pa.array(block.matrix[:, i]) for i, name in enumerate(self.names)}
        table = pa.table(columns)
        self.writer = self.writer or pq.ParquetWriter(self.file, table.schema)
        self.writer.write_table(table)

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
