"""The certificate of a vote that answers only when it is sure."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from html import escape
from typing import Any

from ..certificate import (
    Monitor,
    Verification,
    confidence,
    percent,
    percent_down,
    sealed,
    tested_assumptions,
    verify_votes,
)
from ..verify import SELECTIVE_FORMAT, read_certificate
from ..votes import Votes


@dataclass(frozen=True)
class SelectiveCertificate:
    """An upper bound on the error among a vote's answers, and a lower bound on its coverage.

    Attributes
    ----------
    bound : float
        Bound on the error among the answers: the target itself if ``max_error`` was given. With folds, the share of
        errors and the share of answers are both averaged over the key, and this is a bound on their ratio.
    coverage : float
        Lower bound on the share of new examples that are answered. Both bounds hold at once with probability at least
        ``1 - delta``.
    thresholds : tuple of float
        For each fold: its vote answers if the winning class has at least this share of it; above 1 if it never answers.
    target : dict
        The target: ``max_error`` or ``min_coverage``.
    empirical_error, empirical_coverage : float
        Error among the answers, and coverage, on the judging examples.
    n, delta : int, float
        Number of judging examples (or groups), and the probability that either bound fails, at most.
    theorem, assumptions, warnings, unproven : str, tuple of str
        What the bounds rest on, as in `Certificate`.
    fold_sizes, fold_shares, grouped, posterior, posteriors, vote_digests, context
        As in `Certificate`.
    """

    bound: float
    coverage: float
    thresholds: tuple[float, ...]
    target: dict[str, float]
    empirical_error: float
    empirical_coverage: float
    n: int
    delta: float
    theorem: str
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...]
    unproven: tuple[str, ...]
    fold_sizes: tuple[int, ...]
    fold_shares: tuple[float, ...]
    grouped: bool
    posterior: str
    posteriors: tuple[dict[str, list[float]], ...]
    vote_digests: tuple[str, ...]
    context: dict[str, Any]

    def monitor(self, delta: float | None = None) -> Monitor:
        """A test, fed with labelled cases as they arrive, of whether the error among the answers still is within bound.

        Pass ``answered=vote.answers(X)`` to `Monitor.update`. The probability of a false alarm is at most ``delta`` (by
        default that of the certificate), however long it runs.
        """
        subject = hashlib.sha256("".join((*self.vote_digests, repr(self.thresholds))).encode()).hexdigest()
        return Monitor(self.bound, self.delta if delta is None else delta, grouped=self.grouped, subject=subject)

    @property
    def proven(self) -> bool:
        return not self.unproven

    def statement(self) -> str:
        """The certificate in two sentences."""
        if not self.proven:
            return (
                f"Not a certificate: {percent(self.bound)} uses parts without a proof "
                f"({', '.join(self.unproven)}). The error among the answers may exceed it more often than delta allows."
            )
        judges = f"{self.n:,} {'groups' if self.grouped else 'examples'}"
        on = "rows of new groups, each group counting the same," if self.grouped else "new examples"
        folds = len(self.fold_sizes)
        errs = f"errs on at most {percent(self.bound)}"
        # with folds, a ratio of averages is proven, not an average of ratios
        among = (
            f"times the share that it answers, both averaged over the key that shares them out among the {folds} folds"
            if folds > 1
            else "of those that it answers"
        )
        return (
            f"With probability at least {confidence(self.delta)} over the draw of the {judges} that judge it, the vote "
            f"answers at least {percent_down(self.coverage)} of {on} and {errs} {among}. {self.rule()}"
        )

    def rule(self) -> str:
        """When the vote answers, in words."""
        if not any(self.thresholds):
            return "It always answers."
        used = sorted({threshold for threshold in self.thresholds if threshold <= 1})
        low, high = f"{100 * used[0]:.0f} %", f"{100 * used[-1]:.0f} %"
        span = low if low == high else f"{low} to {high}, depending on the fold"
        silent = sum(threshold > 1 for threshold in self.thresholds)
        never = f" ({silent} of the folds never answer)" if silent else "," * (low != high)
        return f"It answers where the winning class has at least {span + never} of the vote."

    def notes(self) -> list[str]:
        """What the figures mean."""
        return [
            f"Measured on the judging {'groups' if self.grouped else 'examples'}: "
            f"{percent_down(self.empirical_coverage)} answered, {percent(self.empirical_error)} of the answers wrong.",
            "This is a separate statement: it holds together with the certificate of predict with probability at least "
            "one minus the sum of their deltas.",
        ]

    def __str__(self) -> str:
        """A short page: statement, figures, assumptions."""
        if not self.proven:
            return self.statement()
        page = [*(f"WARNING: {warning}" for warning in self.warnings), self.statement(), "", *self.notes()]
        return "\n".join([*page, f"Proof: {self.theorem}.", "It assumes:", *(f"- {text}" for text in self.assumptions)])

    def _repr_html_(self) -> str:
        """The page for a notebook."""
        if not self.proven:
            return f"<p><strong>{escape(self.statement())}</strong></p>"
        warnings = "".join(f"<p><strong>Warning: {escape(warning)}</strong></p>" for warning in self.warnings)
        assumptions = "".join(f"<li>{escape(assumption)}</li>" for assumption in self.assumptions)
        return (
            f"<div class='stocmv-certificate'>{warnings}<p><strong>{escape(self.statement())}</strong></p>"
            f"<p>{escape(' '.join(self.notes()))} Proof: {escape(self.theorem)}.</p><p>It assumes:</p>"
            f"<ul>{assumptions}</ul></div>"
        )

    def to_json(self, path: str | os.PathLike | None = None) -> str:
        """The certificate as JSON text; also written atomically to ``path``, if given."""
        return sealed({"format": SELECTIVE_FORMAT, "statement": self.statement(), **asdict(self)}, path)

    @classmethod
    def from_json(cls, path: str | os.PathLike) -> "SelectiveCertificate":
        """Read a file that `to_json` wrote; refuse it if it was changed since."""
        content, intact = read_certificate(path)
        if content["format"] != SELECTIVE_FORMAT:
            raise ValueError(f"{os.fspath(path)} is the certificate of predict: read it with Certificate.from_json.")
        if not intact.holds:
            raise ValueError(f"{os.fspath(path)} was changed after it was written: its sha256 does not fit.")
        values: dict[str, Any] = {f.name: content[f.name] for f in fields(cls)}
        return cls(**{name: tuple(v) if isinstance(v, list) else v for name, v in values.items()})  # type: ignore[arg-type]

    def verify(self, votes: Votes | Sequence[Votes]) -> Verification:
        """Recompute every figure and every word of the certificate from the votes, with independent code, and compare.

        Parameters
        ----------
        votes : Votes or list of Votes
            The votes, one entry per fold.
        """
        return verify_votes(self, [votes] if isinstance(votes, Votes) else list(votes))


def selective_theorem(n_folds: int, grouped: bool, by_coverage: bool) -> str:
    """The theorems behind the two bounds."""
    error, coverage = (
        ("the ratio test for the means of groups", "Bentkus's bound")
        if grouped
        else ("Clopper and Pearson's bound given the number of answers", "Clopper and Pearson's bound")
    )
    order = "delta shared among the thresholds" if by_coverage else "thresholds tested in fixed sequences"
    folds = f", for each of {n_folds} folds, which share delta" if n_folds > 1 else ""
    return f"{error}, {order}; {coverage} for the coverage{folds}"


def selective_assumptions(n_folds: int, grouped: bool) -> list[str]:
    """Assumptions of a selective vote's certificate."""
    fixed = "The target, the thresholds and delta were fixed before looking at these examples."
    return [*tested_assumptions(n_folds, grouped, priced=False)[:2], fixed]
