"""Votes that answer only when they are sure, with bounds on the error among the answers and on the coverage."""

from ._certificate import SelectiveCertificate
from ._procedure import NotCertified
from ._tally import ROOM as ROOM
from ._vote import (
    SelectiveVote,
    Tradeoff as Tradeoff,
    certify_selective as certify_selective,
    tradeoffs as tradeoffs,
)

__all__ = ["NotCertified", "SelectiveCertificate", "SelectiveVote"]
