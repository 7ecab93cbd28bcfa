"""Print the lowest versions that pyproject.toml allows, as constraints for pip."""

import re
import tomllib
from itertools import chain
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
for requirement in chain(project["dependencies"], *project["optional-dependencies"].values()):
    if floor := re.fullmatch(r"([\w-]+)(?:\[.*\])?>=([\w.]+).*", requirement):
        print(f"{floor[1]}=={floor[2]}")
