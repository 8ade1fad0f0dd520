"""scikit-learn's own checks, for every estimator of ours; none is expected to fail."""

from contextlib import suppress
from unittest import SkipTest

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from rankcut import (
    AgreementGraph,
    CoListingGraph,
    Completions,
    Consensus,
    GPClassifier,
    GPRegressor,
    GraphCutFeatures,
    PlackettLuce,
    RankingBlocs,
    RankingClassifier,
    RankingCompleter,
    RankingRegressor,
    RankingSet,
    RatingFeatures,
    SimilarRankings,
    Smoothing,
    StrengthRegression,
    SubmodularFeatures,
    Utilities,
    ViewFeatures,
    compare_groups,
)
from rankcut.kernels import KendallFeatures
from rankcut.similar import LikenessFeatures

# One of each class; the slow tests check other parameters as well.
ESTIMATORS = [
    GraphCutFeatures(),
    KendallFeatures(),
    LikenessFeatures(),
    SubmodularFeatures(),
    ViewFeatures(),
    SimilarRankings(n_neighbors=1),
    GPClassifier(kernel_variance=1.0, constant_variance=1.0),
    GPRegressor(),
    RankingClassifier(),
    RankingCompleter(),
    RankingRegressor(Ridge()),
    StrengthRegression(prior="evidence"),
    PlackettLuce(prior="evidence"),
    Consensus(n_bootstraps=20),
    RankingBlocs(2),
    RatingFeatures(),
    Utilities(),
]
VARIANTS = [
    RatingFeatures(unrated="anywhere"),
    RatingFeatures(unrated="ignore", normalize=True),
    RankingRegressor(),
    StrengthRegression(prior="evidence", ties="exact", errors="information"),
    RankingRegressor(Ridge(), GraphCutFeatures(unranked="anywhere")),
    Consensus("kemeny", unranked="anywhere", n_bootstraps=20),
    RankingBlocs(),
    RankingBlocs(2, unranked="anywhere", features="mallows"),
    GraphCutFeatures(unranked="last"),
    GraphCutFeatures(unranked="anywhere"),
    GraphCutFeatures(
        unranked="anywhere", completions=Completions("sampled", n_draws=8, random_state=1)
    ),
    GraphCutFeatures(normalize=True, n_jobs=2),
    GraphCutFeatures(dtype=np.float64),
    GraphCutFeatures(
        unranked="last",
        unlisted_weight="balanced",
        smoothing=Smoothing(1.5, AgreementGraph()),
    ),
    KendallFeatures(unranked="anywhere", normalize=True),
    LikenessFeatures(unranked="anywhere"),
    LikenessFeatures(unranked="last"),
    SubmodularFeatures(unranked="anywhere", normalize=True),
    GPClassifier(),
    RankingClassifier(smoothing=0),
    ViewFeatures(smoothing=0),
    RankingCompleter(unranked="anywhere"),
    RankingCompleter(AgreementGraph(), unranked="last"),
]


def declared(estimator):
    """Checks that an estimator cannot pass, and why, as scikit-learn asks for them."""
    if not isinstance(estimator, RankingBlocs | Utilities):
        return {}
    reason = "survey weights say who counts more, not how many people there are; counts do"
    kinds = ("dense", "sparse")
    return {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in kinds}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=declared)
def test_scikit_learn(estimator, check):
    run(estimator, check)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", VARIANTS, ids=repr)
def test_scikit_learn_with_other_parameters(estimator):
    failing = declared(estimator)
    checks = estimator_checks_generator(estimator, expected_failed_checks=failing, mark="skip")
    for each, check in checks:
        with suppress(SkipTest):
            run(each, check)


def run(estimator, check):
    name = getattr(check, "func", check).__name__
    if isinstance(estimator, RankingBlocs) and name.startswith("check_clustering"):
        # Its three clouds are of points with two coordinates: as rankings, there are only two.
        with pytest.raises(AssertionError, match=r"^$"):
            check(estimator)
    else:
        check(estimator)


def some_lists():
    rng = np.random.default_rng(0)
    ranks = np.argsort(rng.random((30, 5)), axis=1) + 1.0
    ranks[ranks > 4] = np.nan
    return ranks, np.arange(30) % 2, rng.integers(1, 5, 30)


LISTS, LABELS, COUNTS = some_lists()


def of_rankings(estimator, method):
    """What is learned from rankings and labels, as it is said of the lists."""
    return lambda X, y, w: getattr(clone(estimator).fit(X, y, sample_weight=w), method)(LISTS)


