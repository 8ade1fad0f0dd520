"""What features of what was shown cost: 140,000 votes of 100 models, with errors by judges.

Each vote has four features, other ones in each vote, so that no two votes are merged. Fits are
timed in turn, from the frame to coefficients with errors; the least of all turns counts.

Run with: python -m benchmarks.strengths.feature_speed
"""

import numpy as np
import pandas as pd

from benchmarks.timing import best_in_turn
from rankcut import BradleyTerry

N_VOTES, N_MODELS, N_TURNS = 140_000, 100, 15
FEATURES = ("length", "headers", "lists", "bold")


def votes(n_judges):
    """A tenth of them are ties."""
    rng = np.random.default_rng(0)
    strengths = rng.normal(size=N_MODELS)
    first = rng.integers(0, N_MODELS, N_VOTES)
    second = (first + rng.integers(1, N_MODELS, N_VOTES)) % N_MODELS
    gap = strengths[first] - strengths[second]
    names = np.array([f"model {i:03d}" for i in range(N_MODELS)], dtype=object)
    columns = {"model_a": names[first], "model_b": names[second]}
    for name in FEATURES:
        columns[f"{name}_a"], columns[f"{name}_b"] = rng.normal(size=(2, N_VOTES))
        gap = gap + 0.1 * (columns[f"{name}_a"] - columns[f"{name}_b"])
    won = np.where(rng.logistic(size=N_VOTES) < gap, "model_a", "model_b")
    columns["winner"] = np.where(rng.random(N_VOTES) < 0.1, "tie", won)
    columns["judge"] = rng.integers(0, n_judges, N_VOTES)
    return pd.DataFrame(columns)


def main():
    """A row for each number of judges."""
    print("| judges | seconds, models alone | with four features | times as long |")
    print("|---:|---:|---:|---:|")
    for n_judges in (150, 5_000):
        frame = votes(n_judges)
        plain, adjusted = best_in_turn(
            lambda frame=frame: BradleyTerry().fit(frame, people="judge"),
            lambda frame=frame: BradleyTerry(adjust=FEATURES).fit(frame, people="judge"),
            runs=N_TURNS,
        )
        print(f"| {n_judges:,} | {plain:.2f} | {adjusted:.2f} | {adjusted / plain:.2f} |")


if __name__ == "__main__":
    main()
