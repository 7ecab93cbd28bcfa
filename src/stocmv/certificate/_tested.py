"""Certificates of votes made without the judging examples: nothing is paid for learning."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bounds import FoldTest, check_delta, one_sample
from ..posteriors import Posterior
from ..votes import Digest, Votes, ask
from ._baseline import baseline, cheapest_answer
from ._certificate import Certificate
from ._claims import Claim, share_of, tested_claims
from ._class_losses import measured_recalls
from ._costs import Costs
from ._decisions import mean_cost, precisions
from ._expected import Expected
from ._judgments import Judgments, Losses
from ._words import deterministic_rule, one_vote, stochastic_rule, tested_assumptions, tested_theorem, unproven


def certify_tested(
    votes: Sequence[Votes],
    posteriors: Sequence[Posterior],
    delta: float,
    expected: Sequence[Expected] = (),
    assumptions: Sequence[str] = (),
    *,
    per_class: bool = False,
    cost: Costs | None = None,
    context: dict[str, Any] | None = None,
) -> Certificate:
    """Certify votes that were made without the examples that judge them.

    One part uses the Clopper-Pearson bound. Folds, each of which judges a vote made from the others, use the fold test.

    Parameters
    ----------
    votes, posteriors : sequences, one entry per fold
        The votes on the examples of the fold, and the distribution of the weights; voters and distribution were chosen
        without these examples.
    delta : float
        Probability that a statement fails, at most.
    expected : sequence of Expected
        For the fold test: errors to expect of each fold's vote, according to the other folds.
    assumptions : sequence of str
        Further assumptions, in words.
    per_class : bool
        Also bound the error on each class and, except for groups with folds, its precision (votes made from labels).
    cost : Costs, optional
        Also bound the mean cost, from the cost of each answer given the true class.
    context : dict, optional
        Where the certificate comes from, to be recorded in it.
    """
    check_delta(delta)
    check_tested(posteriors[0])
    abstains = any(v.abstains for v in votes)
    if abstains and posteriors[0].law != "dirichlet":
        raise ValueError(
            f"posterior {posteriors[0].name!r} draws a single voter, which may not answer: with voters that abstain "
            "use risk='exact' and a Dirichlet posterior."
        )
    one_voter = all(v.n_voters == 1 for v in votes)
    judgments = Judgments.of(votes, posteriors)
    folds, labels, grouped = judgments.folds(), judgments.classes, judgments.grouped
    # different folds may answer rows of one group, and then there is no simple bound on the precision
    precise = per_class and not (grouped and len(votes) > 1)
    claims = tested_claims(
        delta,
        votes=("predict",) if one_voter else ("predict", "stochastic vote"),
        folds=len(votes),
        classes=len(labels),
        per_class=per_class,
        precise=precise,
        priced=0 if cost is None else len(cost.classes),
    )
    predicted, drawn = [fold.errors for fold in folds], [fold.drawn_errors for fold in folds]
    sizes, frequency = [own.n for own in predicted], judgments.frequency()
    share = share_of(claims, "predict")
    test = FoldTest.choose([e.overall for e in expected], sizes, share) if len(votes) > 1 else None
    shares = np.ones(1) if test is None else test.shares
    risk, stochastic_risk = (_mean(shares, each) for each in (predicted, drawn))
    return Certificate(
        bound=_upper(test, predicted, share, counted=not grouped),
        stochastic_bound=_upper(test, drawn, share, counted=one_voter and not grouped),
        moments=(stochastic_risk,),
        kl=0.0,
        n=sum(sizes),
        delta=delta,
        claims=claims,
        alternatives=1,
        context=context or {},
        risk="exact",
        risk_settings={},
        bound_settings={"name": "clopper_pearson"} if test is None else test.settings(),
        theorem=tested_theorem(len(votes), grouped, one_voter, uneven_costs=cost is not None and not cost.are_counted),
        unproven=unproven(posterior=posteriors[0]),
        certified=one_vote(len(votes)) if one_voter else stochastic_rule(len(votes)),
        covers_drawn=True,
        warnings=(),
        assumptions=(*tested_assumptions(len(votes), grouped, priced=cost is not None), *assumptions),
        fold_sizes=tuple(sizes),
        fold_shares=tuple(shares.tolist()),
        grouped=grouped,
        posterior=posteriors[0].name,
        posteriors=tuple({name: values.tolist() for name, values in p.parameters().items()} for p in posteriors),
        priors=(),
        vote_digests=tuple(ask((v, Digest()) for v in votes)),
        deterministic_rule=deterministic_rule(posteriors[0].deterministic_rule, len(votes), one_voter, abstains),
        deterministic_vote={"empirical_risk": risk},
        baseline=baseline(labels, frequency, sum(sizes), claims, grouped=grouped),
        per_class=_per_class(folds, test, expected, claims, one_voter) if per_class else (),
        recalls=() if per_class else _recalls(judgments),
        precisions=precisions(folds, expected, shares, claims) if precise else (),
        cost={}
        if cost is None
        else {
            **mean_cost(cost, folds, expected, test, claims),
            "baseline": cheapest_answer(cost, labels, frequency, claims, grouped=grouped),
        },
    )


def check_tested(posterior: Posterior | type[Posterior]) -> None:
    """Refuse distributions whose stochastic vote has no exact loss."""
    if posterior.law == "drawn":
        raise ValueError(
            f"bound='auto' and bound='fold_test' need a Dirichlet or categorical posterior, got {posterior.name!r}, "
            "whose stochastic vote has no exact loss. Use risk='exact', or name a bound such as 'seeger'."
        )


def _recalls(judgments: Judgments) -> tuple[dict[str, Any], ...]:
    by_class = [own.errors for own in judgments.by_class()]
    return measured_recalls(judgments.classes, *np.array(by_class).T)


def _mean(shares: NDArray, losses: Sequence[Losses]) -> float:
    """The mean over the folds, at most 1: their shares sum to one but for rounding."""
    return min(float(shares @ [own.mean for own in losses]), 1.0)


def _upper(test: FoldTest | None, losses: Sequence[Losses], delta: float, *, counted: bool) -> float:
    """The bound for the losses of all folds; ``counted`` if each loss is 0 or 1."""
    if test is not None:
        return test.upper([own.mean for own in losses])
    return one_sample(losses[0].total, losses[0].n, delta, counted=counted)


def _per_class(
    folds: Sequence[Judgments],
    test: FoldTest | None,
    expected: Sequence[Expected],
    claims: Sequence[Claim],
    one_voter: bool,
) -> tuple[dict[str, Any], ...]:
    """Bounds on the error given the true class: given the labels, the examples of a class are i.i.d. draws from it.

    With folds, the scales of a class are proportional to those of the test of all examples, so that the folds are drawn
    with the same shares.
    """
    share, found = share_of(claims, "classes"), []
    shares, n = np.ones(1) if test is None else test.shares, sum(fold.errors.n for fold in folds)
    counted = not folds[0].grouped
    for c, members in enumerate(zip(*(fold.by_class() for fold in folds), strict=True)):
        predicted, drawn = [own.errors for own in members], [own.drawn_errors for own in members]
        sizes = [own.n for own in predicted]
        own_test: FoldTest | None = None
        if test is not None and all(sizes):
            wider = np.sqrt(n / sum(sizes))
            guesses = [float(e.by_class[c]) for e in expected]
            own_test = FoldTest.choose(guesses, sizes, share, [wider * scale for scale in test.scale])
        value, stochastic = (
            1.0 if test is not None and own_test is None else _upper(own_test, each, share, counted=counts)
            for each, counts in ((predicted, counted), (drawn, counted and one_voter))
        )
        found.append(
            {
                "label": folds[0].classes[c].item(),
                "n": sum(sizes),
                "delta": share,
                "empirical_risk": _mean(shares, predicted),
                "stochastic_risk": _mean(shares, drawn),
                "bound": value,
                "stochastic_bound": stochastic,
                "bound_settings": {} if own_test is None else own_test.settings(),
            }
        )
    return tuple(found)
