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


@dataclass(frozen=True)
class Draw:
    """Draws each row with probability `rate` times its weight over the mean weight.

    A row whose expected number of draws exceeds one is taken that many times, rounded up or
    down at random, as so many copies of it would be: its weight says how often.
    """

    rate: float
    mean_weight: float
    seed: int

    def __call__(self, block: Block) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The sampled rows of one block as they are, their weights and their numbers."""
        if self.rate >= 1:
            weight = block.weight if len(block.weight) else np.ones(len(block.X))
            taken = np.flatnonzero(weight)
            weight = weight[taken]
        elif len(block.weight) == 0:
            taken = np.flatnonzero(uniforms_of(block.rows, self.seed) < self.rate)
            weight = np.full(len(taken), 1 / self.rate)
        else:
            expected = block.weight * (self.rate / self.mean_weight)
            sure = np.floor(expected)
            draws = sure + (uniforms_of(block.rows, self.seed) < expected - sure)
            taken = np.flatnonzero(draws)
            weight = draws[taken] * (self.mean_weight / self.rate)
        return block.X[taken], weight, block.start + taken


def draw_sample(engine: Engine, survey: Survey, rate: float, seed: int) -> Sample:
    """The rows that `Draw` takes: those of the survey if they were its errand."""
    draw = Draw(rate, survey.total_weight / survey.n_weighted, seed)
    parts = survey.fetched if survey.errand == draw else engine.map(draw)
    points, weight, rows = map(np.concatenate, zip(*parts, strict=True))
    if len(rows) == 0:
        return draw_sample(engine, survey, min(2 * rate, 1.0), seed)  # bad luck, or a tiny rate
    points = points.astype(survey.origin.dtype, copy=False) - survey.origin
    return Sample(points, weight, rows, rate)


def uniforms_of(rows: slice, seed: int | list[int]) -> np.ndarray:
    """One uniform number per row: the row's own place in one stream, however rows are cut."""
    stream = np.random.PCG64(seed).advance(rows.start)
    return np.random.Generator(stream).random(rows.stop - rows.start)
