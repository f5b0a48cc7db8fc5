"""Files that are read block by block give what they give in memory."""

import contextlib
import io
import json
import os
import pty
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

pa = pytest.importorskip("pyarrow")
from pyarrow import csv, parquet  # noqa: E402

from nkmeans import cli, column_survey, load_model  # noqa: E402
from nkmeans.cli import labels as cli_labels  # noqa: E402
from nkmeans.data import column_files, csv_file  # noqa: E402
from nkmeans.datasets import make_noisy_blobs  # noqa: E402
from nkmeans.report import gathered  # noqa: E402

X, _, _ = make_noisy_blobs(2970, 3, 4, 30, noise_range=2.5, random_state=0)
X = X * [1, 20, 1, 1] + [0, 0, 300, 0]
FRAME = pd.DataFrame(X, columns=["a", "b", "c", "d"])
WALKING = ("--memory", "1KB")


@pytest.fixture
def nkmeans(capfd, tmp_path, monkeypatch):
    """Run the command in a new folder, on files that come in many pieces."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(csv_file, "CHUNK_BYTES", 8000)
    monkeypatch.setattr(column_files, "PIECE_ROWS", 257)

    def call(*words, code=0):
        capfd.readouterr()
        assert cli.run([str(word) for word in words]) == code
        said = capfd.readouterr()
        return said.out, said.err

    return call


def with_gaps():
    holes = FRAME.copy()
    holes.loc[[5, 1500, 2999], "b"] = np.nan
    holes.loc[[7, 1500], "c"] = np.inf
    return holes


def as_float32(frame):
    return frame.astype(dict.fromkeys("abcd", np.float32))


def named(frame):
    return frame.assign(key=[f"row {i}" for i in range(len(frame))])


CASES = {
    "csv": (FRAME, "csv", ()),
    "parquet": (FRAME, "parquet", ()),
    "float32": (as_float32(FRAME), "parquet", ()),
    "ids": (named(FRAME), "parquet", ("--id", "key")),
    "ids in csv": (named(FRAME), "csv", ("--id", "key", "--labels", "csv")),
    "standard": (FRAME, "csv", ("--scale", "standard")),
    "standard float32": (as_float32(FRAME), "parquet", ("--scale", "standard")),
    "robust": (FRAME, "parquet", ("--scale", "robust")),
    "robust float32": (as_float32(FRAME), "parquet", ("--scale", "robust")),
    "drop": (with_gaps(), "csv", ("--missing", "drop")),
    "drop, ids": (named(with_gaps()), "parquet", ("--missing", "drop", "--id", "key")),
    "drop, standard": (with_gaps(), "csv", ("--missing", "drop", "--scale", "standard")),
    "drop, robust": (with_gaps(), "csv", ("--missing", "drop", "--scale", "robust")),
    "mean": (with_gaps(), "csv", ("--missing", "mean")),
    "mean, standard": (with_gaps(), "parquet", ("--missing", "mean", "--scale", "standard")),
    "mean, float32": (as_float32(with_gaps()), "parquet", ("--missing", "mean")),
}


@pytest.mark.parametrize("case", CASES)
def test_fit_gives_what_it_gives_in_memory(case, nkmeans):
    frame, kind, options = CASES[case]
    names = []
    for number, part in enumerate((frame[:1000], frame[1000:1001], frame[1001:])):
        names.append(f"part-{number}.{kind}")
        part.to_csv(names[-1], index=False) if kind == "csv" else part.to_parquet(names[-1])
    words = ("fit", *names, "-k", 3, "--no-report", *options)
    _, told = nkmeans(*words, "-o", "whole", "--json")
    assert told == ""
    summary, _ = nkmeans(*words)
    walked, told = nkmeans(*words, *WALKING)
    first, *warned = told.splitlines()
    assert first.startswith("nkmeans: the files are read block by block: their rows would take ")
    assert first.endswith("in memory, more than --memory (1 KB)")
    at = re.compile(r"[\d.]+ s\n")
    assert at.sub("", walked) == at.sub("", summary)
    whole = json.loads(nkmeans(*words, "-o", "whole", "--force", "--json")[0])
    blocks = json.loads(nkmeans(*words, "-o", "blocks", "--json", *WALKING)[0])
    assert [f"nkmeans: warning: {words}" for words in blocks["warnings"]] == warned
    single = "float32" in case
    compare_facts(blocks, whole, single)
    compare_folders("blocks", "whole", single)


def compare_facts(found, wanted, single):
    clusters, others = found.pop("clusters"), wanted.pop("clusters")
    for facts in (found, wanted):
        facts.pop("seconds")
        facts["outputs"] = [os.path.basename(path) for path in facts["outputs"]]
    tolerance = 1e-5 if single else 1e-9
    for name in ("cost", "threshold"):
        assert found.pop(name) == pytest.approx(wanted.pop(name), rel=tolerance)
    assert found == wanted
    for cluster, other in zip(clusters, others, strict=True):
        assert cluster["rows"] == other["rows"]
        assert cluster["spread"] == pytest.approx(other["spread"], rel=tolerance)
        assert cluster["center"] == pytest.approx(other["center"], rel=tolerance)


def compare_folders(found, wanted, single):
    tolerance = 1e-5 if single else 1e-9
    assert os.listdir(found) == os.listdir(wanted)
    kind = "parquet" if os.path.exists(f"{wanted}/labels.parquet") else "csv"
    read = parquet.read_table if kind == "parquet" else csv.read_csv
    labels, others = (read(f"{folder}/labels.{kind}") for folder in (found, wanted))
    assert labels.schema == others.schema
    for name in ("id", "label", "outlier"):
        assert labels[name].to_pylist() == others[name].to_pylist()
    near = [table["squared_distance"].to_pandas() for table in (labels, others)]
    np.testing.assert_allclose(*near, rtol=1e-4 if single else 1e-7)
    centers, other = (pd.read_csv(f"{folder}/centers.csv") for folder in (found, wanted))
    pd.testing.assert_frame_equal(centers, other, rtol=tolerance)
    model, twin = (load_model(f"{folder}/model.nkm") for folder in (found, wanted))
    assert set(vars(twin)) - set(vars(model)) == {"labels_"}
    assert model.preparation_.columns == twin.preparation_.columns
    assert model.preparation_.id_column == twin.preparation_.id_column
    for part in ("shift", "spread", "fill"):
        np.testing.assert_allclose(
            getattr(model.preparation_, part), getattr(twin.preparation_, part), rtol=1e-9
        )
    np.testing.assert_array_equal(model.outlier_indices_, twin.outlier_indices_)


def test_exactly_z_are_left_out_among_ties(nkmeans):
    """Rows at the boundary are left out by their numbers among the rows that are clustered."""
    tied = np.repeat([[0.0, 0], [9, 9], [20, 0], [0, 20]], [600, 600, 50, 50], axis=0)
    tied = tied[np.random.default_rng(0).permutation(len(tied))]
    tied[::10] = np.nan
    np.save("tied.npy", tied)
    words = ("fit", "tied.npy", "-k", 2, "-z", 60, "--missing", "drop", "--no-report", "-q")
    nkmeans(*words, "-o", "whole")
    nkmeans(*words, "-o", "blocks", *WALKING)
    found, wanted = (
        parquet.read_table(f"{folder}/labels.parquet") for folder in ("blocks", "whole")
    )
    assert found.equals(wanted)
    assert found["outlier"].to_pylist().count(True) == 60


def test_what_is_wrong_is_told_as_in_memory(nkmeans):
    with_gaps().to_csv("holes.csv", index=False)
    FRAME.assign(b=np.nan).to_csv("empty.csv", index=False)
    FRAME[:2].assign(a=[np.nan, 1], b=[1, np.nan]).to_csv("none.csv", index=False)
    ends = np.where(np.arange(len(FRAME)) % 1000, -1.7e308, 1.7e308)
    FRAME.assign(b=ends).to_csv("wide.csv", index=False)
    with open("header.csv", "w") as file:
        file.write("a,b\n")
    for words in (
        ("holes.csv", "-k", 3),
        ("empty.csv", "-k", 3, "--missing", "mean"),
        ("none.csv", "-k", 1, "--missing", "drop"),
        ("wide.csv", "-k", 3, "--scale", "standard"),
        ("header.csv", "-k", 3),
        ("holes.csv", "-k", 4000, "--missing", "drop"),
    ):
        _, wanted = nkmeans("fit", *words, "--memory", "1GB", code=2)
        _, told = nkmeans("fit", *words, "--memory", "1", code=2)
        assert told.splitlines()[1:] == wanted.splitlines(), words


def test_warnings_of_columns(nkmeans):
    frame = FRAME * [1, 1, 1, 1e5]
    frame.insert(0, "n", np.arange(len(frame)) + 1)
    frame.to_csv("wide.csv", index=False)
    _, wanted = nkmeans("fit", "wide.csv", "-k", 3)
    _, told = nkmeans("fit", "wide.csv", "-k", 3, *WALKING)
    assert len(wanted.splitlines()) == 2
    assert told.splitlines()[1:] == wanted.splitlines()


def test_quartiles_of_a_sample_are_told(nkmeans, monkeypatch):
    FRAME.to_parquet("data.parquet")
    words = ("fit", "data.parquet", "-k", 3, "--scale", "robust", "--no-report")
    nkmeans(*words, "-o", "whole")
    monkeypatch.setattr(column_survey, "MOST_ROWS", 1000)
    _, told = nkmeans(*words, "-o", "blocks", *WALKING)
    assert (
        "warning: medians and interquartile ranges are those of a fair sample of 1000 of 3000 rows"
        in told
    )
    found, wanted = (
        load_model(f"{folder}/model.nkm").preparation_ for folder in ("blocks", "whole")
    )
    np.testing.assert_allclose(found.spread, wanted.spread, rtol=0.15)
    assert (found.spread != wanted.spread).all()


def test_the_report_says_what_is_a_sample(nkmeans, monkeypatch):
    named(FRAME).to_parquet("data.parquet")
    words = ("fit", "data.parquet", "-k", 3, "-z", 300, "--id", "key")
    monkeypatch.setattr(gathered, "MEASURED_ROWS", 500)
    monkeypatch.setattr(gathered, "MOST_OUTLIERS", 200)
    nkmeans(*words, "-o", "whole")
    nkmeans(*words, "-o", "blocks", *WALKING)
    with open("whole/report.html") as file, open("blocks/report.html") as other:
        whole, blocks = file.read(), other.read()
    shown = re.search(
        r"500 of the 2,700 rows that are kept, and (\d+) of the 300 outliers\.", blocks
    )
    assert 200 <= int(shown[1]) < 300
    assert "come from a sample" not in whole
    assert "Shown is a fair sample of 500 of the 2,700 rows that are kept." in blocks
    assert f"Of the 300 outliers {shown[1]} are shown" in blocks
    assert "Distances were counted in steps of 0.1%" in blocks
    table = re.compile(r"<tr><th scope=\"row\">cluster .*?</tr>")
    assert table.findall(blocks) == table.findall(whole)
    tiles = re.compile(r"<dt>.*?</dd>")
    assert tiles.findall(blocks) == tiles.findall(whole)
    farthest = re.compile(r"<tr><th scope=\"row\">(row \d+)</th>")
    # The farthest are never lost to the sample.
    assert farthest.findall(blocks)[:20] == farthest.findall(whole)[:20]


def test_standard_input(nkmeans, monkeypatch):
    text = FRAME.to_csv(index=False).encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text)))
    said, _ = nkmeans("fit", "-", "-k", 3, "--json", *WALKING)
    assert json.loads(said)["rows"] == 3000


def test_files_that_change_meanwhile_are_told(nkmeans, monkeypatch):
    FRAME.to_csv("data.csv", index=False)
    read = column_survey.ColumnSurvey.read

    def read_and_change(self, tell):
        read(self, tell)
        FRAME[:10].to_csv("data.csv", index=False)

    monkeypatch.setattr(column_survey.ColumnSurvey, "read", read_and_change)
    _, told = nkmeans("fit", "data.csv", "-k", 3, "-o", "out", *WALKING, code=2)
    assert told.endswith("nkmeans: data.csv: has changed since it was opened\n")
    assert os.listdir() == ["data.csv"]


# ---- predict


@pytest.fixture
def model(nkmeans):
    """The model of the whole data, in model.nkm."""
    FRAME.to_parquet("fit.parquet")
    nkmeans("fit", "fit.parquet", "-k", 3, "-o", "out", "--missing", "drop", "--no-report", "-q")
    os.rename("out/model.nkm", "model.nkm")
    return "model.nkm"


def test_labels_written_as_they_come_are_those_written_at_once(nkmeans, model, monkeypatch):
    monkeypatch.setattr(cli_labels, "GROUP_ROWS", 1000)
    named(with_gaps()).to_parquet("new.parquet")
    words = ("predict", model, "new.parquet", "--id", "key")
    _, told = nkmeans(*words, "-o", "p.parquet")
    assert told == "nkmeans: warning: 4 rows with missing or infinite values get no label\n"
    nkmeans(*words, "-o", "p.csv", "-q")
    said, _ = nkmeans(*words, "-q")
    fitted = load_model(model)
    whole = with_gaps().replace(np.inf, np.nan).isna().any(axis=1).to_numpy()
    rows = FRAME[~whole]
    table = cli_labels.labels_table(
        fitted.predict(rows),
        -fitted.score_samples(rows),
        pa.array(list(named(FRAME)["key"])),
        whole,
    )
    csv.write_csv(table, "once.csv")
    parquet.write_table(table, "once.parquet", **cli_labels.parquet_options(table.schema))
    with open("once.csv", "rb") as file, open("p.csv", "rb") as other:
        once = file.read()
        assert other.read() == once == said.encode()
    found, wanted = parquet.ParquetFile("p.parquet"), parquet.ParquetFile("once.parquet")
    assert found.read().equals(wanted.read())
    assert found.metadata.num_row_groups == 3
    for column in range(4):
        one, two = (it.metadata.row_group(0).column(column) for it in (found, wanted))
        assert (one.encodings, one.compression) == (two.encodings, two.compression)


def test_rows_come_before_an_error_and_files_do_not(nkmeans, model):
    frame = FRAME.astype(object)
    frame.loc[2500, "b"] = "Paris"
    frame.to_csv("new.csv", index=False)
    said, told = nkmeans("predict", model, "new.csv", code=2)
    assert 500 < len(said.splitlines()) < 2502
    assert "new.csv, line 2502: column 'b' must hold numbers; got 'Paris'" in told
    before = sorted(os.listdir())
    nkmeans("predict", model, "new.csv", "-o", "p.csv", code=2)
    nkmeans("predict", model, "new.csv", "-o", "p.parquet", code=2)
    assert sorted(os.listdir()) == before


def test_the_first_gap_is_told_with_its_place(nkmeans, model):
    holes = FRAME.copy()
    holes.loc[[1500, 2999], "b"] = np.nan
    holes[:1000].to_csv("a.csv", index=False)
    holes[1000:].to_parquet("b.parquet")
    words = ("predict", model, "a.csv", "b.parquet", "--missing", "error")
    _, told = nkmeans(*words, "-o", "p.csv", code=2)
    assert told == (
        "nkmeans: b.parquet, row 500: column 'b' is missing or infinite; 1 such values in 1 of the "
        "first 1514 rows ('b' 1). --missing drop leaves those rows out\n"
    )
    assert not os.path.exists("p.csv")


def test_ids_of_files_that_disagree_are_text_from_the_first_row_on(nkmeans, model):
    FRAME[:600].assign(key=np.arange(600)).to_parquet("a.parquet")
    named(FRAME[600:700]).to_csv("b.csv", index=False)
    said, _ = nkmeans("predict", model, "a.parquet", "b.csv", "--id", "key", "-q")
    assert said.splitlines()[1].startswith('"0",')
    nkmeans("predict", model, "a.parquet", "b.csv", "--id", "key", "-q", "-o", "p.parquet")
    found = parquet.read_table("p.parquet")["id"]
    assert found.type == pa.string()
    assert found.to_pylist() == [*map(str, range(600)), *(f"row {i}" for i in range(100))]


def test_no_bar_among_rows_on_a_terminal(nkmeans, model):
    main, terminal = pty.openpty()
    words = [sys.executable, "-m", "nkmeans.cli", "predict", model, "fit.parquet"]
    seen = b""
    with subprocess.Popen(words, stdout=terminal, stderr=terminal):
        os.close(terminal)
        # Linux ends a terminal that nobody writes to any more with an error.
        with contextlib.suppress(OSError):
            while more := os.read(main, 1 << 16):
                seen += more
    os.close(main)
    assert seen.count(b"\n") == 3002
    assert b"predicting" not in seen


# ---- sizes


@pytest.mark.parametrize("words", ["many", "-1GB", "0", "1.2.3MB", "5PB", ""])
def test_sizes_that_are_none(words, nkmeans):
    FRAME.to_csv("data.csv", index=False)
    _, told = nkmeans("fit", "data.csv", "-k", 3, f"--memory={words}", code=2)
    assert told == (
        f"nkmeans: --memory must be a size such as 500MB, 2GB or 1000000 (bytes); got {words!r}\n"
    )


def test_enough_memory_is_no_reason_to_walk(nkmeans):
    FRAME.to_parquet("data.parquet")
    for limit, walks in (("96001", False), ("96kB", False), ("95999 B", True), ("90KiB", True)):
        _, told = nkmeans("fit", "data.parquet", "-k", 3, "--memory", limit)
        assert ("block by block" in told) == walks, limit
