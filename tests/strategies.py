"""Random graphs and rankings for property tests."""

import numpy as np
from hypothesis import strategies as st


@st.composite
def weight_matrices(draw, n_items):
    """Symmetric weights, some of them zero, over a range of scales."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    density = draw(st.sampled_from([0.0, 0.2, 0.6, 1.0]))
    scale = draw(st.sampled_from([1e-12, 1.0, 1e12]))
    upper = np.triu(rng.exponential(size=(n_items, n_items)), 1)
    upper *= rng.random((n_items, n_items)) < density
    return scale * (upper + upper.T)


@st.composite
def partitions(draw, n_items):
    """An ordered partition, best group first."""
    items = draw(st.permutations(range(n_items)))
    breaks = draw(st.lists(st.booleans(), min_size=n_items - 1, max_size=n_items - 1))
    groups = [[items[0]]]
    for item, new in zip(items[1:], breaks, strict=True):
        if new:
            groups.append([item])
        else:
            groups[-1].append(item)
    return groups


@st.composite
def graphs_and_partitions(draw, least=1, most=9):
    """A weight matrix and an ordered partition of its items."""
    n_items = draw(st.integers(least, most))
    return draw(weight_matrices(n_items)), draw(partitions(n_items))


def ranks_of(groups, n_items):
    """The row of a rank matrix; items in no group are NaN."""
    row = np.full(n_items, np.nan)
    for rank, group in enumerate(groups, start=1):
        row[list(group)] = rank
    return row


@st.composite
def incomplete_cases(draw, least=1, most=6):
    """A weight matrix and a row of ranks that leaves out some items, or all, or none."""
    weights, groups = draw(graphs_and_partitions(least, most))
    row = ranks_of(groups, len(weights))
    row[draw(st.lists(st.sampled_from(range(len(row))), unique=True))] = np.nan
    return weights, row
