"""The three outlier scores of NKMeans against the truth, beside IsolationForest and LOF.

    python benchmarks/scores.py --data FOLDER [--quick] [--out FILE]

FOLDER (or $NKMEANS_DATA) is that of benchmarks/real.py; without it only the synthetic cases are
run, which each seed draws anew. NKMeans gets the true number of outliers. IsolationForest sees at
most 200,000 rows and LocalOutlierFactor 20,000, which each seed draws, too.
"""

import argparse
import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.neighbors import LocalOutlierFactor

from nkmeans import NKMeans
from nkmeans.bench.data_sets import Prepared
from real import data_sets
from record import RESULTS, Recorder, median_seconds

KINDS = ("distance", "relative", "survival")
SEEDS = 5
CLUSTER_ROWS, STRAYS = 3000, 200


def labelled(clusters: list[np.ndarray], noise: np.ndarray, k: int) -> Prepared:
    """Clusters and noise, as one data set with its truth."""
    X = np.concatenate([*clusters, noise])
    return Prepared(X, np.arange(len(X)) >= len(X) - len(noise), k, len(noise))


def unequal_spreads(seed: int) -> Prepared:
    """Six clusters, the widest 40 times the tightest; strays around the three tight ones."""
    rng = np.random.default_rng(seed)
    centers, sigma = rng.uniform(-10, 10, (6, 4)), np.array([0.05, 0.1, 0.2, 1.0, 1.5, 2.0])
    clusters = [rng.normal(c, s, (CLUSTER_ROWS, 4)) for c, s in zip(centers, sigma, strict=True)]
    which, steps = rng.integers(0, 3, STRAYS), rng.normal(size=(STRAYS, 4))
    steps /= np.linalg.norm(steps, axis=1, keepdims=True)
    steps *= (sigma[which] * rng.uniform(6, 15, STRAYS))[:, None]
    return labelled(clusters, centers[which] + steps, 6)


def clumps(k: int, seed: int) -> Prepared:
    """Six clusters alike, and noise in five clumps of 40 rows."""
    rng = np.random.default_rng(seed)
    clusters = [rng.normal(c, 1.0, (CLUSTER_ROWS, 4)) for c in rng.uniform(-10, 10, (6, 4))]
    places = rng.uniform(-12, 12, (5, 4))
    noise = np.concatenate([rng.normal(c, 0.1, (STRAYS // 5, 4)) for c in places])
    return labelled(clusters, noise, k)


def cases(folder: Path | None, quick: bool) -> Iterator[tuple[str, Callable[[int], Prepared]]]:
    """Name of every case, and its data by seed."""
    yield "unequal spreads", unequal_spreads
    yield "clumps", partial(clumps, 6)
    yield "clumps, k = 8", partial(clumps, 8)
    if folder is not None:
        for name, data in data_sets(folder):
            if not quick or name == "Skin-5":
                yield name, lambda seed, data=data: data
            if not quick and name == "KDD 10 %":
                more = replace(data, n_clusters=10)
                yield f"{name}, k = 10", lambda seed, data=more: data


def forest_scores(X: np.ndarray, seed: int) -> np.ndarray:
    return -IsolationForest(random_state=seed, n_jobs=-1).fit(X).score_samples(X)


def factor_scores(X: np.ndarray, seed: int) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that 20 neighbours are few where rows repeat
        return -LocalOutlierFactor(n_jobs=-1).fit(X).negative_outlier_factor_


# How they score, and how many rows they get.
RIVALS = {"IsolationForest": (forest_scores, 200_000), "LOF": (factor_scores, 20_000)}


def by_nearest(model: NKMeans, X: np.ndarray) -> np.ndarray:
    """Relative to the spread of the nearest cluster."""
    spread = np.maximum(model.cluster_spread_, 1e-6 * model.cluster_spread_.max())
    return model.outlier_score(X) / spread[model.predict(X, assign_outliers=True)]


def by_high_floor(model: NKMeans, X: np.ndarray) -> np.ndarray:
    """Relative, where a spread counts as at least a tenth of that of all, as a distance."""
    overall = model.inertia_ / (len(X) - model.n_outliers_)
    spread = np.maximum(model.cluster_spread_, 0.01 * overall)
    return (model.transform(X) ** 2 / spread).min(axis=1)


# What "relative" might have been.
CHOICES = {"nearest cluster": by_nearest, "floor of a tenth": by_high_floor}


def scored(data: Prepared, seed: int) -> Iterator[tuple[str, np.ndarray, np.ndarray, float]]:
    """Name, truth and scores of each score, and the seconds it took once there was a model."""
    model = NKMeans(data.n_clusters, data.n_outliers, random_state=seed).fit(data.X)
    for kind in KINDS:
        seconds, scores = median_seconds(partial(model.outlier_score, data.X, kind), 1)
        yield kind, data.outlier_mask, scores, seconds
    for choice, scores_of in CHOICES.items():
        seconds, scores = median_seconds(partial(scores_of, model, data.X), 1)
        yield choice, data.outlier_mask, scores, seconds
    for rival, (scores_of, most) in RIVALS.items():
        rows = np.random.default_rng(seed).permutation(len(data.X))[:most]
        seconds, scores = median_seconds(partial(scores_of, data.X[rows], seed), 1)
        yield rival, data.outlier_mask[rows], scores, seconds


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("NKMEANS_DATA"))
    parser.add_argument("--quick", action="store_true", help="of the real data Skin-5 only")
    parser.add_argument("--out", type=Path, default=RESULTS / "scores.jsonl")
    options = parser.parse_args()
    record = Recorder(Path("quick-results/scores.jsonl") if options.quick else options.out)
    print("| data | seed | score | rows | ROC AUC | average precision | seconds |")
    print("|" + "---|" * 7)
    for name, draw in cases(options.data and Path(options.data), options.quick):
        for seed in range(SEEDS):
            data = draw(seed)
            for score, truth, scores, seconds in scored(data, seed):
                auc, ap = roc_auc_score(truth, scores), average_precision_score(truth, scores)
                record.add(
                    part="scores", data=name, n=len(data.X), d=data.X.shape[1], k=data.n_clusters,
                    z=data.n_outliers, seed=seed, score=score, rows=len(truth), auc=auc, ap=ap,
                    seconds=seconds,
                )  # fmt: skip
                line = f"{name} | {seed} | {score} | {len(truth)} | {auc:.4f} | {ap:.4f}"
                print(f"| {line} | {seconds:.2f} |", flush=True)
    print(f"rows: {record.path}")


if __name__ == "__main__":
    main()
