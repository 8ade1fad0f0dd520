"""What to ask next: the pairs whose votes are expected to tell the most.

With strengths θ ~ N(θ̂, V), asking i against j is expected to tell ½·log(1 + p(1 − p)·v), with p the
chance that i wins and v = V_ii + V_jj − 2V_ij. The pair with the most is asked; before the next is
chosen, V becomes what it would be after that vote, which is a change of rank one. To find an order
rather than strengths, what a pair tells is multiplied by exp(−(z/4)²/2), z = (θ̂_i − θ̂_j)/√v: among
all pairs, one is clear at about four errors, and further votes between its items do not change
their order. For the best k of all, it is multiplied
by the chance that one of both is among them and the other is not, too.
"""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import special

from rankcut._loops.types import Floats
from rankcut.files.columns import Labels
from rankcut.parameters import check_choice, check_count
from rankcut.pictures.charts import Row, dot_chart
from rankcut.pictures.scene import Dot, Picture
from rankcut.pictures.theme import colour
from rankcut.results import Result, Table

# About as many standard errors apart, a pair of many is clear.
_CLEAR_ERRORS = 4.0

Aim: TypeAlias = Literal["order", "strengths", "best"]


def expected_information(
    strengths: Floats, covariance: Floats, aim: Aim = "order", among_best: Floats | None = None
) -> Floats:
    """What a vote between i and j is expected to tell, for all pairs; 0 on the diagonal.

    >>> expected_information(np.array([0.0, 0.1, 3.0]), np.eye(3) / 4).round(3)
    array([[0.   , 0.059, 0.006],
           [0.059, 0.   , 0.007],
           [0.006, 0.007, 0.   ]])
    """
    gaps = strengths[:, None] - strengths[None, :]
    variance = np.diag(covariance)
    spread = np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 0.0)
    chance = special.expit(gaps)
    information = np.log1p(chance * (1 - chance) * spread) / 2
    if aim != "strengths":
        squares = np.divide(gaps**2, spread, out=np.zeros_like(gaps), where=spread > 0)
        information *= np.exp(-squares / (2 * _CLEAR_ERRORS**2))
    if aim == "best" and among_best is not None:
        apart = among_best[:, None] * (1 - among_best[None, :])
        information *= apart + apart.T
    np.fill_diagonal(information, 0.0)
    return np.asarray(information)


def choose_pairs(
    strengths: Floats,
    covariance: Floats,
    n: int,
    aim: Aim = "order",
    among_best: Floats | None = None,
) -> list[tuple[int, int, float]]:
    """The next n pairs to ask, each as if those before had been answered, and what they tell.

    Parameters
    ----------
    strengths, covariance : ndarray
        Of the items; the covariance is that of the model, not of people.
    n : int
        How many votes to ask for; a pair may come more than once.
    aim : {"order", "strengths", "best"}
        What is to be known: who is ahead of whom, how far items are apart, or which are the best.
    among_best : ndarray or None
        The probability that each item is among the best.
    """
    covariance = covariance.copy()
    pairs = []
    for _ in range(n):
        information = expected_information(strengths, covariance, aim, among_best)
        i, j = divmod(int(information.argmax()), len(strengths))
        if information[i, j] <= 0:
            break
        pairs.append((min(i, j), max(i, j), float(information[i, j])))
        chance = special.expit(strengths[i] - strengths[j])
        across = covariance[:, i] - covariance[:, j]
        spread = float(across[i] - across[j])
        weight = float(chance * (1 - chance))
        covariance -= np.outer(across, across) * (weight / (1 + weight * spread))
    return pairs


@dataclass(frozen=True, eq=False, repr=False)
class NextVotes(Result):
    """Pairs to ask next, each as if those before had been answered.

    A :class:`~rankcut.results.Result`, with the table ``pairs``: the two items, what a vote is
    expected to tell in nats, and how often they met so far.
    """

    items: Labels
    pairs: list[tuple[int, int, float]]  #: two items, by their places, and what a vote tells
    votes: Floats | None = None  #: how often items met so far

    def sentences(self) -> list[str]:
        """What to ask first."""
        if not self.pairs:
            return ["No further vote would tell anything."]
        first, second, _ = self.pairs[0]
        return [f"Ask {self.items[first]} against {self.items[second]} first."]

    def tables(self) -> dict[str, Table]:
        """A row for each vote."""
        columns: dict[str, list[Any]] = {
            "first": [self.items[i] for i, _, _ in self.pairs],
            "second": [self.items[j] for _, j, _ in self.pairs],
            "information": [information for _, _, information in self.pairs],
        }
        if self.votes is not None:
            columns["n_votes"] = [int(self.votes[i, j]) for i, j, _ in self.pairs]
        return {"pairs": Table(columns)}

    def picture(self) -> Picture:
        """What each vote is expected to tell, the first on top."""
        rows = [
            Row(f"{self.items[i]} – {self.items[j]}", [Dot(information, colour(0))])
            for i, j, information in self.pairs
        ]
        return dot_chart("What to ask next", " ".join(self.sentences()), rows, "information (nats)")


def check_aim(aim: str, n: int, k: int) -> None:
    """Refuse what cannot be asked."""
    check_choice(aim, ("order", "strengths", "best"), "aim")
    check_count(n, "n")
    check_count(k, "k")
