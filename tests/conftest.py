"""What all tests share: Hypothesis' settings, and pandas and Polars as one fixture."""

import os

import pytest
from hypothesis import HealthCheck, settings

# Without this, scikit-learn skips its checks of array API input. SciPy reads it when imported.
os.environ["SCIPY_ARRAY_API"] = "1"

# The first example of a test may compile a loop, so no example has a deadline.
settings.register_profile(
    "rankcut", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("rankcut")


@pytest.fixture(params=["pandas", "polars"])
def frames(request):
    """The module that makes frames: pandas, and then Polars."""
    return pytest.importorskip(request.param)
