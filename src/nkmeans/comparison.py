"""Several methods on the same data, side by side: how to pick one."""

import time
import warnings
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.utils import check_array
from sklearn.utils.validation import has_fit_parameter

from nkmeans.assign import assign
from nkmeans.engines import open_engine
from nkmeans.estimators.coreset_kmeans import CoresetKMeans
from nkmeans.estimators.local_search_kmeans import LocalSearchKMeans
from nkmeans.estimators.nk_means import NKMeans
from nkmeans.estimators.nk_medians import NKMedians
from nkmeans.estimators.nk_medoids import NKMedoids
from nkmeans.estimators.primal_dual_kmeans import PrimalDualKMeans
from nkmeans.estimators.robust_seeding_kmeans import RobustSeedingKMeans
from nkmeans.estimators.threshold_kmeans import ThresholdKMeans
from nkmeans.estimators.trimmed_kmeans import TrimmedKMeans
from nkmeans.estimators.uniform_sample_kmeans import UniformSampleKMeans
from nkmeans.metrics import outlier_precision
from nkmeans.survey import survey
from nkmeans.validation import check_parameter, check_weights, count_outliers

if TYPE_CHECKING:
    import pandas

METHODS: Mapping[str, type] = {
    method.__name__: method
    for method in (
        NKMeans, TrimmedKMeans, LocalSearchKMeans, PrimalDualKMeans, ThresholdKMeans,
        RobustSeedingKMeans, UniformSampleKMeans, CoresetKMeans, NKMedians, NKMedoids, KMeans,
    )
}  # fmt: skip


class Comparison(NamedTuple):
    """What one method did.

    Attributes
    ----------
    model : estimator
        Fitted.
    labels : int32 ndarray of shape (n_samples,)
        Nearest centre of each row, -1 for exactly the z farthest.
    cost : float
        The trimmed sum of squared distances, whatever cost the method itself has.
    seconds : float
    one_point_clusters : float
        Share of the clusters that hold one row, or none.
    """

    model: Any
    labels: np.ndarray
    cost: float
    seconds: float
    one_point_clusters: float


def compare(
    X: Any,
    methods: Iterable[Any] | Mapping[str, Any] | None = None,
    n_clusters: int = 8,
    n_outliers: float = 0.01,
    true_outliers: Any = None,
    *,
    sample_weight: Any = None,
    random_state: int | None = None,
) -> "pandas.DataFrame":
    """Run several methods on the same data and put what they did into a table.

    Each leaves out the z rows farthest from its own centres and is measured by the same
    trimmed k-means cost.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    methods : list of names or estimators, or dict of estimators by name, default=None
        Names are those of the package's estimators, or "KMeans". Estimators, also of other
        packages, need `n_clusters` and, once fitted, `cluster_centers_`; `n_clusters`,
        `n_outliers` and `random_state` are set where they have them. By default all of them.
    n_clusters : int, default=8
    n_outliers : int or float, default=0.01
        As in NKMeans.
    true_outliers : bool array-like of shape (n_samples,), default=None
        Which rows are noise, where that is known.
    sample_weight : array-like of shape (n_samples,), default=None
    random_state : int or None, default=None

    Returns
    -------
    table : pandas.DataFrame
        A row per method, the cheapest first: `cost`, `relative_cost` (to the cheapest),
        `precision` (of the rows left out, those that are noise; NaN where that is unknown),
        `seconds` (of the fit, compiled code warm; of a short fit the faster of two),
        `one_point_clusters` (share of the clusters with at most one row: centres wasted on
        noise).

    Examples
    --------
    >>> from nkmeans import compare
    >>> from nkmeans.datasets import load_gps
    >>> X, dirty = load_gps()
    >>> table = compare(X, ["NKMeans", "KMeans"], 8, 150, dirty, random_state=0)
    >>> list(table.index)
    ['NKMeans', 'KMeans']
    >>> bool(table.loc["KMeans", "relative_cost"] > 10)
    True
    """
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            "compare returns a pandas.DataFrame, and pandas is not installed: "
            "pip install 'nkmeans[report]'."
        ) from error
    truth = None if true_outliers is None else np.asarray(true_outliers)
    n_samples = len(X) if hasattr(X, "__len__") else 0
    if truth is not None and (truth.dtype != bool or truth.shape != (n_samples,)):
        raise ValueError(
            f"true_outliers of compare must be a boolean array of length {n_samples}, the number "
            f"of rows of X; got dtype {truth.dtype} and shape {truth.shape}."
        )
    found = run_methods(X, methods, n_clusters, n_outliers, sample_weight, random_state)
    least = min(result.cost for result in found.values())
    rows = {
        name: {
            "cost": result.cost,
            "relative_cost": relative(result.cost, least),
            "precision": (np.nan if truth is None else outlier_precision(truth, result.labels < 0)),
            "seconds": result.seconds,
            "one_point_clusters": result.one_point_clusters,
        }
        for name, result in found.items()
    }
    table = pandas.DataFrame.from_dict(rows, orient="index")
    return table.rename_axis("method").sort_values("cost", kind="stable")


