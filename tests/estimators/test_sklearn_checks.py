"""scikit-learn's own checks, with no failure that its KMeans does not declare too."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from family import CLUSTERERS
from nkmeans import (
    CoresetKMeans,
    NKMeans,
    NKMeansDetector,
    NoiseFilter,
    RobustSeedingKMeans,
    SampleCoreset,
    TrimmedKMeans,
    UniformSampleKMeans,
)

ESTIMATORS = [
    *(Clusterer(n_clusters=2, n_outliers=1) for Clusterer in CLUSTERERS),
    NKMeans(n_clusters=2, n_outliers=0.05, refine=False),
    UniformSampleKMeans(n_clusters=2, n_outliers=1, mode="aggressive"),
    NoiseFilter(n_clusters=2, n_outliers=1),
    SampleCoreset(n_clusters=2, n_outliers=1),
    NKMeansDetector(n_clusters=2),
]


def expected_failures(estimator):
    """What scikit-learn's KMeans declares too: a weight draws other seeds than copies do."""
    depends_on_draws = (
        isinstance(estimator, TrimmedKMeans | CoresetKMeans | RobustSeedingKMeans)
        or getattr(estimator, "mode", None) == "conservative"
        or (isinstance(estimator, NKMeans) and not estimator.refine)
    )
    words = {"check_sample_weight_equivalence_on_dense_data": "seeding draws differ"}
    return words if depends_on_draws else {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
