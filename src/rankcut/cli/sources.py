"""Data sets by name in the place of files: ``lunch:full``, ``sushi:a``, ``movielens``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rankcut.files.item_tables import ItemTable
from rankcut.ranking_set import RankingSet

_KINDS = ("full", "top-k", "ties", "incomplete")
NAMES = (*(f"lunch:{kind}" for kind in _KINDS), "sushi:a", "sushi:b", "movielens")


def is_dataset(source: str) -> bool:
    """Whether a name is that of a data set, and not of a file; a misspelt one is an error."""
    if Path(source).exists():
        return False
    family = source.partition(":")[0]
    if source not in NAMES and family in {name.partition(":")[0] for name in NAMES}:
        raise ValueError(f"{source}: there is no such file; the data sets are {', '.join(NAMES)}")
    return source in NAMES


def dataset_rankings(source: str) -> RankingSet:
    """The rankings of a data set, with what is known of each person."""
    data = _load(source)
    known = dict(data.get("user_features", {}))
    ids = known.pop("user", None)
    if source.startswith("lunch:"):
        known["guest"] = np.array(data.target_names, dtype=object)[data.target]
    if source.startswith("sushi:"):
        known["side"] = np.array(data.target_names, dtype=object)[data.target]
    columns = {
        name: values if values.dtype == object else values.astype(np.float64)
        for name, values in known.items()
    }
    return RankingSet(
        data.ranks,
        tuple(data.item_names),
        ids=None if ids is None else tuple(ids.tolist()),
        columns=columns,
        title=source,
    )


def dataset_items(source: str) -> ItemTable:
    """The items of a data set; where a number is unknown, the median."""
    data = _load(source)
    features = {
        name: values
        if values.dtype == object
        else np.where(np.isnan(values), np.nanmedian(values), values)
        for name, values in data.item_features.items()
    }
    return ItemTable(tuple(data.item_names), features)


def _load(source: str) -> Any:
    from rankcut.datasets import load_lunch, load_movielens, load_sushi

    name, _, which = source.partition(":")
    loaders: dict[str, Callable[[], Any]] = {
        "lunch": lambda: load_lunch(which),  # type: ignore[arg-type]
        "sushi": lambda: load_sushi(which),  # type: ignore[arg-type]
        "movielens": load_movielens,
    }
    return loaders[name]()
