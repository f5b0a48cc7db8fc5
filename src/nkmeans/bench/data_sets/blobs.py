"""The 16 synthetic data sets: near and far noise, 10 and 20 features, 10 and 20 clusters."""

from functools import partial
from itertools import product
from pathlib import Path

from nkmeans.bench.data_sets import DataSet, Prepared
from nkmeans.datasets import make_noisy_blobs
from nkmeans.metrics import trimmed_cost

ORDER = 0
ROWS = 1_000_000
RANGES = {"near": 0.5, "far": 2.5}


def prepare(
    noise_range: float, d: int, k: int, z: int, sigma: float, n: int | None, folder: Path | None
) -> Prepared:
    """Planted clusters; costs are relative to the planted centres'."""
    rows = n or ROWS
    z = z * rows // ROWS
    X, centers, mask = make_noisy_blobs(
        rows, k, d, z, noise_range=noise_range, sigma=sigma, random_state=0
    )
    return Prepared(X, mask, k, z, trimmed_cost(X, centers, z))


def family(suite: str, sigma: float) -> list[DataSet]:
    """The 16 of them, with clusters of this standard deviation."""
    return [
        DataSet(
            suite,
            f"{where}-{d}-{k}-{z // 1000}K",
            partial(prepare, RANGES[where], d, k, z, sigma),
        )
        for where, d, k, z in product(RANGES, (10, 20), (10, 20), (10_000, 50_000))
    ]


def data_sets(folder: Path | None) -> list[DataSet]:
    """With the sigma that fits the paper's tables, and with that of its text."""
    return [*family("synthetic", 0.01), *family("sigma", 1.0)]
