"""What there is to see in a clustering with outliers, as numbers for whoever draws it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

MOST_KEPT = 3_000
MOST_OUTLIERS = 100_000
# Rows that principal axes and the spreads of columns are measured on.
MEASURED_ROWS = 50_000
CURVE_POINTS = 400
# The frame of a picture is what is kept, and so much of its width on each side.
MARGIN = 0.6

Restore = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class ClusterSizes:
    """Rows of each cluster, root mean square distance to its centre, and largest distance."""

    rows: np.ndarray
    spread: np.ndarray
    largest: np.ndarray


class ClusterTotals:
    """What cluster sizes are made of, over rows that pass by."""

    def __init__(self, n_clusters: int) -> None:
        # Label -1 falls on place 0, which is cut off.
        self._rows = np.zeros(n_clusters + 1, dtype=np.int64)
        self._total, self._largest = np.zeros(n_clusters + 1), np.zeros(n_clusters + 1)

    def add(self, labels: np.ndarray, dist2: np.ndarray) -> None:
        """More rows."""
        places = len(self._rows)
        self._rows += np.bincount(labels + 1, minlength=places)
        self._total += np.bincount(labels + 1, weights=dist2, minlength=places)
        np.maximum.at(self._largest, labels + 1, dist2)

    def sizes(self) -> ClusterSizes:
        """How many rows each cluster has, and how wide it is; outliers count nowhere."""
        rows, total, largest = self._rows[1:], self._total[1:], self._largest[1:]
        return ClusterSizes(rows, np.sqrt(total / np.maximum(rows, 1)), np.sqrt(largest))


def cluster_sizes(labels: np.ndarray, dist2: np.ndarray, n_clusters: int) -> ClusterSizes:
    """How many rows each cluster has, and how wide it is; outliers count nowhere."""
    totals = ClusterTotals(n_clusters)
    totals.add(labels, dist2)
    return totals.sizes()


def some_rows(rows: np.ndarray, most: int, seed: int = 0) -> np.ndarray:
    """All of these row numbers, or a fair sample of them, increasing."""
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, most, replace=False, shuffle=False))


@dataclass(frozen=True)
class PlaneView:
    """Rows and centres in the plane.

    Attributes
    ----------
    rows : int ndarray of shape (m,)
        Which rows are shown: a fair sample of those kept, and outliers.
    labels : int ndarray of shape (m,)
    points : ndarray of shape (m, 2)
        Where they are.
    shown_at : ndarray of shape (m, 2)
        The same, but for outliers beyond the frame: they stand at its edge.
    beyond : bool ndarray of shape (m,)
        Which those are.
    centers : ndarray of shape (k, 2)
    low, high : ndarray of shape (2,)
        The frame: what is kept, with a margin.
    axes : tuple of str
        What the axes are.
    how : str
        How the plane was chosen, in words.
    n_kept, n_outliers : int
        How many rows there are to choose from.
    """

    rows: np.ndarray
    labels: np.ndarray
    points: np.ndarray
    shown_at: np.ndarray
    beyond: np.ndarray
    centers: np.ndarray
    low: np.ndarray
    high: np.ndarray
    axes: tuple[str, str]
    how: str
    n_kept: int
    n_outliers: int


def plane_view(
    X: np.ndarray,
    labels: np.ndarray,
    dist2: np.ndarray,
    centers: np.ndarray,
    names: Sequence[str],
    restore: Restore = lambda points: points,
    most_kept: int = MOST_KEPT,
    most_outliers: int = MOST_OUTLIERS,
) -> PlaneView:
    """A picture of the clusters: the two columns, or the two principal axes of what is kept.

    The farthest outliers are always among those shown.
    """
    kept, left_out = np.flatnonzero(labels >= 0), np.flatnonzero(labels < 0)
    farthest = left_out[np.argsort(-dist2[left_out], kind="stable")[: most_outliers // 10]]
    others = some_rows(np.setdiff1d(left_out, farthest), most_outliers - len(farthest))
    rows = np.concatenate([some_rows(kept, most_kept), np.sort(np.concatenate([others, farthest]))])
    if X.shape[1] == 1:
        points = np.column_stack([restore(X[rows])[:, 0], np.sqrt(dist2[rows])])
        places = np.column_stack([restore(centers)[:, 0], np.zeros(len(centers))])
        axes, how = (names[0], "distance to its centre"), "The column against the distance."
    elif X.shape[1] == 2:
        points, places = restore(X[rows].astype(np.float64)), restore(centers)
        axes, how = (names[0], names[1]), "The two columns."
    else:
        measured = kept if len(kept) else left_out
        middle, directions, shares = principal_axes(X[some_rows(measured, MEASURED_ROWS)])
        points = (X[rows] - middle) @ directions.T
        places = (centers - middle) @ directions.T
        of_variance = [f"({share:.0%} of the variance)" for share in shares]
        axes = (f"principal axis 1 {of_variance[0]}", f"principal axis 2 {of_variance[1]}")
        how = (
            f"The two directions in which the {X.shape[1]} columns of the rows that are kept vary "
            f"most ({shares.sum():.0%} of their variance). Clusters that overlap here may be apart "
            "in other directions."
        )
    seen = np.concatenate([points[labels[rows] >= 0], places])
    low, high = seen.min(axis=0), seen.max(axis=0)
    width = np.where(high > low, high - low, np.maximum(np.abs(high), 1.0))
    low, high = low - MARGIN * width, high + MARGIN * width
    shown_at = np.clip(points, low, high)
    return PlaneView(
        rows,
        labels[rows],
        points,
        shown_at,
        (shown_at != points).any(axis=1),
        places,
        low,
        high,
        axes,
        how,
        len(kept),
        len(left_out),
    )


def principal_axes(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean of X, its first two principal axes as rows, and their shares of the variance."""
    X = X.astype(np.float64)
    middle = X.mean(axis=0)
    values, vectors = np.linalg.eigh((X - middle).T @ (X - middle))
    directions = vectors[:, [-1, -2]].T
    # An axis and its opposite are the same: let its largest entry point up.
    signs = np.sign(directions[np.arange(2), np.abs(directions).argmax(axis=1)])
    total = max(values.sum(), np.finfo(float).tiny)
    return middle, directions * signs[:, None], np.maximum(values[[-1, -2]], 0) / total


