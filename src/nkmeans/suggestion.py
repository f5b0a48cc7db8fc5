"""`suggest`: every number of clusters with every number of outliers, and which to take."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from nkmeans.assign import near_block
from nkmeans.choose import clusters
from nkmeans.choose.both import score
from nkmeans.choose.grid import Grid, solve_grid
from nkmeans.choose.outliers import (
    LEVELS,
    OutlierBreak,
    Trial,
    contest,
    look,
    trial_of,
    try_mass,
)
from nkmeans.choose.rough import Rough, rough_rate, roughly
from nkmeans.data.blocks import NO_WEIGHT, Block
from nkmeans.data.writing import new_file
from nkmeans.estimators.nk_means import NKMeans
from nkmeans.problem import Problem
from nkmeans.summarize.sample import Draw
from nkmeans.survey import Weights, survey, weigh
from nkmeans.validation import check_parameter, count_outliers

WHO = "suggest"
# Numbers of clusters, by their silhouettes in the grid, whose breaks are looked for.
MOST_PROMISING, GENEROUS = 4, 0.02
# A solution of the grid serves for a level that differs by no more than this factor.
NEAR_A_LEVEL = 2.0
COUNTS = range(2, 21)
SHARES = (0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.15)


@dataclass(frozen=True)
class Suggestion:
    """What `suggest` found.

    Attributes
    ----------
    n_clusters : int
        The number of clusters to take.
    n_outliers : int or float
        What to leave out, as `NKMeans` takes it: the number of outliers, or their share of the
        weight where weights are not whole numbers. That is what lies beyond the break in the
        distances, or 0.01 % of all.
    reason : str
        Why, in a few sentences.
    clear : bool
        Whether the data show both; otherwise look at the pictures.
    table : dict of str to ndarray
        A column for each of "n_clusters", "n_outliers" (the weight left out), "cost" (trimmed,
        estimated from the sample), "gain" (the share of the cost that the last cluster saved; nan
        for the smallest number), "silhouette", "stability" (the share of the weight that solutions
        of resampled data put into the same clusters) and "smallest" (the weight of the smallest
        cluster), and a row for each of the pairs. `pandas.DataFrame(table)` makes it a frame.
    outlier_break : OutlierBreak
        The evidence for the number of outliers, with that number of clusters.
    cluster_counts : int ndarray of shape (a,)
        The numbers of clusters tried, increasing.
    outlier_weights : float64 ndarray of shape (b,)
        The weights left out, increasing.
    grid : Grid
        What was found for each of them; centres in the data's own coordinates.
    points : ndarray of shape (s, d)
        The sampled rows, in the data's own coordinates.
    weight, rows : ndarray of shape (s,)
        How much each of them stands for, and their numbers.
    total_weight : float
        The weight of the data.
    n_rows : int
        How many rows it has.
    columns : list of str
        Names of the features.
    """

    n_clusters: int
    n_outliers: int | float
    reason: str
    clear: bool
    table: dict[str, np.ndarray]
    outlier_break: OutlierBreak
    cluster_counts: np.ndarray
    outlier_weights: np.ndarray
    grid: Grid
    points: np.ndarray
    weight: np.ndarray
    rows: np.ndarray
    total_weight: float
    n_rows: int
    columns: list[str]

    def plot(self) -> Any:
        """Draw cost over outliers, a curve for each number of clusters, and a map of stability.

        Returns
        -------
        figure : matplotlib.figure.Figure
        """
        from nkmeans.plot import draw_suggestion

        return draw_suggestion(self)

    def write_page(self, path: str | os.PathLike, *, overwrite: bool = False) -> None:
        """Write a page with a slider for clusters and one for outliers, which opens offline."""
        from nkmeans.report.explorer import explorer_page

        html = explorer_page(self)
        with new_file(Path(path), overwrite) as file:
            file.write(html.encode())

    def __repr__(self) -> str:
        return (
            f"Suggestion(n_clusters={self.n_clusters}, n_outliers={self.n_outliers:g}, "
            f"clear={self.clear})"
        )


def suggest(
    X: Any,
    n_clusters: Iterable[int] | None = None,
    n_outliers: Iterable[float] | None = None,
    *,
    sample_weight: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> Suggestion:
    """Try every number of clusters with every number of outliers, and suggest one of each.

    All of it runs on one coreset of a small sample; only the break between outliers and the rest
    is looked for in all rows.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), source or Dask collection
        As `NKMeans.fit` takes it.
    n_clusters : iterable of int, default=None
        By default 2 to 20, or to as many as there are different rows in the sample.
    n_outliers : iterable of int or float, default=None
        Counts, or shares in [0, 1) of the total weight. By default ten shares from 0 to 0.15, as
        far as they leave enough rows.
    sample_weight : array-like of shape (n_samples,), default=None
    random_state : int, RandomState instance or None, default=None
    n_jobs : int, default=None
        Threads, as in NKMeans.
    progress : callable, default=None
        Hears the share of the work that is done.

    Returns
    -------
    suggestion : Suggestion

    Examples
    --------
    >>> from nkmeans import NKMeans, suggest
    >>> from nkmeans.datasets import make_noisy_blobs
    >>> X, _, _ = make_noisy_blobs(5000, 6, 3, 100, noise_range=2.5, random_state=0)
    >>> found = suggest(X, range(2, 11), random_state=0)
    >>> found.n_clusters, int(found.n_outliers)
    (6, 100)
    >>> model = NKMeans(found.n_clusters, int(found.n_outliers), random_state=0).fit(X)
    """
    tell = progress or (lambda share: None)
    model = NKMeans(n_jobs=n_jobs)
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    with model._engine(X, sample_weight, reset=True) as engine:
        weights = weigh(engine)
        n, mean_weight = weights.n_weighted, weights.total_weight / weights.n_weighted
        counts = checked_counts(n_clusters, weights)
        most = int(counts[-1])
        facts = survey(engine, WHO, errand=Draw(rough_rate(n), mean_weight, seed))
        problem = Problem(most, 0.0, facts, (seed,), WHO, lambda line: None)
        rough = roughly(engine, problem, most, seed)
        if n_clusters is None:
            counts = np.array([k for k in counts if k <= rough.n_distinct] or [1])
        masses = checked_masses(n_outliers, int(counts[-1]), weights)
        scale = rough.total_weight / facts.total_weight
        grid = solve_grid(rough, counts.tolist(), (masses * scale).tolist(), tell)
        found, k, silhouette = choose_from(rough, grid, counts, masses * scale)
    names = getattr(model, "feature_names_in_", [f"x{i}" for i in range(len(facts.origin))])
    origin = facts.origin.astype(np.float64)
    return Suggestion(
        n_clusters=k,
        n_outliers=as_asked(found.n_outliers, facts),
        reason=in_words(found, k, silhouette, facts.total_weight),
        clear=found.clear and silhouette >= clusters.CLEAR,
        table=table_of(grid, counts, masses),
        outlier_break=found,
        cluster_counts=counts,
        outlier_weights=masses,
        grid=replace(grid, centers=[[centers + origin for centers in row] for row in grid.centers]),
        points=rough.sample.points + origin,
        weight=rough.sample.weight,
        rows=rough.sample.rows,
        total_weight=facts.total_weight,
        n_rows=engine.n_rows,
        columns=[str(name) for name in names],
    )


def checked_counts(n_clusters: Iterable[int] | None, weights: Weights) -> np.ndarray:
    """The numbers of clusters, increasing, each once."""
    if n_clusters is None:
        return np.array([k for k in COUNTS if k <= weights.n_weighted] or [1])
    given = as_list(n_clusters, "n_clusters", "several ints, such as range(2, 21)")
    for k in given:
        check_parameter("n_clusters", k, WHO)
        count_outliers(0, int(k), weights, WHO)
    return np.unique(np.array(given, dtype=np.int64))


def checked_masses(n_outliers: Iterable[float] | None, k: int, weights: Weights) -> np.ndarray:
    """The weights to leave out, increasing, each once."""
    if n_outliers is None:
        most = 1 - k / weights.n_weighted
        given: list[Any] = [share for share in SHARES if share <= most]
    else:
        words = "several counts or shares, such as [0, 0.01, 0.05]"
        given = as_list(n_outliers, "n_outliers", words)
    return np.unique([count_outliers(z, k, weights, WHO) for z in given])


def as_list(values: Iterable[Any], name: str, allowed: str) -> list[Any]:
    """Values to try, at least one."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"{name} of {WHO} must be {allowed}; got {values!r}.")
    found = list(values)
    if not found:
        raise ValueError(f"{name} of {WHO} must be {allowed}; got none.")
    return found


