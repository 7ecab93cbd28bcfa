"""The certificate itself."""

import json
import math
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._files import whole_file
from ..votes import VoteMatrix

if TYPE_CHECKING:
    from ._verify import Verification

_FORMAT = "stocmv certificate 1"


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
        What was measured on the examples, rounded up.
    kl : float
        Divergence of the posterior from the prior, summed over the folds, in nats.
    n, delta : int, float
        Number of examples, and the probability with which the bound may fail.
    risk, theorem, assumptions : str, str, tuple of str
        Name of the risk, the theorem that the bound rests on, and all that it assumes.
    proven : bool
        False only for the paper's misprinted theorem, which is no certificate.
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
    proven: bool
    certified: str
    assumptions: tuple[str, ...]
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
    def empirical_risk(self) -> float:
        return self.moments[0]

    def statement(self) -> str:
        """The certificate in words."""
        if not self.proven:
            return (
                f"Not a certificate: {percent(self.bound)} was computed with {self.theorem}. It serves to reproduce "
                "the paper's figures and may be exceeded more often than delta allows."
            )
        lines = [
            f"With probability at least {confidence(self.delta)} over the draw of the {self.n:,} examples, "
            f"{self.certified} is at most {percent(self.bound)} on new examples.",
            f"The fixed vote ({self.deterministic_rule}) errs on at most {percent(self.deterministic_bound)}.",
            *(
                f"On new examples of class {c['label']!r} ({c['n']:,} seen): the drawn vote errs on at most "
                f"{percent(c['bound'])}, the fixed one on at most {percent(c['deterministic_bound'])}."
                for c in self.per_class
            ),
            "Each of these lines holds with that probability"
            + (" (those of the classes all at once)." if self.per_class else "."),
            f"Measured on the examples: {percent(self.empirical_risk)}; divergence from the prior: {self.kl:.2f} nats.",
            f"By {self.theorem}.",
            "It assumes:",
            *(f"- {assumption}" for assumption in self.assumptions),
        ]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.statement()

    def to_json(self, path: str | os.PathLike | None = None) -> str:
        """The certificate as JSON text, also written to ``path`` (whole or not at all) when one is given."""
        text = json.dumps({"format": _FORMAT, **asdict(self)}, indent=1, allow_nan=False)
        if path is not None:
            with whole_file(path) as file:
                file.write(text.encode())
        return text

    @classmethod
    def from_json(cls, path: str | os.PathLike) -> "Certificate":
        """Read what `to_json` wrote."""
        try:
            content: Any = json.loads(Path(path).read_bytes())
            if not isinstance(content, dict) or content.pop("format", None) != _FORMAT:
                raise ValueError(f"its format is not {_FORMAT!r}.")
            unknown = {f.name for f in fields(cls)} ^ set(content)
            if unknown:
                raise ValueError(f"fields missing or unknown: {', '.join(sorted(unknown))}.")
            values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in content.items()}
            return cls(**values)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{os.fspath(path)} is not a certificate of stocmv: {error}") from error

    def verify(self, votes: VoteMatrix | Sequence[VoteMatrix]) -> "Verification":
        """Compute risk, divergence and bound again from the votes, by another path, and compare.

        The votes are unpacked and judged row by row with scipy: none of the code that learned or certified is used.
        """
        from ._verify import verify

        return verify(self, [votes] if isinstance(votes, VoteMatrix) else list(votes))


def percent(value: float) -> str:
    """A share as a percentage, rounded up in the last digit shown."""
    return f"{math.ceil(round(value * 1e4, 7)) / 100:.2f} %"


def confidence(delta: float) -> str:
    """One minus delta as a percentage, rounded down in the last digit shown."""
    return f"{math.floor(round((1 - delta) * 1e6, 7)) / 1e4:g} %"
