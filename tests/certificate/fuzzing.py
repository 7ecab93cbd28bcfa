"""Forgers who know the verifier: several changes at once, what depends on them computed anew, and the seal renewed.

Run at length with

    python -m certificate.fuzzing --forged 25000 --honest 1500 [--seed 0] [--kind NAME]

from `tests/`. It prints how many certificates of each kind were changed, how many of these held, and every one that
held although it says more than its evidence.

A certificate says more than its evidence if it has a figure that is better than the one that the package issues for the
same evidence and the same free choices (weights, priors, delta, constants), or another word.
"""

import argparse
import contextlib
import copy
import functools
import itertools
import json
import math
import sys
from collections import Counter
from dataclasses import fields
from typing import Any
from unittest.mock import patch

import numpy as np

from certificate.forging import (
    at,
    changed,
    changes_of,
    content_of,
    issued,
    places,
    posteriors_of,
    recomputed,
    restated,
    sealed,
)
from stocmv import Certificate, VoteMatrix, certify, verify
from stocmv.bounds import BOUNDS, Catoni, CatoniPerFold, _one_sample
from stocmv.certificate import Claim, Costs, Expected, Judgments, _partition, certify_tested
from stocmv.posteriors import POSTERIORS
from stocmv.risks import RISKS, Binomial, MonteCarlo
from stocmv.selective import NotCertified, SelectiveCertificate, _tally, certify_selective
from stocmv.selective._certificate import selective_assumptions, selective_theorem
from stocmv.selective._procedure import NEVER, STARTS, THRESHOLDS, Found, fold_tests, mixed_bound
from stocmv.selective._tally import tally
from stocmv.votes import _matrix
from zoo import PAIRS

EACH = 8  # forgeries of one honest certificate
Content = dict[str, Any]
Evidence = list[dict[str, Any]]  # the arrays of each fold

# ------------------------------------------------------------------------------------------------ honest certificates


