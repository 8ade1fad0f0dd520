"""How long rank-biased overlap takes: a million pairs of lists of 100 items.

Run with: python benchmarks/overlap.py

Processor time of one thread. Beside it, the definition in plain Python, depth by depth, scaled from
a few pairs; both give the same numbers.
"""

import time

import numpy as np
from scipy import sparse
from tables import print_table

from rankcut.kernels import rbo_kernel

N_LISTS, LENGTH, FEW, P = 1000, 100, 20, 0.9


def main() -> None:
    rows = []
    for n_items in (100, 1_000, 100_000):
        left, right = lists(n_items, 0), lists(n_items, 1)
        rbo_kernel(left[:2], right[:2], n_jobs=1)
        start = time.process_time()
        gram = rbo_kernel(left, right, p=P, n_jobs=1)
        ours = time.process_time() - start
        start = time.process_time()
        expected = [[by_definition(left[[r]], right[[c]]) for c in range(FEW)] for r in range(FEW)]
        plain = (time.process_time() - start) * (N_LISTS / FEW) ** 2
        difference = np.abs(gram[:FEW, :FEW] - expected).max()
        rows.append(
            [
                f"{n_items:,}",
                f"{ours:.2f} s",
                f"{plain:,.0f} s",
                f"{plain / ours:,.0f}",
                f"{difference:.0e}",
            ]
        )
    print_table(
        f"{N_LISTS:,} × {N_LISTS:,} lists of {LENGTH} items, p = {P}",
        ["items", "rbo_kernel", "plain Python (scaled)", "ratio", "largest difference"],
        rows,
    )


def lists(n_items, seed):
    """Random untied lists as CSR ranks."""
    rng = np.random.default_rng(seed)
    items = [np.sort(rng.choice(n_items, LENGTH, replace=False)) for _ in range(N_LISTS)]
    ranks = [rng.permutation(LENGTH) + 1.0 for _ in range(N_LISTS)]
    starts = np.arange(0, N_LISTS * LENGTH + 1, LENGTH)
    return sparse.csr_array(
        (np.concatenate(ranks), np.concatenate(items), starts), shape=(N_LISTS, n_items)
    )


def by_definition(left, right):
    """(1 − p)·Σ_d p^(d−1)·overlap_d/d; beyond both ends the overlap stays as it is."""
    first, second = (row.indices[np.argsort(row.data)].tolist() for row in (left, right))
    seen, others, common, total, weight = set(), set(), 0, 0.0, 1.0 - P
    for depth in range(1, 500):
        if depth <= LENGTH:
            a, b = first[depth - 1], second[depth - 1]
            common += 1 if a == b else (a in others) + (b in seen)
            seen.add(a)
            others.add(b)
        total += weight * common / depth
        weight *= P
    return total


if __name__ == "__main__":
    main()
