"""Draw the figures of the docstring examples without a screen, and close them."""

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _no_screen() -> Iterator[None]:
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    yield
    plt.close("all")
