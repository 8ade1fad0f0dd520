"""Sushi preferences: 5,000 people in Japan rank ten kinds of sushi."""

import os
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut.datasets.downloads import about_items, find_files, read_columns
from rankcut.files.text import open_text
from rankcut.parameters import check_choice
from rankcut.rankings.orders import spread
from rankcut.rankings.ranking_set import RankingSet

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
        each feature), ``feature_names``, ``feature_types`` ("numeric" or "categorical"),
        ``item_points`` (features as coordinates), ``columns`` (of each person:
        gender, age group, region and others, in words), ``ids``, ``target`` (0: lives in the east
        of Japan, 1: in the west) and ``target_names``.

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
    kept = list(range(len(names)))
    if which == "a":
        kept = [names.index(name) for name in _SET_A]
    features = {
        name: _named(values[kept], meaning)
        for (name, meaning), values in zip(_ITEM_COLUMNS.items(), items[2:], strict=True)
    }
    users = {
        name: _named(values, meaning)
        for (name, meaning), values in zip(_USER_COLUMNS.items(), people, strict=True)
    }
    ids = tuple(int(user) for user in users.pop("user"))
    return RankingSet(
        spread(ranks) if which == "a" else ranks,
        tuple(names[i] for i in kept),
        ids=ids,
        columns=users,
        title=f"Sushi, {len(kept)} kinds",
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
