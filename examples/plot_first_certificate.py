"""
A first certificate
===================

A random forest on the breast-cancer data: fit it like any classifier, read what is promised, check the promise by a
second computation, and hold it against examples that were kept aside only to look.
"""

# %%
# Fit
# ---
# A fifth of the examples is set aside. The certificate does not need them: they are here so that we can look
# at the error that the certificate speaks of.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from stocmv import MajorityVoteClassifier
from stocmv.displays import CertificateDisplay, ErrorDistributionDisplay

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
clf = MajorityVoteClassifier(RandomForestClassifier(100), random_state=0).fit(X_train, y_train)
print(f"{len(clf.voters_)} folds of {clf.fold_sizes_} examples, {clf.voters_[0].n_voters} trees for each")

# %%
# Each fold has a forest of its own, trained on the other folds and judged on it. So every example trains and
# every example judges, but never the same trees.
#
# Read
# ----

certificate = clf.certificate_
print(certificate)

# %%
# The headline, ``certificate.bound``, is on the *drawn vote*: a fold and the weights of its trees are drawn
# anew for each example (``predict_stochastic``). The second figure, ``certificate.deterministic_bound``, is
# on the *fixed vote*, which is what ``predict`` does. The page :doc:`/certificates` goes through it word by
# word.
#
# Check
# -----
# ``verify`` takes the votes that judged and computes every figure again, with none of the code that learned.

verification = certificate.verify(clf.votes_)
for check in verification.checks[2:]:
    print(f"{'ok' if check.holds else 'NO'}  {check.what}")
print("It holds." if verification else "It does NOT hold.")

# %%
# Compare
# -------
# What would the usual way give? Hold a part out, train the forest on the rest, count its errors on the part held
# out and take the Clopper-Pearson bound. The first fold is such a part, for its forest was trained on the others:

comparison = certificate.compare_errors(*clf.plain_errors_)
print(comparison)

# %%
# Both bounds are on one fixed classifier, at the same delta: the forest, predicting as a forest does, and the
# fixed vote. ``compare_holdout`` does the same with a forest that is trained anew while a fifth is held out:

print(certificate.compare_holdout(RandomForestClassifier(100, random_state=0), X_train, y_train))

# %%
# All figures side by side, with the error of ``predict`` on the examples that we set aside. That is the error the
# certificate speaks of, as far as so few examples can tell.

CertificateDisplay.from_estimator(clf, X_test, y_test, holdout_bound=comparison.holdout_bound)
plt.show()

# %%
# Where the measured error comes from
# -----------------------------------
# For every example, as it judged the trees of its fold, the probability that the drawn vote errs on it has a closed
# form. Most examples are as good as certain, one way or the other; the vote is undecided on a few.

ErrorDistributionDisplay.from_estimator(clf)
plt.show()
