"""Planted blocs for the benchmark of blocs, and populations without any."""

import numpy as np
from scipy.optimize import brentq

from rankcut import make_mallows, make_plackett_luce
from rankcut.datasets.ranking_models import _of_kind

KINDS = ("full", "top 4", "random 6 of 10")

# Kinds of lists, and what an unranked item means there.
UNRANKED = {
    "full": "error",
    "top 4": "last",
    "best items, any length": "last",
    "best items, length by bloc": "last",
    "random 6 of 10": "anywhere",
    "random items, any length": "anywhere",
    "random items, length by bloc": "anywhere",
}

# Populations by name, and how many blocs they have.
POPULATIONS = {
    "Mallows": 1,
    "Plackett–Luce": 1,
    "Gaussian": 1,
    **{f"{k} blocs": k for k in (2, 3, 4, 5, 6)},
}

N_ITEMS = 10

# Expected tau to the centre.
LEVELS = {"hard": 0.45, "medium": 0.6, "easy": 0.75}


def dispersion(tau: float, n_items: int = N_ITEMS) -> float:
    """Mallows' φ with this expected tau to the centre."""

    def turned(phi: float) -> float:
        powers = [phi ** np.arange(i + 1) for i in range(n_items)]
        return float(sum((np.arange(len(p)) @ p) / p.sum() for p in powers))

    pairs = n_items * (n_items - 1) / 2
    return float(brentq(lambda phi: turned(phi) - pairs * (1 - tau) / 2, 1e-3, 1 - 1e-9))


def centres(k: int, rng: np.random.RandomState) -> np.ndarray:
    """Orders, any two of which differ in at least a third of the pairs."""
    i, j = np.triu_indices(N_ITEMS, 1)
    while True:
        found = np.array([rng.permutation(N_ITEMS) + 1.0 for _ in range(k)])
        signs = np.sign(found[:, i] - found[:, j])
        turned = (len(i) - signs @ signs.T) / 2
        if (turned[~np.eye(k, dtype=bool)] >= len(i) / 3).all():
            return found


def listed(
    ranks: np.ndarray, kind: str, rng: np.random.RandomState, bloc: np.ndarray
) -> np.ndarray:
    """Full rankings cut to lists."""
    if kind == "top 4":
        return _of_kind(rng, ranks, "top-k", 4)
    if kind == "random 6 of 10":
        return _of_kind(rng, ranks, "incomplete", 6)
    if kind == "full":
        return ranks
    most = N_ITEMS - 1
    least = 2 if kind.startswith("random") else 1
    lengths = rng.randint(least, most + 1, size=len(ranks))
    if kind.endswith("length by bloc"):
        share = (bloc + 1) / (bloc.max() + 1)
        lengths = least + rng.binomial(most - least, 0.2 + 0.6 * share)
    places = ranks
    if kind.startswith("random"):
        places = rng.random_sample(ranks.shape).argsort(axis=1).argsort(axis=1) + 1
    return np.where(places <= lengths[:, None], ranks, np.nan)


def population(name: str, kind: str, n_people: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rankings of a population by its name, and the bloc of each."""
    rng = np.random.RandomState(seed)
    bloc = np.zeros(n_people, dtype=np.int64)
    if name == "Plackett–Luce":
        ranks = make_plackett_luce(n_people, N_ITEMS, random_state=rng).ranks
    elif name == "Gaussian":
        root = rng.normal(size=(N_ITEMS, N_ITEMS)) / np.sqrt(N_ITEMS)
        utilities = rng.normal(size=N_ITEMS) + rng.normal(size=(n_people, N_ITEMS)) @ root
        ranks = (-utilities).argsort(axis=1).argsort(axis=1) + 1.0
    else:
        k = POPULATIONS[name]
        found = make_mallows(
            n_people,
            N_ITEMS,
            phi=dispersion(0.6),
            centers=centres(k, rng) if k > 1 else None,
            random_state=rng,
        )
        ranks, bloc = found.ranks, found.target
    return listed(ranks, kind, rng, bloc), bloc


def planted(
    model: str, level: str, kind: str, n_people: int, k: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Rankings of planted blocs by a model, with some noise, of some kind."""
    rng = np.random.RandomState(seed)
    middle = centres(k, rng)
    bloc = np.arange(n_people) % k
    if model == "Kendall":
        phi = dispersion(LEVELS[level])
        ranks = make_mallows(n_people, N_ITEMS, phi=phi, centers=middle, random_state=rng).ranks
    elif model == "Spearman":
        ranks = spearman_mallows(
            middle[bloc], {"hard": 0.05, "medium": 0.08, "easy": 0.14}[level], rng
        )
    else:
        spread = {"hard": 0.35, "medium": 0.55, "easy": 0.9}[level]
        strengths = np.exp(spread * ((N_ITEMS + 1) / 2 - middle))
        ranks = make_plackett_luce(n_people, strengths=strengths, random_state=rng).ranks
    return listed(ranks, kind, rng, bloc), bloc


def spearman_mallows(
    middle: np.ndarray, concentration: float, rng: np.random.RandomState, sweeps: int = 40
) -> np.ndarray:
    """Probability ∝ exp(−concentration·Σ (rank − centre)²), by swaps of two items at a time."""
    ranks = middle.copy()
    rows = np.arange(len(ranks))
    for _ in range(sweeps * N_ITEMS):
        i, j = rng.permutation(N_ITEMS)[:2]
        gain = 2 * (ranks[:, i] - ranks[:, j]) * (middle[:, j] - middle[:, i])
        # Σ (r − c)² falls by the gain when i and j change places.
        swapped = rows[rng.random_sample(len(ranks)) < 1 / (1 + np.exp(-concentration * gain))]
        ranks[swapped, i], ranks[swapped, j] = ranks[swapped, j], ranks[swapped, i].copy()
    return ranks
