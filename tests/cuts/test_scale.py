"""Scaling the weights scales the vectors, and changes no choice and no relative error."""

import numpy as np
import pytest
from maps import flat_features
from numpy.testing import assert_array_equal
from scipy import sparse
from tolerances import assert_rounds_to

from rankcut import Completions, SubmodularFeatures, graph_cut_features
from rankcut.cuts import Coverage, FromCallable
from rankcut.theory import BasePolytope

# Powers of two, so that scaling rounds nothing: about 1e-280, 1e-155, 1e155 and 1e286.
SCALES = [2.0**-930, 2.0**-515, 2.0**515, 2.0**950]

RNG = np.random.default_rng(0)
N = 12
WEIGHTS = np.triu(RNG.random((N, N)) * (RNG.random((N, N)) < 0.6), 1)
WEIGHTS += WEIGHTS.T
RANKS = np.argsort(RNG.random((5, N)), axis=1) + 1.0
LISTS = np.where(RANKS > 4, np.nan, RANKS)

OPTIONS = [
    {"unranked": "last"},
    {"unranked": "last", "normalize": True},
    {"unranked": "last", "unlisted_weight": "balanced"},
    {"unranked": "last", "smoothing": 1.5, "normalize": True},
    {"unranked": "anywhere", "completions": "sampled", "tolerance": 0.05},
    {"unranked": "anywhere", "completions": "sampled", "n_draws": 32, "normalize": True},
    {"unranked": "anywhere", "completions": "closed_form", "normalize": True},
    {"unranked": "anywhere", "completions": "closed_form"},
]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_vectors_scale_and_no_choice_changes(scale, options, form):
    plain, report = _found(form(WEIGHTS), options)
    scaled, other = _found(form(scale * WEIGHTS), options)
    factor = 1.0 if options.get("normalize") else scale
    if "smoothing" in options:
        # A step divides by √d_i·√d_j, whose roots round in another way: two sums of N terms.
        assert_rounds_to(scaled / factor, plain, n_terms=2 * N)
    else:
        assert_array_equal(scaled / factor, plain)
    assert_array_equal(other.n_draws, report.n_draws)
    assert_array_equal(other.relative_error, report.relative_error)
    if report.standard_error is not None:
        assert_array_equal(other.standard_error / factor, report.standard_error)


def _found(graph, options):
    return flat_features(graph, **options).fit(LISTS).transform_with_report(LISTS)


def test_tiny_weights_take_as_many_draws_as_their_tolerance_needs():
    _, report = _found(1e-200 * WEIGHTS, OPTIONS[4])
    assert (report.n_draws > 16).any()
    assert (report.relative_error > 0).all()


@pytest.mark.parametrize("scale", SCALES)
def test_other_set_functions_scale(scale):
    completions = Completions("sampled", n_draws=16)

    def found(factor):
        function = FromCallable(lambda items: factor * min(len(items), 3), N)
        model = SubmodularFeatures(function, unranked="anywhere", completions=completions)
        return model.fit(LISTS).transform_with_report(LISTS)

    (plain, report), (scaled, other) = found(1.0), found(scale)
    assert_array_equal(scaled / scale, plain)
    assert_array_equal(other.relative_error, report.relative_error)


@pytest.mark.parametrize("normalize", [False, True])
def test_sums_that_overflow_are_refused(normalize):
    with pytest.raises(ValueError, match="large"):
        graph_cut_features(
            LISTS, 1e280 * WEIGHTS, unranked="last", unlisted_weight=1e30, normalize=normalize
        )
    with np.errstate(all="ignore"):
        covered = Coverage([["a"], ["b"], ["a"]], {"a": 1.7e308, "b": 1.7e308})
        with pytest.raises(ValueError, match="large"):
            SubmodularFeatures(covered, normalize=normalize).fit_transform([[1, 2, 3]])


@pytest.mark.parametrize("scale", SCALES)
def test_min_norm_points_scale(scale):
    def point(factor):
        function = FromCallable(lambda items: factor * (min(len(items), 3) + len(items & {1})), 5)
        return BasePolytope(function).min_norm_point()

    assert_array_equal(point(scale) / scale, point(1.0))
