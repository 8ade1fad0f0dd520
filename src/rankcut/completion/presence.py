"""Who lists what: EASE, a linear model of what else a person would list.

With X the indicators of what people list, EASE (Steck, 2019) finds the matrix B that minimises
‖X − X·B‖² + λ‖B‖² with a diagonal of 0. With P = (XᵀX + λI)⁻¹, that is B_ij = −P_ij/P_jj. The
scores x·B of a list x say which items belong on it. If there are fewer lists than items, the same
scores come from the smaller inverse (XXᵀ + λI)⁻¹. λ is the one that recovers most of what is hidden
from held-out people. So is whether order counts: then the indicator of a listed item goes from 1½,
if it is first, to ½. If utilities recover more, presence does not count.

An item graph helps items in few lists: a share of a listed item counts for its neighbours as well,
and the score of an unlisted one gets a share of their mean score.
"""

from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, get_lapack_funcs
from scipy.sparse import csr_array, diags_array, eye_array, issparse
from scipy.special import ndtr

from rankcut._loops.linear_algebra import multiply_rows
from rankcut._loops.types import Floats
from rankcut.completion.lists import Lists, rescored, with_unlisted
from rankcut.completion.population import SHRINKAGE, AnyPopulation
from rankcut.graphs import CoListingGraph, ItemGraph
from rankcut.graphs.recipes import degree_scales
from rankcut.parameters import MOST_HELD, ROWS_AT_ONCE
from rankcut.saved_arrays import Saved

# λ to choose from: on all lists we have seen the best was from 100 to 300.
_PENALTIES = (30.0, 100.0, 300.0, 1000.0)

# The share of each list that is hidden from judges.
HIDDEN = 0.3


@dataclass(frozen=True, eq=False)
class Presence:
    """The scores x·G·(N·diag(s) + diag(1 − s))·T of a list x, with N = M or Xᵀ·M·X."""

    #: The weighted lists X, if they are in the formula
    rows: Annotated[csr_array | None, Saved("lists", "items")]
    matrix: Annotated[Any, Saved("lists", "lists")]  #: M, an array or csr_array
    scales: Annotated[Floats, Saved("items")]  #: s
    order: bool  #: whether first items count more than last ones
    #: G: how much of an item counts for itself, 1, and for its neighbours in a graph
    given: Annotated[csr_array, Saved("items", "items")]
    #: T: what an item takes from its own score, 1, and from those of its neighbours
    taken: Annotated[csr_array, Saved("items", "items")]

    def worth(self, lists: Lists) -> Floats:
        """How much each item belongs on each list; about 1 if all such people list it."""
        present = csr_array(listed_matrix(lists, order=self.order) @ self.given)
        scores = self._products(present) * self.scales + present.toarray() * (1.0 - self.scales)
        return np.asarray(scores @ self.taken)

    def _products(self, present: csr_array) -> Floats:
        """x·N for each list."""
        if self.rows is None:
            product = present @ self.matrix
            return np.asarray(product.toarray() if issparse(product) else product)
        inner = np.empty((present.shape[0], self.rows.shape[0]))
        multiply_rows((present @ self.rows.T).toarray(), self.matrix, inner)
        return np.asarray(inner @ self.rows)


def listed_matrix(lists: Lists, *, order: bool = False) -> csr_array:
    """Who lists what, as 0 and 1, or from 1½ for the first item to ½ for the last."""
    listed = lists.listed()
    # A normal score is Φ⁻¹ of how far from the end of its list an item is.
    values = 0.5 + ndtr(rescored(listed).scores) if order else np.ones(len(listed.items))
    return csr_array((values, listed.items, listed.starts), shape=(len(listed), listed.n_items))


def fit_presence(
    lists: Lists, penalty: float, *, order: bool, graph: ItemGraph | None = None
) -> Presence:
    """EASE with one penalty; each list counts as often as its count says."""
    rows = csr_array(diags_array(np.sqrt(lists.counts)) @ listed_matrix(lists, order=order))
    n_lists, n_items = rows.shape
    needed: csr_array | None = None
    if min(n_lists, n_items) ** 2 > MOST_HELD:
        # The inverse would take minutes, too: the nearest hundred neighbours of each item are used
        # instead, by the cosine of who lists them.
        near = CoListingGraph(n_neighbors=100).build_from(rows, sample_weight=lists.counts)
        matrix, scales = near.weights.to_csr(), np.ones(n_items)
    elif n_lists < n_items:
        inverse = _inverse((rows @ rows.T).toarray(), penalty)
        diagonal = np.ones(n_items)  # λ·P = I − Xᵀ(XXᵀ + λI)⁻¹X
        for start in range(0, n_lists, ROWS_AT_ONCE):
            some = slice(start, start + ROWS_AT_ONCE)
            diagonal -= np.asarray(rows[some].multiply(inverse[some] @ rows).sum(axis=0)).ravel()
        needed, matrix, scales = rows, inverse, 1.0 / diagonal
    else:
        # With M = I − λP, the formula is that of the other inverse.
        matrix = np.eye(n_items) - penalty * _inverse((rows.T @ rows).toarray(), penalty)
        scales = 1.0 / (1.0 - np.diag(matrix))
    given, taken = _neighbours(lists, graph)
    return Presence(needed, matrix, scales, order, given, taken)


