"""
Learning a stochastic majority vote
===================================

A **stochastic majority vote** draws the weights of its voters afresh for every prediction. What is learned is the
distribution of the weights, and the examples that teach it can judge it too: nothing is held out, and a bound that
holds for all distributions at once pays for the learning. This is the method of Zantedeschi et al. (2021). The page
shows what is drawn, why the error is known exactly, what the bound pays for, and how voters that add nothing stop
costing anything.
"""

# %%
# What is drawn: a point of the simplex
# -------------------------------------
# The weights of three voters are a point in a triangle. In a corner one voter has all the weight. Beyond the dashed
# lines one voter has more than half of it and decides alone; in the middle any two outvote the third. The prior, a
# Dirichlet distribution, does not prefer any point. What is learned is another Dirichlet, here from 500 examples.

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import beta, dirichlet

from stocmv import VoteMatrix, learn

rng = np.random.default_rng(0)
CORNERS = np.array([[0, 0], [1, 0], [0.5, 0.75**0.5]])
BLUE, ORANGE, GREEN, VERMILION, GREY = "#0072b2", "#e69f00", "#009e73", "#d55e00", "#767676"


def draw_simplex(ax, alpha, title):
    """The density over the triangle, and some draws."""
    grid = np.array([(i, j, 150 - i - j) for i in range(1, 150) for j in range(1, 150 - i)]) / 150
    density = dirichlet.pdf(grid.T, alpha)
    if np.ptp(density) > 1e-6:
        ax.tricontourf(*(grid @ CORNERS).T, density, levels=12, cmap="Blues")
    else:
        ax.fill(*CORNERS.T, color="#deebf7")
    ax.plot(*(rng.dirichlet(alpha, 100) @ CORNERS).T, ".", color=VERMILION, markersize=2.5)
    ax.plot(*CORNERS[[0, 1, 2, 0]].T, color=GREY)
    ax.plot(*((CORNERS + CORNERS[[1, 2, 0]]) / 2)[[0, 1, 2, 0]].T, "--", color=GREY, linewidth=1)
    for voter, (x, height) in enumerate(CORNERS, 1):
        ax.annotate(f"voter {voter}", (x, height), (0, 4 if height else -12), textcoords="offset points", ha="center")
    ax.set_title(title, fontsize="medium")
    ax.set(aspect="equal", xlim=(-0.12, 1.12), ylim=(-0.12, 0.98))
    ax.set_axis_off()


figure, panels = plt.subplots(1, 3, figsize=(9.5, 3.3), layout="constrained")
draw_simplex(panels[0], np.ones(3), "before: the prior")
for ax, rates in zip(panels[1:], ([0.2, 0.2, 0.25], [0.05, 0.3, 0.3]), strict=True):
    three = learn(VoteMatrix.from_errors(rng.random((500, 3)) < rates), prior=1.0, random_state=0)
    errors = ", ".join(f"{100 * rate:.0f}" for rate in rates)
    draw_simplex(ax, three.posterior.alpha, f"voters that err on {errors} %")
plt.show()

# %%
# If the voters are about equally good and err independently, two of them should decide; if one is much better, it
# should decide alone.
#
# The vote as a beta variable
# ---------------------------
# From here on, 2,000 games of noughts and crosses, played at random. Who wins is to be told from the final board, nine
# squares with 1, 0 or -1, in a table with eleven further columns that have nothing to do with it. The voters are
# stumps: one threshold on one column, both sides. All of this was fixed before the first game was played.

LINES = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]])


def games(n):
    """Final boards with eleven useless columns, and whether the first player won."""
    boards = np.zeros((n, 9), int)
    for board in boards:
        for turn, square in enumerate(rng.permutation(9)):
            board[square] = 1 - 2 * (turn % 2)
            if np.any(abs(board[LINES].sum(1)) == 3):
                break
    won = np.any(boards[:, LINES].sum(2) == 3, axis=1)
    return np.column_stack([boards, rng.integers(-1, 2, (n, 11))]), won.astype(int)


