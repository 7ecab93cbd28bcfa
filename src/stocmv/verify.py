"""Check a stocmv certificate against its evidence.

This is a single file that needs only numpy and scipy, and nothing from stocmv: copy it, read it, and run

    python verify.py certificate.json evidence.npz

The exit code is 0 if the certificate holds, 1 if it does not, and 2 (with one sentence) if a file cannot be used.

There are six formats, and two kinds of evidence.

- A *tested* certificate is about a model that was made without its judging examples. Everything that it says is a
  function of one table, the judgments: for each judging example its true class, what the model answered, and further
  columns. All of it is counted again here.
- A *selective* certificate is about the same model answering only when it is sure, with one target for all answers or
  one for those of each class, and has the same evidence.
- A *threshold* certificate is about the same model answering a class wherever its score reaches a threshold.
- A *PAC-Bayes* certificate is about a vote whose weights were learned on the judging examples, and pays for that. Its
  evidence are the votes; its risks, its KL and its bounds are computed again from them and from the posterior.
- A *drawn* certificate is about one vote, whose weights were drawn once from that posterior, and has the same evidence.

A figure holds if it is not better than the value computed here, and not worse than outward rounding explains. The file
also has words: statement, theorem and assumptions for people to read. They are not checked and not sealed, and nothing
here depends on them: the verdict below has a sentence of its own, made from the checked figures, so changed words fool
nobody who runs this. Further assumptions, warnings and the context are listed as stated by the maker and not checked,
and so is what no verifier can know: see `UNKNOWABLE`.

Contents, in the order of reading
---------------------------------
1. The verdict: what is checked, and in which order
2. The certificate's file: JSON without any freedom of spelling
3. The evidence's file: arrays that cannot run code
4. The shares of delta
5. Tested certificates: the judgments, and a check for each figure
6. Bounds from one sample, and the fold test
7. Selective certificates
8. Threshold certificates
9. PAC-Bayes certificates: the votes
10. PAC-Bayes certificates: the form, and the figures in their order
11. The error of a vote with drawn weights, row by row
12. KL from the prior, and the bounds that pay it
13. The deterministic vote of a PAC-Bayes certificate
14. Drawn certificates
15. What is said and printed
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
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from scipy import optimize, special

Content = dict[str, Any]  # of a certificate
KL = tuple[Decimal, float]  # and how far it may have been rounded up

OF_MODEL_AND_DATA = (
    "whether the evidence is real: invented answers or votes give a certificate that holds",
    "whether the answers, scores and losses are the model's (with model and data: stocmv verify DIR --data FILE)",
)
UNKNOWABLE = (
    *OF_MODEL_AND_DATA,
    "whether the examples are independent draws from one distribution, and new ones come from the same",
    "whether the model, its weights or the prior were chosen after looking at the examples that judge them",
    "whether the examples that judge, or the folds, were drawn at random, and not chosen after looking at them",
    "whether the constants of a bound or of the fold test were chosen after looking at the examples they are for",
    "whether costs, targets, thresholds or deltas were, or more was tried than is stated: other priors, bounds, splits",
    "whether groups are what they are called, independent of each other, with all dependent rows in one of them",
    "whether there are other classes or subgroups than those that are listed, which would share delta with them",
    "whether the folds answer new examples in the stated shares, and whether a single voter answers where that is said",
    "whether a vote that was drawn was the only one, or the best of several",
    "whether warnings about the data were left out",
    "whether a posterior was chosen because the votes drawn from it were lucky, where the risk is estimated from draws",
)

# ------------------------------------------------------------------------------------------------------- 1. The verdict


class Check(NamedTuple):
    """One item of a certificate, as claimed and as recomputed."""

    what: str  # where certificate.json has it, such as figures.error.bound; or in words
    claimed: object
    found: object
    holds: bool

    def __str__(self) -> str:
        what, claimed, found = brief(self.what), brief(self.claimed), brief(self.found)
        return f"{'ok ' if self.holds else 'NO '} {what}: {claimed}" + ("" if claimed == found else f" ({found})")


@dataclass(frozen=True)
class Verification:
    """All checks; true if every one holds.

    Attributes
    ----------
    checks : tuple of Check
        In the order in which they were made; they end if one fails without which the others mean nothing.
    statement : str
        What the certificate says, in the verifier's own words; empty if not all checks could be made.
    unchecked : tuple of str
        What else the certificate's maker states.

    Examples
    --------
    >>> from stocmv import certify_predictions
    >>> certificate = certify_predictions(["yes", "no"] * 50, ["yes", "no"] * 48 + ["no"] * 4)
    >>> verification = certificate.verify(certificate.evidence_)
    >>> bool(verification), verification.differences
    (True, [])
    >>> print(verification.checks[0])
    ok  digest of the file: as written
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

    def remarks(self, unknowable: Sequence[str] = UNKNOWABLE) -> list[str]:
        """What was not checked, line by line."""
        stated = ["Stated by the maker of the certificate, not checked:", *_items(self.unchecked)]
        return [*(stated if self.unchecked else ()), "What no verifier can know:", *_items(unknowable)]

    def __str__(self) -> str:
        failed_first = sorted(self.checks, key=lambda check: check.holds)
        return "\n".join([self.verdict, "", *map(str, failed_first), "", *self.remarks()])


class Refused(ValueError):
    """A file, or an array, that is not what it should be."""


def verify_files(certificate: str | os.PathLike, evidence: str | os.PathLike) -> Verification:
    """Check a certificate's file against the file of its evidence."""
    content, intact = read_certificate(certificate)
    if content["format"] in BY_VOTES:
        return BY_VOTES[content["format"]](content, intact, read_votes(evidence))
    return BY_JUDGMENTS[content["format"]](content, intact, read_judgments(evidence))


def verify_tested(content: Content, intact: Check, columns: Mapping[str, NDArray]) -> Verification:
    """Check the content of a tested certificate against the judgments."""
    return _verified(content, intact, TESTED, lambda: _tested_checks(content, Judgments(columns)))


def verify_selective(content: Content, intact: Check, columns: Mapping[str, NDArray]) -> Verification:
    """Check the content of a selective certificate against the judgments."""
    return _verified(content, intact, SELECTIVE, lambda: _selective_checks(content, Judgments(columns)))


def verify_class_selective(content: Content, intact: Check, columns: Mapping[str, NDArray]) -> Verification:
    """Check the content of a selective certificate with a target for each class against the judgments."""
    return _verified(content, intact, CLASS_SELECTIVE, lambda: _class_selective_checks(content, Judgments(columns)))


def verify_threshold(content: Content, intact: Check, columns: Mapping[str, NDArray]) -> Verification:
    """Check the content of a threshold certificate against the judgments."""
    return _verified(content, intact, THRESHOLD, lambda: _threshold_checks(content, Judgments(columns)))


def verify_pac_bayes(content: Content, intact: Check, folds: "Sequence[Fold]") -> Verification:
    """Check the content of a PAC-Bayes certificate against the votes of its folds."""
    return _verified(content, intact, PAC_BAYES, lambda: _pac_bayes_checks(content, folds))


def verify_drawn(content: Content, intact: Check, folds: "Sequence[Fold]") -> Verification:
    """Check the content of the certificate of a drawn vote against the votes of its folds."""
    return _verified(content, intact, DRAWN_ONCE, lambda: _drawn_checks(content, folds))


def _verified(content: Content, intact: Check, form: str, checks: Callable[[], Iterable[Check]]) -> Verification:
    """Make all checks; whatever a forged certificate or its evidence may raise, it does not hold."""
    made, statement, unchecked = [intact], "", tuple[str, ...]()
    try:
        _need(content["format"] == form, f"this is not a {form}")
        check_form(content)
        unchecked = tuple(_unchecked(content))
        made.append(Check("parts without a proof", content["unproven"], [], content["unproven"] == []))
        with np.errstate(all="ignore"):  # figures that are not numbers fail their checks
            for check in checks():
                made.append(check)
        statement = statement_of(content) if all(check.holds for check in made) else ""
    except Exception as error:
        reason = str(error) if isinstance(error, Refused) else f"{type(error).__name__}: {error}"
        made.append(Check("form", reason, "not allowed", False))
    return Verification(tuple(made), statement, unchecked)


def _upper(what: str, claimed: float, least: float, most: float | None = None) -> Check:
    """A figure that must not be below the recomputed value, nor above what outward rounding explains."""
    most = least if most is None else most
    down, up = 1e-11 * max(1.0, abs(least)), 1e-9 * max(1.0, abs(most))  # what this file's own rounding may do
    return Check(what, float(claimed), float(least), bool(least - down <= claimed <= most + up))


def _lower(what: str, claimed: float, most: float, least: float | None = None) -> Check:
    """The same for a figure that must not be above the recomputed value."""
    holds = _upper(what, -claimed, -most, -(most if least is None else least)).holds
    return Check(what, claimed, float(most), holds)


def _need(condition: object, otherwise: str) -> None:
    if not condition:
        raise Refused(otherwise)


# -------------------------------------------------------------------------------------------- 2. The certificate's file

TESTED, SELECTIVE = "stocmv tested certificate 1", "stocmv selective certificate 3"
CLASS_SELECTIVE, THRESHOLD = "stocmv class selective certificate 1", "stocmv threshold certificate 1"
PAC_BAYES, DRAWN_ONCE = "stocmv PAC-Bayes certificate 1", "stocmv drawn certificate 1"
BY_VOTES = {PAC_BAYES: verify_pac_bayes, DRAWN_ONCE: verify_drawn}
BY_JUDGMENTS = {
    TESTED: verify_tested,
    SELECTIVE: verify_selective,
    CLASS_SELECTIVE: verify_class_selective,
    THRESHOLD: verify_threshold,
}
WORDS = "words (not sealed: they follow from the figures)"
LONGEST = 1 << 28  # bytes of a certificate's file


class Kind(NamedTuple):
    """Values of some types; of numbers, those between two."""

    types: tuple[type, ...]
    least: float = -1e300
    most: float = 1e300

    def has(self, value: Any) -> bool:
        return type(value) in self.types and (type(value) not in (int, float) or self.least <= value <= self.most)


FLOAT, TINY, BELOW_ONE = (int, float), 1e-300, math.nextafter(1.0, 0.0)
NUMBER, POSITIVE, NOT_NEGATIVE = Kind(FLOAT), Kind(FLOAT, TINY), Kind(FLOAT, 0)
SHARE, INNER, DELTA = Kind(FLOAT, 0, 1), Kind(FLOAT, TINY, BELOW_ONE), Kind(FLOAT, 1e-200, BELOW_ONE)
COUNT, TEXT, FLAG = Kind((int,), 0, 2**53 - 1), Kind((str,)), Kind((bool,))
LABEL, ANY = Kind((str, int, bool)), Kind((dict, list, str, int, float, bool, type(None)))

# A form is a kind, a text that must be that text, a list with the form of its entries, a dictionary with the forms of
# its entries (or with the form of all, for any names), or a tuple of alternatives.
CONSTANTS = {"slope": [Kind(FLOAT, 1, 100)], "offset": [NOT_NEGATIVE], "scale": [POSITIVE]}  # of the fold test
OWN_CONSTANTS: Any = ({}, CONSTANTS)
RISK, DRAWN = {"empirical_risk": SHARE, "bound": SHARE}, {"stochastic_risk": SHARE, "stochastic_bound": SHARE}
COUNTED, MEAN_COST = {"label": LABEL, "n": COUNT}, {"measured": Kind(FLOAT, -1e101, 1e101), "bound": NUMBER}
MEASURED, BASELINE = {**COUNTED, "measured": SHARE}, {"label": LABEL, **RISK}
OF_CLASS = {**COUNTED, **RISK, "fold_test": OWN_CONSTANTS}
F1 = {**MEASURED, "bound": SHARE}
PRECISION = {**F1, "fold_test": OWN_CONSTANTS}
COST = {"classes": [LABEL], "matrix": [[Kind(FLOAT, -1e100, 1e100)]], **MEAN_COST, "fold_test": OWN_CONSTANTS}
COST |= {"baseline": {"label": LABEL, **MEAN_COST}}
FIXED_VOTE = {
    "margin": SHARE,
    "scale": POSITIVE,
    "leak": SHARE,
    "heavy": NOT_NEGATIVE,
    "coverage": Kind(FLOAT, TINY, 1),
}
FIXED_VOTE |= {"empirical_risk": SHARE, "kl": NOT_NEGATIVE, "margins": COUNT}
RATE, BIN_ENDS = {"bound": SHARE, "measured": SHARE}, {"from": SHARE, "to": SHARE}
BIN = {**BIN_ENDS, "n": COUNT, **dict.fromkeys(("mean_score", "measured", "lower", "upper"), SHARE)}
SELECTIVE_FIGURES = {"error": RISK, "coverage": RATE, "answers": [{"label": LABEL, "n": NOT_NEGATIVE}]}
ANSWERED = {"label": LABEL, "bound": INNER, "empirical_risk": SHARE, "coverage": SHARE, "measured": SHARE}
CLASS_FIGURES = {**SELECTIVE_FIGURES, "answers": [{**ANSWERED, "n": NOT_NEGATIVE}]}
RATE_OF_SOME = {**RATE, "n": COUNT}
BANDED = (RATE_OF_SOME, {**RATE_OF_SOME, "local_level": INNER})
CHEAPEST = {"label": LABEL, "measured": MEAN_COST["measured"]}
THRESHOLD_FIGURES: dict[str, Any] = {
    "recall": BANDED,
    "false_positive_rate": BANDED,
    "precision": RATE_OF_SOME,
    "cost": {"classes": COST["classes"], "matrix": COST["matrix"], **MEAN_COST, "n": COUNT},
    "baseline": ({"prevalence": SHARE}, {"prevalence": SHARE, "cost": CHEAPEST}),
}
FEWEST = ("voter", "pair", "compared")
PAID_ERROR: dict[str, Any] = {"bound": SHARE, "stochastic_bound": SHARE, "moments": [SHARE], "kl": NOT_NEGATIVE}
PAID_FIGURES: dict[str, Any] = {
    "error": (PAID_ERROR, {**PAID_ERROR, "fewest": dict.fromkeys(FEWEST, COUNT)}),
    "deterministic_vote": ({}, FIXED_VOTE),
    "baseline": BASELINE,
    "recalls": [MEASURED],
    "classes": [{**COUNTED, **RISK, **DRAWN}],
}
DRAWN_FIGURES = {"error": {**RISK, "log_ratio": NUMBER}}
COMMON: dict[str, Any] = {  # what certificates of all kinds have
    "format": TEXT,
    "figures": {str: ANY},
    "delta": DELTA,
    "n": COUNT,
    "claims": [{"name": TEXT, "delta": INNER, "pays_for": TEXT, "among": {str: COUNT}}],
    "fold_sizes": [Kind((int,), 1, 2**53 - 1)],
    "fold_shares": [SHARE],
    **dict.fromkeys(("grouped", "has_one_voter", "covers_drawn", "abstains"), FLAG),
    **{name: [TEXT] for name in ("unproven", "further_assumptions", "warnings")},
    "protocol": ({}, {"name": TEXT, "learning": COUNT, "judging": COUNT}),
    "context": {str: ANY},
}
OF_JUDGMENTS = {**COMMON, "evidence": TEXT, "voting": ("hard", "soft", "given")}
FORMS: dict[str, dict[str, Any]] = {
    TESTED: {**OF_JUDGMENTS, "fold_test": OWN_CONSTANTS},
    SELECTIVE: {
        **OF_JUDGMENTS,
        "thresholds": [NUMBER],
        "target": ({"max_error": INNER}, {"min_coverage": INNER}),
    },
    CLASS_SELECTIVE: {**OF_JUDGMENTS, "thresholds": [[NUMBER]]},
    THRESHOLD: {
        **OF_JUDGMENTS,
        "positive": LABEL,
        "threshold": SHARE,
        "target": (
            *({name: SHARE} for name in ("at", "picked")),
            *({name: INNER} for name in ("min_recall", "min_precision", "max_false_positive_rate")),
            {"max_cost": NUMBER},
        ),
    },
    PAC_BAYES: {
        **COMMON,
        "evidence": [TEXT],
        "alternatives": Kind((int,), 1, 10**9),
        **dict.fromkeys(("risk", "posterior"), TEXT),
        **{name: {str: ANY} for name in ("risk_settings", "bound_settings")},
        **{name: [{str: [NUMBER]}] for name in ("posteriors", "priors")},
    },
    DRAWN_ONCE: {
        **COMMON,
        "evidence": [TEXT],
        "alternatives": Kind((int,), 1, 10**9),
        "fold": COUNT,
        "posterior": TEXT,
        **{name: [{str: [NUMBER]}] for name in ("posteriors", "priors")},
        "log_weights": [Kind(FLOAT, -1e300, 1e-12)],
    },
}
OF_FOLDS = {"fold_shares", "posteriors", "priors", "thresholds"}  # one entry for each fold
SAID = {"statement": TEXT, "theorem": TEXT, "assumptions": [TEXT]}


def read_certificate(path: str | os.PathLike) -> tuple[Content, Check]:
    """The content of a certificate file, and a check that the file was not changed."""
    with open(path, "rb") as file:
        text = file.read(LONGEST + 1)
    try:
        return parse_certificate(text)
    except Refused as error:
        raise Refused(f"{os.fspath(path)} is not a certificate of stocmv: {error}.") from error


def parse_certificate(text: bytes) -> tuple[Content, Check]:
    """The content without its words, and a check that the text is how this content is written, with its digest.

    There is only one way to write a certificate, in ASCII: no number, letter or space can differ.
    """
    _need(len(text) <= LONGEST, "it is too long")
    try:
        content: Any = json.loads(text, object_pairs_hook=_without_repetition, parse_constant=_no_constant)
        written = json.dumps(content, indent=1).encode()
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused("it is not JSON") from error
    except ValueError as error:
        raise Refused(f"{error}") from error
    known = isinstance(content, dict) and isinstance(content.get("format"), str) and content["format"] in FORMS
    _need(known, f"its format is none of {', '.join(map(repr, FORMS))}")
    digest, words = content.pop("sha256", None), content.pop(WORDS, None)
    check_form(content)
    _fit(words, SAID, "words")
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    is_intact = written == text and digest == hashlib.sha256(canonical.encode()).hexdigest()
    return content, Check("digest of the file", "as written", "as written" if is_intact else "changed since", is_intact)


def check_form(c: Content) -> None:
    """Refuse unknown fields, values of another form, and fields that do not fit each other."""
    form = FORMS[c["format"]]
    unknown = sorted(form.keys() ^ c.keys())
    _need(not unknown, f"fields missing or unknown: {', '.join(map(brief, unknown[:20]))}")
    _need(_is_shallow(c, 8), "it is nested too deeply")
    for name, value in c.items():
        _fit(value, form[name], name)
    n_folds = len(c["fold_sizes"])
    for name in ("fold_sizes", *sorted(OF_FOLDS & c.keys())):
        _need(len(c[name]) == n_folds > 0, f"{name} has not one entry for each of the {n_folds} folds")
    for parameters in c.get("posteriors", ()):
        _need(parameters and all(parameters[x] for x in parameters if x != "speakers"), "a posterior has no parameters")
    _check_figures(c)


