"""Check a certificate of stocmv against the votes that it was made from.

This is one file that needs numpy and scipy and nothing of stocmv: copy it, read it, and run

    python verify.py certificate.json votes.npz

It ends with 0 if the certificate holds, with 1 if it does not, and with 2 and one sentence if a file cannot be used.

Every figure is computed again from the votes and the parameters that the certificate names. A figure holds if it is not
below what the votes give, and not above what outward rounding explains. Every word is derived from the figures and must
be there verbatim. What is free (further assumptions, warnings, the context) is listed as not checked, and so is what no
verifier can know: see `UNKNOWABLE`.

Contents, in the order of reading
---------------------------------
1. The verdict: what is checked, and in which order
2. The certificate's file: JSON without any freedom of spelling
3. The votes' file, and the digests that bind it
4. The form: which parts there are, and where their parameters may lie
5. The words: what a certificate must say, given its figures
6. The errors of the vote, row by row
7. Divergences from the prior
8. Bounds on the error
9. The fixed vote, and the classes
10. What is printed
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from scipy import special

Content = dict[str, Any]  # what a certificate says
Divergence = tuple[Decimal, float]  # and how far it may have been rounded up

UNKNOWABLE = (
    "whether the votes are real: invented votes give a certificate that holds",
    "whether the examples are independent draws from one distribution, and new ones come from the same",
    "whether the voters, or the prior, were chosen after looking at the examples that judge them",
    "whether more was tried than is stated: other priors, risks, bounds, constants or deltas",
    "whether a model is the one that voted: the certificate names the votes, not the file of a model",
    "whether warnings about the data were left out",
    "whether a posterior was chosen because the votes drawn from it were lucky, where the risk is estimated from draws",
)

# ------------------------------------------------------------------------------------------------------- 1. The verdict


class Check(NamedTuple):
    """One thing that a certificate says, as it stands there and as it was found."""

    what: str
    claimed: object
    found: object
    holds: bool

    def __str__(self) -> str:
        claimed, found = brief(self.claimed), brief(self.found)
        return f"{'ok ' if self.holds else 'NO '} {self.what}: {claimed}" + ("" if claimed == found else f" ({found})")


@dataclass(frozen=True)
class Verification:
    """All checks; true when every one holds.

    Attributes
    ----------
    checks : tuple of Check
        In the order in which they were made; after one without which the others mean nothing, there are no more.
    statement : str
        What the certificate says, in the verifier's own words.
    unchecked : tuple of str
        What whoever made the certificate states besides.
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
        """The last line."""
        if self:
            return f"The certificate holds: {self.statement}"
        return "The certificate does NOT hold. Whatever it says has not been shown."

    def remarks(self) -> list[str]:
        """What was not checked, line by line."""
        stated = ["Stated by whoever made the certificate, not checked:", *_items(self.unchecked)] * bool(
            self.unchecked
        )
        return [*stated, "What no verifier can know:", *_items(UNKNOWABLE)]

    def __str__(self) -> str:
        return "\n".join([*map(str, self.checks), "", *self.remarks(), "", self.verdict])


class Refused(ValueError):
    """A file, or an array, that is not what it should be."""


def verify_files(certificate: str | os.PathLike, votes: str | os.PathLike) -> Verification:
    """Check a certificate's file against a votes file."""
    content, intact = read_certificate(certificate)
    return verify(content, intact, read_votes(votes))


def verify(content: Content, intact: Check, folds: "Sequence[Fold]") -> Verification:
    """Check what a certificate says against the votes of its folds."""
    checks, statement, needed = [intact, *_votes(content, folds)], "", [""]
    if all(check.holds for check in checks[1:]):  # else the figures mean nothing
        try:
            check_form(content, folds)
            statement, needed = statement_of(content), assumed(content)
            checks.append(Check("form", "as it should be", "as it should be", True))
            with np.errstate(all="ignore"):  # figures that are no numbers fail their checks
                checks += [*_words(content, statement), *_figures(content, folds)]
        except Exception as error:  # whatever a forged certificate may raise, it does not hold
            reason = str(error) if isinstance(error, Refused) else f"{type(error).__name__}: {error}"
            checks.append(Check("form", reason, "not allowed", False))
    return Verification(tuple(checks), statement, tuple(_unchecked(content, needed)))


def _votes(c: Content, folds: "Sequence[Fold]") -> Iterator[Check]:
    digests, sizes = [fold.digest for fold in folds], [fold.n_examples for fold in folds]
    yield Check("votes", c["votes"], digests, c["votes"] == digests)
    same = (c["n"], c["fold_sizes"]) == (sum(sizes), sizes)
    yield Check("examples", (c["n"], c["fold_sizes"]), (sum(sizes), sizes), same)


