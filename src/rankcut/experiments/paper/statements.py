"""Statements of the paper that need no experiment."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.metrics import accuracy_score, f1_score

from rankcut.experiments.paper.part import Part, Record, Settings, Tables, Task
from rankcut.reports.findings import Claim, Outcome, Table, Verdict

CLAIMS = {
    "f1": Claim("On balanced data the F1-score is equal to the accuracy.", "Section 4.2"),
}


class Statements(Part):
    """What can be looked up, derived or counted."""

    name = "statements"
    title = "Statements that need no experiment"
    claims = CLAIMS

    def tasks(self, settings: Settings) -> list[Task]:
        """One task: all of it takes a moment."""
        return [{"what": "f1"}]

    def run(self, task: Task, data: Path | None) -> list[Record]:
        """Both scores of some predictions for a hundred balanced labels."""
        truth = np.arange(100) % 2
        return [
            {
                "predicted positive": share,
                "accuracy": float(accuracy_score(truth, np.arange(100) < share)),
                "F1": float(f1_score(truth, np.arange(100) < share)),
            }
            for share in (10, 50, 100)
        ]

    def tables(self, records: Sequence[Record]) -> dict[str, Table]:
        """The scores."""
        return {"statements-f1": records}

    def verdicts(self, tables: Tables) -> dict[str, Verdict]:
        """Equal or not."""
        always = tables["statements-f1"][-1]
        return {
            "f1": Verdict(
                Outcome.HOLDS if always["F1"] == always["accuracy"] else Outcome.FAILS,
                f"Always one class has accuracy {always['accuracy']:.2f} and F1 "
                f"{always['F1']:.2f}.",
            )
        }

    def prose(self, tables: Tables) -> str:
        """What was done."""
        return "Some statements can be checked by arithmetic."
