"""Every way to predict with a fitted vote, and every figure of its certificate that speaks of it."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stocmv import Certificate, MajorityVoteClassifier
from stocmv.decisions import NotCertified, SelectiveVote
from validity.trials import draws_to_catch, most_violations
from validity.worlds import Errors, World

N_VOTES_DRAWN = 6
LEAK = 0.5  # how often a bound is false that is no more than the measured error: voters that have seen their judges
# risks whose bound speaks of the weighted vote
WEIGHTED_VOTE = (
    "first_order",
    "second_order",
    "binomial",
    "c_bound",
    "cctnd",
    "ccpbb",
    "ccpbskl",
    "disagreement",
)
ROOM = 1e-9  # below a threshold, where weights that reach it exactly are rounded


class Claim(NamedTuple):
    """A figure of a certificate, and the truth, which is given the benefit of its own error."""

    truth: float
    bound: float

    @property
    def is_false(self) -> bool:
        return self.truth > self.bound


Claims = dict[str, Claim]  # by the way to predict and the figure
NOTHING = Claim(0.0, 1.0)  # where nothing is certified


def claims(clf: MajorityVoteClassifier, world: World, seed: int) -> Claims:
    """All that its certificate says of a fitted vote, except for the precision of groups.

    What the classifier refuses to do is no claim.
    """
    certificate, answers = clf.certificate_, mean_answers(clf, world)
    errors = world.errors(answers)
    found = {"predict, bound": Claim(errors.overall, certificate.bound)} | baseline_claims(clf, world)
    if getattr(certificate, "risk", None) in WEIGHTED_VOTE:
        found["predict, stochastic_bound"] = Claim(errors.overall, certificate.stochastic_bound)
    found |= _class_claims("predict", certificate, errors, "bound") | _decision_claims(certificate, world, answers)
    if getattr(certificate, "subgroups", {}):
        found |= _subgroup_claims(certificate, world, answers)
    if certificate.covers_drawn:
        found |= _stochastic_claims(clf, world, seed) | _drawn_claims(clf, world, seed)
    return found


def baseline_claims(clf: MajorityVoteClassifier, world: World) -> Claims:
    """Always the same answer, which was chosen on the examples."""
    always = np.full(len(world.points), int(clf.certificate_.baseline["label"]))
    return {"baseline": Claim(world.errors(world.answers(always)).overall, clf.certificate_.baseline["bound"])}


def subgroups_of(X: NDArray) -> dict[str, NDArray]:
    """Two attributes that overlap: what the first feature tells, and a rare value of the last."""
    return {"first": X[:, 0] > 0.5, "last": np.where(X[:, -1] < 0.15, "low", "high")}


def _subgroup_claims(certificate: Any, world: World, answers: NDArray) -> Claims:
    """Each subgroup has a claim of its own; the intervals of all of them hold at once."""
    attributes, found, at_once = subgroups_of(world.points), {}, []
    for entry in certificate.subgroups["entries"]:
        wrong, right = world.shares_in(answers, attributes[entry["attribute"]].astype(str) == entry["value"])
        found[f"subgroup {entry['attribute']} = {entry['value']}"] = Claim(wrong, entry["bound"])
        at_once += [Claim(wrong, entry["upper"]), Claim(right, 1 - entry["lower"])]
    return found | {"subgroups at once": worst(at_once)}


def _decision_claims(certificate: Any, world: World, answers: NDArray) -> Claims:
    """Precision, F1 and mean cost, where they are certified."""
    found = {}
    if getattr(certificate, "precisions", ()) and not certificate.grouped:
        wrong = world.errors_among(answers)
        entries = ((int(e["label"]), e["bound"]) for e in certificate.precisions)
        found["precision"] = worst([Claim(wrong[label], 1 - bound) for label, bound in entries])
    if getattr(certificate, "f1_scores", ()):
        missing = world.missing_f1(answers)
        found["f1"] = worst([Claim(missing[int(e["label"])], 1 - e["bound"]) for e in certificate.f1_scores])
    if getattr(certificate, "cost", {}):
        cost, matrix = certificate.cost, np.array(certificate.cost["matrix"])
        largest = matrix.max()
        found["mean cost"] = Claim(world.mean_cost(answers, matrix) / largest, cost["bound"] / largest)
        always = world.answers(np.full(len(world.points), int(cost["baseline"]["label"])))
        found["cost of one answer"] = Claim(
            world.mean_cost(always, matrix) / largest, cost["baseline"]["bound"] / largest
        )
    return found


def _stochastic_claims(clf: MajorityVoteClassifier, world: World, seed: int) -> Claims:
    errors, certificate = stochastic_errors(clf, world, seed), clf.certificate_
    found = {"predict_stochastic, stochastic_bound": Claim(errors.overall, stochastic_bound(certificate))}
    figure = "bound" if certificate.stochastic_bound is None else "stochastic_bound"
    return found | _class_claims("predict_stochastic", certificate, errors, figure)


def stochastic_bound(certificate: Certificate) -> float:
    """The bound on what `predict_stochastic` does: a single voter answers the same as in `predict`."""
    return certificate.bound if certificate.stochastic_bound is None else certificate.stochastic_bound


def _drawn_claims(clf: MajorityVoteClassifier, world: World, seed: int) -> Claims:
    return {"draw, stochastic_bound": Claim(drawn_error(clf, world, seed), stochastic_bound(clf.certificate_))}


def _class_claims(way: str, certificate: Certificate, errors: Errors, figure: str) -> Claims:
    each = [Claim(float(errors.by_class[int(c["label"])]), c[figure]) for c in certificate.per_class]
    return {f"{way}, {figure} by class": worst(each)} if each else {}


def worst(claims: list[Claim]) -> Claim:
    """Of claims that hold all at once: the one that is closest to being false speaks for all."""
    return max(claims, key=lambda claim: claim.truth - claim.bound)


def selective_claims(clf: MajorityVoteClassifier, world: World, **target: float) -> Claims:
    """Error among the answers and coverage, which hold at once; where nothing is certified, nothing is false."""
    name = f"selective, {next(iter(target))}"
    try:
        sure = clf.selective(**target)
    except NotCertified:
        return {name: NOTHING}
    certificate = sure.certificate_
    error, silence = world.errors_of_some(*sure_answers(sure, clf, world))
    return {name: worst([Claim(error, certificate.bound), Claim(silence, 1 - certificate.coverage)])}


def mean_answers(clf: MajorityVoteClassifier, world: World) -> NDArray:
    """Probabilities of what `predict` answers: as it is for continuous features, else on average over its key.

    A key gives every point to one of the folds. Over many points that evens out; over nine it does not, and the
    certificate promises the average.
    """
    if not world.is_exact:
        return world.answers(clf.predict(world.points))
    by_fold = clf.classes_[np.stack([reply.answers for reply in replies(clf, world)])]
    assert np.all((by_fold == clf.predict(world.points)).any(0)), "predict answers as none of the folds does"
    return np.tensordot(shares(clf), world.answers(by_fold), axes=1)


def sure_answers(sure: SelectiveVote, clf: MajorityVoteClassifier, world: World) -> tuple[NDArray, NDArray]:
    """Probabilities of the answers of a vote that may be silent, (n_points, n_classes), and of any answer at all."""
    if not world.is_exact:
        answered = sure.answers(world.points).astype(float)
        return world.answers(clf.predict(world.points)) * answered[:, None], answered
    answers, answered = 0.0, 0.0
    for share, reply, threshold in zip(shares(clf), replies(clf, world), sure.certificate_.thresholds, strict=True):
        score = np.take_along_axis(reply.scores, reply.answers[:, None], 1)[:, 0]
        reached = share * (score >= threshold - ROOM)
        answers = answers + world.answers(clf.classes_[reply.answers]) * reached[:, None]
        answered = answered + reached
    return answers, answered


def stochastic_errors(clf: MajorityVoteClassifier, world: World, seed: int) -> Errors:
    """Errors of `predict_stochastic`, by the probabilities of its answers, which some answers are compared with."""
    drawn = clf.predict_stochastic(world.crowd.points, random_state=seed)
    answers = np.zeros(world.p_y.shape)
    answers[:, clf.classes_] = np.minimum(clf.predict_stochastic_proba(world.points), 1.0)  # the shares' sum rounds
    expected = np.repeat(answers, len(drawn) // len(answers), axis=0)
    spread = np.sqrt((expected * (1 - expected)).sum(0))
    surplus = np.abs((world.answers(drawn) - expected).sum(0))
    assert np.all(surplus <= 6 * spread + 6), "predict_stochastic does not answer as predict_stochastic_proba says"
    return world.errors(answers)


def drawn_error(clf: MajorityVoteClassifier, world: World, seed: int) -> float:
    """Error of a vote that `draw` gives, on average over the draw."""
    return world.mean_error(np.stack([clf.draw(seed + i).predict(world.points) for i in range(N_VOTES_DRAWN)]))


def shares(clf: MajorityVoteClassifier) -> NDArray:
    """Probability of each fold."""
    return np.array(clf.certificate_.fold_shares)


def replies(clf: MajorityVoteClassifier, world: World) -> list[Any]:
    """What the vote of each fold says; `tests/protocols/test_judging.py` compares this with other implementations."""
    return clf._each_fold("ask", world.points)


Trial = Callable[[Any, int], Claims]  # (variant, seed) -> claims of one fit


def check(
    row: str,
    trial: Trial,
    delta: float,
    variants: Sequence[Any] = ("",),
    rate: float = LEAK,
    by: Callable[[Any], str] = str,
    telling: float = 0.2,
) -> None:
    """Draw samples, the variants in turn, and count false claims: of all of them, and of each group of variants.

    There are so many draws that a path whose claims fail at this ``rate`` is caught, and that a group alone is caught
    if its voters have seen their judges. At least the share ``telling`` of the bounds must be below one.
    """
    names = [by(variant) for variant in variants]
    sizes = {name: names.count(name) for name in names}
    times = max(draws_to_catch(rate, delta) / len(names), draws_to_catch(LEAK, delta) / min(sizes.values()))
    found = run(trial, variants, math.ceil(times) * len(variants))
    report(row, found, delta)
    empty = [what for what, tried in by_figure(found).items() if np.mean([c.bound < 1 for c in tried]) < telling]
    assert not empty, f"{row}: little is tested, most bounds are 1: {'; '.join(empty)}"
    groups = {name: [one for i, one in enumerate(found) if names[i % len(names)] == name] for name in sizes}
    counted = {"all": found} | groups
    false = [f"{what} ({name})" for name, own in counted.items() for what in false_too_often(own, delta)]
    assert not false, f"{row}: false too often: {'; '.join(false)}"


def run(trial: Trial, variants: Sequence[Any], n_draws: int) -> list[Claims]:
    return [trial(variants[i % len(variants)], i) for i in range(n_draws)]


def false_too_often(found: list[Claims], delta: float) -> list[str]:
    """Names of the figures that are false more often than chance would have it."""
    counts = {name: (sum(c.is_false for c in tried), len(tried)) for name, tried in by_figure(found).items()}
    return [name for name, (false, n) in counts.items() if false > most_violations(n, delta)]


def by_figure(found: list[Claims]) -> dict[str, list[Claim]]:
    names = dict.fromkeys(name for one in found for name in one)
    return {name: [one[name] for one in found if name in one] for name in names}


def report(row: str, found: list[Claims], delta: float) -> None:
    """One line for each figure; ``-s`` shows them."""
    for name, tried in by_figure(found).items():
        false, bound, truth = np.mean([[c.is_false, c.bound, c.truth] for c in tried], axis=0)
        counted = f"false for {false:.1%} of {len(tried)}, {delta:.0%} may"
        print(f"{row}: {name}: {counted}; mean bound {bound:.3f}, mean truth {truth:.3f}")
