"""The process that does the work: tasks come in as lines of JSON, results go out the same way.

    python -m nkmeans.bench.child

The parent may kill it at any time. It ends by itself when its input ends, also in the middle of
a fit: a parent that was killed leaves nothing running.
"""

import json
import os
import queue
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from nkmeans.bench.data_sets import Prepared, all_data_sets
from nkmeans.bench.methods import methods
from nkmeans.bench.score import score


def read_tasks(tasks: "queue.Queue[dict]") -> None:
    """Put the lines of the input into the queue, and end the process after the last."""
    for line in sys.stdin:
        tasks.put(json.loads(line))
    os._exit(0)


def reply(**message: Any) -> None:
    """Write one line."""
    print(json.dumps(message), flush=True)


def forget_peak_memory() -> None:
    """Start the count of the peak memory anew, where the system can (Linux)."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory_mb() -> float:
    """Peak memory of this process."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    try:
        import resource
    except ImportError:  # not on Windows
        return float("nan")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(data: Prepared, method: str, seed: int) -> dict[str, Any]:
    """One fit, and its scores."""
    model = methods()[method].make(data.n_clusters, data.n_outliers, seed)
    forget_peak_memory()
    start = time.perf_counter()
    model.fit(data.X)
    seconds = time.perf_counter() - start
    memory = peak_memory_mb()
    n, d = data.X.shape
    return {
        "seconds": seconds, "peak_mb": round(memory), **score(data, model),
        "n": n, "d": d, "k": data.n_clusters, "z": data.n_outliers,
    }  # fmt: skip


class Bench:
    """The data of the last task, and the methods whose compiled code is loaded."""

    data: Prepared

    def __init__(self) -> None:
        self.key: tuple | None = None
        self.warm: set[str] = set()

    def load(self, task: dict[str, Any]) -> None:
        """Prepare the data, unless it is that of the last task."""
        key = (task["suite"], task["data"], task["rows"], task["folder"])
        if self.key != key:
            self.key = None
            self.__dict__.pop("data", None)  # frees the last one before the next is made
            folder = Path(task["folder"]) if task["folder"] else None
            known = {(data.suite, data.name): data for data in all_data_sets(folder)}
            self.data, self.key = known[key[:2]].prepare(task["rows"], folder), key

    def warm_up(self, method: str) -> None:
        """Load the compiled code of a method, so that the clock measures the fit alone."""
        if method not in self.warm:
            methods()[method].make(2, 1, 0).fit(self.data.X[:200])
            self.warm.add(method)


def main() -> None:
    """Work until the input ends."""
    tasks: queue.Queue[dict] = queue.Queue()
    threading.Thread(target=read_tasks, args=(tasks,), daemon=True).start()
    bench = Bench()
    while True:
        task, stage = tasks.get(), "data"
        try:
            bench.load(task)
            stage = "fit"
            bench.warm_up(task["method"])
            reply(event="start")
            reply(event="done", **run(bench.data, task["method"], task["seed"]))
        except Exception as error:
            reply(event="error", stage=stage, message=f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
