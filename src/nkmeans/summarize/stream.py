"""A fair sample of everything seen so far, however much that is."""

from dataclasses import dataclass

import numpy as np

from nkmeans.summarize.coreset import MOST_IN_MEMORY
from nkmeans.summarize.sample import Sample, uniforms_of

# Neighbours in the sorted prices that differ by more than this factor are on two sides of a break.
BREAK = 2.0


@dataclass(frozen=True)
class Stream:
    """Rows of a stream, each kept while its uniform number is below its share of the rate.

    The rate only falls, so what is kept is at any time what a sample of all rows at the current
    rate would be; the memory it takes is bounded.

    Attributes
    ----------
    points : ndarray of shape (s, d), relative to the origin
    weight, uniform : float64 ndarray of shape (s,)
    rows : int64 ndarray of shape (s,)
        Their numbers in the stream.
    rate : float
        A row of weight w is kept with probability w times this.
    n_rows, n_weighted : int
        Rows seen, and those of them that have weight.
    total_weight : float
    whole_weights : bool
    """

    points: np.ndarray
    weight: np.ndarray
    uniform: np.ndarray
    rows: np.ndarray
    rate: float = np.inf
    n_rows: int = 0
    n_weighted: int = 0
    total_weight: float = 0.0
    whole_weights: bool = True

    def extended(self, points: np.ndarray, weight: np.ndarray, seed: int, share: float) -> "Stream":
        """The stream after more rows, thinned to about `share` of all rows."""
        n_rows = self.n_rows + len(points)
        n_weighted = self.n_weighted + int(np.count_nonzero(weight))
        total = self.total_weight + float(weight.sum())
        share = min(share, MOST_IN_MEMORY / n_weighted, 1.0)
        everything = share >= 1 and self.rate == np.inf
        rate = np.inf if everything else min(self.rate, share * n_weighted / total)
        uniform = uniforms_of(slice(self.n_rows, n_rows), seed)
        whole = self.whole_weights and bool((weight == np.floor(weight)).all())
        parts = [
            np.concatenate(pair)
            for pair in (
                (self.points, points),
                (self.weight, weight),
                (self.uniform, uniform),
                (self.rows, np.arange(self.n_rows, n_rows)),
            )
        ]
        with np.errstate(invalid="ignore"):
            kept = (parts[2] < parts[1] * rate) & (parts[1] > 0)
        points, weight, uniform, rows = (part[kept] for part in parts)
        return Stream(points, weight, uniform, rows, rate, n_rows, n_weighted, total, whole)

    def sample(self) -> Sample:
        """What is kept, as a sample of everything."""
        share = 1.0 if self.rate == np.inf else self.rate * self.total_weight / self.n_weighted
        weight = self.weight if self.rate == np.inf else np.maximum(self.weight, 1 / self.rate)
        # What is drawn weighs what there is: the share to leave out is a share of that.
        weight = weight * (self.total_weight / weight.sum())
        return Sample(self.points, weight, self.rows, share)


def cut_of_sample(
    price: np.ndarray, weight: np.ndarray, n_outliers: float, to_break: bool = True
) -> tuple[float, float]:
    """The largest price that is kept, and the trimmed cost, of what a sample stands for.

    A sample holds a few noise points more or less than its share, so that the boundary by mass
    may fall among noise. Where prices break off nearby, the boundary is there, if it may be.
    """
    if n_outliers <= 0:
        return np.inf, float(price @ weight)
    order = np.argsort(-price, kind="stable")
    prices, beyond = price[order], np.cumsum(weight[order])
    spare = 4 * np.sqrt(n_outliers * weight.mean())
    low, high = np.searchsorted(beyond, [n_outliers - spare, n_outliers + spare])
    place = int(np.searchsorted(beyond, n_outliers * (1 - 1e-12)))
    near = np.arange(max(low, 0), min(high, len(prices) - 1))
    if len(near):
        with np.errstate(divide="ignore", invalid="ignore"):
            falls = prices[near] / prices[near + 1]
        if to_break and falls.max() > BREAK:
            place = int(near[falls.argmax()])
    kept = order[place + 1 :]
    mass = weight[kept].sum()
    rest = float(weight.sum()) - n_outliers
    cost = float(price[kept] @ weight[kept]) * rest / mass if mass > 0 else 0.0
    return float(prices[min(place + 1, len(prices) - 1)]), cost
