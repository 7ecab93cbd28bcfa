"""Our own column: the classifier with three folds and a proven PAC-Bayes bound."""

from typing import Any

import numpy as np

from stocmv.classifier import MajorityVoteClassifier
from stocmv.votes import VoteMatrix

from ._measures import entropy, errors
from ._methods import Fitted
from ._splits import Split
from ._units import Outcome, Unit


def best_row(unit: Unit, classifier: MajorityVoteClassifier, data: Split) -> Outcome:
    """Fit the classifier, and report it like the other methods.

    ``bound`` is the certificate's proven bound on the stochastic vote; ``bound_fixed`` is the one on `predict`, whose
    test error is ``test_predict``.
    """
    classifier.fit(data.X, data.y)
    certificate: Any = classifier.certificate_
    judged: Any = classifier.evidence_
    fitted = Fitted([p.fixed_votes()[0] for p in classifier.posterior_], classifier.posterior_, certificate, 0.0)
    shares = np.array(certificate.fold_shares)
    tests = [
        VoteMatrix.from_codes(voters.codes(data.X_test), data.y_test, data.classes) for voters in classifier.voters_
    ]
    row = {
        **unit.identity,
        **data.sizes,
        "n_voters": classifier.voters_[0].n_voters,
        "n_folds": len(shares),
        "method": "best",
        "entropy": float(shares @ [entropy(w) for w in fitted.weights]),
        "kl": certificate.kl,
        **errors("train", fitted, [votes.whole() for votes in judged], shares),
        **errors("test", fitted, tests, shares),
        "bound": certificate.stochastic_bound,
        "bound_proven": certificate.stochastic_bound,
        "bound_xi": None,
        "bound_fixed": certificate.bound,
        "test_predict": 1 - float(classifier.score(data.X_test, data.y_test)),
    }
    timings = [{"stage": stage, "method": "best", "seconds": s} for stage, s in classifier.timings_.items()]
    return Outcome([row], timings)
