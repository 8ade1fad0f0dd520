"""Does the level of ratings tell more than their order? The classifier with and without levels.
Gains are paired, by person, with 95 % intervals. Boosting learns from the ratings as they are.

    python benchmarks/rating_levels.py DATA_DIR

DATA_DIR has the folders starwars and movielens-100k. The characters of Star Wars are judged in five
words from very unfavourable to very favourable, films from one to five stars. AUC × 100 over five
folds, twice.
"""

import csv
import sys
from pathlib import Path

import numpy as np
from quality_measures import area_under_curve
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold
from tables import print_table

from rankcut import RankingClassifier

REPEATS = 2
FEWEST = 100
LEVELS = [
    "Very unfavorably",
    "Somewhat unfavorably",
    "Neither favorably nor unfavorably (neutral)",
    "Somewhat favorably",
    "Very favorably",
]


def star_wars(home: Path) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Judgements of fourteen characters, 5 the best, and what is known of people, "" if not."""
    with open(home / "starwars" / "StarWars.csv", encoding="latin-1", newline="") as file:
        rows = list(csv.reader(file))[2:]
    levels = {word: float(level) for level, word in enumerate(LEVELS, start=1)}
    ratings = np.array([[levels.get(cell, np.nan) for cell in row[15:29]] for row in rows])
    kept = (~np.isnan(ratings)).sum(axis=1) >= 2
    known = np.array([row[33:37] for row in rows])[kept]
    gender, age, _, education = known.T
    taught = np.isin(education, ["Bachelor degree", "Graduate degree"]).astype(float)
    targets = {
        "gender": np.where(gender == "", np.nan, gender == "Female"),
        "older than 44": np.where(age == "", np.nan, np.isin(age, ["45-60", "> 60"])),
        "degree": np.where(education == "", np.nan, taught),
    }
    return ratings[kept], targets


def films(home: Path) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Stars of the films that are rated often."""
    home = home / "movielens-100k"
    user, film, stars = np.loadtxt(home / "u.data", dtype=np.int64, usecols=(0, 1, 2)).T
    ratings = np.full((user.max(), film.max()), np.nan)
    ratings[user - 1, film - 1] = stars
    people = [line.split("|") for line in (home / "u.user").read_text().splitlines()]
    age = np.array([int(person[1]) for person in people])
    targets = {
        "gender": np.array([float(person[2] == "F") for person in people]),
        "older than the median": (age > np.median(age)).astype(float),
    }
    return ratings[:, (~np.isnan(ratings)).sum(axis=0) >= FEWEST], targets


METHODS = {
    "boosting": lambda: HistGradientBoostingClassifier(random_state=0),
    "order": lambda: RankingClassifier(ratings=False),
    "order and level": lambda: RankingClassifier(ratings=True),
}


def judge(ratings: np.ndarray, target: np.ndarray, method: str) -> tuple[float, np.ndarray]:
    """The mean AUC over all folds, and the influence of each person on it."""
    areas, influences = [], np.zeros(len(target))
    people = np.arange(len(target))
    for seed in range(REPEATS):
        folds = StratifiedKFold(5, shuffle=True, random_state=seed).split(ratings, target)
        for train, test in folds:
            # Ranks are low where ratings are high.
            X = -ratings if method == "order" else ratings
            model = METHODS[method]().fit(X[train], target[train])
            scores = model.predict_proba(X[test])[:, 1]
            found = area_under_curve(target[test], scores, people[test], len(people))
            areas.append(found.score)
            influences += found.influence
    return float(np.mean(areas)), influences / len(areas)


def main() -> None:
    home = Path(sys.argv[1])
    rows = []
    for data, read in (("star wars characters", star_wars), ("films", films)):
        ratings, targets = read(home)
        for name, target in targets.items():
            kept = ~np.isnan(target)
            found = {m: judge(ratings[kept], target[kept].astype(int), m) for m in METHODS}
            cells = [data, name, f"{kept.sum()}", *(f"{100 * found[m][0]:.1f}" for m in METHODS)]
            for rival in ("order", "boosting"):
                (one, mine), (other, theirs) = found["order and level"], found[rival]
                half = 1.96 * np.sqrt(((mine - theirs) ** 2).sum())
                cells.append(f"{100 * (one - other):+.1f} ± {100 * half:.1f}")
            rows.append(cells)
    print_table(
        "AUC × 100, and what the level gains",
        ["data", "target", "people", *METHODS, "over order", "over boosting"],
        rows,
    )


if __name__ == "__main__":
    main()
