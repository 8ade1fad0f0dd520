"""GPClassifier beside scikit-learn's LogisticRegression and, where it is installed, GPflow's VGP.
Before the bar: numbers of rankings and of items.

Prints, for rankings of 10 items, the bound, the time and the peak memory of GPClassifier and of
GPflow's VGP, with the variance given and learned; then how time grows with the rankings,
compared with LogisticRegression on the same features, and how well calibrated probabilities are.

GPflow asks for NumPy 1, which rankcut does not run on, but works with NumPy 2. ``make bench-gp``
installs both in an environment of their own, ``.venv-gpflow``, and runs this program there. Where
GPflow is missing, its part is skipped.
"""

import argparse
import importlib.util
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np


def rankings(n_rankings, n_items, seed):
    """Two types of user, who rank by their utilities plus noise; and the type of each user."""
    rng = np.random.default_rng(seed)
    types = rng.integers(0, 2, size=n_rankings)
    utilities = rng.normal(size=(2, n_items))
    # The more items, the more a ranking says about its user; noise keeps the problem as hard.
    noise = 2.0 * np.sqrt(n_items / 10)
    scores = utilities[types] + noise * rng.gumbel(size=(n_rankings, n_items))
    return np.argsort(np.argsort(-scores, axis=1), axis=1) + 1.0, types


def features(n_rankings, n_items, seed=0):
    from rankcut import graph_cut_features

    ranks, types = rankings(n_rankings, n_items, seed)
    return graph_cut_features(ranks, normalize=True), types


def fit_rankcut(X, y, learned):
    from rankcut import GPClassifier

    model = GPClassifier(kernel_variance=None if learned else 1.0, constant_variance=0.0)
    return model.fit(X, y).elbo_


def fit_gpflow(X, y, learned):
    import gpflow

    kernel = gpflow.kernels.Linear(variance=1.0)
    gpflow.set_trainable(kernel, learned)
    model = gpflow.models.VGP((X, y[:, None].astype(float)), kernel, gpflow.likelihoods.Bernoulli())
    gpflow.optimizers.Scipy().minimize(
        model.training_loss, model.trainable_variables, options={"maxiter": 10_000}
    )
    return float(model.elbo().numpy())


FITS = {"rankcut": fit_rankcut, "gpflow": fit_gpflow}


def worker(library, n_rankings, learned):
    """One fit in a process of its own: what it prints is its result."""
    # Compilation is not what is measured.
    FITS[library](*features(30, 10), learned)
    X, y = features(n_rankings, 10)
    began = time.perf_counter()
    elbo = FITS[library](X, y, learned)
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"elbo": elbo, "seconds": seconds, "peak": peak}))


def in_a_process(library, n_rankings, learned):
    command = [
        sys.executable,
        "-m",
        __spec__.name,
        "--worker",
        library,
        str(n_rankings),
        str(int(learned)),
    ]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{ended.stderr}")
    return json.loads(ended.stdout.splitlines()[-1])


def against_gpflow(sizes):
    print(
        "rankings variance | ELBO rankcut, GPflow, difference | seconds of both, ratio | MB of both"
    )
    for n_rankings in sizes:
        for learned in (False, True):
            ours = in_a_process("rankcut", n_rankings, learned)
            theirs = in_a_process("gpflow", n_rankings, learned)
            relative = (ours["elbo"] - theirs["elbo"]) / abs(theirs["elbo"])
            print(
                f"{n_rankings:8d} {'learned' if learned else 'given':8s} | "
                f"{ours['elbo']:13.6f} {theirs['elbo']:14.6f} {relative:+9.1e} | "
                f"{ours['seconds']:7.4f} {theirs['seconds']:7.2f} "
                f"{theirs['seconds'] / ours['seconds']:6.0f} | "
                f"{ours['peak']:6.0f} {theirs['peak']:6.0f}",
                flush=True,
            )


def calibration_error(y, probability, n_bins=20):
    """Mean distance between probability and frequency, over bins of equal size."""
    order = np.argsort(probability)
    difference = probability[order] - y[order]
    return np.mean([abs(part.mean()) for part in np.array_split(difference, n_bins)])


