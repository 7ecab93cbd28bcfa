"""
Choosing delta, a hold-out or folds
===================================

These settings have to be chosen before looking at the examples. This page shows what they do, and what it costs to try
several and keep the best.
"""

# %%
# Confidence is cheap
# -------------------
# ``delta`` is the probability that the certificate fails. It enters through its logarithm, divided by the number of
# judging examples: every further factor of ten raises the bound by about the same small amount. The vote does not
# depend on it, so with the same seed all of these certificates are for the same vote.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

from stocmv import MajorityVoteClassifier

X, y = load_digits(return_X_y=True)
y = y % 2  # is the digit odd?


def certified(data, **settings):
    return MajorityVoteClassifier(RandomForestClassifier(40), random_state=0, **settings).fit(*data).certificate_


deltas = np.logspace(-9, np.log10(0.5), 6)
certificates = [certified((X, y), delta=delta, stochastic=True) for delta in deltas]

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
# So choose the confidence that your decision needs, not the one that makes the figure look good.
#
# Who judges
# ----------
# Judging examples do not train, so a larger hold-out means worse voters and a tighter test of them. With folds every
# example does both, but the votes of the folds depend on each other, and the test is slightly less tight. Which one
# wins depends on how much the voters still gain from more examples. Compare the digits with a chequerboard, whose 64
# fields have to be learned one by one.

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
# Each of these bounds is valid by itself. If you look at all six and keep the smallest, you have used the examples to
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
# A rule of thumb: keep the default, a hold-out whose size depends on the number of examples. Use folds if examples are
# few and the error is known to fall quickly with their number. :doc:`/choosing` has measurements.
