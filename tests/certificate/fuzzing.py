"""Forgers who know the verifier: several changes at once, what depends on them computed anew, and the seal renewed.

Run at length with

    python -m certificate.fuzzing --forged 25000 --honest 1500 [--seed 0] [--kind NAME]

from `tests/`. It prints how many certificates of each kind were changed, how many of these held, and every one that
held although it says more than its evidence, as `certificate.judge` finds.
"""

import argparse
import contextlib
import copy
import functools
import itertools
import json
import sys
from collections import Counter
from typing import Any

import numpy as np

from certificate.forging import Content, at, changed, changes_of, content_of, places, recomputed, sealed, verdict
from certificate.judge import ERRORS, excess
from stocmv import VoteMatrix, certify, verify
from stocmv.bounds import BOUNDS, Catoni, CatoniPerFold
from stocmv.certificate import Costs, Guess, Judgments, certify_judgments
from stocmv.decisions import NotCertified, certify_selective
from stocmv.decisions._threshold_tests import NEVER, THRESHOLDS
from stocmv.posteriors import POSTERIORS
from stocmv.risks import RISKS, Binomial, MonteCarlo
from zoo import PAIRS

EACH = 8  # forgeries of one honest certificate
Evidence = Any  # the columns of judgments, or the arrays of the votes of each fold

# ------------------------------------------------------------------------------------------------ honest certificates


def labels_of(rng, k):
    return [np.arange(k), np.array([f"class {c}" for c in range(k)]), 2 * np.arange(k) - 1][rng.integers(3)]


def subgroups_of(rng, n):
    """Codes and names of the subgroups of one to three attributes; subgroups of one row, too."""
    codes, names = [], []
    for k in range(int(rng.integers(1, 4))):
        found, place = np.unique(rng.integers(0, int(rng.choice([1, 2, 5, 30])), n), return_inverse=True)
        codes.append(place + len(names))
        names += [(f"attribute {k}", str(value)) for value in found]
    return {"subgroup": np.column_stack(codes).astype(np.uint8), "subgroups": np.array(names)}


