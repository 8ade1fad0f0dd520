"""Held-out answers of a real MaxDiff survey: 350 people, 13 political issues, 13 tasks of four.

Run with: python -m benchmarks.utilities.issues ISSUES.csv [--draws 3]

The file is what R writes of ``bwsTools::vdata`` (MIT): a row for each issue shown, with 1 for the
best and −1 for the worst. Two random tasks of each person are held out; see
``benchmarks.utilities.respondents`` for the ways and the measures. The truth is not known.
"""

import argparse

import numpy as np
import pandas as pd

from benchmarks.tables import print_table
from benchmarks.utilities.respondents import WAYS, judged
from benchmarks.utilities.simulated import Survey


def read_survey(file, seed):
    """The tasks of each person in random order, so that the last two are any."""
    rng = np.random.default_rng(seed)
    shown = pd.read_csv(file).sort_values(["id", "block", "value"], ascending=[True, True, False])
    issues, codes = np.unique(shown["issue"], return_inverse=True)
    n_people = shown["id"].nunique()
    order = codes.reshape(n_people, -1, 4)
    order = np.array([rng.permutation(tasks) for tasks in order])
    return Survey(
        np.zeros((n_people, len(issues))), order, "best-worst", np.ones(order.shape[:2], bool)
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="CSV of the survey")
    parser.add_argument("--draws", type=int, default=3, help="how often two tasks are held out")
    options = parser.parse_args()
    rows = []
    for way in WAYS:
        if way == "the truth":
            continue
        with np.errstate(invalid="ignore", divide="ignore"):
            measures = [
                judged(read_survey(options.file, draw), way)[0] for draw in range(options.draws)
            ]
        _, best, worst, _, seconds = np.mean(measures, axis=0)
        rows.append([way, f"{best:.3f}", f"{worst:.3f}", f"{seconds:.1f}"])
    print_table("350 people, 13 issues, 11 tasks, two held out", ["", "best", "worst", "s"], rows)


if __name__ == "__main__":
    main()
