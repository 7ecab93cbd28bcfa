"""Judgments and certificates of every kind, made directly: nothing is fitted or learned here."""

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stocmv import ScoreMatrix, VoteMatrix, certify
from stocmv.bounds import BOUNDS, CatoniPerFold
from stocmv.certificate import Certificate, Costs, Guess, Judgments, TestedCertificate, certify_judgments
from stocmv.decisions import SelectiveCertificate, certify_selective
from stocmv.posteriors import BlocDirichlet, Dirichlet
from zoo import (
    answers,
    folds as problem_folds,
    posterior_near,
    prior_of,
    probabilities,
    risk_of,
    silent_problem,
    unjudged_problem,
)

LABELS = {
    "numbers": lambda k: 2 * np.arange(k) - 1,
    "words": lambda k: np.array([f"cläss {c}" for c in range(k)]),
    "yes or no": lambda k: np.array([False, True])[:k],
}
SUBGROUPS = np.array([("région", "east"), ("région", "north"), ("région", "west"), ("new", "no"), ("new", "yes")])
FREE = {
    "assumptions": ["The sun will rise."],
    "warnings": ["Rows 3 and 7 are the same."],
    "context": {"seed": 1},
}

# ---------------------------------------------------------------------------------------------------------- judgments


def judgments(
    n: int = 90,
    n_classes: int = 3,
    *,
    n_folds: int = 1,
    grouped: bool = False,
    drawn: bool = False,
    silent: bool = False,
    subgroups: bool = False,
    panel: bool = False,
    labels: str = "numbers",
    wrong: float = 0.15,
    seed: int = 0,
) -> Judgments:
    """A table whose answers are the more often right the higher their score; rows of a group are in one fold."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, max(n // 3, n_folds), n)
    group[:n_folds] = np.arange(n_folds)  # none of the folds is empty
    fold = np.sort(group % n_folds)
    group = group[np.argsort(group % n_folds, kind="stable")]
    truth = rng.integers(0, n_classes, n)
    is_right = rng.random(n) >= wrong
    answer = np.where(is_right, truth, (truth + rng.integers(1, max(n_classes, 2), n)) % n_classes)
    top = np.clip(rng.beta(np.where(is_right, 5, 2), 2), 1 / n_classes + 1e-3, 1.0)
    scores = np.repeat((1 - top)[:, None] / max(n_classes - 1, 1), n_classes, axis=1)
    scores[np.arange(n), answer] = top if n_classes > 1 else 1.0
    codes = np.column_stack([np.arange(n) % 3, 3 + (answer == truth) * (rng.random(n) < 0.7)]) if subgroups else None
    return Judgments(
        LABELS[labels](n_classes),
        truth.astype(np.uint8),
        answer.astype(np.uint8),
        fold.astype(np.uint8),
        scores=scores,
        loss=np.where(is_right, 1 - top, top) if drawn else None,
        group=group.astype(np.uint64) if grouped else None,
        silent=rng.random(n) < 0.05 if silent else None,
        row=rng.integers(0, 2**63, n).astype(np.uint64),
        subgroup=codes.astype(np.uint8) if subgroups else None,
        subgroups=SUBGROUPS if subgroups else None,
        votes=votes_of_panel(rng, truth, n_classes) if panel else None,
        voters=np.array(["ann", "bob", "cy", "eve"]) if panel else None,
    )


def votes_of_panel(rng: np.random.Generator, truth: NDArray, n_classes: int) -> NDArray:
    """Four voters: two that answer everything, one that mostly repeats the second, one that often does not answer."""
    n = len(truth)
    votes = np.where(rng.random((n, 4)) < 0.75, truth[:, None], rng.integers(0, n_classes, (n, 4)))
    votes[:, 2] = np.where(rng.random(n) < 0.8, votes[:, 1], votes[:, 2])
    votes[rng.random(n) < 0.4, 3] = n_classes
    return votes.astype(np.uint8)


def guesses(table: Judgments) -> list[Guess]:
    """What the other folds say of each fold's errors."""
    if table.n_folds == 1:
        return []
    others = [table.fold != k for k in range(table.n_folds)]
    return [Guess.of(table.wrong[rows], table.truth[rows], len(table.classes)) for rows in others]


def costs_of(table: Judgments, *, uneven: bool = True) -> Costs:
    """Wrong answers cost more the further they are from the right one, and even a right one costs something."""
    code = np.arange(len(table.classes))
    far = np.abs(code[:, None] - code) * (1 + code[:, None])
    return Costs(table.classes.tolist(), 1.0 + 2.5 * (far if uneven else far > 0))


def certified(table: Judgments, delta: float = 0.05, *, priced: bool = False, **settings: Any) -> TestedCertificate:
    costs = costs_of(table) if priced else None
    return certify_judgments(table, delta, guesses=guesses(table), costs=costs, **settings)


def protocol_of(table: Judgments) -> dict[str, Any]:
    judging = len(np.unique(table.group)) if table.grouped else len(table)
    return {"name": "folds" if table.n_folds > 1 else "holdout", "learning": 7, "judging": judging}


