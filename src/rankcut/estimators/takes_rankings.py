"""What all estimators have in common whose X is a rank matrix."""

from collections.abc import Hashable, Sequence
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data

from rankcut.rankings import RankMatrix, Unranked, read_rankings


class TakesRankings(BaseEstimator):
    """Reads and checks rankings, and tells scikit-learn what they may be.

    ``unranked`` is a parameter of some; with the others an item that is not ranked may be anywhere.
    """

    items: Sequence[Hashable] | None
    unranked: Unranked = "anywhere"

    def _read(self, X: Any, *, reset: bool) -> RankMatrix:
        rankings = read_rankings(X, self.items)
        validate_data(self, X, reset=reset, skip_check_array=True)
        rankings.check(self.unranked)
        return rankings

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # NaN and absent entries are unranked items: allowed once it is said what they mean.
        tags.input_tags.allow_nan = self.unranked != "error"
        tags.input_tags.sparse = self.unranked != "error"
        return tags
