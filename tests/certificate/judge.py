"""The judge of forgeries: what the package issues for the same evidence and the same free choices.

A certificate says more than its evidence if it has a figure that is better than the issued one, or another fact. Free
choices are delta, costs, targets and thresholds that tests reach, weights, priors, and constants that are proven; that
they are is found here by other means than the verifier's.
"""

import contextlib
import functools
import math
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.stats import binom

from certificate.forging import Content, content_of
from stocmv import ScoreMatrix, VoteMatrix, certify, verify
from stocmv.bounds import Bennett, Catoni, CatoniPerFold, FoldTest, Lambda, McAllester, Seeger, _one_sample
from stocmv.certificate import Costs, Guess, Judgments, _fixed_vote, _pac_bayes, _partition, certify_judgments
from stocmv.decisions import certify_selective
from stocmv.decisions._tally import tally
from stocmv.decisions._threshold_tests import FEW, NEVER, STARTS, THRESHOLDS, FoldTests, FoldThreshold
from stocmv.posteriors import POSTERIORS, BlocDirichlet, Dirichlet
from stocmv.risks import RISKS
from stocmv.votes import OutOfBagVotes

HIGHER, LOWER = 1, -1  # figures that must not be below, or above, those that are issued
ROUNDING, COARSER = 2e-8, 1e-4  # how far the package may round a figure up; and where concentrations exceed a million
HEADERS = ("classes", "subgroups", "voters")  # columns that have no row for each example
FREE = ("context", "warnings", "further_assumptions")
ERRORS = (ValueError, TypeError, KeyError, ArithmeticError, AttributeError, IndexError, StopIteration, AssertionError)
BOUND_KINDS = {kind.name: kind for kind in (Seeger, Catoni, CatoniPerFold, McAllester, Lambda, Bennett)}


def excess(content: Content, evidence: Any) -> str:
    """What a certificate says beyond what the package issues for this evidence; empty if nothing."""
    least = [(_one_sample, "_ROUNDING", 0.0), (_partition, "_TIE", verify.NEARLY[0])]
    try:
        with contextlib.ExitStack() as stack:  # the least that rounding asks for: the package is more careful
            for place in least:
                stack.enter_context(patch.object(*place))
            with np.errstate(all="ignore"):
                theirs = issued(content, evidence)
    except ERRORS as error:
        return f"the package issues nothing for this evidence: {type(error).__name__}: {error}"
    ours, theirs = (dict(leaves(facts(c))) for c in (content, theirs))
    if ours.keys() != theirs.keys():
        return f"fields: {sorted(map(str, ours.keys() ^ theirs.keys()))[:3]}"
    span = float(np.ptp(content["figures"]["cost"]["matrix"])) if "cost" in content["figures"] else 1.0
    scale = content["figures"].get("deterministic_vote", {}).get("scale", 1.0)
    total = max((scale * sum(p.get("alpha", [0.0])) for p in content.get("posteriors", [])), default=0.0)
    room = COARSER if total > 1e6 else ROUNDING
    better = (path for path in theirs if is_better(path, ours[path], theirs[path], room, span))
    return next((f"{path}: {ours[path]!r}, issued {theirs[path]!r}" for path in better), "")


def facts(content: Content) -> Content:
    """What is not free; a claim of which there is one has no need to say so, and their order says nothing."""
    claims = [{**x, "among": {what: n for what, n in x["among"].items() if n != 1}} for x in content["claims"]]
    claims.sort(key=lambda x: (x["name"], x["pays_for"]))
    return {name: value for name, value in content.items() if name not in FREE} | {"claims": claims}


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
    side, size = side_of(path), span if "cost" in path else max(1.0, abs(theirs))
    room = COARSER if "baseline" in path else room
    return bool((side * (ours - theirs) if side else -abs(ours - theirs)) < -room * size - 2 * math.ulp(theirs))


def side_of(path: tuple) -> int:
    """Whether more is worse, or less; 0 if nothing else will do."""
    if path[0] != "figures" or "baseline" in path or "fold_test" in path:
        return 0
    if path[-2] == "moments":  # risks and, every other one, disagreements and the like
        return LOWER if path[-1] % 2 else HIGHER
    if path[-1] == "coverage" or path[1] in ("precision", "f1", "recalls", "coverage"):
        return LOWER if path[-1] in ("coverage", "measured", "bound") else 0
    if path[1] == "subgroups" and path[-1] == "lower":
        return LOWER
    risks = ("bound", "upper", "stochastic_bound", "kl", "empirical_risk", "stochastic_risk", "measured")
    return HIGHER if path[-1] in risks else 0


def issued(content: Content, evidence: Any) -> Content:
    """What the package issues for this evidence with the choices that the certificate states."""
    if content["format"] == verify.PAC_BAYES:
        kinds = [
            ScoreMatrix if "margins" in part else OutOfBagVotes if "judged" in part else VoteMatrix for part in evidence
        ]
        return issued_paid(content, [kind._from_arrays(dict(part)) for kind, part in zip(kinds, evidence, strict=True)])
    table = Judgments(**evidence)
    if not is_table(table):
        raise ValueError("this is no table of judgments")
    return (issued_selective if content["format"] == verify.SELECTIVE else issued_test)(content, table)


