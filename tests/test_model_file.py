"""Models in files, and files that only claim to be models."""

import io
import json
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from family import CLUSTERERS
from nkmeans import (
    NKMeans,
    NKMedoids,
    NoiseFilter,
    SampleCoreset,
    load_model,
    open_source,
    save_model,
)
from nkmeans.data.table import Table
from nkmeans.datasets import make_noisy_blobs
from nkmeans.model_file import HEADER, ModelFileError
from nkmeans.preparation import learn

X, _, _ = make_noisy_blobs(300, 3, 2, 10, random_state=0)


def fitted():
    return NKMeans(3, 10, random_state=0).fit(X)


def same(a, b):
    if hasattr(a, "__dataclass_fields__"):
        return type(a) is type(b) and all(
            same(getattr(a, name), getattr(b, name)) for name in a.__dataclass_fields__
        )
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return a == b


@pytest.mark.parametrize(
    "kind", [*CLUSTERERS, NoiseFilter, SampleCoreset], ids=lambda kind: kind.__name__
)
def test_every_estimator_survives_the_round_trip(kind, tmp_path):
    model = kind(3, 10, random_state=0).fit(X)
    save_model(model, tmp_path / "m.nkm")
    again = load_model(tmp_path / "m.nkm")
    assert type(again) is kind
    assert again.get_params() == model.get_params()
    assert set(vars(again)) == set(vars(model))
    for name, value in vars(model).items():
        assert same(value, vars(again)[name]), name
    for method in ("predict", "transform", "score_samples"):
        if hasattr(model, method):
            np.testing.assert_array_equal(getattr(again, method)(X), getattr(model, method)(X))
    if kind in CLUSTERERS:
        for score in (
            "distance",
            "relative",
            *(["survival"] if hasattr(model, "core_radius_") else []),
        ):
            np.testing.assert_array_equal(
                again.outlier_score(X, score), model.outlier_score(X, score)
            )


def test_how_outputs_are_wrapped_is_no_part_of_the_model(tmp_path):
    model = fitted().set_output(transform="pandas")
    save_model(model, tmp_path / "m.nkm")
    np.testing.assert_array_equal(load_model(tmp_path / "m.nkm").predict(X), model.predict(X))


def test_medoids_of_a_matrix_have_no_centres_to_check(tmp_path):
    distances = np.abs(X[:60, :1] - X[:60, :1].T)
    model = NKMedoids(3, 5, metric="precomputed", random_state=0).fit(distances)
    save_model(model, tmp_path / "m.nkm")
    np.testing.assert_array_equal(
        load_model(tmp_path / "m.nkm").predict(distances), model.predict(distances)
    )


def test_parameters_of_numpys_types_and_infinite_thresholds(tmp_path):
    model = NKMeans(np.int64(3), np.float64(0.0), random_state=0).fit(
        pd.DataFrame(X, columns=["a", "ü"])
    )
    save_model(model, tmp_path / "m.nkm")
    again = load_model(tmp_path / "m.nkm")
    assert again.threshold_ == np.inf
    assert again.feature_names_in_.tolist() == ["a", "ü"]
    assert json.loads(zipfile.ZipFile(tmp_path / "m.nkm").read(HEADER), parse_constant=pytest.fail)


def test_a_model_with_its_preparation_takes_raw_data(tmp_path):
    raw = X * [1, 1000] + [0, 5]
    table = Table(raw.copy(), ["a", "b"], None, [], [0], True)
    preparation = learn(raw, table, "standard", "error", "id")
    model = NKMeans(3, 10, random_state=0).fit(preparation.apply(raw.copy()))
    labels = model.predict(preparation.transform(raw))
    model.preparation_ = preparation
    save_model(model, tmp_path / "m.nkm")
    again = load_model(tmp_path / "m.nkm")
    np.testing.assert_array_equal(again.predict(raw), labels)
    frame = pd.DataFrame({"id": "x", "b": raw[:, 1], "a": raw[:, 0]})
    np.testing.assert_array_equal(again.predict(frame), labels)
    with pytest.raises(TypeError, match="takes arrays and frames in memory; got ArrayBlocks"):
        again.predict(open_source(raw))
    # A new fit is a new model, of what it is given.
    again.fit(X)
    assert not hasattr(again, "preparation_")


def test_what_cannot_be_written_is_told(tmp_path):
    path = tmp_path / "m.nkm"
    with pytest.raises(TypeError, match="must be an estimator of nkmeans; got KMeans"):
        save_model(KMeans(2).fit(X), path)
    with pytest.raises(ValueError, match="not fitted"):
        save_model(NKMeans(), path)
    with pytest.raises(TypeError, match="clusterer of a model that is to be saved must be"):
        save_model(NKMeans(3, 10, clusterer=KMeans(3, n_init=1)).fit(X), path)
    with pytest.raises(TypeError, match="metric of a model"):
        save_model(NKMedoids(3, 10, metric=lambda a, b: abs(a - b).sum()).fit(X[:50]), path)
    assert list(tmp_path.iterdir()) == []
    save_model(fitted(), path)
    with pytest.raises(FileExistsError, match="overwrite=True"):
        save_model(fitted(), path)
    save_model(fitted(), path, overwrite=True)


