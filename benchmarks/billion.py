"""One billion points, generated block by block and never stored.

python benchmarks/billion.py [--quick] [--out FILE]
"""

import os
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from nkmeans import NKMeans
from nkmeans.data.source import Source
from nkmeans.metrics import trimmed_cost
from record import Recorder, arguments

K, D, BLOCK = 10, 10, 500_000
CENTERS = np.random.default_rng(0).uniform(-0.5, 0.5, size=(K, D)).astype(np.float32)


class Planted(Source):
    """Ten clusters and 1 % noise in float32; a block is made from its number."""

    def __init__(self, n_rows: int) -> None:
        self.n_rows, self.n_features, self.dtype = n_rows, D, np.dtype(np.float32)

    def block(self, number: int) -> np.ndarray:
        rng = np.random.default_rng([1, number])
        rows = min(BLOCK, self.n_rows - number * BLOCK)
        X = rng.standard_normal((rows, D), dtype=np.float32)
        X *= np.float32(0.01)
        X += CENTERS[rng.integers(K, size=rows, dtype=np.uint8)]
        noise = np.flatnonzero(rng.random(rows, dtype=np.float32) < 0.01)
        X[noise] = rng.uniform(-2.5, 2.5, size=(len(noise), D))
        return X

    def read(self) -> Iterator[np.ndarray]:
        """Blocks in order, a few made ahead by all cores."""
        n_blocks = -(-self.n_rows // BLOCK)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            waiting = deque()
            for number in range(n_blocks):
                waiting.append(pool.submit(self.block, number))
                if len(waiting) > 2:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()


def peak() -> int:
    """The most memory that this process has used so far."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def run(record: Recorder, n: int) -> None:
    """Fit, label, and compare with the planted centres."""
    source, start = Planted(n), time.perf_counter()
    for _ in source.blocks():
        pass
    walk = time.perf_counter() - start
    start = time.perf_counter()
    model = NKMeans(K, 0.01, random_state=0).fit(source)
    seconds = time.perf_counter() - start
    left_out = sum(int((labels < 0).sum()) for labels in model.label_source(source))
    label = time.perf_counter() - start - seconds
    cost = model.inertia_ / trimmed_cost(source, CENTERS.astype(float), int(model.n_outliers_))
    row = {"n": n, "seconds": seconds, "label_s": label, "walk_s": walk, "cost": cost}
    record.add(part="billion", **row, left_out=left_out, peak=peak())
    print(
        f"| {n:,} | {seconds:.1f} | {label:.1f} | {walk:.1f} | {1e9 * seconds / n:.0f} "
        f"| {cost:.6f} | {left_out:,} | {peak() / 1e9:.2f} |",
        flush=True,
    )


def main() -> None:
    options = arguments(__doc__, "billion")
    record = Recorder(options.out)
    NKMeans(K, 0.01, random_state=0).fit(Planted(20_000))
    header = (
        "rows | fit s | label s | making them once s | ns a row | cost / planted | left out | GB"
    )
    print(f"| {header} |\n|" + "---|" * 8)
    for n in (10**6, 10**7) if options.quick else (10**6, 10**7, 10**8, 10**9):
        run(record, n)
    print(f"rows: {options.out}")


if __name__ == "__main__":
    main()
