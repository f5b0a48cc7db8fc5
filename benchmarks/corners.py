"""The corners: few outliers, many features, growth, memory, and the first fit.

python benchmarks/corners.py [--quick] [--out FILE]
"""

import os
import subprocess
import sys
import tempfile
import textwrap

import numpy as np
from sklearn.cluster import KMeans

from nkmeans import NKMeans
from nkmeans.datasets import make_noisy_blobs
from nkmeans.metrics import trimmed_cost
from record import Recorder, arguments, median_seconds


def against_kmeans(record: Recorder, name: str, X: np.ndarray, planted: np.ndarray, z: int) -> None:
    """Times of both on the same data, side by side."""
    k = len(planted)
    NKMeans(k, z, random_state=0).fit(X)
    ours, model = median_seconds(lambda: NKMeans(k, z, random_state=0).fit(X), 5)
    theirs, _ = median_seconds(lambda: KMeans(k, n_init=1, random_state=0).fit(X), 3)
    cost = model.inertia_ / trimmed_cost(X, planted, z)
    record.add(part="corner", name=name, seconds=ours, kmeans_seconds=theirs, cost=cost)
    print(f"| {name} | {ours:.3f} | {theirs:.3f} | {ours / theirs:.2f} | {cost:.5f} |", flush=True)


def growth(record: Recorder, n: int) -> None:
    """Time for ten times the rows over the time for n."""
    seconds = []
    for rows in (n, 10 * n):
        X, _, _ = make_noisy_blobs(rows, 10, 10, rows // 100, random_state=0)
        NKMeans(10, rows // 100, random_state=0).fit(X)
        fit = NKMeans(10, rows // 100, random_state=0).fit
        seconds.append(median_seconds(lambda f=fit, X=X: f(X), 5)[0])
    record.add(part="growth", n=n, seconds=seconds, ratio=seconds[1] / seconds[0])
    print(f"\n{10 * n} rows over {n}: {seconds[1] / seconds[0]:.1f} times the time")


def in_new_process(code: str, **environment: str) -> list[float]:
    """The numbers a fresh interpreter prints."""
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True, text=True, check=True, env={**os.environ, **environment},
    )  # fmt: skip
    return [float(word) for word in run.stdout.split()]


def memory(record: Recorder, n: int) -> None:
    """The most that fits of a few kinds add to the process, over the bytes of X."""
    code = f"""
    import resource
    from nkmeans import NKMeans
    from nkmeans.datasets import make_noisy_blobs
    NKMeans(2, 1, random_state=0).fit(make_noisy_blobs(3000, 2, 20, 30, random_state=0)[0])
    X, _, _ = make_noisy_blobs({n}, 10, 20, {n} // 100, random_state=0)
    import gc
    gc.collect()
    def status(key):
        with open("/proc/self/status") as lines:
            return next(int(l.split()[1]) * 1024 for l in lines if l.startswith(key))
    with open("/proc/self/clear_refs", "w") as reset:
        reset.write("5")
    before = status("VmRSS")
    NKMeans(10, {n} // 100, random_state=0).fit(X)
    print((status("VmHWM") - before) / X.nbytes)
    """
    (share,) = in_new_process(code)
    record.add(part="memory", n=n, d=20, share_of_X=share)
    print(f"memory beyond X in fit, {n} x 20 float64: {100 * share:.0f} % of X")


def start(record: Recorder) -> None:
    """Import, the very first fit with an empty cache, and the first fit of a later process."""
    code = """
    import time
    import sklearn.cluster
    t0 = time.perf_counter()
    from nkmeans import NKMeans
    t1 = time.perf_counter()
    from nkmeans.datasets import make_noisy_blobs
    X = make_noisy_blobs(100_000, 10, 10, 1000, random_state=0)[0]
    t2 = time.perf_counter()
    NKMeans(10, 1000, random_state=0).fit(X)
    t3 = time.perf_counter()
    NKMeans(10, 1000, random_state=0).fit(X)
    print(t1 - t0, t3 - t2, time.perf_counter() - t3)
    """
    with tempfile.TemporaryDirectory() as cache:
        _, first, _ = in_new_process(code, NUMBA_CACHE_DIR=cache)
        later = [in_new_process(code, NUMBA_CACHE_DIR=cache) for _ in range(3)]
    imports, again, warm = np.median(later, axis=0)
    record.add(part="start", import_s=imports, first_fit_s=first, new_process_s=again, warm_s=warm)
    print(
        f"import beyond sklearn.cluster: {imports:.2f} s; first fit on a machine: {first:.1f} s; "
        f"first fit of a new process: {again - warm:.2f} s more than warm"
    )


def main() -> None:
    options = arguments(__doc__, "corners")
    n, record = 100_000 if options.quick else 1_000_000, Recorder(options.out)
    print("| case | NKMeans s | KMeans s | ratio | cost |\n|" + "---|" * 5)
    for noise_range in (0.5, 2.5):
        X, planted, _ = make_noisy_blobs(n, 10, 10, 100, noise_range=noise_range, random_state=0)
        against_kmeans(record, f"{n} x 10, z = 100, noise {noise_range}", X, planted, 100)
    for sigma in (0.01, 0.3, 1.0):
        X, planted, _ = make_noisy_blobs(
            69_300, 10, 784, 700, noise_range=2.5, sigma=sigma, random_state=0
        )
        name = f"70000 x 784 float32, z = 700, sigma {sigma}"
        against_kmeans(record, name, X.astype(np.float32), planted, 700)
        if options.quick:
            break
    growth(record, n)
    if sys.platform == "linux":
        memory(record, n)
    start(record)
    print(f"rows: {options.out}")


if __name__ == "__main__":
    main()