def growth(cases):
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss

    from rankcut import GPClassifier

    models = {
        "GP, probit": GPClassifier(),
        "LogisticRegression": LogisticRegression(),
    }
    for model in models.values():
        model.fit(*features(30, 10))
    print("rankings items | model              seconds | calibration error  log-loss")
    for n_rankings, n_items in cases:
        X, y = features(n_rankings + 100_000, n_items)
        train, test = slice(0, n_rankings), slice(n_rankings, None)
        for name, model in models.items():
            # The faster of two: other work on the machine only ever adds.
            seconds = np.inf
            for _ in range(2):
                began = time.perf_counter()
                model.fit(X[train], y[train])
                seconds = min(seconds, time.perf_counter() - began)
            probability = model.predict_proba(X[test])[:, 1]
            print(
                f"{n_rankings:8d} {n_items:5d} | {name:18s} {seconds:7.3f} | "
                f"{calibration_error(y[test], probability):17.5f} "
                f"{log_loss(y[test], probability):9.5f}",
                flush=True,
            )


def against_logistic(n_rankings, n_items, runs=2):
    """Processor time of one thread, against LogisticRegression as exact; memory above features."""
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    from rankcut import GPClassifier

    GPClassifier().fit(*features(30, 10))
    step = 100_000
    X, y = np.empty((n_rankings, n_items)), np.empty(n_rankings, dtype=int)
    # One population, whose rankings come a part at a time.
    for start in range(0, n_rankings, step):
        part, types = features_of_part(min(step, n_rankings - start), n_items, start)
        X[start : start + len(part)], y[start : start + len(part)] = part, types
    models = {
        "LogisticRegression(tol=1e-8)": LogisticRegression(tol=1e-8, max_iter=1000),
        "GP, probit": GPClassifier(),
    }
    least = {}
    with threadpool_limits(1):
        for name, model in models.items():
            before = start_watching_memory()
            least[name] = np.inf
            for _ in range(runs):
                began = time.process_time()
                model.fit(X, y)
                least[name] = min(least[name], time.process_time() - began)
            above = memory("VmHWM") - before
            print(
                f"{n_rankings:8d} {n_items:5d} | {name:28s} {least[name]:7.2f} s of a processor, "
                f"{above / 1024:5.0f} MB above the features",
                flush=True,
            )
    first, second = least.values()
    print(f"{'':14s} | {second / first:.1f} times")


def start_watching_memory():
    """Forget the most memory held so far (Linux); return what is held now, in kB."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return memory("VmRSS")


def memory(what):
    """What Linux says about the memory of this process, in kB."""
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what))


def features_of_part(n_rankings, n_items, first):
    """Features and types of some rankings of the population, from the ``first`` on."""
    from rankcut import graph_cut_features

    rng = np.random.default_rng(0)
    utilities = rng.normal(size=(2, n_items))
    rng = np.random.default_rng([1, first])
    types = rng.integers(0, 2, size=n_rankings)
    noise = 2.0 * np.sqrt(n_items / 10) * rng.gumbel(size=(n_rankings, n_items))
    ranks = np.argsort(np.argsort(-utilities[types] - noise, axis=1), axis=1) + 1.0
    return graph_cut_features(ranks, normalize=True), types


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[500, 2000])
    parser.add_argument("--no-growth", action="store_true")
    parser.add_argument(
        "--logistic",
        type=int,
        nargs=2,
        action="append",
        metavar=("RANKINGS", "ITEMS"),
        help="Only compare with LogisticRegression(tol=1e-8), on that many; may be repeated.",
    )
    parser.add_argument("--worker", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        library, n_rankings, learned = options.worker
        worker(library, int(n_rankings), bool(int(learned)))
        return
    if options.logistic:
        for n_rankings, n_items in options.logistic:
            against_logistic(n_rankings, n_items)
        return
    if not options.no_growth:
        growth([(10**4, 10), (10**5, 10), (10**6, 10), (10**5, 100)])
    if importlib.util.find_spec("gpflow") is None:
        print("GPflow is not installed here, so it is skipped; make bench-gp installs it")
    else:
        against_gpflow(options.sizes)


if __name__ == "__main__":
    main()
