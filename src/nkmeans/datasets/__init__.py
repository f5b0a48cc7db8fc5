"""Data to cluster: planted clusters with noise, the paper's real data, and a dirty file."""

from nkmeans.datasets.gps import load_gps
from nkmeans.datasets.paper import fetch_kddcup99, fetch_power, fetch_skin, fetch_susy
from nkmeans.datasets.synthetic import add_uniform_noise, make_noisy_blobs

__all__ = [
    "add_uniform_noise",
    "fetch_kddcup99",
    "fetch_power",
    "fetch_skin",
    "fetch_susy",
    "load_gps",
    "make_noisy_blobs",
]
