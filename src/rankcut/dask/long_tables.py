"""Long tables in Dask DataFrames: one block of rankings per partition."""

import math
from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse as sp

from rankcut.dask.collections import as_array, at_place, stand_in
from rankcut.dask.tasks import computed, reduced, shared, task
from rankcut.errors import InputError
from rankcut.rankings import object_array
from rankcut.rankings.long_tables import LongRanks, from_long
from rankcut.rankings.reading import for_collections


@for_collections(from_long)
def lazy_from_long(
    table: Any,
    *,
    ranking: str = "ranking",
    item: str = "item",
    items: Sequence[Hashable] | None = None,
    **options: Any,
) -> LongRanks:
    """:func:`~rankcut.from_long` for a Dask DataFrame: one block of rankings per partition."""
    options = {"rank": None, "score": None, "sparse": False, **options}
    options = {"ranking": ranking, "item": item, **options}
    together = table.index.name == ranking and table.known_divisions
    lines = table.reset_index() if table.index.name == ranking else table
    from_long(stand_in(lines), **options)  # says what is wrong with the columns
    if items is None:
        labels = task(_labels)
        parts = [labels(part) for part in lines[item].to_delayed()]
        items = computed(reduced(parts, _first_labels))[0]
    if not together:
        value = options["rank"] or options["score"]
        lines = lines[[ranking, item, value]].shuffle(on=ranking)
    read = task(_read_lines, nout=2)
    about = shared({**options, "items": list(items)})
    blocks = [read(part, about, not together) for part in lines.to_delayed()]
    nothing = sp.csr_array((0, len(items))) if options["sparse"] else np.empty((0, len(items)))
    sizes = [math.nan] * len(blocks)
    return LongRanks(
        as_array([block[0] for block in blocks], sizes, nothing),
        as_array([block[1] for block in blocks], sizes, np.empty(0, dtype=object)),
        list(items),
    )


def _labels(column: Any) -> list[Hashable]:
    return list(dict.fromkeys(column.tolist()))


def _first_labels(parts: list[list[Hashable]]) -> list[Hashable]:
    return list(dict.fromkeys(label for part in parts for label in part))


def _read_lines(
    lines: Any, options: dict[str, Any], moved: bool
) -> tuple[Any, NDArray[np.object_]]:
    """The rankings of a partition, sorted by id if their lines are in no order."""
    if len(lines) == 0:
        n_items = len(options["items"])
        nothing = sp.csr_array((0, n_items)) if options["sparse"] else np.empty((0, n_items))
        return nothing, np.empty(0, dtype=object)
    if moved:
        lines = lines.sort_values(options["ranking"], kind="stable")
    names = lines[options["ranking"]]

    def at_ranking(error: InputError, line: int) -> InputError:
        return error.moved(file=f"ranking {names.iloc[[line]].tolist()[0]!r}", line=None)

    found = at_place(partial(from_long, **options), lines, at_ranking)
    return found.ranks, object_array(found.ids)
