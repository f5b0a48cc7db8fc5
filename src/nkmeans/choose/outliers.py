"""How many outliers: the break in the sorted distances.

In a tail that thins out like a power the normalized spacings `j ln(v_j / v_{j+1})` of the squared
distances `v_1 >= v_2 >= ...` are alike (Renyi 1953), and nearby ones are in most tails; where noise
ends and clusters begin, one of them is far out of line.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from nkmeans.assign import near_block, weight_of_block
from nkmeans.choose.rough import Rough, mean_cost
from nkmeans.data.blocks import NO_WEIGHT, Block
from nkmeans.kernels.select import weighted_cut
from nkmeans.summarize.sample import uniforms_of

# Shares to leave out at which rough solutions are made. Leaving out much is safe against noise,
# leaving out little against the loss of small clusters.
LEVELS = (0.15, 0.04, 0.01, 0.0025)
# The break is looked for among this share of the weight.
LOOKED_AT = 0.2
# A spacing so many times the typical one and the logarithm of the number of rows is a break.
CLEAR = 3.0
# A solution holds the others' points, too, if its mean cost is at most so many times theirs.
AS_TIGHT = 3.0
# Weights left out that differ by no more than this factor are about the same.
ABOUT = 1.02
# With fewer different distances than this nothing can be said of what is typical; where rows share
# them, as in rounded data, more of them are needed.
LEAST_SPACINGS, LEAST_OF_TIED = 10, 100
# Where the break is taken to be near the end of what is looked at.
NEAR_THE_END = 0.9
# The typical spacing at a place is that of at least, and of at most, so many around it.
LEAST_AROUND, MOST_AROUND = 20, 2000
QUANTILES = np.array([0.5, 0.75, 0.9, 0.95])
# What is off the centres, where most is exactly there, is an outlier up to this share of the rows.
RARE = 0.01
# What is left out where there is no break.
WITHOUT_BREAK = 1e-4
# Of more rows than this a fair sample is looked at.
MOST_ROWS = 1 << 22
CURVE_POINTS = 300
# A break that the sample has is looked for among so many times the weight that it has beyond it.
AROUND, SPARE_ROWS = 2.5, 100


@dataclass(frozen=True)
class OutlierBreak:
    """Where the distances to the centres break off, and how clearly.

    Attributes
    ----------
    n_outliers : float
        The weight to leave out: what lies beyond the break, or 0.01 % of all where there is none.
    statistic : float
        The spacing there over the typical one times the logarithm of the number of rows. From 3
        on it is a break; clean data has about 1.
    peak : float
        The weight beyond that spacing, be it a break or not.
    inside, outside : float
        Distances on both sides of it.
    weight : ndarray of shape (m,)
        Weights left out for which the statistic was taken, a few hundred of them.
    distance, spacing : ndarray of shape (m,)
        The distance just beyond, and the statistic there.
    """

    n_outliers: float
    statistic: float
    peak: float
    inside: float
    outside: float
    weight: np.ndarray
    distance: np.ndarray
    spacing: np.ndarray

    @property
    def clear(self) -> bool:
        """Whether this is a break."""
        return self.statistic >= CLEAR


def choose_outliers(rough: Rough, n_clusters: int) -> OutlierBreak:
    """The break in the distances of the data to so many centres, found on a small sample."""
    return look(rough, trial_for(rough, n_clusters))


def trial_for(rough: Rough, n_clusters: int) -> "Trial":
    """The rough solution with so many clusters whose break to believe."""
    masses = [level * rough.total_weight for level in LEVELS]
    return contest(rough, n_clusters, [try_mass(rough, n_clusters, mass) for mass in masses])


def contest(rough: Rough, n_clusters: int, trials: list["Trial"]) -> "Trial":
    """The winner, once a break that a poor solution has shows what its own solution is worth."""
    best = smallest_as_tight(trials)
    smaller = [trial.mass for trial in trials if trial.clear and trial.mass * ABOUT < best.mass]
    if not smaller:
        return best
    return smallest_as_tight([*trials, try_mass(rough, n_clusters, max(smaller))])


class Trial(NamedTuple):
    """A rough solution.

    Attributes
    ----------
    centers : ndarray of shape (k, d), relative to the origin
    mass : float
        The weight beyond the break in the sample, or what was left out where there is none.
    mean_cost : float
        What the rest costs, a unit of weight.
    clear : bool
        Whether there is a break.
    """

    centers: np.ndarray
    mass: float
    mean_cost: float
    clear: bool


def try_mass(rough: Rough, n_clusters: int, mass: float) -> Trial:
    """Solve the sample with so much left out, and look for a break there."""
    solution = rough.solve(n_clusters, mass)
    return trial_of(rough, solution.centers, solution.dist2, mass)


def trial_of(rough: Rough, centers: np.ndarray, dist2: np.ndarray, mass: float) -> Trial:
    """Where the distances of the sample to these centres break, if they do."""
    weight, total = rough.sample.weight, rough.total_weight
    tail = Tail(dist2, weight, len(weight), total, float(dist2 @ weight))
    found = break_in(tail, smallest_dist2(centers), total)
    mass = found.peak if found.clear else mass
    kept = dist2 <= weighted_cut(dist2, weight, mass)[0]
    return Trial(centers, mass, mean_cost(dist2, weight, kept), found.clear)


def smallest_as_tight(trials: list[Trial]) -> Trial:
    """The one that leaves out least while the rest is as tight as it is for the others.

    Small clusters that a generous trial leaves out cost no more than others once they have a
    centre; noise costs more wherever the centres are.
    """
    ranked = sorted(trials, key=lambda trial: -trial.mass)
    best, least = ranked[0], ranked[0].mean_cost
    for trial in ranked[1:]:
        if trial.mean_cost <= AS_TIGHT * least:
            best = trial
        least = min(least, trial.mean_cost)
    # Of those that leave out about as much, the one with the best centres.
    alike = [trial for trial in trials if trial.mass <= ABOUT * best.mass]
    return min(alike, key=lambda trial: (trial.mean_cost, trial.mass))


class Tail(NamedTuple):
    """The far rows of data: squared distances and weights; and rows, weight and cost of it all."""

    dist2: np.ndarray
    weight: np.ndarray
    n_rows: int
    total_weight: float
    total_cost: float


def look(rough: Rough, trial: Trial) -> OutlierBreak:
    """The break in the distances of all rows, or of a fair sample of very many, to its centres."""
    engine, sample, survey = rough.engine, rough.sample, rough.problem.survey
    centers = trial.centers
    origin, floor = survey.origin, smallest_dist2(centers)
    within = near_block(Block(0, sample.points, NO_WEIGHT), np.zeros_like(origin), centers)[1]
    far = LOOKED_AT * rough.total_weight
    if trial.clear:
        # What the sample shows is looked for around it.
        far = min(far, AROUND * trial.mass + SPARE_ROWS * sample.weight.max())
    far *= 1.1
    cut = float(weighted_cut(within.astype(np.float64), sample.weight, far)[0])
    rate = min(MOST_ROWS / engine.n_rows, 1.0)
    parts = engine.map(tail_block, origin, centers, cut, rate, rough.seed)
    dist2, weight, counted = map(np.concatenate, zip(*parts, strict=True))
    rows, total, cost = counted.sum(axis=0)
    looked = Tail(dist2, weight, int(rows), float(total), float(cost))
    most = survey.total_weight - centers.shape[0] if survey.whole_weights else np.inf
    found = break_in(looked, floor, most)
    mass = found.peak
    if rate < 1:
        # In the middle of the gap: what the sample missed lies on the right side of it.
        middle = found.inside * found.outside
        mass = sum(engine.map(weight_beyond, origin, centers, middle))
    if not found.clear:
        share = WITHOUT_BREAK * survey.total_weight
        mass = min(np.floor(share) if survey.whole_weights else share, max(most, 0.0))
    rough.problem.log(f"break: {found.peak:g} at {found.statistic:.3g}")
    return replace(found, n_outliers=float(mass))


def tail_block(
    block: Block, origin: np.ndarray, centers: np.ndarray, cut: float, rate: float, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distances and weights of a block's rows from the cut on; rows, weight and cost of all."""
    dist2, weight = near_block(block, origin, centers)[1], block.weight
    if rate < 1:
        taken = uniforms_of(block.rows, [seed, 5]) < rate
        dist2, weight = dist2[taken], weight[taken] if len(weight) else weight
    far = np.flatnonzero(dist2 >= cut)
    if len(weight) == 0:
        counted = np.array([[len(dist2), len(dist2), dist2.sum(dtype=np.float64)]])
        mine = np.ones(len(far))
    else:
        # Not by a product of vectors: its threads and ours would be in each other's way.
        counted = np.array([[np.count_nonzero(weight), weight.sum(), (dist2 * weight).sum()]])
        far = far[weight[far] > 0]
        mine = weight[far]
        order = np.argsort(dist2[far], kind="stable")
        far, mine = far[order], mine[order]
    # Sorted here, so that they need only be merged.
    return np.sort(dist2[far]), mine / rate, counted / [1, rate, rate]


