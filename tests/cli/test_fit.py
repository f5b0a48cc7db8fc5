"""`nkmeans fit` and `nkmeans predict`, as a shell runs them."""

import io
import json
import os
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

pa = pytest.importorskip("pyarrow")
from pyarrow import csv, parquet  # noqa: E402

from nkmeans import NKMeans, load_model, save_model  # noqa: E402
from nkmeans.datasets import make_noisy_blobs  # noqa: E402

X, _, _ = make_noisy_blobs(990, 3, 4, 10, noise_range=2.5, random_state=0)
FRAME = pd.DataFrame(X, columns=["a", "b", "c", "d"])
FILES = ["centers.csv", "labels.parquet", "model.nkm", "report.html"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with a data file."""
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("data.csv", index=False)
    return tmp_path


def fit(nkmeans, *words, file="data.csv", out="out", report="--no-report"):
    code, said, told = nkmeans("fit", file, "-k", 3, "-z", "1%", "-o", out, report, *words)
    assert code == 0, told
    return said, told


def labels_in(path):
    if str(path).endswith(".parquet"):
        return parquet.read_table(path).to_pydict()
    options = csv.ConvertOptions(column_types={"id": pa.string()})
    parse = csv.ParseOptions(newlines_in_values=True)
    return csv.read_csv(path, convert_options=options, parse_options=parse).to_pydict()


def test_one_line_gives_everything(nkmeans, folder):
    said, told = fit(nkmeans, report="--report")
    model = NKMeans(3, 0.01, random_state=0).fit(X)
    assert told == ""
    assert "1,000 rows of 4 columns: 3 clusters, 10 outliers" in said
    assert f"cost {model.inertia_:.6g}" in said
    assert sorted(os.listdir("out")) == FILES
    found = labels_in("out/labels.parquet")
    assert list(found) == ["id", "label", "squared_distance", "outlier"]
    assert found["id"] == list(range(1000))
    assert found["label"] == model.labels_.tolist()
    assert found["outlier"] == (model.labels_ < 0).tolist()
    np.testing.assert_allclose(found["squared_distance"], -model.score_samples(X))
    centers = pd.read_csv("out/centers.csv")
    assert list(centers) == ["cluster", "a", "b", "c", "d"]
    np.testing.assert_array_equal(centers.iloc[:, 1:], model.cluster_centers_)
    again = load_model("out/model.nkm")
    np.testing.assert_array_equal(again.predict(FRAME), model.predict(X))
    assert "<h1>3 clusters, 10 outliers</h1>" in (folder / "out" / "report.html").read_text()


@pytest.mark.parametrize("z", ["1%", "0.01", "10", " 1 % "])
def test_outliers_as_count_share_and_percentage(z, nkmeans, folder):
    code, said, _ = nkmeans("fit", "data.csv", "-k", 3, "-z", z, "--json")
    assert code == 0
    assert json.loads(said)["n_outliers"] == 10
    assert os.listdir(folder) == ["data.csv"]


def test_json_is_all_of_the_output(nkmeans, folder):
    code, said, told = nkmeans("fit", "data.csv", "-k", 3, "-o", "out", "--json", "--no-report")
    facts = json.loads(said)
    assert (code, told) == (0, "")
    assert facts["rows"] == 1000
    assert facts["columns"] == ["a", "b", "c", "d"]
    assert sum(cluster["rows"] for cluster in facts["clusters"]) == 990
    np.testing.assert_allclose(
        [c["center"] for c in facts["clusters"]], load_model("out/model.nkm").cluster_centers_
    )
    assert facts["outputs"] == ["out/centers.csv", "out/labels.parquet", "out/model.nkm"]
    assert facts["rows_sampled"] == 1000


def test_quiet_says_nothing(nkmeans, folder):
    assert fit(nkmeans, "--quiet") == ("", "")
    assert nkmeans("predict", "out/model.nkm", "data.csv", "-o", "p.csv", "-q") == (0, "", "")


@pytest.mark.parametrize("scale", ["none", "standard", "robust"])
def test_predict_prepares_as_fit_did(scale, nkmeans, folder):
    wide = FRAME * [1, 50, 1, 1] + [0, 0, 7, 0]
    wide.insert(0, "name", [f"row {i}" for i in range(1000)])
    wide.to_parquet("wide.parquet")
    fit(nkmeans, "--scale", scale, "--id", "name", file="wide.parquet")
    found = labels_in("out/labels.parquet")
    assert found["id"] == wide["name"].tolist()
    wide[["d", "c", "name", "b", "a"]].to_csv("new.csv", index=False)
    code, _, told = nkmeans("predict", "out/model.nkm", "new.csv", "-o", "new.parquet")
    assert code == 0, told
    again = labels_in("new.parquet")
    assert again["id"] == found["id"]
    assert again["label"] == found["label"]
    np.testing.assert_allclose(again["squared_distance"], found["squared_distance"], rtol=1e-9)
    centers = pd.read_csv("out/centers.csv")
    kept = np.array(found["label"]) >= 0
    means = wide[kept].groupby(np.array(found["label"])[kept]).mean(numeric_only=True)
    np.testing.assert_allclose(
        centers[["a", "b", "c", "d"]], means[["a", "b", "c", "d"]], rtol=0.01
    )


IDS = [
    "plain",
    "007",
    "a,b",
    'say "hi"',
    "two\nlines",
    "größe 数 🙂",
    "",
    "NA",
    "  spaces ",
    "'",
    "<b>",
    "=1+1",
]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_ids_survive_the_round_trip_in_their_order(ending, nkmeans, folder):
    ids = [word + suffix for suffix in ("", "2", "3") for word in IDS]
    table = pa.table({"key, of sorts": ids, "x": np.arange(36.0) % 7, "y": np.arange(36.0) % 5})
    csv.write_csv(table, "ids.csv")
    parquet.write_table(table, "ids.parquet")
    fit(nkmeans, "--id", "key, of sorts", "--labels", ending, file=f"ids.{ending}")
    assert labels_in(f"out/labels.{ending}")["id"] == ids
    code, _, told = nkmeans("predict", "out/model.nkm", "ids.csv", "-o", f"p.{ending}")
    assert code == 0, told
    assert labels_in(f"p.{ending}")["id"] == ids


def test_columns_are_chosen_by_name(nkmeans, folder):
    fit(nkmeans, "--columns", "d, a", "--drop", "a")
    assert load_model("out/model.nkm").preparation_.columns == ("d",)
    FRAME.rename(columns={"a": "x,y"}).to_csv("odd.csv", index=False)
    fit(nkmeans, "--drop", '"x,y",b', "--force", file="odd.csv")
    assert load_model("out/model.nkm").preparation_.columns == ("c", "d")


def test_several_files_and_patterns(nkmeans, folder):
    for part in range(3):
        FRAME[part::3].to_csv(f"part-{part}.csv.gz", index=False)
    code, said, told = nkmeans("fit", "part-*.gz", "-k", 3, "-z", 10, "--json")
    assert code == 0, told
    order = np.concatenate([np.arange(1000)[part::3] for part in range(3)])
    assert json.loads(said)["cost"] == pytest.approx(
        NKMeans(3, 10, random_state=0).fit(X[order]).inertia_
    )


def test_missing_values(nkmeans, folder):
    holes = FRAME.copy()
    holes.loc[[5, 500], "b"] = np.nan
    holes.loc[7, "c"] = np.inf
    holes.to_csv("holes.csv", index=False)
    code, said, told = nkmeans("fit", "holes.csv", "-k", 3, "-o", "out")
    assert (code, said) == (2, "")
    assert told.startswith(
        "nkmeans: holes.csv, line 7: column 'b' is missing or infinite; 3 such values in 3 of 1000 rows"
    )
    assert told.count("\n") == 1
    assert not os.path.exists("out")
    _, told = fit(nkmeans, "--missing", "drop", file="holes.csv")
    assert "3 of 1000 rows have missing" in told
    found = labels_in("out/labels.parquet")
    assert [i for i, label in enumerate(found["label"]) if label is None] == [5, 7, 500]
    assert found["squared_distance"][5] is None
    assert found["id"] == list(range(1000))
    whole = np.delete(np.arange(1000), [5, 7, 500])
    model = NKMeans(3, 0.01, random_state=0).fit(X[whole])
    assert [found["label"][i] for i in whole] == model.labels_.tolist()
    code, said, _ = nkmeans("predict", "out/model.nkm", "holes.csv")
    assert said.splitlines()[6] == "5,,,"
    code, _, told = nkmeans("predict", "out/model.nkm", "holes.csv", "--missing", "error")
    assert code == 2
    _, told = fit(nkmeans, "--missing", "mean", "--force", file="holes.csv")
    assert "3 missing or infinite values in 3 rows are filled" in told
    assert None not in labels_in("out/labels.parquet")["label"]
    _, _, told = nkmeans("predict", "out/model.nkm", "holes.csv")
    assert "3 missing or infinite values in 3 rows are filled with the means of fit" in told
    code, said, told = nkmeans("predict", "out/model.nkm", "holes.csv", "-q")
    assert code == 0
    found = [int(line.split(",")[1]) for line in said.splitlines()[1:]]
    assert found == labels_in("out/labels.parquet")["label"]


def test_means_that_the_model_does_not_have(nkmeans, folder):
    fit(nkmeans)
    FRAME.assign(b=np.nan).to_csv("holes.csv", index=False)
    code, _, told = nkmeans("predict", "out/model.nkm", "holes.csv", "--missing", "mean")
    assert code == 2
    assert "--missing mean needs a model that was fitted with --missing mean" in told
    code, _, told = nkmeans("predict", "out/model.nkm", "holes.csv")
    assert "--missing drop leaves those rows out" in told
    assert "--missing mean" not in told


def test_warnings_of_scale_and_row_numbers(nkmeans, folder):
    (FRAME * [1, 1, 1, 1e5]).to_csv("wide.csv")
    _, told = fit(nkmeans, file="wide.csv")
    lines = told.splitlines()
    assert lines[0].startswith("nkmeans: warning: column '")
    assert lines[1] == "nkmeans: warning: column '' only counts the rows; consider --id or --drop"
    _, told = fit(nkmeans, "--force", "--scale", "robust", "--drop", '""', file="wide.csv")
    assert told == ""


def test_standard_input_and_output(nkmeans, folder, monkeypatch):
    class Stdin:
        buffer = io.BytesIO((folder / "data.csv").read_bytes())

    monkeypatch.setattr(sys, "stdin", Stdin)
    fit(nkmeans, file="-")
    FRAME.to_parquet("data.parquet")
    Stdin.buffer = io.BytesIO((folder / "data.parquet").read_bytes())
    code, said, told = nkmeans("predict", "out/model.nkm", "-", "-o", "-")
    assert code == 0
    assert "1,000 rows, 10 outliers" in told
    found = pd.read_csv(io.StringIO(said))
    np.testing.assert_array_equal(found["label"], labels_in("out/labels.parquet")["label"])
    Stdin.buffer = io.BytesIO(b"a,b\n1\n")
    code, said, told = nkmeans("predict", "out/model.nkm", "-")
    assert (code, said) == (2, "")
    assert told == "nkmeans: standard input: has no column 'c'; it has 'a', 'b'\n"


def test_models_made_in_python(nkmeans, folder):
    save_model(NKMeans(3, 10, random_state=0).fit(X), "array.nkm")
    save_model(NKMeans(3, 10, random_state=0).fit(FRAME), "frame.nkm")
    FRAME.assign(e=1)[list("edcba")].to_csv("more.csv", index=False)
    for model, file in (("array.nkm", "data.csv"), ("frame.nkm", "more.csv")):
        code, said, told = nkmeans("predict", model, file)
        assert code == 0, told
        assert said.count(",-1,") == 10
    code, _, told = nkmeans("predict", "array.nkm", "more.csv")
    assert code == 2
    assert "more.csv: must have the 4 columns that array.nkm was fitted on; got 5" in told
    code, said, _ = nkmeans("predict", "array.nkm", "data.csv", "--assign-outliers")
    assert ",-1," not in said


def test_an_id_that_new_data_does_not_have(nkmeans, folder):
    FRAME.assign(key="k").to_csv("keyed.csv", index=False)
    fit(nkmeans, "--id", "key", file="keyed.csv")
    code, said, told = nkmeans("predict", "out/model.nkm", "data.csv")
    assert code == 0
    assert "data.csv has no column 'key': ids are row numbers" in told
    assert said.splitlines()[1].startswith("0,")


BAD = {
    "ragged": ("fit ragged.csv -k 3", "ragged.csv, line 3: must have 2 fields, as the first line has; got 3"),
    "text": ("fit text.csv -k 3", "text.csv, line 3: column 'b' must hold numbers; got 'Paris'"),
    "empty": ("fit empty.csv -k 3", "empty.csv: is empty"),
    "only a header": ("fit header.csv -k 3", "header.csv: has no rows"),
    "not what it says": ("fit text.parquet -k 3", "text.parquet: is not what its ending .parquet says"),
    "not there": ("fit nothing.csv -k 3", "nothing.csv: No such file or directory"),
    "no match": ("fit nothing*.csv -k 3", "nothing*.csv: no file matches this pattern"),
    "a folder": ("fit . -k 3", ".: is a folder"),
    "no such column": ("fit data.csv -k 3 --columns a,q", "data.csv: has no column 'q'; it has 'a', 'b', 'c', 'd'"),
    "no such drop": ("fit data.csv -k 3 --drop q", "data.csv: has no column 'q'"),
    "no such id": ("fit data.csv -k 3 --id q", "data.csv: has no column 'q'"),
    "bad z": ("fit data.csv -k 3 -z many", "-z must be a count (500), a share (0.01), a percentage (1%) or"),
    "too many": ("fit data.csv -k 3 -z 999", "n_outliers of NKMeans must be an int in [0, n_samples - n_clusters]"),
    "too much": ("fit data.csv -k 3 -z 150%", "n_outliers of NKMeans must be"),
    "k zero": ("fit data.csv -k 0", "n_clusters of NKMeans must be an int >= 1 or"),
    "k too large": ("fit data.csv -k 1001", "n_clusters of NKMeans must be an int in [1, n_samples]"),
    "out is a file": ("fit data.csv -k 3 -o data.csv", "data.csv is a file; give the name of a folder"),
    "out is here": ("fit data.csv -k 3 -o .", "is the current folder; give the name of a new one"),
    "two letters between fields": ("fit data.csv -k 3 --delimiter ab", "--delimiter must be one plain character, or \\t; got 'ab'"),
    "a seed below zero": ("fit data.csv -k 3 --seed -1", "'--seed'"),
    "no k": ("fit data.csv", "Missing option '--clusters' / '-k'"),
    "k in words": ("fit data.csv -k three", "-k must be a number (8) or"),
    "no such option": ("fit data.csv -k 3 --bogus", "No such option: --bogus"),
    "no such scale": ("fit data.csv -k 3 --scale log", "'--scale'"),
    "no such command": ("cluster data.csv", "No such command 'cluster'"),
    "id and column": ("fit data.csv -k 3 --columns a,b --id a", "data.csv: column 'a' can name the rows or be clustered"),
    "a column twice": ("fit data.csv -k 3 --columns a,a", "data.csv: column 'a' is chosen twice"),
    "an output folder that is not there": ("predict model.nkm data.csv -o nowhere/labels.csv", "nowhere is not there; labels.csv cannot be written to it"),
    "no model": ("predict nothing.nkm data.csv", "nothing.nkm: No such file or directory"),
    "not a model": ("predict data.csv data.csv", "data.csv is not a model of nkmeans, or is damaged"),
    "odd ending": ("predict model.nkm data.csv -o labels.xlsx", "-o must end in .csv or .parquet, or be '-'; got 'labels.xlsx'"),
    "would overwrite": ("predict model.nkm data.csv -o data.csv", "is there already; --force"),
    "predict without a column": ("predict model.nkm text.csv", "text.csv: has no column 'c'; it has 'a', 'b'"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_told_in_one_line(case, nkmeans, folder):
    (folder / "ragged.csv").write_text("a,b\n1,2\n3,4,5\n")
    (folder / "text.csv").write_text("a,b\n1,2\n3,Paris\n")
    (folder / "text.parquet").write_text("a,b\n1,2\n3,Paris\n")
    (folder / "header.csv").write_text("a,b\n")
    (folder / "empty.csv").write_text("")
    save_model(NKMeans(3, 10, random_state=0).fit(FRAME), "model.nkm")
    before = sorted(os.listdir(folder))
    words, wanted = BAD[case]
    code, said, told = nkmeans(*words.split())
    assert (code, said) == (2, "")
    assert told.startswith("nkmeans: ")
    assert wanted in told
    assert told.count("\n") == 1
    assert sorted(os.listdir(folder)) == before


def test_without_words_there_is_help(nkmeans):
    code, said, told = nkmeans()
    assert (code, said) == (2, "")
    assert told.startswith("Usage: nkmeans")


def test_what_is_read_is_never_replaced(nkmeans, folder):
    (folder / "out").mkdir()
    FRAME.to_csv("out/labels.csv", index=False)
    code, _, told = nkmeans("fit", "out/labels.csv", "-k", 3, "-o", "out", "--force", "--no-report")
    assert code == 2
    assert "out/labels.csv is in the folder out that is to be written" in told
    assert pd.read_csv("out/labels.csv").shape == (1000, 4)
    (folder / "kept" / "model.nkm").mkdir(parents=True)
    code, _, told = nkmeans("fit", "data.csv", "-k", 3, "-o", "kept", "--force", "--no-report")
    assert code == 2
    assert "holds other files (model.nkm)" in told


def test_permissions_of_what_is_replaced_stay(nkmeans, folder):
    (folder / "out").mkdir(mode=0o700)
    fit(nkmeans)
    assert os.stat("out").st_mode & 0o777 == 0o700
    nkmeans("predict", "out/model.nkm", "data.csv", "-o", "p.csv")
    os.chmod("p.csv", 0o600)
    assert nkmeans("predict", "out/model.nkm", "data.csv", "-o", "p.csv", "--force")[0] == 0
    assert os.stat("p.csv").st_mode & 0o777 == 0o600


def test_headers_in_doubt_and_files_given_twice_are_told(nkmeans, folder):
    (folder / "ids.csv").write_text("".join(f"u{i},{i % 7},{i % 5 + 1}\n" for i in range(50)))
    _, told = fit(nkmeans, "--drop", "u0", file="ids.csv")
    assert (
        "ids.csv begins with names and numbers, which are taken for a header; --no-header" in told
    )
    code, said, told = nkmeans("fit", "ids.csv", "-k", 3, "--id", "x0", "--no-header", "--json")
    assert (code, told) == (0, "")
    assert json.loads(said)["rows"] == 50
    code, said, told = nkmeans("fit", "data.csv", "data.csv", "-k", 3)
    assert code == 0
    assert "data.csv is given 2 times, and its rows count as often" in told


def test_rows_that_all_have_gaps(nkmeans, folder):
    fit(nkmeans, "--missing", "drop")
    FRAME.assign(b=np.nan)[:3].to_csv("holes.csv", index=False)
    code, _, told = nkmeans("fit", "holes.csv", "-k", 1, "--missing", "drop")
    assert code == 2
    assert "holes.csv: column 'b', number 2 of those chosen, has no value; --drop it" in told
    FRAME[:3].assign(a=[np.nan, 1, 2], b=[1, np.nan, np.nan]).to_csv("few.csv", index=False)
    code, _, told = nkmeans("fit", "few.csv", "-k", 1, "--missing", "drop")
    assert code == 2
    assert "few.csv: has no row without missing values" in told
    code, said, _ = nkmeans("predict", "out/model.nkm", "holes.csv")
    assert code == 0
    assert said.splitlines()[1:] == ["0,,,", "1,,,", "2,,,"]


def test_european_files(nkmeans, folder):
    FRAME.to_csv("de.csv", sep=";", decimal=",", index=False)
    code, said, told = nkmeans("fit", "de.csv", "-k", 3, "-z", 10, "--decimal", ",", "--json")
    assert code == 0, told
    assert json.loads(said)["cost"] == pytest.approx(NKMeans(3, 10, random_state=0).fit(X).inertia_)


def test_a_share_of_nothing_is_told(nkmeans, folder):
    FRAME[:50].to_csv("few.csv", index=False)
    code, _, told = nkmeans("fit", "few.csv", "-k", 3, "-z", "1%")
    assert code == 0
    assert "-z is less than one of 50 rows: nothing is left out" in told


def test_a_row_of_many_lines_is_told(nkmeans, folder):
    rows = [f"{i},note" for i in range(100)]
    rows[5], rows[60] = '5,"open', '60,close"'
    (folder / "notes.csv").write_text("a,note\n" + "\n".join(rows) + "\n")
    _, told = fit(nkmeans, "--drop", "note", file="notes.csv")
    assert "notes.csv, line 7: a row has 56 lines; is a quote missing?" in told


def test_pipes_are_files_too(folder):
    words = " ".join(command("fit", "<(cat data.csv)", "-k", "3", "--json"))
    done = subprocess.run(["bash", "-c", words], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["rows"] == 1000


def test_closed_streams_are_told(folder):
    save_model(NKMeans(3, 10, random_state=0).fit(X), "m.nkm")
    for words, wanted in (
        (
            f"{' '.join(command('predict', 'm.nkm', 'data.csv'))} >&-",
            "nkmeans: standard output is closed",
        ),
        (f"{' '.join(command('fit', '-', '-k', '3'))} <&-", "nkmeans: standard input: is closed"),
    ):
        done = subprocess.run(["bash", "-c", words], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr.splitlines() == [wanted]


def test_results_are_not_overwritten_unasked(nkmeans, folder):
    fit(nkmeans)
    before = (folder / "out" / "labels.parquet").read_bytes()
    code, _, told = nkmeans("fit", "data.csv", "-k", 2, "-o", "out")
    assert code == 2
    assert told.endswith("out holds earlier results; --force replaces them\n")
    assert (folder / "out" / "labels.parquet").read_bytes() == before
    code, *_ = nkmeans(
        "fit", "data.csv", "-k", 2, "-o", "out", "--force", "--labels", "csv", "--no-report"
    )
    assert code == 0
    assert sorted(os.listdir("out")) == ["centers.csv", "labels.csv", "model.nkm"]


@pytest.mark.parametrize("name", ["labels.parquet", "centers.csv", "model.nkm", "report.html"])
def test_a_full_disk_at_any_file_leaves_nothing(name, nkmeans, folder, monkeypatch):
    """The disk is full when this file reaches it."""
    fsync = os.fsync

    def full(handle):
        if os.readlink(f"/proc/self/fd/{handle}").rsplit("/")[-1].strip(".").startswith(name):
            raise OSError(28, "No space left on device")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", full)
    code, said, told = nkmeans("fit", "data.csv", "-k", 3, "-o", "out")
    assert (code, said) == (2, "")
    assert "No space left on device" in told
    assert told.count("\n") == 1
    assert os.listdir(folder) == ["data.csv"]


def command(*words):
    return [sys.executable, "-m", "nkmeans.cli", *map(str, words)]


def test_a_file_that_may_not_grow_leaves_nothing(folder):
    """A real refusal to write, by the system, while pyarrow writes."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    done = subprocess.run(
        command("fit", "data.csv", "-k", "3", "-o", "out"),
        capture_output=True,
        text=True,
        preexec_fn=limit,
    )
    assert done.returncode == 2
    assert "out: File too large" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert os.listdir(folder) == ["data.csv"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_without_permission(folder, tmp_path_factory):
    """As another user, who may neither read the one file nor write to the other folder."""
    os.chmod("data.csv", 0o600)
    code = (
        "import os; from nkmeans import cli; cli.run(['fit', 'open.csv', '-k', '3', '-o', 'first', '-q']);"
        "os.setuid(65534);"
        "print(cli.run(['fit', 'data.csv', '-k', '3'])); print(cli.run(['fit', 'open.csv', '-k', '3', '-o', 'out']))"
    )
    FRAME.to_csv("open.csv", index=False)
    os.chmod(folder, 0o755)
    for parent in folder.parents:
        if str(parent).startswith("/tmp/"):
            os.chmod(parent, os.stat(parent).st_mode | 0o055)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["2", "2"], done.stderr
    first, second = done.stderr.splitlines()
    assert first == "nkmeans: data.csv: Permission denied"
    assert second.endswith("Permission denied")
    assert "out" in second


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_killed_run_leaves_the_whole_output_or_none(how, folder):
    """Killed as soon as it begins to write: the folder is not there, or it is whole."""
    rows = np.tile(X, (200, 1))
    np.save("big.npy", rows)
    process = subprocess.Popen(
        command("fit", "big.npy", "-k", "3", "-o", "out"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 60
    while not any(name.endswith(".part") for name in os.listdir(folder)):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
    process.send_signal(how)
    process.communicate()
    assert process.returncode != 0
    assert not os.path.exists("out")
    left = [name for name in os.listdir(folder) if name.startswith(".out.")]
    assert how == signal.SIGKILL or left == []


def test_a_run_that_is_ended_while_it_starts_ends(folder):
    """Amid imports, where an exception from the handler could be lost."""
    for wait in (0.15, 0.4, 0.8):
        process = subprocess.Popen(
            command("fit", "data.csv", "-k", "3", "-o", "out"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(wait)
        process.terminate()
        _, told = process.communicate(timeout=20)
        # Before the handler is there, the system ends it.
        assert process.returncode in (143, -signal.SIGTERM)
        assert told == b""


def test_a_reader_that_has_had_enough(folder):
    save_model(NKMeans(3, 10, random_state=0).fit(X), "m.nkm")
    np.save("big.npy", np.tile(X, (100, 1)))
    words = " ".join(command("predict", "m.nkm", "big.npy", "-q"))
    done = subprocess.run(
        ["bash", "-c", f"{words} | head -2; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == '"id","label","squared_distance","outlier"'
    assert done.stderr == ""
    full = subprocess.run(
        f"{words} > /dev/full", shell=True, capture_output=True, text=True, check=False
    )
    assert full.returncode == 2
    assert full.stderr == "nkmeans: standard output: No space left on device\n"


def test_a_bar_on_a_terminal_and_none_elsewhere(folder):
    import pty

    main, other = pty.openpty()
    process = subprocess.Popen(
        command("fit", "data.csv", "-k", "3"), stdout=subprocess.PIPE, stderr=other
    )
    os.close(other)
    seen = b""
    while True:
        try:
            more = os.read(main, 4096)
        except OSError:
            break
        if not more:
            break
        seen += more
    os.close(main)
    process.communicate()
    assert process.returncode == 0
    assert b"reading" in seen
    assert b"clustering" in seen


def test_help_is_quick_and_tells_everything(nkmeans):
    code, said, _ = nkmeans("--help")
    assert code == 0
    for word in ("fit", "predict", "demo", "bench", "nkmeans fit data.csv -k 10 -z 1% -o out/"):
        assert word in said
    _, said, _ = nkmeans("fit", "--help")
    for word in (
        "--columns",
        "--drop",
        "--id",
        "--scale",
        "--missing",
        "--json",
        "--quiet",
        "--force",
        "-k",
        "-z",
        "-o",
    ):
        assert word in said
    assert nkmeans("--version")[1].startswith("nkmeans 0.")


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from nkmeans import cli; cli.run(['fit', '--help']);"
        "print([name for name in ('numpy', 'numba', 'sklearn', 'pyarrow', 'scipy', 'plotly') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


# ---- numbers that nobody knows


def test_the_data_may_choose_both_numbers(folder, nkmeans):
    X, _, _ = make_noisy_blobs(3000, 4, 4, 60, noise_range=2.5, random_state=0)
    pd.DataFrame(X, columns=["a", "b", "c", "d"]).to_csv(folder / "noisy.csv", index=False)
    code, said, told = nkmeans("fit", "noisy.csv", "-k", "auto", "-z", "auto", "--json")
    facts = json.loads(said)
    assert (code, told) == (0, "")
    assert facts["n_clusters"] == 4
    assert abs(facts["n_outliers"] - 60) <= 1
    assert facts["break"]["clear"]
    code, said, told = nkmeans("fit", "noisy.csv", "-k", "4", "-z", "auto")
    assert "The distances break off from" in said


def test_doubts_about_a_choice_are_told_as_warnings(folder, nkmeans, rng):
    pd.DataFrame(rng.normal(size=(500, 2))).to_csv(folder / "plain.csv", index=False)
    code, _, told = nkmeans("fit", "plain.csv", "--header", "-k", "3", "-z", "auto")
    assert code == 0
    assert "nkmeans: warning: -z is 'auto', but the distances show no break" in told
    assert "see nkmeans suggest" in told