def answers(X, n_thresholds):
    """What the stumps say: a row for each game, a column for each voter."""
    thresholds = np.linspace(-1, 1, n_thresholds + 2)[1:-1]
    above = (X[:, :, None] > thresholds).reshape(len(X), -1)
    return np.hstack([above, ~above]).astype(int)


X, y = games(2000)
votes = VoteMatrix.from_labels(answers(X, 10), y)
print(votes)
as_in_the_paper = learn(votes, prior=1.0, merge=False, random_state=0)

# %%
# On a given board some of the voters err. Their total weight is random, because the weights are: by a property of the
# Dirichlet it is a **beta variable**, whose two parameters are the sums of the learned concentrations over the voters
# that err and over the others. The vote errs if they have half of the weight, so the probability of that is the tail of
# the beta beyond one half, known to the last digit. Here are three boards, with 20,000 draws each:

from stocmv.special import half_betainc

wrong = answers(X, 10) != y[:, None]
alpha = as_in_the_paper.posterior.alpha
errs, _, _ = half_betainc(wrong @ alpha, alpha.sum())
draws = rng.dirichlet(alpha, 20_000)

figure, panels = plt.subplots(1, 3, figsize=(9.5, 3.1), sharex=True, sharey=True, layout="constrained")
weight = np.linspace(0.35, 0.65, 601)
for ax, wanted, title in zip(panels, (0.01, 0.2, 0.8), ("a clear board", "a close one", "usually wrong"), strict=True):
    board = np.argmin(abs(errs - wanted))
    density = beta(alpha @ wrong[board], alpha @ ~wrong[board]).pdf(weight)
    ax.hist(draws @ wrong[board], 60, range=(0.35, 0.65), density=True, color="#c6d5e8", label="draws of the weights")
    ax.plot(weight, density, color=BLUE, label="beta density")
    ax.fill_between(weight, density, where=weight >= 0.5, color=VERMILION, alpha=0.6, label="the vote errs")
    ax.axvline(0.5, color=GREY, linewidth=1, linestyle="--")
    ax.set_title(f"{title}: errs with probability {100 * errs[board]:.1f} %", fontsize="medium")
    ax.set(xlabel="weight of the voters that err", xlim=(0.35, 0.65), yticks=[])
    ax.spines[["top", "right", "left"]].set_visible(False)
figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
plt.show()

# %%
# The mean of these probabilities over all boards is the **empirical risk** of the stochastic vote. It is a smooth
# function of the concentrations, so a bound on the true error can be minimised by gradient descent.

from stocmv.displays import ErrorDistributionDisplay

ErrorDistributionDisplay.from_learned(as_in_the_paper, votes)
plt.show()

# %%
# What the bound pays for
# -----------------------
# With probability at least 95 % over the 2,000 games, for *every* distribution of the weights at once,
#
# .. math:: \mathrm{kl}(\text{empirical risk}, \text{true error}) \le \frac{\mathrm{KL} + \text{constant}}{n}
#
# (Seeger's bound). The **KL** says how far the learned distribution is from the prior: it is the price of learning from
# the games that judge. The **constant**, a few nats, would also be paid for weights fixed in advance. Eight of the ten
# thresholds on a column repeat what the others say, so there are 400 voters where 80 would do:
#
# - *as in the paper*: a Dirichlet prior with 1 for every voter. It insists on spreading the weights over all of them.
#   A distribution that trusts the right ones is too far away, and the bound settles for a poor vote;
# - *merged*: voters that answer all games alike form a **bloc**, and only the weight of the bloc is paid for
#   (:ref:`proof <voter-blocs>`);
# - *merged, paid priors*, the default: also the best of five priors, :ref:`sparse to dense <sparse-priors>`. Trying
#   five costs ln 5 = 1.6 nats and saves more where few of many voters matter, as here.

from stocmv.special import kl_inverse

merged = learn(votes, prior=1.0, random_state=0)
ours = learn(votes, random_state=0)
names = ("as in the paper", "merged", "merged,\npaid priors")
results = [learned.certificate for learned in (as_in_the_paper, merged, ours)]

risks = np.array([c.empirical_risk for c in results])
# the part of the KL is what it adds to the risk by itself, that of the constant is the rest
with_kl = np.array([kl_inverse(c.empirical_risk, c.kl / c.n) for c in results])
bounds = np.array([c.stochastic_bound for c in results])

