"""Lunch: a small data set of each ranking kind, written for this library."""

from dataclasses import replace
from importlib.resources import as_file, files
from typing import get_args

from rankcut.datasets.food import Kind
from rankcut.files.formats import read_file
from rankcut.files.item_tables import read_items
from rankcut.parameters import check_choice
from rankcut.ranking_set import RankingSet

_FOLDER = files("rankcut.datasets") / "lunch_files"
_FILES = {kind: f"{kind}.csv" for kind in ("full", "top-k", "ties", "incomplete")}


def load_lunch(kind: Kind = "full", *, as_frame: bool = False) -> RankingSet:
    """What 48 guests of a canteen think of its eight dishes, in each kind of ranking.

    The guests are invented, and so are their tastes.

    Parameters
    ----------
    kind : {"full", "top-k", "ties", "incomplete"}
        All dishes in order; the best three; groups of dishes; or the dishes that a guest has
        tried. Dishes not ranked are NaN.
    as_frame : bool
        Ranks and item features as pandas frames.

    Returns
    -------
    RankingSet
        ``ranks`` (48, 8), ``target`` (0 or 1), ``target_names``, ``item_names``,
        ``item_features`` (an array for each feature), ``feature_names``, ``feature_types`` and
        ``item_points`` (features as coordinates, for a graph).

    Examples
    --------
    >>> from rankcut import to_orders
    >>> lunch = load_lunch("ties")
    >>> to_orders(lunch.ranks[:1], lunch.item_names)[0]
    ['cake', 'burger', ('biscuit', 'gelato', 'pizza'), 'sausage', 'steak', 'pasta']
    """
    rankings = read_lunch(kind)
    with as_file(_FOLDER / "dishes.csv") as dishes:
        items = read_items(dishes)
    names = ["sweet tooth", "juicy eater"]
    lunch = replace(
        rankings,
        target=(rankings.columns["guest"] == names[1]).astype(int),
        target_names=names,
        item_features=items.features,
        details={
            "feature_names": list(items.features),
            "feature_types": [
                "categorical" if values.dtype == object else "numeric"
                for values in items.features.values()
            ],
            "item_points": items.points(),
        },
    )
    return lunch.with_frames() if as_frame else lunch


def read_lunch(kind: Kind) -> RankingSet:
    """The rankings alone, which take less time to load."""
    check_choice(kind, get_args(Kind), "kind")
    with as_file(_FOLDER / _FILES[kind]) as path:
        return replace(read_file(path), title="Lunch" if kind == "full" else f"Lunch, {kind}")
