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
# A pilot year in which every application was granted, 8,000 rows: numbers, categories, the day it was received, and
# what became of the loan.

import io
import shlex
import sys
import tempfile
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import stocmv.cli

RISK = {"permanent": -0.8, "self-employed": 0.3, "temporary": 0.5, "none": 2.0}
rng = np.random.default_rng(0)


def applications(n, first_day, days, first_number=1, hidden_debts=0.0):
    """Loans with their outcome; some applicants may hide their debts."""
    calendar = pd.date_range(first_day, periods=days).strftime("%Y-%m-%d")
    table = pd.DataFrame(
        {
            "application": [f"L{first_number + i:05}" for i in range(n)],
            "received": calendar[np.sort(rng.integers(days, size=n))],
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


temporary = tempfile.TemporaryDirectory()
folder = Path(temporary.name)
loans = applications(8000, "2025-01-01", 360)
loans.to_csv(folder / "loans.csv", index=False)
loans.head(4).transpose()


# %%
# The commands below are what one types in a shell. This function runs them and prints what they print.


def shell(command, lines=slice(None)):
    """Run a command in the folder; print it, and its output or some lines of it."""
    sys.argv, out, err = shlex.split(command), io.StringIO(), io.StringIO()
    with chdir(folder), redirect_stdout(out), redirect_stderr(err), suppress(SystemExit):
        stocmv.cli.main()  # in this process, which has loaded the libraries already
    printed = (out.getvalue() + err.getvalue()).strip().splitlines()
    print(f"$ {command}\n", *printed[lines], sep="\n")


# %%
# Look at the data first
# ----------------------
# ``stocmv certify`` begins with what it took each column for, and with what looks wrong:

shell("stocmv certify loans.csv --target outcome --out first-look", slice(0, 6))

# %%
# Both warnings are justified. The number of an application says nothing about it. And reminders are sent when
# instalments are late, long *after* the decision: a model that uses them looks perfect and is useless. Both columns
# have to go, for reasons that do not come from these rows, so :ref:`the next certificate is valid
# <acting-on-warnings>`. That of this first look is thrown away.
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
# The forest errs on about 5 % of all applications, which is too much. But on most of them a clear majority of its trees
# agrees, and there it hardly errs at all. The paragraph *Answering only when sure* is the rule, with two figures that
# hold at once: the error among its answers, and its :term:`coverage`, the share of applications that get an answer.
# There is no warning about the order of the rows: errors and defaults are as frequent at the end of the year as at its
# beginning.
#
# Is it worth it? Let a review by a person cost a quarter of a good customer who is sent away.

from stocmv import Certificate
from stocmv.decisions import SelectiveCertificate

rule = SelectiveCertificate.from_json(folder / "loans-certified" / "selective.json")
REVIEW = 0.25
at_most = rule.coverage * rule.bound * 10 + (1 - rule.coverage) * REVIEW
everything = Certificate.from_json(folder / "loans-certified" / "certificate.json").cost_bound
print(f"the rule, if the person never errs:    at most {at_most:.3f} per application")
print(f"deciding on everything automatically:  at most {everything:.3f}")

# %%
# An answer of the rule costs at most 1 % of 10 on average. That is less than a review, so the worst case is the
# smallest coverage that is certified.
#
# Check it
# --------
# ``stocmv verify`` recomputes both certificates in the folder, that of ``predict`` and that of the rule, from
# ``evidence.npz``, with independent code. With ``--data`` it also asks the model about the judging rows again, and
# compares its answers with the evidence:

shell("stocmv verify loans-certified --data loans.csv --quiet")

# %%
# Decide
# ------
# New applications have no outcome yet. The column ``decision`` has the answer where the rule decides, and
# "refer" where a person does; ``--keep`` copies the number of the application beside the answer.

january = applications(1500, "2026-01-01", 31, first_number=8001)
january.drop(columns=["outcome", "reminders"]).to_csv(folder / "january.csv", index=False)
shell("stocmv predict loans-certified january.csv --keep application --out decisions.csv")

decisions = pd.read_csv(folder / "decisions.csv")
decisions.sample(6, random_state=3)

# %%
# How many are decided automatically? And how many of these wrongly? We know, because we made the applications:

automatic = decisions["decision"] != "refer"
wrong = decisions["prediction"] != january["outcome"]
print(f"decided automatically: {automatic.mean():.1%} (certified: at least {rule.coverage:.1%})")
print(f"wrong among these:     {wrong[automatic].mean():.2%} (certified: at most {rule.bound:.0%})")
print(
    f"sent to a person:      {(~automatic).sum()}; the model would be wrong on {wrong[~automatic].mean():.0%} of them"
)

# %%
# The trade-off
# -------------
# Was 1 % a good target? This figure shows what else can be certified, from the same evidence. All its points hold at
# once, so the next rule may be chosen by looking at it.

from stocmv.displays import MonitorDisplay, SelectiveDisplay
from stocmv.persistence import load, load_evidence

clf = load(folder / "loans-certified" / "model.skops")
clf.evidence_ = load_evidence(folder / "loans-certified" / "evidence.npz")
new = january[list(clf.feature_names_in_)]
display = SelectiveDisplay.from_estimator(clf, new, january["outcome"].to_numpy())
display.ax_.set_title("Loans: error among the answers against coverage")
plt.show()

# %%
# In production
# -------------
# The bank goes on granting a random sample of the applications whatever the rule says, because the outcome of a loan
# that was refused never becomes known. Month by month these cases are counted: ``stocmv monitor --selective`` tests
# whether the error among the answers is still at most 1 %. It may be run after every file, since it raises a false
# alarm with probability at most 5 % *over all time*. In May a website explains how to hide one's debts.

for month, hidden_debts in {"march": 0.0, "april": 0.0, "may": 0.2}.items():
    known = applications(2000, f"2026-{month[:3]}-01", 30, hidden_debts=hidden_debts)
    known.to_csv(folder / f"{month}.csv", index=False)
    shell(f"stocmv monitor loans-certified {month}.csv --selective --state rule.monitor.json")
    print()

# %%
# After an alarm the exit code is 1, so a nightly job can act on it: stop deciding automatically, and certify again on
# recent applications.

from stocmv import Monitor

MonitorDisplay.from_monitor(Monitor.from_json(folder / "rule.monitor.json"))
plt.show()

# %%
# What was promised, and what not
# -------------------------------
# - At most 1 % of the answers are wrong, on average over *new applications like those in the file*. That says nothing
#   about a single application, about one branch of the bank, or about another year. For the last, there is the monitor.
# - "With probability at least 95 %" is about the draw of the applications that judged the rule. If that is not enough,
#   pass ``--delta 0.01``.
# - The certificate of the rule and that of ``predict`` are separate statements. Both hold with probability at least
#   90 %.
# - If you try several targets and keep the best, divide ``--delta`` by their number.
#
# :doc:`/certificates` explains every figure, :doc:`/command_line` every option, :doc:`/monitoring` the monitor, and
# :doc:`/pitfalls` lists the usual mistakes.
