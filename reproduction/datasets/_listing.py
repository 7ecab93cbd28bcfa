"""What can be loaded, and what would have to be fetched first."""

from dataclasses import dataclass

from stocmv.datasets import list_datasets

from ._places import cache_dir, users_file
from ._registry import PUBLIC


@dataclass(frozen=True)
class KnownSet:
    """What is known about a data set before it is read.

    Attributes
    ----------
    n, n_features, n_classes : int
        Its size.
    state : {"built in", "local", "cached", "to fetch"}
        Where it is now.
    """

    n: int
    n_features: int
    n_classes: int
    state: str

    @property
    def at_hand(self) -> bool:
        return self.state != "to fetch"


def known_sets() -> dict[str, KnownSet]:
    """The sets bundled with stocmv, then the paper's. Looks for files without reading them."""
    built_in = {e.name: KnownSet(e.n, e.n_features, e.n_classes, "built in") for e in list_datasets()}
    public = {
        name: KnownSet(known.n, known.n_features, len(known.target_names), _state(name))
        for name, known in PUBLIC.items()
    }
    return {**built_in, **public}


def _state(name: str) -> str:
    if users_file(name) is not None:
        return "local"
    try:
        return "cached" if (cache_dir() / f"{name}.npz").is_file() else "to fetch"
    except ImportError:  # without pooch nothing was ever fetched
        return "to fetch"
