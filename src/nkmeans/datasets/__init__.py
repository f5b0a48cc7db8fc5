"""Data with planted clusters and noise, and a dirty file to try things on."""

from nkmeans.datasets.gps import load_gps
from nkmeans.datasets.synthetic import add_uniform_noise, make_noisy_blobs

__all__ = ["add_uniform_noise", "load_gps", "make_noisy_blobs"]