def weight_beyond(block: Block, origin: np.ndarray, centers: np.ndarray, cut: float) -> float:
    """The weight of the rows of a block that are farther than the cut."""
    return float(weight_of_block(block)[near_block(block, origin, centers)[1] > cut].sum())


def smallest_dist2(centers: np.ndarray) -> float:
    """Squared distances below this are rounding errors."""
    return float((8 * np.finfo(centers.dtype).eps * np.abs(centers).max()) ** 2)


def break_in(tail: Tail, floor: float, most: float) -> OutlierBreak:
    """The spacing of the sorted distances that is farthest out of line, `most` or less beyond it.

    Rows equally far count as one distance with all of their weight.
    """
    beyond, dist2 = spread_out(tail)
    # No spacing is taken where too much would be left out, nor among rounding errors.
    limit = min(LOOKED_AT * tail.total_weight, most)
    count = min(
        int(np.searchsorted(beyond, limit, side="right")),
        int(np.searchsorted(-dist2, -floor, side="left")),
        len(dist2) - 1,
    )
    if count <= 0:
        nothing = np.empty(0)
        return OutlierBreak(0.0, 0.0, 0.0, 0.0, 0.0, nothing, nothing, nothing)
    within = np.maximum(dist2[1 : count + 1], floor)
    dist2, beyond = dist2[:count], beyond[:count]
    rows = beyond * (tail.n_rows / tail.total_weight)
    if within[-1] <= floor:
        # Everything within is exactly at the centres: what is not is an outlier if it is rare.
        best, statistic = count - 1, np.zeros(count)
        statistic[best] = CLEAR * RARE * tail.n_rows / rows[best]
    else:
        spacing = rows * np.log(dist2 / within)
        unit = typical(spacing, rows) * np.log(max(tail.n_rows, 3))
        enough = count >= (LEAST_OF_TIED if rows[-1] >= 2 * count else LEAST_SPACINGS)
        statistic = np.divide(spacing, unit, out=np.zeros(count), where=enough & (unit > 0))
        # What goes on beyond the range that is looked at may be its largest spacing there.
        statistic[beyond > NEAR_THE_END * LOOKED_AT * tail.total_weight] = 0.0
        cost = tail.total_cost - np.cumsum(np.diff(beyond, prepend=0.0) * dist2)
        best = innermost(statistic, cost / (tail.total_weight - beyond))
    shown = peaks(beyond, statistic)
    return OutlierBreak(
        n_outliers=float(beyond[best]),
        statistic=float(statistic[best]),
        peak=float(beyond[best]),
        inside=float(np.sqrt(within[best])),
        outside=float(np.sqrt(dist2[best])),
        weight=beyond[shown],
        distance=np.sqrt(dist2[shown]),
        spacing=statistic[shown],
    )


