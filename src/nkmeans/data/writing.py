"""Files and folders that appear whole or not at all, and never in the place of others."""

import os
import stat
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from nkmeans.data import unfinished


@contextmanager
def new_file(path: Path, overwrite: bool) -> Iterator[IO[bytes]]:
    """A binary file to write to; it gets its name when everything is written.

    Raises
    ------
    FileExistsError
        If there is such a file and `overwrite` is false.
    """
    path = Path(os.path.realpath(path))
    refuse_existing(path, overwrite)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    part = unfinished.add(Path(name))
    try:
        with naming(path), os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(part, mode_for(path, 0o666))
        refuse_existing(path, overwrite)
        os.replace(part, path)
    finally:
        unfinished.remove(part)


@contextmanager
def new_folder(path: Path, overwrite: bool, ours: Collection[str]) -> Iterator[Path]:
    """A folder to write to; it gets its name when everything is written.

    Raises
    ------
    FileExistsError
        If the folder is there and not empty, unless `overwrite` is true and it holds nothing but
        files with the names in `ours`.
    """
    path = Path(os.path.realpath(path))
    check_replaceable(path, overwrite, ours)
    path.parent.mkdir(parents=True, exist_ok=True)
    name = tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    part = unfinished.add(Path(name))
    try:
        with naming(path):
            yield part
        for file in part.iterdir():
            with file.open("r+b") as written:
                os.fsync(written.fileno())
        os.chmod(part, mode_for(path, 0o777))
        check_replaceable(path, overwrite, ours)
        old = part.with_suffix(".old")
        if path.exists():
            unfinished.move_aside(path, old)
        try:
            os.rename(part, path)
        finally:
            if old.exists():
                unfinished.settle(old)
    finally:
        unfinished.remove(part)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors of the system that name no file name this one."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno is None or isinstance(error, BrokenPipeError):
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


def refuse_existing(path: Path, overwrite: bool) -> None:
    """Raise if the file is there and is to stay."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the name of a file")
    if path.exists() and not overwrite:
        raise FileExistsError(f"{path} is there already; --force or overwrite=True replaces it")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path.parent} is not there; {path.name} cannot be written to it")


def check_replaceable(path: Path, overwrite: bool, ours: Collection[str]) -> None:
    """Raise unless the folder is missing, empty, or ours to replace."""
    if not path.exists():
        return
    if not path.is_dir():
        raise FileExistsError(f"{path} is a file; give the name of a folder")
    if os.path.ismount(path):
        raise FileExistsError(f"{path} is a mount point; give a folder inside it")
    if os.path.samefile(path, os.curdir):
        raise FileExistsError(f"{path} is the current folder; give the name of a new one")
    held = sorted(os.listdir(path))
    foreign = [name for name in held if name not in ours or not (path / name).is_file()]
    if foreign:
        raise FileExistsError(
            f"{path} holds other files ({', '.join(foreign[:3])}); give a folder of its own"
        )
    if held and not overwrite:
        raise FileExistsError(f"{path} holds earlier results; --force replaces them")


def mode_for(path: Path, usual: int) -> int:
    """The permissions of what is replaced, or those that anything new gets."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0o022)
    os.umask(mask)
    return usual & ~mask
