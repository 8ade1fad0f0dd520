"""Pictures, with Matplotlib (the extra ``plot``)."""

from rankcut.plots.base_polytope import draw_base_polytope
from rankcut.plots.item_map import draw_graph_and_map, draw_item_graph, draw_map

__all__ = ["draw_base_polytope", "draw_graph_and_map", "draw_item_graph", "draw_map"]
