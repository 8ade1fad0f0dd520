"""Data sets that you download: sushi, Eurovision, MovieLens, and a survey about Star Wars."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut.errors import RankingFileError
from rankcut.files.feature_tables import ItemTable
from rankcut.files.text import open_text, text_blocks
from rankcut.parameters import check_choice
from rankcut.rankings.ranking_set import RankingSet
from rankcut.rankings.ratings import entries_by_row, from_ratings, read_scale
from rankcut.rankings.stored import dense_ranks

VARIABLE = "RANKCUT_DATA"


def find_files(
    files: Sequence[str],
    folders: Sequence[str],
    data_home: str | os.PathLike[str] | None,
    *,
    address: str,
    terms: str,
) -> list[Path]:
    """The paths of the files, in the user's directory or in one of some folders in it."""
    home = os.environ.get(VARIABLE) if data_home is None else os.fspath(data_home)
    where = "no directory is named" if not home else f"they are not in {home}"
    for folder in ("", *folders):
        paths = [Path(home or ".") / folder / file for file in files]
        if home and all(path.is_file() for path in paths):
            return paths
    raise FileNotFoundError(
        f"the files {', '.join(files)} are needed, but {where}. Get them from {address} "
        f"({terms}), and name their directory by data_home= or by the environment variable "
        f"{VARIABLE}"
    )


def read_columns(
    path: Path, delimiter: str = ",", header: int = 0
) -> dict[str, NDArray[np.object_]]:
    """The columns of a text file by name, or by number from 1 without a header."""
    blocks = list(text_blocks(path, delimiter=delimiter, header=header))
    return {
        name: np.concatenate([block.objects(i) for block in blocks])
        for i, name in enumerate(blocks[0].names)
    }


