"""What the usual tools take for the same work, in one run: fits by hand and other libraries.

Run with: python -m benchmarks.peers [--only votes] [--runs 5]

Processor time of one thread, the shortest of a few runs that take turns (warm), and of the first in
a process of its own, with its imports and what it compiles or loads (cold). The data are made
before. *By hand* is what one would write with pandas and NumPy. Libraries that are not installed
are left out: evalica, arena-rank, choix, statsmodels, preflibtools, implicit, scikit-posthocs.
"""

import argparse
import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.timing import in_words

# Elo's points of a log-odd.
POINTS = 400 / math.log(10)

Work = Callable[[Any], object]


class Race(NamedTuple):
    """The same work by several: what it is of, its data, and each by name with what it needs."""

    what: str
    data: Callable[[], Any]
    ways: dict[str, tuple[Work, str]]


def votes() -> Any:
    """A frame of 140,000 votes between two of 100 models, a tenth of them ties."""
    import pandas as pd

    n_votes, n_models = 140_000, 100
    rng = np.random.default_rng(0)
    strengths = rng.standard_normal(n_models)
    first = rng.integers(0, n_models, n_votes)
    second = (first + rng.integers(1, n_models, n_votes)) % n_models
    won = rng.random(n_votes) < 1 / (1 + np.exp(strengths[second] - strengths[first]))
    names = np.array([f"model {i:03d}" for i in range(n_models)], dtype=object)
    winner = np.where(rng.random(n_votes) < 0.1, "tie", np.where(won, "model_a", "model_b"))
    return pd.DataFrame({"model_a": names[first], "model_b": names[second], "winner": winner})


def rated_by_hand(frame: Any) -> Any:
    """Newton's method on the matrix of wins, and a sandwich of the votes for errors."""
    import pandas as pd

    n_votes = len(frame)
    codes, names = pd.factorize(pd.concat([frame["model_a"], frame["model_b"]]), sort=True)
    first, second = codes[:n_votes], codes[n_votes:]
    points = frame["winner"].map({"model_a": 1.0, "model_b": 0.0, "tie": 0.5}).to_numpy()
    size = len(names)
    wins = np.zeros((size, size))
    np.add.at(wins, (first, second), points)
    np.add.at(wins, (second, first), 1 - points)
    met, ratings, step = wins + wins.T, np.zeros(size), np.ones(size)
    while np.abs(step).max() > 1e-10:
        chance = 1 / (1 + np.exp(ratings[None, :] - ratings[:, None]))
        bend = met * chance * (1 - chance)
        information = np.diag(bend.sum(axis=1)) - bend + 1.0
        step = np.linalg.solve(information, (wins - met * chance).sum(axis=1))
        ratings = ratings + step
    squares = np.zeros((size, size))
    rest = (points - 1 / (1 + np.exp(ratings[second] - ratings[first]))) ** 2
    np.add.at(squares, (first, second), rest)
    squares = squares + squares.T
    inverse = np.linalg.inv(information)
    errors = np.sqrt(np.diag(inverse @ (np.diag(squares.sum(axis=1)) - squares) @ inverse))
    return POINTS * ratings, errors


def rated(frame: Any, **parameters: Any) -> Any:
    from rankcut import Leaderboard

    board = Leaderboard(**parameters).fit(frame)
    return board.ratings_, board.standard_errors_


def rated_bare(frame: Any) -> Any:
    return rated(frame, prior="none", ties="half")


def rated_by_arena_rank(frame: Any) -> Any:
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    data = PairDataset.from_pandas(frame)
    return BradleyTerry(n_competitors=len(data.competitors)).compute_ratings_and_cis(data)


def rated_by_evalica(frame: Any) -> Any:
    import evalica

    sides = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    winner = frame["winner"].map(sides)
    return evalica.bradley_terry(frame["model_a"], frame["model_b"], winner, tolerance=1e-10)


def rankings(n_rankings: int = 5_000, n_items: int = 10) -> Any:
    """Full rankings by the Plackett–Luce model, as ranks."""
    rng = np.random.default_rng(0)
    utilities = rng.normal(size=n_items) + rng.gumbel(size=(n_rankings, n_items))
    return (-utilities).argsort(axis=1).argsort(axis=1) + 1.0


