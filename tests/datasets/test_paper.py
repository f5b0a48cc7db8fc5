"""The loaders on small files of the real formats, and downloads from a real server."""

import gzip
import hashlib
import os
import subprocess
import sys
import threading
import zipfile
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nkmeans.datasets import fetch_kddcup99, fetch_power, fetch_skin, fetch_susy, paper
from nkmeans.datasets.download import Remote, cache_folder, read_cached

SKIN = "74\t85\t123\t1\n73\t84\t122\t1\n198\t200\t199\t2\n"
POWER = (
    "Date;Time;Global_active_power;Global_reactive_power;Voltage;Global_intensity;"
    "Sub_metering_1;Sub_metering_2;Sub_metering_3\n"
    "16/12/2006;17:24:00;4.216;0.418;234.840;18.400;0.000;1.000;17.000\n"
    "28/4/2007;00:21:00;?;?;?;?;?;?;\n"
    "16/12/2006;17:25:00;5.360;0.436;233.630;23.000;0.000;1.000;16.000\n"
)
SUSY = "\n".join(",".join(f"{i + j:.18e}" for j in range(19)) for i in range(4)) + "\n"
KDD_LINE = "0,tcp,http,SF,181,5450,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,8,8,0.00,0.00,0.00,0.00,1.00,0.00,0.00,9,9,1.00,0.00,0.11,0.00,0.00,0.00,0.00,0.00,{}\n"  # fmt: skip
KDD = "".join(
    KDD_LINE.format(label) for label in ("normal.", "smurf.", "neptune.", "back.", "satan.")
)


def write(path, text):
    if path.suffix == ".gz":
        with gzip.open(path, "wt") as file:
            file.write(text)
    elif path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("household_power_consumption.txt", text)
    else:
        path.write_text(text)
    return path


def test_skin_has_its_three_colours(tmp_path):
    want = [[74, 85, 123], [73, 84, 122], [198, 200, 199]]
    X = fetch_skin(write(tmp_path / "Skin_NonSkin.txt", SKIN))
    assert X.dtype == np.float64
    np.testing.assert_array_equal(X, want)
    np.testing.assert_array_equal(
        fetch_skin(write(tmp_path / "crlf.txt", SKIN.replace("\n", "\r\n"))), want
    )
    np.savez(tmp_path / "copy.npz", X=np.array(want, dtype=np.uint8))
    np.testing.assert_array_equal(fetch_skin(str(tmp_path / "copy.npz")), want)


@pytest.mark.parametrize("name", ["power.txt", "power.zip", "power.txt.gz"])
def test_power_drops_date_time_and_rows_that_miss_a_value(tmp_path, name):
    X = fetch_power(write(tmp_path / name, POWER))
    np.testing.assert_array_equal(X[:, [0, 6]], [[4.216, 17], [5.36, 16]])
    assert X.shape == (2, 7)


@pytest.mark.parametrize("name", ["SUSY.csv", "SUSY.csv.gz"])
def test_susy_drops_the_class(tmp_path, name):
    X = fetch_susy(write(tmp_path / name, SUSY))
    np.testing.assert_allclose(X, np.arange(4)[:, None] + np.arange(1, 19))


@pytest.mark.parametrize("name", ["kddcup.data", "kddcup.data.gz"])
def test_kdd_keeps_numbers_and_marks_small_classes(tmp_path, name):
    X, outliers = fetch_kddcup99(write(tmp_path / name, KDD))
    assert X.shape == (5, 34)
    np.testing.assert_array_equal(outliers, [False, False, False, True, True])
    np.testing.assert_array_equal(X[0, :5], [0, 181, 5450, 0, 0])
    np.testing.assert_array_equal(X[0, -4:], [0, 0, 0, 0])


@pytest.mark.parametrize(
    ("fetch", "text", "words"),
    [
        (fetch_skin, SUSY, r"must have 4 columns \(B, G, R, ..., class\); got"),
        (fetch_skin, "a\tb\tc\td\n", "must have 4 columns"),
        (fetch_power, SUSY, "must have 9 columns"),
        (fetch_susy, SKIN, "must have 19 columns"),
        (fetch_kddcup99, SKIN, "must have 42 columns"),
        (fetch_susy, "", "must have 19 columns"),
        (fetch_power, POWER.split("\n", 1)[1], r"must have 9 columns .* got the columns"),
        (fetch_power, POWER.replace("Voltage", "Volts"), "must have 9 columns"),
        (fetch_power, POWER.split("\n", 1)[0] + "\n", "must have at least one row; got none"),
        (
            fetch_skin,
            SKIN + "1\t?\t3\t1\n",
            "a finite number everywhere; got nan in row 3, column 1",
        ),
        (
            fetch_kddcup99,
            KDD_LINE.format("x"),
            "rows of the classes normal, neptune, smurf; got 'x'",
        ),
    ],
)
def test_a_file_with_other_columns_is_named(tmp_path, fetch, text, words):
    path = write(tmp_path / "wrong.txt", text)
    with pytest.raises(ValueError, match=words) as error:
        fetch(path)
    assert str(path) in str(error.value)


