"""k-means for dirty data: leaves out exactly z points as noise and clusters the rest."""

from nkmeans import datasets
from nkmeans.estimators.nk_means import NKMeans

__all__ = ["NKMeans", "datasets"]
__version__ = "0.1.0"