def strengths(ranks: Any) -> Any:
    from rankcut.rankings import read_rankings
    from rankcut.strengths import fit_strengths

    return fit_strengths(read_rankings(ranks), prior="none")


def strengths_by_choix(ranks: Any) -> Any:
    import choix

    return choix.ilsr_rankings(ranks.shape[1], ranks.argsort(axis=1).tolist())


def strengths_by_statsmodels(ranks: Any) -> Any:
    """The exploded logit as a proportional hazards model, a stratum for each ranking."""
    from statsmodels.duration.hazard_regression import PHReg

    n_rows, n_items = ranks.shape
    indicators = np.tile(np.eye(n_items)[:, 1:], (n_rows, 1))
    return PHReg(ranks.ravel(), indicators, strata=np.repeat(np.arange(n_rows), n_items)).fit()


def ballots() -> Any:
    """A file .soi of 50,000 ballots of up to 12 items."""
    from rankcut import RankingSet, write_file

    ranks = rankings(50_000, 12)
    lengths = np.random.default_rng(1).integers(1, 7, len(ranks))[:, None]
    listed = RankingSet(np.where(ranks <= lengths, ranks, np.nan), tuple("abcdefghijkl"))
    path = str(Path(tempfile.mkdtemp()) / "ballots.soi")
    write_file(listed, path)
    return path


def read(path: Any) -> Any:
    from rankcut.files.preflib import read_preflib

    return read_preflib(path)


def read_by_preflibtools(path: Any) -> Any:
    from preflibtools.instances import OrdinalInstance

    return OrdinalInstance(path)


def lists() -> Any:
    """5,000 lists of 10 of 500 items, as a sparse matrix of ranks."""
    from scipy.sparse import csr_array

    rng = np.random.default_rng(0)
    likes = rng.normal(size=500) + rng.normal(size=(5_000, 8)) @ rng.normal(size=(8, 500))
    columns = np.argsort(-likes - rng.gumbel(size=likes.shape), axis=1)[:, :10]
    ranks = np.tile(np.arange(1.0, 11), len(likes))
    rows = np.repeat(np.arange(len(likes)), 10)
    return csr_array((ranks, (rows, columns.ravel())), shape=likes.shape)


def recommended(ranks: Any) -> Any:
    from rankcut import RankingCompleter

    return RankingCompleter(unranked="last").fit(ranks).recommend(ranks)


def recommended_by_ease(ranks: Any) -> Any:
    """EASE (Steck 2019): B = I − P·diag(1/P) with P = (XᵀX + λI)⁻¹."""
    listed = (ranks != 0).astype(float)
    inverse = np.linalg.inv((listed.T @ listed).toarray() + 100.0 * np.eye(ranks.shape[1]))
    weights = inverse / -np.diag(inverse)
    np.fill_diagonal(weights, 0.0)
    scores = listed @ weights
    scores[listed.nonzero()] = -np.inf
    return np.argpartition(-scores, 10, axis=1)[:, :10]


def recommended_by_als(ranks: Any) -> Any:
    from implicit.als import AlternatingLeastSquares
    from scipy.sparse import csr_matrix

    listed = csr_matrix((ranks != 0).astype(np.float32))
    model = AlternatingLeastSquares(factors=32, num_threads=1)
    model.fit(listed, show_progress=False)
    return model.recommend(np.arange(listed.shape[0]), listed, N=10)


def labelled() -> Any:
    """3,000 full rankings of 10 items with a class."""
    ranks = rankings(3_000)
    return ranks, (ranks[:, 0] < ranks[:, 1]) ^ (np.random.default_rng(1).random(3_000) < 0.2)


def classified(data: Any) -> Any:
    from rankcut import RankingClassifier

    return RankingClassifier().fit(*data)


def classified_by_regression(data: Any) -> Any:
    """One logistic regression on the signs of all pairs, with its penalty by cross-validation."""
    from sklearn.linear_model import LogisticRegressionCV

    ranks, labels = data
    first, second = np.triu_indices(ranks.shape[1], 1)
    signs = np.sign(ranks[:, second] - ranks[:, first])
    return LogisticRegressionCV(Cs=10, cv=5).fit(signs, labels)