@dataclass(frozen=True)
class DistanceCurve:
    """Distances to the nearest centre, sorted from the largest.

    Attributes
    ----------
    rank : int ndarray
        1 for the farthest row; some ranks, closer together where the curve is steep.
    distance : ndarray
    cut : int
        How many rows are left out.
    at_cut : float
        The largest distance that is kept.
    inside : int
        Twice as many rows as are left out, or all but one.
    at_inside : float
        The distance of the row after those.
    step : float
        Distances may be too small by this share of them; 0 where they are exact.
    """

    rank: np.ndarray
    distance: np.ndarray
    cut: int
    at_cut: float
    inside: int
    at_inside: float
    step: float = 0.0


def curve_ranks(n: int, n_outliers: int) -> np.ndarray:
    """Some ranks of n rows, the farthest and those at the cut among them."""
    near_cut = np.arange(n_outliers - 20, n_outliers + 21)
    ranks = np.concatenate([np.geomspace(1, n, CURVE_POINTS).astype(np.int64), near_cut, [n]])
    return np.unique(ranks[(ranks >= 1) & (ranks <= n)])


def distance_curve(dist2: np.ndarray, n_outliers: int) -> DistanceCurve:
    """The sorted distances at a few hundred ranks, the farthest and those at the cut among them."""
    n = len(dist2)
    ordered = np.sort(dist2)[::-1]
    ranks = curve_ranks(n, n_outliers)
    at_cut = float(np.sqrt(ordered[n_outliers])) if n_outliers < n else 0.0
    inside = min(2 * n_outliers, n - 1)
    at_inside = float(np.sqrt(ordered[inside]))
    distance = np.sqrt(ordered[ranks - 1])
    return DistanceCurve(ranks, distance, n_outliers, at_cut, inside, at_inside)


class DistanceCounts:
    """Squared distances of any number of rows, counted by their first bits."""

    # Exponent and nine more bits: steps of a thousandth of the distance.
    BITS = 20
    STEP = 0.001

    def __init__(self) -> None:
        self._counts = np.zeros(1 << self.BITS, dtype=np.int64)
        self._farthest2 = 0.0

    @property
    def n_rows(self) -> int:
        """How many rows were counted."""
        return int(self._counts.sum())

    def add(self, dist2: np.ndarray) -> None:
        """More rows."""
        if len(dist2):
            sizes = dist2.astype(np.float64).view(np.int64) >> (64 - 1 - self.BITS)
            least = int(sizes.min())
            counts = np.bincount(sizes - least)
            self._counts[least : least + len(counts)] += counts
            self._farthest2 = max(self._farthest2, float(dist2.max()))

    def curve(self, n_outliers: int, at_cut: float) -> DistanceCurve:
        """The curve of all rows; the farthest and the one at the cut are exact."""
        beyond = np.cumsum(self._counts[::-1])
        n = int(beyond[-1])
        ranks, inside = curve_ranks(n, n_outliers), min(2 * n_outliers, n - 1)
        sizes = len(beyond) - 1 - np.searchsorted(beyond, [*ranks, inside + 1])
        distance = np.sqrt((sizes << (64 - 1 - self.BITS)).view(np.float64))
        distance[0] = np.sqrt(self._farthest2)
        after = float(distance[-1])
        return DistanceCurve(ranks, distance[:-1], n_outliers, at_cut, inside, after, self.STEP)


