"""The base polytope of three or four items by Matplotlib."""

from collections.abc import Hashable, Sequence
from typing import Any

from rankcut.errors import InputError
from rankcut.pictures.theme import check_length, import_figure, shorten
from rankcut.setfunctions import SetFunction

# Names up to this length are written at corners and sides; of longer ones, a letter is.
_SHORT_NAME = 3


def plot_polytope(
    function: SetFunction,
    partitions: Sequence[Sequence[Sequence[int]]] | None = None,
    *,
    items: Sequence[Hashable] | None = None,
) -> Any:
    """Draw the base polytope of a submodular function of three or four items.

    Of three items, the left panel has the polytope in its plane s(V) = F(V) with the lines
    s(A) = F(A) that bound it, each face labelled with its ordered partition, best group first. Each
    of the other panels shows the tangent cone and the majorant cone of an ordered partition, and
    the point of each nearest to the origin; that of the majorant cone is the feature vector φ. Of
    four items it is a body in space, whose corners are labelled with their orders.

    Parameters
    ----------
    function : SetFunction
        A submodular function of three or four items.
    partitions : sequence of ordered partitions or None
        Of three items: the ordered partitions whose cones to draw, best group first; None is two.
    items : sequence or None
        Names of the items; None is 1, 2, 3, …

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from rankcut import plot_polytope
    >>> from rankcut.setfunctions import GraphCut
    >>> triangle = GraphCut([[0, 1, 2], [1, 0, 3], [2, 3, 0]])
    >>> figure = plot_polytope(triangle)
    >>> [axes.get_title(loc="left") for axes in figure.axes]
    ['Faces are ordered partitions', '{1, 2} ≻ 3', '1 ≻ 2 ≻ 3']
    """
    import_figure()
    if function.n_items not in (3, 4):
        raise InputError(
            f"a picture needs a function of three or four items; got {function.n_items}: the base "
            "polytope of n items has n − 1 dimensions"
        )
    named = [str(i + 1) for i in range(function.n_items)] if items is None else items
    check_length(named, function.n_items, "items", "items")
    names, key = _letters([str(name) for name in named])
    if function.n_items == 4:
        if partitions is not None:
            raise InputError("cones are drawn for three items only", parameter="partitions")
        from rankcut.pictures.polytope_space import draw_four_items

        return draw_four_items(function, names, key)
    from rankcut.pictures.polytope_plane import PARTITIONS, draw_three_items

    chosen = PARTITIONS if partitions is None else partitions
    return draw_three_items(function, chosen, names, key)


def _letters(names: Sequence[str]) -> tuple[list[str], str]:
    """Names that fit beside corners, and which letter is which item if these are letters.

    >>> _letters(["toro", "uni"])
    (['a', 'b'], '; a = toro, b = uni')
    """
    if max(map(len, names)) <= _SHORT_NAME:
        return list(names), ""
    letters = list("abcd")[: len(names)]
    pairs = (f"{a} = {shorten(name, 12)}" for a, name in zip(letters, names, strict=True))
    return letters, "; " + ", ".join(pairs)
