"""From judgments to a certificate: which figures it has."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..bounds import check_delta
from ..verify import Refused, check_judgments
from ._baseline import check_baseline
from ._costs import Costs
from ._figure import Trial
from ._guess import Guess
from ._judgments import Judgments
from ._prevalence import check_shares
from ._tested import FIGURES, TestedCertificate


def certify_judgments(
    judgments: Judgments,
    delta: float = 0.05,
    *,
    guesses: Sequence[Guess] = (),
    per_class: bool = False,
    costs: Costs | None = None,
    calibration: bool = False,
    sides: int = 1,
    score_figures: bool = False,
    prevalence: Mapping[Any, float] | None = None,
    baseline: Any = None,
    one_voter: bool = False,
    voting: str = "hard",
    unproven: Sequence[str] = (),
    assumptions: Sequence[str] = (),
    warnings: Sequence[str] = (),
    protocol: dict[str, Any] | None = None,
    context: dict[str, Any] | None = None,
) -> TestedCertificate:
    """Certify a vote from its judgments.

    One part uses the Clopper-Pearson bound. Folds, each of which judges a vote made from the others, use the fold test.

    Parameters
    ----------
    judgments : Judgments
        What the judging examples showed; voters and weights were chosen without them.
    delta : float
        Probability that a statement fails, at most.
    guesses : sequence of Guess
        With folds: what to expect of each fold's vote, according to the other folds.
    per_class : bool
        Also bound the error on each class, except for groups with folds its precision, and for a hold-out without
        groups its F1.
    costs : Costs, optional
        Also bound the mean cost, from the cost of each answer given the true class.
    calibration : bool
        Also bound how often `predict` is right given the score of its answer, from both sides, in ten bins. Not with
        folds or groups.
    sides : {1, 2}
        Also bound the error from both sides if 2. Not with folds.
    score_figures : bool
        Also bound the Brier score, the log loss and, for two classes without groups, the area under the ROC curve. Not
        with folds.
    prevalence : dict, optional
        Also bound the error where the classes have these shares. With ``per_class``; not with folds or groups.
    baseline : object, optional
        The class that `predict` is compared with, if it is always answered; by default the most frequent one here.
    one_voter : bool
        Whether a single voter answers (in each fold), so that there is no stochastic vote.
    voting : {"hard", "soft", "given"}
        Whether the voters' answers are counted, or their probabilities added up, or a model's answers were given.
    unproven, assumptions, warnings : sequence of str
        Parts without a proof, further assumptions, and findings in the examples.
    protocol, context : dict, optional
        Which examples made the vote, and where the certificate comes from.
    """
    try:
        check_judgments(judgments.columns())
    except Refused as error:
        raise ValueError(f"These judgments cannot be certified: {error}.") from error
    delta = check_delta(delta)
    shares = None if prevalence is None else check_shares("prevalence", prevalence, judgments.classes.tolist())
    trial = Trial(judgments, delta, guesses, costs, shares, check_baseline(baseline, judgments.classes.tolist()))
    names = ["error", "baseline", *(["classes"] if per_class else ["recalls"])]
    # different folds may answer rows of one group, and then there is no simple bound on the precision
    if per_class and not (judgments.grouped and judgments.n_folds > 1):
        names.append("precision")
    if per_class and not judgments.grouped and judgments.n_folds == 1:
        names.append("f1")
    if costs is not None:
        names.append("cost")
    if prevalence is not None:
        if not per_class or judgments.grouped or judgments.n_folds > 1:
            raise ValueError(
                "prevalence needs bounds on the classes of a hold-out without groups: with groups the error also "
                "depends on which classes come together in a group."
            )
        names.append("prevalence")
    if calibration:
        names.append("calibration")
    if judgments.subgroups is not None:
        names.append("subgroups")
    if sides not in (1, 2):
        raise ValueError(f"sides must be 1 or 2, got {sides!r}.")
    if sides == 2:
        names.append("interval")
    if score_figures:
        names.append("scores")
    if judgments.votes is not None:
        names.append("panel")
    return TestedCertificate(
        figures={name: FIGURES[name].compute(trial) for name in names},
        delta=delta,
        n=sum(trial.sizes),
        grouped=judgments.grouped,
        fold_sizes=tuple(trial.sizes),
        fold_shares=tuple(trial.shares.tolist()),
        voting=voting,
        fold_test={} if trial.test is None else trial.test.settings(),
        has_one_voter=one_voter,
        covers_drawn=one_voter or judgments.loss is not None,
        claims=tuple(claim for name in names for claim in FIGURES[name].claims(trial.scope)),
        abstains=judgments.silent is not None,
        evidence=judgments.digest(),
        unproven=tuple(unproven),
        further_assumptions=tuple(assumptions),
        warnings=tuple(warnings),
        protocol=protocol or {},
        context=context or {},
    )
