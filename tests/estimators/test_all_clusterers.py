"""What holds for every clustering of the package."""

import pickle

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import naive
from family import CLUSTERERS, cost_of, power, prices
from nkmeans import NKMeans, NKMedoids, PrimalDualKMeans
from nkmeans.data import blocks
from nkmeans.datasets import make_noisy_blobs

every = pytest.mark.parametrize("Clusterer", CLUSTERERS)


@pytest.fixture
def noisy(seed):
    return make_noisy_blobs(1500, 4, 3, 60, noise_range=2.5, random_state=seed)[0]


@every
@pytest.mark.parametrize("coreset", ["auto", None])
def test_the_attributes_fit_together(Clusterer, coreset, noisy):
    model = Clusterer(4, 60, coreset=coreset, random_state=0).fit(noisy)
    labels, price = naive.nearest(noisy, model.cluster_centers_)[0], prices(model, noisy)
    inside = model.labels_ >= 0
    np.testing.assert_array_equal(model.labels_[inside], labels[inside])
    np.testing.assert_array_equal(model.outlier_indices_, np.flatnonzero(~inside))
    assert len(model.outlier_indices_) == 60 == model.n_outliers_
    assert model.inertia_ == pytest.approx(cost_of(model, noisy, 60))
    assert model.threshold_ == pytest.approx(price[inside].max())
    assert price[~inside].min() >= model.threshold_ * (1 - 1e-12)
    np.testing.assert_array_equal(model.predict(noisy), model.labels_)
    np.testing.assert_array_equal(model.predict(noisy, assign_outliers=True), labels)
    np.testing.assert_allclose(model.score_samples(noisy), -price, atol=1e-12)
    np.testing.assert_allclose(
        model.transform(noisy) ** 2,
        naive.pairwise_dist2(noisy, model.cluster_centers_),
        atol=1e-12,
    )
    assert model.score(noisy) == pytest.approx(-model.inertia_)
    assert model.n_iter_ >= 1
    order = np.lexsort(model.cluster_centers_.T[::-1])
    assert (order == np.arange(4)).all() or coreset is None


@every
def test_what_was_sampled_is_told(Clusterer):
    X, _, _ = make_noisy_blobs(60_000, 4, 3, 600, noise_range=2.5, random_state=0)
    model = Clusterer(4, 600, random_state=0).fit(X)
    sampled = model.sample_indices_ if Clusterer is NKMedoids else model.coreset_.sample_indices
    assert 0 < len(sampled) < len(X)
    assert (np.diff(sampled) > 0).all()
    points = X[model.coreset_indices_] if Clusterer is NKMedoids else model.coreset_.points
    assert len(points) < 2100
    assert hasattr(Clusterer(4, 60, coreset=None, random_state=0).fit(X[:1000]), "coreset_") == (
        Clusterer.__name__ in ("NKMeans", "NKMedians", "UniformSampleKMeans")
    )


@every
def test_clone_and_pickle(Clusterer, noisy):
    model = Clusterer(4, 60, random_state=0).fit(noisy)
    assert clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(noisy), model.labels_)


@every
@pytest.mark.parametrize(("n", "k", "z"), [(40, 1, 0), (40, 1, 39), (40, 3, 37), (40, 40, 0), (5, 5, 0), (1, 1, 0), (2, 1, 1), (40, 4, 20)])  # fmt: skip
def test_the_ends_of_k_and_z(Clusterer, n, k, z, rng):
    X = rng.normal(size=(n, 2))
    model = Clusterer(k, z, random_state=0).fit(X)
    assert (model.labels_ == -1).sum() == z
    assert model.inertia_ == pytest.approx(cost_of(model, X, z), abs=1e-12)
    if k + z == n and Clusterer in (NKMeans, NKMedoids):
        assert model.inertia_ == pytest.approx(0, abs=1e-12)


@every
@pytest.mark.parametrize("n", [10, 5000])
@pytest.mark.parametrize("z", [0, 3])
def test_all_points_equal(Clusterer, n, z):
    X = np.full((n, 2), 3.5)
    model = Clusterer(1, z, random_state=0).fit(X)
    assert model.inertia_ == 0
    # Among equals the lower row numbers stay in.
    np.testing.assert_array_equal(model.outlier_indices_, np.arange(n - z, n))


