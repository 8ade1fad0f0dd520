# The names of this package and their homes, which __init__.py loads when they are first used.

from rankcut.pictures.graph_pictures import graph_page as graph_page
from rankcut.pictures.graph_pictures import plot_graph as plot_graph
from rankcut.pictures.maps import map_page as map_page
from rankcut.pictures.maps import plot_map as plot_map
from rankcut.pictures.polytope_figure import plot_polytope as plot_polytope
