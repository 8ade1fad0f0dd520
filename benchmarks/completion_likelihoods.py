"""Normal scores of places, or the exact likelihood of the order? Completion by either.

Run with: python benchmarks/completion_likelihoods.py [--data FOLDER] [--seed 0]

RankingCompleter takes normal scores of places for utilities. The likelihood that the utilities of
a list are in their order has no closed form; expectation propagation approximates it by a normal
one for each step of the list. Both are fitted to the same lists of sushi by EM with the same prior,
and judged by the same people with places hidden: pairs with a hidden item in the right order, and
the log-loss of pair probabilities whose sharpness is fitted to training people with places hidden.
Differences are paired, ± two standard errors over people.
"""

import argparse
import time
from dataclasses import replace

import completion
import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_ndtr

from rankcut import NeighborGraph, RankingCompleter
from rankcut.completion.lists import Lists, read_lists
from rankcut.completion.population import Population, Prior, learn, mean_scores
from rankcut.completion.prior import choose_covariance, choose_precision, graph_kernels
from rankcut.rankings import read_rankings

STEPS = 15
SWEEPS = 6


def ordered_items(lists: Lists) -> np.ndarray:
    """The items of each list from best to worst; all lists have the same length and no ties."""
    length = int(lists.lengths[0])
    order = np.argsort(-lists.scores.reshape(-1, length), axis=1)
    return np.take_along_axis(lists.items.reshape(-1, length).astype(int), order, axis=1)


