"""``stocmv certify --cluster``."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .._memory import check_fits
from ..cluster import PartitionedTable, connected, read_partitions
from ..progress import report
from ..protocols import is_test
from ..voters import Stumps
from ._audit import Settings
from ._kinds import HERE


@contextmanager
def on_cluster(address: str | None, jobs: int) -> Iterator[Any]:
    """The requested cluster for the duration of the block; None if none was requested."""
    if address is None:
        yield None
        return
    name = "starting workers" if address == HERE else "connecting"
    report(name, 0, 1)
    with connected(None if address == HERE else address, jobs if jobs > 0 else None) as client:
        report(name, 1, 1)
        yield client


def read_on_cluster(
    data: str, target: str | None, kind: str | None, drop: Sequence[str], group: str | None, settings: Settings
) -> PartitionedTable:
    """Examples that stay on the cluster; refused if the evidence for the certificate would not fit here."""
    if kind not in (None, "parquet"):
        raise ValueError(f"--cluster reads parquet files only, not {kind}.")
    table = read_partitions(data, target, drop, group=group)
    n_classes, stumps = len(table.class_counts), Stumps()
    if is_test(settings.bound):
        check_fits(table.n_rows * 8 * (n_classes + 4), "The file of judgments")
        return table
    pairs = min(stumps.n_pairs, n_classes * (n_classes - 1))
    voters = table.X.shape[1] * stumps.n_thresholds * pairs if settings.voters == "stumps" else settings.trees
    check_fits(table.n_rows * (voters // 8 + 2 + (voters if n_classes > 2 else 0)), "The file of votes")
    return table
