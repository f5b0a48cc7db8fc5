"""k-means for dirty data: leaves out exactly z points as noise and clusters the rest."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nkmeans import datasets, metrics, plot, report
    from nkmeans.comparison import compare
    from nkmeans.data.source import open_source
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
    from nkmeans.model_file import load_model, save_model
    from nkmeans.pyod_detector import NKMeansDetector
    from nkmeans.suggestion import suggest

# Where each public name lives. It is imported when it is first used, so that `nkmeans --help`
# need not wait for a compiler.
_HOMES = {
    "CoresetKMeans": "estimators.coreset_kmeans",
    "LocalSearchKMeans": "estimators.local_search_kmeans",
    "NKMeans": "estimators.nk_means",
    "NKMeansDetector": "pyod_detector",
    "NKMedians": "estimators.nk_medians",
    "NKMedoids": "estimators.nk_medoids",
    "NoiseFilter": "estimators.noise_filter",
    "PrimalDualKMeans": "estimators.primal_dual_kmeans",
    "RobustSeedingKMeans": "estimators.robust_seeding_kmeans",
    "SampleCoreset": "estimators.sample_coreset",
    "ThresholdKMeans": "estimators.threshold_kmeans",
    "TrimmedKMeans": "estimators.trimmed_kmeans",
    "UniformSampleKMeans": "estimators.uniform_sample_kmeans",
    "compare": "comparison",
    "datasets": "",
    "load_model": "model_file",
    "metrics": "",
    "open_source": "data.source",
    "plot": "",
    "report": "",
    "save_model": "model_file",
    "suggest": "suggestion",
}

__all__ = [
    "CoresetKMeans",
    "LocalSearchKMeans",
    "NKMeans",
    "NKMeansDetector",
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
    "load_model",
    "metrics",
    "open_source",
    "plot",
    "report",
    "save_model",
    "suggest",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOMES[name]
    value = getattr(import_module(f"nkmeans.{home}"), name) if home else (
        import_module(f"nkmeans.{name}")
    )  # fmt: skip
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
