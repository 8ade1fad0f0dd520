# %% [markdown]
# # Our kernels in scikit-learn's GaussianProcessClassifier: a kernel object around a function

# %%
import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import (
    ConstantKernel,
    Kernel,
    NormalizedKernelMixin,
    WhiteKernel,
)

from rankcut import GraphCutKernel, make_food


class GraphCut(NormalizedKernelMixin, Kernel):
    """The normalised graph cut kernel of rankings, without parameters to learn."""

    def __init__(self, unranked="error"):
        self.unranked = unranked

    def __call__(self, X, Y=None, eval_gradient=False):
        """k(x, y), and its gradient by no parameters."""
        gram = GraphCutKernel(unranked=self.unranked, normalize=True)(X, Y)
        if eval_gradient:
            return gram, np.empty((len(X), len(X), 0))
        return gram

    def is_stationary(self):
        """Rankings have no differences to depend on."""
        return False


def accuracy(n_train=150, n_test=150):
    """The share of held-out rankings whose type is predicted."""
    food = make_food(n_train + n_test, random_state=0)
    kernel = ConstantKernel(10.0, (1e-2, 1e4)) * GraphCut() + WhiteKernel(1e-6, "fixed")
    model = GaussianProcessClassifier(kernel).fit(food.ranks[:n_train], food.target[:n_train])
    return model.score(food.ranks[n_train:], food.target[n_train:])


if __name__ == "__main__":
    print(f"accuracy {accuracy():.3f}")
