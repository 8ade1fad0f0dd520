"""Estimators that follow scikit-learn's grammar without importing it.

Importing scikit-learn takes longer than most answers. It is imported when somebody asks for its
tags, or fits anything else than a :class:`~rankcut.RankingSet`.
"""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcut.errors import InputError, Setting
from rankcut.graphs.item_graph import plain_graph
from rankcut.parameters import WithParameters
from rankcut.rankings import Rankings, Unranked, read_rankings
from rankcut.rankings.ranking_set import RankingSet

if TYPE_CHECKING:
    from sklearn.utils import Tags


def check_meaning(rankings: Rankings, fitted: Unranked) -> None:
    """Refuse rankings whose unranked items mean something else than those that were fitted."""
    if {rankings.unranked, fitted} == {"last", "anywhere"}:
        raise InputError(
            f"these rankings say that unranked items are {rankings.unranked}, and those that were "
            f"fitted, {fitted}",
            remedy=["pass ", Setting("unranked", fitted), " to hold for both"],
        )


def check_fitted(model: Any, attribute: str) -> None:
    """Raise NotFittedError unless the model has the attribute, which its fit sets."""
    if not hasattr(model, attribute):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(model, attribute)


class PlainEstimator(WithParameters):
    """What scikit-learn asks of an estimator beside its parameters.

    >>> class Model(PlainEstimator):
    ...     def __init__(self, number=1, *, inner=None):
    ...         self.number, self.inner = number, inner
    >>> model = Model(inner=Model(3)).set_params(number=2, inner__number=4)
    >>> model, model.get_params()["inner__number"]
    (Model(inner=Model(number=4), number=2), 4)
    """

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self)}

    def __sklearn_tags__(self) -> "Tags":
        from sklearn.base import BaseEstimator

        return BaseEstimator().__sklearn_tags__()


class ReadsRankings:
    """Reads and checks rankings, and tells scikit-learn what they may be.

    ``unranked`` is a parameter of some; with the others an item that is not ranked may be anywhere.
    What the rankings that are fitted say of it holds for later ones that do not say. Those are
    matched with the items that were fitted by name.
    """

    items: Sequence[Hashable] | None
    unranked: Unranked = "anywhere"
    _items: tuple[Hashable, ...] | None  #: labels of the items that were fitted, if they have any
    _meaning: Unranked  #: of their unranked items
    n_features_in_: int

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())  # type: ignore[call-overload]
        return state | {"graph": plain_graph(state["graph"])} if "graph" in state else state

    def _read(self, X: Any, *, reset: bool, **options: Any) -> Rankings:
        if not reset:
            check_fitted(self, "_meaning")
        meaning = "error" if reset else self._meaning
        rankings = read_rankings(X, self.items, unranked=self.unranked, or_else=meaning, **options)
        # Without names, there is nothing to check but the number of columns.
        n_items, named = rankings.shape[1], hasattr(self, "feature_names_in_")
        unnamed = not named and isinstance(X, Rankings | RankingSet | np.ndarray)
        if unnamed and (reset or n_items == self.n_features_in_):
            self.n_features_in_ = n_items
        else:
            from sklearn.utils.validation import validate_data

            validate_data(self, X, reset=reset, skip_check_array=True)
        if reset:
            self._items, self._meaning = rankings.items, rankings.unranked
            return rankings
        check_meaning(rankings, meaning)
        return rankings.matched(self._items)

    def __sklearn_tags__(self) -> "Tags":
        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        # NaN and absent entries are unranked items: allowed if the user says what they mean.
        tags.input_tags.allow_nan = self.unranked != "error"
        tags.input_tags.sparse = self.unranked != "error"
        return tags
