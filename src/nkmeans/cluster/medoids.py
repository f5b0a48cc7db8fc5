"""k-medoids with outliers: coreset, noise removal and swaps, with nothing but distances."""

from itertools import cycle
from typing import NamedTuple

import numpy as np

from nkmeans.cluster.local_search import Swaps
from nkmeans.cluster.metric_space import MetricSpace
from nkmeans.denoise import Radii, survivor_sets
from nkmeans.kernels.select import weighted_cut

# Rows whose distances to all others are computed at a time.
AT_ONCE = 64
# Starts on the coreset; survivor sets are used again, with other seeds, when they are fewer.
LEAST_STARTS = 4
# Solutions of the coreset that go on to the rows, and how many rows around each of their
# medoids are tried in its place.
FINALISTS, NEIGHBOURS = 2, 32


class Cells(NamedTuple):
    """Seeds that stand for all rows: their numbers among the rows, and the weight of each cell."""

    seeds: np.ndarray
    weight: np.ndarray


def seed_cells(
    space: MetricSpace,
    rows: np.ndarray,
    weight: np.ndarray,
    n_seeds: int,
    rng: np.random.Generator,
) -> Cells:
    """Draw seeds with probability weight times distance; each pass doubles their number.

    Fewer seeds come back where fewer rows are apart from each other.
    """
    near, label = np.full(len(rows), np.inf), np.zeros(len(rows), dtype=np.int64)
    seeds = np.empty(0, dtype=np.int64)
    while len(seeds) < n_seeds:
        share = weight * near if len(seeds) else weight
        ends = np.cumsum(share)
        if not ends[-1] > 0:
            break
        wanted = min(max(len(seeds), 1), n_seeds - len(seeds))
        drawn = np.searchsorted(ends, rng.random(wanted) * ends[-1], side="right")
        drawn = np.unique(np.minimum(drawn, np.flatnonzero(share)[-1]))
        for start in range(0, len(drawn), AT_ONCE):
            some = drawn[start : start + AT_ONCE]
            for seed, to_seed in zip(some, space.between(rows, rows[some]), strict=True):
                if near[seed] == 0:
                    continue  # the same place as a seed of this pass
                to_seed[seed] = 0.0  # even where a measure is no metric
                nearer = to_seed < near
                near[nearer], label[nearer] = to_seed[nearer], len(seeds)
                seeds = np.append(seeds, seed)
    return Cells(seeds, np.bincount(label, weight, minlength=len(seeds)))


def radii_of(pairs: np.ndarray, weight: np.ndarray, n_outliers: float) -> Radii:
    """Core and survival radii (squared, as everywhere) from all distances of a coreset."""
    total = float(weight.sum())
    if n_outliers <= 0:
        return Radii(np.zeros(len(weight)), np.zeros(len(weight)), 0.0, 0.0)
    core = np.full(len(weight), np.inf)
    if total >= 2 * n_outliers:
        core[:] = [weighted_cut(row, weight, total - 2 * n_outliers)[0] for row in pairs]
    survival = np.maximum(pairs, core[:, None]).min(axis=0)
    apart = pairs[pairs > 0]
    return Radii(core**2, survival**2, apart.min(initial=np.inf) ** 2, apart.max(initial=0.0) ** 2)


def solve_coreset(
    pairs: np.ndarray, weight: np.ndarray, k: int, z: float, rng: np.random.Generator
) -> tuple[list[np.ndarray], Radii]:
    """The best few sets of k medoids of a coreset, cheapest first, and its radii.

    Each set of survivors of the noise removal seeds a local search on the whole coreset.
    """
    radii = radii_of(pairs, weight, z)
    sets = survivor_sets(radii, weight, z, power=1)
    nothing, everyone = np.zeros(len(weight)), rng.permutation(len(weight))
    starts = [
        seeds_among(pairs, weight * survivors.mask, k, rng)
        for survivors, _ in zip(cycle(sets), range(max(len(sets), LEAST_STARTS)), strict=False)
    ]
    whole = [seeds for seeds in starts if len(seeds) == k] or [filled_up(starts[-1], everyone, k)]
    found = []
    for seeds in whole:
        swaps = Swaps(lambda some: pairs[some], weight, nothing, z, pairs[seeds].T)
        swaps.descend(everyone)
        medoids = np.where(swaps.centers < 0, seeds, swaps.centers)
        found.append((swaps.cost, np.sort(medoids).tolist()))
    distinct = sorted({tuple(medoids): cost for cost, medoids in found}.items(), key=lambda f: f[1])
    return [np.array(medoids) for medoids, _ in distinct[:FINALISTS]], radii


def seeds_among(
    pairs: np.ndarray, weight: np.ndarray, k: int, rng: np.random.Generator
) -> np.ndarray:
    """k seeds drawn one by one with probability weight times distance; fewer where none is left."""
    seeds: list[int] = []
    near = np.ones(len(weight))
    while len(seeds) < k:
        ends = np.cumsum(weight * near)
        if not ends[-1] > 0:
            break
        row = int(np.searchsorted(ends, rng.random() * ends[-1], side="right"))
        seeds.append(min(row, int(np.flatnonzero(weight * near)[-1])))
        near = np.minimum(near, pairs[seeds[-1]]) if len(seeds) > 1 else pairs[seeds[-1]].copy()
        near[seeds] = 0.0
    return np.array(seeds, dtype=np.int64)


def filled_up(seeds: np.ndarray, others: np.ndarray, k: int) -> np.ndarray:
    """The seeds, and as many of the others as make k: rows may differ and yet be at distance 0."""
    rest = others[~np.isin(others, seeds)]
    return np.concatenate([seeds, rest[: k - len(seeds)]])


def improve_on_rows(
    space: MetricSpace, rows: np.ndarray, weight: np.ndarray, z: float, medoids: np.ndarray
) -> tuple[float, np.ndarray, int]:
    """Try the rows around each medoid in every medoid's place, until no swap lowers the cost.

    Medoids are given and returned as places in `rows`, with the cost before and the number of
    rounds after them.
    """
    swaps = Swaps(
        lambda some: space.between(rows, rows[some]), weight, np.zeros(len(rows)), z,
        space.between(rows, rows[medoids]).T,
    )  # fmt: skip
    swaps.centers = medoids.copy()
    n_iter, n_swaps = 0, 1
    while n_swaps:
        around = np.argpartition(swaps.to_center, min(NEIGHBOURS, len(rows) - 1), axis=0)
        n_swaps = swaps.descend(np.unique(around[:NEIGHBOURS]))
        n_iter += 1
    return swaps.cost, np.sort(swaps.centers), n_iter
