"""The same fit on a cluster: votes live on its workers, and only sums travel (extra ``dask``)."""

from ._cluster_votes import ClusterVotes as ClusterVotes
from ._fit import fit_on_cluster as fit_on_cluster
from ._predict import answer_on_cluster as answer_on_cluster
from ._training import Shared

__all__ = ["Shared"]
