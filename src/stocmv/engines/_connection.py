"""The cluster, and what becomes of it when it goes away."""

import os
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from typing import Any

_PATIENCE = 5.0  # seconds between two looks at whether the scheduler is still there
_SILENCE = 30.0  # seconds after which it is taken for gone


@contextmanager
def connected(address: str | None = None, n_workers: int | None = None) -> Iterator[Any]:
    """A client of the scheduler at an address, or of workers on this machine while the block lasts.

    Parameters
    ----------
    address : str, optional
        Such as ``tcp://scheduler:8786``; without it a local cluster is started.
    n_workers : int, optional
        Processes of the local cluster, each with one thread; by default one for each core.
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
    """Whether it is a Dask array or data frame, found out without Dask."""
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


def current_client() -> Any:
    """The client of the cluster that is connected."""
    _check_installed()
    from distributed import Client

    try:
        return Client.current()
    except ValueError as error:
        raise ValueError(
            "X is a Dask collection and no cluster is connected: make a dask.distributed.Client first."
        ) from error


def result(future: Any, client: Any) -> Any:
    """What a task gives back; an error, not a hang, when the scheduler goes away."""
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
                f"The workers died again and again at {error.task}: their memory may be too small for a partition."
            ) from error
        except (CancelledError, CommClosedError, OSError) as error:
            if future.status == "error":
                raise
            raise ConnectionError(_GONE) from error


_GONE = "The Dask scheduler went away, and what the cluster held with it: start it again, and fit again."


def _answers(client: Any) -> bool:
    if client.status != "running":
        return False
    try:
        client.sync(client.scheduler.identity, callback_timeout=_PATIENCE)
    except Exception:
        # whatever goes wrong while asking, there was no answer
        return False
    return True
