"""A cluster of real worker processes on this machine."""

import dask
import pytest
from distributed import Client, LocalCluster

from rankcut.dask.tasks import WORKER_SETTINGS

QUIET = {
    **WORKER_SETTINGS,
    # On a busy machine the event loop is late now and then. Whoever asks a dead worker for its
    # blocks tries as long as this to connect.
    "distributed.admin.tick.limit": "60s",
    "distributed.comm.timeouts.connect": "60s",
}


def start(n_workers, **options):
    return LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=50,
        **options,
    )


@pytest.fixture(scope="session")
def cluster():
    """Two workers, for all tests that leave them as they are."""
    with dask.config.set(QUIET), start(2, memory_limit="1GiB") as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    """A client that Dask computes with by default while the test runs."""
    with Client(cluster) as client:
        yield client


@pytest.fixture
def fragile():
    """A cluster of its own, for a test that harms it."""
    started = []

    def make(n_workers, **options):
        started.append(start(n_workers, **options))
        started.append(Client(started[-1]))
        return started[-1]

    with dask.config.set({**QUIET, "distributed.scheduler.allowed-failures": 0}):
        yield make
        for each in reversed(started):
            each.close()
