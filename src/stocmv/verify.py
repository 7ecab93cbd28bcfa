"""Check a stocmv certificate against the votes that it was made from.

This is a single file that needs only numpy and scipy, and nothing from stocmv: copy it, read it, and run

    python verify.py certificate.json votes.npz

The exit code is 0 if the certificate holds, 1 if it does not, and 2 (with one sentence) if a file cannot be used.

Every figure is recomputed from the votes and the parameters in the certificate. A figure holds if it is not below the
recomputed value, and not above what outward rounding explains. Every word is derived from the figures and must occur
verbatim. Free text (further assumptions, warnings, the context) is listed as not checked, and so is what no verifier
can know: see `UNKNOWABLE`.

Contents, in the order of reading
---------------------------------
1. The verdict: what is checked, and in which order
2. The certificate's file: JSON without any freedom of spelling
3. The votes' file, and the digests that bind it
4. The form: which parts are known, and the ranges of their parameters
5. The words: what a certificate must say, given its figures
6. The shares of delta
7. The errors of the vote, row by row
8. KL from the prior
9. Bounds that pay for learning
10. Tests of votes that were made without the judging examples
11. Precision and costs of predict
12. The deterministic vote, and the classes
13. Votes that answer only when they are sure
14. What is printed
"""

import argparse
import decimal
import functools
import hashlib
import itertools
import json
import math
import os
import re
import sys
import textwrap
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from scipy import special

Content = dict[str, Any]  # the content of a certificate
KL = tuple[Decimal, float]  # and how far it may have been rounded up

UNKNOWABLE = (
    "whether the votes are real: invented votes give a certificate that holds",
    "whether the examples are independent draws from one distribution, and new ones come from the same",
    "whether the voters, their weights or the prior were chosen after looking at the examples that judge them",
    "whether the examples that judge, or the folds, were drawn at random, and not chosen after looking at them",
    "whether the constants of a bound or of the fold test were chosen after looking at the examples they are for",
    "whether more was tried than is stated: other priors, risks, bounds, constants, splits or deltas",
    "whether groups are what they are called, independent of each other, with all dependent rows in one of them",
    "whether a model is the one that voted: a hash of its file may stand in the context, and is not checked here",
    "whether warnings about the data were left out",
    "whether a posterior was chosen because the votes drawn from it were lucky, where the risk is estimated from draws",
)

# ------------------------------------------------------------------------------------------------------- 1. The verdict


class Check(NamedTuple):
    """One item of a certificate, as claimed and as recomputed."""

    what: str
    claimed: object
    found: object
    holds: bool

    def __str__(self) -> str:
        claimed, found = brief(self.claimed), brief(self.found)
        return f"{'ok ' if self.holds else 'NO '} {self.what}: {claimed}" + ("" if claimed == found else f" ({found})")


@dataclass(frozen=True)
class Verification:
    """All checks; true if every one holds.

    Attributes
    ----------
    checks : tuple of Check
        In the order in which they were made; they end if one fails without which the others mean nothing.
    statement : str
        What the certificate says, in the verifier's own words.
    unchecked : tuple of str
        What else the certificate's maker states.
    """

    checks: tuple[Check, ...]
    statement: str = ""
    unchecked: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return all(check.holds for check in self.checks)

    @property
    def differences(self) -> list[Check]:
        """The checks that failed."""
        return [check for check in self.checks if not check.holds]

    @property
    def verdict(self) -> str:
        """The conclusion in one line."""
        if self:
            return f"The certificate holds: {self.statement.encode('ascii', 'backslashreplace').decode()}"
        return "The certificate does NOT hold. Whatever it says has not been shown."

    def remarks(self) -> list[str]:
        """What was not checked, line by line."""
        stated = ["Stated by the maker of the certificate, not checked:", *_items(self.unchecked)] * bool(
            self.unchecked
        )
        return [*stated, "What no verifier can know:", *_items(UNKNOWABLE)]

    def __str__(self) -> str:
        return "\n".join([*map(str, self.checks), "", *self.remarks(), "", self.verdict])


class Refused(ValueError):
    """A file, or an array, that is not what it should be."""


def verify_files(certificate: str | os.PathLike, votes: str | os.PathLike) -> Verification:
    """Check a certificate file against a votes file."""
    content, intact = read_certificate(certificate)
    return verify(content, intact, read_votes(votes))


def verify(content: Content, intact: Check, folds: "Sequence[Fold]") -> Verification:
    """Check the content of a certificate against the votes of its folds."""
    checks, statement, needed = [intact, *_votes(content, folds)], "", [""]
    selective = content["format"] == SELECTIVE_FORMAT
    form, say, assume, figures = (
        (check_selective_form, selective_statement, selective_assumed, _selective_figures)
        if selective
        else (check_form, statement_of, assumed, _figures)
    )
    words = _selective_words if selective else _words
    if all(check.holds for check in checks[1:]):  # otherwise the figures mean nothing
        try:
            if content["posterior"] == BLOCS:
                content, folds = merged(content, folds)
            form(content, folds)
            statement, needed = say(content), assume(content)
            checks.append(Check("form", "as it should be", "as it should be", True))
            with np.errstate(all="ignore"):  # figures that are not numbers fail their checks
                checks += [*words(content, statement, folds), *figures(content, folds)]
        except Exception as error:  # whatever a forged certificate may raise, it does not hold
            reason = str(error) if isinstance(error, Refused) else f"{type(error).__name__}: {error}"
            checks.append(Check("form", reason, "not allowed", False))
    return Verification(tuple(checks), statement, tuple(_unchecked(content, needed)))


def merged(c: Content, folds: "Sequence[Fold]") -> "tuple[Content, list[Fold]]":
    """The certificate and the votes of blocs as if each bloc were one voter.

    A Dirichlet prior over voters is one over the sums of their weights in blocs. A posterior that changes only the law
    of the sums has the KL of these, and where the voters of a bloc answer alike, the vote depends on nothing else.
    """
    _need(len(c["posteriors"]) == len(c["priors"]) == len(folds), "there is not a posterior and a prior for each fold")
    blocs = [_bloc_of(*each) for each in zip(c["posteriors"], c["priors"], folds, strict=True)]
    _need(len({bloc.speak for bloc in blocs}) == 1, "blocs have speakers in some folds only")
    return {
        **c,
        "posterior": "dirichlet",
        "posteriors": [{"alpha": p["alpha"]} for p in c["posteriors"]],
        "priors": [{"alpha": [math.fsum(each) for each in bloc.within]} for bloc in blocs],
        "blocs": blocs,
    }, [_one_of_each(fold, p["blocs"]) for fold, p in zip(folds, c["posteriors"], strict=True)]


def _bloc_of(posterior: dict[str, Any], prior: dict[str, Any], fold: "Fold") -> "Bloc":
    _need(
        tuple(posterior) == ("alpha", "blocs", "speakers", "within"), "the parameters of a posterior are not of blocs"
    )
    _check_parameters("dirichlet", prior, fold.n_voters, "prior")
    alpha, blocs, speakers = (posterior[name] for name in ("alpha", "blocs", "speakers"))
    _need(not fold.abstains, "blocs are for voters that answer every example")
    _need(posterior["within"] == prior["alpha"], "blocs do not share their weight as the prior does")
    whole = len(blocs) == fold.n_voters and all(type(x) is int for x in (*blocs, *speakers))
    _need(whole and set(blocs) == set(range(len(alpha))), "the blocs are not numbered, or not one for each voter")
    spoken = [blocs[j] if 0 <= j < len(blocs) else None for j in speakers]
    _need(not speakers or spoken == list(range(len(alpha))), "the speakers are not a voter of each bloc")
    _need(_agree(fold, blocs), "the voters of a bloc do not answer all examples alike")
    within: list[list[float]] = [[] for _ in alpha]
    for bloc, weight in zip(blocs, prior["alpha"], strict=True):
        within[bloc].append(weight)
    return Bloc(within, bool(speakers))


def _agree(fold: "Fold", blocs: Sequence[int]) -> bool:
    """Whether all voters answer as the last one of their bloc does."""
    members = {bloc: j for j, bloc in enumerate(blocs)}
    last = np.array([members[bloc] for bloc in blocs])
    said = fold.errors if fold.labels is None else lambda rows: fold.labels[rows]
    return all(bool((said(rows) == said(rows)[:, last]).all()) for rows in fold.blocks())


def _one_of_each(fold: "Fold", blocs: Sequence[int]) -> "Fold":
    first = np.unique(blocs, return_index=True)[1]
    bits = [np.packbits(fold.errors(rows)[:, first] > 0, axis=1, bitorder="little").T for rows in fold.blocks()]
    labels = None if fold.labels is None else fold.labels[:, first]
    return replace(fold, n_voters=len(first), bits=np.concatenate(bits, axis=1), labels=labels)


def _votes(c: Content, folds: "Sequence[Fold]") -> Iterator[Check]:
    digests, sizes = [fold.digest for fold in folds], [fold.count() for fold in folds]
    yield Check("votes", c["vote_digests"], digests, c["vote_digests"] == digests)
    grouped = [fold.groups is not None for fold in folds]
    yield Check("rows in groups", c["grouped"], grouped, grouped == [c["grouped"]] * len(folds))
    same = (c["n"], c["fold_sizes"]) == (sum(sizes), sizes)
    yield Check("groups" if any(grouped) else "examples", (c["n"], c["fold_sizes"]), (sum(sizes), sizes), same)
    lists = [None if fold.classes is None else fold.classes.tolist() for fold in folds]
    other = next((each for each in lists if repr(each) != repr(lists[0])), lists[0])
    yield Check("classes, the same in all folds", lists[0], other, repr(other) == repr(lists[0]))
    if all(grouped):
        distinct = len(np.unique(np.concatenate([fold.groups for fold in folds if fold.groups is not None])))
        yield Check("groups that judge in one fold only", sum(sizes), distinct, distinct == sum(sizes))


def _figures(c: Content, folds: "Sequence[Fold]") -> Iterator[Check]:
    """The shares of the folds, the measured risks, the bounds that follow from them, and the baseline."""
    shares = test_shares(c["bound_settings"]) if is_tested(c) else np.array(c["fold_sizes"]) / c["n"]
    same = np.allclose(c["fold_shares"], shares, rtol=0, atol=1e-12)
    yield Check("shares of the folds", c["fold_shares"], shares.tolist(), bool(same))
    yield from _claims(c, folds)
    yield from _tested_figures(c, folds) if is_tested(c) else _paid_figures(c, folds)
    yield from _decisions(c, folds)
    yield from _baseline(c, folds)
    yield from _recalls(c, folds)


def _paid_figures(c: Content, folds: "Sequence[Fold]") -> Iterator[Check]:
    """Figures for weights learned on the judging examples, which pay the KL."""
    sizes = [fold.count() for fold in folds]
    share = functools.partial(share_of, claims_of(c, folds), certified_votes(c)[-1])
    upper = functools.partial(upper_bound, c["bound_settings"], sizes)
    drawn = functools.cache(lambda: [row_losses(f, p["alpha"]) for f, p in zip(folds, c["posteriors"], strict=True)])
    total = max(math.fsum(p["alpha"]) for p in c["posteriors"]) if c["posterior"] == "dirichlet" else 1.0

    if c["risk"] in ("exact", "mc") and c["posterior"] == "dirichlet":
        by_fold = np.array([[fold.mean(rows)] for fold, rows in zip(folds, drawn(), strict=True)])
    else:
        by_fold = np.array([moments(c, p, fold) for p, fold in zip(c["posteriors"], folds, strict=True)])
    found = risk_weights(c["bound_settings"], sizes) @ by_fold
    kls = [prior_kl(c["posterior"], p, q) for p, q in zip(c["posteriors"], c["priors"], strict=True)]
    if is_estimated(c):
        found = np.array([kl_inverse(found[0], math.log(1 / share("draws")) / c["risk_settings"]["certificate_draws"])])
    yield _between("empirical risk", c["moments"][0], found[0], found[0] + _risk_slack(total))
    if len(found) > 1:  # the disagreement, which is bounded from below and so rounded down
        yield _between("disagreement", -c["moments"][1], -found[1], -found[1] + _risk_slack(total))
    yield _between("KL", c["kl"], *_sum(kls))

    def bound(measured: Sequence[float], kl: float) -> float:
        return min(composed(c, measured, kl, lambda r, d: upper(r, d, share())), 1.0)

    yield _between("stochastic bound", c["stochastic_bound"], bound(found, _sum(kls)[0]), bound(c["moments"], c["kl"]))
    if c["posterior"] == "dirichlet":
        fixed = _fixed(c, folds)
        of_each_margin = share_of(claims_of(c, folds), "predict")
        yield from _deterministic_vote(c, folds, fixed, lambda r, d: upper(r, d, of_each_margin))
        if c["per_class"]:
            yield from _classes(c, folds, drawn(), kls, fixed)
    else:
        value = c["stochastic_bound"]
        if is_estimated(c) and not has_one_voter(c):
            # if the class that most of 2,000 drawn votes answer is wrong, at least half of them err
            price = math.log(1 / share_of(claims_of(c, folds), "predict", "votes drawn once")) / 2000
            value = min(2 * kl_inverse(value, price), 1.0)
        yield _between("bound", c["bound"], value, value)


def _baseline(c: Content, folds: "Sequence[Fold]") -> Iterator[Check]:
    """Always answering the most frequent class."""
    b, labels = c["baseline"], all_labels(folds)
    if not labels:
        yield Check("baseline", b, {}, b == {})
        return
    frequency = dict.fromkeys(labels, 0.0)
    for fold in folds:
        for label, share in zip(fold.classes.tolist(), fold.class_shares().tolist(), strict=True):  # type: ignore[union-attr]
            frequency[label] += share
    most = max(frequency.values()) * (1 - 1e-12)
    first = next(label for label in labels if frequency[label] >= most)
    named = json.dumps(b.get("label")) == json.dumps(first)
    yield Check("most frequent class", b.get("label"), first, named)
    if named:
        risk, delta = 1 - frequency[first] / c["n"], share_of(claims_of(c, folds), "baseline")
        yield _between("baseline's empirical risk", b["empirical_risk"], risk, risk)
        least, most = (constant_bound(risk, c["n"], delta, not c["grouped"], slack) for slack in (0.0, ROUNDED))
        yield _between("baseline's bound", b["bound"], least, most)


def _recalls(c: Content, folds: "Sequence[Fold]") -> Iterator[Check]:
    """What predict finds of each class, if no bound says so."""
    counts = bool(all_labels(folds)) and not c["per_class"] and c["posterior"] != "logit_normal"
    named, needed = [entry["label"] for entry in c["recalls"]], all_labels(folds) if counts else []
    same = json.dumps(named) == json.dumps(needed)
    if named or needed:
        yield Check("classes that have a recall", named, needed, same)
    if not same or not named:
        return
    given = [np.array(next(iter(p.values()))) for p in c["posteriors"]]
    asked = [(f, w / math.fsum(w), 2e-13 + 2.0**-52 * f.n_voters) for f, w in zip(folds, given, strict=True)]
    errs, may_err = (
        [vote_errors(f, w, d) for f, w, d in doubts] for doubts in ([(f, w, 5e-14) for f, w, _ in asked], asked)
    )
    for entry in c["recalls"]:
        name, members = f"recall of {entry['label']!a}, ", members_of(entry["label"], folds)
        counts_of = [fold.count(m) for fold, m in zip(folds, members, strict=True)]
        n = sum(counts_of)
        yield Check(f"{name}examples", entry["n"], n, entry["n"] == n)
        wrong = [
            math.fsum(k * f.mean(e, m) for k, f, e, m in zip(counts_of, folds, each, members, strict=True)) / max(n, 1)
            for each in (errs, may_err)
        ]
        least, most = wrong if n else (1.0, 1.0)
        yield _between(f"{name}errors measured", 1 - entry["measured"], least, most)


def _between(what: str, claimed: float, least: float, most: float) -> Check:
    """A figure that must not be below the recomputed value, nor above what outward rounding explains."""
    down, up = 1e-11 * max(1.0, abs(least)), 1e-9 * max(1.0, abs(most))  # what this file's own rounding may do
    return Check(what, abs(claimed), abs(float(least)), bool(least - down <= claimed <= most + up))


def _risk_slack(total: float) -> float:
    """How far a risk may have been rounded up: further where scipy's functions are less precise."""
    return 1e-9 + 2e-6 * (total > 1e6) + 2e-15 * total


def _sum(kls: "Sequence[KL]") -> tuple[float, float]:
    """The KL of all folds, and the most that it may have been rounded up to."""
    least = float(sum((kl for kl, _ in kls), Decimal(0)))
    return least, least + math.fsum(slack for _, slack in kls)


# -------------------------------------------------------------------------------------------- 2. The certificate's file

BLOCS = "bloc_dirichlet"


class Bloc(NamedTuple):
    """The blocs of a fold."""

    within: list[list[float]]  # prior concentrations of the voters of each
    speak: bool  # whether one voter speaks for each


