"""Dask collections, on threads and on real worker processes."""

import os
import signal
import threading

import numpy as np
import pandas as pd
import pytest

from family import CLUSTERERS

da = pytest.importorskip("dask.array")
import dask  # noqa: E402
import dask.dataframe as dd  # noqa: E402

from nkmeans import (  # noqa: E402
    NKMeans,
    NKMedoids,
    NoiseFilter,
    load_model,
    open_source,
    save_model,
)
from nkmeans.datasets import make_noisy_blobs  # noqa: E402
from nkmeans.engines.dask import Chunks  # noqa: E402
from nkmeans.report import write_report  # noqa: E402

SHAPES = [(2000, 2, 3, 40), (30_000, 5, 4, 300), (30_000, 3, 2, 3), (9000, 17, 5, 900)]


def blobs(n, d, k, z, dtype=np.float64):
    return make_noisy_blobs(n, k, d, z, noise_range=2.5, random_state=0)[0].astype(dtype)


def check_same(model, whole, X, dtype=np.float64):
    tolerance = 1e-4 if dtype == np.float32 else 1e-9
    assert model.inertia_ == pytest.approx(whole.inertia_, rel=tolerance)
    np.testing.assert_allclose(model.cluster_centers_, whole.cluster_centers_, atol=tolerance)
    assert isinstance(model.labels_, da.Array)
    np.testing.assert_array_equal(model.labels_.compute(), whole.labels_)
    np.testing.assert_array_equal(model.outlier_indices_, whole.outlier_indices_)


