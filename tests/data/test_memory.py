"""How much memory there is, and how much data would take."""

import gzip

import numpy as np
import pytest

from nkmeans.data import memory
from nkmeans.data.files import open_file
from nkmeans.data.memory import available_memory, matrix_bytes, parse_size, size_in_words

pytest.importorskip("pyarrow")


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("1000", 1000),
        ("500MB", 500_000_000),
        (" 2gb ", 2 * 10**9),
        ("1.5 GiB", 3 << 29),
        ("3K", 3000),
        ("1TB", 10**12),
    ],
)
def test_sizes_in_words(words, wanted):
    assert parse_size(words) == wanted


def test_words_for_sizes():
    assert [size_in_words(n) for n in (12, 12_345, 4e8, 2.5e9, 3e15)] == [
        "12 bytes",
        "12.3 KB",
        "400 MB",
        "2.5 GB",
        "3e+03 TB",
    ]


def test_containers_have_their_own_limit(tmp_path, monkeypatch):
    everything = available_memory()
    assert everything > 1 << 20
    (tmp_path / "memory.max").write_text("1048576\n")
    monkeypatch.setattr(memory, "LIMITS", (str(tmp_path / "memory.max"), "/not/there"))
    assert available_memory() == 1 << 20
    (tmp_path / "memory.max").write_text("max\n")
    assert available_memory() > 1 << 20


def test_what_files_would_take(tmp_path):
    text = b"a,b\n" + b"1.0,2.0\n" * 1000
    (tmp_path / "a.csv").write_bytes(text)
    with gzip.open(tmp_path / "b.csv.gz", "wb") as file:
        file.write(text)
    np.save(tmp_path / "c.npy", np.zeros((1000, 3), dtype=np.float32))
    a, b, c = (open_file(tmp_path / name, name) for name in ("a.csv", "b.csv.gz", "c.npy"))
    assert matrix_bytes([a], ["a", "b"], np.dtype(float)) == len(text)
    compressed = (tmp_path / "b.csv.gz").stat().st_size
    assert matrix_bytes([b], ["a", "b"], np.dtype(float)) == 4 * compressed
    assert matrix_bytes([c, c], ["x0", "x2"], np.dtype(np.float32)) == 2 * 1000 * 2 * 4
