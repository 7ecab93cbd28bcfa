"""
Choosing delta and the number of folds
======================================

Both have to be chosen before the examples are looked at. This page shows what they do, so that the choice can be made
with open eyes, and what it costs to try several and keep the best.
"""

# %%
# The confidence is cheap
# -----------------------
# ``delta`` is the probability with which the certificate may fail. It enters through its logarithm, divided by the
# number of examples: every further factor of ten costs about the same small step.
#
# The voters do not depend on it: they are trained once, and only the vote is learned again for each value.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

from stocmv import MajorityVoteClassifier, learn

X, y = load_digits(return_X_y=True)
y = y % 2  # is the digit odd?
clf = MajorityVoteClassifier(RandomForestClassifier(40), n_folds=2, random_state=0).fit(X, y)

deltas = np.logspace(-9, np.log10(0.5), 12)
certificates = [learn(clf.votes_, prior=50.0, delta=delta, solver="lbfgs").certificate for delta in deltas]

figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
axes.plot(deltas, [100 * c.deterministic_bound for c in certificates], "s-", color="#8b1a1a", label="fixed vote, bound")
axes.plot(deltas, [100 * c.bound for c in certificates], "o-", color="#123a6b", label="drawn vote, bound")
axes.axhline(100 * certificates[-1].empirical_risk, color="grey", linestyle=":", label="measured")
axes.set(xscale="log", xlabel="delta", ylabel="error (%)", ylim=(0, None))
axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
axes.spines[["top", "right"]].set_visible(False)

# %%
# So choose the confidence that the decision at hand deserves, not the one that makes the figure look good.
#
# Folds: better voters against a higher price
# -------------------------------------------
# With F folds the voters are trained on a share of 1 - 1/F of the examples: more folds, better voters. But
# every fold pays for its own confidence, F times the logarithm of 1/delta in all. Which of the two wins
# depends on how much the voters still gain from more examples. Compare the digits with a chequerboard, whose
# 64 fields have to be seen one by one.

board = np.random.default_rng(0).uniform(0, 8, (4000, 2))
colour = np.floor(board).sum(1) % 2
problems = {"odd digits, 1,797 examples": (X, y), "chequerboard, 4,000 examples": (board, colour)}
counts = (2, 3, 4, 6)
fits = {
    name: [MajorityVoteClassifier(RandomForestClassifier(40), n_folds=f, random_state=0).fit(*data) for f in counts]
    for name, data in problems.items()
}

# %%
# Each of these bounds is true on its own. Whoever looks at all four and keeps the smallest has used the
# examples to choose, and has to pay: delta is divided by the number of bounds that were looked at. The votes
# are still there, so that only the weights are learned again.

from stocmv.bounds import CatoniPerFold


def paid(fitted):
    """The bound at a quarter of delta, each fold with the constant that was chosen for it."""
    bound = CatoniPerFold(fitted.certificate_.bound_settings["c"])
    learned = learn(fitted.votes_, prior=50.0, bound=bound, delta=fitted.delta / len(counts), solver="lbfgs")
    return learned.certificate.bound


figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for axes, (name, fitted) in zip(panels, fits.items(), strict=True):
    measured = [100 * f.certificate_.empirical_risk for f in fitted]
    axes.bar(range(len(counts)), measured, color="#c6d5e8", width=0.6, label="measured")
    axes.plot([100 * f.certificate_.bound for f in fitted], "o-", color="#123a6b", label="bound, chosen before")
    axes.plot([100 * paid(f) for f in fitted], "o--", color="#8b1a1a", label="bound, best of four paid for")
    axes.set(title=name, xlabel="folds", ylim=(0, None))
    axes.set_xticks(range(len(counts)), counts)
    axes.spines[["top", "right"]].set_visible(False)
panels[0].set_ylabel("error (%)")
handles, labels = panels[0].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
plt.show()

# %%
# A rule of thumb: the default where nothing is known; two folds where the voters are about as good as they
# get; more where the error is known to fall quickly with the number of examples.
