"""Where votes come from: stumps, forests, any scikit-learn classifiers, frozen ones, or your own."""

from ._answers import Answers, AnswerVoters as AnswerVoters
from ._base import (
    Joined,
    Recoded as Recoded,
    VoterSet,
    VoterSource,
    Wrapped as Wrapped,
    check_alone as check_alone,
    checked_codes as checked_codes,
    known_classes as known_classes,
    out_of_bag_answers as out_of_bag_answers,
    recoded as recoded,
    train_voters as train_voters,
)
from ._classifiers import Classifiers, ClassifierVoters as ClassifierVoters, Frozen
from ._coded import CodedClassifier as CodedClassifier
from ._encoded import Encoded, EncodedVoters as EncodedVoters
from ._ensemble import Ensemble, EnsembleVoters as EnsembleVoters
from ._models import Models, ModelVoters as ModelVoters
from ._out_of_bag import out_of_bag_votes
from ._scores import Scores, ScoreVoters as ScoreVoters
from ._source import as_source as as_source
from ._stack import STACK as STACK, StackedVoters as StackedVoters, learn_stack as learn_stack
from ._stumps import Stumps, StumpVoters as StumpVoters
from ._transformed import Transformed as Transformed, TransformedVoters as TransformedVoters

__all__ = [
    "Answers",
    "Classifiers",
    "Encoded",
    "Ensemble",
    "Frozen",
    "Joined",
    "Models",
    "Scores",
    "Stumps",
    "VoterSet",
    "VoterSource",
    "out_of_bag_votes",
]
