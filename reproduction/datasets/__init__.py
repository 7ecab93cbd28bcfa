"""The paper's public data sets: fetched, read and checked."""

from ._download import DownloadError
from ._listing import KnownSet, known_sets
from ._load import fetch, load
from ._places import cache_dir
from ._registry import PUBLIC, PublicSet

__all__ = ["PUBLIC", "DownloadError", "KnownSet", "PublicSet", "cache_dir", "fetch", "known_sets", "load"]