def propagate(
    means: np.ndarray, spreads: np.ndarray, sites: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of steps that are all positive; ``sites`` are improved in place."""
    precisions, pulls = sites
    inverse = np.linalg.inv(spreads)
    first = np.einsum("bij,bj->bi", inverse, means)
    for _ in range(SWEEPS):
        found = np.linalg.inv(inverse + precisions[:, :, None] * np.eye(means.shape[1]))
        for step in range(means.shape[1]):
            column = found[:, :, step]
            variance = column[:, step]
            centre = np.einsum("bj,bj->b", column, first + pulls)
            cavity = 1.0 / variance - precisions[:, step]
            pull = centre / variance - pulls[:, step]
            size = 1.0 / np.sqrt(cavity)
            z = pull / cavity / size
            hazard = np.exp(-0.5 * z * z - 0.5 * np.log(2 * np.pi) - log_ndtr(z))
            moved = pull / cavity + size * hazard
            left = np.maximum(1.0 - hazard * (z + hazard), 1e-6) / cavity
            change = 1.0 / left - cavity - precisions[:, step]
            precisions[:, step] += change
            pulls[:, step] = moved / left - pull
            scaled = change / (1.0 + change * variance)
            found = found - scaled[:, None, None] * column[:, :, None] * column[:, None, :]
    return np.einsum("bij,bj->bi", found, first + pulls), found


def weights_of(model: Population, items: np.ndarray, sites: np.ndarray) -> tuple[np.ndarray, ...]:
    """The weights w of E[u] = μ + Σ_·L·w, and H, what the list takes off the covariance."""
    length = items.shape[1]
    steps = np.eye(length)[:-1] - np.eye(length)[1:]
    listed = model.covariance[items[:, :, None], items[:, None, :]] + model.noise * np.eye(length)
    spreads = steps @ listed @ steps.T
    means = model.mean[items] @ steps.T
    expected, left = propagate(means, spreads, sites)
    inverse = np.linalg.inv(spreads)
    weights = np.einsum("bij,bj->bi", inverse, expected - means) @ steps
    return weights, steps.T @ (inverse - inverse @ left @ inverse) @ steps


def learn_order(lists: Lists, start: Population, prior: Prior) -> Population:
    """EM by the likelihood of the order; the noise stays, as only ratios matter."""
    items, model = ordered_items(lists), start
    sites = np.zeros((2, len(items), items.shape[1] - 1))
    n_people = len(items)
    for step in range(STEPS):
        weights, taken = weights_of(model, items, sites)
        gram, outer = np.zeros((2, lists.n_items, lists.n_items))
        np.add.at(gram, (items[:, :, None], items[:, None, :]), taken)
        both = weights[:, :, None] * weights[:, None, :]
        np.add.at(outer, (items[:, :, None], items[:, None, :]), both)
        if step % 3 == 0:
            gradient = np.bincount(items.ravel(), weights.ravel(), minlength=lists.n_items)
            pull = gradient - prior.precision @ model.mean
            moved = np.linalg.solve(gram + prior.precision, pull)
            model = replace(model, mean=model.mean + moved)
            continue
        known = model.covariance
        second = known @ (outer - gram) @ known + n_people * known
        covariance = (prior.strength * prior.covariance + second) / (prior.strength + n_people)
        model = replace(model, covariance=(covariance + covariance.T) / 2)
    return model


def order_margins(
    model: Population, shown: np.ndarray, judged: completion.Judged
) -> tuple[np.ndarray, np.ndarray]:
    """E[u_i − u_j] of each pair and its deviation, by the likelihood of the order."""
    gaps, deviations = np.empty((2, len(judged.person)))
    lengths = (~np.isnan(shown)).sum(axis=1)
    for length in np.unique(lengths):
        people = np.flatnonzero(lengths == length)
        items = ordered_items(read_lists(read_rankings(shown[people])))
        sites = np.zeros((2, len(items), length - 1))
        weights, taken = weights_of(model, items, sites)
        for row, person in enumerate(people):
            cross = model.covariance[:, items[row]]
            cross[items[row], np.arange(length)] += model.noise
            worth = model.mean + cross @ weights[row]
            own = judged.person == person
            one, other = judged.better[own], judged.worse[own]
            step = cross[one] - cross[other]
            total = model.covariance + model.noise * np.eye(len(worth))
            before = total[one, one] + total[other, other] - 2 * total[one, other]
            left = before - np.einsum("pi,ij,pj->p", step, taken[row], step)
            gaps[own] = worth[one] - worth[other]
            deviations[own] = np.sqrt(np.maximum(left, 1e-9))
    return gaps, deviations


def score_margins(
    model: Population, shown: np.ndarray, judged: completion.Judged
) -> tuple[np.ndarray, np.ndarray]:
    """The same by normal scores."""
    lists = read_lists(read_rankings(shown))
    worth = model.utilities(lists, keep=True)
    gaps = worth[judged.person, judged.better] - worth[judged.person, judged.worse]
    deviations = np.empty(len(gaps))
    for person in range(len(lists)):
        own = judged.person == person
        one, other = judged.better[own], judged.worse[own]
        left = model.posterior(lists.span(person, person + 1), np.arange(lists.n_items), keep=True)
        deviations[own] = np.sqrt(left[one, one] + left[other, other] - 2 * left[one, other])
    return gaps, deviations


def sharpness(margins: np.ndarray) -> float:
    """κ that makes these margins, all in the true direction, most likely."""
    found = minimize_scalar(
        lambda log: -log_ndtr(np.exp(log) * margins).sum(), bounds=(-3, 3), method="bounded"
    )
    return float(np.exp(found.x))


def compare(task: completion.Task, size: int, seed: int) -> str:
    """A row of the table."""
    people, others = completion.split(task, seed)
    train, truth = task.ranks[others[:size]], task.ranks[people]
    graph = NeighborGraph(task.features, n_neighbors=min(10, len(task.features) // 3)).build()
    strength = RankingCompleter(graph).fit(train).prior_strength_
    lists = read_lists(read_rankings(train))
    kernels = graph_kernels(graph, lists.n_items)
    start, _ = choose_covariance(lists, mean_scores(lists), kernels)
    prior = Prior(start.covariance, strength, choose_precision(lists, start, kernels))
    clock = [time.process_time()]
    by_scores = learn(lists, start, prior)
    clock.append(time.process_time())
    by_order = learn_order(lists, by_scores, prior)
    clock.append(time.process_time())
    right, losses = [], []
    for model, margins in ((by_scores, score_margins), (by_order, order_margins)):
        tuned = train[:300]
        hidden = completion.hide(task, tuned, seed + 1)
        own = completion.judged_pairs(task, tuned, hidden, seed + 1)
        gaps, deviations = margins(model, np.where(hidden, np.nan, tuned), own)
        kappa = sharpness(gaps / deviations)
        hidden = completion.hide(task, truth, seed)
        judged = completion.judged_pairs(task, truth, hidden, seed)
        gaps, deviations = margins(model, np.where(hidden, np.nan, truth), judged)
        right.append(completion.by_person(judged, (gaps > 0) * 1.0, len(people)))
        said = -log_ndtr(kappa * gaps / deviations)
        losses.append(completion.by_person(judged, said, len(people)))
    scores, order = np.diff(clock)
    return (
        f"| {task.name} | {size:,} | {np.nanmean(right[0]):.4f} | {said_of(right[1] - right[0])} "
        f"| {np.nanmean(losses[0]):.4f} | {said_of(losses[1] - losses[0])} "
        f"| {scores:.1f} | {order:.1f} |"
    )


def said_of(differences: np.ndarray) -> str:
    known = differences[~np.isnan(differences)]
    return f"{known.mean():+.4f} ± {2 * known.std(ddof=1) / np.sqrt(len(known)):.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", help="folder of the data sets (default: RANKCUT_DATA)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the split of people")
    options = parser.parse_args()
    print(
        "| set | lists | pairs right by scores | by order | log-loss by scores | by order "
        "| s, scores | s, order |\n|---|---|---|---|---|---|---|---|"
    )
    for name in ("sushi-b", "sushi-a"):
        task = completion.tasks(options.data)[name]()
        for size in (100, 300, 1000):
            print(compare(task, size, options.seed), flush=True)


if __name__ == "__main__":
    main()
