"""The vectors that blocs are found by: the default ones, or what ``features=`` chose."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats, Indices
from rankcut.blocs.order_vectors import OrderVectors, fit_order_vectors
from rankcut.estimators.chosen_features import ChosenFeatures, choose_features
from rankcut.rankings import Unranked


@dataclass(frozen=True, eq=False)
class Encoder:
    """From the groups of a ranking to the vector that blocs are found by."""

    base: OrderVectors | ChosenFeatures
    unit: bool

    @property
    def has_means(self) -> bool:
        """Whether means of vectors stand for blocs; otherwise medoids do."""
        return isinstance(self.base, OrderVectors) or self.base.is_small

    def vectors(self, groups: Indices) -> Floats:
        """A vector for each ranking."""
        if isinstance(self.base, OrderVectors):
            values = self.base.vectors(groups)
        else:
            values = self.base.vectors(_ranks(groups))
        if self.unit:
            lengths = np.sqrt((values**2).sum(axis=1, keepdims=True))
            values = np.divide(values, lengths, out=np.zeros_like(values), where=lengths > 0)
        return np.ascontiguousarray(values)


def choose_encoder(
    features: Any,
    groups: Indices,
    weights: Floats,
    unranked: Unranked,
    unit: bool,
    items: tuple[Hashable, ...] | None,
    seed: int,
) -> Encoder:
    """The vectors of these rankings, scaled to unit length or not."""
    if features is None:
        return Encoder(fit_order_vectors(groups, weights, unranked), unit)
    return Encoder(choose_features(features, _ranks(groups), unranked, items, seed), unit)


def _ranks(groups: Indices) -> Floats:
    """Groups as ranks: 1 = best, NaN = unranked."""
    return np.where(groups == NOWHERE, np.nan, groups.astype(np.float64) + 1.0)