def typical(spacing: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """What the spacing would be at each place if nothing broke.

    From all of them and from those with half to four times as many rows beyond: tails may be
    heavier far out, and of rounded data only the larger ones count.
    """
    octave = np.floor(np.log2(rows / rows[0])).astype(np.int64)
    starts = np.searchsorted(octave, np.arange(octave[-1] + 2))
    found, overall = np.empty(octave[-1] + 1), scale_of(spacing)
    for number in range(len(found)):
        first, last = starts[max(number - 1, 0)], starts[min(number + 2, len(starts) - 1)]
        missing = max(LEAST_AROUND - (last - first), 0)
        around = spacing[max(first - missing, 0) : last + missing]
        found[number] = max(overall, scale_of(around))
    return found[octave]


def scale_of(spacing: np.ndarray) -> float:
    """The scale of an exponential distribution that has these quantiles, the largest of them."""
    some = np.sort(spacing[:: max(len(spacing) // MOST_AROUND, 1)])
    places = np.floor(QUANTILES * (len(some) - 1)).astype(np.int64)
    return float((some[places] / -np.log1p(-QUANTILES)).max())


def innermost(statistic: np.ndarray, mean_cost: np.ndarray) -> int:
    """The largest peak, or a break further in that leaves much less to pay for.

    Noise of several kinds has a break for each of them; the last one is where clusters begin.
    """
    best = int(np.argmax(statistic))
    while True:
        inner = np.flatnonzero((statistic >= CLEAR) & (AS_TIGHT * mean_cost < mean_cost[best]))
        inner = inner[inner > best]
        if len(inner) == 0:
            return best
        best = int(inner[np.argmax(statistic[inner])])


def spread_out(tail: Tail) -> tuple[np.ndarray, np.ndarray]:
    """Different squared distances from the largest on, and the weight that is at least so far."""
    if tail.weight.size and (tail.weight == tail.weight[0]).all():
        # Stable sorting merges runs that are sorted.
        dist2 = np.sort(tail.dist2, kind="stable")[::-1]
        beyond = np.arange(1.0, len(dist2) + 1)
        beyond *= tail.weight[0]
    else:
        order = np.argsort(-tail.dist2, kind="stable")
        dist2, beyond = tail.dist2[order], np.cumsum(tail.weight[order])
    last = np.ones(len(dist2), dtype=bool)
    np.not_equal(dist2[1:], dist2[:-1], out=last[:-1])
    if not last.all():
        dist2, beyond = dist2[last], beyond[last]
    return beyond, dist2.astype(np.float64)


def peaks(beyond: np.ndarray, statistic: np.ndarray) -> np.ndarray:
    """Where the statistic is largest in each of a few hundred parts, evenly in the logarithm."""
    edges = np.searchsorted(beyond, np.geomspace(beyond[0], beyond[-1], CURVE_POINTS))
    edges = np.unique(np.minimum(edges, len(beyond) - 1))
    part = np.repeat(np.arange(len(edges)), np.diff(edges, append=len(beyond)))
    largest = np.flatnonzero(statistic == np.maximum.reduceat(statistic, edges)[part])
    return largest[np.unique(part[largest], return_index=True)[1]]
