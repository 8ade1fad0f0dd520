"""Eurovision: the points that juries and televoters of each country give in a final."""

import os

import numpy as np

from rankcut.datasets.downloads import find_files, read_columns
from rankcut.rankings.long_tables import entries_by_row
from rankcut.rankings.ranking_set import RankingSet
from rankcut.rankings.ratings import from_ratings

# The former Eastern bloc and Yugoslavia.
_EAST = {
    *("Albania", "Armenia", "Azerbaijan", "Belarus", "Bosnia & Herzegovina", "Bulgaria"),
    *("Croatia", "Czech Republic", "Estonia", "Georgia", "Hungary", "Latvia", "Lithuania"),
    *("Moldova", "Montenegro", "North Macedonia", "Poland", "Romania", "Russia", "Serbia"),
    *("Serbia & Montenegro", "Slovakia", "Slovenia", "Ukraine", "Yugoslavia"),
}
_SAME_COUNTRY = {"F.Y.R. Macedonia": "North Macedonia", "The Netherlands": "Netherlands"}

# Ballots of fewer songs say too little about their country.
_FEWEST_ITEMS = 5


def load_eurovision(
    *,
    data_home: str | os.PathLike[str] | None = None,
    first_year: int = 1994,
) -> RankingSet:
    """Votes in finals of the Eurovision Song Contest: read from the file you downloaded.

    A ranking is what the jury or the public of a country thinks of the other countries' songs:
    those with points, most points first. Rankings of fewer than five songs are left out.

    Parameters
    ----------
    data_home : path or None
        The directory with ``eurovision-votes.csv``, or the one above it; None takes the
        environment variable RANKCUT_DATA.
    first_year : int
        The first final to read.

    Returns
    -------
    RankingSet
        ``ranks``, ``items`` (countries), ``columns`` (the year, who votes, and whether the jury
        or the public), ``target`` (0: the voting country is in the west, 1: in the east) and
        ``target_names``.

    Examples
    --------
    >>> votes = load_eurovision(data_home="downloads")  # doctest: +SKIP
    """
    (path,) = find_files(
        ["eurovision-votes.csv"],
        ["eurovision"],
        data_home,
        address="https://github.com/rfordatascience/tidytuesday, data/2022/2022-05-17",
        terms="CC0",
    )
    table = read_columns(path)
    finals = (
        (table["semi_final"] == "f")
        & (table["year"].astype(np.int64) >= first_year)
        & (table["duplicate"] != "x")
        & (table["points"].astype(np.float64) > 0)
    )
    table = {name: values[finals] for name, values in table.items()}
    voting = np.array([_SAME_COUNTRY.get(name, name) for name in table["from_country"]])
    given_to = np.array([_SAME_COUNTRY.get(name, name) for name in table["to_country"]])
    others = voting != given_to
    voters = list(
        zip(
            table["year"][others].astype(np.int64).tolist(),
            voting[others].tolist(),
            table["jury_or_televoting"][others].tolist(),
            strict=True,
        )
    )
    countries, column = np.unique(given_to[others], return_inverse=True)
    place = {voter: row for row, voter in enumerate(sorted(set(voters)))}
    row = np.array([place[voter] for voter in voters], dtype=np.int64)
    points = table["points"][others].astype(np.float64)
    scores = entries_by_row(row, column, points, (len(place), len(countries)))
    kept = np.flatnonzero(np.diff(scores.indptr) >= _FEWEST_ITEMS)
    years, homes, kinds = (np.array([voter[part] for voter in place])[kept] for part in range(3))
    named = {"J": "jury", "T": "public"}
    return RankingSet(
        RankingSet(from_ratings(scores[kept]), tuple(countries.tolist())).dense(),
        tuple(countries.tolist()),
        columns={
            "year": years.astype(np.float64),
            "country": homes.astype(object),
            "voters": np.array([named.get(kind, kind) for kind in kinds], dtype=object),
        },
        title="Eurovision",
        target=np.isin(homes, sorted(_EAST)).astype(np.int64),
        target_names=["west", "east"],
    )
