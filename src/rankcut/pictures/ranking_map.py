"""A map of rankings: the two main directions of their vectors, coloured by a column."""

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.files.drafts import atomic_path
from rankcut.pictures.extras import import_figure, import_plotly

_UNKNOWN = "unknown"

# Up to this many items, directions are computed from the covariance matrix.
_FEW_ITEMS = 2000


class Directions(NamedTuple):
    """Vectors projected on their two main directions."""

    points: NDArray[np.float64]
    shares: NDArray[np.float64]  #: of the variance, for each direction


def main_directions(
    vectors: NDArray[np.floating], counts: NDArray[np.int64], *, random_state: int = 0
) -> Directions:
    """The two principal components of vectors with counts.

    They are the same as those of an array with repeated rows. The largest component of a
    direction is positive.

    >>> found = main_directions(np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0]]), np.array([1, 2, 1]))
    >>> found.points[:, 0].round(2).tolist(), found.shares.round(2).tolist()
    ([-1.25, -0.25, 1.75], [1.0, 0.0])
    """
    weight = counts / counts.sum()
    centered = vectors - weight @ vectors
    scaled = np.sqrt(weight)[:, np.newaxis] * centered
    total = float(np.einsum("ij,ij->", scaled, scaled))
    if scaled.shape[1] <= _FEW_ITEMS:
        variances, directions = np.linalg.eigh(scaled.T @ scaled)
        variances, directions = variances[:-3:-1], directions[:, :-3:-1].T
    else:
        from sklearn.utils.extmath import randomized_svd

        _, singular, directions = randomized_svd(scaled, 2, random_state=random_state)
        variances = singular**2
    largest = np.abs(directions).argmax(axis=1)
    directions = directions * np.sign(directions[[0, 1], largest])[:, np.newaxis]
    shares = np.maximum(variances, 0.0) / total if total > 0 else np.zeros(2)
    return Directions(centered @ directions.T, shares)


def distinct_points(
    labels: Sequence[str], color: NDArray[Any] | None, counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of distinct points, in order of appearance, and the number of rankings of each.

    >>> distinct_points(["a > b", "b > a", "a > b"], None, np.array([1, 1, 3]))
    (array([0, 1]), array([4, 1]))
    """
    colors = [None] * len(labels) if color is None else [str(value) for value in color.tolist()]
    totals: dict[tuple[str, str | None], int] = {}
    rows: list[int] = []
    for row, (key, count) in enumerate(
        zip(zip(labels, colors, strict=True), counts.tolist(), strict=True)
    ):
        if key not in totals:
            rows.append(row)
        totals[key] = totals.get(key, 0) + count
    return np.array(rows, dtype=np.int64), np.array(list(totals.values()), dtype=np.int64)


def draw_map(
    points: NDArray[np.float64],
    sizes: NDArray[np.int64],
    target: str | os.PathLike[str],
    *,
    axes_names: Sequence[str],
    color: NDArray[Any] | None = None,
    color_name: str = "",
    labels: Sequence[str] | None = None,
    title: str = "",
) -> None:
    """Draw points to a picture (PNG, SVG, PDF) or an interactive page (HTML).

    Parameters
    ----------
    points : ndarray of shape (n_rankings, 2)
        The place of each ranking.
    sizes : ndarray
        The number of rankings at each point.
    target : path
        Output file; its suffix decides the format.
    axes_names : two str
        Labels of the axes.
    color : ndarray or None
        Numbers for a colour scale, or text for one colour per value; empty text if unknown.
    color_name : str
        Title of the colours.
    labels : sequence of str or None
        Text that a page shows for the point under the mouse.
    title : str
        Title of the picture.
    """
    area = 12.0 * np.sqrt(sizes / sizes.min())
    if os.fspath(target).lower().endswith(".html"):
        _page(points, area, target, axes_names, color, color_name, labels, title)
        return
    figure = import_figure()(figsize=(8, 6.5), layout="constrained")
    axes = figure.subplots()
    if color is None:
        axes.scatter(*points.T, s=area, alpha=0.6)
    elif color.dtype.kind == "f":
        shown = axes.scatter(*points.T, s=area, c=color, alpha=0.7, plotnonfinite=True)
        figure.colorbar(shown, label=color_name)
    else:
        for value in sorted(np.unique(color).tolist(), key=lambda value: value == ""):
            chosen = color == value
            look = {"color": "0.75", "zorder": 0} if value == "" else {}
            label = value or _UNKNOWN
            axes.scatter(*points[chosen].T, s=area[chosen], alpha=0.6, label=label, **look)
        axes.legend(title=color_name)
    axes.set_xlabel(axes_names[0])
    axes.set_ylabel(axes_names[1])
    axes.set_title(title, parse_math=False)
    with atomic_path(target) as draft:
        figure.savefig(draft, dpi=150)


def _page(
    points: NDArray[np.float64],
    area: NDArray[np.float64],
    target: str | os.PathLike[str],
    axes_names: Sequence[str],
    color: NDArray[Any] | None,
    color_name: str,
    labels: Sequence[str] | None,
    title: str,
) -> None:
    plotly = import_plotly()
    figure = plotly.Figure()
    texts = np.array(labels if labels is not None else [""] * len(points), dtype=object)
    diameter = 2 * np.sqrt(area)
    numeric = color is not None and color.dtype.kind == "f"
    values = [None] if color is None or numeric else np.unique(color).tolist()
    for value in values:
        chosen = np.ones(len(points), dtype=bool) if value is None else color == value
        marker: dict[str, Any] = {"size": diameter[chosen], "opacity": 0.6}
        if numeric and color is not None:
            marker |= {"color": color, "showscale": True, "colorbar": {"title": color_name}}
        figure.add_trace(
            plotly.Scattergl(
                x=points[chosen, 0],
                y=points[chosen, 1],
                mode="markers",
                name="" if value is None else value or _UNKNOWN,
                text=texts[chosen],
                hoverinfo="text" if labels is not None else "x+y",
                marker=marker,
            )
        )
    figure.update_layout(
        title=title,
        xaxis_title=axes_names[0],
        yaxis_title=axes_names[1],
        legend_title=color_name,
        showlegend=len(values) > 1,
    )
    with atomic_path(target) as draft:
        figure.write_html(draft)
