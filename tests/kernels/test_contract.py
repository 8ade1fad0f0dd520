"""What every kernel keeps, on all four kinds of rankings."""

import importlib
import pkgutil
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from tolerances import assert_rounds_to

from rankcut import GraphCutKernel, SimilarityGraph, kernels, make_food
from rankcut.kernels import (
    DiffusionKernel,
    GaussianKernel,
    KendallKernel,
    MallowsKernel,
    RBOKernel,
    SpearmanKernel,
    WeightedKendallKernel,
)

# What encodes rankings, some rows at a time.
ENCODINGS = {
    thing
    for module in pkgutil.iter_modules(kernels.__path__, "rankcut.kernels.")
    for thing in vars(importlib.import_module(module.name)).values()
    if isinstance(thing, type) and hasattr(thing, "side")
}
N_ITEMS = 8
FOOD = make_food(2, random_state=0)
GRAPH = SimilarityGraph(FOOD.item_features).build()

KERNELS = {
    "graph cut": partial(GraphCutKernel, graph=GRAPH),
    "Spearman": SpearmanKernel,
    "Kendall": KendallKernel,
    "average Kendall": WeightedKendallKernel,
    "top-k Kendall": partial(WeightedKendallKernel, weights="top-k", k=4),
    "additive Kendall": partial(WeightedKendallKernel, weights="additive"),
    "multiplicative Kendall": partial(WeightedKendallKernel, weights="multiplicative"),
    "Mallows": partial(MallowsKernel, n_draws=60),
    "diffusion": DiffusionKernel,
    "Gaussian": GaussianKernel,
    # What is not ranked is not on the list, whatever that means.
    "overlap": lambda unranked="error", **options: RBOKernel(**options),
}
# A reversed ranking has the opposite vector.
ODD = ["graph cut", "Spearman", "Kendall"]
# Reversing both rankings changes nothing.
EVEN = [*ODD, "Mallows", "diffusion", "Gaussian"]
POLICY = {"full": "error", "ties": "error", "top-k": "last", "incomplete": "anywhere"}


def rankings(kind, n_rankings=30, seed=1):
    """Rankings of 8 items, two of them equal. Each has few enough completions to be exact."""
    if kind == "top-k":
        ranks = make_food(n_rankings, kind=kind, k=4, random_state=seed).ranks
    elif kind == "ties":
        ranks = make_food(n_rankings, kind=kind, merges=3, random_state=seed).ranks
    elif kind == "incomplete":
        ranks = make_food(n_rankings, kind=kind, dropped=(0, 2), random_state=seed).ranks
    else:
        ranks = make_food(n_rankings, random_state=seed).ranks
    ranks[-1] = ranks[0]
    return ranks


def gram(name, kind, x=None, y=None, *, out=None, dtype=None, **options):
    x = rankings(kind) if x is None else x
    return KERNELS[name](unranked=POLICY[kind], **options).gram(x, y, out=out, dtype=dtype)


@pytest.fixture(params=KERNELS)
def name(request):
    return request.param


@pytest.fixture(params=POLICY)
def kind(request, name):
    if name == "diffusion" and request.param != "full":
        pytest.skip("the diffusion kernel is for full rankings")
    return request.param


def test_each_encoding_is_found():
    assert {"Features", "GraphCutVectors"} <= {encoding.__name__ for encoding in ENCODINGS}


def test_is_symmetric_and_positive_semi_definite(name, kind):
    for normalize in (False, True):
        got = gram(name, kind, normalize=normalize)
        assert_array_equal(got, got.T)
        eigenvalues = np.linalg.eigvalsh(got)
        assert eigenvalues[0] > -1e-13 * eigenvalues[-1]
        assert eigenvalues[-1] > 0


def test_equal_rankings_are_alike(name, kind):
    got = gram(name, kind)
    # Products of vectors of at most n² coordinates; BLAS may add them in another order.
    assert_rounds_to(got[-1], got[0], n_terms=N_ITEMS**2, size=got[0, 0])


def test_normalized_is_1_on_the_diagonal_and_at_most_1_elsewhere(name, kind):
    plain, unit = gram(name, kind), gram(name, kind, normalize=True)
    norms = np.sqrt(np.diag(plain))
    assert_allclose(unit, plain / np.outer(norms, norms), rtol=1e-12, atol=1e-13)
    assert_allclose(np.diag(unit), 1, rtol=1e-13)
    assert np.abs(unit).max() < 1 + 1e-13


