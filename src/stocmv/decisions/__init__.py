"""Decisions on top of a vote, each with a certificate of its own: answer only when sure."""

from ._selective import (
    SelectiveVote,
    Tradeoff as Tradeoff,
    certify_selective as certify_selective,
    tradeoffs as tradeoffs,
)
from ._selective_certificate import SelectiveCertificate
from ._tally import ROOM as ROOM
from ._threshold_tests import NotCertified

__all__ = ["NotCertified", "SelectiveCertificate", "SelectiveVote"]
