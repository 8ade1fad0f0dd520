"""The theory of set functions: Lovász extension, base polytope, cones of ordered partitions."""

from rankcut.theory.base_polytope import BasePolytope, Face, Membership
from rankcut.theory.cones import IsotonicSolution, MajorantCone, TangentCone, ordered_partitions
from rankcut.theory.lovasz import lovasz_extension, lovasz_subgradient

__all__ = [
    "BasePolytope",
    "Face",
    "IsotonicSolution",
    "MajorantCone",
    "Membership",
    "TangentCone",
    "lovasz_extension",
    "lovasz_subgradient",
    "ordered_partitions",
]
