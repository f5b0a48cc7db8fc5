"""Models in files: arrays and JSON in a zip, nothing that could run when it is read."""

import io
import json
import os
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

import nkmeans
from nkmeans.choose.clusters import ClusterChoice
from nkmeans.choose.outliers import OutlierBreak
from nkmeans.data.writing import new_file
from nkmeans.estimators.base import DataEstimator, OutlierClusterer
from nkmeans.preparation import MISSING, SCALES, Preparation
from nkmeans.summarize.coreset import Coreset
from nkmeans.summarize.stream import Stream
from nkmeans.validation import check_parameters

FORMAT, VERSION = "nkmeans model", 1
HEADER = "model.json"
MOST_HEADER_BYTES = 1 << 26
# Containers that a fitted model may hold beside arrays and plain values.
CONTAINERS = {
    "ClusterChoice": ClusterChoice,
    "Coreset": Coreset,
    "OutlierBreak": OutlierBreak,
    "Preparation": Preparation,
    "Stream": Stream,
}
ATTRIBUTE = re.compile(r"_?[a-z][a-z0-9_]*\Z")


def _is_amount(value: Any) -> bool:
    return isinstance(value, int | float) and value >= 0


# What predict and score rely on, and what it must be.
NEEDED: Mapping[str, Callable[[Any], bool]] = {
    "cluster_centers_": lambda value: value is None or isinstance(value, np.ndarray),
    "threshold_": _is_amount,
    "n_outliers_": _is_amount,
    "_total_weight": lambda value: _is_amount(value) and value > 0,
    "_origin": lambda value: isinstance(value, np.ndarray),
}


class ModelFileError(ValueError):
    """A file is not a model, or is damaged."""


def save_model(model: Any, path: str | os.PathLike, *, overwrite: bool = False) -> None:
    """Write a fitted nkmeans estimator to a file, by convention with the ending `.nkm`.

    The file holds the parameters and everything that fit found, as JSON and plain arrays; it can
    be read by the same and later versions of nkmeans, and reading it runs nothing.

    Parameters
    ----------
    model : estimator
        A fitted estimator of nkmeans. Parameters that are objects (a `clusterer`, a `metric` that
        is a function, a `RandomState`) cannot be written. Attributes that are Dask arrays, such
        as `labels_` of a fit on one, are left out.
    path : str or path
    overwrite : bool, default=False
        Replace a file that is there.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from nkmeans import NKMeans, load_model, save_model
    >>> from nkmeans.datasets import load_gps
    >>> X, _ = load_gps()
    >>> model = NKMeans(n_clusters=8, n_outliers=150, random_state=0).fit(X)
    >>> with TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/stations.nkm")
    ...     again = load_model(f"{folder}/stations.nkm")
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    if type(model).__name__ not in estimator_names() or not isinstance(model, DataEstimator):
        raise TypeError(
            f"model of save_model must be an estimator of nkmeans; got {type(model).__name__}."
        )
    check_is_fitted(model)
    arrays: dict[str, np.ndarray] = {}
    params = model.get_params(deep=False)
    # How scikit-learn is to wrap what transform returns is no part of the model.
    found = {
        name: value
        for name, value in vars(model).items()
        if name not in params and not name.startswith("_sklearn")
    }
    header = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": nkmeans.__version__,
        "class": type(model).__name__,
        "params": {name: written_parameter(name, value) for name, value in params.items()},
        "attributes": {
            name: pack(value, name, arrays)
            for name, value in found.items()
            if not hasattr(value, "__dask_graph__")
        },
    }
    with new_file(Path(path), overwrite) as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr(HEADER, json.dumps(header, ensure_ascii=False, indent=1))
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, allow_pickle=False)
            archive.writestr(f"{name}.npy", buffer.getbuffer())


def load_model(path: str | os.PathLike) -> Any:
    """The fitted estimator that `save_model` or `nkmeans fit` wrote.

    A model that `nkmeans fit` wrote has `preparation_`: its `predict`, `transform` and
    `score_samples` take raw columns (a frame that has them, or an array of just these) and
    scale them as in fit; `preparation_.restore(model.cluster_centers_)` has the centres in the
    units of the data.

    A file that is damaged, or no model at all, raises a ValueError; nothing in it is ever run.
    """
    with Path(path).open("rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                return unpack_model(archive)
        except Exception as error:  # whatever a hostile file makes the readers of its parts raise
            words = str(error) if isinstance(error, ModelFileError) else repr(error)
            raise ModelFileError(
                f"{path} is not a model of nkmeans, or is damaged: {words}"
            ) from error


def estimator_names() -> list[str]:
    """The classes that a model may have."""
    return [name for name, home in nkmeans._HOMES.items() if home.startswith("estimators.")]


def written_parameter(name: str, value: Any) -> Any:
    """A parameter as JSON has it."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(
        f"{name} of a model that is to be saved must be a number, a string or None; got {value!r}."
    )


