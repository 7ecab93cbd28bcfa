"""
A first certificate
===================

A random forest on the breast-cancer data: fit it like any classifier, read the certificate, check it with independent
code, save it, and compare it with the error on examples that were set aside.
"""

# %%
# Fit
# ---
# A fifth of the examples is set aside. The certificate does not need them: they only let us look at the error that the
# certificate bounds.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from stocmv import MajorityVoteClassifier
from stocmv.displays import CertificateDisplay, ErrorDistributionDisplay

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
clf = MajorityVoteClassifier(RandomForestClassifier(100), stochastic=True, random_state=0).fit(X_train, y_train)
print(clf.certificate_.protocol)

# %%
# By default some of the examples make the vote, and the others only judge it: a third of them if there are fewer than
# 20,000. The judging examples have taught the vote nothing, so they can test it, and learning costs no confidence.
# ``stochastic=True`` asks for a second figure, which is explained below; leave it out if you only use ``predict``.
#
# Read
# ----

certificate = clf.certificate_
print(certificate)

# %%
# The headline, ``certificate.bound``, is on what ``predict`` does: the :term:`deterministic vote`, in which the trees
# vote with fixed weights. The second figure, ``certificate.stochastic_bound``, is on the :term:`stochastic vote`, whose
# weights are drawn afresh for each example (``predict_stochastic``). The third is for using no model at all: always
# answering the most frequent class. :doc:`/certificates` explains every part.
#
# Check
# -----
# Everything that the certificate says is a function of one table, the :term:`judgments`. It has a row for each judging
# example: the true class, what ``predict`` answered, and the score of each class.

import pandas as pd

judgments = clf.evidence_
pd.DataFrame({"truth": judgments.truth, "answer": judgments.answer, "score of class 1": judgments.scores[:, 1]}).head()

# %%
# ``verify`` recomputes every figure from this table, with none of the code that made the certificate.

verification = certificate.verify(judgments)
print(verification.verdict)
for check in verification.checks:
    print(check)

# %%
# Certificate and table go into two files, which are all that somebody else needs to check it: ``python verify.py
# certificate.json evidence.npz``, where ``verify.py`` is one file that needs only numpy and scipy.

import tempfile
from pathlib import Path

from stocmv import Certificate
from stocmv.certificate import Judgments

with tempfile.TemporaryDirectory() as folder:
    certificate.to_json(Path(folder) / "certificate.json")
    judgments.save(Path(folder) / "evidence.npz")
    again = Certificate.from_json(Path(folder) / "certificate.json")
    print(again == certificate, bool(again.verify(Judgments.load(Path(folder) / "evidence.npz"))))

# %%
# Compare
# -------
# All figures side by side, with the error of ``predict`` on the examples that we set aside. That error estimates the
# one that the certificate bounds, as well as so few examples can.

CertificateDisplay.from_estimator(clf, X_test, y_test)
plt.show()

# %%
# Where the measured error comes from
# -----------------------------------
# For every judging example, the probability that the stochastic vote errs on it has a closed form. For most examples it
# is close to zero or one; on a few the vote is undecided.

ErrorDistributionDisplay.from_estimator(clf)
plt.show()

# %%
# Every example judges
# --------------------
# With folds no example is set aside: the vote of each fold is made from the other folds. Where the folds disagree,
# ``predict`` picks one by a hash of the example, and the bound is that of the :term:`fold test`.

in_folds = MajorityVoteClassifier(RandomForestClassifier(100), n_folds=3, random_state=0).fit(X_train, y_train)
print(in_folds.certificate_.statement())
