"""How much may be read at once."""

import os


def free_memory() -> int:
    """Free memory in bytes, or 8 GiB if the system does not say."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 8 << 30


class TooLarge(ValueError):
    """Data do not fit into memory."""


def check_fits(n_bytes: int, what: str) -> None:
    """Refuse data that would not leave half of the free memory for learning."""
    if n_bytes > free_memory() // 2:
        raise TooLarge(f"{what} unpacks to {n_bytes / 2**30:.1f} GiB, more than half of the free memory.")
