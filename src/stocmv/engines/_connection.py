"""The cluster, and what becomes of it when it goes away."""

import time
from concurrent.futures import CancelledError
from typing import Any

_PATIENCE = 5.0  # seconds between two looks at whether the scheduler is still there
_SILENCE = 30.0  # seconds after which it is taken for gone


def current_client() -> Any:
    """The client of the cluster that is connected."""
    try:
        from distributed import Client
    except ImportError as error:
        raise ImportError("Dask collections need dask.distributed: pip install 'stocmv[dask]'.") from error
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
            if _answers(client):
                heard = time.monotonic()
            elif time.monotonic() - heard > _SILENCE:
                raise ConnectionError(_GONE) from None
        except KilledWorker as error:
            raise RuntimeError(
                f"The workers died again and again at {error.task}: their memory may be too small for a partition."
            ) from error
        except (CancelledError, CommClosedError, OSError) as error:
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
