"""scikit-learn's own checks, with no failure that its KMeans does not declare too."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from nkmeans import CoresetKMeans, NKMeans, NoiseFilter, SampleCoreset, TrimmedKMeans

ESTIMATORS = [
    NKMeans(n_clusters=2, n_outliers=1),
    NKMeans(n_clusters=2, n_outliers=0.05, refine=False),
    TrimmedKMeans(n_clusters=2, n_outliers=1),
    CoresetKMeans(n_clusters=2, n_outliers=1),
    NoiseFilter(n_clusters=2, n_outliers=1),
    SampleCoreset(n_clusters=2, n_outliers=1),
]


def expected_failures(estimator):
    """What scikit-learn's KMeans declares too: a weight draws other seeds than copies do."""
    if isinstance(estimator, NoiseFilter | SampleCoreset):
        return {}
    if isinstance(estimator, NKMeans) and estimator.refine:
        return {}
    return {"check_sample_weight_equivalence_on_dense_data": "seeding draws differ"}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
