"""Attributes of items: utilities that are sums of part-worths.

A column of numbers has one coefficient, for its standard deviation; a column of categories has one
for each level, about their mean.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import linalg

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.graphs.item_features import as_item_features
from rankcut.parameters import ROUNDING
from rankcut.rankings.labels import order_by_name


@dataclass(frozen=True, eq=False)
class Attributes:
    """A row for each item, a column for each coefficient."""

    design: Floats
    names: tuple[str, ...]  #: of the attributes
    levels: tuple[tuple[str, ...], ...]  #: of each attribute; one, its own name, of a number
    places: tuple[slice, ...]  #: the coefficients of each attribute
    constants: Floats  #: directions of coefficients that no utility depends on

    @property
    def coefficients(self) -> list[str]:
        """A name for each coefficient."""
        return [
            level if len(levels) == 1 else f"{name}: {level}"
            for name, levels in zip(self.names, self.levels, strict=True)
            for level in levels
        ]

    @classmethod
    def of(cls, table: Any, items: tuple[Hashable, ...] | None, n_items: int) -> "Attributes":
        """The attributes of a frame, mapping, array or ItemTable with a row for each item."""
        features = as_item_features(table)
        assert features is not None
        if features.matrix is not None:
            matrix = np.asarray(features.matrix)
            columns = [matrix[:, i] for i in range(matrix.shape[1])] if matrix.ndim == 2 else []
            names = tuple(f"x{i}" for i in range(len(columns)))
        else:
            columns, names = list(features.columns), tuple(map(str, features.names))
        if not columns or len(columns[0]) != n_items:
            n_rows = len(columns[0]) if columns else 0
            raise InputError(
                f"has {n_rows:,} rows for {n_items:,} items",
                parameter="attributes",
                remedy="give a table with a row for each item",
            )
        order = order_by_name(features.labels, items, "the attributes", "the rankings")
        blocks, levels = [], []
        for name, values in zip(names, columns, strict=True):
            values = values if order is None else values[order]
            block, coded_levels = _coded(values, name, items)
            blocks.append(block)
            levels.append(coded_levels)
        ends = np.append(0, np.cumsum([block.shape[1] for block in blocks])).tolist()
        places = tuple(slice(a, b) for a, b in pairwise(ends))
        design = np.concatenate(blocks, axis=1)
        # What moves all items alike, or none, is not to be learned.
        about = design - design.mean(axis=0)
        _, sizes, directions = linalg.svd(about, full_matrices=True)
        sizes = np.append(sizes, np.zeros(design.shape[1] - len(sizes)))
        flat = sizes <= ROUNDING * sizes.max(initial=1.0)
        return cls(about, names, tuple(levels), places, directions[flat].T)


def _coded(
    values: Any, name: str, items: tuple[Hashable, ...] | None
) -> tuple[Floats, tuple[str, ...]]:
    """The columns of an attribute and its levels."""
    if np.asarray(values).dtype.kind in "fiub":
        numbers = np.asarray(values, dtype=np.float64)
        if not np.isfinite(numbers).all():
            row = int(np.argmin(np.isfinite(numbers)))
            item = row if items is None else items[row]
            raise InputError(f"has no number in column {name!r} of its attributes", item=item)
        size = float(numbers.std()) or 1.0
        return ((numbers - numbers.mean()) / size)[:, None], (name,)
    texts = np.array(["" if value is None else str(value) for value in values], dtype=object)
    levels, codes = np.unique(texts, return_inverse=True)
    return np.eye(len(levels))[codes], tuple(map(str, levels))
