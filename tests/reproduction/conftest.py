"""What tests of several parts need."""

import pytest


@pytest.fixture
def few_resamples(monkeypatch):
    """Verdicts on made-up scores need no fine intervals."""
    monkeypatch.setattr("reproduction.comparisons._RESAMPLES", 200)
