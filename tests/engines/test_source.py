"""Data read block by block: the same answers, and what happens to data that changes."""

import os
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from family import CLUSTERERS

pa = pytest.importorskip("pyarrow")
from pyarrow import csv, feather, parquet  # noqa: E402

from nkmeans import NKMeans, NKMedians, NKMedoids, NoiseFilter, open_source  # noqa: E402
from nkmeans.data.errors import DataFileError  # noqa: E402
from nkmeans.data.source import Source  # noqa: E402
from nkmeans.datasets import make_noisy_blobs  # noqa: E402
from nkmeans.metrics import trimmed_cost  # noqa: E402

SHAPES = [
    (2000, 2, 3, 40),
    (30_000, 5, 4, 300),
    (30_000, 3, 2, 3),
    (9000, 17, 5, 900),
    (5000, 1, 2, 10),
]


class Counted(Source):
    """An array in odd blocks, some of them empty, that counts how often it is read."""

    def __init__(self, X, cuts):
        self.X, self.cuts, self.walks = X, cuts, 0
        self.n_rows, self.n_features = X.shape
        self.dtype = X.dtype

    def read(self):
        self.walks += 1
        edges = [0, *self.cuts, len(self.X)]
        for start, stop in pairwise(edges):
            yield np.ascontiguousarray(self.X[start:stop])


def labels_of(model, source):
    return np.concatenate(list(model.label_source(source)))


@pytest.mark.parametrize(("n", "d", "k", "z"), SHAPES)
def test_blocks_give_what_the_whole_array_gives(n, d, k, z, dtype):
    X = make_noisy_blobs(n, k, d, z, noise_range=2.5, random_state=0)[0].astype(dtype)
    whole = NKMeans(k, z, random_state=0).fit(X)
    source = Counted(X, [1, 1, 700, 1500])
    model = NKMeans(k, z, random_state=0).fit(source)
    assert not hasattr(model, "labels_")
    assert model.inertia_ == pytest.approx(
        whole.inertia_, rel=1e-4 if dtype == np.float32 else 1e-9
    )
    np.testing.assert_allclose(
        model.cluster_centers_, whole.cluster_centers_, atol=1e-4 if dtype == np.float32 else 1e-9
    )
    labels = labels_of(model, source)
    np.testing.assert_array_equal(labels, whole.labels_)
    np.testing.assert_array_equal(model.outlier_indices_, whole.outlier_indices_)
    np.testing.assert_array_equal(model.predict(source), whole.predict(X))
    assert model.score(source) == pytest.approx(
        whole.score(X), rel=1e-4 if dtype == np.float32 else 1e-9
    )
    np.testing.assert_allclose(model.transform(source), whole.transform(X), atol=1e-4)


@pytest.mark.parametrize(
    "kind", [kind for kind in CLUSTERERS if kind is not NKMedoids], ids=lambda kind: kind.__name__
)
def test_every_clustering_takes_sources(kind):
    X, _, _ = make_noisy_blobs(1500, 3, 2, 30, noise_range=2.5, random_state=0)
    source = Counted(X, [100, 900])
    whole, model = kind(3, 30, random_state=0).fit(X), kind(3, 30, random_state=0).fit(source)
    assert model.inertia_ == pytest.approx(whole.inertia_)
    assert (labels_of(model, source) < 0).sum() == 30


def test_noise_removal_takes_sources():
    X, _, _ = make_noisy_blobs(3000, 3, 2, 30, noise_range=2.5, random_state=0)
    whole, model = (
        NoiseFilter(3, 30, random_state=0).fit(X),
        NoiseFilter(3, 30, random_state=0).fit(Counted(X, [7, 2000])),
    )
    np.testing.assert_array_equal(model.inlier_mask_, whole.inlier_mask_)


@pytest.mark.parametrize("power", [NKMeans, NKMedians])
def test_exactly_z_are_left_out_and_ties_go_by_row_number(power):
    X = np.repeat([[0.0, 0], [9, 9], [20, 0], [0, 20]], [60, 60, 7, 7], axis=0)
    X = X[np.random.default_rng(0).permutation(len(X))]
    whole = power(2, 10, random_state=0).fit(X)
    source = Counted(X, [5, 50, 51, 100])
    model = power(2, 10, random_state=0).fit(source)
    labels = labels_of(model, source)
    assert (labels < 0).sum() == 10
    np.testing.assert_array_equal(labels, whole.labels_)


