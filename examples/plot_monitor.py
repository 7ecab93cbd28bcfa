"""
Does a certificate still hold?
==============================

A certificate is about new examples that are drawn as the old ones were. This page certifies a vote, lets the world
change, and watches what a monitor makes of it. It also shows what ``fit`` says if the change is already in the rows.
"""

# %%
# A vote and its bound
# --------------------
# Transactions, some of them fraud. What gives fraud away is at first a large amount at night.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier

from stocmv import MajorityVoteClassifier, Monitor, OrderWarning
from stocmv.displays import MonitorDisplay, OrderDisplay

rng = np.random.default_rng(0)


def transactions(n, disguised=0.0):
    """Amount and hour; a share of the fraud is disguised: small amounts, by day."""
    fraud = rng.random(n) < 0.2
    usual = fraud & (rng.random(n) >= disguised)
    amount = rng.normal(np.where(usual, 2.5, 0.0), 1.0)
    hour = rng.normal(np.where(usual, 2.0, 0.0), 1.0)
    return np.column_stack([amount, hour]), np.where(fraud, "fraud", "fine")


X, y = transactions(4000)
clf = MajorityVoteClassifier(RandomForestClassifier(50, min_samples_leaf=5), random_state=0).fit(X, y)
print(clf.certificate_.statement())
print(f"p-values of the order of the rows: errors {clf.order_test_.errors:.2f}, classes {clf.order_test_.classes:.2f}")

# %%
# New cases
# ---------
# Every day 200 cases come, and their labels become known. For thirty days nothing changes; then more and more of the
# fraud is disguised. The monitor is looked at every day, and that costs nothing: while the bound holds, the evidence
# *ever* reaches 20 with probability at most 5 %.

monitor = clf.certificate_.monitor()
for day in range(60):
    X_day, y_day = transactions(200, disguised=min(0.5, max(0, day - 30) * 0.02))
    monitor.update(y_day, clf.predict(X_day), batch=f"day {day}")
    if monitor.alarm:
        print(f"day {day}: {monitor}")
        break
    if day % 10 == 9:
        print(f"day {day}: {monitor}")

MonitorDisplay.from_monitor(monitor)
plt.show()

# %%
# The mean error so far, in blue, is still below the bound when the alarm comes: it has thirty good days in it. The
# evidence, in red, has not, since a part of the capital was kept back for a change that begins late.
#
# The state can be stored and taken up again, exactly:

import tempfile
from pathlib import Path

with tempfile.TemporaryDirectory() as folder:
    monitor.to_json(Path(folder) / "monitor.json")
    print(Monitor.from_json(Path(folder) / "monitor.json") == monitor)

# %%
# If the change is in the rows already
# ------------------------------------
# Somebody collects all of these cases in the order in which they came, and fits again. The examples that judge are
# drawn at random from old and new ones, so the certificate is true for such a mixture. But new cases will be like the
# latest rows. ``fit`` notices that errors become more frequent along the rows, and says what to do.

parts = [transactions(2000), transactions(1000, disguised=0.5)]
X_all, y_all = (np.concatenate(each) for each in zip(*parts, strict=True))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", OrderWarning)
    mixed = MajorityVoteClassifier(RandomForestClassifier(50, min_samples_leaf=5), random_state=0).fit(X_all, y_all)
print(caught[0].message)

OrderDisplay.from_estimator(mixed)
plt.show()
