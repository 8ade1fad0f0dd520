"""Reciprocal rank fusion of retrieval runs."""

import io

import numpy as np
import pytest

from rankcut import read_file
from rankcut.errors import InputError
from rankcut.leaderboard import reciprocal_rank_fusion


def made_run(rng, name, queries):
    lines = []
    for query in queries:
        documents = rng.permutation(12)[: rng.integers(3, 9)]
        scores = np.sort(rng.random(len(documents)))[::-1]
        lines += [
            f"{query} Q0 d{document} {place} {score:.6f} {name}"
            for place, (document, score) in enumerate(zip(documents, scores, strict=True), start=1)
        ]
    return "\n".join(lines) + "\n"


def test_fusion_adds_reciprocal_ranks():
    rng = np.random.default_rng(0)
    texts = [made_run(rng, "a", ["q1", "q2"]), made_run(rng, "b", ["q2", "q3"])]
    fused = reciprocal_rank_fusion([read_file(io.StringIO(text), "trec") for text in texts], k=10)
    totals = {}
    for text in texts:
        for line in text.splitlines():
            query, _, document, place, *_ = line.split()
            key = query, document
            totals[key] = totals.get(key, 0.0) + 1 / (10 + int(place))
    ranks = fused.dense()
    for row, query in enumerate(fused.ids):
        own = {d: total for (q, d), total in totals.items() if q == query}
        found = {
            d: rank for d, rank in zip(fused.items, ranks[row], strict=True) if not np.isnan(rank)
        }
        assert found.keys() == own.keys()
        for document, total in own.items():
            assert found[document] == 1 + sum(other > total + 1e-12 for other in own.values())


def test_mistakes():
    with pytest.raises(InputError, match="no run to fuse"):
        reciprocal_rank_fusion([])
    with pytest.raises(InputError, match="k must be"):
        reciprocal_rank_fusion([None], k=0)
