"""
Your voters, your threshold, your auditor
=========================================

One story from start to end. A clinic has a rule of thumb and two models. They vote together, a threshold has to find
nine of ten malignant tumours, and somebody who trusts nobody checks the result with two files and one script.
"""

# %%
# Your voters
# -----------
# Anything with ``fit`` and ``predict`` can vote. The rule of thumb is, say, from a textbook: its limit is not learned
# from these examples. Because all three have ``predict_proba``, they vote with their probabilities.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from stocmv import MajorityVoteClassifier

data = load_breast_cancer()
X, y = data.data, np.where(data.target == 0, "malignant", "benign")
AREA = list(data.feature_names).index("worst area")


class LargeIsBad(ClassifierMixin, BaseEstimator):
    """A tumour whose largest cells have an area above 850 is suspicious."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        malignant = np.where(X[:, AREA] > 850, 0.8, 0.2)
        return np.column_stack([1 - malignant, malignant])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


voters = [
    LargeIsBad(),
    make_pipeline(StandardScaler(), LogisticRegression()),
    RandomForestClassifier(100),
]
clf = MajorityVoteClassifier(voters, random_state=0).fit(X, y)
print(clf.certificate_)

# %%
# The weights were learned from examples that do not judge. One more voter has joined by itself: a logistic regression
# on what the others say.

for name, weight in zip(clf.voters_[0].names, clf.posterior_[0].mean, strict=True):
    print(f"{weight:5.2f}  {name}")

# %%
# Your threshold
# --------------
# How often ``predict`` errs is not what the clinic asks. It wants to find at least nine of ten malignant tumours. The
# threshold that does so is found on the judging examples, by tests in an order that was fixed before, so that the
# target is certified all the same. The cross marks what is certified for it.

from stocmv.displays import RocDisplay

found = clf.threshold("malignant", min_recall=0.9)
certificate = found.certificate_
print(certificate.statement())

ax = RocDisplay.from_estimator(clf, positive="malignant").ax_
ax.plot(certificate.false_positive_rate_bound, certificate.recall_bound, "X", color="#d55e00", markersize=10)
plt.show()

# %%
# The band is lower than the cross because it holds for all thresholds at once; the cross is for one.
#
# Your auditor
# ------------
# An auditor gets two files, ``certificate.json`` and ``evidence.npz``, and copies one script, ``verify.py``. It needs
# numpy and scipy, and nothing else from stocmv. It runs in a folder of its own:

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import stocmv.verify

folder = Path(tempfile.mkdtemp())
shutil.copy(stocmv.verify.__file__, folder)
certificate.to_json(folder / "certificate.json")
clf.evidence_.save(folder / "evidence.npz")


def audit():
    """What the auditor types, and the first line of what comes back."""
    command = [sys.executable, "verify.py", "certificate.json", "evidence.npz"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    print(f"exit code {run.returncode}: {(run.stdout or run.stderr).splitlines()[0]}")


audit()

# %%
# Somebody makes the certificate look better:

path = folder / "certificate.json"
path.write_text(path.read_text().replace('"bound": 0.9,', '"bound": 0.97,'))
audit()
shutil.rmtree(folder)

# %%
# The auditor has not learned that the tumours are those of real patients, or that the model was fixed before they were
# looked at. No computation can show that; :doc:`/verification` says what else is left to ask.
