"""The measurements behind two choices in ARCHITECTURE.md: tiles, and how seeds are drawn.

    python benchmarks/choices.py [--quick] [--out FILE]

Tiles: our distance kernel against one matrix product a block (NumPy, threads over blocks, BLAS held
to one thread), which only names the nearest centre and leaves the exact distance to be measured.
Seeds: k-means++ one at a time with skips (one thread) against k-means|| with doubling draws.
"""

import numpy as np
from threadpoolctl import threadpool_limits

from nkmeans.assign import nearest_rows
from nkmeans.data.blocks import Block
from nkmeans.datasets import make_noisy_blobs
from nkmeans.engines import Engine, open_engine
from nkmeans.summarize.seeding import seed_in_memory, seed_over_blocks
from record import Recorder, arguments, median_seconds

SHAPES = [(10, 10), (20, 20), (100, 10), (100, 100), (784, 10), (784, 64), (784, 288)]


def by_product(block: Block, centers: np.ndarray, half2: np.ndarray, labels: np.ndarray) -> None:
    labels[block.rows] = (half2 - block.X @ centers.T).argmin(axis=1)


def product_pass(engine: Engine, centers: np.ndarray) -> None:
    labels = np.empty(engine.n_rows, dtype=np.int32)
    half2 = 0.5 * (centers**2).sum(axis=1)
    for _ in engine.map(by_product, centers, half2, labels):
        pass


def tiles(record: Recorder, values: int) -> None:
    print(
        "| features | centres | dtype | tiles ms | product ms | tiles / product |\n|" + "---|" * 6
    )
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64):
        for d, k in SHAPES:
            X = rng.standard_normal((values // d, d)).astype(dtype)
            centers = X[:k] + dtype(0.1)
            origin = np.zeros(d, dtype)
            with open_engine(X, None, None) as engine, threadpool_limits(1, "blas"):
                nearest_rows(engine, origin, centers)
                ours, _ = median_seconds(
                    lambda e=engine, o=origin, c=centers: nearest_rows(e, o, c), 7
                )
                theirs, _ = median_seconds(lambda e=engine, c=centers: product_pass(e, c), 7)
            name = np.dtype(dtype).name
            record.add(part="tiles", d=d, k=k, dtype=name, tiles=ours, product=theirs)
            print(f"| {d} | {k} | {name} | {1e3 * ours:.1f} | {1e3 * theirs:.1f} "
                  f"| {ours / theirs:.2f} |", flush=True)  # fmt: skip


def seeds(record: Recorder, n: int) -> None:
    print(
        "\n| points | seeds | one by one ms | several a pass ms | cost, several / one |\n|"
        + "---|" * 5
    )
    cases = [(10, 0.01, 0.5), (10, 0.01, 2.5), (20, 0.01, 2.5), (100, 0.3, 2.5), (784, 0.3, 2.5)]
    for d, sigma, noise_range in cases:
        X, _, _ = make_noisy_blobs(
            n, 10, d, n // 100, noise_range=noise_range, sigma=sigma, random_state=0
        )
        m, weight, origin = 10 + n // 100, np.ones(len(X)), np.zeros(d)
        seed_in_memory(X[:1000], weight[:1000], 5, np.random.default_rng(0))
        one, found = median_seconds(
            lambda X=X, w=weight, m=m: seed_in_memory(X, w, m, np.random.default_rng(0)), 3
        )
        with open_engine(X, None, None) as engine:
            several, other = median_seconds(
                lambda e=engine, o=origin, m=m: seed_over_blocks(e, o, m, np.random.default_rng(0)),
                3,
            )
        name = f"{len(X)} x {d}, sigma {sigma}, noise {noise_range}"
        costs = [float(found.dist2.sum()), float(other.dist2.sum())]
        record.add(part="seeds", name=name, seeds=m, one=one, several=several, costs=costs)
        ratio = costs[1] / costs[0]
        print(f"| {name} | {m} | {1e3 * one:.1f} | {1e3 * several:.1f} | {ratio:.2f} |", flush=True)


def main() -> None:
    options = arguments(__doc__, "choices")
    record = Recorder(options.out)
    tiles(record, 2_000_000 if options.quick else 20_000_000)
    seeds(record, 5_000 if options.quick else 30_000)
    print(f"rows: {options.out}")


if __name__ == "__main__":
    main()
