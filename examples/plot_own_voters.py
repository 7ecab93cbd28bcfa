"""
Rules and networks as voters
============================

Anything that answers with a class can vote. Two small classes say where the voters come from: a
:class:`~stocmv.voters.VoterSet` answers, and a :class:`~stocmv.voters.VoterSource` makes it. Here a set of hand-written
rules, a handful of small neural networks, and both together vote on two moons.
"""

# %%
# Rules
# -----
# The two moons lie around a known centre. Without looking at any example, one can draw lines through and near that
# centre and say which side is which class. A voter needs no more: ``codes`` returns one column per voter, with *codes*
# of the classes, ``0 .. K - 1`` in the order of the sorted labels.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.neural_network import MLPClassifier

from stocmv import MajorityVoteClassifier
from stocmv.voters import Joined, VoterSet, VoterSource

CENTRE = np.array([0.5, 0.25])
ANGLES = np.linspace(0, 2 * np.pi, 16, endpoint=False)
OFFSETS = np.array([-0.6, 0.0, 0.6])


class Rules(VoterSet):
    """Class 1 beyond a line, class 0 before it: one rule for each direction and offset."""

    n_voters = ANGLES.size * OFFSETS.size

    def codes(self, X):
        along = (np.asarray(X) - CENTRE) @ np.stack([np.cos(ANGLES), np.sin(ANGLES)])
        return (along[:, :, None] > OFFSETS).reshape(len(X), -1).astype(int)


class RuleSource(VoterSource):
    """The same rules whatever the examples are: nothing is learned."""

    learns = False
    default_prior = (0.3,)  # below 1: a few rules may carry the vote
    assumptions = ("The rules were written down before the examples were looked at.",)

    def fit(self, X, codes, classes, seed, n_jobs=None):
        return Rules()

    def describe(self):
        return f"{Rules.n_voters} half-planes around {CENTRE.tolist()}"


# %%
# ``learns = False`` tells the classifier that the rules need no examples. Their weights do: some of the examples teach
# the weights, and the rest judge the vote. What has to be assumed about the rules goes into ``assumptions``, and from
# there into the certificate.

X, y = make_moons(1500, noise=0.25, random_state=0)
X_test, y_test = make_moons(5000, noise=0.25, random_state=1)

rules = MajorityVoteClassifier(RuleSource(), random_state=0).fit(X, y)
print(rules.certificate_)

# %%
# Networks
# --------
# A source that learns is given the examples that do not judge, and must make its voters from these alone. The codes
# refer to the classes of these examples: a class that occurs only among the judging examples is unknown to the voters.


class Networks(VoterSet):
    def __init__(self, networks):
        self.networks = networks
        self.n_voters = len(networks)

    def codes(self, X):
        return np.column_stack([network.predict(X) for network in self.networks])


class NetworkSource(VoterSource):
    """Small networks of different widths, each with its own random initialisation."""

    exchangeable = True  # similar enough for equal weights

    def __init__(self, widths):
        self.widths = widths

    def fit(self, X, codes, classes, seed, n_jobs=None):
        networks = [
            MLPClassifier(
                (width,), learning_rate_init=0.03, tol=1e-3, n_iter_no_change=4, random_state=(seed + i) % 2**31
            )
            for i, width in enumerate(self.widths)
        ]
        return Networks([network.fit(X, codes) for network in networks])

    def describe(self):
        return f"networks with {list(self.widths)} hidden units"


WIDTHS = (6, 8, 12, 16, 24)
networks = MajorityVoteClassifier(NetworkSource(WIDTHS), random_state=0).fit(X, y)
print(networks.certificate_.statement())

# %%
# A plain list of scikit-learn classifiers, ``MajorityVoteClassifier([MLPClassifier((4,)), ...])``, needs no source at
# all. Write one if the voters need more than ``fit`` and ``predict``.
#
# Both together
# -------------
# ``Joined`` combines several sets. The source learns, because a part of it does, so the weights are learned from
# answers on examples that the networks were not trained on (``inner_folds``). The prior may say *before* any example is
# seen that a network is worth more than a rule: a concentration of 10 for each network and of 0.1 for each rule.


class BothSources(VoterSource):
    def __init__(self, sources):
        self.sources = sources

    @property
    def assumptions(self):
        return tuple(a for source in self.sources for a in source.assumptions)

    def fit(self, X, codes, classes, seed, n_jobs=None):
        return Joined([source.fit(X, codes, classes, seed, n_jobs) for source in self.sources])

    def describe(self):
        return " and ".join(source.describe() for source in self.sources)


prior = np.concatenate([np.full(Rules.n_voters, 0.1), np.full(len(WIDTHS), 10.0)])
sources = BothSources([RuleSource(), NetworkSource(WIDTHS)])
both = MajorityVoteClassifier(sources, prior=prior, random_state=0).fit(X, y)
weight_of_networks = np.mean([posterior.mean[-len(WIDTHS) :].sum() for posterior in both.posterior_])
print(f"The networks have {100 * weight_of_networks:.0f} % of the learned weight.")

# %%
# What each of them answers, with the bound on ``predict`` and its error on 5,000 new examples. The colour is the weight
# of the voters for class 1, which is what ``predict_proba`` returns.

xs, ys = np.meshgrid(np.linspace(-1.8, 2.8, 160), np.linspace(-1.4, 1.9, 130))
grid = np.column_stack([xs.ravel(), ys.ravel()])

figure, panels = plt.subplots(1, 3, figsize=(10, 3.4), sharey=True, layout="constrained")
for axes, (name, clf) in zip(panels, {"rules": rules, "networks": networks, "both": both}.items(), strict=True):
    weight = clf.predict_proba(grid)[:, 1].reshape(xs.shape)
    surface = axes.contourf(xs, ys, weight, levels=np.linspace(0, 1, 11), cmap="RdBu", alpha=0.6)
    colours = np.where(y_test[:250], "#123a6b", "#8b1a1a")
    axes.scatter(*X_test[:250].T, s=12, c=colours, edgecolor="white", linewidth=0.4)
    test_error = np.mean(clf.predict(X_test) != y_test)
    axes.set_title(f"{name}\nbound {100 * clf.certificate_.bound:.1f} %, test {100 * test_error:.1f} %")
    axes.set(xlabel="feature 1", aspect="equal")
panels[0].set_ylabel("feature 2")
figure.colorbar(surface, ax=panels, label="weight of the voters for class 1", shrink=0.8)
plt.show()
