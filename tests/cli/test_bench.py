"""The command, as a shell runs it."""

import json
import subprocess
import sys

import pytest

from nkmeans import cli


def nkmeans(*words, check=True):
    command = [sys.executable, "-m", "nkmeans.cli", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert not check or done.returncode == 0, done.stderr
    return done


def test_help_tells_the_commands():
    said = nkmeans("--help").stdout
    assert "bench" in said
    said = nkmeans("bench", "--help").stdout
    for word in ("--quick", "--timeout", "--data", "--out", "synthetic", "real"):
        assert word in said


def test_an_unknown_table_is_named():
    done = nkmeans("bench", "everything", check=False)
    assert done.returncode == 2
    assert (
        "must be one of synthetic, failures, sigma, real, all; got 'everything'"
        in done.stderr.replace("\n", " ")
    )


def test_a_quick_run_writes_rows_tables_and_figures_and_is_resumed(tmp_path):
    """What CI runs of the bench: the failure table, from all 16 data sets and 7 methods."""
    out = tmp_path / "out folder"
    done = nkmeans("bench", "failures", "--quick", "--out", out)
    assert "| out of time | 0/16 (0/16) |" in done.stdout
    assert "336 of 336 runs" in done.stderr
    rows = [json.loads(line) for line in (out / "rows.jsonl").read_text().splitlines()]
    assert len(rows) == 336
    assert {row["status"] for row in rows} == {"ok"}
    best = {}
    for row in rows:
        if row["method"] == "NK-means":
            best[row["data"]] = min(row["objective"], best.get(row["data"], 99))
    assert len(best) == 16
    assert max(best.values()) < 1.0005
    assert (out / "synthetic-objective.png").exists()
    before = (out / "rows.jsonl").read_text()
    again = nkmeans("bench", "synthetic", "--quick", "--out", out)
    assert (out / "rows.jsonl").read_text() == before
    assert "### Objective" in (out / "tables.md").read_text()
    assert again.stderr.startswith("336 of 336 runs")


def test_data_that_cannot_be_had_is_told_once_and_the_exit_code_says_so(tmp_path):
    """Real data without a network: the other data sets are run, and a later start goes on."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "Skin_NonSkin.txt").write_text("not\tthe\tright\tfile\n")
    done = nkmeans(
        "bench",
        "real",
        "--quick",
        "--data",
        tmp_path / "data",
        "--out",
        tmp_path / "out",
        "--only",
        "Skin-5",
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.count("Failed: Skin-5: ValueError") == 1
    assert "must have 4 columns" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--timeout", "-5"), "must be a number of seconds > 0; got -5.0"),
        (("--timeout", "nan"), "must be a number of seconds > 0"),
        (("--data", "nowhere"), "does not exist"),
        (("--only", "Nothing"), "--only must be one of near-10-10-10K"),
        (("--out", __file__), "File exists"),
    ],
)
def test_bad_options_are_told_in_a_line(words, said, tmp_path):
    done = nkmeans("bench", "synthetic", "--quick", "--out", tmp_path, *words, check=False)
    assert done.returncode != 0
    assert said in " ".join(done.stderr.replace("\n", " ").replace("│", " ").split())
    assert "Traceback" not in done.stderr


def test_without_typer_the_extra_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "typer", None)
    assert cli.run(["--help"]) == 2
    assert "pip install 'nkmeans[cli]'" in capsys.readouterr().err
