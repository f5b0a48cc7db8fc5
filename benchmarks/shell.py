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


def by_command(path: Path, *more: str) -> None:
    """`nkmeans fit`, in this process."""
    out = path.parent / "out"
    words = ["fit", str(path), "-k", str(K), "-z", "1%", "-o", str(out), "--force", "-q", *more]
    assert cli.run(words) == 0


def seconds_of(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def times_in_one_process(record: Recorder, kind: str, path: Path) -> None:
    """Everything compiled and imported; the three take turns."""
    works = {
        "by hand": lambda: by_hand(path),
        "command": lambda: by_command(path, "--no-report"),
        "with report": lambda: by_command(path),
    }
    for work in works.values():
        work()
    seconds = {name: [] for name in works}
    for _ in range(TIMES):
        for name, work in works.items():
            seconds[name].append(seconds_of(work))
    medians = {name: float(np.median(found)) for name, found in seconds.items()}
    ratio = medians["command"] / medians["by hand"]
    report = medians["with report"] - medians["command"]
    record.add(
        part="shell", where="warm process", kind=kind, seconds=medians, ratio=ratio, report_s=report
    )
    print(
        f"| {kind}, in a warm process | {medians['by hand']:.3f} | {medians['command']:.3f} | {ratio:.2f} | {report:.2f} |",
        flush=True,
    )


def times_of_processes(record: Recorder, kind: str, path: Path) -> None:
    """A script against the command, each from the start of Python to its end."""
    script = f"""
    import numpy as np
    from pyarrow import csv, parquet
    from nkmeans import NKMeans
    table = csv.read_csv({str(path)!r}) if {kind == "CSV"} else parquet.read_table({str(path)!r})
    X = np.column_stack([column.to_numpy() for column in table.columns])
    print(NKMeans({K}, 0.01, random_state=0).fit(X).inertia_)
    """
    out = path.parent / "out"
    command = [
        sys.executable,
        "-m",
        "nkmeans.cli",
        "fit",
        str(path),
        "-k",
        str(K),
        "-z",
        "1%",
        "-o",
        str(out),
        "--force",
    ]
    works = {
        "by hand": [sys.executable, "-c", textwrap.dedent(script)],
        "command": [*command, "--no-report"],
        "with report": command,
    }
    seconds = {name: [] for name in works}
    for _ in range(TIMES):
        for name, words in works.items():
            run = lambda words=words: subprocess.run(words, check=True, capture_output=True)  # noqa: E731
            seconds[name].append(seconds_of(run))
    medians = {name: float(np.median(found)) for name, found in seconds.items()}
    ratio = medians["command"] / medians["by hand"]
    report = medians["with report"] - medians["command"]
    record.add(
        part="shell",
        where="whole process",
        kind=kind,
        seconds=medians,
        ratio=ratio,
        report_s=report,
    )
    print(
        f"| {kind}, a process each | {medians['by hand']:.3f} | {medians['command']:.3f} | {ratio:.2f} | {report:.2f} |",
        flush=True,
    )


def memory(record: Recorder, kind: str, path: Path, n: int, *more: str) -> None:
    """The most that a run adds to a process that has imported everything it needs."""
    code = f"""
    import sys
    import nkmeans.cli.fit, nkmeans.cli.results, nkmeans.estimators.nk_means, nkmeans.model_file
    import nkmeans.preparation, nkmeans.data.csv_file, nkmeans.data.column_files, typer, pyarrow.ipc
    import pyarrow.csv, pyarrow.parquet, pyarrow.compute
    if {not more}:
        import nkmeans.report, plotly.offline, jinja2
    from nkmeans import cli
    def status(key):
        with open("/proc/self/status") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key))
    with open("/proc/self/clear_refs", "w") as reset:
        reset.write("5")
    before = status("VmRSS")
    code = cli.run({["fit", str(path), "-k", str(K), "-z", "1%", "-o", str(path.parent / "out"), "--force", "-q", *more]!r})
    assert code == 0
    print(status("VmHWM") - before)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], check=True, capture_output=True, text=True
    )
    share = float(run.stdout.split()[-1]) / (n * 10 * 8)
    record.add(part="shell memory", kind=kind, report=not more, times_the_array=share)
    print(
        f"{kind}{'' if more else ' with report'}: peak memory {share:.2f} times the array, beyond the imports",
        flush=True,
    )


def page(record: Recorder, path: Path) -> None:
    """Size of the report and how fast it opens, each time in a browser that has not seen it."""
    chromium = shutil.which("chromium")
    size = path.stat().st_size
    if chromium is None:
        record.add(part="report", bytes=size)
        print(f"report: {size / 1e6:.2f} MB (no chromium here to open it)")
        return
    from playwright.sync_api import sync_playwright

    drawn = """() => [...document.querySelectorAll('.plot')].every(plot => plot.querySelector('.main-svg'))"""
    loads, draws = [], []
    with sync_playwright() as driver:
        for _ in range(TIMES):
            browser = driver.chromium.launch(
                executable_path=chromium, args=["--no-sandbox", "--disable-background-networking"]
            )
            tab = browser.new_page()
            start = time.perf_counter()
            tab.goto(f"file://{path}")
            loads.append(time.perf_counter() - start)
            tab.wait_for_function(drawn)
            draws.append(time.perf_counter() - start)
            browser.close()
    load, draw = float(np.median(loads)), float(np.median(draws))
    record.add(part="report", bytes=size, load_s=load, drawn_s=draw)
    print(
        f"report: {size / 1e6:.2f} MB; loaded after {load:.2f} s, all figures drawn after {draw:.2f} s",
        flush=True,
    )


def start(record: Recorder) -> None:
    """Seconds of `nkmeans --help`."""
    words = [sys.executable, "-m", "nkmeans.cli", "--help"]
    found = [
        seconds_of(lambda: subprocess.run(words, check=True, capture_output=True))
        for _ in range(TIMES)
    ]
    record.add(part="help", seconds=float(np.median(found)), slowest=max(found))
    print(f"nkmeans --help: {np.median(found):.2f} s (slowest {max(found):.2f})")


def main() -> None:
    options = arguments(__doc__, "shell")
    n, record = 100_000 if options.quick else 1_000_000, Recorder(options.out)
    with tempfile.TemporaryDirectory() as folder:
        paths = write_files(Path(os.path.realpath(folder)), n)
        print("| file | by hand s | nkmeans fit s | ratio | report adds s |\n|" + "---|" * 5)
        for kind, path in paths.items():
            times_in_one_process(record, kind, path)
        for kind, path in paths.items():
            times_of_processes(record, kind, path)
        for kind, path in paths.items():
            memory(record, kind, path, n, "--no-report")
        memory(record, "Parquet", paths["Parquet"], n)
        page(record, paths["CSV"].parent / "out" / "report.html")
    start(record)
    print(f"rows: {options.out}")


if __name__ == "__main__":
    main()
