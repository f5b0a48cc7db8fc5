"""What was asked for: it travels with the data through all stages."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nkmeans.survey import Survey


@dataclass(frozen=True)
class Problem:
    """k-means with outliers on surveyed data.

    Attributes
    ----------
    n_clusters : int
    n_outliers : float
        The mass to leave out.
    survey : Survey
    seeds : tuple of int
        One for each run of the method.
    who : str
        The estimator's name, for messages.
    log : callable
        Takes a line to show to the user.
    power : int
        2 for the sum of squared distances (k-means), 1 for the sum of distances (k-medians).
    """

    n_clusters: int
    n_outliers: float
    survey: Survey
    seeds: tuple[int, ...]
    who: str
    log: Callable[[str], None]
    power: int = 2


@dataclass(frozen=True)
class Options:
    """How NKMeans solves it; all but the last are its parameters."""

    clusterer: Any = None
    coreset: str | None = "auto"
    refine: bool = True
    max_iter: int = 300
    tol: float = 1e-5
    # Starts to refine. With 8 one fit in sixteen of Power ended 1 % too high after a long crawl
    # over the data.
    starts: int = 16
