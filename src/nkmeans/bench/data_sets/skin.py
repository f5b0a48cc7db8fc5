"""Skin with noise from [-5, 5]^d and [-10, 10]^d."""

from functools import partial
from pathlib import Path

from nkmeans.bench.data_sets import DataSet, Prepared
from nkmeans.bench.noise import standardized, with_noise
from nkmeans.datasets import fetch_skin

ORDER = 10


def prepare(delta: float, n: int | None, folder: Path | None) -> Prepared:
    """The data, standardized, with noise."""
    return with_noise(standardized(fetch_skin(data_home=folder), n), delta)


def data_sets(folder: Path | None) -> list[DataSet]:
    """With the paper's two kinds of noise."""
    return [DataSet("real", f"Skin-{delta}", partial(prepare, delta)) for delta in (5, 10)]
