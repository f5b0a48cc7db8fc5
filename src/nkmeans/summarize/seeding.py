"""k-means++: in memory, or over blocks with one seed a pass or several (k-means||)."""

from dataclasses import dataclass

import numpy as np

from nkmeans.data.blocks import Block
from nkmeans.engines import Engine
from nkmeans.kernels.distances import improve_nearest
from nkmeans.kernels.seeding import kmeans_pp


@dataclass(frozen=True)
class Cells:
    """Points and the seed each of them is nearest to.

    Attributes
    ----------
    seeds : ndarray of shape (m, d)
    labels : int32 ndarray of shape (s,)
    dist2 : ndarray of shape (s,)
    """

    seeds: np.ndarray
    labels: np.ndarray
    dist2: np.ndarray


def seed_in_memory(
    points: np.ndarray, weight: np.ndarray, n_seeds: int, rng: np.random.Generator
) -> Cells:
    """k-means++ on points in memory; fewer seeds where there are fewer distinct points."""
    rows = np.empty(n_seeds, dtype=np.int64)
    labels = np.empty(len(points), dtype=np.int32)
    dist2 = np.empty(len(points), dtype=points.dtype)
    found = kmeans_pp(points, weight, rng.random(n_seeds), rows, labels, dist2)
    return Cells(points[rows[:found]], labels, dist2)


def seed_over_blocks(
    engine: Engine,
    origin: np.ndarray,
    n_seeds: int,
    rng: np.random.Generator,
    per_pass: int | None = None,
) -> Cells:
    """Draw seeds with probability weight times squared distance to those of earlier passes.

    Parameters
    ----------
    per_pass : int, default=None
        Seeds to draw in each pass. 1 is k-means++; more is k-means|| (Bahmani et al. 2012),
        where draws of one pass do not see each other. By default each pass doubles the
        number of seeds. A row drawn twice counts once.

    Returns
    -------
    cells : Cells
        Fewer seeds than asked for where there are fewer distinct rows.
    """
    labels = np.zeros(engine.n_rows, dtype=np.int32)
    dist2 = np.ones(engine.n_rows, dtype=origin.dtype)  # no seed yet: all rows equally far
    seeds = np.empty((0, len(origin)), dtype=origin.dtype)
    shares = dict(engine.map(share_of_block, dist2))
    while len(seeds) < n_seeds:
        wanted = min(per_pass or max(len(seeds), 1), n_seeds - len(seeds))
        new = draw_seeds(engine, origin, dist2, shares, rng.random(wanted))
        if len(new) == 0:
            break
        if len(seeds) == 0:
            dist2[:] = np.inf
        shares = dict(engine.map(improve_block, origin, new, len(seeds), labels, dist2))
        seeds = np.concatenate([seeds, new])
    return Cells(seeds, labels, dist2)


def improve_block(
    block: Block,
    origin: np.ndarray,
    seeds: np.ndarray,
    first: int,
    labels: np.ndarray,
    dist2: np.ndarray,
) -> tuple[int, float]:
    """Let new seeds compete for the rows of a block; its start and share come back."""
    X = block.X.astype(origin.dtype, copy=False)
    improve_nearest(X, origin, seeds, first, labels[block.rows], dist2[block.rows])
    return share_of_block(block, dist2)


def share_of_block(block: Block, dist2: np.ndarray) -> tuple[int, float]:
    """Where the block starts, and its sum of weight times squared distance."""
    return block.start, float(shares_of_rows(block, dist2).sum())


def shares_of_rows(block: Block, dist2: np.ndarray) -> np.ndarray:
    """Weight times squared distance of each row of a block."""
    shares = dist2[block.rows].astype(np.float64)
    return shares * block.weight if len(block.weight) else shares


def draw_seeds(
    engine: Engine,
    origin: np.ndarray,
    dist2: np.ndarray,
    shares: dict[int, float],
    uniforms: np.ndarray,
) -> np.ndarray:
    """Distinct rows drawn in proportion to weight times squared distance, less the origin."""
    starts, bounds = list(shares), np.cumsum(list(shares.values()))
    targets: dict[int, list[float]] = {start: [] for start in starts}
    if bounds[-1] > 0:
        for target in np.sort(uniforms) * bounds[-1]:
            block = min(int(np.searchsorted(bounds, target, side="right")), len(starts) - 1)
            start = starts[block]
            targets[start].append(target - (bounds[block] - shares[start]))
    drawn = np.concatenate(list(engine.map(pick_rows, origin, dist2, targets)))
    # Bytes tell rows apart, many times faster than np.unique(axis=0); + 0.0 makes -0.0 a zero.
    distinct = {row.tobytes(): i for i, row in reversed(list(enumerate(drawn + 0.0)))}
    return drawn[sorted(distinct.values())]


def pick_rows(
    block: Block, origin: np.ndarray, dist2: np.ndarray, targets: dict[int, list[float]]
) -> np.ndarray:
    """The distinct rows of a block on which the targets within it fall."""
    wanted = targets.get(block.start, [])
    if not wanted:
        return np.empty((0, len(origin)), dtype=origin.dtype)
    shares = shares_of_rows(block, dist2)
    ends = np.cumsum(shares)
    rows = np.searchsorted(ends, wanted, side="right")
    # Rounding may carry a target past the last row that has a share.
    rows = np.unique(np.minimum(rows, np.flatnonzero(shares)[-1]))
    return block.X[rows].astype(origin.dtype, copy=False) - origin
