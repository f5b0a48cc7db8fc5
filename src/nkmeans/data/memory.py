"""How much memory there is, and how much data would take."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from nkmeans.data.columns import DataFile

UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
# What a container may use: version 2 and version 1 of Linux's control groups.
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def parse_size(words: str) -> int:
    """Bytes in words: "500MB", "2GB", "1.5 GiB", "1000000"."""
    found = re.fullmatch(r"([\d.]+)\s*([KMGT]?)(I?)B?", words.strip().upper())
    try:
        number = float(found[1]) if found else 0.0
    except ValueError:
        number = 0.0
    if found is None or number <= 0:
        raise ValueError(
            f"--memory must be a size such as 500MB, 2GB or 1000000 (bytes); got {words!r}"
        )
    return int(number * (1024 if found[3] else 1000) ** UNITS[found[2]])


def size_in_words(n_bytes: float) -> str:
    """Bytes as people say them."""
    for unit in ("bytes", "KB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} TB"


def available_memory() -> float:
    """Bytes that this process may still use; infinite where the system does not tell."""
    found = [
        int(text)
        for path in LIMITS
        if (text := read_text(path)).isdigit()  # "max" is no limit
    ]
    available = re.search(r"MemAvailable:\s*(\d+) kB", read_text("/proc/meminfo"))
    if available:
        found.append(int(available[1]) * 1024)
    elif "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(found, default=float("inf"))


def read_text(path: str) -> str:
    """What a file of the system says; nothing where there is none."""
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def matrix_bytes(files: Sequence[DataFile], columns: Sequence[str], dtype: np.dtype) -> int:
    """About how many bytes the rows take in memory."""
    total = 0
    for file in files:
        rows = getattr(file, "about_rows", None) if file.n_rows is None else file.n_rows
        if rows is None:
            total += file.path.stat().st_size
        else:
            total += rows * len(columns) * dtype.itemsize
    return total
