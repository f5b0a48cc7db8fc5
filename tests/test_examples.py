"""The examples run."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_the_comparison_picture_is_drawn(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    example = runpy.run_path(str(EXAMPLES / "cluster_comparison.py"))
    example["main"](
        ["--out", str(tmp_path / "new" / "picture.png"), "--methods", "KMeans", "NKMeans"]
    )
    assert (tmp_path / "new" / "picture.png").read_bytes().startswith(b"\x89PNG")
    said = capsys.readouterr().out
    for name in ("near noise", "far noise", "unequal sizes", "unequal spread", "moons", "a clump"):
        assert name in said
