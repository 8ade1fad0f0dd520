"""Scores of the quality benchmark: kept by split, and how sure they are.

The variance of a mean over splits has two parts. Of people: the sum over people of their squared
mean influence, in which splits that judge the same people are not independent. Of training: what
the scores of splits differ beyond that, σ², which falls with the number J of splits only as
σ²·(1/J + ρ/(1 − ρ)) if each learns from the share ρ of all people (Nadeau & Bengio, 2003). The
second of these two lasts: it is due to the people who are learned from in all splits, and in all
tasks on the same data.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats

RECIPE = "recipe"

LEVEL = 0.05


class Split(NamedTuple):
    """What was found on one split of a task: a row for each method."""

    methods: list[str]
    scores: np.ndarray
    influences: np.ndarray
    seconds: np.ndarray

    def rows(self) -> Iterable[tuple[str, float, np.ndarray, float]]:
        """Method by method."""
        return zip(self.methods, self.scores, self.influences, self.seconds, strict=True)

    @classmethod
    def of_rows(cls, rows: Sequence[tuple[str, float, np.ndarray, float]]) -> "Split":
        """The split that has these."""
        methods, scores, influences, seconds = zip(*rows, strict=True)
        return cls(list(methods), np.array(scores), np.array(influences), np.array(seconds))


def split_path(home: Path, task: str, number: int) -> Path:
    name = "".join(letter if letter.isalnum() else "-" for letter in task)
    return home / "splits" / f"{name}.{number}.npz"


def save_split(path: Path, split: Split) -> None:
    """Write completely or not at all, so that an existing file can be trusted."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".part")
    with partial.open("wb") as file:
        np.savez_compressed(
            file,
            methods=np.array(split.methods),
            scores=split.scores,
            influences=split.influences.astype(np.float32),
            seconds=split.seconds,
        )
    partial.replace(path)


def load_split(path: Path) -> Split:
    with np.load(path) as file:
        return Split(
            file["methods"].tolist(),
            file["scores"],
            file["influences"].astype(np.float64),
            file["seconds"],
        )


@dataclass(frozen=True)
class Estimate:
    """A mean over splits, the parts of its variance, and their degrees of freedom.

    Training has two: what more splits would average out, and what lasts however many there are.
    """

    mean: float
    of_people: float
    of_draws: float
    lasting: float
    n_people: int
    n_splits: int

    @property
    def of_training(self) -> float:
        """The part due to the people who are learned from."""
        return self.of_draws + self.lasting

    @property
    def variance(self) -> float:
        """Of both parts; NaN for a single split, which does not show what training does."""
        return float("nan") if self.n_splits < 2 else self.of_people + self.of_training

    @property
    def freedom(self) -> float:
        """Welch and Satterthwaite: the degrees of freedom of a sum of variances."""
        parts = self.of_people**2 / max(self.n_people - 1, 1)
        parts += self.of_training**2 / max(self.n_splits - 1, 1)
        return self.variance**2 / parts if parts > 0 else 1.0

    @property
    def half(self) -> float:
        """Half of the 95 % interval."""
        return float(stats.t.ppf(0.975, self.freedom) * np.sqrt(self.variance))

    @property
    def p(self) -> float:
        """The two-sided p-value of a mean of 0."""
        if self.variance == 0:
            return float(self.mean == 0)
        return float(2 * stats.t.sf(abs(self.mean) / np.sqrt(self.variance), self.freedom))


def estimate(values: np.ndarray, influences: np.ndarray, trained: float) -> Estimate:
    """The mean of a value for each split, and its variance.

    Parameters
    ----------
    values : array of shape (n_splits,)
        A score, or a difference of two.
    influences : array of shape (n_splits, n_people)
        The influence of each person on each value.
    trained : float
        The share of all people that each split learns from.
    """
    n = len(values)
    of_people = float((influences.mean(axis=0) ** 2).sum())
    n_people = int(influences.any(axis=0).sum())
    if n < 2:
        return Estimate(float(values.mean()), of_people, 0.0, 0.0, n_people, n)
    own = float((influences**2).sum(axis=1).mean())
    across = (n * of_people - own) / (n - 1)
    beyond = max(float(values.var(ddof=1)) - (own - across), 0.0)
    lasting = beyond * trained / (1 - trained)
    return Estimate(float(values.mean()), of_people, beyond / n, lasting, n_people, n)