@dataclass(frozen=True)
class CenterOffsets:
    """Centres relative to the mean of what is kept, in units of each column's spread.

    Attributes
    ----------
    offsets : ndarray of shape (k, d)
    mean, spread : ndarray of shape (d,)
        Mean and standard deviation of the rows that are kept, from a fair sample of them.
    """

    offsets: np.ndarray
    mean: np.ndarray
    spread: np.ndarray


def center_offsets(X: np.ndarray, labels: np.ndarray, centers: np.ndarray) -> CenterOffsets:
    """How far each centre is from the middle, column by column."""
    rows = np.flatnonzero(labels >= 0) if (labels >= 0).any() else np.arange(len(X))
    kept = X[some_rows(rows, MEASURED_ROWS)].astype(np.float64)
    mean, spread = kept.mean(axis=0), kept.std(axis=0)
    offsets = np.divide(centers - mean, spread, out=np.zeros_like(centers), where=spread > 0)
    return CenterOffsets(offsets, mean, spread)


@dataclass(frozen=True)
class Outliers:
    """The farthest outliers, and what makes them so.

    Attributes
    ----------
    rows : int ndarray of shape (m,)
        From the farthest on.
    nearest : int ndarray of shape (m,)
        The cluster whose centre is nearest.
    distance : ndarray of shape (m,)
    columns : int ndarray of shape (m, t)
        The columns with the largest parts in the squared distance.
    shares : ndarray of shape (m, t)
        Those parts; all columns together make 1.
    """

    rows: np.ndarray
    nearest: np.ndarray
    distance: np.ndarray
    columns: np.ndarray
    shares: np.ndarray


def farthest_outliers(
    X: np.ndarray,
    labels: np.ndarray,
    dist2: np.ndarray,
    centers: np.ndarray,
    most: int = 50,
    most_columns: int = 3,
) -> Outliers:
    """The outliers farthest from any centre."""
    left_out = np.flatnonzero(labels < 0)
    rows = left_out[np.argsort(-dist2[left_out], kind="stable")[:most]]
    far = X[rows].astype(np.float64)
    # Dividing by the largest value keeps squares of huge ones finite.
    size = max(np.abs(far).max(initial=0.0), np.abs(centers).max(), np.finfo(float).tiny)
    away = [((far / size - center / size) ** 2).sum(axis=1) for center in centers]
    nearest = np.argmin(away, axis=0)
    parts = (far / size - centers[nearest] / size) ** 2
    total = parts.sum(axis=1, keepdims=True)
    shares = np.divide(parts, total, out=np.zeros_like(parts), where=total > 0)
    columns = np.argsort(-shares, axis=1, kind="stable")[:, :most_columns]
    return Outliers(
        rows,
        nearest,
        np.sqrt(dist2[rows]),
        columns,
        np.take_along_axis(shares, columns, axis=1),
    )


@dataclass(frozen=True)
class ScoreHistogram:
    """Weights of the coreset points by their noise score.

    Attributes
    ----------
    edges : ndarray of shape (b + 1,)
        Survival radii, evenly spaced in the logarithm.
    kept, far : ndarray of shape (b,)
        Rows that points within the threshold, and beyond it, stand for.
    """

    edges: np.ndarray
    kept: np.ndarray
    far: np.ndarray


def score_histogram(
    radius: np.ndarray, weights: np.ndarray, beyond: np.ndarray, n_bins: int = 40
) -> ScoreHistogram | None:
    """How noise scores are distributed; None where all are equal or infinite."""
    usable = np.isfinite(radius)
    positive = radius[usable & (radius > 0)]
    if len(positive) == 0 or positive.min() == positive.max():
        return None
    edges = np.geomspace(positive.min(), positive.max(), n_bins + 1)
    place = np.clip(np.searchsorted(edges, radius, side="right") - 1, 0, n_bins - 1)
    kept = np.bincount(place, weights * ~beyond, minlength=n_bins)
    return ScoreHistogram(edges, kept, np.bincount(place, weights * beyond, minlength=n_bins))
