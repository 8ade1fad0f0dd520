"""The base polytope of three items and the cones of ordered partitions, drawn in its plane."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankcut.cuts import GraphCut, SetFunction
from rankcut.errors import InputError, amount
from rankcut.pictures.scene import (
    LEAST,
    Key,
    Legend,
    Mark,
    Part,
    Path,
    Picture,
    Scene,
    Shape,
    Text,
    rectangle,
)
from rankcut.pictures.theme import COLOURS, FAINT, INK, SOFT, check_length, shorten
from rankcut.results import Result, Table
from rankcut.theory import BasePolytope, Face, MajorantCone, TangentCone

TANGENT, MAJORANT = COLOURS[0], COLOURS[1]

Points = NDArray[np.float64]

Value = TypeVar("Value")

# The three items point to the corners of a triangle. On the plane s(V) = F(V), the map
# s ↦ s @ AXES preserves lengths and puts the point nearest to the origin at (0, 0).
_ANGLES = np.deg2rad([90, 210, 330])
AXES = np.sqrt(2 / 3) * np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)

# Pixels: the side of a panel, the gap between two, the line above them, and letters.
_SIDE, _PANEL_GAP, _ABOVE, _PANEL_LETTERS = 300.0, 24.0, 26.0, 12.0


def map_polytope(
    function: Any,
    partitions: Sequence[Sequence[Sequence[int]]] | None = None,
    *,
    items: Sequence[Hashable] | None = None,
) -> "PolytopeMap":
    """The base polytope of a submodular function of three items, and cones of ordered partitions.

    The left panel of the picture has the polytope in its plane s(V) = F(V) with the lines
    s(A) = F(A) that bound it, each face labelled with its ordered partition, best group first. Each
    of the other panels shows the tangent cone and the majorant cone of an ordered partition, and
    the point of each nearest to the origin; that of the majorant cone is the feature vector φ.

    Parameters
    ----------
    function : SetFunction, or an item graph as a matrix
        A submodular function of three items; of a graph, its cut.
    partitions : sequence of ordered partitions or None
        The ordered partitions whose cones to draw, best group first; None is two.
    items : sequence or None
        Names of the items; None is 1, 2, 3.

    Examples
    --------
    >>> polytope = map_polytope([[0, 1, 2], [1, 0, 3], [2, 3, 0]])
    >>> polytope.tables()["points"][0]
    {'ordered partition': '{1, 2} ≻ 3', 'point': 'φ', '1': 2.5, '2': 2.5, '3': -5.0}
    """
    cut = function if isinstance(function, SetFunction) else GraphCut(function)
    if cut.n_items != 3:
        raise InputError(
            f"a picture needs a function of three items; got {cut.n_items}: the base "
            "polytope of n items has n − 1 dimensions"
        )
    named = "123" if items is None else items
    check_length(named, 3, "items", "items")
    names, key = _letters([str(name) for name in named])
    default = ([[0, 1], [2]], [[0], [1], [2]])
    return PolytopeMap(cut, tuple(default if partitions is None else partitions), names, key)


@dataclass(frozen=True, eq=False, repr=False)
class PolytopeMap(Result):
    """A base polytope in its plane, with the tables ``points`` and ``faces``."""

    function: SetFunction
    partitions: tuple[Sequence[Sequence[int]], ...]
    names: list[str]
    key: str  #: which letter is which item

    def sentences(self) -> list[str]:
        """How many faces there are, and the feature vector of each ordered partition."""
        polytope = BasePolytope(self.function)
        lines = [
            f"The base polytope has {amount(len(polytope.vertices()), 'vertex', 'vertices')} and "
            f"{amount(len([*polytope.faces()]), 'ordered partition')}."
        ]
        for groups in self.partitions:
            phi = ", ".join(f"{x:.3g}" for x in self._nearest(groups)["φ"])
            lines.append(f"φ of {_written(groups, self.names)}: {phi}.")
        return lines

    def tables(self) -> dict[str, Table]:
        """The nearest points of cones, and the dimension of each face."""
        points = [
            [_written(groups, self.names), name, *point.tolist()]
            for groups in self.partitions
            for name, point in self._nearest(groups).items()
        ]
        faces = list(BasePolytope(self.function).faces())
        return {
            "points": Table.from_lists(["ordered partition", "point", *self.names], points),
            "faces": Table(
                {
                    "ordered partition": [_written(face.groups, self.names) for face in faces],
                    "dimension": [face.dimension for face in faces],
                }
            ),
        }

    def _nearest(self, groups: Sequence[Sequence[int]]) -> dict[str, Points]:
        """The points of both cones nearest to the origin."""
        return {
            "φ": MajorantCone(self.function, groups).min_norm_point(),
            "nearest in the tangent cone": TangentCone(self.function, groups).min_norm_point(),
        }

    def picture(self) -> Picture:
        """A panel of the faces, and one for the cones of each ordered partition."""
        window = _window(self.function, self.partitions)
        shapes: list[Shape] = []
        panels = [("", None), *((_written(g, self.names), g) for g in self.partitions)]
        for number, (title, groups) in enumerate(panels):
            west = number * (_SIDE + _PANEL_GAP)
            panel = _Plane(window, west)
            shapes += [Path(rectangle(west, _ABOVE, _SIDE, _SIDE), FAINT)]
            shapes += [Text(title, west, _ABOVE / 2, _PANEL_LETTERS + 1, anchor="start", bold=True)]
            body = panel.inside(_body(self.function))
            shapes += [Path([body], FAINT, 0.0, filled=True), Path([body], INK, 1.4)]
            shapes += (
                _faces(self.function, self.names, panel)
                if groups is None
                else _cones(self.function, groups, self._nearest(groups), panel)
            )
        words = "Dashed: the lines s(A) = F(A). A cross: the point nearest to the origin."
        if self.key:
            words = f"{self.key}. {words}"
        keys = [
            Key("base polytope B(F)", FAINT),
            Key("tangent cone, s(B) ≤ F(B)", TANGENT),
            Key("majorant cone, s(B) ≥ F(B)", MAJORANT),
        ]
        width = len(panels) * (_SIDE + _PANEL_GAP) - _PANEL_GAP
        about = "Base polytope with its faces, and cones of ordered partitions"
        scene = Scene(width, _ABOVE + _SIDE + 2, shapes, about, LEAST)
        return Picture("Faces are ordered partitions", words, scene, [Legend("", keys)])


@dataclass(frozen=True)
class _Plane:
    """A square of the drawing that shows a window of the plane."""

    window: Points  #: lower left and upper right corner
    left: float

    @property
    def side(self) -> float:
        return float(self.window[1, 0] - self.window[0, 0])

    def put(self, points: Points) -> Points:
        """Points of the plane as places of the drawing."""
        across = (np.asarray(points) - self.window[0]) * (_SIDE / self.side)
        return np.asarray(across * (1, -1) + (self.left, _ABOVE + _SIDE))

    def inside(self, region: Points) -> Points:
        """The part of a convex polygon in the window, as a closed line of the drawing."""
        (west, low), (right, high) = self.window
        for normal, limit in (((1, 0), right), ((-1, 0), -west), ((0, 1), high), ((0, -1), -low)):
            region = _clip(region, np.array(normal, dtype=float), float(limit))
        return self.put(np.vstack([region, region[:1]]))


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


def _window(function: SetFunction, partitions: Sequence[Sequence[Sequence[int]]]) -> Points:
    """Lower left and upper right corner of a square that shows everything."""
    points = [BasePolytope(function).vertices(), np.zeros((1, 3))]
    points += [MajorantCone(function, groups).min_norm_point()[None] for groups in partitions]
    corners = np.vstack(points) @ AXES
    low, high = corners.min(axis=0), corners.max(axis=0)
    half = 0.95 * float((high - low).max() or 1.0)
    middle = (low + high) / 2
    return np.stack([middle - half, middle + half])


def _body(function: SetFunction) -> Points:
    """The corners of the polytope in the plane, in their order around it."""
    vertices = BasePolytope(function).vertices() @ AXES
    spokes = vertices - vertices.mean(axis=0)
    return np.asarray(vertices[np.argsort(np.arctan2(spokes[:, 1], spokes[:, 0]))])


def _faces(function: SetFunction, names: Sequence[str], panel: _Plane) -> Iterator[Shape]:
    """The lines that bound the polytope, its vertices, and the ordered partition of each face."""
    side = panel.side
    for inside in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2)):
        # s(A) = |A|·F(V)/3 + ⟨x, normal⟩ at the point x of the plane.
        normal = AXES[list(inside)].sum(axis=0)
        foot = (function(inside) - len(inside) * function.total / 3) / (normal @ normal) * normal
        along = 4 * side * np.array([-normal[1], normal[0]]) / np.linalg.norm(normal)
        line = panel.inside(np.stack([foot - along, foot + along]))
        if len(line) > 1:
            yield Path(_dashes(line[0], line[1]), SOFT, 0.8)
    # Ordered partitions that name the same face are written below each other.
    same_face: dict[tuple[float, float], list[Face]] = {}
    for face in BasePolytope(function).faces():
        x, y = np.round(face.vertices.mean(axis=0) @ AXES / side, 6) + 0.0
        same_face.setdefault((x, y), []).append(face)
    labels = []
    for place, faces in same_face.items():
        vertex = faces[0].dimension == 0
        x, y = panel.put(np.array(place) * side).tolist()
        if vertex:
            yield Mark(x, y, 3.5, [Part(INK)])
        length = float(np.linalg.norm(np.ptp(faces[0].vertices, axis=0))) / side
        # The label of a short edge goes outside those of its ends.
        distance = 14 if vertex or length > 0.25 else 34
        across, up = distance * np.mean([_outward(face.groups) for face in faces], axis=0)
        words = "\n".join(_written(face.groups, names) for face in faces)
        size = _PANEL_LETTERS if vertex else _PANEL_LETTERS - 1
        anchor = _side(across, ("end", "middle", "start"))
        # A text stands on its middle: one above or below a point moves by half of its height.
        rise = _side(up, (-1.0, 0.0, 1.0)) * 0.6 * size * len(faces)
        its_colour, place = INK if vertex else SOFT, (x + across, y - up - rise)
        labels.append(Text(words, *place, size, its_colour, anchor, halo=True))
    yield from labels


def _cones(
    function: SetFunction,
    groups: Sequence[Sequence[int]],
    nearest: dict[str, Points],
    panel: _Plane,
) -> Iterator[Shape]:
    """The tangent and the majorant cone of an ordered partition, and their nearest points."""
    (west, bottom), (right, top) = panel.window
    square = np.array([[west, bottom], [right, bottom], [right, top], [west, top]])
    values = np.cumsum(MajorantCone(function, groups).rises)
    for its_colour, side in ((TANGENT, 1.0), (MAJORANT, -1.0)):
        region = square
        inside: list[int] = []
        for group, value in zip(groups[:-1], values, strict=False):
            inside += group
            limit = float(value) - len(inside) * function.total / 3
            region = _clip(region, side * AXES[inside].sum(axis=0), side * limit)
        if len(region):
            outline = panel.inside(region)
            yield Path([outline], its_colour, 0.0, 0.22, filled=True)
            yield Path([outline], its_colour, 1.3)
    origin = panel.put(np.zeros(2))
    yield Path([origin + np.array([[-5, 0], [5, 0]]), origin + np.array([[0, -5], [0, 5]])], INK)
    for (name, point), its_colour in zip(nearest.items(), (MAJORANT, TANGENT), strict=True):
        place = panel.put(point @ AXES)
        yield Path(_dashes(origin, place), its_colour)
        yield Mark(float(place[0]), float(place[1]), 5.0, [Part(its_colour)], tip=name)
        above = -14.0 if name == "φ" else 14.0
        size = 18.0 if name == "φ" else _PANEL_LETTERS
        yield Text(name, place[0], place[1] + above, size, its_colour, halo=True)


def _dashes(start: Points, end: Points, pixels: float = 5.0) -> list[Points]:
    """The dashes of a line between two places, as long as the gaps between them."""
    n_steps = 2 * int(np.linalg.norm(end - start) / (2 * pixels)) + 1
    ends = np.linspace(start, end, n_steps + 1)
    return [ends[k : k + 2] for k in range(0, n_steps, 2)]


def _clip(region: Points, normal: Points, limit: float) -> Points:
    """The part of a convex polygon where ⟨x, normal⟩ ≤ limit."""
    above = region @ normal - limit
    corners = []
    for k in range(len(region)):
        here, there = above[k - 1], above[k]
        if (here > 0) != (there > 0):
            corners.append(region[k - 1] + here / (here - there) * (region[k] - region[k - 1]))
        if there <= 0:
            corners.append(region[k])
    return np.array(corners).reshape(-1, 2)


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
        members = ", ".join(names[item] for item in group)
        words.append(members if len(group) == 1 else f"{{{members}}}")
    return " ≻ ".join(words)


def _side(offset: float, sides: tuple[Value, Value, Value]) -> Value:
    """What belongs to an offset to the left, to about none, and to the right."""
    if abs(offset) < 4:
        return sides[1]
    return sides[2] if offset > 0 else sides[0]