def choose_from(
    rough: Rough, grid: Grid, counts: np.ndarray, masses: np.ndarray
) -> tuple[OutlierBreak, int, float]:
    """The break in all rows, the number of clusters, and its silhouette."""
    # Where little is left out, centres amid noise have fine silhouettes.
    shares = masses / rough.total_weight
    generous = shares >= min(GENEROUS, shares[-1])
    scores = (grid.silhouette * (1 - shares))[:, generous].max(axis=1)
    rows = np.sort(np.argsort(-scores, kind="stable")[:MOST_PROMISING])
    trials = [chosen_trial(rough, grid.centers[row], masses) for row in rows]
    scores = np.array([score(rough, trial) for trial in trials])
    k = clusters.least_of_best(counts[rows], scores)
    best = int(np.searchsorted(counts[rows], k))
    return look(rough, trials[best]), k, float(scores[best])


def chosen_trial(rough: Rough, solutions: list[np.ndarray], masses: np.ndarray) -> Trial:
    """The rough solution with one number of clusters whose break to believe, as `trial_for` has it.

    The grid's solutions serve where about as much is left out.
    """
    origin = np.zeros_like(rough.problem.survey.origin)
    block = Block(0, rough.sample.points, NO_WEIGHT)
    trials = []
    for mass in np.array(LEVELS) * rough.total_weight:
        place = int(np.argmin(np.abs(np.log(np.maximum(masses, 1e-9 * mass) / mass))))
        if not mass / NEAR_A_LEVEL <= masses[place] <= NEAR_A_LEVEL * mass:
            trials.append(try_mass(rough, len(solutions[0]), float(mass)))
            continue
        centers = solutions[place]
        dist2 = near_block(block, origin, centers)[1].astype(np.float64)
        trials.append(trial_of(rough, centers, dist2, float(masses[place])))
    return contest(rough, len(solutions[0]), trials)