figure, ax = plt.subplots(figsize=(7.5, 3.8), layout="constrained")
parts = {"empirical risk": risks, "KL": with_kl - risks, "constant": bounds - with_kl}
bottom = np.zeros(len(results))
for (name, heights), colour in zip(parts.items(), ("#c6d5e8", ORANGE, GREY), strict=True):
    bars = ax.bar(names, 100 * heights, 0.55, 100 * bottom, color=colour, label=name)
    if name != "constant":
        ax.bar_label(bars, [f"{100 * height:.1f}" for height in heights], label_type="center")
    bottom += heights
ax.bar_label(bars, [f"bound {np.ceil(1000 * bound) / 10:.1f} %" for bound in bounds], padding=3, fontweight="bold")
ax.set(ylabel="error of the stochastic vote (%)", ylim=(0, 48))
ax.spines[["top", "right"]].set_visible(False)
ax.legend(
    *(part[::-1] for part in ax.get_legend_handles_labels()), loc="center left", bbox_to_anchor=(1, 0.5), frameon=False
)
plt.show()

# %%
# More voters, the same bound
# ---------------------------
# The paper ends with an open question: its bound grows with every voter that is added, even if most are redundant. A
# column has three values, so two thresholds say all there is to say, and every further one repeats one of them. If
# every voter is paid for, the bound grows. If blocs are paid for, it does not move.

found = {400: (as_in_the_paper, ours)}
for n_thresholds in (2, 50):
    some = VoteMatrix.from_labels(answers(X, n_thresholds), y)
    found[some.n_voters] = learn(some, prior=1.0, merge=False, random_state=0), learn(some, random_state=0)
n_voters = sorted(found)

X_new, y_new = games(10_000)
alpha = found[80][1].posterior.alpha
new_error = 100 * half_betainc((answers(X_new, 2) != y_new[:, None]) @ alpha, alpha.sum())[0].mean()

figure, ax = plt.subplots(figsize=(7.5, 3.8), layout="constrained")
for which, (name, colour, mark) in enumerate((("as in the paper", VERMILION, "s"), (names[2], BLUE, "o"))):
    curve = [100 * found[count][which].certificate.stochastic_bound for count in n_voters]
    ax.plot(n_voters, curve, f"{mark}-", color=colour)
    ax.annotate(name, (n_voters[-1], curve[-1]), (10, 0), textcoords="offset points", color=colour, va="center")
ax.axhline(new_error, color=GREY, linestyle=":")
ax.annotate(
    "error of the blue vote\non 10,000 new games",
    (80, new_error),
    (0, -14),
    textcoords="offset points",
    color=GREY,
    va="center",
)
ax.set(xscale="log", ylim=(0, 50), xlabel="voters, of which 80 differ", ylabel="bound on the stochastic vote (%)")
ax.set_xticks(n_voters, [f"{count:,}" for count in n_voters])
ax.minorticks_off()
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Nothing is assumed about new examples. The voters of a bloc may disagree there; they then share the weight of the bloc
# as the prior does, and the bound is on that vote. On boards they never disagree.
#
# Two things to know. The curve is flat because every voter is repeated equally often: with an odd number of thresholds
# some are repeated once more than others and get more of the prior, and the bound moves a little. And the bound on
# ``predict`` is not quite flat, because :ref:`one voter speaks for each bloc <bloc-predict>`, and that costs something:

for count in n_voters:
    print(f"{count:5,} voters: predict errs on at most {found[count][1].certificate.bound:.4f}")

# %%
# On your own data
# ----------------
# ``MajorityVoteClassifier("stumps", bound="seeger").fit(X, y)`` does all of this and also bounds the error of
# ``predict``. It takes the ranges of the thresholds from other folds, because the bound is not proven for voters that
# depend on the examples that judge them. With more than two classes the error is no longer the tail of a beta variable,
# but still :ref:`computed exactly <multiclass-risk>`. If only ``predict`` matters, judges that only test, the default,
# usually give the smaller bound: :doc:`/choosing` compares them. :doc:`/theory` has the proofs.
