"""Of any number of rows that pass by, those with the smallest keys."""

from collections.abc import Callable

import numpy as np

from nkmeans.summarize.sample import uniforms_of

Columns = tuple[np.ndarray, ...]


class Lowest:
    """The rows with the smallest keys; what is kept does not grow with the rows that pass by.

    Parameters
    ----------
    most : int
        How many rows to keep.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._bound = np.inf
        self._parts: list[Columns] = []

    def add(self, keys: np.ndarray, take: Callable[[np.ndarray], Columns]) -> None:
        """More rows: a key for each, and a function that returns columns of some of them."""
        chosen = np.flatnonzero(keys < self._bound)
        # The first part says which columns there are, even if it is empty.
        if len(chosen) or not self._parts:
            self._parts.append((keys[chosen], *take(chosen)))
        if sum(len(part[0]) for part in self._parts) > 2 * self.most:
            self._parts = [self._kept()]
            self._bound = float(self._parts[0][0].max())

    def columns(self) -> Columns:
        """The columns of the rows that are kept, in the order in which they came."""
        return self._kept()[1:]

    def _kept(self) -> Columns:
        joined = tuple(np.concatenate(column) for column in zip(*self._parts, strict=True))
        if len(joined[0]) <= self.most:
            return joined
        kept = np.sort(np.argpartition(joined[0], self.most - 1)[: self.most])
        return tuple(column[kept] for column in joined)


def fair_keys(first: int, n_rows: int) -> np.ndarray:
    """Keys of consecutive rows whose smallest are a fair sample; they belong to row numbers."""
    return uniforms_of(slice(first, first + n_rows), seed=0)
