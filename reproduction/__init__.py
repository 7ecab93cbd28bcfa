"""Every table and figure of the paper as an experiment that can be repeated, interrupted and resumed."""

from ._experiments import EXPERIMENTS, Experiment
from ._published import citation, published
from ._reproduce import Reproduced, reproduce
from ._run import Watcher
from ._settings import Settings
from ._units import Task, Unit

__all__ = [
    "EXPERIMENTS",
    "Experiment",
    "Reproduced",
    "Settings",
    "Task",
    "Unit",
    "Watcher",
    "citation",
    "published",
    "reproduce",
]