def test_weights_are_honoured():
    X, _, _ = make_noisy_blobs(2000, 3, 2, 40, noise_range=2.5, random_state=0)
    weight = np.random.default_rng(0).integers(0, 4, len(X)).astype(float)
    whole = NKMeans(3, 50, random_state=0).fit(X, sample_weight=weight)
    model = NKMeans(3, 50, random_state=0).fit(Counted(X, [300]), sample_weight=weight)
    assert model.inertia_ == pytest.approx(whole.inertia_)
    np.testing.assert_array_equal(model.outlier_indices_, whole.outlier_indices_)


def test_few_passes_on_clustered_data():
    X, centers, _ = make_noisy_blobs(100_000, 5, 3, 1000, noise_range=2.5, random_state=0)
    source = Counted(X, list(range(5000, 100_000, 5000)))
    model = NKMeans(5, 1000, random_state=0).fit(source)
    assert source.walks <= 3
    assert model.inertia_ <= 1.0005 * trimmed_cost(X, centers, 1000)
    source.walks = 0
    list(model.label_source(source))
    assert source.walks == 1
    assert trimmed_cost(source, centers, 1000) == trimmed_cost(X, centers, 1000)


@pytest.mark.parametrize("n_outliers", [0, 20])
def test_few_passes_where_outliers_are_too_few_to_sample(n_outliers):
    X, centers, _ = make_noisy_blobs(100_000, 5, 3, n_outliers, noise_range=2.5, random_state=0)
    source = Counted(X, list(range(5000, 100_000, 5000)))
    model = NKMeans(5, n_outliers, random_state=0).fit(source)
    assert model.coreset_.rate == 1
    assert source.walks <= 5
    assert model.inertia_ <= 1.0005 * trimmed_cost(X, centers, n_outliers)


# ---- files


def write_parts(folder, X, ending):
    names = [f"c{j}" for j in range(X.shape[1])]
    for number, part in enumerate(np.array_split(X, 3)):
        table = pa.table(dict(zip(names, part.T.copy(), strict=True)))
        path = folder / f"part-{number}.{ending}"
        if ending == "csv":
            csv.write_csv(table, path)
        elif ending == "parquet":
            parquet.write_table(table, path, row_group_size=700)
        elif ending == "feather":
            feather.write_feather(table, path)
        else:
            np.save(path, part)
    return f"{folder}/part-*.{ending}"


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "npy"])
def test_files_give_what_their_array_gives(ending, tmp_path):
    X, _, _ = make_noisy_blobs(5000, 3, 2, 60, noise_range=2.5, random_state=0)
    source = open_source(write_parts(tmp_path, X, ending))
    assert (source.n_rows, source.n_features, len(source)) == (5060, 2, 5060)
    whole, model = NKMeans(3, 60, random_state=0).fit(X), NKMeans(3, 60, random_state=0).fit(source)
    np.testing.assert_array_equal(labels_of(model, source), whole.labels_)
    if ending != "npy":
        assert model.feature_names_in_.tolist() == ["c0", "c1"]


def test_columns_are_chosen_and_remembered(tmp_path):
    X, _, _ = make_noisy_blobs(900, 3, 3, 60, random_state=0)
    pattern = write_parts(tmp_path, X, "parquet")
    source = open_source(pattern, columns=["c2", "c0"])
    model = NKMeans(3, 60, random_state=0).fit(source)
    np.testing.assert_array_equal(
        labels_of(model, source), NKMeans(3, 60, random_state=0).fit(X[:, [2, 0]]).labels_
    )
    with pytest.raises(ValueError, match="X has 3 features, but NKMeans is expecting 2 features"):
        model.predict(open_source(pattern))
    with pytest.raises(
        ValueError, match=r"must have the columns of fit in their order, \['c2', 'c0'\]"
    ):
        model.predict(open_source(pattern, columns=["c0", "c2"]))
    with pytest.raises(DataFileError, match="has no column 'c9'"):
        open_source(pattern, columns=["c9"])


