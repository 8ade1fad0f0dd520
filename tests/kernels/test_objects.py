"""Kernel objects as kernel= of scikit-learn's models, with and without unranked items."""

import pickle

import numpy as np
import pytest
import sklearn
from kernels.test_contract import KERNELS as MAKERS
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import KernelPCA
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import ConstantKernel, WhiteKernel
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from rankcut import (
    KendallKernel,
    MallowsKernel,
    SimilarityGraph,
    make_food,
)
from rankcut.kernels import (
    DiffusionKernel,
)

FOOD = make_food(60, noise=0.3, random_state=0)
INCOMPLETE = make_food(60, kind="incomplete", dropped=2, noise=0.3, random_state=0)
GRAPH = SimilarityGraph(FOOD.item_features)
# Those that are told what unranked items mean.
KERNELS = {name: make() for name, make in MAKERS.items() if name != "overlap"}


@pytest.fixture(params=KERNELS)
def name(request):
    return request.param


@pytest.fixture(params=[False, True])
def normalize(request):
    return request.param


@pytest.fixture
def kernel(name, normalize):
    return clone(KERNELS[name]).set_params(normalize=normalize)


def test_the_diagonal_and_some_rows(name, kernel):
    for food in (FOOD,) if name == "diffusion" else (FOOD, INCOMPLETE):
        kernel.set_params(unranked="anywhere")
        whole = kernel(food.ranks)
        assert_allclose(kernel(food.ranks[:5], food.ranks), whole[:5], rtol=1e-12, atol=1e-12)
        assert_allclose(kernel.diag(food.ranks), np.diag(whole), rtol=1e-12)


def test_copies_and_comparison(kernel, normalize):
    for copy in (clone(kernel), pickle.loads(pickle.dumps(kernel))):
        assert_array_equal(copy(FOOD.ranks), kernel(FOOD.ranks))
        assert copy.get_params().keys() == kernel.get_params().keys()
    assert not kernel.is_stationary()
    assert ("normalize=True" in repr(kernel)) == normalize


@pytest.mark.parametrize("food", [FOOD, INCOMPLETE], ids=["full", "incomplete"])
class TestInModels:
    """NaN passes SVC, and others if they are told that X is checked, as the documentation says."""

    @pytest.fixture
    def kernel(self, name, food):
        if name == "diffusion" and food is INCOMPLETE:
            pytest.skip("the diffusion kernel is for full rankings")
        kernel = clone(KERNELS[name]).set_params(unranked="anywhere", normalize=True)
        if kernel.n_dims:
            kernel.set_params(**{f"{kernel.hyperparameters[0].name}_bounds": "fixed"})
        return kernel

    def test_support_vector_machines(self, kernel, food):
        model = SVC(kernel=kernel).fit(food.ranks[:40], food.target[:40])
        assert model.score(food.ranks[40:], food.target[40:]) >= 0.7
        gram = SVC(kernel="precomputed").fit(kernel(food.ranks[:40]), food.target[:40])
        expected = gram.decision_function(kernel(food.ranks[40:], food.ranks[:40]))
        assert_allclose(model.decision_function(food.ranks[40:]), expected, atol=1e-9)

    def test_kernel_pca(self, kernel, food):
        model = KernelPCA(2, kernel=kernel)
        with sklearn.config_context(assume_finite=True):
            points = model.fit_transform(food.ranks)
            assert_allclose(model.transform(food.ranks), points, atol=1e-7)
        precomputed = KernelPCA(2, kernel="precomputed").fit_transform(kernel(food.ranks))
        assert_allclose(points, precomputed, atol=1e-9)

    def test_gaussian_processes(self, kernel, food):
        with sklearn.config_context(assume_finite=True):
            model = GaussianProcessClassifier(kernel).fit(food.ranks[:40], food.target[:40])
            assert model.score(food.ranks[40:], food.target[40:]) >= 0.7