def judgments(rng, n_folds, *, grouped=False, silent=False, subgroups=False, most=60, right=None):
    """A table of any strength, with or without scores and losses."""
    k, n = int(rng.integers(1, 5)), int(rng.integers(most // 4, most)) * n_folds
    group = rng.integers(0, n // 2 + 1, n)
    group[:n_folds] = np.arange(n_folds)
    order = np.argsort(group % n_folds, kind="stable")
    truth = rng.integers(0, k, n)
    is_right = rng.random(n) < (rng.random() if right is None else right)
    answer = np.where(is_right, truth, rng.integers(0, k, n))
    scores = rng.dirichlet(np.full(k, rng.choice([0.3, 3.0])), n)
    if rng.random() < 0.5:  # at the edges of thresholds
        scores = np.round(scores * 20) / 20
        scores[:, -1] = 1 - scores[:, :-1].sum(1)
        scores = np.clip(scores, 0, 1) / np.clip(scores, 0, 1).sum(1, keepdims=True)
    if right is not None:  # the answer has the highest score
        best, rows = scores.argmax(1), np.arange(n)
        scores[rows, best], scores[rows, answer] = scores[rows, answer], scores[rows, best]
    return Judgments(
        labels_of(rng, k),
        truth.astype(np.uint8),
        answer.astype(np.uint8),
        (group % n_folds)[order].astype(np.uint8),
        scores=scores if right is not None or rng.random() < 0.5 else None,
        loss=rng.random(n) ** rng.choice([1, 5]) if rng.random() < 0.4 else None,
        group=group[order].astype(np.uint64) if grouped else None,
        silent=rng.random(n) < 0.1 if silent else None,
        row=rng.integers(0, 2**63, n).astype(np.uint64) if rng.random() < 0.5 else None,
        **(subgroups_of(rng, n) if subgroups else {}),
    )


def costs(rng, labels):
    """Of few or many different values, with an offset or none; perhaps also of a class that does not occur."""
    labels = labels + [max(labels) + ("z" if isinstance(labels[0], str) else 5)] * (rng.random() < 0.3)
    k = len(labels)
    matrix = rng.integers(0, 3, (k, k)) / 1.0 if rng.random() < 0.5 else rng.random((k, k)) * 10 ** rng.uniform(-3, 4)
    np.fill_diagonal(matrix, 0.0)
    matrix[0, -1] += (matrix.max() == 0) * (k > 1)
    return Costs(labels, matrix + rng.choice([0.0, 0.0, 1.0, -7.25, 1e6])) if k > 1 else None


def deltas(rng):
    return float(rng.choice([0.3, 0.05, 0.01, 1e-6]))


def guesses(rng, table):
    k = len(table.classes)
    return [Guess(rng.random(k) * 5, rng.random(k) * 20 + 5) for _ in range(table.n_folds)]


def tested(rng, n_folds, **settings):
    table = judgments(rng, n_folds, **settings)
    priced = costs(rng, table.classes.tolist()) if rng.random() < 0.5 else None
    alone = table.loss is None and bool(rng.random() < 0.3)
    extras = {"per_class": bool(rng.random() < 0.6), "costs": priced, "one_voter": alone}
    return certify_judgments(table, deltas(rng), guesses=guesses(rng, table), **extras), table


def selective(rng, n_folds, **settings):
    """Of a vote that is good enough for some threshold."""
    while True:
        table = judgments(rng, n_folds, most=250, right=rng.uniform(0.6, 0.95), **settings)
        vote = certify_judgments(table, 0.05, guesses=guesses(rng, table))
        target = {"max_error": None, "min_coverage": None, "delta": float(rng.choice([0.3, 0.05]))}
        target[str(rng.choice(["max_error", "min_coverage"]))] = float(rng.uniform(0.05, 0.7))
        with contextlib.suppress(NotCertified):
            return certify_selective(table, vote, **target), table


def votes_of(rng, n_folds, *, n_classes=None, silent=False, errors=False, most=30):
    """Votes of a few voters, of any strength, on a few rows of each fold."""
    k = int(rng.integers(2, 5)) if n_classes is None else n_classes
    labels, n_voters, found = labels_of(rng, k), int(rng.choice([1, 2, 3, 5, 8, 13])), []
    for _ in range(n_folds):
        n, m = int(rng.integers(most // 4, most)), n_voters if rng.random() < 0.8 else int(rng.integers(1, 6))
        y = rng.integers(0, k, n)
        codes = np.where(rng.random((n, m)) < rng.random(m), y[:, None], rng.integers(0, k, (n, m)))
        if silent:
            codes[rng.random((n, m)) < rng.random()] = -1
            codes[0, 0] = -1
        votes = VoteMatrix.from_codes(codes, y, labels)
        if errors:
            votes = VoteMatrix.from_errors(codes != y[:, None])
        elif not silent and rng.random() < 0.3:
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


def bounds(rng, n_folds):
    own = CatoniPerFold(tuple(10 ** rng.uniform(-2, 1, n_folds)))
    every = [*BOUNDS.values(), Catoni(10 ** rng.uniform(-2, 1)), own]
    return every[rng.integers(len(every))]


def paid(rng, n_folds, risk, kind, **settings):
    votes = votes_of(rng, n_folds, **settings)
    given = {
        "mc": MonteCarlo(certificate_draws=int(rng.integers(1, 80))),
        "binomial": Binomial(int(rng.integers(1, 9))),
    }
    posteriors = [distribution(rng, kind, v.n_voters) for v in votes]
    priors = [
        distribution(rng, kind, v.n_voters) if rng.random() < 0.5 else p for p, v in zip(posteriors, votes, strict=True)
    ]
    per_class = kind == "dirichlet" and votes[0].classes is not None and bool(rng.random() < 0.5)
    extras = {"per_class": per_class, "alternatives": int(rng.integers(1, 4))}
    risk = given.get(risk, RISKS[risk])
    return certify(votes, posteriors, priors, risk, bounds(rng, n_folds), deltas(rng), **extras), votes


def blocs(rng, n_folds):
    """Voters that answer alike, with one that speaks for each bloc or without."""
    votes, posteriors, priors, speak = [], [], [], bool(rng.random() < 0.5)
    for fold in votes_of(rng, n_folds, n_classes=int(rng.integers(2, 4))):
        copies = np.concatenate([np.arange(fold.n_voters), rng.integers(0, fold.n_voters, int(rng.integers(1, 9)))])
        votes.append(VoteMatrix.from_codes(fold.answers()[:, copies], fold.targets, fold.classes))
        prior = distribution(rng, "dirichlet", len(copies))
        posterior = distribution(rng, "dirichlet", fold.n_voters).spread(copies, prior, rng)
        posteriors.append(posterior if speak else posterior.without_speakers())
        priors.append(prior)
    extras = {"per_class": bool(rng.random() < 0.5), "alternatives": int(rng.integers(1, 4))}
    risk = RISKS[str(rng.choice(["exact", "half", "first_order", "second_order"]))]
    return certify(votes, posteriors, priors, risk, bounds(rng, n_folds), deltas(rng), **extras), votes


def some(rng):
    return int(rng.integers(2, 4))


MAKERS = {
    "hold-out": lambda rng: tested(rng, 1),
    "hold-out, groups": lambda rng: tested(rng, 1, grouped=True),
    "hold-out, silent": lambda rng: tested(rng, 1, silent=True, grouped=bool(rng.random() < 0.3)),
    "hold-out, subgroups": lambda rng: tested(rng, 1, subgroups=True, grouped=bool(rng.random() < 0.4)),
    "folds": lambda rng: tested(rng, some(rng), most=45),
    "folds, groups": lambda rng: tested(rng, some(rng), most=45, grouped=True),
    "folds, silent": lambda rng: tested(rng, some(rng), most=45, silent=True),
    "selective, hold-out": lambda rng: selective(rng, 1),
    "selective, folds": lambda rng: selective(rng, some(rng)),
    "selective, groups": lambda rng: selective(rng, int(rng.integers(1, 3)), grouped=True),
    "selective, silent": lambda rng: selective(rng, 1, silent=True),
    "PAC-Bayes, blocs": lambda rng: blocs(rng, int(rng.integers(1, 3))),
    "PAC-Bayes, silent": lambda rng: paid(rng, int(rng.integers(1, 3)), "exact", "dirichlet", silent=True),
    **{
        f"PAC-Bayes, {risk} of {kind}": functools.partial(
            lambda rng, risk, kind: paid(rng, int(rng.integers(1, 4)), risk, kind, errors=bool(rng.random() < 0.1)),
            risk=risk,
            kind=kind,
        )
        for risk, kind in PAIRS
    },
}


@functools.lru_cache(1)
def honest(kind: str, *seed: int):
    """A certificate of this kind, and its evidence."""
    return MAKERS[kind](np.random.default_rng([list(MAKERS).index(kind), *seed]))


def arrays_of(evidence) -> Evidence:
    if isinstance(evidence, Judgments):
        return dict(evidence.columns())
    return [dict(votes._arrays()) for votes in evidence]


def refusals(kind: str, *seed: int) -> str:
    """Why the verifier refuses an honest certificate; empty if it does not."""
    certificate, evidence = honest(kind, *seed)
    answer = certificate.verify(evidence)
    return "" if answer else "\n".join(map(str, answer.differences))


# ------------------------------------------------------------------------------------------------------ what forgers do


def number(rng, value):
    """A number near another, a little or a lot better, or far off."""
    step = 10 ** rng.uniform(-13, -0.5)
    ways = [value * (1 - step), value - step, value + step, value / 2, value * (1 + step), -value, 0.0, 1.0, -0.0]
    return float(ways[rng.choice(len(ways), p=[0.3, 0.2, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05])])


def figures(rng, c, arrays):
    """One or more figures, each a little better or worse."""
    for place in places(c["figures"]):
        if type(at(c["figures"], place)) is float and "fold_test" not in place and rng.random() < 0.15:
            at(c["figures"], place[:-1])[place[-1]] = number(rng, at(c["figures"], place))


def counts(rng, c, arrays):
    """Examples moved from one class to another, or more of them than there are."""
    entries = c["figures"].get(str(rng.choice(["classes", "precision", "f1", "recalls"])), [])
    if len(entries) > 1 and rng.random() < 0.6:
        first, second = rng.choice(len(entries), 2, replace=False)
        entries[first]["n"] += 1
        entries[second]["n"] -= 1
    elif rng.random() < 0.5:
        factor = int(rng.choice([2, 10, 1000]))
        c["n"], c["fold_sizes"] = c["n"] * factor, [n * factor for n in c["fold_sizes"]]
    else:
        c["fold_sizes"].reverse()


def classes(rng, c, arrays):
    """Exchanged, renamed, repeated, left out, or more of them."""
    entries = c["figures"].get(str(rng.choice(["classes", "precision", "f1", "recalls"])))
    if not entries:
        return
    way, k = rng.integers(5), int(rng.integers(len(entries)))
    if way == 0:
        entries.reverse()
    elif way == 1:
        entries[k]["label"], entries[-1]["label"] = entries[-1]["label"], entries[k]["label"]
    elif way == 2:
        entries[k]["label"] = {0: False, 1: True}.get(entries[k]["label"], "other")
    elif way == 3:
        entries.pop(k)
    else:
        entries.append(copy.deepcopy(entries[k]))


def subgroups_stated(rng, c, arrays):
    """Subgroups and gaps exchanged, renamed, left out or repeated; in the evidence as well, or there alone."""
    if "subgroups" not in c["figures"]:
        return
    figure, way = c["figures"]["subgroups"], rng.integers(7)
    owner = figure[str(rng.choice(["entries", "entries", "gaps"]))]
    k, m = (int(rng.integers(len(owner))) for _ in range(2))
    if way == 0:
        owner[k], owner[m] = owner[m], owner[k]
    elif way == 1:
        owner.pop(k)
    elif way == 2:
        owner.append(copy.deepcopy(owner[k]))
    elif way == 3:
        name = str(rng.choice([x for x in owner[k] if type(owner[k][x]) is str]))
        owner[k][name] = owner[m][name] if rng.random() < 0.5 else owner[k][name] + "\u200b"
    elif way == 4:
        figure["gaps"] = []
    elif way == 5:
        arrays["subgroups"] = arrays["subgroups"][rng.permutation(len(arrays["subgroups"]))]
    else:
        arrays["subgroup"] = arrays["subgroup"][:, rng.permutation(arrays["subgroup"].shape[1])[:-1]]


def budget(rng, c, arrays):
    """Delta, and how it is shared."""
    way = rng.integers(6)
    if way == 0:
        c["delta"] = float(rng.choice([c["delta"] * 1.2, 0.5, 0.999999, 1e-9, 5e-324, c["delta"] / 2]))
    elif way == 1 and "alternatives" in c:
        c["alternatives"] = int(rng.choice([1, 2, 7, 10**8]))
    elif c["claims"]:
        claim = c["claims"][rng.integers(len(c["claims"]))]
        if way == 2:
            claim["delta"] *= float(rng.choice([2.0, 1 + 1e-9, 1 + 1e-13, 0.5]))
        elif way == 3:
            claim["among"] = {what: count - 1 for what, count in claim["among"].items()}
        elif way == 4:  # what is shared becomes a part of the name
            claim["pays_for"] += "".join(f", each of {count} {what}" for what, count in claim["among"].items())
            claim["among"] = {}
        else:
            c["claims"].remove(claim)


def shares(rng, c, arrays):
    c["fold_shares"] = (np.array(c["fold_shares"])[::-1] + rng.choice([0.0, 1e-12, -1e-9, 0.01])).tolist()
    if rng.random() < 0.5:
        c["fold_shares"] = rng.dirichlet(np.ones(len(c["fold_shares"]))).tolist()


def constants(rng, c, arrays):
    """Of a bound or of the fold test, of one figure or of all."""
    entries = [*c["figures"].get("classes", []), *c["figures"].get("precision", []), c["figures"].get("cost", {}), c]
    stated = [entry["fold_test"] for entry in entries if entry.get("fold_test")]
    stated += [c["bound_settings"]] if "bound_settings" in c else []
    for settings in stated if rng.random() < 0.5 else stated[-1:]:
        for name in ("slope", "offset", "scale", "c"):
            if name in settings and rng.random() < 0.4:
                factor = float(rng.choice([0.9, 1 - 1e-6, 1.1, 2.0, 0.5, 1e3, 1e-3, 1e20, 1e-20, -1.0]))
                settings[name] = [x * factor for x in settings[name]]
        if "constant" in settings:
            settings["constant"] = str(rng.choice(["xi", "2sqrt"]))
    for name, value in c.get("risk_settings", {}).items():
        if rng.random() < 0.5:
            c["risk_settings"][name] = type(value)(value * float(rng.choice([2, 10, 0.1, 1e-9])))
    fixed = c["figures"].get("deterministic_vote")
    if fixed and rng.random() < 0.5:
        fixed["margin"] = float(rng.choice([*verify.MARGINS, 0.3, 0.005]))
        fixed["scale"] *= float(rng.choice([1.0, 2.0, 0.25, 100.0, 1e6, 1e-6]))


def weights(rng, c, arrays):
    """Other weights, at the edge of a tie; or a prior that suits them."""
    if "posteriors" not in c:
        return
    k = int(rng.integers(len(c["posteriors"])))
    given = c["posteriors"][k]
    name = "location" if "location" in given else next(iter(given))
    w, way = np.array(given[name], float), rng.integers(6)
    if way == 0:
        c["priors"][k] = copy.deepcopy(given)
    elif way == 1:
        w = w[::-1] if rng.random() < 0.5 else w * 10 ** rng.uniform(-6, 6)
    elif way == 2:
        w[rng.integers(len(w))] *= 10 ** rng.uniform(-6, 3)
    elif len(w) > 1 and name != "location":  # two halves that nearly tie
        off = float(rng.choice([0.0, 1e-9, 1e-10, 5e-11, 1e-12]) + rng.choice([0.0, 1e-13, -1e-13, 1e-15]))
        total, half = w.sum(), np.arange(len(w)) < rng.integers(1, len(w))
        w = total * np.where(half, (0.5 - off) / half.sum(), (0.5 + off) / (~half).sum()).clip(1e-9)
    given[name] = (w / w.sum() if name == "theta" and 0 < w.sum() < np.inf else w).tolist()


def blocs_stated(rng, c, arrays):
    """Other blocs or speakers, a share within blocs that the prior does not have, or another leak."""
    if c.get("posterior") != verify.BLOCS:
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
        c["figures"]["deterministic_vote"] |= {"leak": 0.0, "heavy": 0.0}
    else:
        leak, heavy = rng.choice([0.3, 0.01, 1e-9, 0.0, 0.6]), rng.choice([0.0, 1.0, 3.0, 1e9, -1.0])
        c["figures"]["deterministic_vote"] |= {"leak": float(leak), "heavy": float(heavy)}


def costs_stated(rng, c, arrays):
    """Another unit, an offset, another matrix, whole numbers; the figures with it or without."""
    cost = c["figures"].get("cost")
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
        known = c["thresholds"][k] in THRESHOLDS
        near = THRESHOLDS.index(c["thresholds"][k]) + int(rng.integers(-3, 4)) if known else 3
        c["thresholds"][k] = THRESHOLDS[near % len(THRESHOLDS)]
    elif way == 1:
        c["thresholds"][k] += float(rng.choice([1e-9, -1e-9, 1e-12, -1e-12]))
    elif way == 2:
        c["thresholds"][k] = float(rng.choice([NEVER, 0.0, 1.0, 0.5]))
    elif way == 3:
        c["target"] = {name: number(rng, value) for name, value in c["target"].items()}
    else:
        c["target"] = {str(rng.choice(["max_error", "min_coverage"])): float(rng.random())}


def flags(rng, c, arrays):
    for name in ("covers_drawn", "grouped", "has_one_voter", "abstains"):
        if rng.random() < 0.4:
            c[name] = not c[name]
    if rng.random() < 0.2:
        c["unproven"] = ["the voters"]
    if rng.random() < 0.3:
        c["protocol"] = {"name": "holdout", "learning": 10**6, "judging": c["n"] + int(rng.integers(2))}


def parts(rng, c, arrays):
    """Another risk, posterior, format or figure, or none."""
    way = rng.integers(5)
    if way == 0 and "risk" in c:
        c["risk"] = str(rng.choice(list(RISKS)))
    elif way == 1 and "posterior" in c:
        c["posterior"] = str(rng.choice(list(POSTERIORS)))
        for p in [*c["posteriors"], *c["priors"]]:
            values = next(iter(p.values()))
            p.clear()
            names = verify.PARAMETERS[c["posterior"]]
            p.update({name: [x / sum(values) for x in values] if name == "theta" else values for name in names})
    elif way == 2:
        c["figures"].pop(str(rng.choice(list(c["figures"]))))
    elif way == 3 and "priors" in c:
        c["priors"] = copy.deepcopy(c["posteriors"])
    elif way == 4:
        c["figures"][str(rng.choice(["recalls", "classes", "precision", "f1", "luck"]))] = []


def anything(rng, c, arrays):
    """Any change at any place."""
    everywhere = [place for place in places(c) if place]
    place = everywhere[rng.integers(len(everywhere))]
    ways = list(changes_of(at(c, place)).values())
    new = changed(c, place, ways[rng.integers(len(ways))])
    c.clear()
    c.update(new)


OF_CONTENT = (
    figures,
    counts,
    classes,
    subgroups_stated,
    budget,
    shares,
    constants,
    weights,
    blocs_stated,
    costs_stated,
    thresholds,
)
OF_CONTENT += (figures, constants, weights, thresholds, flags, parts, anything)

# ------------------------------------------------------------------------------------------------ and to the evidence


def rows_of_table(arrays, rows):
    for name in set(arrays) - {"classes", "subgroups", "voters"}:
        arrays[name] = arrays[name][rows]


def table(rng, c, arrays):
    """Answers made right, rows left out, repeated or in another order, groups and folds cut in another way."""
    way, n, k = rng.integers(10), len(arrays["truth"]), len(arrays["classes"])
    row = int(rng.integers(n))
    for name in arrays:
        arrays[name] = arrays[name].copy()
    if way == 0:
        arrays["answer"][row] = arrays["truth"][row]
    elif way == 1:
        rows_of_table(arrays, np.sort(rng.permutation(n)[: int(rng.integers(0, n + 1))]))
    elif way == 2:
        rows_of_table(arrays, np.sort(rng.integers(0, n, 2 * n)) if rng.random() < 0.7 else rng.permutation(n))
    elif way == 3:
        arrays["fold"] = np.sort(rng.integers(0, 3, n)).astype(arrays["fold"].dtype)
    elif way == 4:
        arrays["group"] = rng.integers(0, n, n).astype(np.uint64) if rng.random() < 0.7 else np.zeros(n, np.uint64)
    elif way == 5:
        arrays.pop(str(rng.choice(["group", "silent", "loss", "scores", "row", "fold"])), None)
    elif way == 6 and "loss" in arrays:
        arrays["loss"] *= float(rng.choice([0.0, 0.5, 1.5, -1.0, np.nan]))
    elif way == 7 and "scores" in arrays:
        arrays["scores"][row] = rng.choice([0.0, 1.0, 0.5, np.nan, 2.0])
    elif way == 8:
        arrays[str(rng.choice(["truth", "answer"]))][row] = k + int(rng.integers(-1, 2))
    else:
        arrays["classes"] = arrays["classes"][::-1] if rng.random() < 0.5 else arrays["classes"][:1].repeat(k)


def votes(rng, c, arrays):
    """Bits flipped, gaps made, rows counted more often, codes and classes changed, folds repeated or reversed."""
    way, part = rng.integers(8), arrays[int(rng.integers(len(arrays)))]
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
            part["labels"][part["labels"][:, voter] != part["targets"], voter] = len(part["classes"])
    elif way == 3 and "targets" in part:
        part["targets"] = part["targets"].copy()
        part["targets"][row] = rng.integers(0, len(part["classes"]) + 1)
    elif way == 4:
        part["n_voters"] = np.array(m + int(rng.integers(-1, 2)))
    elif way == 5 and "classes" in part:
        part["classes"] = part["classes"][::-1].copy() if rng.random() < 0.5 else part["classes"][:-1]
    elif way == 6:
        arrays.reverse()
        for name in ("posteriors", "priors"):
            c[name].reverse()
    elif way == 7:
        k = int(rng.integers(len(arrays)))
        for owner in (arrays, c["posteriors"], c["priors"], c["fold_shares"]):
            owner.append(copy.deepcopy(owner[k]))
    if way in (6, 7) and "c" in c["bound_settings"] and c["bound_settings"]["name"] == "catoni_per_fold":
        c["bound_settings"]["c"] = (c["bound_settings"]["c"] * 2)[: len(arrays)]


def spellings(rng, text: bytes) -> bytes:
    """A file that other readers may understand in another way."""
    ways = [
        lambda t: t.replace('"bound":', '"bound": 0.01,\n "bound":', 1),
        lambda t: t.replace('"bound": ', '"bound": NaN, "b": ', 1),
        lambda t: t.replace('"bound": 0', '"bound": -0', 1),
        lambda t: t.replace('"bound": 0.', '"bound": 0.0000000000000000', 1),
        lambda t: t.replace('"n": ', '"n": 1' + "0" * 400, 1),
        lambda t: t + " ",
        lambda t: json.dumps(json.loads(t)),
        lambda t: json.dumps(dict(sorted(json.loads(t).items())), indent=1),
    ]
    return ways[rng.integers(len(ways))](text.decode()).encode()


def forged(kind: str, *seed: int) -> tuple[bytes, Evidence]:
    """The file of a changed certificate of this kind, and its evidence; no file if the changes came to nothing."""
    certificate, evidence = honest(kind, *seed[:-1], seed[-1] // EACH)
    rng = np.random.default_rng([77, *seed])
    content, arrays = content_of(certificate), arrays_of(evidence)
    for _ in range(int(rng.choice([1, 2, 2, 3, 4]))):
        of_evidence = table if isinstance(arrays, dict) else votes
        way = of_evidence if rng.random() < 0.15 else OF_CONTENT[rng.integers(len(OF_CONTENT))]
        with contextlib.suppress(*ERRORS):  # if other changes left something to change
            way(rng, content, arrays)
    finish(rng, content, arrays)
    text = sealed(content)
    if rng.random() < 0.03:
        text = spellings(rng, text)
    return b"" if text == sealed(content_of(certificate)) else text, arrays


def taken(arrays: Evidence) -> Any:
    """The evidence as the verifier takes it; refused if it is none."""
    return arrays if isinstance(arrays, dict) else [verify.fold_of([part]) for part in arrays]


def finish(rng, content: Content, arrays: Evidence) -> None:
    """Write anew what the verifier finds; then shave a figure."""
    way = rng.choice(["as it is", "all", "shaved"], p=[0.2, 0.4, 0.4])
    if way == "as it is":
        return
    with contextlib.suppress(verify.Refused, *ERRORS):
        content.update(recomputed(content, taken(arrays)))
        if way == "shaved":
            figures(rng, content, arrays)


def trial(kind: str, *seed: int) -> str:
    """Whether a forged certificate is "unchanged" after all, "refused", or "holds" rightly; or what it overstates."""
    text, arrays = forged(kind, *seed)
    if not text:
        return "unchanged"
    try:
        answer = verdict(text, taken(arrays))
    except (verify.Refused, KeyError, AttributeError):
        return "refused"
    if isinstance(answer, str) or not answer:
        return "refused"
    return excess(verify.parse_certificate(text)[0], arrays) or "holds"


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