FORMAT, SELECTIVE_FORMAT = "stocmv certificate 1", "stocmv selective certificate 1"
LONGEST = 1 << 28  # bytes of a certificate's file
NUMBER, TEXT, COUNT, LABEL, FREE = (int, float), (str,), (int,), (str, int, float, bool), (dict,)
CLASS_FIGURES = ("delta", "empirical_risk", "stochastic_risk", "bound", "stochastic_bound")
PROTOCOL = {"name": TEXT, "learning": COUNT, "judging": COUNT}
# what each field is: one of some types, a list, or a dictionary with these names or with any (str)
KINDS: dict[str, Any] = {
    **dict.fromkeys(("bound", "stochastic_bound", "kl", "delta"), NUMBER),
    **dict.fromkeys(("format", "statement", "risk", "theorem", "certified", "posterior", "deterministic_rule"), TEXT),
    **dict.fromkeys(("n", "alternatives"), COUNT),
    **dict.fromkeys(("risk_settings", "bound_settings", "context"), FREE),
    **{name: [TEXT] for name in ("unproven", "assumptions", "warnings", "vote_digests")},
    **{name: [{str: [NUMBER]}] for name in ("posteriors", "priors")},
    **dict.fromkeys(("covers_drawn", "grouped"), (bool,)),
    **{name: [NUMBER] for name in ("moments", "fold_shares")},
    "fold_sizes": [COUNT],
    "deterministic_vote": {str: NUMBER},
    "baseline": {"label": LABEL, "empirical_risk": NUMBER, "bound": NUMBER},
    "per_class": [{"label": LABEL, "n": COUNT, **dict.fromkeys(CLASS_FIGURES, NUMBER), "bound_settings": FREE}],
    "precisions": [{"label": LABEL, "n": COUNT, "measured": NUMBER, "bound": NUMBER, "bound_settings": FREE}],
    "recalls": [{"label": LABEL, "n": COUNT, "measured": NUMBER}],
    "cost": {
        "classes": [LABEL],
        "matrix": [[NUMBER]],
        "measured": NUMBER,
        "bound": NUMBER,
        "bound_settings": FREE,
        "baseline": {"label": LABEL, "measured": NUMBER, "bound": NUMBER},
    },
    "claims": [{"name": TEXT, "delta": NUMBER, "pays_for": TEXT, "among": {str: COUNT}}],
}
SELECTIVE_KINDS: dict[str, Any] = {  # the same for a vote that answers only when it is sure
    **{name: KINDS[name] for name in ("format", "statement", "bound", "delta", "theorem", "posterior", "n", "grouped")},
    **{name: KINDS[name] for name in ("unproven", "assumptions", "warnings", "vote_digests", "posteriors", "context")},
    **{name: KINDS[name] for name in ("fold_sizes", "fold_shares")},
    **dict.fromkeys(("coverage", "empirical_error", "empirical_coverage"), NUMBER),
    "thresholds": [NUMBER],
    "target": {str: NUMBER},
}
OPTIONAL = ("baseline", "cost")  # these may be empty
OF_FOLDS = {"fold_shares", "posteriors", "priors", "vote_digests", "thresholds"}  # one entry for each fold


def read_certificate(path: str | os.PathLike) -> tuple[dict[str, Any], Check]:
    """The content of a certificate file, and a check that the file was not changed."""
    with open(path, "rb") as file:
        text = file.read(LONGEST + 1)
    try:
        return parse_certificate(text)
    except Refused as error:
        raise Refused(f"{os.fspath(path)} is not a certificate of stocmv: {error}") from error


def parse_certificate(text: bytes) -> tuple[dict[str, Any], Check]:
    """The content, and a check that the text is, byte for byte, how this content is written, with the right digest.

    There is only one way to write a certificate, in ASCII: no number, letter or space can differ.
    """
    if len(text) > LONGEST:
        raise Refused("it is too long.")
    try:
        content: Any = json.loads(text, object_pairs_hook=_without_repetition, parse_constant=_no_constant)
        written = json.dumps(content, indent=1).encode()
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused("it is not JSON.") from error
    except ValueError as error:
        raise Refused(f"{error}") from error
    if isinstance(content, dict) and content.get("format") in NEW_FORMATS:  # interim: checked in the rewrite
        digest, _ = content.pop("sha256", None), content.pop("words (not sealed: they follow from the figures)", None)
        canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
        is_intact = written == text and digest == hashlib.sha256(canonical.encode()).hexdigest()
        return content, Check("digest of the file", "as written", "as written" if is_intact else "changed since", is_intact)
    if not isinstance(content, dict) or content.get("format") not in (FORMAT, SELECTIVE_FORMAT):
        raise Refused(f"its format is neither {FORMAT!r} nor {SELECTIVE_FORMAT!r}.")
    known = KINDS if content["format"] == FORMAT else SELECTIVE_KINDS
    digest = content.pop("sha256", None)
    unknown = sorted(known.keys() ^ content.keys())
    if unknown:
        raise Refused(f"fields missing or unknown: {', '.join(map(brief, unknown[:20]))}.")
    for name, kind in known.items():
        if not _is_like(content[name], kind) and not (name in OPTIONAL and content[name] == {}):
            raise Refused(f"{name} is not of the right kind.")
    _check_together(content)
    if _is_deeper(content["context"], 6):
        raise Refused("its context is nested too deeply.")
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    is_intact = written == text and digest == hashlib.sha256(canonical.encode()).hexdigest()
    found = "as written" if is_intact else "changed since"
    return content, Check("digest of the file", "as written", found, is_intact)


def _is_like(value: Any, kind: Any) -> bool:
    """Whether a value is of the kind that a table such as `KINDS` describes."""
    if isinstance(kind, tuple):
        return type(value) in kind and (type(value) not in NUMBER or abs(value) < 1e300)
    if isinstance(kind, list):
        return type(value) is list and all(_is_like(entry, kind[0]) for entry in value)
    if type(value) is not dict:
        return False
    if str in kind:
        return all(_is_like(entry, kind[str]) for entry in value.values())
    return tuple(value) == tuple(kind) and all(map(_is_like, value.values(), kind.values()))


def _check_together(content: dict[str, Any]) -> None:
    """Refuse fields that do not fit each other, so that whoever reads one finds what it refers to."""
    n_folds = len(content["fold_sizes"])
    _need(n_folds, "it has no folds.")
    for name in OF_FOLDS & content.keys():
        unpaid = name == "priors" and content[name] == []
        _need(unpaid or len(content[name]) == n_folds, f"{name} has not one entry for each of the {n_folds} folds.")
    full = (p and all(p[name] for name in p if name != "speakers") for p in content["posteriors"])
    _need(all(full), "a posterior has no parameters.")
    protocol = content["context"].get("protocol")
    _need(protocol is None or _is_like(protocol, PROTOCOL), "the protocol in its context is not of the right kind.")
    if content["format"] == FORMAT:
        _need(content["moments"], "it has no means.")
        measured = content["priors"] or "empirical_risk" in content["deterministic_vote"]
        _need(measured, "it does not say how often predict erred.")


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a field occurs twice.")
    return content


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number.")


