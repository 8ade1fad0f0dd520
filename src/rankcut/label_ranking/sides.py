"""Covariates of votes: what is about one of two sides, or their difference, is no covariate."""

from typing import Any

import numpy as np

from rankcut._loops.types import Floats
from rankcut.errors import InputError, Setting
from rankcut.label_ranking.covariates import is_number
from rankcut.rankings import as_frame
from rankcut.rankings.ranking_set import RankingSet
from rankcut.strengths.columns import tokens_of


def check_no_side(covariates: Any, rankings: Any) -> None:
    """Refuse covariates of votes that say something of one side, such as a difference of lengths.

    A covariate is the same for both items of a vote. Whatever differs between them would move no
    item, because each stands on either side.

    >>> votes = RankingSet(np.array([[1, 2], [2, 1.0]]), ("uni", "ika"),
    ...     columns={"a": np.array(["uni", "uni"]), "b": np.array(["ika", "ika"]),
    ...              "size_a": np.array([3.0, 1]), "size_b": np.array([1.0, 2])},
    ...     details={"sides": ("a", "b")})
    >>> check_no_side(np.array([[2.0], [-1.0]]), votes)
    Traceback (most recent call last):
        ...
    rankcut.errors.InputError: covariate 0 is 'size_a' minus 'size_b', and differs between the two \
items of a vote; features within a choice are for BradleyTerry or PlackettLuce: adjust="size"
    """
    sides = rankings.details.get("sides") if isinstance(rankings, RankingSet) else None
    if not sides or sides[0] not in rankings.columns:
        return
    pairs = _sided_columns(rankings, [tokens_of(side)[-1] for side in sides])
    first = rankings.columns[sides[0]]
    for name, values in _numbers(covariates).items():
        for feature, (one, other) in pairs.items():
            ours, theirs = (np.asarray(rankings.columns[each], float) for each in (one, other))
            for numbers, words in (
                (ours, "is of one side"),
                (theirs, "is of one side"),
                (ours - theirs, f"is {one!r} minus {other!r}"),
                (theirs - ours, f"is {other!r} minus {one!r}"),
            ):
                if np.array_equal(values, numbers, equal_nan=True):
                    raise _refusal(name, words, feature)
        if values.min() < 0 < values.max() and _goes_with_winner(values, first, rankings):
            raise _refusal(
                name,
                "goes with the side that wins",
                str(name),
                f", with its values in a column '{name}_a' and 0 in '{name}_b'",
            )


def _sided_columns(rankings: RankingSet, ends: list[str]) -> dict[str, tuple[str, str]]:
    """Columns of numbers whose names differ by their side alone, by what they share."""
    by_side: list[dict[str, str]] = [{}, {}]
    for name, values in rankings.columns.items():
        words = tokens_of(str(name))
        if len(words) > 1 and words[-1] in ends and values.dtype.kind == "f":
            by_side[ends.index(words[-1])]["_".join(words[:-1])] = name
    return {
        stem: (name, by_side[1][stem]) for stem, name in by_side[0].items() if stem in by_side[1]
    }


def _numbers(covariates: Any) -> dict[Any, Floats]:
    frame = as_frame(covariates)
    if frame is None:
        return dict(enumerate(np.asarray(covariates, dtype=np.float64).T))
    return {
        column.name: np.asarray(column.to_numpy(), dtype=np.float64)
        for column in frame.iter_columns()
        if is_number(column.dtype)
    }


def _goes_with_winner(values: Floats, first: Any, rankings: RankingSet) -> bool:
    """Whether a number is clearly correlated with the side that is ahead."""
    ranks = rankings.sparse()
    rows = np.repeat(np.arange(len(rankings)), np.diff(ranks.indptr))
    labels = np.array([str(item) for item in rankings.items], dtype=object)[ranks.indices]
    ours = labels == np.array([str(item) for item in first], dtype=object)[rows]
    ahead = np.bincount(rows, np.where(ours, -ranks.data, ranks.data), len(rankings))
    if np.ptp(ahead) == 0:
        return False
    correlation = np.corrcoef(values, ahead)[0, 1]
    # Five standard errors: by chance, one covariate in two million has as many.
    return bool(abs(correlation) * len(values) ** 0.5 > 5.0)


def _refusal(name: Any, problem: str, feature: str, more: str = "") -> InputError:
    return InputError(
        f"covariate {name!r} {problem}, and differs between the two items of a vote",
        remedy=[
            "features within a choice are for BradleyTerry or PlackettLuce: ",
            Setting("adjust", feature),
            more,
        ],
    )
