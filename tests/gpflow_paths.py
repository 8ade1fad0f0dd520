"""Paths of GPflow's own optimiser for the kernels of the published experiments.

``python tests/gpflow_paths.py`` writes gpflow_paths.json, where GPflow is installed:
the ELBO by step, and the labels that are predicted in the end. The rankings are drawn: people of
two kinds whose preferences differ a little.
"""

import json
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.cuts import Completions, graph_cut_features
from rankcut.graphs import ItemGraph
from rankcut.kernels import KendallFeatures
from reproduction.gpflow_steps import Linear
from reproduction.methods import item_graph

STORED = Path(__file__).with_suffix(".json")
N_TRAIN = 500
N_TEST = 500


class Case(NamedTuple):
    """A kernel of the published experiments, by the vectors that it is linear in."""

    vectors: NDArray[np.float64]
    steps: int
    constant: bool = False
    variance: float = 1.0
    jitter: float = 1e-6  #: what GPflow adds to the diagonal of a kernel matrix


@lru_cache(maxsize=2)
def people(n_items):
    """Ranks of all items by each, and which of two kinds everyone is of."""
    rng = np.random.default_rng(n_items)
    target = rng.permutation(np.arange(N_TRAIN + N_TEST) % 2)
    taste, difference = rng.normal(size=(2, n_items))
    scores = taste + np.where(target == 1, 0.3, -0.3)[:, None] * difference
    scores = scores + rng.gumbel(size=scores.shape)
    return np.argsort(np.argsort(-scores, axis=1), axis=1) + 1.0, target == 1


def merged(ranks):
    """With two or three merges of neighbours each."""
    rng = np.random.default_rng(1)
    tied = ranks.copy()
    for row in tied:
        for _ in range(rng.integers(2, 4)):
            row[row > rng.integers(1, int(row.max()))] -= 1
    return tied


def some(ranks, n_listed):
    """A few random items of each."""
    rng = np.random.default_rng(2)
    left = ranks.copy()
    left[np.argsort(np.argsort(rng.random(ranks.shape), axis=1), axis=1) >= n_listed] = np.nan
    return left


RANKS, _ = people(10)
TOP = np.where(RANKS > 6, np.nan, RANKS)
TIED = merged(RANKS)
FOUR = some(RANKS, 4)
WEIGHTED = item_graph(np.random.default_rng(3).random((10, 6)), "exponential")
BORDA = ItemGraph.complete(10)


def cuts_of_four(steps):
    return Case(graph_cut_features(FOUR, BORDA, unranked="anywhere"), steps)


def cuts_of_ten():
    joined = item_graph(np.random.default_rng(4).random((100, 6)), "exponential", 0.1).to_dense()
    completions = Completions("sampled", n_draws=20, random_state=0)
    how = {"unranked": "anywhere", "completions": completions}
    return Case(graph_cut_features(some(people(100)[0], 10), (joined > 0) * 1.0, **how), 10)


CASES = {
    "full, graph cut": lambda: Case(graph_cut_features(RANKS, WEIGHTED), 20, constant=True),
    "full, Kendall": lambda: Case(KendallFeatures().fit_transform(RANKS), 20),
    "top-6, graph cut": lambda: Case(
        graph_cut_features(TOP, WEIGHTED, unranked="last"), 20, constant=True
    ),
    "top-6, Kendall": lambda: Case(
        KendallFeatures(unranked="last").fit_transform(TOP), 20, variance=10.0
    ),
    "ties, graph cut": lambda: Case(
        graph_cut_features(TIED, BORDA, normalize=True), 200, jitter=1e-4
    ),
    "ties, Kendall": lambda: Case(KendallFeatures().fit_transform(TIED), 200, jitter=1e-4),
    "4 of 10, graph cut": lambda: cuts_of_four(10),
    "4 of 10, graph cut for long": lambda: cuts_of_four(200),
    "4 of 10, Kendall": lambda: Case(KendallFeatures(unranked="anywhere").fit_transform(FOUR), 200),
    "10 of 100, graph cut": cuts_of_ten,
    "10 of 100, Kendall": lambda: Case(
        KendallFeatures(unranked="anywhere").fit_transform(some(people(100)[0], 10)), 200
    ),
}


def target_of(name):
    """Who is of the second kind."""
    return people(100 if name.startswith("10 of 100") else 10)[1]


def our_kernel(chosen):
    """The kernel of a case as the reproduction has it."""
    train, test = chosen.vectors[:N_TRAIN], chosen.vectors[N_TRAIN:]
    return Linear(train, test, constant=chosen.constant, variance=chosen.variance)


def gpflow_path(chosen, target):
    """ELBO by step and the labels of the test rankings, by GPflow."""
    import gpflow

    gpflow.config.set_default_jitter(chosen.jitter)
    inputs = chosen.vectors
    kernel = gpflow.kernels.Linear(variance=chosen.variance)
    if chosen.constant:
        kernel = kernel + gpflow.kernels.Constant()
    data = inputs[:N_TRAIN], target[:N_TRAIN, None].astype(float)
    model = gpflow.models.VGP(data, kernel=kernel, likelihood=gpflow.likelihoods.Bernoulli())
    elbos = [float(model.elbo())]
    gpflow.optimizers.Scipy().minimize(
        model.training_loss,
        variables=model.trainable_variables,
        options={"maxiter": chosen.steps},
        step_callback=lambda *ignored: elbos.append(float(model.elbo())),
    )
    probability, _ = model.predict_y(inputs[N_TRAIN:])
    return elbos, probability.numpy().ravel() > 0.5


def kept_steps(n_steps):
    """The steps whose ELBO is stored: the first twenty, each twentieth, and the last."""
    return sorted({step for step in range(n_steps) if step <= 20 or step % 20 == 0} | {n_steps - 1})


def main():
    stored = {}
    for name in CASES:
        elbos, labels = gpflow_path(CASES[name](), target_of(name))
        print(f"{name:<28}{len(elbos) - 1:4} steps, ELBO {elbos[-1]:.3f}")
        stored[name] = {
            "steps": len(elbos) - 1,
            "ELBO": {step: round(elbos[step], 3) for step in kept_steps(len(elbos))},
            "labels": np.packbits(labels).tobytes().hex(),
        }
    lines = (f"{json.dumps(name)}: {json.dumps(path)}" for name, path in stored.items())
    STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
