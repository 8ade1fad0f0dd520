"""Reciprocal rank fusion: one ranking of documents from those of several systems."""

from collections.abc import Hashable, Sequence

import numpy as np
from scipy.sparse import csr_array

from rankcut.errors import InputError
from rankcut.parameters import check_positive
from rankcut.rankings.ranking_set import RankingSet

# Cormack, Clarke and Büttcher's constant.
_RANK_CONSTANT = 60.0


def reciprocal_rank_fusion(X: Sequence[RankingSet], *, k: float = _RANK_CONSTANT) -> RankingSet:
    r"""Documents in the order of Σ 1/(k + rank) over systems, query by query.

    Parameters
    ----------
    X : sequence of RankingSet
        The runs of the systems: a row for each query, named by its id, an item for each document.
        What a run leaves out adds nothing.
    k : float, default=60
        The larger, the less the first places count more than others.

    Returns
    -------
    RankingSet
        The queries of all runs, with the rank of each document that some run lists.

    References
    ----------
    G. V. Cormack, C. L. A. Clarke, S. Büttcher. Reciprocal Rank Fusion Outperforms Condorcet and
    Individual Rank Learning Methods. SIGIR, 2009.

    Examples
    --------
    >>> import io
    >>> from rankcut import read_file
    >>> from rankcut.leaderboard import reciprocal_rank_fusion
    >>> bm25 = read_file(io.StringIO("q1 Q0 d1 1 9 a\nq1 Q0 d2 2 8 a\n"), "trec")
    >>> dense = read_file(io.StringIO("q1 Q0 d2 1 .9 b\nq1 Q0 d3 2 .5 b\n"), "trec")
    >>> fused = reciprocal_rank_fusion([bm25, dense])
    >>> dict(zip(fused.items, fused.dense()[0].tolist()))
    {'d1': 2.0, 'd2': 1.0, 'd3': 3.0}
    """
    k = check_positive(k, "k")
    if not X:
        raise InputError("there is no run to fuse", remedy="give one or more")
    if not all(isinstance(run, RankingSet) for run in X):
        raise InputError("a run is a RankingSet, as read_file makes of it", parameter="X")
    queries: dict[Hashable, int] = {}
    documents: dict[Hashable, int] = {}
    rows, columns, values = [], [], []
    for run in X:
        matrix = run.sparse().tocoo()
        names = [queries.setdefault(name, len(queries)) for name in run.row_names]
        items = [documents.setdefault(item, len(documents)) for item in run.items]
        rows.append(np.array(names, dtype=np.int64)[matrix.coords[0]])
        columns.append(np.array(items, dtype=np.int64)[matrix.coords[1]])
        values.append(1.0 / (k + matrix.data))
    shape = len(queries), len(documents)
    places = np.concatenate(rows), np.concatenate(columns)
    scores = csr_array((np.concatenate(values), places), shape=shape)
    scores.sum_duplicates()
    ranks = scores.copy()
    for row in range(shape[0]):
        part = slice(int(scores.indptr[row]), int(scores.indptr[row + 1]))
        ordered = np.sort(-scores.data[part])
        ranks.data[part] = 1 + np.searchsorted(ordered, -scores.data[part], side="left")
    return RankingSet(ranks, tuple(documents), ids=tuple(queries), unranked="last")