def table_of(grid: Grid, counts: np.ndarray, masses: np.ndarray) -> dict[str, np.ndarray]:
    """A row for each pair, clusters first."""
    gain = np.full(grid.cost.shape, np.nan)
    before = np.maximum(grid.cost[:-1], np.finfo(float).tiny)
    gain[1:] = 1 - grid.cost[1:] / before
    k, z = np.meshgrid(counts, masses, indexing="ij")
    columns = {
        "n_clusters": k,
        "n_outliers": z,
        "cost": grid.cost,
        "gain": gain,
        "silhouette": grid.silhouette,
        "stability": grid.stability,
        "smallest": grid.smallest,
    }
    return {name: values.ravel() for name, values in columns.items()}


def as_asked(mass: float, weights: Weights) -> int | float:
    """A weight to leave out as estimators take it: a count, or a share."""
    return int(mass) if weights.whole_weights else mass / weights.total_weight


def in_words(found: OutlierBreak, k: int, silhouette: float, total: float) -> str:
    """Why these numbers."""
    share, left_out = found.n_outliers / total, counted(found.n_outliers, "outlier")
    if found.clear:
        outliers = (
            f"{left_out} ({share:.2%}): the distances break off there, from {found.outside:.3g} to "
            f"{found.inside:.3g} (statistic {found.statistic:.3g}; a break has 3 or more)."
        )
    else:
        outliers = (
            f"The distances show no break (statistic {found.statistic:.2g}; a break has 3 or "
            f"more), so {left_out}, or as many as you know there are."
        )
    how = "the largest silhouette" if silhouette >= clusters.CLEAR else "no clear silhouette"
    return f"{counted(k, 'cluster')}: {how} of what is kept ({silhouette:.2f}). {outliers}"


def counted(number: float, what: str) -> str:
    """A number and its noun."""
    return f"{number:g} {what}{'' if number == 1 else 's'}"
