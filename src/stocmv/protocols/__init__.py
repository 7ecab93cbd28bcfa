"""Which examples make a vote and which judge it: one object for each way to use them."""

from ._choices import is_auto as is_auto
from ._cut import Cut
from ._examples import Examples as Examples, LocalExamples as LocalExamples, all_classes as all_classes
from ._judge import ROW_KEY as ROW_KEY, judge as judge, judging_votes as judging_votes
from ._protocol import (
    AllJudge,
    FittedVote as FittedVote,
    Folds,
    HoldOut,
    PacBayes,
    Plan as Plan,
    Protocol,
    Tested as Tested,
    weights_digest as weights_digest,
)
from ._recipe import TRIED as TRIED, FoldVote as FoldVote, Recipe as Recipe
from ._resolve import (
    check_bound as check_bound,
    choose_protocol as choose_protocol,
    is_fold_test as is_fold_test,
    is_test as is_test,
)
from ._rule import (
    HARD as HARD,
    SOFT as SOFT,
    HardVoting as HardVoting,
    SoftVoting as SoftVoting,
    VotingRule as VotingRule,
)
from ._times import checked_times as checked_times

__all__ = ["AllJudge", "Cut", "Folds", "HoldOut", "PacBayes", "Protocol"]
