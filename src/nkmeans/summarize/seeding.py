"""k-means++: in memory, over blocks with one seed a pass or several, or with a sample's help."""

from dataclasses import dataclass, replace

import numpy as np

from nkmeans.data.blocks import Block
from nkmeans.engines import Engine
from nkmeans.kernels.distances import improve_nearest
from nkmeans.kernels.seeding import kmeans_pp
from nkmeans.summarize.sample import Sample, uniforms_of

# Up to this many features k-means++ one seed at a time is the faster (its skips work) and
# always the better; beyond, several seeds a pass.
MOST_FEATURES_ONE_BY_ONE = 64


@dataclass(frozen=True)
class Cells:
    """Points and the seed each of them is nearest to.

    Attributes
    ----------
    seeds : ndarray of shape (m, d)
    labels : int32 ndarray of shape (s,)
    dist2 : ndarray of shape (s,)
        Both empty where they are not kept: they are then found again for each block.
    """

    seeds: np.ndarray
    labels: np.ndarray
    dist2: np.ndarray

    def of(self, block: Block, origin: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Labels and squared distances of a block's rows; before the first seed all are alike."""
        if len(self.labels):
            return self.labels[block.rows], self.dist2[block.rows]
        labels = np.zeros(len(block.X), dtype=np.int32)
        dist2 = np.full(len(block.X), np.inf if len(self.seeds) else 1.0, dtype=origin.dtype)
        X = block.X.astype(origin.dtype, copy=False)
        improve_nearest(X, origin, self.seeds, 0, labels, dist2)
        return labels, dist2


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
    n_kept = engine.n_rows if engine.keeps_labels else 0
    nothing = np.empty((0, len(origin)), dtype=origin.dtype)
    cells = Cells(nothing, np.zeros(n_kept, dtype=np.int32), np.ones(n_kept, dtype=origin.dtype))
    shares = dict(engine.map(share_of_block, origin, cells))
    while len(cells.seeds) < n_seeds:
        first = len(cells.seeds)
        wanted = min(per_pass or max(first, 1), n_seeds - first)
        new = draw_seeds(engine, origin, cells, shares, rng.random(wanted))
        if len(new) == 0:
            break
        if first == 0:
            cells.dist2[:] = np.inf
        cells = replace(cells, seeds=np.concatenate([cells.seeds, new]))
        shares = dict(engine.map(improve_block, origin, cells, first))
    return cells


def seed_points(
    engine: Engine, points: np.ndarray, weight: np.ndarray, n_seeds: int, rng: np.random.Generator
) -> Cells:
    """Seeds among points in memory, one at a time or, where they have many features, several."""
    if points.shape[1] <= MOST_FEATURES_ONE_BY_ONE:
        return seed_in_memory(points, weight, n_seeds, rng)
    return seed_over_blocks(engine.local(points, weight), np.zeros_like(points[0]), n_seeds, rng)


def seed_beyond_sample(
    engine: Engine,
    origin: np.ndarray,
    sample: Sample,
    n_seeds: int,
    seed: int,
    rng: np.random.Generator,
) -> Cells:
    """Seeds for all rows in one pass over them: half from the sample, half from the rows.

    The second half is a round of k-means||: rows are drawn in proportion to their weight times
    their squared distance to the first half. What that sums to is not known in the pass, but the
    sample tells how far up in the order of the draws a row may be that will be taken.
    """
    half = -(-n_seeds // 2)
    known = seed_points(engine, sample.points, sample.weight, half, rng)
    total = float(known.dist2 @ sample.weight)
    # Twice as many as are wanted: hardly ever are they too few.
    highest = (2 * (n_seeds - half) + 10) / total if total > 0 else np.inf
    cells = replace(known, labels=known.labels[:0], dist2=known.dist2[:0])
    parts = zip(*engine.map(draw_far_rows, origin, cells, highest, seed), strict=True)
    drawn, turn = map(np.concatenate, parts)
    drawn = distinct(drawn[np.argsort(turn, kind="stable")])[: n_seeds - half]
    return replace(cells, seeds=np.concatenate([cells.seeds, drawn]))


def draw_far_rows(
    block: Block, origin: np.ndarray, cells: Cells, highest: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """The rows of a block whose turn comes early: a uniform number over weight times dist2."""
    shares = shares_of_rows(block, origin, cells)
    # Not the stream that the sample was drawn by.
    uniforms = uniforms_of(block.rows, [seed, 4])
    turn = np.divide(uniforms, shares, out=np.full(len(shares), np.inf), where=shares > 0)
    rows = np.flatnonzero(turn < highest)
    return block.X[rows].astype(origin.dtype, copy=False) - origin, turn[rows]


def improve_block(block: Block, origin: np.ndarray, cells: Cells, first: int) -> tuple[int, float]:
    """Let the seeds from `first` on compete for a block's rows; its start and share come back."""
    if len(cells.labels):
        X = block.X.astype(origin.dtype, copy=False)
        improve_nearest(X, origin, cells.seeds[first:], first, *cells.of(block, origin))
    return share_of_block(block, origin, cells)


def share_of_block(block: Block, origin: np.ndarray, cells: Cells) -> tuple[int, float]:
    """Where the block starts, and its sum of weight times squared distance."""
    return block.start, float(shares_of_rows(block, origin, cells).sum())


def shares_of_rows(block: Block, origin: np.ndarray, cells: Cells) -> np.ndarray:
    """Weight times squared distance of each row of a block."""
    shares = cells.of(block, origin)[1].astype(np.float64)
    return shares * block.weight if len(block.weight) else shares


def draw_seeds(
    engine: Engine,
    origin: np.ndarray,
    cells: Cells,
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
    drawn = np.concatenate(list(engine.map(pick_rows, origin, cells, targets)))
    return distinct(drawn)


def distinct(points: np.ndarray) -> np.ndarray:
    """The first of each kind, in their order."""
    # Bytes tell rows apart, many times faster than np.unique(axis=0); + 0.0 makes -0.0 a zero.
    first = {row.tobytes(): i for i, row in reversed(list(enumerate(points + 0.0)))}
    return points[sorted(first.values())]


def pick_rows(
    block: Block, origin: np.ndarray, cells: Cells, targets: dict[int, list[float]]
) -> np.ndarray:
    """The distinct rows of a block on which the targets within it fall."""
    wanted = targets.get(block.start, [])
    if not wanted:
        return np.empty((0, len(origin)), dtype=origin.dtype)
    shares = shares_of_rows(block, origin, cells)
    ends = np.cumsum(shares)
    rows = np.searchsorted(ends, wanted, side="right")
    # Rounding may carry a target past the last row that has a share.
    rows = np.unique(np.minimum(rows, np.flatnonzero(shares)[-1]))
    return block.X[rows].astype(origin.dtype, copy=False) - origin
