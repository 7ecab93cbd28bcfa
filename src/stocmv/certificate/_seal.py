"""Certificates as files: JSON with a digest of its figures, and their words beside them."""

import hashlib
import json
import os
from typing import Any

from .._files import whole_file

WORDS = "words (not sealed: they follow from the figures)"


def sealed(figures: dict[str, Any], words: dict[str, Any], path: str | os.PathLike | None = None) -> str:
    """The figures and words as JSON text with the SHA-256 of the figures; also written atomically to ``path``."""
    canonical = json.dumps(figures, sort_keys=True, separators=(",", ":"), allow_nan=False)
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    text = json.dumps({**figures, "sha256": digest, WORDS: words}, indent=1, allow_nan=False)
    if path is not None:
        with whole_file(path) as file:
            file.write(text.encode())
    return text
