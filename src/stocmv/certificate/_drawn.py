"""Certificates of one drawn vote: the density of the posterior relative to the prior is the price of learning."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..bounds import Seeger, check_delta
from ..posteriors import Dirichlet, Posterior
from ..special import kl_inverse
from ..verify import Check, Refused, Verification, verify_drawn
from ..votes import VoteMatrix, Votes, doubt
from ._certificate import Certificate
from ._claims import claim
from ._class_losses import class_losses
from ._pac_bayes import PacBayesCertificate, checked_fold
from ._percent import confidence, percent
from ._tables import Row, Table
from ._words import SAME_DISTRIBUTION, counted, rule

_TIE = 1e-10  # a lead of the true class by less, relative to both weights, counts as an error
_ROUND_UP = 1 + 1e-14


@dataclass(frozen=True, kw_only=True)
class DrawnCertificate(Certificate):
    """An upper bound on the error of one vote, whose weights were drawn once from a learned posterior.

    The bound of a `PacBayesCertificate` on the stochastic vote is on the average over draws. This one is on the vote
    that was drawn, and it holds with probability at least ``1 - delta`` over the examples and the draw. If several
    votes are drawn and one is kept, each needs ``delta`` divided by their number.

    Attributes
    ----------
    bound : float
        Bound on the error of the drawn vote.
    empirical_risk : float
        Its error on the judging examples (of its fold); ties count as errors.
    log_ratio : float
        Logarithm of the posterior's density relative to the prior at the drawn weights, in nats: what the KL is for the
        average over draws.
    fold : int
        The fold whose voters vote. With folds it is drawn too, and only its examples judge the vote.
    log_weights : tuple of float
        Logarithms of the drawn weights; of the sums over blocs, if voters that answer alike were merged.
    posterior, posteriors, priors, alternatives : str, tuple, tuple, int
        As in `PacBayesCertificate`.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from stocmv import MajorityVoteClassifier
    >>> X, y = make_moons(400, noise=0.2, random_state=0)
    >>> clf = MajorityVoteClassifier("stumps", bound="seeger", random_state=0).fit(X, y)
    >>> certificate = clf.draw(random_state=0).certificate_
    >>> certificate.empirical_risk < certificate.bound < 0.5
    True
    >>> bool(certificate.verify(clf.evidence_))
    True
    """

    format: ClassVar[str] = "stocmv drawn certificate 1"
    risk: ClassVar[str] = "exact"

    alternatives: int
    fold: int
    posterior: str
    posteriors: tuple[dict[str, list[float]], ...]
    priors: tuple[dict[str, list[float]], ...]
    log_weights: tuple[float, ...]

    @property
    def empirical_risk(self) -> float:
        return self.figures["error"]["empirical_risk"]

    @property
    def log_ratio(self) -> float:
        return self.figures["error"]["log_ratio"]

    @property
    def theorem(self) -> str:
        return "Seeger's bound for one draw (disintegrated), with Maurer's constant"

    @property
    def subject(self) -> str:
        return "the drawn vote"

    @property
    def rule(self) -> str:
        of = "the voters of a drawn fold" if len(self.fold_sizes) > 1 else "the voters"
        return rule(f"the vote of {of} with weights that were drawn once", 1, self.abstains)

    @property
    def made_and_judged(self) -> str:
        return ""

    def statement(self) -> str:
        """The certificate in two sentences."""
        if not self.proven:
            return super().statement()
        drawn = "fold and weights" if len(self.fold_sizes) > 1 else "weights"
        examples = counted(self.n, "example")
        return (
            f"With probability at least {confidence(self.delta)} over the draw of the {examples} that taught and "
            f"judged it, and over the draw of its {drawn}, {self.subject} errs on at most "
            f"{percent(self.bound)} of new examples. This is for one draw: of several, the best one is not covered."
        )

    def tables(self) -> list[Table]:
        place = "figures.error"
        row = Row("drawn vote", self.bound, f"{place}.bound", self.empirical_risk, f"{place}.empirical_risk")
        return [Table(self.measure, "at most", (row,))]

    def _remarks(self) -> list[str]:
        return []

    def _notes(self) -> list[str]:
        judges = f"Its judges are the {counted(self.fold_sizes[self.fold], 'example')} of its fold."
        return [
            *([judges] if len(self.fold_sizes) > 1 else []),
            "This is a separate statement: it holds together with the certificate of predict with probability at least "
            "one minus the sum of their deltas.",
        ]

    def _proof(self) -> str:
        return f"{super()._proof()} Logarithm of the density ratio: {self.log_ratio:.2f} nats."

    def _assumptions(self) -> list[str]:
        several = len(self.fold_sizes) > 1
        of = "the examples of that fold, and the folds were drawn without looking at the examples"
        return [
            SAME_DISTRIBUTION,
            f"The voters and the prior{' of each fold' * several} were chosen without looking at "
            f"{of if several else 'these examples'}.",
            "Delta was fixed before looking at these examples.",
            f"The weights{' and the fold' * several} were drawn once, at random, after the posterior was fixed. If "
            "several votes are drawn and one is kept, delta has to be divided by their number.",
        ]

    def _subject(self) -> str:
        return f"{''.join(self.evidence)}{self.fold}{self.log_weights!r}"

    def verify(self, evidence: Votes | Sequence[Votes]) -> Verification:
        """Recompute every figure of the certificate from the votes, with independent code, and compare.

        Parameters
        ----------
        evidence : Votes or list of Votes
            The votes, one entry per fold: ``clf.evidence_``.
        """
        given = [evidence] if isinstance(evidence, Votes) else list(evidence)
        if not all(isinstance(votes, Votes) for votes in given):
            raise TypeError("evidence must be the votes that the weights were learned on.")

        def check(content: dict[str, Any], intact: Check) -> Verification:
            try:
                return verify_drawn(content, intact, [checked_fold(votes) for votes in given])
            except Refused as error:
                return Verification((Check("votes", content["evidence"], str(error), False),))

        return self._checked_by(check)


def certify_drawn(
    certificate: Certificate,
    evidence: Any,
    posterior: Posterior,
    fold: int,
    weights: NDArray,
    log_weights: NDArray,
    delta: float | None = None,
) -> DrawnCertificate | None:
    """Certify one vote that was drawn from the posterior of a PAC-Bayes certificate.

    Parameters
    ----------
    certificate : Certificate
        That of the vote; with another kind than a `PacBayesCertificate` nothing is certified here.
    evidence : list of Votes or None
        The votes of all folds.
    posterior, fold : Posterior, int
        The posterior that was drawn from, and its fold.
    weights, log_weights : ndarray
        What `Posterior.drawn_vote` returned.
    delta : float, optional
        Probability that the bound fails, at most; by default the certificate's.

    Returns
    -------
    DrawnCertificate or None
        None if the density ratio is not known, the voters answer with probabilities, or there are no votes.
    """
    if delta is not None:
        check_delta(delta)
    priors = certificate.paid_priors()
    if not isinstance(certificate, PacBayesCertificate) or not isinstance(posterior, Dirichlet):
        return None
    if certificate.is_soft or not priors or evidence is None:
        return None
    if certificate.posteriors[fold] != {name: values.tolist() for name, values in posterior.parameters().items()}:
        raise ValueError("posterior_ is not the one that certificate_ is about: take both from the same fit.")
    if [votes.digest() for votes in evidence] != list(certificate.evidence):
        raise ValueError("evidence_ is not what certificate_ is about: take both from the same fit.")
    delta = certificate.delta if delta is None else delta
    paid_for = claim("drawn vote", delta, {"parts for priors": certificate.alternatives})
    (losses,) = class_losses([partial(_lost, weights)], [evidence[fold]])
    log_ratio, n = posterior.certified_log_ratio(priors[fold], log_weights), evidence[fold].n_examples
    price = max(log_ratio + Seeger().price([n], paid_for.delta), 0.0)
    bound = float(kl_inverse(losses.mean, price / n * _ROUND_UP))
    return DrawnCertificate(
        figures={"error": {"empirical_risk": losses.mean, "bound": bound, "log_ratio": log_ratio}},
        delta=delta,
        claims=(paid_for,),
        fold=fold,
        log_weights=tuple(log_weights.tolist()),
        **{name: getattr(certificate, name) for name in _SHARED},
    )


_SHARED = (
    *("n", "grouped", "fold_sizes", "fold_shares", "has_one_voter", "covers_drawn", "abstains", "evidence"),
    *("unproven", "further_assumptions", "warnings", "protocol", "context"),
    *("alternatives", "posterior", "posteriors", "priors"),
)


def _lost(weights: NDArray, votes: VoteMatrix) -> NDArray:
    """1 where the true class does not lead by more than rounding may decide, otherwise 0."""
    if votes.labels is None or votes.targets is None:
        own, rival = votes.right_weights(weights), votes.wrong_weights(weights)
    else:
        each, rows = votes.class_weights(weights), np.arange(votes.n_rows)
        own = each[rows, votes.targets]
        each[rows, votes.targets] = 0.0
        rival = each.max(1)
    return (own - rival <= (_TIE + doubt(votes.n_voters)) * (own + rival)).astype(float)
