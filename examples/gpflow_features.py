"""Our features in GPflow: a VGP with a linear kernel on them has the bound of GPClassifier.

GPflow asks for NumPy 1 but works with NumPy 2, which rankcut needs: install it with
``pip install --no-deps gpflow`` after what it depends on, as ``make bench-gp`` does.
"""

import gpflow
import numpy as np

from rankcut import GPClassifier, graph_cut_features, make_food


def bounds(n_rankings=100):
    """The bound of GPflow's VGP and of GPClassifier, with a variance of 1."""
    food = make_food(n_rankings, random_state=0)
    X = graph_cut_features(food.ranks, normalize=True)
    theirs = gpflow.models.VGP(
        (X, food.target[:, None].astype(np.float64)),
        kernel=gpflow.kernels.Linear(variance=1.0),
        likelihood=gpflow.likelihoods.Bernoulli(),
    )
    gpflow.set_trainable(theirs.kernel, False)
    gpflow.optimizers.Scipy().minimize(theirs.training_loss, theirs.trainable_variables)
    ours = GPClassifier(kernel_variance=1.0, constant_variance=0.0).fit(X, food.target)
    return float(theirs.elbo().numpy()), ours.elbo_


if __name__ == "__main__":
    print("ELBO of GPflow {:.4f}, of GPClassifier {:.4f}".format(*bounds()))
