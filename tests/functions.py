"""Random set functions of every family, each with its definition written out for single sets."""

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from strategies import partitions

from rankcut import ItemGraph
from rankcut.cuts import (
    Complement,
    ConcaveOfCardinality,
    Coverage,
    Entropy,
    FromCallable,
    GaussianEntropy,
    GraphCut,
    Modular,
)
from rankcut.graphs import Weights


@dataclass(frozen=True)
class Case:
    """A set function, and the same by its definition."""

    function: Any
    value: Any
    n: int

    @property
    def scale(self):
        """The largest value of any set, what rounding is measured by; 1 if all values are 0."""
        return max(abs(self.value(subset)) for subset in subsets(self.n)) or 1.0


def subsets(n):
    return [frozenset(i for i in range(n) if mask >> i & 1) for mask in range(1 << n)]


def random_weights(rng, n):
    upper = np.triu(rng.exponential(size=(n, n)) * (rng.random((n, n)) < 0.7), 1)
    return upper + upper.T


def cut_by_definition(weights):
    return lambda items: oracles.cut(weights, items)


def graph_cut(algorithm):
    def make(rng, n):
        weights = random_weights(rng, n)
        return GraphCut(weights, algorithm), cut_by_definition(weights)

    return make


def complete_cut(rng, n):
    return GraphCut(ItemGraph.complete(n)), lambda items: len(items) * (n - len(items))


def structured_cut(rng, n):
    """A constant, and a sparse part that is negative."""
    sparser = random_weights(rng, n) * (rng.random((n, n)) < 0.5)
    matrix = np.triu(sparser, 1) + np.triu(sparser, 1).T
    constant = float(matrix.max())
    weights = np.where(np.eye(n) == 1, 0.0, constant - matrix)
    parts = Weights(sparse.csr_array(-matrix), constant)
    return GraphCut(ItemGraph(parts, n), "sparse"), cut_by_definition(weights)


def concave_of_cardinality(rng, n):
    steps = np.sort(rng.standard_normal(n))[::-1]
    values = np.concatenate([[0.0], np.cumsum(steps)])
    return ConcaveOfCardinality(values), lambda items: values[len(items)]


def coverage(rng, n):
    covers = [set(rng.choice(list("abcdefg"), rng.integers(0, 5)).tolist()) for _ in range(n)]
    weights = dict(zip("abcdefg", rng.exponential(size=7).tolist(), strict=True))

    def value(items):
        return sum(weights[u] for u in set().union(*(covers[i] for i in items)))

    return Coverage(covers, weights), value


def entropy(rng, n):
    table = rng.integers(0, 3, (12, n))
    table[:, n // 2] = table[:, 0]

    def value(items):
        counts = Counter(tuple(row[sorted(items)].tolist()) for row in table)
        return -sum(count / 12 * np.log(count / 12) for count in counts.values())

    return Entropy(table), value


def gaussian_entropy(rng, n):
    factor = rng.standard_normal((n, n + 1))
    covariance = factor @ factor.T / n + 0.1 * np.eye(n)

    def value(items):
        chosen = sorted(items)
        part = 2 * np.pi * np.e * covariance[np.ix_(chosen, chosen)]
        return 0.5 * np.linalg.slogdet(part)[1]

    return GaussianEntropy(covariance), value


def mutual_information(rng, n):
    function, entropy = gaussian_entropy(rng, n)
    everything = frozenset(range(n))
    return (
        function + Complement(function),
        lambda items: entropy(items) + entropy(everything - items) - entropy(everything),
    )


def modular(rng, n):
    weights = rng.standard_normal(n)
    return Modular(weights), lambda items: sum(weights[i] for i in items)


def sum_of_functions(rng, n):
    f, g, h = (make(rng, n) for make in (coverage, graph_cut("auto"), modular))
    return f[0] + g[0] + h[0], lambda items: f[1](items) + g[1](items) + h[1](items)


def multiple(rng, n):
    function, value = coverage(rng, n)
    return 2.5 * function, lambda items: 2.5 * value(items)


def complement(rng, n):
    function, value = coverage(rng, n)
    everything = frozenset(range(n))
    return Complement(function), lambda items: value(everything - items) - value(everything)


def root_of_sum(weights, items):
    """√(Σ w_i): a concave function of a modular one."""
    return np.sqrt(sum(weights[i] for i in items))


def from_callable(rng, n):
    root = partial(root_of_sum, rng.exponential(size=n))
    return FromCallable(root, n), root


FAMILIES = {
    "complete cut": complete_cut,
    "cut by table": graph_cut("table"),
    "dense cut": graph_cut("dense"),
    "sparse cut": graph_cut("sparse"),
    "structured cut": structured_cut,
    "concave of cardinality": concave_of_cardinality,
    "coverage": coverage,
    "entropy": entropy,
    "gaussian entropy": gaussian_entropy,
    "mutual information": mutual_information,
    "modular": modular,
    "sum": sum_of_functions,
    "multiple": multiple,
    "complement": complement,
    "callable": from_callable,
}
# One of each class: for what follows from the values alone, it does not matter how a cut computes
# them, nor what a sum is made of.
KINDS = [
    *("dense cut", "structured cut", "concave of cardinality", "coverage", "entropy"),
    *("gaussian entropy", "mutual information", "modular", "complement", "callable"),
]
CUTS = ["complete cut", "cut by table", "dense cut", "sparse cut", "structured cut"]


def make_case(family, n, seed):
    function, value = FAMILIES[family](np.random.default_rng(seed), n)
    return Case(function, value, n)


@st.composite
def cases(draw, family, least=1, most=5):
    """A random function of a family."""
    n = draw(st.integers(least, most))
    return make_case(family, n, draw(st.integers(0, 2**32 - 1)))


@st.composite
def cases_and_partitions(draw, family, least=1, most=5):
    """A random function, and an ordered partition of its items."""
    case = draw(cases(family, least, most))
    return case, draw(partitions(case.n))


few = settings(max_examples=settings().max_examples // 5)


def of_each(families):
    """A property of functions of each family, drawn from ``data``; a fifth of the usual number."""

    def decorate(test):
        return pytest.mark.parametrize("family", families)(few(given(data=st.data())(test)))

    return decorate
