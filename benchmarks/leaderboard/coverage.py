"""Do rank intervals hold if judges are few, differ, and judge very unequally often?

Run with: python -m benchmarks.leaderboard.coverage [--runs 300] [--only NAME]

Eight models whose strengths are known, two of them equal; or 25, of which each judge meets four.
Judges have strengths of their own around these (standard deviation .4), and judge as often as the
row says: all alike, as Zipf's law has it (the n-th as often as 1/n of the first), or one of them a
third of all. The true ranks are those of a fit to 4,000 such judges. The table has the share of
samples in which a model's marginal interval holds its rank (the mean over models, and the least),
in which all simultaneous intervals hold at once, and in which the interval of a rating holds it;
the mean width of both kinds of intervals of places; and the share of samples with a clear pair if
all models are equal.
"""

import argparse

import numpy as np
from scipy import special

from rankcut import Leaderboard
from rankcut.leaderboard import Games

STRENGTHS = np.array([0.9, 0.7, 0.7, 0.3, 0.1, -0.4, -0.8, -1.5])
MANY_STRENGTHS = np.append(0.75, np.linspace(0.75, -0.8, 24))
N_MET = 4
OWN = 0.4
N_TRUTH = 4000


def sizes(kind, n_judges, n_votes):
    """How often each judge judges."""
    if kind == "alike":
        shares = np.ones(n_judges)
    elif kind == "zipf":
        shares = 1 / np.arange(1, n_judges + 1)
    else:
        shares = np.append(n_judges / 2, np.ones(n_judges - 1))
    return np.maximum(1, np.round(n_votes * shares / shares.sum())).astype(int)


def made_games(rng, strengths, votes_of, n_met):
    """Votes of judges with strengths of their own, each about some of the models."""
    n_items = len(strengths)
    judge = np.repeat(np.arange(len(votes_of)), votes_of)
    met = rng.permuted(np.tile(np.arange(n_items), (len(votes_of), 1)), axis=1)
    place = rng.integers(0, n_met, len(judge))
    first = met[judge, place]
    second = met[judge, (place + rng.integers(1, n_met, len(judge))) % n_met]
    mine = strengths + OWN * rng.standard_normal((len(votes_of), n_items))
    won = rng.random(len(judge)) < special.expit(mine[judge, first] - mine[judge, second])
    result = np.where(won, 1, -1)
    return Games(tuple(range(n_items)), first, second, result, judge, tuple(range(len(votes_of))))


def ranks_of(strengths):
    """The best and the worst rank of each item, which differ where strengths are equal."""
    better = 1 + (strengths[None, :] > strengths[:, None]).sum(axis=1)
    return better, (strengths[None, :] >= strengths[:, None]).sum(axis=1)


def run(kind, n_judges, n_votes, strengths, n_met, n_runs):
    """What the table has of a row."""
    votes_of = sizes(kind, n_judges, n_votes)
    rng = np.random.default_rng(0)
    truth = Leaderboard(scale="log-odds", prior="none").fit(
        made_games(rng, strengths, np.full(N_TRUTH, 20), len(strengths))
    )
    low_rank, high_rank = ranks_of(strengths)
    # Whoever is equal in the population is equal in its limit; the sample of it has noise.
    levels = np.array([truth.ratings_[each == strengths].mean() for each in strengths])
    marginal, everything, ratings, widths, false = [], [], [], [], []
    for seed in range(n_runs):
        rng = np.random.default_rng([1, seed])
        board = Leaderboard(scale="log-odds").fit(made_games(rng, strengths, votes_of, n_met))
        places = board.places_
        holds = [
            (intervals[:, 0] <= low_rank) & (intervals[:, 1] >= high_rank)
            for intervals in (places.marginal, places.simultaneous)
        ]
        marginal.append(holds[0])
        everything.append(holds[1].all())
        limits = board.intervals_
        ratings.append((limits[:, 0] <= levels) & (levels <= limits[:, 1]))
        widths.append(
            [np.ptp(each, axis=1).mean() for each in (places.marginal, places.simultaneous)]
        )
        equal = made_games(rng, np.zeros(len(strengths)), votes_of, n_met)
        level = Leaderboard().fit(equal)
        false.append(level.places_.clear.any())
    each = np.mean(marginal, axis=0)
    return [
        each.mean(),
        each.min(),
        np.mean(everything),
        np.mean(ratings),
        *np.mean(widths, axis=0),
        np.mean(false),
    ]


CASES = {
    f"{n_judges} judges, {kind}, {n_votes:,} votes": (kind, n_judges, n_votes, STRENGTHS, 8)
    for kind in ("alike", "zipf", "one big")
    for n_judges, n_votes in ((8, 400), (15, 600), (40, 1200), (150, 3000))
} | {
    f"{n_judges} judges of 4 of 25 models, {kind}, {n_votes:,} votes": (
        *(kind, n_judges, n_votes, MANY_STRENGTHS, N_MET),
    )
    for kind in ("alike", "zipf")
    for n_judges, n_votes in ((60, 2000), (200, 3000))
}


def main(arguments):
    print(
        "| judges | marginal | least of items | all at once | ratings | places wide, marginal "
        "| all at once | a clear pair if all are equal |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, case in CASES.items():
        if arguments.only and arguments.only not in name:
            continue
        mean, least, everything, ratings, alone, at_once, false = run(*case, arguments.runs)
        print(
            f"| {name} | {100 * mean:.1f} % | {100 * least:.1f} % | {100 * everything:.1f} % | "
            f"{100 * ratings:.1f} % | {alone:.1f} | {at_once:.1f} | {100 * false:.1f} % |",
            flush=True,
        )
    error = 100 * np.sqrt(0.05 * 0.95 / arguments.runs)
    print(f"\n{arguments.runs} samples a row: a true 95 % is found as 95 ± {2 * error:.1f} %.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--only", default="")
    main(parser.parse_args())
