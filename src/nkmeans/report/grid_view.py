"""What there is to see in a suggestion: all its solutions, on some points in the plane."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from nkmeans.kernels.select import trim_farthest, weighted_cut
from nkmeans.preparation import Preparation
from nkmeans.views import Restore, principal_axes, some_rows

MOST_SHOWN = 5000
# Bytes that the labels of all solutions may take; with more solutions, fewer points are shown.
MOST_BYTES = 1_500_000
OUTLIER = 255
# The frame: from this share of the weight to the other, in each direction, and so much of its
# width on each side. Small clusters that are far away must not make the others small.
MIDDLE = 0.01
MARGIN = 0.4
ROOM = 0.03


@dataclass(frozen=True)
class Solutions:
    """Clusters of the sampled points for each number of clusters and each weight left out.

    Attributes
    ----------
    colors : uint8 ndarray of shape (a, b, s)
        The cluster of each point; clusters of neighbouring solutions that share most of their
        points have the same number. OUTLIER where a point is left out.
    of_centers : list of lists of int ndarrays of shape (k,)
        The same numbers for the centres.
    sizes : list of lists of ndarrays of shape (k,)
        The weight that each centre keeps, of all data.
    start : tuple of int
        The solution that is suggested, or the one nearest to it.
    """

    colors: np.ndarray
    of_centers: list[list[np.ndarray]]
    sizes: list[list[np.ndarray]]
    start: tuple[int, int]


def solutions_of(suggestion: Any) -> Solutions:
    """Assign the sampled points in every solution, and match the clusters to each other."""
    counts, masses = suggestion.cluster_counts, suggestion.outlier_weights
    if counts[-1] >= OUTLIER:
        raise ValueError(
            f"n_clusters of a page must be at most {OUTLIER - 1}; got {counts[-1]}. Give suggest "
            "smaller ones."
        )
    scale = suggestion.total_weight / suggestion.weight.sum()
    start = (
        int(np.searchsorted(counts, suggestion.n_clusters)),
        int(np.abs(masses - suggestion.n_outliers).argmin()),
    )
    shape = len(counts), len(masses)
    labels = np.empty((*shape, len(suggestion.points)), dtype=np.int64)
    sizes: list[list[np.ndarray]] = [[] for _ in counts]
    for row, column in np.ndindex(shape):
        labels[row, column], kept = assigned(
            suggestion.points,
            suggestion.weight,
            suggestion.grid.centers[row][column],
            masses[column] / scale,
        )
        sizes[row].append(kept * scale)
    colors, of_centers = matched(labels, suggestion.weight, counts, start)
    return Solutions(colors, of_centers, sizes, start)


def assigned(
    points: np.ndarray, weight: np.ndarray, centers: np.ndarray, mass: float
) -> tuple[np.ndarray, np.ndarray]:
    """Labels, -1 for points of which nothing is kept, and the weight that each centre keeps."""
    dist2 = cdist(points, centers, "sqeuclidean")
    labels, kept = dist2.argmin(axis=1), np.empty(len(points))
    trim_farthest(dist2.min(axis=1), weight, mass, kept)
    sizes = np.bincount(labels, kept, minlength=len(centers))
    labels[kept == 0] = -1
    return labels, sizes


def matched(
    labels: np.ndarray, weight: np.ndarray, counts: Sequence[int], start: tuple[int, int]
) -> tuple[np.ndarray, list[list[np.ndarray]]]:
    """Number the clusters so that neighbours agree, from one solution outwards."""
    most, shape = int(max(counts)), labels.shape[:2]
    colors = np.full(labels.shape, OUTLIER, dtype=np.uint8)
    of_centers: list[list[Any]] = [[None] * shape[1] for _ in range(shape[0])]
    # Where nothing is shared, the lowest number that is free.
    lowest = np.arange(most) * 1e-9 * weight.sum()
    for row, column in outwards(shape, start):
        k, own = int(counts[row]), labels[row, column]
        shared = np.zeros((k, most + 1))
        for before in nearer((row, column), start):
            other = np.minimum(colors[before], most)
            both = np.where(own >= 0, own * (most + 1) + other, k * (most + 1))
            together = np.bincount(both, weight, minlength=k * (most + 1) + 1)
            shared += together[:-1].reshape(k, most + 1)
        numbers = linear_sum_assignment(lowest - shared[:, :most])[1]
        of_centers[row][column] = numbers
        colors[row, column] = np.where(own >= 0, numbers[own], OUTLIER)
    return colors, of_centers


def outwards(shape: tuple[int, ...], start: tuple[int, int]) -> list[tuple[int, ...]]:
    """All places of a grid, those near the start first."""
    return sorted(np.ndindex(*shape), key=lambda at: abs(at[0] - start[0]) + abs(at[1] - start[1]))


def nearer(at: tuple[int, int], start: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The neighbours of a place that are nearer to the start."""
    row, column = at
    if row != start[0]:
        yield row + (1 if start[0] > row else -1), column
    if column != start[1]:
        yield row, column + (1 if start[1] > column else -1)


