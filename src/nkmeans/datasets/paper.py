"""The paper's real data sets, prepared as the paper does: Skin, Power, SUSY, KDD Cup 99."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from nkmeans.datasets.download import Remote, cache_folder, read_cached
from nkmeans.datasets.reading import finite, numbers, read_npz, read_parquet, read_text, wrong

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
SKIN = Remote("Skin_NonSkin.txt", f"{UCI}/00229/Skin_NonSkin.txt", rows=245_057)
POWER = Remote(
    "household_power_consumption.zip",
    f"{UCI}/00235/household_power_consumption.zip",
    rows=2_049_280,
)
SUSY = Remote("SUSY.csv.gz", f"{UCI}/00279/SUSY.csv.gz", rows=5_000_000)
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
SKIN_COLUMNS = ["B", "G", "R", "class"]
KDD_SYMBOLIC = (
    "protocol_type", "service", "flag", "land", "logged_in", "is_host_login", "is_guest_login",
)  # fmt: skip
KDD_FILE = [
    "duration",
    "protocol_type",
    "service",
    "flag",
    "src_bytes",
    "dst_bytes",
    "land",
    "wrong_fragment",
    "urgent",
    "hot",
    "num_failed_logins",
    "logged_in",
    "num_compromised",
    "root_shell",
    "su_attempted",
    "num_root",
    "num_file_creations",
    "num_shells",
    "num_access_files",
    "num_outbound_cmds",
    "is_host_login",
    "is_guest_login",
    "count",
    "srv_count",
    "serror_rate",
    "srv_serror_rate",
    "rerror_rate",
    "srv_rerror_rate",
    "same_srv_rate",
    "diff_srv_rate",
    "srv_diff_host_rate",
    "dst_host_count",
    "dst_host_srv_count",
    "dst_host_same_srv_rate",
    "dst_host_diff_srv_rate",
    "dst_host_same_src_port_rate",
    "dst_host_srv_diff_host_rate",
    "dst_host_serror_rate",
    "dst_host_srv_serror_rate",
    "dst_host_rerror_rate",
    "dst_host_srv_rerror_rate",
    "label",
]
KDD_COLUMNS = [name for name in KDD_FILE[:-1] if name not in KDD_SYMBOLIC]
KDD_INLIERS = ("normal", "neptune", "smurf")


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
        return read_npz(path, "X", 3)
    table = read_text(path, SKIN_COLUMNS, "\t", header=False)
    return finite(path, numbers(path, table, SKIN_COLUMNS))[:, :3].copy()


def read_power(path: Path) -> np.ndarray:
    """The seven measurements, from text or Parquet, without rows that miss one."""
    if path.suffix == ".parquet":
        table = read_parquet(path, POWER_COLUMNS)
    else:
        columns = ["Date", "Time", *POWER_COLUMNS]
        table = read_text(path, columns, ";", header=True, text=("Date", "Time"))
    X = numbers(path, table, POWER_COLUMNS)
    return X[np.isfinite(X).all(axis=1)]


def read_susy(path: Path) -> np.ndarray:
    """All columns but the first, which is the class."""
    columns = ["class", *(f"feature {i}" for i in range(1, 19))]
    table = read_text(path, columns, ",", header=False)
    return finite(path, numbers(path, table, columns))[:, 1:].copy()


def read_kdd(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """The numeric columns, and which rows are of none of the three large classes."""
    if path.suffix == ".parquet":
        table = read_parquet(path, [*KDD_COLUMNS, "label"])
    else:
        table = read_text(path, KDD_FILE, ",", header=False, text=(*KDD_SYMBOLIC, "label"))
    labels = np.char.rstrip(np.array(table["label"].to_pylist(), dtype=str), ".")
    inliers = np.isin(labels, KDD_INLIERS)
    if not inliers.any():
        raise wrong(
            path, f"rows of the classes {', '.join(KDD_INLIERS)}", f"{str(labels[0])!r}, ..."
        )
    return finite(path, numbers(path, table, KDD_COLUMNS)), ~inliers
