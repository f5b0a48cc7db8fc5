"""Every row to its nearest centre, exactly z left out."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from nkmeans.data.blocks import Block, refuse_not_finite
from nkmeans.engines import Engine
from nkmeans.kernels.distances import nearest, smallest_scaled
from nkmeans.kernels.select import trim_farthest, weighted_cut
from nkmeans.kernels.sums import add_rows


class Bracket(NamedTuple):
    """Squared distances between which the boundary of the outliers is believed to lie."""

    low: float
    high: float


UNKNOWN = Bracket(np.inf, np.inf)
# How much more and less than z lies beyond a bracket's ends, as a share of z.
MARGIN = 0.03
# Squared distances are counted by their first bits after the sign: exponent and five more.
SIZE_BITS = 16


@dataclass(frozen=True)
class Assignment:
    """All rows assigned to centres, the farthest left out.

    Attributes
    ----------
    labels : int32 ndarray of shape (n,), -1 for outliers
        Empty where the engine does not keep labels.
    outliers : int64 ndarray
        The rows left out, increasing.
    tie_row : int
        Of the rows exactly at the threshold, those from this one on are left out.
    sums : ndarray of shape (k, d), relative to the origin
    mass : ndarray of shape (k,)
        Sum and mass of what each centre keeps, by `pull`.
    at_center : ndarray of shape (k,)
        For sums of distances, the weight kept exactly at each centre.
    kept : ndarray of shape (k,)
        The weight that each centre keeps.
    costs : ndarray of shape (k,)
        What that costs; together the trimmed cost.
    threshold : float
        The largest squared distance kept; infinite without outliers.
    bracket : Bracket
        Where to look for the boundary once the centres have moved a little.
    """

    labels: np.ndarray
    outliers: np.ndarray
    tie_row: int
    sums: np.ndarray
    mass: np.ndarray
    at_center: np.ndarray
    kept: np.ndarray
    costs: np.ndarray
    threshold: float
    bracket: Bracket

    @property
    def cost(self) -> float:
        """Trimmed cost."""
        return float(self.costs.sum())

    @property
    def spread(self) -> np.ndarray:
        """What a unit of the weight that each centre keeps costs; 0 where it keeps nothing."""
        return means_of(self.costs, self.kept)


def means_of(sums: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Sums by mass, 0 where there is no mass."""
    return np.divide(sums, mass, out=np.zeros(len(mass)), where=mass > 0)


def pull(weight: np.ndarray, dist2: np.ndarray, power: int) -> np.ndarray:
    """The weights whose mean is where a centre should move.

    For squared distances the weights themselves. For distances `w / dist` (Weiszfeld 1937):
    with them a sum of squares is a sum of distances. A row at the centre gets 0.
    """
    if power == 2:
        return weight
    dist = np.sqrt(dist2.astype(np.float64))
    weight = weight if len(weight) else np.ones(len(dist))
    return np.divide(weight, dist, out=np.zeros(len(dist)), where=dist > 0)


def weight_at_centers(
    weight: np.ndarray, dist2: np.ndarray, labels: np.ndarray, k: int, power: int
) -> np.ndarray:
    """For sums of distances, the weight of the rows that lie at each centre."""
    if power == 2:
        return np.zeros(k)
    here = np.flatnonzero(dist2 == 0)
    return np.bincount(labels[here], weight[here] if len(weight) else None, minlength=k)


def weight_below(
    weight: np.ndarray, dist2: np.ndarray, labels: np.ndarray, low: float, k: int
) -> np.ndarray:
    """The weight of the rows with `dist2 < low` at each centre."""
    below = dist2 < low
    return np.bincount(labels[below], weight[below] if len(weight) else None, minlength=k)


class FarRows(NamedTuple):
    """The rows of a block that may be left out, and the coordinates of those in the bracket."""

    rows: np.ndarray
    labels: np.ndarray
    dist2: np.ndarray
    weight: np.ndarray
    band_X: np.ndarray