def _is_deeper(value: Any, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels == 0 or any(_is_deeper(part, levels - 1) for part in inner)


# --------------------------------------------------------------------------------------------------- 3. The votes' file

CELLS = 1 << 19  # of an array with a row for each example and a column for each voter, or class, made at a time
_NUMBERED = "(0|[1-9][0-9]{0,8})"
_NAME = re.compile(f"fold_{_NUMBERED}_(?:part_{_NUMBERED}_)?([a-z_]+)")


@dataclass(frozen=True)
class Fold:
    """The votes of a fold: who errs, and with more than two classes who answers what.

    A voter that does not answer an example is neither wrong nor right on it.
    """

    n_voters: int
    bits: NDArray  # (n_voters / 8, n_rows): wrong answers, eight voters to a byte
    rights: NDArray | None  # right answers, in the same way, if some voter abstains
    counts: NDArray  # how many examples a row stands for
    classes: NDArray | None
    targets: NDArray | None  # codes of the true classes
    labels: NDArray | None  # codes of the answers, (n_rows, n_voters), with more than two classes; K: no answer
    groups: NDArray | None  # the group of each row, if rows belong to groups; then groups are counted
    digest: str

    @property
    def n_rows(self) -> int:
        return self.bits.shape[1]

    @property
    def abstains(self) -> bool:
        """Whether some voter may not have answered some example."""
        return self.rights is not None

    @property
    def doubts(self) -> tuple[float, float]:
        """What rounding may change of a share of the vote, in whatever order weights are added; and the most allowed.

        Whatever is that close to an edge counts against a claim.
        """
        return 5e-14 + 2.0**-52 * self.n_voters, 2e-13 + 2.0**-50 * self.n_voters

    @property
    def n_classes(self) -> int:
        return 2 if self.classes is None else max(2, len(self.classes))

    def blocks(self) -> Iterator[slice]:
        return row_blocks(self.n_rows, max(self.n_voters, self.n_classes))

    def errors(self, rows: slice) -> NDArray:
        """Who is wrong, (n_rows, n_voters)."""
        return self._unpacked(self.bits[:, rows])

    def right_answers(self, rows: slice) -> NDArray:
        """Who is right, (n_rows, n_voters)."""
        return 1 - self.errors(rows) if self.rights is None else self._unpacked(self.rights[:, rows])

    def _unpacked(self, plane: NDArray) -> NDArray:
        packed = np.ascontiguousarray(plane.T)
        return np.unpackbits(packed, axis=1, count=self.n_voters, bitorder="little").astype(float)

    def class_weights(self, rows: slice, weights: NDArray) -> tuple[NDArray, NDArray]:
        """Weights of the true class, and of every other class."""
        labels, targets, k = self.labels[rows], self.targets[rows], self.n_classes  # type: ignore[index]
        cells = (np.arange(len(labels))[:, None] * (k + 1) + labels).ravel()  # the last one is for no answer
        each = np.bincount(cells, np.broadcast_to(weights, labels.shape).ravel(), len(labels) * (k + 1))
        each = each.reshape(-1, k + 1)[:, :k]
        own = each[np.arange(len(each)), targets]
        each[np.arange(len(each)), targets] = 0.0
        return own, each

    def count(self, members: NDArray | slice = slice(None)) -> int:
        """Number of examples, or of groups, that these rows belong to."""
        return int(self.counts[members].sum()) if self.groups is None else len(np.unique(self.groups[members]))

    def weights(self, members: NDArray | slice = slice(None)) -> NDArray:
        """The weight of each of these rows: how often it occurs, or an equal share of its group."""
        if self.groups is None:
            return self.counts[members]
        _, place, sizes = np.unique(self.groups[members], return_inverse=True, return_counts=True)
        return 1 / sizes[place]

    def mean(self, rows: NDArray, members: NDArray | slice = slice(None)) -> float:
        """Mean over the examples, or over the groups, of a value for each row; 1 if there are none."""
        n = self.count(members)
        return min(math.fsum(rows[members] * self.weights(members)) / n, 1.0) if n else 1.0

    def class_shares(self) -> NDArray:
        """Number of examples of each class; a group counts by the share of its rows."""
        return np.bincount(self.targets, self.weights(), len(self.classes))  # type: ignore[arg-type]


def row_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """The rows in blocks, the smaller the more columns there are."""
    step = max(1, CELLS // max(n_columns, 64))
    return (slice(start, start + step) for start in range(0, n_rows, step))


def read_votes(path: str | os.PathLike) -> list[Fold]:
    """The folds of a votes file; no code in it is run."""
    with open(path, "rb") as file:
        try:
            with zipfile.ZipFile(file) as packed:
                return _folds(_arrays(packed))
        except Exception as error:  # whatever a damaged or forged archive may raise
            reason = next(iter(str(error).strip().splitlines()), "").rstrip(" .:")[:200] or type(error).__name__
            raise Refused(f"{os.fspath(path)} is not a votes file of stocmv: {brief(reason, 200)}.") from error


def free_memory() -> int:
    """Free memory in bytes, or 8 GiB if the system does not say."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 8 << 30


def _arrays(packed: zipfile.ZipFile) -> dict[str, NDArray]:
    entries = packed.infolist()
    if any(entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for entry in entries):
        raise Refused("it is packed in another way than stored or deflated")
    if sum(entry.file_size for entry in entries) > free_memory() // 2:
        raise Refused("what it holds unpacks to more than half of the free memory")
    arrays = {entry.filename.removesuffix(".npy"): _array(packed, entry) for entry in entries}
    if len(arrays) < len(entries):
        raise Refused("it has two arrays of one name")
    return arrays


def _array(packed: zipfile.ZipFile, entry: zipfile.ZipInfo) -> NDArray:
    with packed.open(entry) as file:
        header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[npy.read_magic(file)]
        shape, fortran, dtype = header(file)
        size = math.prod(shape) * dtype.itemsize
        if dtype.kind not in "biufUS" or dtype.itemsize == 0 or size > entry.file_size:
            raise Refused("it has an array that holds something else than it says")
        data = _read(file, size + 1)
    if len(data) != size:
        raise Refused("it has an array that holds something else than it says")
    return np.ndarray(shape, dtype, data, order="F" if fortran else "C")


def _read(file: Any, most: int) -> bytes:
    """At most ``most`` bytes, in pieces: read all at once, zipfile may unpack more than the file states."""
    pieces, left = [], most
    while left > 0 and (piece := file.read(min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _folds(arrays: dict[str, NDArray]) -> list[Fold]:
    if "bits" in arrays:
        return [fold_of([arrays])]
    folds: dict[int, dict[int, dict[str, NDArray]]] = {}
    for name, array in arrays.items():
        found = _NAME.fullmatch(name)
        if found is None:
            raise Refused(f"it has an array {brief(name)}")
        part = -1 if found[2] is None else int(found[2])
        folds.setdefault(int(found[1]), {}).setdefault(part, {})[found[3]] = array
    if sorted(folds) != list(range(len(folds))) or not folds:
        raise Refused("its folds are not numbered from 0")
    for parts in folds.values():
        if sorted(parts) not in ([-1], list(range(len(parts)))):
            raise Refused("the parts of a fold are not numbered from 0")
    return [fold_of([folds[k][p] for p in sorted(folds[k])], -1 not in folds[k]) for k in range(len(folds))]


def fold_of(parts: Sequence[Mapping[str, NDArray]], divided: bool = False) -> Fold:
    """One fold from its checked arrays; several parts are concatenated."""
    for part in parts:
        _check_part(part)
        same = _same_classes(part, parts[0]) and ("groups" in part) == ("groups" in parts[0])
        if int(part["n_voters"]) != int(parts[0]["n_voters"]) or not same:
            raise Refused("the parts of a fold have different voters, classes or groups")
    digests = [part_digest(part) for part in parts]

    def joined(name: str, axis: int = 0) -> Any:
        return _joined([part[name] for part in parts], axis) if name in parts[0] else None

    counts = [part["counts"] if part["counts"].size else np.ones(part["bits"].shape[1]) for part in parts]
    rights = [part["rights"] if "rights" in part else _others(part) for part in parts]
    return Fold(
        n_voters=int(parts[0]["n_voters"]),
        bits=joined("bits", axis=1),
        rights=_joined(rights, axis=1) if any("rights" in part for part in parts) else None,
        counts=np.concatenate(counts).astype(float),
        classes=parts[0].get("classes"),
        targets=joined("targets"),
        labels=joined("labels"),
        groups=joined("groups"),
        digest=hashlib.sha256(b"stocmv partitions 1;" + ";".join(digests).encode()).hexdigest()
        if divided
        else digests[0],
    )


def _joined(arrays: Sequence[NDArray], axis: int) -> NDArray:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays, axis)


def _others(part: Mapping[str, NDArray]) -> NDArray:
    """Who is not wrong, packed."""
    m, right = int(part["n_voters"]), ~part["bits"]
    if m % 8:
        right[-1] &= (1 << m % 8) - 1
    return right


def part_digest(part: Mapping[str, NDArray]) -> str:
    """SHA-256 of the votes, as in certificates: of name, type, shape and content of each array."""
    hashed = hashlib.sha256(f"stocmv votes 2;n_voters={int(part['n_voters'])};".encode())
    further = [name for name in ("groups", "rights") if name in part]
    for name in ("classes", "bits", "targets", "labels", "counts", *further):
        if name not in part:
            hashed.update(f"{name}:none;".encode())
        elif part[name].dtype.kind == "U":
            hashed.update(f"{name}:str:{part[name].shape};{json.dumps(part[name].tolist())}".encode())
        else:
            little = np.ascontiguousarray(part[name], part[name].dtype.newbyteorder("<"))
            hashed.update(f"{name}:{little.dtype.str}:{part[name].shape};".encode())
            hashed.update(little.data)
    return hashed.hexdigest()


def _check_part(part: Mapping[str, NDArray]) -> None:
    """Refuse arrays of other names, types, shapes or ranges, and answers that contradict the errors."""
    named, several = "classes" in part, "classes" in part and len(np.atleast_1d(part["classes"])) > 2
    needed = {"n_voters", "bits", "counts", *(["classes", "targets"] * named), *(["labels"] * several)}
    if set(part) - {"groups", "rights"} != needed:
        raise Refused("its arrays are not those of votes")
    n_voters, bits, counts = part["n_voters"], part["bits"], part["counts"]
    if n_voters.shape or n_voters.dtype.kind not in "iu" or n_voters < 1:
        raise Refused("its number of voters is not a positive integer")
    m, rows = int(n_voters), bits.shape[-1] if bits.ndim else 0
    if bits.dtype != np.uint8 or bits.shape != (-(-m // 8), rows) or rows == 0:
        raise Refused("its errors do not fit its number of voters")
    for plane in (bits, part.get("rights", bits)):
        if plane.dtype != np.uint8 or plane.shape != bits.shape or (m % 8 and np.any(plane[-1] >> (m % 8))):
            raise Refused("its errors contradict its number of voters")
    if "rights" in part and np.any(bits & part["rights"]):
        raise Refused("a voter is both wrong and right")
    is_whole = counts.dtype.kind in "iuf" and np.all((counts >= 1) & (counts < 2**53) & (counts == np.floor(counts)))
    if counts.shape not in ((0,), (rows,)) or not is_whole or counts.sum(dtype=float) >= 2**53:
        raise Refused("its counts are not positive integers")
    if "groups" in part and (part["groups"].dtype != np.uint64 or part["groups"].shape != (rows,) or counts.size):
        raise Refused("its groups are not one number for each row, none of them merged")
    if not named:
        return
    classes, k = part["classes"], len(np.atleast_1d(part["classes"]))
    if classes.ndim != 1 or k == 0 or not np.all(classes[1:] > classes[:-1]):
        raise Refused("its classes are not sorted")
    for name, shape, n_codes in (("targets", (rows,), k), ("labels", (rows, m), k + ("rights" in part))):
        if name in part and (part[name].dtype.kind != "u" or part[name].shape != shape or part[name].max() >= n_codes):
            raise Refused(f"its {name} are not codes of its classes")
    planes = [bits, part["rights"] if "rights" in part else _others(part)]
    for block in row_blocks(rows if several else 0, m):
        labels, targets = part["labels"][block], part["targets"][block, None]
        said = [(labels != targets) & (labels < k), labels == targets]
        for flags, plane in zip(said, planes, strict=True):
            if not np.array_equal(np.packbits(flags, axis=1, bitorder="little").T, plane[:, block]):
                raise Refused("its labels and its errors contradict each other")


def _same_classes(part: Mapping[str, NDArray], first: Mapping[str, NDArray]) -> bool:
    return ("classes" in part) == ("classes" in first) and np.array_equal(
        part.get("classes", 0), first.get("classes", 0)
    )


# ---------------------------------------------------------------------------------------------------------- 4. The form

PARAMETERS = {"dirichlet": ("alpha",), "categorical": ("theta",), "logit_normal": ("location", "scale")}
RISKS = {  # the posteriors that a risk is defined for, and its settings
    "exact": (("dirichlet",), ()),
    "half": (("dirichlet",), ()),
    "mc": (("dirichlet", "logit_normal"), ("n_draws", "slope", "certificate_draws", "draw_share")),
    "first_order": (("categorical", "dirichlet"), ()),
    "second_order": (("categorical", "dirichlet"), ()),
    "binomial": (("categorical",), ("n_draws",)),
    "c_bound": (("categorical",), ()),
}
BOUNDS = {  # the theorem that a bound rests on, and its settings
    "seeger": ("Seeger's bound with Maurer's constant", ("constant",)),
    "catoni": ("Catoni's bound", ("c",)),
    "catoni_per_fold": ("Catoni's bound, its constant chosen for each fold from the others", ("c",)),
    "mcallester": ("McAllester's bound", ()),
}
FOLD_TEST = ("name", "slope", "offset", "scale")
TESTS: dict[str, tuple[str, ...]] = {"clopper_pearson": ("name",), "fold_test": FOLD_TEST}  # and their settings
MARGINS = (0.0, 0.01, 0.02, 0.04, 0.07, 0.12, 0.2)  # one of them was chosen, and all share delta
LARGEST = 1e12  # scipy's functions were found to be precise up to this concentration
MOST_DRAWS = 10**6
DETERMINISTIC_VOTE = ("margin", "scale", "leak", "heavy", "coverage", "empirical_risk", "kl", "margins")
KINDS_OF_LABELS = ({str}, {int}, {float}, {bool})


def check_form(c: Content, folds: Sequence[Fold]) -> None:
    """Refuse unknown parts, and parameters for which the theorems do not hold."""
    name = c["bound_settings"].get("name")
    _need(isinstance(name, str) and name in {**BOUNDS, **TESTS}, f"the bound {brief(name)} is not known here")
    _need(c["posterior"] in RULES, f"the posterior {brief(c['posterior'])} is not known here")
    _need(1e-200 <= c["delta"] < 1, "delta is not between 1e-200 and 1")
    _need(0 <= c["bound"] <= 1 and 0 <= c["stochastic_bound"] <= 1, "a bound is not between 0 and 1")
    _need(all(0 <= moment <= 1 for moment in c["moments"]), "a mean is not between 0 and 1")
    _need(len(c["fold_shares"]) == len(folds), "there is not one share for each fold")
    _need(len(c["posteriors"]) == len(folds), "there is not a posterior for each fold")
    _check_baseline(c["baseline"])
    _check_classes(c["per_class"])
    _check_recalls(c["recalls"])
    _check_claims(c["claims"])
    _check_precisions(c, len(folds))
    _check_cost(c, len(folds))
    if any(fold.abstains for fold in folds):
        exact = c["risk"] == "exact" and c["posterior"] == "dirichlet"
        _need(exact, f"the risk {brief(c['risk'])} is not defined where voters do not answer")
    if is_tested(c):
        _check_tested(c, folds)
    else:
        _check_paid(c, folds)


def _check_paid(c: Content, folds: Sequence[Fold]) -> None:
    """Check the parts of a certificate for weights learned on the judging examples."""
    _need(not c["grouped"], "a bound that pays for learning is on examples, not on groups of them")
    _need(c["risk"] in RISKS, f"the risk {brief(c['risk'])} is not known here")
    kinds, settings = RISKS[c["risk"]]
    _need(c["posterior"] in kinds, f"the risk {c['risk']!r} is not defined for the posterior {brief(c['posterior'])}")
    _need(set(c["risk_settings"]) == set(settings), f"the settings of the risk are not {settings}")
    of_bound = BOUNDS[c["bound_settings"]["name"]][1]
    _need(set(c["bound_settings"]) == {"name", *of_bound}, f"the settings of the bound are not {of_bound}")
    _need(1 <= c["alternatives"] <= 10**9, "the number of alternatives is not a positive integer")
    _need(_is_number(c["kl"]) and c["kl"] >= 0, "the KL is negative, or too large")
    _need(len(c["moments"]) == 1 + (c["risk"] == "c_bound"), "there is not one mean for each that the risk has")
    _need(len(c["priors"]) == len(folds), "there is not a prior for each fold")
    for fold, posterior, prior in zip(folds, c["posteriors"], c["priors"], strict=True):
        _check_parameters(c["posterior"], posterior, fold.n_voters, "posterior")
        _check_parameters(c["posterior"], prior, fold.n_voters, "prior")
    _check_risk_settings(c["risk_settings"])
    _check_bound_settings(c["bound_settings"], len(folds))
    _check_deterministic_vote(c)


def _check_tested(c: Content, folds: Sequence[Fold]) -> None:
    """Check the parts of a certificate for weights learned without the judging examples."""
    name = c["bound_settings"]["name"]
    _need((name == "clopper_pearson") == (len(folds) == 1), "Clopper and Pearson's bound is for one part that judges")
    _need(c["priors"] == [] and c["kl"] == 0, "a vote that is only tested has no prior, and pays no KL")
    _need(c["alternatives"] == 1, "a vote that is only tested has no alternatives")
    _need(c["risk"] == "exact" and c["risk_settings"] == {}, "the risk of a vote that is only tested is 'exact'")
    _need(len(c["moments"]) == 1, "there is not one mean")
    known = c["posterior"] in ("dirichlet", "categorical")
    _need(known, f"no test is known for the posterior {brief(c['posterior'])}")
    for fold, posterior in zip(folds, c["posteriors"], strict=True):
        _check_parameters(c["posterior"], posterior, fold.n_voters, "posterior")
    v = c["deterministic_vote"]
    measured = tuple(v) == ("empirical_risk",) and _is_number(v["empirical_risk"]) and 0 <= v["empirical_risk"] <= 1
    _need(measured, "the deterministic vote's figure is not its empirical risk")
    _check_constants(c["bound_settings"], len(folds))
    for entry in c["per_class"]:
        if entry["bound_settings"]:
            _need(name == "fold_test", "only the fold test has constants for each class")
            _check_constants(entry["bound_settings"], len(folds))


def _check_constants(settings: dict[str, Any], n_folds: int) -> None:
    """Check the constants that a test has for each fold."""
    name = settings.get("name")
    known = isinstance(name, str) and name in TESTS and tuple(settings) == TESTS[name]
    _need(known, "the settings of the test are not those that it has")
    for constant in TESTS[name][1:]:  # type: ignore[index]
        values = settings[constant]
        flat = isinstance(values, list) and len(values) == n_folds and all(map(_is_number, values))
        _need(flat, f"{constant} is not a list of numbers, one for each fold")
    if name == "fold_test":
        _need(min(settings["slope"]) >= 1, "a slope of the fold test is below 1")
        _need(max(settings["slope"]) <= 100, "a slope of the fold test is out of the range where rounding is harmless")
        _need(min(settings["offset"]) >= 0, "an offset of the fold test is negative")
        _need(min(settings["scale"]) > 1e-300, "a scale of the fold test is not positive")


def _check_baseline(b: dict[str, Any]) -> None:
    figures = [b["empirical_risk"], b["bound"]] if b else []
    _need(all(0 <= x <= 1 for x in figures), "a figure of the baseline is not between 0 and 1")


def _check_classes(per_class: Sequence[dict[str, Any]]) -> None:
    figures = (entry[name] for entry in per_class for name in CLASS_FIGURES)
    _need(all(0 <= x <= 1 for x in figures), "a figure of a class is not between 0 and 1")


def _check_precisions(c: Content, n_folds: int) -> None:
    for entry in c["precisions"]:
        _need(0 <= entry["measured"] <= 1 and 0 <= entry["bound"] <= 1, "a precision is not between 0 and 1")
        _check_own_constants(c, entry["bound_settings"], n_folds)


def _check_recalls(recalls: Sequence[dict[str, Any]]) -> None:
    for entry in recalls:
        _need(0 <= entry["measured"] <= 1, "a recall is not between 0 and 1")


def _check_cost(c: Content, n_folds: int) -> None:
    if not c["cost"]:
        return
    rows, named = c["cost"]["matrix"], c["cost"]["classes"]
    _need({type(x) for x in named} in KINDS_OF_LABELS, "the costs are not of classes")
    _need(named == sorted(set(named)), "the classes that have costs are not sorted")
    _need(rows and all(len(row) == len(rows) for row in rows), "no matrix")
    _need(all(_is_cost(x) for row in rows for x in row), "a cost is not a number, or too large")
    _need(all(row[k] == min(row) for k, row in enumerate(rows)), "a wrong answer costs less than the right one")
    _need(len(named) == len(rows), "there is not a row of costs for each class")
    _need(max(map(max, rows)) > min(map(min, rows)), "all costs are the same")
    one = c["cost"]["baseline"]
    means = (each[name] for each in (c["cost"], one) for name in ("measured", "bound"))
    _need(all(map(_is_cost, means)), "a mean cost is not a number")
    _need({type(one["label"])} in KINDS_OF_LABELS, "the label of the cheapest answer is not one")
    _check_own_constants(c, c["cost"]["bound_settings"], n_folds)


def _check_own_constants(c: Content, settings: dict[str, Any], n_folds: int) -> None:
    """Check the constants of figures other than the overall error, which only the fold test has."""
    if settings:
        _need(c["bound_settings"]["name"] == settings.get("name") == "fold_test", "only the fold test has constants")
        _check_constants(settings, n_folds)


def _check_claims(claims: Sequence[dict[str, Any]]) -> None:
    for claim in claims:
        _need(0 < claim["delta"] < 1, "a claim has no share of delta between 0 and 1")
        _need(all(1 < n < 2**40 for n in claim["among"].values()), "a claim is not shared among whole numbers")


def _need(condition: object, otherwise: str) -> None:
    if not condition:
        raise Refused(otherwise)


def _is_number(value: Any, least: float = -math.inf, most: float = math.inf) -> bool:
    """Whether it is a finite number strictly between two."""
    return type(value) in NUMBER and abs(value) < 1e300 and least < value < most


def _is_cost(value: Any) -> bool:
    """Whether it is a cost, and a number that rounding leaves as it is: differences of costs are then precise."""
    return _is_number(value, -1e101, 1e101) and value == float(value)


def _check_parameters(kind: str, parameters: dict[str, Any], n_voters: int, what: str) -> None:
    _need(tuple(parameters) == PARAMETERS[kind], f"the parameters of a {what} are not {PARAMETERS[kind]}")
    for name, values in parameters.items():
        flat = isinstance(values, list) and len(values) == n_voters and all(map(_is_number, values))
        _need(flat, f"{name} of a {what} is not a list of numbers, one for each voter")
    if kind == "dirichlet":
        _need(
            all(1 / LARGEST <= x <= LARGEST for x in parameters["alpha"]),
            f"a concentration of a {what} is out of range",
        )
    elif kind == "categorical":
        theta = parameters["theta"]
        _need(min(theta) >= 0 and (what == "posterior" or min(theta) > 0), f"a probability of a {what} is not positive")
        _need(abs(math.fsum(theta) - 1) <= 1e-12, f"the probabilities of a {what} do not sum to one")
    else:
        _need(all(_is_number(x, 1e-100, 1e100) for x in parameters["scale"]), f"a scale of a {what} is out of range")
        _need(all(abs(x) <= 1e100 for x in parameters["location"]), f"a location of a {what} is out of range")


def _check_risk_settings(settings: dict[str, Any]) -> None:
    for name, value in settings.items():
        if name == "slope":
            _need(_is_number(value, 0), "the slope is not positive")
        elif name == "draw_share":
            _need(_is_number(value, 0, 1), "the share of delta for draws is not between 0 and 1")
        else:
            _need(type(value) is int and 1 <= value <= MOST_DRAWS, f"{name} is not a number of draws")


def _check_bound_settings(settings: dict[str, Any], n_folds: int) -> None:
    if "constant" in settings:
        _need(settings["constant"] in ("xi", "2sqrt"), "the constant of the bound is not known here")
    if "c" in settings:
        grid = settings["c"]
        flat = isinstance(grid, list) and 1 <= len(grid) <= 10**6 and all(_is_number(x, 0) for x in grid)
        _need(flat, "the constants of the bound are not a list of positive numbers")
        _need(settings["name"] == "catoni" or len(grid) == n_folds, "there is not one constant for each fold")
        sound = all(1e-4 <= x <= 1e4 for x in grid)
        _need(sound, "a constant of the bound is out of the range in which rounding does not matter")


def _check_deterministic_vote(c: Content) -> None:
    """Check the parts of a PAC-Bayes bound on the deterministic vote."""
    f = c["deterministic_vote"]
    _need(all(entry["bound_settings"] == {} for entry in c["per_class"]), "a class has constants of its own")
    if c["posterior"] != "dirichlet":
        _need(f == {} and c["per_class"] == [], "margins and classes are for Dirichlet posteriors")
        return
    known = tuple(f) == DETERMINISTIC_VOTE and all(map(_is_number, f.values()))
    _need(known, f"the deterministic vote's figures are not {DETERMINISTIC_VOTE}")
    grid = (0.0,) if has_one_voter(c) else MARGINS
    _need(f["margin"] in grid and f["margins"] == len(grid), "the margin is not one of those that are paid for")
    _need(type(f["margins"]) is int, "the number of margins is not an integer")
    _need(0 < f["coverage"] <= 1, "the coverage is not between 0 and 1")
    spoken = 0 < f["leak"] < 0.5 and f["heavy"] >= 0 if has_speakers(c) else f["leak"] == f["heavy"] == 0
    _need(spoken, "the leak is not one that the theorem allows")
    _need(0 <= f["empirical_risk"] <= 1 and f["kl"] >= 0, "a figure of the deterministic vote is out of range")
    scaled = (f["scale"] * x for p in c["posteriors"] for x in p["alpha"])
    _need(f["scale"] > 0 and all(1 / LARGEST <= x <= LARGEST for x in scaled), "the scale is out of range")


# --------------------------------------------------------------------------------------------------------- 5. The words

CERTIFIED = {
    "exact": "the error of the stochastic vote",
    "mc": "the error of the stochastic vote",
    "half": "the probability that the voters that err hold at least half of the weight",
    "first_order": "the error of the weighted vote (at most twice the mean error of a voter)",
    "second_order": "the error of the weighted vote (at most four times the mean squared weight of the wrong voters)",
    "binomial": "the error of the weighted vote (at most twice the error of a vote of drawn voters)",
    "c_bound": "the error of the weighted vote (from the mean error and disagreement of its voters)",
}
RULES = {
    "categorical": "the voters vote with their probabilities as weights, and of classes that tie the first wins",
    "dirichlet": "the voters vote with their mean weights, and of classes that tie the first wins",
    BLOCS: "one voter of each bloc votes, with the bloc's mean weight, and of classes that tie the first wins",
    "logit_normal": "the class that most of 2,000 votes answer, whose weights were drawn once",
}


SPEAKERS = (
    "Voters that answered all judging examples alike form a bloc. The voter that speaks for a bloc in predict was "
    "drawn once, in proportion to the prior; the bound on predict is on the average over that draw."
)
SILENCE = "; voters that do not answer an example have no say in it, and one that no voter answers counts as an error"


def is_tested(c: Content) -> bool:
    """Whether the judging examples only test: they set no weights, and nothing is paid for learning."""
    return c["bound_settings"]["name"] in TESTS


def has_speakers(c: Content) -> bool:
    """Whether one voter speaks for each bloc in predict."""
    return any(bloc.speak for bloc in c.get("blocs", ()))


def has_one_voter(c: Content) -> bool:
    return "blocs" not in c and all(len(next(iter(parameters.values()))) == 1 for parameters in c["posteriors"])


def covers_drawn(c: Content) -> bool:
    """Whether the stochastic bound holds for votes with drawn weights."""
    return is_tested(c) or has_one_voter(c) or c["posterior"] != "categorical" or c["risk"] == "first_order"


def is_estimated(c: Content) -> bool:
    """Whether the risk is a mean over drawn votes."""
    return c["risk"] == "mc" and c["posterior"] == "logit_normal"


def low_recall(c: Content, again: str) -> str:
    """What is said of the class that is found least, if that is less than half."""
    certified = bool(c["per_class"])
    found = {i: 1 - e["bound"] if certified else e["measured"] for i, e in enumerate(c["per_class"] or c["recalls"])}
    entries = c["per_class"] or c["recalls"]
    low = sorted((recall, i) for i, recall in found.items() if recall < 0.5 and entries[i]["n"])
    if not low:
        return ""
    recall, worst = low[0][0], entries[low[0][1]]
    of = f"{_percent_down(recall)} of class {worst['label']!r}" + ", averaged group by group" * c["grouped"]
    others = f"{len(low) - 1:,} other {'class' if len(low) == 2 else 'classes'}, too"
    if certified:
        measured = f" ({_percent_down(1 - worst['empirical_risk'])} measured)" if is_tested(c) else ""
        key = ", on average over that key" if len(c["posteriors"]) > 1 else ""
        more = f"; less than half is certified of {others}" if len(low) > 1 else ""
        return f" It finds at least {of}{measured}{key}, {again}{more}."
    more = f", and less than half of {others}" if len(low) > 1 else ""
    judges = "groups that judge it" if c["grouped"] else "examples that judge it"
    return f" On the {judges}{'' if is_tested(c) else ', which also taught it'}, it finds {of}{more}."


def no_better(c: Content, again: str) -> str:
    """What is said of always giving the same answer, if predict is no better: by bounds, or by what was measured."""
    if c["cost"]:
        ours, theirs = c["cost"], c["cost"]["baseline"]
        than = f"is no better than that of always answering {theirs['label']!r}"
        if ours["bound"] >= theirs["bound"]:
            costs = _amount(ours["bound"]), _amount(theirs["bound"])
            return f" The bound on the mean cost of predict, {costs[0]}, {than}, {costs[1]}, each {again}."
        if ours["measured"] >= theirs["measured"]:
            costs = _amount(ours["measured"]), _amount(theirs["measured"])
            return f" Measured, the mean cost of predict, {costs[0]}, {than}, {costs[1]}."
        return ""
    if not c["baseline"]:
        return ""
    one = f"always answering {c['baseline']['label']!r}"
    if c["bound"] >= c["baseline"]["bound"]:
        theirs = _percent(c["baseline"]["bound"])
        return f" The bound on predict is no better than that of {one}, at most {theirs}, {again}."
    ours, theirs = c["deterministic_vote"].get("empirical_risk"), c["baseline"]["empirical_risk"]
    if is_tested(c) and ours >= theirs:
        errors = _percent(ours), _percent(theirs)
        return f" Measured, predict is no better than {one}: it errs on {errors[0]}, that answer on {errors[1]}."
    return ""


def _theorem(c: Content) -> str:
    n_folds, grouped = len(c["posteriors"]), c["grouped"]
    if not is_tested(c):
        crossed = f", cross-bounded over {n_folds} folds" if n_folds > 1 else ""
        return f"{BOUNDS[c['bound_settings']['name']][0]}{crossed}, for the risk {c['risk']!r}"
    if n_folds > 1:
        return f"the fold test over {n_folds} folds"
    exact = "Bentkus's bound for the means of groups" if grouped else "Clopper and Pearson's bound"
    uneven = len({x for row in c["cost"].get("matrix", []) for x in row}) > 2
    others = ["the stochastic vote"] * (not has_one_voter(c)) + ["the mean cost"] * uneven
    return f"{exact}; Bentkus's bound for {' and '.join(others)}" if others else exact


def _certified(c: Content) -> str:
    several = len(c["posteriors"]) > 1
    if has_one_voter(c):
        return "the error of the voter of a drawn fold" if several else "the error of the only voter"
    if not is_tested(c):
        return CERTIFIED[c["risk"]]
    return f"the error of the stochastic vote, which draws {'a fold and ' * several}weights afresh for every example"


def _words(c: Content, statement: str, folds: Sequence[Fold]) -> Iterator[Check]:
    """What the certificate says in words must be what its figures say."""
    alone = has_one_voter(c)
    fold = "each example is given to one fold, then " if len(c["posteriors"]) > 1 else ""
    rule = (
        fold
        + ("its voter answers" if alone else RULES[BLOCS if has_speakers(c) else c["posterior"]])
        + SILENCE * any(fold.abstains for fold in folds)
    )
    for what, field, said in (
        ("theorem", "theorem", _theorem(c)),
        ("what the stochastic bound is on", "certified", _certified(c)),
        ("covers drawn votes", "covers_drawn", covers_drawn(c)),
        ("deterministic vote", "deterministic_rule", rule),
        ("statement", "statement", statement),
    ):
        yield Check(what, c[field], said, c[field] == said)
    needed = assumed(c)
    stated = c["assumptions"][: len(needed)]
    yield Check("assumptions", f"{len(stated)} stated", f"{len(needed)} needed", stated == needed)
    yield Check("proven", "yes" if not c["unproven"] else f"but for {c['unproven']}", "yes", not c["unproven"])


def assumed(c: Content) -> list[str]:
    """The assumptions that follow from the figures."""
    if is_tested(c):
        costs = ["The costs were fixed before looking at these examples, for all classes that can occur."] * bool(
            c["cost"]
        )
        return _assumed_of_tests(len(c["posteriors"]) > 1, c["grouped"]) + costs
    unseen = (
        "The voters and the prior of each fold were chosen without looking at the examples of that fold, and the folds "
        "were drawn without looking at the examples."
        if len(c["posteriors"]) > 1
        else "The voters and the prior were chosen without looking at these examples."
    )
    how = "of each fold was chosen from the others." if len(c["posteriors"]) > 1 else "was fixed before, too."
    chosen = f" The constant {how}" * (c["bound_settings"]["name"] == "catoni_per_fold")
    draws = c["risk_settings"].get("certificate_draws")
    drawn = (
        f"The risk is estimated from {draws} drawn votes, which a share of delta pays for; the posterior was chosen "
        "without looking at these draws."
    )
    return [
        "The examples are independent draws from one distribution, and new examples come from the same one.",
        unseen,
        "The risk, the bound and delta were fixed before looking at these examples." + chosen,
        *([drawn] if is_estimated(c) else []),
        *([SPEAKERS] if has_speakers(c) else []),
    ]


def _assumed_of_tests(several: bool, grouped: bool) -> list[str]:
    drawn = (
        "The groups are independent draws from one distribution, and new groups come from the same one; within a group "
        "anything may depend on anything."
        if grouped
        else "The examples are independent draws from one distribution, and new examples come from the same one."
    )
    if not several:
        return [
            drawn,
            "The voters and their weights were chosen without looking at the examples that judge them.",
            "The bound and delta were fixed before looking at these examples.",
        ]
    return [
        drawn,
        "The voters and the weights of each fold were chosen without looking at the examples of that fold, and the "
        "folds were drawn without looking at the examples.",
        "The bound and delta were fixed before looking at these examples; the constants of each fold were chosen from "
        "the others.",
    ]


def statement_of(c: Content) -> str:
    """The certificate in a sentence or two; bounds are rounded up in it, and the confidence down."""
    bound = _percent(c["bound"])
    if c["unproven"]:
        return (
            f"Not a certificate: {bound} uses parts without a proof ({', '.join(c['unproven'])}). The error "
            "may exceed it more often than delta allows."
        )
    confidence = f"{min(math.floor(round((1 - c['delta']) * 1e6, 7)), 999_999) / 1e4:g} %"
    one = "group" if c["grouped"] else "example"
    judges = f"1 {one} that judges" if c["n"] == 1 else f"{c['n']:,} {one}s that judge"
    on = "rows of new groups, averaged group by group" if c["grouped"] else "new examples"
    folds = len(c["posteriors"])
    key = f", on average over the key that shares them out among the {folds} folds" if folds > 1 else ""
    if has_speakers(c):
        key += f"{' and' if key else ', on average over'} the draw of the voters that speak for blocs"
    promise = (
        f"With probability at least {confidence} over the draw of the {judges} it, predict errs on at most "
        f"{bound} of {on}{key}."
    )
    again = f"again with probability at least {confidence}"
    return promise + low_recall(c, again) + no_better(c, again)


def _percent(share: float) -> str:
    return f"{math.ceil(round(share * 1e4, 7)) / 100:.2f} %"


def _percent_down(share: float) -> str:
    return f"{max(math.floor(round(share * 1e4, 7)), 0) / 100:.2f} %"


def _amount(cost: float) -> str:
    """Four digits, rounded up."""
    digits = decimal.Context(prec=4, rounding=decimal.ROUND_CEILING)
    return f"{digits.create_decimal(Decimal(f'{cost:.12g}')).normalize():f}"


# ----------------------------------------------------------------------------------------------- 6. The shares of delta


def certified_votes(c: Content) -> tuple[str, ...]:
    """The votes that have their own bound."""
    return ("predict", "stochastic vote") if covers_drawn(c) and not has_one_voter(c) else ("predict",)


def claims_of(c: Content, folds: Sequence[Fold]) -> list[dict[str, Any]]:
    """How delta must be split, given what the certificate states and how it was computed.

    Each claim fails with probability at most delta: all shares with the same name add up to it.
    """
    n_classes, tried, claims = len(all_labels(folds)), {"parts for priors": c["alternatives"]}, []
    margins = {"margins": c["deterministic_vote"].get("margins", 1)}
    for vote in certified_votes(c):
        if margins["margins"] > 1 and vote == "predict":
            claims.append(_claim(vote, c["delta"], "bound", {**tried, **margins}))
            continue
        for_draws = c["risk_settings"]["draw_share"] if is_estimated(c) else 0.0
        means = {"means": 2 if c["risk"] == "c_bound" else 1}
        claims.append(_claim(vote, c["delta"] * (1 - for_draws), "bound", {**tried, **means}))
        if for_draws:  # half for the draws of the risk, with two posteriors to choose from in each fold
            drawn = {**tried, "folds": len(folds), "posteriors": 2}
            claims.append(_claim(vote, c["delta"] * for_draws / 2, "draws", drawn))
        if for_draws and vote == "predict" and not has_one_voter(c):
            claims.append(_claim(vote, c["delta"] * for_draws / 2, "votes drawn once", tried))
    if n_classes:
        claims.append(_claim("baseline", c["delta"], "bound", tried))
    for vote in certified_votes(c) if c["per_class"] and n_classes else ():
        own = {"classes": n_classes} | (margins if vote == "predict" else {})
        name = "classes" if vote == "predict" else f"classes, {vote}"
        claims.append(_claim(name, c["delta"], "bound", {**tried, **own}))
    if has_precisions(c) and n_classes:
        several, among = len(folds) > 1, {"classes": n_classes}
        claims.append(_claim("precision", c["delta"] * (0.9 if several else 1.0), "bound", among))
        if several:  # how often each fold gives an answer is known up to an interval with two sides
            among |= {"folds": len(folds), "sides": 2}
            claims.append(_claim("precision", c["delta"] * 0.1, "shares of the folds", among))
    if c["cost"]:
        answers = {"answers": len(c["cost"]["classes"])}
        claims += [_claim("cost", c["delta"], "bound", {}), _claim("cost of one answer", c["delta"], "bound", answers)]
    return claims


def has_precisions(c: Content) -> bool:
    """Whether there is a bound on the precision of each class; groups with folds have none."""
    return bool(c["per_class"]) and is_tested(c) and not (c["grouped"] and len(c["posteriors"]) > 1)


def _claim(name: str, delta: float, pays_for: str, among: dict[str, int]) -> dict[str, Any]:
    shared = {what: count for what, count in among.items() if count > 1}
    return {"name": name, "delta": delta / math.prod(among.values()), "pays_for": pays_for, "among": shared}


def share_of(claims: Sequence[dict[str, Any]], name: str, pays_for: str = "bound") -> float:
    return next(claim["delta"] for claim in claims if (claim["name"], claim["pays_for"]) == (name, pays_for))


def _claims(c: Content, folds: Sequence[Fold]) -> Iterator[Check]:
    """Whether each claim has the share that the figures are computed with, and none has more than delta in total."""
    claimed, found = c["claims"], claims_of(c, folds)
    titles, needed = ([_title(claim) for claim in claims] for claims in (claimed, found))
    same_parts = [{**claim, "delta": 0} for claim in claimed] == [{**claim, "delta": 0} for claim in found]
    yield Check("claims", titles, needed, titles == needed and same_parts)
    for ours, theirs in zip(claimed, found, strict=False) if same_parts else ():
        same = math.isclose(ours["delta"], theirs["delta"], rel_tol=1e-12)
        yield Check(f"delta of {_title(theirs)}", ours["delta"], theirs["delta"], same)
    for name in dict.fromkeys(claim["name"] for claim in claimed):
        total = math.fsum(x["delta"] * math.prod(x["among"].values()) for x in claimed if x["name"] == name)
        yield Check(f"all of delta for {brief(name)}", c["delta"], total, total <= c["delta"] * (1 + 1e-12))


def _title(claim: dict[str, Any]) -> str:
    among = " x ".join(f"{count} {what}" for what, count in claim["among"].items())
    parts = f"{claim['name']}, {claim['pays_for']}"
    return f"{parts}, each of {among}" if among else parts


# -------------------------------------------------------------------------------- 7. The errors of the vote, row by row


def row_losses(fold: Fold, alpha: Sequence[float] | NDArray, margin: float = 0.0) -> NDArray:
    """Probability that the vote with Dirichlet weights errs, or is right by less than the margin."""
    weights = np.asarray(alpha, float)
    losses = []
    for rows in fold.blocks():
        if fold.labels is None:
            losses.append(_half(fold.errors(rows) @ weights, fold.right_answers(rows) @ weights, margin))
        else:
            own, rivals = fold.class_weights(rows, weights)
            losses.append(_beaten(own, rivals, (1 - 2 * margin) / (1 + 2 * margin)))
    return np.concatenate(losses)


def _half(wrong: NDArray, right: NDArray, margin: float) -> NDArray:
    """Probability that a Beta(wrong, right) variable exceeds one half minus the margin; 1 if no voter answers."""
    inside = special.betaincc(np.where(wrong > 0, wrong, 1.0), np.where(right > 0, right, 1.0), 0.5 - margin)
    return np.where(right > 0, np.where(wrong > 0, inside, 0.0), 1.0)


def _beaten(own: NDArray, rivals: NDArray, ratio: float) -> NDArray:
    """Probability that some rival gamma variable reaches this ratio of the gamma variable of shape ``own``."""
    losses = np.where(own > 0, 0.0, 1.0)
    contested = np.flatnonzero((own > 0) & (rivals > 0).any(1))
    a, b = own[contested], rivals[contested]
    top = np.log1p(np.sqrt(80 / a) + 40 / a)  # outside of top and bottom the density is below e^-40
    bottom = np.maximum(-np.sqrt(80 / a) - 40 / a, -32 - np.log(a))
    # a factor of shape r is smooth to the width 1 / sqrt(r), where it is neither 0 nor 1, and all together to this one
    width = 1 / np.sqrt(a + np.minimum(b, (a * np.exp(top))[:, None]).sum(1))
    steps = np.ceil((top - bottom) / np.minimum(0.6 * width, 0.22)).astype(int)
    order = np.argsort(steps)
    for some in np.array_split(order, range(128, len(order), 128)):
        n = steps[some].max(initial=1)
        wins = _wins(a[some], b[some], ratio, bottom[some], (top[some] - bottom[some]) / n, n + 1)
        losses[contested[some]] = np.clip(1 - wins, 0.0, 1.0)
    return losses


def _wins(own: NDArray, rivals: NDArray, ratio: float, bottom: NDArray, step: NDArray, n_nodes: int) -> NDArray:
    """Probability that all rivals stay below: the trapezoidal rule in ``v = log(t / own)``.

    If the density of a small shape extends below the first node, the integrand is a power of ``t`` there, so its sum is
    a geometric series.
    """
    v = bottom[:, None] + step[:, None] * np.arange(n_nodes)
    density = np.exp(own[:, None] * (v - np.expm1(v)) + _log_peak(own)[:, None])
    row, column = np.nonzero(rivals)
    below = _gamma_cdf(rivals[row, column], (ratio * own[:, None] * np.exp(v))[row])
    values = density * np.multiply.reduceat(below, np.searchsorted(row, np.arange(len(own))), axis=0)
    fall = (own + rivals.sum(1)) * step
    return (values.sum(1) + values[:, 0] * np.exp(-fall) / -np.expm1(-fall)) * step


def _gamma_cdf(shape: NDArray, t: NDArray) -> NDArray:
    """Probability that a gamma variable is below ``t``; scipy's loses digits for large shapes (2e-8 at 1e7)."""
    large = shape > 1e5
    value = np.empty_like(t)
    value[~large] = special.gammainc(shape[~large][:, None], t[~large])
    a = shape[large][:, None]
    mu = (t[large] - a) / a
    eta = np.copysign(np.sqrt(np.clip(2 * (mu - np.log1p(mu)), 0.0, 1.0)), mu)  # Temme's expansion, DLMF 8.12
    c0 = -1 / 3 + eta * (1 / 12 - eta * (2 / 135 - eta * (1 / 864 + eta / 2835)))
    further = np.exp(-a * eta**2 / 2) / np.sqrt(2 * np.pi * a) * (c0 - 1 / (540 * a))
    value[large] = special.ndtr(eta * np.sqrt(a)) - further
    return value


def _log_peak(shape: NDArray) -> NDArray:
    """``a log a - a - log Gamma(a)``, by Stirling's series if its terms would cancel."""
    a = np.maximum(shape, 30.0)
    rest = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * a**2)) / a**2) / a**2) / a
    return np.where(
        shape > 30, 0.5 * np.log(a / (2 * np.pi)) - rest, special.xlogy(shape, shape) - shape - special.gammaln(shape)
    )