@dataclass(frozen=True)
class GridPlane:
    """Points and centres in the plane, the same for all solutions.

    Attributes
    ----------
    shown : int ndarray of shape (m,)
        Which of the sampled points are shown.
    points : ndarray of shape (m, 2)
    centers : list of lists of ndarrays of shape (k, 2)
    low, high : ndarray of shape (2,)
        The frame; what is beyond it stands at its edge.
    n_beyond : int
        How many points do.
    axes : tuple of str
        What the axes are; an empty one means nothing.
    how : str
        How the plane was chosen, in words.
    """

    shown: np.ndarray
    points: np.ndarray
    centers: list[list[np.ndarray]]
    low: np.ndarray
    high: np.ndarray
    n_beyond: int
    axes: tuple[str, str]
    how: str


def plane_of(
    suggestion: Any, solutions: Solutions, preparation: Preparation | None = None
) -> GridPlane:
    """The column, the two columns, or the two principal axes of what the suggestion keeps."""
    kept = solutions.colors[solutions.start] != OUTLIER
    project, axes, how = projection(suggestion, kept, preparation)
    places = project(suggestion.points)
    if suggestion.points.shape[1] == 1:
        places[:, 1] = np.random.default_rng([0, len(kept)]).uniform(size=len(kept))
    low, high = frame(places, np.where(kept, suggestion.weight, 0.0))
    n_solutions = solutions.colors.shape[0] * solutions.colors.shape[1]
    shown = some_rows(np.arange(len(kept)), min(MOST_SHOWN, MOST_BYTES // n_solutions))
    places = places[shown]
    n_beyond = int(np.any((places < low) | (places > high), axis=1).sum())
    centers = [[project(found) for found in row] for row in suggestion.grid.centers]
    return GridPlane(shown, places, centers, low, high, n_beyond, axes, how)


def projection(
    suggestion: Any, kept: np.ndarray, preparation: Preparation | None
) -> tuple[Restore, tuple[str, str], str]:
    """From what was clustered to the plane, what the axes are, and how they were chosen."""
    names, d = suggestion.columns, suggestion.points.shape[1]

    def own_units(points: np.ndarray) -> np.ndarray:
        return points if preparation is None else preparation.restore(points)

    def column(points: np.ndarray) -> np.ndarray:
        return np.column_stack([own_units(points)[:, 0], np.full(len(points), 0.5)])

    if d == 1:
        how = "The column; heights are random and keep the rows apart."
        return column, (names[0], ""), how
    if d == 2:
        return own_units, (names[0], names[1]), "The two columns."
    middle, directions, shares = principal_axes(suggestion.points[kept])
    first, second = (f"({share:.0%} of the variance)" for share in shares)
    how = (
        f"The two directions in which the {d} columns vary most ({shares.sum():.0%} of their "
        "variance, without the suggested outliers). Clusters that overlap here may be apart in "
        "other directions."
    )
    axes = f"principal axis 1 {first}", f"principal axis 2 {second}"
    return lambda points: (points - middle) @ directions.T, axes, how


def frame(points: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A box around most of the weight, with a margin, and no larger than all points need."""
    rest = MIDDLE * weight.sum()
    low = -np.array([weighted_cut(-x, weight, rest)[0] for x in points.T])
    high = np.array([weighted_cut(x, weight, rest)[0] for x in points.T])
    margin = MARGIN * (high - low)
    low = np.maximum(low - margin, points.min(axis=0))
    high = np.minimum(high + margin, points.max(axis=0))
    room = np.where(high > low, ROOM * (high - low), np.maximum(np.abs(high), 1.0))
    return low - room, high + room