def rewritten(path, change, compression=zipfile.ZIP_STORED):
    """The file with its header (and more) changed by `change(header, parts)`."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(parts.pop(HEADER))
    header = change(header, parts) or header
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr(HEADER, json.dumps(header))
        for name, value in parts.items():
            archive.writestr(name, value)


def npy(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


class Bomb:
    exploded = False

    def __reduce__(self):
        return setattr, (Bomb, "exploded", True)


CHANGES = {
    "another format": lambda header, parts: header.update(format="something else"),
    "a later version": lambda header, parts: header.update(version=2),
    "no version": lambda header, parts: header.pop("version") and None,
    "a list": lambda header, parts: [header],
    "a class that is no estimator": lambda header, parts: header.update({"class": "os.system"}),
    "a class of another library": lambda header, parts: header.update({"class": "KMeans"}),
    "a class that holds a model": lambda header, parts: header.update({"class": "NKMeansDetector", "params": {"n_clusters": 3}}),
    "a function": lambda header, parts: header.update({"class": "compare"}),
    "an unknown parameter": lambda header, parts: header["params"].update(evil=1),
    "a bad parameter": lambda header, parts: header["params"].update(n_clusters="3"),
    "parameters that are none": lambda header, parts: header.update(params=3),
    "a method as attribute": lambda header, parts: header["attributes"].update(predict=1),
    "a private attribute": lambda header, parts: header["attributes"].update(_power=1),
    "a dunder attribute": lambda header, parts: header["attributes"].update(__class__=1),
    "an unknown container": lambda header, parts: header["attributes"].update(a_={"container": "os", "fields": {}}),
    "too many fields": lambda header, parts: header["attributes"]["coreset_"]["fields"].update(evil=1),
    "an array that is not there": lambda header, parts: parts.pop("cluster_centers_.npy") and None,
    "an array used twice": lambda header, parts: header["attributes"].update(b_=[{"array": "labels_"}] * 2),
    "centres of another shape": lambda header, parts: parts.update({"cluster_centers_.npy": npy(np.zeros((2, 2)))}),
    "centres that are not finite": lambda header, parts: parts.update({"cluster_centers_.npy": npy(np.full((3, 2), np.nan))}),
    "centres of text": lambda header, parts: parts.update({"cluster_centers_.npy": npy(np.array(["a"]))}),
    "an origin of another shape": lambda header, parts: parts.update({"_origin.npy": npy(np.zeros(3))}),
    "an array of objects": lambda header, parts: parts.update({"cluster_centers_.npy": npy(np.array([Bomb()]), allow_pickle=True)}),
    "a pickle": lambda header, parts: parts.update({"cluster_centers_.npy": pickle.dumps(Bomb())}),
    "an array that lies about its size": lambda header, parts: parts.update(
        {"cluster_centers_.npy": npy(np.zeros((3, 2))).replace(b"(3, 2)", b"(9**9,")}),
    "an array that is larger than it is": lambda header, parts: parts.update(
        {"cluster_centers_.npy": npy(np.zeros((3, 2))).replace(b"(3, 2)", b"(3, 9)")}),
    "no centres": lambda header, parts: header["attributes"].pop("cluster_centers_") and None,
    "a threshold of text": lambda header, parts: header["attributes"].update(threshold_="abc"),
    "no threshold": lambda header, parts: header["attributes"].update(threshold_=None),
    "no weight": lambda header, parts: header["attributes"].update(_total_weight=0),
    "outliers of text": lambda header, parts: header["attributes"].update(n_outliers_="1"),
    "an origin of text": lambda header, parts: parts.update({"_origin.npy": npy(np.array(["a", "b"]))}),
    "labels of text": lambda header, parts: parts.update({"labels_.npy": npy(np.array(["a"]))}),
    "labels that are none": lambda header, parts: header["attributes"].update(labels_=3),
    "columns that are none": lambda header, parts: header["attributes"].update(n_features_in_="2"),
    "an array that is smaller than it is": lambda header, parts: parts.update({"labels_.npy": parts["labels_.npy"].replace(b"(310,)", b"(300,)")}),
    "a name that is none": lambda header, parts: header["attributes"].update({"a b": 1}),
    "a parameter out of range": lambda header, parts: header["params"].update(tol=-1),
    "no width": lambda header, parts: header["attributes"].pop("n_features_in_") and None,
    "deep nesting": lambda header, parts: header["attributes"].update(c_=json.loads("[" * 900 + "]" * 900)),
    "a parameter as attribute": lambda header, parts: header["attributes"].update(n_clusters=1),
    "spreads of other clusters": lambda header, parts: parts.update({"cluster_spread_.npy": npy(np.zeros(2))}),
    "spreads below zero": lambda header, parts: parts.update({"cluster_spread_.npy": npy(-np.ones(3))}),
    "a spread that is a number": lambda header, parts: header["attributes"].update(cluster_spread_=1.0),
    "too few core radii": lambda header, parts: parts.update({"core_radius_.npy": npy(np.zeros(2))}),
    "core radii of text": lambda header, parts: parts.update({"core_radius_.npy": npy(np.array(["a"]))}),
    "a coreset of another width": lambda header, parts: parts.update({"coreset_.points.npy": npy(np.zeros((310, 1)))}),
    "a wrong preparation": lambda header, parts: header["attributes"].update(preparation_=3),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_hostile_file_gives_an_error_and_runs_nothing(change, tmp_path):
    path = tmp_path / "m.nkm"
    save_model(fitted(), path)
    load_model(path)
    rewritten(path, CHANGES[change])
    with pytest.raises(ModelFileError, match=r"m.nkm is not a model of nkmeans, or is damaged"):
        load_model(path)
    assert not Bomb.exploded


@pytest.mark.parametrize(
    "change",
    [
        {"spread": 0.0},
        {"shift": np.nan},
        {"columns": ("a",)},
        {"scale": "log"},
        {"missing": "x"},
        {"id_column": 3},
        {"fill": 1.0},
    ],
)
def test_a_preparation_that_does_not_fit(change, tmp_path):
    from dataclasses import replace

    model = fitted()
    table = Table(X, ["a", "b"], None, [], [0], True)
    model.preparation_ = learn(X, table, "standard", "error", "id")
    save_model(model, tmp_path / "m.nkm")
    load_model(tmp_path / "m.nkm")
    ((name, value),) = change.items()
    value = np.full(2, value) if isinstance(value, float) else value
    model.preparation_ = replace(model.preparation_, **{name: value})
    save_model(model, tmp_path / "n.nkm")
    with pytest.raises(ModelFileError, match=r"its preparation|its id column"):
        load_model(tmp_path / "n.nkm")


def test_a_part_outside_of_the_file(tmp_path):
    """The system refuses to look there; that is no reason to blame it."""
    path = tmp_path / "m.nkm"
    save_model(fitted(), path)
    whole = bytearray(path.read_bytes())
    place = whole.rindex(b"PK\x05\x06") + 16
    whole[place : place + 4] = b"\xff\xff\xff\x7f"
    path.write_bytes(bytes(whole))
    with pytest.raises(ModelFileError):
        load_model(path)


def test_compressed_and_overlapping_parts_are_refused(tmp_path):
    path = tmp_path / "m.nkm"
    save_model(fitted(), path)
    rewritten(path, lambda header, parts: None, zipfile.ZIP_DEFLATED)
    with pytest.raises(ModelFileError, match="must not be compressed"):
        load_model(path)
    path.unlink()
    save_model(fitted(), path)
    whole = bytearray(path.read_bytes())
    # The directory's word for the size of its last part: more than the file has.
    place = whole.rindex(b"PK\x01\x02") + 20
    whole[place : place + 8] = b"\xff\xff\xff\x0f" * 2
    path.write_bytes(bytes(whole))
    with pytest.raises(ModelFileError, match="its parts overlap"):
        load_model(path)


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"PK\x03\x04", pickle.dumps(Bomb()), b"\x00" * 5000]
)
def test_a_file_that_is_no_model(content, tmp_path):
    (tmp_path / "m.nkm").write_bytes(content)
    with pytest.raises(ModelFileError, match="is not a model of nkmeans"):
        load_model(tmp_path / "m.nkm")
    assert not Bomb.exploded
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "other.nkm")


@settings(max_examples=150)
@given(data=st.data())
def test_a_damaged_file_never_gives_another_model(data, tmp_path_factory):
    """Cut anywhere, or with any byte changed: an error, or the same model."""
    path = tmp_path_factory.getbasetemp() / "whole.nkm"
    if not path.exists():
        save_model(fitted(), path)
    whole = path.read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        broken = whole[:place]
    else:
        change = data.draw(st.integers(1, 255))
        broken = whole[:place] + bytes([whole[place] ^ change]) + whole[place + 1 :]
    damaged = path.with_name("damaged.nkm")
    damaged.write_bytes(broken)
    try:
        model = load_model(damaged)
    except ValueError:
        return
    np.testing.assert_array_equal(model.predict(X), fitted().predict(X))
