"""Food preferences: a generator of eight dishes and two types of guest, and the lunch data set.

Lunch is small, has each kind of ranking, and was written for this library.
"""

from dataclasses import replace
from importlib.resources import as_file, files
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rankcut.datasets.downloads import about_items
from rankcut.errors import InputError
from rankcut.files.feature_tables import read_items
from rankcut.files.layouts import table_rankings
from rankcut.files.roles import TableOptions
from rankcut.files.text import text_blocks
from rankcut.parameters import check_choice, check_count, check_number
from rankcut.rankings.ranking_set import RankingSet
from rankcut.rankings.ratings import from_ratings

Kind: TypeAlias = Literal["full", "top-k", "ties", "incomplete"]

ASPECTS = ["sweet", "savoury", "juicy"]

DISHES = {
    "cake": (0.9, 0.0, 0.3),
    "biscuit": (0.7, 0.1, 0.0),
    "gelato": (1.0, 0.0, 0.7),
    "steak": (0.0, 0.8, 0.8),
    "burger": (0.2, 0.8, 0.9),
    "sausage": (0.1, 1.0, 1.0),
    "pasta": (0.4, 0.7, 0.7),
    "pizza": (0.4, 0.9, 0.6),
}

TASTES = {"sweet tooth": (1, 1 / 6, 1 / 11), "juicy eater": (1 / 11, 1 / 6, 1)}

_FOLDER = files("rankcut.datasets") / "lunch_files"


def make_food(
    n_rankings: int = 250,
    *,
    noise: float = 0.5,
    kind: Kind = "full",
    k: int = 3,
    merges: int | tuple[int, int] = (2, 3),
    dropped: int | tuple[int, int] = (2, 5),
    random_state: int | np.random.RandomState | None = None,
) -> RankingSet:
    """Rankings of eight dishes by two types of user, the synthetic data of the paper.

    A dish scores the sum of its features, weighted by the type of user, plus Gaussian noise; a
    ranking sorts the dishes by score. Half of the users, shuffled, are of each type.

    Parameters
    ----------
    n_rankings : int
        Number of rankings.
    noise : float
        Standard deviation σ of the noise on each score.
    kind : {"full", "top-k", "ties", "incomplete"}
        The kind of ranking: all eight dishes in order; the best ``k`` of them; neighbouring
        groups merged into ties; or some dishes left out. Dishes not ranked are NaN.
    k : int
        Length of a top-k list.
    merges : int or (int, int)
        How many times two neighbouring groups are merged, or the range it is drawn from, both
        ends included.
    dropped : int or (int, int)
        How many dishes are left out, or the range it is drawn from, both ends included.
    random_state : int, RandomState or None
        Seed. The same seed gives the same scores for every kind.

    Returns
    -------
    RankingSet
        ``ranks`` (n_rankings, 8), ``target`` (0 or 1), ``item_names``, ``item_features`` (8, 3),
        ``feature_names``, ``target_names``.

    Examples
    --------
    >>> food = make_food(4, noise=0, random_state=0)
    >>> food.target
    array([0, 1, 1, 0])
    >>> from rankcut import to_orders
    >>> to_orders(food.ranks[:1], food.item_names)[0]
    ['gelato', 'cake', 'biscuit', 'pizza', 'pasta', 'burger', 'sausage', 'steak']
    """
    n_dishes = len(DISHES)
    check_count(n_rankings, "n_rankings")
    check_number(noise, "noise")
    check_choice(kind, get_args(Kind), "kind")
    if not 1 <= k <= n_dishes:
        raise InputError(f"must be from 1 to {n_dishes}; got {k}", parameter="k")
    from sklearn.utils import check_random_state

    rng = check_random_state(random_state)
    features = np.array(list(DISHES.values()))
    target = rng.permutation(np.arange(n_rankings) % 2)
    scores = (np.array(list(TASTES.values())) @ features.T)[target]
    scores = scores + noise * rng.standard_normal((n_rankings, n_dishes))
    ranks = from_ratings(scores)
    if kind == "top-k":
        ranks[ranks > k] = np.nan
    elif kind == "ties":
        for row, times in zip(ranks, _draw(rng, "merges", merges, n_rankings), strict=True):
            for _ in range(times):
                above = rng.randint(1, int(row.max()))
                row[row > above] -= 1
    elif kind == "incomplete":
        for row, times in zip(ranks, _draw(rng, "dropped", dropped, n_rankings), strict=True):
            row[rng.permutation(n_dishes)[:times]] = np.nan
    return RankingSet(
        ranks,
        tuple(DISHES),
        target=target,
        target_names=list(TASTES),
        item_features=features,
        details={"feature_names": list(ASPECTS)},
    )


def _draw(
    rng: np.random.RandomState, name: str, number: int | tuple[int, int], size: int
) -> NDArray[Any]:
    low, high = number if isinstance(number, tuple) else (number, number)
    if not 0 <= low <= high < len(DISHES):
        raise InputError(
            f"must be a number or a range of numbers from 0 to {len(DISHES) - 1}; got {number}",
            parameter=name,
        )
    return rng.randint(low, high + 1, size)


def load_lunch(kind: Kind = "full") -> RankingSet:
    """What 48 guests of a canteen think of its eight dishes, in each kind of ranking.

    The guests are invented, and so are their tastes.

    Parameters
    ----------
    kind : {"full", "top-k", "ties", "incomplete"}
        All dishes in order; the best three; groups of dishes; or the dishes that a guest has
        tried. Dishes not ranked are NaN.

    Returns
    -------
    RankingSet
        ``ranks`` (48, 8), ``target`` (0 or 1), ``target_names``, ``item_names``,
        ``item_features`` (an array for each feature), ``feature_names``, ``feature_types`` and
        ``item_points`` (features as coordinates).

    Examples
    --------
    >>> from rankcut import to_orders
    >>> lunch = load_lunch("ties")
    >>> to_orders(lunch.ranks[:1], lunch.item_names)[0]
    ['cake', 'burger', ('biscuit', 'gelato', 'pizza'), 'sausage', 'steak', 'pasta']
    >>> from rankcut import SimilarityGraph
    >>> SimilarityGraph(lunch.item_features).build()
    ItemGraph(8 items, 28 edges)
    """
    rankings = read_lunch(kind)
    with as_file(_FOLDER / "dishes.csv") as dishes:
        items = read_items(dishes)
    names = ["sweet tooth", "juicy eater"]
    return replace(
        rankings,
        target=(rankings.columns["guest"] == names[1]).astype(int),
        target_names=names,
        **about_items(items.features),
    )


def read_lunch(kind: Kind) -> RankingSet:
    """Only the rankings, which take less time to load."""
    check_choice(kind, get_args(Kind), "kind")
    with as_file(_FOLDER / f"{kind}.csv") as path:
        rankings = table_rankings(text_blocks(path), TableOptions(item_columns=list(DISHES)))
    return replace(rankings, title="Lunch" if kind == "full" else f"Lunch, {kind}")
