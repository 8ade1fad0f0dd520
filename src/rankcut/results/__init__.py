"""What every answer can do: say itself in words, tables and a picture, and go to any file."""

from rankcut.results.result import EstimatorResult, Result, Table
from rankcut.results.scores import Measure, PredictionScores

__all__ = ["EstimatorResult", "Measure", "PredictionScores", "Result", "Table"]