class TaskScores:
    """The methods of one task: estimates of their scores and of the recipe's lead over each."""

    def __init__(
        self, name: str, family: str, data: str, trained: float, splits: Sequence[Split]
    ) -> None:
        self.name, self.family, self.data = name, family, data
        self.methods = [m for m in splits[0].methods if all(m in s.methods for s in splits)]
        rows = [[split.methods.index(m) for m in self.methods] for split in splits]
        scores = np.array([s.scores[r] for s, r in zip(splits, rows, strict=True)])
        influences = np.array([s.influences[r] for s, r in zip(splits, rows, strict=True)])
        seconds = np.array([s.seconds[r] for s, r in zip(splits, rows, strict=True)])
        self.n_splits = len(splits)
        self.seconds = dict(zip(self.methods, seconds.sum(axis=0), strict=True))
        self.score = {
            method: estimate(scores[:, i], influences[:, i], trained)
            for i, method in enumerate(self.methods)
        }
        ours = self.methods.index(RECIPE)
        self.lead: dict[str, Estimate] = {}
        self.lead_influence: dict[str, np.ndarray] = {}
        for i, method in enumerate(self.methods):
            if method != RECIPE:
                apart = influences[:, ours] - influences[:, i]
                self.lead[method] = estimate(scores[:, ours] - scores[:, i], apart, trained)
                self.lead_influence[method] = apart.mean(axis=0)

    def best(self, methods: Iterable[str]) -> str:
        """The one of the methods with the highest mean."""
        return max(methods, key=lambda method: self.score[method].mean)

    @property
    def verdict(self) -> str:
        """Whether the recipe is better than every other method, or worse than some.

        Among many methods as good as the recipe, one or the other seems better by chance: "worse"
        is corrected for their number, by Bonferroni. To be better than all needs no correction.
        """
        if self.n_splits < 2:
            return "one split"
        if all(lead.mean > 0 and lead.p < LEVEL for lead in self.lead.values()):
            return "best"
        behind = [lead.p for lead in self.lead.values() if lead.mean < 0]
        return "worse" if behind and min(behind) < LEVEL / len(self.lead) else "within noise"

    @property
    def seems_worse(self) -> bool:
        """Whether the recipe is behind the best of the others by more than the interval of that."""
        lead = self.lead[self.best(self.lead)]
        return lead.mean < -lead.half


class Lead(NamedTuple):
    """The recipe's mean lead over a method, half of its 95 % interval, and its p."""

    mean: float
    half: float
    p: float


def mean_lead(tasks: Sequence[TaskScores], method: str) -> Lead:
    """Over all tasks; a person who is in several of them counts once. NaN for single splits.

    Tasks on the same data learn from the same people, too, and so what lasts of training is added
    up as if it were the same in all of them, which is the worst case: one who misleads the recipe
    about age need not mislead it about gender.
    """
    mean = float(np.mean([task.lead[method].mean for task in tasks]))
    if any(task.n_splits < 2 for task in tasks):
        return Lead(mean, float("nan"), float("nan"))
    variance = sum(task.lead[method].of_draws for task in tasks)
    for data in {task.data for task in tasks}:
        same = [task for task in tasks if task.data == data]
        of_people = np.sum([task.lead_influence[method] for task in same], axis=0)
        lasting = sum(np.sqrt(task.lead[method].lasting) for task in same)
        variance += float((of_people**2).sum() + lasting**2)
    deviation = np.sqrt(variance) / len(tasks)
    p = 1.0 if deviation == 0 else float(2 * stats.norm.sf(abs(mean) / deviation))
    return Lead(mean, float(stats.norm.ppf(0.975) * deviation), p)


def holm(p_values: dict[str, float]) -> dict[str, float]:
    """Holm's correction for looking at several."""
    corrected, running = {}, 0.0
    for place, method in enumerate(sorted(p_values, key=p_values.__getitem__)):
        running = max(running, min(1.0, p_values[method] * (len(p_values) - place)))
        corrected[method] = running
    return corrected
