"""
A forest that was trained earlier
=================================

A forest has been in use for a while. The data it was trained on are lost or out of date, but there are new labelled
examples. The trees stay as they are. Either all new examples judge the forest as it is, or some of them teach how much
each tree should count and the others judge the result.
"""

# %%
# The old forest
# --------------
# Sixteen sensors, two classes. Each tree looks at four of the sensors.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from stocmv import MajorityVoteClassifier
from stocmv.displays import PosteriorDisplay

X, y = make_classification(8000, n_features=16, n_informative=8, n_redundant=8, class_sep=1.2, random_state=1)
forest = BaggingClassifier(DecisionTreeClassifier(max_depth=8), 50, max_features=4, random_state=0)
forest.fit(X[:2000], y[:2000])

# %%
# Since then, four of the sensors were remounted the wrong way round. The trees that look at them are misled; the others
# are as good as ever.

turned = np.random.default_rng(1).choice(16, 4, replace=False)
X_now = X.copy()
X_now[:, turned] *= -1
new, later = slice(2000, 5000), slice(5000, None)
for name, data in {"then": X, "now": X_now}.items():
    print(f"error of the forest {name}: {100 * (1 - forest.score(data[later], y[later])):.1f} %")

# %%
# New examples judge it
# ---------------------
# ``FrozenEstimator`` says that the forest must not be trained again. Its trees vote with equal weights, and nothing is
# learned: all new examples judge, and the bound on ``predict`` is Clopper and Pearson's.

as_it_is = MajorityVoteClassifier(FrozenEstimator(forest), random_state=0).fit(X_now[new], y[new])
print(as_it_is.certificate_)

# %%
# The certificate states its assumption: none of these examples helped to train or choose the trees. Nobody can check
# this afterwards, so it is written down.
#
# New examples learn its weights
# ------------------------------
# The trees are *not* alike any more. Pass them as a list of classifiers, and their weights are learned: two thirds of
# the new examples teach the weights, and the others judge the vote. ``voting="hard"`` counts their answers, as the
# method of the paper does.

trees = [
    FrozenEstimator(make_pipeline(FunctionTransformer(np.take, kw_args={"indices": features, "axis": 1}), tree))
    for features, tree in zip(forest.estimators_features_, forest.estimators_, strict=True)
]
weighted = MajorityVoteClassifier(trees, voting="hard", prior=1.0, solver="lbfgs", random_state=0).fit(
    X_now[new], y[new]
)
print(weighted.certificate_.statement())
print(weighted.certificate_.protocol)

# %%
# The trees that lost weight are those that look at the turned sensors:

misled = np.array([np.isin(features, turned).sum() for features in forest.estimators_features_])
weight = weighted.posterior_[0].mean
for count in range(misled.max() + 1):
    some = misled == count
    print(f"{some.sum():2d} trees with {count} turned sensors: mean weight {100 * weight[some].mean():.2f} %")

PosteriorDisplay.from_estimator(weighted)
plt.show()

# %%
# How many examples does it take?
# -------------------------------
# If nothing has changed, there is nothing to learn, and all examples should judge. If the trees have become unequal,
# learned weights reduce the error, and the question is whether that gains more than having all examples judge.

sizes = np.array([125, 350, 1000, 3000])
figure, panels = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
for axes, (name, data) in zip(panels, {"nothing has changed": X, "sensors turned": X_now}.items(), strict=True):
    for label, voters, colour in (
        ("equal weights", FrozenEstimator(forest), "#8b1a1a"),
        ("learned weights", trees, "#123a6b"),
    ):
        recipe = MajorityVoteClassifier(voters, voting="hard", prior=1.0, solver="lbfgs", random_state=0)
        fits = [clone(recipe).fit(data[new][:n], y[new][:n]) for n in sizes]
        bounds = [100 * clf.certificate_.bound for clf in fits]
        errors = [100 * (1 - clf.score(data[later], y[later])) for clf in fits]
        axes.plot(sizes, bounds, "o-", color=colour, label=f"{label}: bound on predict")
        axes.plot(sizes, errors, "o--", color=colour, alpha=0.5, label=f"{label}: test error")
    axes.set(title=name, xscale="log", xlabel="new labelled examples", ylim=(0, None))
    axes.set_xticks(sizes, [f"{n:,}" for n in sizes], minor=False)
    axes.minorticks_off()
panels[0].set_ylabel("error (%)")
handles, labels = panels[0].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
plt.show()

# %%
# With the sensors turned, the vote with learned weights errs little more than half as often, and this shows in the
# certificate from 125 examples on. If nothing has changed, the two certificates differ by little more than the luck of
# which examples judge.
