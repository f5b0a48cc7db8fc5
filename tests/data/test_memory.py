"""How much memory there is, and how much data would take."""

import gzip
import os

import numpy as np
import pytest

from nkmeans.data import memory
from nkmeans.data.files import open_file
from nkmeans.data.memory import available_memory, matrix_bytes, parse_size, size_in_words

pa = pytest.importorskip("pyarrow")
from pyarrow import feather  # noqa: E402


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
    np.save(tmp_path / "a.npy", np.zeros((1000, 3), dtype=np.float32))
    table = pa.table({"x": np.zeros(1000)})
    feather.write_feather(table, tmp_path / "b.arrow", compression="uncompressed")
    a, b = (open_file(tmp_path / name, name) for name in ("a.npy", "b.arrow"))
    assert matrix_bytes([a, a], ["x0", "x2"], np.dtype(np.float32)) == 2 * 1000 * 2 * 4
    assert 8000 < matrix_bytes([b], ["x"], np.dtype(float)) < 9000


@pytest.mark.parametrize("opener", [open, gzip.open])
@pytest.mark.parametrize("n_rows", [1000, 300_000])
def test_what_text_would_take_is_told_by_its_first_lines(opener, n_rows, tmp_path):
    """Digits are few or many: the size of the file says little."""
    digits = np.random.default_rng(0).integers(0, 10, (n_rows, 4))
    with opener(tmp_path / "digits.csv.gz", "wb") as file:
        file.write(b"a,b,c,d\n" + b"\n".join(b"%d,%d,%d,%d" % tuple(row) for row in digits))
    os.rename(tmp_path / "digits.csv.gz", tmp_path / "digits.csv")
    csv = open_file(tmp_path / "digits.csv", "digits.csv")
    found = matrix_bytes([csv], ["a", "d"], np.dtype(float))
    assert found == pytest.approx(n_rows * 2 * 8, rel=0.1)
