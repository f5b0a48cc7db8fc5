"""NKMeans against plain k-means on the paper's 16 synthetic data sets, in one run.

    python benchmarks/speed.py [--quick] [--out FILE]

Rivals: scikit-learn's KMeans(n_init=1) and MiniBatchKMeans, and faiss and sklearnex where they
are installed. Every fit is warm; times are medians. Cost is the trimmed cost over that of the
planted centres. A pass is one assignment of all points to k centres with our kernel.
"""

from functools import partial
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans

from nkmeans import NKMeans
from nkmeans.assign import nearest_rows
from nkmeans.datasets import make_noisy_blobs
from nkmeans.engines import open_engine
from nkmeans.metrics import trimmed_cost
from record import CELLS, Recorder, arguments, geometric_mean, median_seconds

OURS = "NKMeans"


def fit_nkmeans(X: np.ndarray, k: int, z: int, seed: int) -> np.ndarray:
    return NKMeans(k, z, random_state=seed).fit(X).cluster_centers_


def fit_kmeans(X: np.ndarray, k: int, z: int, seed: int) -> np.ndarray:
    return KMeans(k, n_init=1, random_state=seed).fit(X).cluster_centers_


def fit_minibatch(X: np.ndarray, k: int, z: int, seed: int) -> np.ndarray:
    return MiniBatchKMeans(k, n_init=1, random_state=seed).fit(X).cluster_centers_


def methods() -> dict[str, Any]:
    """What is installed: name -> function of X, k, z, seed that returns centres."""
    found = {OURS: fit_nkmeans, "KMeans": fit_kmeans, "MiniBatchKMeans": fit_minibatch}
    try:
        import faiss

        def fit_faiss(X: np.ndarray, k: int, z: int, seed: int) -> np.ndarray:
            options = {"niter": 25, "seed": seed, "max_points_per_centroid": len(X)}
            model = faiss.Kmeans(X.shape[1], k, **options)
            model.train(X.astype(np.float32))
            return model.centroids

        found["faiss"] = fit_faiss
    except ImportError:
        print("faiss is not installed: left out")
    try:
        from sklearnex.cluster import KMeans as IntelKMeans

        def fit_sklearnex(X: np.ndarray, k: int, z: int, seed: int) -> np.ndarray:
            return IntelKMeans(k, n_init=1, random_state=seed).fit(X).cluster_centers_

        found["sklearnex"] = fit_sklearnex
    except ImportError:
        print("sklearnex is not installed: left out")
    return found


def seconds_a_pass(X: np.ndarray, centers: np.ndarray) -> float:
    with open_engine(X, None, None) as engine:
        origin = np.zeros(X.shape[1])
        return median_seconds(lambda: nearest_rows(engine, origin, centers), 9)[0]


def main() -> None:
    options = arguments(__doc__, "speed")
    n, seed, record = 100_000 if options.quick else 1_000_000, 0, Recorder(options.out)
    rivals = methods()
    print("| noise | d | k | z | pass ms | " + " | ".join(f"{m} s (cost)" for m in rivals)
          + " | over KMeans | passes |")  # fmt: skip
    print("|" + "---|" * (7 + len(rivals)))
    ratios, passes = [], []
    for noise_range, d, k, full_z in CELLS:
        z = full_z * n // 1_000_000
        X, planted, _ = make_noisy_blobs(n, k, d, z, noise_range=noise_range, random_state=seed)
        best = trimmed_cost(X, planted, z)
        one_pass = seconds_a_pass(X, planted)
        fit_nkmeans(X, k, z, seed)
        seconds, costs = {}, {}
        for name, fit in rivals.items():
            times = 7 if name == OURS else 3
            seconds[name], centers = median_seconds(partial(fit, X, k, z, seed), times)
            costs[name] = trimmed_cost(X, centers, z) / best
        ratios.append(seconds[OURS] / seconds["KMeans"])
        passes.append(seconds[OURS] / one_pass)
        record.add(
            part="speed", n=n, noise_range=noise_range, d=d, k=k, z=z, seed=seed,
            seconds_a_pass=one_pass, seconds=seconds, cost=costs,
        )  # fmt: skip
        cells = " | ".join(f"{seconds[m]:.3f} ({costs[m]:.4g})" for m in rivals)
        print(
            f"| {noise_range} | {d} | {k} | {z} | {1e3 * one_pass:.1f} | {cells} "
            f"| {ratios[-1]:.3f} | {passes[-1]:.1f} |",
            flush=True,
        )
    print(
        f"\nover KMeans(n_init=1): geometric mean {geometric_mean(ratios):.3f}, "
        f"worst {max(ratios):.3f}; passes: geometric mean {geometric_mean(passes):.1f}, "
        f"worst {max(passes):.1f}\nrows: {options.out}"
    )


if __name__ == "__main__":
    main()