def further(content: Content) -> dict[str, Any]:
    """What is free or cannot be known, as it is stated."""
    protocol = content["protocol"]
    if protocol and protocol["judging"] != content["n"]:
        raise ValueError("another number of judges")
    return {"protocol": protocol, "unproven": ()}


def is_table(table: Judgments) -> bool:
    """Row by row, whether this is what judgments look like."""
    k, labels = len(table.classes), table.classes.tolist()
    rows = range(len(table))
    folds, groups = table.fold.tolist(), [None] if table.group is None else table.group.tolist()
    scores = [[1.0]] if table.scores is None else table.scores.tolist()
    return (
        len(rows) > 0
        and labels == sorted(set(labels))
        and all(int(table.truth[i]) in range(k) and int(table.answer[i]) in range(k) for i in rows)
        and folds == sorted(folds)
        and set(folds) == set(range(max(folds) + 1))
        and all(0 <= x <= 1 for x in ([0.0] if table.loss is None else table.loss.tolist()))
        and all(0 <= x <= 1 for row in scores for x in row)
        and all(abs(sum(row) - 1) < 2e-6 for row in scores)
        and (table.group is None or len(set(zip(groups, folds, strict=True))) == len(set(groups)))
        and all(len(column) == len(rows) for name, column in table.columns().items() if name not in HEADERS)
        and has_subgroups(table)
        and has_panel(table)
    )


def has_panel(table: Judgments) -> bool:
    """Whether there is none, or each voter has a name of its own and in each row a code: a class, or no answer."""
    if table.votes is None or table.voters is None:
        return table.votes is table.voters
    names, codes = table.voters.tolist(), range(len(table.classes) + 1)
    return (
        len(set(names)) == len(names) > 1
        and all(type(name) is str for name in names)
        and all(len(row) == len(names) and all(code in codes for code in row) for row in table.votes.tolist())
    )


def has_subgroups(table: Judgments) -> bool:
    """Whether there are none, or each of the named ones is a value of its attribute for some row."""
    if table.subgroup is None or table.subgroups is None:
        return table.subgroup is table.subgroups
    names, codes = table.subgroups.tolist(), table.subgroup.tolist()
    columns = [{row[k] for row in codes} for k in range(len(codes[0]))]
    attributes = [{names[code][0] for code in column} for column in columns]
    return (
        sorted(code for column in columns for code in column) == list(range(len(names)))
        and len({tuple(name) for name in names}) == len(names)
        and all(len(name) == 2 and all(type(text) is str for text in name) for name in names)
        and all(len(own) == 1 for own in attributes)
        and len(set.union(*attributes)) == len(attributes)
    )


# ------------------------------------------------------------------------------------------------------------- tested


def issued_test(c: Content, table: Judgments) -> Content:
    """With the constants of the fold test as they are stated: which are chosen is free, if they are proven."""
    figures = c["figures"]
    entries = [*figures.get("classes", []), *figures.get("precision", []), figures.get("cost", {})]
    stated = [c["fold_test"], *(entry.get("fold_test", {}) for entry in entries)]
    left = [FoldTest(*(tuple(s[name]) for name in ("slope", "offset", "scale"))) for s in stated if s]
    shares = left[0].shares if left else None

    def choose(errors, sizes, delta, scale=None):
        test = left.pop(0)
        for k, n in enumerate(sizes):
            if not is_proven(test.slope[k], test.offset[k], test.scale[k], n, delta):
                raise ValueError("not proven")
        if scale is not None and not np.allclose(test.shares, shares, rtol=0, atol=1e-12):
            raise ValueError("other shares than those of all examples")
        return test

    if c["has_one_voter"] and table.loss is not None:
        raise ValueError("a single voter has no other vote")
    if c["voting"] != "hard" and table.votes is not None:
        raise ValueError("the voters of a panel answer with classes")
    cost, k = figures.get("cost"), len(table.classes)
    with patch.object(FoldTest, "choose", choose):
        made = certify_judgments(
            table,
            c["delta"],
            guesses=[Guess(np.zeros(k), np.ones(k))] * table.n_folds,
            per_class="classes" in figures,
            costs=None if cost is None else Costs(cost["classes"], np.array(cost["matrix"], float)),
            one_voter=c["has_one_voter"],
            voting=c["voting"],
            **further(c),
        )
    if left or (cost and not all(row[i] == min(row) for i, row in enumerate(cost["matrix"]))):
        raise ValueError("more constants than are used, or a wrong answer that costs less than the right one")
    return content_of(made) | {"context": c["context"]}


