"""Do rankings depend on covariates: numbers, categories, or both?"""

from collections.abc import Hashable
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats, Longs
from rankcut.comparison.columns import check_options, column_of, is_missing
from rankcut.comparison.design import Rows, Scores, make_design
from rankcut.comparison.permutations import CovariateLabels
from rankcut.comparison.results import IndependenceResult, describe_method
from rankcut.comparison.rows import People, make_rows, read_orders, read_people
from rankcut.comparison.statistics import (
    Draws,
    Family,
    Probability,
    holm,
    overall_family,
    run_tests,
    share_explained,
)
from rankcut.comparison.tables import Table
from rankcut.comparison.vectors import (
    PAIR_ITEMS,
    features_of,
    pairs,
    places,
    places_given_length,
    side_by_side,
)
from rankcut.errors import InputError, amount
from rankcut.parameters import within_floats
from rankcut.rankings import Unranked, as_frame, weights_of


class Covariate(NamedTuple):
    """A covariate as columns of numbers: itself, or 0 and 1 for each category."""

    name: Hashable
    columns: Floats


def independence_test(
    ranks: Any,
    covariates: Any,
    *,
    unranked: Unranked = "error",
    features: Any = None,
    n_permutations: int = 9999,
    strata: Any = None,
    people: Any = None,
    sample_weight: Any = None,
    random_state: int | np.random.RandomState | None = 0,
) -> IndependenceResult:
    """Test whether rankings depend on covariates, by permuting the covariates.

    The statistic is the sum of squares of the rankings' vectors that a linear regression on all
    covariates explains: with one category for each ranking, the sum of squares between groups.

    Parameters
    ----------
    ranks : array, frame or CSR array of shape (n_rankings, n_items)
        Rank matrix.
    covariates : frame, mapping of names to columns, or array of shape (n_rankings, n_covariates)
        Columns of numbers enter as they are; text, booleans and categories as one indicator for
        each value. Rankings with a missing value are left out.
    unranked, features, n_permutations, strata, people, sample_weight, random_state
        As in :func:`~rankcut.compare_groups`. Without ``features``, vectors are mean places.

    Returns
    -------
    IndependenceResult

    Examples
    --------
    >>> from rankcut import independence_test, make_food
    >>> food = make_food(80, noise=0.3, random_state=0)
    >>> age = food.ranks[:, 0] * 5 + 20
    >>> result = independence_test(food.ranks, {"age": age, "town": ["Ayr", "Bude"] * 40})
    >>> [row["covariate"] for row in result.covariates if row["p_value"] < 0.05]
    ['age']
    """
    seed = check_options(n_permutations, random_state)
    orders, items = read_orders(ranks, unranked)
    named = _read(covariates, len(orders))
    known = np.ones(len(orders), dtype=bool)
    for column in named.values():
        known &= [not is_missing(value) for value in column.tolist()]
    kept = np.flatnonzero(known)
    notes = []
    if len(kept) < len(orders):
        notes.append(f"{amount(len(orders) - len(kept), 'ranking')} without a value left out.")
    if len(kept) < 3:
        raise InputError("has fewer than three rankings with values", parameter="covariates")
    read = [_numbers(name, column, kept) for name, column in named.items()]
    design_columns = np.hstack([each.columns for each in read])
    _, row_codes = np.unique(design_columns, axis=0, return_inverse=True)
    sample_weight = weights_of(ranks, sample_weight)
    who = read_people(strata, people, sample_weight, row_codes.ravel(), kept, len(orders))
    if who.counted:
        again = np.repeat(np.arange(len(kept)), who.weight.astype(np.int64))
        who = People(
            who.stratum[again],
            None if who.person is None else who.person[again],
            np.ones(len(again)),
            False,
            who.notes,
        )
        kept, design_columns = kept[again], design_columns[again]
        read = [Covariate(each.name, each.columns[again]) for each in read]
    numbered = make_rows(orders[kept], np.arange(len(kept)), who)
    rows, columns = _by_unit(numbered, design_columns)
    whole = places(rows.rankings, unranked)
    parts = [whole]
    partial = unranked != "error" and bool((rows.rankings == NOWHERE).any())
    if features is not None:
        whole = features_of(features, rows.rankings, unranked, items, seed)
        notes += whole.notes()
        parts.append(whole)
    elif partial:
        parts.append(places_given_length(rows.rankings, rows.ranking_weights(), unranked))
        if whole.width <= PAIR_ITEMS:
            parts.append(pairs(rows.rankings, unranked))
    vectors, slices = side_by_side(parts)
    design = make_design(rows)
    scores = Scores(design, vectors, slices[-1].stop)
    if features is not None:
        own = slices[-1]
        overall = Family(own, "whole")
    else:
        own = slices[0]
        of_pairs = slices[2] if len(slices) > 2 else None
        overall = overall_family(own, slices[1 if partial else 0], of_pairs, partial=partial)
    labels = CovariateLabels(design, columns)
    if labels.width == 0:
        raise InputError("are the same for all rankings of a stratum", parameter="covariates")
    draws = Draws(labels, n_permutations, seed)
    answers = run_tests(labels, scores, [overall, Family(slices[0], "each")], draws)
    found, of_items = answers
    assert isinstance(found, Probability)
    assert not isinstance(of_items, Probability)
    share = share_explained(labels, scores, own)
    names = tuple(range(orders.shape[1])) if items is None else items
    explained = (labels.observed(scores)[:, slices[0]] ** 2).sum(axis=0)
    total = scores.total[slices[0]]
    by_item = np.divide(explained, total, out=np.zeros_like(total), where=total > 0)
    order = np.lexsort((-by_item, of_items))
    return IndependenceResult(
        p_value=found.value,
        p_interval=found.interval,
        effect_size=share.value,
        effect_interval=share.interval,
        n_rankings=len(rows.group),
        items=Table(
            {
                "item": [names[i] for i in order],
                "share_explained": by_item[order].tolist(),
                "p_value": of_items[order].tolist(),
            }
        ),
        covariates=_each_alone(read, numbered, scores, overall, own, n_permutations, seed),
        method=describe_method(draws.method, draws.number),
        features="places" if features is None else whole.name,
        n_permutations=draws.number,
        notes=(*notes, *who.notes),
    )