def scores() -> Any:
    """Scores of 20 models on 200 data sets."""
    import pandas as pd

    rng = np.random.default_rng(0)
    cells = rng.normal(size=(200, 20)) + np.linspace(0, 1, 20)
    return pd.DataFrame(cells, columns=[f"model {i}" for i in range(20)])


def compared(frame: Any) -> Any:
    from rankcut.leaderboard import critical_difference

    return critical_difference(frame).nemenyi


def compared_by_posthocs(frame: Any) -> Any:
    import scikit_posthocs

    return scikit_posthocs.posthoc_nemenyi_friedman(frame)


OURS = "rankcut"
RACES = {
    "votes": Race(
        "From a frame of 140,000 votes of 100 models to ratings with errors",
        votes,
        {
            OURS: (rated, ""),
            "rankcut, maximum likelihood": (rated_bare, ""),
            "by hand": (rated_by_hand, "pandas"),
            "arena-rank": (rated_by_arena_rank, "arena_rank"),
            "evalica, no errors": (rated_by_evalica, "evalica"),
        },
    ),
    "strengths": Race(
        "Strengths of 10 items from 5,000 full rankings",
        rankings,
        {
            OURS: (strengths, ""),
            "choix, no errors": (strengths_by_choix, "choix"),
            "statsmodels, PHReg": (strengths_by_statsmodels, "statsmodels"),
        },
    ),
    "reading": Race(
        "Reading 50,000 ballots of 12 items, .soi",
        ballots,
        {OURS: (read, ""), "preflibtools": (read_by_preflibtools, "preflibtools")},
    ),
    "lists": Race(
        "Ten recommendations for each of 5,000 lists of 10 of 500 items",
        lists,
        {
            OURS: (recommended, ""),
            "EASE by hand": (recommended_by_ease, ""),
            "implicit, ALS": (recommended_by_als, "implicit"),
        },
    ),
    "classes": Race(
        "A classifier of 3,000 rankings of 10 items",
        labelled,
        {OURS: (classified, ""), "logistic regression": (classified_by_regression, "sklearn")},
    ),
    "scores": Race(
        "Nemenyi's test of 20 models on 200 data sets",
        scores,
        {OURS: (compared, ""), "scikit-posthocs": (compared_by_posthocs, "scikit_posthocs")},
    ),
}


def cold_seconds(race: str, name: str) -> float:
    """Processor time of the first run in a process of its own."""
    command = [sys.executable, "-m", __spec__.name, "--cold", json.dumps([race, name])]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def processor_seconds(work: Work, data: Any) -> float:
    start = time.process_time()
    work(data)
    return time.process_time() - start


def run(race: Race, key: str, runs: int) -> None:
    """Print the table of a race."""
    ways = {
        name: work
        for name, (work, needs) in race.ways.items()
        if not needs or importlib.util.find_spec(needs)
    }
    data = race.data()
    warm = dict.fromkeys(ways, math.inf)
    for turn in range(runs + 1):
        for name, work in ways.items():
            # The first turn may compile.
            seconds = processor_seconds(work, data)
            warm[name] = min(warm[name], seconds) if turn else math.inf
    print(f"\n{race.what}\n\n| | warm | times rankcut | cold |\n|---|---:|---:|---:|")
    for name in ways:
        cold = in_words(cold_seconds(key, name))
        print(f"| {name} | {in_words(warm[name])} | {warm[name] / warm[OURS]:.2f} | {cold} |")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=RACES, help="One race alone.")
    parser.add_argument("--runs", type=int, default=5, help="Runs of each, of which the shortest.")
    parser.add_argument("--cold", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cold:
        race, name = json.loads(options.cold)
        data = RACES[race].data()
        print(processor_seconds(RACES[race].ways[name][0], data))
        return
    for key, race in RACES.items():
        if options.only in (None, key):
            run(race, key, options.runs)


if __name__ == "__main__":
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    main()
