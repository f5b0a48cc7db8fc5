"""k-means++ in memory, looking only at the points a new seed can take."""

import math

import numpy as np

from nkmeans.kernels.distances import row_dist2
from nkmeans.kernels.jit import helper, kernel

# Within a cell, points are kept by their distance from its seed: shell b holds squared
# distances in (2^-(b+1), 2^-b] of the largest, the last shell everything nearer.
SHELLS = 32


@helper
def total_of(share):
    """Sum of an array."""
    total = 0.0
    for i in range(share.shape[0]):
        total += share[i]
    return total


@helper
def draw_share(share, uniform):
    """An index drawn in proportion to its share, and what is left of `uniform` within it.

    The index is -1 when no share is positive.
    """
    target = uniform * total_of(share)
    drawn, left = -1, 0.0
    for i in range(share.shape[0]):
        if share[i] > 0:
            drawn, left = i, min(target / share[i], 1.0)
            if target < share[i]:
                break
            target -= share[i]
    return drawn, left


@helper
def shell_of(dist2, largest2):
    """The shell of a squared distance."""
    if not dist2 > 0:
        return SHELLS - 1
    return min(max(-math.frexp(dist2 / largest2)[1], 0), SHELLS - 1)


@helper
def draw_row(weight, dist2, head, following, shells, potential, n_cells, uniform):
    """A row drawn with probability `weight * dist2`: its cell, its shell, then the row."""
    cell, left = draw_share(potential[:n_cells], uniform)
    if cell < 0:
        return -1
    shell, left = draw_share(shells[cell], left)
    target = left * shells[cell, shell]
    row = -1
    i = head[cell, shell]
    while i >= 0:
        share = weight[i] * dist2[i]
        if share > 0:
            row = i
            if target < share:
                break
            target -= share
        i = following[i]
    return row


@helper
def claim_shell(
    points, weight, row, s, y, b, apart2, largest2, head, following, shells, labels, dist2
):
    """Move the points of cell y's shell b that are nearer to `row` into cell s."""
    i = head[y, b]
    head[y, b] = -1
    shells[y, b] = 0.0
    while i >= 0:
        after = following[i]
        cell, shell = y, b
        if 4 * dist2[i] > apart2:
            here = row_dist2(points[i], points[row])
            if here < dist2[i]:
                cell, shell = s, shell_of(here, largest2)
                dist2[i] = here
                labels[i] = s
        following[i] = head[cell, shell]
        head[cell, shell] = i
        shells[cell, shell] += weight[i] * dist2[i]
        i = after


@kernel
def kmeans_pp(points, weight, uniforms, seeds, labels, dist2):
    """Draw seeds by k-means++ (Arthur, Vassilvitskii 2007) and assign the points to them.

    By the triangle inequality a new seed at distance a from a cell's seed takes only points
    that are more than a / 2 from the latter. Each cell keeps its points in shells by that
    distance, so the others are never looked at, nor are they to draw the next row.

    Parameters
    ----------
    points : array of shape (s, d)                                             # IN
    weight : float64 array of shape (s,)                                       # IN
    uniforms : array of shape (m,) of numbers in [0, 1)                        # IN
    seeds : int64 array of shape (m,)                                          # OUT
    labels : int32 array of shape (s,)                                         # OUT
    dist2 : array of shape (s,)                                                # OUT

    Returns
    -------
    n_seeds : less than m where there are fewer distinct points
    """
    n, m = points.shape[0], uniforms.shape[0]
    head = np.empty((m, SHELLS), np.int32)  # first point of each shell
    following = np.empty(n, np.int32)  # next point of the same shell
    shells = np.empty((m, SHELLS), np.float64)  # sum of weight * dist2 of each shell
    potential = np.empty(m, np.float64)  # and of each cell
    for y in range(m):
        for b in range(SHELLS):
            head[y, b] = -1
            shells[y, b] = 0.0
    seeds[0] = draw_share(weight, uniforms[0])[0]
    largest2 = 0.0
    for i in range(n):
        labels[i] = 0
        dist2[i] = row_dist2(points[i], points[seeds[0]])
        largest2 = max(largest2, dist2[i])
    for i in range(n - 1, -1, -1):
        b = shell_of(dist2[i], largest2)
        following[i] = head[0, b]
        head[0, b] = i
        shells[0, b] += weight[i] * dist2[i]
    potential[0] = total_of(shells[0])
    for s in range(1, m):
        row = draw_row(weight, dist2, head, following, shells, potential, s, uniforms[s])
        if row < 0:
            return s
        seeds[s] = row
        for y in range(s):
            if potential[y] == 0:
                continue
            apart2 = row_dist2(points[row], points[seeds[y]])
            touched = False
            for b in range(SHELLS):
                if 4 * largest2 * 2.0**-b <= apart2:
                    break
                if head[y, b] >= 0:
                    claim_shell(points, weight, row, s, y, b, apart2, largest2, head, following,
                                shells, labels, dist2)  # fmt: skip
                    touched = True
            if touched:
                potential[y] = total_of(shells[y])
        potential[s] = total_of(shells[s])
    return m
