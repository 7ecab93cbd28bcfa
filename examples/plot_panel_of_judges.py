"""
A panel of judges
=================

Five judges, who may be people, models or prompts of a language model, have labelled texts as "fine" or "harmful", and
for some texts the truth is known. How good is each of them, how often do they agree, how many independent opinions is
that really, and how should their answers be combined?

One of them copies another most of the time, and the best one often does not answer. Counting heads ignores both.
Learned weights do not, and the certificate is on what `predict` does on new texts. In this package a member of a panel
is called a voter; a "judge" is an example that tests the vote.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from stocmv import MajorityVoteClassifier, VoteMatrix, learn
from stocmv.displays import PanelDisplay


def ask_panel(n, rng):
    """What the panel says about some texts, and the truth."""
    harmful = rng.random(n) < 0.4

    def member(accuracy):
        return np.where(rng.random(n) < accuracy, harmful, ~harmful)

    ann, bob, cy, eve = member(0.80), member(0.76), member(0.62), member(0.95)
    copycat = np.where(rng.random(n) < 0.9, cy, member(0.62))
    said = pd.DataFrame({"ann": ann, "bob": bob, "cy": cy, "copycat of cy": copycat, "eve": eve})
    said = said.replace({True: "harmful", False: "fine"}).astype(object)
    said.loc[rng.random(n) < 0.5, "eve"] = None  # she leaves about half of the texts unanswered
    return said, np.where(harmful, "harmful", "fine")


rng = np.random.default_rng(0)
answers, truth = ask_panel(2000, rng)
answers.assign(truth=truth).head()

# %%
# The columns are the voters. Half of the texts teach the weights, the other half only tests: the vote, each voter
# alone, and the vote in which all have the same weight. ``panel=True`` adds the last two.

clf = MajorityVoteClassifier("answers", panel=True, holdout=0.5, random_state=0).fit(answers, truth)
certificate = clf.certificate_
print(certificate)

# %%
# What holds at once? The bound on `predict` holds with probability at least 95 %, on its own. The bounds on the five
# voters and on the vote with equal weights share delta, so they hold with that probability *all at once*: look at
# them, pick the best one, and its bound still holds. All of the figures together hold with at least 90 %.

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained", width_ratios=[3, 2])
PanelDisplay.from_certificate(certificate, ax=left)
left.set_title("Errors: measured, and at most")
names = list(answers.columns)
agreement = np.eye(len(names))
for pair in certificate.panel["pairs"]:
    i, j = names.index(pair["first"]), names.index(pair["second"])
    agreement[i, j] = agreement[j, i] = pair["agreement"]
right.imshow(agreement, cmap="Blues", vmin=0.4, vmax=1)
for i, j in np.ndindex(agreement.shape):
    right.text(j, i, f"{agreement[i, j]:.0%}", ha="center", va="center", color="w" if agreement[i, j] > 0.8 else "k")
right.set_xticks(range(len(names)), names, rotation=30, ha="right")
right.set_yticks(range(len(names)), names)
right.set_title("How often two agree")
plt.show()

# %%
# How many independent opinions are five? If the errors of voters are correlated, the share of them that errs varies
# more from text to text than that of independent voters would. With the mean correlation :math:`\bar r` of two
# voters' errors, :math:`M` voters are worth :math:`M / (1 + (M - 1) \bar r)` independent ones (Kish's design effect;
# negative means count as 0). Five that always say the same are worth one. This is measured, not bounded.

print(f"{len(names)} voters are worth {certificate.panel['worth']:.2f} independent ones")

# %%
# In new tables the columns are found by name, in any order, and the vote errs as rarely as promised. If all texts are
# to teach and test, that has a price: `learn` gives a PAC-Bayes certificate, and what it returns predicts, too.

new_answers, new_truth = ask_panel(20_000, rng)
error = np.mean(clf.predict(new_answers[names[::-1]]) != new_truth)
print(f"certified: at most {certificate.bound:.1%}; on 20,000 new texts: {error:.1%}")
paid = learn(VoteMatrix.from_labels(answers, truth), random_state=0)
print(paid.predict(new_answers.head(3)), f"at most {paid.certificate.bound:.1%} errors")

# %%
# In a shell the same takes three commands, and the page ``report.html`` has all of these figures:
#
# .. code-block:: console
#
#    $ stocmv certify-predictions answers.csv --truth truth --prediction ann --prediction bob --prediction eve
#    $ stocmv verify answers-certified
#    $ stocmv predict answers-certified new_answers.csv