def assign_block(
    block: Block,
    origin: np.ndarray,
    centers: np.ndarray,
    bracket: Bracket,
    labels: np.ndarray,
    power: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, FarRows]:
    """Assign a block's rows, sum those nearer than the bracket, and set the others aside."""
    X = block.X.astype(origin.dtype, copy=False)
    label = labels[block.rows] if len(labels) else np.empty(len(X), dtype=np.int32)
    dist2 = np.empty(len(X), dtype=origin.dtype)
    sums, (mass, costs) = np.zeros(centers.shape), np.zeros((2, len(centers)))
    nearest(X, origin, centers, label, dist2)
    # The survey saw none; the data may have changed since.
    refuse_not_finite(block, np.flatnonzero(~np.isfinite(dist2)))
    pulled = pull(block.weight, dist2, power)
    add_rows(X, origin, pulled, label, dist2, bracket.low, sums, mass, costs)
    at_center = weight_at_centers(block.weight, dist2, label, len(centers), power)
    kept = mass if power == 2 else weight_below(block.weight, dist2, label, bracket.low, len(mass))
    far = np.flatnonzero(dist2 >= bracket.low)
    weight = block.weight[far] if len(block.weight) else np.ones(len(far))
    band = far[dist2[far] <= bracket.high]
    far_dist2 = dist2[far].astype(np.float64)
    aside = FarRows(block.start + far, label[far], far_dist2, weight, X[band] - origin)
    return sums, mass, at_center, kept, costs, aside


def assign(
    engine: Engine,
    origin: np.ndarray,
    centers: np.ndarray,
    n_outliers: float,
    bracket: Bracket = UNKNOWN,
    reuse: np.ndarray | None = None,
    power: int = 2,
) -> Assignment:
    """Assign every row and leave out exactly the mass `n_outliers` from the far end.

    The cost is the sum of squared distances for power 2, of distances for power 1.

    One pass over the data when the bracket holds: only rows beyond its low end are looked at
    for trimming. Where the boundary is unknown, or lies outside, two more passes find it.
    Labels no longer needed can be written over (`reuse`).
    """
    n_labels = engine.n_rows if engine.keeps_labels else 0
    labels = np.empty(n_labels, dtype=np.int32) if reuse is None else reuse
    relative = (centers - origin).astype(origin.dtype)
    if n_outliers <= 0:
        return sum_near(engine, origin, relative, UNKNOWN, labels, power)[0]
    while True:
        if bracket == UNKNOWN:
            bracket = bracket_by_counting(engine, origin, relative, n_outliers)
        near, far = sum_near(engine, origin, relative, bracket, labels, power)
        found = trim(near, far, n_outliers, bracket, power, engine.n_rows)
        if found is not None:
            return found
        bracket = UNKNOWN


def sum_near(
    engine: Engine,
    origin: np.ndarray,
    centers: np.ndarray,
    bracket: Bracket,
    labels: np.ndarray,
    power: int,
) -> tuple[Assignment, list[FarRows]]:
    """One pass: the rows nearer than the bracket summed, and those that are not."""
    far, sums = [], np.zeros(centers.shape)
    mass, at_center, kept, costs = np.zeros((4, len(centers)))
    for part in engine.map(assign_block, origin, centers, bracket, labels, power):
        sums += part[0]
        mass += part[1]
        at_center += part[2]
        kept += part[3]
        costs += part[4]
        far.append(part[5])
    nobody = np.empty(0, dtype=np.int64)
    by_center = sums, mass, at_center, kept, costs
    return Assignment(labels, nobody, engine.n_rows, *by_center, np.inf, UNKNOWN), far


