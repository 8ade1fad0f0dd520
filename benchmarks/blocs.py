"""Are camps found where there are some, and none where there are none?

Run with: python benchmarks/blocs.py [--minutes M] [--samples N] [--keep FILE.json]
    [--earlier FOLDER] [--real FOLDER] [--output docs/results/blocs.md]

Each cell is a population, a number of people and of items, and a kind of list; one sample of each
cell is drawn after the other until the time is up, so that all cells have about as many. Beside
rankcut: k-means on Borda positions with the gap statistic (Tibshirani, Walther and Hastie 2001),
scikit-learn's Gaussian mixture on them with BIC, and, with ``--earlier``, the rule of an earlier
version of rankcut, whose ``src`` folder is given. ``--keep`` goes on where an earlier run stopped.
``--real`` is the folder of the data sets that the second table is about.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from record import header
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from rankcut import RankingBlocs, make_mallows, make_plackett_luce, read_file
from rankcut.datasets import load_eurovision, load_lunch, load_starwars, load_sushi

# Mallows' φ for each number of items: orders have a tau of about .7 with the centre of their camp.
PHI = {4: 0.25, 8: 0.4, 10: 0.45, 30: 0.75}

MOST = 8

# Other methods see this many samples of a cell: k-means with the gap takes longest.
BESIDE = 1

# What is drawn, among how many people, and of how many items; "full" lists unless it says so. The
# same kinds of people, drawn with other seeds, were looked at while the method was made; φ was
# lowered from .6 then, because camps of .6 overlap so much that they look like a line.
CELLS = [
    *[("one crowd, Mallows", n, items, "full") for n, items in ((24, 4), (48, 8), (500, 10))],
    ("one crowd, Mallows", 2000, 10, "full"),
    ("one crowd, Mallows", 200, 30, "full"),
    *[("one crowd, Plackett-Luce", n, 8, "full") for n in (48, 500)],
    *[("one crowd, Mallows", 500, 10, kind) for kind in ("top 4", "random 6", "ties")],
    ("one crowd, more or less sure", 500, 8, "full"),
    ("one crowd, 5 % at random", 500, 8, "full"),
    ("one crowd, 10 % at random", 500, 8, "full"),
    *[("2 camps", n, items, "full") for n, items in ((24, 8), (48, 8), (48, 30), (500, 4))],
    *[("2 camps", 500, 10, kind) for kind in ("full", "top 4", "random 6", "ties")],
    ("2 camps, 10 % at random", 500, 8, "full"),
    *[(f"{k} camps", 500, 10, "full") for k in (3, 4, 5, 6)],
    *[(f"{name}", n, 8, "full") for name in ("90/10", "97/3") for n in (100, 1000)],
    *[("a line", n, 8, "full") for n in (48, 500)],
    *[("a line with noise", n, 8, "full") for n in (48, 500)],
    ("a line with noise", 500, 10, "top 4"),
    ("a plane with noise", 300, 8, "full"),
]


def by_utility(utilities: np.ndarray) -> np.ndarray:
    """Ranks, the largest utility first."""
    return (-utilities).argsort(axis=1).argsort(axis=1) + 1.0


def centres(k: int, n_items: int, rng: np.random.RandomState) -> np.ndarray:
    """Orders, any two of which differ in at least a third of the pairs."""
    i, j = np.triu_indices(n_items, 1)
    while True:
        found = np.array([rng.permutation(n_items) + 1.0 for _ in range(k)])
        signs = np.sign(found[:, i] - found[:, j])
        turned = (len(i) - signs @ signs.T) / 2
        if (turned[~np.eye(k, dtype=bool)] >= len(i) / 3).all():
            return found


def draw(name: str, n_people: int, n_items: int, seed: int) -> np.ndarray:
    """Full rankings of a population."""
    rng = np.random.RandomState(seed)
    phi, noise = PHI[n_items], rng.gumbel(size=(n_people, n_items))
    if "line" in name or "plane" in name:
        width = 2 if "plane" in name else 1
        people = rng.uniform(-1, 1, size=(n_people, 1, width))
        items = rng.uniform(-1, 1, size=(n_items, width))
        away = np.linalg.norm(people - items, axis=2)
        return by_utility(-away + (0.1 * noise if "noise" in name else 0.0))
    if "sure" in name:
        scale = np.exp(0.7 * rng.standard_normal((n_people, 1)))
        return by_utility(scale * np.linspace(2, -2, n_items) + noise)
    if "Plackett" in name:
        return make_plackett_luce(n_people, n_items, random_state=rng).ranks
    shares = None
    if "/" in name:
        order = np.arange(1.0, n_items + 1)
        middle = np.array([order, order[::-1]])
        shares = {"90/10": [0.9, 0.1], "97/3": [0.97, 0.03]}[name]
    else:
        middle = centres(planted(name), n_items, rng)
    ranks = make_mallows(
        n_people, n_items, phi=phi, centers=middle, shares=shares, random_state=rng
    ).ranks
    if "at random" in name:
        some = int(float(name.split(", ")[1].split()[0]) / 100 * n_people)
        ranks[:some] = rng.random_sample((some, n_items)).argsort(axis=1) + 1
    return ranks


def as_lists(ranks: np.ndarray, kind: str, seed: int) -> tuple[np.ndarray, str]:
    """The same as lists of a kind, and what unranked items mean there."""
    rng = np.random.RandomState(seed)
    if kind == "top 4":
        return np.where(ranks <= 4, ranks, np.nan), "last"
    if kind == "random 6":
        listed = rng.random_sample(ranks.shape).argsort(axis=1).argsort(axis=1) < 6
        return np.where(listed, ranks, np.nan), "anywhere"
    return (np.ceil(ranks / 2) if kind == "ties" else ranks), "error"


def planted(name: str) -> int:
    """How many camps a population has."""
    return int(name[0]) if name[0].isdigit() and "camps" in name else 2 if "/" in name else 1


def borda(ranks: np.ndarray, unranked: str) -> np.ndarray:
    """Positions; unlisted items share the rest, or are in the middle."""
    n_items = ranks.shape[1]
    listed = (~np.isnan(ranks)).sum(axis=1, keepdims=True)
    rest = (listed + 1 + n_items) / 2 if unranked == "last" else (listed + 1) / 2
    return np.where(np.isnan(ranks), rest, ranks)


def by_gap(points: np.ndarray, seed: int) -> int:
    """k-means with the gap statistic: the first k within an error of the next."""
    rng = np.random.RandomState(seed)
    _, _, axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
    turned = (points - points.mean(axis=0)) @ axes.T
    low, high = turned.min(axis=0), turned.max(axis=0)

    def inertia(data: np.ndarray) -> np.ndarray:
        most = min(MOST, len(np.unique(data, axis=0)) - 1)
        each = [KMeans(k, n_init=2, random_state=0).fit(data).inertia_ for k in range(1, most + 1)]
        return np.log(np.maximum(each, 1e-9))

    own = inertia(points)
    drawn = [inertia(rng.uniform(low, high, size=points.shape) @ axes) for _ in range(5)]
    nulls = np.array([each[: len(own)] for each in drawn])
    gap, error = nulls.mean(axis=0) - own, nulls.std(axis=0) * np.sqrt(1.2)
    for k in range(len(own) - 1):
        if gap[k] >= gap[k + 1] - error[k + 1]:
            return k + 1
    return len(own)


def by_gaussians(points: np.ndarray) -> int:
    """scikit-learn's Gaussian mixture; positions add up to the same, so one column is left out."""
    points = points[:, :-1]
    scores = [
        GaussianMixture(k, reg_covar=1e-2, n_init=2, random_state=0).fit(points).bic(points)
        for k in range(1, min(MOST, len(points)) + 1)
    ]
    return int(np.argmin(scores)) + 1


