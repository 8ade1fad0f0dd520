"""What levels of attributes are worth, in units of a number such as the price."""

from collections.abc import Sequence

import numpy as np

from rankcut._loops.types import Floats
from rankcut.pictures.charts import Row, dot_chart
from rankcut.pictures.scene import Dot, Picture
from rankcut.pictures.theme import colour
from rankcut.results import Result, Table
from rankcut.results.words import percent


class Worth(Result):
    """What levels are worth (willingness to pay).

    Attributes
    ----------
    price : str
        The attribute in whose units it is.
    names : tuple of str
        The other coefficients.
    of_average : ndarray
        By the mean coefficients.
    intervals : ndarray of shape (n_names, 2)
        Of ``of_average``; infinite where the mean coefficient of the price may be 0 or more.
    medians : ndarray
        Of what each person's coefficients say.
    share_positive : float
        The share of people who seem to like a higher price.
    """

    def __init__(
        self,
        price: str,
        names: Sequence[str],
        of_average: Floats,
        intervals: Floats,
        medians: Floats,
        share_positive: float,
        confidence: float,
    ) -> None:
        self.price, self.names = price, tuple(names)
        self.of_average, self.intervals, self.medians = of_average, intervals, medians
        self.share_positive, self.confidence = share_positive, confidence

    def sentences(self) -> list[str]:
        """What is worth most, and whether the price is what it should be."""
        first = int(np.argmax(self.of_average))
        low, high = self.intervals[first]
        sentences = [
            f"{self.names[first]} is worth {self.of_average[first]:.3g} of {self.price} to the "
            f"average person ({low:.3g} to {high:.3g}, {100 * self.confidence:g} % sure)."
        ]
        if not np.isfinite(low):
            sentences = [
                f"Nothing can be said in units of {self.price}: the average person's coefficient "
                "of it is not clearly below 0."
            ]
        if self.share_positive:
            sentences.append(
                f"Of people, {percent(self.share_positive, 1)} seem to like a higher {self.price}: "
                "to them, nothing has a worth in it."
            )
        return sentences

    def tables(self) -> dict[str, Table]:
        """A row for each coefficient."""
        low, high = self.intervals.T
        columns = {"of": self.names, "worth": self.of_average, "low": low, "high": high}
        return {"worth": Table({**columns, "median_person": self.medians})}

    def picture(self) -> Picture | None:
        """A row for each coefficient."""
        if not np.isfinite(self.intervals).all():
            return None
        rows = []
        for name, value, (low, high) in zip(
            self.names, self.of_average.tolist(), self.intervals.tolist(), strict=True
        ):
            tip = f"{name}: {value:.3g} ({low:.3g} to {high:.3g})"
            rows.append(Row(name, [Dot(value, colour(0), low, high, tip)]))
        legend = f"Dots: the average person. Lines: {100 * self.confidence:g} % intervals."
        return dot_chart("What levels are worth", legend, rows, f"worth, in units of {self.price}")


def what_it_is_worth(
    price: str,
    names: Sequence[str],
    mean: Floats,
    covariance: Floats,
    of_people: Floats,
    weights: Floats,
    confidence: float,
    seed: int,
) -> Worth:
    """Coefficients over that of the price, times −1."""
    column = list(names).index(price)
    others = [i for i in range(len(names)) if i != column]
    # The ends of intervals by so many draws err by some hundredths of a standard error.
    rng = np.random.default_rng(seed)
    drawn = rng.multivariate_normal(mean, covariance, 10_000, method="eigh")
    ends = [(1.0 - confidence) / 2, (1.0 + confidence) / 2]
    ratios = -drawn[:, others] / drawn[:, [column]]
    intervals = np.quantile(ratios, ends, axis=0).T
    if np.quantile(drawn[:, column], ends[1]) >= 0:
        intervals = np.tile([-np.inf, np.inf], (len(others), 1))
    return Worth(
        price,
        [names[i] for i in others],
        -mean[others] / mean[column],
        intervals,
        np.median(-of_people[:, others] / of_people[:, [column]], axis=0),
        float(weights @ (of_people[:, column] > 0) / weights.sum()),
        confidence,
    )
