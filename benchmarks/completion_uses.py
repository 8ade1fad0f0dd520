"""Do completed vectors help the classifier and the search, and do covariates help completion?
Covariates: pairs with a hidden item in the right order on sushi b, if the mean utilities are moved
by gender, age and region of people, by ridge regressions whose penalty is chosen in folds. Classes:
tasks of benchmarks/quality.py with 200 labels (or the fewest above), judged by the area under the
curve (AUC). "completed" is a logistic regression on the utilities of a RankingCompleter that
learned from the same rankings; "both" adds its log-odds to those of RankingClassifier, the default,
by a logistic regression on predictions of folds. Search: short lists of the same people, judged by
their agreement on other items; the cosine of completed vectors beside the default of
SimilarRankings, and the sum of both in standard units. Differences are to the default, with 95 %
intervals that count the people who are judged and, beyond covariates, those who are learned from.

Run with: python benchmarks/completion_uses.py [--data FOLDER] [--splits 2] [--only search]
"""

import argparse
import os
from dataclasses import replace

import completion
import numpy as np
from quality_classifiers import by_logistic_regression, recipe_without_graph
from quality_finders import FINDERS
from quality_measures import (
    Judged,
    agreement_of_nearest,
    area_under_curve,
    foresight_of_agreement,
)
from quality_scores import estimate
from quality_tasks import Classification, Neighbours, all_tasks
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold

from rankcut import RankingCompleter
from rankcut.completion.lists import read_lists
from rankcut.datasets import load_sushi
from rankcut.rankings import read_rankings

QUESTIONS = ("covariates", "classes", "search")
FIRST_SPLIT = 5000
LABELS = (200, 500, 600)
SIZES = (300, 1000, 4000)
PENALTIES = (10.0, 100.0, 1000.0, 10_000.0)


def row(task: Classification | Neighbours, measure: str, splits: list[list[Judged]]) -> str:
    """A line of the table: the default, and what the others gain over it."""
    scores = np.array([[judged.score for judged in split] for split in splits])
    influences = np.array([[judged.influence for judged in split] for split in splits])
    gains = []
    for way in (1, 2):
        apart = influences[:, way] - influences[:, 0]
        found = estimate(scores[:, way] - scores[:, 0], apart, task.trained)
        gains.append(f"{found.mean:+.4f} ± {found.half:.4f}")
    return f"| {task.name} | {measure} | {scores[:, 0].mean():.4f} | {' | '.join(gains)} |"


