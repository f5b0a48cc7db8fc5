"""with_outliers: another cut without another fit."""

import numpy as np
import pytest

from nkmeans import NKMeans, NKMedians, TrimmedKMeans, load_model, save_model
from nkmeans.datasets import make_noisy_blobs
from nkmeans.metrics import trimmed_cost

X, PLANTED, _ = make_noisy_blobs(60_000, 5, 4, 600, noise_range=2.5, random_state=0)


@pytest.mark.parametrize("Clusterer", [NKMeans, NKMedians])
@pytest.mark.parametrize("n_outliers", [300, 900, 3000, 0.03])
def test_it_is_near_to_what_a_fit_finds(Clusterer, n_outliers):
    model = Clusterer(5, 600, random_state=0).fit(X)
    other, fitted = model.with_outliers(n_outliers), Clusterer(5, n_outliers, random_state=0).fit(X)
    assert other.n_outliers_ == fitted.n_outliers_
    np.testing.assert_allclose(other.cluster_centers_, fitted.cluster_centers_, atol=3e-3)
    left_out = (other.predict(X) < 0).sum()
    assert left_out == pytest.approx(fitted.n_outliers_, rel=0.12)
    assert other.inertia_ == pytest.approx(fitted.inertia_, rel=0.15)
    np.testing.assert_allclose(
        other.cluster_spread_.mean(), fitted.cluster_spread_.mean(), rtol=0.15
    )
    if Clusterer is NKMeans:
        cost = trimmed_cost(X, other.cluster_centers_, int(fitted.n_outliers_))
        assert cost <= 1.005 * fitted.inertia_
    np.testing.assert_allclose(other.core_radius_, fitted_radii(other), rtol=1e-6)


def fitted_radii(model):
    """Core radii of the model's coreset by definition."""
    points, weights = model.coreset_.points, model.coreset_.weights
    distance = np.sqrt(((points[:, None] - points) ** 2).sum(axis=-1))
    order = np.argsort(distance, axis=1)
    mass = np.cumsum(weights[order], axis=1)
    first = (mass >= 2 * model.coreset_.n_outliers).argmax(axis=1)
    return np.take_along_axis(distance, order, axis=1)[np.arange(len(points)), first]


def test_the_model_itself_does_not_change():
    model = NKMeans(5, 600, random_state=0).fit(X)
    before = {name: np.copy(value) for name, value in vars(model).items() if name != "coreset_"}
    other = model.with_outliers(900)
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(model, name), value)
    assert (model.n_outliers, other.n_outliers) == (600, 900)
    assert not hasattr(other, "labels_")
    assert not hasattr(other, "outlier_indices_")
    with pytest.raises(TypeError, match="label_source is for the data of fit"):
        other.label_source(X)


@pytest.mark.parametrize("n_outliers", [620, 700, 800, 2000])
def test_a_break_nearby_does_not_hold_the_cut(n_outliers):
    other = NKMeans(5, 600, random_state=0).fit(X).with_outliers(n_outliers)
    assert (other.predict(X) < 0).sum() == pytest.approx(n_outliers, rel=0.12)


def test_the_unit_of_weights_does_not_matter():
    weight = np.full(len(X), 1e-6)
    model = NKMeans(5, 0.01, random_state=0).fit(X, sample_weight=weight)
    assert (model.with_outliers(0.03).predict(X) < 0).mean() == pytest.approx(0.03, rel=0.12)


def test_the_same_number_changes_nothing():
    model = NKMeans(5, 600, random_state=0).fit(X)
    again = model.with_outliers(600)
    np.testing.assert_array_equal(again.labels_, model.labels_)
    np.testing.assert_array_equal(again.cluster_centers_, model.cluster_centers_)
    assert again.cluster_centers_ is not model.cluster_centers_
    there = model.with_outliers(900).with_outliers(600)
    np.testing.assert_allclose(there.cluster_centers_, model.cluster_centers_, atol=1e-3)


@pytest.mark.parametrize("n_outliers", [0, 60_000])
def test_none_and_nearly_all_may_be_left_out(n_outliers):
    other = NKMeans(5, 600, random_state=0).fit(X).with_outliers(n_outliers)
    assert other.n_outliers_ == n_outliers
    assert (other.predict(X) < 0).sum() >= 0.9 * n_outliers
    assert np.isinf(other.threshold_) == (n_outliers == 0)


@pytest.mark.parametrize("n_outliers", [-1, 1.5, "auto", 60_596])
def test_numbers_that_make_no_sense(n_outliers):
    model = NKMeans(5, 600, random_state=0).fit(X)
    with pytest.raises(ValueError, match="n_outliers of NKMeans must be"):
        model.with_outliers(n_outliers)


def test_streams_and_saved_models_can_do_it(tmp_path):
    model = NKMeans(5, 0.01, random_state=0)
    for batch in np.array_split(X, 3):
        model.partial_fit(batch)
    assert (model.with_outliers(0.02).predict(X) < 0).sum() == pytest.approx(1212, rel=0.12)
    fitted = NKMeans(5, 600, random_state=0).fit(X)
    save_model(fitted, tmp_path / "m.nkm")
    again = load_model(tmp_path / "m.nkm").with_outliers(900)
    np.testing.assert_array_equal(again.predict(X), fitted.with_outliers(900).predict(X))


def test_only_methods_that_keep_a_sample_have_it():
    assert not hasattr(TrimmedKMeans(), "with_outliers")
