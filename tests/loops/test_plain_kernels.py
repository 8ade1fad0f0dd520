"""The loops of the kernels against the plain Python they are compiled from."""

import copy
from contextlib import contextmanager

import numpy as np
import pytest
from tolerances import assert_does_the_same

from rankcut import make_food
from rankcut._loops import (
    partitions,
    permutations,
    position_weights,
    random_streams,
    signs,
)
from rankcut.kernels import (
    diffusion,
    diffusion_kernel,
    graph_cut,
    kendall,
    kendall_kernel,
    lovasz_bregman,
    lovasz_bregman_divergence,
    mallows,
    mallows_kernel,
    spearman_kernel,
    weighted_kendall,
    weighted_kendall_features,
    weighted_kendall_kernel,
)
from rankcut.rankings import value

LOOPS = [
    (value, "group_rows"),
    (graph_cut, "centred_positions"),
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
    (weighted_kendall, "forget_one_item"),
    (weighted_kendall, "expected_weights"),
    (weighted_kendall, "sum_corners"),
    (weighted_kendall, "average_weights"),
    (lovasz_bregman, "break_ties"),
    (lovasz_bregman, "add_gains"),
]


@contextmanager
def interpreted():
    """Loops that call others call their source, too."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (
            partitions,
            permutations,
            position_weights,
            random_streams,
            signs,
        ):
            for name, value in list(vars(module).items()):
                if hasattr(value, "py_func"):
                    patch.setattr(module, name, value.py_func)
        yield


def use_all(monkeypatch):
    monkeypatch.setattr(value, "FEW_ENTRIES", 0)
    for kind, unranked in (("full", "error"), ("ties", "error"), ("incomplete", "anywhere")):
        ranks = make_food(6, kind=kind, random_state=0).ranks
        options = {"unranked": unranked}
        spearman_kernel(ranks, **options)
        kendall_kernel(ranks, **options)
        mallows_kernel(ranks, n_draws=4, **options)
        diffusion_kernel(ranks, n_draws=4, **options)
        weighted_kendall_kernel(ranks, **options)
        weighted_kendall_features(ranks, **options)
        if unranked == "error":
            lovasz_bregman_divergence(-ranks, ranks)
    monkeypatch.setattr(kendall, "BIT_ITEMS", 2)
    kendall_kernel(make_food(6, kind="ties", random_state=0).ranks)


@pytest.mark.parametrize(("module", "name"), LOOPS, ids=[name for _, name in LOOPS])
def test_machine_code_does_what_the_source_says(module, name, monkeypatch):
    loop = getattr(module, name)
    calls = []

    def both(*arguments):
        plain = copy.deepcopy(arguments)
        loop(*arguments)
        # Scrambling numbers overflows on purpose.
        with np.errstate(over="ignore"), interpreted():
            loop.py_func(*plain)
        for machine, source in zip(arguments, plain, strict=True):
            if not isinstance(machine, tuple):  # a tuple is read only
                # Sums are over pairs of the eight items.
                assert_does_the_same(machine, source, 8**2)
        calls.append(arguments)

    monkeypatch.setattr(module, name, both)
    use_all(monkeypatch)
    assert calls