def moments(c: Content, parameters: dict[str, Any], fold: Fold) -> list[float]:
    """Empirical means of the certificate's risk under one fold's posterior."""
    if is_estimated(c):
        return [_drawn_error(c["risk_settings"]["certificate_draws"], parameters, fold)]
    weights = np.array(next(iter(parameters.values())))
    pairs = [(e @ weights, (1 - e) @ weights) for e in map(fold.errors, fold.blocks())]
    wrong, right = (np.concatenate(side) for side in zip(*pairs, strict=True))
    s = wrong + right
    share = wrong / s
    if c["risk"] == "half":
        return [fold.mean(_half(wrong, right, 0.0))]
    if c["risk"] == "first_order":
        return [fold.mean(share)]
    if c["risk"] == "second_order":
        return [fold.mean(share * ((wrong + 1) / (s + 1) if c["posterior"] == "dirichlet" else share))]
    if c["risk"] == "binomial":  # at least half of the drawn voters err
        draws = c["risk_settings"]["n_draws"]
        needed = math.ceil(draws / 2)
        return [fold.mean(special.betaincc(draws - needed + 1, needed, 1 - np.minimum(share, 1.0)))]
    return [fold.mean(share), 2 * fold.mean(share * (1 - share))]  # of the C-bound


def _draws_seed(parameters: Mapping[str, Sequence[float]]) -> list[int]:
    """Seed of the draws: a hash of the posterior, so that no posterior can be fitted to its draws."""
    hashed = hashlib.sha256(b"stocmv draws for a certificate;")
    for name in ("location", "scale"):
        hashed.update(np.asarray(parameters[name], "<f8").tobytes())
    return np.frombuffer(hashed.digest(), "<u4").tolist()