def _is_shallow(value: Any, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels > 0 and all(_is_shallow(part, levels - 1) for part in inner)


def _check_figures(c: Content) -> None:
    """Refuse unknown figures, figures of another form, and a certificate that leaves out one that it must have."""
    tested = {name: figure.form for name, figure in CHECKS.items()}
    forms = {
        TESTED: tested,
        SELECTIVE: SELECTIVE_FIGURES,
        CLASS_SELECTIVE: CLASS_FIGURES,
        THRESHOLD: THRESHOLD_FIGURES,
        PAC_BAYES: PAID_FIGURES,
        DRAWN_ONCE: DRAWN_FIGURES,
    }[c["format"]]
    names = c["figures"].keys()
    for name, figure in c["figures"].items():
        _need(name in forms, f"the figure {brief(name)} is not known here")
        _fit(figure, forms[name], f"figures.{name}")
    needed = {
        TESTED: {"error", "baseline"},
        SELECTIVE: {"error", "coverage", "answers"},
        CLASS_SELECTIVE: {"error", "coverage", "answers"},
        THRESHOLD: {"recall", "false_positive_rate", "precision", "baseline"},
        PAC_BAYES: {"error", "deterministic_vote"},
        DRAWN_ONCE: {"error"},
    }
    _need(needed[c["format"]] <= names, f"there are not the figures {sorted(needed[c['format']])}")
    _need(c.get("voting") != "given" or len(c["fold_sizes"]) == 1, "the answers of one model are not in folds")
    if c["format"] in (TESTED, PAC_BAYES):
        _need(len({"classes", "recalls"} & names) == 1, "there are not either bounds or recalls of the classes")
    if c["format"] == TESTED:
        # different folds may answer rows of one group, and then there is no simple bound on the precision
        mixed = c["grouped"] and len(c["fold_sizes"]) > 1
        _need(("precision" in names) == ("classes" in names and not mixed), "precision is not where it should be")
        _need(c["voting"] == "hard" or "panel" not in names, "the voters of a panel answer with classes")
        plain = not c["grouped"] and len(c["fold_sizes"]) == 1
        _need(("f1" in names) == ("classes" in names and plain), "f1 is not where it should be")
        _need("prevalence" not in names or "f1" in names, "prevalence is not where it should be")
    if c["format"] == PAC_BAYES:
        _need(c["figures"]["error"]["moments"], "there are no means")


def _fit(value: Any, form: Any, place: str) -> None:
    """Refuse a value of another form."""
    _need(_is_like(value, form), f"{place} is not of the right kind")


def _is_like(value: Any, form: Any) -> bool:
    if isinstance(form, Kind):
        return form.has(value)
    if isinstance(form, str):
        return type(value) is str and value == form
    if isinstance(form, tuple):
        return any(_is_like(value, each) for each in form)
    if isinstance(form, list):
        return type(value) is list and all(_is_like(entry, form[0]) for entry in value)
    if type(value) is not dict:
        return False
    if str in form:
        return all(_is_like(entry, form[str]) for entry in value.values())
    return value.keys() == form.keys() and all(_is_like(value[name], form[name]) for name in form)


def _without_repetition(pairs: list[tuple[str, Any]]) -> Content:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a field occurs twice")
    return content


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


# ----------------------------------------------------------------------------------------------- 3. The evidence's file

CELLS = 1 << 19  # of an array with a row for each example and a column for each voter, or class, made at a time


def read_judgments(path: str | os.PathLike) -> dict[str, NDArray]:
    """The checked columns of a judgments file; no code in it is run."""
    return _read_archive(path, "judgments", check_judgments)


def read_votes(path: str | os.PathLike) -> "list[Fold]":
    """The folds of a votes file; no code in it is run."""
    return _read_archive(path, "votes", _folds)


def _read_archive(path: str | os.PathLike, of: str, read: Callable[[dict[str, NDArray]], Any]) -> Any:
    with open(path, "rb") as file:
        try:
            with zipfile.ZipFile(file) as packed:
                return read(_arrays(packed))
        except Exception as error:  # whatever a damaged or forged archive may raise
            reason = next(iter(str(error).strip().splitlines()), "").rstrip(" .:")[:200] or type(error).__name__
            raise Refused(f"{os.fspath(path)} is not a {of} file of stocmv: {brief(reason, 200)}.") from error


def free_memory() -> int:
    """Free memory in bytes, or 8 GiB if the system does not say."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 8 << 30


def _arrays(packed: zipfile.ZipFile) -> dict[str, NDArray]:
    entries = packed.infolist()
    plain = all(entry.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for entry in entries)
    _need(plain, "it is packed in another way than stored or deflated")
    fits = sum(entry.file_size for entry in entries) <= free_memory() // 2
    _need(fits, "what it holds unpacks to more than half of the free memory")
    arrays = {entry.filename.removesuffix(".npy"): _array(packed, entry) for entry in entries}
    _need(len(arrays) == len(entries), "it has two arrays of one name")
    return arrays


def _array(packed: zipfile.ZipFile, entry: zipfile.ZipInfo) -> NDArray:
    other = "it has an array that holds something else than it says"
    with packed.open(entry) as file:
        header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[npy.read_magic(file)]
        shape, fortran, dtype = header(file)
        size = math.prod(shape) * dtype.itemsize
        _need(dtype.kind in "biufUS" and dtype.itemsize > 0 and 0 <= size <= entry.file_size, other)
        data = _read(file, size + 1)
    _need(len(data) == size, other)
    return np.ndarray(shape, dtype, data, order="F" if fortran else "C")


def _read(file: Any, most: int) -> bytes:
    """At most ``most`` bytes, in pieces: read all at once, zipfile may unpack more than the file states."""
    pieces, left = [], most
    while left > 0 and (piece := file.read(min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _hash_array(hashed: Any, name: str, array: NDArray | None) -> None:
    """Add name, type, shape and content of an array to a digest."""
    if array is None:
        hashed.update(f"{name}:none;".encode())
    elif array.dtype.kind == "U":
        hashed.update(f"{name}:str:{array.shape};{json.dumps(array.tolist())}".encode())
    else:
        little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        hashed.update(f"{name}:{little.dtype.str}:{array.shape};".encode())
        hashed.update(little.data)


def _check_labels(classes: NDArray) -> None:
    named = classes.ndim == 1 and len(classes) > 0 and classes.dtype.kind in "iUb"
    _need(named and np.all(classes[1:] > classes[:-1]), "its classes are not sorted integers, strings or booleans")


def row_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """The rows in blocks, the smaller the more columns there are."""
    step = max(1, CELLS // max(n_columns, 64))
    return (slice(start, start + step) for start in range(0, n_rows, step))


# ----------------------------------------------------------------------------------------------- 4. The shares of delta


@dataclass(frozen=True)
class Ledger:
    """The shares of delta with which the figures are checked: a certificate must state exactly these as its claims.

    Each claim fails with probability at most delta, as all shares with the same name add up to no more.
    """

    delta: float
    claims: list[dict[str, Any]] = field(default_factory=list)

    def share(
        self, name: str, among: Mapping[str, int] | None = None, pays_for: str = "bound", part: float = 1.0
    ) -> float:
        """Record a claim that has a part of delta, in equal shares for each of so many things; return such a share."""
        each = part * self.delta / math.prod((among or {}).values())
        self.claims.append({"name": name, "delta": each, "pays_for": pays_for, "among": _several(among or {})})
        return each

    def of(self, name: str, pays_for: str = "bound") -> float:
        """A share that was recorded."""
        return next(x["delta"] for x in self.claims if (x["name"], x["pays_for"]) == (name, pays_for))

    def checks(self, stated: Sequence[dict[str, Any]]) -> Iterator[Check]:
        yield Check("number of claims", len(stated), len(self.claims), len(stated) == len(self.claims))
        for k, (theirs, ours) in enumerate(zip(stated, self.claims, strict=False)):
            same = all(theirs[name] == ours[name] for name in ("name", "pays_for"))
            same = same and math.isclose(theirs["delta"], ours["delta"], rel_tol=1e-12)
            same = same and _several(theirs["among"]) == _several(ours["among"])
            yield Check(f"claims.{k}", theirs, ours, same)


def _several(among: Mapping[str, int]) -> dict[str, int]:
    return {what: count for what, count in among.items() if count != 1}


# --------------------------------------------- 5. Tested certificates: the judgments, and a check for each figure

HEADERS = ("classes", "subgroups", "voters")  # what the codes in the columns mean
COLUMNS = (*HEADERS, "truth", "answer", "fold", "scores", "loss", "group", "silent", "row", "subgroup", "votes")
NEEDED = ("classes", "truth", "answer", "fold")


def judgments_digest(columns: Mapping[str, NDArray]) -> str:
    """SHA-256 of the judgments, as in certificates."""
    hashed = hashlib.sha256(b"stocmv judgments 1;")
    for name in COLUMNS:
        _hash_array(hashed, name, columns.get(name))
    return hashed.hexdigest()


def check_judgments(columns: Mapping[str, NDArray]) -> dict[str, NDArray]:
    """The columns in their order; refuses other names, types, shapes or ranges."""
    _need(set(NEEDED) <= set(columns) <= set(COLUMNS), "its columns are not those of judgments")
    _need(all(isinstance(column, np.ndarray) for column in columns.values()), "a column is not an array")
    _check_labels(columns["classes"])
    n, k = columns["truth"].size, len(columns["classes"])
    _need(n > 0, "it has no rows")
    for name, column in columns.items():
        if name not in (*HEADERS, "subgroup", "votes"):
            fits = column.shape == ((n, k) if name == "scores" else (n,)) and COLUMN_TYPES[name](column.dtype)
            _need(fits, f"its column {name} is not of the right shape and type")
    for name in ("truth", "answer"):
        _need(columns[name].max() < k, f"its column {name} does not have codes of its classes")
    fold = columns["fold"]
    counted = np.cumsum(np.concatenate([[False], fold[1:] != fold[:-1]]))
    _need(np.array_equal(counted, fold), "its rows are not sorted by fold, or its folds are not numbered from 0")
    if "loss" in columns:
        _need(np.all((columns["loss"] >= 0) & (columns["loss"] <= 1)), "a loss is not between 0 and 1")
    for rows in row_blocks(n if "scores" in columns else 0, k):
        scores = columns["scores"][rows]
        sound = np.all((scores >= 0) & (scores <= 1)) and np.all(np.abs(scores.sum(1) - 1) <= 1e-6)
        _need(sound, "the scores of a row are not shares of one")
    if "group" in columns:
        _, first, place = np.unique(columns["group"], return_index=True, return_inverse=True)
        _need(np.array_equal(fold[first][place], fold), "a group has rows in several folds")
    _need(("subgroup" in columns) == ("subgroups" in columns), "it has subgroups without names, or names without them")
    if "subgroup" in columns:
        _check_subgroups(columns["subgroup"], columns["subgroups"], n)
    _need(("votes" in columns) == ("voters" in columns), "it has votes without voters, or voters without votes")
    if "votes" in columns:
        _check_panel(columns["votes"], columns["voters"], n, k)
    return {name: columns[name] for name in COLUMNS if name in columns}


def _check_subgroups(subgroup: NDArray, names: NDArray, n: int) -> None:
    """Each column is one attribute, and each named subgroup occurs in the column of its attribute alone."""
    fits = names.ndim == 2 and names.shape[1] == 2 and names.dtype.kind == "U"
    _need(fits and len(np.unique(names, axis=0)) == len(names), "its names of subgroups are not pairs of texts")
    fits = subgroup.ndim == 2 and len(subgroup) == n and subgroup.shape[1] > 0 and subgroup.dtype.kind == "u"
    _need(fits, "its column subgroup is not of the right shape and type")
    found = [np.unique(column) for column in subgroup.T]
    known = np.array_equal(np.sort(np.concatenate(found)), np.arange(len(names)))
    _need(known, "its subgroups are not numbered from 0, each in the column of one attribute")
    attributes = [names[codes, 0].tolist() for codes in found]
    alone = all(len(set(own)) == 1 for own in attributes) and len({own[0] for own in attributes}) == len(found)
    _need(alone, "a column of subgroups is not about one attribute")


def _check_panel(votes: NDArray, names: NDArray, n: int, k: int) -> None:
    """Each voter has a name of its own and a column of codes, in which the number of classes means no answer."""
    fits = names.ndim == 1 and names.dtype.kind == "U" and len(np.unique(names)) == len(names) > 1
    _need(fits, "its voters are not two or more with names of their own")
    fits = votes.shape == (n, len(names)) and votes.dtype.kind == "u"
    _need(fits and votes.max() <= k, "its votes are not codes of its classes, with a column for each voter")


COLUMN_TYPES: dict[str, Callable[[np.dtype], bool]] = {
    **dict.fromkeys(("truth", "answer", "fold"), lambda dtype: dtype.kind == "u"),
    **dict.fromkeys(("scores", "loss"), lambda dtype: dtype == np.float64),
    **dict.fromkeys(("group", "row"), lambda dtype: dtype == np.uint64),
    "silent": lambda dtype: dtype == np.bool_,
}


class Losses(NamedTuple):
    """Sums of losses over some examples (or groups) of each fold, and their numbers."""

    totals: list[float]
    sizes: list[int]

    @property
    def means(self) -> NDArray:
        """The mean of each fold; 1 if there are no examples."""
        return np.array([min(total / n, 1.0) if n else 1.0 for total, n in zip(*self, strict=True)])

    @property
    def mean(self) -> float:
        """The mean of all examples; 1 if there are none."""
        return math.fsum(self.totals) / sum(self.sizes) if any(self.sizes) else 1.0


class Judgments:
    """Checked judgments, fold by fold."""

    def __init__(self, columns: Mapping[str, NDArray]) -> None:
        self.columns = check_judgments(columns)
        self.labels: list[Any] = columns["classes"].tolist()
        self.truth, self.answer = (columns[name].astype(np.intp) for name in ("truth", "answer"))
        # what no voter answers counts as an error, whatever predict says then
        self.wrong = (self.truth != self.answer) | columns.get("silent", False)
        edges = np.searchsorted(columns["fold"], np.arange(int(columns["fold"][-1]) + 2))
        self.folds = [slice(*ends) for ends in itertools.pairwise(edges.tolist())]
        self.groups = [np.unique(columns["group"][rows], return_inverse=True)[1] for rows in self.folds if self.grouped]
        self.sizes = self.losses(self.wrong).sizes

    @property
    def grouped(self) -> bool:
        return "group" in self.columns

    def losses(self, values: NDArray, among: NDArray | None = None) -> Losses:
        """Sums over the examples among these, a mask (or with one fold the numbers of the rows).

        The loss of a group is the mean over its rows among these.
        """
        if values.dtype == bool and not self.grouped:
            counted = [values[rows] if among is None else values[rows][among[rows]] for rows in self.folds]
            return Losses([float(np.count_nonzero(each)) for each in counted], [len(each) for each in counted])
        found = [self.units(k, values, among) for k in range(len(self.folds))]
        return Losses([math.fsum(each.tolist()) for each in found], [len(each) for each in found])

    def units(self, k: int, values: NDArray, among: NDArray | None = None) -> NDArray:
        """The losses of a fold's examples or groups."""
        rows = self.folds[k]
        chosen = slice(None) if among is None else among[rows]
        given = values[rows][chosen].astype(float)
        if not self.grouped:
            return given
        place = self.groups[k][chosen]
        numbers = np.bincount(place)
        return np.bincount(place, given)[numbers > 0] / numbers[numbers > 0]


def _bound_to(c: Content, table: Judgments) -> Iterator[Check]:
    """Whether the certificate is about this table at all."""
    digest, sizes = judgments_digest(table.columns), table.sizes
    yield Check("evidence", c["evidence"], digest, c["evidence"] == digest)
    yield Check("grouped", c["grouped"], table.grouped, c["grouped"] == table.grouped)
    yield from _same_sizes(c, sizes)
    silent, drawn = "silent" in table.columns, "loss" in table.columns
    yield Check("abstains", c["abstains"], silent, c["abstains"] == silent)
    yield Check(
        "has_one_voter", c["has_one_voter"], not drawn and c["has_one_voter"], not (c["has_one_voter"] and drawn)
    )
    covers = (c["has_one_voter"] or drawn) and c["format"] == TESTED
    yield Check("covers_drawn", c["covers_drawn"], covers, c["covers_drawn"] == covers)


def _same_sizes(c: Content, sizes: list[int]) -> Iterator[Check]:
    """The number of judges, in each fold and where the protocol states it."""
    yield Check("n", c["n"], sum(sizes), c["n"] == sum(sizes))
    yield Check("fold_sizes", c["fold_sizes"], sizes, c["fold_sizes"] == sizes)
    if c["protocol"]:
        judging = c["protocol"]["judging"]
        yield Check("protocol.judging", judging, sum(sizes), judging == sum(sizes))


@dataclass(frozen=True)
class Trial:
    """What the check of a figure needs."""

    content: Content
    table: Judgments
    ledger: Ledger
    shares: NDArray  # how often each fold answers

    @property
    def several(self) -> bool:
        return len(self.shares) > 1

    @property
    def drawn(self) -> NDArray | None:
        """Losses of the stochastic vote, where it is certified too."""
        return self.table.columns.get("loss")

    def constants(
        self, place: str, own: dict[str, Any], sizes: Sequence[int], delta: float, needed: bool
    ) -> Iterator[Check]:
        """Check the constants of a figure's own fold test: whether there must be some, and what proves them."""
        needed = needed and self.several
        _need((own != {}) == needed, f"{place}.fold_test {'is missing' if needed else 'is not needed'}")
        if needed:
            _check_each(own, len(sizes), f"{place}.fold_test")
            yield from proofs(f"{place}.fold_test", own, sizes, delta)

    def mixed_alike(self, place: str, own: dict[str, Any]) -> Iterator[Check]:
        """Check that constants mix the folds as predict does: otherwise the figure is about another vote."""
        if own:
            yield _same_shares(f"{place}.fold_test.scale, shares", test_shares(own), self.shares)

    def risks(
        self, place: str, stated: dict[str, Any], among: NDArray | None, delta: float, constants: dict[str, Any]
    ) -> Iterator[Check]:
        """Check the error of predict on some rows, and that of the stochastic vote exactly if its losses are known."""
        votes = [("empirical_risk", "bound", self.table.wrong, True)]
        if self.drawn is not None:
            votes.append(("stochastic_risk", "stochastic_bound", self.drawn, False))
        _need(("stochastic_bound" in stated) == (len(votes) > 1), "a stochastic vote without losses, or losses without")
        for measured, bound, values, counted in votes:
            losses = self.table.losses(values, among)
            yield _upper(f"{place}.{measured}", stated[measured], min(float(self.shares @ losses.means), 1.0))
            yield _upper(f"{place}.{bound}", stated[bound], *self.upper(losses, delta, constants, counted))

    def upper(self, losses: Losses, delta: float, constants: dict[str, Any], counted: bool) -> tuple[float, float]:
        """The bound from these losses (``counted`` if each is 0 or 1), and what it may have been rounded up to."""
        if self.several:
            value = fold_test(constants, losses.means) if constants else 1.0
            return value, value
        return one_sample(losses.totals[0], losses.sizes[0], delta, counted and not self.table.grouped)


def _tested_checks(c: Content, table: Judgments) -> Iterator[Check]:
    """All checks of a tested certificate."""
    binding = list(_bound_to(c, table))
    yield from binding
    if not all(check.holds for check in binding):  # otherwise the figures mean nothing
        return
    _need((c["fold_test"] != {}) == (len(table.folds) > 1), "the fold test is for several folds")
    _check_each(c["fold_test"], len(table.folds), "fold_test")
    _need(("subgroups" in c["figures"]) == ("subgroups" in table.columns), "there are subgroups without their figure")
    _need(("panel" in c["figures"]) == ("votes" in table.columns), "there are votes of a panel without its figure")
    trial = Trial(c, table, Ledger(c["delta"]), test_shares(c["fold_test"]))
    yield _same_shares("fold_shares", c["fold_shares"], trial.shares)
    for name, stated in c["figures"].items():
        yield from CHECKS[name].check(stated, trial)
    yield from trial.ledger.checks(c["claims"])


def check_error(stated: dict[str, Any], trial: Trial) -> Iterator[Check]:
    """The error of predict, and of the stochastic vote."""
    delta, constants = trial.ledger.share("predict"), trial.content["fold_test"]
    if trial.drawn is not None:
        trial.ledger.share("stochastic vote")
    if trial.several:
        yield from proofs("fold_test", constants, trial.table.sizes, delta)
    yield from trial.risks("figures.error", stated, None, delta, constants)


def check_baseline(stated: dict[str, Any], trial: Trial) -> Iterator[Check]:
    """Always giving the same answer: the most frequent class, or one that was fixed before."""
    table, delta, n = trial.table, trial.ledger.share("baseline"), sum(trial.table.sizes)
    frequency = [math.fsum(table.losses(table.truth == c).totals) for c in range(len(table.labels))]
    if "fixed" not in stated:
        yield from most_frequent(stated, table.labels, frequency, n, delta, counted=not table.grouped)
        return
    _need(stated["fixed"], "figures.baseline.fixed is not true")
    named = [c for c, label in enumerate(table.labels) if _same_label("", stated["label"], label).holds]
    _need(len(named) == 1, f"figures.baseline.label {brief(ascii(stated['label']))} is not one of the classes")
    total = n - frequency[named[0]]
    yield _upper("figures.baseline.empirical_risk", stated["empirical_risk"], total / n)
    yield _upper("figures.baseline.bound", stated["bound"], *one_sample(total, n, delta, counted=not table.grouped))


def most_frequent(
    stated: dict[str, Any], labels: Sequence[Any], frequency: Sequence[float], n: int, delta: float, counted: bool
) -> Iterator[Check]:
    most = next(c for c, number in enumerate(frequency) if number >= max(frequency) * (1 - 1e-12))
    yield _same_label("figures.baseline.label", stated["label"], labels[most])
    total = n - frequency[most]
    yield _upper("figures.baseline.empirical_risk", stated["empirical_risk"], total / n)
    yield _upper("figures.baseline.bound", stated["bound"], *chosen_answer(total, n, delta, counted))


def _same_label(place: str, stated: Any, needed: Any) -> Check:
    """Compare labels as JSON writes them: 1, true and "1" are three different ones."""
    return Check(place, stated, needed, json.dumps(stated) == json.dumps(needed))


def _each_class(name: str, entries: Sequence[dict[str, Any]], labels: Sequence[Any]) -> Iterator[Check]:
    """Check that there is an entry for each class, without which nothing else can be checked."""
    _need(len(entries) == len(labels), f"figures.{name} has not one entry for each of the {len(labels)} classes")
    for code, (entry, label) in enumerate(zip(entries, labels, strict=True)):
        yield _same_label(f"figures.{name}.{code}.label", entry["label"], label)


def check_recalls(stated: list[dict[str, Any]], trial: Trial) -> Iterator[Check]:
    """What predict finds of each class; nothing is claimed."""
    yield from _each_class("recalls", stated, trial.table.labels)
    for code, entry in enumerate(stated):
        losses = trial.table.losses(trial.table.wrong, trial.table.truth == code)
        yield from recall(code, entry, sum(losses.sizes), losses.mean, losses.mean)


def recall(code: int, entry: dict[str, Any], n: int, least: float, most: float) -> Iterator[Check]:
    """The measured recall of a class with this mean error."""
    place = f"figures.recalls.{code}"
    yield Check(f"{place}.n", entry["n"], n, entry["n"] == n)
    yield _lower(f"{place}.measured", entry["measured"], 1 - least, 1 - most)


def check_classes(stated: list[dict[str, Any]], trial: Trial) -> Iterator[Check]:
    """The error given each true class: given the labels, the examples of a class are independent draws from it."""
    table, among = trial.table, {"classes": len(trial.table.labels)}
    delta = trial.ledger.share("classes", among)
    if trial.drawn is not None:
        trial.ledger.share("classes, stochastic vote", among)
    yield from _each_class("classes", stated, table.labels)
    for code, entry in enumerate(stated):
        place, members = f"figures.classes.{code}", table.truth == code
        sizes = table.losses(table.wrong, members).sizes
        yield Check(f"{place}.n", entry["n"], sum(sizes), entry["n"] == sum(sizes))
        yield from trial.constants(place, entry["fold_test"], sizes, delta, all(sizes))
        yield from trial.mixed_alike(place, entry["fold_test"])
        yield from trial.risks(place, entry, members, delta, entry["fold_test"])


def check_precision(stated: list[dict[str, Any]], trial: Trial) -> Iterator[Check]:
    """The error among the answers of each class: given which examples get it, they are independent draws."""
    table, among = trial.table, {"classes": len(trial.table.labels)}
    delta = trial.ledger.share("precision", among, part=0.9 if trial.several else 1.0)
    ends = 0.0
    if trial.several:  # how often each fold gives an answer is known up to an interval with two sides
        among |= {"folds": len(table.folds), "sides": 2}
        ends = trial.ledger.share("precision", among, "shares of the folds", 0.1)
    yield from _each_class("precision", stated, table.labels)
    for code, entry in enumerate(stated):
        place, own = f"figures.precision.{code}", entry["fold_test"]
        losses = table.losses(table.truth != code, table.answer == code)
        numbers, some = losses.sizes, any(losses.sizes)
        yield Check(f"{place}.n", entry["n"], sum(numbers), entry["n"] == sum(numbers))
        yield from trial.constants(place, own, numbers, delta, some)
        weights = trial.shares * np.divide(numbers, table.sizes)
        measured = float(weights @ losses.means / weights.sum()) if some else 1.0
        if own:
            value = mixed_error(own, losses, table.sizes, trial.shares, ends)
            bounds = value, value
        else:
            bounds = trial.upper(losses, delta, {}, counted=True)
        yield _lower(f"{place}.measured", entry["measured"], 1 - measured)
        yield _lower(f"{place}.bound", entry["bound"], 1 - bounds[0], 1 - bounds[1])


def check_f1(stated: list[dict[str, Any]], trial: Trial) -> Iterator[Check]:
    """Twice the right answers of a class, divided by its examples plus its answers.

    Given which examples are of the class or answered so, those that are both are binomial.
    """
    table, delta = trial.table, trial.ledger.share("f1", {"classes": len(trial.table.labels)})
    rows = table.truth, table.answer, table.truth[table.truth == table.answer]
    counts = zip(*(np.bincount(column, minlength=len(table.labels)).tolist() for column in rows), strict=True)
    yield from _each_class("f1", stated, table.labels)
    for code, (entry, (true, answered, both)) in enumerate(zip(stated, counts, strict=True)):
        place, n = f"figures.f1.{code}", true + answered - both
        yield Check(f"{place}.n", entry["n"], n, entry["n"] == n)
        yield _lower(f"{place}.measured", entry["measured"], 2 * both / (true + answered) if n else 0.0)
        jaccard = (1 - apart for apart in one_sample(float(n - both), n, delta, counted=True))
        yield _lower(f"{place}.bound", entry["bound"], *(2 * share / (1 + share) for share in jaccard))


def mixed_error(constants: dict[str, Any], losses: Losses, sizes: Sequence[int], shares: NDArray, ends: float) -> float:
    """The largest ``sum w_k (a_k L_k + t_k) + F max_k w_k c_k`` over the possible weights of the folds.

    The mean of the ``(R_k - a_k L_k - t_k)_+ / c_k`` is at most 1, which holds for all weights at once. Those of the
    answers are in proportion to the folds' shares times the probabilities of such an answer, which lie in intervals.
    """
    slope, offset, scale = (np.array(constants[name]) for name in CONSTANTS)
    some = np.array(losses.sizes) > 0
    base, scale = np.where(some, slope * losses.means + offset, 1.0), np.where(some, scale, 0.0)
    pairs = list(zip(losses.sizes, sizes, strict=True))
    low = shares * [1 - one_sample(n - k, n, ends, counted=True)[0] for k, n in pairs]
    high = shares * [one_sample(k, n, ends, counted=True)[0] for k, n in pairs]
    largest = 0.0
    for j in range(len(base)):
        values = base + (np.arange(len(base)) == j) * len(base) * scale
        largest = max(largest, _largest_mean(values, low, high))
    return min(largest, 1.0)


def _largest_mean(values: NDArray, low: NDArray, high: NDArray) -> float:
    """The largest weighted mean with weights between these: some give more than x if and only if the best ones do."""
    return smallest(lambda x: np.maximum((values - x) * high, (values - x) * low).sum() <= 0, values.max())


def check_prevalence(stated: dict[str, Any], trial: Trial) -> Iterator[Check]:
    """The error where the classes have other shares: a mean of the bounds on the classes, which hold all at once."""
    table, delta = trial.table, trial.ledger.delta / len(trial.table.labels)
    yield from _each_class("prevalence.shares", stated["shares"], table.labels)
    shares = [own["share"] for own in stated["shares"]]
    total = math.fsum(shares)
    yield Check("figures.prevalence.shares, sum", total, 1.0, abs(total - 1) <= 1e-9)
    errors = [table.losses(table.wrong, table.truth == code) for code in range(len(shares))]
    bounds = [trial.upper(losses, delta, {}, counted=True) for losses in errors]

    def mean(values: Iterable[float]) -> float:
        return min(math.fsum(share * value for share, value in zip(shares, values, strict=True)) / total, 1.0)

    place = "figures.prevalence"
    yield _upper(f"{place}.measured", stated["measured"], mean(losses.mean for losses in errors))
    yield _upper(f"{place}.bound", stated["bound"], mean(low for low, _ in bounds), mean(high for _, high in bounds))


def check_cost(stated: dict[str, Any], trial: Trial) -> Iterator[Check]:
    """The mean cost: costs scaled to [0, 1] are tested like errors, and counted if they are 0 or 1.

    They are scaled by all costs, also those of classes that do not occur in the table.
    """
    delta, table, own = trial.ledger.share("cost"), trial.table, stated["fold_test"]
    each = trial.ledger.share("cost of one answer", {"answers": len(stated["classes"])})
    places, matrix = np.array(_places(stated, table.labels)), np.array(stated["matrix"], float)
    low, span = matrix.min(), np.ptp(matrix)
    scaled = (matrix - low) / span
    yield from trial.constants("figures.cost", own, table.sizes, delta, needed=True)
    yield from trial.mixed_alike("figures.cost", own)
    losses = table.losses(scaled[places[table.truth], places[table.answer]])
    bounds = trial.upper(losses, delta, own, counted=_are_counted(scaled))
    means = min(float(trial.shares @ losses.means), 1.0)
    yield from _mean_cost("figures.cost", stated, low, span, (means, means), bounds)
    yield from _one_answer(stated["baseline"], stated["classes"], matrix, places, table, each)


def _one_answer(
    one: dict[str, Any], labels: Sequence[Any], matrix: NDArray, places: NDArray, table: Judgments, delta: float
) -> Iterator[Check]:
    """The cost of always giving the cheapest answer: each answer has its costs scaled by themselves."""
    cheapest = _cheapest(matrix, places, table)
    yield _same_label("figures.cost.baseline.label", one["label"], labels[cheapest])
    column = matrix[:, cheapest]
    low, span = column.min(), np.ptp(column) or 1.0
    scaled = (column - low) / span
    losses, bounds = table.losses(scaled[places[table.truth]]), (0.0, 0.0)
    if scaled.any():
        total, n = math.fsum(losses.totals), sum(losses.sizes)
        bounds = one_sample(total, n, delta, counted=not table.grouped and _are_counted(scaled))
    yield from _mean_cost("figures.cost.baseline", one, low, span, (losses.mean, losses.mean), bounds)


def _cheapest(matrix: NDArray, places: NDArray, table: Judgments) -> int:
    """The answer that is cheapest if it is always given; of several, the first."""
    every = [table.losses(column[places[table.truth]]).mean for column in ((matrix - matrix.min()) / np.ptp(matrix)).T]
    return next(a for a, cost in enumerate(every) if cost <= min(every) + 1e-12)


def _mean_cost(
    place: str, stated: dict[str, Any], low: float, span: float, *figures: tuple[float, float]
) -> Iterator[Check]:
    """Check what was measured and the bound, as shares of the way from the least to the largest cost."""
    for name, ends in zip(MEAN_COST, figures, strict=True):
        yield _one_cost(f"{place}.{name}", stated[name], low, span, *ends)


def _one_cost(place: str, claimed: float, low: float, span: float, least: float, most: float) -> Check:
    room = math.ulp(claimed) / span  # adding the least cost may have been rounded up
    check = _upper(place, (claimed - low) / span, least, most + room)
    return check._replace(claimed=claimed, found=float(low + span * least))


def _are_counted(scaled: NDArray) -> bool:
    return bool(np.isin(scaled, (0.0, 1.0)).all())


def _places(cost: dict[str, Any], labels: Sequence[Any]) -> list[int]:
    """Where the classes of the table are among those that have costs; refuses what is no matrix of costs."""
    rows, named = cost["matrix"], cost["classes"]
    _need(len({type(label) for label in named}) == 1, "the classes that have costs are not of one kind")
    _need(named == sorted(set(named)), "the classes that have costs are not sorted")
    _need(len(rows) == len(named) and all(len(row) == len(rows) for row in rows), "the costs are no square matrix")
    _need(all(row[k] == min(row) for k, row in enumerate(rows)), "a wrong answer costs less than the right one")
    _need(max(map(max, rows)) > min(map(min, rows)), "all costs are the same")
    _need(all(x == float(x) for row in rows for x in row), "a cost would be rounded")  # differences must be precise
    priced = [json.dumps(label) for label in named]
    missing = [label for label in labels if json.dumps(label) not in priced]
    _need(not missing, f"there are no costs for {brief(missing)}")
    return [priced.index(json.dumps(label)) for label in labels]


BINS = 10  # of scores, of equal width


def check_calibration(stated: list[dict[str, Any]], trial: Trial) -> Iterator[Check]:
    """How often answers are right, by their score: given the examples of a bin, they are independent draws from it."""
    table, each = trial.table, trial.ledger.share("calibration", {"bins": BINS, "sides": 2})
    _need(not trial.several and not table.grouped, "calibration is for one vote, without groups")
    _need("scores" in table.columns, "the judgments have no scores")
    score = table.columns["scores"][np.arange(len(table.answer)), table.answer]
    place = np.clip(np.searchsorted(np.arange(1, BINS) / BINS - EDGE, score, "right"), 0, BINS - 1)
    used = np.unique(place).tolist()
    _need(len(stated) == len(used), f"figures.calibration has not one entry for each of the {len(used)} bins")
    for k, (b, own) in enumerate(zip(used, stated, strict=True)):
        at, inside = f"figures.calibration.{k}", place == b
        n, wrong = int(inside.sum()), int(table.wrong[inside].sum())
        for name, value in (("from", b / BINS), ("to", (b + 1) / BINS), ("n", n)):
            yield Check(f"{at}.{name}", own[name], value, own[name] == value)
        yield _lower(f"{at}.mean_score", own["mean_score"], math.fsum(score[inside]) / n)
        yield _lower(f"{at}.measured", own["measured"], 1 - wrong / n)
        low, high = (one_sample(float(losses), n, each, counted=True)[0] for losses in (wrong, n - wrong))
        yield _lower(f"{at}.lower", own["lower"], 1 - low)
        yield _upper(f"{at}.upper", own["upper"], high)


SUBGROUP = {"attribute": TEXT, "value": TEXT, "n": COUNT, **RISK, "lower": SHARE, "upper": SHARE}
GAP = dict.fromkeys(("attribute", "most", "least"), TEXT) | dict.fromkeys(("measured", "lower", "upper"), SHARE)


def check_subgroups(stated: dict[str, Any], trial: Trial) -> Iterator[Check]:
    """The error given the subgroup: given who belongs to it, its examples are independent draws from it."""
    table, entries = trial.table, stated["entries"]
    _need("subgroup" in table.columns and not trial.several, "subgroups need judgments that have them, in one fold")
    names, attributes = table.columns["subgroups"].tolist(), np.ascontiguousarray(table.columns["subgroup"].T)
    each = trial.ledger.share("subgroup")
    at_once = trial.ledger.share("subgroups at once", {"subgroups": len(names), "sides": 2})
    stated_names = [[own["attribute"], own["value"]] for own in entries]
    yield Check("figures.subgroups.entries, names", brief(stated_names), brief(names), stated_names == names)
    _need(len(entries) == len(names), "figures.subgroups has not one entry for each subgroup")
    column = {code: own for own in attributes for code in np.unique(own).tolist()}
    for code, own in enumerate(entries):
        at, members = f"figures.subgroups.entries.{code}", np.flatnonzero(column[code] == code)  # faster than a mask
        wrong, right = (table.losses(values, members) for values in (table.wrong, ~table.wrong))
        yield Check(f"{at}.n", own["n"], wrong.sizes[0], own["n"] == wrong.sizes[0])
        yield _upper(f"{at}.empirical_risk", own["empirical_risk"], wrong.mean)
        yield _upper(f"{at}.bound", own["bound"], *trial.upper(wrong, each, {}, counted=True))
        yield _upper(f"{at}.upper", own["upper"], *trial.upper(wrong, at_once, {}, counted=True))
        low = trial.upper(right, at_once, {}, counted=True)
        yield _lower(f"{at}.lower", own["lower"], 1 - low[0], 1 - low[1])
    yield from _check_gaps(stated["gaps"], entries)


def _check_gaps(stated: Sequence[dict[str, Any]], entries: Sequence[dict[str, Any]]) -> Iterator[Check]:
    """Differences between the subgroups of an attribute follow from intervals that hold all at once."""
    members: dict[str, list[dict[str, Any]]] = {}
    for own in entries:
        members.setdefault(own["attribute"], []).append(own)
    needed = [attribute for attribute, those in members.items() if len(those) > 1]
    _need([gap["attribute"] for gap in stated] == needed, "figures.subgroups has not one gap for each attribute")
    for k, gap in enumerate(stated):
        at, those = f"figures.subgroups.gaps.{k}", members[gap["attribute"]]
        by_name = {own["value"]: own for own in those}
        worst = max(those, key=lambda own: own["lower"])["value"], min(those, key=lambda own: own["upper"])["value"]
        _need((gap["most"], gap["least"]) == worst, f"{at} names other subgroups")
        risks, lows, highs = ([own[x] for own in those] for x in ("empirical_risk", "lower", "upper"))
        yield _upper(f"{at}.measured", gap["measured"], max(risks) - min(risks))
        yield _upper(f"{at}.upper", gap["upper"], min(max(highs) - min(lows), 1.0))
        apart = by_name[gap["most"]]["lower"] - by_name[gap["least"]]["upper"]
        yield _lower(f"{at}.lower", gap["lower"], max(apart, 0.0))


def check_interval(stated: dict[str, Any], trial: Trial) -> Iterator[Check]:
    """The error from both sides."""
    _need(not trial.several, "an interval needs one fold")
    delta = trial.ledger.share("interval", {"sides": 2})
    wrong, right = (trial.table.losses(values) for values in (trial.table.wrong, ~trial.table.wrong))
    yield _upper("figures.interval.upper", stated["upper"], *trial.upper(wrong, delta, {}, counted=True))
    low = trial.upper(right, delta, {}, counted=True)
    yield _lower("figures.interval.lower", stated["lower"], 1 - low[0], 1 - low[1])


def check_scores(stated: dict[str, Any], trial: Trial) -> Iterator[Check]:
    """Brier score and log loss, means of losses with a largest value; and the area under the ROC curve."""
    table, columns = trial.table, trial.table.columns
    _need("scores" in columns and not trial.several, "figures of the scores need scores, in one fold")
    scores, rows = columns["scores"], np.arange(len(table.truth))
    truth = np.zeros_like(scores)
    truth[rows, table.truth] = 1
    most = -math.log(stated["log_loss"]["clip"])
    brier = ((scores - truth) ** 2).sum(1) / 2
    surprise = -np.log(np.maximum(scores[rows, table.truth], stated["log_loss"]["clip"])) / most
    for name, title, values, scale in (
        ("brier", "Brier score", brier, 1.0),
        ("log_loss", "log loss", surprise, most),
    ):
        delta, own = trial.ledger.share(title), stated[name]
        losses = table.losses(np.clip(values, 0, 1))
        least, largest = trial.upper(losses, delta, {}, counted=False)
        yield _upper(f"figures.scores.{name}.measured", own["measured"] / scale, losses.mean)
        yield _upper(f"figures.scores.{name}.bound", own["bound"] / scale, least, largest)
    _need(("auc" in stated) == (len(table.labels) == 2 and not table.grouped), "the area is not where it should be")
    if "auc" in stated:
        yield from _check_area(stated["auc"], trial)


def _check_area(stated: dict[str, Any], trial: Trial) -> Iterator[Check]:
    """An average over all pairs, which is a mean of averages over as many independent pairs as the rarer class has."""
    table, delta = trial.table, trial.ledger.share("AUC")
    yield _same_label("figures.scores.auc.positive", stated["positive"], table.labels[1])
    score = table.columns["scores"][:, 1]
    high, low = np.sort(score[table.truth == 1]), np.sort(score[table.truth == 0])
    below, up_to = (np.searchsorted(low, high, side) for side in ("left", "right"))
    pairs, won = len(high) * len(low), (int(below.sum()) + int(up_to.sum())) / 2
    lost, n = (1 - won / pairs, min(len(high), len(low))) if pairs else (1.0, 0)
    least, largest = one_sample(lost * n, n, delta, counted=False)
    yield _lower("figures.scores.auc.measured", stated["measured"], 1 - lost)
    yield _lower("figures.scores.auc.bound", stated["bound"], 1 - least, 1 - largest)


CORRELATION = Kind((int, float, type(None)), -1, 1)
VOTER = {"name": TEXT, "n": COUNT, "coverage": SHARE, **RISK}
PAIR = {"first": TEXT, "second": TEXT, "n": COUNT, "agreement": SHARE, "correlation": CORRELATION}
PANEL = {"voters": [VOTER], "equal": RISK, "pairs": [PAIR], "worth": Kind((int, float, type(None)), 1)}


def check_panel(stated: dict[str, Any], trial: Trial) -> Iterator[Check]:
    """Each voter among its answers, and the vote in which all count the same: all examples test them, as one sample."""
    table = trial.table
    _need("votes" in table.columns, "the judgments have no votes of a panel")
    votes, names = table.columns["votes"].astype(np.intp), table.columns["voters"].tolist()
    k, delta = len(table.labels), trial.ledger.share("panel", {"voters and their equal vote": len(names) + 1})
    stated_names = [own["name"] for own in stated["voters"]]
    yield Check("figures.panel.voters, names", brief(stated_names), brief(names), stated_names == names)
    _need(len(stated_names) == len(names), "figures.panel has not one entry for each voter")
    for m, own in enumerate(stated["voters"]):
        at, answered = f"figures.panel.voters.{m}", votes[:, m] != k
        wrong, everywhere = table.losses(votes[:, m] != table.truth, answered), table.losses(answered)
        yield Check(f"{at}.n", own["n"], sum(wrong.sizes), own["n"] == sum(wrong.sizes))
        yield _lower(f"{at}.coverage", own["coverage"], everywhere.mean)
        yield from _one_of_panel(at, own, wrong, delta, table.grouped)
    ballots = np.column_stack([np.count_nonzero(votes == code, axis=1) for code in range(k)])
    elected = np.where(ballots.any(1), ballots.argmax(1), k)
    lost = table.losses(elected != table.truth)
    yield from _one_of_panel("figures.panel.equal", stated["equal"], lost, delta, table.grouped)
    yield from _check_pairs(stated, names, votes, table)


def _one_of_panel(at: str, stated: dict[str, Any], wrong: Losses, delta: float, grouped: bool) -> Iterator[Check]:
    n = sum(wrong.sizes)
    least, most = one_sample(math.fsum(wrong.totals), n, delta, not grouped) if n else (1.0, 1.0)
    yield _upper(f"{at}.empirical_risk", stated["empirical_risk"], wrong.mean)
    yield _upper(f"{at}.bound", stated["bound"], least, most)


def _check_pairs(stated: dict[str, Any], names: list[str], votes: NDArray, table: Judgments) -> Iterator[Check]:
    """How often two voters agree where both answer, how their errors are correlated, and what the panel is worth."""
    k, pairs = len(table.labels), list(itertools.combinations(range(len(names)), 2))
    listed = [(own["first"], own["second"]) for own in stated["pairs"]]
    _need(listed == [(names[i], names[j]) for i, j in pairs], "figures.panel.pairs are not all pairs in their order")
    found = []
    for place, (own, (i, j)) in enumerate(zip(stated["pairs"], pairs, strict=True)):
        at, both = f"figures.panel.pairs.{place}", (votes[:, i] != k) & (votes[:, j] != k)
        n = int(np.count_nonzero(both))
        agreement = np.count_nonzero(both & (votes[:, i] == votes[:, j])) / max(n, 1)
        wrong = [(votes[both, m] != table.truth[both]).astype(float) for m in (i, j)]
        sizes = [float(np.std(each)) if n else 0.0 for each in wrong]
        moved = [each - each.mean() for each in wrong] if n else []
        found.append(float(np.mean(moved[0] * moved[1])) / math.prod(sizes) if all(sizes) else None)
        yield Check(f"{at}.n", own["n"], n, own["n"] == n)
        yield _same(f"{at}.agreement", own["agreement"], agreement)
        yield _same(f"{at}.correlation", own["correlation"], found[-1])
    known = [each for each in found if each is not None]
    shared = max(sum(known) / max(len(known), 1), 0.0)
    worth = 1 / (1 / len(names) + (1 - 1 / len(names)) * shared) if known else None
    yield _same("figures.panel.worth", stated["worth"], worth)


def _same(what: str, stated: float | None, found: float | None) -> Check:
    """A measured figure that is not a bound: the same up to rounding, or missing in both."""
    absent = stated is None or found is None
    alike = stated is found if absent else math.isclose(stated, found, rel_tol=1e-9, abs_tol=1e-9)  # type: ignore[arg-type]
    return Check(what, stated, found, alike)


MEAN_SCORE = {"measured": NOT_NEGATIVE, "bound": NOT_NEGATIVE}
SCORES = {"brier": MEAN_SCORE, "log_loss": {"clip": Kind(FLOAT, 0.01, 0.01), **MEAN_SCORE}}


class Figure(NamedTuple):
    """A figure of a tested certificate: what it looks like, and how it is checked."""

    form: Any
    check: Callable[[Any, Trial], Iterator[Check]]


CHECKS = {
    "error": Figure((RISK, {**RISK, **DRAWN}), check_error),
    "baseline": Figure((BASELINE, {**BASELINE, "fixed": FLAG}), check_baseline),
    "recalls": Figure([MEASURED], check_recalls),
    "classes": Figure(([OF_CLASS], [{**OF_CLASS, **DRAWN}]), check_classes),
    "precision": Figure([PRECISION], check_precision),
    "f1": Figure([F1], check_f1),
    "cost": Figure(COST, check_cost),
    "prevalence": Figure({"shares": [{"label": LABEL, "share": SHARE}], **RATE}, check_prevalence),
    "calibration": Figure([BIN], check_calibration),
    "interval": Figure({"lower": SHARE, "upper": SHARE}, check_interval),
    "scores": Figure((SCORES, {**SCORES, "auc": {"positive": LABEL, **RATE}}), check_scores),
    "subgroups": Figure({"entries": [SUBGROUP], "gaps": [GAP]}, check_subgroups),
    "panel": Figure(PANEL, check_panel),
}

# ------------------------------------------------------------------------ 6. Bounds from one sample, and the fold test

HINGES = np.arange(1, 97) / 32  # where Bentkus's hinge may lie, in units of the distance between mean and bound
ROUNDED = 2e-12  # what may have been added to an expected shortfall, so that rounding cannot make it too small
MOST_CELLS = 1 << 22  # cells of true errors after which a proof is given up


@functools.lru_cache(1 << 12)
def one_sample(total: float, n: int, delta: float, counted: bool) -> tuple[float, float]:
    """The bound for a sum of losses of one sample, ``counted`` if each is 0 or 1; and the most that it may be."""
    if n == 0:
        return 1.0, 1.0
    return _rounded(lambda p, slack: is_excluded(p, total, n, delta, counted, slack), 0.0 if counted else ROUNDED)


@functools.lru_cache(1 << 12)
def chosen_answer(total: float, n: int, delta: float, counted: bool) -> tuple[float, float]:
    """The bound on the error of always giving one answer, chosen on the same examples that judge it.

    For an answer that errs with probability p, the bound may fail with probability ``delta (1 - p)``: these add up to
    delta for any number of classes. It is the largest error p that is not excluded at its level.
    """
    slack = 0.0 if counted else ROUNDED
    return _rounded(lambda p, slack: is_excluded(p, total, n, delta * (1 - p), counted, slack), slack)


def smallest(excluded: Callable[[float], bool], most: float = 1.0) -> float:
    """The smallest excluded number between 0 and ``most``, by bisection: all larger ones are excluded too."""
    low, high = 0.0, float(most)
    for _ in range(52):  # to 2e-16, which is less than any check tells apart
        middle = (low + high) / 2
        low, high = (low, middle) if excluded(middle) else (middle, high)
    return high


def _rounded(excluded: Callable[[float, float], bool], slack: float) -> tuple[float, float]:
    """The smallest excluded number, and the most that it may be if so much was added against rounding errors."""
    least = smallest(lambda p: excluded(p, 0.0))
    return least, smallest(lambda p: excluded(p, slack)) if slack else least


def is_excluded(p: float, total: float, n: int, delta: float, counted: bool, slack: float) -> bool:
    """Whether a sample with so few losses has probability delta at most if the true mean is p, or any larger one.

    Losses of 0 and 1 are counted (Clopper and Pearson). For others it is enough that ``E (h - B/n)_+ <= delta (h - m)``
    for some hinge h, with m the mean loss and B binomial with n and p (Bentkus): the hinge is convex, so no losses in
    [0, 1] with mean p have a larger expectation; the rest is Markov's inequality. For a given hinge the expectation
    decreases with p, so all larger errors are excluded too.
    """
    if counted:
        errors = round(total)
        return errors < n and bool(special.betaincc(errors + 1, n - errors, p) < delta)
    mean = min(total / n, 1.0)
    hinges = mean + HINGES * (p - mean)
    short = shortfall(hinges, 1.0, n, np.full(len(hinges), p)) + slack
    return p > mean and bool(np.any(short <= delta * (hinges - mean)))


def test_shares(constants: dict[str, Any]) -> NDArray:
    """Probabilities of drawing each fold, for which the fold test holds: in proportion to ``1 / c_k``."""
    inverse = 1 / np.array(constants.get("scale", [1.0]))
    return inverse / math.fsum(inverse)


def _same_shares(what: str, stated: Sequence[float] | NDArray, found: NDArray) -> Check:
    return Check(what, list(stated), found.tolist(), bool(np.allclose(stated, found, rtol=0, atol=1e-12)))


def _check_each(parameters: Mapping[str, Sequence[float]], number: int, of: str) -> None:
    for name, values in parameters.items():
        _need(len(values) == number, f"{name} of {of} has {len(values)} entries instead of {number}")


def fold_test(constants: dict[str, Any], risks: NDArray) -> float:
    """With shares q: ``sum q_k (a_k L_k + t_k) + F / sum 1 / c_k``."""
    slope, offset, scale = (np.array(constants[name]) for name in CONSTANTS)
    return min(float(test_shares(constants) @ (slope * risks + offset)) + len(scale) / math.fsum(1 / scale), 1.0)


def proofs(place: str, constants: dict[str, Any], sizes: Sequence[int], delta: float) -> Iterator[Check]:
    """Check the condition on the constants of the fold test: the expected excess of any true error is small enough."""
    for k, (n, a, t, scale) in enumerate(zip(sizes, *(constants[each] for each in CONSTANTS), strict=True)):
        if n:  # otherwise nothing is claimed about this fold
            allowed = delta * scale * (1 + 1e-9)  # what this file's own rounding may do
            needed = largest_excess(a, t, n, allowed) / delta
            yield Check(f"{place}.scale.{k}", scale, needed, bool(needed <= allowed / delta))


@functools.lru_cache(1 << 12)
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


# -------------------------------------------------------------------------------------------- 7. Selective certificates

THRESHOLDS = [(100 - k) / 100 for k in range(51)] + [(45 - 5 * k) / 100 for k in range(8)] + [0.0]
FEW = [*THRESHOLDS[:51:5], 0.4, 0.3, 0.0]  # all of these are compared if a coverage is the target
STARTS = ((1.0, 0.25), (0.9, 0.5), (0.7, 0.25))  # first thresholds of the test sequences, with their shares of delta
NEVER = 2.0  # the threshold of a fold that never answers
EDGE = 1e-9  # a score may be that far below its threshold
FOR_ERROR = 0.9  # share of delta; the rest is for the coverage


class SelectiveFold(NamedTuple):
    """A fold, its threshold, and the units (examples or groups) that are answered at a threshold."""

    table: Judgments
    k: int
    threshold: float
    score: NDArray  # of the answered class; negative where there is never an answer
    by_class: bool = False  # whether other answers are left out, so that not all examples are answered at threshold 0

    def answered(self, threshold: float) -> tuple[NDArray, NDArray]:
        """Share of each unit that is answered wrongly, and that is answered."""
        if threshold == NEVER:
            return np.zeros(self.n), np.zeros(self.n)
        answers = self.score >= threshold - EDGE
        return self.table.units(self.k, answers & self.table.wrong), self.table.units(self.k, answers)

    @property
    def n(self) -> int:
        return self.table.sizes[self.k]

    def ratio(self, threshold: float, delta: float) -> tuple[float, float]:
        """The bound on the error among the answers, and the most that it may be."""
        errors, answers = self.answered(threshold)
        if not self.table.grouped:  # given the number of answers, errors among them are counted
            return one_sample(errors.sum(), int(answers.sum()), delta, counted=True)
        slack = 2e-9 + 2e-12 * self.n  # what evidence may have been rounded down by
        return _rounded(lambda r, slack: _evidence(errors, answers, delta, r) >= slack, slack)

    def excludes(self, threshold: float, delta: float, r: float) -> bool:
        """Whether the error among the answers is certified to be at most r."""
        if not self.table.grouped:
            return self.ratio(threshold, delta)[0] <= r + 1e-11
        return _evidence(*self.answered(threshold), delta, r) >= -1e-10

    def reached(self, r: float, delta: float) -> str:
        """The start from which a sequence of tests gets to the threshold; empty if there is none."""
        last = THRESHOLDS.index(self.threshold)
        for start, share in STARTS:
            tried = THRESHOLDS[THRESHOLDS.index(start) : last + 1]
            if tried and all(self.excludes(t, FOR_ERROR * delta * share, r) for t in tried):
                return f"reached from {start}"
        return ""

    def coverage(self, delta: float) -> tuple[float, float]:
        """Smallest and largest admissible lower bound on the share that is answered."""
        if self.threshold == NEVER:
            return 0.0, 0.0
        if self.threshold == 0 and not self.by_class:
            return 1.0, 1.0
        rest = self.n - math.fsum(self.answered(self.threshold)[1].tolist())
        high, low = (1 - side for side in one_sample(max(rest, 0.0), self.n, delta, not self.table.grouped))
        return low, high


def _evidence(errors: NDArray, answers: NDArray, delta: float, r: float) -> float:
    """How far the evidence against a ratio of r exceeds what is needed: it increases with r.

    It is the logarithm of a mixture of products of ``1 - s (e - r a) / (1 - r)``, whose mean is at most 1 if the ratio
    of the mean of e to that of a is r or more.
    """
    if not 0 < r < 1:
        return -math.inf if r <= 0 else math.inf
    n, level = len(errors), math.log(1 / delta)
    steps = int(math.log(max(0.7 * n / level, 1.0), 4.0)) + 1
    weights = np.array([1 / (j + 1) for j in range(steps)])
    logs = []
    for j, weight in enumerate(weights / math.fsum(weights)):
        constant = (level + math.log(1 / weight)) / (0.7 * n * 4.0**-j)
        x = max(r / (1 - r) / constant, 1.0)
        stake = math.sqrt(2 / x) - (math.sqrt(2) - 1) / x
        factors = 1 - stake * (errors - r * answers) / (1 - r)
        logs.append(math.log(weight) + (math.fsum(np.log(factors).tolist()) if factors.min() > 0 else -math.inf))
    return float(special.logsumexp(logs)) - level


def _selective_checks(c: Content, table: Judgments) -> Iterator[Check]:
    """All checks of a selective certificate: bounds at the folds' thresholds, which tests must allow."""
    binding = list(_bound_to(c, table))
    yield from binding
    if not all(check.holds for check in binding):  # otherwise the figures mean nothing
        return
    _need("scores" in table.columns, "the judgments have no scores")
    by_error, n_folds, shares = "max_error" in c["target"], len(table.folds), np.array(c["fold_shares"])
    yield _whole_shares(c["fold_shares"])
    allowed = [*THRESHOLDS, NEVER] if by_error else FEW
    _need(all(threshold in allowed for threshold in c["thresholds"]), "a threshold is not one of those that are tested")
    _need(min(c["thresholds"]) <= 1, "no fold ever answers")
    ledger, few = Ledger(c["delta"]), len(THRESHOLDS if by_error else FEW)
    each = {"folds": n_folds} if by_error else {"folds": n_folds, "thresholds": few}
    for_error = ledger.share("error among the answers", each, part=FOR_ERROR)
    for_coverage = ledger.share("coverage", {"folds": n_folds, "thresholds": few}, part=1 - FOR_ERROR)
    score = table.columns["scores"][np.arange(len(table.answer)), table.answer]
    folds = [SelectiveFold(table, k, threshold, score) for k, threshold in enumerate(c["thresholds"])]
    covers = [fold.coverage(for_coverage) for fold in folds]
    least, most = (float(shares @ side) for side in zip(*covers, strict=True))
    error, coverage = c["figures"]["error"], c["figures"]["coverage"]
    if by_error:
        r = c["target"]["max_error"]
        yield Check("figures.error.bound", error["bound"], r, error["bound"] == r)
        for fold in folds:
            if fold.threshold != NEVER:
                start = fold.reached(r, c["delta"] / n_folds)
                yield Check(
                    f"thresholds.{fold.k}, by tests", fold.threshold, start or "not reached by tests", bool(start)
                )
    else:
        bounds = [fold.ratio(fold.threshold, for_error) for fold in folds]
        low, high = (
            mixed_ratio([pair[side] for pair in bounds], [pair[1 - side] for pair in covers], shares) for side in (0, 1)
        )
        yield _upper("figures.error.bound", error["bound"], low, high)
        enough = coverage["bound"] >= c["target"]["min_coverage"] - 1e-11
        yield Check("target.min_coverage, reached", c["target"]["min_coverage"], coverage["bound"], enough)
    yield _lower("figures.coverage.bound", coverage["bound"], most, least)
    wrong, answered = (
        math.fsum(
            q * math.fsum(fold.answered(fold.threshold)[side]) / fold.n for q, fold in zip(shares, folds, strict=True)
        )
        for side in (0, 1)
    )
    yield _lower("figures.coverage.measured", coverage["measured"], min(answered, 1.0))
    yield _upper(
        "figures.error.empirical_risk", error["empirical_risk"], min(wrong / answered, 1.0) if answered else 0.0
    )
    yield from _each_class("answers", c["figures"]["answers"], table.labels)
    for code, own in enumerate(c["figures"]["answers"]):
        given = [fold._replace(score=np.where(table.answer == code, score, -1.0)) for fold in folds]
        number = math.fsum(share for fold in given for share in fold.answered(fold.threshold)[1].tolist())
        yield _lower(f"figures.answers.{code}.n", own["n"], number)
    yield from ledger.checks(c["claims"])


def _whole_shares(shares: Sequence[float]) -> Check:
    """The shares are those of the vote's own certificate; the bounds hold for any, as those of all folds do at once."""
    whole = min(shares) > 0 and abs(math.fsum(shares) - 1) <= 1e-12
    return Check("fold_shares, their sum", math.fsum(shares), 1.0, whole)


def _class_selective_checks(c: Content, table: Judgments) -> Iterator[Check]:
    """All checks of a selective certificate with a target for the answers of each class.

    Each class and each fold has tests of its own, which share delta. As every fold keeps to the target of a class, so
    do all of them together.
    """
    binding = list(_bound_to(c, table))
    yield from binding
    if not all(check.holds for check in binding):  # otherwise the figures mean nothing
        return
    _need("scores" in table.columns, "the judgments have no scores")
    n_folds, n_classes, stated = len(table.folds), len(table.labels), c["figures"]["answers"]
    yield _whole_shares(c["fold_shares"])
    yield from _each_class("answers", stated, table.labels)
    for k, row in enumerate(c["thresholds"]):
        _need(len(row) == n_classes, f"thresholds.{k} has not one entry for each of the {n_classes} classes")
        _need(all(t in THRESHOLDS or t == NEVER for t in row), "a threshold is not one of those that are tested")
    _need(min(map(min, c["thresholds"])) <= 1, "no fold ever answers")
    ledger, each = Ledger(c["delta"]), {"classes": n_classes, "folds": n_folds}
    ledger.share("error among the answers", each, part=FOR_ERROR)
    for_coverage = ledger.share("coverage", {**each, "thresholds": len(THRESHOLDS)}, part=1 - FOR_ERROR)
    score, shares = table.columns["scores"][np.arange(len(table.answer)), table.answer], np.array(c["fold_shares"])
    sums = np.zeros(4)
    for code, own in enumerate(stated):
        given = np.where(table.answer == code, score, -1.0)
        folds = [SelectiveFold(table, k, row[code], given, by_class=True) for k, row in enumerate(c["thresholds"])]
        for fold in folds:
            if fold.threshold != NEVER:
                start = fold.reached(own["bound"], c["delta"] / n_classes / n_folds)
                what = f"thresholds.{fold.k}.{code}, by tests"
                yield Check(what, fold.threshold, start or "not reached by tests", bool(start))
        covered = [fold.coverage(for_coverage) for fold in folds]
        least, most = (float(shares @ side) for side in zip(*covered, strict=True))
        counts = np.array([[math.fsum(side) for side in fold.answered(fold.threshold)] for fold in folds])
        wrong, answered = shares @ (counts / np.array(table.sizes)[:, None])
        place = f"figures.answers.{code}"
        yield _lower(f"{place}.coverage", own["coverage"], most, least)
        yield _lower(f"{place}.measured", own["measured"], min(answered, 1.0))
        yield _upper(f"{place}.empirical_risk", own["empirical_risk"], min(wrong / answered, 1.0) if answered else 0.0)
        yield _lower(f"{place}.n", own["n"], float(counts[:, 1].sum()))
        sums += wrong, answered, least, most
    error, coverage = c["figures"]["error"], c["figures"]["coverage"]
    largest = max((own["bound"] for own in stated if own["n"]), default=1.0)
    yield Check("figures.error.bound", error["bound"], largest, error["bound"] == largest)
    yield _upper("figures.error.empirical_risk", error["empirical_risk"], min(sums[0] / sums[1], 1.0) if sums[1] else 0)
    yield _lower("figures.coverage.bound", coverage["bound"], sums[3], sums[2])
    yield _lower("figures.coverage.measured", coverage["measured"], min(sums[1], 1.0))
    yield from ledger.checks(c["claims"])


def mixed_ratio(bounds: Sequence[float], coverages: Sequence[float], shares: NDArray) -> float:
    """The largest ratio of all folds together that coverages of at least the folds' bounds can attain."""
    u, a = np.array(bounds), np.array(coverages)
    return smallest(lambda r: math.fsum(shares * np.where(u > r, u - r, a * (u - r))) < 0, max(bounds))


# -------------------------------------------------------------------------------------------- 8. Threshold certificates

COARSE, FINE = (  # thresholds, equally far apart as logits
    [round(1 / (1 + math.exp(-k / each)), 7) for k in range(-round(9.2 * each), round(9.2 * each) + 1)]
    for each in (5, 50)
)
NEXT, BEYOND = 10, (66, 56, 46, 36, 26)  # how far from the first start the others are, and where those of precision are
STEPPED = 2000  # steps of a band; one of more examples goes through some of their order statistics
UNSOLVED = 1e-6  # a smaller share of delta is divided equally among the steps of a band
FOR_RATES = {"recall": 0.45, "false_positive_rate": 0.45, "precision": 0.1}  # parts of delta for a picked threshold
IN_WORDS = {"false_positive_rate": "false-positive rate", "cost": "mean cost"}
GREATER = ("recall", "precision")  # figures that are one minus a mean loss
# How a figure is bounded at a threshold:
ALONE = "by one test"  # the threshold is given, or follows from examples that the figure does not count
GRID = "by a test for each threshold of the grid"
BAND = "by a band for all thresholds"
EITHER = "by a band, or for many examples by a test for each threshold of the grid"
RATES = "from recall, false-positive rate and a test of the prevalence"


class Plan(NamedTuple):
    """For each target: the figure that it is about, the thresholds that are tested, and how others are bounded."""

    figure: str
    grid: list[float]
    ways: dict[str, str]


PLANS = {
    "at": Plan("", [], dict.fromkeys(("recall", "precision", "false_positive_rate", "cost"), ALONE)),
    "picked": Plan("", [], {"recall": BAND, "false_positive_rate": BAND, "precision": RATES}),
    "min_recall": Plan("recall", FINE, {"false_positive_rate": ALONE, "precision": RATES, "cost": GRID}),
    "max_false_positive_rate": Plan("false_positive_rate", FINE, {"recall": ALONE, "precision": RATES, "cost": GRID}),
    "min_precision": Plan("precision", COARSE, {"recall": EITHER, "false_positive_rate": EITHER, "cost": GRID}),
    "max_cost": Plan("cost", COARSE, {"recall": EITHER, "false_positive_rate": EITHER, "precision": GRID}),
}


class ScoredClass:
    """What a threshold on the score of a class does to the judging examples."""

    def __init__(self, c: Content, table: Judgments) -> None:
        names = [json.dumps(label) for label in table.labels]
        _need(len(names) > 1 and json.dumps(c["positive"]) in names, "the class is none of the judgments' classes")
        self.table, self.code, self.stated = table, names.index(json.dumps(c["positive"])), c["figures"]
        scores, members = table.columns["scores"], table.truth == self.code
        self.score = scores[:, self.code]
        self.own, self.others = np.sort(self.score[members]), np.sort(self.score[~members])
        rest = np.delete(scores, self.code, axis=1).argmax(1)
        self.best_other = rest + (rest >= self.code)
        if "cost" in self.stated:
            self.places = np.array(_places(self.stated["cost"], table.labels))
            self.matrix = np.array(self.stated["cost"]["matrix"], float)
            self.low, self.span = float(self.matrix.min()), float(np.ptp(self.matrix))
            self.scaled = (self.matrix - self.low) / self.span

    def losses(self, figure: str, threshold: float) -> tuple[float, int, bool]:
        """Sum of the losses, number of examples that a figure is about, and whether each loss is 0 or 1."""
        if figure == "cost":
            answer = np.where(self.score >= threshold - EDGE, self.code, self.best_other)
            paid = self.scaled[self.places[self.table.truth], self.places[answer]]
            return math.fsum(paid.tolist()), len(paid), _are_counted(self.scaled)
        misses, rejected = (int(np.searchsorted(side, threshold - EDGE)) for side in (self.own, self.others))
        alarms = len(self.others) - rejected
        if figure == "recall":
            return float(misses), len(self.own), True
        return float(alarms), len(self.others) if figure != "precision" else alarms + len(self.own) - misses, True

    def orders(self, name: str) -> Iterator[list[tuple[int, float]]]:
        """Places of the grid in the orders in which they are tested until one fails, with their parts of the level."""
        last = len(PLANS[name].grid) - 1
        if name == "min_recall":
            yield [(place, 1.0) for place in range(last + 1)]
        elif name == "max_false_positive_rate":
            yield [(place, 1.0) for place in range(last, -1, -1)]
        elif name == "min_precision":
            yield from ([(place, 1 / len(BEYOND)) for place in range(start, -1, -1)] for start in BEYOND)
        else:
            first = self.suggested()
            for away, part in ((0, 0.5), (-NEXT, 0.25), (NEXT, 0.25)):
                start = min(max(first + away, 0), last)
                for way in (range(start + 1, last + 1), range(start - 1, -1, -1)):
                    yield [(start, part), *((place, part / 2) for place in way)]

    def suggested(self) -> int:
        """The place of the threshold that would be best if scores were probabilities."""
        own, right = int(self.places[self.code]), self.matrix.diagonal()
        rest = [k for k in range(len(right)) if k != own]
        alarm = float(np.mean([self.matrix[k, own] - right[k] for k in rest]))
        miss = float(np.mean([self.matrix[own, k] for k in rest]) - right[own])
        best = alarm / (alarm + miss) if alarm + miss > 0 else 0.5
        return min(range(len(COARSE)), key=lambda place: abs(COARSE[place] - best))

    def found(self, name: str, allowed: float, level: float) -> list[float]:
        """The threshold that the tests lead to; several if rounding decides a test, or if they cost the same."""
        plan = PLANS[name]
        losses = functools.cache(lambda place: self.losses(plan.figure, plan.grid[place]))

        def passes(place: int, part: float, room: float, slack: float) -> bool:
            (total, n, counted), p = losses(place), allowed + room
            return p >= 1 or (n > 0 and is_excluded(p, total, n, level * part, counted, slack))

        found = list[int]()
        for room, slack in ((1e-11, 0.0), (-1e-11, ROUNDED)):
            reached = list[int]()
            for order in self.orders(name):
                for place, part in order:
                    if not passes(place, part, room, slack):
                        break
                    reached.append(place)
            if name == "max_cost":
                least = min((losses(place)[0] for place in reached), default=0.0)
                found += [place for place in reached if losses(place)[0] <= least + 1e-9]
            elif reached:
                found.append(max(reached) if name == "min_recall" else min(reached))
        return [plan.grid[place] for place in dict.fromkeys(found)]


def _threshold_checks(c: Content, table: Judgments) -> Iterator[Check]:
    """All checks of a threshold certificate: the tests lead to this threshold, and the figures hold there."""
    binding = list(_bound_to(c, table))
    yield from binding
    if not all(check.holds for check in binding):  # otherwise the figures mean nothing
        return
    _need("scores" in table.columns, "the judgments have no scores")
    _need(len(table.folds) == 1 and not table.grouped, "thresholds are for one vote, without groups")
    yield _same_shares("fold_shares", c["fold_shares"], np.ones(1))
    ((name, value),) = c["target"].items()
    stated, plan, scored = c["figures"], PLANS[name], ScoredClass(c, table)
    ways = {figure: way for figure, way in plan.ways.items() if figure != "cost" or "cost" in stated}
    needed = {"recall", "false_positive_rate", "precision", "baseline"} | ({plan.figure, *ways} & {"cost"})
    _need(stated.keys() == needed, f"there are not exactly the figures {sorted(needed)}")
    ledger, allowed = Ledger(c["delta"]), value if name.startswith("max") else 1 - value
    if name == "max_cost":
        allowed = (value - scored.low) / scored.span
        _need(0 < allowed <= 1, "the target is not between the smallest and the largest cost")
    levels = {plan.figure: ledger.share(IN_WORDS.get(plan.figure, plan.figure), part=0.5)} if plan.figure else {}
    for figure, way in ways.items():
        part = FOR_RATES[figure] if name == "picked" else (0.5 if plan.figure else 1.0) / len(ways)
        among = {"thresholds": len(plan.grid)} if way == GRID else {}
        levels[figure] = ledger.share("prevalence" if way == RATES else IN_WORDS.get(figure, figure), among, part=part)
    yield from ledger.checks(c["claims"])
    found = scored.found(name, allowed, levels[plan.figure]) if plan.figure else [value]
    yield Check("threshold", c["threshold"], found[0] if found else "none is reached by tests", c["threshold"] in found)
    for figure, level in levels.items():
        if figure == plan.figure:
            own = stated[figure]
            _need("local_level" not in own, f"figures.{figure} is the target, and has no band")
            yield Check(f"figures.{figure}.bound", own["bound"], value, own["bound"] == value)
            bounds = (allowed, allowed)
        else:
            bounds = yield from _threshold_bounds(figure, ways[figure], level, scored, c["threshold"])
        yield from _threshold_figure(figure, bounds, scored, c["threshold"])
    baseline = stated["baseline"]
    yield _lower("figures.baseline.prevalence", baseline["prevalence"], len(scored.own) / len(table.truth))
    _need(("cost" in baseline) == ("cost" in stated), "there is a cheapest answer exactly if there are costs")
    if "cost" in stated:
        place, one = "figures.baseline.cost", _cheapest(scored.matrix, scored.places, table)
        mean = table.losses(scored.scaled[:, one][scored.places[table.truth]]).mean
        yield _same_label(f"{place}.label", baseline["cost"]["label"], stated["cost"]["classes"][one])
        yield _one_cost(f"{place}.measured", baseline["cost"]["measured"], scored.low, scored.span, mean, mean)


def _threshold_figure(
    figure: str, bounds: tuple[float, float], scored: ScoredClass, threshold: float
) -> Iterator[Check]:
    """What was measured, and the bound on a mean loss and the most that it may be."""
    own, place, (total, n, _) = scored.stated[figure], f"figures.{figure}", scored.losses(figure, threshold)
    yield Check(f"{place}.n", own["n"], n, own["n"] == n)
    mean = total / n if n else float(figure in GREATER)
    if figure == "cost":
        yield from _mean_cost(place, own, scored.low, scored.span, (mean, mean), bounds)
    elif figure in GREATER:
        yield _lower(f"{place}.measured", own["measured"], 1 - mean)
        yield _lower(f"{place}.bound", own["bound"], 1 - bounds[0], 1 - bounds[1])
    else:
        yield _upper(f"{place}.measured", own["measured"], mean)
        yield _upper(f"{place}.bound", own["bound"], *bounds)


def _threshold_bounds(
    figure: str, way: str, level: float, scored: ScoredClass, threshold: float
) -> Generator[Check, None, tuple[float, float]]:
    """The bound on the mean loss of a figure, and the most that it may be; checks what it rests on."""
    own, (total, n, counted) = scored.stated[figure], scored.losses(figure, threshold)
    banded = n > 0 and (way == BAND or (way == EITHER and n <= STEPPED))
    _need(("local_level" in own) == banded, f"figures.{figure} has a local level exactly if it has a band")
    if banded:
        bounds = band(n, level, own["local_level"])
        fails = crossing(bounds, n)
        least = 0.99 * level - 2e-8  # the local level was searched for up to a thousandth, with room for rounding
        fits = least <= fails <= level * (1 + 1e-9)
        if level < UNSOLVED:
            fits = math.isclose(own["local_level"], level / len(bounds), rel_tol=1e-9)
        yield Check(f"figures.{figure}.local_level, probability of failing", level, fails, fits)
        value = float(np.append(bounds, 1.0)[np.searchsorted(band_steps(n), total + 1)])
        return value, value
    if way == RATES:
        rare = one_sample(float(len(scored.others)), len(scored.score), level, counted=True)[0]
        rates = (scored.stated[each]["bound"] for each in ("recall", "false_positive_rate"))
        recall, alarms = map(float, rates)
        found = [((1 - most) * recall, most * alarms) for most in (rare, min(rare * (1 + 2e-12), 1.0))]
        least, most = (1 - (hits / (hits + rest) if hits > 0 else 0.0) for hits, rest in found)
        return least, most
    return one_sample(total, n, level / len(COARSE) if way == EITHER else level, counted)


def band_steps(n: int) -> NDArray:
    """The order statistics of n scores through which a band goes."""
    if n <= STEPPED:
        return np.arange(1, n + 1)
    steps = np.ceil(n * np.sin(np.arange(1, STEPPED + 1) * (math.pi / 2 / STEPPED)) ** 2)
    return np.unique(steps.astype(int).clip(1, n))


def band(n: int, delta: float, level: float) -> NDArray:
    """Bounds on these order statistics of uniform variables: Clopper and Pearson's, capped by Massart's."""
    steps = band_steps(n)
    bounds = 1 - special.betaincinv(n - steps + 1, steps, level)
    return (
        bounds if delta < UNSOLVED else np.minimum(bounds, (steps - 1) / n + math.sqrt(math.log(2 / delta) / (2 * n)))
    )


def crossing(bounds: NDArray, n: int) -> float:
    """Probability that an order statistic exceeds its bound; counts that are left out only raise it.

    The n uniform variables are the points of a Poisson process, given that there are n. The chances of each number of
    points below a bound, and of enough of them below all bounds before, are a convolution of those at the last one.
    """
    fewest, chances, before = 0, np.ones(1), 0.0
    for step, bound in zip(band_steps(n).tolist(), bounds.tolist(), strict=True):
        mean = n * (bound - before)
        reach = 10 * math.sqrt(mean) + 40
        more = np.arange(max(math.floor(mean - reach), 0), math.ceil(mean + reach) + 1)
        chances = np.convolve(chances, np.exp(special.xlogy(more, mean) - mean - special.gammaln(more + 1.0)))
        numbers = fewest + int(more[0]) + np.arange(len(chances))
        kept = np.flatnonzero((numbers >= step) & (numbers <= n) & (chances > 1e-30))
        if not len(kept):
            return 1.0
        fewest, chances, before = int(numbers[kept[0]]), chances[kept[0] : kept[-1] + 1], bound
    if fewest + len(chances) <= n:
        return 1.0
    exactly_n = math.exp(-float(_stirling(np.full(1, float(n)))[0])) / math.sqrt(2 * math.pi * n)
    return 1.0 - float(chances[-1]) * math.exp(-n * (1 - before)) / exactly_n


# -------------------------------------------------------------------------------- 9. PAC-Bayes certificates: the votes

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
    digest: str
    margins: NDArray | None = None  # (n_rows, n_voters), of voters that answer with probabilities: there are no bits
    judged: NDArray | None = None  # packed like the bits: which voters an example judges, if not all
    unlabelled: NDArray | None = None  # (n_voters / 8, m): who answers the second of two classes, on further examples

    @property
    def n_rows(self) -> int:
        return len(self.counts)

    @property
    def abstains(self) -> bool:
        """Whether some voter may not have answered some example."""
        return self.rights is not None

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

    def judges(self, rows: slice) -> NDArray:
        """Which voters are judged, (n_rows, n_voters)."""
        if self.judged is None:
            return np.ones((len(self.counts[rows]), self.n_voters))
        return self._unpacked(self.judged[:, rows])

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

    def of_class(self, code: int) -> NDArray:
        """The rows whose true class has this code."""
        return np.asarray(self.targets) == code

    def count(self, members: NDArray | slice = slice(None)) -> int:
        """Number of examples that these rows stand for."""
        return int(self.counts[members].sum())

    def mean(self, rows: NDArray, members: NDArray | slice = slice(None)) -> float:
        """Mean over the examples of a value for each row; 1 if there are none."""
        n = self.count(members)
        return min(math.fsum((rows[members] * self.counts[members]).tolist()) / n, 1.0) if n else 1.0


def _folds(arrays: dict[str, NDArray]) -> list[Fold]:
    if "bits" in arrays or "margins" in arrays:
        return [fold_of([arrays])]
    folds: dict[int, dict[int, dict[str, NDArray]]] = {}
    for name, array in arrays.items():
        found = _NAME.fullmatch(name)
        if found is None:
            raise Refused(f"it has an array {brief(name)}")
        part = -1 if found[2] is None else int(found[2])
        folds.setdefault(int(found[1]), {}).setdefault(part, {})[found[3]] = array
    _need(folds and sorted(folds) == list(range(len(folds))), "its folds are not numbered from 0")
    for parts in folds.values():
        _need(sorted(parts) in ([-1], list(range(len(parts)))), "the parts of a fold are not numbered from 0")
    return [fold_of([folds[k][p] for p in sorted(folds[k])], -1 not in folds[k]) for k in range(len(folds))]


def fold_of(parts: Sequence[Mapping[str, NDArray]], divided: bool = False) -> Fold:
    """One fold from its checked arrays; several parts are concatenated."""
    if any("margins" in part for part in parts):
        _need(len(parts) == 1 and not divided, "margins are in parts")
        return _soft_fold(parts[0])
    if any("judged" in part for part in parts):
        _need(len(parts) == 1 and not divided, "out-of-bag votes are in parts")
        return _bag_fold(parts[0])
    for part in parts:
        _check_part(part)
        same = "classes" in part and "classes" in parts[0] and np.array_equal(part["classes"], parts[0]["classes"])
        same = same or ("classes" not in part and "classes" not in parts[0])
        alike = same and int(part["n_voters"]) == int(parts[0]["n_voters"])
        _need(alike, "the parts of a fold have different voters or classes")
    digests = [part_digest(part) for part in parts]

    def joined(name: str, axis: int = 0) -> Any:
        return _joined([part[name] for part in parts], axis) if name in parts[0] else None

    counts = [part["counts"] if part["counts"].size else np.ones(part["bits"].shape[1]) for part in parts]
    rights = [part["rights"] if "rights" in part else _others(part) for part in parts]
    whole = hashlib.sha256(b"stocmv partitions 1;" + ";".join(digests).encode()).hexdigest()
    return Fold(
        n_voters=int(parts[0]["n_voters"]),
        bits=joined("bits", axis=1),
        rights=_joined(rights, axis=1) if any("rights" in part for part in parts) else None,
        counts=np.concatenate(counts).astype(float),
        classes=parts[0].get("classes"),
        targets=joined("targets"),
        labels=joined("labels"),
        digest=whole if divided else digests[0],
    )


def _soft_fold(part: Mapping[str, NDArray]) -> Fold:
    """A fold of voters that answer with probabilities: of the true class, minus those of the others."""
    _need(set(part) in ({"margins"}, {"margins", "classes", "targets"}), "its arrays are not those of margins")
    margins = part["margins"]
    whole = margins.dtype == np.float64 and margins.ndim == 2 and margins.size > 0
    _need(whole and np.all(np.abs(margins) <= 1), "its margins are not numbers between -1 and 1")
    n, n_voters = margins.shape
    if "classes" in part:
        _check_answers(part, n_voters, n, several=False)
    hashed = hashlib.sha256(b"stocmv margins 1;")
    for name in ("classes", "margins", "targets"):
        _hash_array(hashed, name, part.get(name))
    nobody, known = np.empty((0, n), np.uint8), (part.get("classes"), part.get("targets"))
    return Fold(n_voters, nobody, None, np.ones(n), *known, None, hashed.hexdigest(), margins)


def _bag_fold(part: Mapping[str, NDArray]) -> Fold:
    """A fold of voters that each have examples of their own that judge them."""
    needed, named = {"n_voters", "bits", "judged"}, {"classes", "targets"}
    known_names = (needed, needed | named, needed | named | {"unlabelled"})
    _need(set(part) in known_names, "its arrays are not those of out-of-bag votes")
    n_voters, bits, judged = part["n_voters"], part["bits"], part["judged"]
    whole = not n_voters.shape and n_voters.dtype.kind in "iu" and n_voters >= 1
    _need(whole, "its number of voters is not a positive integer")
    m, rows = int(n_voters), bits.shape[-1] if bits.ndim else 0
    for plane in (bits, judged):
        fits = plane.dtype == np.uint8 and plane.shape == (-(-m // 8), rows) and rows > 0
        _need(fits and not (m % 8 and np.any(plane[-1] >> (m % 8))), "its errors do not fit its number of voters")
    _need(not np.any(bits & ~judged), "a voter errs on an example that does not judge it")
    if "classes" in part:
        _check_answers(part, m, rows, several=False)
    unlabelled = part.get("unlabelled")
    if unlabelled is not None:
        fits = unlabelled.dtype == np.uint8 and unlabelled.ndim == 2 and len(unlabelled) == len(bits)
        fits = fits and unlabelled.size > 0 and not (m % 8 and np.any(unlabelled[-1] >> (m % 8)))
        _need(fits and len(part["classes"]) == 2, "its unlabelled examples do not fit two classes and its voters")
    hashed = hashlib.sha256(f"stocmv out-of-bag votes 1;n_voters={m};".encode())
    for name in ("classes", "bits", "judged", "targets", *(["unlabelled"] if unlabelled is not None else [])):
        _hash_array(hashed, name, part.get(name))
    known = part.get("classes"), part.get("targets")
    return Fold(m, bits, None, np.ones(rows), *known, None, hashed.hexdigest(), judged=judged, unlabelled=unlabelled)


def _joined(arrays: Sequence[NDArray], axis: int) -> NDArray:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays, axis)


def _others(part: Mapping[str, NDArray]) -> NDArray:
    """Who is not wrong, packed."""
    m, right = int(part["n_voters"]), ~part["bits"]
    if m % 8:
        right[-1] &= (1 << m % 8) - 1
    return right


def part_digest(part: Mapping[str, NDArray]) -> str:
    """SHA-256 of the votes, as in certificates."""
    hashed = hashlib.sha256(f"stocmv votes 2;n_voters={int(part['n_voters'])};".encode())
    for name in ("classes", "bits", "targets", "labels", "counts", *(["rights"] if "rights" in part else [])):
        _hash_array(hashed, name, part.get(name))
    return hashed.hexdigest()


def _check_part(part: Mapping[str, NDArray]) -> None:
    """Refuse arrays of other names, types, shapes or ranges, and answers that contradict the errors."""
    _need("groups" not in part, "its rows belong to groups, which cannot also teach the weights")
    named, several = "classes" in part, "classes" in part and len(np.atleast_1d(part["classes"])) > 2
    needed = {"n_voters", "bits", "counts", *(["classes", "targets"] * named), *(["labels"] * several)}
    _need(set(part) - {"rights"} == needed, "its arrays are not those of votes")
    n_voters, bits, counts = part["n_voters"], part["bits"], part["counts"]
    whole = not n_voters.shape and n_voters.dtype.kind in "iu" and n_voters >= 1
    _need(whole, "its number of voters is not a positive integer")
    m, rows = int(n_voters), bits.shape[-1] if bits.ndim else 0
    packed = bits.dtype == np.uint8 and bits.shape == (-(-m // 8), rows) and rows > 0
    _need(packed, "its errors do not fit its number of voters")
    for plane in (bits, part.get("rights", bits)):
        fits = plane.dtype == np.uint8 and plane.shape == bits.shape and not (m % 8 and np.any(plane[-1] >> (m % 8)))
        _need(fits, "its errors contradict its number of voters")
    _need("rights" not in part or not np.any(bits & part["rights"]), "a voter is both wrong and right")
    is_whole = counts.dtype.kind in "iuf" and np.all((counts >= 1) & (counts < 2**53) & (counts == np.floor(counts)))
    counted = counts.shape in ((0,), (rows,)) and is_whole and counts.sum(dtype=float) < 2**53
    _need(counted, "its counts are not positive integers")
    if named:
        _check_answers(part, m, rows, several)


def _check_answers(part: Mapping[str, NDArray], m: int, rows: int, several: bool) -> None:
    _check_labels(part["classes"])
    k = len(part["classes"])
    for name, shape, n_codes in (("targets", (rows,), k), ("labels", (rows, m), k + ("rights" in part))):
        coded = name not in part or (part[name].dtype.kind == "u" and part[name].shape == shape)
        _need(coded and (name not in part or part[name].max() < n_codes), f"its {name} are not codes of its classes")
    if not several:
        return
    planes = [part["bits"], part["rights"] if "rights" in part else _others(part)]
    for block in row_blocks(rows, m):
        labels, targets = part["labels"][block], part["targets"][block, None]
        said = [(labels != targets) & (labels < k), labels == targets]
        for flags, plane in zip(said, planes, strict=True):
            same = np.array_equal(np.packbits(flags, axis=1, bitorder="little").T, plane[:, block])
            _need(same, "its labels and its errors contradict each other")


# ------------------------------------------------- 10. PAC-Bayes certificates: the form, and the figures in their order

BLOCS = "bloc_dirichlet"
CONCENTRATION = Kind(FLOAT, 1e-12, 1e12)  # scipy's functions were found to be precise in this range
DRAWS = Kind((int,), 1, 10**6)
PARAMETERS: dict[str, dict[str, Any]] = {
    "dirichlet": {"alpha": [CONCENTRATION]},
    "categorical": {"theta": [SHARE]},
    "logit_normal": {"location": [Kind(FLOAT, -1e100, 1e100)], "scale": [Kind(FLOAT, 1e-100, 1e100)]},
    BLOCS: {"alpha": [NUMBER], "blocs": [COUNT], "speakers": [COUNT], "within": [NUMBER]},
}
MC = {"n_draws": DRAWS, "slope": POSITIVE, "certificate_draws": DRAWS, "draw_share": INNER}
RISKS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {  # the posteriors that one is for, and its settings
    "exact": (("dirichlet",), {}),
    "half": (("dirichlet",), {}),
    "mc": (("dirichlet", "logit_normal"), MC),
    "first_order": (("categorical", "dirichlet"), {}),
    "second_order": (("categorical", "dirichlet"), {}),
    "binomial": (("categorical",), {"n_draws": DRAWS}),
    "c_bound": (("categorical",), {}),
    "cctnd": (("categorical",), {}),
    "ccpbb": (("categorical",), {"mu": (Kind((type(None),)), Kind(FLOAT, 0, 0.49))}),
    "ccpbskl": (("categorical",), {"mu": (Kind((type(None),)), Kind(FLOAT, -10, 0.49))}),
    "disagreement": (("categorical",), {}),
    "soft": (("dirichlet",), {}),
}
OF_TWO_MEANS = (
    "c_bound",
    "disagreement",
    "cctnd",
    "ccpbskl",
)  # risks that bound two means, of which the second is rounded down
OUTWARD = {**dict.fromkeys(OF_TWO_MEANS, "+-"), "ccpbb": "+-+-+"}  # how each mean is rounded; others have one, up
OFFSETS = tuple((1 - 0.85**i) / 2 for i in range(20))  # from which ccpbb takes the best
CATONI = {"name": TEXT, "c": [Kind(FLOAT, 1e-4, 1e4)]}  # where rounding does not matter
OUT_OF_BAG = ("first_order", "second_order", *OF_TWO_MEANS, "ccpbb")  # defined where voters have their own judges
BOUNDS = {  # and their settings
    "seeger": {"name": TEXT, "constant": TEXT},
    "catoni": CATONI,
    "catoni_per_fold": CATONI,
    "mcallester": {"name": TEXT},
    "lambda": {"name": TEXT, "constant": TEXT},
    "bennett": {"name": TEXT, "grids": TEXT},
}
ONCE_DRAWN = 2000  # votes of a logit-normal posterior whose majority is the deterministic vote


def _pac_bayes_checks(c: Content, folds: Sequence[Fold]) -> Iterator[Check]:
    """All checks of a PAC-Bayes certificate."""
    binding = list(_bound_to_votes(c, folds))
    yield from binding
    if not all(check.holds for check in binding):  # otherwise the figures mean nothing
        return
    if c["posterior"] == BLOCS:
        c, folds = merged(c, folds)
    _check_paid(c, folds)
    covers = c["has_one_voter"] or c["posterior"] != "categorical" or c["risk"] == "first_order"
    yield Check("covers_drawn", c["covers_drawn"], covers, c["covers_drawn"] == covers)
    yield _same_shares("fold_shares", c["fold_shares"], np.array(c["fold_sizes"]) / c["n"])
    ledger = _split(c, len(_labels(folds)))
    yield from ledger.checks(c["claims"])
    yield from _paid_error(c, folds, ledger)
    labels = _labels(folds)
    _need(("baseline" in c["figures"]) == bool(labels), "there is a baseline exactly if the classes are known")
    if labels:
        members = [[fold.count(fold.of_class(code)) for fold in folds] for code in range(len(labels))]
        frequency = [float(sum(counts)) for counts in members]
        yield from most_frequent(
            c["figures"]["baseline"], labels, frequency, c["n"], ledger.of("baseline"), counted=True
        )
    if "recalls" in c["figures"]:
        yield from _paid_recalls(c, folds)


def _bound_to_votes(c: Content, folds: Sequence[Fold]) -> Iterator[Check]:
    """Whether the certificate is about these votes at all."""
    digests = [fold.digest for fold in folds]
    yield Check("evidence", c["evidence"], digests, c["evidence"] == digests)
    yield from _same_sizes(c, [fold.count() for fold in folds])
    yield Check("grouped", c["grouped"], False, not c["grouped"])
    lists = [None if fold.classes is None else fold.classes.tolist() for fold in folds]
    other = next((each for each in lists if json.dumps(each) != json.dumps(lists[0])), lists[0])
    yield Check("classes, the same in all folds", lists[0], other, json.dumps(other) == json.dumps(lists[0]))
    silent, alone = any(fold.abstains for fold in folds), all(fold.n_voters == 1 for fold in folds)
    yield Check("abstains", c["abstains"], silent, c["abstains"] == silent)
    yield Check("has_one_voter", c["has_one_voter"], alone, c["has_one_voter"] == alone)


def _labels(folds: Sequence[Fold]) -> list[Any]:
    """The classes, the same in all folds; empty if only errors are known."""
    return [] if folds[0].classes is None else folds[0].classes.tolist()


class Bloc(NamedTuple):
    """The blocs of a fold."""

    within: list[list[float]]  # prior concentrations of the voters of each
    speak: bool  # whether one voter speaks for each


def merged(c: Content, folds: Sequence[Fold]) -> tuple[Content, list[Fold]]:
    """The certificate and the votes of blocs as if each bloc were one voter.

    A Dirichlet prior over voters is one over the sums of their weights in blocs. A posterior that changes only the law
    of the sums has the KL of these, and where the voters of a bloc answer alike, the vote depends on nothing else.
    """
    _need(any(fold.n_voters > 1 for fold in folds), "blocs are for several voters")
    blocs = [_bloc_of(*each) for each in zip(c["posteriors"], c["priors"], folds, strict=True)]
    _need(len({bloc.speak for bloc in blocs}) == 1, "blocs have speakers in some folds only")
    return {
        **c,
        "posterior": "dirichlet",
        "posteriors": [{"alpha": p["alpha"]} for p in c["posteriors"]],
        "priors": [{"alpha": [math.fsum(each) for each in bloc.within]} for bloc in blocs],
        "blocs": blocs,
    }, [_one_of_each(fold, p["blocs"]) for fold, p in zip(folds, c["posteriors"], strict=True)]


def _bloc_of(posterior: dict[str, Any], prior: dict[str, Any], fold: Fold) -> Bloc:
    _fit(posterior, PARAMETERS[BLOCS], "a posterior of blocs")
    _check_parameters("dirichlet", prior, fold.n_voters, "prior")
    alpha, blocs, speakers = (posterior[name] for name in ("alpha", "blocs", "speakers"))
    _need(not fold.abstains, "blocs are for voters that answer every example")
    _need(fold.margins is None, "blocs are for voters that answer with a class")
    _need(posterior["within"] == prior["alpha"], "blocs do not share their weight as the prior does")
    _need(
        len(blocs) == fold.n_voters and set(blocs) == set(range(len(alpha))),
        "the blocs are not numbered, or not one for each voter",
    )
    spoken = [blocs[j] if j < len(blocs) else None for j in speakers]
    _need(not speakers or spoken == list(range(len(alpha))), "the speakers are not a voter of each bloc")
    _need(_agree(fold, blocs), "the voters of a bloc do not answer all examples alike")
    within: list[list[float]] = [[] for _ in alpha]
    for bloc, weight in zip(blocs, prior["alpha"], strict=True):
        within[bloc].append(weight)
    return Bloc(within, bool(speakers))


def _agree(fold: Fold, blocs: Sequence[int]) -> bool:
    """Whether all voters answer as the last one of their bloc does."""
    members = {bloc: j for j, bloc in enumerate(blocs)}
    last = np.array([members[bloc] for bloc in blocs])
    said = fold.errors if fold.labels is None else lambda rows: fold.labels[rows]
    return all(bool((said(rows) == said(rows)[:, last]).all()) for rows in fold.blocks())


def _one_of_each(fold: Fold, blocs: Sequence[int]) -> Fold:
    first = np.unique(blocs, return_index=True)[1]
    bits = [np.packbits(fold.errors(rows)[:, first] > 0, axis=1, bitorder="little").T for rows in fold.blocks()]
    labels = None if fold.labels is None else fold.labels[:, first]
    return replace(fold, n_voters=len(first), bits=np.concatenate(bits, axis=1), labels=labels)


def has_speakers(c: Content) -> bool:
    """Whether one voter speaks for each bloc in predict."""
    return any(p.get("speakers") for p in c.get("posteriors", ())) or any(bloc.speak for bloc in c.get("blocs", ()))


def _is_estimated(c: Content) -> bool:
    """Whether the risk is a mean over drawn votes."""
    return c["risk"] == "mc" and c["posterior"] == "logit_normal"


def _votes_of(c: Content) -> tuple[str, ...]:
    """The votes that have their own bound."""
    return ("predict", "stochastic vote") if c["covers_drawn"] and not c["has_one_voter"] else ("predict",)


def _check_paid(c: Content, folds: Sequence[Fold]) -> None:
    """Refuse unknown parts, and parameters for which the theorems do not hold."""
    name = c["bound_settings"].get("name")
    _need(isinstance(name, str) and name in BOUNDS, f"the bound {brief(name)} is not known here")
    _need(c["posterior"] in PARAMETERS, f"the posterior {brief(c['posterior'])} is not known here")
    _need(c["risk"] in RISKS, f"the risk {brief(c['risk'])} is not known here")
    kinds, settings = RISKS[c["risk"]]
    _need(c["posterior"] in kinds, f"the risk {c['risk']!r} is not defined for the posterior {brief(c['posterior'])}")
    _need(c["risk"] == "exact" or not c["abstains"], f"the risk {c['risk']!r} is not defined where voters are silent")
    soft = {fold.margins is not None for fold in folds}
    _need(soft == {c["risk"] == "soft"}, f"the risk {c['risk']!r} is not one of these votes")
    bag = any(fold.judged is not None for fold in folds)
    _need(("fewest" in c["figures"]["error"]) == bag, "the fewest judges are stated exactly of out-of-bag votes")
    if bag:
        alone = len(folds) == 1 and c["posterior"] == "categorical" and c["risk"] in OUT_OF_BAG
        _need(alone, f"the risk {c['risk']!r} is not defined for these out-of-bag votes")
    _fit(c["risk_settings"], settings, "risk_settings")
    _fit(c["bound_settings"], BOUNDS[name], "bound_settings")
    _need(c["bound_settings"].get("constant", "xi") in ("xi", "2sqrt"), "the constant of the bound is not known here")
    _need(c["bound_settings"].get("grids", "once") in ("once", "twice"), "the grids of the bound are not known here")
    _need(c["risk"] != "ccpbb" or name == "bennett", "the risk 'ccpbb' has a bound of its own")
    grid, own = c["bound_settings"].get("c"), name == "catoni_per_fold"
    _need(grid is None or (len(grid) == len(folds) if own else 1 <= len(grid) <= 10**6), "not as many constants")
    means = len(c["figures"]["error"]["moments"])
    _need(means == len(OUTWARD.get(c["risk"], "+")), "there is not one mean for each that the risk has")
    for fold, posterior, prior in zip(folds, c["posteriors"], c["priors"], strict=True):
        _check_parameters(c["posterior"], posterior, fold.n_voters, "posterior")
        _check_parameters(c["posterior"], prior, fold.n_voters, "prior")
    _check_fixed_vote(c)


def _check_parameters(kind: str, parameters: dict[str, Any], n_voters: int, what: str) -> None:
    _fit(parameters, PARAMETERS[kind], what)
    _check_each(parameters, n_voters, f"a {what}")
    theta = parameters.get("theta", [1.0])
    _need(what == "posterior" or min(theta) > 0, "a probability of a prior is not positive")
    _need(abs(math.fsum(theta) - 1) <= 1e-12, f"the probabilities of a {what} do not sum to one")


def _check_fixed_vote(c: Content) -> None:
    """Check the parts of the bound on the deterministic vote."""
    v = c["figures"]["deterministic_vote"]
    if c["posterior"] != "dirichlet":
        _need(v == {} and "classes" not in c["figures"], "margins and classes are for Dirichlet posteriors")
        return
    _need(v, "the figures of the deterministic vote are missing")
    grid = (0.0,) if c["has_one_voter"] else MARGINS
    _need(v["margin"] in grid and v["margins"] == len(grid), "the margin is not one of those that are paid for")
    spoken = 0 < v["leak"] < 0.5 if has_speakers(c) else v["leak"] == v["heavy"] == 0
    _need(spoken, "the leak is not one that the theorem allows")
    scaled = (v["scale"] * x for p in c["posteriors"] for x in p["alpha"])
    _need(all(map(CONCENTRATION.has, scaled)), "the scale is out of range")


def _n_bounds(c: Content) -> int:
    """Number of means that are bounded."""
    if c["risk"] == "ccpbb":
        return len(_offsets(c))
    return 1 + (c["risk"] in OF_TWO_MEANS)


def _split(c: Content, n_classes: int) -> Ledger:
    """How delta must be split, given what the certificate states and how it was computed."""
    ledger, tried = Ledger(c["delta"]), {"parts for priors": c["alternatives"]}
    margins = {"margins": c["figures"]["deterministic_vote"].get("margins", 1)}
    for_draws = c["risk_settings"]["draw_share"] if _is_estimated(c) else 0.0
    for vote in _votes_of(c):
        if margins["margins"] > 1 and vote == "predict":
            ledger.share(vote, {**tried, **margins})
            continue
        ledger.share(vote, {**tried, "means": _n_bounds(c)}, part=1 - for_draws)
        if for_draws:  # half for the draws of the risk, with two posteriors to choose from in each fold
            drawn = {**tried, "folds": len(c["fold_sizes"]), "posteriors": 2}
            ledger.share(vote, drawn, "draws", for_draws / 2)
        if for_draws and vote == "predict" and not c["has_one_voter"]:
            ledger.share(vote, tried, "votes drawn once", for_draws / 2)
    if n_classes:
        ledger.share("baseline", tried)
    for vote in _votes_of(c) if "classes" in c["figures"] else ():
        own = {**tried, "classes": n_classes} | (margins if vote == "predict" else {})
        ledger.share("classes" if vote == "predict" else f"classes, {vote}", own)
    return ledger


def _paid_error(c: Content, folds: Sequence[Fold], ledger: Ledger) -> Iterator[Check]:
    """Risk, KL and bound of the stochastic vote, then of the deterministic one, then of the classes."""
    error, sizes, vote = c["figures"]["error"], c["fold_sizes"], _votes_of(c)[-1]
    judges: tuple[Sequence[int], ...] = (sizes, sizes, sizes)
    if "fewest" in error:
        judges = _fewest(folds[0])
        for what, (count,) in zip(FEWEST, judges, strict=True):
            stated = error["fewest"][what]
            yield Check(f"figures.error.fewest.{what}", stated, count, stated == count)
    upper = functools.partial(upper_bound, c["bound_settings"], judges[0])
    drawn = functools.cache(lambda: [row_losses(f, p["alpha"]) for f, p in zip(folds, c["posteriors"], strict=True)])
    total = max(math.fsum(p["alpha"]) for p in c["posteriors"]) if c["posterior"] == "dirichlet" else 1.0
    if c["risk"] in ("exact", "mc", "soft") and c["posterior"] == "dirichlet":
        by_fold = np.array([[fold.mean(rows)] for fold, rows in zip(folds, drawn(), strict=True)])
    else:
        by_fold = np.array([moments(c, p, fold) for p, fold in zip(c["posteriors"], folds, strict=True)])
    found = risk_weights(c["bound_settings"], sizes) @ by_fold
    kls = [prior_kl(c["posterior"], p, q) for p, q in zip(c["posteriors"], c["priors"], strict=True)]
    if _is_estimated(c):
        price = math.log(1 / ledger.of(vote, "draws")) / c["risk_settings"]["certificate_draws"]
        found = np.array([kl_inverse(found[0], price)])
    slack = _risk_slack(total)
    for i, (stated, mean, up) in enumerate(zip(error["moments"], found, OUTWARD.get(c["risk"], "+"), strict=True)):
        what = f"figures.error.moments.{i}"
        yield _upper(what, stated, mean, mean + slack) if up == "+" else _lower(what, stated, mean, mean - slack)
    yield _upper("figures.error.kl", error["kl"], *_sum(kls))

    def bound(measured: Sequence[float], kl: float) -> float:
        if c["risk"] == "ccpbb":
            return min(_cantelli_bennett(c, judges[1], measured, kl, ledger.of(vote)), 1.0)
        delta = ledger.of(vote)
        uppers = [lambda r, d, n=n: upper_bound(c["bound_settings"], n, r, d, delta) for n in judges]
        return min(composed(c, measured, kl, *uppers), 1.0)

    least, most = bound(found.tolist(), _sum(kls)[0]), bound(error["moments"], error["kl"])
    yield _upper("figures.error.stochastic_bound", error["stochastic_bound"], least, most)
    if c["posterior"] == "dirichlet":
        fixed = _fixed(c, folds)
        yield from _deterministic_vote(c, folds, fixed, lambda r, d: upper(r, d, ledger.of("predict")))
        if "classes" in c["figures"]:
            yield from _paid_classes(c, folds, drawn(), kls, fixed, ledger)
        return
    value = error["stochastic_bound"]
    if _is_estimated(c) and not c["has_one_voter"]:
        # if the class that most of the drawn votes answer is wrong, at least half of them err
        price = math.log(1 / ledger.of("predict", "votes drawn once")) / ONCE_DRAWN
        value = min(2 * kl_inverse(value, price), 1.0)
    yield _upper("figures.error.bound", error["bound"], value)


def _paid_classes(
    c: Content,
    folds: Sequence[Fold],
    drawn: list[NDArray],
    kls: Sequence[KL],
    fixed: "FixedVote",
    ledger: Ledger,
) -> Iterator[Check]:
    """The bounds given each true class, which share delta."""
    of_each_margin = ledger.of("classes")
    delta = of_each_margin if c["has_one_voter"] else ledger.of("classes, stochastic vote")
    covered = fixed.coverage[0], c["figures"]["deterministic_vote"]["coverage"]
    shares = np.array(c["fold_sizes"]) / c["n"]
    yield from _each_class("classes", c["figures"]["classes"], _labels(folds))
    for code, entry in enumerate(c["figures"]["classes"]):
        place, members = f"figures.classes.{code}", [fold.of_class(code) for fold in folds]
        counts = [fold.count(m) for fold, m in zip(folds, members, strict=True)]
        risk, near = (
            float(shares @ [fold.mean(r, m) for fold, r, m in zip(folds, rows, members, strict=True)])
            for rows in (drawn, fixed.rows)
        )
        yield Check(f"{place}.n", entry["n"], sum(counts), entry["n"] == sum(counts))
        yield _upper(f"{place}.stochastic_risk", entry["stochastic_risk"], risk, risk + fixed.slack)
        yield _upper(f"{place}.empirical_risk", entry["empirical_risk"], near, near + fixed.slack)
        upper = functools.partial(_class_upper, counts, shares)
        least, most = upper(risk, kls, delta, 0), upper(entry["stochastic_risk"], kls, delta, 1)
        yield _upper(f"{place}.stochastic_bound", entry["stochastic_bound"], least, most)
        least = upper(near, fixed.kls, of_each_margin, 0) / covered[0]
        most = upper(entry["empirical_risk"], fixed.kls, of_each_margin, 1) / covered[1]
        yield _upper(f"{place}.bound", entry["bound"], min(least, 1.0), min(most, 1.0))


def _class_upper(
    counts: Sequence[int], shares: NDArray, risk: float, kls: Sequence[KL], delta: float, rounded: int
) -> float:
    """Seeger's bound over folds that are drawn by their shares."""
    if not all(counts):
        return 1.0
    folds = zip(kls, counts, shares, strict=True)
    prices = ((float(kl) + rounded * slack + log_xi(n) + math.log(1 / delta)) * p / n for (kl, slack), n, p in folds)
    return kl_inverse(risk, math.fsum(prices))


def _paid_recalls(c: Content, folds: Sequence[Fold]) -> Iterator[Check]:
    """What predict finds of each class; votes that were drawn once are too many to count again."""
    stated = c["figures"]["recalls"]
    labels = _labels(folds)
    # margins of several classes do not say which one has the most weight
    unknown = c["posterior"] == "logit_normal" or (c["risk"] == "soft" and len(labels) > 2)
    unknown |= folds[0].judged is not None  # no example has the votes of all voters
    yield from _each_class("recalls", stated, [] if unknown else labels)
    if not stated:
        return
    given = [np.array(next(iter(p.values()))) for p in c["posteriors"]]
    weights = [each / math.fsum(each) for each in given]
    # what rounding decides counts as an error, with little room for it and with more
    doubts = [5e-14] * len(folds), [2e-13 + 2.0**-52 * fold.n_voters for fold in folds]
    readings = [[vote_errors(*each) for each in zip(folds, weights, doubt, strict=True)] for doubt in doubts]
    for code, entry in enumerate(stated):
        members = [fold.of_class(code) for fold in folds]
        counts = [fold.count(m) for fold, m in zip(folds, members, strict=True)]
        least, most = (
            math.fsum(k * f.mean(e, m) for k, f, e, m in zip(counts, folds, each, members, strict=True)) / max(n, 1)
            for each, n in ((reading, sum(counts)) for reading in readings)
        )
        yield from recall(code, entry, sum(counts), *((least, most) if any(counts) else (1.0, 1.0)))


TIE = 1e-10  # weights of classes that differ by less tie


def vote_errors(fold: Fold, weights: NDArray, doubt: float) -> NDArray:
    """Where the vote with these weights errs, or would err if some weight were slightly different.

    Of tied classes the first wins; if the classes are not known, a tie is an error. Weights count as shares of the
    weight that answers; a row that no voter answers is an error. Of probabilities, a tie is an error.
    """
    if fold.margins is not None:
        return fold.margins @ weights <= doubt
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


def _risk_slack(total: float) -> float:
    """How far a risk may have been rounded up: further where scipy's functions are less precise."""
    return 1e-9 + 2e-6 * (total > 1e6) + 2e-15 * total


def _sum(kls: Sequence[KL]) -> tuple[float, float]:
    """The KL of all folds, and the most that it may have been rounded up to."""
    least = float(sum((kl for kl, _ in kls), Decimal(0)))
    return least, least + math.fsum(slack for _, slack in kls)


# --------------------------------------------------------------- 11. The error of a vote with drawn weights, row by row


def row_losses(fold: Fold, alpha: Sequence[float] | NDArray, margin: float = 0.0) -> NDArray:
    """Probability that the vote with Dirichlet weights errs, or is right by less than the margin."""
    weights = np.asarray(alpha, float)
    if fold.margins is not None:  # voters may have just the margin but for rounding, so it is a little more
        least = 2 * margin + 1e-12 * (margin > 0)
        return np.array([negative_sum(row - least, weights) for row in fold.margins])
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


GAUSS = np.polynomial.legendre.leggauss(24)
DEAD = 40.0  # exp(-40) = 4e-18
AT_ONCE = 1 << 20  # numbers in memory
TURNED = 6.0  # a panel in which phase or size move by more is halved


def negative_sum(margins: NDArray, alpha: NDArray) -> float:
    """Probability that the sum of gamma variables of these shapes, weighted by the margins, is not positive.

    Gil-Pelaez's formula, with Gauss-Legendre panels in the logarithm of the frequency; off by less than 1e-12 up to a
    total concentration of 1e7 (measured).
    """
    m, alpha = margins[margins != 0], alpha[margins != 0]
    if not np.any(m > 0):
        return 1.0
    if not np.any(m < 0):
        return 0.0
    m = m / np.abs(m).max()  # which does not change the sign of the sum
    sign = 1.0 if alpha @ m >= 0 else -1.0
    tail = min(max(_lower_tail(sign * m, alpha), 0.0), 1.0)
    return tail if sign > 0 else 1 - tail


def _lower_tail(m: NDArray, alpha: NDArray) -> float:
    if _log_chernoff(m, alpha) < -DEAD:
        return 0.0
    total = alpha.sum()
    low = -DEAD - np.log(alpha @ np.abs(m))  # below, the integral is less than exp(low) times the mean
    high = DEAD + np.log(max(total, 1.0)) - np.log(np.abs(m).min())  # above, the integrand is a power of the frequency
    high = _silent_from(m, alpha, low, high)
    edges = _panels(m, alpha, low, high)
    at_once = 1 + AT_ONCE // (len(m) * len(GAUSS[0]))
    integral = sum(_panel_sum(m, alpha, edges[i : i + at_once + 1]) for i in range(0, len(edges) - 1, at_once))
    beyond = np.sin(_phase(m, alpha, high)) * np.exp(_log_size(m, alpha, high)) / total
    return float(0.5 - (integral + beyond) / np.pi)


def _panel_sum(m: NDArray, alpha: NDArray, edges: NDArray) -> float:
    half = np.diff(edges) / 2
    u = (edges[:-1] + half)[:, None] + half[:, None] * GAUSS[0]
    return float(np.sum(half[:, None] * GAUSS[1] * np.sin(_phase(m, alpha, u)) * np.exp(_log_size(m, alpha, u))))


def _log_chernoff(m: NDArray, alpha: NDArray) -> float:
    """Logarithm of about the least ``E exp(-c S)``, which bounds the probability."""

    def log_moment(y: float) -> float:
        return float(-alpha @ np.log1p(m * special.expit(y) / max(-m.min(), TINY)))

    return float(optimize.minimize_scalar(log_moment, bounds=(-60, 30), method="bounded").fun)


def _silent_from(m: NDArray, alpha: NDArray, low: float, high: float) -> float:
    """Where the size of the characteristic function, which only falls, is negligible; ``high`` if nowhere before."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if _log_size(m, alpha, middle) < -DEAD else (middle, high)
    return high


def _panels(m: NDArray, alpha: NDArray, low: float, high: float) -> NDArray:
    edges = np.linspace(low, high, 2 + int((high - low) / 1.5))
    while True:
        phase, size = np.diff(_phase(m, alpha, edges)), np.diff(_log_size(m, alpha, edges))
        wide = np.maximum(np.abs(phase), np.abs(size)) > TURNED
        if not wide.any():
            return edges
        edges = np.sort(np.concatenate([edges, ((edges[:-1] + edges[1:]) / 2)[wide]]))


def _log_size(m: NDArray, alpha: NDArray, u: float | NDArray) -> Any:
    """Logarithm of the size of the characteristic function at the frequencies ``exp(u)``."""
    return -0.5 * np.logaddexp(0.0, 2 * (np.asarray(u)[..., None] + np.log(np.abs(m)))) @ alpha


def _phase(m: NDArray, alpha: NDArray, u: float | NDArray) -> Any:
    turned = np.exp(np.minimum(np.asarray(u)[..., None] + np.log(np.abs(m)), 700.0))
    return np.arctan(np.sign(m) * turned) @ alpha


def moments(c: Content, parameters: dict[str, Any], fold: Fold) -> list[float]:
    """Empirical means of the certificate's risk under one fold's posterior."""
    if _is_estimated(c):
        return [_drawn_error(c["risk_settings"]["certificate_draws"], parameters, fold)]
    weights = np.array(next(iter(parameters.values())))
    if c["risk"] == "ccpbb" or fold.judged is not None:
        return _pair_moments(c, fold, weights)
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
    both, one, none = (fold.mean(each) for each in (share**2, 2 * share * (1 - share), (1 - share) ** 2))
    if c["risk"] == "cctnd":
        return [both, fold.mean(share)]
    if c["risk"] == "ccpbskl":
        return [both, none if (c["risk_settings"]["mu"] or 0) < 0 else one]
    return [fold.mean(share), one]  # of the C-bound


def _pair_moments(c: Content, fold: Fold, weights: NDArray) -> list[float]:
    """The means of a risk from those of all pairs of voters, each over the examples that judge both."""
    n, wrong, joint = np.zeros((3, fold.n_voters, fold.n_voters))
    for rows in fold.blocks():
        errors, judges = fold.errors(rows), fold.judges(rows)
        counts = fold.counts[rows, None]
        n += judges.T @ (judges * counts)
        wrong += errors.T @ (judges * counts)
        joint += errors.T @ (errors * counts)
    two, one = joint / n, (wrong + wrong.T - 2 * joint) / n
    compared = one if fold.unlabelled is None else (one * n + _disagreements(fold)) / (n + fold.unlabelled.shape[1])
    both, either, neither = (float(weights @ each @ weights) for each in (two, compared, 1 - one - two))
    error = float(weights @ (np.diag(wrong) / np.diag(n)))
    if c["risk"] == "ccpbb":
        mean = one + 2 * two
        spread = two - two**2, 2 * two - two * mean, (one + 4 * two - mean**2) / 2
        unbiased = (n / np.maximum(n - 1, 1) * each for each in spread)
        return [both, float(weights @ (mean / 2) @ weights), *(float(weights @ each @ weights) for each in unbiased)]
    if c["risk"] == "ccpbskl":
        return [both, neither if (c["risk_settings"]["mu"] or 0) < 0 else either]
    return {
        "first_order": [error],
        "second_order": [both],
        "c_bound": [error, either],
        "disagreement": [error, either],
        "cctnd": [both, error],
    }[c["risk"]]


def _disagreements(fold: Fold) -> NDArray:
    """On how many unlabelled examples each two voters answer different classes."""
    found = np.zeros((fold.n_voters, fold.n_voters))
    for rows in row_blocks(fold.unlabelled.shape[1], fold.n_voters):  # type: ignore[union-attr]
        second = fold._unpacked(fold.unlabelled[:, rows])  # type: ignore[index]
        found += second.T @ (1 - second) + (1 - second).T @ second
    return found


def _fewest(fold: Fold) -> tuple[Sequence[int], ...]:
    """The smallest number of examples that judge a voter; two voters; and that show whether two disagree."""
    together = sum(fold.judges(rows).T @ fold.judges(rows) for rows in fold.blocks())
    both, more = int(together.min()), 0 if fold.unlabelled is None else fold.unlabelled.shape[1]
    return [int(np.diag(together).min())], [both], [both + more]


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


# -------------------------------------------------------------------- 12. KL from the prior, and the bounds that pay it


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


def composed(
    c: Content,
    measured: Sequence[float],
    kl: float,
    upper: Callable[..., float],
    of_pairs: Callable[..., float],
    of_disagreements: Callable[..., float],
) -> float:
    """The bound on the vote's error that a risk yields, from bounds on means over voters, pairs, and disagreements."""
    if c["risk"] in ("c_bound", "disagreement"):
        error, agreement = upper(measured[0], kl), of_disagreements(1 - measured[1], 2 * kl)
        if c["risk"] == "disagreement":
            return 4 * error - 2 * max(1 - agreement, 0.0)
        return 1 - (1 - 2 * error) ** 2 / (2 * agreement - 1) if error < 0.5 else 1.0
    if c["risk"] in ("cctnd", "ccpbskl"):
        return _cantelli(c, measured, kl, upper, of_pairs, of_disagreements)
    if c["risk"] == "first_order":
        return 2 * upper(measured[0], kl)
    if c["risk"] == "second_order":
        return 4 * (of_pairs(measured[0], 2 * kl) if c["posterior"] == "categorical" else upper(measured[0], kl))
    if c["risk"] == "binomial":
        return 2 * upper(measured[0], c["risk_settings"]["n_draws"] * kl)
    return upper(measured[0], kl)


def _cantelli(
    c: Content,
    measured: Sequence[float],
    kl: float,
    upper: Callable[..., float],
    of_pairs: Callable[..., float],
    of_disagreements: Callable[..., float],
) -> float:
    """The Chebyshev-Cantelli bound; the best mu put in gives the C-bound's ``(T - g^2) / (T - g + 1/4)``."""

    def closed(error: float, is_negative: bool) -> float:
        """With the best mu of one sign, where that is not zero; else 1, as no mu of that sign helps."""
        helps = error < 0.5 and (both > error / 2 if is_negative else both < error / 2)
        return (both - error**2) / (both - error + 0.25) if helps else 1.0

    both = of_pairs(measured[0], 2 * kl)
    if c["risk"] == "cctnd":
        negative = c["bound_settings"]["name"] in ("seeger", "mcallester", "lambda")  # which hold on both sides
        least = max(1 - upper(1 - measured[1], kl), 0.0)
        return min(4 * both, closed(least, False), closed(upper(measured[1], kl), True) if negative else 1.0)
    mu = c["risk_settings"]["mu"]
    compared = of_pairs if (mu or 0) < 0 else of_disagreements
    rest = max(1 - compared(1 - measured[1], 2 * kl), 0.0)
    if mu is None:
        return min(4 * both, closed(both + rest / 2, False))
    least, middle, most = sorted((mu**2, -mu * (1 - mu), (1 - mu) ** 2))
    return (middle + (most - middle) * both - (middle - least) * rest) / (0.5 - mu) ** 2


def _offsets(c: Content) -> tuple[float, ...]:
    mu = c["risk_settings"]["mu"]
    return OFFSETS if mu is None else (mu,)


def _cantelli_bennett(c: Content, sizes: Sequence[int], measured: Sequence[float], kl: float, delta: float) -> float:
    """The Chebyshev-Cantelli bound at the best offset, from the mean and the variance of the loss of two voters."""
    both, error, of_both, together, of_number = measured
    found = []
    for mu in _offsets(c):
        variance = of_both + 2 * mu * (mu * of_number - together)
        above = _bennett(c["bound_settings"], sizes, max(variance, 0.0), 1 - mu, 2 * kl, delta)
        found.append((both - mu * (2 * error - mu) + above) / (0.5 - mu) ** 2)
    return min(found)


def _bennett(
    settings: dict[str, Any], sizes: Sequence[int], variance: float, length: float, kl: float, delta: float
) -> float:
    """By how much a mean may exceed its empirical value, for losses in an interval of this length."""
    n, cost = sum(sizes), math.log(2 / delta)
    degrees = n - n / min(sizes)
    paid = kl + len(sizes) * cost
    root = math.sqrt(1 + degrees / cost)
    t = _steps(1 / (1 + root), math.log((1 + root) / 2))
    largest = length**2 / 4
    if degrees:
        for_variance = length**2 * (paid + len(sizes) * math.log(len(t))) / (2 * degrees)
        largest = min(largest, float(np.min((variance + for_variance / t) / (1 - t))))
    least = 4 * cost / n  # (z - 1) e^z + 1, without what cancels for small z
    low = optimize.brentq(
        lambda z: z * (math.expm1(z) - _beyond_linear(z)) - least, 0.0, max(2.0, math.log(least)), xtol=1e-300
    )
    u = 1 / (1 + degrees / (2 * cost))
    high = 0.0
    if degrees:  # another root of y - ln(y) than u
        level = u - math.log(u)
        high = optimize.brentq(lambda y: y - math.log(y) - level, 1.0, 2 * level + 2, xtol=1e-15) - u
    x = _steps(low, math.log(max(high / low, 1.0)))
    tries = len(x) * (len(t) if settings["grids"] == "twice" else 1)
    beyond = np.array([_beyond_linear(each) for each in x])  # (e^x - 1 - x) / x
    values = beyond * largest / length + length * (paid + len(sizes) * math.log(tries)) / (n * x)
    return float(values.min())


def _steps(first: float, log_range: float) -> NDArray:
    return first * np.exp(math.log(1.05) * np.arange(max(math.ceil(log_range / math.log(1.05)), 1)))


def _beyond_linear(x: float) -> float:
    if x > 1:
        return (math.exp(x) - 1 - x) / x
    return math.fsum(x ** (k - 1) / math.factorial(k) for k in range(2, 22))


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
    if name == "lambda":  # the root of (p - q)^2 = 2 p epsilon
        epsilon = (kl + _constants(settings["constant"], sizes) + confidence) / n
        return risk + epsilon + math.sqrt(epsilon * (epsilon + 2 * risk))
    if name == "bennett":  # no loss with this mean can vary more
        spread = min(risk, 0.5)
        return risk + _bennett(settings, sizes, spread * (1 - spread) / (1 - 1 / max(min(sizes), 2)), 1.0, kl, delta)
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


# ---------------------------------------------------------------- 13. The deterministic vote of a PAC-Bayes certificate

MARGINS = (0.0, 0.01, 0.02, 0.04, 0.07, 0.12, 0.2)  # one of them was chosen, and all share delta
NEARLY = 1e-12, 2e-9  # sums of weights that rounding may have made different, and that may be taken for equal
LISTED, LISTED_CLASSES = 20, 10  # all coalitions of up to this many voters are listed, with two classes and with more


class FixedVote(NamedTuple):
    """What the PAC-Bayes bound on the deterministic vote is computed from, recomputed."""

    rows: list[NDArray]  # probability that a drawn vote errs, or is right by less than the margin
    kls: list[KL]
    coverage: tuple[float, float]  # smallest probability of that if the deterministic vote errs, and if nearly tied
    slack: float  # how far the risk may have been rounded up


def _fixed(c: Content, folds: Sequence[Fold]) -> FixedVote:
    """Recompute it with scaled concentrations, which leave the mean weights unchanged."""
    v = c["figures"]["deterministic_vote"]
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
    return FixedVote(
        rows=rows,
        kls=[(kl + Decimal(more), slack + 1e-13 * size) for (kl, slack), (more, size) in zip(kls, paid, strict=True)],
        coverage=tuple(  # type: ignore[arg-type]
            min(
                coverage(a, f.n_classes, v["margin"], abstains, near, v["leak"], stray)
                if f.margins is None
                else soft_coverage(len(a), math.fsum(a), v["margin"])
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
    c: Content, folds: Sequence[Fold], fixed: FixedVote, upper: Callable[..., float]
) -> Iterator[Check]:
    """The bound on the deterministic vote: if it errs, a drawn vote errs, or nearly errs, with some probability."""
    f = c["figures"]["deterministic_vote"]
    weights = risk_weights(c["bound_settings"], c["fold_sizes"])
    risk = float(weights @ [fold.mean(rows) for fold, rows in zip(folds, fixed.rows, strict=True)])
    yield _lower(
        "figures.deterministic_vote.coverage", f["coverage"], fixed.coverage[0], fixed.coverage[1] * (1 - 1e-6)
    )
    yield _upper("figures.deterministic_vote.empirical_risk", f["empirical_risk"], risk, risk + fixed.slack)
    yield _upper("figures.deterministic_vote.kl", f["kl"], *_sum(fixed.kls))
    figures = ((risk, _sum(fixed.kls)[0], fixed.coverage[0]), (f["empirical_risk"], f["kl"], f["coverage"]))
    least, most = (min(upper(r, kl) / covered, 1.0) for r, kl, covered in figures)
    if c["has_one_voter"]:  # there is only one vote and one figure
        least = most = c["figures"]["error"]["stochastic_bound"]
    yield _upper("figures.error.bound", c["figures"]["error"]["bound"], least, most)


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


def soft_coverage(n_voters: int, s: float, margin: float) -> float:
    """Smallest probability that a weighted mean of numbers in [-1, 1] is at most twice the margin.

    Its mean is at most 0, its variance at most 1 / (s + 1) (Cantelli), and it is sub-Gaussian with that (Marchal and
    Arbel 2017, for the beta variable that it is a conditional expectation of).
    """
    if n_voters == 1:
        return 1.0
    t = (s + 1) * max(2 * margin - 1e-9, 0.0) ** 2
    return max(1 - 1 / (1 + t), 1 - math.exp(-t / 2), TINY)


def _lightest_majority(weights: NDArray, s: float, near: float) -> float:
    """The smallest weight that may win: sums of the heaviest voters, plus any part of the others' weight."""
    ordered = sorted(weights, reverse=True)
    sums, rest = np.zeros(1), math.fsum(ordered[LISTED:])
    for weight in ordered[:LISTED]:
        sums = np.append(sums, sums + weight)
    return float(np.maximum(sums, s / 2)[sums + rest >= s / 2 * (1 - near)].min())


def _all_contests(weights: NDArray) -> tuple[NDArray, NDArray]:
    """Weights of the true class and of a wrong one, if each voter answers one of them, or neither."""
    answers = np.indices((3,) * len(weights)).reshape(len(weights), -1)
    return weights @ (answers == 0), weights @ (answers == 1)


def _lost_contests(weights: NDArray, n_classes: int, s: float, near: float) -> list[tuple[float, float]]:
    """Those with a wrong class that is no lighter than the true one, nor than the others on average."""
    right, wrong = _all_contests(weights)
    lost = (wrong >= right - near * s) & (wrong * (n_classes - 2) >= s - right - wrong - near * s)
    return list(zip(right[lost].tolist(), wrong[lost].tolist(), strict=True))


def _contests_of_some(weights: NDArray, near: float) -> list[tuple[float, float]]:
    """Those with a wrong class that is no lighter than the true one, if any voter may abstain."""
    right, wrong = _all_contests(weights)
    lost = (wrong > 0) & (wrong >= right * (1 - near))
    return list(zip(right[lost].tolist(), wrong[lost].tolist(), strict=True))


# ----------------------------------------------------------------------------------------------- 14. Drawn certificates


def _drawn_checks(c: Content, folds: Sequence[Fold]) -> Iterator[Check]:
    """All checks of the certificate of one drawn vote."""
    binding = list(_bound_to_votes(c, folds))
    yield from binding
    if not all(check.holds for check in binding):
        return
    n_voters = max(fold.n_voters for fold in folds)
    _need(all(fold.judged is None for fold in folds), "drawn votes are not certified on out-of-bag votes")
    _need(all(fold.margins is None for fold in folds), "drawn votes are certified for voters that answer with a class")
    if c["posterior"] == BLOCS:
        c, folds = merged(c, folds)
    _need(c["posterior"] == "dirichlet", f"drawing from the posterior {brief(c['posterior'])} is not known here")
    for fold, posterior, prior in zip(folds, c["posteriors"], c["priors"], strict=True):
        _check_parameters("dirichlet", posterior, fold.n_voters, "posterior")
        _check_parameters("dirichlet", prior, fold.n_voters, "prior")
    yield Check("covers_drawn", c["covers_drawn"], True, c["covers_drawn"])
    yield _same_shares("fold_shares", c["fold_shares"], np.array(c["fold_sizes"]) / c["n"])
    ledger = Ledger(c["delta"])
    share = ledger.share("drawn vote", {"parts for priors": c["alternatives"]})
    yield from ledger.checks(c["claims"])
    _need(c["fold"] < len(folds), "there is no such fold")
    fold, logs = folds[c["fold"]], c["log_weights"]
    _need(len(logs) == fold.n_voters, "there is not one weight for each voter or bloc")
    weights = np.exp(np.array(logs))
    yield Check("sum of the weights", math.fsum(weights), 1.0, abs(math.fsum(weights) - 1) <= 1e-12)
    error, doubtful = c["figures"]["error"], TIE + 2.0**-50 * n_voters
    least, most = (fold.mean(_not_won(fold, weights, tie)) for tie in (TIE / 2, 2 * doubtful))
    yield _upper("figures.error.empirical_risk", error["empirical_risk"], least, most)
    alpha, beta = (tuple(c[of][c["fold"]]["alpha"]) for of in ("posteriors", "priors"))
    ratio, slack = _density_ratio(alpha, beta, logs)
    yield _upper("figures.error.log_ratio", error["log_ratio"], ratio, ratio + slack)

    def bound(risk: float, log_ratio: float) -> float:
        price = log_ratio + log_xi(fold.count()) + math.log(1 / share)
        return kl_inverse(risk, max(price, 0.0) / fold.count())

    stated = bound(error["empirical_risk"], error["log_ratio"])
    yield _upper("figures.error.bound", error["bound"], bound(least, ratio), stated)


def _not_won(fold: Fold, weights: NDArray, tie: float) -> NDArray:
    """Where the true class does not lead by more than ``tie``, relative to its weight and the largest other one."""
    lost = []
    for rows in fold.blocks():
        if fold.labels is None:
            own, rival = fold.right_answers(rows) @ weights, fold.errors(rows) @ weights
        else:
            own, others = fold.class_weights(rows, weights)
            rival = others.max(1)
        lost.append(own - rival <= tie * (own + rival))
    return np.concatenate(lost).astype(float)


def _density_ratio(a: tuple[float, ...], b: tuple[float, ...], logs: Sequence[float]) -> tuple[float, float]:
    """Logarithm of the ratio of two Dirichlet densities at the weights with these logarithms, and its rounding.

    At 50 digits: a sparse prior makes logarithms of millions, which cancel.
    """
    with decimal.localcontext(prec=50):
        value = _log_gamma(sum(map(Decimal, a)))[0] - _log_gamma(sum(map(Decimal, b)))[0]
        size = abs(value)
        for x, y, log in zip(a, b, logs, strict=True):
            (at_x, slope), (at_y, _) = _log_gamma(Decimal(x)), _log_gamma(Decimal(y))
            gap = Decimal(x) - Decimal(y)
            value += at_y - at_x + gap * Decimal(log)
            size += abs(at_x) + abs(at_y) + abs(gap) * (abs(Decimal(log)) + abs(slope) + 1)
        found = float(value)
    return found, 1e-9 * max(1.0, abs(found)) + 1e-13 * float(size)


# ----------------------------------------------------------------------------------------- 15. What is said and printed


def statement_of(c: Content) -> str:
    """The certificate in a few sentences; upper bounds are rounded up in them, lower ones and the confidence down."""
    confidence = f"{min(math.floor(round((1 - c['delta']) * 1e6, 7)), 999_999) / 1e4:g} %"
    judges = f"{c['n']:,} {'group' if c['grouped'] else 'example'}{'s' * (c['n'] != 1)}"
    sentences = SENTENCES.get(c["format"], lambda c: [_promise(c), *_remarks(c)])(c)
    first = f"With probability at least {confidence} over the draw of the {judges} that judge it, {sentences[0]}."
    again = ["Every further bound holds again with that probability."] * any(
        "at most" in s or "at least" in s for s in sentences[1:]
    )
    return " ".join([first, *(f"{sentence}." for sentence in sentences[1:]), *again])


def _promise(c: Content) -> str:
    on = "rows of new groups, averaged group by group" if c["grouped"] else "new examples"
    folds = len(c["fold_sizes"])
    over = [f"the key that shares them out among the {folds} folds"] * (folds > 1)
    over += ["the draw of the voters that speak for blocs"] * has_speakers(c)
    average = f", on average over {' and '.join(over)}" if over else ""
    subject = "the model" if c.get("voting") == "given" else "predict"
    return f"{subject} errs on at most {_percent(c['figures']['error']['bound'])} of {on}{average}"


def _remarks(c: Content) -> Iterator[str]:
    """A class that is rarely found, and an answer that is as good if it is always given."""
    figures = c["figures"]
    low = [(1 - entry["bound"], entry["label"]) for entry in figures.get("classes", ()) if entry["n"]]
    low += [(entry["measured"], entry["label"]) for entry in figures.get("recalls", ()) if entry["n"]]
    low = sorted((pair for pair in low if pair[0] < 0.5), key=lambda pair: pair[0])
    if low:
        of = f"{_percent_down(low[0][0])} of class {brief(ascii(low[0][1]))}"
        more = f", and less than half of {len(low) - 1:,} more" if len(low) > 1 else ""
        shown = "It is shown to find at least " if "classes" in figures else "On the judges it finds "
        yield shown + of + ", averaged group by group" * c["grouped"] + more
    ours, one = figures.get("cost", figures["error"]), figures.get("cost", figures).get("baseline")
    show, subject = (_amount, "mean cost") if "cost" in figures else (_percent, "error")
    if "cost" in figures:
        yield f"Its mean cost is at most {_amount(ours['bound'])}"
    if one and ours["bound"] >= one["bound"]:
        always = f"always answering {brief(ascii(one['label']))}, at most {show(one['bound'])}"
        yield f"This bound on the {subject} is no better than that of {always}"
    measured = "measured" if "cost" in figures else "empirical_risk"
    if one and measured in ours and ours[measured] >= one[measured] and ours["bound"] < one["bound"]:
        yield f"On the judges, the {subject} is no better than that of always answering {brief(ascii(one['label']))}"


def _rule_of(c: Content) -> str:
    """Whose scores a decision rule is on."""
    return "the model" if c["voting"] == "given" else "the vote"


def _selective_sentences(c: Content) -> list[str]:
    on = "rows of new groups, each group counting the same," if c["grouped"] else "new examples"
    folds, bound = len(c["fold_sizes"]), _percent(c["figures"]["error"]["bound"])
    among = "of those that it answers"
    if folds > 1:  # a ratio of averages is proven, not an average of ratios
        among = f"times the share that it answers, both averaged over the key that shares them out among {folds} folds"
    covered = _percent_down(c["figures"]["coverage"]["bound"])
    used = sorted({f"{100 * t:.0f} %" for t in c["thresholds"] if t != NEVER}, key=lambda t: int(t[:-2]))
    silent = sum(threshold == NEVER for threshold in c["thresholds"])
    never = f"; {silent} of the folds never answer{'s' if silent == 1 else ''}" if silent else ""
    rule = f"It answers where the answered class has a score of at least {' or '.join(used)}{never}"
    promise = f"{_rule_of(c)} answers at least {covered} of {on} and errs on at most {bound} {among}"
    when = f"{rule[0].lower()}{rule[1:]}" if any(c["thresholds"]) else "it always answers"
    return [f"{promise} ({when})", _answer_counts(c)]


def _answer_counts(c: Content) -> str:
    """How often each class is answered, the most frequent ones first."""
    counts = sorted(((own["n"], f"{own['label']!a}") for own in c["figures"]["answers"]), key=lambda pair: -pair[0])
    answers = [f"{label} ({n:,.0f} times)" if n else f"{label} never" for n, label in counts[:5]]
    more = f" and {len(counts) - 5:,} more classes" if len(counts) > 5 else ""
    return f"On the judges, it answers {', '.join(answers)}{more}"


def _class_selective_sentences(c: Content) -> list[str]:
    on = "rows of new groups, each group counting the same," if c["grouped"] else "new examples"
    folds = len(c["fold_sizes"])
    both = f" (errors and answers each averaged over the key that shares them out among {folds} folds)" * (folds > 1)
    answers = [own for own in c["figures"]["answers"] if own["n"]]
    errors = " and ".join(f"at most {_percent(own['bound'])} of its answers {own['label']!a}" for own in answers)
    covered = _percent_down(c["figures"]["coverage"]["bound"])
    said = f"{_rule_of(c)} answers at least {covered} of {on} and errs on {errors}"
    return [f"{said}{both}", _answer_counts(c)]


def _threshold_sentences(c: Content) -> list[str]:
    figures, label = c["figures"], f"{c['positive']!a}"
    recall, precision, alarms = (figures[name]["bound"] for name in ("recall", "precision", "false_positive_rate"))
    cost = f", and costs at most {_amount(figures['cost']['bound'])} on average" if "cost" in figures else ""
    promise = (
        f"{_rule_of(c)} that answers {label} where its score is at least {c['threshold']:.7g} finds at least "
        f"{_percent_down(recall)} of class {label}, is right in at least {_percent_down(precision)} of its answers "
        f"{label}, gives this answer to at most {_percent(alarms)} of the other new examples{cost}, all at once"
    )
    sentences, baseline = [promise], figures["baseline"]
    if precision <= baseline["prevalence"]:
        sentences.append(f"The bound on its precision is no better than always answering {label} is on the judges")
    if "cost" in figures and figures["cost"]["bound"] >= baseline["cost"]["measured"]:
        always = f"always answering {baseline['cost']['label']!a}"
        sentences.append(f"The bound on its cost is no better than what {always} costs on the judges")
    return sentences


def _drawn_sentences(c: Content) -> list[str]:
    drawn = "its fold and its weights" if len(c["fold_sizes"]) > 1 else "its weights"
    error = _percent(c["figures"]["error"]["bound"])
    promise = f"and over the draw of {drawn}, the drawn vote errs on at most {error} of new examples"
    return [promise, "This is for one draw: of several, the best one is not covered"]


SENTENCES: dict[str, Callable[[Content], list[str]]] = {
    SELECTIVE: _selective_sentences,
    CLASS_SELECTIVE: _class_selective_sentences,
    THRESHOLD: _threshold_sentences,
    DRAWN_ONCE: _drawn_sentences,
}


def _percent(share: float) -> str:
    return f"{math.ceil(round(share * 1e4, 7)) / 100:.2f} %"


def _percent_down(share: float) -> str:
    return f"{max(math.floor(round(share * 1e4, 7)), 0) / 100:.2f} %"


def _amount(cost: float) -> str:
    """Four digits, rounded up."""
    digits = decimal.Context(prec=4, rounding=decimal.ROUND_CEILING)
    return f"{digits.create_decimal(Decimal(f'{cost:.12g}')).normalize():f}"


def brief(value: object, most: int = 100) -> str:
    """A value in ASCII, shortened if it is too long: nothing in a file can control a terminal."""
    text = value if isinstance(value, str) and value.isascii() and value.isprintable() else ascii(value)
    return text if len(text) <= most else text[: most - 3] + "..."


def _items(texts: Sequence[str]) -> list[str]:
    """A list with every line indented, so that nothing in it can be mistaken for a verdict."""
    return [line for text in texts for line in textwrap.wrap(text, 76, initial_indent="- ", subsequent_indent="  ")]


def _unchecked(c: Content) -> Iterator[str]:
    """What the maker states and nothing here can confirm, in ASCII."""
    yield from (f"assumption: {brief(ascii(text), 400)}" for text in c["further_assumptions"])
    yield from (f"warning: {brief(ascii(text), 400)}" for text in c["warnings"])
    if c["protocol"]:
        name, learning = brief(ascii(c["protocol"]["name"])), c["protocol"]["learning"]
        yield f"protocol: {name}, with {learning:,} {'groups' if c['grouped'] else 'examples'} that made the model"
    if c["format"] == TESTED and "prevalence" in c["figures"]:
        yield "where the classes have other shares, the examples of each class look the same as here"
    if c["format"] == TESTED and "fixed" in c["figures"]["baseline"]:
        one = brief(ascii(c["figures"]["baseline"]["label"]))
        yield f"fixed before looking at the judges: that it is compared with always answering {one}"
    given = c.get("voting") == "given"
    if given:
        yield "the answers are those of a model that was fixed before: not trained, tuned or chosen on these examples"
    elif c["has_one_voter"] and c["format"] not in BY_VOTES:
        yield "a single voter answers, so that there is no other vote than predict"
    if c["format"] == TESTED and not given:
        yield f"voting: {c['voting']}, on the voters' {'answers' if c['voting'] == 'hard' else 'probabilities'}"
    if c["format"] == THRESHOLD:
        ((name, value),) = c["target"].items()
        target = "" if name == "picked" else f" and {name}={value:.7g}"
        yield f"fixed before looking at the judges: the class {brief(ascii(c['positive']))}{target}"
    if c["format"] == CLASS_SELECTIVE:
        targets = (f"{own['bound']:.7g} for {brief(ascii(own['label']))}" for own in c["figures"]["answers"])
        yield f"fixed before looking at the judges: max_error={', '.join(itertools.islice(targets, 50))}"
    if c["format"] in (SELECTIVE, CLASS_SELECTIVE) and len(c["fold_shares"]) > 1:
        shares = ", ".join(f"{share:.4g}" for share in c["fold_shares"][:50])
        yield f"shares of the folds in the answers: {shares} (those of the vote's own certificate)"
    yield from (f"context: {brief(ascii(key))}: {brief(ascii(value), 200)}" for key, value in c["context"].items())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(description="Check a certificate of stocmv against its evidence.")
    parser.add_argument("certificate", help="certificate.json")
    parser.add_argument("evidence", help="evidence.npz: the judgments, or the votes for a PAC-Bayes certificate")
    given = parser.parse_args(arguments)
    try:
        verification = verify_files(given.certificate, given.evidence)
    except (OSError, Refused, MemoryError) as error:
        print(f"Error: {brief(str(error) or type(error).__name__, 500)}", file=sys.stderr)
        return 2
    print(verification)
    return 0 if verification else 1


if __name__ == "__main__":
    sys.exit(main())
