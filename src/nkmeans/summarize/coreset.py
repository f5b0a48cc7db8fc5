"""SampleCoreset, the paper's Algorithm 2: a small weighted stand-in for the data."""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.distance import cdist

from nkmeans.data.blocks import NO_WEIGHT, Block
from nkmeans.engines import Engine
from nkmeans.kernels.select import trim_farthest
from nkmeans.kernels.sums import add_rows
from nkmeans.summarize.sample import Sample
from nkmeans.summarize.seeding import Cells, seed_beyond_sample, seed_points
from nkmeans.survey import Survey

# A sample of m points with m^2 d up to this is its own coreset: the O(m^2 d) stages still take
# milliseconds. 2000 points at 50 features.
OWN_CORESET = 2000**2 * 50
MOST_OWN_CORESET = 2000
# Never fewer cells than this many a cluster, however small z is.
CELLS_PER_CLUSTER = 10
# Never fewer sampled rows than this, however large z is.
LEAST_SAMPLE = 8000
# When the coreset is to be made of all rows, and they are more than this, they stay where
# they are and a sample of this size serves the later stages.
MOST_IN_MEMORY = 1 << 16


@dataclass(frozen=True)
class Plan:
    """How large the sample and the coreset are.

    Attributes
    ----------
    rate : float
        Share of the rows that the coreset is made of.
    n_cells : int
        Number of coreset points.
    sample_rate : float
        Share of the rows drawn into memory: `rate`, or less when that is all of many rows.
    outlier_factor : float
        The coreset is to be solved with this times z outliers.
    representatives : {"mean", "seed"}
    """

    rate: float
    n_cells: int
    sample_rate: float
    outlier_factor: float
    representatives: str


def plan_coreset(
    n: int, d: int, k: int, z: float, constants: str | None, representatives: str = "mean"
) -> Plan:
    """The sizes of the sample and the coreset for n rows of d features, k clusters, z outliers.

    Parameters
    ----------
    constants : {"auto", "practical", "theory"} or None
        The paper's experiments ("practical"), the paper's theorem ("theory"), the
        experiments' with a floor under the sample and the cells and small samples left as
        they are ("auto"), or all rows as they are (None).
    """
    outlier_factor = 1.0
    if constants is None:
        return Plan(1.0, n, 1.0, 1.0, representatives)
    if constants == "theory":
        rate, n_cells = 1.0, math.ceil(32 * (k + z))
        p = theory_rate(n, k, z)
        if p <= 1:
            rate, outlier_factor = p, 2.5
            n_cells = math.ceil(32 * (k + 2.5 * p * z))
    else:
        rate = min(2.5 * k * math.log(max(n, 2)) / z, 1.0) if z > 0 else 1.0
        n_cells = math.ceil(k + rate * z)
    if constants == "auto":
        rate = min(max(rate, LEAST_SAMPLE / n), 1.0)
        n_cells = max(n_cells, CELLS_PER_CLUSTER * k)
        if rate * n <= own_coreset(d):
            n_cells = max(n_cells, own_coreset(d))
    sample_rate = rate if rate < 1 else min(MOST_IN_MEMORY / n, 1.0)
    return Plan(rate, min(n_cells, n), sample_rate, outlier_factor, representatives)


def own_coreset(d: int) -> int:
    """Up to how many points of d features are their own coreset."""
    return min(int(math.sqrt(OWN_CORESET / d)), MOST_OWN_CORESET)


def theory_rate(n: int, k: int, z: float) -> float:
    """The sampling probability of the paper's theorem; above 1 (take all) without outliers."""
    if z <= 0:
        return math.inf
    return max(36 / z * math.log(4 * n * k * k / z), 36 * k / z * math.log(2 * k**3))