def test_damaged_archives_and_missing_files_are_named(tmp_path):
    for name in ("bad.zip", "bad.gz"):
        path = tmp_path / name
        path.write_bytes(b"this is no archive")
        with pytest.raises(ValueError, match="must have 9 columns"):
            fetch_power(path)
    with pytest.raises(FileNotFoundError, match="There is no file"):
        fetch_power(tmp_path / "nothing.txt")
    for name, arrays, words in (
        ("other", {"Y": np.zeros(3)}, r"got the arrays \['Y'\]"),
        ("wide", {"X": np.zeros((3, 4))}, r"got one of shape \(3, 4\)"),
        ("text", {"X": np.full((3, 3), "a")}, "an array X of numbers with 3 columns; got"),
    ):
        np.savez(tmp_path / f"{name}.npz", **arrays)
        with pytest.raises(ValueError, match=words):
            fetch_skin(tmp_path / f"{name}.npz")
    for name, fetch in (
        ("empty.npz", fetch_skin),
        ("empty.parquet", fetch_power),
        ("empty.zip", fetch_power),
    ):
        (tmp_path / name).write_bytes(b"")
        with pytest.raises(ValueError, match=f"{name} must have"):
            fetch(tmp_path / name)


def test_power_from_parquet_drops_rows_that_miss_a_value(tmp_path):
    frame = pd.DataFrame({name: [1.0, 2.0, 3.0] for name in paper.POWER_COLUMNS})
    frame.loc[1, "Voltage"] = None
    frame.to_parquet(tmp_path / "power.parquet")
    assert fetch_power(tmp_path / "power.parquet").shape == (2, 7)
    frame.drop(columns="Voltage").to_parquet(tmp_path / "less.parquet")
    with pytest.raises(ValueError, match="got none called Voltage"):
        fetch_power(tmp_path / "less.parquet")


def test_kdd_labels_may_lack_their_dot(tmp_path):
    path = write(tmp_path / "kdd", KDD.replace("normal.", "normal"))
    np.testing.assert_array_equal(fetch_kddcup99(path)[1], [False, False, False, True, True])


# Downloads


class Server(ThreadingHTTPServer):
    """Serves one body, whole, cut short, or not at all, and counts how often."""

    body, cut, status, asked = b"", None, 200, 0


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked += 1
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body[: self.server.cut])

    def log_message(self, *words):
        pass


@pytest.fixture
def server():
    server = Server(("127.0.0.1", 0), Handler)
    server.body = SKIN.encode()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def remote(server, sha256=None):
    return Remote("Skin_NonSkin.txt", f"http://127.0.0.1:{server.server_port}/skin", sha256)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(autouse=True)
def no_folder_from_outside(monkeypatch):
    monkeypatch.delenv("NKMEANS_DATA", raising=False)


@pytest.mark.parametrize("published", [False, True])
def test_a_file_is_downloaded_once(server, tmp_path, monkeypatch, published):
    known = hashlib.sha256(server.body).hexdigest() if published else None
    monkeypatch.setattr(paper, "SKIN", remote(server, known))
    for _ in range(3):
        assert fetch_skin(data_home=tmp_path / "cache").shape == (3, 3)
    assert server.asked == 1
    assert files(tmp_path / "cache") == ["Skin_NonSkin.txt", "Skin_NonSkin.txt.sha256"]


def test_the_environment_names_the_cache(server, tmp_path, monkeypatch):
    monkeypatch.setenv("NKMEANS_DATA", str(tmp_path / "elsewhere"))
    monkeypatch.setattr(paper, "SKIN", remote(server))
    fetch_skin()
    assert (tmp_path / "elsewhere" / "Skin_NonSkin.txt").exists()
    assert cache_folder(tmp_path) == tmp_path
    monkeypatch.delenv("NKMEANS_DATA")
    assert "nkmeans" in str(cache_folder())


@pytest.mark.parametrize("published", [False, True])
def test_a_damaged_file_in_the_cache_is_named_and_not_touched(
    server, tmp_path, monkeypatch, published
):
    known = hashlib.sha256(server.body).hexdigest() if published else None
    monkeypatch.setattr(paper, "SKIN", remote(server, known))
    fetch_skin(data_home=tmp_path)
    path = tmp_path / "Skin_NonSkin.txt"
    path.write_text(SKIN[:-20])
    with pytest.raises(
        OSError, match=r"is damaged: its SHA-256 is .* Delete it to download it again"
    ):
        fetch_skin(data_home=tmp_path)
    assert path.read_text() == SKIN[:-20]


