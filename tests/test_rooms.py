"""The table of the rooms in CONTRIBUTING.md says what `make lint` checks."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROW = re.compile(r"^\| `(\w+)` \|.*\| ([^|]*) \|$", re.MULTILINE)


def contracts():
    rooms = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    return {contract["room"]: set(contract["may_import"]) for contract in rooms}


def test_the_table_lists_what_each_room_may_import():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    listed = {room: set(re.findall(r"`(\w+)`", allowed)) for room, allowed in ROW.findall(text)}
    assert listed == contracts()


def test_every_room_has_a_contract():
    package = ROOT / "src" / "stocmv"
    rooms = {path.stem for path in package.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert {room for room in rooms if not room.startswith("_")} == contracts().keys()