def test_a_missing_value_is_told_with_its_file_and_nothing_is_fitted(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n3,4\n")
    (tmp_path / "b.csv").write_text("x,y\n5,6\n7,\n8,9\n")
    model = NKMeans(1, 1).fit(np.zeros((5, 2)))
    with pytest.raises(ValueError, match=r"contains NaN at .*b.csv, line 3, column 1"):
        model.fit(open_source(f"{tmp_path}/*.csv"))
    assert not hasattr(model, "cluster_centers_")


def test_empty_files_among_others_are_passed_over(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n")
    (tmp_path / "b.csv").write_text("x,y\n5,6\n7,8\n8,9\n")
    source = open_source([tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "a.csv"])
    assert NKMeans(1, 1, random_state=0).fit(source).predict(source).shape == (3,)
    with pytest.raises(DataFileError, match=r"a.csv: has no rows"):
        open_source(tmp_path / "a.csv")


@pytest.mark.parametrize("change", ["vanish", "truncate", "append", "touch"])
def test_files_that_change_between_passes_are_named(change, tmp_path):
    X, _, _ = make_noisy_blobs(900, 3, 3, 60, random_state=0)
    source = open_source(write_parts(tmp_path, X, "csv"))
    victim = tmp_path / "part-1.csv"
    before = victim.stat()
    if change == "vanish":
        victim.unlink()
    elif change == "truncate":
        os.truncate(victim, 1000)
        os.utime(victim, ns=(before.st_atime_ns, before.st_mtime_ns))
    elif change == "append":
        with victim.open("a") as file:
            file.write("1,2,3\n")
        os.utime(victim, ns=(before.st_atime_ns, before.st_mtime_ns))
    else:
        os.utime(victim, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    model = NKMeans(3, 60)
    with pytest.raises((DataFileError, FileNotFoundError), match=r"part-1.csv"):
        model.fit(source)
    assert not hasattr(model, "cluster_centers_")


def test_files_with_other_columns_are_named(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.csv").write_text("x,z\n1,2\n")
    with pytest.raises(DataFileError, match=r"b.csv: has no column 'y'"):
        open_source(f"{tmp_path}/*.csv")
    (tmp_path / "b.csv").write_text("x,y,z\n1,2,3\n")
    with pytest.raises(DataFileError, match=r"b.csv: has a column 'z' that .*a.csv has not"):
        open_source(f"{tmp_path}/*.csv")


# ---- functions and arrays


def test_functions_that_yield_blocks():
    X, _, _ = make_noisy_blobs(900, 3, 3, 60, random_state=0)
    source = open_source(lambda: iter([X[:100], X[100:100], X[100:].tolist()]))
    model = NKMeans(3, 60, random_state=0).fit(source)
    np.testing.assert_array_equal(
        labels_of(model, source), NKMeans(3, 60, random_state=0).fit(X).labels_
    )
    single = open_source(lambda: iter([X.astype(np.float32)]))
    assert single.dtype == np.float32


def test_functions_that_do_not_keep_their_word():
    X = np.random.default_rng(0).normal(size=(100, 2))
    for blocks, wanted in (
        (
            [X, X[:, :1]],
            r"Block 1 of the data must be a 2-D array of numbers with 2 columns; got float64 of shape \(100, 1\)",
        ),
        ([X[0]], "Block 0 of the data must be a 2-D array"),
        ([np.array([["a"]])], "Block 0 of the data"),
        ([], "has no rows"),
    ):
        with pytest.raises(ValueError, match=wanted):
            open_source(lambda blocks=blocks: iter(blocks))
    calls = []

    def shrinking():
        calls.append(1)
        return iter([X, X[: 50 // len(calls)]])

    with pytest.raises(DataFileError, match="the data had 150 rows and now has 125"):
        NKMeans(2, 5).fit(open_source(shrinking))
    with pytest.raises(TypeError, match="must be names of files, an array, or a function"):
        open_source(3)
    with pytest.raises(ValueError, match="at least one file"):
        open_source([])


def test_memory_maps(tmp_path):
    X, _, _ = make_noisy_blobs(90_000, 3, 3, 600, random_state=0)
    np.save(tmp_path / "a.npy", X)
    source = open_source(np.load(tmp_path / "a.npy", mmap_mode="r"))
    model = NKMeans(3, 600, random_state=0).fit(source)
    assert model.inertia_ == NKMeans(3, 600, random_state=0).fit(X).inertia_
    with pytest.raises(ValueError, match="2-D array of numbers"):
        open_source(np.zeros(3))


def test_what_needs_memory_says_so():
    X = np.random.default_rng(0).normal(size=(100, 2))
    with pytest.raises(TypeError, match="X of NKMedoids must be in memory"):
        NKMedoids(2, 5).fit(open_source(X))
    with pytest.raises(TypeError, match="use fit and label_source"):
        NKMeans(2, 5).fit_predict(open_source(X))


def test_any_number_of_threads_gives_the_same():
    X, _, _ = make_noisy_blobs(20_000, 3, 3, 600, random_state=0)
    source = Counted(X, list(range(1000, 20_000, 1000)))
    one, four = (NKMeans(3, 600, random_state=0, n_jobs=jobs).fit(source) for jobs in (1, 4))
    np.testing.assert_array_equal(one.cluster_centers_, four.cluster_centers_)
    assert one.inertia_ == four.inertia_


# ---- what must not go wrong


def test_a_function_may_yield_the_same_array_again_and_again():
    X = np.random.default_rng(0).normal(size=(60_000, 3))
    buffer = np.empty((5000, 3))

    def blocks():
        for start in range(0, len(X), 5000):
            buffer[:] = X[start : start + 5000]
            yield buffer

    np.testing.assert_array_equal(np.concatenate(list(open_source(blocks).read())), X)


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (np.zeros((3, 2)), {"columns": ["x0"]}, "are for files; got data of type ndarray"),
        (np.zeros((3, 2)), {"decimal": ","}, "are for files; got data of type ndarray"),
        ("x.csv", {"columns": []}, "columns of open_source must be a list of at least one name"),
        ("x.csv", {"columns": "ab"}, "columns of open_source must be a list of at least one name"),
        (np.zeros((0, 2)), {}, "with rows and columns; got float64 of shape"),
        (np.zeros((2, 0)), {}, "with rows and columns; got float64 of shape"),
        (lambda: [np.zeros((2, 0))], {}, "Block 0 of the data must be a 2-D array of numbers"),
    ],
)
def test_sources_that_make_no_sense(data, options, words):
    with pytest.raises(ValueError, match=words):
        open_source(data, **options)


@pytest.mark.parametrize("data", [(b for b in [np.zeros((3, 2))]), [np.zeros((3, 2))], 7])
def test_data_that_cannot_be_read_twice_is_told_what_to_be(data):
    with pytest.raises(TypeError, match="a function that returns an iterator of arrays each time"):
        open_source(data)


def test_values_that_vanish_after_the_first_pass_are_an_error():
    X = np.random.default_rng(0).normal(size=(500, 2))
    passes = []

    def blocks():
        passes.append(0)
        spoilt = X.copy()
        spoilt[123, 1] = np.nan if len(passes) > 2 else 0
        yield spoilt

    model = NKMeans(3, 5, random_state=0)
    with pytest.raises(ValueError, match="Row 123 of the data has a value that is not finite"):
        model.fit(open_source(blocks))
    assert not hasattr(model, "cluster_centers_")


def test_many_files_are_not_all_open_at_once(tmp_path):
    resource = pytest.importorskip("resource")
    for number in range(40):
        np.save(tmp_path / f"{number:02}.npy", np.full((2, 2), float(number)))
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = len(list(Path("/proc/self/fd").iterdir()))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 20, before[1]))
    try:
        source = open_source(str(tmp_path / "*.npy"))
        assert len(np.concatenate(list(source.read()))) == 80
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_empty_npy_files_among_others_are_passed_over(tmp_path):
    np.save(tmp_path / "0.npy", np.empty((0, 2)))
    np.save(tmp_path / "1.npy", np.ones((3, 2)))
    assert open_source(str(tmp_path / "*.npy")).shape == (3, 2)


def test_label_source_counts_rows_of_weight_zero_as_fit_does():
    X = np.concatenate([np.zeros((20, 1)), np.full((6, 1), 5.0)])
    weight = np.ones(26)
    weight[24:] = 0
    source = open_source(X)
    model = NKMeans(1, 2, random_state=0).fit(source, sample_weight=weight)
    labels = np.concatenate(list(model.label_source(source, sample_weight=weight)))
    np.testing.assert_array_equal(np.flatnonzero(labels < 0), model.outlier_indices_)


def test_label_source_is_for_the_data_of_fit():
    X = np.random.default_rng(0).normal(size=(300, 2))
    model = NKMeans(2, 5, random_state=0)
    with pytest.raises(NotFittedError):
        model.label_source(open_source(X))
    model.fit(open_source(X))
    with pytest.raises(ValueError, match="which had 300 rows; got 200"):
        model.label_source(open_source(X[:200]))
    model.partial_fit(X)
    with pytest.raises(TypeError, match="after partial_fit and with_outliers use predict"):
        model.label_source(open_source(X))
