import numpy as np
import pytest

import naive
from nkmeans.kernels.radii import core_radius2


@pytest.mark.parametrize("mass", [0.0, 1.0, 3.0, 7.5, 40.0])
def test_core_radius_is_where_the_mass_is_reached(mass, rng):
    points = rng.integers(0, 4, (30, 2)).astype(float)
    weight = rng.integers(1, 5, 30) / 2
    core2, extremes = np.empty(30), np.empty(2)
    core_radius2(points, weight, 0, 30, mass, core2, extremes)
    dist2 = naive.pairwise_dist2(points, points)
    for y in range(30):
        reached = [r for r in np.unique(dist2[y]) if weight[dist2[y] <= r].sum() >= mass]
        assert core2[y] == (reached[0] if reached else np.inf)
    assert extremes[0] == dist2[dist2 > 0].min()
    assert extremes[1] == dist2.max()
