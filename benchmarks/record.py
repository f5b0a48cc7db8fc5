"""What every benchmark shares: the paper's cells, timing, and rows written as JSON lines."""

import argparse
import importlib.metadata
import itertools
import json
import os
import platform
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parents[1] / "docs" / "results"
PACKAGES = ("nkmeans", "numpy", "numba", "scikit-learn", "faiss-cpu", "scikit-learn-intelex")
# The paper's 16 synthetic data sets: noise range, features, clusters, outliers.
CELLS = list(itertools.product((0.5, 2.5), (10, 20), (10, 20), (10_000, 50_000)))


def git(*words: str) -> str:
    """What git prints, at the top of the repository; nothing where there is none."""
    command = ["git", "-C", str(Path(__file__).parents[1]), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def facts() -> dict[str, Any]:
    """Machine, versions and commit, for every row."""
    installed = {d.metadata["Name"].lower() for d in importlib.metadata.distributions()}
    commit = git("rev-parse", "--short=12", "HEAD")
    # The rows written here do not make the code another: only its own files count.
    commit += "-dirty" if git("status", "--porcelain", "--", "src", "benchmarks") else ""
    return {
        "commit": commit,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}",
        "python": platform.python_version(),
        "versions": {p: importlib.metadata.version(p) for p in PACKAGES if p in installed},
    }


class Recorder:
    """Writes rows to a file of JSON lines, each with the facts of the run."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.facts, self.rows = path, facts(), []
        path.write_text("")

    def add(self, **row: Any) -> None:
        self.rows.append(row)
        with self.path.open("a") as lines:
            lines.write(json.dumps({**row, **self.facts}) + "\n")


def median_seconds(function: Callable[[], Any], times: int) -> tuple[float, Any]:
    """Median seconds of a few calls, and what the last returned."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        result = function()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds)), result


def geometric_mean(values: list[float]) -> float:
    return float(np.exp(np.mean(np.log(values))))


def arguments(doc: str, name: str) -> argparse.Namespace:
    """`--quick` and `--out`."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a minute's run, for a first look")
    parser.add_argument("--out", type=Path, default=None, help="file of JSON lines")
    options = parser.parse_args()
    if options.out is None:
        folder = Path("quick-results") if options.quick else RESULTS
        options.out = folder / f"{name}.jsonl"
    return options
