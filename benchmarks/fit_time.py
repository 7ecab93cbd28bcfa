"""The time of `fit`, compared with training a forest on as many rows and predicting the others.

STOCMV_DATA=... python -m benchmarks.fit_time [NAME]
"""

import sys
import time

from sklearn.ensemble import RandomForestClassifier

from benchmarks.splits import split
from stocmv import MajorityVoteClassifier


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "mnist"
    X, y, _, _ = split(name, 0)
    forest = RandomForestClassifier(100, n_jobs=-1, random_state=0)
    MajorityVoteClassifier(RandomForestClassifier(5), n_jobs=-1, random_state=0).fit(X[:2000], y[:2000])  # compiles

    began = time.perf_counter()
    clf = MajorityVoteClassifier(RandomForestClassifier(100), n_jobs=-1, random_state=0).fit(X, y)
    ours = time.perf_counter() - began

    learning = len(y) - clf.certificate_.n
    began = time.perf_counter()
    forest.fit(X[:learning], y[:learning]).predict(X[learning:])
    theirs = time.perf_counter() - began

    spent = clf.timings_
    rest = ours - spent["voters"] - spent["votes"]
    print(f"{name}: {learning} rows train 100 trees, {len(y) - learning} rows judge")
    print(f"RandomForestClassifier fit and predict   {theirs:7.1f} s")
    print(f"MajorityVoteClassifier.fit               {ours:7.1f} s   ratio {ours / theirs:.2f} (target: at most 1.15)")
    print(f"  training {spent['voters']:.1f} s, votes {spent['votes']:.1f} s, certificate {spent['certificate']:.1f} s")
    print(f"  all but training and asking / training: {rest / spent['voters']:.3f} (target: at most 0.1)")
    certificate = clf.certificate_
    print(f"  predict {100 * certificate.bound:.2f} %, stochastic vote {100 * certificate.stochastic_bound:.2f} %")


if __name__ == "__main__":
    main()