TABLES: dict[str, dict[str, Any]] = {
    "hold-out": {},
    "hold-out, stochastic": {"drawn": True, "n_classes": 2, "labels": "words"},
    "hold-out, groups": {"grouped": True},
    "hold-out, silent": {"silent": True, "labels": "yes or no", "n_classes": 2},
    "hold-out, groups, stochastic": {"grouped": True, "drawn": True, "n_classes": 2},
    "hold-out, subgroups": {"subgroups": True},
    "hold-out, groups, subgroups": {"grouped": True, "subgroups": True},
    "hold-out, panel": {"panel": True},
    "folds, groups, panel": {"n_folds": 2, "grouped": True, "panel": True, "silent": True},
    "folds": {"n_folds": 3},
    "folds, stochastic": {"n_folds": 2, "drawn": True, "n_classes": 2, "labels": "words"},
    "folds, groups": {"n_folds": 2, "grouped": True, "silent": True},
}
TESTED = {
    **{name: {"table": name, "per_class": True, "priced": True} for name in TABLES},
    "hold-out, bare": {"table": "hold-out"},
    "hold-out, one voter": {"table": "hold-out", "one_voter": True, "per_class": True},
    "folds, bare": {"table": "folds, groups"},
}
TARGETS = {"by error": {"max_error": 0.3}, "by coverage": {"min_coverage": 0.1}}
SELECTIVE = {
    f"{name}, {how}": (name, target)
    for name in ("hold-out", "hold-out, groups", "folds", "folds, groups")
    for how, target in TARGETS.items()
}


@cache
def table_of(name: str) -> Judgments:
    return judgments(**{"n": 240, "wrong": 0.08, **TABLES[name]}) if "groups" in name else judgments(**TABLES[name])


@cache
def judged(name: str) -> TestedCertificate:
    settings = dict(TESTED[name])
    table = table_of(settings.pop("table"))
    return certified(table, protocol=protocol_of(table), **settings, **FREE)


@cache
def selective(name: str) -> SelectiveCertificate:
    source, target = SELECTIVE[name]
    asked = {"max_error": None, "min_coverage": None, "delta": 0.3} | target
    return certify_selective(table_of(source), judged(source), **asked)


# ---------------------------------------------------------------------------------------------------------- PAC-Bayes


@cache
def good(n_classes: int = 2) -> list[VoteMatrix]:
    """Votes of voters that are rarely wrong, for which even a factor of four leaves a bound below one."""
    return [VoteMatrix.from_labels(*answers(400, np.full(6, 0.96), n_classes, seed=3))]


def folds(name: str) -> list[VoteMatrix]:
    """The votes of a problem, as a list of folds."""
    return good() if name == "good" else problem_folds(name)


@cache
def paid(
    name: str = "noisy",
    risk: str = "exact",
    kind: str = "dirichlet",
    bound: str = "seeger",
    per_class: bool = False,
    delta: float = 0.05,
    alternatives: int = 2,
):
    """The certificate of posteriors that stand beside the priors."""
    votes = folds(name)
    priors = [prior_of(kind, v.n_voters) for v in votes]
    posteriors = [posterior_near(prior, seed=k) for k, prior in enumerate(priors)]
    the_bound = BOUNDS[bound] if bound in BOUNDS else CatoniPerFold(tuple(np.linspace(0.8, 2.0, len(priors))))
    extras = {"per_class": per_class, "alternatives": alternatives, "context": FREE["context"]}
    return certify(votes, posteriors, priors, risk_of(risk), the_bound, delta, FREE["assumptions"], **extras)


@cache
def in_blocs(speak: bool, n_classes: int = 2):
    """Voters of whom some answer alike, and their certificate; one of each bloc speaks, or all vote."""
    said = folds("noisy" if n_classes == 2 else "three_classes")[0]
    copies = np.array([0, 1, 2, 3, 0, 1, 0, 2])
    votes = VoteMatrix.from_codes(said.answers()[:, copies], said.targets, said.classes)
    speakers = [4, 5, 7, 3] if speak else []
    posterior = BlocDirichlet(np.array([9.0, 4.0, 7.0, 2.0]), copies, speakers, np.linspace(0.5, 2, 8))
    prior = Dirichlet(np.linspace(0.5, 2, 8))
    return certify([votes], [posterior], [prior], risk_of("exact"), BOUNDS["seeger"], 0.05, per_class=True), [votes]


@cache
def with_gaps(n_classes: int):
    """Voters that do not answer everything, in two folds, and their certificate."""
    whole = silent_problem(n_classes)
    votes = [whole.take(np.arange(30)), whole.take(np.arange(30, 60))]
    posteriors = [Dirichlet(1 + np.random.default_rng(seed).gamma(1.0, 1.0, 7)) for seed in (0, 1)]
    priors = [Dirichlet(np.ones(7))] * 2
    return certify(votes, posteriors, priors, risk_of("exact"), BOUNDS["seeger"], 0.05, per_class=True), votes


