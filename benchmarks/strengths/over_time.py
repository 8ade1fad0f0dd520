"""Over time: do strengths that walk predict the next quarter better than Elo or a static fit?

Tennis: matches of the men's tour, ``atp_matches_YEAR.csv`` of github.com/JeffSackmann/tennis_atp.
Football: a first division, such as ``spain.csv`` of github.com/jalapic/engsoccerdata, draws left
out, with home advantage. At the start of each quarter everything is fitted to the five years
before; then the quarter's matches are predicted, between players with forty matches or more in
those years (clubs: ten). Elo, with the K that predicts the years before the first quarter best, and
Glicko's first system are kept up to the start of the quarter, too; "live" learns from each match
of the quarter before the next one.

Run with: python -m benchmarks.strengths.over_time TENNIS_FOLDER FOOTBALL_FILE [--quarters 8]
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from rankcut import BradleyTerry

YEARS = 5


def read_tennis(folder):
    """Winner, loser, date and surface of each match."""
    tables = [pd.read_csv(path) for path in sorted(Path(folder).glob("atp_matches_*.csv"))]
    table = pd.concat(tables)
    dates = pd.to_datetime(table["tourney_date"].astype(str))
    names = {"winner": table["winner_name"], "loser": table["loser_name"]}
    found = pd.DataFrame({**names, "surface": table["surface"], "date": dates})
    return found.dropna().sort_values("date", kind="stable", ignore_index=True)


def read_football(path):
    """Home and away club, who won, and the date."""
    table = pd.read_csv(path)
    table = table[table["hgoal"] != table["vgoal"]]
    winner = np.where(table["hgoal"] > table["vgoal"], "home", "away")
    names = {"home_team": table["home"], "away_team": table["visitor"], "winner": winner}
    found = pd.DataFrame({**names, "date": pd.to_datetime(table["Date"])})
    return found.sort_values("date", kind="stable", ignore_index=True)


def sides(table):
    """The two names of each match, whether the first won, and whether the first is at home."""
    if "home_team" in table:
        return table["home_team"], table["away_team"], (table["winner"] == "home").to_numpy(), 1.0
    return table["winner"], table["loser"], np.ones(len(table), dtype=bool), 0.0


def elo(table, step, home, ratings=None):
    """The probability of each result before it, and ratings after all."""
    ratings = {} if ratings is None else dict(ratings)
    first, second, won, at_home = sides(table)
    chances = np.empty(len(table))
    for row, (a, b, result) in enumerate(zip(first, second, won, strict=True)):
        gap = ratings.get(a, 0.0) - ratings.get(b, 0.0) + home * at_home
        chance = 1 / (1 + np.exp(-gap))
        ratings[a] = ratings.get(a, 0.0) + step * (result - chance)
        ratings[b] = ratings.get(b, 0.0) - step * (result - chance)
        chances[row] = chance if result else 1 - chance
    return chances, ratings


def glicko(table, home, drift=0.03, first_variance=1.0):
    """Glicko's ratings after all matches, in months, on the scale of log odds."""
    rating, variance = {}, {}
    first, second, won, at_home = sides(table)
    months = table["date"].dt.to_period("M")
    for _, rows in pd.Series(range(len(table))).groupby(months.to_numpy()):
        for name in variance:
            variance[name] = min(variance[name] + drift**2, first_variance)
        old, spread = dict(rating), dict(variance)
        slope, bend = {}, {}
        for row in rows:
            a, b, result = first.iloc[row], second.iloc[row], float(won[row])
            for one, other, score, side in ((a, b, result, 1), (b, a, 1 - result, -1)):
                fade = 1 / np.sqrt(1 + 3 * spread.get(other, first_variance) / np.pi**2)
                gap = old.get(one, 0.0) - old.get(other, 0.0) + side * home * at_home
                chance = 1 / (1 + np.exp(-fade * gap))
                slope[one] = slope.get(one, 0.0) + fade * (score - chance)
                bend[one] = bend.get(one, 0.0) + fade**2 * chance * (1 - chance)
        for name, push in slope.items():
            variance[name] = 1 / (1 / spread.get(name, first_variance) + bend[name])
            rating[name] = old.get(name, 0.0) + variance[name] * push
    return rating


