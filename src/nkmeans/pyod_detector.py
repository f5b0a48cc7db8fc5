"""NKMeansDetector: the outlier scores of NKMeans behind the interface of PyOD's detectors."""

from typing import Any, Self

import numpy as np
from scipy.special import erf
from scipy.stats import binom
from sklearn.base import BaseEstimator
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.validation import check_is_fitted

from nkmeans.estimators.nk_means import NKMeans
from nkmeans.validation import check_parameters


class NKMeansDetector(BaseEstimator):
    """NKMeans as an outlier detector: what PyOD's `BaseDetector` has, without needing PyOD.

    Parameters
    ----------
    contamination : float in (0, 0.5], default=0.1
        The share of outliers: what NKMeans leaves out, and where `threshold_` is.
    n_clusters : int, default=8
    kind : {"distance", "relative", "survival"}, default="distance"
        Which `outlier_score` of NKMeans.
    n_init : int, default=1
    n_jobs : int, default=None
    random_state : int, RandomState instance or None, default=None
        As in NKMeans.

    Attributes
    ----------
    decision_scores_ : float64 ndarray of shape (n_samples,)
        Scores of the data of fit; the higher, the more abnormal.
    threshold_ : float
        Their percentile at `100 * (1 - contamination)`.
    labels_ : int64 ndarray of shape (n_samples,)
        1 where the score is above the threshold, else 0.
    model_ : NKMeans
        The clustering, with its own labels and centres.
    n_features_in_ : int

    Examples
    --------
    >>> from nkmeans import NKMeansDetector
    >>> from nkmeans.datasets import make_noisy_blobs
    >>> X, _, outlier_mask = make_noisy_blobs(1900, 5, 2, 100, noise_range=2.5, random_state=0)
    >>> detector = NKMeansDetector(contamination=0.05, n_clusters=5, random_state=0).fit(X)
    >>> int(detector.labels_.sum())
    100
    >>> bool(outlier_mask[detector.labels_ == 1].mean() > 0.97)
    True
    """

    def __init__(
        self,
        contamination: float = 0.1,
        n_clusters: int = 8,
        kind: str = "distance",
        *,
        n_init: int = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.contamination = contamination
        self.n_clusters = n_clusters
        self.kind = kind
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: None = None) -> Self:
        """Cluster X, score its rows and set the threshold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        for name in [name for name in vars(self) if name.endswith("_") or name == "_kind"]:
            delattr(self, name)
        check_parameters(self)
        model = NKMeans(
            self.n_clusters,
            float(self.contamination),
            n_init=self.n_init,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        ).fit(X)
        scores = np.asarray(model.outlier_score(X, self.kind))
        if not np.isfinite(scores).all():
            raise ValueError(
                "contamination of NKMeansDetector must be well below 0.5 with kind='survival', for "
                f"twice that share is to be found around a point; got {self.contamination!r}."
            )
        self.model_, self._kind = model, self.kind
        self.n_features_in_ = model.n_features_in_
        self.decision_scores_ = scores
        self.threshold_ = float(np.percentile(scores, 100 * (1 - self.contamination)))
        self.labels_ = self._above(scores)
        return self

    def fit_predict(self, X: Any, y: None = None) -> np.ndarray:
        """`labels_` of a fit on X."""
        return self.fit(X).labels_

    def decision_function(self, X: Any) -> np.ndarray:
        """The score of each row: the higher, the more abnormal."""
        check_is_fitted(self)
        return np.asarray(self.model_.outlier_score(X, self._kind))

    def predict(self, X: Any, return_confidence: bool = False) -> Any:
        """1 for rows whose score is above the threshold, 0 for the others.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        return_confidence : bool, default=False
            Return `predict_confidence`, too.

        Returns
        -------
        labels : int64 ndarray of shape (n_samples,)
        confidence : float64 ndarray of shape (n_samples,)
            Only with `return_confidence`.
        """
        scores = self.decision_function(X)
        labels = self._above(scores)
        return (labels, self._confidence(scores)) if return_confidence else labels

    def predict_proba(self, X: Any, method: str = "linear", return_confidence: bool = False) -> Any:
        """The scores as probabilities of being normal and of being an outlier.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        method : {"linear", "unify"}, default="linear"
            From the least to the largest score of fit as 0 to 1, or what of a normal
            distribution with their mean and deviation lies within.
        return_confidence : bool, default=False
            Return `predict_confidence`, too.

        Returns
        -------
        probabilities : float64 ndarray of shape (n_samples, 2)
        confidence : float64 ndarray of shape (n_samples,)
            Only with `return_confidence`.

        Notes
        -----
        H.-P. Kriegel, P. Kröger, E. Schubert, A. Zimek: Interpreting and unifying outlier scores,
        SIAM SDM 2011, doi:10.1137/1.9781611972818.2.
        """
        if method not in ("linear", "unify"):
            raise ValueError(
                f"method of predict_proba must be 'linear' or 'unify'; got {method!r}."
            )
        scores, known = self.decision_function(X), self.decision_scores_
        if method == "linear":
            scaler = MinMaxScaler().fit(known[:, None])
            outlier = scaler.transform(scores[:, None])[:, 0].clip(0, 1)
        else:
            # Where all known scores are equal, whatever is above them is an outlier.
            width = max(known.std() * np.sqrt(2), np.finfo(np.float64).tiny)
            with np.errstate(over="ignore"):
                outlier = erf((scores - known.mean()) / width).clip(0, 1)
        both = np.column_stack([1 - outlier, outlier])
        return (both, self._confidence(scores)) if return_confidence else both

    def predict_confidence(self, X: Any) -> np.ndarray:
        """How sure each label of `predict` is when the data of fit is drawn anew.

        Notes
        -----
        L. Perini, V. Vercruyssen, J. Davis: Quantifying the confidence of anomaly detectors in
        their example-wise predictions, ECML PKDD 2020, doi:10.1007/978-3-030-67664-3_14.
        """
        return self._confidence(self.decision_function(X))

    def _above(self, scores: np.ndarray) -> np.ndarray:
        return (scores > self.threshold_).astype(np.int64)

    def _confidence(self, scores: np.ndarray) -> np.ndarray:
        n = len(self.decision_scores_)
        not_above = np.searchsorted(np.sort(self.decision_scores_), scores, side="right")
        outlier = 1 - binom.cdf(n - int(n * self.contamination), n, (1 + not_above) / (2 + n))
        return np.where(self._above(scores) == 1, outlier, 1 - outlier)