def _read(covariates: Any, n_rows: int) -> dict[Hashable, Any]:
    """The columns by name."""
    if isinstance(covariates, dict):
        named = covariates
    elif as_frame(covariates) is not None:
        frame = nw.from_native(covariates, eager_only=True)
        named = {name: frame[name] for name in frame.columns}
    else:
        values = np.asarray(covariates)
        values = values[:, np.newaxis] if values.ndim == 1 else values
        named = {f"x{k}": column for k, column in enumerate(values.T)}
    if not named:
        raise InputError("has no columns", parameter="covariates")
    return {name: column_of(column, n_rows, f"{name}") for name, column in named.items()}


def _numbers(name: Hashable, column: Any, kept: Longs) -> Covariate:
    """A covariate as numbers, of mean 0 and variance 1, for the rows that are kept."""
    values = column[kept].tolist()
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        with within_floats(f"column {name!r}"):
            numbers = np.array(values, dtype=np.float64)[:, np.newaxis]
        if not np.isfinite(numbers).all():
            raise InputError(
                f"column {name!r} has an infinite value",
                row=int(kept[np.argmin(np.isfinite(numbers[:, 0]))]),
            )
    else:
        known, codes = np.unique([str(value) for value in values], return_inverse=True)
        if len(known) > len(values) / 2 and len(known) > 20:
            raise InputError(
                f"column {name!r} has {amount(len(known), 'different value')} for "
                f"{amount(len(values), 'ranking')}",
                remedy="make it numbers, or classes of several rankings each",
            )
        numbers = np.eye(len(known))[codes.ravel()]
    numbers = numbers - numbers.mean(axis=0)
    spread = numbers.std()
    return Covariate(name, numbers / spread if spread > 0 else numbers)


def _by_unit(rows: Rows, columns: Floats) -> tuple[Rows, Floats]:
    """The rows in the order of units, with a row of covariates for each unit.

    ``rows.group`` numbers the rows of ``columns``.
    """
    columns = columns[rows.group]
    everyone = Rows(
        rows.rankings,
        rows.index,
        np.zeros_like(rows.group),
        rows.stratum,
        rows.person,
        rows.weight,
        False,
    )
    if rows.person is None:
        # The order in which make_design numbers units.
        order = np.lexsort((everyone.group, rows.weight, rows.index, rows.stratum))
        return everyone, columns[order]
    keys = rows.stratum * (int(rows.person.max()) + 1) + rows.person
    first = np.unique(keys, return_index=True)[1]
    return everyone, columns[first]


def _each_alone(
    read: list[Covariate],
    rows: Rows,
    scores: Scores,
    overall: Family,
    own: slice,
    n_permutations: int,
    seed: int,
) -> Table:
    """Each covariate by itself, with p-values adjusted by Holm's method."""
    p_values, shares = [], []
    for each in read:
        columns = _by_unit(rows, each.columns)[1]
        labels = CovariateLabels(scores.design, columns)
        if labels.width == 0:
            p_values.append(1.0)
            shares.append(0.0)
            continue
        draws = Draws(labels, n_permutations, seed)
        (found,) = run_tests(labels, scores, [overall], draws)
        assert isinstance(found, Probability)
        p_values.append(found.value)
        shares.append(share_explained(labels, scores, own).value)
    adjusted = holm(np.array(p_values))
    return Table(
        {
            "covariate": [each.name for each in read],
            "effect_size": shares,
            "p_unadjusted": p_values,
            "p_value": adjusted.tolist(),
        }
    )
