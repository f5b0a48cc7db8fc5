"""Every number of clusters with every number of outliers, on one coreset."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from nkmeans.choose.clusters import silhouette_of
from nkmeans.choose.rough import Rough
from nkmeans.cluster.lloyd import Solution, in_order, lloyd_in_memory
from nkmeans.cluster.swap import improve_on_coreset
from nkmeans.denoise import measure_radii, survivor_sets
from nkmeans.kernels.select import trim_farthest
from nkmeans.summarize.coreset import Coreset
from nkmeans.summarize.seeding import seed_in_memory

# Candidates of a start on the coreset: other starts, from neighbours in the grid, make up for few.
SWAPS = 15
OWN_START_EVERY = 3
ROUNDS, TOL = 20, 1e-3
RESAMPLES = 2


@dataclass(frozen=True)
class Grid:
    """What was found for each number of clusters (rows) and each weight left out (columns).

    Attributes
    ----------
    centers : list of lists of ndarrays of shape (k, d), relative to the origin
    cost : ndarray
        Trimmed costs, estimated from the sample.
    silhouette : ndarray
        Mean silhouettes of what is kept.
    stability : ndarray
        The share of the weight that solutions of resamples put into the same clusters.
    smallest : ndarray
        The weight that the smallest cluster keeps.
    """

    centers: list[list[np.ndarray]]
    cost: np.ndarray
    silhouette: np.ndarray
    stability: np.ndarray
    smallest: np.ndarray


def solve_grid(
    rough: Rough, n_clusters: Sequence[int], masses: Sequence[float], tell: Callable[[float], None]
) -> Grid:
    """Solve the coreset for all of them; `tell` hears the share that is done."""
    coreset = rough.coreset
    coresets = [replace(coreset, n_outliers=float(mass)) for mass in masses]
    anchors = own_starts(len(masses))
    masks = {number: surviving(rough, coresets[number]) for number in anchors}
    rngs = [np.random.default_rng([rough.seed, 6, number]) for number in range(RESAMPLES)]
    others = [
        [replace(c, weights=weights) for c in coresets]
        for weights in (resampled(coreset, rng) for rng in rngs)
    ]

    there = list(pairwise(range(len(masses))))
    back = [(after, before) for before, after in reversed(there)]
    # Resamples start where enough is left out, and go from there both ways.
    first = anchors[min(1, len(anchors) - 1)]
    some = {number: mask for number, mask in masks.items() if number >= first}
    both_ways = [*back[len(back) - first :], *there[first:]]

    def solve(k: int) -> tuple[list[np.ndarray], np.ndarray]:
        drawn = (np.random.default_rng([rough.seed, 7, k, number]) for number in count())
        found = solve_row(coresets, masks, k, next(drawn), [*there, *back])
        if not found:
            raise ValueError(
                f"n_clusters of {rough.problem.who} must be at most the number of different rows "
                f"in the sample; got {k}."
            )
        nothing: list[Solution | None] = [None] * len(masses)
        again: list[Sequence[Solution | None]] = []
        for other, rng in zip(others, drawn, strict=False):
            solved = solve_row(other, some, k, rng, both_ways)
            # A resample with too few different points shows none of the clusters again.
            again.append(solved if solved else nothing)
        measured = [measure(*task) for task in zip(coresets, found, *again, strict=True)]
        return [in_order(solution.centers) for solution in found], np.array(measured)

    rows = []
    # One after the other: these are many small steps, and threads would wait for each other.
    for number, k in enumerate(n_clusters, 1):
        rows.append(solve(int(k)))
        tell(number / len(n_clusters))
    measured = np.array([numbers for _, numbers in rows])
    return Grid([centers for centers, _ in rows], *np.moveaxis(measured, -1, 0))


def own_starts(count: int) -> list[int]:
    """Which weights have starts of their own: the ends, and some between."""
    n_starts = min(max(3, -(-count // OWN_START_EVERY)), count)
    return sorted({int(place) for place in np.linspace(0, count - 1, n_starts)})


def surviving(rough: Rough, coreset: Coreset) -> np.ndarray:
    """The coreset points that noise removal keeps at the middle one of its guesses."""
    z = coreset.n_outliers
    radii = measure_radii(rough.engine, coreset.points, coreset.weights, z)
    sets = survivor_sets(radii, coreset.weights, z)
    return sets[len(sets) // 2].mask


def solve_row(
    coresets: Sequence[Coreset],
    masks: Mapping[int, np.ndarray],
    k: int,
    rng: np.random.Generator,
    handed_on: Sequence[tuple[int, int]],
) -> list[Solution]:
    """A solution for each weight left out: some have starts of their own, and hand theirs on.

    Nothing comes back where there are too few different points.
    """
    found: dict[int, Solution] = {}
    for number, mask in masks.items():
        start = starts(coresets[number], mask, k, rng)
        if len(start) < k:
            return []
        found[number] = improve_on_coreset(coresets[number], start, rng, 2, SWAPS)
    whose = {number: number for number in found}
    for before, after in handed_on:
        if whose.get(after) == whose[before]:
            continue
        other = moved_on(coresets[after], found[before])
        if after not in found or other.cost < found[after].cost:
            found[after], whose[after] = other, whose[before]
    return [found[number] for number in range(len(coresets))]


def moved_on(coreset: Coreset, solution: Solution) -> Solution:
    """Another solution as a start."""
    points, weights = coreset.points, coreset.weights
    start, z = solution.centers, coreset.n_outliers
    return lloyd_in_memory(points, weights, z, start, ROUNDS, TOL, coreset.spread)


def starts(coreset: Coreset, mask: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """k-means++ seeds among the survivors, or among all points where those are too few."""
    for among in (mask & (coreset.weights > 0), coreset.weights > 0):
        seeds = seed_in_memory(coreset.points[among], coreset.weights[among], k, rng).seeds
        if len(seeds) == k:
            break
    return seeds


def measure(
    coreset: Coreset, solution: Solution, *others: Solution | None
) -> tuple[float, float, float, float]:
    """Cost, silhouette, stability against other solutions, and weight of the smallest cluster."""
    k = len(solution.centers)
    distance = cdist(coreset.points, solution.centers)
    labels, kept = distance.argmin(axis=1), np.empty(len(distance))
    price = distance.min(axis=1) ** 2 + coreset.spread
    cost, _ = trim_farthest(price, coreset.weights, coreset.n_outliers, kept)
    smallest = np.bincount(labels, kept, minlength=k).min()
    score = silhouette_of(distance, coreset.weights, coreset.n_outliers) if k > 1 else 0.0
    alike = [
        agreement(labels, cdist(coreset.points, other.centers).argmin(axis=1), kept, k)
        for other in others
        if other is not None
    ]
    return float(cost), score, sum(alike) / RESAMPLES, float(smallest)


def resampled(coreset: Coreset, rng: np.random.Generator) -> np.ndarray:
    """The weights that another sample would give: every row is drawn a random number of times."""
    rows = np.bincount(coreset.labels, minlength=len(coreset.points))
    return coreset.weights * rng.poisson(rows) / np.maximum(rows, 1)


def agreement(one: np.ndarray, other: np.ndarray, weight: np.ndarray, k: int) -> float:
    """The share of the weight that is in matching clusters, matched as well as can be."""
    together = np.bincount(one * k + other, weight, minlength=k * k).reshape(k, k)
    return float(together[linear_sum_assignment(-together)].sum() / max(weight.sum(), 1e-300))
