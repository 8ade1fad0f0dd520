"""How well rankings are predicted from covariates, beside forests and published methods.

Run with: python -m benchmarks.label_ranking.label_ranking FOLDER [--results FILE] [--page FILE]
          [--minutes N] [--sets iris,wine] [--no-deletion]

FOLDER holds the twelve sets of Cheng, Hühn and Hüllermeier (2009) as CSV files: covariates A1, A2,
…, the ranking as text, and a column for each label with its place. Ten folds, five times, the same
for all methods. Scores are kept in --results as they are found, and a later run goes on from there.
All sets get their first fold, with and without deleted labels, before any gets its second; the page
says how many folds each has.
With labels deleted from the training rankings, at random, the default is beside forests on mean
ranks: an unranked label gets the mean of the ranks that are left to it. There, models learn from
at most 500 rows. Seconds are processor time.
"""

import argparse
import json
import time
from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata, t
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import KFold

from benchmarks.record import header, own_command, spaced
from rankcut import RankingRegressor
from rankcut.label_ranking import kendall_score

# Mean tau of the best of six published methods, and of the best forest.
PUBLISHED = {
    "bodyfat": 0.283,
    "calhousing": 0.491,
    "cpu-small": 0.518,
    "glass": 0.906,
    "housing": 0.833,
    "iris": 0.968,
    "pendigits": 0.976,
    "segment": 0.977,
    "wine": 0.956,
    "cold": 0.108,
    "diau": 0.220,
    "spo": 0.137,
}
SMALL = ("bodyfat", "glass", "housing", "iris", "wine")
FOLDS, REPEATS = 10, 5
MOST_DELETED_ROWS = 500
DELETED = (0.3, 0.6)

# Repeat, fold, set and share of deleted labels.
Key = tuple[int, int, str, float]


