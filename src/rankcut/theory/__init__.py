"""The theory of set functions: Lovász extension, base polytope, cones of ordered partitions."""

from rankcut.theory.base_polytope import (
    BasePolytope,
    Face,
    Membership,
    lovasz_extension,
    lovasz_subgradient,
)
from rankcut.theory.cones import IsotonicSolution, MajorantCone, TangentCone, ordered_partitions

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
