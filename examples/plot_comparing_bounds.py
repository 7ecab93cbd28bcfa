"""
Comparing bounds and risks on the same voters
=============================================

One set of voters, and the PAC-Bayes bounds and risks of the package minimised on the same votes, as in the paper: the
judging examples also teach the weights, and the bound pays for that. The bounds differ in what they pay and in what
they measure. Beside them stand a hold-out and a fold test, where the judging examples only test and nothing has to be
paid. The page on :ref:`benchmarks <all-bounds>` has the same comparison on five public data sets.
"""

# %%
# The votes
# ---------
# Small trees that tell odd from even digits, in two folds. A quarter of the examples is set aside to measure the error.

import math

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from stocmv import MajorityVoteClassifier, learn
from stocmv.bounds import Catoni, CatoniPerFold, McAllester, Seeger

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y % 2, test_size=0.25, random_state=0)
forest = RandomForestClassifier(50, max_depth=6)
clf = MajorityVoteClassifier(forest, bound="catoni_per_fold", n_folds=2, random_state=0).fit(X_train, y_train)
votes = clf.evidence_  # the votes on the judging examples, fold by fold
print(votes)

# %%
# Four bounds for the exact risk
# ------------------------------
# All four use the same measured error of the stochastic vote and the same KL. Seeger's bound pays a term that grows
# with the logarithm of the number of examples. Catoni's does not, but it has a constant that must be fixed in advance.
# To average over a grid of 64 costs a little; a constant for each fold, chosen from the *other* folds, is free. The
# classifier chose these constants from the out-of-bag errors of the trees.

constants = clf.certificate_.bound_settings["c"]
bounds = {
    "McAllester": McAllester(),
    "Seeger": Seeger(),
    "Catoni, grid": Catoni(),
    "Catoni, per fold": CatoniPerFold(constants),
}
by_bound = {name: learn(votes, bound=bound, prior=50.0, solver="lbfgs") for name, bound in bounds.items()}
for name, learned in by_bound.items():
    c = learned.certificate
    figures = f"bound {100 * c.stochastic_bound:6.2f} %, measured {100 * c.empirical_risk:5.2f} %"
    print(f"{name:18} {figures}, price {bounds[name].price(c.fold_sizes, c.delta):5.2f} nats")

# %%
# Eight risks under Seeger's bound
# --------------------------------
# The classical bounds replace the error of the vote by something that is easier to handle: twice the error of one
# voter (first order), four times the joint error of two (second order), twice the error of a small vote (binomial), or
# a combination of the first two (C-bound, CCTND, CCPBB and CCPBSkl, which differ in what they measure; CCPBB brings
# Bennett's bound along). They are on the vote with the learned weights. The exact risk is the error of the stochastic
# vote itself, without a factor.

risks = {
    "first order": "first_order",
    "second order": "second_order",
    "binomial, 100": "binomial",
    "C-bound": "c_bound",
    "CCTND": "cctnd",
    "CCPBB": "ccpbb",
    "CCPBSkl": "ccpbskl",
    "exact": "exact",
}
by_risk = {
    name: learn(votes, risk=risk, prior=50.0 if risk == "exact" else 1.0, solver="lbfgs")
    for name, risk in risks.items()
}

# %%
# Three bounds on ``predict``
# ---------------------------
# ``predict`` is the deterministic vote. The bound on the stochastic vote carries over to it, at a price. A fold test
# and a hold-out judge it directly, by examples that taught neither the voters nor the weights.

on_predict = {
    "exact": clf,
    "fold test,\n3 folds": MajorityVoteClassifier(forest, n_folds=3, random_state=0).fit(X_train, y_train),
    "hold-out": MajorityVoteClassifier(forest, random_state=0).fit(X_train, y_train),
}

# %%
# Each bound is compared with the error, on the examples set aside, of the vote it bounds: the stochastic vote for the
# exact risk, and the vote with the learned weights for the classical ones (a fold is drawn for both). On the right it
# is the error of ``predict``.

from stocmv.posteriors import Dirichlet
from stocmv.special import half_betainc

codes = [voters.codes(X_test) for voters in clf.voters_]
shares = np.array(clf.certificate_.fold_shares)


def test_error(learned):
    """Share of the test examples on which the certified vote errs."""
    errors = []
    for posterior, answers in zip(learned.posterior, codes, strict=True):
        wrong = (answers != y_test[:, None]) @ posterior.concentrations
        if isinstance(posterior, Dirichlet):
            errors.append(half_betainc(np.minimum(wrong, posterior.total), posterior.total)[0].mean())
        else:
            errors.append(np.mean(wrong >= 0.5))
    return shares @ errors


def percent(learned):
    return 100 * learned.certificate.stochastic_bound, 100 * test_error(learned)


compared = {
    "bounds, all for the exact risk": {name: percent(learned) for name, learned in by_bound.items()},
    "risks, under Seeger's bound": {name: percent(learned) for name, learned in by_risk.items()},
    "on predict": {
        name: (100 * c.certificate_.bound, 100 * (1 - c.score(X_test, y_test))) for name, c in on_predict.items()
    },
}
figure, panels = plt.subplots(1, 3, figsize=(15, 3.8), width_ratios=(4, 8, 3), sharey=True, layout="constrained")
for axes, (title, results) in zip(panels, compared.items(), strict=True):
    place = np.arange(len(results))
    heights, errors = np.array(list(results.values())).T
    bars = axes.bar(place, heights, width=0.6, color="#c6d5e8", label="bound")
    axes.bar_label(bars, [f"{math.ceil(10 * height) / 10:.1f}" for height in heights], padding=2)
    axes.plot(place, errors, "o", color="#8b1a1a", label="test error")
    axes.set(yscale="log", ylim=(1, 100), title=title)
    axes.set_xticks(place, [name.replace(", ", ",\n").replace(" order", "\norder") for name in results])
    axes.spines[["top", "right"]].set_visible(False)
panels[0].set_yticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
panels[0].set_ylabel("error (%), logarithmic")
panels[0].minorticks_off()
panels[0].legend(loc="upper right", frameon=False)
plt.show()

# %%
# The first-order bound moves the weight to a few good trees, and the vote gets worse. Apart from that the errors hardly
# differ; what differs is how close to them the bounds get. Looking at many bounds and keeping the smallest would be a
# choice made with the examples, and would have to be paid for: see :doc:`/choosing`.
