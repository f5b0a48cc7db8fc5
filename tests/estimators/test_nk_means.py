"""What holds for the fitted clusterings, whatever the input looks like."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.cluster import KMeans
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import naive
from nkmeans import NKMeans
from nkmeans.data import blocks
from nkmeans.datasets import make_noisy_blobs
from nkmeans.metrics import trimmed_cost


@pytest.fixture
def noisy(seed):
    return make_noisy_blobs(3000, 4, 3, 60, noise_range=2.5, random_state=seed)[0]


def test_the_noise_score_of_the_coreset_is_kept(noisy):
    model = NKMeans(4, 60, coreset=None, random_state=0).fit(noisy)
    assert len(model.survival_radius_) == len(model.coreset_.points) == len(noisy)
    far = np.argsort(model.survival_radius_)[-40:]
    assert (model.labels_[far] == -1).all()


def test_one_row_at_a_time_predicts_the_same(noisy, dtype):
    X = noisy.astype(dtype)
    model = NKMeans(4, 60, random_state=0).fit(X)
    np.testing.assert_array_equal(
        np.concatenate([model.predict(row[None]) for row in X[:300]]), model.predict(X)[:300]
    )


def test_without_outliers_it_is_k_means(seed):
    X, _, _ = make_noisy_blobs(3000, 5, 2, 0, sigma=0.2, random_state=seed)
    ours = NKMeans(5, 0, random_state=0, tol=1e-9).fit(X)
    theirs = KMeans(5, init=ours.cluster_centers_, n_init=1, tol=0).fit(X)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-6)
    assert ours.inertia_ <= KMeans(5, n_init=10, random_state=0).fit(X).inertia_ * 1.001
    assert ours.threshold_ == np.inf
    assert (ours.predict(np.full((1, 2), 1e6)) >= 0).all()


# Input kinds


def test_orders_memmaps_frames_and_types_give_the_same(noisy, tmp_path):
    X = np.round(noisy * 1000)
    np.save(tmp_path / "X.npy", X)
    want = NKMeans(4, 60, random_state=0).fit(X)
    columns = ["a", "b", "c"]
    for other in (
        np.asfortranarray(X),
        np.load(tmp_path / "X.npy", mmap_mode="r"),
        X.astype(np.int64),
        X.astype(np.int16),
        X.tolist(),
        pd.DataFrame(X, columns=columns),
        pl.DataFrame(X, schema=columns),
    ):
        model = NKMeans(4, 60, random_state=0).fit(other)
        np.testing.assert_array_equal(model.labels_, want.labels_)
        np.testing.assert_array_equal(model.predict(other), want.labels_)
        assert model.inertia_ == pytest.approx(want.inertia_)
    in32 = NKMeans(4, 60, random_state=0).fit(X.astype(np.float32))
    np.testing.assert_array_equal(in32.labels_, want.labels_)


def test_the_input_is_not_changed(noisy, dtype):
    X = noisy.astype(dtype)
    X.flags.writeable = False
    before = X.copy()
    NKMeans(4, 60, random_state=0).fit(X, sample_weight=np.ones(len(X))).predict(X)
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("Frame", [pd.DataFrame, pl.DataFrame])
def test_names_of_columns_go_in_and_out(Frame, noisy):
    frame = Frame(dict(zip("abc", noisy.T, strict=True)))
    model = NKMeans(4, 60, random_state=0).fit(frame)
    np.testing.assert_array_equal(model.feature_names_in_, ["a", "b", "c"])
    np.testing.assert_array_equal(model.get_feature_names_out(), [f"nkmeans{i}" for i in range(4)])
    kind = "pandas" if Frame is pd.DataFrame else "polars"
    out = model.set_output(transform=kind).transform(frame)
    assert list(out.columns) == [f"nkmeans{i}" for i in range(4)]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(
            frame[["b", "a", "c"]] if Frame is pd.DataFrame else frame.select("b", "a", "c")
        )


# scikit-learn's ways


def test_in_a_pipeline_and_a_grid_search(noisy):
    pipe = make_pipeline(StandardScaler(), NKMeans(4, 0.02, random_state=0))
    assert (pipe.fit_predict(noisy) == -1).sum() == int(0.02 * len(noisy))
    grid = GridSearchCV(NKMeans(n_outliers=0.02, random_state=0), {"n_clusters": [1, 2, 4]}, cv=3)
    assert grid.fit(noisy).best_params_ == {"n_clusters": 4}


# The corners of the problem


def test_mostly_duplicates(rng):
    X = np.repeat(rng.normal(size=(6, 3)), [5000, 3000, 900, 90, 9, 1], axis=0)
    rng.shuffle(X)
    model = NKMeans(3, 100, random_state=0).fit(X)
    assert len(model.outlier_indices_) == 100
    assert model.inertia_ == pytest.approx(0, abs=1e-18)


def test_clusters_smaller_than_z(rng):
    X = np.concatenate([rng.normal(size=(500, 2)) * 0.1, rng.normal(size=(20, 2)) * 0.1 + 5])
    model = NKMeans(2, 50, random_state=0).fit(X)
    assert len(model.outlier_indices_) == 50
    assert model.inertia_ <= trimmed_cost(X, [[0, 0], [5, 5]], 50)


def test_float32_far_from_zero_is_as_right_as_float64():
    X, _, _ = make_noisy_blobs(20_000, 5, 3, 200, sigma=0.02, random_state=0)
    X = (X + 1e4).astype(np.float32)
    in32 = NKMeans(5, 200, random_state=0).fit(X)
    in64 = NKMeans(5, 200, random_state=0).fit(X.astype(np.float64))
    assert (in32.labels_ != in64.labels_).mean() < 1e-3
    assert in32.inertia_ == pytest.approx(in64.inertia_, rel=1e-5)
    assert trimmed_cost(X.astype(np.float64), in32.cluster_centers_, 200) == pytest.approx(
        in64.inertia_, rel=1e-5
    )


@pytest.mark.parametrize("scale", [1e150, 1e-140, 1e30, 1e-30])
def test_huge_and_tiny_values(scale):
    X, _, _ = make_noisy_blobs(2000, 4, 3, 40, noise_range=2.5, random_state=0)
    model = NKMeans(4, 40, random_state=0).fit(X * scale)
    plain = NKMeans(4, 40, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    assert model.inertia_ == pytest.approx(plain.inertia_ * scale * scale, rel=1e-6)
    if 1e-38 < scale < 1e38:
        in32 = NKMeans(4, 40, random_state=0).fit((X * scale).astype(np.float32))
        assert (in32.labels_ != plain.labels_).mean() < 1e-3


def test_one_wild_value_in_float32():
    X, _, _ = make_noisy_blobs(2000, 4, 3, 0, random_state=0)
    X = X.astype(np.float32)
    X[17, 1] = 1e30
    model = NKMeans(4, 1, random_state=0).fit(X)
    np.testing.assert_array_equal(model.outlier_indices_, [17])
    assert model.inertia_ < 2


def test_tiny_float32_values_under_one_large_one():
    X, _, _ = make_noisy_blobs(2000, 4, 3, 0, random_state=0)
    X = (X * 1e-24).astype(np.float32)
    X[17, 1] = 1
    model = NKMeans(4, 1, random_state=0).fit(X)
    np.testing.assert_array_equal(model.outlier_indices_, [17])
    assert len(np.unique(model.labels_)) == 5


@pytest.mark.parametrize("share", [0.29, 0.57, 0.58])
def test_a_share_is_rounded_down_from_the_number_one_means(share, rng):
    model = NKMeans(2, share, random_state=0).fit(rng.normal(size=(100, 2)))
    assert len(model.outlier_indices_) == round(100 * share)


@pytest.mark.parametrize("coreset", ["auto", "practical", "theory", None])
def test_one_row_of_weight(coreset):
    model = NKMeans(1, 0.5, coreset=coreset, random_state=0)
    model.fit([[1.0, 2.0], [3.0, 4.0]], sample_weight=[3, 0])
    np.testing.assert_array_equal(model.cluster_centers_, [[1.0, 2.0]])


def test_constant_columns_change_nothing(noisy):
    wide = np.column_stack([np.full(len(noisy), 7.0), noisy, np.zeros(len(noisy))])
    np.testing.assert_array_equal(
        NKMeans(4, 60, random_state=0).fit(wide).labels_,
        NKMeans(4, 60, random_state=0).fit(noisy).labels_,
    )


def test_the_order_of_the_rows_changes_nothing(noisy, rng):
    order = rng.permutation(len(noisy))
    model = NKMeans(4, 60, random_state=0).fit(noisy)
    shuffled = NKMeans(4, 60, random_state=1).fit(noisy[order])
    np.testing.assert_array_equal(shuffled.labels_, model.labels_[order])
    assert (np.diff(model.cluster_centers_[:, 0]) > 0).all()


def test_shift_and_scale_change_nothing(noisy):
    model = NKMeans(4, 60, random_state=0).fit(noisy)
    moved = NKMeans(4, 60, random_state=0).fit(noisy * 8 + 32)
    np.testing.assert_array_equal(moved.labels_, model.labels_)
    np.testing.assert_allclose(moved.cluster_centers_, model.cluster_centers_ * 8 + 32)


# Weights


def test_whole_weights_cost_what_copies_cost(noisy, rng):
    weight = rng.integers(0, 4, len(noisy))
    model = NKMeans(4, 120, random_state=0).fit(noisy, sample_weight=weight)
    copies = np.repeat(noisy, weight, axis=0)
    assert model.inertia_ == pytest.approx(naive.trimmed_cost(copies, model.cluster_centers_, 120))
    assert model.inertia_ <= 1.001 * NKMeans(4, 120, random_state=0).fit(copies).inertia_
    assert weight[model.outlier_indices_].sum() <= 120 < weight[model.outlier_indices_].sum() + 4


def test_the_scale_of_the_weights_does_not_matter(noisy):
    shares = np.full(len(noisy), 1 / len(noisy))
    model = NKMeans(4, 0.02, random_state=0).fit(noisy, sample_weight=shares)
    plain = NKMeans(4, 0.02, random_state=0).fit(noisy)
    assert model.inertia_ * len(noisy) == pytest.approx(plain.inertia_, rel=1e-2)
    assert len(model.outlier_indices_) == pytest.approx(0.02 * len(noisy), abs=1)


@pytest.mark.parametrize("unit", [0.1, 0.01, 1 / 2020])
@pytest.mark.parametrize("share", [0.05, 0.29, 0.3])
def test_equal_weights_leave_out_as_many_rows_as_none(unit, share, rng):
    X = rng.normal(size=(100, 2))
    model = NKMeans(2, share, random_state=0).fit(X, sample_weight=np.full(100, unit))
    assert len(model.outlier_indices_) == round(100 * share)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


# The same answer


@pytest.mark.parametrize("z", [5, 300])
def test_any_block_size_gives_the_same_up_to_rounding(z, monkeypatch):
    X, _, _ = make_noisy_blobs(20_000, 5, 4, 300, noise_range=2.5, sigma=0.1, random_state=0)
    fits = []
    for block_bytes in (1 << 13, 1 << 16, 1 << 30):
        monkeypatch.setattr(blocks, "BLOCK_BYTES", block_bytes)
        fits.append(NKMeans(5, z, random_state=1).fit(X))
    for other in fits[1:]:
        np.testing.assert_array_equal(other.labels_, fits[0].labels_)
        np.testing.assert_allclose(other.cluster_centers_, fits[0].cluster_centers_, rtol=1e-9)


def test_seeds_matter_and_states_are_used_up(noisy):
    assert (
        NKMeans(4, 60, random_state=0).fit(noisy).inertia_
        == NKMeans(4, 60, random_state=np.random.RandomState(0)).fit(noisy).inertia_
    )
    one, other = (
        NKMeans(4, 60, coreset="practical", random_state=s).fit(noisy).coreset_ for s in (0, 1)
    )
    assert one.points.shape != other.points.shape or (one.points != other.points).any()


# New data


@pytest.mark.parametrize("scale", [1e25, 1e-25])
def test_a_row_gets_the_same_alone_and_in_a_batch(scale):
    X, _, _ = make_noisy_blobs(500, 3, 2, 5, random_state=0)
    X = (X * scale).astype(np.float32)
    model = NKMeans(3, 5, random_state=0).fit(X)
    rows = np.concatenate([model._origin[None].astype(np.float32), X[:50]])
    np.testing.assert_array_equal(
        model.score_samples(rows), np.concatenate([model.score_samples(row[None]) for row in rows])
    )
    np.testing.assert_array_equal(
        model.predict(rows), np.concatenate([model.predict(row[None]) for row in rows])
    )


def test_absurd_rows_are_outliers_of_a_fitted_model(noisy, dtype):
    model = NKMeans(4, 60, random_state=0).fit(noisy.astype(dtype))
    assert model.predict(np.array([[1e30, 0, 0]], dtype))[0] == -1
    assert model.predict([[1e200, 0, 0]])[0] == -1
