"""CoresetKMeans: plain k-means++ and Lloyd on the coreset, outliers discarded at the end."""

import numpy as np

from nkmeans.estimators.coreset_method import CoresetMethod, Start
from nkmeans.summarize.coreset import Coreset
from nkmeans.summarize.seeding import seed_in_memory


class CoresetKMeans(CoresetMethod):
    """k-means++ and Lloyd on the coreset, blind to noise until the z farthest are discarded.

    One of the paper's rivals: fast, and as easily led astray by far noise as plain k-means.

    Parameters
    ----------
    n_clusters : int, default=8
    n_outliers : int or float, default=0.01
        As in NKMeans.
    coreset : {"auto", "practical", "theory"} or None, default="auto"
        None runs on all of the data: plain k-means++, with outliers discarded at the end.
    n_init, max_iter, tol, n_jobs, random_state, verbose
        As in NKMeans.

    Attributes
    ----------
    cluster_centers_, labels_, inertia_, outlier_indices_, threshold_, n_outliers_, n_iter_,
    cluster_spread_
        As in NKMeans.
    coreset_ : Coreset
        Unless `coreset=None`.

    Notes
    -----
    D. Arthur, S. Vassilvitskii: k-means++: The advantages of careful seeding, SODA 2007; "k-means++
    (on coreset)" in section 5 of the paper.

    Examples
    --------
    >>> from nkmeans import CoresetKMeans
    >>> from nkmeans.datasets import make_noisy_blobs
    >>> X, _, _ = make_noisy_blobs(1000, 3, 2, 10, random_state=0)
    >>> CoresetKMeans(n_clusters=3, n_outliers=10, random_state=0).fit(X).outlier_indices_.size
    10
    """

    def _trims(self) -> bool:
        return False

    def _start(self, coreset: Coreset, rng: np.random.Generator) -> Start:
        return Start(seed_in_memory(coreset.points, coreset.weights, self.n_clusters, rng).seeds)
