"""Item graphs in NumPy's npz files: weights, dense, CSR or in parts, and the items' names.

Only numbers and text are read, never a pickled object.
"""

import io
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from rankcut.errors import amount
from rankcut.files.drafts import atomic_file
from rankcut.files.numpy_files import read_arrays
from rankcut.files.streams import Source, most_unpacked, reading_as, source_name

if TYPE_CHECKING:  # Graphs need scikit-learn, which reading rankings does not.
    from rankcut.graphs import ItemGraph

# The parts of structured weights besides the sparse one.
_PARTS = ("constant", "factors", "signs")

# About how long the header of an array is.
_HEADER = 128


def write_graph(graph: "ItemGraph", target: str | os.PathLike[str]) -> None:
    """Write an item graph, whole or not at all."""
    arrays = graph_arrays(graph)
    packed = io.BytesIO()
    np.savez_compressed(packed, allow_pickle=False, **arrays)
    size = sum(np.asarray(array).nbytes + _HEADER for array in arrays.values())
    with atomic_file(target) as file:
        # Weights that are all alike shrink so much that the reader would suspect the file.
        if size > most_unpacked(packed.tell()):
            np.savez(file, allow_pickle=False, **arrays)
        else:
            file.write(packed.getbuffer())


def graph_arrays(graph: "ItemGraph") -> dict[str, Any]:
    """All that makes up a graph, as arrays of numbers and text."""
    arrays: dict[str, Any] = {"n_items": np.array(graph.n_items)}
    kind = graph.weights.kind
    if kind == "dense":
        arrays["weights"] = graph.to_dense()
    elif kind != "complete":
        parts = graph.weights.to_structured()
        arrays |= {part: getattr(parts.sparse, part) for part in ("data", "indices", "indptr")}
        if kind == "structured":
            arrays |= {part: np.array(getattr(parts, part)) for part in _PARTS}
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
    with reading_as("an item graph, as 'rankcut graph' writes it", source_name(source)):
        return _graph(arrays)


def _graph(arrays: dict[str, Any]) -> "ItemGraph":
    from rankcut.graphs import ItemGraph, StructuredWeights

    n_items = int(arrays["n_items"])
    items = tuple(arrays["items"].tolist()) if "items" in arrays else None
    if items is not None and len(items) != n_items:
        raise ValueError(f"{amount(len(items), 'name')} for {amount(n_items, 'item')}")
    if "data" in arrays:
        parts = (arrays["data"], arrays["indices"], arrays["indptr"])
        weights = sparse.csr_array(parts, shape=(n_items, n_items))
        weights.check_format(full_check=True)
        if "constant" in arrays:
            constant, factors, signs = (arrays[part].astype(np.float64) for part in _PARTS)
            weights = StructuredWeights(float(constant), weights, factors, signs)
        return ItemGraph(weights, n_items, items)
    if "weights" in arrays:
        return ItemGraph(arrays["weights"], n_items, items)
    return ItemGraph(None, n_items, items)
