"""Four clusters with outliers, and a suggestion that says so."""

from dataclasses import replace

import numpy as np

from nkmeans import suggest

SHARES = [0, 0.005, 0.01, 0.015, 0.02, 0.05]


def four_corners():
    """1960 rows at the corners of a square, and 40 far from it, in random order."""
    rng = np.random.default_rng(1)
    corners = 10.0 * np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    rows = corners[np.arange(1960) % 4] + rng.normal(scale=0.5, size=(1960, 2))
    angle = rng.uniform(0, 2 * np.pi, size=40)
    far = 5 + rng.uniform(30, 60, size=(40, 1)) * np.column_stack([np.cos(angle), np.sin(angle)])
    return rng.permutation(np.concatenate([rows, far]))


def suggest_corners():
    """Solutions for 2 to 8 clusters and up to 5 % outliers; 4 and 40 are suggested."""
    found = suggest(four_corners(), range(2, 9), SHARES, random_state=0)
    return replace(found, n_clusters=4, n_outliers=40.0)
