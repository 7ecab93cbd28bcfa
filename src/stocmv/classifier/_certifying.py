"""The certificate of a vote, after its weights are learned if that is done on the judging examples."""

import math
import platform
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy
import sklearn

from ..certificate import Certificate, Costs, certify_tested, percent, share
from ..checks import OrderTest
from ..learning import History, Learned, learn, named, posterior_kind
from ..posteriors import Posterior
from ..progress import logger, stage
from ..protocols import (
    CrossFit,
    Examples,
    Recipe,
    choose_bound,
    choose_priors,
    choose_solver,
    is_auto,
    risk_name,
)
from ..risks import RISKS, Risk
from ..voters import unused_settings

if TYPE_CHECKING:
    from ._classifier import MajorityVoteClassifier


class CertifiedVote(NamedTuple):
    """The weights of a vote, how they were learned, the certificate, and the test of the rows' order."""

    posteriors: list[Posterior]
    history: History
    certificate: Certificate
    order_test: OrderTest | None


def certify_vote(
    clf: "MajorityVoteClassifier",
    examples: Examples,
    recipe: Recipe,
    fitted: CrossFit,
    costs: Costs | None,
    rng: np.random.RandomState,
) -> CertifiedVote:
    """Certify what was cross-fitted, as the parameters of the classifier ask; adds the seconds to its timings."""
    began = time.perf_counter()
    source = examples.source
    assumptions = (*source.assumptions, *_assumptions(clf, examples, recipe, fitted))
    if recipe.weighs:
        posteriors: list[Posterior] = [m.posterior for m in fitted.made]  # type: ignore[misc]
        history = History.joined([m.history for m in fitted.made])
        with stage("certifying"):
            certificate = certify_tested(
                fitted.votes,
                posteriors,
                clf.delta,
                [m.expected for m in fitted.made if m.expected is not None],
                assumptions,
                per_class=clf.per_class,
                cost=costs,
            )
    else:
        learned = _learned_on_judges(clf, recipe, fitted, rng, assumptions)
        posteriors, history = list(learned.posterior), learned.history  # type: ignore[arg-type]
        certificate = learned.certificate
    fitted.timings["certificate"] = time.perf_counter() - began
    logger.info("certified in %.1f s: bound %.4f", fitted.timings["certificate"], certificate.bound)
    order_test = examples.order_test(fitted.votes, posteriors)
    doubts = (examples.doubt, None if order_test is None else order_test.doubt)
    certificate = replace(
        certificate,
        context=_context(clf, recipe, fitted, history, certificate.n),
        unproven=(*certificate.unproven, *(() if source.proven else ("the voters",))),
        warnings=tuple(doubt for doubt in doubts if doubt is not None),
    )
    return CertifiedVote(posteriors, history, certificate, order_test)


def _learned_on_judges(
    clf: "MajorityVoteClassifier",
    recipe: Recipe,
    fitted: CrossFit,
    rng: np.random.RandomState,
    assumptions: Sequence[str],
) -> Learned:
    """Learn the weights on the judging examples; of several priors keep the best, with delta shared among all."""
    votes, source = fitted.votes, recipe.source
    kind = posterior_kind(clf.posterior, named(clf.risk, RISKS, Risk, "risk"))
    priors = choose_priors(clf.prior, kind, source)
    if all(v.n_voters == 1 for v in votes):
        priors = priors[:1]  # nothing to choose
    expected = [None if m.expected is None else m.expected.overall for m in fitted.made]
    sizes = [v.n_examples for v in votes]
    seed = rng.randint(2**31 - 1)
    candidates = [
        learn(
            votes,
            risk=clf.risk,
            posterior=clf.posterior,
            prior=prior,
            bound=choose_bound(clf.bound, sizes, expected, share(clf.delta, priors=len(priors))),
            delta=clf.delta,
            solver=choose_solver(clf.solver, clf.risk, source),
            random_state=seed,
            device=clf.device,
            assumptions=assumptions,
            per_class=clf.per_class,
            alternatives=len(priors),
        )
        for prior in priors
    ]
    return min(candidates, key=lambda learned: learned.certificate.stochastic_bound)


def _assumptions(clf: "MajorityVoteClassifier", examples: Examples, recipe: Recipe, fitted: CrossFit) -> Iterator[str]:
    """Assumptions of the certificate that are specific to these voters and examples."""
    votes, source = fitted.votes, recipe.source
    yield "A voter's answer to an example does not depend on the examples that it is asked together with."
    # Given the classes of its rows, a group is no longer a random draw; and given an answer, its class is random.
    # So the number of classes must not depend on the examples.
    classes_matter = clf.per_class and (votes[0].grouped or recipe.weighs)
    if classes_matter or (not source.learns and source.labels() is None):
        yield "The set of classes was known before, and not taken from these examples."
    if not recipe.weighs and source.learns and all(v.n_voters == 1 for v in votes):
        yield "That each fold has one voter was known before: the number of voters does not depend on the examples."
    if len(votes) > 1:
        yield (
            "Where the folds disagree, predict gives an example to one of them by a hash of its features with a "
            "key that fit drew; its bound is on the average over that key. Over the keys the error of predict has "
            f"a standard deviation of at most about {percent(math.sqrt(examples.fingerprints.may_coincide) / 2)}."
        )


def _context(
    clf: "MajorityVoteClassifier", recipe: Recipe, fitted: CrossFit, history: History, n: int
) -> dict[str, Any]:
    from .. import __version__

    return {
        "voters": " ".join(filter(None, (recipe.source.describe(), unused_settings(clf.voters)))),
        "weights": _how_weighted(clf, recipe, history),
        "n_features": getattr(clf, "n_features_in_", None),
        "classes": [str(label) for label in recipe.classes],
        "random_state": clf.random_state if isinstance(clf.random_state, int) else repr(clf.random_state),
        "versions": {
            "stocmv": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "scikit-learn": sklearn.__version__,
        },
        "protocol": _protocol(clf, recipe, fitted, n),
    }


def _protocol(clf: "MajorityVoteClassifier", recipe: Recipe, fitted: CrossFit, n: int) -> dict[str, Any]:
    """Number of examples (or groups) that made the vote, and number that judged it."""
    if len(fitted.made) > 1:
        return {"name": "folds", "learning": n, "judging": n}
    if not recipe.weighs:
        return {"name": "all", "learning": n, "judging": n}
    held = not is_auto(clf.holdout) and bool(clf.holdout)
    return {
        "name": "holdout" if recipe.learns or held else "all",
        "learning": fitted.made[0].n if recipe.learns else 0,
        "judging": n,
    }


def _how_weighted(clf: "MajorityVoteClassifier", recipe: Recipe, history: History) -> str:
    if not recipe.weighs:
        return "learned on the examples that judge, and paid for"
    if recipe.equal or not len(history):
        return "equal" if is_auto(clf.prior) else "given by the prior"
    return f"learned for the risk {risk_name(clf.risk)!r} on examples that do not judge"
