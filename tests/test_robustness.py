"""Interrupts, threads, processes."""

import multiprocessing
import signal
import threading
import time

import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from nkmeans import NKMeans
from nkmeans.datasets import make_noisy_blobs


@pytest.fixture(scope="module")
def data():
    return make_noisy_blobs(50_000, 5, 4, 500, noise_range=2.5, random_state=0)[0]


def fit(X, seed=0):
    return NKMeans(5, 500, random_state=seed).fit(X).labels_


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_ends_a_fit_promptly_and_leaves_nothing(data, n_jobs):
    model = NKMeans(5, 500, random_state=0).fit(data)
    model.set_params(n_init=10**6, n_jobs=n_jobs)  # hours of work
    threads = threading.active_count()
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    start = time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(data)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.perf_counter() - start < 5
    assert threading.active_count() == threads
    with pytest.raises(NotFittedError):
        check_is_fitted(model)


def test_two_threads_fit_at_once(data):
    want = [fit(data, seed) for seed in (0, 1)]
    found = {}
    workers = [
        threading.Thread(target=lambda s=seed: found.update({s: [fit(data, s) for _ in range(5)]}))
        for seed in (0, 1)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for seed in (0, 1):
        for labels in found[seed]:
            np.testing.assert_array_equal(labels, want[seed])


def test_inside_joblib_processes(data):
    want = fit(data)
    fit_predict = NKMeans(5, 500, random_state=0).fit_predict
    for labels in Parallel(n_jobs=2)(delayed(fit_predict)(data) for _ in range(3)):
        np.testing.assert_array_equal(labels, want)


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="no fork on this system"
)
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_after_fork(data):
    want = fit(data)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        np.testing.assert_array_equal(pool.apply_async(fit, (data,)).get(timeout=120), want)
