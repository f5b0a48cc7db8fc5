"""The command line: `nkmeans fit` against reading with pyarrow and one fit, and the report.

python benchmarks/shell.py [--quick] [--out FILE]
"""

import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow
from pyarrow import csv, parquet

from nkmeans import NKMeans, cli
from nkmeans.datasets import make_noisy_blobs
from record import Recorder, arguments

TIMES = 7
K = 10


def write_files(folder: Path, n: int) -> dict[str, Path]:
    """The same rows as CSV and as Parquet."""
    X, _, _ = make_noisy_blobs(n - n // 100, K, 10, n // 100, random_state=0)
    table = pyarrow.table({f"f{i}": X[:, i] for i in range(X.shape[1])})
    paths = {"CSV": folder / "data.csv", "Parquet": folder / "data.parquet"}
    csv.write_csv(table, paths["CSV"])
    parquet.write_table(table, paths["Parquet"])
    return paths


def by_hand(path: Path) -> None:
    """What a person would write: pyarrow reads, NumPy stacks the columns, one fit."""
    table = csv.read_csv(path) if path.suffix == ".csv" else parquet.read_table(path)
    X = np.column_stack([column.to_numpy() for column in table.columns])
    NKMeans(K, 0.01, random_state=0).fit(X)


def fit_words(path: Path, *more: str) -> list[str]:
    """The words of `nkmeans fit`."""
    out = str(path.parent / "out")
    return ["fit", str(path), "-k", str(K), "-z", "1%", "-o", out, "--force", "-q", *more]


def by_command(path: Path, *more: str) -> None:
    """`nkmeans fit`, in this process."""
    assert cli.run(fit_words(path, *more)) == 0


def seconds_of(work: Callable) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def take_turns(record: Recorder, where: str, kind: str, works: dict[str, Callable]) -> None:
    """Median seconds of each, once all have run."""
    for work in works.values():
        work()
    found = {name: [] for name in works}
    for _ in range(TIMES):
        for name, work in works.items():
            found[name].append(seconds_of(work))
    seconds = {name: float(np.median(times)) for name, times in found.items()}
    ratio = seconds["command"] / seconds["by hand"]
    report = seconds["with report"] - seconds["command"]
    row = {"where": where, "kind": kind, "seconds": seconds, "ratio": ratio, "report_s": report}
    record.add(part="shell", **row)
    numbers = f"{seconds['by hand']:.3f} | {seconds['command']:.3f} | {ratio:.2f} | {report:.2f}"
    print(f"| {kind}, {where} | {numbers} |", flush=True)


def in_one_process(record: Recorder, kind: str, path: Path) -> None:
    """Everything compiled and imported."""
    works = {
        "by hand": lambda: by_hand(path),
        "command": lambda: by_command(path, "--no-report"),
        "with report": lambda: by_command(path),
    }
    take_turns(record, "in a warm process", kind, works)


def in_processes(record: Recorder, kind: str, path: Path) -> None:
    """A script against the command, each from the start of Python to its end."""
    reader = "csv.read_csv" if kind == "CSV" else "parquet.read_table"
    script = f"""
    import numpy as np
    from pyarrow import csv, parquet
    from nkmeans import NKMeans
    table = {reader}({str(path)!r})
    X = np.column_stack([column.to_numpy() for column in table.columns])
    print(NKMeans({K}, 0.01, random_state=0).fit(X).inertia_)
    """

    def run(*words: str) -> Callable:
        command = [sys.executable, *words]
        return lambda: subprocess.run(command, check=True, capture_output=True)

    works = {
        "by hand": run("-c", textwrap.dedent(script)),
        "command": run("-m", "nkmeans.cli", *fit_words(path, "--no-report")),
        "with report": run("-m", "nkmeans.cli", *fit_words(path)),
    }
    take_turns(record, "a process each", kind, works)


IMPORTS = """
import os
os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"
import nkmeans.cli.fit, nkmeans.cli.results, nkmeans.estimators.nk_means, nkmeans.model_file
import nkmeans.preparation, nkmeans.data.csv_file, nkmeans.data.column_files, typer
import pyarrow.csv, pyarrow.parquet, pyarrow.compute, pyarrow.ipc
"""
PEAK = """
with open("/proc/self/status") as lines:
    print(next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")))
"""


def memory(record: Recorder, kind: str, path: Path, n: int, *more: str) -> None:
    """The most memory of the command, beyond that of a process which only imports."""

    def peak(code: str) -> int:
        words = [sys.executable, "-c", code + PEAK]
        run = subprocess.run(words, check=True, capture_output=True, text=True)
        return int(run.stdout)

    imports = IMPORTS if more else f"{IMPORTS}import nkmeans.report, plotly.offline, jinja2\n"
    command = f"from nkmeans import cli\nassert cli.run({fit_words(path, *more)!r}) == 0\n"
    used = [peak(command) - peak(imports) for _ in range(3)]
    share = float(np.median(used)) / (n * 10 * 8)
    record.add(part="shell memory", kind=kind, report=not more, times_the_array=share)
    what = kind if more else f"{kind} with report"
    print(f"{what}: peak memory {share:.2f} times the array, beyond the imports", flush=True)


def page(record: Recorder, path: Path) -> None:
    """Size of the report and how fast it opens, each time in a browser that has not seen it."""
    chromium = shutil.which("chromium")
    size = path.stat().st_size
    if chromium is None:
        record.add(part="report", bytes=size)
        print(f"report: {size / 1e6:.2f} MB (no chromium here to open it)")
        return
    from playwright.sync_api import sync_playwright

    drawn = "() => [...document.querySelectorAll('.plot')].every(p => p.querySelector('.main-svg'))"
    flags = ["--no-sandbox", "--disable-background-networking"]
    loads, draws = [], []
    with sync_playwright() as driver:
        for _ in range(TIMES):
            browser = driver.chromium.launch(executable_path=chromium, args=flags)
            tab = browser.new_page()
            start = time.perf_counter()
            tab.goto(f"file://{path}")
            loads.append(time.perf_counter() - start)
            tab.wait_for_function(drawn)
            draws.append(time.perf_counter() - start)
            browser.close()
    load, draw = float(np.median(loads)), float(np.median(draws))
    record.add(part="report", bytes=size, load_s=load, drawn_s=draw)
    print(f"report: {size / 1e6:.2f} MB, loaded in {load:.2f} s, all drawn in {draw:.2f} s")


def start(record: Recorder) -> None:
    """Seconds of `nkmeans --help`."""
    words = [sys.executable, "-m", "nkmeans.cli", "--help"]

    def ask() -> None:
        subprocess.run(words, check=True, capture_output=True)

    found = [seconds_of(ask) for _ in range(TIMES)]
    record.add(part="help", seconds=float(np.median(found)), slowest=max(found))
    print(f"nkmeans --help: {np.median(found):.2f} s (slowest {max(found):.2f})")


def main() -> None:
    options = arguments(__doc__, "shell")
    n, record = 100_000 if options.quick else 1_000_000, Recorder(options.out)
    with tempfile.TemporaryDirectory() as folder:
        paths = write_files(Path(os.path.realpath(folder)), n)
        print("| file | by hand s | nkmeans fit s | ratio | report adds s |\n|" + "---|" * 5)
        for kind, path in paths.items():
            in_one_process(record, kind, path)
        for kind, path in paths.items():
            in_processes(record, kind, path)
        for kind, path in paths.items():
            memory(record, kind, path, n, "--no-report")
        memory(record, "Parquet", paths["Parquet"], n)
        page(record, paths["CSV"].parent / "out" / "report.html")
    start(record)
    print(f"rows: {options.out}")


if __name__ == "__main__":
    main()
