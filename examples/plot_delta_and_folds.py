"""
Choosing delta, a hold-out or folds
===================================

All of them have to be chosen before the examples are looked at. This page shows what they do, so that the choice can be
made with open eyes, and what it costs to try several and keep the best.
"""

# %%
# The confidence is cheap
# -----------------------
# ``delta`` is the probability with which the certificate may fail. It enters through its logarithm, divided by the
# number of examples that judge: every further factor of ten costs about the same small step. The vote does not depend
# on it, so with the same seed all of these certificates are on the same vote.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

from stocmv import MajorityVoteClassifier

X, y = load_digits(return_X_y=True)
y = y % 2  # is the digit odd?


def certified(data, **settings):
    return MajorityVoteClassifier(RandomForestClassifier(40), random_state=0, **settings).fit(*data).certificate_


deltas = np.logspace(-9, np.log10(0.5), 9)
certificates = [certified((X, y), delta=delta) for delta in deltas]

figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
axes.plot(
    deltas, [100 * c.stochastic_bound for c in certificates], "s-", color="#8b1a1a", label="stochastic vote, bound"
)
axes.plot(deltas, [100 * c.bound for c in certificates], "o-", color="#123a6b", label="predict, bound")
axes.axhline(100 * certificates[-1].empirical_risk, color="grey", linestyle=":", label="predict, measured")
axes.set(xscale="log", xlabel="delta", ylabel="error (%)", ylim=(0, None))
axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
axes.spines[["top", "right"]].set_visible(False)

# %%
# So choose the confidence that the decision at hand deserves, not the one that makes the figure look good.
#
# Who judges
# ----------
# Examples that judge do not train, so a larger hold-out has worse voters and a tighter test of them. With folds every
# example does both, and the votes of the folds may depend on each other: the price is a slightly wider test. Which of
# them wins depends on how much the voters still gain from more examples. Compare the digits with a chequerboard, whose
# 64 fields have to be seen one by one.

board = np.random.default_rng(0).uniform(0, 8, (4000, 2))
colour = np.floor(board).sum(1) % 2
problems = {"odd digits, 1,797 examples": (X, y), "chequerboard, 4,000 examples": (board, colour)}
protocols = {
    "1/5 held\nout": {"holdout": 1 / 5},
    "1/3 held\nout": {"holdout": 1 / 3},
    "1/2 held\nout": {"holdout": 1 / 2},
    "2 folds": {"n_folds": 2},
    "3 folds": {"n_folds": 3},
    "5 folds": {"n_folds": 5},
}

# %%
# Each of these bounds is true on its own. If you look at all six and keep the smallest, you have used the examples to
# choose, and must pay for it: pass ``delta / 6``.

figure, panels = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
for axes, (name, data) in zip(panels, problems.items(), strict=True):
    before = [certified(data, **protocol) for protocol in protocols.values()]
    paid = [certified(data, delta=0.05 / len(protocols), **protocol) for protocol in protocols.values()]
    axes.bar(
        range(len(protocols)), [100 * c.empirical_risk for c in before], color="#c6d5e8", width=0.6, label="measured"
    )
    axes.plot([100 * c.bound for c in before], "o", color="#123a6b", label="bound, chosen before")
    axes.plot([100 * c.bound for c in paid], "_", color="#8b1a1a", markersize=14, label="bound, best of six paid for")
    axes.set(title=name, ylim=(0, None))
    axes.set_xticks(range(len(protocols)), protocols)
    axes.spines[["top", "right"]].set_visible(False)
panels[0].set_ylabel("error of predict (%)")
handles, labels = panels[0].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
plt.show()

# %%
# A rule of thumb: the default, a hold-out by the number of examples, where nothing is known. Folds where examples are
# few and the error is known to fall quickly with their number. :doc:`/choosing` has measured figures.
