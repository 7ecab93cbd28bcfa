"""Which examples make a vote and which judge it: hold-out, folds, groups."""

from ._choices import (
    TESTS as TESTS,
    choose_bound as choose_bound,
    choose_priors as choose_priors,
    choose_solver as choose_solver,
    is_auto as is_auto,
    is_tested as is_tested,
    risk_name as risk_name,
)
from ._crossfit import (
    CrossFit as CrossFit,
    Examples as Examples,
    LocalExamples as LocalExamples,
    all_classes as all_classes,
    cross_fit as cross_fit,
    judging_votes as judging_votes,
)
from ._cut import Cut as Cut, choose_cut as choose_cut
from ._groups import group_ids as group_ids
from ._recipe import TRIED as TRIED, Made as Made, Recipe as Recipe
from ._times import checked_times as checked_times