def cuts(ranks):
    """Features of lists, for estimators that take features."""
    return GraphCutFeatures(unranked="last", sparse_output=False).fit_transform(ranks)


COUNTED = {
    "classifier": of_rankings(RankingClassifier(), "decision_function"),
    "cuts": of_rankings(GraphCutFeatures(CoListingGraph(), unranked="last"), "transform"),
    "ratings": of_rankings(RatingFeatures(CoListingGraph(), unrated="ignore"), "transform"),
    "likeness": of_rankings(LikenessFeatures(unranked="last"), "transform"),
    "views": of_rankings(ViewFeatures(), "transform"),
    "completer": of_rankings(RankingCompleter(unranked="anywhere"), "transform"),
}
# Of features and a target, or of covariates and rankings.
LEARNERS = COUNTED | {
    "process of features": lambda ranks, y, w: (
        GPClassifier().fit(cuts(ranks), y, sample_weight=w).decision_function(cuts(LISTS))
    ),
    "numbers": lambda ranks, y, w: (
        GPRegressor()
        .fit(cuts(ranks), y + np.nan_to_num(ranks[:, 0]), sample_weight=w)
        .predict(cuts(LISTS))
    ),
    "label ranking": lambda ranks, y, w: (
        RankingRegressor(unranked="last")
        .fit(np.column_stack([y, ranks[:, 0]]), ranks, sample_weight=w)
        .predict_scores(np.column_stack([LABELS, LISTS[:, 0]]))
    ),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_counts_are_repeated_rows_up_to_what_is_exact(name):
    learn = LEARNERS[name]
    # The other rows of a repeated one come after all the first ones.
    again = np.concatenate([np.arange(30), np.repeat(np.arange(30), COUNTS - 1)])
    expected = learn(LISTS[again], LABELS[again], None)
    # What is learned by steps stops within a tolerance.
    np.testing.assert_allclose(learn(LISTS, LABELS, COUNTS), expected, atol=1e-5)
    if name in COUNTED:
        counted = RankingSet(LISTS, tuple("abcde"), counts=COUNTS)
        np.testing.assert_allclose(learn(counted, LABELS, None), expected, atol=1e-5)
    assert np.abs(learn(LISTS, LABELS, None) - expected).max() > 1e-3
    for total in (1e5, 1e7, 1e9, 1e12, 2**53):
        weights = np.floor(COUNTS * (total / COUNTS.sum()))
        assert np.isfinite(learn(LISTS, LABELS, weights)).all()
    for weights in (2.0**54 * COUNTS, 1e300 * COUNTS, np.full(30, 1e308)):
        with pytest.raises(ValueError, match=r"sample_weight adds up to more than 2\*\*53"):
            learn(LISTS, LABELS, weights)


# Answers to counted rankings and a group of each.
ANSWERS = {
    "consensus": lambda X, y: places(Consensus(unranked="last", n_bootstraps=50).fit(X)),
    "kemeny": lambda X, y: places(Consensus("kemeny", unranked="last", n_bootstraps=50).fit(X)),
    "strengths": lambda X, y: places(Consensus(unranked="anywhere", n_bootstraps=50).fit(X)),
    "blocs": lambda X, y: RankingBlocs(2, unranked="last").fit(X)._shares,
    "completer": lambda X, y: RankingCompleter(unranked="anywhere").fit(X).consensus_,
    "comparison": lambda X, y: [compare_groups(X, y, unranked="last", random_state=0).p_value],
    "Plackett-Luce": lambda X, y: PlackettLuce(unranked="anywhere").fit(X).strengths_.theta,
    "regression": lambda X, y: (
        StrengthRegression(unranked="anywhere")
        .fit(y[:, None] * 1.0, X)
        .predict_scores([[0.0], [1]])
    ),
}


def places(model):
    return np.column_stack([model.scores_, model.rank_intervals_])


@pytest.mark.parametrize("name", ANSWERS)
def test_counts_of_answers_are_repeated_rows_up_to_what_is_exact(name):
    def answer(counts):
        return ANSWERS[name](RankingSet(LISTS, tuple("abcde"), counts=counts), LABELS)

    repeated = ANSWERS[name](np.repeat(LISTS, COUNTS, axis=0), np.repeat(LABELS, COUNTS))
    np.testing.assert_allclose(answer(COUNTS), repeated, atol=1e-9)
    for total in (1e9, 2**53):
        assert np.isfinite(answer(COUNTS * int(total / COUNTS.sum()))).all()
    with pytest.raises(ValueError, match=r"adds up to more than 2\*\*53"):
        answer(np.full(30, 2**52))
