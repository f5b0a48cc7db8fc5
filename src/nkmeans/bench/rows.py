"""Results as lines of JSON: what is there is not run again."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple


class Key(NamedTuple):
    """What tells one row from another."""

    suite: str
    data: str
    source: str
    rows: int | None
    method: str
    seed: int


def key_of(row: dict[str, Any]) -> Key:
    """The key of a row."""
    return Key(*(row[name] for name in Key._fields))


class Rows:
    """A file of rows that only grows, a line at a time.

    A line that a killed process left unfinished is dropped when the file is opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: dict[Key, dict[str, Any]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        bytes_there = path.read_bytes() if path.exists() else b""
        whole = bytes_there[: bytes_there.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                if line.strip():
                    row = dict(json.loads(line))
                    missing = [name for name in needed(row) if name not in row]
                    if missing:
                        raise ValueError(f"it has no {missing[0]}")
                    self.found[key_of(row)] = row
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(
                    f"Line {number} of {path} is not a row of results ({error}). Mend or remove "
                    "the line, or choose another folder."
                ) from error
        if whole != bytes_there:
            part = path.with_name(path.name + ".part")
            part.write_bytes(whole)
            os.replace(part, path)

    def add(self, row: dict[str, Any]) -> None:
        """Write a row; it is on the disk when this returns."""
        self.found[key_of(row)] = row
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def of(self, suite: str, rows: int | None) -> list[dict[str, Any]]:
        """The rows of a suite on data of so many rows (None: the paper's)."""
        return [row for key, row in self.found.items() if (key.suite, key.rows) == (suite, rows)]


def needed(row: dict[str, Any]) -> tuple[str, ...]:
    """What a row of its status must have."""
    scores = {"ok": ("objective", "precision", "seconds", "n", "d"), "failed": ("message",)}
    facts = ("status", "commit", "machine", "python", "versions")
    return (*Key._fields, *facts, *scores.get(row.get("status", ""), ()))


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Raise where another process is at work in the folder; its end, however, frees it."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise OSError(f"Another `nkmeans bench` is at work in {folder}.") from error
        yield
