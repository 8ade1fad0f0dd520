"""Rankings, item graphs and base polytopes in the plane, as results with a picture and a page."""

from rankcut.maps.graphs import GraphMap, map_graph
from rankcut.maps.polytope import PolytopeMap, map_polytope
from rankcut.maps.rankings import RankingMap, map_rankings

__all__ = ["GraphMap", "PolytopeMap", "RankingMap", "map_graph", "map_polytope", "map_rankings"]
