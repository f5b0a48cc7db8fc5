"""k-means for dirty data: leaves out exactly z points as noise and clusters the rest."""

from nkmeans import datasets, metrics
from nkmeans.estimators.coreset_kmeans import CoresetKMeans
from nkmeans.estimators.nk_means import NKMeans
from nkmeans.estimators.noise_filter import NoiseFilter
from nkmeans.estimators.sample_coreset import SampleCoreset
from nkmeans.estimators.trimmed_kmeans import TrimmedKMeans

__all__ = [
    "CoresetKMeans",
    "NKMeans",
    "NoiseFilter",
    "SampleCoreset",
    "TrimmedKMeans",
    "datasets",
    "metrics",
]
__version__ = "0.1.0"