def _drawn_error(n_draws: int, parameters: dict[str, Any], fold: Fold) -> float:
    """Mean error of the certificate's drawn votes, drawn again from their seed; a tie counts as an error."""
    rng = np.random.default_rng(_draws_seed(parameters))
    location, scale = np.array(parameters["location"]), np.array(parameters["scale"])
    errors = np.zeros(fold.n_rows)
    for some in row_blocks(n_draws, max(fold.n_voters, 1024)):
        noise = rng.standard_normal((min(some.stop, n_draws) - some.start, fold.n_voters))
        theta = special.softmax(location + scale * noise, axis=1)
        for rows in fold.blocks():
            errors[rows] += _errs(fold, rows, theta).sum(1)
    return fold.mean(errors / n_draws)


def _errs(fold: Fold, rows: slice, theta: NDArray) -> NDArray:
    """Whether each vote errs on each row, (n_rows, n_votes)."""
    tie = 1 - 1e-12  # what rounding may hide
    if fold.labels is None:
        return fold.errors(rows) @ theta.T >= 0.5 * tie
    labels, targets = fold.labels[rows], fold.targets[rows, None]  # type: ignore[index]
    own, best = np.zeros((2, len(labels), len(theta)))
    for k in range(fold.n_classes):
        weight = (labels == k).astype(float) @ theta.T
        own = np.where(targets == k, weight, own)
        best = np.where(targets == k, best, np.maximum(best, weight))
    return best >= own * tie


# ------------------------------------------------------------------------------------------------- 8. KL from the prior


def prior_kl(kind: str, posterior: dict[str, Any], prior: dict[str, Any]) -> KL:
    """KL of the posterior from the prior, and how far it may have been rounded up."""
    if kind == "dirichlet":
        value, size = _dirichlet_kl(tuple(posterior["alpha"]), tuple(prior["alpha"]))
    elif kind == "categorical":
        terms = special.rel_entr(posterior["theta"], prior["theta"])
        value, size = Decimal(max(math.fsum(terms), 0.0)), math.fsum(abs(terms)) + 1
    else:
        m, s, m0, s0 = (np.array(d[k]) for d in (posterior, prior) for k in ("location", "scale"))
        terms = np.log(s0 / s) + ((s / s0) ** 2 - 1) / 2 + ((m - m0) / s0) ** 2 / 2
        _need(np.all(np.isfinite(terms)), "the KL is not finite")
        value, size = Decimal(max(math.fsum(terms), 0.0)), math.fsum(abs(terms)) + len(m)
    return value, 1e-9 * max(1.0, float(value)) + 1e-13 * size