def near_block(
    block: Block, origin: np.ndarray, centers: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Label of the nearest centre and squared distance to it of a block's rows."""
    X = block.X.astype(origin.dtype, copy=False)
    labels, dist2 = np.empty(len(X), dtype=np.int32), np.empty(len(X), dtype=origin.dtype)
    nearest(X, origin, centers, labels, dist2)
    # Infinitely far is a row whose square overflows, or one that should not be here.
    refuse_not_finite(block, np.flatnonzero(~np.isfinite(dist2)))
    return labels, dist2


def predict_block(
    block: Block, origin: np.ndarray, centers: np.ndarray, threshold: float, power: int
) -> np.ndarray:
    """Labels of a block's rows, -1 where a unit of weight costs more than the threshold."""
    labels, dist2 = near_block(block, origin, centers)
    labels[price_of(dist2, power) > threshold] = -1
    return labels


def score_block(block: Block, origin: np.ndarray, centers: np.ndarray, power: int) -> np.ndarray:
    """Minus what a unit of weight costs at each of a block's rows."""
    price = price_of(near_block(block, origin, centers)[1], power)
    return -price.astype(np.float64, copy=False)


def relative_block(
    block: Block, origin: np.ndarray, centers: np.ndarray, spread: np.ndarray, power: int
) -> np.ndarray:
    """What a unit of weight costs over the centre's spread, at the centre where that is least."""
    X = block.X.astype(origin.dtype, copy=False)
    least2 = np.empty(len(X))
    smallest_scaled(X, origin, centers, spread ** (-2 / power), least2)
    refuse_not_finite(block, np.flatnonzero(~np.isfinite(least2)))
    return price_of(least2, power)


def price_of(dist2: np.ndarray, power: int) -> np.ndarray:
    """What a unit of weight costs at these squared distances."""
    return dist2 if power == 2 else np.sqrt(dist2.astype(np.float64))


def label_block(
    block: Block, origin: np.ndarray, centers: np.ndarray, threshold2: float, tie_row: int
) -> np.ndarray:
    """Labels of a block's rows, -1 beyond the threshold, and at it from `tie_row` on."""
    return measured_block(block, origin, centers, threshold2, tie_row)[0]


def measured_block(
    block: Block, origin: np.ndarray, centers: np.ndarray, threshold2: float, tie_row: int
) -> tuple[np.ndarray, np.ndarray]:
    """The same labels, and squared distances to the nearest centre."""
    labels, dist2 = near_block(block, origin, centers)
    tied = dist2 == threshold2
    if len(block.weight):
        tied &= block.weight > 0
    tied[: max(tie_row - block.start, 0)] = False
    labels[tied | (dist2 > threshold2)] = -1
    return labels, dist2


def weight_of_block(block: Block) -> np.ndarray:
    """The weights of a block's rows."""
    return block.weight if len(block.weight) else np.ones(len(block.X))


def bracket_by_counting(
    engine: Engine, origin: np.ndarray, centers: np.ndarray, n_outliers: float
) -> Bracket:
    """The bracket of `bracket_at`, a few per cent wider, from one pass that keeps no rows."""
    by_size = np.zeros(1 << SIZE_BITS)
    n_rows = 0
    for counts, rows in engine.map(count_block, origin, centers):
        by_size[: len(counts)] += counts
        n_rows += rows
    beyond = np.cumsum(by_size[::-1])[::-1]
    a_few = 10 * float(beyond[0]) / n_rows
    low = np.flatnonzero(beyond >= n_outliers * (1 + MARGIN) + a_few)
    least = n_outliers * (1 - MARGIN) - a_few
    high = np.flatnonzero(beyond >= least)[-1] + 1 if least > 0 else None
    return Bracket(
        smallest_of_size(low[-1]) if len(low) else 0.0,
        np.inf if high is None else smallest_of_size(high),
    )


def count_block(block: Block, origin: np.ndarray, centers: np.ndarray) -> tuple[np.ndarray, int]:
    """The weight of a block's rows by the size of their squared distance, and how many."""
    dist2 = near_block(block, origin, centers)[1]
    sizes = dist2.astype(np.float64).view(np.int64) >> (64 - 1 - SIZE_BITS)
    return np.bincount(sizes, block.weight if len(block.weight) else None), len(dist2)


def smallest_of_size(size: int) -> float:
    """The smallest float64 that begins with these bits."""
    return float(np.int64(int(size) << (64 - 1 - SIZE_BITS)).view(np.float64))


def bracket_at(
    dist2: np.ndarray, weight: np.ndarray, n_outliers: float, margin: float = MARGIN
) -> Bracket:
    """The squared distances beyond which a little more and a little less than z lie."""
    a_few = 10 * float(weight.mean())
    low, _ = weighted_cut(dist2, weight, n_outliers * (1 + margin) + a_few)
    least = n_outliers * (1 - margin) - a_few
    high = weighted_cut(dist2, weight, least)[0] if least > 0 else np.inf
    return Bracket(float(low), float(high))


def trim(
    near: Assignment,
    parts: list[FarRows],
    n_outliers: float,
    bracket: Bracket,
    power: int,
    n_rows: int,
) -> Assignment | None:
    """Leave out exactly z of the far rows and add the others to the rows that are near.

    None when the bracket missed the boundary.
    """
    rows, labels, far, weight, band_X = map(np.concatenate, zip(*parts, strict=True))
    if weight.sum() <= n_outliers and len(rows) < n_rows:
        return None
    kept = np.empty(len(far))
    _, cut = trim_farthest(far, weight, n_outliers, kept)
    if cut > bracket.high:
        return None
    band, zero = far <= bracket.high, np.zeros(band_X.shape[1], band_X.dtype)
    labels, band_dist2 = labels[band], far[band].astype(band_X.dtype)
    pulled = pull(kept[band], band_dist2, power)
    by_center = near.sums, near.mass, near.costs
    add_rows(band_X, zero, pulled, labels, band_dist2, np.inf, *by_center)
    ties = (far == cut) & (kept == 0) & (weight > 0)
    outliers = rows[(far > cut) | ties]
    if len(near.labels):
        near.labels[outliers] = -1
    return replace(
        near,
        outliers=outliers,
        tie_row=int(rows[ties].min(initial=n_rows)),
        kept=near.kept + np.bincount(labels, kept[band], minlength=len(near.kept)),
        threshold=cut,
        bracket=bracket_at(far, weight, n_outliers),
    )
