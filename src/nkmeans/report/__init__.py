"""A report on a clustering: one HTML file that opens offline."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nkmeans.data.writing import new_file
from nkmeans.report.page import page, write_page
from nkmeans.report.subject import Subject, subject_of

__all__ = ["Subject", "page", "write_page", "write_report"]


def write_report(
    model: Any,
    X: Any,
    path: str | os.PathLike,
    *,
    feature_names: Sequence[str] | None = None,
    ids: Sequence[Any] | None = None,
    overwrite: bool = False,
) -> None:
    """Write a page about a fitted clustering: clusters, outliers, the cut, the centres.

    Parameters
    ----------
    model : fitted clustering of nkmeans
    X : array-like of shape (n_samples, n_features)
        The data of fit, or other data, which is then labelled by `predict`.
    path : str or path
    feature_names : sequence of str, default=None
        By default the columns of a frame, or x0, x1 and so on.
    ids : sequence, default=None
        What to call the rows; by default their numbers.
    overwrite : bool, default=False
        Replace a file that is there.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from nkmeans import NKMeans
    >>> from nkmeans.datasets import load_gps
    >>> from nkmeans.report import write_report
    >>> X, _ = load_gps()
    >>> model = NKMeans(n_clusters=8, n_outliers=150, random_state=0).fit(X)
    >>> with TemporaryDirectory() as folder:
    ...     write_report(model, X, f"{folder}/stations.html", feature_names=["lat", "lon"])
    """
    html = page(subject_of(model, X, feature_names, ids))
    with new_file(Path(path), overwrite) as file:
        file.write(html.encode())
