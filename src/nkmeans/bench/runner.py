"""Runs what is missing, one child process at a time, with a limit of seconds for each cell."""

import json
import os
import platform
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from itertools import groupby
from pathlib import Path
from typing import Any

from nkmeans.bench.data_sets import all_data_sets
from nkmeans.bench.methods import methods
from nkmeans.bench.rows import Key, Rows

RUNS = 3
QUICK_ROWS = 50_000
PAPER_LIMIT = 4 * 3600.0
PACKAGES = ("nkmeans", "numpy", "numba", "scikit-learn", "scipy")


@dataclass(frozen=True)
class Request:
    """What to run.

    Attributes
    ----------
    suites : list of str
    rows : int or None
        Rows of each data set; None is as many as the paper has.
    limit : float
        Seconds that the runs of one method on one data set may take together.
    folder : Path or None
        Where data files are.
    only : list of str or None
        Names of data sets; None is all of the suites.
    """

    suites: list[str]
    rows: int | None = None
    limit: float = PAPER_LIMIT
    folder: Path | None = None
    only: list[str] | None = None


class Child:
    """A process that runs tasks, and can be given up on."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "nkmeans.bench.child"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def run(self, task: dict[str, Any], limit: float) -> dict[str, Any]:
        """The result of a task, or what went wrong: `status` is "ok", "timeout" or "failed".

        The clock starts when the data is ready.
        """
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(task) + "\n")
            self.process.stdin.flush()
            first = self._answer(None)
            if first.pop("event") == "error":
                return {"status": "failed", **first}
            answer = self._answer(limit)
        except queue.Empty:
            self.kill()
            return {"status": "timeout"}
        except (EOFError, BrokenPipeError):
            code = self.process.wait()
            self.kill()
            message = f"the process ended with code {code}"
            return {"status": "failed", "stage": "fit", "message": message}
        if answer.pop("event") == "error":
            return {"status": "failed", **answer}
        return {"status": "ok", **answer}

    def _answer(self, limit: float | None) -> dict[str, Any]:
        line = self.lines.get(timeout=None if limit is None else max(limit, 0.0))
        if line is None:
            raise EOFError
        answer: dict[str, Any] = json.loads(line)
        return answer

    def alive(self) -> bool:
        """Whether it can take another task."""
        return self.process.poll() is None

    def kill(self) -> None:
        """End it, whatever it does."""
        self.process.kill()
        self.process.wait()
        self.reader.join()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                assert pipe is not None
                pipe.close()

    def close(self) -> None:
        """Let it end, then make sure of it."""
        with suppress(OSError):
            assert self.process.stdin is not None
            self.process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=5)
        self.kill()


def wanted(request: Request) -> list[Key]:
    """All rows that the request asks for, in the order in which they are run."""
    return [
        Key(data.suite, data.name, data.source, request.rows, method, seed)
        for data in all_data_sets(request.folder)
        if data.suite in request.suites and (not request.only or data.name in request.only)
        for method in methods()
        for seed in range(RUNS)
    ]


def run_missing(request: Request, rows: Rows, progress: Callable[[int, int, str], None]) -> None:
    """Run every row that is wanted and not there yet.

    What failed is tried again, and what ran out of time if there is more of it now.
    `progress(done, total, what)` is told after every row, and before the first.
    """
    keys = wanted(request)
    missing = [key for key in keys if not is_done(rows.found.get(key), request.limit)]
    done, total = len(keys) - len(missing), len(keys)
    progress(done, total, "")
    facts = facts_of_run()
    child: Child | None = None
    no_data: dict[tuple[str, str], dict[str, Any]] = {}  # what could not be had is not asked twice
    try:
        for (suite, data, source, n, method), cell in groupby(missing, key=lambda key: key[:5]):
            known = [Key(suite, data, source, n, method, seed) for seed in range(RUNS)]
            left = request.limit - sum(rows.found.get(key, {}).get("seconds", 0.0) for key in known)
            for key in cell:
                task = {**key._asdict(), "folder": os.fspath(request.folder or "")}
                result = no_data.get((suite, data), {"status": "timeout"})
                if left > 0 and result["status"] == "timeout":
                    if child is None or not child.alive():
                        child = Child()
                    start = time.perf_counter()
                    result = child.run(task, left)
                    left -= result.get("seconds", time.perf_counter() - start)
                    if result["status"] == "timeout":
                        left = 0.0
                    if result.get("stage") == "data":
                        no_data[suite, data] = result
                rows.add({**key._asdict(), **result, "limit": request.limit, **facts})
                done += 1
                progress(done, total, f"{data}, {method}")
    finally:
        if child is not None:
            child.close()


def is_done(row: dict[str, Any] | None, limit: float) -> bool:
    """Whether a row need not be run (again)."""
    if row is None or row["status"] == "failed":
        return False
    return bool(row["status"] == "ok" or row["limit"] >= limit)


def facts_of_run() -> dict[str, Any]:
    """Machine, versions and commit, for every row."""
    versions = {}
    for name in PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return {
        "commit": commit(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}",
        "python": platform.python_version(),
        "versions": versions,
    }


def commit() -> str:
    """The commit of the package's own repository; empty where it is installed without one."""
    here = Path(__file__).parents[3]
    if not (here / ".git").exists() or shutil.which("git") is None:
        return ""

    def git(*words: str) -> str:
        command = ["git", "-C", os.fspath(here), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()

    changed = "-dirty" if git("status", "--porcelain", "--", "src") else ""
    return git("rev-parse", "--short=12", "HEAD") + changed
