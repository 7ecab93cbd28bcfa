"""`Certificate.verify`: passes the certificate's JSON and the votes to `stocmv.verify`."""

from collections.abc import Sequence
from typing import Any, Protocol

from ..posteriors import Posterior
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
from ..votes import Digest, PartitionedVotes, Votes, ask
from ._precise import precise_checks


class Written(Protocol):
    """A certificate, of `predict` or of a selective vote."""

    @property
    def posteriors(self) -> tuple[dict[str, list[float]], ...]: ...
    @property
    def vote_digests(self) -> tuple[str, ...]: ...

    def to_json(self, path: None = None) -> str: ...


def check_same_vote(
    certificate: Written, posteriors: Sequence[Posterior], votes: Sequence[Votes] | None = None
) -> None:
    """Refuse weights, or votes, that the certificate is not about."""
    weights = tuple({name: values.tolist() for name, values in p.parameters().items()} for p in posteriors)
    if weights != certificate.posteriors:
        raise ValueError("The posterior is not the one that the certificate is about: take both from the same fit.")
    if votes is not None and tuple(ask((v, Digest()) for v in votes)) != certificate.vote_digests:
        raise ValueError(
            "The votes are not those that the certificate is about, as their digests differ: take both from the same "
            "fit, or load the votes that were saved with the certificate."
        )


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
