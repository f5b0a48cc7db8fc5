"""scikit-learn's own checks, with no failure that its KMeans does not declare too."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from family import CLUSTERERS
from nkmeans import NKMeans, NoiseFilter, SampleCoreset, UniformSampleKMeans

ESTIMATORS = [
    *(Clusterer(n_clusters=2, n_outliers=1) for Clusterer in CLUSTERERS),
    NKMeans(n_clusters=2, n_outliers=0.05, refine=False),
    UniformSampleKMeans(n_clusters=2, n_outliers=1, mode="aggressive"),
    NoiseFilter(n_clusters=2, n_outliers=1),
    SampleCoreset(n_clusters=2, n_outliers=1),
]
# Their result does not depend on which rows were drawn first, at least on the checks' data.
SETTLED = ("NoiseFilter", "SampleCoreset", "NKMedians", "NKMedoids", "LocalSearchKMeans",
           "PrimalDualKMeans")  # fmt: skip


def expected_failures(estimator):
    """What scikit-learn's KMeans declares too: a weight draws other seeds than copies do."""
    if type(estimator).__name__ in SETTLED or (isinstance(estimator, NKMeans) and estimator.refine):
        return {}
    return {"check_sample_weight_equivalence_on_dense_data": "seeding draws differ"}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
