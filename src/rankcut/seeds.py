"""Seeds: what names the random draws of a ranking."""

import numpy as np
from sklearn.utils import check_random_state

from rankcut.errors import InputError


def seed_from(random_state: int | np.random.RandomState | None) -> int:
    """A number to name streams with: the seed itself, or one drawn from the generator."""
    if isinstance(random_state, int | np.integer):
        if not 0 <= random_state < 2**32:
            raise InputError(
                f"must be from 0 to 2**32 - 1; got {random_state}", parameter="random_state"
            )
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))
