"""Estimators that follow scikit-learn's grammar without importing it.

Importing scikit-learn takes longer than most answers. It is imported when somebody asks for its
tags, or fits anything else than a :class:`~rankcut.RankingSet`.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rankcut.errors import InputError, Setting
from rankcut.graphs.item_graph import plain_graph
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


class HasParameters:
    """Parameters, which are those of ``__init__``, read and set as scikit-learn does it.

    >>> class Model(HasParameters):
    ...     def __init__(self, number=1, *, inner=None):
    ...         self.number, self.inner = number, inner
    >>> model = Model(inner=Model(3)).set_params(number=2, inner__number=4)
    >>> model, model.get_params()["inner__number"]
    (Model(inner=Model(number=4), number=2), 4)
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with ``deep`` also those of parameters, as ``inner__name``."""
        values = {}
        for name in sorted(signature(type(self)).parameters):
            values[name] = value = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                inner = value.get_params().items()
                values.update({f"{name}__{key}": each for key, each in inner})
        return values

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters by name; ``inner__name`` is one of the parameter ``inner``."""
        names = signature(type(self)).parameters
        nested: dict[str, dict[str, Any]] = defaultdict(dict)
        for key, value in parameters.items():
            name, _, inner = key.partition("__")
            if name not in names:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. "
                    f"Valid parameters are: {sorted(names)!r}."
                )
            if inner:
                nested[name][inner] = value
            else:
                setattr(self, name, value)
        for name, inner_parameters in nested.items():
            getattr(self, name).set_params(**inner_parameters)
        return self

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        defaults = signature(type(self)).parameters
        changed = {
            name: repr(value)
            for name, value in self.get_params(deep=False).items()
            if repr(value) != repr(defaults[name].default)
        }
        words = ", ".join(f"{name}={value}" for name, value in changed.items())
        text = f"{type(self).__name__}({words})"
        half = N_CHAR_MAX // 2
        return text if len(text) <= N_CHAR_MAX else f"{text[:half]}...{text[-half:]}"

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
