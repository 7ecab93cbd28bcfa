import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True, scope="package")
def one_thread():
    """As in a run: small problems are solved faster, and to the same bits."""
    with threadpool_limits(1, user_api="blas"):
        yield