def relative(cost: float, least: float) -> float:
    """How many times the least cost; infinite where that is zero and this is not."""
    if least > 0:
        return cost / least
    return np.inf if cost > 0 else 1.0


def run_methods(
    X: Any,
    methods: Iterable[Any] | Mapping[str, Any] | None,
    n_clusters: int,
    n_outliers: float,
    sample_weight: Any = None,
    random_state: int | None = None,
) -> dict[str, Comparison]:
    """Fit each method and measure it; by name, in the order given."""
    who = "compare"
    check_parameter("n_clusters", n_clusters, who)
    check_parameter("n_outliers", n_outliers, who)
    models = named_models(methods, n_clusters, n_outliers, random_state)
    X = check_array(X, dtype="numeric", ensure_all_finite=False, input_name="X")
    weight = check_weights(sample_weight, X, who)
    with open_engine(X, weight, None) as engine:
        facts = survey(engine, who)
        mass = count_outliers(n_outliers, n_clusters, facts, who)
        found = {}
        for name, model in models.items():
            if weight is not None and not has_fit_parameter(model, "sample_weight"):
                raise ValueError(
                    f"methods of compare must take sample_weight when it is given; {name} does not."
                )
            warm_up(model, X)
            given = {} if weight is None else {"sample_weight": weight}
            seconds = time_fit(model, X, given)
            if seconds < 1:  # thread pools start, caches fill: what is short is timed again
                seconds = min(seconds, time_fit(model, X, given))
            if getattr(model, "cluster_centers_", None) is None:
                raise ValueError(
                    f"methods of compare must have cluster_centers_ once fitted; {name} has none."
                )
            centers = np.asarray(model.cluster_centers_, dtype=np.float64)
            if centers.shape != (n_clusters, X.shape[1]) or not np.isfinite(centers).all():
                raise ValueError(
                    f"methods of compare must find {n_clusters} centres of {X.shape[1]} finite "
                    f"coordinates; {name} found an array of shape {centers.shape}"
                    f"{'' if np.isfinite(centers).all() else ' that is not finite'}."
                )
            result = assign(engine, facts.origin, centers, mass)
            sizes = np.bincount(result.labels[result.labels >= 0], minlength=len(centers))
            found[name] = Comparison(
                model, result.labels, result.cost, seconds, float((sizes <= 1).mean())
            )
    return found


def named_models(
    methods: Iterable[Any] | Mapping[str, Any] | None,
    n_clusters: int,
    n_outliers: float,
    random_state: int | None,
) -> dict[str, Any]:
    """Estimators that are ready to fit, by name."""
    if methods is None:
        methods = METHODS
    if isinstance(methods, str) or not isinstance(methods, Iterable):
        methods = [methods]
    if not isinstance(methods, Mapping):
        methods = list(methods)
        names = [name_of(method) for method in methods]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(
                f"methods of compare must differ in name; got {twice} twice. Give a dict of names "
                "and estimators."
            )
        methods = dict(zip(names, methods, strict=True))
    if not methods:
        raise ValueError("methods of compare must not be empty.")
    settings = {"n_clusters": n_clusters, "n_outliers": n_outliers, "random_state": random_state}
    models = {}
    for name, method in methods.items():
        method = METHODS.get(method, method) if isinstance(method, str) else method
        model = method() if isinstance(method, type) else method
        if not hasattr(model, "fit") or not hasattr(model, "get_params"):
            raise ValueError(
                f"methods of compare must be names among {', '.join(METHODS)}, or estimators; "
                f"got {method!r}."
            )
        model = clone(model)
        known = model.get_params(deep=False)
        if "n_clusters" not in known:
            raise ValueError(
                f"methods of compare must have a parameter n_clusters; {name} has none."
            )
        models[name] = model.set_params(**{key: settings[key] for key in settings if key in known})
    return models


def time_fit(model: Any, X: np.ndarray, given: Mapping[str, Any]) -> float:
    """Seconds of a fit."""
    start = time.perf_counter()
    model.fit(X, **given)
    return time.perf_counter() - start


def name_of(method: Any) -> str:
    """How a method is called in the table."""
    if isinstance(method, str):
        return method
    return method.__name__ if isinstance(method, type) else type(method).__name__


def warm_up(model: Any, X: np.ndarray) -> None:
    """Compile what the model needs for data of this type, so that its seconds are its own."""
    settings = {"n_clusters": 2, "n_outliers": 3, "verbose": 0}
    known = model.get_params(deep=False)
    few = (100 * np.random.default_rng(0).random((60, X.shape[1]))).astype(X.dtype)
    # A model that cannot take such data, or two clusters, says so on its own data or not at all.
    with warnings.catch_warnings(), suppress(Exception):
        warnings.simplefilter("ignore")
        clone(model).set_params(**{key: settings[key] for key in settings if key in known}).fit(few)
