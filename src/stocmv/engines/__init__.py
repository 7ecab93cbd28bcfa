"""The same fit on a cluster: votes live on its workers, and only sums travel (extra ``dask``)."""

from ._cluster_votes import ClusterVotes
from ._fit import fit_on_cluster
from ._predict import answer_on_cluster
from ._training import Shared

__all__ = ["ClusterVotes", "Shared", "answer_on_cluster", "fit_on_cluster"]
