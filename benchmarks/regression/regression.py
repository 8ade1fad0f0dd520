"""How well ages are predicted from rankings, and how often the intervals hold.

Run with: python -m benchmarks.regression.regression [--data FOLDER] [--folds 5] [--page FILE]

FOLDER, or the environment variable RANKCUT_DATA, has the sushi data, the Star Wars survey and
MovieLens 100k. The age of sushi raters and of those who ranked Star Wars films is the number of
their age group; of MovieLens, films that a hundred people or more have rated. R² with its 95 %
interval over folds; coverage is the share of people left out whose age is inside the 95 % interval.
Boosting and ridge have no intervals. The gain is that over the better of the first two methods.
"""

import argparse
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse as sp
from scipy.stats import t
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline, make_union

from benchmarks.record import header, own_command
from rankcut import GPRegressor, GraphCutFeatures, ViewFeatures
from rankcut.datasets import load_movielens, load_starwars, load_sushi
from rankcut.rankings.stored import dense_ranks

COMMON = 100


def sushi(which: str, data: str) -> tuple[Any, np.ndarray]:
    """Rankings, and the number of the age group."""
    found = load_sushi(which, data_home=data)
    return found.ranks, np.unique(found.columns["age"], return_inverse=True)[1].astype(np.float64)


def star_wars(data: str) -> tuple[Any, np.ndarray]:
    """Rankings of the six films, and the number of the age group."""
    found = load_starwars(data_home=data)
    groups = {"18-29": 0.0, "30-44": 1.0, "45-60": 2.0, "> 60": 3.0}
    ages = np.array([groups.get(str(age), np.nan) for age in found.columns["age"]])
    known = ~np.isnan(ages)
    return found.dense()[known], ages[known]


def movielens(data: str) -> tuple[Any, np.ndarray]:
    """Rankings of the films that many have rated, and ages."""
    found = load_movielens(data_home=data)
    ranks = dense_ranks(found.ranks) if sp.issparse(found.ranks) else np.asarray(found.ranks)
    common = (~np.isnan(ranks)).sum(axis=0) >= COMMON
    kept = (~np.isnan(ranks[:, common])).sum(axis=1) >= 2
    return ranks[kept][:, common], np.asarray(found.columns["age"], dtype=np.float64)[kept]


def methods() -> dict[str, Any]:
    """What is compared; on the complete graph the vectors are Borda positions."""
    closed = {"unranked": "anywhere", "completions": "closed_form", "sparse_output": False}
    last = {"unranked": "last", "sparse_output": False}
    return {
        "GPRegressor": make_pipeline(GraphCutFeatures(**closed), GPRegressor()),
        "GPRegressor, unranked last": make_pipeline(GraphCutFeatures(**last), GPRegressor()),
        "GPRegressor, both": make_pipeline(
            make_union(GraphCutFeatures(**closed), GraphCutFeatures(**last)), GPRegressor()
        ),
        "GPRegressor, weighted views": make_pipeline(ViewFeatures(), GPRegressor()),
        "ridge on Borda positions": make_pipeline(
            GraphCutFeatures(**last), RidgeCV(np.logspace(-2, 8, 21))
        ),
        "boosting": make_pipeline(
            GraphCutFeatures(**last), HistGradientBoostingRegressor(random_state=0)
        ),
    }


def judge(ranks: Any, ages: np.ndarray, folds: int) -> list[list[str]]:
    """A row for each method."""
    rows, all_scores = [], {}
    for name, model in methods().items():
        scores: list[float] = []
        inside: list[bool] = []
        start = time.process_time()
        for train, test in KFold(folds, shuffle=True, random_state=0).split(ages):
            model.fit(ranks[train], ages[train])
            scores.append(model.score(ranks[test], ages[test]))
            if isinstance(model[-1], GPRegressor):
                mean, deviation = model.predict(ranks[test], return_std=True)
                inside += (np.abs(ages[test] - mean) < 1.96 * deviation).tolist()
        seconds = (time.process_time() - start) / folds
        all_scores[name] = np.array(scores)
        best = max(list(all_scores.values())[:2], key=np.mean)
        gain = interval(all_scores[name] - best) if len(rows) > 1 else ""
        held = f"{np.mean(inside):.3f}" if inside else ""
        rows.append([name, interval(all_scores[name]), gain, held, f"{seconds:.1f}"])
    return rows


def interval(values: np.ndarray) -> str:
    """Mean and half the width of its 95 % interval, for folds that share training rows."""
    folds = len(values)
    error = np.std(values, ddof=1) * np.sqrt(1 / folds + 1 / (folds - 1))
    return f"{np.mean(values):.3f} ± {t.ppf(0.975, folds - 1) * error:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("RANKCUT_DATA"))
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--page", type=Path, default=None)
    options = parser.parse_args()
    sets = {
        "sushi a, age group": lambda: sushi("a", options.data),
        "sushi b, age group": lambda: sushi("b", options.data),
        "Star Wars, age group": lambda: star_wars(options.data),
        "MovieLens 100k, age": lambda: movielens(options.data),
    }
    lines = [
        header("Ages from rankings", own_command()),
        f"{options.folds} folds; R² ± half of a 95 % interval, its gain over the better of the",
        "first two methods, coverage of 95 % intervals, processor seconds for one fold. Weighted",
        "views are `ViewFeatures`.",
        "",
        "| data | method | R² | gain | coverage | seconds |",
        "|---|---|---|---|---|---|",
    ]
    for name, load in sets.items():
        for row in judge(*load(), options.folds):
            lines.append(f"| {name} | {' | '.join(row)} |")
            print(lines[-1], flush=True)
    if options.page is not None:
        options.page.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
