"""Groups compared on real data: who ranks differently, by how much, and where.

    RANKCUT_DATA=FOLDER python -m benchmarks.comparison.comparison_data [--picture FILE.png]

Sushi by side, gender and age; Star Wars by gender and age; parties in three Irish districts;
Eurovision by jury and public. ``--picture`` draws the last one. A country votes in each year, once
by its jury and once by its public: labels are exchanged within a country and year.
"""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rankcut import RankingSet, StrengthRegression, compare_groups, read_file
from rankcut.comparison.results import GroupComparison
from rankcut.datasets import load_eurovision, load_starwars, load_sushi

PARTIES = {
    "F.F.": "Fianna Fáil",
    "F.G.": "Fine Gael",
    "Lab": "Labour",
    "G.P.": "Green Party",
    "S.F.": "Sinn Féin",
}
DISTRICTS = ("Dublin North", "Dublin West", "Meath")


class Question(NamedTuple):
    """What is compared, and by what."""

    name: str
    rankings: RankingSet
    groups: Any
    options: dict[str, Any]


def irish_parties(folder: Path) -> tuple[RankingSet, np.ndarray]:
    """Ballots of three districts as orders of five parties, each at its first candidate."""
    ranks, counts, districts = [], [], []
    for number, district in enumerate(DISTRICTS, start=1):
        ballots = read_file(folder / f"preflib/00001-irish/00001-{number:08d}.soi")
        places = ballots.dense()
        own = [
            np.nanmin(
                np.where(
                    [str(item).endswith(party) for item in ballots.items],
                    np.nan_to_num(places, nan=np.inf),
                    np.inf,
                ),
                axis=1,
            )
            for party in PARTIES
        ]
        first = np.array(own).T
        ranks.append(np.where(np.isinf(first), np.nan, first))
        counts.append(ballots.counts)
        districts += [district] * len(places)
    some = ~np.isnan(np.vstack(ranks)).all(axis=1)
    rankings = RankingSet(
        np.vstack(ranks)[some], tuple(PARTIES.values()), counts=np.concatenate(counts)[some]
    )
    return rankings, np.array(districts, dtype=object)[some]


def questions(folder: Path) -> Iterator[Question]:
    sushi = load_sushi("a", data_home=folder)
    yield Question("sushi, east and west", sushi, sushi["side"], {})
    for column in ("gender", "age"):
        yield Question(f"sushi, {column}", sushi, sushi[column], {})
    films = load_starwars(data_home=folder)
    for column in ("gender", "age"):
        yield Question(f"Star Wars, {column}", films, films[column], {"unranked": "last"})
    parties, districts = irish_parties(folder)
    options = {"unranked": "last", "n_permutations": 1999}
    yield Question("Irish parties, district", parties, districts, options)
    yield eurovision(folder)


def eurovision(folder: Path) -> Question:
    votes = load_eurovision(data_home=folder, first_year=2016)
    options = {"people": votes["country"], "strata": votes["year"], "unranked": "last"}
    options["measure"] = "places"
    return Question("Eurovision 2016–2022, jury and public", votes, votes["voters"], options)


def compared(question: Question) -> GroupComparison:
    return compare_groups(question.rankings, question.groups, **question.options)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    folder = Path(os.environ["RANKCUT_DATA"])
    for question in questions(folder):
        result = compared(question)
        head, *rest = result.summary().splitlines()
        print(f"\n{question.name}\n{head}")
        items = [line for line in rest if " higher in " in line or " stronger in " in line]
        print(*items[:6], sep="\n")
        if len(items) > 6:
            print(f"  and {len(items) - 6} more of {len(question.rankings.items)} items")
        print(*result.details(), sep="\n")
    sushi = load_sushi("a", data_home=folder)
    decades = np.unique(sushi["age"], return_inverse=True)[1].astype(np.float64)
    columns = {"side": sushi["side"], "gender": sushi["gender"], "age": decades}
    print("\nsushi, side, gender and age together")
    model = StrengthRegression().fit(pd.DataFrame(columns), sushi)
    for row in model.tests_:
        print(f"{row['term']}: F = {row['wald']:.2f}, p = {row['p_value']:.2g}")
    if options.picture is not None:
        compared(eurovision(folder)).plot().savefig(options.picture, dpi=110)


if __name__ == "__main__":
    main()
