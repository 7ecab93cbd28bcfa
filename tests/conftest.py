import warnings

import pytest


def pytest_collection_modifyitems(items):
    """Mark the tests that need worker processes, by their fixtures, and those of the paper's experiments.

    The simulations come first: the processes that run the tests then end together, on short ones.
    """
    items.sort(key=lambda item: "validity" not in item.path.parts)
    for item in items:
        if "reproduction" in item.path.parts:
            item.add_marker("paper")
        if {"cluster", "mortal_cluster"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("cluster")


@pytest.fixture(scope="session")
def cluster():
    """Two worker processes on this machine."""
    yield from two_workers()


@pytest.fixture
def mortal_cluster():
    """Two worker processes for one test that kills them; a cluster gives up a worker that dies twice in 15 seconds."""
    yield from two_workers()


def two_workers():
    distributed = pytest.importorskip("distributed", reason="needs the extra dask")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
            ) as there,
            distributed.Client(there) as client,
        ):
            yield client
