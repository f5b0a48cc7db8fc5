"""The data sets of the bench on small files of the real formats."""

from dataclasses import replace

import numpy as np
import pytest

from nkmeans.bench.data_sets import all_data_sets
from nkmeans.datasets import paper


def by_name(folder):
    return {(data.suite, data.name): data for data in all_data_sets(folder)}


def test_the_sixteen_cells_are_the_papers(tmp_path):
    sets = [data for data in all_data_sets(tmp_path) if data.suite == "synthetic"]
    assert len(sets) == 16
    data = by_name(tmp_path)["synthetic", "far-20-10-50K"].prepare(4000, None)
    assert data.X.shape == (4200, 20)
    assert (data.n_clusters, data.n_outliers, data.outlier_mask.sum()) == (10, 200, 200)
    assert abs(data.X).max() > 2
    wide = by_name(tmp_path)["sigma", "far-20-10-50K"].prepare(4000, None)
    assert wide.reference > 1000 * data.reference


def test_skin_gets_noise_after_it_is_standardized(tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "skin.npz", X=rng.integers(0, 255, (1000, 3)))
    data = by_name(tmp_path)["real", "Skin-10"].prepare(None, tmp_path)
    assert data.X.shape == (1010, 3)
    clean = data.X[~data.outlier_mask]
    np.testing.assert_allclose(clean.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(clean.std(axis=0), 1)
    assert 5 < abs(data.X[data.outlier_mask]).max() <= 10
    assert (data.n_clusters, data.n_outliers) == (10, 10)
    assert by_name(tmp_path)["real", "Skin-5"].prepare(300, tmp_path).X.shape == (303, 3)


def test_susy_is_a_shape_until_its_file_is_there(tmp_path, monkeypatch):
    monkeypatch.setattr(paper, "SUSY", replace(paper.SUSY, rows=None))
    data = by_name(tmp_path)["real", "Susy-5"]
    assert data.shown == ("seconds",)
    assert "only the seconds" in data.note
    assert data.prepare(200, tmp_path).X.shape == (202, 18)
    lines = np.random.default_rng(0).normal(size=(50, 19))
    np.savetxt(tmp_path / "SUSY.csv.gz", lines, delimiter=",")
    data = by_name(tmp_path)["real", "Susy-5"]
    assert data.note == data.source == ""
    assert data.prepare(None, tmp_path).X.shape[1] == 18


@pytest.mark.parametrize("whole", [False, True])
def test_kdd_is_the_ten_per_cent_file_until_the_whole_is_there(tmp_path, whole):
    data = by_name(tmp_path)["real", "KddFull"]
    assert data.compared == ()
    assert data.source == "10 %"
    if whole:
        (tmp_path / "kddcup.data.gz").write_bytes(b"")
        assert by_name(tmp_path)["real", "KddFull"].compared != ()
