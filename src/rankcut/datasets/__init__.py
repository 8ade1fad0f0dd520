"""Data sets."""

from rankcut.datasets.downloads import load_eurovision, load_movielens, load_starwars, load_sushi
from rankcut.datasets.made_up import load_lunch, make_food, make_mallows, make_plackett_luce

__all__ = [
    "load_eurovision",
    "load_lunch",
    "load_movielens",
    "load_starwars",
    "load_sushi",
    "make_food",
    "make_mallows",
    "make_plackett_luce",
]
