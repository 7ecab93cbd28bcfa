"""`learn` combines posterior, risk, bound and solver in one call."""

from ._history import History, Step as Step
from ._learn import (
    Learned,
    Minimum as Minimum,
    learn,
    minimise as minimise,
    named as named,
    posterior_kind as posterior_kind,
    warn_unfinished as warn_unfinished,
)
from ._pool import Pool as Pool, learn_pool as learn_pool, sharpened as sharpened
from ._predict import (
    check_silence as check_silence,
    drawn_answers as drawn_answers,
    mean_vote as mean_vote,
    mean_weights as mean_weights,
    win_probabilities as win_probabilities,
)

__all__ = ["History", "Learned", "learn"]
