"""The certificate itself."""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from html import escape
from typing import Any

from .._files import whole_file
from ..bounds import clopper_pearson
from ..verify import Verification, read_certificate
from ..votes import Votes
from ._holdout import HoldoutComparison, count_holdout_errors
from ._percent import confidence, percent

_FORMAT = "stocmv certificate 1"
_HEADER = "error on new examples"


@dataclass(frozen=True)
class Certificate:
    """A proven upper bound on the error of a learned vote, with all that is needed to check it.

    Attributes
    ----------
    bound : float
        On the stochastic vote (a fold is drawn, then weights from its posterior); on the weighted vote for the
        classical risks with a categorical posterior.
    deterministic_bound : float
        On the fixed vote that `deterministic_rule` describes.
    empirical_risk : float
        The mean over the examples that `bound` is computed from, rounded up: of the losses of the risk, which for the
        classical risks are not errors of the vote; folds, and classes within folds, count as the bound asks.
    kl : float
        Divergence of the posterior from the prior, summed over the folds, in nats.
    n, delta : int, float
        Number of examples, and the probability with which the bound may fail.
    risk, theorem, assumptions : str, str, tuple of str
        Name of the risk, the theorem that the bound rests on, and all that it assumes.
    proven : bool
        Whether the claim of every part (risk, posterior, bound, voters) is proven; if not, this is no certificate, and
        ``unproven`` names the parts.
    covers_drawn : bool
        Whether `bound` also holds for votes with drawn weights. Otherwise it is on the weighted vote alone.
    warnings : tuple of str
        What was seen in the examples that casts doubt on an assumption.
    posterior, posteriors, priors : str, tuple, tuple
        Kind of distribution, and its parameters for each fold.
    votes : tuple of str
        SHA-256 of the votes of each fold.
    fixed_vote : dict
        What `deterministic_bound` rests on: margin, scale of the concentrations, and the figures found with them.
    alternatives : int
        Number of priors that were tried; each had an equal share of delta.
    context : dict
        Where the certificate comes from: versions, seeds, voters, sizes.
    per_class : tuple of dict
        Bounds on the error given each true class, where they were asked for; they hold for all classes at once.
    """

    bound: float
    moments: tuple[float, ...]
    kl: float
    n: int
    delta: float
    risk: str
    risk_settings: dict[str, Any]
    bound_settings: dict[str, Any]
    theorem: str
    unproven: tuple[str, ...]
    certified: str
    covers_drawn: bool
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...]
    fold_sizes: tuple[int, ...]
    posterior: str
    posteriors: tuple[dict[str, list[float]], ...]
    priors: tuple[dict[str, list[float]], ...]
    votes: tuple[str, ...]
    deterministic_bound: float
    deterministic_rule: str
    fixed_vote: dict[str, float]
    per_class: tuple[dict[str, Any], ...]
    alternatives: int
    context: dict[str, Any]

    @property
    def proven(self) -> bool:
        return not self.unproven

    @property
    def has_one_voter(self) -> bool:
        """Whether each fold has a single voter, so that there is but one vote and one figure."""
        return all(len(next(iter(parameters.values()))) == 1 for parameters in self.posteriors)

    @property
    def empirical_risk(self) -> float:
        return self.moments[0]

    def statement(self) -> str:
        """The certificate in one sentence."""
        if not self.proven:
            return (
                f"Not a certificate: {percent(self.bound)} was computed with what is not proven "
                f"({', '.join(self.unproven)}). The error may exceed it more often than delta allows."
            )
        return (
            f"With probability at least {confidence(self.delta)} over the draw of the {self.n:,} examples, "
            f"{self.certified} is at most {percent(self.bound)} on new examples."
        )

    def figures(self, *, per_class: bool = True) -> list[tuple[str, str, str]]:
        """What is promised, line by line: of which vote, at most how much, and from which empirical risk."""
        first = "weighted vote" if self.posterior == "categorical" else "drawn vote"
        alone = "only voter" if len(self.fold_sizes) == 1 else "voter of a drawn fold"
        names = [alone] if self.has_one_voter else [first] if first == "weighted vote" else [first, "fixed vote"]
        lines = _lines("", names, self.bound, self.deterministic_bound, self.empirical_risk)
        for c in self.per_class if per_class else ():
            title = f"class {c['label']} ({c['n']:,} examples), "
            lines += _lines(title, names, c["bound"], c["deterministic_bound"], c["empirical_risk"])
        return lines

    def notes(self) -> list[str]:
        """What the figures mean."""
        stated = [] if self.has_one_voter and len(self.fold_sizes) == 1 else [f"Fixed vote: {self.deterministic_rule}."]
        if not self.per_class:
            return [*stated, "Each line holds with that probability."]
        votes = "" if self.has_one_voter else " for each of the two votes"
        return [*stated, f"Each line holds with that probability; those of the classes hold all at once{votes}."]

    def __str__(self) -> str:
        """A short page: statement, figures, assumptions."""
        if not self.proven:
            return self.statement()
        width = max(len(_HEADER), *(len(name) for name, _, _ in self.figures()))
        page = [
            self.statement(),
            *(f"WARNING: {warning}" for warning in self.warnings),
            "",
            f"{_HEADER:{width + 2}}{'at most':>9}{'empirical risk':>16}",
            *(f"{name:{width + 2}}{bound:>9}{risk:>16}" for name, bound, risk in self.figures()),
            "",
            *self.notes(),
            f"Proof: {self.theorem}. Divergence from the prior: {self.kl:.2f} nats.",
            "It assumes:",
            *(f"- {assumption}" for assumption in self.assumptions),
        ]
        return "\n".join(page)

    def _repr_html_(self) -> str:
        """The page for a notebook."""
        if not self.proven:
            return f"<p><strong>{escape(self.statement())}</strong></p>"
        rows = "".join(
            f"<tr><th scope='row' style='text-align:left'>{escape(name)}</th><td>{bound}</td><td>{risk}</td></tr>"
            for name, bound, risk in self.figures()
        )
        warnings = "".join(f"<p><strong>Warning: {escape(warning)}</strong></p>" for warning in self.warnings)
        assumptions = "".join(f"<li>{escape(assumption)}</li>" for assumption in self.assumptions)
        notes = " ".join(escape(note) for note in self.notes())
        return (
            f"<div class='stocmv-certificate'><p><strong>{escape(self.statement())}</strong></p>{warnings}"
            f"<table><thead><tr><th style='text-align:left'>{_HEADER}</th><th>at most</th>"
            f"<th>empirical risk</th></tr></thead><tbody>{rows}</tbody></table>"
            f"<p>{notes} Proof: {escape(self.theorem)}. "
            f"Divergence from the prior: {self.kl:.2f} nats.</p><p>It assumes:</p><ul>{assumptions}</ul></div>"
        )

    def compare_holdout(
        self, estimator: Any, X: Any, y: Any, *, share: float = 0.2, random_state: Any = 0
    ) -> "HoldoutComparison":
        """Compare with what the same examples give when some are held out.

        A clone of the estimator is trained on the rest, its errors on the part held out are counted, and Clopper and
        Pearson's bound is taken at the certificate's delta.

        Parameters
        ----------
        estimator : scikit-learn classifier
            What one would train otherwise, for example the same forest; not a vote of this package, which would set
            some of its examples aside once more.
        X, y : array-like
            The examples that the certificate was made from.
        share : float
            Part of the examples that is held out.
        random_state : int, RandomState or None
            Seed of the split.
        """
        n_errors, n_holdout = count_holdout_errors(estimator, X, y, share, random_state)
        return self.compare_errors(n_errors, n_holdout)

    def compare_errors(self, n_errors: int, n_holdout: int) -> "HoldoutComparison":
        """Compare with the bound that errors of a fixed classifier on examples that were held out give."""
        bound = clopper_pearson(n_errors, n_holdout, self.delta)
        return HoldoutComparison(self.deterministic_bound, bound, n_errors, n_holdout, self.delta, self.proven)

    def to_json(self, path: str | os.PathLike | None = None) -> str:
        """The certificate as JSON text, also written to ``path`` (whole or not at all) when one is given."""
        figures = asdict(self)
        json.dumps(figures, allow_nan=False)  # refuses what JSON cannot say before it is put into words
        content = {"format": _FORMAT, "statement": self.statement(), **figures}
        canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(canonical.encode()).hexdigest()
        text = json.dumps({**content, "sha256": digest}, indent=1, allow_nan=False)
        if path is not None:
            with whole_file(path) as file:
                file.write(text.encode())
        return text

    @classmethod
    def from_json(cls, path: str | os.PathLike) -> "Certificate":
        """Read what `to_json` wrote; a file that was changed since is refused."""
        content, intact = read_certificate(path)
        if not intact.holds:
            raise ValueError(f"{os.fspath(path)} was changed after it was written: its sha256 does not fit.")
        values: dict[str, Any] = {f.name: content[f.name] for f in fields(cls)}
        return cls(**{name: tuple(v) if isinstance(v, list) else v for name, v in values.items()})  # type: ignore[arg-type]

    def verify(self, votes: Votes | Sequence[Votes], *, precise: float = 0.0, random_state: int = 0) -> Verification:
        """Compute every figure again from the votes, by another path, derive every word, and compare.

        This runs `stocmv.verify`, one file that uses numpy and scipy and none of the code that learned or certified.

        Parameters
        ----------
        votes : Votes or list of Votes
            What the voters said, one entry per fold.
        precise : float
            Share of the rows, drawn at random, that are also judged at thirty digits (needs python-flint).
        random_state : int
            Seed of that draw.
        """
        from ._verify import verify

        return verify(self, [votes] if isinstance(votes, Votes) else list(votes), precise, random_state)


def _lines(title: str, names: Sequence[str], *figures: float) -> list[tuple[str, str, str]]:
    """One line for each vote that there is: its bound, and the empirical risk, which is the first one's."""
    *bounds, risk = map(percent, figures)
    return [(title + name, bound, r) for name, bound, r in zip(names, bounds, [risk, ""], strict=False)]
