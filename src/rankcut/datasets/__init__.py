"""Data sets."""

from rankcut.datasets.eurovision import load_eurovision
from rankcut.datasets.food import load_lunch, make_food
from rankcut.datasets.movielens import load_movielens
from rankcut.datasets.ranking_models import make_mallows, make_plackett_luce
from rankcut.datasets.starwars import load_starwars
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
