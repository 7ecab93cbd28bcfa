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
print(clf.certificate_.protocol)

# %%
# By default some of the examples make the vote, and the others only judge it: a third of them where there are fewer
# than 5,000. What taught the vote nothing can test it, and nothing has to be paid for learning.
#
# Read
# ----

certificate = clf.certificate_
print(certificate)

# %%
# The headline, ``certificate.bound``, is on what ``predict`` does: the *deterministic vote*, in which the trees vote
# with fixed weights. The second figure, ``certificate.stochastic_bound``, is on the *stochastic vote*, whose weights
# are drawn afresh for each example (``predict_stochastic``). The third is what one has without any model: always
# answering the most frequent class. The page :doc:`/certificates` goes through it word by word.
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
# What does the forest by itself get, predicting as a forest does? It was judged by the same examples:

comparison = certificate.compare_errors(*clf.plain_errors_, same_examples=True)
print(comparison)

# %%
# ``compare_holdout`` trains the forest anew while a fifth is held out:

print(certificate.compare_holdout(RandomForestClassifier(100, random_state=0), X_train, y_train))

# %%
# All figures side by side, with the error of ``predict`` on the examples that we set aside. That is the error the
# certificate speaks of, as far as so few examples can tell.

CertificateDisplay.from_estimator(clf, X_test, y_test, holdout_bound=comparison.holdout_bound)
plt.show()

# %%
# Where the measured error comes from
# -----------------------------------
# For every example that judged, the probability that the stochastic vote errs on it has a closed form. Most examples
# are as good as certain, one way or the other; the vote is undecided on a few.

ErrorDistributionDisplay.from_estimator(clf)
plt.show()

# %%
# Every example judges
# --------------------
# With folds no example is set aside: the vote of each fold is made by the other folds. ``predict`` then shares the
# new examples out among the folds' votes, and the bound is that of the fold test.

in_folds = MajorityVoteClassifier(RandomForestClassifier(100), n_folds=3, random_state=0).fit(X_train, y_train)
print(in_folds.certificate_.statement())
