"""The paper's real data sets, prepared as the paper does: Skin, Power, SUSY, KDD Cup 99."""

import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from nkmeans.datasets.download import Remote, cache_folder, read_cached

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
SKIN = Remote("Skin_NonSkin.txt", f"{UCI}/00229/Skin_NonSkin.txt")
POWER = Remote("household_power_consumption.zip", f"{UCI}/00235/household_power_consumption.zip")
SUSY = Remote("SUSY.csv.gz", f"{UCI}/00279/SUSY.csv.gz")
KDD = Remote(
    "kddcup.data.gz",
    "https://ndownloader.figshare.com/files/5976045",
    "3b6c942aa0356c0ca35b7b595a26c89d343652c9db428893e7494f837b274292",
)
KDD_10 = Remote(
    "kddcup.data_10_percent.gz",
    "https://ndownloader.figshare.com/files/5976042",
    "8045aca0d84e70e622d1148d7df782496f6333bf6eb979a1b0837c42a9fd9561",
)
# Smaller copies with the same values, used where they are in the cache folder.
COPIES = {
    SKIN.name: "skin.npz",
    POWER.name: "household_power_7num_f32.parquet",
    KDD_10.name: "kddcup10_34num_f32.parquet",
}
POWER_COLUMNS = [
    "Global_active_power", "Global_reactive_power", "Voltage", "Global_intensity",
    "Sub_metering_1", "Sub_metering_2", "Sub_metering_3",
]  # fmt: skip
KDD_SYMBOLIC = (1, 2, 3, 6, 11, 20, 21)  # protocol, service, flag, land, three logins
KDD_INLIERS = ("normal.", "neptune.", "smurf.")


def fetch_skin(
    path: str | os.PathLike | None = None,
    *,
    data_home: str | os.PathLike | None = None,
    download_if_missing: bool = True,
) -> np.ndarray:
    """UCI Skin Segmentation: B, G, R of 245057 pixels.

    Parameters
    ----------
    path : path, default=None
        A local copy: Skin_NonSkin.txt, or an .npz file with these columns in `X`.
    data_home : path, default=None
        The cache folder; by default `NKMEANS_DATA`, or the platform's folder for caches.
    download_if_missing : bool, default=True

    Returns
    -------
    X : float64 ndarray of shape (245057, 3)
    """
    return _fetch(SKIN, read_skin, path, data_home, download_if_missing)


def fetch_power(
    path: str | os.PathLike | None = None,
    *,
    data_home: str | os.PathLike | None = None,
    download_if_missing: bool = True,
) -> np.ndarray:
    """UCI household power consumption: seven measurements, rows with missing values dropped.

    Parameters
    ----------
    path : path, default=None
        A local copy: household_power_consumption.txt or .zip, or a Parquet file with the seven
        columns.
    data_home, download_if_missing
        As in `fetch_skin`.

    Returns
    -------
    X : float64 ndarray of shape (2049280, 7)
    """
    return _fetch(POWER, read_power, path, data_home, download_if_missing)


def fetch_susy(
    path: str | os.PathLike | None = None,
    *,
    data_home: str | os.PathLike | None = None,
    download_if_missing: bool = True,
) -> np.ndarray:
    """UCI SUSY: 18 features of five million simulated collisions.

    Parameters
    ----------
    path : path, default=None
        A local copy: SUSY.csv or SUSY.csv.gz.
    data_home, download_if_missing
        As in `fetch_skin`.

    Returns
    -------
    X : float64 ndarray of shape (5000000, 18)
    """
    return _fetch(SUSY, read_susy, path, data_home, download_if_missing)


