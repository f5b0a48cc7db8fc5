import sys

import pytest

from nkmeans import demo


def test_the_demo_prints_both_methods_and_draws_them(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    demo.main(["--out", str(tmp_path / "new folder")])
    said = capsys.readouterr().out
    assert "6150 GPS fixes at 8 stations, 150 of them dirt" in said
    numbers = {
        line[:22].strip(): [float(word) for word in line[22:].split()]
        for line in said.splitlines()
        if line.startswith(("KMeans (", "NKMeans"))
    }
    theirs, ours = numbers["KMeans (scikit-learn)"], numbers["NKMeans"]
    assert ours[0] < theirs[0] / 10
    assert ours[1] > 0.95 > theirs[1]
    out = tmp_path / "new folder"
    assert (out / "demo.png").read_bytes().startswith(b"\x89PNG")
    assert "8 clusters, 150 outliers" in said
    wanted = {"labels.parquet", "centers.csv", "model.nkm", "report.html"}
    assert {path.name for path in (out / "fit").iterdir()} == wanted
    assert "<h1>8 clusters, 150 outliers</h1>" in (out / "fit" / "report.html").read_text()


@pytest.mark.parametrize("missing", ["matplotlib", "plotly"])
def test_without_an_extra_it_says_what_to_install(missing, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, missing, None)
    demo.main(["--out", str(tmp_path / "out")])
    assert f"{missing} is missing (pip install 'nkmeans[all]')" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()
