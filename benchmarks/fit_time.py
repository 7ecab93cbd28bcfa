"""The time of `fit` against training the same number of trees on the same rows, and the share that learning takes.

STOCMV_DATA=... python -m benchmarks.fit_time [NAME]
"""

import sys
import time

from sklearn.ensemble import RandomForestClassifier

from benchmarks.forests import split
from stocmv import MajorityVoteClassifier


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "mnist"
    X, y, _, _ = split(name)
    MajorityVoteClassifier(RandomForestClassifier(5), n_folds=2, n_jobs=-1, random_state=0).fit(X[:2000], y[:2000])

    began = time.perf_counter()
    RandomForestClassifier(200, n_jobs=-1, random_state=0).fit(X, y)
    theirs = time.perf_counter() - began

    began = time.perf_counter()
    clf = MajorityVoteClassifier(RandomForestClassifier(100), n_folds=2, n_jobs=-1, random_state=0).fit(X, y)
    ours = time.perf_counter() - began
    spent = clf.timings_
    print(f"{name}: {len(y)} rows, 200 trees in all")
    print(f"RandomForestClassifier.fit            {theirs:7.1f} s")
    print(f"MajorityVoteClassifier.fit, 2 folds   {ours:7.1f} s   ratio {ours / theirs:.2f} (target: at most 1.2)")
    print(f"  training {spent['voters']:.1f} s, votes {spent['votes']:.1f} s, certificate {spent['certificate']:.1f} s")
    print(f"  certificate / training a forest: {spent['certificate'] / spent['voters']:.3f} (target: at most 0.1)")
    certificate = clf.certificate_
    print(f"  predict {100 * certificate.bound:.2f} %, stochastic vote {100 * certificate.stochastic_bound:.2f} %")


if __name__ == "__main__":
    main()
