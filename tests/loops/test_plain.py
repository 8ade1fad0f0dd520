"""Compiled loops against the plain Python they are compiled from, in all that uses them."""

import copy
import importlib
import pkgutil
from collections import Counter
from contextlib import contextmanager

import numpy as np
import pytest
from functions import make_case
from maps import flat_vectors
from numpy.testing import assert_array_equal
from ranking_sets import stored
from tolerances import assert_does_the_same

from rankcut import (
    Consensus,
    GPClassifier,
    NeighborGraph,
    RankingBlocs,
    RankingCompleter,
    RankingRegressor,
    SubmodularFeatures,
    _loops,
    kernels,
    make_food,
)
from rankcut._loops import partitions, random_streams
from rankcut._loops.partitions import NOWHERE
from rankcut.blocs import mixtures
from rankcut.completion import population, recipe
from rankcut.consensus import kemeny, methods
from rankcut.cuts import completions, cut_functions, families, feature_map
from rankcut.gp import gaussian
from rankcut.graphs import weights
from rankcut.kernels import diffusion, kendall, mallows
from rankcut.label_ranking import models, scores
from rankcut.rankings import partitions as blocks
from rankcut.rankings import value

FOOD = make_food(6, random_state=0)
GRAPH = NeighborGraph(FOOD.item_features, n_neighbors=3).build()
USERS = [mixtures, kemeny, methods, completions, cut_functions, families, feature_map, gaussian]
USERS += [diffusion, kendall, mallows, models, population, scores, blocks, value, weights]


def loops_of(module):
    return {name: loop for name, loop in vars(module).items() if hasattr(loop, "py_func")}


@contextmanager
def interpreted():
    """Loops that call others call their source, too."""
    with pytest.MonkeyPatch.context() as patch:
        for module in pkgutil.iter_modules(_loops.__path__, "rankcut._loops."):
            module = importlib.import_module(module.name)
            for name, loop in loops_of(module).items():
                patch.setattr(module, name, loop.py_func)
        yield


def arrays_in(thing):
    """The arrays and numbers of arguments or results, those of tuples too."""
    if isinstance(thing, tuple):
        for part in thing:
            yield from arrays_in(part)
    elif thing is not None:
        yield np.asarray(thing)


def compare_with_source(loop, arguments):
    """Call both on copies of the arguments; sums are over up to 64 terms."""
    plain = copy.deepcopy(arguments)
    found = loop(*arguments)
    # Scrambling numbers overflows on purpose.
    with np.errstate(over="ignore"), interpreted():
        said = loop.py_func(*plain)
    pairs = zip(arrays_in((found, *arguments)), arrays_in((said, *plain)), strict=True)
    for machine, source in pairs:
        assert_does_the_same(machine, source, 8**2)
    return found


def use_all(patch):
    """Call what needs the loops, with rankings of each kind."""
    for module in (methods, value):
        patch.setattr(module, "FEW_ENTRIES", 0)
    for kind, unranked in (("full", "error"), ("ties", "error"), ("incomplete", "anywhere")):
        ranks = make_food(6, kind=kind, random_state=0).ranks
        options = {"unranked": unranked}
        kernels.KendallKernel(**options)(ranks)
        kernels.MallowsKernel(n_draws=4, **options)(ranks)
        kernels.WeightedKendallKernel(**options)(ranks)
        kernels.WeightedKendallKernel("additive", **options)(ranks)
        for algorithm in ("table", "dense", "sparse"):
            flat_vectors(ranks, GRAPH, algorithm=algorithm, normalize=True, **options)
        for method in ("exact", "closed_form"):
            flat_vectors(ranks, GRAPH, completions=method, **options)
            flat_vectors(stored(ranks), GRAPH, completions=method, **options)
        flat_vectors(ranks, GRAPH, completions="sampled", n_draws=8, **options)
        for family in ("concave of cardinality", "coverage", "gaussian entropy", "modular"):
            SubmodularFeatures(make_case(family, 8, 0).function, **options).fit_transform(ranks)
        for method in ("borda", "kemeny"):
            Consensus(method, n_bootstraps=20, **options).fit(ranks)
    flat_vectors(stored(ranks), GRAPH, unranked="last")
    # Whole numbers, whose sums are exact; there are circles among them.
    gains = np.triu(np.random.default_rng(3).integers(-9, 10, size=(6, 6)), 1)
    kemeny.improve_order((gains - gains.T).astype(float), np.arange(6)[::-1].copy())
    weights.Weights(GRAPH.to_dense()).multiply(FOOD.ranks)
    kernels.DiffusionKernel()(FOOD.ranks)
    GPClassifier().fit(FOOD.ranks, FOOD.target)
    RankingBlocs(2).fit(FOOD.ranks)
    scores.kendall_score(FOOD.ranks, FOOD.ranks[::-1])
    patch.setattr(models, "_TREES", 2)
    RankingRegressor().fit(FOOD.ranks[:, :2], FOOD.ranks).predict(FOOD.ranks[:, :2])
    for most in (recipe.FULL_ITEMS, 0):
        patch.setattr(recipe, "FULL_ITEMS", most)
        RankingCompleter().fit(FOOD.ranks).predict_pairs(FOOD.ranks)
    patch.setattr(kendall, "BIT_ITEMS", 2)
    kernels.KendallKernel()(make_food(6, kind="ties", random_state=0).ranks)


def test_machine_code_does_what_the_source_says(monkeypatch):
    called = Counter()

    def compared(module, name, loop):
        def call(*arguments):
            called[name] += 1
            # The source takes its time: of many calls, the first ones and some of the others.
            both = called[name] < 10 or called[name] % 16 == 0
            return compare_with_source(loop, arguments) if both else loop(*arguments)

        return call

    wanted = {name for module in USERS for name in loops_of(module)}
    for module in USERS:
        for name, loop in loops_of(module).items():
            monkeypatch.setattr(module, name, compared(module, name, loop))
    use_all(monkeypatch)
    assert set(called) == wanted


def test_each_person_is_drawn_for_the_unit_behind_them():
    owners, sizes = np.array([0, 0, 1, 3], np.uint32), np.array([4, 7, 0])
    times = np.full((3, 4), np.nan)
    random_streams.draw_people(owners, sizes, np.array([0, 2**64 - 1, 12345], np.uint64), times)
    assert_array_equal(times.sum(axis=1), sizes)
    assert_array_equal(times[:, 2], 0)


def test_unranked_items_are_closed_in_one_last_group():
    groups = np.array([[0, 1, 2, 2], [2, NOWHERE, 1, 0], [NOWHERE] * 4], np.uint32)
    partitions.close_rows(groups)
    assert_array_equal(groups, [[0, 1, 2, 2], [2, 3, 1, 0], [0, 0, 0, 0]])