def _figures(c: Content, folds: "Sequence[Fold]") -> Iterator[Check]:
    """The measured risk, the divergence, and the bounds that follow from them."""
    sizes = [fold.n_examples for fold in folds]
    delta = c["delta"] / c["alternatives"]
    upper = functools.partial(upper_bound, c["bound_settings"], sizes)
    drawn = functools.cache(lambda: [row_losses(f, p["alpha"]) for f, p in zip(folds, c["posteriors"], strict=True)])
    total = max(math.fsum(p["alpha"]) for p in c["posteriors"]) if c["posterior"] == "dirichlet" else 1.0

    if c["risk"] in ("exact", "mc") and c["posterior"] == "dirichlet":
        by_fold = np.array([[fold.mean(rows)] for fold, rows in zip(folds, drawn(), strict=True)])
    else:
        by_fold = np.array([moments(c, p, fold) for p, fold in zip(c["posteriors"], folds, strict=True)])
    found = risk_weights(c["bound_settings"], sizes) @ by_fold
    kls = [divergence(c["posterior"], p, q) for p, q in zip(c["posteriors"], c["priors"], strict=True)]
    remaining = delta
    if is_estimated(c):
        share, draws = c["risk_settings"]["draw_share"], c["risk_settings"]["certificate_draws"]
        # half of the share pays for these draws, with two posteriors to choose from in each fold
        found = np.array([kl_inverse(found[0], math.log(2 * len(folds) / (delta * share / 2)) / draws)])
        remaining = delta * (1 - share)
    yield _between("empirical risk", c["moments"][0], found[0], found[0] + _risk_slack(total))
    if len(found) > 1:  # the disagreement, which is bounded from below and so rounded down
        yield _between("disagreement", -c["moments"][1], -found[1], -found[1] + _risk_slack(total))
    yield _between("divergence", c["kl"], *_sum(kls))

    def bound(measured: Sequence[float], kl: float) -> float:
        return min(composed(c, measured, kl, lambda r, d, share: upper(r, d, share * remaining)), 1.0)

    yield _between("bound", c["bound"], bound(found, _sum(kls)[0]), bound(c["moments"], c["kl"]))
    if c["posterior"] == "dirichlet":
        fixed = _fixed(c, folds)
        yield from _fixed_vote(c, folds, fixed, lambda r, d: upper(r, d, delta / c["fixed_vote"]["margins"]))
        if c["per_class"]:
            yield from _classes(c, folds, drawn(), kls, fixed)
    else:
        value = c["bound"]
        if is_estimated(c) and not has_one_voter(c):
            # the class that most of 2,000 drawn votes answer; where it is wrong, at least half of them err
            value = min(2 * kl_inverse(value, math.log(1 / (delta * share / 2)) / 2000), 1.0)
        yield _between("deterministic bound", c["deterministic_bound"], value, value)


def _between(what: str, claimed: float, least: float, most: float) -> Check:
    """A figure that must not be below what the votes give, nor above what outward rounding explains."""
    down, up = 1e-11 * max(1.0, abs(least)), 1e-9 * max(1.0, abs(most))  # what this file's own rounding may do
    return Check(what, abs(claimed), abs(float(least)), bool(least - down <= claimed <= most + up))


def _risk_slack(total: float) -> float:
    """How far a risk may have been rounded up: more where scipy's functions are less precise."""
    return 1e-9 + 2e-6 * (total > 1e6) + 2e-15 * total


def _sum(kls: "Sequence[Divergence]") -> tuple[float, float]:
    """The divergence of all folds, and the most that it may have been rounded up to."""
    least = float(sum((kl for kl, _ in kls), Decimal(0)))
    return least, least + math.fsum(slack for _, slack in kls)


# -------------------------------------------------------------------------------------------- 2. The certificate's file

FORMAT = "stocmv certificate 1"
LONGEST = 1 << 28  # bytes of a certificate's file
NUMBER = (int, float)
KINDS: dict[str, Any] = {  # what each field is, and what a list holds
    **dict.fromkeys(("bound", "kl", "delta", "deterministic_bound"), NUMBER),
    **dict.fromkeys(("format", "statement", "risk", "theorem", "certified", "posterior", "deterministic_rule"), (str,)),
    **dict.fromkeys(("n", "alternatives"), (int,)),
    **dict.fromkeys(("risk_settings", "bound_settings", "fixed_vote", "context"), (dict,)),
    **{name: [str] for name in ("unproven", "assumptions", "warnings", "votes")},
    **{name: [dict] for name in ("posteriors", "priors", "per_class")},
    "moments": [int, float],
    "fold_sizes": [int],
    "covers_drawn": (bool,),
}


def read_certificate(path: str | os.PathLike) -> tuple[dict[str, Any], Check]:
    """What a certificate's file says, and whether the file is as it was written."""
    with open(path, "rb") as file:
        text = file.read(LONGEST + 1)
    try:
        return parse_certificate(text)
    except Refused as error:
        raise Refused(f"{os.fspath(path)} is not a certificate of stocmv: {error}") from error


