import json
from functools import cache

import pytest

from reproduction.figures import FIGURES


@pytest.fixture(autouse=True)
def no_screen():
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    plt.close("all")  # what other tests left
    yield
    assert plt.get_fignums() == []  # figures are handed over, and never kept by pyplot


@cache
def _rows(name):
    rows = [row for settings in FIGURES[name].units(quick=True) for row in FIGURES[name].compute(settings, seed=0)]
    return json.loads(json.dumps(rows, allow_nan=False))


@pytest.fixture(scope="session")
def quick_rows():
    """The rows of a quick run, as they come back from a file; computed once."""
    return _rows
