"""Pictures drawn with Matplotlib, and pages that need no other library."""

from rankcut.pictures.graph_figure import plot_graph
from rankcut.pictures.graph_page import graph_page
from rankcut.pictures.map_figure import plot_map
from rankcut.pictures.map_page import map_page
from rankcut.pictures.polytope_figure import plot_polytope

__all__ = [
    "graph_page",
    "map_page",
    "plot_graph",
    "plot_map",
    "plot_polytope",
]