def parse_certificate(text: bytes) -> tuple[dict[str, Any], Check]:
    """What the text says, and whether it is, byte for byte, how that is written, with the digest that fits.

    There is one way to write a certificate, in ASCII: no number, letter or space can be put differently.
    """
    if len(text) > LONGEST:
        raise Refused("it is too long.")
    try:
        content: Any = json.loads(text, object_pairs_hook=_without_repetition, parse_constant=_no_constant)
        written = json.dumps(content, indent=1).encode()
    except (ValueError, RecursionError) as error:
        raise Refused(f"{error}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise Refused(f"its format is not {FORMAT!r}.")
    digest = content.pop("sha256", None)
    unknown = sorted(KINDS.keys() ^ content.keys())
    if unknown:
        raise Refused(f"fields missing or unknown: {', '.join(map(brief, unknown[:20]))}.")
    for name, kinds in KINDS.items():
        entries = content[name] if isinstance(kinds, list) else [content[name]]
        if not isinstance(entries, list) or not all(type(entry) in kinds for entry in entries):
            raise Refused(f"{name} is not of the right kind.")
    if _is_deeper(content["context"], 6):
        raise Refused("its context is nested too deeply.")
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    is_intact = written == text and digest == hashlib.sha256(canonical.encode()).hexdigest()
    found = "as written" if is_intact else "changed since"
    return content, Check("digest of the file", "as written", found, is_intact)


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a field is there twice.")
    return content


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number.")


def _is_deeper(value: Any, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels == 0 or any(_is_deeper(part, levels - 1) for part in inner)


# --------------------------------------------------------------------------------------------------- 3. The votes' file

BLOCK = 1 << 13  # rows that are judged at a time
_NUMBERED = "(0|[1-9][0-9]{0,8})"
_NAME = re.compile(f"fold_{_NUMBERED}_(?:part_{_NUMBERED}_)?([a-z_]+)")


@dataclass(frozen=True)
class Fold:
    """What the voters of a fold said on its examples: who errs, and with more than two classes who says what."""

    n_voters: int
    bits: NDArray  # (n_voters / 8, n_rows): errors, eight voters to a byte
    counts: NDArray  # how many examples a row stands for
    classes: NDArray | None
    targets: NDArray | None  # codes of the true classes
    labels: NDArray | None  # codes of what the voters said, (n_rows, n_voters); with more than two classes
    digest: str

    @property
    def n_rows(self) -> int:
        return self.bits.shape[1]

    @property
    def n_examples(self) -> int:
        return int(self.counts.sum())

    @property
    def n_classes(self) -> int:
        return 2 if self.classes is None else max(2, len(self.classes))

    def blocks(self) -> Iterator[slice]:
        step = max(1, BLOCK * 64 // max(self.n_classes, 64))  # rows by classes are what takes the memory
        yield from (slice(start, start + step) for start in range(0, self.n_rows, step))

    def errors(self, rows: slice) -> NDArray:
        """Who errs, (n_rows, n_voters)."""
        packed = np.ascontiguousarray(self.bits[:, rows].T)
        return np.unpackbits(packed, axis=1, count=self.n_voters, bitorder="little").astype(float)

    def class_weights(self, rows: slice, weights: NDArray) -> tuple[NDArray, NDArray]:
        """Weights of the true class, and of each class but the true one."""
        labels, targets, k = self.labels[rows], self.targets[rows], self.n_classes  # type: ignore[index]
        cells = (np.arange(len(labels))[:, None] * k + labels).ravel()
        each = np.bincount(cells, np.broadcast_to(weights, labels.shape).ravel(), len(labels) * k).reshape(-1, k)
        own = each[np.arange(len(each)), targets]
        each[np.arange(len(each)), targets] = 0.0
        return own, each

    def mean(self, rows: NDArray, members: NDArray | slice = slice(None)) -> float:
        """Mean over the examples of a value for each row; 1 when there are none."""
        counts = self.counts[members]
        return math.fsum(rows[members] * counts) / float(counts.sum()) if counts.size else 1.0


def read_votes(path: str | os.PathLike) -> list[Fold]:
    """The folds of a votes file; nothing in it is run."""
    with open(path, "rb") as file:
        try:
            with zipfile.ZipFile(file) as packed:
                return _folds(_arrays(packed))
        except Exception as error:  # whatever a damaged or forged archive may raise
            reason = next(iter(str(error).strip().splitlines()), "").rstrip(" .:")[:200] or type(error).__name__
            raise Refused(f"{os.fspath(path)} is not a votes file of stocmv: {brief(reason, 200)}.") from error


def free_memory() -> int:
    """Bytes of memory that are free, or 8 GiB where the system does not say."""
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
    """At most so many bytes, a piece at a time: asked for all at once, zipfile unpacks more than the file says."""
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
    """One fold from its arrays, checked; with several parts, these one after the other."""
    for part in parts:
        _check_part(part)
        if int(part["n_voters"]) != int(parts[0]["n_voters"]) or not _same_classes(part, parts[0]):
            raise Refused("the parts of a fold have different voters or classes")
    digests = [part_digest(part) for part in parts]

    def joined(name: str, axis: int = 0) -> Any:
        return np.concatenate([part[name] for part in parts], axis) if name in parts[0] else None

    counts = [part["counts"] if part["counts"].size else np.ones(part["bits"].shape[1]) for part in parts]
    return Fold(
        n_voters=int(parts[0]["n_voters"]),
        bits=joined("bits", axis=1),
        counts=np.concatenate(counts).astype(float),
        classes=parts[0].get("classes"),
        targets=joined("targets"),
        labels=joined("labels"),
        digest=hashlib.sha256(b"stocmv partitions 1;" + ";".join(digests).encode()).hexdigest()
        if divided
        else digests[0],
    )


def part_digest(part: Mapping[str, NDArray]) -> str:
    """SHA-256 of the votes, as certificates name them: name, type, shape and content of each array."""
    hashed = hashlib.sha256(f"stocmv votes 2;n_voters={int(part['n_voters'])};".encode())
    for name in ("classes", "bits", "targets", "labels", "counts"):
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
    if set(part) != {"n_voters", "bits", "counts", *(["classes", "targets"] * named), *(["labels"] * several)}:
        raise Refused("its arrays are not those of votes")
    n_voters, bits, counts = part["n_voters"], part["bits"], part["counts"]
    if n_voters.shape or n_voters.dtype.kind not in "iu" or n_voters < 1:
        raise Refused("its number of voters is not a positive integer")
    m, rows = int(n_voters), bits.shape[-1] if bits.ndim else 0
    if bits.dtype != np.uint8 or bits.shape != (-(-m // 8), rows) or rows == 0:
        raise Refused("its errors do not fit its number of voters")
    if m % 8 and np.any(bits[-1] >> (m % 8)):
        raise Refused("its errors contradict its number of voters")
    is_whole = counts.dtype.kind in "iuf" and np.all((counts >= 1) & (counts < 2**53) & (counts == np.floor(counts)))
    if counts.shape not in ((0,), (rows,)) or not is_whole or counts.sum(dtype=float) >= 2**53:
        raise Refused("its counts are not positive integers")
    if not named:
        return
    classes, k = part["classes"], len(np.atleast_1d(part["classes"]))
    if classes.ndim != 1 or k == 0 or not np.all(classes[1:] > classes[:-1]):
        raise Refused("its classes are not sorted")
    for name, shape in (("targets", (rows,)), ("labels", (rows, m))):
        if name in part and (part[name].dtype.kind != "u" or part[name].shape != shape or part[name].max() >= k):
            raise Refused(f"its {name} are not codes of its classes")
    for start in range(0, rows if several else 0, BLOCK):
        block = slice(start, start + BLOCK)
        said = np.packbits(part["labels"][block] != part["targets"][block, None], axis=1, bitorder="little").T
        if not np.array_equal(said, bits[:, block]):
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
    "clopper_pearson": ("Clopper and Pearson's bound", ()),
    "printed_theorem2_not_proven": ("the paper's Theorem 2 as printed, which is NOT PROVEN", ("constant",)),
}
MARGINS = (0.0, 0.01, 0.02, 0.04, 0.07, 0.12, 0.2)  # of which one was chosen, with all of them paid for
LARGEST = 1e12  # a concentration up to which scipy's functions were found to be precise
MOST_DRAWS = 10**6
FIXED_VOTE = ("margin", "scale", "coverage", "empirical_risk", "kl", "margins")
CLASS = ("label", "n", "empirical_risk", "bound", "deterministic_bound", "delta")


def check_form(c: Content, folds: Sequence[Fold]) -> None:
    """Refuse parts that are not known, and parameters outside of where the theorems hold."""
    _need(c["risk"] in RISKS, f"the risk {brief(c['risk'])} is not known here")
    name = c["bound_settings"].get("name")
    _need(isinstance(name, str) and name in BOUNDS, f"the bound {brief(name)} is not known here")
    kinds, settings = RISKS[c["risk"]]
    _need(c["posterior"] in kinds, f"the risk {c['risk']!r} is not defined for the posterior {brief(c['posterior'])}")
    _need(set(c["risk_settings"]) == set(settings), f"the settings of the risk are not {settings}")
    _need(
        set(c["bound_settings"]) == {"name", *BOUNDS[name][1]}, f"the settings of the bound are not {BOUNDS[name][1]}"
    )
    _need(0 < c["delta"] < 1, "delta is not between 0 and 1")
    _need(1 <= c["alternatives"] <= 10**9, "the number of alternatives is not a positive integer")
    _need(0 <= c["bound"] <= 1 and 0 <= c["deterministic_bound"] <= 1, "a bound is not between 0 and 1")
    _need(_is_number(c["kl"]) and c["kl"] >= 0, "the divergence is negative, or too large")
    _need(len(c["moments"]) == 1 + (c["risk"] == "c_bound"), "there is not one mean for each that the risk has")
    _need(all(0 <= moment <= 1 for moment in c["moments"]), "a mean is not between 0 and 1")
    _need(len(c["posteriors"]) == len(c["priors"]) == len(folds), "there is not a posterior and a prior for each fold")
    for fold, posterior, prior in zip(folds, c["posteriors"], c["priors"], strict=True):
        _check_parameters(c["posterior"], posterior, fold.n_voters, "posterior")
        _check_parameters(c["posterior"], prior, fold.n_voters, "prior")
    _check_risk_settings(c["risk_settings"])
    _check_bound_settings(c, len(folds))
    _check_further(c)


def _need(condition: object, otherwise: str) -> None:
    if not condition:
        raise Refused(otherwise)


def _is_number(value: Any, least: float = -math.inf, most: float = math.inf) -> bool:
    """Whether it is a finite number strictly between two."""
    return type(value) in NUMBER and abs(value) < 1e300 and least < value < most


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


def _check_bound_settings(c: Content, n_folds: int) -> None:
    settings = c["bound_settings"]
    if "constant" in settings:
        _need(settings["constant"] in ("xi", "2sqrt"), "the constant of the bound is not known here")
    if "c" in settings:
        grid = settings["c"]
        flat = isinstance(grid, list) and 1 <= len(grid) <= 10**6 and all(_is_number(x, 0) for x in grid)
        _need(flat, "the constants of the bound are not a list of positive numbers")
        _need(settings["name"] == "catoni" or len(grid) == n_folds, "there is not one constant for each fold")
        sound = settings["name"] == "catoni" or all(1e-4 <= x <= 1e4 for x in grid)
        _need(sound, "a constant of a fold is out of the range in which rounding does not matter")
    if settings["name"] == "clopper_pearson":
        _need(has_one_voter(c) and n_folds == 1, "Clopper and Pearson's bound is for one voter, judged by one sample")
        _need(not is_estimated(c), "Clopper and Pearson's bound is for losses of 0 or 1")


def _check_further(c: Content) -> None:
    """The parts on the fixed vote and on the classes."""
    f = c["fixed_vote"]
    if c["posterior"] != "dirichlet":
        _need(f == {} and c["per_class"] == [], "a fixed vote and classes are for Dirichlet posteriors")
        return
    _need(tuple(f) == FIXED_VOTE and all(map(_is_number, f.values())), f"the fixed vote's figures are not {FIXED_VOTE}")
    grid = (0.0,) if has_one_voter(c) else MARGINS
    _need(f["margin"] in grid and f["margins"] == len(grid), "the margin is not one of those that are paid for")
    _need(type(f["margins"]) is int, "the number of margins is not an integer")
    _need(0 < f["coverage"] <= 1, "the coverage is not between 0 and 1")
    _need(0 <= f["empirical_risk"] <= 1 and f["kl"] >= 0, "a figure of the fixed vote is out of range")
    scaled = (f["scale"] * x for p in c["posteriors"] for x in p["alpha"])
    _need(f["scale"] > 0 and all(1 / LARGEST <= x <= LARGEST for x in scaled), "the scale is out of range")
    for entry in c["per_class"]:
        _need(tuple(entry) == CLASS, f"the figures of a class are not {CLASS}")
        figures = [entry[name] for name in CLASS[2:]]
        _need(all(_is_number(x) and 0 <= x <= 1 for x in figures), "a figure of a class is not between 0 and 1")
        _need(type(entry["n"]) is int, "the number of a class's examples is not an integer")


# --------------------------------------------------------------------------------------------------------- 5. The words

CERTIFIED = {
    "exact": "the error of a vote with drawn weights",
    "mc": "the error of a vote with drawn weights",
    "half": "the probability that the voters that err hold at least half of the weight",
    "first_order": "the error of the weighted vote, as twice the mean error of a voter",
    "second_order": "the error of the weighted vote, as four times the mean squared weight of wrong voters",
    "binomial": "the error of the weighted vote, as twice the error of a vote of drawn voters",
    "c_bound": "the error of the weighted vote, from the mean error and the disagreement of its voters",
}
RULES = {
    "categorical": "the voters vote with their probabilities as weights",
    "dirichlet": "the voters vote with their mean weights",
    "logit_normal": "the class that most of 2,000 votes answer, whose weights were drawn once",
}


def has_one_voter(c: Content) -> bool:
    return all(len(next(iter(parameters.values()))) == 1 for parameters in c["posteriors"])


def is_estimated(c: Content) -> bool:
    """Whether the risk is a mean over drawn votes."""
    return c["risk"] == "mc" and c["posterior"] == "logit_normal"


def _words(c: Content, statement: str) -> Iterator[Check]:
    """What the certificate says in words must be what its figures say."""
    alone, n_folds = has_one_voter(c), len(c["posteriors"])
    crossed = f", cross-bounded over {n_folds} folds" if n_folds > 1 else ""
    fold = "a fold is drawn in proportion to its size, then " if n_folds > 1 else ""
    lone = "the error of the only voter" if n_folds == 1 else "the error of the voter of a drawn fold"
    for what, field, said in (
        ("theorem", "theorem", f"{BOUNDS[c['bound_settings']['name']][0]}{crossed}, for the risk {c['risk']!r}"),
        ("what is certified", "certified", lone if alone else CERTIFIED[c["risk"]]),
        ("covers drawn votes", "covers_drawn", alone or c["posterior"] != "categorical" or c["risk"] == "first_order"),
        ("fixed vote", "deterministic_rule", fold + ("its voter answers" if alone else RULES[c["posterior"]])),
        ("statement", "statement", statement),
    ):
        yield Check(what, c[field], said, c[field] == said)
    needed = assumed(c)
    stated = c["assumptions"][: len(needed)]
    yield Check("assumptions", f"{len(stated)} stated", f"{len(needed)} needed", stated == needed)
    doubtful = ["the bound 'printed_theorem2_not_proven'"] * (
        c["bound_settings"]["name"] == "printed_theorem2_not_proven"
    )
    named = [part for part in c["unproven"] if part != "the voters"]
    yield Check("parts that are not proven", named, doubtful, named == doubtful)
    yield Check("proven", "yes" if not c["unproven"] else f"but for {c['unproven']}", "yes", not c["unproven"])


def assumed(c: Content) -> list[str]:
    """The assumptions that follow from the figures."""
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
    ]


def statement_of(c: Content) -> str:
    """The certificate in one sentence; the bound is rounded up in it, and the confidence down."""
    bound = f"{math.ceil(round(c['bound'] * 1e4, 7)) / 100:.2f} %"
    confidence = f"{min(math.floor(round((1 - c['delta']) * 1e6, 7)), 999_999) / 1e4:g} %"
    if c["unproven"]:
        return (
            f"Not a certificate: {bound} was computed with what is not proven ({', '.join(c['unproven'])}). The error "
            "may exceed it more often than delta allows."
        )
    return (
        f"With probability at least {confidence} over the draw of the {c['n']:,} examples, {c['certified']} is at most "
        f"{bound} on new examples."
    )


# -------------------------------------------------------------------------------- 6. The errors of the vote, row by row


def row_losses(fold: Fold, alpha: Sequence[float] | NDArray, margin: float = 0.0) -> NDArray:
    """Probability that the vote with Dirichlet weights errs, or is right by less than the margin."""
    weights = np.asarray(alpha, float)
    losses = []
    for rows in fold.blocks():
        if fold.labels is None:
            errors = fold.errors(rows)
            losses.append(_half(errors @ weights, (1 - errors) @ weights, margin))
        else:
            own, rivals = fold.class_weights(rows, weights)
            losses.append(_beaten(own, rivals, (1 - 2 * margin) / (1 + 2 * margin)))
    return np.concatenate(losses)


def _half(wrong: NDArray, right: NDArray, margin: float) -> NDArray:
    """Probability that a Beta(wrong, right) variable exceeds one half minus the margin."""
    inside = special.betaincc(np.where(wrong > 0, wrong, 1.0), np.where(right > 0, right, 1.0), 0.5 - margin)
    return np.where(wrong > 0, np.where(right > 0, inside, 1.0), 0.0)


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

    Where the density of a small shape goes on below the first node, the integrand is a power of ``t`` there, so that
    its sum is a geometric series.
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
    """``a log a - a - log Gamma(a)``, by Stirling's series where its terms would cancel."""
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
    """Where the draws begin: a hash of the posterior, so that none can be made to fit its draws."""
    hashed = hashlib.sha256(b"stocmv draws for a certificate;")
    for name in ("location", "scale"):
        hashed.update(np.asarray(parameters[name], "<f8").tobytes())
    return np.frombuffer(hashed.digest(), "<u4").tolist()


def _drawn_error(n_draws: int, parameters: dict[str, Any], fold: Fold) -> float:
    """Mean error of the certificate's drawn votes, drawn again from their seed; a tie counts as an error."""
    rng = np.random.default_rng(_draws_seed(parameters))
    location, scale = np.array(parameters["location"]), np.array(parameters["scale"])
    errors = np.zeros(fold.n_rows)
    for start in range(0, n_draws, 500):
        noise = rng.standard_normal((min(500, n_draws - start), fold.n_voters))
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


# ---------------------------------------------------------------------------------------- 7. Divergences from the prior


def divergence(kind: str, posterior: dict[str, Any], prior: dict[str, Any]) -> Divergence:
    """KL of the posterior from the prior, and how far it may have been rounded up."""
    if kind == "dirichlet":
        value, size = _dirichlet_kl(tuple(posterior["alpha"]), tuple(prior["alpha"]))
    elif kind == "categorical":
        terms = special.rel_entr(posterior["theta"], prior["theta"])
        value, size = Decimal(max(math.fsum(terms), 0.0)), math.fsum(abs(terms)) + 1
    else:
        m, s, m0, s0 = (np.array(d[k]) for d in (posterior, prior) for k in ("location", "scale"))
        terms = np.log(s0 / s) + ((s / s0) ** 2 - 1) / 2 + ((m - m0) / s0) ** 2 / 2
        _need(np.all(np.isfinite(terms)), "the divergence is not finite")
        value, size = Decimal(max(math.fsum(terms), 0.0)), math.fsum(abs(terms)) + len(m)
    return value, 1e-9 * max(1.0, float(value)) + 1e-13 * size


def _dirichlet_kl(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[Decimal, float]:
    """With 50 digits: the terms may be ten orders of magnitude larger than what is left of them."""
    with decimal.localcontext(prec=50):
        total, prior_total = sum(map(Decimal, a)), sum(map(Decimal, b))
        (at_total, slope), (at_prior, _) = _log_gamma(total), _log_gamma(prior_total)
        value, size = at_total - at_prior, abs(at_total) + abs(at_prior)
        for x, y in zip(a, b, strict=True):
            (at_x, slope_x), (at_y, _) = _log_gamma(Decimal(x)), _log_gamma(Decimal(y))
            moved = (Decimal(x) - Decimal(y)) * (slope_x - slope)
            value += at_y - at_x + moved
            size += abs(at_x) + abs(at_y) + abs(moved)
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


# ----------------------------------------------------------------------------------------------- 8. Bounds on the error


def composed(c: Content, measured: Sequence[float], kl: float, upper: Callable[..., float]) -> float:
    """The bound on the vote's error that a risk stands for."""
    if c["risk"] == "c_bound":
        error, agreement = upper(measured[0], kl, 0.5), upper(1 - measured[1], 2 * kl, 0.5)
        return 1 - (1 - 2 * error) ** 2 / (2 * agreement - 1) if error < 0.5 else 1.0
    if c["risk"] == "first_order":
        return 2 * upper(measured[0], kl, 1.0)
    if c["risk"] == "second_order":
        return 4 * upper(measured[0], kl * (2 if c["posterior"] == "categorical" else 1), 1.0)
    if c["risk"] == "binomial":
        return 2 * upper(measured[0], c["risk_settings"]["n_draws"] * kl, 1.0)
    return upper(measured[0], kl, 1.0)


def risk_weights(settings: dict[str, Any], sizes: Sequence[int]) -> NDArray:
    """Weights of the folds' empirical risks: by size, and by the constant where each fold has its own."""
    weights = np.array(sizes) * np.array(settings["c"] if settings["name"] == "catoni_per_fold" else [1.0] * len(sizes))
    return weights / math.fsum(weights)


def upper_bound(settings: dict[str, Any], sizes: Sequence[int], risk: float, kl: float, delta: float) -> float:
    """The bound for an empirical risk, a divergence and the sizes of the folds; it may exceed 1."""
    n, name = sum(sizes), settings["name"]
    confidence = len(sizes) * math.log(1 / delta)
    if name == "catoni":
        grid = np.array(settings["c"])
        exponent = grid * risk + (kl + confidence + len(sizes) * math.log(len(grid))) / n
        return float(np.min(np.expm1(-exponent) / np.expm1(-grid)))
    if name == "catoni_per_fold":
        return _catoni_per_fold(np.array(settings["c"]), np.array(sizes) / n, risk, (kl + confidence) / n)
    if name == "clopper_pearson":
        return clopper_pearson(round(risk * n), n, delta) if kl < 1e-9 else 1.0
    if name == "mcallester":
        return risk + math.sqrt((kl + _constants("2sqrt", sizes) + confidence) / (2 * n))
    if name == "printed_theorem2_not_proven":
        return kl_inverse(risk, (kl + _constants(settings["constant"], sizes) + math.log(1 / delta)) / n)
    return kl_inverse(risk, (kl + _constants(settings["constant"], sizes) + confidence) / n)


def _catoni_per_fold(constants: NDArray, shares: NDArray, risk: float, price: float) -> float:
    """The largest ``sum p_k r_k`` with ``-sum p_k log(1 - a_k r_k)`` within the budget; the best r_k have one slope."""
    a = -np.expm1(-constants)
    budget = float(shares @ constants) * risk + price
    low, high = 0.0, float(1 / a.min())  # nothing is left to spend at low, nothing is spent at high
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


def clopper_pearson(errors: int, n: int, delta: float) -> float:
    """The error at which so few errors still have probability delta, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(100 if errors < n else 0):
        middle = (low + high) / 2
        low, high = (middle, high) if special.betaincc(errors + 1, n - errors, middle) >= delta else (low, middle)
    return high


# ----------------------------------------------------------------------------------- 9. The fixed vote, and the classes

LISTED, LISTED_CLASSES = 20, 10  # voters of which all coalitions are listed, with two classes and with more


class Fixed(NamedTuple):
    """What the bound on the vote with mean weights rests on, found again."""

    rows: list[NDArray]  # probability that a drawn vote errs, or is right by less than the margin
    kls: list[Divergence]
    coverage: float  # least probability of that where the mean vote errs
    slack: float  # how far the risk may have been rounded up


def _fixed(c: Content, folds: Sequence[Fold]) -> Fixed:
    """Concentrations may be multiplied by a number: the mean weights stay as they are."""
    margin = c["fixed_vote"]["margin"]
    scaled = [c["fixed_vote"]["scale"] * np.array(p["alpha"]) for p in c["posteriors"]]
    priors = [q["alpha"] for q in c["priors"]]
    return Fixed(
        rows=[row_losses(fold, alpha, margin) for fold, alpha in zip(folds, scaled, strict=True)],
        kls=[divergence("dirichlet", {"alpha": a}, {"alpha": b}) for a, b in zip(scaled, priors, strict=True)],
        coverage=min(coverage(alpha, fold.n_classes, margin) for fold, alpha in zip(folds, scaled, strict=True)),
        slack=_risk_slack(max(map(math.fsum, scaled))),
    )


def _fixed_vote(c: Content, folds: Sequence[Fold], fixed: Fixed, upper: Callable[..., float]) -> Iterator[Check]:
    """The bound on the vote with mean weights: where it errs, so does a drawn vote, or nearly, if not always."""
    f = c["fixed_vote"]
    weights = risk_weights(c["bound_settings"], c["fold_sizes"])
    risk = float(weights @ [fold.mean(rows) for fold, rows in zip(folds, fixed.rows, strict=True)])
    yield _between("margin coverage", -f["coverage"], -fixed.coverage, -fixed.coverage * (1 - 1e-6))
    yield _between("margin risk", f["empirical_risk"], risk, risk + fixed.slack)
    yield _between("divergence at the margin's scale", f["kl"], *_sum(fixed.kls))
    figures = ((risk, _sum(fixed.kls)[0], fixed.coverage), (f["empirical_risk"], f["kl"], f["coverage"]))
    least, most = (min(upper(r, kl) / covered, 1.0) for r, kl, covered in figures)
    if has_one_voter(c):  # it has one vote, and one figure
        least = most = c["bound"]
    yield _between("deterministic bound", c["deterministic_bound"], least, most)


def coverage(weights: NDArray, n_classes: int, margin: float) -> float:
    """Least probability of an error, or of less than the margin, over the contests that the mean vote may lose."""
    s = math.fsum(weights)
    if n_classes == 2:
        wrong = _lightest_majority(weights, s)
        contests = [(s - wrong, wrong)]
    elif len(weights) > LISTED_CLASSES:
        contests = [(s / n_classes, s / n_classes)]
    else:
        contests = _lost_contests(weights, n_classes, s)
    right, wrongs = np.array([(r, w) for r, w in contests if r > 0]).reshape(-1, 2).T
    return float(special.betainc(right, wrongs, 0.5 + margin).min(initial=1.0))


def _lightest_majority(weights: NDArray, s: float) -> float:
    """The least weight that may win: sums of the heaviest voters, to which the others may add anything they have."""
    ordered = sorted(weights, reverse=True)
    sums, rest = np.zeros(1), math.fsum(ordered[LISTED:])
    for weight in ordered[:LISTED]:
        sums = np.append(sums, sums + weight)
    return float(np.maximum(sums, s / 2)[sums + rest >= s / 2 * (1 - 1e-12)].min())


def _lost_contests(weights: NDArray, n_classes: int, s: float) -> list[tuple[float, float]]:
    """Weights of the true class and of a wrong one that is not lighter, nor lighter than the others on average."""
    answers = np.indices((3,) * len(weights)).reshape(len(weights), -1)  # the true class, a wrong one, or another
    right, wrong = weights @ (answers == 0), weights @ (answers == 1)
    lost = (wrong >= right - 1e-12 * s) & (wrong * (n_classes - 2) >= s - right - wrong - 1e-12 * s)
    return list(zip(right[lost].tolist(), wrong[lost].tolist(), strict=True))


def _classes(
    c: Content, folds: Sequence[Fold], drawn: list[NDArray], kls: Sequence[Divergence], fixed: Fixed
) -> Iterator[Check]:
    """The bounds given each true class, which share delta."""
    known = [fold.classes.tolist() for fold in folds if fold.classes is not None]
    labels = sorted(set(itertools.chain(*known))) if len(known) == len(folds) else []
    named = [entry["label"] for entry in c["per_class"]]
    same = json.dumps(named) == json.dumps(labels)
    yield Check("classes", named, labels, same)
    for entry in c["per_class"] if same else ():
        yield from _one_class(c, entry, folds, drawn, kls, fixed, c["delta"] / c["alternatives"] / len(labels))


def _one_class(
    c: Content,
    entry: dict[str, Any],
    folds: Sequence[Fold],
    drawn: list[NDArray],
    kls: Sequence[Divergence],
    fixed: Fixed,
    delta: float,
) -> Iterator[Check]:
    name, f = f"class {entry['label']!a}", c["fixed_vote"]
    members = [(np.asarray(fold.classes) == entry["label"])[fold.targets] for fold in folds]
    counts = [int(fold.counts[m].sum()) for fold, m in zip(folds, members, strict=True)]
    shares = np.array(c["fold_sizes"]) / c["n"]

    def mean(rows: list[NDArray]) -> float:
        return float(shares @ [fold.mean(r, m) for fold, r, m in zip(folds, rows, members, strict=True)])

    upper = functools.partial(_class_upper, c["bound_settings"]["name"], counts, shares)
    risk, near = mean(drawn), mean(fixed.rows)
    yield Check(f"{name} examples", entry["n"], sum(counts), entry["n"] == sum(counts))
    yield Check(f"{name} delta", entry["delta"], delta, entry["delta"] == delta)
    yield _between(f"{name} empirical risk", entry["empirical_risk"], risk, risk + fixed.slack)
    least, most = upper(risk, kls, delta, 0), upper(entry["empirical_risk"], kls, delta, 1)
    yield _between(f"{name} bound", entry["bound"], least, most)
    least = upper(near, fixed.kls, delta / f["margins"], 0) / fixed.coverage
    most = upper(min(near + fixed.slack, 1.0), fixed.kls, delta / f["margins"], 1) / f["coverage"]
    yield _between(f"{name} deterministic bound", entry["deterministic_bound"], min(least, 1.0), min(most, 1.0))


def _class_upper(
    bound: str,
    counts: Sequence[int],
    shares: NDArray,
    risk: float,
    kls: Sequence[Divergence],
    delta: float,
    rounded: int,
) -> float:
    """Seeger's bound over folds that are drawn by their shares; for one voter, its errors counted."""
    if not all(counts):
        return 1.0
    if bound == "clopper_pearson":
        return clopper_pearson(round(risk * counts[0]), counts[0], delta)
    folds = zip(kls, counts, shares, strict=True)
    prices = ((float(kl) + rounded * slack + log_xi(n) + math.log(1 / delta)) * p / n for (kl, slack), n, p in folds)
    return kl_inverse(risk, math.fsum(prices))


# -------------------------------------------------------------------------------------------------- 10. What is printed


def brief(value: object, most: int = 100) -> str:
    """A value in ASCII, cut where it is too long: nothing in a file can paint on a terminal."""
    text = value if isinstance(value, str) and value.isascii() and value.isprintable() else ascii(value)
    return text if len(text) <= most else text[: most - 3] + "..."


def _items(texts: Sequence[str]) -> list[str]:
    """A list, each line of it indented: nothing that it says can be taken for a verdict."""
    return [line for text in texts for line in textwrap.wrap(text, 76, initial_indent="- ", subsequent_indent="  ")]


def _unchecked(c: Content, needed: Sequence[str]) -> Iterator[str]:
    """What is free, in ASCII."""
    further = [text for text in c["assumptions"] if text not in needed]
    yield from (f"assumption: {brief(ascii(text), 400)}" for text in further)
    yield from (f"warning: {brief(ascii(text), 400)}" for text in c["warnings"])
    yield from (f"context: {brief(ascii(key))}: {brief(ascii(value), 200)}" for key, value in c["context"].items())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
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
