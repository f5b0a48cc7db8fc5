"""SUSY with noise; where the file is not at hand, normal data of its shape for the time alone."""

from functools import partial
from pathlib import Path

import numpy as np

from nkmeans.bench.data_sets import DataSet, Prepared
from nkmeans.bench.noise import standardized, with_noise
from nkmeans.datasets import fetch_susy
from nkmeans.datasets.download import cache_folder
from nkmeans.datasets.paper import SUSY

ORDER = 20
SHAPE = (5_000_000, 18)
TIME = ("seconds",)


def prepare(delta: float, n: int | None, folder: Path | None) -> Prepared:
    """The data, standardized, with noise."""
    return with_noise(standardized(fetch_susy(data_home=folder), n), delta)


def prepare_shape(delta: float, n: int | None, folder: Path | None) -> Prepared:
    """Normal data of the same shape, with noise."""
    rng = np.random.default_rng(0)
    return with_noise(rng.standard_normal((n or SHAPE[0], SHAPE[1])), delta)


def data_sets(folder: Path | None) -> list[DataSet]:
    """The file's data where it is, else its shape."""
    if (cache_folder(folder) / SUSY.name).exists():
        return [DataSet("real", f"Susy-{delta}", partial(prepare, delta)) for delta in (5, 10)]
    note = "normal data of SUSY's shape: only the seconds can be compared"
    return [
        DataSet("real", f"Susy-{delta}", partial(prepare_shape, delta), "shape", note, TIME, TIME)
        for delta in (5, 10)
    ]
