"""How well methods predict, side by side: classes, numbers or rankings."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from rankcut.pictures.charts import Row, dot_chart
from rankcut.pictures.scene import Dot, Picture
from rankcut.pictures.theme import colour
from rankcut.results.result import Result, Table


class Measure(NamedTuple):
    """How a score is shown."""

    words: str  #: its heading
    width: int  #: characters of its column in a terminal
    form: str  #: its format


@dataclass(frozen=True, eq=False, repr=False)
class PredictionScores(Result):
    """PredictionScores of methods, beside baselines, in one test or several.

    Its table ``scores`` has a row for each test and method.

    Parameters
    ----------
    tests : mapping of str to sequence of scores
        What each test was, and the scores of its methods: data classes with a ``method``.
    measures : mapping of str to Measure
        The scores by their names in the data classes, the main one first.

    Examples
    --------
    >>> from rankcut.regression.cross_validation import NumberScore
    >>> ours, mean = NumberScore("rankcut", 0.5, 3.0, 0.95), NumberScore("mean", -0.01, 5.0, None)
    >>> scores = PredictionScores({"age, 5-fold": [ours, mean]}, {"r2": Measure("R²", 6, ".3f")})
    >>> print(scores.summary())
    age, 5-fold: R² 0.500 by rankcut, -0.010 by mean.
    """

    tests: Mapping[str, Sequence[Any]]
    measures: Mapping[str, Measure]

    def sentences(self) -> list[str]:
        """The main score of each method, a sentence for each test."""
        name, measure = next(iter(self.measures.items()))
        sentences = []
        for test, scores in self.tests.items():
            each = [f"{getattr(score, name):{measure.form}} by {score.method}" for score in scores]
            sentences.append(f"{test}: {measure.words} {', '.join(each)}.")
        return sentences

    def tables(self) -> dict[str, Table]:
        """A row for each test and method."""
        rows = [
            {"test": test, **asdict(score)}
            for test, scores in self.tests.items()
            for score in scores
        ]
        return {"scores": Table.from_rows(rows)}

    def lines(self, most: int = 20) -> list[str]:
        """Text for a terminal: a table for each test, as wide as its names."""
        lines = []
        for test, scores in self.tests.items():
            width = max(len(score.method) for score in scores)
            heads = [f"{measure.words:>{measure.width}}" for measure in self.measures.values()]
            lines += [test, "  ".join([f"{'method':<{width}}", *heads])]
            for score in scores:
                cells = [f"{score.method:<{width}}"]
                for name, measure in self.measures.items():
                    value = getattr(score, name)
                    text = "" if value is None else format(value, measure.form)
                    cells.append(f"{text:>{measure.width}}")
                lines.append("  ".join(cells).rstrip())
        return lines

    def picture(self) -> Picture:
        """The main score of each method."""
        name, measure = next(iter(self.measures.items()))
        rows: list[Row] = []
        for test, scores in self.tests.items():
            rows += [Row(test)] * (len(self.tests) > 1)
            rows += [
                Row(score.method, [Dot(getattr(score, name), colour(number > 0))])
                for number, score in enumerate(scores)
            ]
        test = next(iter(self.tests)) if len(self.tests) == 1 else f"{len(self.tests)} tests"
        return dot_chart("How well it predicts", f"{test}.", rows, measure.words)
