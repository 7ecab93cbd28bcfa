"""Learn a certified vote of decision stumps on two moons, print the certificate, draw the decision surface."""

import argparse
import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from stocmv import VoteMatrix, learn
from stocmv.special import half_betainc

# The thresholds are fixed before any example is seen, so the voters do not depend on the data.
RANGES = ((-2.0, 3.0), (-1.5, 2.0))
N_THRESHOLDS = 40


def stumps(X: np.ndarray) -> np.ndarray:
    """Labels 0 and 1 of all stumps: both sides of each threshold of each feature."""
    above = np.hstack([X[:, [j]] > np.linspace(*RANGES[j], N_THRESHOLDS) for j in (0, 1)])
    return np.hstack([above, ~above]).astype(int)


def draw(X: np.ndarray, y: np.ndarray, learned, path: Path) -> None:
    """The probability that the drawn vote answers class 1, and the examples."""
    xs, ys = np.linspace(*RANGES[0], 300), np.linspace(*RANGES[1], 300)
    grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    alpha = learned.posterior.alpha
    probability = half_betainc(np.minimum(stumps(grid) @ alpha, alpha.sum()), alpha.sum())[0].reshape(300, 300)

    figure, axes = plt.subplots(figsize=(7, 4.6), layout="constrained")
    surface = axes.pcolormesh(xs, ys, probability, cmap="RdBu", vmin=-0.6, vmax=1.6, rasterized=True)
    axes.contour(xs, ys, probability, levels=[0.5], colors="black", linewidths=1)
    for label, colour in ((0, "#8b1a1a"), (1, "#123a6b")):
        axes.scatter(
            *X[y == label][:300].T, s=8, color=colour, edgecolor="white", linewidth=0.3, label=f"class {label}"
        )
    bar = figure.colorbar(surface, label="probability that the drawn vote answers class 1")
    bar.ax.set_ylim(0, 1)
    axes.set(xlabel="feature 1", ylabel="feature 2", xlim=RANGES[0], ylim=RANGES[1])
    axes.set_title(
        f"Vote of {len(alpha)} stumps: {learned.certificate.figures()[0][1]} of new examples at most are misclassified"
    )
    axes.legend(loc="lower left", framealpha=0.9)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/demo/moons.png"), help="where the picture goes")
    parser.add_argument("--examples", type=int, default=4000, help="size of the sample")
    arguments = parser.parse_args()

    X, y = make_moons(arguments.examples, noise=0.2, random_state=0)
    votes = VoteMatrix.from_labels(stumps(X), y)
    print(f"Learning from {votes!r} ...")
    began = time.perf_counter()
    learned = learn(votes, prior=0.1, random_state=0)
    print(f"done in {time.perf_counter() - began:.1f} s.\n")
    print(learned.certificate)
    print()
    print(
        "Checked again by an independent path:",
        "it holds." if learned.certificate.verify(votes) else "IT DOES NOT HOLD.",
    )
    draw(X, y, learned, arguments.out)
    print(f"The decision surface is in {arguments.out}")


if __name__ == "__main__":
    main()
