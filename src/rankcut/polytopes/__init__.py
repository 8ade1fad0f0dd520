"""The geometry of a submodular function: its base polytope, and the cones of ordered partitions."""

from rankcut.polytopes.base_polytope import BasePolytope, Face, Membership
from rankcut.polytopes.cones import IsotonicSolution, MajorantCone, TangentCone
from rankcut.polytopes.ordered_partitions import ordered_partitions

__all__ = [
    "BasePolytope",
    "Face",
    "IsotonicSolution",
    "MajorantCone",
    "Membership",
    "TangentCone",
    "ordered_partitions",
]