def load(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Covariates and ranks of a set."""
    table = pd.read_csv(folder / f"{name}.csv.gz")
    at = list(table.columns).index("ranking")
    return table.iloc[:, :at].to_numpy(float), table.iloc[:, at + 1 :].to_numpy(float) + 1


def delete(ranks: np.ndarray, share: float, seed: int) -> np.ndarray:
    """Rankings with each label deleted with this probability; at least two are left in each."""
    rng = np.random.default_rng(seed)
    left = ranks.copy()
    draws = rng.uniform(size=ranks.shape)
    draws[np.argsort(draws, axis=1).argsort(axis=1) >= ranks.shape[1] - 2] = 1.0
    left[draws < share] = np.nan
    return left


def forest(X: np.ndarray, ranks: np.ndarray, new: np.ndarray) -> np.ndarray:
    """A random forest on ranks; a deleted one is the mean of those left to its label."""
    places = np.array(
        [np.where(np.isnan(row), np.nan, rankdata(row, nan_policy="omit")) for row in ranks]
    )
    scaled = places * (ranks.shape[1] + 1) / (1 + (~np.isnan(places)).sum(axis=1, keepdims=True))
    means = np.nanmean(scaled, axis=0)
    filled = np.where(np.isnan(scaled), means, scaled)
    found = [
        RandomForestRegressor(random_state=0).fit(X, column).predict(new) for column in filled.T
    ]
    return np.column_stack(found)


def tasks(sets: list[str], deletion: bool) -> list[Key]:
    """What to compute, in order: a fold of every row of the tables, then the next."""
    shares = (0.0, *DELETED) if deletion else (0.0,)
    return list(product(range(REPEATS), range(FOLDS), sets, shares))


def judge(folder: Path, key: Key) -> dict[str, Any]:
    """Kendall's tau of both methods in one fold, and what they cost."""
    repeat, fold, name, share = key
    X, ranks = load(folder, name)
    folds = KFold(FOLDS, shuffle=True, random_state=repeat)
    train, test = list(folds.split(X))[fold]
    if share:
        train = np.random.default_rng(fold).permutation(train)[:MOST_DELETED_ROWS]
    told = delete(ranks[train], share, seed=FOLDS * repeat + fold) if share else ranks[train]
    start = time.process_time()
    model = RankingRegressor(unranked="anywhere").fit(X[train], told)
    ours = kendall_score(ranks[test], model.predict(X[test]))
    middle = time.process_time()
    found: dict[str, Any] = {"ours": ours, "seconds": middle - start}
    found["gaps"], found["pairs"] = calibration_gaps(ranks[test], model.predict_pairs(X[test]))
    if share or (name in SMALL and repeat == 0):
        found["forests"] = kendall_score(ranks[test], forest(X[train], told, X[test]))
        found["forest seconds"] = time.process_time() - middle
    return found


def calibration_gaps(ranks: np.ndarray, chances: np.ndarray) -> tuple[list[float], int]:
    """Sums of stated minus true probabilities in ten bins of pairs, each in both directions."""
    apart = ranks[:, :, None] != ranks[:, None, :]
    said, true = chances[apart], (ranks[:, :, None] < ranks[:, None, :])[apart]
    bins = np.minimum((said * 10).astype(int), 9)
    return np.bincount(bins, said - true, minlength=10).tolist(), len(said)


def calibration_error(found: list[dict[str, Any]]) -> str:
    """The expected calibration error over folds."""
    gaps = np.sum([each["gaps"] for each in found], axis=0)
    return f"{np.abs(gaps).sum() / sum(each['pairs'] for each in found):.3f}"


def reach(values: list[float]) -> float:
    """Half the width of the mean's 95 % interval, with folds that share training rows."""
    n = len(values)
    if n < 3:
        return np.inf
    # Nadeau and Bengio: a ninth of the training rows is tested.
    error = np.std(values, ddof=1) * np.sqrt(1 / n + 1 / (FOLDS - 1))
    return float(t.ppf(0.975, n - 1) * error)


def interval(values: list[float]) -> str:
    """Mean and half the width of its 95 % interval."""
    mean, width = f"{np.mean(values):.3f}", reach(values)
    return f"{mean} ± {width:.3f}" if np.isfinite(width) else mean


def page(scores: dict[Key, dict[str, Any]]) -> str:
    """The results as Markdown."""
    lines = [
        header("Predicting rankings", own_command()),
        "Ours is the mean Kendall's tau of `RankingRegressor()`, without tuning, over folds,",
        "± half of a 95 % interval (corrected for folds that share rows). Published",
        "best: of six methods, picked for each set afterwards. Forests: a random forest of",
        "scikit-learn for each label, in the first ten folds. Seconds: processor time for a fold.",
        "Calibration: expected error of the probabilities of pairs in ten bins. The whole protocol",
        f"has {FOLDS * REPEATS} folds for each set; a row with fewer is not complete.",
        "",
        "| set | folds | ours | published best | forests | calibration | seconds |",
        "|---|---|---|---|---|---|---|",
    ]
    by_set: dict[tuple[str, float], list[dict[str, Any]]] = defaultdict(list)
    for (_, _, name, share), found in sorted(scores.items()):
        by_set[name, share].append(found)
    whole, behind = [], []
    for name, best in PUBLISHED.items():
        found = by_set.get((name, 0.0), [])
        if not found:
            continue
        ours = [each["ours"] for each in found]
        whole.append((np.mean(ours), best))
        if best - np.mean(ours) > reach(ours):
            behind.append(name)
        forests = [each["forests"] for each in found if "forests" in each]
        shown = f"{np.mean(forests):.3f}" if forests else ""
        seconds = np.mean([each["seconds"] for each in found])
        error = calibration_error(found)
        lines.append(
            f"| {name} | {len(found)} | {interval(ours)} | {best:.3f} | {shown} | {error} "
            f"| {seconds:.0f} |"
        )
    if whole:
        ours, best = np.mean(whole, axis=0)
        lines += [
            f"| mean of {len(whole)} sets | | {ours:.3f} | {best:.3f} | | | |",
            "",
            f"Behind the published best by more than the interval: {', '.join(behind) or 'none'}.",
        ]
    lines += [
        "",
        "## With labels deleted from the training rankings",
        "",
        "Difference: ours less forests with mean ranks for deleted labels, in the same folds; at",
        f"most {MOST_DELETED_ROWS} rows are learned from.",
        "",
        "| set | deleted | folds | ours | forests | difference | calibration |",
        "|---|---|---|---|---|---|---|",
    ]
    gains = {}
    for name in PUBLISHED:
        for share in DELETED:
            found = by_set.get((name, share), [])
            if found:
                ours, forests = ([each[key] for each in found] for key in ("ours", "forests"))
                apart = [a - b for a, b in zip(ours, forests, strict=True)]
                gains[f"{name} {share:.0%}"] = np.mean(apart) / reach(apart)
                lines.append(
                    f"| {name} | {share:.0%} | {len(found)} | {np.mean(ours):.3f} | "
                    f"{np.mean(forests):.3f} | {interval(apart)} | {calibration_error(found)} |"
                )
    better = sum(gain > 1 for gain in gains.values())
    worse = [row for row, gain in gains.items() if gain < -1]
    lines += [
        "",
        f"Ours is significantly ahead in {better} of {len(gains)} rows. Forests are significantly "
        f"ahead in: {', '.join(worse) or 'none'}.",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--results", type=Path, default=Path("label_ranking.jsonl"))
    parser.add_argument("--page", type=Path, default=None)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--sets", default=",".join(PUBLISHED))
    parser.add_argument("--no-deletion", action="store_true")
    options = parser.parse_args()
    scores: dict[Key, dict[str, Any]] = {}
    if options.results.exists():
        for line in options.results.read_text(encoding="utf-8").splitlines():
            row: dict[str, Any] = json.loads(line)
            scores[row["repeat"], row["fold"], row["set"], row["deleted"]] = row["scores"]
    names = [name for name in options.sets.split(",") if name]
    for key in tasks(names, not options.no_deletion):
        if key in scores:
            continue
        if time.process_time() > 60 * options.minutes:
            break
        scores[key] = judge(options.folder, key)
        plain = {name: round(value, 3) for name, value in scores[key].items() if name != "gaps"}
        print(*key, plain, flush=True)
        repeat, fold, name, share = key
        row = {"set": name, "deleted": share, "repeat": repeat, "fold": fold}
        with options.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**row, "scores": scores[key]}) + "\n")
    text = page(scores)
    print(text)
    if options.page is not None:
        options.page.write_text(spaced(text), encoding="utf-8")


if __name__ == "__main__":
    main()
