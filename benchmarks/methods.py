"""All methods on the paper's 16 data sets, three runs each: cost, seconds, memory.

    python benchmarks/methods.py [--quick] [--out FILE]

Costs are trimmed sums of squares relative to the planted centres, for all methods. Where the paper
has a column for a method its best of 3 stands beside ours. The last part times local search on a
coreset and says how far from optimal the solutions of the coresets can be at most.
"""

import resource
import time

from nkmeans import (
    CoresetKMeans,
    LocalSearchKMeans,
    NKMeans,
    NKMedians,
    NKMedoids,
    PrimalDualKMeans,
    RobustSeedingKMeans,
    SampleCoreset,
    ThresholdKMeans,
    TrimmedKMeans,
    UniformSampleKMeans,
)
from nkmeans.bench.paper import paper
from nkmeans.datasets import make_noisy_blobs
from nkmeans.metrics import optimality_gap, outlier_precision, trimmed_cost
from record import CELLS, Recorder, arguments, median_seconds

# Name in the tables, the paper's name where it has a column, estimator.
METHODS = [
    ("NKMeans", "NK-means", NKMeans, {}),
    ("NKMeans, the paper's", "NK-means", NKMeans, {"refine": False, "coreset": "practical"}),
    ("TrimmedKMeans", "k-means--", TrimmedKMeans, {}),
    ("LocalSearchKMeans", "local search", LocalSearchKMeans, {}),
    ("LocalSearchKMeans, published", "local search", LocalSearchKMeans, {"refine": False}),
    ("PrimalDualKMeans", "primal-dual", PrimalDualKMeans, {}),
    ("PrimalDualKMeans, published", "primal-dual", PrimalDualKMeans, {"refine": False}),
    ("CoresetKMeans", "k-means++ on coreset", CoresetKMeans, {}),
    ("CoresetKMeans(coreset=None)", "k-means++", CoresetKMeans, {"coreset": None}),
    ("UniformSampleKMeans", "uniform sample", UniformSampleKMeans, {}),
    ("UniformSampleKMeans, aggressive", None, UniformSampleKMeans, {"mode": "aggressive"}),
    ("ThresholdKMeans", None, ThresholdKMeans, {}),
    ("RobustSeedingKMeans", None, RobustSeedingKMeans, {}),
    ("NKMedians", None, NKMedians, {}),
    ("NKMedoids", None, NKMedoids, {}),
]


def main() -> None:
    options = arguments(__doc__, "methods")
    n, runs = (50_000, 3) if options.quick else (1_000_000, 3)
    record = Recorder(options.out)
    for noise_range, d, k, full_z in CELLS:
        data = f"{'near' if noise_range < 1 else 'far'}-{d}-{k}-{full_z // 1000}K"
        z = full_z * n // 1_000_000
        cell = {"n": n, "noise_range": noise_range, "d": d, "k": k, "z": z}
        X, planted, truth = make_noisy_blobs(n, k, d, z, noise_range=noise_range, random_state=0)
        best = trimmed_cost(X, planted, z)
        print(f"\nnoise {noise_range}, d {d}, k {k}, z {z}", flush=True)
        for name, column, Method, parameters in METHODS:
            Method(2, 1, **parameters).fit(X[:50])  # compiles
            costs, seconds, precisions = [], [], []
            for seed in range(runs):
                start = time.perf_counter()
                model = Method(k, z, random_state=seed, **parameters).fit(X)
                seconds.append(time.perf_counter() - start)
                costs.append(trimmed_cost(X, model.cluster_centers_, z) / best)
                precisions.append(outlier_precision(truth, model.labels_ < 0))
            theirs = paper("synthetic", "objective", data, column) if column else None
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
            record.add(
                part="methods", method=name, column=column, paper=theirs, costs=costs,
                seconds=seconds, precisions=precisions, gigabytes_so_far=memory, **cell,
            )  # fmt: skip
            print(f"  {name:32} cost {min(costs):9.4f} (paper {theirs})  {max(seconds):.2f} s  "
                  f"{memory:.2f} GB", flush=True)  # fmt: skip
        gaps(record, X, cell)
    print(f"rows: {options.out}")


def gaps(record: Recorder, X, cell: dict) -> None:
    """On the cell's coreset: seconds of local search, and the gaps that can be certified."""
    k, z = cell["k"], cell["z"]
    made = SampleCoreset(k, z, random_state=0).fit(X)
    model = NKMeans(k, z, random_state=0).fit(X)
    search = LocalSearchKMeans(k, z, coreset=None, random_state=0)
    seconds, _ = median_seconds(lambda: search.fit(made.points_, sample_weight=made.weights_), 5)
    coreset = model.coreset_
    start = time.perf_counter()
    gap = optimality_gap(coreset, model.cluster_centers_)
    record.add(
        part="gaps", points=len(made.points_), local_search_s=seconds, gap=gap,
        gap_s=time.perf_counter() - start, **cell,
    )  # fmt: skip
    print(f"  local search on {len(made.points_)} points: {seconds:.3f} s; NKMeans is at most "
          f"{gap:.3f} times the optimum of its coreset", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
