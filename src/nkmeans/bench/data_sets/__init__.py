"""One file a data set, or a family of them, each with `ORDER` and `data_sets(folder)`.

A new file here is a new data set: it is found by itself.
"""

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np

SCORES = ("objective", "precision", "seconds")


@dataclass(frozen=True)
class Prepared:
    """Data that is ready to be clustered.

    Attributes
    ----------
    X : ndarray of shape (n, d)
    outlier_mask : bool ndarray of shape (n,)
    n_clusters, n_outliers : int
    reference : float
        The cost that costs are divided by; 1 where there is none.
    """

    X: np.ndarray
    outlier_mask: np.ndarray
    n_clusters: int
    n_outliers: int
    reference: float = 1.0


@dataclass(frozen=True)
class DataSet:
    """A data set of the paper.

    Attributes
    ----------
    suite : {"synthetic", "sigma", "real"}
        The table it belongs to.
    name : str
        As in `paper.json`.
    prepare : callable
        `prepare(n, folder)`: the data. `n` asks for so many rows instead of the paper's (None),
        where that is possible; `folder` is where files are.
    source : str
        What the data is made of, where that is not the paper's own.
    note : str
        What a reader of the table must know.
    shown, compared : tuple of str
        The scores that mean something, and those that can stand beside the paper's.
    """

    suite: str
    name: str
    prepare: Callable[[int | None, Path | None], Prepared]
    source: str = ""
    note: str = ""
    shown: tuple[str, ...] = SCORES
    compared: tuple[str, ...] = SCORES


def all_data_sets(folder: Path | None) -> list[DataSet]:
    """All of them, in the order of the files' `ORDER`."""
    modules = [import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__)]
    modules.sort(key=lambda module: module.ORDER)
    return [data_set for module in modules for data_set in module.data_sets(folder)]
