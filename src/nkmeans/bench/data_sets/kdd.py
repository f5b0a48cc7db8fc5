"""KDD Cup 99: three large classes, the rest are outliers. The 10 % file where the whole is not."""

from functools import partial
from pathlib import Path

from nkmeans.bench.data_sets import DataSet, Prepared
from nkmeans.bench.noise import standardized
from nkmeans.datasets import fetch_kddcup99
from nkmeans.datasets.download import cache_folder
from nkmeans.datasets.paper import KDD

ORDER = 40


def prepare(percent10: bool, n: int | None, folder: Path | None) -> Prepared:
    """The data, standardized; k = 3. Never fewer rows: its outliers are few."""
    X, mask = fetch_kddcup99(percent10=percent10, data_home=folder)
    return Prepared(standardized(X, None), mask, 3, int(mask.sum()))


def data_sets(folder: Path | None) -> list[DataSet]:
    """The whole file where it is, else the 10 % file."""
    whole = (cache_folder(folder) / KDD.name).exists()
    if whole:
        return [DataSet("real", "KddFull", partial(prepare, False))]
    note = "the 10 % file, 494021 rows; the paper has all 4898431"
    return [DataSet("real", "KddFull", partial(prepare, True), "10 %", note, compared=())]
