"""A Bernoulli sample of the rows that depends on the seed and on nothing else."""

from dataclasses import dataclass

import numpy as np

from nkmeans.data.blocks import Block
from nkmeans.engines import Engine
from nkmeans.survey import Survey


@dataclass(frozen=True)
class Sample:
    """Rows drawn from the data.

    Attributes
    ----------
    points : ndarray of shape (s, d), relative to the survey's origin, in its dtype
    weight : float64 ndarray of shape (s,)
        Scaled by one over the rate, so that the sum is about the weight of the data.
    rows : ndarray of shape (s,), increasing row numbers
    rate : float
        Expected share of the rows; 1 when this is all of the data.
    """

    points: np.ndarray
    weight: np.ndarray
    rows: np.ndarray
    rate: float


def draw_sample(engine: Engine, survey: Survey, rate: float, seed: int) -> Sample:
    """Draw each row with probability `rate` times its weight over the mean weight.

    A row whose expected number of draws exceeds one is taken that many times, rounded up or
    down at random, as so many copies of it would be: its weight says how often.
    """
    mean_weight = survey.total_weight / survey.n_weighted
    parts = list(engine.map(draw_block, survey.origin, rate, mean_weight, seed))
    if not any(len(rows) for _, _, rows in parts):
        return draw_sample(engine, survey, min(2 * rate, 1.0), seed)  # bad luck, or a tiny rate
    return Sample(
        points=np.concatenate([points for points, _, _ in parts]),
        weight=np.concatenate([weight for _, weight, _ in parts]),
        rows=np.concatenate([rows for _, _, rows in parts]),
        rate=rate,
    )


def draw_block(
    block: Block, origin: np.ndarray, rate: float, mean_weight: float, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sampled rows of one block: points, weights, row numbers."""
    if rate >= 1:
        weight = block.weight if len(block.weight) else np.ones(len(block.X))
        taken = np.flatnonzero(weight)
        weight = weight[taken]
    elif len(block.weight) == 0:
        taken = np.flatnonzero(uniforms_of(block.rows, seed) < rate)
        weight = np.full(len(taken), 1 / rate)
    else:
        expected = block.weight * (rate / mean_weight)
        sure = np.floor(expected)
        draws = sure + (uniforms_of(block.rows, seed) < expected - sure)
        taken = np.flatnonzero(draws)
        weight = draws[taken] * (mean_weight / rate)
    points = block.X[taken].astype(origin.dtype, copy=False) - origin
    return points, weight, block.start + taken


def uniforms_of(rows: slice, seed: int) -> np.ndarray:
    """One uniform number per row: the row's own place in one stream, however rows are cut."""
    stream = np.random.PCG64(seed).advance(rows.start)
    return np.random.Generator(stream).random(rows.stop - rows.start)
