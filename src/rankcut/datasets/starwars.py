"""Star Wars: a survey of how people rank six films, and how they like fourteen characters."""

import os
import re
from typing import Literal

import numpy as np

from rankcut.datasets.downloads import find_files, read_columns
from rankcut.parameters import check_choice
from rankcut.rankings.ranking_set import RankingSet
from rankcut.rankings.ratings import from_ratings, read_scale

_SCALE = (
    "Very favorably > Somewhat favorably > Neither favorably nor unfavorably (neutral) > "
    "Somewhat unfavorably > Very unfavorably"
)

# The columns of the file, counted from 0; its second line has the names.
_FILMS, _CHARACTERS = range(9, 15), range(15, 29)
# "Star Wars: Episode V The Empire Strikes Back" is known by its last five words.
_SERIES = re.compile(r"^Star Wars: Episode [IV]+ ")
_PERSON = {"gender": 33, "age": 34, "income": 35, "education": 36, "region": 37}


def load_starwars(
    which: Literal["films", "characters"] = "films",
    *,
    data_home: str | os.PathLike[str] | None = None,
) -> RankingSet:
    """The Star Wars survey of FiveThirtyEight: read from the file you downloaded.

    Parameters
    ----------
    which : {"films", "characters"}
        Six films in order; or fourteen characters, tied where they are liked as much.
    data_home : path or None
        The directory with ``StarWars.csv``, or the one above it; None takes the environment
        variable RANKCUT_DATA.

    Returns
    -------
    RankingSet
        ``ranks`` of the people who ranked two items or more, ``items``, ``ids`` and ``columns``
        (gender, age, income, education and region, None where unknown).

    Examples
    --------
    >>> films = load_starwars("films", data_home="downloads")  # doctest: +SKIP
    """
    check_choice(which, ("films", "characters"), "which")
    (path,) = find_files(
        ["StarWars.csv"],
        ["starwars", "star-wars-survey"],
        data_home,
        address="https://github.com/fivethirtyeight/data, star-wars-survey",
        terms="CC BY 4.0",
    )
    columns = list(read_columns(path, header=0).values())
    titles = [str(values[1]) for values in columns]
    cells = [values[2:] for values in columns]
    chosen = _FILMS if which == "films" else _CHARACTERS
    if which == "films":
        ranks = np.array([[float(cell or "nan") for cell in cells[i]] for i in chosen]).T
    else:
        levels = read_scale(_SCALE)
        liked = [[levels.get(str(cell), np.nan) for cell in cells[i]] for i in chosen]
        ranks = from_ratings(np.array(liked).T, higher_is_better=False)
    kept = np.count_nonzero(~np.isnan(ranks), axis=1) >= 2
    return RankingSet(
        ranks[kept],
        tuple(_SERIES.sub("", " ".join(titles[i].split())) for i in chosen),
        ids=tuple(str(cell).removesuffix(".0") for cell in cells[0][kept]),
        columns={name: cells[i][kept] for name, i in _PERSON.items()},
        title=f"Star Wars, {which}",
    )