def test_some_models_refuse_nan_but_not_a_sparse_matrix():
    ranks, target = INCOMPLETE.ranks, INCOMPLETE.target
    kernel = KendallKernel(unranked="anywhere", normalize=True)
    for refuse in (KernelPCA(2, kernel=kernel), GaussianProcessClassifier(kernel)):
        with pytest.raises(ValueError, match="contains NaN"):
            refuse.fit(ranks, target)
    stored = sparse.csr_array(np.nan_to_num(ranks))
    points = KernelPCA(2, kernel=kernel).fit_transform(stored)
    expected = KernelPCA(2, kernel="precomputed").fit_transform(kernel(ranks))
    assert_allclose(points, expected, atol=1e-9)
    model, dense = (SVC(kernel=kernel).fit(X[:40], target[:40]) for X in (stored, ranks))
    assert_array_equal(model.predict(stored[40:]), dense.predict(ranks[40:]))


class TestHyperparameters:
    @pytest.mark.parametrize("kind", ["full", "ties", "incomplete"])
    @pytest.mark.parametrize("kernel", [MallowsKernel(0.2), DiffusionKernel(0.15)])
    def test_gradients_by_differences(self, kernel, normalize, kind):
        ranks = make_food(12, kind=kind, random_state=0).ranks
        kernel = clone(kernel).set_params(normalize=normalize, unranked="anywhere")
        if isinstance(kernel, DiffusionKernel) and kind != "full":
            with pytest.raises(ValueError, match="for full rankings"):
                kernel(ranks)
            return
        gram, gradient = kernel(ranks, eval_gradient=True)
        assert_array_equal(gram, kernel(ranks))
        assert gradient.shape == (12, 12, 1)
        step = 1e-5
        up, down = (kernel.clone_with_theta(kernel.theta + d)(ranks) for d in (step, -step))
        assert_allclose(gradient[:, :, 0], (up - down) / (2 * step), rtol=1e-6, atol=1e-9)

    def test_theta_and_bounds(self):
        for kernel, parameter in (
            (MallowsKernel(0.2, (0.1, 3.0)), "lam"),
            (DiffusionKernel(0.2, (0.1, 3.0)), "beta"),
        ):
            assert_allclose(kernel.theta, [np.log(0.2)])
            assert_allclose(kernel.bounds, np.log([[0.1, 3.0]]))
            kernel.theta = np.log([0.5])
            assert_allclose(getattr(kernel, parameter), 0.5)
            fixed = clone(kernel).set_params(**{f"{parameter}_bounds": "fixed"})
            assert fixed.n_dims == 0
            assert fixed(FOOD.ranks[:4], eval_gradient=True)[1].shape == (4, 4, 0)

    def test_kernels_without(self):
        for kernel in (KendallKernel(), MallowsKernel(), DiffusionKernel()):
            assert kernel.n_dims == 0
            gram, gradient = kernel(FOOD.ranks[:4], eval_gradient=True)
            assert (gram.shape, gradient.shape) == ((4, 4), (4, 4, 0))
        with pytest.raises(ValueError, match="leave Y out"):
            MallowsKernel(0.1)(FOOD.ranks, FOOD.ranks[:3], eval_gradient=True)

    @pytest.mark.parametrize("kernel", [MallowsKernel(2.0), DiffusionKernel(0.5, normalize=True)])
    def test_a_gaussian_process_learns_them(self, kernel):
        model = GaussianProcessClassifier(ConstantKernel(1.0) * kernel)
        model.fit(FOOD.ranks, FOOD.target)
        start = GaussianProcessClassifier(ConstantKernel(1.0) * kernel, optimizer=None)
        start.fit(FOOD.ranks, FOOD.target)
        assert model.log_marginal_likelihood_value_ > start.log_marginal_likelihood_value_ + 1
        assert model.kernel_.theta[1] != kernel.theta[0]

    def test_sums_and_products(self):
        kernel = 2.0 * MallowsKernel(0.1) + KendallKernel() + WhiteKernel(0.5)
        got, gradient = kernel(FOOD.ranks[:5], eval_gradient=True)
        expected = (
            2 * MallowsKernel(0.1)(FOOD.ranks[:5])
            + KendallKernel()(FOOD.ranks[:5])
            + 0.5 * np.eye(5)
        )
        assert_allclose(got, expected)
        assert gradient.shape == (5, 5, 3)

    def test_can_be_searched(self):
        search = GridSearchCV(SVC(kernel=MallowsKernel(5.0)), {"kernel__lam": [50.0, 0.1]}, cv=3)
        search.fit(FOOD.ranks, FOOD.target)
        assert search.best_params_ == {"kernel__lam": 0.1}
