"""Where votes come from: stumps, forests, any scikit-learn classifiers, frozen ones, or your own."""

from ._base import VoterSet, VoterSource
from ._classifiers import Classifiers, Frozen
from ._encoded import Encoded
from ._ensemble import Ensemble
from ._source import as_source
from ._stumps import Stumps

__all__ = ["Classifiers", "Encoded", "Ensemble", "Frozen", "Stumps", "VoterSet", "VoterSource", "as_source"]
