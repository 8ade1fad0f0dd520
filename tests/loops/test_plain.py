"""Compiled loops against the plain Python they are compiled from."""

import copy
from contextlib import contextmanager

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tolerances import assert_does_the_same

from rankcut import make_food
from rankcut._loops import (
    choices,
    linear_algebra,
    pairs,
    partitions,
    permutations,
    random_streams,
)
from rankcut._loops.partitions import NOWHERE
from rankcut.kernels import (
    diffusion,
    diffusion_kernel,
    kendall,
    kendall_kernel,
    mallows,
    mallows_kernel,
    weighted_kendall_kernel,
)
from rankcut.rankings import value

POINTS = np.random.default_rng(0).integers(-9, 10, size=(12, 3)).astype(float)
WEIGHTS = np.arange(1.0, 13.0)
# Whole numbers, whose sums are exact; there are circles among them.
GAINS = np.triu(np.random.default_rng(3).integers(-9, 10, size=(6, 6)), 1)
GAINS = (GAINS - GAINS.T).astype(np.float64)

CALLS = {
    choices.mixture_sums: (
        POINTS[:2].repeat(2, axis=1) / 9,
        np.log([0.4, 0.6]),
        np.array([0, 2]),
        np.array([0, 3, 6]),
        np.array([0, 3, 5, 2, 1, 4], np.uint32),
        np.array([False, False, True, False, True, False]),
        np.array([3, 2]),
        False,
        WEIGHTS[:2],
        np.zeros((2, 2)),
        np.zeros(2),
        np.zeros((2, 6)),
    ),
    random_streams.draw_people: (
        np.array([0, 0, 1, 3], np.uint32),
        np.array([4, 7, 0]),
        np.array([0, 2**64 - 1, 12345], np.uint64),
        np.full((3, 4), np.nan),
    ),
    permutations.best_order: (GAINS, np.full(6, -1), np.zeros(6)),
    permutations.improve_order: (GAINS, np.arange(6)[::-1].copy()),
    linear_algebra.multiply_rows: (POINTS, POINTS[:3], np.zeros((12, 3))),
}


def compare_with_source(loop, arguments):
    """Call both on copies of the arguments; sums are over up to 64 terms."""
    plain = copy.deepcopy(arguments)
    found = loop(*arguments)
    # Scrambling numbers overflows on purpose.
    with np.errstate(over="ignore"), interpreted():
        said = loop.py_func(*plain)
    for machine, source in zip([found, *arguments], [said, *plain], strict=True):
        if not isinstance(machine, tuple):  # a tuple is read only
            assert_does_the_same(machine, source, 8**2)
    return found


@contextmanager
def interpreted():
    """Loops that call others call their source, too."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (pairs, partitions, permutations, random_streams):
            for name, loop in list(vars(module).items()):
                if hasattr(loop, "py_func"):
                    patch.setattr(module, name, loop.py_func)
        yield


@pytest.mark.parametrize("loop", CALLS, ids=lambda loop: loop.__name__)
def test_machine_code_does_what_the_source_says(loop):
    arguments = copy.deepcopy(CALLS[loop])
    if compare_with_source(loop, arguments) is None:
        assert any(
            not np.array_equal(before, after, equal_nan=True)
            for before, after in zip(CALLS[loop], arguments, strict=True)
        )


LOOPS = [
    (value, "group_rows"),
    (kendall, "pack_signs"),
    (kendall, "agreement_of_strict"),
    (kendall, "agreement_of_tied"),
    (kendall, "agreement_by_tree"),
    (kendall, "expected_signs"),
    (mallows, "count_completions"),
    (mallows, "complete_rows"),
    (mallows, "tie_terms"),
    (mallows, "mallows_values"),
    (diffusion, "class_function_values"),
    (kendall, "expected_weights"),
    (kendall, "average_weights"),
]


def use_all(monkeypatch):
    monkeypatch.setattr(value, "FEW_ENTRIES", 0)
    for kind, unranked in (("full", "error"), ("ties", "error"), ("incomplete", "anywhere")):
        ranks = make_food(6, kind=kind, random_state=0).ranks
        options = {"unranked": unranked}
        kendall_kernel(ranks, **options)
        mallows_kernel(ranks, n_draws=4, **options)
        if kind == "full":
            diffusion_kernel(ranks)
        weighted_kendall_kernel(ranks, **options)
        weighted_kendall_kernel(ranks, weights="additive", **options)
    monkeypatch.setattr(kendall, "BIT_ITEMS", 2)
    kendall_kernel(make_food(6, kind="ties", random_state=0).ranks)


@pytest.mark.parametrize(("module", "name"), LOOPS, ids=[name for _, name in LOOPS])
def test_loops_of_kernels_do_what_the_source_says(module, name, monkeypatch):
    loop = getattr(module, name)
    calls = []

    def both(*arguments):
        compare_with_source(loop, arguments)
        calls.append(arguments)

    monkeypatch.setattr(module, name, both)
    use_all(monkeypatch)
    assert calls


def test_each_person_is_drawn_for_the_unit_behind_them():
    owners, sizes, seeds, times = copy.deepcopy(CALLS[random_streams.draw_people])
    random_streams.draw_people(owners, sizes, seeds, times)
    assert_array_equal(times.sum(axis=1), sizes)
    assert_array_equal(times[:, 2], 0)


def test_unranked_items_are_closed_in_one_last_group():
    groups = np.array([[0, 1, 2, 2], [2, NOWHERE, 1, 0], [NOWHERE] * 4], np.uint32)
    partitions.close_rows(groups)
    assert_array_equal(groups, [[0, 1, 2, 2], [2, 3, 1, 0], [0, 0, 0, 0]])