@dataclass(frozen=True)
class Coreset:
    """Weighted points that stand for the data.

    Attributes
    ----------
    points : ndarray of shape (m, d)
        Relative to the survey's origin and in its dtype inside the package, in the data's own
        coordinates and float64 on a fitted estimator.
    weights : float64 ndarray of shape (m,)
        They sum to about the weight of the data.
    spread : float64 ndarray of shape (m,)
        Mean squared distance within the cell, around its point: what a unit of its weight
        costs wherever it is assigned. Zero for seeds.
    n_outliers : float
        The weight to leave out when the coreset is solved.
    sample_indices : int64 ndarray of shape (s,)
        The rows of the data that were drawn.
    labels : int32 ndarray of shape (s,)
        The coreset point that stands for each of them.
    rate : float
        Share of the rows the coreset was made of; 1 means of all, whatever was drawn.
    """

    points: np.ndarray
    weights: np.ndarray
    spread: np.ndarray
    n_outliers: float
    sample_indices: np.ndarray
    labels: np.ndarray
    rate: float

    def __repr__(self) -> str:
        return (
            f"Coreset({len(self.points)} points of weight {self.weights.sum():g}, "
            f"made of {self.rate:.4g} of the rows)"
        )

    def trimmed_cost(self, centers: np.ndarray) -> float:
        """What these centres cost, without the mass to leave out."""
        price = cdist(centers, self.points, "sqeuclidean").min(axis=0) + self.spread
        return float(trim_farthest(price, self.weights, self.n_outliers, np.empty(len(price)))[0])

    def moved(self, by: np.ndarray) -> "Coreset":
        """The same coreset in other coordinates, in float64."""
        return replace(self, points=self.points.astype(np.float64) + by)


def summarize(
    engine: Engine, survey: Survey, sample: Sample, plan: Plan, z: float, seed: int
) -> Coreset:
    """The coreset: k-means++ cells, each stood for by its mean or its seed."""
    points, weight = sample.points, sample.weight
    rng = np.random.default_rng([seed, 0])
    if sample.rate < plan.rate:
        cells = seed_beyond_sample(engine, survey.origin, sample, plan.n_cells, seed, rng)
        means, mass, spread, number = represent(engine, survey.origin, cells, plan)
        labels = number[cells_of_rows(cells, sample)]
    elif len(points) <= plan.n_cells:
        means, mass, spread = points, weight, np.zeros(len(points))
        labels = np.arange(len(points), dtype=np.int32)
    else:
        local, origin = engine.local(points, weight), np.zeros_like(survey.origin)
        cells = seed_points(engine, points, weight, plan.n_cells, rng)
        means, mass, spread, number = represent(local, origin, cells, plan)
        labels = number[cells.labels]
    outliers = z * plan.outlier_factor
    return Coreset(
        means.astype(points.dtype), mass, spread, outliers, sample.rows, labels, plan.rate
    )


def cells_of_rows(cells: Cells, sample: Sample) -> np.ndarray:
    """The cell of each sampled row."""
    if len(cells.labels):
        return cells.labels[sample.rows]
    zero = np.zeros(sample.points.shape[1], dtype=sample.points.dtype)
    return cells.of(Block(0, sample.points, NO_WEIGHT), zero)[0]


def represent(
    engine: Engine, origin: np.ndarray, cells: Cells, plan: Plan
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """One weighted point per cell that has weight, and the new number of each cell.

    The mean loses nothing for k-means: what a cell costs at a centre c is its weight times
    `spread + dist2(mean, c)`, exactly. The seed is the paper's choice.
    """
    m = len(cells.seeds)
    sums, mass, within = np.zeros(cells.seeds.shape), np.zeros(m), np.zeros(m)
    for block_sums, block_mass, block_within in engine.map(sum_cells, origin, cells):
        sums += block_sums
        mass += block_mass
        within += block_within
    used = np.flatnonzero(mass)
    number = np.full(m, -1, dtype=np.int32)
    number[used] = np.arange(len(used))
    seeds, mass = cells.seeds[used].astype(np.float64), mass[used]
    if plan.representatives == "seed":
        return seeds, mass, np.zeros(len(used)), number
    means = sums[used] / mass[:, None]
    spread = within[used] / mass - ((seeds - means) ** 2).sum(axis=1)
    return means, mass, np.maximum(spread, 0.0), number


def sum_cells(block: Block, origin: np.ndarray, cells: Cells) -> tuple[np.ndarray, ...]:
    """Sum, mass and cost around the seed of each cell's rows in a block."""
    m = len(cells.seeds)
    sums, (mass, costs) = np.zeros((m, len(origin))), np.zeros((2, m))
    labels, dist2 = cells.of(block, origin)
    X = block.X.astype(origin.dtype, copy=False)
    add_rows(X, origin, block.weight, labels, dist2, np.inf, sums, mass, costs)
    return sums, mass, costs
