"""Do survey weights make camps of one crowd, and are camps still found?

    python -m benchmarks.blocs.bloc_weights [--samples N] [--keep FILE.json]

Weights are lognormal with design effects 2 and 4 and say nothing about rankings: 1,000 people with
a design effect of 4 are the evidence of 250. Samples of all kinds are drawn in turn, so that a run
that is stopped has as many of each; ``--keep`` goes on where it stopped. Camps have a fifth of the
samples.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.blocs.blocs import CELLS, as_lists, draw, right
from benchmarks.tables import print_table
from rankcut import RankingBlocs

EFFECTS = (2, 4)
# So that samples are other ones than those without weights.
SEEDS = 9_000_000

CROWDS = [cell for cell in CELLS if "crowd" in cell[0]]
CAMPS = [cell for cell in CELLS if cell[0] in ("2 camps", "4 camps")]


def answer(cell: tuple[str, int, int, str], effect: float, seed: int) -> str:
    """What is said of one sample with weights of a design effect."""
    name, n_people, n_items, kind = cell
    ranks, unranked = as_lists(draw(name, n_people, n_items, seed), kind, seed)
    spread = np.sqrt(np.log(effect))
    weights = np.random.default_rng(seed).lognormal(sigma=spread, size=n_people)
    model = RankingBlocs(unranked=unranked).fit(ranks, sample_weight=weights)
    return model.structure_ + str(model.n_blocs_) * (model.structure_ == "camps")


def simulate(samples: int, keep: Path) -> dict[str, list[str]]:
    """Answers by kind of people and design effect."""
    answers = json.loads(keep.read_text()) if keep.exists() else {}
    for number in range(samples):
        for place, cell in enumerate((*CROWDS, *CAMPS)):
            if cell in CAMPS and number >= max(samples // 5, 1):
                continue
            for effect in EFFECTS:
                of_kind = answers.setdefault(f"{cell}, {effect}", [])
                if len(of_kind) == number:
                    with threadpool_limits(1):
                        of_kind.append(answer(cell, effect, SEEDS + 100 * number + place))
        keep.write_text(json.dumps(answers))
    return answers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--keep", type=Path, default=Path("bloc_weights.json"))
    options = parser.parse_args()
    answers = simulate(options.samples, options.keep)
    rows, short = [], []
    for cell in (*CROWDS, *CAMPS):
        name, n_people, n_items, kind = cell
        row = [name, f"{n_people:,}", n_items, kind]
        for effect in EFFECTS:
            said = answers[f"{cell}, {effect}"]
            wrong = [word for word in said if not right(name, word)]
            share = 100 - 100 * len(wrong) / len(said)
            if cell in CROWDS and share < 95:
                short.append(f"{name}, {n_people:,} people, {kind}, design effect {effect}")
            instead = ", ".join(f"{wrong.count(word)} {word}" for word in sorted(set(wrong)))
            row += [f"{share:.0f}", instead]
        rows.append([*row, len(said)])
    heads = ["people are", "people", "items", "lists"]
    heads += ["effect 2", "said instead", "effect 4", "said instead", "samples"]
    print_table("% of samples in which the answer is right, by design effect", heads, rows)
    print(f"Crowds below 95 %: {'; '.join(short) or 'none'}.")


if __name__ == "__main__":
    main()
