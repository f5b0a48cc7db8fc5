"""What is being written and must not outlive this process when it ends early."""

import shutil
from pathlib import Path

_PATHS: set[Path] = set()


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


def remove_all() -> None:
    """Remove whatever is left."""
    for path in list(_PATHS):
        remove(path)
