"""How delta is split: every claim of a certificate, and its share."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

CANDIDATES = 2  # posteriors that `learn` may certify to keep the better one; each is estimated from its own draws


@dataclass(frozen=True)
class Claim:
    """A share of delta.

    Shares with the same name add up to at most the certificate's delta, so each claim holds with probability at least
    one minus delta.

    Attributes
    ----------
    name : str
        What is claimed: an error of "predict", the "stochastic vote", a "drawn vote" or the "baseline", or of
        "classes" at once; the "precision" or "f1" of all classes at once; the mean "cost"; the "cost of one answer"
        that is always given; the errors of the voters of a "panel" and of their equal vote, all at once.
    delta : float
        Probability that each of those that share the claim fails, at most.
    pays_for : str
        The "bound" itself, "draws" that its risk is estimated from, the "votes drawn once" that `predict` counts, or
        the "shares of the folds" in the answers of a class.
    among : dict of int
        How many get such a share: parts for priors, margins (the best one is kept), means, classes, ...
    """

    name: str
    delta: float
    pays_for: str = "bound"
    among: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """The sum of these shares."""
        return self.delta * math.prod(self.among.values())

    @property
    def is_shared(self) -> bool:
        """Whether this is less than all of delta."""
        return bool(self.among) or self.pays_for != "bound"

    @property
    def title(self) -> str:
        return self.name if self.pays_for == "bound" else f"{self.name} ({self.pays_for})"

    @property
    def sharers(self) -> str:
        """What gets such a share, in words; empty if there is only one."""
        each = " x ".join(f"{count:,} {what}" for what, count in self.among.items() if count > 1)
        return f"for each of {each}" if each else ""

    def __str__(self) -> str:
        return f"{self.title} {self.delta:.3g} {self.sharers}".rstrip()


def share(delta: float, **among: int) -> float:
    """The part of delta that each gets if this many of each kind share it equally."""
    for count in among.values():
        delta /= count
    return delta


def paid_claims(
    delta: float,
    *,
    votes: Sequence[str],
    folds: int,
    parts: int,
    means: int,
    margins: int,
    draw_share: float,
    classes: int,
    per_class: bool,
) -> tuple[Claim, ...]:
    """The claims of a certificate that pays for learning on the judging examples.

    Parameters
    ----------
    delta : float
        Probability with which each claim may fail.
    votes : sequence of str
        The votes that are certified: "predict", and "stochastic vote" where that is another.
    folds, parts, means : int
        Number of folds, of parts into which the choice of a prior divides delta, and of empirical means that the risk
        bounds.
    margins : int
        Number of margins from which the bound on `predict` takes the best; 0 if it follows from the other bound.
    draw_share : float
        Part that pays for drawn votes, half for those of the risk and half for those that `predict` counts; 0 if no
        votes are drawn.
    classes : int
        Number of classes (0 if they are not known).
    per_class : bool
        Whether to bound the error on each class too.
    """
    chosen, found = {"parts for priors": parts}, []
    for vote in votes:
        if vote == "predict" and margins:
            found.append(claim(vote, delta, {**chosen, "margins": margins}))
            continue
        found.append(claim(vote, delta * (1 - draw_share), {**chosen, "means": means}))
        if draw_share:
            each = {**chosen, "folds": folds, "posteriors": CANDIDATES}
            found.append(claim(vote, delta * draw_share / 2, each, "draws"))
            if vote == "predict" and len(votes) > 1:
                found.append(claim(vote, delta * draw_share / 2, chosen, "votes drawn once"))
    return (*found, *_further(delta, votes, classes, chosen, {"margins": max(margins, 1)}, per_class=per_class))


def share_of(claims: Sequence[Claim], name: str, pays_for: str = "bound") -> float:
    """The share of delta of each of those that share a claim."""
    return next(claim.delta for claim in claims if (claim.name, claim.pays_for) == (name, pays_for))


def shares_in_words(claims: Sequence[Claim], delta: float) -> str:
    """One line on how delta is split; empty if each claim has all of it."""
    shared = [str(claim) for claim in claims if claim.is_shared]
    return f"Shares of delta = {delta:g}: {'; '.join(shared)}." if shared else ""


def claim(name: str, delta: float, among: dict[str, int] | None = None, pays_for: str = "bound") -> Claim:
    """A part of delta, shared equally among this many of each kind."""
    among = among or {}
    return Claim(name, share(delta, **among), pays_for, {what: count for what, count in among.items() if count > 1})


def _further(
    delta: float,
    votes: Sequence[str],
    classes: int,
    chosen: dict[str, int],
    of_predict: dict[str, int],
    *,
    per_class: bool,
) -> list[Claim]:
    """The claims on the baseline, if the classes are known, and on all classes at once, for each vote."""
    found = [claim("baseline", delta, chosen)] if classes else []
    for vote in votes if per_class else ():
        own = of_predict if vote == "predict" else {}
        found.append(claim(class_claim(vote), delta, {**chosen, "classes": classes, **own}))
    return found


def class_claim(vote: str) -> str:
    """The name of the claim on all classes at once."""
    return "classes" if vote == "predict" else f"classes, {vote}"
