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
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

from nkmeans import NKMeans
from nkmeans.datasets import add_uniform_noise
from record import RESULTS, Recorder, median_seconds

BEST_KNOWN = {
    "Skin-5": 57830.8,
    "Skin-10": 60903.9,
    "Power-5": 2957726,
    "Power-10": 3133939,
    "KDD 10 %": 2511137,
}


def standardize(X: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(StandardScaler().fit_transform(np.asarray(X, dtype=float)))


def data_sets(folder: Path) -> Iterator[tuple[str, np.ndarray, int, int]]:
    """Name, X, k, z."""
    skin = standardize(np.load(folder / "skin.npz")["X"])
    power = standardize(pd.read_parquet(folder / "household_power_7num_f32.parquet").to_numpy())
    for name, X in (("Skin", skin), ("Power", power)):
        for delta in (5, 10):
            noisy, noise = add_uniform_noise(X, 0.01, delta, random_state=0)
            yield f"{name}-{delta}", noisy, 10, int(noise.sum())
    kdd = pd.read_parquet(folder / "kddcup10_34num_f32.parquet")
    yield "KDD 10 %", standardize(kdd.drop(columns="label").to_numpy()), 3, 8752


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
    for name, X, k, z in data_sets(Path(options.data)):
        if options.quick and "Skin" not in name:
            continue
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