def _dirichlet_kl(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[Decimal, float]:
    """The KL at 50 digits: the terms may be ten orders of magnitude larger than their sum."""
    with decimal.localcontext(prec=50):
        total, prior_total = sum(map(Decimal, a)), sum(map(Decimal, b))
        (at_total, slope), (at_prior, _) = _log_gamma(total), _log_gamma(prior_total)
        value, size = at_total - at_prior, abs(at_total) + abs(at_prior)
        for x, y in zip(a, b, strict=True):
            (at_x, slope_x), (at_y, _) = _log_gamma(Decimal(x)), _log_gamma(Decimal(y))
            moved = (Decimal(x) - Decimal(y)) * (slope_x - slope)
            value += at_y - at_x + moved
            size += abs(at_x) + abs(at_y) + abs(Decimal(x) - Decimal(y)) * (abs(slope_x) + abs(slope))
        return max(value, Decimal(0)), float(size)


@functools.lru_cache(1 << 16)
def _log_gamma(x: Decimal) -> tuple[Decimal, Decimal]:
    """``log Gamma(x)`` but for ``log(2 pi) / 2``, which cancels, and its derivative: Stirling's series."""
    product, harmonic = Decimal(1), Decimal(0)
    while x < 40:  # Gamma(x + 1) = x Gamma(x)
        product, harmonic, x = product * x, harmonic + 1 / x, x + 1
    log_x, square = x.ln(), x * x
    value, slope, power = (x - Decimal("0.5")) * log_x - x, log_x - 1 / (2 * x), 1 / x
    for k, number in enumerate(_bernoulli(), 1):
        value += number * power / (2 * k * (2 * k - 1))
        slope -= number * power / (2 * k * x)
        power /= square
    return value - product.ln(), slope - harmonic


@functools.cache
def _bernoulli() -> list[Decimal]:
    """B_2, B_4, ... B_40."""
    numbers = [Fraction(1)]
    for m in range(1, 41):
        numbers.append(-sum((math.comb(m + 1, k) * numbers[k] for k in range(m)), Fraction(0)) / (m + 1))
    return [Decimal(b.numerator) / b.denominator for b in numbers[2::2]]


# -------------------------------------------------------------------------------------- 9. Bounds that pay for learning


def composed(c: Content, measured: Sequence[float], kl: float, upper: Callable[..., float]) -> float:
    """The bound on the vote's error that a risk yields."""
    if c["risk"] == "c_bound":
        error, agreement = upper(measured[0], kl), upper(1 - measured[1], 2 * kl)
        return 1 - (1 - 2 * error) ** 2 / (2 * agreement - 1) if error < 0.5 else 1.0
    if c["risk"] == "first_order":
        return 2 * upper(measured[0], kl)
    if c["risk"] == "second_order":
        return 4 * upper(measured[0], kl * (2 if c["posterior"] == "categorical" else 1))
    if c["risk"] == "binomial":
        return 2 * upper(measured[0], c["risk_settings"]["n_draws"] * kl)
    return upper(measured[0], kl)


def risk_weights(settings: dict[str, Any], sizes: Sequence[int]) -> NDArray:
    """Weights of the folds' empirical risks: by size, and by the constant if each fold has its own."""
    weights = np.array(sizes) * np.array(settings["c"] if settings["name"] == "catoni_per_fold" else [1.0] * len(sizes))
    return weights / math.fsum(weights)


def upper_bound(settings: dict[str, Any], sizes: Sequence[int], risk: float, kl: float, delta: float) -> float:
    """The bound for an empirical risk, a KL and the sizes of the folds; it may exceed 1."""
    n, name = sum(sizes), settings["name"]
    confidence = len(sizes) * math.log(1 / delta)
    if name == "catoni":
        return _catoni_mixture(np.array(settings["c"]), sizes, risk, (kl + confidence) / n)
    if name == "catoni_per_fold":
        return _catoni_per_fold(np.array(settings["c"]), np.array(sizes) / n, risk, (kl + confidence) / n)
    if name == "mcallester":
        return risk + math.sqrt((kl + _constants("2sqrt", sizes) + confidence) / (2 * n))
    return kl_inverse(risk, (kl + _constants(settings["constant"], sizes) + confidence) / n)


def _catoni_mixture(constants: NDArray, sizes: Sequence[int], risk: float, price: float) -> float:
    """The risk that the mean over the constants of Catoni's exponentials excludes at this price.

    At most that of the best constant at a share of delta, which also holds and is lower if folds differ much in size.
    """
    n, count = min(sizes), math.log(len(constants))
    paid = constants * risk + price + len(sizes) * count / sum(sizes)
    low, high = 0.0, float(np.min(np.expm1(-paid) / np.expm1(-constants)))
    for _ in range(100):
        middle = (low + high) / 2
        excluded = -np.log1p(middle * np.expm1(-constants)) - constants * risk
        low, high = (middle, high) if special.logsumexp(n * excluded) < n * price + count else (low, middle)
    return high


def _catoni_per_fold(constants: NDArray, shares: NDArray, risk: float, price: float) -> float:
    """The largest ``sum p_k r_k`` with ``-sum p_k log(1 - a_k r_k)`` within the budget; the best r_k have one slope."""
    a = -np.expm1(-constants)
    budget = float(shares @ constants) * risk + price
    low, high = 0.0, float(1 / a.min())  # low spends the whole budget, high spends nothing
    for _ in range(200):
        level = (low + high) / 2
        spent = -shares @ np.log(np.minimum(a * level, 1.0))
        low, high = (level, high) if spent > budget else (low, level)
    return float(shares @ np.maximum(1 / a - low, 0.0))


def _constants(constant: str, sizes: Sequence[int]) -> float:
    return math.fsum(log_xi(n) if constant == "xi" else math.log(2 * math.sqrt(n)) for n in sizes)


@functools.cache
def log_xi(n: int) -> float:
    """Logarithm of the sum over k of ``C(n, k) (k/n)^k (1 - k/n)^(n-k)``.

    It is one plus Ramanujan's Q(n), the sum over k of ``(1 - 1/n) ... (1 - (k-1)/n)``, whose terms fall like
    ``exp(-k^2 / 2n)``; for the largest n, the first terms of its expansion (Flajolet and others 1995) are exact enough.
    """
    if n > 10**10:
        root = math.sqrt(math.pi * n / 2)
        return math.log(root + 2 / 3 + math.sqrt(math.pi / (2 * n)) / 12 - 4 / (135 * n))
    j = np.arange(min(n, int(12 * math.sqrt(n)) + 50))
    return math.log(1 + float(np.exp(np.cumsum(np.log1p(-j / n))).sum()))


def kl_inverse(q: float, epsilon: float) -> float:
    """The largest p with ``kl(q, p) <= epsilon``, by bisection."""
    low, high = float(q), 1.0
    for _ in range(100):
        middle = (low + high) / 2
        exceeds = special.rel_entr(q, middle) + special.rel_entr(1 - q, 1 - middle) > epsilon
        low, high = (low, middle) if exceeds else (middle, high)
    return high


# --------------------------------------------------- 10. Tests of votes that were made without the judging examples

TIE = 1e-10  # weights of classes that differ by less tie
HINGES = np.arange(1, 97) / 32  # where Bentkus's hinge may lie, in units of the distance between mean and bound
ROUNDED = 2e-12  # what may have been added to an expected shortfall, so that rounding cannot make it too small
MOST_CELLS = 1 << 22  # cells of true errors after which a proof is given up


class Judged(NamedTuple):
    """Losses of a fold's vote on its examples, row by row."""

    errs: NDArray  # whether predict errs, or may err because of rounding
    may_err: NDArray  # the same, with more room for rounding
    drawn: NDArray  # probability that the stochastic vote errs
    slack: float  # how far that may have been rounded up


def _judged(kind: str, parameters: dict[str, Any], fold: Fold) -> Judged:
    given = np.array(next(iter(parameters.values())))
    weights = given / math.fsum(given)
    errs, may_err = (vote_errors(fold, weights, doubt).astype(float) for doubt in fold.doubts)
    if kind == "dirichlet":
        return Judged(errs, may_err, row_losses(fold, given), _risk_slack(math.fsum(given)))
    # one voter is drawn, so the vote errs with the weight of those that err
    wrong = np.concatenate([fold.errors(rows) @ weights for rows in fold.blocks()])
    return Judged(errs, may_err, np.minimum(wrong, 1.0), 1e-9)


def vote_errors(fold: Fold, weights: NDArray, doubt: float) -> NDArray:
    """Where the vote with these weights errs, or would err if some weight were slightly different.

    Of tied classes the first wins; if the classes are not known, a tie is an error. Weights count as shares of the
    weight that answers; a row that no voter answers is an error.
    """
    errs = []
    for rows in fold.blocks():
        if fold.labels is None:
            wrong, right = fold.errors(rows) @ weights, fold.right_answers(rows) @ weights
            wins_ties = False if fold.targets is None else fold.targets[rows] == 0
            errs.append(right - wrong <= (np.where(wins_ties, -TIE, TIE) + doubt) * (right + wrong))
        else:
            own, rivals = fold.class_weights(rows, weights)
            most = np.maximum(own, rivals.max(1))
            is_earlier = np.arange(fold.n_classes) < fold.targets[rows, None]  # type: ignore[index]
            answered = own + rivals.sum(1)
            beaten = (most - own > (TIE - doubt) * answered) | (answered <= 0)
            ties = rivals >= (most - (TIE + doubt) * answered)[:, None]
            errs.append(beaten | (is_earlier & ties).any(1))
    return np.concatenate(errs)


def _tested_figures(c: Content, folds: Sequence[Fold]) -> Iterator[Check]:
    """Figures of all examples, then of each class."""
    judged = [_judged(c["posterior"], p, fold) for p, fold in zip(c["posteriors"], folds, strict=True)]
    claimed = {**c, "empirical_risk": c["deterministic_vote"]["empirical_risk"], "stochastic_risk": c["moments"][0]}
    everyone, claims = [slice(None)] * len(folds), claims_of(c, folds)
    yield from _test("", claimed, c, folds, judged, everyone, share_of(claims, "predict"))
    labels = all_labels(folds)
    if c["per_class"]:
        yield _named_classes(c, labels)
    for entry in c["per_class"] if _names(c) == json.dumps(labels) else ():
        yield from _class_test(c, entry, folds, judged, share_of(claims, "classes"))


def _class_test(
    c: Content, entry: dict[str, Any], folds: Sequence[Fold], judged: Sequence[Judged], delta: float
) -> Iterator[Check]:
    """The same test of the examples of one class, which are independent draws given the labels."""
    name, members = f"class {entry['label']!a} ", members_of(entry["label"], folds)
    counts = [fold.count(m) for fold, m in zip(folds, members, strict=True)]
    yield Check(f"{name}examples", entry["n"], sum(counts), entry["n"] == sum(counts))
    yield _same_delta(name.rstrip(), entry, delta)
    if len(folds) > 1:
        stated, needed = entry["bound_settings"] != {}, all(counts)
        yield Check(f"{name}constants", stated, needed, stated == needed)
        if stated != needed:
            return
    if entry["bound_settings"]:  # otherwise the folds' votes would not be mixed as in predict
        shares = test_shares(entry["bound_settings"])
        same = np.allclose(shares, c["fold_shares"], rtol=0, atol=1e-12)
        yield Check(f"{name}shares of the folds", shares.tolist(), c["fold_shares"], bool(same))
    yield from _test(name, entry, c, folds, judged, members, delta)


def _test(
    name: str,
    claimed: Mapping[str, Any],
    c: Content,
    folds: Sequence[Fold],
    judged: Sequence[Judged],
    members: Sequence[NDArray | slice],
    delta: float,
) -> Iterator[Check]:
    """Risks and bounds of predict and of the stochastic vote on some rows of each fold."""
    sizes = [fold.count(m) for fold, m in zip(folds, members, strict=True)]
    settings, shares = claimed["bound_settings"] or c["bound_settings"], np.array(c["fold_shares"])

    def means(losses: Iterator[NDArray]) -> NDArray:
        return np.array([fold.mean(rows, m) for fold, rows, m in zip(folds, losses, members, strict=True)])

    def upper(risks: NDArray, counted: bool, slack: float) -> float:
        if not all(sizes):
            return 1.0
        if settings["name"] == "fold_test":
            return fold_test(settings, risks)
        return one_sample(float(risks[0]), sizes[0], delta, counted and not c["grouped"], slack)

    if settings["name"] == "fold_test" and all(sizes):
        yield from _proofs(name, settings, sizes, delta)
    least, most = means(j.errs for j in judged), means(j.may_err for j in judged)
    yield _between(f"{name}empirical risk", claimed["empirical_risk"], shares @ least, shares @ most)
    yield _between(f"{name}bound", claimed["bound"], upper(least, True, 0.0), upper(most, True, ROUNDED))
    least = means(j.drawn for j in judged)
    most = np.minimum(least + [j.slack for j in judged], 1.0)
    yield _between(f"{name}stochastic risk", claimed["stochastic_risk"], shares @ least, shares @ most)
    counted = has_one_voter(c)
    least_bound, most_bound = upper(least, counted, 0.0), upper(most, counted, ROUNDED)
    yield _between(f"{name}stochastic bound", claimed["stochastic_bound"], least_bound, most_bound)


@functools.lru_cache(1 << 12)
def one_sample(risk: float, n: int, delta: float, counted: bool, slack: float = 0.0) -> float:
    """The bound for a mean loss on one sample; ``counted`` if each loss is 0 or 1."""
    return smallest(lambda p: is_excluded(p, risk, n, delta, counted, slack))


def clopper_pearson(errors: int, n: int, delta: float) -> float:
    """The largest error at which this few errors still have probability delta."""
    return one_sample(errors / n, n, delta, counted=True) if n else 1.0


def constant_bound(risk: float, n: int, delta: float, counted: bool, slack: float) -> float:
    """The bound on the error of always giving one answer, chosen on the same examples that judge it.

    For an answer that errs with probability p, the bound may fail with probability ``delta (1 - p)``: these add up to
    delta for any number of classes. It is the largest error p that is not excluded at its level.
    """
    return smallest(lambda p: is_excluded(p, risk, n, delta * (1 - p), counted, slack))


def smallest(excluded: Callable[[float], bool]) -> float:
    """The smallest error that is excluded, by bisection: all larger ones are excluded too."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if excluded(middle) else (middle, high)
    return high


def is_excluded(p: float, risk: float, n: int, delta: float, counted: bool, slack: float) -> bool:
    """Whether a sample with this mean loss has probability delta at most if the true error is p, or any larger one."""
    if counted:
        errors = round(risk * n)
        return errors < n and bool(special.betaincc(errors + 1, n - errors, p) < delta)
    return is_excluded_by_hinge(p, risk, n, delta, slack)


def is_excluded_by_hinge(p: float, risk: float, n: int, delta: float, slack: float) -> bool:
    """Whether ``E (h - B/n)_+ <= delta (h - risk)`` for some hinge h, with B binomial with n and p (Bentkus).

    The hinge is convex, so no losses in [0, 1] with mean p have a larger expectation; the rest is Markov's inequality.
    For a given hinge the expectation decreases with p, so all larger errors are excluded too.
    """
    hinges = risk + HINGES * (p - risk)
    return p > risk and bool(
        np.any(shortfall(hinges, 1.0, n, np.full(len(hinges), p)) + slack <= delta * (hinges - risk))
    )


def fold_test(settings: dict[str, Any], risks: NDArray) -> float:
    """With shares q: ``sum q_k (a_k L_k + t_k) + F / sum 1 / c_k``."""
    slope, offset, scale = (np.array(settings[name]) for name in FOLD_TEST[1:])
    return min(float(test_shares(settings) @ (slope * risks + offset)) + len(scale) / math.fsum(1 / scale), 1.0)


def test_shares(settings: dict[str, Any]) -> NDArray:
    """Probabilities of drawing each fold, for which a test holds: in proportion to ``1 / c_k``."""
    inverse = 1 / np.array(settings.get("scale", [1.0]))
    return inverse / math.fsum(inverse)


def _proofs(name: str, settings: dict[str, Any], sizes: Sequence[int], delta: float) -> Iterator[Check]:
    """Check the condition on the constants of the fold test: the expected excess of any true error is small enough."""
    for k, (n, a, t, scale) in enumerate(zip(sizes, *(settings[key] for key in FOLD_TEST[1:]), strict=True)):
        if n == 0:  # nothing is claimed about this fold
            continue
        allowed = delta * scale * (1 + 1e-9)  # what this file's own rounding may do
        needed = largest_excess(a, t, n, allowed) / delta
        yield Check(f"{name}scale of fold {k}", scale, needed, bool(needed <= allowed / delta))


def largest_excess(slope: float, offset: float, n: int, allowed: float) -> float:
    """The largest ``f(p) = E (p - a B/n - t)_+`` found, if provably none exceeds ``allowed``; otherwise more than that.

    Errors up to ``t`` plus what is allowed exceed nothing by more. The others are cut into cells. In a cell with ends
    l and r, f bends downwards by no more than ``2 n P(B' = k)``, with B' binomial with n - 1 and p and k the largest
    count at which the bracket is positive: the hinge is convex in the count, and as a function of p it only has kinks
    that bend upwards. So f is at most ``max(f(l), f(r)) + n P(B' = k) (r - l)^2 / 4``; where k is below the mode, that
    probability is largest at p = l and at the largest k. Cells for which this is too much are halved.
    """
    start = min(offset + allowed, 1.0)
    angles = np.linspace(math.asin(math.sqrt(start)), math.pi / 2, min(16 + math.ceil(4 * math.sqrt(n)), 1 << 16))
    edges = np.sin(angles) ** 2
    left, right = edges[:-1], edges[1:]
    seen, n_cells = 0.0, 0
    while len(left):
        ends = np.maximum(*(shortfall(p - offset, slope, n, p) for p in (left, right)))
        seen, n_cells = float(np.maximum(seen, ends.max())), n_cells + len(left)
        if not seen <= allowed:
            return seen
        if n_cells > MOST_CELLS:
            return math.inf
        most = np.floor((right - offset) * n / slope)
        bend = n * np.where(most <= (n - 1) * left, binomial(most, n - 1, left), 1.0)
        wide = ~(ends + bend * (right - left) ** 2 / 4 <= allowed)
        middle = (left[wide] + right[wide]) / 2
        left, right = np.concatenate([left[wide], middle]), np.concatenate([middle, right[wide]])
    return seen


def shortfall(room: NDArray, slope: float, n: int, p: NDArray) -> NDArray:
    """``E (room - a B/n)_+``, from the distribution function of a binomial with n - 1 and one of its probabilities."""
    count = np.minimum(np.ceil(room * n / slope) - 1, n)  # the largest that leaves something
    inner = (count >= 1) & (count < n)
    k = np.where(inner, count, 1.0)
    below = np.where(inner, special.betainc(np.maximum(n - k, 1.0), k, 1 - p), count >= n)  # P(B' <= count - 1)
    value = (room - slope * p) * below + room * (1 - p) * binomial(count, n - 1, p)
    return np.where(count < 0, 0.0, np.maximum(value, 0.0))


def binomial(count: NDArray, n: int, p: float | NDArray) -> NDArray:
    """Probability of ``count`` successes out of n, by Loader's formula, which stays precise for large n."""
    k, p = np.broadcast_arrays(np.asarray(count, float), np.asarray(p, float))
    inner = (k > 0) & (k < n) & (p < 1)
    x, q = np.where(inner, k, 0.5), np.where(inner, p, 0.5)
    rest, size = np.where(inner, n - k, 0.5), max(n, 1)
    log = _stirling(np.full(1, float(size))) - _stirling(x) - _stirling(rest)
    log = log - _deviance(x, size * q) - _deviance(rest, size * (1 - q))
    value = np.exp(log) * np.sqrt(size / (2 * np.pi * x * rest))
    value = np.where(k == 0, np.exp(special.xlog1py(n, -p)), value)
    value = np.where((k == n) & (k > 0), np.exp(special.xlogy(n, p)), value)
    return np.where(inner | (k == 0) | (k == n), value, 0.0)


def _stirling(x: NDArray) -> NDArray:
    """``log x!`` minus Stirling's approximation of it."""
    a = np.maximum(x, 16.0)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * a**2)) / a**2) / a**2) / a
    small = np.minimum(x, 16.0)
    exact = special.gammaln(small + 1) - (small + 0.5) * np.log(small) + small - 0.5 * math.log(2 * math.pi)
    return np.where(x < 16, exact, series)


def _deviance(x: NDArray, mean: NDArray) -> NDArray:
    """``x log(x / mean) + mean - x``."""
    d = (x - mean) / mean
    return mean * ((1 + d) * np.log1p(d) - d)


# ----------------------------------------------------------------------------------- 11. Precision and costs of predict


class Answers(NamedTuple):
    """Answers of predict on the rows of a fold, and what else rounding might make it answer."""

    fold: Fold
    first: NDArray
    second: NDArray

    def of(self, code: int) -> NDArray:
        """The rows with this answer; if rounding may change it, only if the answer is wrong."""
        surely = (self.first == code) & (self.second == code)
        return np.where(self.fold.targets == code, surely, (self.first == code) | (self.second == code))

    def costs(self, matrix: NDArray) -> NDArray:
        """The cost of each row's answer."""
        targets = np.asarray(self.fold.targets, int)
        return np.maximum(matrix[targets, self.first], matrix[targets, self.second])


def _answers(fold: Fold, given: NDArray, doubt: float) -> Answers:
    weights, targets = given / math.fsum(given), np.asarray(fold.targets, int)
    if fold.labels is None:
        answers = np.where(vote_errors(fold, weights, doubt), 1 - targets, targets)
        if fold.rights is not None:  # where nobody answers, the classes tie
            answers[~(fold.bits | fold.rights).any(0)] = 0
        return Answers(fold, answers, answers)
    readings: tuple[list[NDArray], list[NDArray]] = ([], [])
    for rows in fold.blocks():
        own, each = fold.class_weights(rows, weights)
        each[np.arange(len(each)), targets[rows]] = own
        most, answered = each.max(1, keepdims=True), each.sum(1, keepdims=True) if fold.abstains else 1.0
        for reading, tie in zip(readings, (TIE - doubt, TIE + doubt), strict=True):
            reading.append(np.argmax(each >= most - tie * answered, axis=1))
    return Answers(fold, *(np.concatenate(reading) for reading in readings))


def _decisions(c: Content, folds: Sequence[Fold]) -> Iterator[Check]:
    """The precision of each class, and the mean cost: what was measured, and the bounds."""
    labels, claims = all_labels(folds) if is_tested(c) else [], claims_of(c, folds)
    named, needed = [entry["label"] for entry in c["precisions"]], labels if has_precisions(c) else []
    same = json.dumps(named) == json.dumps(needed)
    if named or needed:
        yield Check("classes that have a precision", named, needed, same)
    priced = [json.dumps(label) for label in c["cost"].get("classes", [])]
    unpriced = [label for label in labels if c["cost"] and json.dumps(label) not in priced]
    if c["cost"]:
        yield Check("classes that have costs", c["cost"]["classes"], f"and {unpriced}" * bool(unpriced), not unpriced)
    if not same or unpriced or not (named or c["cost"]):
        return
    given = [np.array(next(iter(p.values()))) for p in c["posteriors"]]
    doubts = zip(*(fold.doubts for fold in folds), strict=True)
    least, most = ([_answers(*each) for each in zip(folds, given, doubt, strict=True)] for doubt in doubts)
    for code, entry in enumerate(c["precisions"]):
        yield from _precision(c, entry, code, least, most, claims)
    if c["cost"]:
        places = [priced.index(json.dumps(label)) for label in labels]
        yield from _mean_cost(c, places, least, most, share_of(claims, "cost"))
        yield from _one_answer(c, places, folds, share_of(claims, "cost of one answer"))


def _precision(
    c: Content,
    entry: dict[str, Any],
    code: int,
    least: Sequence[Answers],
    most: Sequence[Answers],
    claims: Sequence[dict[str, Any]],
) -> Iterator[Check]:
    """The error among the answers of a class: given which examples get it, they are independent draws."""
    name, several, shares = f"precision of {entry['label']!a}, ", len(least) > 1, np.array(c["fold_shares"])
    members = [[answers.of(code) for answers in reading] for reading in (least, most)]
    counts = [[a.fold.count(m) for a, m in zip(least, each, strict=True)] for each in members]
    yield Check(f"{name}answers", entry["n"], sum(counts[0]), entry["n"] in (sum(counts[0]), sum(counts[1])))
    stated, needed = entry["bound_settings"] != {}, several and any(counts[0])
    yield Check(f"{name}constants", stated, needed, stated == needed)
    if stated != needed:
        return
    share = share_of(claims, "precision")
    if stated:
        yield from _proofs(name, entry["bound_settings"], counts[0], share)
    bounds, measured = [], []
    for each, numbers, slack in zip(members, counts, (0.0, ROUNDED), strict=True):
        wrong = [(np.asarray(a.fold.targets) != code).astype(float) for a in least]
        risks = np.array([a.fold.mean(w, m) for a, w, m in zip(least, wrong, each, strict=True)])
        sizes = [a.fold.count() for a in least]
        weights = shares * numbers / sizes
        measured.append(float(weights @ risks / weights.sum()) if any(numbers) else 1.0)
        if stated:
            ends = share_of(claims, "precision", "shares of the folds")
            bounds.append(_mixed(entry["bound_settings"], risks, numbers, sizes, shares, ends))
        else:
            bounds.append(one_sample(risks[0], numbers[0], share, not c["grouped"], slack) if any(numbers) else 1.0)
    yield _between(f"{name}errors measured", 1 - entry["measured"], *measured)
    yield _between(f"{name}bound on the errors", 1 - entry["bound"], *bounds)


def _mixed(
    settings: dict[str, Any],
    risks: NDArray,
    numbers: Sequence[int],
    sizes: Sequence[int],
    shares: NDArray,
    ends: float,
) -> float:
    """The largest ``sum w_k (a_k L_k + t_k) + F max_k w_k c_k`` over the possible weights of the folds.

    The mean of the ``(R_k - a_k L_k - t_k)_+ / c_k`` is at most 1, which holds for all weights at once. Those of the
    answers are in proportion to the folds' shares times the probabilities of such an answer, which lie in intervals.
    """
    slope, offset, scale = (np.array(settings[name]) for name in FOLD_TEST[1:])
    some = np.array(numbers) > 0
    base, scale = np.where(some, slope * risks + offset, 1.0), np.where(some, scale, 0.0)
    pairs = list(zip(numbers, sizes, strict=True))
    low = shares * [1 - clopper_pearson(n - k, n, ends) for k, n in pairs]
    high = shares * [clopper_pearson(k, n, ends) for k, n in pairs]
    largest = 0.0
    for j in range(len(base)):
        values = base + (np.arange(len(base)) == j) * len(base) * scale
        below, above = 0.0, float(values.max())
        for _ in range(100):  # some weights give a mean above this if and only if the best ones do
            middle = (below + above) / 2
            exceeds = np.maximum((values - middle) * high, (values - middle) * low).sum() > 0
            below, above = (middle, above) if exceeds else (below, middle)
        largest = max(largest, above)
    return min(largest, 1.0)


