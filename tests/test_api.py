"""The public names, which the API page lists."""

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

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


def test_every_listed_name_has_an_example():
    """The examples run with the tests of the docstrings."""
    examples_in = doctest.DocTestParser().get_examples
    for room in ["stocmv", *(f"stocmv.{room}" for room in ROOMS)]:
        module = importlib.import_module(room)
        names = set(getattr(module, "__all__", ())) - ROOMS
        assert {name for name in names if not examples_in(getattr(module, name).__doc__)} == set(), room


def test_names_are_imported_when_they_are_used():
    assert set(stocmv.__all__) <= set(dir(stocmv))
    assert all(getattr(stocmv, name) is not None for name in stocmv.__all__)
    with pytest.raises(AttributeError, match="module 'stocmv' has no attribute 'forest'"):
        stocmv.forest  # noqa: B018


def test_the_command_line_starts_without_scikit_learn():
    pytest.importorskip("click", reason="needs the extra cli")
    code = "import sys, stocmv.cli._main; print(*{'numba', 'pandas', 'scipy', 'sklearn'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"
