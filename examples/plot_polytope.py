"""The base polytope of four items.

The vertices of the base polytope of a graph cut are the orders of the items; its facets are orders
in two groups. Heavy edges of the graph make long edges of the body.
"""

from rankcut import plot_polytope
from rankcut.cuts import GraphCut


def draw():
    weights = [[0, 1, 1, 1], [1, 0, 2, 1], [1, 2, 0, 1], [1, 1, 1, 0]]
    return plot_polytope(GraphCut(weights), items=["toro", "uni", "ika", "ebi"])