def about_items(features: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """What a data set says about its items, as arguments of a RankingSet."""
    points = ItemTable((), features).points()
    details = {"feature_names": list(features), "item_points": points}
    return {"item_features": features, "details": details}


# The former Eastern bloc and Yugoslavia.
_EAST = {
    *("Albania", "Armenia", "Azerbaijan", "Belarus", "Bosnia & Herzegovina", "Bulgaria"),
    *("Croatia", "Czech Republic", "Estonia", "Georgia", "Hungary", "Latvia", "Lithuania"),
    *("Moldova", "Montenegro", "North Macedonia", "Poland", "Romania", "Russia", "Serbia"),
    *("Serbia & Montenegro", "Slovakia", "Slovenia", "Ukraine", "Yugoslavia"),
}
_SAME_COUNTRY = {"F.Y.R. Macedonia": "North Macedonia", "The Netherlands": "Netherlands"}


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
    table = read_columns(path, header=1)
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
    # Ballots of fewer songs say too little about their country.
    long_rows = np.flatnonzero(np.diff(scores.indptr) >= 5)
    years, homes, kinds = (
        np.array([voter[part] for voter in place])[long_rows] for part in range(3)
    )
    named = {"J": "jury", "T": "public"}
    return RankingSet(
        RankingSet(from_ratings(scores[long_rows]), tuple(countries.tolist())).dense(),
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


_YEAR = re.compile(r"\d{4}$")


def load_movielens(*, data_home: str | os.PathLike[str] | None = None) -> RankingSet:
    """The MovieLens 100k data of GroupLens: read from the files you downloaded.

    They may be used for research but not redistributed, so they are not part of this library: get
    them from https://grouplens.org/datasets/movielens/100k/ and name the directory. A film that
    a person did not rate is unranked; films with the same rating are tied.

    Which films a person rated says more about their gender than how they ranked them: compare any
    method with one that knows only which items were ranked.

    Parameters
    ----------
    data_home : path or None
        The directory with the files, or the one above it; None takes the environment variable
        RANKCUT_DATA.

    Returns
    -------
    RankingSet
        ``ranks`` (a CSR array of shape (943, 1682)), ``item_names``, ``item_features`` (an array
        for each genre, and the year; the one unknown year as the median), ``feature_names``,
        ``item_points`` (features as coordinates), ``columns`` (age, gender and occupation),
        ``ids``, ``target`` (0: man, 1: woman) and ``target_names``.

    References
    ----------
    F. M. Harper, J. A. Konstan. The MovieLens Datasets: History and Context. ACM Transactions on
    Interactive Intelligent Systems 5(4), 2015.

    Examples
    --------
    >>> films = load_movielens(data_home="downloads")  # doctest: +SKIP
    >>> NeighborGraph(films.item_features).build()  # doctest: +SKIP
    ItemGraph(1,682 items, 17,894 edges)
    """
    ratings_file, item_file, user_file, genre_file = find_files(
        ["u.data", "u.item", "u.user", "u.genre"],
        ["movielens-100k", "ml-100k"],
        data_home,
        address="https://grouplens.org/datasets/movielens/100k/",
        terms="for research, with acknowledgement; not to be redistributed",
    )
    users, items, named = (
        list(read_columns(file, "|").values()) for file in (user_file, item_file, genre_file)
    )
    ratings = list(read_columns(ratings_file, "\t").values())
    row = _places(ratings[0], users[0], ratings_file.as_posix())
    column = _places(ratings[1], items[0], ratings_file.as_posix())
    shape = (len(users[0]), len(items[0]))
    scores = entries_by_row(row, column, ratings[2].astype(np.float64), shape)
    years = [_YEAR.search(date or "") for date in items[2]]
    year = np.array([np.nan if match is None else float(match[0]) for match in years])
    # The genres are the last columns of the item file.
    genres = [str(genre) for genre in named[0]]
    flags = [values.astype(np.float64) for values in items[len(items) - len(genres) :]]
    year[np.isnan(year)] = np.nanmedian(year)
    gender = users[2]
    return RankingSet(
        from_ratings(scores),
        tuple(_titles(items)),
        ids=tuple(int(user) for user in users[0]),
        columns={"age": users[1].astype(np.float64), "gender": gender, "occupation": users[3]},
        title="MovieLens",
        target=(gender == "F").astype(np.int64),
        target_names=["man", "woman"],
        **about_items({**dict(zip(genres, flags, strict=True)), "year": year}),
    )


def _places(
    names: NDArray[np.object_], listed: NDArray[np.object_], path: str
) -> NDArray[np.int64]:
    place = {name: i for i, name in enumerate(listed.tolist())}
    for line, name in enumerate(names.tolist(), start=1):
        if name not in place:
            raise RankingFileError(f"{name!r} is not listed in the other files", path, line)
    return np.array([place[name] for name in names.tolist()])


def _titles(items: list[NDArray[np.object_]]) -> list[str]:
    """The films' titles; a few films have the same, and get their number as well."""
    titles = [str(title) for title in items[1]]
    twice = {title for title in titles if titles.count(title) > 1}
    return [
        f"{title} [{number}]" if title in twice else title
        for title, number in zip(titles, items[0], strict=True)
    ]


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
        Six films in order; or fourteen characters, tied where they are liked equally.
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
    columns = list(read_columns(path).values())
    titles = [str(values[1]) for values in columns]
    cells = [values[2:] for values in columns]
    places = _FILMS if which == "films" else _CHARACTERS
    if which == "films":
        ranks = np.array([[float(cell or "nan") for cell in cells[i]] for i in places]).T
    else:
        levels = read_scale(_SCALE)
        liked = [[levels.get(str(cell), np.nan) for cell in cells[i]] for i in places]
        ranks = from_ratings(np.array(liked).T, higher_is_better=False)
    answered = np.count_nonzero(~np.isnan(ranks), axis=1) >= 2
    return RankingSet(
        ranks[answered],
        tuple(_SERIES.sub("", " ".join(titles[i].split())) for i in places),
        ids=tuple(str(cell).removesuffix(".0") for cell in cells[0][answered]),
        columns={name: cells[i][answered] for name, i in _PERSON.items()},
        title=f"Star Wars, {which}",
    )


ADDRESS = "https://www.kamishima.net/sushi/"
TERMS = "for research; not to be redistributed"

# The ten items of set A, which count differently from those of set B.
_SET_A = [
    *("ebi", "anago", "maguro", "ika", "uni", "ikura", "tamago", "toro", "tekka_maki"),
    "kappa_maki",
]

_GROUPS = [
    *("blue-skinned fish", "red meat fish", "white-meat fish", "tare", "clam or shell"),
    *("squid or octopus", "shrimp or crab", "roe", "other seafood", "egg", "other meat"),
    "vegetables",
]

# The columns of the item file from the third on: the meaning of the codes, or None for numbers.
_ITEM_COLUMNS = {
    "style": ["maki", "other"],
    "major group": ["seafood", "other"],
    "minor group": _GROUPS,
    "lightness": None,
    "eaten": None,
    "price": None,
    "sold": None,
}

_PREFECTURES = [
    *("Hokkaido", "Aomori", "Iwate", "Akita", "Miyagi", "Yamagata", "Fukushima", "Niigata"),
    *("Ibaraki", "Tochigi", "Gunma", "Saitama", "Chiba", "Tokyo", "Kanagawa", "Yamanashi"),
    *("Shizuoka", "Nagano", "Aichi", "Gifu", "Toyama", "Ishikawa", "Fukui", "Shiga", "Mie"),
    *("Kyoto", "Osaka", "Nara", "Wakayama", "Hyogo", "Okayama", "Hiroshima", "Tottori", "Shimane"),
    *("Yamaguchi", "Ehime", "Kagawa", "Tokushima", "Kochi", "Fukuoka", "Nagasaki", "Saga"),
    *("Kumamoto", "Kagoshima", "Miyazaki", "Oita", "Okinawa", "abroad"),
]

_REGIONS = [
    *("Hokkaido", "Tohoku", "Hokuriku", "Kanto+Shizuoka", "Nagano+Yamanashi", "Chukyo", "Kinki"),
    *("Chugoku", "Shikoku", "Kyushu", "Okinawa", "abroad"),
]

_SIDES = ["east", "west"]

# The columns of the user file: the meaning of the codes, or None for numbers.
_USER_COLUMNS = {
    "user": None,
    "gender": ["male", "female"],
    "age": ["15-19", "20-29", "30-39", "40-49", "50-59", "60+"],
    "seconds": None,
    "childhood prefecture": _PREFECTURES,
    "childhood region": _REGIONS,
    "childhood side": _SIDES,
    "prefecture": _PREFECTURES,
    "region": _REGIONS,
    "side": _SIDES,
    "moved": ["no", "yes"],
}


def load_sushi(
    which: Literal["a", "b"] = "a",
    *,
    data_home: str | os.PathLike[str] | None = None,
) -> RankingSet:
    """The sushi data of T. Kamishima: read from the files you downloaded.

    They may be used for research but not redistributed, so they are not part of this library: get
    them from https://www.kamishima.net/sushi/ and name the directory.

    Parameters
    ----------
    which : {"a", "b"}
        "a": each person ranks the same ten items; "b": each ranks ten of a hundred.
    data_home : path or None
        The directory with the files, or the one above it; None takes the environment variable
        RANKCUT_DATA.

    Returns
    -------
    RankingSet
        ``ranks`` (5,000 rows; set b is sparse), ``item_names``, ``item_features`` (an array for
        each feature), ``feature_names``, ``item_points`` (features as coordinates), ``columns`` (of
        each person: gender, age group, region and others, in words), ``ids``, ``target`` (0: lives
        in the east of Japan, 1: in the west) and ``target_names``.

    References
    ----------
    T. Kamishima. Nantonac Collaborative Filtering: Recommendation Based on Order Responses. KDD
    2003, 583-588.

    Examples
    --------
    >>> sushi = load_sushi("a", data_home="downloads")  # doctest: +SKIP
    >>> SimilarityGraph(sushi.item_features).build()  # doctest: +SKIP
    ItemGraph(10 items, 45 edges)
    """
    check_choice(which, ("a", "b"), "which")
    orders, item_file, user_file = sushi_files(data_home, which)
    ranks = _read_orders(orders)
    items, people = (list(read_columns(file, "\t").values()) for file in (item_file, user_file))
    names = [str(name) for name in items[1]]
    kinds = list(range(len(names)))
    if which == "a":
        kinds = [names.index(name) for name in _SET_A]
    features = {
        name: _named(values[kinds], meaning)
        for (name, meaning), values in zip(_ITEM_COLUMNS.items(), items[2:], strict=True)
    }
    users = {
        name: _named(values, meaning)
        for (name, meaning), values in zip(_USER_COLUMNS.items(), people, strict=True)
    }
    ids = tuple(int(user) for user in users.pop("user"))
    return RankingSet(
        dense_ranks(ranks) if which == "a" else ranks,
        tuple(names[i] for i in kinds),
        ids=ids,
        columns=users,
        title=f"Sushi, {len(kinds)} kinds",
        target=(users["side"] == "west").astype(np.int64),
        target_names=_SIDES,
        **about_items(features),
    )


def sushi_files(data_home: str | os.PathLike[str] | None, which: str = "ab") -> list[Path]:
    """The orders of each set named, the items and the users; or an error that says where to go."""
    return find_files(
        [*(f"sushi3{each}.5000.10.order" for each in which), "sushi3.idata", "sushi3.udata"],
        ["sushi", "sushi3-2016", "sushi3"],
        data_home,
        address=ADDRESS,
        terms=TERMS,
    )


def _read_orders(path: Path) -> csr_array:
    """Ranks from lines ``0 10 5 0 3 …``: 0, the length, the items; the first has their number."""
    with open_text(path) as text:
        lines = [list(map(int, line.split())) for line in text if line.strip()]
    (n_items, *_), orders = lines[0], [line[2:] for line in lines[1:]]
    ends = np.cumsum([0, *map(len, orders)])
    ranks = np.concatenate([np.arange(1.0, len(order) + 1) for order in orders])
    return csr_array((ranks, np.concatenate(orders), ends), (len(orders), n_items)).sorted_indices()


def _named(codes: NDArray[np.object_], meaning: list[str] | None) -> NDArray[Any]:
    """Numbers, or the words that codes stand for."""
    numbers = codes.astype(np.float64)
    if meaning is None:
        return numbers
    return np.array(meaning, dtype=object)[numbers.astype(np.int64)]