def _inverse(gram: Floats, penalty: float) -> Floats:
    """(G + λI)⁻¹, in the memory of G."""
    gram[np.diag_indices(len(gram))] += penalty
    factor, lower = cho_factor(gram, overwrite_a=True, check_finite=False)
    (invert,) = get_lapack_funcs(("potri",), (factor,))
    half, _ = invert(factor, lower=lower, overwrite_c=True)
    upper = np.tril(half).T if lower else np.triu(half)
    return np.ascontiguousarray(upper + np.triu(upper, 1).T)


def _neighbours(lists: Lists, graph: ItemGraph | None) -> tuple[csr_array, csr_array]:
    """G and T: items in few lists give to their neighbours, and take from them.

    The share is s/(s + c) for an item in c lists. What is taken is scaled by how much more often
    the neighbours are listed, so that rare items do not crowd out popular ones.
    """
    alone = csr_array(eye_array(lists.n_items))
    if graph is None:
        return alone, alone
    listed = np.asarray(listed_matrix(lists).T @ lists.counts)
    means = diags_array(degree_scales(graph) ** 2) @ graph.weights.to_csr()
    shares = SHRINKAGE / (SHRINKAGE + listed)
    rarer = np.minimum(1.0, (1.0 + listed) / (1.0 + means @ listed))
    given = csr_array(alone + diags_array(shares) @ means)
    return given, csr_array(alone + (diags_array(shares * rarer) @ means).T)


def learn_presence(
    lists: Lists,
    judges: Lists,
    others: Lists,
    model: AnyPopulation,
    graph: ItemGraph | None,
    rng: np.random.Generator,
) -> Presence | None:
    """The presence that finds hidden items best, or None if utilities find more.

    ``judges`` are the people held out, and ``others`` the rest, from whom ``model`` was learned;
    ``rng`` draws what is hidden. All lists have listed items alone.
    """
    visible, gains = hide_listed(judges, rng)
    utilities = model.utilities(with_unlisted(visible, 1.0))
    best, best_fit = ndcg(utilities, visible, gains), None
    for order, penalty in product((False, True), _PENALTIES):
        fit = partial(fit_presence, penalty=penalty, order=order, graph=graph)
        recovered = ndcg(fit(others).worth(visible), visible, gains)
        if recovered > best:
            best, best_fit = recovered, fit
    return None if best_fit is None else best_fit(lists)


def hide_listed(lists: Lists, rng: np.random.Generator) -> tuple[Lists, Floats]:
    """What is shown of lists of three or more, and the gain of each item that is hidden.

    It goes from 1½ for the first item of a list to ½ for the last.
    """
    lists = lists.some(np.flatnonzero(lists.lengths > 2))
    hidden = rng.random(len(lists.items)) < HIDDEN
    gains = listed_matrix(lists, order=True)
    gains.data *= hidden
    return rescored(lists.kept(~hidden)), gains.toarray()


def ndcg(worth: Floats, visible: Lists, gains: Floats) -> float:
    """How early hidden items come among the unlisted: their gains over log₂(1 + place).

    Relative to the best order, and averaged over all who have a hidden item; 0 for nobody.
    """
    free = np.where(listed_items(visible), -np.inf, worth)
    discounts = 1.0 / np.log2(2.0 + np.arange(worth.shape[1]))
    order = np.argsort(-free, axis=1, kind="stable")
    reached = np.take_along_axis(gains, order, axis=1) @ discounts
    most = -np.sort(-gains, axis=1) @ discounts
    some = most > 0
    if not some.any():
        return 0.0
    return float(np.average(reached[some] / most[some], weights=visible.counts[some]))


def listed_items(lists: Lists) -> NDArray[np.bool_]:
    """Which items each person lists."""
    listed = np.zeros((len(lists), lists.n_items), dtype=bool)
    listed[lists.owners, lists.items] = lists.blurs == 0
    return listed


def best_unlisted(worth: Floats, listed: NDArray[np.bool_], n: int) -> NDArray[Any]:
    """The best n unlisted items of each person, best first; −1 where there are fewer.

    The first columns come first among equally good items.
    """
    worth = np.where(listed, -np.inf, worth)
    n = min(n, worth.shape[1])
    least = -np.partition(-worth, n - 1, axis=1)[:, n - 1 : n]
    equal = worth == least
    n_better = (worth > least).sum(axis=1, keepdims=True)
    among_best = (worth > least) | (equal & (equal.cumsum(axis=1) <= n - n_better))
    best = np.nonzero(among_best)[1].reshape(-1, n)
    values = np.take_along_axis(worth, best, axis=1)
    order = np.argsort(-values, axis=1, kind="stable")
    best = np.take_along_axis(best, order, axis=1)
    return np.where(np.isneginf(np.take_along_axis(values, order, axis=1)), -1, best)
