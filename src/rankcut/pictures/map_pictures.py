"""Maps of rankings as Matplotlib figures and as pages."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcut.errors import InputError
from rankcut.pictures.figures import draw_figure
from rankcut.pictures.map_scene import map_picture
from rankcut.pictures.page import page, tag
from rankcut.pictures.ranking_map import (
    Directions,
    RankingMap,
    kernel_directions,
    main_directions,
    map_rankings,
)
from rankcut.pictures.scene import Picture
from rankcut.pictures.svg import show_picture
from rankcut.pictures.theme import shorten
from rankcut.rankings import Unranked, read_rankings
from rankcut.rankings.orders import to_orders

# A kernel compares all pairs of at most this many rankings.
_MOST_ROWS = 5_000


def plot_map(
    X: Any,
    by: ArrayLike | None = None,
    *,
    unranked: Unranked = "error",
    features: Any = None,
    sample_weight: ArrayLike | None = None,
    by_name: str = "",
    title: str = "",
) -> Any:
    """Draw rankings as points in the plane, and items as arrows.

    The axes are the two main directions of the rankings' vectors. Rankings near each other are
    alike; an arrow points to where its item is ranked high. The area of a mark is in proportion to
    the number of rankings there, and a mark that several groups share is a pie of their colours.
    Each group has its mean and an ellipse that would hold half of it if it were normal.

    Parameters
    ----------
    X : RankingSet, array, frame or CSR array of shape (n_rankings, n_items)
        Rank matrix: 1 = best, equal = tied, NaN (or absent) = not ranked.
    by : str, array of shape (n_rankings,) or None
        A column of a ranking set, or values: text for groups, numbers for a scale of colours. The
        seven largest groups have a colour each.
    unranked : {"error", "last", "anywhere"}, default="error"
        What an unranked item means.
    features : estimator, kernel or None
        Turns rankings into vectors with a coordinate for each item, or compares them, as
        ``RBOKernel()`` does; None is ``GraphCutFeatures(unranked=unranked, normalize=True)``.
    sample_weight : array of shape (n_rankings,) or None
        How many people each ranking stands for; None takes the counts of a ranking set.
    by_name : str
        What the colours mean, if ``by`` is an array.
    title : str
        Heading; the title of a ranking set if empty.

    Returns
    -------
    matplotlib.figure.Figure

    See Also
    --------
    map_page : The same as a page that shows the ranking under the mouse.

    Examples
    --------
    >>> from rankcut import plot_map
    >>> from rankcut.datasets import load_lunch
    >>> figure = plot_map(load_lunch(), by="guest")
    >>> [text.get_text() for text in figure.axes[1].texts]
    ['guest:', 'juicy eater (24)', 'sweet tooth (24)']
    """
    found = read_map(X, by, unranked, features, sample_weight, by_name)
    return draw_figure(map_picture(found, title or getattr(X, "title", "")))


def map_page(
    X: Any,
    by: ArrayLike | None = None,
    *,
    unranked: Unranked = "error",
    features: Any = None,
    sample_weight: ArrayLike | None = None,
    by_name: str = "",
    title: str = "",
) -> str:
    """A map of rankings as a page; parameters are those of :func:`~rankcut.plot_map`.

    The page shows counts, groups and the most common ranking of the point under the mouse,
    highlights a group that is clicked in the legend, and follows the arrow keys.

    Returns
    -------
    str
        HTML of less than 1 MB.

    Examples
    --------
    >>> from rankcut.datasets import load_lunch
    >>> from rankcut.pictures import map_page
    >>> html = map_page(load_lunch(), by="guest")
    >>> "<title>Lunch</title>" in html, "sweet tooth" in html
    (True, True)
    """
    found = read_map(X, by, unranked, features, sample_weight, by_name)
    return show_map(map_picture(found, title or getattr(X, "title", "")))


def show_map(picture: Picture) -> str:
    """The page of a map."""
    return page(picture.title, tag("h1", picture.title), *show_picture(picture))


def describe_orders(ranks: Any, items: Sequence[str], most: int = 8) -> list[str]:
    """Each ranking as its first items, best first.

    >>> describe_orders(np.array([[2.0, 1.0, 1.0]]), ["toro", "uni", "ika"])
    ['uni = ika > toro']
    """
    found = []
    for order in to_orders(ranks, items):
        words = [" = ".join(group) if isinstance(group, tuple) else group for group in order]
        shown = " > ".join(shorten(word, 40) for word in words[:most])
        found.append(shown + (" > …" if len(words) > most else ""))
    return found


def read_map(
    X: Any,
    by: Any = None,
    unranked: Unranked = "error",
    features: Any = None,
    sample_weight: ArrayLike | None = None,
    by_name: str = "",
) -> RankingMap:
    """The map of rankings as :func:`plot_map` takes them."""
    from rankcut.cuts.transformers import GraphCutFeatures

    if features is not None and unranked != "error":
        raise InputError("is an option of the features you pass", parameter="unranked")
    if isinstance(by, str):
        columns = getattr(X, "columns", {})
        if by not in columns:
            known = ", ".join(map(str, columns)) or "none"
            raise InputError(f"is {by!r}, not a column; columns are: {known}", parameter="by")
        by, by_name = X[by], by_name or by
    meaning: Unranked = unranked if features is None else "anywhere"
    rankings = read_rankings(X, unranked=meaning, sample_weight=sample_weight)
    n_items = rankings.shape[1]
    if min(rankings.shape) < 2:
        raise InputError("a map needs at least two rankings of two items")
    if not rankings.counted or (rankings.counts < 1).any():
        raise InputError(
            "must hold a whole number of 1 or more for each ranking", parameter="sample_weight"
        )
    counts = rankings.counts.astype(np.int64)
    if callable(getattr(features, "nearest", None)):
        found = _kernel_map(features, X, counts)
    else:
        default = GraphCutFeatures(unranked=unranked, normalize=True)
        vectors = np.asarray(
            default.fit_transform(rankings) if features is None else features.fit_transform(X)
        )
        if vectors.shape[1] != n_items:
            raise InputError(
                "give vectors without a coordinate for each item", parameter="features"
            )
        found = main_directions(vectors, counts)
    items = [rankings.item(column) for column in range(n_items)]
    shown = map_rankings(found, counts, items, by, by_name)
    return shown.described(describe_orders(rankings.rows(shown.rows), shown.items))


def _kernel_map(kernel: Any, X: Any, counts: NDArray[np.int64]) -> Directions:
    """Axes in the space of a kernel, and the mean positions of items along them."""
    from rankcut.cuts.transformers import GraphCutFeatures

    if len(counts) > _MOST_ROWS:
        raise InputError(
            f"is a kernel, which compares all pairs of {len(counts):,} rankings",
            parameter="features",
            remedy=f"take at most {_MOST_ROWS:,} rankings, or an estimator of vectors",
        )
    positions = GraphCutFeatures(unranked="anywhere", sparse_output=False).fit_transform(X)
    return kernel_directions(np.asarray(kernel(X)), np.asarray(positions), counts)
