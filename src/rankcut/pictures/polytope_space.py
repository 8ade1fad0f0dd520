"""The base polytope of four items as a body in space."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.cuts import SetFunction
from rankcut.pictures.theme import COLOURS, FAINT, INK, PAPER, SOFT, import_figure
from rankcut.theory import BasePolytope

# Orthonormal directions within s(V) = F(V): the map s ↦ s @ AXES keeps lengths there.
AXES = np.array([[1.0, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / 2
_VIEW = {"elev": 20, "azim": 32}
_TURN, _RISE = np.deg2rad(_VIEW["azim"]), np.deg2rad(_VIEW["elev"])
_TOWARDS_US = np.array(
    [np.cos(_RISE) * np.cos(_TURN), np.cos(_RISE) * np.sin(_TURN), np.sin(_RISE)]
)
# Some of the hidden edges show through.
_SOLID = 0.82


def draw_four_items(function: SetFunction, names: Sequence[str], key: str) -> Any:
    """A Matplotlib figure: each facet is coloured by the number of items it puts first.

    Vertices in front are labelled by their order, best item first.
    """
    from matplotlib.patches import Patch
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    polytope = BasePolytope(function)
    vertices = polytope.vertices() @ AXES
    size = float(np.ptp(vertices, axis=0).max()) or 1.0
    figure = import_figure()(figsize=(7.6, 7.2), facecolor=PAPER)
    axes = figure.add_axes((0.0, 0.04, 1.0, 0.86), projection="3d", **_VIEW)
    axes.set_proj_type("ortho")
    middle = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    for limit, centre in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), middle, strict=True):
        limit(centre - 0.43 * size, centre + 0.43 * size)
    axes.set_box_aspect((1, 1, 1))
    axes.set_axis_off()
    outlines: list[NDArray[np.float64]] = []
    n_first: list[int] = []
    known = set()
    for face in polytope.faces():
        vertex_names = np.round(face.vertices @ AXES / size, 9) + 0.0
        name = tuple(sorted(map(tuple, vertex_names.tolist())))
        # Ordered partitions in two groups name the facets; several may name the same one.
        if len(face.groups) == 2 and face.dimension == 2 and name not in known:
            known.add(name)
            outlines.append(_around(face.vertices @ AXES))
            n_first.append(len(face.groups[0]))
    # The back would mix its colours with those in front, so only its edges are drawn.
    front = [_faces_us(side, middle) for side in outlines]
    hidden = [side for side, seen in zip(outlines, front, strict=True) if not seen]
    shown = [
        (side, COLOURS[n - 1])
        for side, n, seen in zip(outlines, n_first, front, strict=True)
        if seen
    ]
    dotted = {"edgecolor": SOFT, "linewidth": 0.8, "linestyle": ":"}
    solid = {"edgecolor": INK, "linewidth": 0.9, "alpha": _SOLID}
    axes.add_collection3d(Poly3DCollection(hidden, facecolors=(0, 0, 0, 0), **dotted))
    axes.add_collection3d(
        Poly3DCollection([side for side, _ in shown], facecolors=[c for _, c in shown], **solid)
    )
    _write_orders(axes, polytope, names, middle, size)
    title = {"color": INK, "size": 14, "weight": "bold", "va": "center"}
    figure.text(0.04, 0.965, "The base polytope of four items", **title)
    figure.text(0.04, 0.925, f"vertices are orders, best first{key}", color=SOFT, size=9)
    words = {1: "one item first", 2: "two items first", 3: "three items first"}
    figure.legend(
        handles=[
            Patch(facecolor=COLOURS[n - 1], alpha=_SOLID, label=f"facets with {words[n]}")
            for n in sorted(set(n_first))
        ],
        loc="lower center",
        ncols=3,
        frameon=False,
        labelcolor=INK,
        edgecolor=FAINT,
    )
    return figure


def _write_orders(
    axes: Any,
    polytope: BasePolytope,
    names: Sequence[str],
    middle: NDArray[np.float64],
    size: float,
) -> None:
    """Label the vertices of the front half, away from the middle."""
    shared: dict[tuple[float, ...], list[str]] = {}
    for face in polytope.faces():
        if len(face.groups) == 4:
            vertex = np.round(face.vertices[0] @ AXES / size, 9) + 0.0
            order = "".join(names[group[0]] for group in face.groups)
            shared.setdefault(tuple(vertex.tolist()), []).append(order)
    for vertex, orders in shared.items():
        place = size * np.array(vertex)
        away = place - middle
        if away @ _TOWARDS_US < -0.05 * size:
            continue
        label = orders[0] if len(orders) == 1 else f"{orders[0]} +{len(orders) - 1}"
        axes.text(
            *(place + 0.06 * size * away / (np.linalg.norm(away) or 1.0)),
            label,
            size=9.5,
            color=INK,
            ha="center",
            va="center",
            parse_math=False,
            zorder=9,
            bbox={"boxstyle": "round,pad=0.12", "facecolor": PAPER, "alpha": 0.75, "linewidth": 0},
        )


def _faces_us(side: NDArray[np.float64], middle: NDArray[np.float64]) -> bool:
    """Whether a side of a body around that middle is in front."""
    spokes = side - side.mean(axis=0)
    outwards = np.linalg.svd(spokes)[2][2]
    return bool(((side.mean(axis=0) - middle) @ outwards) * (outwards @ _TOWARDS_US) > 0)


def _around(vertices: NDArray[np.float64]) -> NDArray[np.float64]:
    """The vertices of a flat polygon in their order around its middle, back to the first."""
    spokes = vertices - vertices.mean(axis=0)
    plane = np.linalg.svd(spokes, full_matrices=False)[2][:2]
    x, y = plane @ spokes.T
    order = np.argsort(np.arctan2(y, x))
    return np.asarray(vertices[[*order, order[0]]])
