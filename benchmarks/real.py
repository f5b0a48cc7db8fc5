"""NKMeans on the paper's real data with ten seeds, against one KMeans(n_init=1) fit.

    python benchmarks/real.py --data FOLDER [--quick] [--out FILE]

FOLDER (or $NKMEANS_DATA) holds skin.npz, household_power_7num_f32.parquet and
kddcup10_34num_f32.parquet. Columns are standardized; Skin and Power get 1 % of noise from
[-delta, delta]^d. Cost is relative to the best trimmed cost known.
"""

import argparse
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans

from nkmeans import NKMeans
from nkmeans.bench.data_sets import Prepared, all_data_sets
from record import RESULTS, Recorder, median_seconds

BEST_KNOWN = {
    "Skin-5": 57830.8,
    "Skin-10": 60903.9,
    "Power-5": 2957726,
    "Power-10": 3133939,
    "KDD 10 %": 2511137,
}


def data_sets(folder: Path) -> Iterator[tuple[str, Prepared]]:
    """The real data sets of the paper that are at hand, as `nkmeans bench` prepares them."""
    for data in all_data_sets(folder):
        if data.suite == "real" and data.source != "shape":
            yield ("KDD 10 %" if data.source == "10 %" else data.name), data.prepare(None, folder)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("NKMEANS_DATA"))
    parser.add_argument("--quick", action="store_true", help="two seeds, Skin only")
    parser.add_argument("--out", type=Path, default=RESULTS / "real.jsonl")
    options = parser.parse_args()
    if options.data is None or not (Path(options.data) / "skin.npz").exists():
        parser.error(f"no skin.npz in --data {options.data}")
    record = Recorder(Path("quick-results/real.jsonl") if options.quick else options.out)
    seeds = 2 if options.quick else 10
    print("| data | n x d | median cost | worst cost | slowest s | KMeans s | ratio |")
    print("|" + "---|" * 7)
    for name, data in data_sets(Path(options.data)):
        if options.quick and "Skin" not in name:
            continue
        X, k, z = data.X, data.n_clusters, data.n_outliers
        NKMeans(k, z, random_state=0).fit(X)
        kmeans = [
            median_seconds(partial(KMeans(k, n_init=1, random_state=s).fit, X), 1)[0]
            for s in range(3)
        ]
        costs, seconds = [], []
        for seed in range(seeds):
            model = NKMeans(k, z, random_state=seed)
            elapsed, _ = median_seconds(partial(model.fit, X), 1)
            costs.append(model.inertia_ / BEST_KNOWN[name])
            seconds.append(elapsed)
            record.add(
                part="real", data=name, n=len(X), d=X.shape[1], k=k, z=z, seed=seed,
                cost=costs[-1], passes=model.n_iter_, seconds=elapsed, kmeans_seconds=kmeans,
            )  # fmt: skip
        print(
            f"| {name} | {len(X)} x {X.shape[1]} | {np.median(costs):.4f} | {max(costs):.4f} "
            f"| {max(seconds):.3f} | {min(kmeans):.3f} | {max(seconds) / min(kmeans):.2f} |",
            flush=True,
        )
    print(f"rows: {record.path}")


if __name__ == "__main__":
    main()
