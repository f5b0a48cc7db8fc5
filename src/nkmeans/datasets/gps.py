"""A small dirty data set that comes with the package."""

from importlib.resources import files

import numpy as np


def load_gps() -> tuple[np.ndarray, np.ndarray]:
    """GPS fixes of bikes at eight stations of a city, 2.4 % of them dirt.

    6000 fixes (drawn, not recorded) and 150 rows as position logs hold them: 0, 0 for "no
    fix", latitude and longitude swapped, east written as west, a decimal point out of place, and
    drift.

    Returns
    -------
    X : ndarray of shape (6150, 2)
        Latitude and longitude in degrees.
    dirty : bool ndarray of shape (6150,)

    Examples
    --------
    >>> from nkmeans.datasets import load_gps
    >>> X, dirty = load_gps()
    >>> X.shape, int(dirty.sum())
    ((6150, 2), 150)
    """
    with (files("nkmeans.datasets") / "files" / "gps.csv").open() as lines:
        table = np.loadtxt(lines, delimiter=",", skiprows=1)
    return table[:, :2].copy(), table[:, 2] == 1
