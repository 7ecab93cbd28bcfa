"""Ask a vote about examples that had no part in making it."""

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..certificate import Judgments
from ..checks import hash_rows
from ..learning import mean_weights
from ..posteriors import Posterior, WeightedPosterior
from ..risks import error_rows
from ..voters import VoterSet, check_alone, checked_codes
from ..votes import VoteMatrix, check_classes, code_dtype, heaviest
from ._recipe import FoldVote

ROW_KEY = b"evidence"  # of the row hashes in the evidence


def judge(
    vote: FoldVote, X: Any, truth: NDArray, groups: NDArray | None, classes: NDArray, *, stochastic: bool
) -> Judgments:
    """The judgments of examples about a vote: what `predict` answers, with the scores of the classes."""
    answers, posterior = vote.voters.codes(X), cast(Posterior, vote.posterior)
    codes = checked_codes(answers, vote.voters.n_voters, len(classes))
    scores = mean_weights(posterior, codes, len(classes))
    silent = (codes == len(classes)).all(1) if codes.max(initial=0) == len(classes) else None
    loss = None
    if stochastic:
        _check_has_loss(posterior, abstains=silent is not None)
        loss = error_rows(cast(WeightedPosterior, posterior), VoteMatrix.from_codes(answers, truth, classes))
    check_alone(vote.voters, X, answers)
    return Judgments(
        classes=check_classes(classes),
        truth=truth.astype(code_dtype(len(classes)), copy=False),
        answer=heaviest(scores).astype(code_dtype(len(classes))),
        fold=np.zeros(len(truth), np.uint8),
        scores=np.minimum(scores, 1.0),  # weights may sum to slightly more
        loss=loss,
        group=groups,
        silent=silent,
        row=hash_rows(X, ROW_KEY),
    )


def judging_votes(voters: VoterSet, X: Any, truth: NDArray, classes: NDArray) -> VoteMatrix:
    """The votes on judging examples, of voters that answer each example in the same way alone."""
    answers = voters.codes(X)
    votes = VoteMatrix.from_codes(answers, truth, classes)
    check_alone(voters, X, answers)
    return votes


def _check_has_loss(posterior: Posterior, *, abstains: bool) -> None:
    if abstains and posterior.law != "dirichlet":
        raise ValueError(
            f"stochastic=True and posterior {posterior.name!r}, which draws a single voter, that may not answer: with "
            "voters that abstain use risk='exact' and a Dirichlet posterior."
        )