@every
def test_few_places_many_copies(Clusterer, rng):
    places = rng.normal(size=(6, 3))
    X = np.repeat(places, [5000, 3000, 900, 90, 9, 1], axis=0)
    rng.shuffle(X)
    model = Clusterer(6, 0, random_state=0).fit(X)
    assert len(np.unique(model.cluster_centers_, axis=0)) == 6
    if Clusterer in (NKMeans, NKMedoids):
        assert model.inertia_ == pytest.approx(0, abs=1e-9)


@every
def test_rows_without_weight_have_no_say(Clusterer, noisy):
    weight = np.ones(len(noisy))
    weight[::5] = 0
    spoiled = noisy.copy()
    spoiled[::5] += 1000
    one = Clusterer(4, 50, random_state=0).fit(noisy, sample_weight=weight)
    other = Clusterer(4, 50, random_state=0).fit(spoiled, sample_weight=weight)
    assert abs(other.cluster_centers_).max() < 10
    np.testing.assert_array_equal(one.labels_[weight > 0], other.labels_[weight > 0])
    assert (one.labels_[weight > 0] == -1).sum() == 50


@every
def test_weight_is_mass(Clusterer, noisy, rng):
    weight = rng.integers(0, 4, len(noisy))
    model = Clusterer(4, 120, random_state=0).fit(noisy, sample_weight=weight)
    assert model.inertia_ == pytest.approx(cost_of(model, noisy, 120, weight))
    out = weight[model.outlier_indices_].sum()
    assert out <= 120 < out + 4
    assert model.score(noisy, sample_weight=weight) == pytest.approx(-model.inertia_)


@every
@pytest.mark.parametrize("weighted", [False, True])
def test_any_number_of_threads_gives_the_same_bits(Clusterer, weighted, monkeypatch, dtype):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1 << 13)
    X, _, _ = make_noisy_blobs(20_000, 6, 4, 400, noise_range=2.5, sigma=0.3, random_state=0)
    X = X.astype(dtype)
    weight = np.random.default_rng(0).uniform(0, 2, len(X)) if weighted else None
    fits = [
        Clusterer(6, 0.02, random_state=5, n_jobs=n_jobs).fit(X, sample_weight=weight)
        for n_jobs in (1, 2, 4)
    ]
    for other in fits[1:]:
        np.testing.assert_array_equal(other.labels_, fits[0].labels_)
        np.testing.assert_array_equal(other.cluster_centers_, fits[0].cluster_centers_)
        assert other.inertia_ == fits[0].inertia_


@every
def test_float32_and_float64_agree(Clusterer, noisy):
    X = np.round(noisy * 1000)
    in64 = Clusterer(4, 60, random_state=0).fit(X)
    in32 = Clusterer(4, 60, random_state=0).fit(X.astype(np.float32))
    assert in32.inertia_ == pytest.approx(in64.inertia_, rel=0.05)
    assert (in32.labels_ == -1).sum() == 60


@every
def test_more_runs_are_never_worse(Clusterer, noisy):
    one = Clusterer(4, 60, random_state=0).fit(noisy)
    best = Clusterer(4, 60, n_init=4, random_state=0).fit(noisy)
    assert best.inertia_ <= one.inertia_


@every
def test_verbose_tells_the_stages(Clusterer, noisy, capsys):
    Clusterer(4, 60, random_state=0).fit(noisy)
    assert capsys.readouterr().out == ""
    Clusterer(4, 60, random_state=0, verbose=1).fit(noisy)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= 2
    assert all(line.startswith(f"[{Clusterer.__name__}]") for line in lines)


# Against the optimum