def answers(cell: tuple, seed: int, beside: bool) -> dict[str, str]:
    """What is said of one sample; ``beside``, by other methods too."""
    name, n_people, n_items, kind = cell
    ranks, unranked = as_lists(draw(name, n_people, n_items, seed), kind, seed)
    points = borda(ranks, unranked)
    model = RankingBlocs(unranked=unranked).fit(ranks)
    if not hasattr(model, "structure_"):
        return {"earlier": "camps" + str(model.n_blocs_) if model.n_blocs_ > 1 else "crowd"}
    said = model.structure_ + (str(model.n_blocs_) if model.structure_ == "camps" else "")
    found = {"rankcut": said}
    if not beside:
        return found
    for method, number in (("gap", by_gap(points, seed)), ("gaussian", by_gaussians(points))):
        found[method] = "crowd" if number == 1 else f"camps{number}"
    return found


def right(name: str, said: str) -> bool:
    """Whether it is what was planted; a line and a plane must not be called camps."""
    k = planted(name)
    if "/" in name:
        return said in ("crowd", "camps2")
    if k > 1:
        return said == f"camps{k}"
    return said == "crowd" if "crowd" in name else not said.startswith("camps")


def simulate(minutes: float, samples: int, keep: Path, method: str) -> None:
    """Draw samples until the time is up; each answer is kept at once."""
    kept = json.loads(keep.read_text()) if keep.exists() else {}
    end = time.monotonic() + 60 * minutes
    for seed in range(samples):
        for number, cell in enumerate(CELLS):
            key = f"{method}|{number}|{seed}"
            if time.monotonic() > end:
                return
            if key not in kept:
                with threadpool_limits(1):
                    kept[key] = answers(cell, 10_000 + 100 * seed + number, seed < BESIDE)
                keep.write_text(json.dumps(kept))


