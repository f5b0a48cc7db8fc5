"""k-means for dirty data: leaves out exactly z points as noise and clusters the rest."""

from nkmeans import datasets, metrics
from nkmeans.compare import compare
from nkmeans.estimators.coreset_kmeans import CoresetKMeans
from nkmeans.estimators.local_search_kmeans import LocalSearchKMeans
from nkmeans.estimators.nk_means import NKMeans
from nkmeans.estimators.nk_medians import NKMedians
from nkmeans.estimators.nk_medoids import NKMedoids
from nkmeans.estimators.noise_filter import NoiseFilter
from nkmeans.estimators.primal_dual_kmeans import PrimalDualKMeans
from nkmeans.estimators.robust_seeding_kmeans import RobustSeedingKMeans
from nkmeans.estimators.sample_coreset import SampleCoreset
from nkmeans.estimators.threshold_kmeans import ThresholdKMeans
from nkmeans.estimators.trimmed_kmeans import TrimmedKMeans
from nkmeans.estimators.uniform_sample_kmeans import UniformSampleKMeans

__all__ = [
    "CoresetKMeans",
    "LocalSearchKMeans",
    "NKMeans",
    "NKMedians",
    "NKMedoids",
    "NoiseFilter",
    "PrimalDualKMeans",
    "RobustSeedingKMeans",
    "SampleCoreset",
    "ThresholdKMeans",
    "TrimmedKMeans",
    "UniformSampleKMeans",
    "compare",
    "datasets",
    "metrics",
]
__version__ = "0.1.0"
