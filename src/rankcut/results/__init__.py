"""What every answer can do: say itself in words, tables and a picture, and go to any file."""

from rankcut.results.result import EstimatorResult, Result
from rankcut.results.scores import Measure, PredictionScores
from rankcut.results.table import Table

__all__ = ["EstimatorResult", "Measure", "PredictionScores", "Result", "Table"]
