"""What is being written and must not outlive this process when it ends early."""

import shutil
from pathlib import Path

_PATHS: set[Path] = set()
# Folders that were moved aside, and where they belong unless their successor is there.
_ASIDE: dict[Path, Path] = {}


def add(path: Path) -> Path:
    """Remember a temporary file or folder."""
    _PATHS.add(path)
    return path


def remove(path: Path) -> None:
    """Remove it, if it is still there."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
    _PATHS.discard(path)


def move_aside(path: Path, aside: Path) -> None:
    """Make room for another folder; `settle` ends it."""
    _ASIDE[aside] = path
    path.rename(aside)


def settle(aside: Path) -> None:
    """Remove what was moved aside, or bring it back where nothing took its place."""
    path = _ASIDE[aside]
    if aside.exists() and path.exists():
        shutil.rmtree(aside, ignore_errors=True)
    elif aside.exists():
        aside.rename(path)
    del _ASIDE[aside]


def remove_all() -> None:
    """Bring back or remove whatever is left."""
    for aside in list(_ASIDE):
        settle(aside)
    for path in list(_PATHS):
        remove(path)