def evidence_of(rng, *, n_folds=1, n_classes=None, silent=False, grouped=False, errors=False, most=60, right=None):
    """Votes of a few voters, of any strength, on a few rows of each fold."""
    k = int(rng.integers(2, 5)) if n_classes is None else n_classes
    labels = [np.arange(k), np.array([f"class {c}" for c in range(k)]), 2 * np.arange(k) - 1][rng.integers(3)]
    n_voters = int(rng.choice([1, 2, 3, 5, 8, 13]))
    found = []
    for fold in range(n_folds):
        n, m = int(rng.integers(most // 4, most)), n_voters if rng.random() < 0.8 else int(rng.integers(1, 6))
        y = rng.integers(0, k, n)
        strength = rng.random(m) if right is None else np.full(m, right)
        codes = np.where(rng.random((n, m)) < strength, y[:, None], rng.integers(0, k, (n, m)))
        if silent:
            codes[rng.random((n, m)) < rng.random()] = -1
            codes[0, 0] = -1
        groups = (rng.integers(0, n // 2 + 1, n) + 1000 * fold).astype(np.uint64) if grouped else None
        votes = VoteMatrix.from_codes(codes, y, labels, groups)
        if errors:
            votes = VoteMatrix.from_errors(codes != y[:, None])
        elif not grouped and not silent and rng.random() < 0.3:
            votes = VoteMatrix.from_labels(labels[codes], labels[y], labels, merge=True)
        found.append(votes)
    return found


def distribution(rng, kind, n_voters):
    """Equal weights, small whole ones or nearly so, any, or of all sizes."""
    sizes = [
        np.ones(n_voters),
        rng.integers(1, 4, n_voters) / 1.0,
        rng.integers(1, 4, n_voters) + 10 ** rng.uniform(-14, -8) * rng.integers(-1, 2, n_voters),
        rng.random(n_voters) + 1e-3,
        10 ** rng.uniform(-5, 2, n_voters),
    ][rng.integers(5)]
    if kind == "logit_normal":
        return POSTERIORS[kind](rng.normal(size=n_voters), sizes.clip(0.1, 3))
    return POSTERIORS[kind](sizes * (10 ** rng.uniform(-3, 3) if kind == "dirichlet" else 1))


def costs(rng, labels):
    """Of few or many different values, with an offset or none; perhaps also of a class that does not occur."""
    labels = labels + [max(labels) + ("z" if isinstance(labels[0], str) else 5)] * (rng.random() < 0.3)
    k = len(labels)
    matrix = rng.integers(0, 3, (k, k)) / 1.0 if rng.random() < 0.5 else rng.random((k, k)) * 10 ** rng.uniform(-3, 4)
    np.fill_diagonal(matrix, 0.0)
    matrix[0, 1] += matrix.max() == 0
    return Costs(labels, matrix + rng.choice([0.0, 0.0, 1.0, -7.25, 1e6]))


def deltas(rng):
    return float(rng.choice([0.3, 0.05, 0.01, 1e-6]))


def tested(rng, n_folds, **settings):
    votes = evidence_of(rng, n_folds=n_folds, **settings)
    kind = "dirichlet" if settings.get("silent") else str(rng.choice(["dirichlet", "categorical"]))
    k = votes[0].n_classes
    guesses = [Expected(rng.random(k or 1) * 5, rng.random(k or 1) * 20 + 5) for _ in votes]
    extras = {
        "per_class": bool(k and rng.random() < 0.6),
        "cost": costs(rng, votes[0].classes.tolist()) if k and rng.random() < 0.5 else None,
    }
    posteriors = [distribution(rng, kind, v.n_voters) for v in votes]
    return certify_tested(votes, posteriors, deltas(rng), guesses, **extras), votes


def paid(rng, n_folds, risk, kind, **settings):
    votes = evidence_of(rng, n_folds=n_folds, **settings)
    given = {
        "mc": MonteCarlo(certificate_draws=int(rng.integers(1, 80))),
        "binomial": Binomial(int(rng.integers(1, 9))),
    }
    bounds = [
        *BOUNDS.values(),
        Catoni(10 ** rng.uniform(-2, 1)),
        CatoniPerFold(tuple(10 ** rng.uniform(-2, 1, n_folds))),
    ]
    posteriors = [distribution(rng, kind, v.n_voters) for v in votes]
    priors = [
        distribution(rng, kind, v.n_voters) if rng.random() < 0.5 else p for p, v in zip(posteriors, votes, strict=True)
    ]
    per_class = kind == "dirichlet" and votes[0].classes is not None and bool(rng.random() < 0.5)
    extras = {"per_class": per_class, "alternatives": int(rng.integers(1, 4))}
    bound = bounds[rng.integers(len(bounds))]
    return certify(votes, posteriors, priors, given.get(risk, RISKS[risk]), bound, deltas(rng), **extras), votes


def blocs(rng, n_folds):
    """Voters that answer alike, with one that speaks for each bloc or without."""
    votes, posteriors, priors, speak = [], [], [], bool(rng.random() < 0.5)
    for fold in evidence_of(rng, n_folds=n_folds, n_classes=int(rng.integers(2, 4)), most=30):
        copies = np.concatenate([np.arange(fold.n_voters), rng.integers(0, fold.n_voters, int(rng.integers(1, 9)))])
        answers, targets = fold.answers()[:, copies], fold.targets
        votes.append(VoteMatrix.from_codes(answers, targets, fold.classes))
        prior = distribution(rng, "dirichlet", len(copies))
        merged = distribution(rng, "dirichlet", fold.n_voters)
        posterior = merged.spread(copies, prior, rng)
        posteriors.append(posterior if speak else posterior.without_speakers())
        priors.append(prior)
    bounds = [*BOUNDS.values(), Catoni(10 ** rng.uniform(-2, 1))]
    extras = {"per_class": bool(rng.random() < 0.5), "alternatives": int(rng.integers(1, 4))}
    risk = RISKS[str(rng.choice(["exact", "half", "first_order", "second_order"]))]
    return certify(votes, posteriors, priors, risk, bounds[rng.integers(len(bounds))], deltas(rng), **extras), votes


def selective(rng, n_folds, **settings):
    """Of a vote that is good enough for some threshold; often with weights whose sums lie at one."""
    while True:
        votes = evidence_of(rng, n_folds=n_folds, most=250, right=rng.uniform(0.6, 0.95), **settings)
        kind = "dirichlet" if settings.get("silent") else str(rng.choice(["dirichlet", "categorical"]))
        k = votes[0].n_classes
        posteriors = [distribution(rng, kind, v.n_voters) for v in votes]
        certificate = certify_tested(votes, posteriors, 0.05, [Expected(np.ones(k), np.full(k, 20.0))] * n_folds)
        target = {"max_error": None, "min_coverage": None, "delta": float(rng.choice([0.3, 0.05]))}
        target[str(rng.choice(["max_error", "min_coverage"]))] = float(rng.uniform(0.05, 0.7))
        try:
            return certify_selective(votes, posteriors, certificate, **target), votes
        except NotCertified:
            pass


def some(rng):
    return int(rng.integers(2, 4))


MAKERS = {
    "hold-out": lambda rng: tested(rng, 1),
    "hold-out, groups": lambda rng: tested(rng, 1, grouped=True),
    "hold-out, abstaining": lambda rng: tested(rng, 1, silent=True, grouped=bool(rng.random() < 0.3)),
    "folds": lambda rng: tested(rng, some(rng), most=45),
    "folds, groups": lambda rng: tested(rng, some(rng), most=45, grouped=True),
    "folds, abstaining": lambda rng: tested(rng, some(rng), most=45, silent=True),
    "PAC-Bayes, blocs": lambda rng: blocs(rng, int(rng.integers(1, 3))),
    "PAC-Bayes, abstaining": lambda rng: paid(rng, int(rng.integers(1, 3)), "exact", "dirichlet", silent=True, most=30),
    **{
        f"PAC-Bayes, {how}, {risk} of {kind}": functools.partial(
            lambda rng, n, risk, kind: paid(rng, n or some(rng), risk, kind, errors=bool(rng.random() < 0.1), most=30),
            n=n,
            risk=risk,
            kind=kind,
        )
        for risk, kind in PAIRS
        for how, n in (("one sample", 1), ("folds", 0))
    },
    "selective, hold-out": lambda rng: selective(rng, 1),
    "selective, folds": lambda rng: selective(rng, some(rng)),
    "selective, groups": lambda rng: selective(rng, int(rng.integers(1, 3)), grouped=True),
    "selective, abstaining": lambda rng: selective(rng, 1, silent=True),
}


@functools.lru_cache(1)
def honest(kind: str, *seed: int):
    """A certificate of this kind, and its votes."""
    return MAKERS[kind](np.random.default_rng([list(MAKERS).index(kind), *seed]))


def refusals(kind: str, *seed: int) -> str:
    """Why the verifier refuses an honest certificate; empty if it does not."""
    certificate, votes = honest(kind, *seed)
    answer = certificate.verify(votes)
    return "" if answer else "\n".join(map(str, answer.differences))


# --------------------------------------------------------------------------------------------- what is more than proven

HIGHER, LOWER = 1, -1  # figures that must not be below, or above, those that are issued
ROUNDING, COARSER = 2e-8, 1e-4  # how far the package may round a figure up; and where concentrations exceed a million
FREE = ("context", "warnings", "assumptions", "statement")


def excess(content: Content, arrays: Evidence) -> str:
    """What a certificate says beyond what the package issues for this evidence; empty if nothing."""
    try:
        votes = [VoteMatrix._from_arrays(dict(part)) for part in arrays]
        least = [(_matrix, "doubt", _rounding), (_tally, "_DOUBT", _rounding(10)), (_one_sample, "_ROUNDING", 0.0)]
        least.append((_partition, "_TIE", verify.NEARLY[0]))
        with contextlib.ExitStack() as stack:  # the least that rounding asks for: the package is more careful
            for place in least:
                stack.enter_context(patch.object(*place))
            theirs = issued_selective(content, votes) if "thresholds" in content else issued(content, votes)
    except (ValueError, TypeError, KeyError, ArithmeticError, AttributeError, IndexError) as error:
        return f"the package issues nothing for this evidence: {type(error).__name__}: {error}"
    if content["assumptions"][: len(theirs["assumptions"])] != theirs["assumptions"]:
        return "assumptions"
    if content["statement"] != statement(content):
        return f"statement: {content['statement']!r}, not {statement(content)!r}"
    ours, theirs = (dict(leaves({k: v for k, v in c.items() if k not in FREE})) for c in (content, theirs))
    if ours.keys() != theirs.keys():
        return f"fields: {sorted(map(str, ours.keys() ^ theirs.keys()))[:3]}"
    span = float(np.ptp(content["cost"]["matrix"])) if content.get("cost") else 1.0
    scale = content.get("deterministic_vote", {}).get("scale", 1.0)
    total = max(scale * sum(p.get("alpha", [0.0])) for p in content["posteriors"])
    room = COARSER if total > 1e6 else ROUNDING
    better = (path for path in theirs if is_better(path, ours[path], theirs[path], room, span))
    return next((f"{path}: {ours[path]!r}, issued {theirs[path]!r}" for path in better), "")


def statement(content: Content) -> str:
    """How the package puts these figures into words."""
    kind = SelectiveCertificate if "thresholds" in content else Certificate
    values = {field.name: content[field.name] for field in fields(kind)}
    if "claims" in values:
        values["claims"] = [Claim(**claim) for claim in values["claims"]]
    return kind(**values).statement()


def _rounding(n_voters: int) -> float:
    """The least that the verifier must count against a claim."""
    return 5e-14 + 2.0**-52 * n_voters


def leaves(value: Any, path: tuple = ()):
    """Whatever is no list and no dict, with the way to it; empty ones too."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not inner:
        yield path, value
    for key, each in inner:
        yield from leaves(each, (*path, key))


def is_better(path: tuple, ours: Any, theirs: Any, room: float, span: float) -> bool:
    """Whether a figure is better than the one that is issued, or anything else is different."""
    if type(ours) not in (int, float) or type(theirs) not in (int, float):
        return ours != theirs or type(ours) is not type(theirs)
    side, size = side_of(path), span if path[0] == "cost" else max(1.0, abs(theirs))
    room = COARSER if path[-2:] == ("baseline", "bound") else room
    return bool((side * (ours - theirs) if side else -abs(ours - theirs)) < -room * size - 2 * math.ulp(theirs))


def side_of(path: tuple) -> int:
    first, last = path[0], path[-1]
    if first == "moments":  # a risk, and a disagreement
        return LOWER if last else HIGHER
    if first in ("posteriors", "priors", "claims", "target") or "baseline" in path or "bound_settings" in path:
        return 0
    shares = ("precisions", "recalls")
    if last in ("coverage", "empirical_coverage") or (first in shares and last in ("measured", "bound")):
        return LOWER
    risks = ("bound", "stochastic_bound", "kl", "empirical_risk", "stochastic_risk", "empirical_error", "measured")
    return HIGHER if last in risks else 0


def issued_selective(c: Content, votes) -> Content:
    """What the package issues for these votes and thresholds, if its tests reach them."""
    judged = Judgments.of(votes, posteriors_of(c)).folds()
    folds = fold_tests([tally(fold, THRESHOLDS) for fold in judged], c["delta"])
    by_error, shares, found = "max_error" in c["target"], np.array(c["fold_shares"]), []
    for fold, threshold in zip(folds, c["thresholds"], strict=True):
        place = -1 if threshold == NEVER else THRESHOLDS.index(threshold)
        if not by_error:
            found.append(fold.tried(threshold))
        elif place < 0:
            found.append(Found(NEVER, c["target"]["max_error"], 0.0))
        else:
            tried = [(THRESHOLDS.index(start), share, c["target"]["max_error"]) for start, share in STARTS.items()]
            starts = ((THRESHOLDS[first], *rest) for first, *rest in tried if first <= place)
            if not any(fold._last_passed(*start) >= place for start in starts):
                raise ValueError("the tests do not reach this threshold")
            found.append(Found(threshold, c["target"]["max_error"], fold.coverage(place, len(THRESHOLDS))))
    errors, answered, covered = (
        shares
        @ [
            0.0 if t == NEVER else fold.tally.means(name)[THRESHOLDS.index(t)]
            for fold, t in zip(folds, c["thresholds"], strict=True)
        ]
        for name in ("errors", "answered", "covered")
    )
    coverage = float(shares @ [each.coverage for each in found])
    if not by_error and coverage < c["target"]["min_coverage"] - ROUNDING:
        raise ValueError("less coverage than was asked for")
    sizes, grouped = [fold.tally.n for fold in folds], votes[0].grouped
    certificate = SelectiveCertificate(
        **{name: c[name] for name in ("thresholds", "target", "delta", "fold_shares", "posterior", "posteriors")},
        bound=c["target"]["max_error"] if by_error else mixed_bound(found, shares),
        coverage=coverage,
        empirical_error=min(errors / answered, 1.0) if answered else 0.0,
        empirical_coverage=min(covered, 1.0),
        n=sum(sizes),
        theorem=selective_theorem(len(votes), grouped, not by_error),
        assumptions=selective_assumptions(len(votes), grouped),
        warnings=[],
        unproven=[],
        fold_sizes=sizes,
        grouped=grouped,
        vote_digests=[v.digest() for v in votes],
        context={},
    )
    return content_of(certificate)


# ------------------------------------------------------------------------------------------------------ what forgers do


def number(rng, value):
    """A number near another, a little or a lot better, or far off."""
    step = 10 ** rng.uniform(-13, -0.5)
    ways = [value * (1 - step), value - step, value + step, value / 2, value * (1 + step), -value, 0.0, 1.0, -0.0]
    return float(ways[rng.choice(len(ways), p=[0.3, 0.2, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05])])


FIGURES = ("bound", "stochastic_bound", "kl", "coverage", "empirical_error", "empirical_coverage", "delta")


def figure(rng, c, arrays):
    """One or more figures, each a little better."""
    for name in FIGURES:
        if name in c and rng.random() < 0.4:
            c[name] = number(rng, c[name])
    for part in ("deterministic_vote", "baseline", "cost"):
        for name, value in c.get(part, {}).items():
            if type(value) is float and rng.random() < 0.2:
                c[part][name] = number(rng, value)


def figures_of_classes(rng, c, arrays):
    baseline = c.get("cost", {}).get("baseline", {})
    for entry in [*c.get("per_class", []), *c.get("precisions", []), *c.get("recalls", []), baseline]:
        for name, value in entry.items():
            if type(value) is float and rng.random() < 0.3:
                entry[name] = (
                    number(rng, value) if rng.random() < 0.5 else min(value * (1 + 10 ** rng.uniform(-9, -1)), 1.0)
                )


def counts_between_classes(rng, c, arrays):
    entries = c.get(str(rng.choice(["per_class", "precisions", "recalls"])), [])
    if len(entries) > 1:
        first, second = rng.choice(len(entries), 2, replace=False)
        moved = int(rng.integers(1, 4))
        entries[first]["n"] += moved
        entries[second]["n"] -= moved


def names_of_classes(rng, c, arrays):
    """Exchanged, renamed, repeated, left out, or more of them."""
    entries = c.get(str(rng.choice(["per_class", "precisions", "recalls"])))
    if not entries:
        return
    way, k = rng.integers(5), int(rng.integers(len(entries)))
    if way == 0:
        entries.reverse()
    elif way == 1:
        entries[k]["label"], entries[-1]["label"] = entries[-1]["label"], entries[k]["label"]
    elif way == 2:
        entries[k]["label"] = {0: 0.0, 1: True}.get(entries[k]["label"], "other")
    elif way == 3:
        entries.pop(k)
    else:
        entries.append(copy.deepcopy(entries[k]))


def budget(rng, c, arrays):
    """Delta, and how it is shared."""
    way = rng.integers(6)
    if way == 0:
        c["delta"] = float(rng.choice([c["delta"] * 1.2, 0.5, 0.999999, 1e-9, 5e-324, c["delta"] / 2]))
    elif way == 1 and "alternatives" in c:
        c["alternatives"] = int(rng.choice([1, 2, 7, 10**8]))
    elif c.get("claims"):
        claim = c["claims"][rng.integers(len(c["claims"]))]
        if way == 2:
            claim["delta"] *= float(rng.choice([2.0, 1 + 1e-9, 1 + 1e-13, 0.5]))
        elif way == 3:
            claim["among"] = {what: count - 1 for what, count in claim["among"].items()}
        elif way == 4:  # what is shared becomes a part of the name
            shared = " x ".join(f"{count} {what}" for what, count in claim["among"].items())
            claim["pays_for"] += f", each of {shared}" * bool(shared)
            claim["among"] = {}
        elif ", " in claim["name"]:
            claim["name"], rest = claim["name"].split(", ", 1)
            claim["pays_for"] = f"{rest}, {claim['pays_for']}"
        else:
            c["claims"].remove(claim)


def sizes(rng, c, arrays):
    """More examples than there are, or between the folds."""
    factor = int(rng.choice([2, 10, 1000]))
    way = rng.integers(3)
    if way == 0:
        c["n"], c["fold_sizes"] = c["n"] * factor, [n * factor for n in c["fold_sizes"]]
    elif way == 1:
        c["fold_sizes"][0], c["fold_sizes"][-1] = c["fold_sizes"][-1], c["fold_sizes"][0]
    else:
        c["fold_shares"] = (np.array(c["fold_shares"])[::-1] + rng.choice([0.0, 1e-12, -1e-9, 0.01])).tolist()


def constants(rng, c, arrays):
    """Of a bound or of the fold test, of one figure or of all."""
    further = [*c.get("per_class", []), *c.get("precisions", []), c.get("cost", {})]
    own = [entry["bound_settings"] for entry in further if entry.get("bound_settings")]
    stated = [c["bound_settings"], *own] if "bound_settings" in c else []
    for settings in stated if rng.random() < 0.5 else stated[:1]:
        for name in ("slope", "offset", "scale", "c"):
            if name in settings and rng.random() < 0.4:
                factor = float(rng.choice([0.9, 1 - 1e-6, 1.1, 2.0, 0.5, 1e3, 1e-3, 1e20, 1e-20, -1.0]))
                settings[name] = [x * factor for x in settings[name]]
        if "constant" in settings:
            settings["constant"] = str(rng.choice(["xi", "2sqrt"]))
        if rng.random() < 0.1:
            settings["name"] = str(rng.choice(["catoni", "catoni_per_fold", "seeger", "mcallester", "fold_test"]))
    for name, value in c.get("risk_settings", {}).items():
        if rng.random() < 0.5:
            c["risk_settings"][name] = type(value)(value * float(rng.choice([2, 10, 0.1, 1e-9])))
    fixed = c.get("deterministic_vote", {})
    if "margin" in fixed and rng.random() < 0.5:
        fixed["margin"] = float(rng.choice([*verify.MARGINS, 0.3, 0.005]))
        fixed["scale"] *= float(rng.choice([1.0, 2.0, 0.25, 100.0, 1e6, 1e-6]))


def weights(rng, c, arrays):
    """Other weights, at the edge of a tie or of a threshold; or a prior that suits them."""
    k = int(rng.integers(len(c["posteriors"])))
    given = c["posteriors"][k]
    name = "location" if "location" in given else next(iter(given), None)
    w, way = np.array(given[name], float), rng.integers(7)
    if way == 0 and c.get("priors"):
        c["priors"][k] = copy.deepcopy(given)
    elif way == 1:
        w = w[::-1] if rng.random() < 0.5 else w * 10 ** rng.uniform(-6, 6)
    elif way == 2:
        w[rng.integers(len(w))] *= 10 ** rng.uniform(-6, 3)
    elif len(w) > 1 and name != "location":  # two voters, or two halves, that nearly tie or nearly reach a threshold
        edge = float(rng.choice(c["thresholds"] if "thresholds" in c and rng.random() < 0.7 else [0.5, 0.6, 0.75, 0.9]))
        off = float(
            rng.choice([0.0, 1e-9, 1e-10, 5e-11, 1e-12]) + rng.choice([0.0, 1e-13, -1e-13, 6e-14, -6e-14, 1e-15])
        )
        total, some = w.sum(), np.arange(len(w)) < rng.integers(1, len(w))
        w = np.where(some, 1 / some.sum() * (edge - off), 1 / (~some).sum() * (1 - edge + off)).clip(1e-9)
        w = w * total
    given[name] = (w / w.sum() if name == "theta" else w).tolist()


def blocs_stated(rng, c, arrays):
    """Other blocs or speakers, a share within blocs that the prior does not have, or another leak."""
    if c["posterior"] != verify.BLOCS:
        return
    given, way = c["posteriors"][int(rng.integers(len(c["posteriors"])))], rng.integers(6)
    if way == 0:
        given["speakers"] = [] if given["speakers"] else given["speakers"][::-1]
    elif way == 1:
        given["blocs"] = [int(b) for b in rng.permutation(given["blocs"])]
    elif way == 2:
        given["blocs"][int(rng.integers(len(given["blocs"])))] = int(rng.integers(len(given["alpha"])))
    elif way == 3:
        given["within"] = (np.array(given["within"]) * 10 ** rng.uniform(-3, 3, len(given["within"]))).tolist()
    elif way == 4:
        for posterior in c["posteriors"]:
            posterior["speakers"] = []
        c["deterministic_vote"] |= {"leak": 0.0, "heavy": 0.0}
    else:
        c["deterministic_vote"]["leak"] = float(rng.choice([0.3, 0.01, 1e-9, 0.0, 0.6]))
        c["deterministic_vote"]["heavy"] = float(rng.choice([0.0, 1.0, 3.0, 1e9, -1.0]))


def costs_stated(rng, c, arrays):
    """Another unit, an offset, another matrix, whole numbers; the figures with it or without."""
    cost = c.get("cost")
    if not cost:
        return
    matrix, way = np.array(cost["matrix"], float), rng.integers(8)
    if way == 0:
        factor = 10 ** rng.uniform(-6, 6)
        matrix, cost["measured"], cost["bound"] = matrix * factor, cost["measured"] * factor, cost["bound"] * factor
    elif way == 1:
        offset = float(rng.choice([1.0, 1e6, 5e13, -5e13, 1e16]))
        matrix, cost["measured"], cost["bound"] = matrix + offset, cost["measured"] + offset, cost["bound"] + offset
    elif way == 2:
        matrix = matrix.T
    elif way == 3:
        matrix = matrix[::-1, ::-1]
    elif way == 4:
        matrix[rng.integers(len(matrix)), rng.integers(len(matrix))] *= float(rng.choice([0.5, 2.0, -1.0, 100.0]))
    elif way == 6:
        cost["classes"] = cost["classes"][::-1]
    elif way == 7:  # a class that nobody has seen, and that costs a lot or nothing
        label, large = cost["classes"][-1], float(rng.choice([matrix.max(), 10 * abs(matrix).max() + 1]))
        cost["classes"] = [*cost["classes"], label + ("z" if isinstance(label, str) else 7)]
        matrix = np.pad(matrix, (0, 1), constant_values=large)
        matrix[-1, -1] = matrix.min()
    cost["matrix"] = matrix.tolist()
    if way == 5:
        cost["matrix"] = [[int(x) + 2**53 + 1 for x in row] for row in cost["matrix"]]


def thresholds(rng, c, arrays):
    """Other thresholds of a selective vote, and targets."""
    if "thresholds" not in c:
        return
    way, k = rng.integers(5), int(rng.integers(len(c["thresholds"])))
    if way == 0:
        near = (
            THRESHOLDS.index(c["thresholds"][k]) + int(rng.integers(-3, 4)) if c["thresholds"][k] in THRESHOLDS else 3
        )
        c["thresholds"][k] = THRESHOLDS[near % len(THRESHOLDS)]
    elif way == 1:
        c["thresholds"][k] += float(rng.choice([1e-9, -1e-9, 1e-12, -1e-12]))
    elif way == 2:
        c["thresholds"][k] = float(rng.choice([NEVER, 0.0, 1.0, 0.5]))
    elif way == 3:
        c["target"] = {name: number(rng, value) for name, value in c["target"].items()}
        c["bound"] = c["target"].get("max_error", c["bound"])
    else:
        c["target"] = {str(rng.choice(["max_error", "min_coverage"])): float(rng.random())}


def words(rng, c, arrays):
    """What is said, assumed, or called proven."""
    way = rng.integers(7)
    if way == 0 and c["assumptions"]:
        c["assumptions"].pop(int(rng.integers(len(c["assumptions"]))))
    elif way == 1:
        c["assumptions"].insert(int(rng.integers(len(c["assumptions"]) + 1)), "Nothing else is assumed.")
    elif way == 2:
        c["statement"] = c["statement"].replace("at most", "at most 1 % and").replace("95 %", "99 %")
    elif way == 3:
        c["unproven"] = [] if c["unproven"] else ["the voters"]
    elif way == 4:
        for name in ("covers_drawn", "grouped"):
            if name in c and rng.random() < 0.7:
                c[name] = not c[name]
    elif way == 5:
        c["theorem"] = str(
            rng.choice(["the fold test over 9 folds", "Clopper and Pearson's bound", c["theorem"] + "."])
        )
    else:
        c["context"], c["warnings"] = {"audited": "by everyone"}, []


def parts(rng, c, arrays):
    """Another risk, posterior or part, or none."""
    way = rng.integers(4)
    if way == 0 and "risk" in c:
        c["risk"] = str(rng.choice(list(RISKS)))
    elif way == 1:
        c["posterior"] = str(rng.choice(list(POSTERIORS)))
        names = verify.PARAMETERS[c["posterior"]]
        for p in [*c["posteriors"], *c.get("priors", [])]:
            values = next(iter(p.values()))
            p.clear()
            p.update({name: [x / sum(values) for x in values] if name == "theta" else values for name in names})
    elif way == 2:
        name = str(
            rng.choice(["per_class", "precisions", "cost", "priors", "baseline", "claims", "deterministic_vote"])
        )
        if name in c:
            c[name] = type(c[name])()
    elif "kl" in c:
        c["kl"], c["priors"] = 0.0, copy.deepcopy(c["posteriors"]) if c["priors"] else []


def anything(rng, c, arrays):
    """Any change at any place."""
    place = [place for place in places(c) if place][rng.integers(len([place for place in places(c) if place]))]
    ways = list(changes_of(at(c, place)).values()) if at(c, place) is not None else []
    if ways:
        try:
            new = changed(c, place, ways[rng.integers(len(ways))])
        except (TypeError, ValueError, OverflowError, IndexError):
            return
        c.clear()
        c.update(new)


# what the evidence says; the digests and numbers that follow from it are written anew


def rows_of(arrays, rows):
    """Some rows of a fold."""
    names = {"bits": (slice(None), rows), "rights": (slice(None), rows)}
    skip = ("n_voters", "classes")
    return {
        name: x if name in skip or not x.size else np.ascontiguousarray(x[names.get(name, rows)])
        for name, x in arrays.items()
    }


def cut(rng, c, arrays):
    """Folds split, merged, repeated, left out or in another order; what belongs to them goes with them."""
    way, k = rng.integers(5), int(rng.integers(len(arrays)))
    order = list(range(len(arrays)))
    if way == 0:
        n = arrays[k]["bits"].shape[1]
        if n > 1:
            middle = int(rng.integers(1, n))
            arrays[k : k + 1] = [rows_of(arrays[k], np.arange(0, middle)), rows_of(arrays[k], np.arange(middle, n))]
            order.insert(k, k)
    elif way == 1:
        order.append(k)
        arrays.append(dict(arrays[k]))
    elif way == 2 and len(arrays) > 1:
        order.pop(k)
        arrays.pop(k)
    elif way == 3:
        order.reverse()
        arrays.reverse()
    else:
        arrays[k] = rows_of(arrays[k], rng.integers(0, arrays[k]["bits"].shape[1], arrays[k]["bits"].shape[1]))
    lists = [c, *c.get("per_class", []), *c.get("precisions", []), c.get("cost", {})]
    for owner in [*lists, *(entry.get("bound_settings", {}) for entry in lists)]:
        for name in ("posteriors", "priors", "thresholds", "fold_shares", "slope", "offset", "scale"):
            if isinstance(owner.get(name), list) and len(owner[name]) > max(order):
                owner[name] = [copy.deepcopy(owner[name][j]) for j in order]
    if "fold_shares" in c:
        c["fold_shares"] = (np.array(c["fold_shares"]) / sum(c["fold_shares"])).tolist()


def classes_in_evidence(rng, c, arrays):
    """Other names, another order, or more of them, in one fold or in all."""
    for part in arrays if rng.random() < 0.5 else arrays[:1]:
        if "classes" not in part:
            continue
        names, way = part["classes"], rng.integers(4)
        if way == 0:
            part["classes"] = np.array([f"{x}!" for x in names.tolist()])
        elif way == 1:
            part["classes"] = names[::-1].copy()
        elif way == 2 and len(names) > 2:
            last = np.array([f"{names[-1]}z"]) if names.dtype.kind == "U" else names[-1:] + 1
            part["classes"] = np.concatenate([names, last])
        elif len(names) > 2:
            part["classes"] = np.concatenate([names[:1], names[2:]])


def groups_in_evidence(rng, c, arrays):
    for part in arrays:
        way, n = rng.integers(4), part["bits"].shape[1]
        if way == 0:
            part.pop("groups", None)
        elif "groups" in part:
            part["groups"] = part["groups"] // 2 if way == 1 else np.arange(n, dtype=np.uint64)
        elif way == 3:
            part["groups"] = np.arange(n, dtype=np.uint64)
    c["grouped"] = "groups" in arrays[0]


def answers_in_evidence(rng, c, arrays):
    """Bits flipped, gaps made, rows counted more often, codes changed: with the labels or against them."""
    part, way = arrays[int(rng.integers(len(arrays)))], rng.integers(6)
    n, m = part["bits"].shape[1], int(part["n_voters"])
    row, voter = int(rng.integers(n)), int(rng.integers(m))
    byte, bit = voter // 8, np.uint8(1 << voter % 8)
    part["bits"] = part["bits"].copy()
    if way == 0:
        part["bits"][byte, row] ^= bit
    elif way == 1:
        part["counts"] = rng.integers(1, 4, n) * float(rng.choice([1.0, 1.0, 0.5, 1e15]))
    elif way == 2:  # a voter that errs did not answer
        part["rights"] = part.get("rights", verify._others(part)).copy()
        part["bits"][byte] &= ~bit
        if "labels" in part:
            part["labels"] = part["labels"].copy()
            wrong = part["labels"][:, voter] != part["targets"]
            part["labels"][wrong, voter] = len(part["classes"])
    elif way == 3 and "targets" in part:
        part["targets"] = part["targets"].copy()
        part["targets"][row] = rng.integers(0, len(part["classes"]) + 1)
    elif way == 4:
        part["n_voters"] = np.array(m + int(rng.integers(-1, 2)))
    elif "labels" in part:
        part["labels"] = part["labels"].copy()
        part["labels"][row, voter] = rng.integers(0, len(part["classes"]) + 2)


OF_WORDS_AND_FIGURES = (
    figure,
    figures_of_classes,
    counts_between_classes,
    names_of_classes,
    budget,
    sizes,
    constants,
    weights,
    blocs_stated,
    costs_stated,
    thresholds,
    words,
    parts,
    anything,
)
NOTHING_TO_CHANGE = (
    TypeError,
    ValueError,
    KeyError,
    AttributeError,
    IndexError,
    ArithmeticError,
    StopIteration,
)
OF_EVIDENCE = (cut, classes_in_evidence, groups_in_evidence, answers_in_evidence)


def spellings(rng, text: bytes) -> bytes:
    """A file that other readers may understand in another way."""
    plain = text.decode()
    ways = [
        lambda t: t.replace('"bound":', '"bound": 0.01,\n "bound":', 1),
        lambda t: t.replace('"bound": ', '"bound": NaN, "b": ', 1),
        lambda t: t.replace('"bound": ', '"bound": -Infinity, "b": ', 1),
        lambda t: t.replace('"bound": 0', '"bound": -0', 1),
        lambda t: t.replace('"bound": 0.', '"bound": 0.0000000000000000', 1),
        lambda t: t.replace('"n": ', '"n": 1' + "0" * 400, 1),
        lambda t: t.replace('"delta": 0.', '"delta": 5e-324, "d": 0.', 1),
        lambda t: t + " ",
        lambda t: json.dumps(json.loads(t)),
        lambda t: json.dumps(dict(sorted(json.loads(t).items())), indent=1),
    ]
    return ways[rng.integers(len(ways))](plain).encode()


def forged(kind: str, *seed: int) -> tuple[bytes, Evidence]:
    """The file of a changed certificate of this kind, and its evidence; no file if the changes came to nothing."""
    certificate, votes = honest(kind, *seed[:-1], seed[-1] // EACH)
    rng = np.random.default_rng([77, *seed])
    content, arrays = content_of(certificate), [dict(v._arrays()) for v in votes]
    about = [
        way
        for way in OF_WORDS_AND_FIGURES
        for _ in range(3 if way in (weights, constants, thresholds, blocs_stated) else 1)
    ]
    for _ in range(int(rng.choice([1, 2, 2, 3, 4]))):
        of = OF_EVIDENCE if rng.random() < 0.2 else about
        with contextlib.suppress(*NOTHING_TO_CHANGE):
            of[rng.integers(len(of))](rng, content, arrays)  # if other changes left something to change
    finish(rng, content, arrays)
    text = sealed(content)
    if rng.random() < 0.03:
        text = spellings(rng, text)
    return b"" if text == certificate.to_json().encode() else text, arrays


def finish(rng, content: Content, arrays: Evidence) -> None:
    """Write anew what follows from the changes: the words, or all that the verifier finds; then shave a figure."""
    way = rng.choice(["as it is", "evidence", "words", "all", "shaved"], p=[0.05, 0.15, 0.15, 0.35, 0.3])
    if way == "as it is":
        return
    try:
        folds = [verify.fold_of([part]) for part in arrays]
        content["vote_digests"] = [fold.digest for fold in folds]
        if rng.random() < 0.9:
            content["fold_sizes"] = [fold.count() for fold in folds]
            content["n"] = sum(content["fold_sizes"])
            if "bound_settings" not in content or not verify.is_tested(content):
                rest = [n / content["n"] for n in content["fold_sizes"]]
                content["fold_shares"] = content["fold_shares"] if "thresholds" in content else rest
            elif content["bound_settings"]["name"] == "fold_test":
                with np.errstate(all="ignore"):
                    content["fold_shares"] = verify.test_shares(content["bound_settings"]).tolist()
            else:
                content["fold_shares"] = [1.0]
    except Exception:  # the verifier refuses such evidence
        return
    if way == "evidence":
        return
    selective = "thresholds" in content
    again, compute = (worded, found_anew) if selective else (restated, recomputed)
    with contextlib.suppress(*NOTHING_TO_CHANGE), np.errstate(all="ignore"):
        content.update(compute(content, folds) if way in ("all", "shaved") else again(content))
        if way == "shaved":
            figure(rng, content, arrays)
            content.update(again(content))


def worded(content: Content) -> Content:
    try:
        return {**content, "statement": verify.selective_statement(content)}
    except Exception:  # the figures are no figures
        return content


FOUND = {
    "theorem": "theorem",
    "bound": "bound",
    "coverage": "coverage",
    "share that is answered": "empirical_coverage",
    "error among the answers": "empirical_error",
}


def found_anew(content: Content, folds) -> Content:
    """A selective certificate with what the verifier finds."""
    content = copy.deepcopy(content)
    try:
        verify.check_selective_form(content, folds)
        with np.errstate(all="ignore"):
            checks = [*verify._selective_words(content, "", folds), *verify._selective_figures(content, folds)]
        for check in checks:
            if not check.holds and check.what in FOUND:
                content[FOUND[check.what]] = float(check.found) if check.what != "theorem" else check.found
        needed = verify.selective_assumed(content)
        content["assumptions"][: len(needed)] = needed
    except Exception:  # the verifier cannot compute with this either
        return content
    return worded(content)


def trial(kind: str, *seed: int) -> str:
    """Whether a forged certificate is "unchanged" after all, "refused", or "holds" rightly; or what it overstates."""
    text, arrays = forged(kind, *seed)
    if not text:
        return "unchanged"
    try:
        content, intact = verify.parse_certificate(text)
        folds = [verify.fold_of([part]) for part in arrays]
    except verify.Refused:
        return "refused"
    if not verify.verify(content, intact, folds):
        return "refused"
    return excess(content, arrays) or "holds"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--forged", type=int, default=1000, help="changed certificates, shared among the kinds")
    parser.add_argument("--honest", type=int, default=200, help="honest certificates, shared among the kinds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", action="append", choices=list(MAKERS), help="only this kind; may be repeated")
    given = parser.parse_args()
    kinds, failed = given.kind or list(MAKERS), 0
    total: Counter = Counter()
    for kind in kinds:
        seen: Counter = Counter()
        for k in itertools.count():
            if seen.total() >= given.forged / len(kinds):
                break
            answer = trial(kind, given.seed, k)
            if answer != "unchanged":
                seen[answer if answer in ("refused", "holds") else "says more"] += 1
            if answer not in ("unchanged", "refused", "holds"):
                print(f"  {kind!r}, {given.seed}, {k}: {answer}", flush=True)
        for k in range(-(-given.honest // len(kinds))):
            reason = refusals(kind, given.seed, k)
            seen["honest, refused" if reason else "honest"] += 1
            if reason:
                print(f"  honest {kind!r}, {given.seed}, {k}: {reason}", flush=True)
        print(f"{kind}: {dict(sorted(seen.items()))}", flush=True)
        failed += seen["says more"] + seen["honest, refused"]
        total += seen
    print(f"in all: {dict(sorted(total.items()))}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
