# %% [markdown]
# # Our features in GPyTorch: an approximate GP with a linear kernel, trained by Adam
#
# Vectors are moved to a device once; all that follows happens there. The Gram matrix of 5,000
# rankings, which the paper times on a GPU, is timed on the processor and on each device there is.
#
# It needs `pip install gpytorch`, which brings PyTorch. One without CUDA is much smaller: install
# that first, as its own pages say.

# %%
import time

import gpytorch
import torch

from rankcut import graph_cut_features, make_food


class Model(gpytorch.models.ApproximateGP):
    """A variational GP with some of the rankings as inducing points."""

    def __init__(self, inducing):
        distribution = gpytorch.variational.CholeskyVariationalDistribution(len(inducing))
        strategy = gpytorch.variational.VariationalStrategy(self, inducing, distribution)
        super().__init__(strategy)
        self.mean_module = gpytorch.means.ZeroMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.LinearKernel())

    def forward(self, x):
        """The prior at x."""
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def accuracy(n_train=150, n_test=150, steps=100):
    """The share of held-out rankings whose type is predicted."""
    torch.manual_seed(0)
    torch.set_num_threads(1)  # small matrices: threads would wait for each other
    food = make_food(n_train + n_test, random_state=0)
    X = torch.as_tensor(graph_cut_features(food.ranks, normalize=True), dtype=torch.float64)
    y = torch.as_tensor(food.target, dtype=torch.float64)
    model, likelihood = Model(X[:20]).double(), gpytorch.likelihoods.BernoulliLikelihood()
    bound = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=n_train)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = -bound(model(X[:n_train]), y[:n_train])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        probability = likelihood(model(X[n_train:])).probs
    return float(((probability > 0.5) == (y[n_train:] > 0.5)).double().mean())


def gram_seconds(n_rankings=5000, repeats=7):
    """Seconds for the Gram matrix of GPyTorch's linear kernel, by device."""
    X = torch.as_tensor(graph_cut_features(make_food(n_rankings, random_state=0).ranks))
    devices = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    devices += ["mps"] if torch.backends.mps.is_available() else []
    found = {}
    for device in devices:
        # Apple's devices have no double precision.
        moved = X.to(device, dtype=torch.float32)
        kernel = gpytorch.kernels.LinearKernel().to(moved)
        with torch.no_grad():
            float(kernel(moved).to_dense()[0, 0])
            start = time.perf_counter()
            for _ in range(repeats):
                gram = kernel(moved).to_dense()
            # Work on a device goes on in the background: a number of the result waits for it.
            float(gram[0, 0])
            found[device] = (time.perf_counter() - start) / repeats
    return found


if __name__ == "__main__":
    print(f"accuracy {accuracy():.3f}")
    for device, seconds in gram_seconds().items():
        print(f"Gram matrix of 5,000 rankings on {device}: {seconds * 1e3:.0f} ms")
