"""
From a model to a decision
==========================

A bank wants to decide on loan applications by itself where that is safe: **at most 1 % of the automatic decisions may
be wrong, and every other application goes to a person.** This page goes from a file to such a rule with a handful of
commands: look at the data, certify, check, decide on new applications, and notice when the rule no longer holds.

The applications are made up, so the page can also show what nobody knows in reality: how often the rule is wrong on
applications to come.
"""

# %%
# The file
# --------
# A year of applications, 8,000 rows: numbers, categories, the day on which each was received, and what became of the
# loan.

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

RISK = {"permanent": -0.8, "self-employed": 0.3, "temporary": 0.5, "none": 2.0}
rng = np.random.default_rng(0)


def applications(n, first_day, days, first_number=1, hidden_debts=0.0):
    """Loans with their outcome; some applicants may hide their debts."""
    table = pd.DataFrame(
        {
            "application": [f"L{first_number + i:05}" for i in range(n)],
            "received": pd.Timestamp(first_day) + pd.to_timedelta(np.sort(rng.integers(days, size=n)), "D"),
            "income": rng.lognormal(8.0, 0.4, n).round(-1),
            "amount": rng.lognormal(9.0, 0.6, n).round(-2),
            "months": rng.choice([12, 24, 36, 48, 60], n),
            "employment": rng.choice(list(RISK), n, p=[0.6, 0.17, 0.15, 0.08]),
            "years employed": rng.gamma(2.0, 2.5, n).round(1),
            "debts": rng.beta(2, 5, n).round(2),
        }
    )
    burden = np.log(10 * table["amount"] / table["months"] / table["income"])
    risk = 1.2 * burden + 4 * table["debts"] + table["employment"].map(RISK) - 0.1 * table["years employed"]
    defaults = rng.random(n) < 1 / (1 + np.exp(-10 * (risk - 1.6)))
    table["reminders"] = np.where(defaults, rng.integers(1, 4, n), 0)
    table["outcome"] = np.where(defaults, "default", "repaid")
    table.loc[rng.random(n) < hidden_debts, "debts"] = 0.05
    return table


folder = Path(tempfile.mkdtemp())
loans = applications(8000, "2025-01-01", 360)
loans.to_csv(folder / "loans.csv", index=False)
loans.head()


# %%
# The commands are those that one types in a shell; this function runs them and prints what they print.


def shell(command, shown=slice(None)):
    """Run a command in the folder; print it and (some lines of) its output."""
    words = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    lines = (done.stdout + done.stderr).strip().splitlines()
    print(f"$ {command}\n", *lines[shown], sep="\n")


# %%
# Look at the data first
# ----------------------
# ``stocmv certify`` begins with what it took each column for, and with what looks wrong:

shell("stocmv certify loans.csv --target outcome --out first-look", slice(0, 6))

# %%
# Both warnings are justified. The number of an application says nothing about it. And reminders are sent when
# instalments are late, long *after* the decision: a model that uses them looks perfect and is useless. Both columns have
# to go, for reasons that do not come from these rows, so :ref:`the certificate stays valid <acting-on-warnings>`. The
# certificate of this first look is thrown away.
#
# From the file to a rule
# -----------------------
# A default that nobody saw coming costs ten times as much as a good customer who is sent away. Costs, target and
# confidence are fixed *before* looking at any figure:
#
# - ``--max-error 0.01``: among the automatic decisions at most 1 % may be wrong;
# - ``--cost``: for comparison, what it would cost to decide on everything automatically;
# - ``--time received``: test whether later applications differ from earlier ones, and do not use the day as a feature.

COSTS = '{"default": {"repaid": 10}, "repaid": {"default": 1}}'
shell(
    "stocmv certify loans.csv --target outcome --drop application --drop reminders --time received "
    f"--max-error 0.01 --cost '{COSTS}'"
)

# %%
# The forest errs on 4 to 6 % of all applications, far too many. But on most of them nearly all of its trees agree, and
# there it hardly errs at all. The paragraph *Answering only when sure* is the rule, with two figures that hold at once:
# the error among its answers, and the share of applications that get one. No warning about the order of the rows: the
# year looks the same from beginning to end.
#
# Is it worth it? With a person's time at a quarter of the price of a lost customer, the rule costs at most

from stocmv import Certificate
from stocmv.selective import SelectiveCertificate

