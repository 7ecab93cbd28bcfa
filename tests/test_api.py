"""The public names, which the API page lists."""

import importlib
import pkgutil
import re
from pathlib import Path

import stocmv

PAGE = Path(__file__).parents[1] / "docs" / "api.md"
ROOMS = {module.name for module in pkgutil.iter_modules(stocmv.__path__) if not module.name.startswith("_")}


def public_names():
    modules = [stocmv, *(importlib.import_module(f"stocmv.{room}") for room in ROOMS)]
    return {name for module in modules for name in getattr(module, "__all__", ())} - ROOMS


def test_the_page_lists_what_is_public_and_nothing_else():
    assert set(re.findall(r"^   (\w+)$", PAGE.read_text(), re.MULTILINE)) == public_names()


def test_every_listed_name_is_there_and_explained():
    for room in ["stocmv", *(f"stocmv.{room}" for room in ROOMS)]:
        module = importlib.import_module(room)
        assert all(getattr(module, name).__doc__ for name in getattr(module, "__all__", ()))