@pytest.mark.parametrize(("n", "d", "k", "z"), SHAPES)
def test_chunks_give_what_the_whole_array_gives(n, d, k, z, dtype):
    X = blobs(n, d, k, z, dtype)
    whole = NKMeans(k, z, random_state=0).fit(X)
    lazy = da.from_array(X, chunks=(n // 3, max(d // 2, 1)))
    model = NKMeans(k, z, random_state=0).fit(lazy)
    check_same(model, whole, X, dtype)
    for method in ("predict", "transform", "score_samples"):
        found, wanted = getattr(model, method)(lazy), getattr(whole, method)(X)
        assert isinstance(found, da.Array)
        assert found.dtype == wanted.dtype
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found.compute(), wanted, atol=1e-4)
    assert model.score(lazy) == pytest.approx(whole.score(X), rel=1e-4)


@pytest.mark.parametrize(
    "kind", [kind for kind in CLUSTERERS if kind is not NKMedoids], ids=lambda kind: kind.__name__
)
def test_every_clustering_takes_dask(kind):
    X = blobs(1500, 2, 3, 30)
    whole = kind(3, 30, random_state=0).fit(X)
    model = kind(3, 30, random_state=0).fit(da.from_array(X, chunks=(400, 2)))
    assert model.inertia_ == pytest.approx(whole.inertia_)
    assert int((model.labels_ < 0).sum().compute()) == 30


def test_noise_removal_takes_dask():
    X = blobs(3000, 2, 3, 30)
    whole = NoiseFilter(3, 30, random_state=0).fit(X)
    model = NoiseFilter(3, 30, random_state=0).fit(da.from_array(X, chunks=(700, 2)))
    np.testing.assert_array_equal(np.asarray(model.inlier_mask_), whole.inlier_mask_)


@pytest.mark.parametrize("known", [True, False])
def test_frames_and_unknown_chunks(known):
    X = blobs(3000, 2, 3, 30)
    frame = dd.from_pandas(pd.DataFrame(X, columns=["a", "b"]), npartitions=4)
    data = frame if known else frame.to_dask_array()
    model = NKMeans(3, 30, random_state=0).fit(data)
    whole = NKMeans(3, 30, random_state=0).fit(X)
    check_same(model, whole, X)
    if known:
        assert model.feature_names_in_.tolist() == ["a", "b"]
        with pytest.raises(ValueError, match="must have the columns of fit in their order"):
            model.predict(frame[["b", "a"]])


def test_empty_chunks_and_ties():
    X = np.repeat([[0.0, 0], [9, 9], [20, 0], [0, 20]], [60, 60, 7, 7], axis=0)
    X = X[np.random.default_rng(0).permutation(len(X))]
    lazy = da.concatenate(
        [da.from_array(X[:50], chunks=-1), da.zeros((0, 2)), da.from_array(X[50:], chunks=(11, 2))]
    )
    whole = NKMeans(2, 10, random_state=0).fit(X)
    check_same(NKMeans(2, 10, random_state=0).fit(lazy), whole, X)


def test_weights_are_honoured():
    X = blobs(2000, 2, 3, 40)
    weight = np.random.default_rng(0).integers(0, 4, len(X)).astype(float)
    whole = NKMeans(3, 50, random_state=0).fit(X, sample_weight=weight)
    model = NKMeans(3, 50, random_state=0).fit(
        da.from_array(X, chunks=(300, 2)), sample_weight=weight
    )
    assert model.inertia_ == pytest.approx(whole.inertia_)


def test_bad_values_are_told_and_nothing_is_fitted():
    X = blobs(300, 2, 3, 30)
    X[170, 1] = np.nan
    lazy = da.from_array(X, chunks=(100, 2))
    model = NKMeans(3, 30)
    with pytest.raises(ValueError, match="contains NaN at row 170, column 1"):
        model.fit(lazy)
    assert not hasattr(model, "cluster_centers_")
    model.fit(np.nan_to_num(X))
    with pytest.raises(ValueError, match="Row 170 of the data has a value that is not finite"):
        model.predict(lazy).compute()
    for bad in (da.from_array(X[:, 0]), da.from_array(X.astype(str)), da.zeros((0, 2))):
        with pytest.raises(ValueError, match=r"2-D collection of numbers|0 sample"):
            NKMeans(3, 30).fit(bad)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with (
        dask.config.set(
            {"distributed.worker.daemon": True, "distributed.admin.log-format": "%(message)s"}
        ),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


# Rows, features, clusters, outliers: few and many of each, also no outliers and hardly any rows.
SIXTEEN = [
    (60, 2, 2, 3), (200, 1, 3, 0), (500, 3, 1, 50), (1000, 2, 4, 1), (2000, 2, 3, 40), (2000, 65, 3, 20),
    (3000, 5, 20, 30), (4000, 2, 2, 1500), (6000, 3, 5, 7), (8000, 10, 10, 80), (9000, 17, 5, 900),
    (12_000, 1, 2, 120), (15_000, 4, 8, 150), (20_000, 2, 3, 2000), (30_000, 3, 2, 3), (30_000, 5, 4, 300),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("n", "d", "k", "z"), SIXTEEN)
def test_the_same_answer_everywhere(n, d, k, z, cluster):
    """In memory, block by block, on Dask's threads and on worker processes."""
    X = blobs(n, d, k, z)
    whole = NKMeans(k, z, random_state=0).fit(X)
    source = open_source(lambda: iter(np.array_split(X, 3)))
    walked = NKMeans(k, z, random_state=0).fit(source)
    assert walked.inertia_ == whole.inertia_
    np.testing.assert_array_equal(np.concatenate(list(walked.label_source(source))), whole.labels_)
    lazy = da.from_array(X, chunks=(-(-n // 4), d))
    check_same(NKMeans(k, z, random_state=0).fit(lazy), whole, X)
    with dask.config.set(scheduler="threads"):
        check_same(NKMeans(k, z, random_state=0).fit(lazy), whole, X)


@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_is_killed_changes_nothing(cluster):
    """Really killed, while it works on a chunk."""
    X = blobs(60_000, 5, 4, 300)
    lazy = da.from_array(X, chunks=(2000, 5))
    whole = NKMeans(4, 300, random_state=0).fit(X)
    victim = next(iter(cluster.run(os.getpid).values()))
    threading.Timer(0.05, os.kill, (victim, signal.SIGKILL)).start()
    model = NKMeans(4, 300, random_state=0).fit(lazy)
    check_same(model, whole, X)
    assert victim not in cluster.run(os.getpid).values()


# ---- what must not go wrong


@pytest.mark.parametrize(
    "change", [lambda a: np.hstack([a, a]), lambda a: a[:, :2], lambda a: a[:-1], lambda a: a[:, 0]]
)
def test_a_chunk_of_another_shape_than_was_said_is_an_error(change, rng):
    X = rng.normal(size=(300, 3))
    model = NKMeans(3, 5, random_state=0).fit(X)
    data = da.from_array(X, chunks=(100, 3))
    other = data.map_blocks(change, dtype=float, meta=np.empty((0, 0)))
    with pytest.raises(ValueError, match=r"The chunk at row \d+ must be of shape \(100, 3\)"):
        model.predict(other).compute()


def test_transform_refuses_what_is_not_finite(rng):
    X = rng.normal(size=(300, 3))
    model = NKMeans(3, 5, random_state=0).fit(X)
    X[7, 1] = np.nan
    with pytest.raises(ValueError, match="Row 7 of the data has a value that is not finite"):
        model.transform(da.from_array(X, chunks=(100, 3))).compute()


@pytest.mark.parametrize("kind", ["Float64", "double[pyarrow]", "mixed"])
def test_frames_of_any_kind_of_numbers(kind, rng):
    frame = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("abc"))
    frame = frame.assign(c=frame.c > 0) if kind == "mixed" else frame.astype(kind)
    data = dd.from_pandas(frame, npartitions=3)
    model = NKMeans(3, 5, random_state=0).fit(data)
    assert model.inertia_ == pytest.approx(NKMeans(3, 5, random_state=0).fit(frame).inertia_)


def test_a_column_of_words_is_named(rng):
    frame = pd.DataFrame({"a": rng.normal(size=9), "word": list("abcdefghi")})
    with pytest.raises(ValueError, match="Column 'word' of X of NKMeans must hold numbers"):
        NKMeans(2, 1).fit(dd.from_pandas(frame, npartitions=2))


def test_other_things_from_dask_are_refused():
    with pytest.raises(TypeError, match="must be a Dask array or frame, if it is from Dask"):
        NKMeans(2, 1).fit(dask.delayed(np.zeros((5, 2))))
    with pytest.raises(ValueError, match=r"Found array with 0 feature\(s\)"):
        NKMeans(2, 1).fit(da.zeros((5, 0), chunks=(2, 0)))
    with pytest.raises(TypeError, match="X of NKMedoids must be in memory"):
        NKMedoids(2, 1).fit(da.zeros((5, 2)))
    with pytest.raises(TypeError, match="X of fit_resample must be in memory"):
        NoiseFilter(2, 1).fit_resample(da.zeros((5, 2)))


def test_a_model_fitted_on_chunks_can_be_saved_and_shown(rng, tmp_path):
    X = rng.normal(size=(300, 3))
    model = NKMeans(3, 5, random_state=0).fit(da.from_array(X, chunks=(100, 3)))
    save_model(model, tmp_path / "m.nkm")
    np.testing.assert_array_equal(load_model(tmp_path / "m.nkm").predict(X), model.predict(X))
    assert "NKMeans" in model._repr_html_()
    write_report(model, X, tmp_path / "r.html")


def test_tasks_keep_the_names_and_contents_of_the_chunks(rng):
    """Otherwise a cluster that holds both would take one for the other."""
    data = da.from_array(rng.normal(size=(300, 3)), chunks=(100, 3)).map_blocks(np.negative)
    for _, _, task in Chunks(data, None).tasks:
        assert task.key in dict(data.dask)
        assert dict(task.dask)[task.key] == dict(data.dask)[task.key]
