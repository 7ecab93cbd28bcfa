"""What certificates of both kinds have and do: words, tables, files, the check by independent code."""

import hashlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import Field, asdict, dataclass, fields
from html import escape
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from .._files import whole_file
from .._text import visible
from ..posteriors import Posterior
from ..verify import Check, Verification, parse_certificate, read_certificate
from ._claims import Claim, shares_in_words
from ._judgments import Judgments
from ._monitor import Monitor
from ._percent import confidence, percent
from ._seal import sealed
from ._tables import Row, Table, as_markdown, as_text
from ._words import counted

_KINDS: dict[str, type["Certificate"]] = {}


@dataclass(frozen=True, kw_only=True)
class Certificate(ABC):
    """A proven upper bound on the error of `predict` on new examples, with everything needed to check it.

    There are two kinds. In a `TestedCertificate` the judging examples only test; in a `PacBayesCertificate` they also
    teach the weights, and the bound pays for that. This is what both have.

    Attributes
    ----------
    bound : float
        Bound on the error of what `predict` does; see `rule`.
    stochastic_bound : float or None
        Bound on the error of the stochastic vote, which draws new weights for every example (with folds, after drawing
        a fold); None if it is not certified, or if there is no other vote than `predict`.
    empirical_risk : float
        If the judging examples only tested: error of `predict` on them. Otherwise the mean loss that
        ``stochastic_bound`` is computed from.
    risk : str
        The name of the risk that was measured: "exact", the error itself, unless weights were learned with another one.
    n, delta : int, float
        Number of judging examples (or groups), and the probability that a claim fails, at most.
    figures : dict
        All figures by name, as in certificate.json; the properties below are taken from them.
    claims : tuple of Claim
        How delta was split among the claims and within each.
    theorem, assumptions, rule : str, tuple of str, str
        The theorem that the bounds rest on, everything that they assume, and what `predict` does.
    proven : bool
        Whether every part is proven; if not, this is no certificate, and ``unproven`` names the parts.
    warnings : tuple of str
        Findings in the examples that cast doubt on an assumption.
    grouped : bool
        Whether rows belong to groups: then ``n`` counts groups, whose loss is the mean over their rows.
    has_one_voter, abstains : bool
        Whether a single voter answers (in each fold), and whether voters may be silent.
    covers_drawn : bool
        Whether `predict_stochastic` is certified. If not, only the deterministic vote is.
    evidence : str or tuple of str
        SHA-256 of what the certificate is checked against.
    fold_sizes, fold_shares : tuple of int, tuple of float
        Number of judging examples in each fold, and the probability that the fold answers.
    baseline : dict
        Always answering the most frequent class: its label, its error on the judging examples, and the bound on that.
        With another class that was fixed before, "fixed" is true.
    per_class : sequence of dict
        Bounds on the error given each true class, if requested; they hold for all classes at once.
    recalls : sequence of dict
        If no bounds per class were requested: for each class the number of its judging examples, and the share of them
        on which `predict` is right.
    recall : ndarray of shape (n_classes,)
        Lower bounds for each class, in the order of the classes; empty unless requested.
    false_positive_rate, false_negative_rate : float or None
        Upper bounds for two classes, if bounds per class were requested. The positive class is the one that the
        ``context`` names as "positive" (``--pos-label`` on the command line), otherwise the second.
    protocol : dict
        Which examples made the vote and which judged it: the protocol's name and the two numbers; empty if not known.
    context : dict
        Where the certificate comes from: versions, seeds, voters, sizes.

    Examples
    --------
    >>> from stocmv import Certificate, certify_predictions
    >>> certificate = certify_predictions(["yes", "no"] * 50, ["yes", "no"] * 48 + ["no"] * 4)
    >>> certificate.n, round(certificate.empirical_risk, 3), round(certificate.bound, 3)
    (100, 0.02, 0.062)
    >>> isinstance(certificate, Certificate)
    True
    """

    format: ClassVar[str]
    is_of_predict: ClassVar[bool] = True  # whether `bound` is on the error of `predict` on all new examples

    figures: dict[str, Any]
    delta: float
    n: int
    claims: tuple[Claim, ...]
    grouped: bool
    fold_sizes: tuple[int, ...]
    fold_shares: tuple[float, ...]
    has_one_voter: bool
    covers_drawn: bool
    abstains: bool
    evidence: str | tuple[str, ...]
    unproven: tuple[str, ...] = ()
    further_assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    protocol: dict[str, Any]
    context: dict[str, Any]

    def __init_subclass__(cls) -> None:
        if "format" in vars(cls):
            _KINDS[cls.format] = cls

    @property
    def bound(self) -> float:
        return self.figures["error"]["bound"]

    @property
    def stochastic_bound(self) -> float | None:
        return self.figures["error"].get("stochastic_bound")

    @property
    def baseline(self) -> dict[str, Any]:
        return self.figures.get("baseline", {})

    @property
    def per_class(self) -> Sequence[dict[str, Any]]:
        return self.figures.get("classes", ())

    @property
    def recalls(self) -> Sequence[dict[str, Any]]:
        return self.figures.get("recalls", ())

    @property
    @abstractmethod
    def empirical_risk(self) -> float: ...
    @property
    @abstractmethod
    def theorem(self) -> str: ...
    @property
    @abstractmethod
    def rule(self) -> str: ...
    @property
    def subject(self) -> str:
        """Who answers, in sentences."""
        return "predict"

    @property
    def has_stochastic_vote(self) -> bool:
        """Whether there is a stochastic vote that differs from `predict`, with `stochastic_bound` as its bound."""
        return self.covers_drawn and self.stochastic_bound is not None and not self.has_one_voter

    @property
    def stochastic_risk(self) -> float | None:
        """Mean loss of the stochastic vote on the judging examples, where that vote is certified."""
        return self.figures["error"].get("stochastic_risk")

    @property
    def measured_name(self) -> str:
        """What ``empirical_risk`` is."""
        return f"measured, {self.subject}"

    def class_risk(self, entry: dict[str, Any]) -> float:
        """The figure of an entry of ``per_class`` that corresponds to ``empirical_risk``."""
        return entry["empirical_risk"]

    def paid_priors(self) -> list[Posterior]:
        """The priors from which the KL is paid, one for each fold; empty if nothing is paid."""
        return []

    def precise_checks(self, evidence: str | os.PathLike, share: float, seed: int) -> tuple[Check, ...]:
        """Check a share of the rows of an evidence file at thirty digits; empty where nothing is integrated."""
        return ()

    @property
    @abstractmethod
    def made_and_judged(self) -> str:
        """Which examples made the vote and which judged it, in words; empty if that is not known."""

    @property
    def n_used(self) -> int:
        """Number of examples (or groups) that made or judged the vote; 0 if that is not known."""
        return self.protocol.get("judging", 0)  # all that made it judge it too, unless they only test it

    @abstractmethod
    def tables(self) -> list[Table]:
        """All bounds, with what was measured."""

    @abstractmethod
    def _remarks(self) -> list[str]:
        """What else the statement must say."""

    @abstractmethod
    def _notes(self) -> list[str]:
        """What the figures of this kind mean."""

    @abstractmethod
    def _assumptions(self) -> list[str]:
        """The assumptions that follow from the figures."""

    @property
    def covers_silence(self) -> bool:
        """Whether a voter that answered all judging examples may be silent on a new one."""
        return self.abstains

    def judgments(self, evidence: Any) -> Judgments:
        """The judgments that this certificate is about; refuses others, and certificates that are not about any."""
        raise ValueError(
            f"This needs a vote made without its judging examples, but the weights of this one were learned on them "
            f"({self.theorem}): fit with bound='auto'."
        )

    @property
    def proven(self) -> bool:
        return not self.unproven

    @property
    def assumptions(self) -> tuple[str, ...]:
        return (*self._assumptions(), *self.further_assumptions)

    @property
    def beats_baseline(self) -> bool:
        """Whether the bound is below that of always giving the most frequent answer."""
        return not self.baseline or self.bound < self.baseline["bound"]

    @property
    def recall(self) -> NDArray:
        return np.array([(1 - entry["bound"]) * (1 - 1e-15) for entry in self.per_class])

    @property
    def false_positive_rate(self) -> float | None:
        return next((entry["bound"] for entry in self._of_two() if entry != self._positive_entry()), None)

    @property
    def false_negative_rate(self) -> float | None:
        return self._positive_entry()["bound"] if self._of_two() else None

    def _of_two(self) -> Sequence[dict[str, Any]]:
        """The bounds on the classes, if there are two."""
        return self.per_class if len(self.per_class) == 2 else ()

    def _positive_entry(self) -> dict[str, Any]:
        """The bound on the positive one of two classes."""
        first, second = self._of_two()
        return first if first["label"] == self.context.get("positive") else second

    @property
    def measure(self) -> str:
        """What the figures are: the heading of a table of them."""
        return f"error on new {'groups' if self.grouped else 'examples'}"

    @property
    def again(self) -> str:
        """A further figure has a probability of its own."""
        return f"again with probability at least {confidence(self.delta)}"

    def baseline_rows(self) -> list[Row]:
        """The row of always giving the same answer, if the classes are known."""
        if not self.baseline:
            return []
        place = "figures.baseline"
        name, risk = f"always answering {self.baseline['label']}", self.baseline["empirical_risk"]
        return [Row(name, self.baseline["bound"], f"{place}.bound", risk, f"{place}.empirical_risk")]

    def _averaged_over(self) -> list[str]:
        """What the bound on `predict` is an average over."""
        folds = len(self.fold_sizes)
        return [f"the key that shares them out among the {folds} folds"] * (folds > 1)

    def statement(self) -> str:
        """The certificate in a sentence or two."""
        if not self.proven:
            return (
                f"Not a certificate: {percent(self.bound)} uses parts without a proof "
                f"({', '.join(self.unproven)}). The error may exceed it more often than delta allows."
            )
        judges = f"{counted(self.n, 'group' if self.grouped else 'example')} that judge{'s' if self.n == 1 else ''}"
        on = "rows of new groups, averaged group by group" if self.grouped else "new examples"
        over = f", on average over {' and '.join(self._averaged_over())}" if self._averaged_over() else ""
        promise = (
            f"With probability at least {confidence(self.delta)} over the draw of the {judges} it, {self.subject} "
            f"errs on at most {percent(self.bound)} of {on}{over}."
        )
        return " ".join((promise, *self._remarks()))

    def remarks(self) -> list[str]:
        """What the statement says beyond its promise: a class that is rarely found, a baseline that is as good."""
        return self._remarks() if self.proven else []

    def notes(self) -> list[str]:
        """What the figures mean."""
        sentences = [self.made_and_judged] if self.made_and_judged else []
        sentences.append(f"{self.subject}: {self.rule}." if self.subject == "predict" else f"It is about {self.rule}.")
        if self.has_stochastic_vote:
            fold = "a fold and " if len(self.fold_sizes) > 1 else ""
            sentences.append(f"Stochastic vote: {fold}the voters' weights are drawn afresh for every example.")
        shares = shares_in_words(self.claims, self.delta)
        # recall, precision and F1 each have all of delta: no sentence may join them, or the classes and the voters
        at_once = "; those of the classes hold all at once for each such figure by itself" * bool(self.per_class)
        voters = "; those of the voters hold all at once" * ("panel" in self.figures)
        return [
            *sentences,
            *self._notes(),
            f"Each line holds with that probability{at_once}{voters}.",
            *([shares] if shares else []),
        ]

    def _proof(self) -> str:
        return f"Proof: {self.theorem}."

    def __str__(self) -> str:
        """A short page: statement, figures, assumptions."""
        if not self.proven:
            return self.statement()
        page = [
            *(f"WARNING: {warning}" for warning in self.warnings),
            self.statement(),
            "",
            *as_text(self.tables()),
            *self.notes(),
            self._proof(),
            "It assumes:",
            *(f"- {assumption}" for assumption in self.assumptions),
        ]
        return "\n".join(map(visible, page))  # names of classes and columns may hold anything

    def _repr_html_(self) -> str:
        """The page for a notebook."""
        if not self.proven:
            return f"<p><strong>{escape(self.statement())}</strong></p>"
        warnings = "".join(f"<p><strong>Warning: {escape(warning)}</strong></p>" for warning in self.warnings)
        assumptions = "".join(f"<li>{escape(assumption)}</li>" for assumption in self.assumptions)
        notes = " ".join(escape(note) for note in self.notes())
        return (
            f"<div class='stocmv-certificate'>{warnings}<p><strong>{escape(self.statement())}</strong></p>"
            f"{''.join(table.html() for table in self.tables())}<p>{notes} {escape(self._proof())}</p>"
            f"<p>It assumes:</p><ul>{assumptions}</ul></div>"
        )

    def to_markdown(self) -> str:
        """The page as Markdown, to paste into a model card or instructions for use."""
        if not self.proven:
            return f"**{as_markdown(self.statement())}**\n"
        warnings = [f"**{as_markdown(f'Warning: {warning}')}**" for warning in self.warnings]
        parts = [
            *warnings,
            f"**{as_markdown(self.statement())}**",
            *(table.markdown() for table in self.tables()),
            as_markdown(" ".join([*self.notes(), self._proof()])),
            "It assumes:",
            "\n".join(f"- {as_markdown(assumption)}" for assumption in self.assumptions),
        ]
        return "\n\n".join(parts) + "\n"

    def report(self, path: str | os.PathLike) -> None:
        """Write the certificate as an HTML page, in one file that loads nothing and runs nothing (extra ``cli``).

        It is the page that ``stocmv certify-predictions`` writes. The page of ``stocmv certify`` also has the data, the
        weights and the learning: `stocmv.report.render` makes it of the classifier.
        """
        from ..report import render_predictions

        name = next((self.context[of] for of in ("file", "voters", "model") if of in self.context), "")
        page = render_predictions(self, name=str(name))
        with whole_file(path) as file:
            file.write(page.encode())

    def monitor(self, delta: float | None = None) -> Monitor:
        """A test, fed with labelled cases as they arrive, of whether the error of `predict` is still at most ``bound``.

        Parameters
        ----------
        delta : float, optional
            Probability of a false alarm over all time; by default the certificate's.
        """
        subject = hashlib.sha256(self._subject().encode()).hexdigest()
        return Monitor(self.bound, self.delta if delta is None else delta, grouped=self.grouped, subject=subject)

    def _subject(self) -> str:
        """What is monitored, to tell the states of two votes apart."""
        return "".join(self.evidence)

    def to_json(self, path: str | os.PathLike | None = None) -> str:
        """The certificate as JSON text; also written atomically to ``path``, if given.

        Its words are beside the figures for people to read. They follow from the figures, and are not sealed.
        """
        facts = {f.name: _plain(getattr(self, f.name)) for f in self._sealed_fields()}
        json.dumps(facts, allow_nan=False)  # refuses what JSON cannot hold before it is put into words
        return sealed({"format": self.format, **facts}, self._words(), path)

    def _words(self) -> dict[str, Any]:
        return {"statement": self.statement(), "theorem": self.theorem, "assumptions": list(self.assumptions)}

    @classmethod
    def from_json(cls, path: str | os.PathLike) -> Self:
        """Read a file that `to_json` wrote; refuse it if it was changed since."""
        content, intact = read_certificate(path)
        kind = _KINDS.get(content["format"])
        if kind is None:
            raise ValueError(f"{os.fspath(path)} is the certificate of a decision: import stocmv.decisions to read it.")
        if not issubclass(kind, cls):
            raise ValueError(f"{os.fspath(path)} is a {kind.__name__}: read it with {kind.__name__}.from_json.")
        if not intact.holds:
            raise ValueError(f"{os.fspath(path)} was changed after it was written: its sha256 does not fit.")
        return kind(**{f.name: kind._restored(f.name, content[f.name]) for f in kind._sealed_fields()})

    @classmethod
    def _sealed_fields(cls) -> list[Field]:
        """The fields that are in the file: all that two certificates are compared by."""
        return [f for f in fields(cls) if f.compare]

    @classmethod
    def _restored(cls, name: str, value: Any) -> Any:
        """A field as it was before it became JSON."""
        if name == "claims":
            return tuple(Claim(**claim) for claim in value)
        return tuple(value) if isinstance(value, list) else value

    def _checked_by(self, check: Any) -> Verification:
        """Hand the certificate's text to an independent check, as a file would be."""
        try:
            content, intact = parse_certificate(self.to_json().encode())
        except (ValueError, TypeError) as error:
            return Verification((Check("form", str(error), "not allowed", False),))
        return check(content, intact)


def _plain(value: Any) -> Any:
    """A field as JSON holds it."""
    return [asdict(each) if isinstance(each, Claim) else each for each in value] if isinstance(value, tuple) else value
