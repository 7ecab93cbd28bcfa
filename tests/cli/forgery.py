"""Certificates and evidence changed on purpose."""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from stocmv.verify import WORDS


def reseal(path: Path, change: Callable[[dict], Any]) -> None:
    """Change what a certificate says, and write the digest that fits."""
    content = json.loads(path.read_text())
    words = content.pop(WORDS)
    content.pop("sha256")
    change(content)
    plain = json.dumps(content, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(plain.encode()).hexdigest()
    path.write_text(json.dumps({**content, "sha256": digest, WORDS: words}, indent=1))


def sealed(path: Path) -> dict:
    """What a certificate's digest is of."""
    content = json.loads(path.read_text())
    del content["sha256"], content[WORDS]
    return content


def repack(path: Path, change: Callable[[dict], Any]) -> None:
    """Change the arrays of an evidence file, and pack them as they were."""
    with np.load(path) as packed:
        arrays = {name: packed[name].copy() for name in packed.files}
    change(arrays)
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


def leaves(content: Any, place: tuple = ()) -> Iterator[tuple]:
    """Places of all values that hold no others, and of all empty lists."""
    if isinstance(content, dict | list) and content:
        for key in content if isinstance(content, dict) else range(len(content)):
            yield from leaves(content[key], (*place, key))
    else:
        yield place


def put(place: tuple, value: Any) -> Callable[[dict], None]:
    def change(content: Any) -> None:
        for key in place[:-1]:
            content = content[key]
        content[place[-1]] = value

    return change


def scale(factor: float, *place: Any) -> Callable[[dict], None]:
    def change(content: Any) -> None:
        for key in place[:-1]:
            content = content[key]
        content[place[-1]] *= factor

    return change
