"""Agreement with other programs and published tables: the largest difference of each.

Baseball with home advantage (Agresti; R's BradleyTerry2 and its published three digits), fights of
lizards by what they look like (Whiting and others 2006, two digits of estimates and errors),
college hockey of 2009-10 (published chances to win, four digits; with home ice, statsmodels' GLM),
choices of fishing modes by price and catch (R's mlogit, published seven digits), salad dressings by
their acids (statsmodels' PHReg), pairs and full rankings (choix, by its own optimiser), and random
designs of all terms (a maximisation by scipy that is written out in this program).

Lizards and hockey are data sets of BradleyTerry2: flatlizards$contests, flatlizards$predictors and
icehockey, written by R's write.csv as contests.csv, predictors.csv and icehockey.csv.

Run with: python -m benchmarks.strengths.oracles DATA_FOLDER --bradley-terry FOLDER
"""

import argparse
from pathlib import Path

import choix
import numpy as np
import pandas as pd
import statsmodels.api as sm
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
#: Estimates and standard errors.
PUBLISHED_LIZARDS = {
    "throat.PC1": (-0.09, 0.03),
    "throat.PC3": (0.34, 0.11),
    "head.length": (-1.13, 0.49),
    "SVL": (0.19, 0.10),
}
#: Chances to win against a team that is drawn from all others.
PUBLISHED_HOCKEY = {
    "Denver": 0.8145,
    "Miami": 0.7991,
    "Wisconsin": 0.7970,
    "North Dakota": 0.7812,
    "Boston College": 0.7441,
    "St. Cloud State": 0.7437,
}
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


def lizards(folder):
    """The difference from published digits.

    Lizards without a measurement have a strength of their own. One that won or lost all of its
    fights has none that is finite: in the limit its fights say nothing.
    """
    fights = pd.read_csv(folder / "contests.csv")[["winner", "loser"]]
    measured = pd.read_csv(folder / "predictors.csv", index_col=0)[[*PUBLISHED_LIZARDS]]
    missing = set(measured.index[measured.isna().any(axis=1)])
    varied = missing & {*fights["winner"]} & {*fights["loser"]}
    fights = fights[~fights.isin(missing - varied).any(axis=1)]
    features = measured.loc[sorted({*fights["winner"], *fights["loser"]})].copy()
    features[features.isna().any(axis=1)] = 0.0
    for lizard in varied:
        features[lizard] = (features.index == lizard).astype(float)
    model = BradleyTerry(on=[*features], item_features=features, errors="information")
    table = model.fit(fights).coefficients_
    gaps = [0.0]
    for row in table:
        if row["column"] in PUBLISHED_LIZARDS:
            estimate, error = PUBLISHED_LIZARDS[row["column"]]
            gaps += [round(row["estimate"], 2) - estimate, round(row["std_error"], 2) - error]
    assert len(gaps) == 1 + 2 * len(PUBLISHED_LIZARDS)
    return float(np.abs(gaps).max())


def hockey(folder):
    """The difference from published chances, and with home ice from a GLM; half a win for a tie."""
    games = pd.read_csv(folder / "icehockey.csv")
    at_home = games["home.ice"].astype(str).str.upper().eq("TRUE").astype(float)
    table = pd.DataFrame(
        {
            "team_a": games["opponent"],
            "team_b": games["visitor"],
            "winner": np.select([games["result"] == 0, games["result"] == 1], ["a", "b"], "tie"),
            "ice_a": at_home,
            "ice_b": 0.0,
        }
    )
    plain = BradleyTerry(ties="half", prior="none").fit(table)
    chances = plain.strengths_.beats()
    average = (chances.sum(axis=1) - 0.5) / (len(chances) - 1)
    found = dict(zip(plain.labels_, average.tolist(), strict=True))
    published = max(abs(round(found[team], 4) - value) for team, value in PUBLISHED_HOCKEY.items())
    model = BradleyTerry(adjust="ice", ties="half", prior="none", errors="information").fit(table)
    teams = np.array(model.labels_)
    sides = [(games[side].to_numpy()[:, None] == teams) * 1.0 for side in ("opponent", "visitor")]
    design = np.column_stack([(sides[0] - sides[1])[:, 1:], at_home])
    theirs = sm.GLM(1.0 - games["result"].to_numpy(), design, family=sm.families.Binomial())
    fit = theirs.fit(tol=1e-14)
    strengths = np.append(0.0, fit.params[:-1])
    gaps = np.append(
        model.strengths_.theta - (strengths - strengths.mean()),
        [model.coefficients_[-1]["estimate"] - fit.params[-1],
         model.coefficients_[-1]["std_error"] - fit.bse[-1]],
    )  # fmt: skip
    return published, float(np.abs(gaps).max())


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
    parser.add_argument("--bradley-terry", type=Path, required=True)
    arguments = parser.parse_args()
    folder, of_r = arguments.data, arguments.bradley_terry
    chances, with_ice = hockey(of_r)
    print(f"{'':<48}{'largest difference':>20}")
    rows = {
        "baseball, published to three digits": baseball(),
        "lizards, published to two digits": lizards(of_r),
        "hockey, published to four digits": chances,
        "hockey with home ice, statsmodels' GLM": with_ice,
        "fishing, published to seven digits": fishing(folder),
        "salad dressings, statsmodels' PHReg": salad(folder),
        "300 full rankings, choix": by_choix(),
    }
    rows |= {f"random design {seed}, scipy's BFGS": by_hand(seed) for seed in range(2)}
    for name, gap in rows.items():
        print(f"{name:<48}{gap:>20.1e}")


if __name__ == "__main__":
    main()
