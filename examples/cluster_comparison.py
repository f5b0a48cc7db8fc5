"""Every method on six kinds of dirty data, as a picture.

    python examples/cluster_comparison.py [--out FILE]

Rows are data sets, columns are methods. Crosses are the points left out, plus signs the centres;
the corner says how long the fit took and how many of the true outliers are among those left out.
"""

import argparse
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.datasets import make_moons

from nkmeans.comparison import METHODS, Comparison, run_methods

matplotlib.use("Agg")
from matplotlib import pyplot as plt

COLORS = np.array(
    ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee8866", "#44bb99"]
)
INK, MUTED = "#1d1d1f", "#9a9a9e"
Data = tuple[np.ndarray, np.ndarray, int]


def blobs(
    rng: np.random.Generator, sizes: list[int], spreads: list[float], noise: np.ndarray
) -> Data:
    """Gaussian clusters on a circle, and noise: points, which of them are noise, k."""
    k = len(sizes)
    angles = 2 * np.pi * np.arange(k) / k + 0.4
    centers = 3 * np.column_stack([np.cos(angles), np.sin(angles)])
    clusters = [
        rng.normal(center, spread, (size, 2))
        for center, size, spread in zip(centers, sizes, spreads, strict=True)
    ]
    X = np.concatenate([*clusters, noise])
    return X, np.arange(len(X)) >= sum(sizes), k


def data_sets() -> dict[str, Data]:
    """Six kinds of dirt."""
    rng = np.random.default_rng(4)
    even, tight = [160] * 5, [0.35] * 5
    moons, _ = make_moons(700, noise=0.06, random_state=0)
    moons = 3 * (moons - moons.mean(axis=0))
    stray = rng.uniform(-6, 6, (50, 2))
    return {
        "near noise": blobs(rng, even, tight, rng.uniform(-5, 5, (50, 2))),
        "far noise": blobs(rng, even, tight, rng.uniform(-60, 60, (25, 2))),
        "unequal sizes": blobs(rng, [500, 160, 80, 50, 40], tight, rng.uniform(-12, 12, (25, 2))),
        "unequal spread": blobs(
            rng, even, [0.1, 0.9, 0.2, 0.6, 0.3], rng.uniform(-15, 15, (40, 2))
        ),
        "moons": (np.concatenate([moons, stray]), np.arange(750) >= 700, 6),
        "a clump of noise": blobs(rng, even, tight, rng.normal([25, 25], 0.4, (40, 2))),
    }


def draw_panel(axis: plt.Axes, X: np.ndarray, truth: np.ndarray, result: Comparison) -> None:
    """One method on one data set."""
    kept = result.labels >= 0
    axis.scatter(*X[kept].T, s=4, c=COLORS[result.labels[kept] % len(COLORS)], linewidths=0)
    axis.scatter(*X[~kept].T, s=14, marker="x", color=MUTED, linewidths=0.8)
    axis.scatter(
        *result.model.cluster_centers_.T, s=46, marker="+", color=INK, linewidths=1.4, zorder=3
    )
    found = truth[~kept].mean()
    axis.text(0.98, 0.02, f"{1e3 * result.seconds:.0f} ms", transform=axis.transAxes, ha="right",
              fontsize=8, color=INK)  # fmt: skip
    axis.text(0.02, 0.02, f"{100 * found:.0f} %", transform=axis.transAxes, fontsize=8,
              color=INK if found > 0.8 else "#c0392b")  # fmt: skip


def draw(path: Path, methods: list[str]) -> None:
    """The whole picture."""
    sets = data_sets()
    shape = (len(sets), len(methods))
    figure, axes = plt.subplots(*shape, figsize=(1.75 * shape[1], 1.8 * shape[0]), squeeze=False)
    for row, (name, (X, truth, k)) in zip(axes, sets.items(), strict=True):
        results = run_methods(X, methods, k, int(truth.sum()), random_state=0)
        low, high = X[~truth].min(axis=0) - 1.5, X[~truth].max(axis=0) + 1.5
        for axis, method in zip(row, methods, strict=True):
            draw_panel(axis, X, truth, results[method])
            axis.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xticks=[], yticks=[])
            for side in axis.spines.values():
                side.set_color("#d0d0d4")
        row[0].set_ylabel(name, fontsize=10, color=INK)
        print(f"{name}: {int(truth.sum())} of {len(X)} points are noise, k = {k}")
    for axis, method in zip(axes[0], methods, strict=True):
        label = {"KMeans": "KMeans\n(plain)", "NKMeans": "NKMeans"}
        title = label.get(method, method.replace("KMeans", "\nKMeans"))
        axis.set_title(title, fontsize=10, color=INK,
                       fontweight="bold" if method == "NKMeans" else "normal")  # fmt: skip
    figure.tight_layout(pad=0.4)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=90)
    plt.close(figure)
    print(f"Picture: {path}")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("cluster-comparison.png"))
    parser.add_argument("--methods", nargs="+", default=["KMeans", *list(METHODS)[:-1]])
    options = parser.parse_args(arguments)
    draw(options.out, options.methods)


if __name__ == "__main__":
    main()
