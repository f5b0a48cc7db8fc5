"""Another number of outliers for a fitted model, without another fit."""

from copy import copy, deepcopy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from nkmeans.cluster.lloyd import lloyd_in_memory
from nkmeans.denoise import measure_radii
from nkmeans.engines import open_engine
from nkmeans.estimators.base import OutlierClusterer
from nkmeans.summarize.coreset import Coreset
from nkmeans.summarize.stream import cut_of_sample
from nkmeans.survey import Weights
from nkmeans.validation import count_outliers

# What belongs to the rows of fit and the outliers it left out.
OF_FIT = ("labels_", "outlier_indices_", "outlier_break_", "_cut", "_n_rows")


class Retrimming(OutlierClusterer):
    """A clustering that keeps its coreset and what its sampled rows cost.

    Attributes
    ----------
    _prices : ndarray of shape (2, s)
        What a unit of weight costs at each sampled row, and the weight that it stands for.
    """

    coreset_: Coreset
    _prices: np.ndarray

    def with_outliers(self, n_outliers: float) -> Self:
        """The same clustering with another number of outliers, without another fit.

        The coreset of fit is clustered with both numbers, from the centres there are, and the
        centres of the model that is returned are moved by the difference. For a change by an
        order of magnitude `fit` is better.

        Parameters
        ----------
        n_outliers : int or float
            A count, or a share in [0, 1) of the total weight.

        Returns
        -------
        model : estimator of the same class
            Without `labels_` and `outlier_indices_`: `predict` says which rows are left out.
            `inertia_`, `threshold_` and `cluster_spread_` are estimates from the sample of fit.
            With the number of outliers that there are already, a copy with everything.

        Examples
        --------
        >>> from nkmeans import NKMeans
        >>> from nkmeans.datasets import make_noisy_blobs
        >>> X, _, _ = make_noisy_blobs(5000, 5, 2, 100, random_state=0)
        >>> model = NKMeans(n_clusters=5, n_outliers=500, random_state=0).fit(X)
        >>> bool(190 < (model.with_outliers(200).predict(X) < 0).sum() < 210)
        True
        """
        check_is_fitted(self)
        total = self._total_weight
        weights = Weights(total, self._n_weighted, self._whole_weights)
        k = len(self.cluster_centers_)
        mass = count_outliers(n_outliers, k, weights, type(self).__name__)
        if mass == self.n_outliers_:
            return deepcopy(self).set_params(n_outliers=n_outliers)
        model = copy(self).set_params(n_outliers=n_outliers)
        for name in OF_FIT:
            vars(model).pop(name, None)
        before, model.n_outliers_ = self.n_outliers_, mass
        # By the factor that the coreset was made with.
        factor = self.coreset_.n_outliers / before if before > 0 else 1.0
        model.coreset_ = replace(self.coreset_, n_outliers=mass * factor)
        model.cluster_centers_ = self.cluster_centers_ + self._steps(model.coreset_)
        price, stands_for = self._prices
        model.threshold_, model.inertia_ = cut_of_sample(price, stands_for, mass, False)
        known = cut_of_sample(price, stands_for, before, False)[1] / (total - before)
        change = model.inertia_ / (total - mass) / known if known > 0 else 1.0
        model.cluster_spread_ = self.cluster_spread_ * change
        points, weight = model.coreset_.points, model.coreset_.weights
        with open_engine(points, weight, self.n_jobs) as engine:
            radii = measure_radii(engine, points, weight, model.coreset_.n_outliers)
        vars(model).update(radii.attributes())
        return model

    def _steps(self, coreset: Coreset) -> np.ndarray:
        """How the centres move on the coreset when another mass is left out of it."""
        origin = self._origin
        points = (coreset.points - origin).astype(origin.dtype)
        start = (self.cluster_centers_ - origin).astype(origin.dtype)

        def settle(mass: float, centers: np.ndarray) -> np.ndarray:
            options: dict[str, Any] = {"spread": coreset.spread, "power": self._power}
            return lloyd_in_memory(
                points, coreset.weights, mass, centers, 100, 1e-5, **options
            ).centers

        before = settle(self.coreset_.n_outliers, start)
        after = settle(coreset.n_outliers, before)
        steps: np.ndarray = after.astype(np.float64) - before
        return steps
