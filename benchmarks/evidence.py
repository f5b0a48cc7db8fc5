"""Evidence for docs/paper.md: where the paper's text and its tables differ, measured.

    python benchmarks/evidence.py [--quick] [--out FILE]

One million points, k = d = 10, as in the paper; costs are relative to the planted centres.
"""

import numpy as np
from sklearn.cluster import KMeans

from nkmeans import NKMeans, SampleCoreset
from nkmeans.datasets import make_noisy_blobs
from nkmeans.metrics import trimmed_cost
from record import Recorder, arguments


def conservative_sample(X: np.ndarray, k: int, z: int, seed: int) -> np.ndarray:
    """k-means++ on rows sampled with probability 1 / (2 z), as the paper's Uniform Sample."""
    rng = np.random.default_rng(seed)
    rows = X[rng.random(len(X)) < 1 / (2 * z)]
    if len(rows) <= k:
        return rows
    return KMeans(k, n_init=1, random_state=seed).fit(rows).cluster_centers_


def main() -> None:
    options = arguments(__doc__, "evidence")
    n, record = 100_000 if options.quick else 1_000_000, Recorder(options.out)
    k = d = 10
    print("| sigma | z | Uniform Sample, best of 3 | paper |\n|" + "---|" * 4)
    for sigma in (0.01, 1.0):
        for z, paper in ((n // 100, 1.1501), (n // 20, 144.8253)):
            X, planted, _ = make_noisy_blobs(n, k, d, z, sigma=sigma, random_state=0)
            best = trimmed_cost(X, planted, z)
            costs = [
                trimmed_cost(X, conservative_sample(X, k, z, seed), z) / best for seed in range(3)
            ]
            record.add(part="sigma", sigma=sigma, z=z, cost=min(costs), paper=paper)
            print(f"| {sigma} | {z} | {min(costs):.4g} | {paper:.5g} |", flush=True)
    print("\n| z | 1 + 1/(sampled points a cluster) | pulled back to the sample | on the coreset's "
          "seeds | on its means | refined | paper |\n|" + "---|" * 7)  # fmt: skip
    for z, paper in ((n // 100, 1.0002), (n // 20, 1.0017)):
        X, planted, _ = make_noisy_blobs(n, k, d, z, noise_range=2.5, random_state=0)
        best = trimmed_cost(X, planted, z)
        rate = 2.5 * k * np.log(len(X)) / z
        row = {"expected": 1 + k / (rate * n)}
        fit = NKMeans(k, z, refine=False, coreset="practical", random_state=0).fit(X)
        row["pulled_back"] = fit.inertia_ / best
        for kind in ("seed", "mean"):
            made = SampleCoreset(k, z, representatives=kind, random_state=0).fit(X)
            solved = NKMeans(k, int(made.n_outliers_), coreset=None, random_state=0).fit(
                made.points_, sample_weight=made.weights_
            )
            row[kind] = trimmed_cost(X, solved.cluster_centers_, z) / best
        row["refined"] = NKMeans(k, z, random_state=0).fit(X).inertia_ / best
        record.add(part="pull back", z=z, paper=paper, **row)
        print(f"| {z} | " + " | ".join(f"{value:.5f}" for value in row.values()) + f" | {paper} |")
    print(f"rows: {options.out}")


if __name__ == "__main__":
    main()
