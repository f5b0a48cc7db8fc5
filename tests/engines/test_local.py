import threading

import numpy as np
import pytest

from nkmeans.data.blocks import NO_WEIGHT, ArraySource
from nkmeans.engines import open_engine
from nkmeans.engines.local import LocalEngine, count_threads


@pytest.mark.parametrize("n_threads", [1, 2, 4])
def test_results_come_in_block_order(n_threads):
    X = np.arange(1000.0)[:, None]
    with LocalEngine(ArraySource(X, NO_WEIGHT, 13), n_threads) as engine:
        assert list(engine.map(lambda block: block.start)) == list(range(0, 1000, 13))
        np.testing.assert_array_equal(np.concatenate(list(engine.map(lambda block: block.X))), X)
        assert engine.run(lambda a, b: a + b, [(1, 2), (3, 4)]) == [3, 7]


def test_more_than_one_thread_works_at_once():
    barrier = threading.Barrier(2, timeout=30)
    with open_engine(np.zeros((2, 1)), None, 2) as engine:
        # Each task waits for the other: with one thread this would time out.
        assert len(engine.run(lambda _: barrier.wait(), [(0,), (1,)])) == 2


def test_an_error_in_a_block_comes_out_and_ends_the_threads():
    before = threading.active_count()

    def fail(block):
        raise RuntimeError(f"block {block.start}")

    engine = LocalEngine(ArraySource(np.zeros((100, 1)), NO_WEIGHT, 10), 2)
    with pytest.raises(RuntimeError, match="block 0"), engine:
        list(engine.map(fail))
    assert threading.active_count() == before


def test_no_more_than_a_few_blocks_are_in_flight():
    started = []
    source = ArraySource(np.zeros((1000, 1)), NO_WEIGHT, 1)
    with LocalEngine(source, 2) as engine:
        results = engine.map(lambda block: started.append(block.start))
        next(results)
        assert len(started) <= 10


@pytest.mark.parametrize(
    ("n_jobs", "omp", "threads"),
    [(3, "", 3), (1, "8", 1), (None, "", 4), (None, "2", 2), (None, "99", 4), (None, "x", 4), (-1, "", 4), (-2, "", 3), (-9, "", 1)],
)  # fmt: skip
def test_threads_for_n_jobs(n_jobs, omp, threads, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", omp)
    monkeypatch.setattr("joblib.cpu_count", lambda: 4)
    assert count_threads(n_jobs) == threads
