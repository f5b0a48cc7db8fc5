"""Weighted selection: the squared distance at which the outliers' mass is used up."""

import numpy as np

from nkmeans.kernels.jit import helper, kernel


@helper
def median_of_three(a, b, c):
    """The middle one of three numbers."""
    return max(min(a, b), min(max(a, b), c))


@kernel
def weighted_cut(values, weight, mass):
    """The value v with `mass{> v} <= mass < mass{>= v}`, and `mass{> v}`.

    Quickselect with three-way partitions; linear time on average, also with ties.
    Where `mass` is not less than the whole, the smallest value comes back.
    """
    v = np.empty(values.shape[0], np.float64)
    w = np.empty(values.shape[0], np.float64)
    for i in range(v.shape[0]):
        v[i] = values[i]
        w[i] = weight[i]
    low, high, above = 0, v.shape[0], 0.0
    state = 12345
    pivot = v[0]
    while low < high:
        state = (state * 1103515245 + 12345) % 2147483648
        middle = low + state % (high - low)
        pivot = median_of_three(v[low], v[middle], v[high - 1])
        left, i, right = low, low, high
        mass_left, mass_equal = 0.0, 0.0
        while i < right:
            if v[i] > pivot:
                mass_left += w[i]
                v[i], v[left] = v[left], v[i]
                w[i], w[left] = w[left], w[i]
                left += 1
                i += 1
            elif v[i] == pivot:
                mass_equal += w[i]
                i += 1
            else:
                right -= 1
                v[i], v[right] = v[right], v[i]
                w[i], w[right] = w[right], w[i]
        if above + mass_left > mass:
            high = left
        elif above + mass_left + mass_equal > mass:
            return pivot, above + mass_left
        else:
            above += mass_left + mass_equal
            low = right
    return pivot, above


@kernel
def trim_farthest(dist2, weight, mass, kept):
    """Write the weight each row keeps when `mass` is left out from the far end.

    The row on the boundary keeps the rest of its weight; among equals the lower row number
    stays in. A rest that is only rounding, as sums of 0.1 leave it, is none.

    Returns
    -------
    cost : sum of kept weight times squared distance
    cut : the squared distance on the boundary, infinite when `mass` is 0
    """
    cut, above, rounding = np.inf, 0.0, 1e-10 * mass
    if mass > 0:
        cut, above = weighted_cut(dist2, weight, mass + rounding)
    rest = mass - above if mass - above > rounding else 0.0
    cost = 0.0
    for i in range(dist2.shape[0] - 1, -1, -1):
        w = weight[i]
        if dist2[i] > cut:
            w = 0.0
        elif dist2[i] == cut and rest > 0:
            taken = min(w, rest)
            w -= taken
            rest -= taken
        kept[i] = w
        if w > 0:
            cost += w * dist2[i]
    return cost, cut
