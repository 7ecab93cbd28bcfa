"""The same fit on a cluster: votes stay on its workers, and only sums are transferred (extra ``dask``)."""

from ._cluster_votes import ClusterVotes as ClusterVotes
from ._connection import connected as connected, is_dask as is_dask
from ._examples import ClusterExamples as ClusterExamples
from ._predict import answer_on_cluster as answer_on_cluster, by_partition as by_partition
from ._table import PartitionedTable as PartitionedTable, read_partitions as read_partitions
from ._training import Shared

__all__ = ["Shared"]
