import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from nkmeans.kernels.facilities import raise_duals, surpluses, without_conflicts


def instance(rng, m, whole):
    points = rng.integers(0, 6, (m, 2)).astype(float) if whole else rng.normal(size=(m, 2))
    costs = naive.pairwise_dist2(points, points) + rng.integers(0, 3, m) * 0.25
    weight = rng.integers(1, 4, m).astype(float) if whole else rng.uniform(0.1, 2, m)
    return costs, weight


def run(costs, weight, fee, penalty):
    m = len(weight)
    alpha, opened = np.empty(m), np.empty(m, dtype=np.int64)
    order = np.argsort(costs, axis=1, kind="stable").astype(np.int32)
    n_opened = raise_duals(costs, order, weight, fee, penalty, alpha, opened)
    return alpha, opened[:n_opened]


@pytest.mark.parametrize("m", [1, 2, 7, 15])
@pytest.mark.parametrize("fee", [0.01, 1.0, 20.0])
@pytest.mark.parametrize("penalty", [0.1, 2.0, np.inf])
def test_the_events_are_the_twins(m, fee, penalty, rng):
    costs, weight = instance(rng, m, whole=False)
    alpha, opened = run(costs, weight, fee, penalty)
    want, want_opened = naive.raise_duals(costs, weight, fee, penalty)
    np.testing.assert_allclose(alpha, want)
    assert list(opened) == want_opened


@given(st.integers(0, 10**6), st.integers(1, 20), st.floats(1e-3, 1e3), st.floats(1e-3, 1e3))
def test_duals_are_feasible_and_tight(seed, m, fee, penalty):
    costs, weight = instance(np.random.default_rng(seed), m, whole=True)
    alpha, opened = run(costs, weight, fee, penalty)
    offered = (weight * np.maximum(alpha - costs, 0)).sum(axis=1)
    assert (alpha >= 0).all()
    assert (alpha <= penalty).all()
    assert (offered <= fee * (1 + 1e-9)).all()
    np.testing.assert_allclose(offered[opened], fee, rtol=1e-9)
    # Whoever froze before the penalty did so at an open facility.
    early = alpha < penalty * (1 - 1e-12)
    if early.any():
        assert (costs[opened][:, early].min(axis=0) <= alpha[early] * (1 + 1e-12)).all()


@given(st.integers(0, 10**6), st.integers(1, 20), st.floats(1e-3, 1e2))
def test_nobody_pays_for_two_of_the_chosen_and_no_other_could_be_added(seed, m, fee):
    costs, weight = instance(np.random.default_rng(seed), m, whole=True)
    alpha, opened = run(costs, weight, fee, np.inf)
    chosen = np.empty(m, dtype=np.int64)
    chosen = chosen[: without_conflicts(costs, alpha, opened, len(opened), chosen)]
    pays = alpha > costs
    assert (pays[chosen].sum(axis=0) <= 1).all()
    for other in set(opened) - set(chosen):
        assert (pays[chosen] & pays[other]).any()


def test_surpluses_are_their_sums(rng):
    costs, weight = instance(rng, 9, whole=False)
    alpha, offset, out = rng.uniform(0, 5, 9), rng.uniform(0, 1, 9), np.empty(9)
    surpluses(costs, weight, alpha, 0.5, offset, out)
    want = (weight * np.maximum(alpha - offset - costs / 2, 0)).sum(axis=1)
    np.testing.assert_allclose(out, want)
