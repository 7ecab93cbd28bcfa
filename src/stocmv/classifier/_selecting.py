"""The method `selective`: answer only when sure."""

import copy
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from ..certificate import Certificate
from ..engines import answer_on_cluster, is_dask
from ..learning import check_silence, mean_weights
from ..posteriors import Posterior
from ..selective import SelectiveVote, certify_selective
from ..voters import VoterSet
from ..votes import Votes, heaviest
from ._answers import assigned_folds


class Selecting:
    """Mixin that gives a fitted vote, of one or several folds, the method `selective`."""

    classes_: NDArray
    votes_: list[Votes]
    posterior_: list[Posterior]
    certificate_: Certificate
    key_: bytes | None
    voters_: list[VoterSet]

    def selective(
        self,
        max_error: float | None = None,
        *,
        min_coverage: float | None = None,
        delta: float | None = None,
        unanswered: Any = None,
    ) -> SelectiveVote:
        """Return the same vote, answering only when it is sure, with a certificate of its own.

        It answers if the winning class has at least a threshold's share of the vote. The thresholds, one per fold, are
        chosen on the stored votes of the judging examples, and the error among the answers and the coverage are
        certified on them too; nothing is retrained.

        Parameters
        ----------
        max_error : float
            Error among the answers to certify, with as many answers as possible.
        min_coverage : float
            Alternatively, the coverage to certify, with as few errors as possible.
        delta : float, optional
            Probability that the bound on the error or the one on coverage fails, at most; by default that of the vote.
        unanswered : object
            What `SelectiveVote.predict` returns for an example that it does not answer.

        Raises
        ------
        NotCertified
            If the target cannot be certified; the message says what can.
        """
        check_is_fitted(self)
        certificate = certify_selective(
            self.votes_,
            self.posterior_,
            self.certificate_,
            max_error=max_error,
            min_coverage=min_coverage,
            delta=delta,
        )
        return SelectiveVote(self, certificate, unanswered)

    def _kept(self) -> Self:
        """The same vote without its votes; it stays what it is when this one is fitted or edited.

        Voters are shared, as `fit` makes new ones and changes none.
        """
        check_is_fitted(self)
        kept = copy.copy(self)
        vars(kept).pop("votes_", None)
        kept.voters_, kept.posterior_ = list(self.voters_), copy.deepcopy(self.posterior_)
        kept.classes_ = self.classes_.copy()
        return kept

    def _sure_answers(self, X: Any, least: Sequence[float]) -> tuple[NDArray, NDArray]:
        """Codes of the answers, and whether the winning class reaches the fold's threshold.

        If the folds disagree about either, one of them answers, as in `predict`.
        """
        X = self._checked(X)
        codes = self._codes(X)
        check_silence(codes, len(self.classes_), self.certificate_)
        each = [mean_weights(p, c, len(self.classes_)) for p, c in zip(self.posterior_, codes, strict=True)]
        answers, sure = (
            np.stack([heaviest(w) for w in each]),
            np.stack([w.max(1) >= share for w, share in zip(each, least, strict=True)]),
        )
        split = np.flatnonzero((answers != answers[0]).any(0) | (sure != sure[0]).any(0))
        folds = np.zeros(answers.shape[1], np.intp)
        if len(split) and self.key_ is not None:
            shares = np.array(self.certificate_.fold_shares)
            folds[split] = assigned_folds(_safe_indexing(X, split), shares, self.key_)
        rows = np.arange(answers.shape[1])
        return answers[folds, rows], sure[folds, rows]

    def _asked_on_cluster(self, vote: SelectiveVote, method: str, X: Any, dtype: type) -> Any:
        """Answers of a vote to examples on a cluster; None if the examples are not on one."""
        return answer_on_cluster(vote, method, X, dtype=dtype) if is_dask(X) else None

    def _checked(self, X: Any) -> Any:
        raise NotImplementedError

    def _codes(self, X: Any) -> list[NDArray]:
        raise NotImplementedError
