from pathlib import Path

import pytest


def pytest_collection_modifyitems(items):
    """Of thousands of fits to exchangeable examples some warn of their order by chance, at the level that is stated."""
    by_chance = pytest.mark.filterwarnings("ignore::stocmv.OrderWarning")
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(by_chance)
