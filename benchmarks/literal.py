"""Pooling as the paper writes it, from the reproduction, which is not installed."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from reproduction.literal import pool_literally

__all__ = ["pool_literally"]
