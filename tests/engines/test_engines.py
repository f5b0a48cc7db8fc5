"""An engine is a file: a new one is found, asked before the local one, and changes nothing else."""

import sys
import types

import numpy as np

import nkmeans.engines
from nkmeans import NKMeans
from nkmeans.datasets import make_noisy_blobs
from nkmeans.engines import engine_for, local


class Stack(list):
    """Chunks of rows: an input that only the engine below understands."""


def stack_engine(seen):
    module = types.ModuleType("nkmeans.engines.stack")
    module.accepts = lambda X: isinstance(X, Stack)

    def prepare(estimator, X, reset):
        seen.append(len(X))
        local.prepare(estimator, X[0], reset)
        return X

    def open_engine(X, sample_weight, n_jobs):
        return local.open_engine(np.concatenate(X), sample_weight, n_jobs)

    module.prepare, module.open_engine = prepare, open_engine
    return module


def test_a_new_file_is_a_new_engine(tmp_path, monkeypatch):
    seen = []
    (tmp_path / "stack.py").write_text("")
    monkeypatch.setattr(nkmeans.engines, "__path__", [*nkmeans.engines.__path__, str(tmp_path)])
    monkeypatch.setitem(sys.modules, "nkmeans.engines.stack", stack_engine(seen))
    X, _, _ = make_noisy_blobs(1000, 3, 2, 20, random_state=0)
    stack = Stack([X[:400], X[400:]])
    model = NKMeans(3, 20, random_state=0).fit(stack)
    assert seen == [2]
    np.testing.assert_array_equal(model.labels_, NKMeans(3, 20, random_state=0).fit(X).labels_)
    np.testing.assert_array_equal(model.predict(stack), model.labels_)


def test_what_no_other_engine_takes_is_the_local_ones():
    assert engine_for(np.zeros((2, 2))) is local
    assert engine_for([[1, 2]]) is local