def _mean_cost(
    c: Content, places: Sequence[int], least: Sequence[Answers], most: Sequence[Answers], delta: float
) -> Iterator[Check]:
    """Check the mean cost: costs scaled to [0, 1] are tested like errors, and counted if they are 0 or 1.

    They are scaled by all costs, also those of classes that do not occur here; ``places`` are those that do.
    """
    cost, matrix, shares = c["cost"], np.array(c["cost"]["matrix"], float), np.array(c["fold_shares"])
    low, span = matrix.min(), np.ptp(matrix)
    scaled, several = (matrix - low) / span, len(least) > 1
    sizes = [answers.fold.count() for answers in least]
    settings = cost["bound_settings"]
    yield Check("cost, constants", settings != {}, several, (settings != {}) == several)
    if (settings != {}) != several:
        return
    if several:
        stated = test_shares(settings)
        same = np.allclose(stated, shares, rtol=0, atol=1e-12)
        yield Check("cost, shares of the folds", stated.tolist(), c["fold_shares"], bool(same))
        yield from _proofs("cost, ", settings, sizes, delta)
    counted = not c["grouped"] and bool(np.isin(scaled, (0.0, 1.0)).all())
    own = scaled[np.ix_(places, places)]
    means = [np.array([a.fold.mean(a.costs(own)) for a in reading]) for reading in (least, most)]
    bounds = [
        fold_test(settings, risks) if several else one_sample(float(risks[0]), sizes[0], delta, counted, slack)
        for risks, slack in zip(means, (0.0, ROUNDED), strict=True)
    ]
    for what, (below, above) in (("measured", [float(shares @ risks) for risks in means]), ("bound", bounds)):
        room = math.ulp(cost[what]) / span  # adding the least cost may have been rounded up
        yield _between(f"cost, {what}", (cost[what] - low) / span, below, above + room)


def _one_answer(c: Content, places: Sequence[int], folds: Sequence[Fold], delta: float) -> Iterator[Check]:
    """Check the cost of always giving the cheapest answer: each answer has its costs scaled by themselves."""
    one, matrix = c["cost"]["baseline"], np.array(c["cost"]["matrix"], float)
    truths = [np.array(places)[np.asarray(fold.targets, int)] for fold in folds]

    def mean(scaled: NDArray) -> float:
        means = [fold.mean(scaled[truth]) for fold, truth in zip(folds, truths, strict=True)]
        return math.fsum(fold.count() * m for fold, m in zip(folds, means, strict=True)) / c["n"]

    every = [mean(column) for column in ((matrix - matrix.min()) / np.ptp(matrix)).T]
    cheapest = next(a for a, cost in enumerate(every) if cost <= min(every) + 1e-12)
    label = c["cost"]["classes"][cheapest]
    named = json.dumps(one["label"]) == json.dumps(label)
    yield Check("cheapest answer", one["label"], label, named)
    if not named:
        return
    column = matrix[:, cheapest]
    low, span = column.min(), np.ptp(column) or 1.0
    scaled = (column - low) / span
    risk, counted = mean(scaled), not c["grouped"] and bool(np.isin(scaled, (0.0, 1.0)).all())
    bounds = [one_sample(risk, c["n"], delta, counted, slack) if scaled.any() else 0.0 for slack in (0.0, ROUNDED)]
    for what, (below, above) in (("measured", (risk, risk)), ("bound", bounds)):
        room = 4e-15 + math.ulp(one[what]) / span  # adding the least cost may have been rounded up
        yield _between(f"cost of one answer, {what}", (one[what] - low) / span, below - 4e-15, above + room)


# -------------------------------------------------------------------------- 12. The deterministic vote, and the classes

NEARLY = 1e-12, 2e-9  # sums of weights that rounding may have made different, and that may be taken for equal
LISTED, LISTED_CLASSES = 20, 10  # all coalitions of up to this many voters are listed, with two classes and with more


class Fixed(NamedTuple):
    """What the PAC-Bayes bound on the deterministic vote is computed from, recomputed."""

    rows: list[NDArray]  # probability that a drawn vote errs, or is right by less than the margin
    kls: list[KL]
    coverage: tuple[float, float]  # smallest probability of that if the deterministic vote errs, and if nearly tied
    slack: float  # how far the risk may have been rounded up


def _fixed(c: Content, folds: Sequence[Fold]) -> Fixed:
    """Recompute it with scaled concentrations, which leave the mean weights unchanged."""
    v = c["deterministic_vote"]
    scaled = [v["scale"] * np.array(p["alpha"]) for p in c["posteriors"]]
    rows = [row_losses(fold, alpha, v["margin"]) for fold, alpha in zip(folds, scaled, strict=True)]
    weights, priors, strays = scaled, [q["alpha"] for q in c["priors"]], [0.0] * len(folds)
    paid = [(0.0, 0.0)] * len(folds)
    if has_speakers(c):
        heavy = [_heavy(bloc, p["alpha"], v["heavy"]) for bloc, p in zip(c["blocs"], c["posteriors"], strict=True)]
        paid = [_speaking(bloc, h, v["leak"]) for bloc, h in zip(c["blocs"], heavy, strict=True)]
        strays = [
            math.fsum(a for a, each, h in zip(alpha, bloc.within, hs, strict=True) if len(each) > 1 and not h)
            for alpha, bloc, hs in zip(scaled, c["blocs"], heavy, strict=True)
        ]
    elif "blocs" in c:  # all voters vote, with the mean weights of a Dirichlet over all of them
        weights = [np.array(_unmerged(bloc, alpha)) for bloc, alpha in zip(c["blocs"], scaled, strict=True)]
        priors = [[a for each in bloc.within for a in each] for bloc in c["blocs"]]
    abstains = any(fold.abstains for fold in folds)  # then voters of every fold may, on new examples
    kls = [prior_kl("dirichlet", {"alpha": a}, {"alpha": b}) for a, b in zip(weights, priors, strict=True)]
    return Fixed(
        rows=rows,
        kls=[(kl + Decimal(more), slack + 1e-13 * size) for (kl, slack), (more, size) in zip(kls, paid, strict=True)],
        coverage=tuple(  # type: ignore[arg-type]
            min(
                coverage(a, f.n_classes, v["margin"], abstains, near, v["leak"], stray)
                for f, a, stray in zip(folds, weights, strays, strict=True)
            )
            for near in NEARLY
        ),
        slack=_risk_slack(max(map(math.fsum, scaled))),
    )


def _unmerged(bloc: Bloc, alpha: Sequence[float]) -> list[float]:
    return [x * a / math.fsum(each) for x, each in zip(alpha, bloc.within, strict=True) for a in each]


def _heavy(bloc: Bloc, alpha: Sequence[float], factor: float) -> list[bool]:
    """Blocs of several voters whose concentration is more than some times the prior's."""
    sums = map(math.fsum, bloc.within)
    return [len(each) > 1 and x > factor * a for x, each, a in zip(alpha, bloc.within, sums, strict=True)]


def _speaking(bloc: Bloc, heavy: Sequence[bool], leak: float) -> tuple[float, float]:
    """KL of giving the speakers of heavy blocs all but a share of their blocs' weight, and the size of its terms.

    Given that a voter with concentration a among others with b has at least 1 - leak; for a <= 1 the probability is at
    least leak^b / (b B(a, b)).
    """
    price, size = [], []
    for each in itertools.compress(bloc.within, heavy):
        total = math.fsum(each)
        for a, count in Counter(each).items():
            b = math.fsum([*each, -a])
            log_r = [b * math.log(leak), max(a - 1, 0.0) * math.log1p(-leak), -math.log(b)]
            log_r += [math.lgamma(total), -math.lgamma(a), -math.lgamma(b)]
            price.append(count * a / total * (math.log(a / total) - math.fsum(log_r)))
            size.append(count * a / total * (math.fsum(map(abs, log_r)) - total * math.log(leak)))
    return max(math.fsum(price), 0.0), math.fsum(size)


def _deterministic_vote(
    c: Content, folds: Sequence[Fold], fixed: Fixed, upper: Callable[..., float]
) -> Iterator[Check]:
    """The bound on the deterministic vote: if it errs, a drawn vote errs, or nearly errs, with some probability."""
    f = c["deterministic_vote"]
    weights = risk_weights(c["bound_settings"], c["fold_sizes"])
    risk = float(weights @ [fold.mean(rows) for fold, rows in zip(folds, fixed.rows, strict=True)])
    yield _between("margin coverage", -f["coverage"], -fixed.coverage[0], -fixed.coverage[1] * (1 - 1e-6))
    yield _between("margin risk", f["empirical_risk"], risk, risk + fixed.slack)
    yield _between("KL at the margin's scale", f["kl"], *_sum(fixed.kls))
    figures = ((risk, _sum(fixed.kls)[0], fixed.coverage[0]), (f["empirical_risk"], f["kl"], f["coverage"]))
    least, most = (min(upper(r, kl) / covered, 1.0) for r, kl, covered in figures)
    if has_one_voter(c):  # there is only one vote and one figure
        least = most = c["stochastic_bound"]
    yield _between("bound", c["bound"], least, most)


def coverage(
    weights: NDArray,
    n_classes: int,
    margin: float,
    abstains: bool = False,
    near: float = NEARLY[0],
    leak: float = 0.0,
    stray: float = 0.0,
) -> float:
    """Smallest probability of an error, or of a win by less than the margin, over contests that `predict` may lose.

    Sums of weights that differ by no more than the share ``near`` count as equal. With blocs that have speakers, the
    share ``leak`` of the weight may be anywhere, and blocs of the concentration ``stray`` altogether: that takes a part
    of the margin, unless the draw is unusual.
    """
    s = math.fsum(weights)
    if abstains and len(weights) > LISTED_CLASSES:  # one against one, the lightest: the lighter, the more even
        contests = [(min(weights), min(weights))]
    elif abstains:
        contests = _contests_of_some(weights, n_classes * near)
    elif n_classes == 2:
        wrong = _lightest_majority(weights, s, near)
        contests = [(s - wrong, wrong)]
    elif len(weights) > LISTED_CLASSES:
        contests = [(s / k, s / k) for k in (n_classes, 2)]  # the lighter is closer, if a margin is left
    else:
        contests = _lost_contests(weights, n_classes, s, near)
    together, unusual, astray = 1.0, 0.0, 0.0
    if leak and n_classes > 2:
        together = 1 / (2 * n_classes)
        unusual += float(special.betainc(s / n_classes, s - s / n_classes, together))
    if stray >= s * (1 - 1e-9):
        return 1e-300
    if stray:
        astray = 1 - float(special.betaincinv(s - stray, stray, 1e-3))
        unusual += float(special.betaincc(stray, s - stray, astray))
    margin -= (astray + leak * (0.5 - margin)) / (1 - leak) / together
    if margin <= -0.5:
        return 1e-300
    right, wrongs = np.array([(r, w) for r, w in contests if r > 0]).reshape(-1, 2).T
    # a class that is lighter by no more than a tie may win, too
    least = float(special.betainc(right * (1 + TIE), wrongs * (1 - TIE), 0.5 + margin).min(initial=1.0))
    return max(least - unusual, 1e-300)


def _lightest_majority(weights: NDArray, s: float, near: float) -> float:
    """The smallest weight that may win: sums of the heaviest voters, plus any part of the others' weight."""
    ordered = sorted(weights, reverse=True)
    sums, rest = np.zeros(1), math.fsum(ordered[LISTED:])
    for weight in ordered[:LISTED]:
        sums = np.append(sums, sums + weight)
    return float(np.maximum(sums, s / 2)[sums + rest >= s / 2 * (1 - near)].min())


def _lost_contests(weights: NDArray, n_classes: int, s: float, near: float) -> list[tuple[float, float]]:
    """Weights of the true class and of a wrong one that is no lighter, nor lighter than the others on average."""
    answers = np.indices((3,) * len(weights)).reshape(len(weights), -1)  # the true class, a wrong one, or another
    right, wrong = weights @ (answers == 0), weights @ (answers == 1)
    lost = (wrong >= right - near * s) & (wrong * (n_classes - 2) >= s - right - wrong - near * s)
    return list(zip(right[lost].tolist(), wrong[lost].tolist(), strict=True))


def _contests_of_some(weights: NDArray, near: float) -> list[tuple[float, float]]:
    """Weights of the true class and of a wrong one that is no lighter, if any voter may abstain."""
    answers = np.indices((3,) * len(weights)).reshape(len(weights), -1)  # the true class, a wrong one, or none
    right, wrong = weights @ (answers == 0), weights @ (answers == 1)
    lost = (wrong > 0) & (wrong >= right * (1 - near))
    return list(zip(right[lost].tolist(), wrong[lost].tolist(), strict=True))


def _classes(
    c: Content, folds: Sequence[Fold], drawn: list[NDArray], kls: Sequence[KL], fixed: Fixed
) -> Iterator[Check]:
    """The bounds given each true class, which share delta."""
    labels = all_labels(folds)
    yield _named_classes(c, labels)
    for entry in c["per_class"] if _names(c) == json.dumps(labels) else ():
        claims = claims_of(c, folds)
        of_each_margin = share_of(claims, "classes")
        delta = of_each_margin if has_one_voter(c) else share_of(claims, "classes, stochastic vote")
        yield from _one_class(c, entry, folds, drawn, kls, fixed, delta, of_each_margin)


def all_labels(folds: Sequence[Fold]) -> list[Any]:
    """The classes, the same in all folds; empty if only errors are known."""
    return [] if folds[0].classes is None else folds[0].classes.tolist()


def _names(c: Content) -> str:
    return json.dumps([entry["label"] for entry in c["per_class"]])


def _named_classes(c: Content, labels: list[Any]) -> Check:
    return Check("classes", [entry["label"] for entry in c["per_class"]], labels, _names(c) == json.dumps(labels))


def _same_delta(name: str, entry: dict[str, Any], delta: float) -> Check:
    same = math.isclose(entry["delta"], delta, rel_tol=1e-12)
    return Check(f"{name} delta", entry["delta"], delta, same)


def members_of(label: Any, folds: Sequence[Fold]) -> list[NDArray]:
    """The rows of each fold that belong to this class."""
    return [(np.asarray(fold.classes) == label)[fold.targets] for fold in folds]


def _one_class(
    c: Content,
    entry: dict[str, Any],
    folds: Sequence[Fold],
    drawn: list[NDArray],
    kls: Sequence[KL],
    fixed: Fixed,
    delta: float,
    of_each_margin: float,
) -> Iterator[Check]:
    name, f = f"class {entry['label']!a}", c["deterministic_vote"]
    members = members_of(entry["label"], folds)
    counts = [fold.count(m) for fold, m in zip(folds, members, strict=True)]
    shares = np.array(c["fold_sizes"]) / c["n"]

    def mean(rows: list[NDArray]) -> float:
        return float(shares @ [fold.mean(r, m) for fold, r, m in zip(folds, rows, members, strict=True)])

    upper = functools.partial(_class_upper, counts, shares)
    risk, near = mean(drawn), mean(fixed.rows)
    yield Check(f"{name} examples", entry["n"], sum(counts), entry["n"] == sum(counts))
    yield _same_delta(name, entry, delta)
    yield _between(f"{name} stochastic risk", entry["stochastic_risk"], risk, risk + fixed.slack)
    yield _between(f"{name} empirical risk", entry["empirical_risk"], near, near + fixed.slack)
    least, most = upper(risk, kls, delta, 0), upper(entry["stochastic_risk"], kls, delta, 1)
    yield _between(f"{name} stochastic bound", entry["stochastic_bound"], least, most)
    least = upper(near, fixed.kls, of_each_margin, 0) / fixed.coverage[0]
    most = upper(entry["empirical_risk"], fixed.kls, of_each_margin, 1) / f["coverage"]
    yield _between(f"{name} bound", entry["bound"], min(least, 1.0), min(most, 1.0))


def _class_upper(
    counts: Sequence[int],
    shares: NDArray,
    risk: float,
    kls: Sequence[KL],
    delta: float,
    rounded: int,
) -> float:
    """Seeger's bound over folds that are drawn by their shares."""
    if not all(counts):
        return 1.0
    folds = zip(kls, counts, shares, strict=True)
    prices = ((float(kl) + rounded * slack + log_xi(n) + math.log(1 / delta)) * p / n for (kl, slack), n, p in folds)
    return kl_inverse(risk, math.fsum(prices))