def pack(value: Any, name: str, arrays: dict[str, np.ndarray]) -> Any:
    """A value as JSON, with arrays put aside under their names."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return {"number": str(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple | list):
        return [pack(item, f"{name}.{number}", arrays) for number, item in enumerate(value)]
    if isinstance(value, np.ndarray):
        if value.dtype == object and all(isinstance(item, str) for item in value.flat):
            return {"strings": value.tolist()}
        arrays[name] = value
        return {"array": name}
    if is_dataclass(value) and type(value).__name__ in CONTAINERS:
        parts = {
            field.name: pack(getattr(value, field.name), f"{name}.{field.name}", arrays)
            for field in fields(value)
        }
        return {"container": type(value).__name__, "fields": parts}
    raise TypeError(f"{name} of the model cannot be saved: it is a {type(value).__name__}.")


def unpack_model(archive: zipfile.ZipFile) -> Any:
    """The estimator in an open file."""
    # Parts are stored as they are and each is read once, so nothing grows beyond the file.
    parts = archive.infolist()
    if any(part.compress_type != zipfile.ZIP_STORED for part in parts):
        raise ModelFileError("its parts must not be compressed")
    if sum(part.file_size for part in parts) > os.fstat(archive.fp.fileno()).st_size:  # type: ignore[union-attr]
        raise ModelFileError("its parts overlap")
    if HEADER not in archive.namelist() or archive.getinfo(HEADER).file_size > MOST_HEADER_BYTES:
        raise ModelFileError(f"it has no {HEADER}")
    header = json.loads(archive.read(HEADER))
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ModelFileError(f"its {HEADER} is of another format")
    if header["version"] != VERSION:
        raise ModelFileError(
            f"it has version {header['version']!r} and this nkmeans ({nkmeans.__version__}) reads "
            f"version {VERSION}; it was written by nkmeans {header.get('written_by')}"
        )
    if header["class"] not in estimator_names():
        raise ModelFileError(f"no estimator is called {header['class']!r}")
    estimator = getattr(nkmeans, header["class"])()
    unknown = set(header["params"]) - set(estimator.get_params(deep=False))
    if unknown:
        raise ModelFileError(f"{header['class']} has no parameter {sorted(unknown)[0]!r}")
    estimator.set_params(**header["params"])
    check_parameters(estimator)
    arrays = StoredArrays(archive)
    for name, value in header["attributes"].items():
        taken = name in estimator.get_params(deep=False) or hasattr(type(estimator), name)
        if taken or not ATTRIBUTE.match(name):
            raise ModelFileError(f"no fitted attribute is called {name!r}")
        setattr(estimator, name, unpack(value, arrays))
    check_fitted(estimator)
    return estimator


class StoredArrays:
    """The arrays of an open file, each to be taken once."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive, self.taken = archive, set[str]()

    def take(self, name: str) -> np.ndarray:
        """The array of this name."""
        if name in self.taken:
            raise ModelFileError(f"it uses the array {name} twice")
        self.taken.add(name)
        return read_array(self.archive.read(f"{name}.npy"))


def unpack(value: Any, arrays: StoredArrays) -> Any:
    """What `pack` was given."""
    if isinstance(value, list):
        return tuple(unpack(item, arrays) for item in value)
    if not isinstance(value, dict):
        return value
    if "number" in value:
        return float(value["number"])
    if "strings" in value:
        return np.array([str(item) for item in value["strings"]], dtype=object)
    if "array" in value:
        return arrays.take(value["array"])
    kind: Any = CONTAINERS[value["container"]]
    parts: Mapping[str, Any] = value["fields"]
    return kind(**{name: unpack(part, arrays) for name, part in parts.items()})