@every
@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("z", [0, 2])
def test_no_cost_is_below_the_optimum(Clusterer, k, z, rng):
    X = rng.integers(0, 20, (8, 2)).astype(float)
    model = Clusterer(k, z, random_state=0).fit(X)
    if power(model) == 2:
        assert model.inertia_ >= naive.optimal_kmeans_with_outliers(X, k, z)[0] - 1e-9
    elif Clusterer is NKMedoids:
        best, _ = naive.optimal_medoids(np.sqrt(naive.pairwise_dist2(X, X)), k, z)
        assert model.inertia_ == pytest.approx(best)
    else:
        best = naive.optimal_medoids(np.sqrt(naive.pairwise_dist2(X, X)), k, z)[0]
        assert best / 2 - 1e-9 <= model.inertia_ <= best + 1e-9


# Bad input

PARAMETERS = [
    ({"n_clusters": 0}, "n_clusters of NAME must be an int >= 1.*; got 0."),
    ({"n_clusters": 2.0}, "n_clusters of NAME must be an int >= 1.*; got 2.0."),
    ({"n_clusters": True}, "n_clusters of NAME must be an int >= 1.*; got True."),
    ({"n_outliers": "some"}, r"a float in \[0, 1\) or .auto.; got 'some'."),
    ({"max_clusters": 1}, "max_clusters of NAME must be an int >= 2; got 1."),
    ({"n_outliers": -1}, r"n_outliers of NAME must be an int in \[0, n_samples - n_clusters\], a float in \[0, 1\) or \"auto\"; got -1."),
    ({"n_outliers": 1.0}, r"a float in \[0, 1\) or .auto.; got 1.0."),
    ({"n_outliers": 1.5}, r"a float in \[0, 1\) or .auto.; got 1.5."),
    ({"n_outliers": float("nan")}, "got nan"),
    ({"n_outliers": "many"}, "got 'many'"),
    ({"n_outliers": 93}, "n_outliers of NAME must be .* got 93 with n_samples=100 and n_clusters=8."),
    ({"n_outliers": 0.999}, "got 0.999 with n_samples=100 and n_clusters=8"),
    ({"n_clusters": 101}, r"n_clusters of NAME must be an int in \[1, n_samples\]; got 101 with n_samples=100."),
    ({"clusterer": NKMeans}, "clusterer of NAME must be None or a scikit-learn style clusterer .an instance"),
    ({"clusterer": 3}, "clusterer of NAME"),
    ({"coreset": "small"}, "coreset of NAME must be 'auto' or 'practical' or 'theory' or None; got 'small'."),
    ({"coreset": np.ones(2)}, "coreset of NAME must be"),
    ({"refine": "yes"}, "refine of NAME must be True or False; got 'yes'."),
    ({"eps": -0.1}, "eps of NAME must be a finite number >= 0; got -0.1."),
    ({"mode": "bold"}, "mode of NAME must be 'conservative' or 'aggressive'; got 'bold'."),
    ({"beta": 0}, "beta of NAME must be a finite number > 0; got 0."),
    ({"alpha": 1.1}, r"alpha of NAME must be a number in \[0, 1\]; got 1.1."),
    ({"oversampling": 0.5}, "oversampling of NAME must be a finite number >= 1; got 0.5."),
    ({"metric": 3}, "metric of NAME must be the name of a metric, a function of two rows, or \"precomputed\"; got 3."),
    ({"metric": "nearly"}, "metric"),
    ({"n_init": 0}, "n_init of NAME"),
    ({"max_iter": 0}, "max_iter of NAME"),
    ({"tol": -1.0}, "tol of NAME must be a finite number >= 0; got -1.0."),
    ({"n_jobs": 0}, "n_jobs of NAME must be None or a nonzero int; got 0."),
    ({"verbose": -1}, "verbose of NAME"),
    ({"random_state": "x"}, "cannot be used to seed"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("Clusterer", "parameters", "words"),
    [
        (Clusterer, *case)
        for Clusterer in CLUSTERERS
        for case in PARAMETERS
        if set(case[0]) <= set(Clusterer().get_params())
    ],
)
def test_bad_parameters_are_named(Clusterer, parameters, words, rng):
    X = rng.normal(size=(100, 2))
    model = Clusterer().fit(X)
    with pytest.raises(ValueError, match=words.replace("NAME", Clusterer.__name__)):
        model.set_params(**parameters).fit(X)
    with pytest.raises(NotFittedError):
        check_is_fitted(model)


def test_every_parameter_has_its_bad_value():
    known = {name for Clusterer in CLUSTERERS for name in Clusterer().get_params()}
    assert known == {name for parameters, _ in PARAMETERS for name in parameters}


def with_value(value, row=17, column=1):
    X = np.zeros((100, 3))
    X[row, column] = value
    return X


@every
@pytest.mark.parametrize(
    ("X", "words"),
    [
        (with_value(np.nan), "contains NaN at row 17, column 1"),
        (with_value(np.inf), r"contains infinity \(inf\) at row 17, column 1"),
        (with_value(1e300), "overflow float64"),
        (np.array([["a", "b"]] * 10), "could not convert string to float|dtype='numeric'"),
        (np.zeros((0, 3)), r"0 sample\(s\)"),
        (np.zeros((10, 0)), r"0 feature\(s\)"),
        (np.zeros(10), "Expected 2D array"),
        (np.zeros((2, 2, 2)), "dim 3"),
        (np.zeros((100, 2)), "at most the number of distinct rows; got 2 with 1 distinct rows"),
        (np.zeros((10, 2), complex), "Complex data not supported"),
        (np.random.default_rng(0).normal(size=(20, 2)) * 1e-170, "vanish in float64"),
        (np.arange(20).reshape(10, 2).astype("M8[s]"), "must hold numbers; got dates"),
    ],
)
def test_bad_data_is_named_and_leaves_no_trace(Clusterer, X, words):
    model = Clusterer(2, 1, random_state=0).fit([[0.0], [1.0], [2.0]])
    with pytest.raises(ValueError, match=words):
        model.fit(X)
    with pytest.raises(NotFittedError):
        check_is_fitted(model)


@every
def test_sparse_input_is_refused(Clusterer):
    with pytest.raises(TypeError, match="Sparse data was passed"):
        Clusterer(2, 1).fit(scipy.sparse.eye(10).tocsr())


@every
@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (np.r_[-1.0, np.ones(9)], "must be finite and not negative; got -1.0 at row 0"),
        (np.r_[np.ones(9), np.nan], "got nan at row 9"),
        (np.zeros(10), "must not be zero everywhere"),
        (np.ones(9), "a weight for each of the 10 rows; got 9"),
        (np.ones((10, 2)), "2 dimensions"),
        (["a"] * 10, "must hold numbers"),
        (np.r_[1.0, np.zeros(9)], "got 2 with n_samples=1"),
        (np.ones(10, complex), "must hold real numbers; got complex128"),
        (np.full(10, 1e306), r"largest weight in \[1e-100, 1e\+100\]; got 1e\+306"),
        (np.full(10, 5e-324), "largest weight in"),
    ],
)
def test_bad_weights_are_named(Clusterer, weight, words, rng):
    with pytest.raises(ValueError, match=words):
        Clusterer(2, 0).fit(rng.normal(size=(10, 2)), sample_weight=weight)


@every
@pytest.mark.parametrize("method", ["predict", "transform", "score_samples", "score"])
def test_methods_check_what_comes_after_fit(Clusterer, method, rng):
    X = rng.normal(size=(50, 3))
    with pytest.raises(NotFittedError):
        getattr(Clusterer(), method)(X)
    call = getattr(Clusterer(2, 1, random_state=0).fit(X), method)
    words = f"X has 2 features, but {Clusterer.__name__} is expecting 3"
    with pytest.raises(ValueError, match=words):
        call(X[:, :2])
    with pytest.raises(ValueError, match="contains NaN at row 4, column 2"):
        call(np.where(np.arange(150).reshape(50, 3) == 14, np.nan, X))


@pytest.mark.parametrize("Clusterer", [PrimalDualKMeans, NKMedoids])
def test_methods_that_need_all_pairs_say_how_many_they_take(Clusterer, rng):
    with pytest.raises(ValueError, match=r'at most 5000 of them; got 5001. Use coreset="auto"'):
        Clusterer(3, 5, coreset=None).fit(rng.normal(size=(5001, 2)))
