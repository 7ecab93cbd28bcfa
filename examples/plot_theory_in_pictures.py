"""
Theory in pictures
==================

Four questions and a picture for each: why is a vote a beta variable, what does a bound cost, why are redundant voters
free, and why folds? There are no proofs here (:doc:`/theory` has them), but every curve is computed on this page, and
wherever a claim can be tried by drawing, it is.
"""

import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(0)
BLUE, ORANGE, GREEN, VERMILION, GREY = "#0072b2", "#e69f00", "#009e73", "#d55e00", "#767676"

# %%
# Why is a vote a beta variable?
# ------------------------------
# Cut a stick of length one into five pieces at random, one for each voter: the pieces are the weights. On some example
# voters 1 and 2 err, and the vote errs if their two pieces make up more than half of the stick. Only the sum of the
# two matters, not how it is divided between them.
#
# The Dirichlet distribution is the way to cut a stick for which such a sum is easy. Each voter gets a gamma variable,
# and its weight is its share of the total. Gamma variables add up to gamma variables, so the two camps are two gammas,
# and the share of one of them is a beta variable. Its parameters are the sums of the concentrations of each camp: here
# 2 + 1 for the voters that err, 3 + 1 + 1 for the others.

from scipy.stats import beta

from stocmv.special import half_betainc

concentrations = np.array([2.0, 1.0, 3.0, 1.0, 1.0])
err = np.array([True, True, False, False, False])
sticks = rng.dirichlet(concentrations, 20_000)

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.6), layout="constrained")
ends = np.cumsum(sticks[:30], axis=1)
starts = ends - sticks[:30]
for voter, shade in enumerate((VERMILION, "#f0a070", BLUE, "#5aa5d6", "#a6cfe8")):
    left.barh(np.arange(30), sticks[:30, voter], left=starts[:, voter], color=shade, label=f"voter {voter + 1}")
left.axvline(0.5, color="black", linestyle="--", linewidth=1)
left.set(xlabel="weight", ylabel="draw", yticks=[], xlim=(0, 1), title="thirty sticks: orange against blue")

weight = np.linspace(0, 1, 401)
density = beta(concentrations[err].sum(), concentrations[~err].sum()).pdf(weight)
right.hist(sticks[:, err].sum(axis=1), 50, density=True, color="#c6d5e8", label="20,000 sticks")
right.plot(weight, density, color=BLUE, label="beta density")
right.fill_between(weight, density, where=weight >= 0.5, color=VERMILION, alpha=0.6, label="the vote errs")
right.set(xlabel="weight of voters 1 and 2 together", yticks=[], xlim=(0, 1), title="the orange part")
right.legend(frameon=False)
plt.show()

exact, _, _ = half_betainc(concentrations[err].sum(), concentrations.sum())
print(f"the vote errs in {np.mean(sticks[:, err].sum(axis=1) >= 0.5):.4f} of the sticks; the beta tail is {exact:.4f}")

# %%
# So nothing has to be drawn to know how often a stochastic vote errs on an example: it is a tail of a beta variable, a
# smooth function of the concentrations. That is what can be minimised. With more than two classes there are more
# than two camps, and the risk is still :ref:`exact <multiclass-risk>`.
#
# What does a bound cost?
# -----------------------
# Somebody measures 5 % errors on 200 examples. The true error may well be 6 %, or 9 %. Which true errors are still
# plausible? Those under which 10 errors or fewer happen with a chance of at least 5 %. The largest of them is Clopper
# and Pearson's bound, and nothing smaller will do: any smaller bound that grows with the number of errors would fail
# too often for some true error.

from scipy.stats import binom

from stocmv.bounds import clopper_pearson

bound = clopper_pearson(10, 200, 0.05)
truths = np.linspace(0.0, 0.15, 301)[1:]
figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.6), layout="constrained")
chance = binom.cdf(10, 200, truths)
left.plot(100 * truths, 100 * chance, color=BLUE)
left.axhline(5, color=GREY, linestyle=":")
left.axvline(100 * bound, color=VERMILION)
left.annotate(f"bound {100 * bound:.2f} %", (100 * bound, 60), (6, 0), textcoords="offset points", color=VERMILION)
left.set(xlabel="true error (%)", ylabel="chance of 10 errors or fewer (%)", ylim=(0, 100), title="10 errors on 200")

sizes = np.unique(np.geomspace(20, 20_000, 60).astype(int))
for measured, colour in ((0.0, GREEN), (0.05, BLUE), (0.2, ORANGE)):
    costs = [100 * (clopper_pearson(round(measured * n), n, 0.05) - round(measured * n) / n) for n in sizes]
    right.plot(sizes, costs, color=colour, label=f"{100 * measured:.0f} % measured")
right.set(xscale="log", yscale="log", xlabel="judging examples", ylabel="bound minus measured (points)")
right.set_title("what the bound adds")
right.legend(frameon=False)
plt.show()

# %%
# Four times as many examples halve what the bound adds; without an error, they quarter it. Confidence is cheap beside
# that: on 200 examples,

for delta in (0.1, 0.05, 0.01, 0.001):
    print(f"delta = {delta:5}: 10 errors on 200 examples give {100 * clopper_pearson(10, 200, delta):.2f} %")

# %%
# All this is for a vote that was fixed before. If the judging examples also choose the weights, the bound has to hold
# for all weights that could have been chosen, and pays the KL: about how much the examples had to say to get from the
# prior to what was learned. A nat costs the same whether it comes from a smaller delta or from a longer way to go.

