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
    assert (tmp_path / "new folder" / "demo.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_it_says_what_to_install(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    demo.main(["--out", str(tmp_path / "out")])
    assert "pip install 'nkmeans[report]'" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()
