"""Tests and intervals of a ranking regression when few people inform a coefficient. "Rare": of 300
people a few are in a category that has no effect; how often do the intervals of its coefficients
hold 0, and how often does the test of the category have p < .05? "No fit" counts samples without a
maximum of the likelihood. Plain intervals and tests (normal, chi-square) treat standard errors as
known. "Judges": 25 to 60 people judge pairs of twelve items for ten prompts, some of them three
times as many as others. How much an item feature matters differs by judge but not by prompt; how
often does the test of the prompts have p < .05?

Run with: python -m benchmarks.ranking_regression.few_people [--samples 200] [--seed 1]
"""

import argparse

import numpy as np
from scipy.special import expit
from scipy.stats import chi2

from rankcut import StrengthRegression
from rankcut.errors import InputError

STRENGTHS = np.array([0.6, 0.3, 0.0, -0.3, -0.6])


def show_rare(samples, seed):
    """A line for each number of people in a category that moves nothing."""
    print(f"\nRare categories: 300 people, five items, {samples} samples, %\n")
    names = ["intervals hold", "p < .05", "plain: hold", "plain: p < .05"]
    print(f"{'in category':>11}" + "".join(f"{name:>16}" for name in names) + f"{'no fit':>8}")
    for n_rare in (3, 5, 10, 20, 50):
        rows = []
        for sample in range(samples):
            rng = np.random.default_rng([seed, sample, n_rare])
            group = np.repeat([0.0, 1.0], [300 - n_rare, n_rare])
            covariates = np.column_stack([group, rng.normal(size=300)])
            ranks = (-STRENGTHS - rng.gumbel(size=(300, 5))).argsort(axis=1).argsort(axis=1) + 1.0
            try:
                model = StrengthRegression().fit(covariates, ranks)
            except InputError:
                continue
            found = [row for row in model.coefficients_ if row["term"] == "x0"]
            test = model.wald_test("x0")
            plain = chi2.sf(test.statistic * (n_rare / (n_rare - 1)), test.n_contrasts)
            rows.append(
                [
                    np.mean([row["low"] <= 0 <= row["high"] for row in found]),
                    test.p_value < 0.05,
                    np.mean([abs(row["z"]) <= 1.96 for row in found]),
                    plain < 0.05,
                ]
            )
        means = 100 * np.mean(rows, axis=0)
        print(
            f"{n_rare:>11}" + "".join(f"{m:>16.1f}" for m in means) + f"{samples - len(rows):>8}",
            flush=True,
        )


def show_judges(samples, seed):
    """How often prompts seem to matter that do not."""
    found = []
    for sample in range(samples):
        rng = np.random.default_rng([seed, sample])
        n_judges = rng.integers(25, 60)
        often = rng.integers(20, 60, n_judges) * np.where(rng.random(n_judges) < 0.2, 3, 1)
        judge = np.repeat(np.arange(n_judges), often)
        rows, feature = np.arange(len(judge)), rng.normal(size=12)
        slopes = rng.normal(0.3, 0.5, n_judges)[judge]
        one = rng.integers(0, 12, len(judge))
        other = (one + rng.integers(1, 12, len(judge))) % 12
        won = rng.random(len(judge)) < expit(slopes * (feature[one] - feature[other]))
        ranks = np.full((len(judge), 12), np.nan)
        ranks[rows, one], ranks[rows, other] = np.where(won, 1, 2), np.where(won, 2, 1)
        model = StrengthRegression(
            on=["z0", "C(x0):z0"], item_features=feature[:, None], unranked="anywhere"
        )
        prompts = rng.integers(0, 10, (len(judge), 1)).astype(float)
        found.append(model.fit(prompts, ranks, people=judge).wald_test("C(x0):z0").p_value < 0.05)
    print(f"\nJudges: p < .05 in {100 * np.mean(found):.1f} % of {samples} samples")


def main():
    """Print both."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    show_rare(options.samples, options.seed)
    show_judges(options.samples, options.seed)


if __name__ == "__main__":
    main()
