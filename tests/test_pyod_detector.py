"""The detector does what a subclass of PyOD's BaseDetector with the same scores would do."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from nkmeans import NKMeans, NKMeansDetector
from nkmeans.datasets import make_noisy_blobs

X, _, OUTLIERS = make_noisy_blobs(475, 4, 3, 25, noise_range=2.5, sigma=0.2, random_state=0)
NEW = np.random.default_rng(1).uniform(-3, 3, (60, 3))
KINDS = ("distance", "relative", "survival")


def detector(kind="distance", contamination=0.05):
    return NKMeansDetector(contamination, n_clusters=4, kind=kind, random_state=0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_scores_are_those_of_the_clustering(kind):
    fitted = detector(kind).fit(X)
    model = NKMeans(4, 0.05, random_state=0).fit(X)
    np.testing.assert_array_equal(fitted.decision_scores_, model.outlier_score(X, kind))
    np.testing.assert_array_equal(fitted.decision_function(NEW), model.outlier_score(NEW, kind))
    assert fitted.threshold_ == np.percentile(fitted.decision_scores_, 95)
    np.testing.assert_array_equal(fitted.labels_, fitted.decision_scores_ > fitted.threshold_)
    assert fitted.labels_.sum() == 25
    np.testing.assert_array_equal(fitted.predict(X), fitted.labels_)
    np.testing.assert_array_equal(detector(kind).fit_predict(X), fitted.labels_)


def as_pyod_has_it(fitted):
    """A subclass of PyOD's base class that only takes our scores."""
    base = pytest.importorskip("pyod.models.base")

    class Subclass(base.BaseDetector):
        def __init__(self, contamination):
            super().__init__(contamination)

        def fit(self, X, y=None):
            self._set_n_classes(y)
            self.decision_scores_ = fitted.decision_scores_
            self._process_decision_scores()
            return self

        def decision_function(self, X):
            return fitted.decision_function(X)

    return Subclass(fitted.contamination).fit(None)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("contamination", [0.01, 0.05, 0.333])
def test_everything_else_is_as_pyod_has_it(kind, contamination):
    fitted = detector(kind, contamination).fit(X)
    theirs = as_pyod_has_it(fitted)
    assert fitted.threshold_ == theirs.threshold_
    np.testing.assert_array_equal(fitted.labels_, theirs.labels_)
    for rows in (X, NEW):
        np.testing.assert_array_equal(fitted.predict(rows), theirs.predict(rows))
        np.testing.assert_allclose(
            fitted.predict_confidence(rows), theirs.predict_confidence(rows), atol=1e-12
        )
        for method in ("linear", "unify"):
            ours = fitted.predict_proba(rows, method)
            np.testing.assert_allclose(ours, theirs.predict_proba(rows, method), atol=1e-12)
            assert ours.shape == (len(rows), 2)
            for mine, other in zip(
                fitted.predict_proba(rows, method, return_confidence=True),
                theirs.predict_proba(rows, method, return_confidence=True),
                strict=True,
            ):
                np.testing.assert_allclose(mine, other, atol=1e-12)
        labels, confidence = fitted.predict(rows, return_confidence=True)
        np.testing.assert_array_equal(labels, fitted.predict(rows))
        np.testing.assert_array_equal(confidence, fitted.predict_confidence(rows))


def test_the_evaluation_of_pyod_takes_it(capsys):
    data = pytest.importorskip("pyod.utils.data")
    from pyod.utils.utility import check_detector

    fitted = detector().fit(X)
    check_detector(fitted)
    data.evaluate_print("NKMeans", OUTLIERS.astype(int), fitted.decision_scores_)
    assert "NKMeans ROC:" in capsys.readouterr().out


def test_the_ensembles_of_pyod_take_it():
    pytest.importorskip("combo")
    combination = pytest.importorskip("pyod.models.combination")
    from pyod.models.feature_bagging import FeatureBagging
    from pyod.utils.utility import standardizer

    each = np.column_stack([detector(kind).fit(X).decision_scores_ for kind in KINDS])
    bagged = FeatureBagging(detector(), n_estimators=3, contamination=0.05, random_state=0).fit(X)
    for scores in (combination.average(standardizer(each)), bagged.decision_scores_):
        assert OUTLIERS[np.argsort(scores)[-25:]].mean() > 0.8


def test_equal_scores_are_no_outliers():
    fitted = NKMeansDetector(0.2, n_clusters=1, random_state=0).fit(np.full((20, 2), 3.5))
    assert fitted.threshold_ == 0
    assert not fitted.labels_.any()
    new = np.array([[3.5, 3.5], [9.0, 9.0]])
    for method in ("linear", "unify"):
        np.testing.assert_array_equal(fitted.predict_proba(new, method), [[1, 0], [0, 1]])


def test_it_is_cloned_and_set_as_scikit_learn_does():
    fitted = detector("survival").fit(pd.DataFrame(X, columns=["a", "b", "c"]))
    assert fitted.n_features_in_ == 3
    again = clone(fitted)
    assert again.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        again.predict(X)
    assert again.set_params(kind="relative", contamination=0.1).fit(X).labels_.sum() == 50
    with pytest.raises(ValueError, match="X has 2 features"):
        again.decision_function(X[:, :2])


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"contamination": 0}, r"contamination of NKMeansDetector must be a float in \(0, 0.5\]; got 0."),
        ({"contamination": 0.51}, "got 0.51."),
        ({"contamination": "auto"}, "got 'auto'."),
        ({"contamination": True}, "got True."),
        ({"contamination": float("nan")}, "got nan."),
        ({"kind": "density"}, "kind of NKMeansDetector must be 'distance', 'relative' or 'survival'; got 'density'."),
        ({"n_clusters": 0}, "n_clusters of NKMeansDetector must be an int >= 1; got 0."),
        ({"n_init": 0}, "n_init of NKMeansDetector"),
        ({"n_jobs": 0}, "n_jobs of NKMeansDetector"),
        ({"random_state": "x"}, "cannot be used to seed"),
    ],
)  # fmt: skip
def test_bad_parameters_are_named(parameters, words):
    with pytest.raises(ValueError, match=words):
        NKMeansDetector(**parameters).fit(X)


def test_half_of_the_rows_leave_no_dense_place():
    """The weights of a sample's cells add up to a little less than all."""
    rows = np.random.default_rng(0).normal(size=(20_000, 2))
    words = r"must be well below 0.5 with kind='survival', .* got 0.5"
    with pytest.raises(ValueError, match=words):
        NKMeansDetector(0.5, n_clusters=2, kind="survival", random_state=0).fit(rows)


def test_an_unknown_method_is_told():
    fitted = detector().fit(X)
    with pytest.raises(
        ValueError, match="method of predict_proba must be 'linear' or 'unify'; got 'log'"
    ):
        fitted.predict_proba(NEW, "log")


def test_parameters_set_after_fit_do_not_change_what_was_fitted(rng):
    X = rng.normal(size=(300, 2))
    detector = NKMeansDetector(0.1, 3, random_state=0).fit(X)
    before = detector.predict(X)
    np.testing.assert_array_equal(detector.set_params(kind="relative").predict(X), before)
    with pytest.raises(ValueError, match="kind"):
        detector.set_params(kind="other").fit(X)
    assert not [name for name in vars(detector) if name.endswith("_")]
