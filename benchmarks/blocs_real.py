"""Blocs of real votes: elections in Dublin and at Debian, sushi, and Eurovision."""

import re
import time
from itertools import combinations
from pathlib import Path

import numpy as np

from rankcut import RankingBlocs, read_file
from rankcut.datasets import load_eurovision, load_sushi

# Parties with candidates in Dublin; the others stand for themselves.
PARTY = re.compile(r"(F\.F\.|F\.G\.|Lab|G\.P\.|S\.F\.|S\.P\.|P\.D\.|C\.C\. Csp)$")


def real(page, data: Path) -> None:
    """A table of the blocs of real votes."""
    rows = []
    for name, votes, ways in real_votes(data):
        for unranked in ways:
            start = time.process_time()
            model = RankingBlocs(unranked=unranked, n_bootstraps=0)
            model.fit(votes.ranks, sample_weight=votes.counts)
            spent = time.process_time() - start
            table = model.selection_
            best = int(np.argmax(table["gap"] * table["stability"]))
            share = "" if model.length_share_ is None else f"{model.length_share_:.0%}"
            sizes = ", ".join(f"{size / model.sizes_.sum():.0%}" for size in model.sizes_)
            cells = [name, f"{model.n_people_:,}", str(votes.shape[1]), unranked]
            cells += [str(model.n_blocs_), sizes, f"{model.certainty_:.2f}", share]
            cells += [str(table["n_blocs"][best]), f"{table['gap'][best]:.3f}"]
            cells += [f"{table['error'][best]:.3f}", f"{table['stability'][best]:.2f}"]
            rows.append([*cells, f"{spent:.1f} s"])
    columns = ["votes", "people", "items", "unranked", "blocs", "sizes", "certainty", "length"]
    page.show(
        "Real votes",
        [*columns, "best k", "gap", "error", "stability", "time"],
        rows,
        "Certainty is the mean probability of the bloc that a person is put in; length, the share "
        "of the variance of list lengths that the blocs explain; best k, the number with the "
        "largest product of gap and stability, whether it counts or not.",
    )


def real_votes(data: Path):
    """Dublin, Debian, sushi and Eurovision, from a folder that holds them."""
    partial = ("last", "anywhere")
    for name, votes in dublin(data):
        yield name, votes, partial
    for number in range(1, 9):
        votes = read_file(data / f"preflib/00002-debian/00002-0000000{number}.soi")
        yield votes.title, votes, partial[:1]
    yield "Sushi", load_sushi("a", data_home=data), ("error",)
    yield "Eurovision since 2004", load_eurovision(data_home=data, first_year=2004), partial


def dublin(data: Path):
    """Two elections of 2002, each with the ballots of one constituency."""
    for name, number in (("Dublin North 2002", 1), ("Dublin West 2002", 2)):
        yield name, read_file(data / f"preflib/00001-irish/00001-0000000{number}.soi")


def follow_parties(page, data: Path) -> None:
    """A table of how alike blocs treat candidates of one party."""
    rows = []
    for name, votes in dublin(data):
        own = [PARTY.search(str(item)) for item in votes.items]
        parties = np.array([f"none {i}" if p is None else p[0] for i, p in enumerate(own)])
        for k in (2, 3, 4, 6):
            model = RankingBlocs(k, unranked="last", n_bootstraps=0)
            model.fit(votes.ranks, sample_weight=votes.counts)
            # Mean places in each bloc minus those elsewhere, measured on the other half.
            found = model._differences.inside - model._differences.outside
            first, second = np.array(list(combinations(range(len(parties)), 2))).T
            apart = np.abs(found[:, first] - found[:, second]).mean(axis=0)
            rng, chance = np.random.default_rng(0), 0
            same = parties[first] == parties[second]
            for _ in range(10_000):
                drawn = rng.permutation(parties)
                chance += apart[drawn[first] == drawn[second]].mean() <= apart[same].mean()
            cells = [name, str(k), f"{apart[same].mean():.2f}", f"{apart[~same].mean():.2f}"]
            rows.append([*cells, f"{(chance + 1) / 10_001:.4f}"])
    page.show(
        "Do blocs follow parties?",
        ["election", "k", "apart, one party", "apart, two parties", "p"],
        rows,
        "For each candidate, the mean place in a bloc less that elsewhere. How far two candidates "
        "are apart in it, in places, averaged over blocs: candidates of one party, and of two. "
        "p: how often parties dealt out to candidates at random are as near (10,000 times).",
    )