def chances_of(table, strengths, home):
    """The probability of each result by strengths of names."""
    first, second, won, at_home = sides(table)
    zero = dict.fromkeys({*first, *second}, 0.0)
    known = zero | strengths
    gap = first.map(known).to_numpy() - second.map(known).to_numpy() + home * at_home
    return 1 / (1 + np.exp(np.where(won, -gap, gap)))


def fitted(table, adjust, **terms):
    """Strengths by name, what the home side has more, and strengths in contexts."""
    model = BradleyTerry(adjust=adjust, prior="evidence", **terms).fit(table)
    home = [row["estimate"] for row in model.coefficients_ if row["term"] == "home"]
    by_name = dict(zip(model.items_, model.strengths_.theta.tolist(), strict=True))
    contexts = {
        label: dict(zip(model.items_, fit.theta.tolist(), strict=True))
        for label, fit in model.contexts_.items()
    }
    return by_name, home[0] if home else 0.0, contexts


def compare(name, table, least, first_quarter, quarters):
    """The table of one history."""
    adjust = "home" if "home_team" in table else None
    start = pd.Timestamp(first_quarter)
    before = table[table["date"] < start]
    tail = (before["date"] >= start - pd.DateOffset(years=2)).to_numpy()
    home = fitted(before[tail], adjust)[1]
    grid = np.geomspace(0.02, 0.5, 13).tolist()
    step = min(grid, key=lambda k: -np.log(elo(before, k, home)[0][tail]).mean())
    found = {}
    for quarter in range(quarters):
        begin = start + pd.DateOffset(months=3 * quarter)
        end = begin + pd.DateOffset(months=3)
        past = table[table["date"] < begin]
        window = past[past["date"] >= begin - pd.DateOffset(years=YEARS)]
        often = pd.concat(sides(window)[:2]).value_counts()
        regular = set(often.index[often >= least])
        coming = table[(table["date"] >= begin) & (table["date"] < end)]
        both = coming.columns[:2]
        regulars = (coming[both[0]].isin(regular) & coming[both[1]].isin(regular)).to_numpy()
        some, chosen = coming[regulars], {}
        last = window[window["date"] >= begin - pd.DateOffset(years=1)]
        for label, rows in (("static, five years", window), ("last year alone", last)):
            strengths, side, _ = fitted(rows, adjust)
            chosen[label] = chances_of(some, strengths, side)
        for label, period in (("walk by quarters", "quarter"), ("walk by months", "month")):
            strengths, side, _ = fitted(window, adjust, over="date", period=period)
            chosen[label] = chances_of(some, strengths, side)
        if "surface" in table:
            _, _, contexts = fitted(window, adjust, over="date", period="quarter", by="surface")
            chances = np.empty(len(some))
            for surface, strengths in contexts.items():
                rows = (some["surface"] == surface).to_numpy()
                chances[rows] = chances_of(some[rows], strengths, 0.0)
            chosen["walk by quarters, by surface"] = chances
        _, ratings = elo(past, step, home)
        chosen["Glicko"] = chances_of(some, glicko(window, home), home)
        chosen["Elo, K tuned"] = chances_of(some, ratings, home)
        chosen["Elo, K tuned, live"] = elo(coming, step, home, ratings)[0][regulars]
        for label, chances in chosen.items():
            found.setdefault(label, []).append(-np.log(chances))
    n_matches = sum(map(len, next(iter(found.values()))))
    print(f"\n{name}: {n_matches:,} matches of {quarters} quarters from {first_quarter}\n")
    print(f"{'':<30}{'log-loss':>18}{'beside Elo':>22}")
    every = {label: np.concatenate(losses) for label, losses in found.items()}
    for label, losses in every.items():
        error = 1.96 * losses.std() / np.sqrt(len(losses))
        gap = losses - every["Elo, K tuned"]
        beside = f"{gap.mean():>+12.4f} ± {1.96 * gap.std() / np.sqrt(len(gap)):.4f}"
        print(f"{label:<30}{losses.mean():>9.4f} ± {error:.4f}{beside:>22}", flush=True)


def main():
    """A table for each history."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tennis")
    parser.add_argument("football")
    parser.add_argument("--quarters", type=int, default=8)
    options = parser.parse_args()
    compare("Football", read_football(options.football), 10, "2008-07-01", options.quarters)
    compare("Tennis", read_tennis(options.tennis), 40, "2010-01-01", options.quarters)


if __name__ == "__main__":
    main()
