"""Pictures drawn with Matplotlib, and pages that need no other library."""

from rankcut.pictures.graph_pictures import graph_page, plot_graph
from rankcut.pictures.map_pictures import map_page, plot_map
from rankcut.pictures.polytope_figure import plot_polytope

__all__ = [
    "graph_page",
    "map_page",
    "plot_graph",
    "plot_map",
    "plot_polytope",
]
