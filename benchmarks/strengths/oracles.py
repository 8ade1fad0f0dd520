"""Agreement with other programs and published tables: the largest difference of each.

Baseball with home advantage (Agresti; R's BradleyTerry2 and its published three digits), choices of
fishing modes by price and catch (R's mlogit, published seven digits), salad dressings by their
acids (statsmodels' PHReg), pairs and full rankings (choix, by its own optimiser), and random
designs of all terms (a maximisation by scipy that is written out in this program).

Run with: python -m benchmarks.strengths.oracles DATA_FOLDER
"""

import argparse
from pathlib import Path

import choix
import numpy as np
import pandas as pd
from scipy import optimize, special
from statsmodels.duration.hazard_regression import PHReg

from rankcut import BradleyTerry, PlackettLuce, StrengthRegression

TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
#: Wins and losses at home against each of the other teams, in their order.
AT_HOME = (
    "43 42 43 61 42 60",
    "33 42 43 60 61 43",
    "25 43 24 43 42 60",
    "33 51 25 43 42 61",
    "51 25 33 42 52 60",
    "25 33 34 43 42 24",
    "25 15 16 24 16 34",
)
PUBLISHED_HOME = {"Milwaukee": 1.581, "home": 0.302}
PUBLISHED_FISHING = {"boat": 0.8713749, "charter": 1.4988884, "pier": 0.3070552}


def baseball():
    """The difference from published digits."""
    games = []
    for home, results in zip(TEAMS, AT_HOME, strict=True):
        others = [team for team in TEAMS if team != home]
        for away, (won, lost) in zip(others, results.split(), strict=True):
            games += [(home, away, home)] * int(won) + [(home, away, away)] * int(lost)
    table = pd.DataFrame(games, columns=["home_team", "away_team", "winner"])
    plain = BradleyTerry(reference="Baltimore").fit(table).coefficients_
    home = BradleyTerry(adjust="home", reference="Baltimore").fit(table).coefficients_
    found = {row["item"]: row["estimate"] for row in plain}
    found["home"] = next(row["estimate"] for row in home if row["term"] == "home")
    return max(abs(round(found[name], 3) - value) for name, value in PUBLISHED_HOME.items())


def fishing(folder):
    """The difference from published digits."""
    table = pd.read_csv(folder / "choices" / "fishing.csv.gz")
    wide = {name: table.pivot(index="id", columns="alt", values=name) for name in table.columns[2:]}
    first = wide["choice"].where(wide["choice"] == 1).astype(float)
    shown = {name: wide[name].to_numpy() for name in ("price", "catch")}
    model = PlackettLuce(unranked="last", reference="beach").fit(first, shown=shown)
    found = {row["item"]: row["estimate"] for row in model.coefficients_ if row["item"]}
    return max(abs(found[name] - value) for name, value in PUBLISHED_FISHING.items())


def salad(folder):
    """The difference from PHReg, of coefficients and errors."""
    acids = {"acetic": [0.5, 0.5, 1.0, 0.0], "gluconic": [0.0, 10.0, 0.0, 10.0]}
    ranks = pd.read_csv(folder / "plackett-luce" / "salad.csv")
    model = StrengthRegression(on=list(acids), item_features=acids, errors="information")
    table = model.fit(pd.DataFrame(index=ranks.index), ranks).coefficients_
    design = np.tile(np.column_stack(list(acids.values())), (len(ranks), 1))
    strata = np.repeat(np.arange(len(ranks)), 4)
    cox = PHReg(ranks.to_numpy(float).ravel(), design, strata=strata).fit(disp=0)
    gaps = np.array(table["estimate"]) - cox.params, np.array(table["std_error"]) - cox.bse
    return float(np.abs(gaps).max())


def by_choix():
    """The difference from choix, on 300 full rankings of eight items."""
    rng = np.random.default_rng(0)
    ranks = (-(rng.normal(size=8) + rng.gumbel(size=(300, 8)))).argsort(axis=1).argsort(axis=1)
    theirs = choix.opt_rankings(8, [row.tolist() for row in ranks.argsort(axis=1)], tol=1e-12)
    ours = PlackettLuce().fit(ranks + 1.0).strengths_.theta
    return float(np.abs(ours - (theirs - theirs.mean())).max())


def by_hand(seed):
    """Incomplete lists of items with a feature of what was shown and a covariate."""
    rng = np.random.default_rng(seed)
    n_rows, n_items = 60, 4
    shown, age = rng.normal(size=(n_rows, n_items)) * 3, rng.normal(size=n_rows)
    theta, slope = rng.normal(size=n_items), rng.normal(size=n_items)
    eta = theta + 0.3 * shown + np.outer(age, slope)
    ranks = (-(eta + rng.gumbel(size=eta.shape))).argsort(axis=1).argsort(axis=1) + 1.0
    ranks[rng.random(ranks.shape) < 0.3] = np.nan
    model = PlackettLuce(on=["age"], unranked="anywhere", prior="none")
    model.fit(ranks, about={"age": age}, shown={"shown": shown})
    orders = [np.argsort(row)[: int((~np.isnan(row)).sum())] for row in ranks]
    centred = age - age.mean()

    def loss(parameters):
        base, by_age, coefficient = np.split(parameters, [n_items, 2 * n_items])
        each = base + np.outer(centred, by_age) + coefficient * shown
        value = 0.0
        for row, order in enumerate(orders):
            x = each[row, order]
            value -= sum(x[k] - special.logsumexp(x[k:]) for k in range(len(x) - 1))
        return value + 1e-9 * (base.sum() ** 2 + by_age.sum() ** 2)

    best = optimize.minimize(
        loss, np.zeros(2 * n_items + 1), method="BFGS", options={"gtol": 1e-7}
    ).x
    found = np.array(model.coefficients_["estimate"])
    expected = best - np.repeat(
        [best[:n_items].mean(), best[n_items:-1].mean(), 0], [n_items, n_items, 1]
    )
    return float(np.abs(found - expected).max())


def main():
    """A line for each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    folder = parser.parse_args().data
    print(f"{'':<48}{'largest difference':>20}")
    rows = {
        "baseball, published to three digits": baseball(),
        "fishing, published to seven digits": fishing(folder),
        "salad dressings, statsmodels' PHReg": salad(folder),
        "300 full rankings, choix": by_choix(),
    }
    rows |= {f"random design {seed}, scipy's BFGS": by_hand(seed) for seed in range(2)}
    for name, gap in rows.items():
        print(f"{name:<48}{gap:>20.1e}")


if __name__ == "__main__":
    main()
