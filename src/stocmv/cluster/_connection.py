"""The connection to a cluster, and errors if it is lost."""

import os
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from typing import Any

_PATIENCE = 5.0  # seconds between two checks whether the scheduler is still there
_SILENCE = 30.0  # seconds after which it counts as lost


@contextmanager
def connected(address: str | None = None, n_workers: int | None = None) -> Iterator[Any]:
    """A client of the scheduler at an address, or of workers on this machine while the block lasts.

    Parameters
    ----------
    address : str, optional
        Such as ``tcp://scheduler:8786``; without it a local cluster is started.
    n_workers : int, optional
        Number of processes of the local cluster, each with one thread; by default one per core.
    """
    _check_installed()
    from distributed import Client

    with ExitStack() as open_ones:
        place: Any = address or open_ones.enter_context(_local_cluster(n_workers or os.cpu_count() or 1))
        try:
            client = open_ones.enter_context(Client(place, timeout=_SILENCE))
        except (OSError, TimeoutError, ValueError) as error:
            raise ValueError(f"No Dask scheduler answers at {address}.") from error
        yield client


def _local_cluster(n_workers: int) -> Any:
    from distributed import LocalCluster

    with warnings.catch_warnings():
        # where the dashboard's usual port is taken, distributed tries it, leaves the socket open, and takes another
        warnings.filterwarnings("ignore", r"Port \d+ is already in use")
        warnings.simplefilter("ignore", ResourceWarning)
        return LocalCluster(n_workers=n_workers, threads_per_worker=1, silence_logs="ERROR")


def _check_installed() -> None:
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise ImportError("Dask collections need dask.distributed: pip install 'stocmv[dask]'.") from error


def is_dask(X: Any) -> bool:
    """Whether it is a Dask array or data frame, without importing Dask."""
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


def current_client() -> Any:
    """The client of the connected cluster."""
    _check_installed()
    from distributed import Client

    try:
        return Client.current()
    except ValueError as error:
        raise ValueError(
            "X is a Dask collection and no cluster is connected: make a dask.distributed.Client first."
        ) from error


def result(future: Any, client: Any) -> Any:
    """The result of a task; an error, instead of a hang, if the scheduler is lost."""
    from distributed.comm.core import CommClosedError
    from distributed.scheduler import KilledWorker

    heard = time.monotonic()
    while True:
        try:
            return future.result(timeout=_PATIENCE)
        except TimeoutError:
            if future.status == "error":
                raise
            if _answers(client):
                heard = time.monotonic()
            elif time.monotonic() - heard > _SILENCE:
                raise ConnectionError(_GONE) from None
        except KilledWorker as error:
            raise MemoryError(
                f"The workers kept dying at {error.task}: their memory may be too small for a partition."
            ) from error
        except (CancelledError, CommClosedError, OSError) as error:
            if future.status == "error":
                raise
            raise ConnectionError(_GONE) from error


_GONE = "The Dask scheduler was lost, and all data on the cluster with it: start it again, and fit again."


def _answers(client: Any) -> bool:
    if client.status != "running":
        return False
    try:
        client.sync(client.scheduler.identity, callback_timeout=_PATIENCE)
    except Exception:
        # any error while asking means that there was no answer
        return False
    return True
