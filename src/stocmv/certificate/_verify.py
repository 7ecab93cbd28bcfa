"""`Certificate.verify`: passes the certificate's JSON and the votes to `stocmv.verify`."""

from collections.abc import Sequence
from typing import Any, Protocol

from ..verify import (
    SELECTIVE_FORMAT,
    Check,
    Fold,
    Refused,
    Verification,
    fold_of,
    parse_certificate,
    verify as check_all,
)
from ..votes import PartitionedVotes, Votes
from ._precise import precise_checks


class Written(Protocol):
    """A certificate, of `predict` or of a selective vote."""

    def to_json(self, path: None = None) -> str: ...


def verify_votes(certificate: Written, votes: Sequence[Votes], precise: float = 0.0, seed: int = 0) -> Verification:
    """Check every figure of a certificate against the votes, and a share of the rows at thirty digits."""
    try:
        content, intact = parse_certificate(certificate.to_json().encode())
    except (ValueError, TypeError) as error:
        return Verification((Check("form", str(error), "not allowed", False),))
    try:
        folds = [_fold(v) for v in votes]
    except Refused as error:
        return Verification((Check("votes", content["vote_digests"], str(error), False),))
    return verify_content(content, intact, folds, precise, seed)


def verify_content(
    content: dict[str, Any], intact: Check, folds: Sequence[Fold], precise: float, seed: int
) -> Verification:
    """Check the content of a certificate, and a share of the rows at thirty digits."""
    found = check_all(content, intact, folds)
    # no thirty digits for figures that already fail, nor for a selective vote, which has only counts
    if not found or precise <= 0 or content["format"] == SELECTIVE_FORMAT:
        return found
    checks = (*found.checks, *precise_checks(content, folds, precise, seed))
    return Verification(checks, found.statement, found.unchecked)


def _fold(votes: Votes) -> Fold:
    here = votes.collect()
    if isinstance(here, PartitionedVotes):
        return fold_of([part.whole()._arrays() for part in here.parts], divided=True)
    return fold_of([here.whole()._arrays()])
