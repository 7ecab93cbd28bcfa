"""
Precision, recall and costs
===========================

How often a model errs is rarely what one decides on. A clinic asks how many ill patients are missed (recall), how many
of the alarms are real (precision), and what the mistakes cost. All three can be certified, from the same examples.
"""

# %%
# Costs that are known before
# ---------------------------
# One patient in six is ill. To miss one costs ten times as much as to examine a healthy one, and even a justified alarm
# costs something. Rows of the matrix are what is true, columns what is answered. The costs are part of the question:
# they have to be fixed before looking at the examples, and they do not change what is learned.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split

from stocmv import MajorityVoteClassifier

X, y = make_classification(9000, n_informative=6, weights=[5 / 6], flip_y=0.03, class_sep=0.9, random_state=0)
y = np.where(y == 1, "ill", "healthy")
X_train, X_new, y_train, y_new = train_test_split(X, y, test_size=0.5, random_state=0)

COSTS = {"healthy": {"ill": 1}, "ill": {"healthy": 10, "ill": 1}}
forests = {
    "plain forest": RandomForestClassifier(40),
    "ill patients count ten times": RandomForestClassifier(40, max_depth=7, class_weight={"ill": 10, "healthy": 1}),
}
fits = {
    name: MajorityVoteClassifier(forest, per_class=True, cost=COSTS, random_state=0).fit(X_train, y_train)
    for name, forest in forests.items()
}
print(fits["plain forest"].certificate_)

# %%
# The plain forest has the lower error, and the higher costs: it misses more of the ill. Two classes have a false
# positive and a false negative rate; the second class in alphabetical order, here "ill", is the positive one.

for name, clf in fits.items():
    certificate = clf.certificate_
    healthy, ill = certificate.recall
    print(f"{name}: error at most {certificate.bound:.3f}, mean cost at most {certificate.cost_bound:.2f}")
    print(f"  recall of the ill at least {ill:.3f}, of the healthy {healthy:.3f}")
    print(f"  alarms that are real: at least {certificate.precision[1]:.3f}")

# %%
# Choosing between the two by their certificates would have to be paid for: with two to choose from, pass ``delta / 2``
# to both.
#
# What delta was spent on
# -----------------------
# The error, the recalls of all classes, their precisions and the mean cost are separate claims, and so are the figures
# for always giving the same answer. Each claim holds with probability 95 %; the classes share the delta of theirs.

for claim in fits["plain forest"].certificate_.claims:
    print(claim)

# %%
# Against new patients
# --------------------
# Each bound beside what happens to 4,500 patients who were set aside.


def on_new_patients(clf):
    """Recall and precision of the ill, and the mean cost."""
    counts = confusion_matrix(y_new, clf.predict(X_new), labels=clf.classes_)
    costs = np.array([[0, 1], [10, 1]])
    return counts[1, 1] / counts[1].sum(), counts[1, 1] / counts[:, 1].sum(), (counts * costs).sum() / len(y_new)


def certified(clf):
    certificate = clf.certificate_
    return certificate.recall[1], certificate.precision[1], certificate.cost_bound


figure, panels = plt.subplots(1, 3, figsize=(10, 2.6), sharey=True, layout="constrained")
for k, (panel, title) in enumerate(
    zip(panels, ["recall of the ill", "precision of an alarm", "mean cost"], strict=True)
):
    panel.plot([certified(clf)[k] for clf in fits.values()], list(fits), "|", markersize=22, color="#0072b2")
    panel.plot([on_new_patients(clf)[k] for clf in fits.values()], list(fits), "o", color="#d55e00")
    panel.set_title(f"{title}: at {'most' if k == 2 else 'least'} (|), new patients (o)", fontsize=8)
    panel.margins(y=0.4)
plt.show()
