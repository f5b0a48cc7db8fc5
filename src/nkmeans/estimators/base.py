"""What every estimator shares: opening the data, and the methods of a fitted clustering."""

import time
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any, Self

import numpy as np
from scipy.spatial.distance import cdist
from sklearn import get_config
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils import check_random_state, estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from nkmeans.assign import (
    assign,
    label_block,
    measured_block,
    predict_block,
    price_of,
    relative_block,
    score_block,
)
from nkmeans.choose.both import choose_both
from nkmeans.choose.clusters import ClusterChoice, choose_clusters
from nkmeans.choose.outliers import CLEAR as BREAK
from nkmeans.choose.outliers import OutlierBreak, choose_outliers
from nkmeans.choose.rough import rough_rate, roughly
from nkmeans.data.blocks import NO_WEIGHT, Block, refuse_not_finite
from nkmeans.denoise import survival_radius
from nkmeans.engines import Engine, engine_for, local
from nkmeans.estimators.summary import summary_html
from nkmeans.pipeline import Fit
from nkmeans.problem import Problem
from nkmeans.summarize.sample import Draw
from nkmeans.survey import Survey, Weights, survey, survey_again, weigh
from nkmeans.validation import (
    check_parameter,
    check_parameters,
    check_weights,
    count_outliers,
    is_auto,
)

# What fits leave behind, besides attributes that end in "_".
HIDDEN = (
    "_cut",
    "_n_features_out",
    "_n_rows",
    "_n_weighted",
    "_origin",
    "_prices",
    "_seed",
    "_stream",
    "_total_weight",
    "_whole_weights",
)
# A cluster's spread counts as at least this share of that of all clusters, as a distance.
LEAST_SPREAD = 1e-3
# What a sum of the rows of a block may be off by, as a share of it.
SUMMED = 1e-10