@functools.cache
def is_proven(slope: float, offset: float, scale: float, n: int, delta: float) -> bool:
    """Whether the fold test holds with these constants, by the sum over all counts at many true errors."""
    p, counts = np.linspace(0, 1, 2001)[:, None], np.arange(n + 1)
    excess = (binom.pmf(counts, n, p) * np.maximum(p - slope * counts / n - offset, 0)).sum(1)
    return slope >= 1 and offset >= 0 and scale > 0 and bool(excess.max() <= delta * scale * (1 + 1e-8))


# ---------------------------------------------------------------------------------------------------------- selective


def issued_selective(c: Content, table: Judgments) -> Content:
    """At the thresholds that are stated, if tests reach them; the shares of the folds are free."""
    if c["has_one_voter"] and table.loss is not None:
        raise ValueError("a single voter has no other vote")
    shares = np.array(c["fold_shares"])
    if min(shares) <= 0 or abs(shares.sum() - 1) > 1e-11:
        raise ValueError("these are no shares")
    by_error = "max_error" in c["target"]
    sizes = [tally(fold, THRESHOLDS).n for fold in table.folds()]
    vote = SimpleNamespace(
        **{name: c[name] for name in ("fold_shares", "has_one_voter", "delta", "context", "voting")},
        **{"n": sum(sizes), "fold_sizes": tuple(sizes), "grouped": table.grouped, **further(c)},
        abstains=table.silent is not None,
        evidence=table.digest(),
        judgments=lambda evidence: evidence,
        further_assumptions=(),
        warnings=(),
    )
    stated = iter(c["thresholds"])

    def reached(self, max_error):
        threshold = next(stated)
        if threshold == NEVER:
            return FoldThreshold(NEVER, max_error, 0.0)
        place = THRESHOLDS.index(threshold)
        starts = [(start, share) for start, share in STARTS.items() if THRESHOLDS.index(start) <= place]
        if not any(self._last_passed(*start, max_error) >= place for start in starts):
            raise ValueError("the tests do not reach this threshold")
        return FoldThreshold(threshold, max_error, self.coverage(place, len(THRESHOLDS)))

    def tried(self, min_coverage):
        if (threshold := next(stated)) not in FEW:
            raise ValueError("a threshold that nobody tried")
        return self.tried(threshold)

    target = {"max_error": None, "min_coverage": None, "delta": c["delta"]} | c["target"]
    with (
        patch.object(FoldTests, "meet_error", reached),
        patch.object(FoldTests, "meet_coverage", tried),
    ):
        made = certify_selective(table, vote, **target)
    if not by_error and made.coverage < c["target"]["min_coverage"] - ROUNDING:
        raise ValueError("less coverage than was asked for")
    return content_of(made)


# ---------------------------------------------------------------------------------------------------------- PAC-Bayes


def issued_paid(c: Content, votes: list[VoteMatrix | ScoreMatrix]) -> Content:
    posteriors, priors = distributions(c), distributions(c, "priors")
    bound = bound_of(dict(c["bound_settings"]))
    own = {"bound": bound} if c["risk"] == "ccpbb" and isinstance(bound, Bennett) else {}
    risk = type(RISKS[c["risk"]])(**c["risk_settings"], **own)
    extras = {"per_class": "classes" in c["figures"], "alternatives": c["alternatives"], **further(c)}
    stated = chosen(c["figures"]["deterministic_vote"])
    with patch.object(_pac_bayes, "choose_fixed_vote", stated):
        return content_of(certify(votes, posteriors, priors, risk, bound, c["delta"], **extras))


def distributions(c: Content, field: str = "posteriors") -> list[Any]:
    kinds = {**POSTERIORS, verify.BLOCS: BlocDirichlet if field == "posteriors" else Dirichlet}
    kind = kinds[c["posterior"]]
    return [kind(**{name: np.array(values) for name, values in p.items()}) for p in c[field]]


def bound_of(settings: dict[str, Any]):
    kind = BOUND_KINDS[settings.pop("name")]
    return kind(**{name: tuple(v) if isinstance(v, list) else v for name, v in settings.items()})


def chosen(fixed_vote: dict[str, Any]):
    """Margin, scale and leak as they are stated: which are chosen is free."""

    def choose(votes, samples, posteriors, priors, bound, share):
        posteriors = [_fixed_vote.as_voted(p) for p in posteriors]
        speak = any(_fixed_vote._has_speakers(p) for p in posteriors)
        grid, leak = _fixed_vote.margins_for(posteriors), _fixed_vote.Leak(fixed_vote["leak"], fixed_vote["heavy"])
        if fixed_vote["margin"] not in grid or (leak != _fixed_vote.Leak()) != speak or not 0 <= leak.share < 0.5:
            raise ValueError("another margin, or a leak that is not allowed")
        silent = any(v.abstains for v in votes)
        contests = [
            _partition.ScoreContests(float(p.alpha.sum()), p.n_voters)
            if v.soft
            else _partition.closest_contests(p.alpha, v.n_classes or 2, silent)
            for p, v in zip(posteriors, votes, strict=True)
        ]
        return _fixed_vote._evaluate(
            votes, posteriors, priors, contests, fixed_vote["margin"], fixed_vote["scale"], leak, len(grid)
        )

    return choose