rule = SelectiveCertificate.from_json(folder / "loans-certified" / "selective.json")
REVIEW = 0.25
at_most = rule.coverage * rule.bound * 10 + (1 - rule.coverage) * REVIEW
everything = Certificate.from_json(folder / "loans-certified" / "certificate.json").cost_bound
print(f"the rule, if a person never errs: at most {at_most:.3f} per application")
print(f"deciding on everything automatically: at most {everything:.3f}")

# %%
# (An answer costs at most 0.01 times 10 on average, less than a review, so the smallest certified coverage is the worst
# case.)
#
# Check it
# --------
# Anyone who has the two files can recompute the certificate of the rule with independent code:

shell("stocmv verify loans-certified/selective.json loans-certified/votes.npz", slice(-3, None))

# %%
# Decide
# ------
# New applications have no outcome yet. In the answers ``answered`` says whether to decide automatically or to ask a
# person, and ``--keep`` copies the number of the application beside the answer.

january = applications(1500, "2026-01-01", 31, first_number=8001)
january.drop(columns=["outcome", "reminders"]).to_csv(folder / "january.csv", index=False)
shell("stocmv predict loans-certified january.csv --keep application --out decisions.csv")

decisions = pd.read_csv(folder / "decisions.csv")
decisions.head(8)

# %%
# How many are decided, and, since these applications are made up and we know what will become of them, how often
# wrongly:

automatic = decisions["answered"] == "yes"
wrong = decisions["prediction"] != january["outcome"]
print(f"decided automatically: {automatic.mean():.1%} (certified: at least {rule.coverage:.1%})")
print(f"wrong among these:     {wrong[automatic].mean():.2%} (certified: at most {rule.bound:.0%})")
print(f"sent to a person:      {(~automatic).sum()}, of which the model would have got {wrong[~automatic].mean():.0%} wrong")

# %%
# The trade-off
# -------------
# Was 1 % a good target? This figure shows what else can be certified, from the same votes. All its points hold at once,
# so the next rule may be chosen by looking at it.

from stocmv.displays import MonitorDisplay, SelectiveDisplay
from stocmv.persistence import load
from stocmv.votes import load_folds

clf = load(folder / "loans-certified" / "model.skops")
clf.votes_ = load_folds(folder / "loans-certified" / "votes.npz")
new = january[list(clf.feature_names_in_)]
display = SelectiveDisplay.from_estimator(clf, new, january["outcome"].to_numpy())
display.ax_.set_title("Loans: error among the answers against coverage")
plt.show()

# %%
# In production
# -------------
# Months later it is known what became of the loans, also of a sample that was granted whatever the rule said. (Without
# such a sample, refused customers could never prove the rule wrong.) ``stocmv monitor --selective`` tests whether the
# error among the answers is still at most 1 %. It may be run after every file: it raises a false alarm with
# probability at most 5 %, *over all time*. In spring a website begins to explain how to hide one's debts.

for month, hidden_debts in {"january": 0.0, "february": 0.0, "march": 0.0, "april": 0.1, "may": 0.2}.items():
    known = applications(1500, f"2026-{month[:3]}-01", 28, hidden_debts=hidden_debts)
    known.to_csv(folder / f"{month}.csv", index=False)
    shell(f"stocmv monitor loans-certified {month}.csv --selective --state rule.monitor.json")
    print()

# %%
# An alarm is exit code 1, so a nightly job can act on it: stop the automatic decisions, and certify again with recent
# applications.

from stocmv import Monitor

MonitorDisplay.from_monitor(Monitor.from_json(folder / "rule.monitor.json"))
plt.show()

# %%
# What was promised, and what not
# -------------------------------
# - The rule is wrong on at most 1 % of its answers, *on average over new applications like those of the file*. That says
#   nothing about one application, about one branch of the bank, or about another year. The monitor is for the last.
# - "With probability at least 95 %" is about the draw of the applications that judged the rule. For more, pass
#   ``--delta 0.01``.
# - The certificates of the rule and of ``predict`` are separate statements: both hold at once with probability 90 %.
# - If you try several targets and keep the best, pass ``--delta`` divided by their number.
# - Whether the outcome is what should decide about a loan at all is not a question of statistics.
#
# :doc:`/certificates` explains every figure, :doc:`/command_line` every option, :doc:`/monitoring` the monitor, and
# :doc:`/pitfalls` how to get all of this wrong.