def test_relabelling_the_items_changes_nothing(name, kind):
    ranks = rankings(kind)
    order = np.random.default_rng(0).permutation(N_ITEMS)
    options = {}
    if name == "graph cut":
        options["graph"] = GRAPH.to_dense()[np.ix_(order, order)]
    got = gram(name, kind, ranks[:, order], **options)
    assert_allclose(got, gram(name, kind, ranks), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("name", EVEN)
def test_reversed_rankings(name):
    for kind in ("full", "ties") if name != "diffusion" else ("full",):
        ranks = rankings(kind)
        got = gram(name, kind, -ranks)
        assert_allclose(got, gram(name, kind, ranks), rtol=1e-11, atol=1e-12)
        if name in ODD:
            assert_allclose(gram(name, kind, ranks, -ranks), -got, rtol=1e-11, atol=1e-12)


def test_blocks_agree_with_the_whole(name, kind):
    ranks = rankings(kind)
    whole = gram(name, kind, ranks)
    tolerance = {"rtol": 1e-12, "atol": 1e-14 * whole.max()}
    assert_allclose(gram(name, kind, ranks[:7], ranks[7:]), whole[:7, 7:], **tolerance)
    assert_allclose(gram(name, kind, ranks[7:], ranks[:7]), whole[7:, :7], **tolerance)
    for row in (0, 20):
        alone = ranks[row : row + 1]
        assert_allclose(gram(name, kind, alone), whole[row : row + 1, row : row + 1], **tolerance)


def test_full_rankings_beside_others(name, kind):
    full, others = rankings("full"), rankings(kind)
    both = gram(name, kind, np.vstack([full, others]))
    got = gram(name, kind, full, others)
    assert_allclose(got, both[:30, 30:], rtol=1e-12, atol=1e-14 * both.max())
    alone = gram(name, "full", full)
    assert_allclose(alone, both[:30, :30], rtol=1e-12, atol=1e-14 * both.max())


@pytest.mark.parametrize("mirrored", [True, False])
def test_many_blocks_are_the_same_bits_in_any_number_of_threads(name, kind, mirrored, monkeypatch):
    ranks = rankings(kind, 40)
    other = None if mirrored else ranks[5:30]
    whole = gram(name, kind, ranks, other)
    for encoding in ENCODINGS:
        monkeypatch.setattr(encoding, "side", 16)
    one = gram(name, kind, ranks, other)
    two = gram(name, kind, ranks, other, n_jobs=2)
    assert_array_equal(one, two)
    assert_allclose(one, whole, rtol=1e-12, atol=1e-14 * whole.max())
    unit = gram(name, kind, ranks, other, normalize=True, n_jobs=2)
    monkeypatch.undo()
    expected = gram(name, kind, ranks, other, normalize=True)
    assert_allclose(unit, expected, rtol=1e-12, atol=1e-14)


def test_types(name, kind):
    ranks = rankings(kind)
    double = gram(name, kind, ranks)
    assert double.dtype == np.float64
    single = gram(name, kind, ranks, dtype=np.float32)
    assert single.dtype == np.float32
    assert gram(name, kind, ranks.astype(np.float32)).dtype == np.float32
    assert_allclose(single, double, rtol=1e-5, atol=1e-5 * double.max())
    with pytest.raises(ValueError, match="must be float32 or float64; got int64"):
        gram(name, kind, ranks, dtype=np.int64)


def test_into_an_array_or_a_file(name, kind, tmp_path):
    ranks = rankings(kind)
    expected = gram(name, kind, ranks)
    room = np.full((40, 40), np.nan)
    out = room[5:35, 5:35]
    assert gram(name, kind, ranks, out=out) is out
    assert_array_equal(out, expected)
    assert np.isnan(room[:5]).all()
    assert np.isnan(room[:, 35:]).all()
    file = np.memmap(tmp_path / "gram", dtype=np.float32, mode="w+", shape=(30, 30))
    assert gram(name, kind, ranks, out=file) is file
    assert_array_equal(file, gram(name, kind, ranks, dtype=np.float32))


def test_an_array_that_does_not_fit(name):
    ranks = rankings("full")
    with pytest.raises(ValueError, match=r"out has shape \(3, 3\).*np.empty\(\(30, 30\)"):
        gram(name, "full", ranks, out=np.empty((3, 3)))
    with pytest.raises(ValueError, match=r"out has shape .* and dtype float64"):
        gram(name, "full", ranks, out=np.empty((30, 30)), dtype=np.float32)


def test_frames_and_sparse_matrices(name, kind, frames):
    ranks = rankings(kind)
    expected = gram(name, kind, ranks)
    frame = frames.DataFrame({item: ranks[:, i] for i, item in enumerate(FOOD.item_names)})
    others = frames.DataFrame({f"no {item}": frame[item] for item in FOOD.item_names})
    with pytest.raises(ValueError, match="the items of these rankings and of those of X do not"):
        gram(name, kind, frame, others)
    stored = gram(name, kind, sparse.csr_array(np.nan_to_num(ranks)))
    if name == "Spearman":
        # Vectors that stay sparse are added up in another order.
        assert_rounds_to(stored, expected, n_terms=N_ITEMS**2, size=expected.max())
    else:
        assert_array_equal(stored, expected)


@pytest.mark.parametrize("name", [name for name in KERNELS if name != "overlap"])
def test_errors_name_the_row_and_the_item_and_the_remedy(name):
    ranks = rankings("full")
    ranks[17, 3] = np.nan
    kernel = KERNELS[name]
    for arguments in ((ranks,), (rankings("full"), ranks)):
        with pytest.raises(ValueError, match=r'row 17: item 3 is not ranked.*unranked="last"'):
            kernel()(*arguments)
        with pytest.raises(ValueError, match=r"row 17: item 'pizza' is not ranked"):
            kernel(items=["a", "b", "c", "pizza", "e", "f", "g", "h"])(*arguments)
    ranks[17, 3] = np.inf
    with pytest.raises(ValueError, match="row 17: item 3 has rank inf"):
        kernel(unranked="anywhere")(ranks)
    with pytest.raises(ValueError, match="X ranks 8 items and Y ranks 3"):
        kernel()(rankings("full"), [[1, 2, 3]])
    with pytest.raises(ValueError, match='unranked must be "error", "last" or "anywhere"'):
        kernel(unranked="first")(ranks)


@pytest.mark.parametrize("name", [n for n in KERNELS if n not in ("graph cut", "diffusion")])
def test_one_or_two_items_and_nothing_ranked(name):
    options = {"k": 1} if name == "top-k Kendall" else {}
    for ranks in ([[1.0]], [[1, 1]], [[np.nan, np.nan, np.nan]]):
        for normalize in (False, True):
            got = KERNELS[name](unranked="anywhere", normalize=normalize, **options)(ranks)
            assert got.shape == (1, 1)
            assert np.isfinite(got).all()
            assert got >= 0
