"""The compiled loops of set functions against the plain Python they are compiled from."""

import numpy as np
import pytest
from tolerances import assert_rounds_to

from rankcut._loops import set_increments
from rankcut.rankings.value import Partitions

N = 7
RNG = np.random.default_rng(0)
CHAINS = [
    [[int(i)] for i in RNG.permutation(N)],
    [[3, 1], [0], [2, 6, 4], [5]],
    [[6], [0], [1, 2, 3, 4, 5]],
    [list(range(N))],
]
STARTS = np.array([0, 2, 3, 3, 5, 6, 8, 9], dtype=np.uint32)
ENTRIES = np.array([0, 3, 1, 0, 2, 1, 2, 3, 2], dtype=np.uint32)
SIZES = np.bincount(ENTRIES).astype(np.int32)
FACTOR = RNG.standard_normal((N, N + 1))

LOOPS = {
    "cardinality": (set_increments.cardinality_increments, (np.arange(N + 1.0) ** 0.5,)),
    "modular": (set_increments.modular_increments, (RNG.random(N),)),
    "hypergraph": (set_increments.hypergraph_increments, (STARTS, ENTRIES, SIZES, RNG.random(4))),
    "coverage": (set_increments.coverage_increments, (STARTS, ENTRIES, RNG.random(4), 2.0)),
    "facility": (set_increments.facility_increments, (RNG.random((N, 5)), 4.0)),
    "log-determinant": (set_increments.log_determinant_increments, (FACTOR @ FACTOR.T, 1.0)),
}


@pytest.mark.parametrize("name", LOOPS)
def test_compiled_equals_plain(name):
    loop, inputs = LOOPS[name]
    block = Partitions.of_groups(CHAINS, N)
    where = (block.chains,)
    if name == "cardinality":
        where = (block.ends, block.n_groups)
    machine, plain = np.zeros((2, len(CHAINS), N))
    loop(*where, *inputs, machine)
    loop.py_func(*where, *inputs, plain)
    assert np.count_nonzero(machine) > N
    # Sums of at most N·(N + 1) terms; a determinant by Cholesky's method as well.
    assert_rounds_to(machine, plain, N * (N + 1), np.abs(plain).sum())
