"""Whatever rankings and weights people pass, they get an answer or an error of ours."""

import warnings
from contextlib import suppress

import numpy as np
import pytest
from scipy import sparse
from test_same_data import ANSWERS, FULL, ITEMS, LATER_FULL, LISTS, SLOW

from rankcut import RankingSet
from rankcut.errors import InputError

BLANK = np.where(np.arange(24)[:, None] % 3 > 0, LISTS, np.nan)
ODD = {
    "nobody ranks anything": np.full((24, 5), np.nan),
    "some rank nothing": BLANK,
    "all are tied": np.ones((24, 5)),
    "all say the same": np.tile(np.arange(5.0), (24, 1)),
    "first choices alone": np.where(FULL == 1, 1.0, np.nan),
    "one item": FULL[:, :1],
    "two items": FULL[:, :2],
    "an item of nobody": np.where(np.arange(5) == 2, np.nan, FULL),
    "huge ranks": FULL * 1e300,
    "tiny ranks": FULL * 1e-300,
    "an infinite rank": np.where(np.arange(24)[:, None] == 3, np.inf, FULL),
    "nothing stored": sparse.csr_array((24, 5)),
}
WEIGHTS = {
    "tiny": np.full(24, 1e-300),
    "huge": np.full(24, 1e300),
    "uneven": np.where(np.arange(24) % 3 > 0, 1.0, 1e12),
    "nothing beside others": np.where(np.arange(24) % 2 > 0, 1.0, 1e-300),
    "of one person": np.eye(24)[0],
    "of nobody": np.zeros(24),
    "unknown": np.full(24, np.nan),
    "words": np.full(24, "x"),
}
# What ours say of rankings that leave something open.
OPEN = ("Nobody ranks", "all vectors are 0", ".*nothing in common", "X does not have", "X has")


def answered(answer, *rankings, **how):
    """Look for an answer; what is refused is an error of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in OPEN:
            warnings.filterwarnings("ignore", message=message)
        values = {}
        with suppress(InputError):
            values = answer.of(*rankings, **how)
    for name, each in values.items():
        assert not np.isinf(np.asarray(each, dtype=float)).any(), name


EVERY_ANSWER = [
    pytest.param(answer, id=name, marks=[pytest.mark.slow] * (name in SLOW))
    for name, answer in ANSWERS.items()
]


@pytest.mark.parametrize("answer", EVERY_ANSWER)
def test_odd_rankings_have_an_answer_or_an_error(answer):
    how = {"unranked": answer.meanings[-1]} if answer.meanings else {}
    for ranks in ODD.values():
        n_items = ranks.shape[1]
        answered(answer, ranks, LATER_FULL[:, :n_items], **how)
        if n_items == len(ITEMS):
            answered(answer, RankingSet(FULL, ITEMS), ranks[:6], **how)


@pytest.mark.parametrize("answer", EVERY_ANSWER)
def test_odd_weights_have_an_answer_or_an_error(answer):
    how = {"unranked": answer.meanings[-1]} if answer.meanings else {}
    for weights in WEIGHTS.values():
        try:
            rankings = RankingSet(LISTS, ITEMS, weights=weights)
        except InputError:
            continue
        answered(answer, rankings, LATER_FULL, **how)
        if "sample_weight" in answer.parameters:
            answered(answer, LISTS, LATER_FULL, sample_weight=weights, **how)
