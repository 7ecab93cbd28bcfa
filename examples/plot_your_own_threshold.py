"""
Your own threshold
==================

A bank does not ask which class is more likely. It refuses a loan if the risk of a default is above ten percent, or it
wants to find at least six of ten defaults, or it wants the cheapest decisions. All of these are thresholds on the score
of a class, and what a threshold does on new customers can be certified.
"""

# %%
# A model that answers "no"
# -------------------------
# One customer in fourteen does not pay back. A forest that expects this of nobody is nearly always right.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.stats import beta
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import make_scorer, recall_score
from sklearn.model_selection import TunedThresholdClassifierCV, train_test_split

from stocmv import MajorityVoteClassifier
from stocmv.decisions import NotCertified
from stocmv.displays import RocDisplay

X, y = make_classification(30_000, n_features=12, n_informative=6, weights=[0.95], flip_y=0.04, random_state=0)
y = np.where(y == 1, "yes", "no")
X, X_new, y, y_new = train_test_split(X, y, test_size=0.5, random_state=0)

COSTS = {"yes": {"no": 10}, "no": {"yes": 1}}  # a default that was not foreseen costs ten times a lost customer
clf = MajorityVoteClassifier(
    RandomForestClassifier(60, min_samples_leaf=3), per_class=True, cost=COSTS, random_state=0
).fit(X, y)
print(clf.certificate_)

# %%
# A threshold that was fixed before
# ---------------------------------
# "Answer yes from a score of ten percent." Recall, precision, false-positive rate and costs hold at the same time.

fixed = clf.threshold("yes", at=0.1)
print(fixed.certificate_)

# %%
# A threshold that meets a target
# -------------------------------
# The target is fixed, and the threshold is found by tests in a sequence that was fixed before. So the target is
# certified although the threshold was chosen on the judging examples.

votes = {
    "at 10 %": fixed,
    "recall 60 %": clf.threshold("yes", min_recall=0.6),
    "precision 60 %": clf.threshold("yes", min_precision=0.6),
    "false alarms 2 %": clf.threshold("yes", max_false_positive_rate=0.02),
    "cost 0.45": clf.threshold("yes", max_cost=0.45),
}
for name, vote in votes.items():
    print(f"{name:18}", vote.certificate_.statement(), sep="\n    ")

# %%
# If no threshold meets a target, the error says what could be met.

try:
    clf.threshold("yes", min_precision=0.995)
except NotCertified as error:
    print(error)

# %%
# A threshold that was picked after looking
# -----------------------------------------
# The band holds for all thresholds at once. Look at it, pick a point, and the figures of that point are certified.

band = clf.roc("yes")
RocDisplay.from_estimator(clf, positive="yes")
plt.show()
picked = clf.threshold("yes", at=band.at(0.3))
print(picked.certificate_.statement())

# %%
# Answering only when sure
# ------------------------
# Or leave the difficult customers to a person. Each class has its own target: a "no" may be wrong in 4.5 % of the
# cases, a "yes" in every third.

sure = clf.selective(max_error={"yes": 0.35, "no": 0.045}, unanswered="refer")
print(sure.certificate_.statement())
print(pd.Series(sure.predict(X_new)).value_counts())

# %%
# On new customers
# ----------------
# Recall and false-positive rate at each threshold: certified (cross) and for 15,000 customers who were set aside (dot).

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for name, vote in votes.items():
    said = vote.predict(X_new) == "yes"
    measured = said[y_new == "no"].mean(), said[y_new == "yes"].mean()
    certificate = vote.certificate_
    (dot,) = axes.plot(*measured, "o", label=name)
    axes.plot(certificate.false_positive_rate_bound, certificate.recall_bound, "x", color=dot.get_color())
    axes.plot(
        [measured[0], certificate.false_positive_rate_bound], [measured[1], certificate.recall_bound], "-", lw=0.6,
        color=dot.get_color(),
    )  # fmt: skip
axes.set(xlabel="false-positive rate", ylabel="recall of the defaults", xlim=(0, None), ylim=(0, 1))
axes.legend(frameon=False, loc="lower right")
plt.show()

# %%
# The same by hand
# ----------------
# scikit-learn tunes a threshold by cross-validation, and scipy has the exact bound for a part that was held out. This
# is valid, too, as long as nobody looks twice: the threshold has to be final before the held-out part is touched, and a
# target for the recall can only be hoped for. Here the tuned threshold aims at 60 % and gets a bound below it.


def recall_of_60(truth, answers):
    """The closer to 60 % the better; there is no way to ask for a bound."""
    return -abs(recall_score(truth, answers, pos_label="yes") - 0.6)


X_fit, X_held, y_fit, y_held = train_test_split(X, y, test_size=1 / 3, random_state=0)
forest = RandomForestClassifier(60, min_samples_leaf=3, random_state=0)
tuned = TunedThresholdClassifierCV(forest, scoring=make_scorer(recall_of_60), cv=3).fit(X_fit, y_fit)
defaults = y_held == "yes"
found = int(np.sum(tuned.predict(X_held[defaults]) == "yes"))
bound = beta.ppf(0.05, found, defaults.sum() - found + 1)
print(f"by hand: threshold {tuned.best_threshold_:.3f}, recall at least {100 * bound:.1f} %")
met = votes["recall 60 %"]
print(f"here:    threshold {met.threshold_:.3f}, recall at least {100 * met.certificate_.recall_bound:.1f} %")

# %%
# MAPIE's ``BinaryClassificationController`` also finds thresholds by tests on held-out rows, for one target and without
# figures for the rest. :doc:`/neighbours` compares what is gained at the same target with the same rows.

# %%
# Several loans of one customer
# -----------------------------
# Say that three rows in a row are of one customer. Such rows are no independent draws, customers are: ``groups=`` keeps
# theirs together, and the certificate counts customers. A vote that answers only when sure works with groups; a
# threshold for one class does not, and says why.

customer = np.arange(len(y)) // 3
grouped = MajorityVoteClassifier(RandomForestClassifier(60, min_samples_leaf=3), random_state=0)
grouped.fit(X, y, groups=customer)
sure = grouped.selective(max_error={"yes": 0.5, "no": 0.05}, unanswered="refer")
print(sure.certificate_.statement())
try:
    grouped.threshold("yes", min_recall=0.6)
except ValueError as error:
    print(error)

# %%
# In a shell
# ----------
#
# .. code-block:: console
#
#    $ stocmv certify loans.csv --target default --pos-label yes --min-recall 0.6
#    $ stocmv predict loans-certified new.csv --out answers.csv
#    $ stocmv verify loans-certified
