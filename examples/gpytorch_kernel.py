# %% [markdown]
# # Any kernel of ours as a kernel of GPyTorch, whose inputs are rank matrices
#
# It needs `pip install gpytorch`, which brings PyTorch. One without CUDA is much smaller: install
# that first, as its own pages say.

# %%
import gpytorch
import numpy as np
import torch

from rankcut import MallowsKernel, make_food


class RankingKernel(gpytorch.kernels.Kernel):
    """A kernel between rankings; each row of x1 and x2 holds the ranks of all items, NaN unranked.

    The kernel's own parameters, such as λ, stay as they are; a ``ScaleKernel`` around it learns
    how large it is.
    """

    has_lengthscale = False

    def __init__(self, kernel):
        super().__init__()
        self.kernel = kernel

    def forward(self, x1, x2, diag=False, last_dim_is_batch=False, **params):
        """The Gram matrix, or its diagonal."""
        if last_dim_is_batch:
            raise RuntimeError("a ranking is one input: its items are not batches")
        if diag:
            values = self.on_batches(self.diagonal, x1, x2)
        else:
            values = self.on_batches(self.kernel, x1, x2)
        return torch.as_tensor(values, dtype=x1.dtype, device=x1.device)

    def diagonal(self, left, right):
        """k(A, A') of the rankings of each row."""
        if np.array_equal(left, right, equal_nan=True):
            return self.kernel.diag(left)
        return np.array(
            [self.kernel(a[None], b[None])[0, 0] for a, b in zip(left, right, strict=True)]
        )

    @staticmethod
    def on_batches(function, x1, x2):
        """Apply a function of two rank matrices to each of a batch."""
        batch = np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
        left, right = (
            np.broadcast_to(x.detach().cpu().double().numpy(), (*batch, *x.shape[-2:]))
            for x in (x1, x2)
        )
        values = [
            function(a, b)
            for a, b in zip(
                left.reshape(-1, *x1.shape[-2:]), right.reshape(-1, *x2.shape[-2:]), strict=True
            )
        ]
        return np.reshape(values, (*batch, *np.shape(values[0])))


class Model(gpytorch.models.ApproximateGP):
    """A variational GP with some of the rankings as inducing points."""

    def __init__(self, inducing, kernel):
        distribution = gpytorch.variational.CholeskyVariationalDistribution(len(inducing))
        strategy = gpytorch.variational.VariationalStrategy(
            self, inducing, distribution, learn_inducing_locations=False
        )
        super().__init__(strategy)
        self.mean_module = gpytorch.means.ZeroMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(RankingKernel(kernel))

    def forward(self, x):
        """The prior at x."""
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def accuracy(n_train=150, n_test=150, steps=100):
    """The share of held-out rankings whose type is predicted."""
    torch.manual_seed(0)
    torch.set_num_threads(1)  # small matrices: threads would wait for each other
    food = make_food(n_train + n_test, random_state=0)
    X = torch.as_tensor(food.ranks, dtype=torch.float64)
    y = torch.as_tensor(food.target, dtype=torch.float64)
    model = Model(X[:40], MallowsKernel(0.1)).double()
    likelihood = gpytorch.likelihoods.BernoulliLikelihood()
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


if __name__ == "__main__":
    print(f"accuracy {accuracy():.3f}")