def completed_scores(train: np.ndarray, labels: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Log-odds by a logistic regression on completed vectors."""
    return by_logistic_regression([RankingCompleter], train, labels, test)


def classes(task: Classification, splits: int) -> str:
    """A line of areas under the curve."""
    lists, target = task.lists(), task.target()
    scores = []
    for number in range(FIRST_SPLIT, FIRST_SPLIT + splits):
        train, test = task.split(number)
        known, labels, unknown = lists.ranks[train], target[train], lists.ranks[test]
        ways = (lambda *parts: recipe_without_graph(lists, *parts), completed_scores)
        folds = StratifiedKFold(3, shuffle=True, random_state=0)
        inner = np.empty((len(train), 2))
        for learn, judge in folds.split(known, labels):
            for column, way in enumerate(ways):
                inner[judge, column] = way(known[learn], labels[learn], known[judge])
        outer = np.column_stack([way(known, labels, unknown) for way in ways])
        both = LogisticRegression().fit(inner, labels).decision_function(outer)
        scores.append(
            [
                area_under_curve(target[test], each, lists.people[test], lists.n_people)
                for each in (*outer.T, both)
            ]
        )
    return row(task, "AUC", scores)


def search(task: Neighbours, splits: int) -> str:
    """A line of agreements with those who are found."""
    scores = []
    for number in range(FIRST_SPLIT, FIRST_SPLIT + splits):
        lists, agreement = task.draw(number)
        vectors = (
            RankingCompleter(unranked="anywhere", listing="random")
            .fit(lists.ranks)
            .transform(lists.ranks)
        )
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        usual = FINDERS["recipe"](lists, len(agreement))
        completed = vectors[: len(agreement)] @ vectors.T
        both = usual / usual.std() + completed / completed.std()
        found = []
        for alike in (usual, completed, both):
            if task.measure == "all":
                judged = foresight_of_agreement(alike, agreement, lists.people, lists.n_people)
            else:
                judged = agreement_of_nearest(
                    alike, agreement, lists.people, lists.n_people, number
                )
            found.append(judged)
        scores.append(found)
    return row(task, "agreement", scores)


def covariates(data: str, size: int) -> str:
    """A line of pairs ordered right with means that depend on covariates."""
    task = completion.tasks(data)["sushi-b"]()
    columns = load_sushi("b", data_home=data).columns
    known = [np.asarray(columns[name]) for name in ("gender", "age", "region")]
    design = np.column_stack(
        [(values == value).astype(float) for values in known for value in np.unique(values)]
    )
    design -= design.mean(axis=0)
    people, others = completion.split(task, FIRST_SPLIT)
    others = others[:size]
    truth = task.ranks[people]
    hidden = completion.hide(task, truth, FIRST_SPLIT)
    judged = completion.judged_pairs(task, truth, hidden, FIRST_SPLIT)
    model = RankingCompleter(unranked="anywhere", listing="random").fit(task.ranks[others])
    lists = read_lists(read_rankings(task.ranks[others], unranked="anywhere"))
    residuals = np.full((len(others), lists.n_items), np.nan)
    values = lists.scores - model.consensus_[lists.items]
    level = np.bincount(lists.owners, values, minlength=len(lists)) / lists.lengths
    residuals[lists.owners, lists.items] = values - level[lists.owners]
    errors = np.zeros(len(PENALTIES))
    for learn, judge in KFold(5, shuffle=True, random_state=0).split(residuals):
        for place, penalty in enumerate(PENALTIES):
            slopes = by_item(design[others][learn], residuals[learn], penalty)
            gaps = residuals[judge] - design[others][judge] @ slopes
            errors[place] += np.nansum(gaps**2)
    chosen = PENALTIES[int(np.argmin(errors))]
    moved = design[people] @ by_item(design[others], residuals, chosen)
    shown = read_lists(read_rankings(np.where(hidden, np.nan, truth), unranked="anywhere"))
    right = []
    for shift in (np.zeros_like(moved), moved):
        population = model._population
        worth = np.vstack(
            [
                replace(population, mean=population.mean + own).utilities(
                    shown.span(person, person + 1), keep=True
                )
                for person, own in enumerate(shift)
            ]
        )
        gaps = worth[judged.person, judged.better] - worth[judged.person, judged.worse]
        right.append(completion.by_person(judged, (gaps > 0) + 0.5 * (gaps == 0), len(people)))
    gap = (right[1] - right[0])[~np.isnan(right[0])]
    half = stats.t.ppf(0.975, len(gap) - 1) * gap.std(ddof=1) / np.sqrt(len(gap))
    gained = f"{gap.mean():+.4f} ± {half:.4f}"
    return f"| {len(others):,} | {np.nanmean(right[0]):.4f} | {gained} | {chosen:,.0f} |"


def by_item(design: np.ndarray, residuals: np.ndarray, penalty: float) -> np.ndarray:
    """Ridge regressions of each item's scores on covariates of those who list it."""
    slopes = np.zeros((design.shape[1], residuals.shape[1]))
    for item, column in enumerate(residuals.T):
        listed = ~np.isnan(column)
        own = design[listed]
        gram = own.T @ own + penalty * np.eye(design.shape[1])
        slopes[:, item] = np.linalg.solve(gram, own.T @ column[listed])
    return slopes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("RANKCUT_DATA"))
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--only", help="covariates, classes or search", choices=QUESTIONS)
    options = parser.parse_args()
    asked = QUESTIONS if options.only is None else (options.only,)
    if "covariates" in asked:
        print(
            "| training lists | pairs right | gained by covariates | penalty |\n|---|---|---|---|"
        )
        for size in SIZES:
            print(covariates(options.data, size), flush=True)
        print()
    print("| task | measure | default | completed | both |\n|---|---|---|---|---|")
    for task in all_tasks(options.data, quick=False):
        if isinstance(task, Neighbours):
            if "search" in asked:
                print(search(task, options.splits), flush=True)
        elif "classes" in asked and task.n_labels in LABELS and task.family != "sushi a top-k":
            print(classes(task, options.splits), flush=True)


if __name__ == "__main__":
    main()
