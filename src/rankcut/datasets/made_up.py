"""Made-up rankings: food and lunch, and the models of Mallows and of Plackett and Luce.

Lunch is small, has each kind of ranking, and was written for this library.
"""

from collections.abc import Sequence
from importlib.resources import as_file, files
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcut.datasets.downloads import about_items
from rankcut.errors import InputError
from rankcut.files.feature_tables import read_items
from rankcut.files.options import TableOptions
from rankcut.files.recognition import read_table
from rankcut.files.text import text_blocks
from rankcut.parameters import check_choice, check_count, check_number, within_floats
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
    random_state: int | np.random.RandomState | None = 0,
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
        ``item_features`` (an array for each feature), ``feature_names`` and ``item_points``
        (features as coordinates).

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
    about = about_items(items.features)
    classes = (rankings.columns["guest"] == names[1]).astype(int)
    features = about["item_features"]
    rankings = rankings.having(target=classes, target_names=names, item_features=features)
    return rankings.with_details(**about["details"])


def read_lunch(kind: Kind) -> RankingSet:
    """Only the rankings, which take less time to load."""
    check_choice(kind, get_args(Kind), "kind")
    with as_file(_FOLDER / f"{kind}.csv") as path:
        rankings = read_table(text_blocks(path), TableOptions(item_columns=list(DISHES)))
    return rankings.having(title="Lunch" if kind == "full" else f"Lunch, {kind}")


def make_mallows(
    n_rankings: int = 100,
    n_items: int = 10,
    *,
    phi: float | Sequence[float] = 0.7,
    centers: ArrayLike | None = None,
    n_blocs: int = 1,
    shares: ArrayLike | None = None,
    kind: Kind = "full",
    k: int | None = None,
    random_state: int | np.random.RandomState | None = 0,
) -> RankingSet:
    """Rankings by Mallows' model: each pair in another order than the centre costs a factor φ.

    The probability of a ranking is proportional to φ^d, d its number of pairs in another order
    than in the centre. φ = 0 repeats the centre, φ = 1 draws any order. With several blocs each
    ranking belongs to one of them, each with its own centre.

    Parameters
    ----------
    n_rankings, n_items : int
        How many rankings, of how many items.
    phi : float, or one for each bloc
        Dispersion, from 0 to 1.
    centers : array of shape (n_items,) or (n_blocs, n_items), or None
        Ranks of the items in each bloc's centre. None is 1, 2, …, n for the first bloc, and random
        orders for the others.
    n_blocs : int
        Number of blocs, if ``centers`` does not say.
    shares : array of shape (n_blocs,) or None
        The expected share of rankings of each bloc; None: blocs of the same size, give or take one
        ranking.
    kind : {"full", "top-k", "ties", "incomplete"}
        All items in order; the best ``k`` of them; in ``k`` groups of tied items; or ``k`` items
        drawn for each ranking. Items not ranked are NaN.
    k : int or None
        See ``kind``; None is half of the items, rounded up.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    RankingSet
        ``ranks`` (n_rankings, n_items), ``target`` (the bloc of each ranking), ``centers``
        (n_blocs, n_items).

    Examples
    --------
    >>> votes = make_mallows(3, 4, phi=0.3, random_state=0)
    >>> votes.ranks
    array([[1., 2., 3., 4.],
           [1., 2., 4., 3.],
           [1., 3., 2., 4.]])
    >>> make_mallows(2, 4, n_blocs=2, kind="top-k", k=2, random_state=0).target
    array([0, 1])
    """
    from sklearn.utils import check_random_state

    rng = check_random_state(random_state)
    centres, bloc = _blocs(rng, n_rankings, n_items, centers, n_blocs, shares)
    phis = np.broadcast_to(np.asarray(phi, dtype=np.float64), (len(centres),))
    if not ((phis >= 0) & (phis <= 1)).all():
        raise InputError(f"must be from 0 to 1; got {phi!r}", parameter="phi")
    # Repeated insertion: the i-th best of the centre goes before d of the items placed so far with
    # probability proportional to φ^d.
    places = np.zeros((n_rankings, n_items), dtype=np.int64)
    draws = rng.random_sample((n_rankings, n_items))
    for i in range(n_items):
        with np.errstate(under="ignore"):
            powers = phis[:, None] ** np.arange(i + 1)
        steps = np.cumsum(powers, axis=1)
        steps /= steps[:, -1:]
        back = (draws[:, i, None] > steps[bloc]).sum(axis=1)
        place = i - np.minimum(back, i)
        places[:, :i] += places[:, :i] >= place[:, None]
        places[:, i] = place
    order = np.argsort(centres, axis=1, kind="stable")
    ranks = np.empty((n_rankings, n_items))
    np.put_along_axis(ranks, order[bloc], places + 1.0, axis=1)
    ranks = _of_kind(rng, ranks, kind, k)
    return RankingSet(ranks, tuple(range(n_items)), target=bloc, details={"centers": centres})