def table(keep: Path) -> str:
    """The share of right answers in each cell, by method."""
    kept = json.loads(keep.read_text())
    methods = ("rankcut", "gap", "gaussian", "earlier")
    heads = ["people are", "people", "items", "lists", "samples", "**rankcut**", "said instead"]
    heads += ["k-means, gap", "Gaussians, BIC", "rankcut before"]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for number, (name, n_people, n_items, kind) in enumerate(CELLS):
        said: dict[str, list[str]] = {method: [] for method in methods}
        for key, found in kept.items():
            if int(key.split("|")[1]) == number:
                for method, word in found.items():
                    said[method].append(word)
        if not said["rankcut"]:
            continue
        shares = [
            f"{np.mean([right(name, word) for word in said[method]]):.0%}" if said[method] else ""
            for method in methods
        ]
        wrong = [word for word in said["rankcut"] if not right(name, word)]
        instead = ", ".join(f"{wrong.count(word)} {word}" for word in sorted(set(wrong)))
        cells = [name, f"{n_people:,}", str(n_items), kind, str(len(said["rankcut"]))]
        lines.append("| " + " | ".join([*cells, f"**{shares[0]}**", instead, *shares[1:]]) + " |")
    return "\n".join(lines)


def real(data: Path) -> str:
    """What is said of real votes."""
    lines = [
        "| votes | people | items | unranked | what is said | seconds |",
        "|---|---|---|---|---|---|",
    ]
    for name, votes, unranked in real_votes(data):
        start = time.process_time()
        model = RankingBlocs(unranked=unranked).fit(votes)
        spent = time.process_time() - start
        said = model.summary(most=3).splitlines()
        words = " ".join(line for line in said if not line.startswith(("Bloc", "  ", "A number")))
        cells = [name, f"{model.n_people_:,}", str(model.n_features_in_), unranked, words]
        lines.append("| " + " | ".join([*cells, f"{spent:.1f}"]) + " |")
    return "\n".join(lines)


def real_votes(data: Path):
    """Lunch, sushi, Dublin, Star Wars and Eurovision."""
    yield "lunch", load_lunch("full"), "error"
    yield "sushi", load_sushi("a", data_home=data), "error"
    for name, number in (("Dublin North 2002", 1), ("Dublin West 2002", 2)):
        yield name, read_file(data / f"preflib/00001-irish/00001-0000000{number}.soi"), "last"
    yield "Star Wars films", load_starwars("films", data_home=data), "anywhere"
    yield "Eurovision since 2004", load_eurovision(data_home=data, first_year=2004), "last"


def main() -> None:
    """Simulate, look at real votes, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--keep", type=Path, default=Path("blocs.json"))
    parser.add_argument("--earlier", type=Path)
    parser.add_argument("--real", type=Path)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--method", default="now", help=argparse.SUPPRESS)
    args = parser.parse_args()
    simulate(args.minutes, args.samples, args.keep, args.method)
    if args.method != "now":
        return
    if args.earlier is not None:
        command = [sys.executable, __file__, "--method", "earlier", "--keep", str(args.keep)]
        command += ["--minutes", str(args.minutes / 4), "--samples", str(args.samples)]
        subprocess.run(command, env={**os.environ, "PYTHONPATH": str(args.earlier)}, check=True)
    page = ["## Simulated people", "", table(args.keep), ""]
    if args.real is not None:
        page += ["## Real votes", "", real(args.real), ""]
    print("\n".join(page))
    if args.output is not None:
        words = (
            "\nThe share of samples in which the answer is right: the number of camps that were "
            "planted, one crowd, or no camps among people on a line or a plane. Of 90/10 and 97/3 "
            "the minority may be found or left alone, but the majority must not break up.\n\n"
        )
        opening = header("blocs", "python benchmarks/blocs.py --output docs/results/blocs.md")
        args.output.write_text(opening + words + "\n".join(page), encoding="utf-8")


if __name__ == "__main__":
    main()
