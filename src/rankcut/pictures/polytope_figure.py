"""The base polytope of three items and the cones of ordered partitions, by Matplotlib."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.cuts import SetFunction
from rankcut.errors import InputError
from rankcut.pictures.theme import COLOURS, FAINT, INK, SOFT, check_length, import_figure, shorten
from rankcut.theory import BasePolytope, Face, MajorantCone, TangentCone

BODY = "#e9e5dc"
TANGENT, MAJORANT = COLOURS[0], COLOURS[1]

Points = NDArray[np.float64]

# The three items point to the corners of a triangle. On the plane s(V) = F(V), the map
# s ↦ s @ AXES preserves lengths and puts the point nearest to the origin at (0, 0).
_ANGLES = np.deg2rad([90, 210, 330])
AXES = np.sqrt(2 / 3) * np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)


def plot_polytope(
    function: SetFunction,
    partitions: Sequence[Sequence[Sequence[int]]] | None = None,
    *,
    items: Sequence[Hashable] | None = None,
) -> Any:
    """Draw the base polytope of a submodular function of three items.

    The left panel has the polytope in its plane s(V) = F(V) with the lines
    s(A) = F(A) that bound it, each face labelled with its ordered partition, best group first. Each
    of the other panels shows the tangent cone and the majorant cone of an ordered partition, and
    the point of each nearest to the origin; that of the majorant cone is the feature vector φ.

    Parameters
    ----------
    function : SetFunction
        A submodular function of three items.
    partitions : sequence of ordered partitions or None
        The ordered partitions whose cones to draw, best group first; None is two.
    items : sequence or None
        Names of the items; None is 1, 2, 3.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from rankcut import plot_polytope
    >>> from rankcut.cuts import GraphCut
    >>> triangle = GraphCut([[0, 1, 2], [1, 0, 3], [2, 3, 0]])
    >>> figure = plot_polytope(triangle)
    >>> [axes.get_title(loc="left") for axes in figure.axes]
    ['Faces are ordered partitions', '{1, 2} ≻ 3', '1 ≻ 2 ≻ 3']
    """
    import_figure()
    if function.n_items != 3:
        raise InputError(
            f"a picture needs a function of three items; got {function.n_items}: the base "
            "polytope of n items has n − 1 dimensions"
        )
    named = "123" if items is None else items
    check_length(named, 3, "items", "items")
    names, key = _letters([str(name) for name in named])
    chosen = ([[0, 1], [2]], [[0], [1], [2]]) if partitions is None else partitions
    figure = import_figure()(figsize=(3.7 * (len(chosen) + 1), 4.7), layout="constrained")
    first, *others = figure.subplots(1, len(chosen) + 1, squeeze=False)[0]
    window = _window(function, chosen)
    _draw_faces(first, function, names, window)
    for axes, groups in zip(others, chosen, strict=True):
        _draw_cones(axes, function, groups, names, window)
    figure.legend(
        handles=_signs(),
        loc="outside lower center",
        ncols=min(3, 2 * len(figure.axes)),
        frameon=False,
        labelcolor=INK,
    )
    if key:
        figure.suptitle(key, color=SOFT, size=11, parse_math=False)
    return figure


def _letters(names: Sequence[str]) -> tuple[list[str], str]:
    """Names that fit beside vertices, and which letter is which item if these are letters.

    >>> _letters(["toro", "uni"])
    (['a', 'b'], 'a = toro, b = uni')
    """
    if max(map(len, names)) <= 3:
        return list(names), ""
    letters = list("abc")[: len(names)]
    pairs = (f"{a} = {shorten(name, 12)}" for a, name in zip(letters, names, strict=True))
    return letters, ", ".join(pairs)


def _signs() -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    return [
        Patch(facecolor=BODY, edgecolor=INK, label="base polytope B(F)"),
        Line2D([], [], color=SOFT, linewidth=0.8, linestyle="--", label="lines s(A) = F(A)"),
        Patch(facecolor=TANGENT, alpha=0.3, label="tangent cone, s(B) ≤ F(B)"),
        Patch(facecolor=MAJORANT, alpha=0.3, label="majorant cone, s(B) ≥ F(B)"),
        Line2D([], [], color=INK, marker="o", linestyle="", label="minimum-norm points"),
        Line2D([], [], color=INK, marker="+", linestyle="", label="nearest to the origin"),
    ]


def _window(function: SetFunction, partitions: Sequence[Sequence[Sequence[int]]]) -> Points:
    """Lower left and upper right corner of a square that shows everything."""
    points = [BasePolytope(function).vertices(), np.zeros((1, 3))]
    points += [MajorantCone(function, groups).min_norm_point()[None] for groups in partitions]
    seen = np.vstack(points) @ AXES
    low, high = seen.min(axis=0), seen.max(axis=0)
    half = 0.85 * float((high - low).max() or 1.0)
    middle = (low + high) / 2
    return np.stack([middle - half, middle + half])


def _draw_faces(axes: Any, function: SetFunction, names: Sequence[str], window: Points) -> None:
    _draw_body(axes, function, window)
    side = float(window[1, 0] - window[0, 0])
    for inside in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2)):
        # s(A) = |A|·F(V)/3 + ⟨x, normal⟩ at the point x of the plane.
        normal = AXES[list(inside)].sum(axis=0)
        foot = (function(inside) - len(inside) * function.total / 3) / (normal @ normal) * normal
        along = 4 * side * np.array([-normal[1], normal[0]]) / np.linalg.norm(normal)
        x, y = np.stack([foot - along, foot + along], axis=1)
        axes.plot(x, y, color=SOFT, linewidth=0.8, linestyle="--", zorder=1)
    # Ordered partitions that name the same face are written below each other.
    same_face: dict[tuple[float, float], list[Face]] = {}
    for face in BasePolytope(function).faces():
        x, y = np.round(face.vertices.mean(axis=0) @ AXES / side, 6) + 0.0
        same_face.setdefault((x, y), []).append(face)
    for (x, y), faces in same_face.items():
        vertex = faces[0].dimension == 0
        if vertex:
            axes.plot(x * side, y * side, "o", color=INK, markersize=5, zorder=4)
        length = float(np.linalg.norm(np.ptp(faces[0].vertices, axis=0))) / side
        # The label of a short edge goes outside those of its ends.
        distance = 12 if vertex or length > 0.25 else 30
        across, up = distance * np.mean([_outward(face.groups) for face in faces], axis=0)
        axes.annotate(
            "\n".join(_written(face.groups, names) for face in faces),
            (x * side, y * side),
            (float(across), float(up)),
            textcoords="offset points",
            ha=_side(across, ("right", "center", "left")),
            va=_side(up, ("top", "center", "bottom")),
            color=INK if vertex else SOFT,
            fontsize=9.5 if vertex else 8.5,
            bbox={"boxstyle": "round,pad=0.15", "color": "white", "alpha": 0.75},
            zorder=5,
        )
    axes.set_title("Faces are ordered partitions", loc="left", color=INK)


def _draw_cones(
    axes: Any,
    function: SetFunction,
    groups: Sequence[Sequence[int]],
    names: Sequence[str],
    window: Points,
) -> None:
    from matplotlib.patches import Polygon

    _draw_body(axes, function, window)
    tangent, majorant = TangentCone(function, groups), MajorantCone(function, groups)
    # A good deal larger than the window, so that cones run out of the picture.
    (left, bottom), (right, top) = 5 * window - 4 * window.mean(axis=0)
    square = np.array([[left, bottom], [right, bottom], [right, top], [left, top]])
    values = np.cumsum(majorant.rises)
    for colour, side in ((TANGENT, 1.0), (MAJORANT, -1.0)):
        region = square
        inside: list[int] = []
        for group, value in zip(groups[:-1], values, strict=False):
            inside += group
            limit = float(value) - len(inside) * function.total / 3
            region = _clip(region, side * AXES[inside].sum(axis=0), side * limit)
        axes.add_patch(Polygon(region, facecolor=colour, alpha=0.22, linewidth=0, zorder=2))
        axes.add_patch(Polygon(region, fill=False, edgecolor=colour, linewidth=1.3, zorder=2))
    nearest = tangent.min_norm_point() @ AXES
    phi = majorant.min_norm_point() @ AXES
    for point, colour in ((nearest, TANGENT), (phi, MAJORANT)):
        axes.plot([0, point[0]], [0, point[1]], color=colour, linestyle=":", zorder=4)
        axes.plot(*point, "o", color=colour, markersize=8, markeredgecolor="white", zorder=6)
    axes.plot(0, 0, "+", color=INK, markersize=11, markeredgewidth=1.4, zorder=7)
    for word, point, colour, below in (
        ("φ", phi, MAJORANT, False),
        ("nearest in the tangent cone", nearest, TANGENT, True),
    ):
        axes.annotate(
            word,
            (float(point[0]), float(point[1])),
            (0, -9 if below else 8),
            textcoords="offset points",
            ha="center",
            va="top" if below else "bottom",
            color=colour,
            fontsize=9 if below else 14,
            bbox={"boxstyle": "round,pad=0.1", "color": "white", "alpha": 0.75},
            zorder=6,
        )
    axes.set_title(_written(groups, names), loc="left", color=INK)


def _draw_body(axes: Any, function: SetFunction, window: Points) -> None:
    from matplotlib.patches import Polygon

    vertices = BasePolytope(function).vertices() @ AXES
    spokes = vertices - vertices.mean(axis=0)
    vertices = vertices[np.argsort(np.arctan2(spokes[:, 1], spokes[:, 0]))]
    axes.add_patch(Polygon(vertices, facecolor=BODY, edgecolor=INK, linewidth=1.4, zorder=1.5))
    axes.set(xlim=window[:, 0], ylim=window[:, 1], aspect="equal")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_color(FAINT)


def _clip(region: Points, normal: Points, limit: float) -> Points:
    """The part of a convex polygon where ⟨x, normal⟩ ≤ limit."""
    above = region @ normal - limit
    kept = []
    for k in range(len(region)):
        here, there = above[k - 1], above[k]
        if (here > 0) != (there > 0):
            kept.append(region[k - 1] + here / (here - there) * (region[k] - region[k - 1]))
        if there <= 0:
            kept.append(region[k])
    return np.array(kept).reshape(-1, 2)


def _outward(groups: Sequence[Sequence[int]]) -> Points:
    """The unit vector that points to the face of an ordered partition."""
    direction = np.zeros(2)
    for place, group in enumerate(groups):
        direction -= place * AXES[list(group)].sum(axis=0)
    length = np.linalg.norm(direction)
    return direction / length if length > 1e-9 else np.zeros(2)


def _written(groups: Sequence[Sequence[int]], names: Sequence[str]) -> str:
    """An ordered partition as a person writes it: {1, 2} ≻ 3."""
    words = []
    for group in groups:
        listed = ", ".join(names[item] for item in group)
        words.append(listed if len(group) == 1 else f"{{{listed}}}")
    return " ≻ ".join(words)


def _side(offset: float, words: tuple[str, str, str]) -> str:
    """Which side of the text the offset leaves free."""
    if abs(offset) < 4:
        return words[1]
    return words[2] if offset > 0 else words[0]