def make_plackett_luce(
    n_rankings: int = 100,
    n_items: int = 10,
    *,
    strengths: ArrayLike | None = None,
    n_blocs: int = 1,
    shares: ArrayLike | None = None,
    kind: Kind = "full",
    k: int | None = None,
    random_state: int | np.random.RandomState | None = 0,
) -> RankingSet:
    """Rankings by the model of Plackett and Luce: each next item is drawn by its strength.

    Parameters
    ----------
    n_rankings, n_items : int
        How many rankings, of how many items; ``strengths``, if given, say how many items.
    strengths : array of shape (n_items,) or (n_blocs, n_items), or None
        Above 0: of the items that are left, one is next with probability proportional to its
        strength. None is n, n − 1, …, 1 for the first bloc, and another order of them for each
        other one.
    n_blocs, shares, kind, k, random_state
        As in :func:`make_mallows`.

    Returns
    -------
    RankingSet
        ``ranks`` (n_rankings, n_items), ``target`` (the bloc of each ranking), ``strengths``
        (n_blocs, n_items).

    Examples
    --------
    >>> votes = make_plackett_luce(1000, strengths=[8, 1, 1], random_state=0)
    >>> float((votes.ranks[:, 0] == 1).mean())
    0.803
    """
    from sklearn.utils import check_random_state

    rng = check_random_state(random_state)
    worths: NDArray[np.float64] | None = None
    if strengths is not None:
        with within_floats("strengths"):
            worths = np.atleast_2d(np.asarray(strengths, dtype=np.float64))
        n_blocs, n_items = worths.shape
        if not ((worths > 0) & np.isfinite(worths)).all():
            raise InputError("must be finite numbers above 0", parameter="strengths")
    centres, bloc = _blocs(rng, n_rankings, n_items, None, n_blocs, shares)
    if worths is None:
        worths = n_items + 1 - centres
    # The order of independent exponential times with these rates is the model's.
    times = rng.exponential(size=(n_rankings, n_items)) / worths[bloc]
    ranks = (np.argsort(np.argsort(times, axis=1), axis=1) + 1).astype(np.float64)
    ranks = _of_kind(rng, ranks, kind, k)
    return RankingSet(ranks, tuple(range(n_items)), target=bloc, details={"strengths": worths})


def _blocs(
    rng: np.random.RandomState,
    n_rankings: int,
    n_items: int,
    centers: Any,
    n_blocs: int,
    shares: Any,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The centre of each bloc, and the bloc of each ranking."""
    check_count(n_rankings, "n_rankings")
    check_count(n_items, "n_items")
    if centers is not None:
        centres = np.atleast_2d(np.asarray(centers, dtype=np.float64))
        if centres.shape[1] != n_items:
            raise InputError(
                f"must have {n_items} ranks for each bloc; got {centres.shape[1]}",
                parameter="centers",
            )
    else:
        check_count(n_blocs, "n_blocs")
        others = [rng.permutation(n_items) + 1.0 for _ in range(n_blocs - 1)]
        centres = np.array([np.arange(1.0, n_items + 1), *others])
    if shares is None:
        return centres, np.arange(n_rankings) % len(centres)
    share = np.asarray(shares, dtype=np.float64)
    if share.shape != (len(centres),) or not (share >= 0).all() or not share.sum() > 0:
        raise InputError(
            f"must be {len(centres)} numbers, 0 or above, one for each bloc", parameter="shares"
        )
    return centres, rng.choice(len(centres), size=n_rankings, p=share / share.sum())


def _of_kind(
    rng: np.random.RandomState, ranks: NDArray[np.float64], kind: Kind, k: int | None
) -> NDArray[np.float64]:
    """Full rankings made into rankings of another kind."""
    check_choice(kind, get_args(Kind), "kind")
    n_rankings, n_items = ranks.shape
    k = -(-n_items // 2) if k is None else k
    if k not in range(1, n_items + 1):
        raise InputError(f"must be from 1 to {n_items}; got {k!r}", parameter="k")
    if kind == "top-k":
        ranks[ranks > k] = np.nan
    elif kind == "ties":
        # k − 1 of the borders between neighbours stay.
        borders = np.argsort(rng.random_sample((n_rankings, n_items - 1)), axis=1) < k - 1
        group = np.concatenate([np.ones((n_rankings, 1)), 1 + np.cumsum(borders, axis=1)], axis=1)
        ranks = np.take_along_axis(group, ranks.astype(np.int64) - 1, axis=1)
    elif kind == "incomplete":
        position = np.argsort(rng.random_sample((n_rankings, n_items)), axis=1)
        ranks[position >= k] = np.nan
    return ranks
