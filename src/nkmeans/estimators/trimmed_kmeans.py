"""TrimmedKMeans: k-means--, Lloyd rounds that leave out the farthest points."""

import numpy as np

from nkmeans.estimators.coreset_method import CoresetMethod, Start
from nkmeans.summarize.coreset import Coreset
from nkmeans.summarize.robust_seeding import leave_out_farthest, seed_robustly


class TrimmedKMeans(CoresetMethod):
    """k-means-- (Chawla, Gionis 2013): Lloyd in which each round leaves out the z farthest.

    It starts from k-means++ that leaves out the z farthest, too: each seed is drawn with
    probability proportional to the squared distance among those that are not farthest from
    the seeds so far. That keeps far noise away from the start, and near noise less so.

    Parameters
    ----------
    n_clusters : int, default=8
    n_outliers : int or float, default=0.01
        As in NKMeans.
    coreset : {"auto", "practical", "theory"} or None, default="auto"
        Run on a coreset and discard the outliers of the data at the end, as in the paper's
        experiments; None runs on all of the data.
    n_init, max_iter, tol, n_jobs, random_state, verbose
        As in NKMeans; the rounds end when the *trimmed* cost falls by less than `tol`.

    Attributes
    ----------
    cluster_centers_, labels_, inertia_, outlier_indices_, threshold_, n_outliers_, n_iter_,
    cluster_spread_
        As in NKMeans.
    coreset_ : Coreset
        Unless `coreset=None`.

    Notes
    -----
    S. Chawla, A. Gionis: k-means--: A unified approach to clustering and outlier detection, SIAM
    SDM 2013, doi:10.1137/1.9781611972832.21.

    Examples
    --------
    >>> from nkmeans import TrimmedKMeans
    >>> from nkmeans.datasets import make_noisy_blobs
    >>> X, _, _ = make_noisy_blobs(1000, 3, 2, 10, random_state=0)
    >>> TrimmedKMeans(n_clusters=3, n_outliers=10, random_state=0).fit(X).outlier_indices_.size
    10
    """

    def _start(self, coreset: Coreset, rng: np.random.Generator) -> Start:
        return Start(seed_robustly(coreset, self.n_clusters, rng, leave_out_farthest(coreset)))
