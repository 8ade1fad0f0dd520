"""Data sets."""

from rankcut.datasets.downloads import load_eurovision, load_movielens, load_starwars
from rankcut.datasets.food import load_lunch, make_food
from rankcut.datasets.ranking_models import make_mallows, make_plackett_luce
from rankcut.datasets.sushi import load_sushi

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
