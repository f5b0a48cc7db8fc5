"""k-means++ on a conservative uniform sample."""

from nkmeans.estimators.uniform_sample_kmeans import UniformSampleKMeans

NAME, ORDER = "uniform sample", 6


def make(k: int, z: int, seed: int) -> UniformSampleKMeans:
    """The estimator."""
    return UniformSampleKMeans(k, z, random_state=seed)
