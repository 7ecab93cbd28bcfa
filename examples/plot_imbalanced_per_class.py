"""
Rare classes: one certificate for each
======================================

If one example in ten is positive, a small error says little: always answering "negative" is right nine times in ten.
What matters are the errors given the true class: the false positive and the false negative rate. They can be certified
too.
"""

# %%
# Two forests, two trade-offs
# ---------------------------
# ``per_class=True`` asks for a bound on each class. The second forest gives the rare class more weight in training.

import math

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from stocmv import MajorityVoteClassifier
from stocmv.displays import CertificateDisplay

X, y = make_classification(
    12000, n_features=12, n_informative=6, weights=[0.9], flip_y=0.01, class_sep=1.2, random_state=0
)
y = np.where(y == 1, "positive", "negative")
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)

forests = {
    "plain forest": RandomForestClassifier(60),
    "balanced forest": RandomForestClassifier(60, max_depth=6, class_weight="balanced_subsample"),
}
fits = {
    name: MajorityVoteClassifier(forest, per_class=True, random_state=0).fit(X_train, y_train)
    for name, forest in forests.items()
}
print(fits["plain forest"].certificate_)

# %%
# The two classes share delta, so both bounds hold at once. A class is judged only by its own examples: the rare class
# has a tenth of those held out, so its bound is further from the measured error.
#
# The last figure is for using no model at all: always answering "negative".

CertificateDisplay.from_estimator(fits["plain forest"])
plt.show()

# %%
# Bounds and test errors
# ----------------------
# Errors of ``predict`` on 6,000 examples that were set aside, with its bounds. The plain forest has the better
# certificate on all examples but misses nearly half of the positive ones. The balanced forest makes more errors overall
# and misses far fewer positives, and both sides of that trade-off are certified.


def lines(clf):
    """Bound and test error of predict: on all examples, on the negative ones, on the positive ones."""
    wrong = clf.predict(X_test) != y_test
    yield clf.certificate_.bound, wrong.mean()
    for entry in clf.certificate_.per_class:
        yield entry["bound"], wrong[y_test == entry["label"]].mean()


figure, panels = plt.subplots(1, 2, figsize=(9, 3.4), sharex=True, sharey=True, layout="constrained")
for axes, (name, clf) in zip(panels, fits.items(), strict=True):
    bound, test = 100 * np.array(list(lines(clf))).T
    axes.barh(range(3), bound, height=0.5, color="#c6d5e8", label="bound")
    axes.plot(test, range(3), "o", color="#123a6b", label="test error")
    for row, value in enumerate(bound):
        axes.annotate(
            f"{math.ceil(10 * value) / 10:.1f}", (value, row), xytext=(4, 0), textcoords="offset points", va="center"
        )
    axes.set(title=name, xlabel="error (%)")
    axes.set_yticks(range(3), ["all examples", "false positives", "false negatives"])
    axes.spines[["top", "right"]].set_visible(False)
panels[0].invert_yaxis()
panels[1].legend(loc="upper right", frameon=False)
panels[0].set_xlim(0, 75)
plt.show()

# %%
# If you choose between the two forests *after* looking at these bounds, certify each with half of delta; then you may
# keep the better one.