from stocmv.bounds import Seeger

kls = np.linspace(0, 40, 81)
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for n, colour in ((200, ORANGE), (1000, BLUE), (10_000, GREEN)):
    ax.plot(kls, [100 * Seeger().upper(0.05, kl, [n], 0.05).value for kl in kls], color=colour, label=f"{n:,} examples")
    fixed = 100 * clopper_pearson(n // 20, n, 0.05)
    ax.plot(0, fixed, "o", color=colour, clip_on=False)
ax.set(xlabel="KL of the learned weights (nats)", ylabel="bound (%)", xlim=(0, 40), ylim=(0, None))
ax.set_title("5 % measured; dots: a vote that was fixed before")
ax.legend(frameon=False)
plt.show()

# %%
# Why are redundant voters free?
# ------------------------------
# Thirty voters, of which five are better than the rest, on 1,000 examples. Now every voter is copied. A copy changes
# nothing about what the vote can do. But to trust five of thirty voters, the concentrations of all their copies have to
# be changed, and the KL counts them all.
#
# stocmv merges voters that answer alike into a bloc. The sum of the weights of a bloc is a beta variable, as above, and
# how a bloc divides its weight never mattered: so nobody pays for it. What is left is a problem with as many voters as
# there are different ones.

from stocmv import VoteMatrix, learn

rates = np.where(np.arange(30) < 5, 0.15, 0.4)
errors = rng.random((1000, 30)) < rates
copies = (1, 2, 4, 8)
found = {True: [], False: []}
for count in copies:
    votes = VoteMatrix.from_errors(np.repeat(errors, count, axis=1))
    for merge, results in found.items():
        results.append(learn(votes, merge=merge, random_state=0).certificate)

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.6), layout="constrained")
for merge, colour, name in ((False, VERMILION, "every voter is paid for"), (True, BLUE, "blocs are paid for")):
    left.plot(copies, [100 * c.stochastic_bound for c in found[merge]], "o-", color=colour, label=name)
    right.plot(copies, [100 * c.empirical_risk for c in found[merge]], "o-", color=colour, label=name)
for ax, title in ((left, "bound (%)"), (right, "error on the 1,000 examples (%)")):
    ax.set(xscale="log", xlabel="how often each of the thirty voters occurs", ylim=(0, None), title=title)
    ax.set_xticks(copies, copies)
    ax.minorticks_off()
left.legend(frameon=False, loc="lower left")
plt.show()

# %%
# The right panel shows what the price does: as it rises, the vote that is worth learning gets worse, because the better
# one has become too expensive.
#
# Copies are free with the default priors, whose concentrations sum to the same total for any number of voters. With a
# concentration that you fix for each voter, such as ``prior=1.0``, copies make the prior denser, and the bound changes
# a little.
#
# Why folds?
# ----------
# A fully grown tree makes no error on the examples it was trained on. The number that a bound needs is
# another one: its error on examples that did not help to make it. So some examples must judge and not train. How many?
# With few judges the bound is loose; with many the model has little to learn from. On 300 examples, mean of 20 samples:

from sklearn.datasets import make_moons
from sklearn.tree import DecisionTreeClassifier

from stocmv import MajorityVoteClassifier

X_new, y_new = make_moons(20_000, noise=0.25, random_state=10_000)
shares = (0.1, 0.2, 0.33, 0.5, 0.7, 0.85)


def bound_and_truth(**protocol):
    """Mean bound of a tree on 300 examples, its mean true error, and how often the bound was too low."""
    rows = []
    for seed in range(20):
        X, y = make_moons(300, noise=0.25, random_state=seed)
        clf = MajorityVoteClassifier(DecisionTreeClassifier(), random_state=seed, **protocol).fit(X, y)
        rows.append((clf.certificate_.bound, np.mean(clf.predict(X_new) != y_new)))
    bounds, truth = np.array(rows).T
    return 100 * bounds.mean(), 100 * truth.mean(), int(np.sum(bounds < truth))


held = np.array([bound_and_truth(holdout=share) for share in shares])
folds = {count: bound_and_truth(n_folds=count) for count in (3, 10)}

figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ax.plot(shares, held[:, 0], "o-", color=BLUE, label="hold-out: bound")
ax.plot(shares, held[:, 1], "o:", color=BLUE, label="hold-out: true error")
for (count, (bound, truth, _)), colour in zip(folds.items(), (ORANGE, GREEN), strict=True):
    ax.axhline(bound, color=colour, label=f"{count} folds: bound")
    ax.axhline(truth, color=colour, linestyle=":", label=f"{count} folds: true error")
ax.set(xlabel="share of the examples that judge", ylabel="error of predict (%)", ylim=(0, None), xlim=(0, 1))
ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()
print(f"bounds below the true error: {int(held[:, 2].sum() + sum(row[2] for row in folds.values()))} of 160")

# %%
# With folds nobody has to decide: every example judges a tree that has not seen it, and trains the others. But the
# folds depend on each other, since each of them trains the votes that the others judge, and so the errors of all folds
# must not be counted as if they were one test. The :ref:`fold test <fold-test>` is a bound that allows for that, at a
# price. Here three folds come close to the hold-out of a third that is the default, and beat those that hold out much
# more or much less; ten folds of thirty examples each pay more than they gain.
#
# A bound may be too low: in one sample of twenty at most, by its own promise. The last line counts them.
#
# :doc:`plot_learning_a_stochastic_vote` goes on from here, and :doc:`/theory` has the proofs.
