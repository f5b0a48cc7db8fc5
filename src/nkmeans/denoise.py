"""Noise removal, the paper's Algorithm 1, for all radii at once.

A point is heavy at radius r when the mass within r of it is at least 2z, and it survives r when
some heavy point is within r of it. Both tests are monotone in r, so one number per point says
everything: x survives r if and only if `survival_radius(x) <= r`.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nkmeans.data.blocks import Block, refuse_not_finite
from nkmeans.engines import Engine
from nkmeans.kernels.distances import smallest_floored
from nkmeans.kernels.radii import core_radius2

ROWS_A_TASK = 128


@dataclass(frozen=True)
class Radii:
    """Squared radii of a weighted point set.

    Attributes
    ----------
    core2 : ndarray of shape (m,)
        Where each point becomes heavy; infinite where all mass is less than 2z.
    survival2 : ndarray of shape (m,)
        Where each point begins to survive.
    smallest2, largest2 : float
        The smallest positive and the largest squared distance between two points.
    """

    core2: np.ndarray
    survival2: np.ndarray
    smallest2: float
    largest2: float

    def attributes(self) -> dict[str, np.ndarray]:
        """The radii that a fitted estimator has."""
        return {
            "core_radius_": np.sqrt(self.core2),
            "survival_radius_": np.sqrt(self.survival2),
        }


def measure_radii(
    engine: Engine, points: np.ndarray, weight: np.ndarray, n_outliers: float
) -> Radii:
    """Core and survival radii of every point, in O(m^2 d) time and O(m) memory a thread.

    Without outliers every point is heavy by itself and all radii are 0.
    """
    m = len(points)
    if n_outliers <= 0:
        return Radii(np.zeros(m), np.zeros(m), 0.0, 0.0)
    core2 = np.empty(m)
    spans = [(start, min(start + ROWS_A_TASK, m)) for start in range(0, m, ROWS_A_TASK)]

    def measure(start: int, stop: int) -> np.ndarray:
        extremes = np.empty(2)
        core_radius2(points, weight, start, stop, 2 * n_outliers, core2, extremes)
        return extremes

    extremes = np.array(engine.run(measure, spans))
    survival2 = np.empty(m, points.dtype)
    origin, floor2 = np.zeros_like(points[0]), core2.astype(points.dtype)

    def survive(start: int, stop: int) -> None:
        smallest_floored(points[start:stop], origin, points, floor2, survival2[start:stop])

    engine.run(survive, spans)
    return Radii(core2, survival2, float(extremes[:, 0].min()), float(extremes[:, 1].max()))


def guesses(radii: Radii, total_weight: float, power: int = 2) -> np.ndarray:
    """The paper's guesses of Opt: powers of two in [W min d^power, W max d^power], d positive."""
    if not radii.largest2 > 0:
        return np.empty(0)
    low = np.floor(np.log2(total_weight * radii.smallest2 ** (power / 2)))
    high = np.ceil(np.log2(total_weight * radii.largest2 ** (power / 2)))
    return 2.0 ** np.arange(low, high + 1)


class Survivors(NamedTuple):
    """The points that survive a radius: a boolean mask, and the radius squared."""

    mask: np.ndarray
    radius2: float


def survivor_sets(
    radii: Radii, weight: np.ndarray, n_outliers: float, power: int = 2
) -> list[Survivors]:
    """The distinct, nested sets of survivors along the ladder of guesses, largest last.

    A guess of Opt means the radius `2 sqrt(Opt / z)`, or `2 Opt / z` where Opt is a sum of
    plain distances. The last set is always "nobody is
    removed", which is what the ladder ends with, and what is left to try where no point is
    heavy at any guess.
    """
    everyone = Survivors(np.ones(len(weight), dtype=bool), np.inf)
    if n_outliers <= 0:
        return [everyone]
    sets, size = [], 0
    for opt in guesses(radii, float(weight.sum()), power):
        radius2 = 4 * (opt / n_outliers) ** (2 / power)
        mask = radii.survival2 <= radius2
        if size < mask.sum() < len(weight):
            sets.append(Survivors(mask, float(radius2)))
            size = int(mask.sum())
    return [*sets, everyone]


def survival_radius(
    engine: Engine, origin: np.ndarray, points: np.ndarray, core2: np.ndarray
) -> np.ndarray:
    """The survival radius of every row of the data against points with known core radii."""
    relative, core2 = (points - origin).astype(origin.dtype), core2.astype(origin.dtype)
    found: np.ndarray = engine.rows(survival_of_block, origin, relative, core2)
    return found


def survival_of_block(
    block: Block, origin: np.ndarray, points: np.ndarray, core2: np.ndarray
) -> np.ndarray:
    """The survival radii of a block's rows."""
    refuse_not_finite(block)
    survival2 = np.empty(len(block.X), dtype=origin.dtype)
    smallest_floored(block.X.astype(origin.dtype, copy=False), origin, points, core2, survival2)
    return np.sqrt(survival2).astype(np.float64)