def fetch_kddcup99(
    path: str | os.PathLike | None = None,
    *,
    percent10: bool = False,
    data_home: str | os.PathLike | None = None,
    download_if_missing: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """KDD Cup 99: the 34 numeric features, and which rows are outliers.

    Parameters
    ----------
    path : path, default=None
        A local copy: kddcup.data or kddcup.data_10_percent, also as .gz, or a Parquet file with
        the 34 columns and `label`.
    percent10 : bool, default=False
        The 10 % file of 494021 rows instead of 4898431.
    data_home, download_if_missing
        As in `fetch_skin`.

    Returns
    -------
    X : float64 ndarray of shape (n, 34)
    outlier_mask : bool ndarray of shape (n,)
        Every class but normal, neptune and smurf: 45747 rows, or 8752 of the 10 % file.
    """
    remote = KDD_10 if percent10 else KDD
    return _fetch(remote, read_kdd, path, data_home, download_if_missing)


def _fetch(
    remote: Remote,
    read: Callable[[Path], Any],
    path: str | os.PathLike | None,
    data_home: str | os.PathLike | None,
    download_if_missing: bool,
) -> Any:
    if path is not None:
        if not Path(path).is_file():
            raise FileNotFoundError(f"There is no file {os.fspath(path)!r}.")
        return read(Path(path))
    if remote.name in COPIES and (data_home or os.environ.get("NKMEANS_DATA")):
        folder = cache_folder(data_home)
        copy = folder / COPIES[remote.name]
        if copy.is_file() and not (folder / remote.name).exists():
            return read(copy)
    return read_cached(remote, read, data_home, download_if_missing)


def read_skin(path: Path) -> np.ndarray:
    """The first three columns of Skin_NonSkin.txt, or `X` of an .npz file."""
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            if "X" not in arrays or arrays["X"].ndim != 2 or arrays["X"].shape[1] != 3:
                raise wrong(path, "an array X with 3 columns", f"the arrays {list(arrays)}")
            return arrays["X"].astype(np.float64)
    return _table(path, 4, "B, G, R and the class", delimiter="\t")[:, :3].copy()


def read_power(path: Path) -> np.ndarray:
    """The seven measurements, from text or Parquet, without rows that miss one."""
    if path.suffix == ".parquet":
        return _parquet(path, POWER_COLUMNS)
    X = _table(
        path, 9, "the date, the time and seven measurements", delimiter=";", header=True,
        skip_text=(0, 1),
    )  # fmt: skip
    return X[np.isfinite(X).all(axis=1)]


def read_susy(path: Path) -> np.ndarray:
    """All columns but the first, which is the class."""
    return _table(path, 19, "the class and 18 features", delimiter=",")[:, 1:].copy()


def read_kdd(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """The numeric columns, and which rows are of none of the three large classes."""
    _, parquet = _arrow()
    if path.suffix == ".parquet":
        names = [name for name in parquet.read_schema(path).names if name != "label"]
        if len(names) != 34 or "label" not in parquet.read_schema(path).names:
            raise wrong(path, "34 columns and `label`", f"{len(names)} columns")
        labels = parquet.read_table(path, columns=["label"])["label"].to_pylist()
        return _parquet(path, names), ~np.isin(labels, KDD_INLIERS)
    names = [str(i) for i in range(42)]
    text = {names[i]: "string" for i in (*KDD_SYMBOLIC, 41)}
    table = _read_csv(path, 42, "41 features and the class", ",", False, text)
    numeric = [name for name in names if name not in text]
    X = np.column_stack([table[name].to_numpy() for name in numeric])
    return X, ~np.isin(table["41"].to_pylist(), KDD_INLIERS)


def _table(
    path: Path,
    n_columns: int,
    what: str,
    *,
    delimiter: str,
    header: bool = False,
    skip_text: tuple[int, ...] = (),
) -> np.ndarray:
    """The numbers of a delimited file, NaN where one is missing."""
    text = {str(i): "string" for i in skip_text}
    table = _read_csv(path, n_columns, what, delimiter, header, text)
    numbers = [str(i) for i in range(n_columns) if i not in skip_text]
    return np.column_stack([table[name].to_numpy() for name in numbers])


def _read_csv(
    path: Path, n_columns: int, what: str, delimiter: str, header: bool, text: dict[str, str]
) -> Any:
    """A delimited file, also as .gz or the first file of a .zip; columns are "0", "1", ..."""
    csv, _ = _arrow()
    import pyarrow

    names = [str(i) for i in range(n_columns)]
    options = {
        "read_options": csv.ReadOptions(column_names=names, skip_rows=int(header)),
        "parse_options": csv.ParseOptions(delimiter=delimiter),
        "convert_options": csv.ConvertOptions(
            column_types={name: text.get(name, "float64") for name in names},
            null_values=["", "?"],
        ),
    }
    try:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0]) as file:
                return csv.read_csv(file, **options)
        with pyarrow.input_stream(path, compression="detect") as file:
            return csv.read_csv(file, **options)
    except (pyarrow.ArrowInvalid, OSError, zipfile.BadZipFile, IndexError) as error:
        raise wrong(path, f"{n_columns} columns ({what})", str(error).splitlines()[0]) from error


def _parquet(path: Path, columns: list[str]) -> np.ndarray:
    _, parquet = _arrow()
    known = parquet.read_schema(path).names
    missing = [name for name in columns if name not in known]
    if missing:
        raise wrong(path, f"the columns {columns}", f"none called {missing[0]}")
    table = parquet.read_table(path, columns=columns)
    return np.column_stack([table[name].to_numpy().astype(np.float64) for name in columns])


def wrong(path: Path, wanted: str, got: str) -> ValueError:
    """The error for a file that is not what it should be."""
    return ValueError(f"{path} must have {wanted}; got {got}")


def _arrow() -> tuple[Any, Any]:
    try:
        from pyarrow import csv, parquet
    except ImportError as error:
        raise ImportError(
            "Reading this file needs pyarrow, which is not installed: pip install 'nkmeans[data]'."
        ) from error
    return csv, parquet