def test_a_wrong_checksum_leaves_nothing_behind(server, tmp_path, monkeypatch):
    monkeypatch.setattr(paper, "SKIN", remote(server, "0" * 64))
    with pytest.raises(OSError, match="is not the file it should be"):
        fetch_skin(data_home=tmp_path)
    assert files(tmp_path) == []


def test_a_truncated_download_leaves_nothing_behind(server, tmp_path, monkeypatch):
    server.cut = 20
    monkeypatch.setattr(paper, "SKIN", remote(server))
    with pytest.raises((OSError, ValueError)):
        fetch_skin(data_home=tmp_path)
    assert files(tmp_path) == []
    server.cut = None
    assert fetch_skin(data_home=tmp_path).shape == (3, 3)


def test_a_download_of_too_few_rows_leaves_nothing_behind(server, tmp_path, monkeypatch):
    """A server that tells no length and stops at the end of a line."""
    monkeypatch.setattr(paper, "SKIN", replace(remote(server), rows=4))
    words = r"http://.*/skin is not the file it should be: it must have 4 rows; got 3"
    with pytest.raises(ValueError, match=words):
        fetch_skin(data_home=tmp_path)
    assert files(tmp_path) == []
    (tmp_path / "Skin_NonSkin.txt").write_text(SKIN)
    with pytest.raises(ValueError, match="must have 4 rows; got 3"):
        fetch_skin(data_home=tmp_path)


def test_a_page_instead_of_the_file_leaves_nothing_behind(server, tmp_path, monkeypatch):
    server.body = b"<html>moved</html>"
    monkeypatch.setattr(paper, "SKIN", remote(server))
    with pytest.raises(ValueError, match="must have 4 columns"):
        fetch_skin(data_home=tmp_path)
    server.status = 404
    with pytest.raises(OSError, match=r"Could not download http://127.0.0.1:\d+/skin .*404"):
        fetch_skin(data_home=tmp_path)
    assert files(tmp_path) == []


def test_without_a_network_the_address_and_the_way_out_are_told(server, tmp_path, monkeypatch):
    port = server.server_port
    monkeypatch.setattr(
        paper,
        "SKIN",
        Remote("Skin_NonSkin.txt", f"http://127.0.0.1:{port + 1 if port < 65535 else 1}/x"),
    )
    with pytest.raises(
        OSError, match=r"Could not download http://.* Without a network: get .* give its path"
    ):
        fetch_skin(data_home=tmp_path)
    with pytest.raises(OSError, match=r"is not in .* and download_if_missing is False"):
        fetch_skin(data_home=tmp_path, download_if_missing=False)
    assert files(tmp_path) == []


def test_a_cache_that_cannot_be_written_is_named(server, tmp_path, monkeypatch):
    monkeypatch.setattr(paper, "SKIN", remote(server))
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(
        OSError, match=r"Cannot write to the cache folder .*file.* NKMEANS_DATA or data_home"
    ):
        fetch_skin(data_home=blocked / "cache")
    assert server.asked == 0


def test_two_processes_at_once_do_not_spoil_the_cache(server, tmp_path):
    server.body = (SKIN * 20_000).encode()
    script = (
        "import sys\n"
        "from nkmeans.datasets import fetch_skin, paper\n"
        "from nkmeans.datasets.download import Remote\n"
        "paper.SKIN = Remote('Skin_NonSkin.txt', sys.argv[1])\n"
        "print(fetch_skin(data_home=sys.argv[2]).sum())\n"
    )
    command = [sys.executable, "-c", script, remote(server).url, str(tmp_path)]
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = [worker.communicate(timeout=120)[0] for worker in workers]
    assert all(worker.returncode == 0 for worker in workers)
    assert len(set(said)) == 1
    assert files(tmp_path) == ["Skin_NonSkin.txt", "Skin_NonSkin.txt.sha256"]
    assert fetch_skin(tmp_path / "Skin_NonSkin.txt").shape == (60_000, 3)


def test_an_interrupted_download_leaves_nothing_behind(server, tmp_path, monkeypatch):
    def interrupted(path):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_cached(remote(server), interrupted, tmp_path, True)
    assert files(tmp_path) == []


def test_copies_in_the_folder_are_used(tmp_path):
    np.savez(tmp_path / "skin.npz", X=np.ones((5, 3)))
    assert fetch_skin(data_home=tmp_path).shape == (5, 3)


# The real files, where they are


DATA = Path(os.environ.get("NKMEANS_TEST_DATA", Path(__file__).parents[3] / "shared" / "data"))


@pytest.mark.skipif(not (DATA / "skin.npz").exists(), reason=f"no real data in {DATA}")
def test_the_real_files_are_what_the_paper_says():
    assert fetch_skin(data_home=DATA).shape == (245057, 3)
    X, outliers = fetch_kddcup99(percent10=True, data_home=DATA)
    assert X.shape == (494021, 34)
    assert outliers.sum() == 8752
