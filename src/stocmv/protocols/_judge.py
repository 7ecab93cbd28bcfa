"""Ask a vote about examples that had no part in making it."""

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..certificate import Judgments
from ..checks import hash_rows
from ..posteriors import Posterior
from ..voters import VoterSet, check_alone
from ..votes import ScoreMatrix, VoteMatrix, check_classes, code_dtype
from ._recipe import FoldVote
from ._rule import Reply

ROW_KEY = b"evidence"  # of the row hashes in the evidence
_PANEL = 100  # voters of which every two are compared


def judge(
    vote: FoldVote,
    X: Any,
    truth: NDArray,
    groups: NDArray | None,
    classes: NDArray,
    *,
    stochastic: bool,
    panel: bool = False,
) -> Judgments:
    """The judgments of examples about a vote: what `predict` answers, with the scores of the classes.

    ``panel`` if what each voter answers is to be certified too.
    """
    if panel and not 2 <= vote.voters.n_voters <= _PANEL:
        raise ValueError(f"panel=True needs 2 to {_PANEL} voters, got {vote.voters.n_voters:,}.")
    posterior = cast(Posterior, vote.posterior)
    reply = vote.rule.ask(vote.voters, posterior, X, len(classes))
    loss = vote.rule.losses(reply, posterior, truth, classes) if stochastic else None
    # a stack adds nothing but what it computes from the others, whose rounding it may enlarge
    asked = slice(None, vote.voters.n_voters - vote.stacked)
    if vote.rule.answers_itself(vote.voters):
        check_alone(
            lambda row: _answers_and_probabilities(vote.rule.ask(vote.voters, posterior, row, len(classes))),
            X,
            _answers_and_probabilities(reply),
        )
    else:
        check_alone(lambda row: vote.rule.votes(vote.voters, row, len(classes))[:, asked], X, reply.votes[:, asked])
    return Judgments(
        classes=check_classes(classes),
        truth=truth.astype(code_dtype(len(classes)), copy=False),
        answer=reply.answers.astype(code_dtype(len(classes))),
        fold=np.zeros(len(truth), np.uint8),
        scores=np.minimum(reply.scores, 1.0).astype(float, copy=False),  # weights may sum to slightly more
        loss=loss,
        group=groups,
        silent=reply.silent,
        row=hash_rows(X, ROW_KEY),
        votes=reply.votes.astype(code_dtype(len(classes) + 1)) if panel else None,
        voters=np.array(_names(vote.voters)) if panel else None,
    )


def _answers_and_probabilities(reply: Reply) -> NDArray:
    """The probabilities of a model and its answers, which need not follow from them."""
    answers = np.eye(reply.votes.shape[2])[reply.answers]
    return np.concatenate([reply.votes, answers[:, None]], axis=2)


def _names(voters: VoterSet) -> list[str]:
    return [str(name) for name in voters.names] or [f"voter {j + 1}" for j in range(voters.n_voters)]


def judging_votes(vote: FoldVote, X: Any, truth: NDArray, classes: NDArray) -> VoteMatrix | ScoreMatrix:
    """The votes on judging examples, of voters that answer each example in the same way alone."""
    said = vote.rule.votes(vote.voters, X, len(classes))
    check_alone(lambda row: vote.rule.votes(vote.voters, row, len(classes)), X, said)
    return vote.rule.packed(said, truth, classes)
