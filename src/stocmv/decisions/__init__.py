"""Decisions on top of a vote, each with a certificate of its own: answer only when sure, thresholds on scores."""

from ._class_weights import ClassWeightVote, certify_class_weights as certify_class_weights
from ._roc import RocBand, RocPoint, roc_band as roc_band
from ._scored_class import best_other as best_other
from ._selective import (
    SelectiveVote,
    Tradeoff as Tradeoff,
    certify_selective as certify_selective,
    tradeoffs as tradeoffs,
)
from ._selective_certificate import SelectiveCertificate
from ._selective_classes import ClassSelectiveCertificate, certify_selective_classes as certify_selective_classes
from ._tally import ROOM as ROOM
from ._threshold import ThresholdVote, certify_threshold as certify_threshold
from ._threshold_certificate import ThresholdCertificate
from ._threshold_tests import NotCertified

__all__ = [
    "ClassSelectiveCertificate",
    "ClassWeightVote",
    "NotCertified",
    "RocBand",
    "RocPoint",
    "SelectiveCertificate",
    "SelectiveVote",
    "ThresholdCertificate",
    "ThresholdVote",
]
