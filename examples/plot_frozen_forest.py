"""
A forest that was trained earlier
=================================

A forest has been in use for a while. It was trained on data that nobody has any more, or that are no longer what they
were; now there are new labelled examples. The trees stay as they are, and the new examples do two things at once: they
judge the trees and learn how much each should count.
"""

# %%
# The old forest
# --------------
# Sixteen sensors, two classes. Each tree looks at four of the sensors.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier

from stocmv import MajorityVoteClassifier
from stocmv.bounds import clopper_pearson
from stocmv.displays import PosteriorDisplay

X, y = make_classification(8000, n_features=16, n_informative=8, n_redundant=8, class_sep=1.2, random_state=1)
forest = BaggingClassifier(DecisionTreeClassifier(max_depth=8), 50, max_features=4, random_state=0)
forest.fit(X[:2000], y[:2000])

# %%
# Since then, four of the sensors were mounted again, the wrong way round. The trees that look at them are
# misled; the others are as good as ever.

turned = np.random.default_rng(1).choice(16, 4, replace=False)
X_now = X.copy()
X_now[:, turned] *= -1
new, later = slice(2000, 5000), slice(5000, None)
for name, data in {"then": X, "now": X_now}.items():
    print(f"error of the forest {name}: {100 * (1 - forest.score(data[later], y[later])):.1f} %")

# %%
# New examples judge it
# ---------------------
# ``FrozenEstimator`` says that the forest is not to be trained again. An ensemble is taken apart and its
# members vote. No fold is needed, since no tree has seen any of the new examples: all of them judge. The
# trees are *not* alike any more, so the prior should let the weights move. A concentration of 1 does; the
# default for an ensemble, 50, keeps them nearly equal.

clf = MajorityVoteClassifier(FrozenEstimator(forest), prior=1.0, solver="auto", random_state=0)
clf.fit(X_now[new], y[new])
print(clf.certificate_)

# %%
# The certificate lists what it now rests on: that none of these examples helped to train or choose the trees.
# Nobody can check this afterwards, so it is written down.
#
# The trees that lost weight are those that look at the turned sensors:

misled = np.array([np.isin(features, turned).sum() for features in forest.estimators_features_])
weight = clf.posterior_[0].mean
for count in range(misled.max() + 1):
    trees = misled == count
    print(f"{trees.sum():2d} trees with {count} turned sensors: mean weight {100 * weight[trees].mean():.2f} %")

PosteriorDisplay.from_estimator(clf)
plt.show()

# %%
# How many examples does it take?
# -------------------------------
# There is a simpler way to judge a fixed forest: count its errors on the new examples and take the
# Clopper-Pearson bound. If nothing has changed, this is hard to beat, for then there is nothing to learn and
# the vote only pays for the freedom to move. If the trees have become unequal, the learned vote errs far less,
# and the question is how much of that can be promised, and of which vote. The bound by counting is on one fixed
# classifier, so the figure to hold against it is ``deterministic_bound``, what ``predict`` does. The bound on the
# drawn vote is lower, but for a vote whose answers change from call to call.

sizes = np.array([125, 250, 500, 1000, 2000, 3000])
figure, panels = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
for axes, (name, data) in zip(panels, {"nothing has changed": X, "sensors turned": X_now}.items(), strict=True):
    drawn, fixed, counted, test = [], [], [], []
    for n in sizes:
        X_new, y_new = data[new][:n], y[new][:n]
        clf = MajorityVoteClassifier(FrozenEstimator(forest), prior=1.0, solver="auto", random_state=0)
        clf.fit(X_new, y_new)
        drawn.append(clf.certificate_.bound)
        fixed.append(clf.certificate_.deterministic_bound)
        test.append(1 - clf.score(data[later], y[later]))
        counted.append(clopper_pearson(int(np.sum(forest.predict(X_new) != y_new)), int(n), clf.delta))
    axes.plot(sizes, 100 * np.array(fixed), "o-", color="#123a6b", label="learned vote, fixed: bound")
    axes.plot(sizes, 100 * np.array(drawn), "o:", color="#123a6b", label="learned vote, drawn: bound")
    axes.plot(sizes, 100 * np.array(test), "o--", color="#123a6b", alpha=0.5, label="learned vote, fixed: test error")
    axes.plot(sizes, 100 * np.array(counted), "s-", color="#8b1a1a", label="forest as it is: bound by counting")
    old_error = 100 * (1 - forest.score(data[later], y[later]))
    axes.axhline(old_error, color="#8b1a1a", linestyle="--", alpha=0.5, label="forest as it is: test error")
    axes.set(title=name, xscale="log", xlabel="new labelled examples", ylim=(0, None))
    axes.set_xticks(sizes, [f"{n:,}" for n in sizes], minor=False)
    axes.minorticks_off()
panels[0].set_ylabel("error (%)")
handles, labels = panels[0].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
plt.show()

# %%
# With the sensors turned, the learned vote errs little more than half as often as the forest. The bound on the
# drawn vote falls below that by counting from about 500 examples on. The bound on the fixed vote comes close to it
# with 3,000 and is still above: it pays for all weights that might have been learned, and for the step from drawn
# weights to their mean.