class DataEstimator(BaseEstimator):
    """An estimator that opens its input through an engine and fails without a trace."""

    n_clusters: Any
    max_clusters: int
    n_outliers: Any
    n_init: int = 1
    n_jobs: int | None = None
    verbose: int = 0
    random_state: Any
    # Whether "auto" may stand for the number of outliers.
    _chooses: bool = True
    # 2 where the cost is a sum of squared distances, 1 where it is one of distances.
    _power: int = 2

    @contextmanager
    def _fitting(self, X: Any, sample_weight: Any) -> Iterator[tuple[Engine, Problem]]:
        """Check everything and open the data; on any failure nothing fitted is left behind."""
        self._forget()
        log = self._log()
        try:
            check_parameters(self)
            with self._engine(X, sample_weight, reset=True) as engine:
                yield engine, self._problem(engine, log)
        except BaseException:
            self._forget()
            raise

    def _problem(self, engine: Engine, log: Callable[[str], None]) -> Problem:
        """Survey the data, and choose what is to be chosen."""
        who, seeds = type(self).__name__, self._seeds(self.n_init)
        weights = weigh(engine)
        k, mass = self._asked(weights, who)
        n, mean_weight = weights.n_weighted, weights.total_weight / weights.n_weighted
        if self._auto_clusters() or self._auto_outliers():
            rate: float | None = rough_rate(n)
        else:
            rate = self._sample_rate(n, engine.n_features, mass / mean_weight)
        errand = None if rate is None else Draw(rate, mean_weight, seeds[0])
        facts = survey(engine, who, errand=errand)
        return self._chosen(engine, Problem(k, mass, facts, tuple(seeds), who, log, self._power))

    def _auto_clusters(self) -> bool:
        return self._chooses and is_auto(self.n_clusters)

    def _auto_outliers(self) -> bool:
        return self._chooses and is_auto(self.n_outliers)

    def _asked(self, weights: Weights, who: str) -> tuple[int, float]:
        """Clusters and mass to leave out; the most clusters and nothing where they are "auto"."""
        k = min(self.max_clusters, weights.n_weighted) if self._auto_clusters() else self.n_clusters
        z = 0 if self._auto_outliers() else self.n_outliers
        return k, count_outliers(z, 1 if self._auto_clusters() else k, weights, who)

    def _chosen(self, engine: Engine, problem: Problem) -> Problem:
        """The same problem with what is "auto" chosen from the data; doubts are told."""
        auto_k, auto_z, most = self._auto_clusters(), self._auto_outliers(), problem.n_clusters
        if auto_k or auto_z:
            rough = roughly(engine, problem, most, problem.seeds[0])
        if auto_k and auto_z:
            self.cluster_choice_, self.outlier_break_ = choose_both(rough, most)
        elif auto_k:
            self.cluster_choice_ = choose_clusters(rough, most, problem.n_outliers)
        elif auto_z:
            self.outlier_break_ = choose_outliers(rough, most)
        if auto_k:
            problem = replace(problem, n_clusters=self.cluster_choice_.n_clusters)
            tell_doubts_of_clusters(self.cluster_choice_, problem.who)
        if auto_z:
            problem = replace(problem, n_outliers=self.outlier_break_.n_outliers)
            tell_doubts_of_outliers(self.outlier_break_, problem)
        return problem

    def _engine(self, X: Any, sample_weight: Any, reset: bool) -> AbstractContextManager[Engine]:
        """The engine over X, checked against (or setting) the features of this estimator."""
        if hasattr(self, "preparation_"):
            # A model of `nkmeans fit`: X is raw, as the file was.
            if engine_for(X) is not local:
                raise TypeError(
                    "A model of `nkmeans fit` takes arrays and frames in memory; "
                    f"got {type(X).__name__}."
                )
            X = self.preparation_.transform(X)
        kind = engine_for(X)
        data = kind.prepare(self, X, reset)
        weight = check_weights(sample_weight, data, type(self).__name__)
        engine: AbstractContextManager[Engine] = kind.open_engine(data, weight, self.n_jobs)
        return engine

    def _sample_rate(self, n: int, d: int, z: float) -> float | None:
        """The share of n rows of d features that the first run will draw; None for none of them."""
        return None

    def _forget(self) -> None:
        """Drop whatever an earlier fit left."""
        for name in [name for name in vars(self) if name.endswith("_") or name in HIDDEN]:
            delattr(self, name)

    def _seeds(self, count: int) -> list[int]:
        """Seeds for so many runs, drawn from `random_state`."""
        random = check_random_state(self.random_state)
        return [int(seed) for seed in random.randint(2**31 - 1, size=count)]

    def _log(self) -> Callable[[str], None]:
        """Prints a line with the seconds since now when verbose."""
        start = time.perf_counter()

        def log(line: str) -> None:
            if self.verbose:
                print(f"[{type(self).__name__}] {time.perf_counter() - start:7.3f} s  {line}")

        return log

    @contextmanager
    def _opened(self, X: Any, sample_weight: Any = None) -> Iterator[tuple[Engine, Survey]]:
        """Data that came after fit, and its survey from the origin of fit."""
        check_is_fitted(self)
        with self._engine(X, sample_weight, reset=False) as engine:
            yield engine, survey_again(engine, type(self).__name__, self._origin)

    @contextmanager
    def _looking(self, X: Any) -> Iterator[tuple[Engine, np.ndarray]]:
        """Data that came after fit, to be looked at row by row, and the origin of fit.

        Where nothing is computed yet, values are checked when it is.
        """
        check_is_fitted(self)
        with self._engine(X, None, reset=False) as engine:
            if engine.lazy:
                dtype = np.result_type(engine.dtype, self._origin.dtype)
                yield engine, self._origin.astype(dtype)
            else:
                yield engine, survey_again(engine, type(self).__name__, self._origin).origin


