"""Past memory: files block by block, Dask against dask-ml, and streams.

python benchmarks/scale.py [--quick] [--out FILE]
"""

import subprocess
import sys
import tempfile
import textwrap
import time
import warnings
from pathlib import Path

import numpy as np
import pyarrow
from pyarrow import parquet

from nkmeans import NKMeans
from nkmeans.datasets import make_noisy_blobs
from nkmeans.metrics import trimmed_cost
from record import Recorder, arguments, median_seconds

K, D = 10, 10
BLOCK = 1_000_000


def blobs_of(number: int, rows: int) -> np.ndarray:
    """A block of the planted data: the same centres in every block, 1 % noise."""
    centers = np.random.default_rng(0).uniform(-0.5, 0.5, size=(K, D))
    rng = np.random.default_rng([1, number])
    X = centers[rng.integers(K, size=rows)] + rng.normal(scale=0.01, size=(rows, D))
    noise = rng.random(rows) < 0.01
    X[noise] = rng.uniform(-2.5, 2.5, size=(int(noise.sum()), D))
    return X.astype(np.float32)


IN_CHILD = """
import json, sys, time
import numpy as np
from nkmeans import NKMeans, open_source
from nkmeans.data import source as module

pattern, what = sys.argv[1:]
walks = 0
read = module.FileSource.read
def counted(self):
    global walks
    walks += 1
    yield from read(self)
module.FileSource.read = counted

def peak():
    with open("/proc/self/status") as lines:
        return next(int(l.split()[1]) * 1024 for l in lines if l.startswith("VmHWM"))

NKMeans(2, 1, random_state=0).fit(np.random.default_rng(0).normal(size=(3000, 10)).astype("f4"))
source = open_source(pattern)
t0 = time.perf_counter()
if what == "read":
    rows = sum(len(X) for _, X in source.blocks())
    print(json.dumps({"seconds": time.perf_counter() - t0, "rows": rows, "peak": peak()}))
else:
    model = NKMeans(10, 0.01, random_state=0).fit(source)
    t1, passes = time.perf_counter(), walks
    left_out = sum(int((labels < 0).sum()) for labels in model.label_source(source))
    print(json.dumps({
        "seconds": t1 - t0, "passes": passes, "label_s": time.perf_counter() - t1,
        "left_out": left_out, "peak": peak(), "cost": model.inertia_, "rows": len(source),
    }))
"""


def files(record: Recorder, n_blocks: int) -> None:
    """Parquet files that are read block by block, against merely reading them."""
    import json

    with tempfile.TemporaryDirectory() as folder:
        for number in range(n_blocks):
            X = blobs_of(number, BLOCK)
            table = pyarrow.table({f"f{j}": X[:, j] for j in range(D)})
            parquet.write_table(table, Path(folder) / f"part-{number:04}.parquet")
        found = {}
        for what in ("read", "fit"):
            words = [
                sys.executable,
                "-c",
                textwrap.dedent(IN_CHILD),
                f"{folder}/part-*.parquet",
                what,
            ]
            run = subprocess.run(words, check=True, capture_output=True, text=True)
            found[what] = json.loads(run.stdout)
    fit, read = found["fit"], found["read"]
    ratio = fit["seconds"] / (fit["passes"] * read["seconds"])
    record.add(part="files", **fit, read_s=read["seconds"], ratio=ratio)
    print(
        f"{fit['rows']:,} x {D} float32 in Parquet: fit {fit['seconds']:.1f} s, "
        f"{fit['passes']} passes, {ratio:.2f} of merely reading as often; labels "
        f"{fit['label_s']:.1f} s; peak {fit['peak'] / 1e9:.2f} GB; {fit['left_out']:,} left out",
        flush=True,
    )


def dask_against_dask_ml(record: Recorder, n: int) -> None:
    """k-means|| of dask-ml and NKMeans on the same cluster of two worker processes."""
    import dask.array as da
    from dask_ml.cluster import KMeans as DaskKMeans
    from distributed import Client, LocalCluster

    z = n // 100
    X, planted, _ = make_noisy_blobs(n - z, K, D, z, noise_range=2.5, random_state=0)
    best = trimmed_cost(X, planted, z)
    local, _ = median_seconds(lambda: NKMeans(K, z, random_state=0).fit(X), 3)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        lazy = da.from_array(X, chunks=(n // 20, D)).persist()
        ours, fit = median_seconds(lambda: NKMeans(K, z, random_state=0).fit(lazy), 4)
        try:
            theirs, other = median_seconds(lambda: DaskKMeans(K, random_state=0).fit(lazy), 1)
            their_cost = trimmed_cost(X, np.asarray(other.cluster_centers_), z) / best
        except Exception as error:
            theirs, their_cost = float("nan"), float("nan")
            print(f"dask-ml failed: {error!r}")
        cost = trimmed_cost(X, fit.cluster_centers_, z) / best
    record.add(
        part="dask",
        n=n,
        seconds=ours,
        dask_ml_s=theirs,
        local_s=local,
        cost=cost,
        dask_ml_cost=their_cost,
    )
    print(
        f"Dask, {n:,} x {D}: NKMeans {ours:.2f} s (cost {cost:.5f}), dask-ml {theirs:.2f} s (cost "
        f"{their_cost:.3g}); ratio {ours / theirs:.3f}; over the local engine {ours / local:.1f}",
        flush=True,
    )


def streams(record: Recorder, n_batches: int, rows: int) -> None:
    """partial_fit over batches, against one fit of everything."""
    X = np.concatenate([blobs_of(number, rows) for number in range(n_batches)])
    whole = NKMeans(K, 0.01, random_state=0).fit(X)
    model, start = NKMeans(K, 0.01, random_state=0), time.perf_counter()
    for number in range(n_batches):
        model.partial_fit(X[number * rows : (number + 1) * rows])
    seconds = time.perf_counter() - start
    cost = trimmed_cost(X, model.cluster_centers_, int(whole.n_outliers_)) / whole.inertia_
    kept = len(model.coreset_.sample_indices)
    record.add(part="stream", batches=n_batches, rows=rows, seconds=seconds, cost=cost, kept=kept)
    print(
        f"{n_batches} batches of {rows:,}: {cost:.5f} of one fit's cost, "
        f"{seconds / n_batches:.3f} s a batch, {kept:,} rows kept",
        flush=True,
    )


def main() -> None:
    warnings.filterwarnings("ignore")
    options = arguments(__doc__, "scale")
    record = Recorder(options.out)
    streams(record, *((20, 10_000) if options.quick else (100, 100_000)))
    dask_against_dask_ml(record, 200_000 if options.quick else 10_000_000)
    files(record, 2 if options.quick else 50)
    print(f"rows: {options.out}")


if __name__ == "__main__":
    main()
