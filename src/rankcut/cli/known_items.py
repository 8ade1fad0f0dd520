"""Match rankings with the items that a model knows."""

import sys
from collections.abc import Collection, Hashable, Sequence
from dataclasses import replace

from rankcut.ranking_set import RankingSet


def with_known_items(
    rankings: RankingSet, items: Sequence[Hashable], file: str, *, no_items: Collection[str] = ()
) -> RankingSet:
    """The same rankings with these items as columns, by name if the file has names.

    A column of numbers looks like an item in a wide table. Those in ``no_items`` are left out;
    others too, with a word on standard error, if all items are there without them.
    """
    if rankings.labels() is None:
        return rankings
    known = set(items)
    unknown = [item for item in rankings.items if item not in known and item not in no_items]
    if unknown and not known <= set(rankings.items):
        raise ValueError(
            f"{file}: item {unknown[0]!r} is not among the {len(items)} known ones, such as "
            f"{items[0]!r}; if it is no item, name it with --columns"
        )
    if unknown:
        names = ", ".join(map(repr, unknown))
        print(f"rankcut: {file}: left out what is no item of the model: {names}", file=sys.stderr)
    kept = [i for i, item in enumerate(rankings.items) if item in known]
    if not kept:
        raise ValueError(f"{file}: there is no item of the model, such as {items[0]!r}")
    ours = replace(
        rankings, ranks=rankings.ranks[:, kept], items=tuple(rankings.items[i] for i in kept)
    )
    return ours.with_items(items)