def read_array(stored: bytes) -> np.ndarray:
    """An array of numbers from the bytes of an .npy file, whose size must be what it says."""
    file = io.BytesIO(stored)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ModelFileError("an array is of another format")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
    if dtype.kind not in "biufU" or dtype.hasobject:
        raise ModelFileError(f"an array must hold numbers; got {dtype}")
    if fortran or any(not isinstance(size, int) or size < 0 for size in shape):
        raise ModelFileError(f"an array has the shape {shape}")
    count = 1
    for size in shape:
        count *= size
    if count * dtype.itemsize != len(stored) - file.tell():
        raise ModelFileError(f"an array of shape {shape} has {len(stored) - file.tell()} bytes")
    return np.frombuffer(stored, dtype, count, file.tell()).reshape(shape).copy()


def check_fitted(estimator: Any) -> None:
    """What predict relies on must be there and fit together."""
    check_is_fitted(estimator)
    width = estimator.n_features_in_
    if not isinstance(width, int) or width < 1:
        raise ModelFileError(f"it has {width!r} columns")
    if isinstance(estimator, OutlierClusterer):
        for name, fits in NEEDED.items():
            if not hasattr(estimator, name) or not fits(getattr(estimator, name)):
                raise ModelFileError(f"its {name} is missing or of another kind")
    labels = getattr(estimator, "labels_", np.empty(0, dtype=np.int32))
    if not isinstance(labels, np.ndarray) or labels.dtype.kind != "i" or labels.ndim != 1:
        raise ModelFileError("its labels are of another kind")
    centers = getattr(estimator, "cluster_centers_", None)
    n_clusters = getattr(estimator, "n_clusters_", estimator.n_clusters)
    if centers is not None and not is_numbers(centers, (n_clusters, width)):
        raise ModelFileError("its centres are missing or of another shape")
    if hasattr(estimator, "_origin") and not is_numbers(estimator._origin, (width,)):
        raise ModelFileError("its origin is of another shape")
    check_scores(estimator, width)
    check_preparation(getattr(estimator, "preparation_", None), width)


def check_scores(estimator: Any, width: int) -> None:
    """What outlier scores are measured by, where the model has it, must fit together."""
    spread = getattr(estimator, "cluster_spread_", None)
    shape = (getattr(estimator, "n_clusters_", estimator.n_clusters),)
    if spread is not None and not (is_numbers(spread, shape) and (spread >= 0).all()):
        raise ModelFileError("the spread of its clusters is of another kind")
    radius = getattr(estimator, "core_radius_", getattr(estimator, "_core2", None))
    if radius is None:
        return
    if not isinstance(radius, np.ndarray) or radius.dtype.kind != "f" or radius.ndim != 1:
        raise ModelFileError("its core radii are of another kind")
    coreset = getattr(estimator, "coreset_", None)
    points = getattr(coreset, "points", getattr(estimator, "coreset_points_", None))
    if points is not None and not is_numbers(points, (len(radius), width)):
        raise ModelFileError("its core radii do not fit its coreset")


def check_preparation(preparation: Any, width: int) -> None:
    """The preparation, if there is one, must fit the columns."""
    if preparation is None:
        return
    it = preparation
    if not isinstance(it, Preparation) or it.scale not in SCALES or it.missing not in MISSING:
        raise ModelFileError("its preparation is of another kind")
    names = isinstance(it.columns, tuple) and len(it.columns) == width
    names = names and all(isinstance(name, str) for name in it.columns)
    fill = is_numbers(it.fill, (width,) if it.missing == "mean" else (0,))
    scales = is_numbers(it.shift, (width,)) and is_numbers(it.spread, (width,))
    if not (names and fill and scales and (it.spread > 0).all()):
        raise ModelFileError("its preparation does not fit its columns")
    if not (it.id_column is None or isinstance(it.id_column, str)):
        raise ModelFileError("its id column has no name")


def is_numbers(value: Any, shape: tuple[int, ...]) -> bool:
    """Whether this is an array of finite floats of this shape."""
    array = isinstance(value, np.ndarray) and value.shape == shape and value.dtype.kind == "f"
    return array and bool(np.isfinite(value).all())
