# %% [markdown]
# # Any kernel of ours as a kernel of GPflow, whose inputs are rank matrices
#
# GPflow asks for NumPy 1 but works with NumPy 2, which rankcut needs: install it with
# `pip install --no-deps gpflow` after what it depends on, as `make bench-gp` does.

# %%
import gpflow
import numpy as np
import tensorflow as tf

from rankcut import GPClassifier, KendallKernel, make_food
from rankcut.kernels import KendallFeatures


class RankingKernel(gpflow.kernels.Kernel):
    """σ²·k between rankings; each row of X holds the ranks of all items, NaN for unranked ones.

    σ² is learned. The kernel's own parameters, such as λ, stay as they are.
    """

    def __init__(self, kernel, variance=1.0):
        super().__init__()
        self.kernel = kernel
        self.variance = gpflow.Parameter(variance, transform=gpflow.utilities.positive())

    def K(self, X, X2=None):  # noqa: N802
        """The Gram matrix of X and X2, or of X with itself."""
        other = X if X2 is None else X2
        gram = tf.numpy_function(self.kernel, [X, other], X.dtype)
        return self.variance * tf.ensure_shape(gram, (X.shape[0], other.shape[0]))

    def K_diag(self, X):  # noqa: N802
        """k(A, A) of each ranking."""
        diagonal = tf.numpy_function(self.kernel.diag, [X], X.dtype)
        return self.variance * tf.ensure_shape(diagonal, (X.shape[0],))


def bounds(n_rankings=60):
    """The bound of GPflow's VGP and of GPClassifier, both with a variance of 1."""
    food = make_food(n_rankings, random_state=0)
    kernel = RankingKernel(KendallKernel())
    gpflow.set_trainable(kernel, False)
    theirs = gpflow.models.VGP(
        (food.ranks, food.target[:, None].astype(np.float64)),
        kernel=kernel,
        likelihood=gpflow.likelihoods.Bernoulli(),
    )
    gpflow.optimizers.Scipy().minimize(theirs.training_loss, theirs.trainable_variables)
    ours = GPClassifier(kernel_variance=1.0, constant_variance=0.0)
    ours.fit(KendallFeatures().fit_transform(food.ranks), food.target)
    return float(theirs.elbo().numpy()), ours.elbo_


if __name__ == "__main__":
    print("ELBO of GPflow {:.4f}, of GPClassifier {:.4f}".format(*bounds()))
