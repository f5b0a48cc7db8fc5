"""Data with planted clusters and noise."""

from nkmeans.datasets.synthetic import add_uniform_noise, make_noisy_blobs

__all__ = ["add_uniform_noise", "make_noisy_blobs"]
