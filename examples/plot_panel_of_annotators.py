"""
A panel of annotators
=====================

Five annotators, who may be people, models or prompts of a language model, have labelled texts as "fine" or "harmful",
and for some texts the truth is known. How should their answers be combined, and how often will the combination err?

One annotator copies another most of the time, and the best one often does not answer. Counting heads ignores both.
Learned weights do not, and the certificate is on what `predict` does on new texts.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from stocmv import MajorityVoteClassifier, VoteMatrix, learn


def ask_annotators(n, rng):
    """What the annotators say about some texts, and the truth."""
    harmful = rng.random(n) < 0.4

    def annotator(accuracy):
        return np.where(rng.random(n) < accuracy, harmful, ~harmful)

    ann, bob, cy, eve = annotator(0.80), annotator(0.76), annotator(0.62), annotator(0.95)
    copycat = np.where(rng.random(n) < 0.9, cy, annotator(0.62))
    said = pd.DataFrame({"ann": ann, "bob": bob, "cy": cy, "copycat of cy": copycat, "eve": eve})
    said = said.replace({True: "harmful", False: "fine"}).astype(object)
    said.loc[rng.random(n) < 0.5, "eve"] = None  # she does not answer every second text
    return said, np.where(harmful, "harmful", "fine")


rng = np.random.default_rng(0)
answers, truth = ask_annotators(3000, rng)
answers.assign(truth=truth).head()

# %%
# The columns are the voters. Two thirds of the texts teach the weights, the others only judge; with ``inner_folds=0``
# all annotators have the same weight, and all texts judge.

learned = MajorityVoteClassifier("answers", random_state=0).fit(answers, truth)
equal = MajorityVoteClassifier("answers", inner_folds=0, random_state=0).fit(answers, truth)
print(learned.certificate_)

# %%
# A text that nobody answers would count as an error. The best annotator has the largest weight, though she answers only
# half of the texts; the two that say the same share theirs.

new_answers, new_truth = ask_annotators(20_000, rng)
votes = {"learned weights": learned, "equal weights": equal}
errors = {name: np.mean(clf.predict(new_answers) != new_truth) for name, clf in votes.items()}

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
left.bar(answers.columns, learned.posterior_[0].mean, color="tab:blue")
left.axhline(1 / 5, color="gray", linestyle="--", label="equal")
left.set(ylabel="mean weight", title="The weight of each annotator")
left.legend()
left.tick_params(axis="x", rotation=20)
for row, (name, clf) in enumerate(votes.items()):
    right.barh(row, 100 * clf.certificate_.bound, color="tab:blue", height=0.4)
    right.plot(100 * errors[name], row, "o", color="tab:orange")
right.set_yticks(range(2), list(votes))
right.set(xlabel="error in %", title="Certified (bar), and on 20,000 new texts (dot)")
plt.show()

# %%
# New texts are answered by the columns' names, in whatever order. To let all texts teach and judge, pay for it: `learn`
# gives a PAC-Bayes certificate, and what it returns predicts, too.

print(learned.predict(new_answers[["eve", "ann", "cy", "bob", "copycat of cy"]].head(3)))
paid = learn(VoteMatrix.from_labels(answers, truth), random_state=0)
print(paid.predict(new_answers.head(3)), f"at most {paid.certificate.bound:.1%} errors")

# %%
# In a shell the same takes three commands:
#
# .. code-block:: console
#
#    $ stocmv certify answers.csv --target truth --votes
#    $ stocmv predict answers-certified new_answers.csv
#    $ stocmv verify answers-certified
