"""The geometry of a submodular function: its base polytope, and the cones of ordered partitions."""

from rankcut.theory.base_polytope import BasePolytope, Face, Membership
from rankcut.theory.cones import IsotonicSolution, MajorantCone, TangentCone, ordered_partitions

__all__ = [
    "BasePolytope",
    "Face",
    "IsotonicSolution",
    "MajorantCone",
    "Membership",
    "TangentCone",
    "ordered_partitions",
]
