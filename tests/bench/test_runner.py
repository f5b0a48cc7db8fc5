"""Real child processes on small data."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from nkmeans.bench import runner
from nkmeans.bench.rows import Rows
from nkmeans.bench.runner import Child, Request, run_missing, wanted

TASK = {
    "suite": "synthetic",
    "data": "near-10-10-50K",
    "source": "",
    "rows": 2000,
    "seed": 0,
    "folder": "",
}


@pytest.fixture(scope="module")
def child():
    child = Child()
    yield child
    child.close()
    assert not child.alive()


def test_a_child_fits_and_scores(child):
    result = child.run({**TASK, "method": "NK-means"}, 60)
    assert result["status"] == "ok"
    assert 0.9 < result["objective"] < 1.01
    assert result["precision"] > 0.99
    assert result["seconds"] > 0
    assert 10 < result["peak_mb"] < 10_000
    assert (result["n"], result["d"], result["k"], result["z"]) == (2100, 10, 10, 100)
    again = child.run({**TASK, "method": "NK-means"}, 60)
    assert again["objective"] == result["objective"]


def test_an_error_in_a_task_is_told_and_the_child_goes_on(child):
    result = child.run({**TASK, "data": "nothing", "method": "NK-means"}, 60)
    assert (result["status"], result["stage"]) == ("failed", "data")
    assert "KeyError" in result["message"]
    assert child.run({**TASK, "method": "k-means--"}, 60)["status"] == "ok"


def test_a_child_that_takes_too_long_is_ended():
    child = Child()
    result = child.run({**TASK, "rows": 20_000, "method": "primal-dual"}, 1e-3)
    assert result == {"status": "timeout"}
    assert not child.alive()


def test_a_child_that_dies_is_told_of():
    child = Child()
    child.process.send_signal(signal.SIGKILL)
    result = child.run({**TASK, "method": "NK-means"}, 60)
    assert result["status"] == "failed"
    assert "code -9" in result["message"]


def test_a_child_without_a_parent_ends_by_itself():
    """A parent that is killed in the middle of a fit leaves nothing running."""
    script = (
        "import os, time\n"
        "from nkmeans.bench.runner import Child\n"
        "child = Child()\n"
        "print(child.process.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        if os.path.exists(f"/proc/{pid}/stat"):
            with open(f"/proc/{pid}/stat") as stat:
                if stat.read().split()[2] == "Z":
                    return
        time.sleep(0.1)
    pytest.fail("the child is still there")


def few(monkeypatch, methods=("NK-means", "uniform sample"), runs=2):
    """A suite of two data sets."""
    monkeypatch.setattr(runner, "RUNS", runs)
    known = runner.methods()
    monkeypatch.setattr(runner, "methods", lambda: {name: known[name] for name in methods})
    sets = [data for data in runner.all_data_sets(None) if data.name in ("near-10-10-50K", "far-10-10-50K") and data.suite == "synthetic"]  # fmt: skip
    monkeypatch.setattr(runner, "all_data_sets", lambda folder: sets)
    return Request(["synthetic"], 2000)


def test_what_is_there_is_not_run_again(tmp_path, monkeypatch):
    request = few(monkeypatch)
    told = []
    rows = Rows(tmp_path / "rows.jsonl")
    run_missing(request, rows, lambda *words: told.append(words))
    assert [words[:2] for words in told] == [(i, 8) for i in range(9)]
    assert set(rows.found) == set(wanted(request))
    assert {row["status"] for row in rows.found.values()} == {"ok"}
    row = next(iter(rows.found.values()))
    assert {"commit", "machine", "python", "versions", "peak_mb", "seconds"} <= set(row)
    before = rows.path.read_text()
    monkeypatch.setattr(runner, "Child", None)
    run_missing(request, Rows(rows.path), lambda *words: None)
    assert rows.path.read_text() == before


def test_a_cell_out_of_time_is_marked_and_the_others_go_on(tmp_path, monkeypatch):
    request = few(monkeypatch, ("primal-dual", "uniform sample"))
    rows = Rows(tmp_path / "rows.jsonl")
    limited = Request(request.suites, request.rows, limit=2e-3)
    run_missing(limited, rows, lambda *words: None)
    status = {(key.method, key.seed): row["status"] for key, row in rows.found.items()}
    assert status["primal-dual", 0] == status["primal-dual", 1] == "timeout"
    assert len(rows.found) == 8
    before = rows.path.read_text()
    run_missing(limited, rows, lambda *words: None)
    assert rows.path.read_text() == before  # there is no more time than there was
    run_missing(request, rows, lambda *words: None)
    assert {row["status"] for row in Rows(rows.path).found.values()} == {"ok"}


def test_data_that_cannot_be_had_is_asked_for_once(tmp_path, monkeypatch):
    request = few(monkeypatch)
    asked = []

    class Offline:
        def run(self, task, limit):
            asked.append(task["data"])
            return {"status": "failed", "stage": "data", "message": "no network"}

        def alive(self):
            return True

        def close(self):
            pass

    monkeypatch.setattr(runner, "Child", Offline)
    rows = Rows(tmp_path / "rows.jsonl")
    run_missing(request, rows, lambda *words: None)
    assert asked == ["near-10-10-50K", "far-10-10-50K"]
    assert [row["message"] for row in rows.found.values()] == ["no network"] * 8


def test_what_failed_is_tried_again(tmp_path, monkeypatch):
    request = few(monkeypatch)
    rows = Rows(tmp_path / "rows.jsonl")
    failing = type("Failing", (), {
        "run": lambda self, task, limit: {"status": "failed", "message": "no network"},
        "alive": lambda self: True, "close": lambda self: None,
    })  # fmt: skip
    with monkeypatch.context() as patch:
        patch.setattr(runner, "Child", failing)
        run_missing(request, rows, lambda *words: None)
    assert {row["message"] for row in rows.found.values()} == {"no network"}
    run_missing(request, rows, lambda *words: None)
    assert {row["status"] for row in rows.found.values()} == {"ok"}


def test_killed_at_any_time_and_started_again_it_gives_the_same(tmp_path):
    """The command itself, killed for real in the middle of its runs."""
    script = (
        "import sys, pytest\n"
        "from pathlib import Path\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from test_runner import few\n"
        "from nkmeans.bench.rows import Rows\n"
        "from nkmeans.bench.runner import run_missing\n"
        "run_missing(few(pytest.MonkeyPatch()), Rows(Path(sys.argv[2])), lambda *words: None)\n"
    )
    here = os.path.dirname(__file__)

    def start(path):
        return subprocess.Popen([sys.executable, "-c", script, here, str(path)])

    whole = tmp_path / "whole.jsonl"
    assert start(whole).wait(120) == 0
    path = tmp_path / "killed.jsonl"
    for lines in (0, 2, 5):
        process = start(path)
        deadline = time.time() + 60
        while time.time() < deadline and (
            not path.exists() or path.read_text().count("\n") <= lines
        ):
            time.sleep(0.005)
        process.kill()
        process.wait()
    with path.open("a") as file:
        file.write('{"suite": "synth')  # as a full disk or a power cut leaves it
    assert start(path).wait(120) == 0

    def scores(path):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert len(rows) == 8
        return {(r["data"], r["method"], r["seed"]): (r["objective"], r["precision"]) for r in rows}

    assert scores(path) == scores(whole)
