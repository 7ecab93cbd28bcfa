"""
Answer only when sure
=====================

A forest that errs on 2 or 3 % of all digits errs far less on those that nearly all of its trees agree on.
:meth:`~stocmv.MajorityVoteClassifier.selective` finds out from the judgments how much agreement is needed for a given
error among the answers, and certifies that error together with the share of new examples that get an answer. Nothing
is trained again.
"""

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from stocmv import MajorityVoteClassifier
from stocmv.displays import SelectiveDisplay

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, random_state=0)
clf = MajorityVoteClassifier(n_folds=3, random_state=0).fit(X, y)
print(clf.certificate_.statement())

# %%
# At most 3 % errors among the answers
# ------------------------------------
sure = clf.selective(max_error=0.03)
print(sure.certificate_)

# %%
# Where the vote is not sure, ``predict`` says ``None``, or whatever ``unanswered`` is set to; ``answers`` says where.
# Those cases go to a person.
answers = sure.answers(X_test)
wrong = sure.predict(X_test)[answers] != y_test[answers]
print(f"{answers.mean():.1%} of the test digits answered, {wrong.mean():.2%} of the answers wrong")
print("sent to a person:", (~answers).sum(), "of", len(answers))

# %%
# The other way round
# -------------------
# The smallest error that can be certified if at least 80 % must get an answer:
print(clf.selective(min_coverage=0.8).certificate_.statement())

# %%
# All of the trade-off
# --------------------
# Every certified point of this figure holds at once, so that a threshold may be chosen by looking at it. The crosses
# are test examples, which had no part in any of it.
display = SelectiveDisplay.from_estimator(clf, X_test, y_test)
display.ax_.set_title("Digits: error among the answers against coverage")

# %%
# A target that is too strict for this many examples is refused, with what can be certified instead:
try:
    clf.selective(max_error=0.0001)
except ValueError as error:
    print(error)
