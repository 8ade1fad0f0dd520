"""Item graphs in NumPy's npz files: weights, dense, CSR or in parts, and the items' names.

Only numbers and text are read, never a pickled object.
"""

import io
import os
import zipfile
from typing import Any

import numpy as np
from scipy import sparse

from rankcut.errors import RankingFileError
from rankcut.files.drafts import atomic_file
from rankcut.files.streams import Source, read_all, source_name
from rankcut.graphs.item_graph import ItemGraph
from rankcut.graphs.weights import StructuredWeights

# What structured weights have beside their sparse part.
_PARTS = ("constant", "factors", "signs")


def write_graph(graph: ItemGraph, target: str | os.PathLike[str]) -> None:
    """Write an item graph, whole or not at all."""
    with atomic_file(target) as file:
        np.savez_compressed(file, allow_pickle=False, **graph_arrays(graph))


def graph_arrays(graph: ItemGraph) -> dict[str, Any]:
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


def read_graph(source: Source) -> ItemGraph:
    """Read an item graph that :func:`write_graph` wrote.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "graph.npz"
    >>> write_graph(ItemGraph(np.array([[0.0, 2.0], [2.0, 0.0]]), 2, ("toro", "uni")), path)
    >>> read_graph(path).items
    ('toro', 'uni')
    """
    name = source_name(source)
    try:
        with np.load(io.BytesIO(read_all(source)), allow_pickle=False) as arrays:
            return _graph(dict(arrays))
    except RankingFileError:
        raise
    except (ValueError, KeyError, TypeError, OSError, EOFError, MemoryError, AttributeError) as no:
        raise RankingFileError(
            f"not an item graph ({no}); 'rankcut graph' writes one", name
        ) from None
    except (zipfile.BadZipFile, NotImplementedError) as no:
        raise RankingFileError(f"the npz file is damaged ({no}); write it again", name) from None


def _graph(arrays: dict[str, Any]) -> ItemGraph:
    n_items = int(arrays["n_items"])
    items = tuple(arrays["items"].tolist()) if "items" in arrays else None
    if items is not None and len(items) != n_items:
        raise ValueError(f"{len(items)} names for {n_items} items")
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
