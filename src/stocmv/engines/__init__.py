"""The same fit on a cluster: votes live on its workers, and only sums travel (extra ``dask``)."""

from ._cluster_votes import ClusterVotes
from ._connection import connected
from ._fit import fit_on_cluster
from ._predict import answer_on_cluster
from ._table import PartitionedTable, read_partitions
from ._training import Shared

__all__ = [
    "ClusterVotes",
    "PartitionedTable",
    "Shared",
    "answer_on_cluster",
    "connected",
    "fit_on_cluster",
    "read_partitions",
]