@cache
def softly(n_classes: int, n_folds: int = 1, n_voters: int = 5):
    """Voters that answer with probabilities, and their certificate."""
    skills, classes = np.linspace(0, 2, n_voters), np.arange(n_classes)
    answered = [probabilities(60, skills, n_classes, seed) for seed in range(n_folds)]
    votes = [ScoreMatrix.from_probabilities(*each, classes) for each in answered]
    posteriors = [Dirichlet(1 + np.random.default_rng(k).gamma(2.0, 2.0, n_voters)) for k in range(n_folds)]
    priors = [Dirichlet(np.ones(n_voters))] * n_folds
    per_class = n_folds > 1
    return certify(votes, posteriors, priors, risk_of("soft"), BOUNDS["seeger"], 0.05, per_class=per_class), votes


@cache
def out_of_bag(risk: str, n_unlabelled: int = 0):
    """Voters that each have examples of their own that judge them, and their certificate."""
    votes, prior = unjudged_problem(2), prior_of("categorical", 9)
    if n_unlabelled:
        votes = votes.with_unlabelled(np.random.default_rng(0).integers(0, 2, (n_unlabelled, 9)))
    return certify([votes], [posterior_near(prior)], [prior], risk_of(risk), BOUNDS["seeger"], 0.05), [votes]


PAID = {
    "two classes": {"name": "noisy", "per_class": True},
    "three classes": {"name": "three_classes", "bound": "mcallester"},
    "two folds": {"name": "two_folds", "bound": "catoni", "alternatives": 3},
    "three folds": {"name": "three_folds", "bound": "catoni_per_fold", "per_class": True},
    "merged rows": {"name": "merged", "per_class": True},
    "half": {"name": "ten_classes", "risk": "half", "bound": "seeger_2sqrt"},
    "first order": {"name": "good", "risk": "first_order", "kind": "categorical"},
    "first order of a Dirichlet": {"name": "good", "risk": "first_order"},
    "second order": {"name": "good", "risk": "second_order", "kind": "categorical"},
    "second order of a Dirichlet": {"name": "good", "risk": "second_order"},
    "binomial": {"name": "good", "risk": "binomial", "kind": "categorical"},
    "C-bound": {"name": "good", "risk": "c_bound", "kind": "categorical"},
    "CCTND": {"name": "good", "risk": "cctnd", "kind": "categorical", "bound": "lambda"},
    "CCPBB": {"name": "good", "risk": "ccpbb", "kind": "categorical"},
    "CCPBB, folds": {"name": "three_folds", "risk": "ccpbb", "kind": "categorical"},
    "CCPBSkl": {"name": "good", "risk": "ccpbskl", "kind": "categorical"},
    "Monte Carlo": {"name": "noisy", "risk": "mc"},
    "logit-normal": {"name": "good", "risk": "mc", "kind": "logit_normal"},
    "logit-normal, folds": {"name": "three_folds", "risk": "mc", "kind": "logit_normal"},
    "one voter": {"name": "one_voter", "per_class": True},
}

# ---------------------------------------------------------------------------------------------------------------- all


def _tested(name: str) -> tuple[Certificate, Judgments]:
    return judged(name), table_of(TESTED[name]["table"])


def _selective(name: str) -> tuple[Certificate, Judgments]:
    return selective(name), table_of(SELECTIVE[name][0])


def _paid(name: str) -> tuple[Certificate, Sequence[VoteMatrix]]:
    return paid(**PAID[name]), folds(PAID[name]["name"])


EVERY = {
    **{f"tested: {name}": partial(_tested, name) for name in TESTED},
    **{f"selective: {name}": partial(_selective, name) for name in SELECTIVE},
    **{f"PAC-Bayes: {name}": partial(_paid, name) for name in PAID},
    "PAC-Bayes: blocs": partial(in_blocs, speak=False),
    "PAC-Bayes: blocs with speakers": partial(in_blocs, speak=True),
    "PAC-Bayes: silent, two classes": partial(with_gaps, 2),
    "PAC-Bayes: silent, three classes": partial(with_gaps, 3),
    "PAC-Bayes: soft, two classes": partial(softly, 2),
    "PAC-Bayes: soft, folds": partial(softly, 2, 2),
    "PAC-Bayes: soft, three classes": partial(softly, 3),
    "PAC-Bayes: soft, one voter": partial(softly, 2, n_voters=1),
    "PAC-Bayes: out of bag": partial(out_of_bag, "c_bound"),
    "PAC-Bayes: out of bag, CCPBB": partial(out_of_bag, "ccpbb"),
    "PAC-Bayes: disagreement, unlabelled examples": partial(out_of_bag, "disagreement", n_unlabelled=50),
}
ONE_OF_EACH = {
    "panel": "tested: hold-out, panel",
    "subgroups": "tested: hold-out, subgroups",
    "tested": "tested: hold-out, stochastic",
    "folds": "tested: folds",
    "selective": "selective: folds, by error",
    "PAC-Bayes": "PAC-Bayes: three folds",
}


def made(which: str):
    """A certificate and its evidence: judgments, or a list of votes."""
    return EVERY[which]()


@cache
def verified(which: str):
    """What the verifier says to the honest certificate."""
    certificate, evidence = made(which)
    return certificate.verify(evidence)
