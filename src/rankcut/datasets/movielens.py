"""MovieLens 100k: 943 people rate 1,682 films from 1 to 5."""

import os
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankcut.datasets.downloads import find_files, read_columns
from rankcut.errors import RankingFileError
from rankcut.rankings.long_tables import entries_by_row
from rankcut.rankings.ranking_set import RankingSet
from rankcut.rankings.ratings import from_ratings

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
        ``feature_types``, ``item_points`` (features as coordinates),
        ``columns`` (age, gender and occupation), ``ids``, ``target`` (0: man, 1: woman) and
        ``target_names``.

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
    users = _columns(user_file, "|")
    items = _columns(item_file, "|")
    genres = [str(genre) for genre in _columns(genre_file, "|")[0]]
    ratings = _columns(ratings_file, "\t")
    row = _places(ratings[0], users[0], ratings_file.as_posix())
    column = _places(ratings[1], items[0], ratings_file.as_posix())
    shape = (len(users[0]), len(items[0]))
    scores = entries_by_row(row, column, ratings[2].astype(np.float64), shape)
    years = [_YEAR.search(date or "") for date in items[2]]
    year = np.array([np.nan if found is None else float(found[0]) for found in years])
    # The genres are the last columns of the item file.
    flags = [values.astype(np.float64) for values in items[len(items) - len(genres) :]]
    year[np.isnan(year)] = np.nanmedian(year)
    features = {**dict(zip(genres, flags, strict=True)), "year": year}
    gender = users[2]
    from rankcut.graphs.item_features import encoded

    return RankingSet(
        from_ratings(scores),
        tuple(_titles(items)),
        ids=tuple(int(user) for user in users[0]),
        columns={
            "age": users[1].astype(np.float64),
            "gender": gender,
            "occupation": users[3],
        },
        title="MovieLens",
        target=(gender == "F").astype(np.int64),
        target_names=["man", "woman"],
        item_features=features,
        details={
            "feature_names": list(features),
            "feature_types": ["numeric"] * len(features),
            "item_points": np.hstack([encoded(values) for values in features.values()]),
        },
    )


def _columns(path: Path, delimiter: str) -> list[NDArray[np.object_]]:
    return list(read_columns(path, delimiter=delimiter, header=0).values())


def _places(found: NDArray[np.object_], known: NDArray[np.object_], path: str) -> NDArray[np.int64]:
    place = {name: i for i, name in enumerate(known.tolist())}
    for line, name in enumerate(found.tolist(), start=1):
        if name not in place:
            raise RankingFileError(f"{name!r} is not listed in the other files", path, line)
    return np.array([place[name] for name in found.tolist()])


def _titles(items: list[NDArray[np.object_]]) -> list[str]:
    """The films' titles; a few films have the same, and get their number as well."""
    titles = [str(title) for title in items[1]]
    twice = {title for title in titles if titles.count(title) > 1}
    return [
        f"{title} [{number}]" if title in twice else title
        for title, number in zip(titles, items[0], strict=True)
    ]
