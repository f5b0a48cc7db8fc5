"""What is chosen when nobody tells how many outliers and clusters there are, and how fast.

    python benchmarks/choosing.py [--data FOLDER] [--quick] [--out FILE]

FOLDER (or $NKMEANS_DATA) is that of benchmarks/real.py, for the real data sets.
"""

import argparse
import os
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from nkmeans import NKMeans, suggest
from nkmeans.choose import outliers
from nkmeans.datasets import make_noisy_blobs
from nkmeans.metrics import trimmed_cost
from real import data_sets
from record import CELLS, RESULTS, Recorder, median_seconds

ROWS, SEEDS, TIMES = 1_000_000, 3, 5
UNEQUAL_ROWS = 200_000


def blobs(cell: tuple, sigma: float, seed: int, quick: bool, noise: bool = True) -> np.ndarray:
    """One of the paper's data sets, with more or less overlap, with or without its noise."""
    noise_range, d, k, z = cell
    z = z if noise else 0
    n, z = (ROWS // 10, z // 10) if quick else (ROWS, z)
    X, _, _ = make_noisy_blobs(n, k, d, z, noise_range=noise_range, sigma=sigma, random_state=seed)
    return X.astype(np.float32)


def chosen(X: np.ndarray, k: int | str, **options: Any) -> NKMeans:
    """A fit that chooses; its warnings are in what it found."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return NKMeans(k, "auto", random_state=0, **options).fit(X)


def outliers_of_cells(record: Recorder, quick: bool) -> None:
    """The planted number, with clusters that are apart, that overlap, and without noise."""
    for seed in range(1 if quick else SEEDS):
        for cell in CELLS:
            for sigma, noise in ((0.01, True), (0.3, True), (0.01, False)):
                if sigma == 0.3 and cell[0] < 1:
                    continue  # noise amid clusters that overlap is no noise
                X = blobs(cell, sigma, seed, quick, noise)
                model = chosen(X, cell[2])
                record.add(
                    part="outliers", noise_range=cell[0], d=cell[1], k=cell[2], sigma=sigma,
                    seed=seed, n=len(X), planted=(len(X) - (ROWS // 10 if quick else ROWS)),
                    found=model.n_outliers_, statistic=model.outlier_break_.statistic,
                    clear=model.outlier_break_.clear,
                )  # fmt: skip
                print(cell, sigma, noise, seed, model.n_outliers_, flush=True)


def clusters_of_cells(record: Recorder, quick: bool) -> None:
    """The planted number of clusters, with that of the outliers unknown, too."""
    for seed in range(1 if quick else SEEDS):
        for cell in CELLS:
            X = blobs(cell, 0.01, seed, quick)
            model = chosen(X, "auto", max_clusters=25)
            record.add(
                part="clusters", noise_range=cell[0], d=cell[1], k=cell[2], seed=seed,
                found=model.n_clusters_, outliers=model.n_outliers_,
            )  # fmt: skip
            print(cell, seed, model.n_clusters_, flush=True)


def times_of_cells(record: Recorder, quick: bool) -> None:
    """Fits that choose, suggestions and new cuts, beside a fit that is told."""
    for cell in CELLS:
        X, (noise_range, d, k, z) = blobs(cell, 0.01, 0, quick), cell
        z = z // 10 if quick else z
        fit = partial(NKMeans(k, z, random_state=0).fit, X)
        calls: dict[str, Callable[[], Any]] = {
            "fit": fit,
            "auto": partial(chosen, X, k),
            "suggest": partial(suggest, X, random_state=0),
            "with_outliers": partial(fit().with_outliers, 2 * z),
        }
        for call in calls.values():
            call()
        seconds = {name: median_seconds(call, TIMES)[0] for name, call in calls.items()}
        moved, again = fit().with_outliers(2 * z), NKMeans(k, 2 * z, random_state=0).fit(X)
        record.add(
            part="times", noise_range=noise_range, d=d, k=k, z=z, n=len(X), seconds=seconds,
            cost_of_cut=trimmed_cost(X, moved.cluster_centers_, 2 * z) / again.inertia_,
        )  # fmt: skip
        ratios = {name: round(value / seconds["fit"], 2) for name, value in seconds.items()}
        print(cell, ratios, flush=True)


def unequal() -> Iterator[tuple[str, int, int, np.ndarray, np.ndarray, int, float]]:
    """Name, clusters, features, their sizes and spreads, outliers, and where these are."""
    yield "sizes 1/i^1.5", 10, 10, 1 / np.arange(1, 11) ** 1.5, np.full(10, 0.02), 3000, 1.0
    yield "sizes 1/i", 15, 20, 1 / np.arange(1, 16), np.full(15, 0.05), 5000, 1.0
    yield "one of 0.3 %", 8, 5, np.r_[np.ones(7), 0.02], np.full(8, 0.02), 2000, 2.0
    yield "five of 1 %", 10, 2, np.r_[np.ones(5), np.full(5, 0.05)], np.full(10, 0.01), 1500, 2.0
    yield "spreads 1 to 20", 8, 10, np.ones(8), np.geomspace(0.005, 0.1, 8), 2000, 3.0
    yield "20 outliers", 6, 4, np.ones(6), np.full(6, 0.02), 20, 2.0
    yield "15 % outliers", 5, 6, np.ones(5), np.full(5, 0.05), 36_000, 2.0


def unequal_clusters(record: Recorder, quick: bool) -> None:
    """Clusters that one generous fit would lose, found by it and by what competes here."""
    for seed in range(1 if quick else 5):
        rng = np.random.default_rng(seed)
        for name, k, d, sizes, spreads, z, reach in unequal():
            labels = rng.choice(k, UNEQUAL_ROWS, p=sizes / sizes.sum())
            X = rng.uniform(-0.5, 0.5, (k, d))[labels]
            X += rng.normal(size=X.shape) * spreads[labels][:, None]
            X = np.concatenate([X, rng.uniform(-reach, reach, (z, d))]).astype(np.float32)
            found, levels = {"competing": chosen(X, k).n_outliers_}, outliers.LEVELS
            outliers.LEVELS = (0.15,)
            found["one generous fit"] = chosen(X, k).n_outliers_
            outliers.LEVELS = levels
            record.add(part="unequal", data=name, seed=seed, planted=z, found=found)
            print(name, seed, z, found, flush=True)


def real_data(record: Recorder, folder: Path, quick: bool) -> None:
    """Real data with its added noise, and KDD with its rare classes."""
    for name, data in data_sets(folder):
        if quick and "Skin" not in name:
            continue
        model = chosen(data.X, data.n_clusters)
        hit = data.outlier_mask[model.outlier_indices_].sum()
        record.add(
            part="real", data=name, n=len(data.X), d=data.X.shape[1], k=data.n_clusters,
            planted=data.n_outliers, found=model.n_outliers_, true=int(hit),
            statistic=model.outlier_break_.statistic, clear=model.outlier_break_.clear,
        )  # fmt: skip
        print(name, data.n_outliers, model.n_outliers_, model.outlier_break_.statistic, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("NKMEANS_DATA"))
    parser.add_argument("--quick", action="store_true", help="100,000 rows, one seed")
    parser.add_argument("--out", type=Path, default=RESULTS / "choosing.jsonl")
    options = parser.parse_args()
    record = Recorder(Path("quick-results/choosing.jsonl") if options.quick else options.out)
    times_of_cells(record, options.quick)
    outliers_of_cells(record, options.quick)
    clusters_of_cells(record, options.quick)
    unequal_clusters(record, options.quick)
    if options.data is not None and (Path(options.data) / "skin.npz").exists():
        real_data(record, Path(options.data), options.quick)


if __name__ == "__main__":
    main()