class OutlierClusterer(
    ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin, DataEstimator
):
    """A clustering with centres and outliers. Subclasses say how the centres are found."""

    cluster_centers_: Any
    _cut: tuple[float, int]

    @abstractmethod
    def _solve(self, engine: Engine, problem: Problem, seed: int) -> Fit:
        """One run of the method."""

    def fit(self, X: Any, y: None = None, sample_weight: Any = None) -> Self:
        """Cluster X, leaving out exactly `n_outliers` of its weight.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            NumPy array (any order, memmap, integers, float32, float64), pandas or polars
            frame. Not copied as a whole unless it has to be converted from a frame. Or what
            `open_source` returns, for data larger than memory: there is then no `labels_`, but
            `label_source`. Or a Dask array or frame: `labels_` and what `predict` returns are
            then Dask arrays, not yet computed.
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            A weight w counts as w copies of the row.

        Returns
        -------
        self
        """
        with self._fitting(X, sample_weight) as (engine, problem):
            fit = self._solve_best(engine, problem)
            self._keep(fit, problem)
            self._n_rows = engine.n_rows
            if engine.lazy:
                origin = self._origin
                relative = (self.cluster_centers_ - origin).astype(origin.dtype)
                self.labels_ = engine.rows(label_block, origin, relative, *self._cut)
        return self

    def _solve_best(self, engine: Engine, problem: Problem) -> Fit:
        fits = (self._solve(engine, problem, seed) for seed in problem.seeds)
        return min(fits, key=lambda fit: fit.assignment.cost)

    def _keep(self, fit: Fit, problem: Problem) -> None:
        found = fit.assignment
        self._origin = problem.survey.origin
        self.cluster_centers_ = fit.centers
        if len(found.labels):
            self.labels_ = found.labels
        self._cut = (float(found.threshold), found.tie_row)
        self.inertia_ = found.cost
        self.cluster_spread_ = found.spread
        self.threshold_ = float(price_of(np.asarray(found.threshold), self._power))
        self.outlier_indices_ = found.outliers
        self.n_outliers_ = problem.n_outliers
        self.n_iter_ = fit.n_iter
        self.n_clusters_ = self._n_features_out = len(fit.centers)
        self._remember(problem.survey)
        if fit.coreset is not None:
            self.coreset_ = fit.coreset
        for name, value in fit.attributes.items():
            setattr(self, name, value)

    def _remember(self, weights: Weights) -> None:
        """What the data of fit weighs."""
        self._total_weight, self._n_weighted = weights.total_weight, weights.n_weighted
        self._whole_weights = weights.whole_weights

    def fit_predict(self, X: Any, y: None = None, sample_weight: Any = None) -> np.ndarray:
        """`labels_` of a fit on X: exactly `n_outliers` rows are -1 with unit weights."""
        self.fit(X, sample_weight=sample_weight)
        if not hasattr(self, "labels_"):
            raise TypeError("Labels of a source do not stay in memory: use fit and label_source.")
        labels: np.ndarray = self.labels_
        return labels

    def label_source(self, source: Any, sample_weight: Any = None) -> Iterator[np.ndarray]:
        """Labels of the data of fit, block by block: exactly `n_outliers` rows are -1.

        Parameters
        ----------
        source : Source
            What `open_source` returned and fit was given. `predict` is for other data.
        sample_weight : array-like of shape (n_samples,), default=None
            That of fit.

        Yields
        ------
        labels : int32 ndarray
            Of as many rows as the next block has.
        """
        check_is_fitted(self)
        if not hasattr(self, "_n_rows"):
            raise TypeError(
                "label_source is for the data of fit; after partial_fit and with_outliers use "
                "predict."
            )
        if len(source) != self._n_rows:
            raise ValueError(
                f"source of label_source must be the data of fit, which had {self._n_rows} rows; "
                f"got {len(source)}. predict is for other data."
            )
        return self._label_blocks(source, sample_weight)

    def _label_blocks(self, source: Any, sample_weight: Any) -> Iterator[np.ndarray]:
        with self._engine(source, sample_weight, reset=False) as engine:
            yield from engine.map(label_block, *self._boundary(engine.dtype))

    def _boundary(self, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray, float, int]:
        """What `label_block` needs to label data of fit that has this dtype."""
        origin = self._origin.astype(np.result_type(dtype, self._origin.dtype))
        relative = (self.cluster_centers_ - origin).astype(origin.dtype)
        return origin, relative, *self._cut

    def predict(self, X: Any, assign_outliers: bool = False) -> np.ndarray:
        """Nearest centre of each row, -1 where it is farther than anything kept in fit.

        Row by row: on the data of fit, rows exactly on the threshold are kept although fit
        had to leave some of them out.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        assign_outliers : bool, default=False
            Give far rows their nearest centre too.

        Returns
        -------
        labels : int32 ndarray of shape (n_samples,)
        """
        threshold = np.inf if assign_outliers else self._fitted_threshold()
        with self._looking(X) as (engine, origin):
            relative = (self.cluster_centers_ - origin).astype(origin.dtype)
            labels: np.ndarray = engine.rows(
                predict_block, origin, relative, threshold, self._power
            )
        return labels

    def _fitted_threshold(self) -> float:
        check_is_fitted(self)
        return self.threshold_

    def transform(self, X: Any) -> np.ndarray:
        """Distances of each row to the centres.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters)
            float32 for float32 data, float64 otherwise.
        """
        with self._looking(X) as (engine, origin):
            relative = self.cluster_centers_ - origin
            distances: np.ndarray = engine.rows(distances_of_block, origin, relative, engine.dtype)
        return distances

    def fit_transform(self, X: Any, y: None = None, sample_weight: Any = None) -> np.ndarray:
        """Fit, then distances of each row of X to the centres."""
        distances: np.ndarray = self.fit(X, sample_weight=sample_weight).transform(X)
        return distances

    def score_samples(self, X: Any) -> np.ndarray:
        """Minus what a unit of weight costs there: the lower, the more abnormal.

        That is the squared distance to the nearest centre, or the distance where the cost is
        a sum of distances.
        """
        with self._looking(X) as (engine, origin):
            relative = (self.cluster_centers_ - origin).astype(origin.dtype)
            scores: np.ndarray = engine.rows(score_block, origin, relative, self._power)
        return scores

    def outlier_score(self, X: Any, kind: str = "distance") -> np.ndarray:
        """How abnormal each row is: the higher, the more.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Whatever `score_samples` takes.
        kind : {"distance", "relative", "survival"}, default="distance"
            - "distance": what a unit of weight costs there, the squared distance to the nearest
              centre (the distance where the cost is a sum of distances).
            - "relative": that over a cluster's `cluster_spread_`, for the cluster where this is
              least. Finds what strays from a tight cluster. A spread counts as at least a
              thousandth of that of all clusters, as a distance; where no row is off its centre
              there is nothing to divide by, and the score is that of "distance".
            - "survival": the radius at which the paper's noise removal keeps the row; infinite
              where twice `n_outliers_` is more than all weight. Of NKMeans, NKMedians and
              NKMedoids.

        Returns
        -------
        scores : float64 ndarray of shape (n_samples,)
        """
        check_parameter("kind", kind, "outlier_score")
        check_is_fitted(self)
        if kind == "survival" and not hasattr(self, "core_radius_"):
            raise ValueError(
                f"kind of outlier_score must be 'distance' or 'relative' with {type(self).__name__}"
                ": NKMeans, NKMedians and NKMedoids have core radii; got 'survival'."
            )
        if kind == "distance":
            return -self.score_samples(X)
        return self._relative_score(X) if kind == "relative" else self._survival_score(X)

    def _relative_score(self, X: Any) -> np.ndarray:
        with self._looking(X) as (engine, origin):
            centers = (self.cluster_centers_ - origin).astype(origin.dtype)
            scores: np.ndarray = engine.rows(
                relative_block, origin, centers, self._floored_spread(), self._power
            )
        return scores

    def _survival_score(self, X: Any) -> np.ndarray:
        with self._looking(X) as (engine, origin):
            return survival_radius(engine, origin, self.coreset_.points, self.core_radius_**2)

    def _floored_spread(self) -> np.ndarray:
        """The spread of each cluster, or what it counts as where it has next to none."""
        overall = self.inertia_ / (self._total_weight - self.n_outliers_)
        if overall <= self._rounding() ** self._power:
            return np.ones(len(self.cluster_spread_))
        return np.maximum(self.cluster_spread_, LEAST_SPREAD**self._power * overall)

    def _rounding(self) -> float:
        """How far the mean of copies of a row may be off them."""
        ends, steps = np.abs(self.cluster_centers_), np.abs(self.cluster_centers_ - self._origin)
        share = max(SUMMED, 8 * float(np.finfo(self._origin.dtype).eps))
        return float(share * steps.max() + 8 * np.finfo(np.float64).eps * ends.max())

    def score(self, X: Any, y: None = None, sample_weight: Any = None) -> float:
        """Minus the trimmed cost of X when the share of weight left out in fit is left out."""
        with self._opened(X, sample_weight) as (engine, facts):
            mass = self._share_left_out(facts)
            centers = self.cluster_centers_
            return -assign(engine, facts.origin, centers, mass, power=self._power).cost

    def _share_left_out(self, facts: Survey) -> float:
        """The weight to leave out of other data: the share of fit's."""
        mass = self.n_outliers_ * facts.total_weight / self._total_weight
        return float(np.floor(mass)) if facts.whole_weights else float(mass)

    def _repr_html_(self) -> str:
        """For notebooks: what was found, and scikit-learn's diagram of the parameters."""
        return summary_html(self) + estimator_html_repr(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """What notebooks ask for first; `_repr_html_` unless scikit-learn is set to text."""
        bundle = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._repr_html_()
        return bundle

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def tell_doubts_of_clusters(choice: ClusterChoice, who: str) -> None:
    """Warn where no number of clusters stands out."""
    if not choice.clear:
        silhouette = choice.of(choice.n_clusters)
        warnings.warn(
            f"n_clusters of {who} is 'auto', but no number of clusters stands out (the silhouette "
            f"is {silhouette:.2g}, clusters that are apart have 0.5): {choice.n_clusters} are "
            "taken. Give n_clusters, or see nkmeans.suggest.",
            stacklevel=7,
        )


def tell_doubts_of_outliers(found: OutlierBreak, problem: Problem) -> None:
    """Warn where the distances show no break."""
    if not found.clear:
        warnings.warn(
            f"n_outliers of {problem.who} is 'auto', but the distances show no break (statistic "
            f"{found.statistic:.2g}, a break has {BREAK:g}): {found.n_outliers:g} of "
            f"{problem.survey.total_weight:g} are left out. Give n_outliers, or see "
            "nkmeans.suggest.",
            stacklevel=7,
        )


def squared_distances(model: OutlierClusterer, X: Any) -> np.ndarray:
    """Of each row to its nearest centre, also where the cost is a sum of plain distances."""
    price = model.score_samples(X)
    np.negative(price, out=price)
    return price if model._power == 2 else np.square(price, out=price)


def labelling(
    model: OutlierClusterer, dtype: np.dtype
) -> Callable[[int, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """A function for consecutive rows of the data of fit, given the number of the first.

    It returns their labels, exactly `n_outliers` of all rows -1, and their squared distances.
    """
    boundary = model._boundary(dtype)

    def label(first: int, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        labels, dist2 = measured_block(Block(first, X, NO_WEIGHT), *boundary)
        return labels, dist2.astype(np.float64)

    return label


def distances_of_block(
    block: Block, origin: np.ndarray, centers: np.ndarray, dtype: np.dtype
) -> np.ndarray:
    """The distances of a block's rows to the centres."""
    refuse_not_finite(block)
    return cdist(block.X.astype(origin.dtype, copy=False) - origin, centers).astype(dtype)
