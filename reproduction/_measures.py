"""The figures reported for a fitted method."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from stocmv.bounds import Bound, Seeger, Upper
from stocmv.posteriors import BlocDirichlet, Categorical, Posterior
from stocmv.risks import RISKS, Exact, Risk
from stocmv.votes import VoteMatrix

from ._methods import DELTA, Fitted, dirichlets, paper_bound

_TIE = 1 - 1e-12  # a difference that rounding may cause counts as a tie
_DRAWS = 200  # votes of blocs that are drawn to estimate an error


def measures(
    fitted: Fitted, risk: Risk | None, votes: Sequence[VoteMatrix], tests: Sequence[VoteMatrix]
) -> dict[str, Any]:
    """Entropy, KL, errors of four kinds on both parts, and the bound with three constants.

    Shares, not percent. With folds, errors are those of a fold drawn in proportion to its size. ``bound`` is the
    paper's setting, ``bound_proven`` has the proven constant for folds, ``bound_xi`` also Maurer's exact constant; they
    are not cut off at 1.

    Parameters
    ----------
    fitted : Fitted
        The result of the method.
    risk : Risk or None
        The risk whose bound it minimised.
    votes, tests : sequences of VoteMatrix, one entry per fold
        The votes on the judging examples, and on the test part.
    """
    sizes = [v.n_examples for v in votes]
    shares = np.array(sizes) / sum(sizes)
    return {
        "entropy": float(shares @ [entropy(weights) for weights in fitted.weights]),
        "kl": None if fitted.certificate is None else fitted.certificate.kl,
        **errors("train", fitted, votes, shares),
        **errors("test", fitted, tests, shares),
        "bound": bound_value(fitted, risk, paper_bound(len(sizes)), sizes),
        "bound_proven": bound_value(fitted, risk, Seeger(constant="2sqrt"), sizes),
        "bound_xi": bound_value(fitted, risk, Seeger(), sizes),
    }


def entropy(weights: NDArray) -> float:
    """Entropy, in nats, of the normalised absolute weights."""
    share = np.abs(weights) / np.abs(weights).sum()
    return float(-xlogy(share, share).sum())


def bound_value(fitted: Fitted, risk: Risk | None, bound: Bound, sizes: Sequence[int]) -> float | None:
    """The bound on the vote's error by another theorem, from the certified figures; not cut off at 1."""
    certificate = fitted.certificate
    if certificate is None or risk is None:
        return None
    moments = np.minimum(certificate.moments, 1.0)
    share = DELTA / certificate.alternatives / len(risk.outward)
    return risk.compose(moments, certificate.kl, Upper(bound, sizes, share), fitted.posteriors[0]).value


def argmax_bound(fitted: Fitted, votes: Sequence[VoteMatrix]) -> float | None:
    """The proven bound, with 2 sqrt(n), on the arg-max error of the stochastic vote."""
    posteriors = dirichlets(fitted)
    if fitted.certificate is None or not posteriors:
        return None
    sizes = [v.n_examples for v in votes]
    error = np.average(
        [Exact().certified_moments(p, v)[0] for p, v in zip(posteriors, votes, strict=True)], weights=sizes
    )
    return Seeger(constant="2sqrt").upper(float(error), fitted.certificate.kl, sizes, DELTA).value


def errors(part: str, fitted: Fitted, votes: Sequence[VoteMatrix], shares: NDArray) -> dict[str, float | None]:
    """Errors of the stochastic and the deterministic vote, by W >= 1/2 and by the arg-max."""
    kinds = {
        f"{part}_fixed": [_half_error(w, v) for w, v in zip(fitted.weights, votes, strict=True)],
        f"{part}_fixed_argmax": [_argmax_error(w, v) for w, v in zip(fitted.weights, votes, strict=True)],
        f"{part}_drawn": [_drawn(p, v, "half") for p, v in zip(fitted.posteriors, votes, strict=False)],
        f"{part}_drawn_argmax": [_drawn(p, v, "exact") for p, v in zip(fitted.posteriors, votes, strict=False)],
    }
    return {kind: float(shares @ values) if values else None for kind, values in kinds.items()}


def _half_error(weights: NDArray, votes: VoteMatrix) -> float:
    """How often the voters that err hold at least half of the weight."""
    return votes.row_mean(votes.wrong_weights(weights) >= weights.sum() / 2 * _TIE)


def _argmax_error(weights: NDArray, votes: VoteMatrix) -> float:
    """How often the true class is not heavier than all others."""
    if votes.labels is None or votes.targets is None:
        return _half_error(weights, votes)
    scores, rows = votes.class_weights(weights), np.arange(votes.n_rows)
    own = scores[rows, votes.targets]
    scores[rows, votes.targets] = -np.inf
    return votes.row_mean(scores.max(1) >= own * _TIE)


def _drawn(posterior: Posterior, votes: VoteMatrix, risk: str) -> float:
    """Error of the stochastic vote; a draw from a categorical is a single voter.

    On new examples the voters of a bloc may disagree, and then there is no closed form: the mean over drawn votes.
    """
    if isinstance(posterior, Categorical):
        return float(posterior.theta @ votes.voter_errors())
    if isinstance(posterior, BlocDirichlet):
        error = _half_error if risk == "half" else _argmax_error
        return float(np.mean([error(w, votes) for w in posterior.sample(_DRAWS, np.random.default_rng(0))]))
    return float(RISKS[risk].moments(posterior, votes)[0][0])
