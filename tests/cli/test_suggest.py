"""`nkmeans suggest`, as a shell runs it."""

import contextlib
import json
import os
import pty
import shlex
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from corners import four_corners

pytest.importorskip("pyarrow")
pytest.importorskip("jinja2")

from nkmeans import suggest
from nkmeans.cli.screen import Screen
from nkmeans.cli.suggest import MOST_ON_A_PAGE, listed, parse_counts
from nkmeans.data import csv_file
from nkmeans.report.grid_view import OUTLIER

X = four_corners()
FRAME = pd.DataFrame(X, columns=["a", "b"])
FEW = ("-k", "2-6", "-z", "0,0.5%,0.01,30,40")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with a data file."""
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("data.csv", index=False)
    return tmp_path


def facts_of(nkmeans, *words, file="data.csv"):
    code, said, told = nkmeans("suggest", file, *FEW, "--json", *words)
    assert (code, told) == (0, "")
    return json.loads(said)


def test_one_line_gives_numbers_reason_table_and_page(nkmeans, folder):
    code, said, told = nkmeans("suggest", "data.csv", *FEW)
    assert (code, told) == (0, "")
    found = suggest(X, range(2, 7), [0, 0.005, 0.01, 30, 40], random_state=0)
    k, z = found.n_clusters, int(found.n_outliers)
    lines = said.splitlines()
    assert lines[0].startswith(f"2,000 rows of 2 columns: {k} clusters and {z} outliers (")
    assert lines[2] == found.reason
    assert "With 40 outliers (2.00%):" in lines
    assert [line[:8] for line in lines[6:11]] == [
        f"{'*' if number == k else ' '}{number:>7}" for number in range(2, 7)
    ]
    assert f"{found.table['cost'][4]:.6g}" in lines[6]
    assert lines[-2:] == ["Written: suggest.html", f"To fit: nkmeans fit data.csv -k {k} -z {z}"]
    html = (folder / "suggest.html").read_text()
    assert f"<h1>Suggested: {k} clusters, {z} outliers" in html
    assert f"nkmeans fit data.csv -k {k} -z {z}</code>" in html
    assert sorted(os.listdir(folder)) == ["data.csv", "suggest.html"]


def test_json_has_everything(nkmeans, folder):
    facts = facts_of(nkmeans, "-o", "page.html")
    found = suggest(X, range(2, 7), [0, 0.005, 0.01, 30, 40], random_state=0)
    assert facts["n_clusters"] == found.n_clusters
    assert facts["n_outliers"] == found.n_outliers
    assert (facts["clear"], facts["reason"]) == (found.clear, found.reason)
    assert (facts["rows"], facts["rows_dropped"], facts["rows_sampled"]) == (2000, 0, 2000)
    assert facts["columns"] == ["a", "b"]
    assert facts["output"] == "page.html"
    assert len(facts["table"]) == 25
    np.testing.assert_allclose([row["cost"] for row in facts["table"]], found.table["cost"])
    assert facts["table"][0]["gain"] is None
    assert [row["n_outliers"] for row in facts["table"][:5]] == [0, 10, 20, 30, 40]
    assert facts_of(nkmeans, "--no-page", "--seed", 5)["table"] != facts["table"]


def test_without_a_page_nothing_is_written(nkmeans, folder):
    assert facts_of(nkmeans, "--no-page")["output"] is None
    code, said, _ = nkmeans("suggest", "data.csv", *FEW, "--no-page")
    assert code == 0
    assert "Written" not in said
    assert os.listdir(folder) == ["data.csv"]


def test_quiet_says_nothing(nkmeans, folder):
    assert nkmeans("suggest", "data.csv", *FEW, "-q") == (0, "", "")
    assert os.path.exists("suggest.html")


def test_a_page_that_is_there_stays(nkmeans, folder):
    (folder / "suggest.html").write_text("mine")
    code, said, told = nkmeans("suggest", "data.csv", *FEW)
    assert (code, said) == (2, "")
    assert "suggest.html is there already; --force" in told
    assert (folder / "suggest.html").read_text() == "mine"
    # That is told before the work begins.
    assert "suggest.html is there already" in nkmeans("suggest", "nothing.csv")[2]
    assert nkmeans("suggest", "data.csv", *FEW, "--force", "-q")[0] == 0
    assert "Suggested: " in (folder / "suggest.html").read_text()


def test_a_full_disk_leaves_nothing(nkmeans, folder, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    code, said, told = nkmeans("suggest", "data.csv", *FEW)
    assert (code, said) == (2, "")
    assert "No space left on device" in told
    assert os.listdir(folder) == ["data.csv"]


BAD = {
    "k in words": ("data.csv -k many", "-k must be numbers and ranges up to 999999, such as 2-20 or 2,3,5-8; got 'many'"),
    "k backwards": ("data.csv -k 9-2", "-k must be numbers and ranges"),
    "k zero": ("data.csv -k 0-4", "n_clusters of suggest must be an int >= 1"),
    "k too large": ("data.csv -k 2,2001 --no-page", "n_clusters of suggest must be an int in [1, n_samples]; got 2001"),
    "k too large for a page": ("data.csv -k 2,255", "-k must be at most 254 with a page (--no-page writes none); got 255"),
    "z in words": ("data.csv -z 0,some", "-z must be a count (500), a share (0.01), a percentage (1%) or \"auto\"; got 'some'"),
    "z too large": ("data.csv -z 5000", "n_outliers of suggest must be an int in [0, n_samples - n_clusters]"),
    "not there": ("nothing.csv", "nothing.csv: No such file or directory"),
    "no such column": ("data.csv --columns a,q", "data.csv: has no column 'q'"),
    "no such folder": ("data.csv -o nowhere/page.html", "nowhere is not there; page.html cannot be written to it"),
    "out is a folder": ("data.csv -o .", "is a folder; give the name of a file"),
    "out is what is read": ("data.csv -o data.csv --force", "data.csv is read; give -o another name"),
    "a gap": ("holes.csv", "holes.csv, line 4: column 'b' is missing or infinite"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_told_in_one_line(case, nkmeans, folder):
    (folder / "holes.csv").write_text("a,b\n1,2\n3,4\n5,\n")
    words, wanted = BAD[case]
    before = sorted(os.listdir(folder))
    code, said, told = nkmeans("suggest", *words.split())
    assert (code, said) == (2, "")
    assert told.startswith("nkmeans: ")
    assert wanted in told
    assert told.count("\n") == 1
    assert sorted(os.listdir(folder)) == before
    assert (folder / "data.csv").read_text().startswith("a,b\n")


def test_columns_are_chosen_and_scaled_as_in_fit(nkmeans, folder):
    wide = FRAME.assign(b=100 * FRAME["b"] + 1e4, name=[f"row {i}" for i in range(2000)])
    wide.loc[5, "a"] = np.nan
    wide["x,y"] = 0.0
    wide.to_csv("wide.csv", index=False)
    code, said, told = nkmeans(
        "suggest", "wide.csv", *FEW, "--id", "name", "--drop", '"x,y"', "--scale", "robust",
        "--missing", "drop",
    )  # fmt: skip
    assert code == 0, told
    assert "1 of 2000 rows have missing or infinite values and are left out" in told
    fit = said.splitlines()[-1].removeprefix("To fit: ")
    assert fit.startswith(
        "nkmeans fit wide.csv --drop '\"x,y\"' --id name --scale robust --missing drop"
    )
    html = (folder / "suggest.html").read_text()
    assert "Columns were scaled (robust)" in html
    low = json.loads(html.split('"low":')[1].split(',"high"')[0])
    assert low[1] > 9000
    assert nkmeans(*shlex.split(fit)[1:], "-q")[0] == 0


def test_files_larger_than_memory_give_the_same(nkmeans, folder, monkeypatch):
    monkeypatch.setattr(csv_file, "CHUNK_BYTES", 8000)
    words = ("--scale", "standard")
    whole, walked = facts_of(nkmeans, *words), facts_of(
        nkmeans, *words, "--memory", "1KB", "-o", "walked.html"
    )  # fmt: skip
    for name in ("n_clusters", "n_outliers", "reason", "rows"):
        assert whole[name] == walked[name]
    np.testing.assert_allclose(
        [row["cost"] for row in whole["table"]], [row["cost"] for row in walked["table"]]
    )
    code, _, told = nkmeans("suggest", "data.csv", *FEW, "--memory", "1KB", "--no-page")
    assert code == 0
    assert "the files are read block by block" in told


def test_dropped_rows_are_counted_also_when_walking(nkmeans, folder):
    holes = FRAME.copy()
    holes.loc[[5, 1500], "b"] = np.nan
    holes.to_csv("holes.csv", index=False)
    for more in ((), ("--memory", "1KB")):
        facts = facts_of(nkmeans, "--no-page", "--missing", "drop", *more, file="holes.csv")
        assert (facts["rows"], facts["rows_dropped"], facts["rows_sampled"]) == (2000, 2, 1998)


def test_numbers_and_ranges():
    assert parse_counts("2-5") == [2, 3, 4, 5]
    assert parse_counts("2, 3,5 - 7") == [2, 3, 5, 6, 7]
    assert listed(["a", "b,c"]) == 'a,"b,c"'
    assert MOST_ON_A_PAGE == OUTLIER - 1


def test_the_bar_hears_how_much_is_done(nkmeans, folder, monkeypatch):
    heard = {}

    @contextlib.contextmanager
    def working(screen, what):
        yield heard.setdefault(what, []).append

    monkeypatch.setattr(Screen, "working", working)
    assert nkmeans("suggest", "data.csv", *FEW, "--no-page")[0] == 0
    assert list(heard) == ["reading", "trying"]
    assert heard["trying"] == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])


def test_a_bar_on_a_terminal(folder):
    main, other = pty.openpty()
    words = [sys.executable, "-m", "nkmeans.cli", "suggest", "data.csv", *FEW]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=other)
    os.close(other)
    seen = b""
    # Reading fails once the other end is closed.
    with contextlib.suppress(OSError):
        while more := os.read(main, 4096):
            seen += more
    os.close(main)
    process.communicate()
    assert process.returncode == 0
    assert b"trying" in seen


def test_help_tells_of_it(nkmeans):
    assert "nkmeans suggest data.csv" in nkmeans("--help")[1]
    _, said, _ = nkmeans("suggest", "--help")
    for word in ("-k", "-z", "-o", "--no-page", "--scale", "--memory", "--json", "--force"):
        assert word in said
