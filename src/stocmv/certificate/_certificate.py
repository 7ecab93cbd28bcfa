"""The certificate itself."""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bounds import clopper_pearson
from ..verify import Verification, read_certificate
from ..votes import Votes
from ._claims import Claim, shares_in_words
from ._holdout import HoldoutComparison, count_holdout_errors
from ._monitor import Monitor
from ._percent import amount, confidence, percent, percent_down
from ._seal import sealed
from ._verify import verify_votes
from ._words import SILENCE, counted, protocol

_FORMAT = "stocmv certificate 1"


@dataclass(frozen=True)
class Certificate:
    """A proven upper bound on the error of `predict` on new examples, with everything needed to check it.

    Attributes
    ----------
    bound : float
        Bound on the error of the deterministic vote, which is what `predict` answers; see `deterministic_rule`.
    stochastic_bound : float
        Bound on the error of the stochastic vote, which draws new weights for every example (with folds, after drawing
        a fold). For the classical risks with a categorical posterior, a bound on the deterministic vote.
    empirical_risk : float
        If the judging examples only tested: error of `predict` on them. Otherwise the mean loss that
        ``stochastic_bound`` is computed from.
    kl : float
        KL of the posterior from the prior, summed over the folds, in nats; 0 if nothing is paid for learning.
    n, delta : int, float
        Number of judging examples (or groups), and the probability that a claim fails, at most.
    claims : tuple of Claim
        How delta was split among the claims and within each.
    risk, theorem, assumptions : str, str, tuple of str
        Name of the risk, the theorem that the bounds rest on, and everything that they assume.
    tested : bool
        Whether the judging examples only tested: neither voters nor weights were learned from them.
    proven : bool
        Whether every part (risk, posterior, bound, voters) is proven; if not, this is no certificate, and ``unproven``
        names the parts.
    covers_drawn : bool
        Whether `stochastic_bound` holds for votes with drawn weights. If not, only for the deterministic vote.
    warnings : tuple of str
        Findings in the examples that cast doubt on an assumption.
    grouped : bool
        Whether rows belong to groups: then ``n`` counts groups, whose loss is the mean over their rows.
    baseline : dict
        Always answering the most frequent class: its label, its error on the judging examples, and the bound on that.
    posterior, posteriors, priors : str, tuple, tuple
        Kind of distribution, and its parameters for each fold.
    fold_sizes, fold_shares : tuple of int, tuple of float
        Number of judging examples in each fold, and the probability that the fold answers.
    vote_digests : tuple of str
        SHA-256 of the votes of each fold.
    deterministic_vote : dict
        What ``bound`` is computed from: the errors, or margin, scale and the resulting figures.
    alternatives : int
        Number of equal parts into which the choice of the prior divides delta; the prior that was chosen has one.
    context : dict
        Where the certificate comes from: versions, seeds, voters, sizes.
    per_class : tuple of dict
        Bounds on the error given each true class, if requested; they hold for all classes at once.
    recalls : tuple of dict
        If no bounds per class were requested: for each class the number of its judging examples, and the share of them
        on which `predict` is right.
    precisions : tuple of dict
        For each class, the number of times it is answered, the share of right ones among these answers, and a lower
        bound on that share; the bounds hold for all classes at once. Only if requested, and for votes that are only
        tested.
    cost : dict
        If costs are given: the classes that they name, their matrix, the mean cost on the judging examples, the bound
        on it, and the same for always giving the cheapest answer ("baseline").
    recall, precision : ndarray of shape (n_classes,)
        Lower bounds for each class, in the order of the classes; empty unless requested.
    false_positive_rate, false_negative_rate : float or None
        Upper bounds for two classes, the second being the positive one, if bounds per class were requested.
    cost_bound : float or None
        Upper bound on the mean cost.
    """

    bound: float
    stochastic_bound: float
    moments: tuple[float, ...]
    kl: float
    n: int
    delta: float
    claims: tuple[Claim, ...]
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
    fold_shares: tuple[float, ...]
    grouped: bool
    posterior: str
    posteriors: tuple[dict[str, list[float]], ...]
    priors: tuple[dict[str, list[float]], ...]
    vote_digests: tuple[str, ...]
    deterministic_rule: str
    deterministic_vote: dict[str, float]
    baseline: dict[str, Any]
    per_class: tuple[dict[str, Any], ...]
    recalls: tuple[dict[str, Any], ...]
    precisions: tuple[dict[str, Any], ...]
    cost: dict[str, Any]
    alternatives: int
    context: dict[str, Any]

    @property
    def proven(self) -> bool:
        return not self.unproven

    @property
    def tested(self) -> bool:
        return not self.priors

    @property
    def abstains(self) -> bool:
        """Whether some voter did not answer some judging example."""
        return self.deterministic_rule.endswith(SILENCE)

    @property
    def has_one_voter(self) -> bool:
        """Whether each fold has a single voter, so that there is only one vote and one figure."""
        return all(len(next(iter(parameters.values()))) == 1 for parameters in self.posteriors)

    @property
    def has_stochastic_vote(self) -> bool:
        """Whether there is a stochastic vote that differs from `predict`, with `stochastic_bound` as its bound."""
        return self.covers_drawn and not self.has_one_voter

    @property
    def empirical_risk(self) -> float:
        return self.deterministic_vote["empirical_risk"] if self.tested else self.moments[0]

    @property
    def beats_baseline(self) -> bool:
        """Whether bound and, if it was measured, error (or cost) are below those of always giving the same answer."""
        return not self.no_better()

    @property
    def recall(self) -> NDArray:
        return np.array([(1 - entry["bound"]) * (1 - 1e-15) for entry in self.per_class])

    @property
    def precision(self) -> NDArray:
        return np.array([entry["bound"] for entry in self.precisions])

    @property
    def false_positive_rate(self) -> float | None:
        return self.per_class[0]["bound"] if len(self.per_class) == 2 else None

    @property
    def false_negative_rate(self) -> float | None:
        return self.per_class[1]["bound"] if len(self.per_class) == 2 else None

    @property
    def cost_bound(self) -> float | None:
        return self.cost["bound"] if self.cost else None

    @property
    def measure(self) -> str:
        """What the figures are: the heading of a table of them."""
        return f"error on new {'groups' if self.grouped else 'examples'}"

    @property
    def protocol(self) -> str:
        """Which examples made the vote and which judged it, in words; empty if the context does not say."""
        told = self.context.get("protocol")
        return protocol(**told, tested=self.tested, grouped=self.grouped) if told else ""

    def statement(self) -> str:
        """The certificate in a sentence or two."""
        if not self.proven:
            return (
                f"Not a certificate: {percent(self.bound)} uses parts without a proof "
                f"({', '.join(self.unproven)}). The error may exceed it more often than delta allows."
            )
        judges = f"{counted(self.n, 'group' if self.grouped else 'example')} that judge{'s' if self.n == 1 else ''}"
        on = "rows of new groups, averaged group by group" if self.grouped else "new examples"
        folds = len(self.fold_sizes)
        over = [f"the key that shares them out among the {folds} folds"] * (folds > 1)
        over += ["the draw of the voters that speak for blocs"] * any(p.get("speakers") for p in self.posteriors)
        key = f", on average over {' and '.join(over)}" if over else ""
        promise = (
            f"With probability at least {confidence(self.delta)} over the draw of the {judges} it, predict "
            f"errs on at most {percent(self.bound)} of {on}{key}."
        )
        return " ".join(filter(None, (promise, self.low_recall(), self.no_better())))

    @property
    def _again(self) -> str:
        """A further figure has a probability of its own."""
        return f"again with probability at least {confidence(self.delta)}"

    def low_recall(self) -> str:
        """A sentence on the class of which `predict` finds least, if that is less than half; otherwise empty.

        It goes by the certified figures, or by the measured ones if the classes have no bounds.
        """
        found = [(1 - c["bound"], c) for c in self.per_class] or [(c["measured"], c) for c in self.recalls]
        low = [(recall, c) for recall, c in found if recall < 0.5 and c["n"]]
        if not low:
            return ""
        least, worst = min(low, key=lambda pair: pair[0])
        of = f"{percent_down(least)} of class {worst['label']!r}{', averaged group by group' * self.grouped}"
        more = f"{counted(len(low) - 1, 'other class', 'other classes')}, too" if len(low) > 1 else ""
        if self.per_class:
            measured = f" ({percent_down(1 - worst['empirical_risk'])} measured)" * self.tested
            more = f"; less than half is certified of {more}" * bool(more)
            key = ", on average over that key" * (len(self.fold_sizes) > 1)
            return f"It finds at least {of}{measured}{key}, {self._again}{more}."
        judges = (
            f"{'groups' if self.grouped else 'examples'} that judge it{', which also taught it' * (not self.tested)}"
        )
        more = f", and less than half of {more}" * bool(more)
        return f"On the {judges}, it finds {of}{more}."

    def no_better(self) -> str:
        """A sentence that compares with always giving the same answer, if `predict` is no better; otherwise empty.

        Bounds are compared with bounds, and what was measured with what was measured; costs, if there are any.
        """
        if self.cost:
            ours, theirs = self.cost, self.cost["baseline"]
            one = f"that of always answering {theirs['label']!r}"
            if ours["bound"] >= theirs["bound"]:
                return (
                    f"The bound on the mean cost of predict, {amount(ours['bound'])}, is no better than {one}, "
                    f"{amount(theirs['bound'])}, each {self._again}."
                )
            if ours["measured"] >= theirs["measured"]:
                costs = amount(ours["measured"]), amount(theirs["measured"])
                return f"Measured, the mean cost of predict, {costs[0]}, is no better than {one}, {costs[1]}."
        elif self.baseline:
            one = f"always answering {self.baseline['label']!r}"
            if self.bound >= self.baseline["bound"]:
                theirs = percent(self.baseline["bound"])
                return f"The bound on predict is no better than that of {one}, at most {theirs}, {self._again}."
            if self.tested and self.empirical_risk >= self.baseline["empirical_risk"]:
                errors = percent(self.empirical_risk), percent(self.baseline["empirical_risk"])
                return f"Measured, predict is no better than {one}: it errs on {errors[0]}, that answer on {errors[1]}."
        return ""

    def figures(self, *, per_class: bool = True) -> list[tuple[str, str, str]]:
        """The lines of the table of bounds: which vote, its bound, and its measured error."""
        names = ["predict", "stochastic vote"] if self.has_stochastic_vote else ["predict"]
        risk = self.deterministic_vote["empirical_risk"] if self.tested else None
        lines = _lines("", names, (self.bound, self.stochastic_bound), (risk, self.moments[0]))
        if self.baseline:
            name = f"always answering {self.baseline['label']}"
            lines.append((name, percent(self.baseline["bound"]), percent(self.baseline["empirical_risk"])))
        for c in self.per_class if per_class else ():
            title = f"class {c['label']} ({counted(c['n'], 'group' if self.grouped else 'example')}), "
            lines += _lines(
                title,
                names,
                (c["bound"], c["stochastic_bound"]),
                (c["empirical_risk"] if self.tested and c["n"] else None, c["stochastic_risk"] if c["n"] else None),
            )
        return lines

    def decisions(self) -> list[tuple[str, str, list[tuple[str, str, str]]]]:
        """Tables of the other bounds on `predict`: heading, "at least" or "at most", and the lines."""
        tables, by_group = [], ", group by group" * self.grouped
        if self.precisions:
            with_answers = "groups with such answers" if self.grouped else "answers"
            lines = [
                (
                    f"class {p['label']} ({p['n']:,} {with_answers})",
                    percent_down(p["bound"]),
                    percent_down(p["measured"]) if p["n"] else "",
                )
                for p in self.precisions
            ]
            tables.append((f"right among the answers of predict{by_group}", "at least", lines))
        if self.cost:
            named = (
                ("predict", self.cost),
                (f"always answering {self.cost['baseline']['label']}", self.cost["baseline"]),
            )
            lines = [(name, amount(each["bound"]), amount(each["measured"])) for name, each in named]
            tables.append((f"mean cost{by_group}", "at most", lines))
        return tables

    def notes(self) -> list[str]:
        """What the figures mean."""
        stated = [self.protocol] if self.protocol else []
        stated.append(f"predict: {self.deterministic_rule}.")
        if self.has_stochastic_vote:
            fold = "a fold and " if len(self.fold_sizes) > 1 else ""
            stated.append(f"Stochastic vote: {fold}the voters' weights are drawn afresh for every example.")
        stated += self._averages()
        if len(self.per_class) == 2:
            negative, positive = (entry["label"] for entry in self.per_class)
            stated.append(
                f"With {positive!r} as the positive class, the error on class {negative!r} is the false positive rate, "
                f"and that on class {positive!r} the false negative rate."
            )
        if self.per_class and self.tested and not self.precisions:
            stated.append(
                "Precision is not certified for groups with folds, which may answer rows of one group differently: use "
                "a hold-out."
            )
        votes = " for each vote" if self.has_stochastic_vote else ""
        at_once = f"; those of the classes hold all at once{votes}" if self.per_class else ""
        at_once += ", and so do those on their answers" if self.precisions else ""
        shares = shares_in_words(self.claims, self.delta)
        return [*stated, f"Each line holds with that probability{at_once}.", *([shares] if shares else [])]

    def _averages(self) -> list[str]:
        """What the figures of classes and costs are means of, where it is not simply the examples."""
        stated = []
        if self.per_class and self.grouped:
            stated.append("On a class: the mean over its rows in a group, averaged over the groups that have some.")
        if self.precisions and self.grouped:
            stated.append(
                "Right among the answers: the share in a group's answers of the class, averaged over the groups that "
                "have some."
            )
        if self.cost and self.grouped:
            stated.append("Mean cost: the mean over the rows of a group, averaged over the groups.")
        if (self.precisions or self.cost or self.per_class) and self.grouped:
            stated.append("Over all rows these figures may differ: a large group counts no more than a small one.")
        if self.precisions and len(self.fold_sizes) > 1:
            stated.append(
                "Right among the answers: the share of right answers divided by the share of all answers of the class, "
                "both averaged over the key."
            )
        return stated

    def _proof(self) -> str:
        paid = "" if self.tested else f" KL from the prior: {self.kl:.2f} nats."
        return f"Proof: {self.theorem}.{paid}"

    def __str__(self) -> str:
        """A short page: statement, figures, assumptions."""
        if not self.proven:
            return self.statement()
        tables = [(self.measure, "at most", self.figures()), *self.decisions()]
        width = max(len(name) for heading, _, lines in tables for name in (heading, *(line[0] for line in lines)))
        page = [
            *(f"WARNING: {warning}" for warning in self.warnings),
            self.statement(),
            "",
            *(line for table in tables for line in _table(*table, width + 2)),
            *self.notes(),
            self._proof(),
            "It assumes:",
            *(f"- {assumption}" for assumption in self.assumptions),
        ]
        return "\n".join(page)

    def _repr_html_(self) -> str:
        """The page for a notebook."""
        if not self.proven:
            return f"<p><strong>{escape(self.statement())}</strong></p>"
        tables = "".join(
            _html_table(*table) for table in ((self.measure, "at most", self.figures()), *self.decisions())
        )
        warnings = "".join(f"<p><strong>Warning: {escape(warning)}</strong></p>" for warning in self.warnings)
        assumptions = "".join(f"<li>{escape(assumption)}</li>" for assumption in self.assumptions)
        notes = " ".join(escape(note) for note in self.notes())
        return (
            f"<div class='stocmv-certificate'>{warnings}<p><strong>{escape(self.statement())}</strong></p>"
            f"{tables}<p>{notes} {escape(self._proof())}</p><p>It assumes:</p><ul>{assumptions}</ul></div>"
        )

    def compare_holdout(
        self, estimator: Any, X: Any, y: Any, *, share: float = 0.2, random_state: Any = 0
    ) -> "HoldoutComparison":
        """Compare with the bound from a plain hold-out of the same examples.

        Trains a clone of the estimator on the rest, counts its errors on the held-out part, and computes the
        Clopper-Pearson bound at the certificate's delta.

        Parameters
        ----------
        estimator : scikit-learn classifier
            What you would train otherwise, for example the same forest; not a vote of this package, which would hold
            out some of its examples again.
        X, y : array-like
            The examples that the certificate was made from.
        share : float
            Share of the examples to hold out.
        random_state : int, RandomState or None
            Seed for the split.
        """
        n_errors, n_holdout = count_holdout_errors(estimator, X, y, share, random_state)
        return self.compare_errors(n_errors, n_holdout)

    def compare_errors(self, n_errors: int, n_holdout: int, *, same_examples: bool = False) -> "HoldoutComparison":
        """Compare with the hold-out bound of another classifier, given its errors on held-out examples.

        ``same_examples`` says that these examples also judged this vote.
        """
        bound = clopper_pearson(n_errors, n_holdout, self.delta)
        return HoldoutComparison(self.bound, bound, n_errors, n_holdout, self.delta, self.proven, same_examples)

    def monitor(self, delta: float | None = None) -> Monitor:
        """A test, fed with labelled cases as they arrive, of whether the error of `predict` is still at most ``bound``.

        Parameters
        ----------
        delta : float, optional
            Probability of a false alarm over all time; by default the certificate's.
        """
        subject = hashlib.sha256("".join(self.vote_digests).encode()).hexdigest()
        delta = self.delta if delta is None else delta
        return Monitor(self.bound, delta, grouped=self.grouped, subject=subject)

    def to_json(self, path: str | os.PathLike | None = None) -> str:
        """The certificate as JSON text; also written atomically to ``path``, if given."""
        figures = asdict(self)
        json.dumps(figures, allow_nan=False)  # refuses what JSON cannot hold before it is put into words
        return sealed({"format": _FORMAT, "statement": self.statement(), **figures}, path)

    @classmethod
    def from_json(cls, path: str | os.PathLike) -> "Certificate":
        """Read a file that `to_json` wrote; refuse it if it was changed since."""
        content, intact = read_certificate(path)
        if content["format"] != _FORMAT:
            raise ValueError(f"{os.fspath(path)} is for a selective vote: read it with SelectiveCertificate.from_json.")
        if not intact.holds:
            raise ValueError(f"{os.fspath(path)} was changed after it was written: its sha256 does not fit.")
        values: dict[str, Any] = {f.name: content[f.name] for f in fields(cls)}
        values["claims"] = [Claim(**claim) for claim in values["claims"]]
        return cls(**{name: tuple(v) if isinstance(v, list) else v for name, v in values.items()})  # type: ignore[arg-type]

    def verify(self, votes: Votes | Sequence[Votes], *, precise: float = 0.0, random_state: int = 0) -> Verification:
        """Recompute every figure and every word of the certificate from the votes, with independent code, and compare.

        This runs `stocmv.verify`: one file that uses only numpy and scipy, and no code that learned or certified.

        Parameters
        ----------
        votes : Votes or list of Votes
            The votes, one entry per fold.
        precise : float
            Share of the rows, drawn at random, to check at thirty digits too (needs python-flint).
        random_state : int
            Seed for that draw.
        """
        return verify_votes(self, [votes] if isinstance(votes, Votes) else list(votes), precise, random_state)


def _table(heading: str, how: str, lines: Sequence[tuple[str, str, str]], width: int) -> list[str]:
    rows = [f"{name:{width}}{bound:>9}{measured:>11}" for name, bound, measured in lines]
    return [f"{heading:{width}}{how:>9}{'measured':>11}", *rows, ""]


def _html_table(heading: str, how: str, lines: Sequence[tuple[str, str, str]]) -> str:
    rows = "".join(
        f"<tr><th scope='row' style='text-align:left'>{escape(name)}</th><td>{bound}</td><td>{measured}</td></tr>"
        for name, bound, measured in lines
    )
    return (
        f"<table><thead><tr><th style='text-align:left'>{heading}</th><th>{how}</th><th>measured</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def _lines(
    title: str, names: Sequence[str], bounds: Sequence[float], risks: Sequence[float | None]
) -> list[tuple[str, str, str]]:
    """One line for each vote: its bound, and its measured error if that is known."""
    measured = ["" if risk is None else percent(risk) for risk in risks]
    return [(title + name, percent(b), r) for name, b, r in zip(names, bounds, measured, strict=False)]
