"""Nearest centres, by direct differences: as exact far from the origin as near it."""

import numpy as np

from nkmeans.kernels.jit import helper, kernel

# Rows are transposed in tiles of this many, so that the inner loops run over rows whatever the
# number of features is. The best of 32, 64 and 128 for float64; 128 is a little better for float32.
TILE = 64


@helper
def load_tile(X, origin, start, count, tile):
    """Write rows `start` to `start + count` of X, less the origin, as columns of `tile`."""
    for i in range(count):
        for j in range(X.shape[1]):
            tile[j, i] = X[start + i, j] - origin[j]


@helper
def tile_dist2(tile, center, dist2):
    """Squared distances of the tile's columns to `center`, four features at a time."""
    c0, c1, c2, c3 = center[0], center[1], center[2], center[3]
    for i in range(TILE):
        x0 = tile[0, i] - c0
        x1 = tile[1, i] - c1
        x2 = tile[2, i] - c2
        x3 = tile[3, i] - c3
        dist2[i] = x0 * x0 + x1 * x1 + x2 * x2 + x3 * x3
    for j in range(4, tile.shape[0], 4):
        c0, c1, c2, c3 = center[j], center[j + 1], center[j + 2], center[j + 3]
        for i in range(TILE):
            x0 = tile[j, i] - c0
            x1 = tile[j + 1, i] - c1
            x2 = tile[j + 2, i] - c2
            x3 = tile[j + 3, i] - c3
            dist2[i] += x0 * x0 + x1 * x1 + x2 * x2 + x3 * x3


@helper
def pad_features(centers):
    """A copy of `centers` with zero columns up to a multiple of four."""
    padded = np.zeros((centers.shape[0], (centers.shape[1] + 3) // 4 * 4), centers.dtype)
    for c in range(centers.shape[0]):
        for j in range(centers.shape[1]):
            padded[c, j] = centers[c, j]
    return padded


@kernel
def improve_nearest(X, origin, centers, first, labels, dist2):
    """Let further centres compete for each row with the nearest known so far.

    Parameters
    ----------
    X : array of shape (n, d)                                                  # IN
    origin : array of shape (d,), of X's dtype, subtracted from every row      # IN
    centers : array of shape (k, d), of X's dtype, relative to the origin      # IN
    first : number of the first of these centres                               # IN
    labels : int32 array of shape (n,); among equals the lower number          # IN, OUT
    dist2 : array of shape (n,), of X's dtype                                  # IN, OUT
    """
    padded = pad_features(centers)
    tile = np.zeros((padded.shape[1], TILE), X.dtype)
    best = np.empty(TILE, X.dtype)
    here = np.empty(TILE, X.dtype)
    label = np.empty(TILE, np.int32)
    for start in range(0, X.shape[0], TILE):
        count = min(TILE, X.shape[0] - start)
        load_tile(X, origin, start, count, tile)
        for i in range(count):
            best[i] = dist2[start + i]
            label[i] = labels[start + i]
        for c in range(centers.shape[0]):
            tile_dist2(tile, padded[c], here)
            for i in range(TILE):
                if here[i] < best[i]:
                    best[i] = here[i]
                    label[i] = first + c
        for i in range(count):
            labels[start + i] = label[i]
            dist2[start + i] = best[i]


def nearest(
    X: np.ndarray, origin: np.ndarray, centers: np.ndarray, labels: np.ndarray, dist2: np.ndarray
) -> None:
    """Write the nearest of the centres of each row and the squared distance to it."""
    labels[:] = 0
    dist2[:] = np.inf
    improve_nearest(X, origin, centers, 0, labels, dist2)


@kernel
def smallest_floored(X, origin, points, floor2, out):
    """Write, for each row x, the minimum over points y of `max(dist2(x, y), floor2[y])`."""
    padded = pad_features(points)
    tile = np.zeros((padded.shape[1], TILE), X.dtype)
    best = np.empty(TILE, X.dtype)
    here = np.empty(TILE, X.dtype)
    for start in range(0, X.shape[0], TILE):
        count = min(TILE, X.shape[0] - start)
        load_tile(X, origin, start, count, tile)
        for i in range(TILE):
            best[i] = np.inf
        for y in range(points.shape[0]):
            floor = floor2[y]
            if floor == np.inf:
                continue
            tile_dist2(tile, padded[y], here)
            for i in range(TILE):
                best[i] = min(best[i], max(here[i], floor))
        for i in range(count):
            out[start + i] = best[i]


@kernel
def smallest_scaled(X, origin, points, scale, out):
    """Write, for each row x, the minimum over points y of `dist2(x, y) * scale[y]`.

    It is made in float64, and infinite for rows that are not finite.
    """
    padded = pad_features(points)
    tile = np.zeros((padded.shape[1], TILE), X.dtype)
    best = np.empty(TILE)
    here = np.empty(TILE, X.dtype)
    for start in range(0, X.shape[0], TILE):
        count = min(TILE, X.shape[0] - start)
        load_tile(X, origin, start, count, tile)
        for i in range(TILE):
            best[i] = np.inf
        for y in range(points.shape[0]):
            tile_dist2(tile, padded[y], here)
            for i in range(TILE):
                scaled = here[i] * scale[y]
                if scaled < best[i]:
                    best[i] = scaled
        for i in range(count):
            out[start + i] = best[i]


@helper
def row_dist2(a, b):
    """Squared distance between two vectors."""
    total = a.dtype.type(0)
    for j in range(a.shape[0]):
        t = a[j] - b[j]
        total += t * t
    return total
