# %% [markdown]
# # Our features in GPflow: a VGP with a linear kernel on them has the bound of GPClassifier
#
# TensorFlow computes on a GPU where it finds one. The Gram matrix of 5,000 rankings, which the
# paper times so, is timed on the processor and on the first GPU, if there is one.
#
# GPflow asks for NumPy 1 but works with NumPy 2, which rankcut needs: install it with `pip install
# --no-deps gpflow` after what it depends on, as `make bench-gp` does.

# %%
import time

import gpflow
import numpy as np
import tensorflow as tf

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


def gram_seconds(n_rankings=5000, repeats=7):
    """Seconds for the Gram matrix of GPflow's linear kernel, by device."""
    vectors = graph_cut_features(make_food(n_rankings, random_state=0).ranks)
    kernel, found = gpflow.kernels.Linear(), {}
    for device in ["CPU:0", *(["GPU:0"] if tf.config.list_physical_devices("GPU") else [])]:
        with tf.device(device):
            moved = tf.constant(vectors)
            float(kernel(moved)[0, 0])
            start = time.perf_counter()
            for _ in range(repeats):
                gram = kernel(moved)
            # Work on a device goes on in the background: a number of the result waits for it.
            float(gram[0, 0])
            found[device] = (time.perf_counter() - start) / repeats
    return found


if __name__ == "__main__":
    print("ELBO of GPflow {:.4f}, of GPClassifier {:.4f}".format(*bounds()))
    for device, seconds in gram_seconds().items():
        print(f"Gram matrix of 5,000 rankings on {device}: {seconds * 1e3:.0f} ms")