# ------------------------------------------------------------------------ 13. Votes that answer only when they are sure

THRESHOLDS = [(100 - k) / 100 for k in range(51)] + [(45 - 5 * k) / 100 for k in range(8)] + [0.0]
FEW = [*THRESHOLDS[:51:5], 0.4, 0.3, 0.0]  # all of these are compared if a coverage is the target
STARTS = ((1.0, 0.25), (0.9, 0.5), (0.7, 0.25))  # first thresholds of the test sequences, with their shares of delta
NEVER = 2.0  # the threshold of a fold that never answers
EDGE = 1e-9  # a share may be that far below its threshold
FOR_ERROR = 0.9  # share of delta; the rest is for the coverage


def check_selective_form(c: Content, folds: Sequence[Fold]) -> None:
    """Refuse targets and parameters for which the theorems do not hold."""
    _need(1e-200 <= c["delta"] < 1, "delta is not between 1e-200 and 1")
    names = ("bound", "coverage", "empirical_error", "empirical_coverage")
    _need(all(0 <= c[name] <= 1 for name in names), "a figure is not between 0 and 1")
    _need(c["posterior"] in ("dirichlet", "categorical"), f"the posterior {brief(c['posterior'])} is not known here")
    for name in ("posteriors", "fold_shares", "thresholds"):
        _need(len(c[name]) == len(folds), f"there is not one entry of {name} for each fold")
    for fold, posterior in zip(folds, c["posteriors"], strict=True):
        _check_parameters(c["posterior"], posterior, fold.n_voters, "posterior")
        _need(fold.classes is not None, "the votes do not say which class wins")
    named = list(c["target"]) in (["max_error"], ["min_coverage"])
    _need(
        named and all(_is_number(value, 0, 1) for value in c["target"].values()),
        "the target is not one share between 0 and 1",
    )
    allowed = [*THRESHOLDS, NEVER] if _by_error(c) else FEW
    _need(all(threshold in allowed for threshold in c["thresholds"]), "a threshold is not one of those that are tested")
    _need(min(c["thresholds"]) <= 1, "no fold ever answers")
    sound = all(0 < share <= 1 for share in c["fold_shares"]) and abs(math.fsum(c["fold_shares"]) - 1) <= 1e-12
    _need(sound, "the shares of the folds do not sum to one")


def _by_error(c: Content) -> bool:
    return "max_error" in c["target"]


def selective_assumed(c: Content) -> list[str]:
    """The assumptions that follow from the figures."""
    fixed = "The target, the thresholds and delta were fixed before looking at these examples."
    return [*_assumed_of_tests(len(c["posteriors"]) > 1, c["grouped"])[:2], fixed]


def selective_statement(c: Content) -> str:
    """The certificate in two sentences."""
    bound = _percent(c["bound"])
    if c["unproven"]:
        return (
            f"Not a certificate: {bound} uses parts without a proof ({', '.join(c['unproven'])}). The error "
            "among the answers may exceed it more often than delta allows."
        )
    confidence = f"{min(math.floor(round((1 - c['delta']) * 1e6, 7)), 999_999) / 1e4:g} %"
    judges = f"{c['n']:,} {'groups' if c['grouped'] else 'examples'}"
    on = "rows of new groups, each group counting the same," if c["grouped"] else "new examples"
    folds = len(c["posteriors"])
    among = (
        f"times the share that it answers, both averaged over the key that shares them out among the {folds} folds"
        if folds > 1
        else "of those that it answers"
    )
    coverage = f"{math.floor(round(c['coverage'] * 1e4, 7)) / 100:.2f} %"
    used = sorted(threshold for threshold in c["thresholds"] if threshold != NEVER)
    least, most, silent = f"{100 * used[0]:.0f} %", f"{100 * used[-1]:.0f} %", folds - len(used)
    span = least if least == most else f"{least} to {most}, depending on the fold" + "," * (not silent)
    never = f" ({silent} of the folds never answer)" if silent else ""
    rule = f"It answers where the winning class has at least {span}{never} of the vote."
    rule = rule if any(c["thresholds"]) else "It always answers."
    return (
        f"With probability at least {confidence} over the draw of the {judges} that judge it, the vote answers at "
        f"least {coverage} of {on} and errs on at most {bound} {among}. {rule}"
    )


def _selective_words(c: Content, statement: str, folds: Sequence[Fold]) -> Iterator[Check]:
    error, cover = "Clopper and Pearson's bound given the number of answers", "Clopper and Pearson's bound"
    if c["grouped"]:
        error, cover = "the ratio test for the means of groups", "Bentkus's bound"
    order = "thresholds tested in fixed sequences" if _by_error(c) else "delta shared among the thresholds"
    several = f", for each of {len(c['posteriors'])} folds, which share delta" if len(c["posteriors"]) > 1 else ""
    theorem = f"{error}, {order}; {cover} for the coverage{several}"
    yield Check("theorem", c["theorem"], theorem, c["theorem"] == theorem)
    yield Check("statement", c["statement"], statement, c["statement"] == statement)
    needed = selective_assumed(c)
    stated = c["assumptions"][: len(needed)]
    yield Check("assumptions", f"{len(stated)} stated", f"{len(needed)} needed", stated == needed)
    yield Check("proven", "yes" if not c["unproven"] else f"but for {c['unproven']}", "yes", not c["unproven"])


class Answered(NamedTuple):
    """Answers and errors of a fold's vote on its units (examples or groups) at a threshold.

    What is so close to the edge that rounding decides counts against the claim, as answered wrongly and as not covered.
    Each figure is for the least and for the most that may be called close.
    """

    errors: NDArray  # share of a unit that is answered wrongly
    answers: NDArray  # share that is answered
    covered: NDArray  # the same, without what is close to the edge


class Sureness(NamedTuple):
    """How sure a fold's vote is on its rows, and where it errs."""

    share: NDArray  # of the vote for the winning class
    errs: Sequence[NDArray]  # whether it errs, and wherever rounding may hide that it does, with little room and more


def _sureness(fold: Fold, parameters: dict[str, Any]) -> Sureness:
    given = np.array(next(iter(parameters.values())))
    weights = given / math.fsum(given)
    share = np.concatenate([_winning_share(fold, rows, weights) for rows in fold.blocks()])
    return Sureness(share, [vote_errors(fold, weights, doubt) for doubt in fold.doubts])


def _answered(fold: Fold, rows: Sureness, threshold: float) -> Answered:
    above = rows.share - (threshold - EDGE)
    readings = [(above >= doubt, above >= -doubt, errs) for doubt, errs in zip(fold.doubts, rows.errs, strict=True)]
    each = [maybe & (errs | ~surely) for surely, maybe, errs in readings]
    each += [maybe for _, maybe, _ in readings] + [surely for surely, _, _ in readings]
    if fold.groups is None:
        sums = [fold.counts @ marked for marked in each]
        return Answered(*(np.array(sums[k : k + 2]) for k in (0, 2, 4)))
    _, place, sizes = np.unique(fold.groups, return_inverse=True, return_counts=True)
    means = [np.bincount(place, marked) / sizes for marked in each]
    return Answered(*(np.stack(means[k : k + 2]) for k in (0, 2, 4)))


def _winning_share(fold: Fold, rows: slice, weights: NDArray) -> NDArray:
    """Share of the winning class in the weight that answers; if no voter answers, all classes have the same."""
    if fold.labels is None:
        wrong, right = fold.errors(rows) @ weights, fold.right_answers(rows) @ weights
        most, answered = np.maximum(wrong, right), wrong + right
    else:
        own, rivals = fold.class_weights(rows, weights)
        most, answered = np.maximum(own, rivals.max(1)), own + rivals.sum(1)
    if not fold.abstains:
        return most
    alike = np.full(len(most), 1 / len(fold.classes))  # type: ignore[arg-type]
    return np.divide(most, answered, out=alike, where=answered > 0)


def _selective_figures(c: Content, folds: Sequence[Fold]) -> Iterator[Check]:
    """Check the bounds at the folds' thresholds, and that the tests allow each of these."""
    delta, shares = c["delta"] / len(folds), np.array(c["fold_shares"])
    sure = [_sureness(fold, p) for fold, p in zip(folds, c["posteriors"], strict=True)]
    asked = list(zip(folds, sure, c["thresholds"], strict=True))
    found = [None if t == NEVER else _answered(fold, rows, t) for fold, rows, t in asked]
    if _by_error(c):
        r = c["target"]["max_error"]
        yield Check("bound", c["bound"], r, c["bound"] == r)
        for k, (fold, rows, threshold) in enumerate(asked):
            if threshold != NEVER:
                yield Check(f"threshold of fold {k}", threshold, *_reached(fold, rows, threshold, r, delta))
    else:
        part = FOR_ERROR * delta / len(FEW)
        bounds = [_ratio_bounds(a, fold, part) for a, fold in zip(found, folds, strict=True) if a is not None]
        few = (1 - FOR_ERROR) * delta / len(FEW)
        covered = [_covers(a, fold, t, few) for a, (fold, _, t) in zip(found, asked, strict=True)]
        low = _mixed_ratio([low for low, _ in bounds], [high for _, high in covered], shares)
        high = _mixed_ratio([high for _, high in bounds], [low for low, _ in covered], shares)
        yield _between("bound", c["bound"], low, high)
    among = len(THRESHOLDS) if _by_error(c) else len(FEW)
    covers = [
        _covers(a, fold, t, (1 - FOR_ERROR) * delta / among) for a, (fold, _, t) in zip(found, asked, strict=True)
    ]
    least, most = (float(shares @ side) for side in zip(*covers, strict=True))
    yield _between("coverage", -c["coverage"], -most, -least)
    if not _by_error(c):
        enough = c["target"]["min_coverage"]
        yield Check("coverage that was asked for", enough, most, c["coverage"] >= enough - 1e-9)
    yield from _selective_measured(c, folds, found)


def _selective_measured(c: Content, folds: Sequence[Fold], found: "Sequence[Answered | None]") -> Iterator[Check]:
    """The figures measured on the judging examples, averaged with the shares of the folds."""
    shares, n = np.array(c["fold_shares"]), [fold.count() for fold in folds]
    zero = np.zeros(2)
    wrong, answered, covered = (
        shares @ [zero if a is None else np.atleast_2d(a[k].T).sum(0) / m for a, m in zip(found, n, strict=True)]
        for k in range(3)
    )
    yield _between("share that is answered", -c["empirical_coverage"], *-covered)
    yield _between("error among the answers", c["empirical_error"], *(wrong / np.maximum(answered, 1e-300)))


def _reached(fold: Fold, rows: Sureness, threshold: float, r: float, delta: float) -> tuple[str, bool]:
    """Whether a sequence of tests gets to this threshold."""
    last = THRESHOLDS.index(threshold)
    for start, share in STARTS:
        first = THRESHOLDS.index(start)
        part = FOR_ERROR * delta * share
        tried = (_answered(fold, rows, t) for t in THRESHOLDS[first : last + 1])
        if first <= last and all(_excluded(a, fold, part, r) for a in tried):
            return f"reached from {start}", True
    return "not reached from any start", False


def _excluded(a: Answered, fold: Fold, delta: float, r: float) -> bool:
    """Whether the error among the answers is certified to be at most r."""
    if fold.groups is None:
        return _ratio_bounds(a, fold, delta)[0] <= r + 1e-11
    return _group_evidence(a.errors[0], a.answers[0], delta)(r) >= math.log(1 / delta) - 1e-10


def _ratio_bounds(a: Answered, fold: Fold, delta: float) -> tuple[float, float]:
    """Smallest and largest admissible bound on the error among the answers."""
    if fold.groups is None:
        low, high = (clopper_pearson(round(e), round(n), delta) for e, n in zip(a.errors, a.answers, strict=True))
        return low, high
    low, high = (_group_ratio(e, n, delta) for e, n in zip(a.errors, a.answers, strict=True))
    return low, high * (1 + 1e-8)


def _group_evidence(errors: NDArray, answers: NDArray, delta: float) -> Callable[[float], float]:
    """Logarithm of a mixture of products of ``1 - s (e - r a) / (1 - r)``, as a function of the ratio r."""
    n, level = len(errors), math.log(1 / delta)
    steps = int(math.log(max(0.7 * n / level, 1.0), 4.0)) + 1
    weights = np.array([1 / (j + 1) for j in range(steps)])
    weights /= math.fsum(weights)
    constants = [(level + math.log(1 / w)) / (0.7 * n * 4.0**-j) for j, w in enumerate(weights)]

    def evidence(r: float) -> float:
        logs = []
        for constant, weight in zip(constants, weights, strict=True):
            x = max(r / (1 - r) / constant, 1.0)
            stake = math.sqrt(2 / x) - (math.sqrt(2) - 1) / x
            factors = 1 - stake * (errors - r * answers) / (1 - r)
            logs.append(math.log(weight) + (math.fsum(np.log(factors)) if factors.min() > 0 else -math.inf))
        return float(special.logsumexp(logs))

    return evidence


def _group_ratio(errors: NDArray, answers: NDArray, delta: float) -> float:
    """The smallest excluded ratio, by bisection."""
    evidence, level = _group_evidence(errors, answers, delta), math.log(1 / delta)
    low, high = 1e-12, 1 - 1e-9
    if evidence(high) < level:
        return 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if evidence(middle) >= level else (middle, high)
    return high


def _mixed_ratio(bounds: Sequence[float], coverages: Sequence[float], shares: NDArray) -> float:
    """The largest ratio of all folds together that coverages of at least the folds' bounds can attain."""
    low, high = min(bounds), max(bounds)
    u, a = np.array(bounds), np.array(coverages)
    for _ in range(100):
        middle = (low + high) / 2
        attained = math.fsum(shares * np.where(u > middle, u - middle, a * (u - middle))) >= 0
        low, high = (middle, high) if attained else (low, middle)
    return high


def _covers(a: "Answered | None", fold: Fold, threshold: float, delta: float) -> tuple[float, float]:
    """Smallest and largest admissible lower bound on the coverage."""
    if a is None:
        return 0.0, 0.0
    if threshold == 0:
        return 1.0, 1.0
    n, counted = fold.count(), fold.groups is None
    rests = [1 - float(np.sum(side)) / n for side in a.covered]
    high, low = (
        1 - one_sample(max(rest, 0.0), n, delta, counted, slack)
        for rest, slack in zip(rests, (0.0, ROUNDED), strict=True)
    )
    return low, high


# -------------------------------------------------------------------------------------------------- 14. What is printed


def brief(value: object, most: int = 100) -> str:
    """A value in ASCII, shortened if it is too long: nothing in a file can control a terminal."""
    text = value if isinstance(value, str) and value.isascii() and value.isprintable() else ascii(value)
    return text if len(text) <= most else text[: most - 3] + "..."


def _items(texts: Sequence[str]) -> list[str]:
    """A list with every line indented, so that nothing in it can be mistaken for a verdict."""
    return [line for text in texts for line in textwrap.wrap(text, 76, initial_indent="- ", subsequent_indent="  ")]


def _unchecked(c: Content, needed: Sequence[str]) -> Iterator[str]:
    """The free text, in ASCII."""
    further = [text for text in c["assumptions"] if text not in needed]
    yield from (f"assumption: {brief(ascii(text), 400)}" for text in further)
    yield from (f"warning: {brief(ascii(text), 400)}" for text in c["warnings"])
    yield from (f"context: {brief(ascii(key))}: {brief(ascii(value), 200)}" for key, value in c["context"].items())


NEW_FORMATS = "stocmv tested certificate 1", "stocmv PAC-Bayes certificate 1", "stocmv selective certificate 2"


def read_judgments(path: str | os.PathLike) -> dict[str, NDArray]:
    """Interim."""
    with open(path, "rb") as file, zipfile.ZipFile(file) as packed:
        return _arrays(packed)


def verify_tested(content: Content, intact: Check, columns: Mapping[str, NDArray]) -> Verification:
    return Verification((Check("verify.py", "interim", "is being rewritten", False),))


def verify_selective(content: Content, intact: Check, columns: Mapping[str, NDArray]) -> Verification:
    return Verification((Check("verify.py", "interim", "is being rewritten", False),))


def verify_pac_bayes(content: Content, intact: Check, folds: "Sequence[Fold]") -> Verification:
    return Verification((Check("verify.py", "interim", "is being rewritten", False),))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(description="Check a certificate of stocmv against its votes.")
    parser.add_argument("certificate", help="certificate.json")
    parser.add_argument("votes", help="votes.npz")
    given = parser.parse_args(arguments)
    try:
        verification = verify_files(given.certificate, given.votes)
    except (OSError, Refused, MemoryError) as error:
        print(f"Error: {brief(str(error) or type(error).__name__, 500)}", file=sys.stderr)
        return 2
    print(verification)
    return 0 if verification else 1


if __name__ == "__main__":
    sys.exit(main())
