"""Certificates as files: JSON with a digest of its content."""

import hashlib
import json
import os
from typing import Any

from .._files import whole_file


def sealed(content: dict[str, Any], path: str | os.PathLike | None = None) -> str:
    """The content as JSON text with its SHA-256; also written atomically to ``path``, if given."""
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    text = json.dumps({**content, "sha256": digest}, indent=1, allow_nan=False)
    if path is not None:
        with whole_file(path) as file:
            file.write(text.encode())
    return text
