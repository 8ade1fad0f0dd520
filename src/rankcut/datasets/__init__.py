"""Data sets."""

from rankcut.datasets.food import make_food

__all__ = ["make_food"]
