"""Fixtures for the axes along which everything must hold."""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# Kernels compile within the first example of a property; deadlines would blame it. The
# derandomized profile makes a test run repeatable; NKMEANS_FUZZ=1 looks for new examples.
settings.register_profile(
    "repeatable", deadline=None, derandomize=True, max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
settings.register_profile("fuzz", deadline=None, max_examples=2000)
settings.load_profile("fuzz" if os.environ.get("NKMEANS_FUZZ") else "repeatable")


@pytest.fixture(params=[np.float32, np.float64], ids=["float32", "float64"])
def dtype(request):
    return request.param


@pytest.fixture(params=[0, 1])
def seed(request):
    return request.param


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)
