"""What all tests share: Hypothesis' settings, frames of both libraries, a browser, real data."""

import os
import signal
from pathlib import Path

import pytest
from chromium import find_chromium, opened
from hypothesis import HealthCheck, settings

# Without this, scikit-learn skips its checks of array API input. SciPy reads it when imported.
os.environ["SCIPY_ARRAY_API"] = "1"

# In the background, a shell has processes ignore interrupts, and so would the commands that
# tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Examples follow from the source of a test, so that every run is the same; an example that once
# failed is written down beside the test. The first example may compile a loop, so that none has a
# deadline.
settings.register_profile(
    "rankcut",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow],
)
# Random examples, for `make explore`; those that fail are kept in .hypothesis.
settings.register_profile(
    "explore",
    deadline=None,
    max_examples=500,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("rankcut")


@pytest.fixture(params=["pandas", "polars"])
def frames(request):
    """The module that makes frames: pandas, and then Polars."""
    return pytest.importorskip(request.param)


@pytest.fixture(scope="session")
def data_home():
    """The directory with real data, which is not part of the project."""
    home = os.environ.get("RANKCUT_DATA")
    if not home:
        pytest.skip("RANKCUT_DATA does not name a directory with real data")
    return Path(home)


@pytest.fixture
def show(tmp_path):
    """Opens a page, HTML or a file of it, in a window of Chromium of some width."""
    chromium = find_chromium()
    if chromium is None:
        pytest.skip("there is no Chromium on this machine")

    def open_page(page, width):
        if isinstance(page, str):
            (tmp_path / "page.html").write_text(page, encoding="utf-8")
            page = tmp_path / "page.html"
        return opened(chromium, page, width, tmp_path / "profile")

    return open_page
