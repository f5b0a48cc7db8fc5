"""Files from the web, fetched once into a cache folder and checked each time they are read."""

import hashlib
import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True)
class Remote:
    """A file on the web.

    Attributes
    ----------
    name : str
        Its name in the cache folder.
    url : str
    sha256 : str or None
        None where its publisher gives none: it is then accepted when it can be read, and the
        checksum of that first download is kept beside it.
    rows : int or None
        How many rows are in it once it is read, where there is no checksum to tell.
    """

    name: str
    url: str
    sha256: str | None = None
    rows: int | None = None


def cache_folder(data_home: str | os.PathLike | None = None) -> Path:
    """`data_home`, or `NKMEANS_DATA`, or the platform's folder for caches."""
    chosen = data_home or os.environ.get("NKMEANS_DATA")
    return Path(chosen) if chosen else Path(_pooch().os_cache("nkmeans"))


def read_cached(
    remote: Remote,
    read: Callable[[Path], Result],
    data_home: str | os.PathLike | None,
    download_if_missing: bool,
) -> Result:
    """What `read` makes of the file, which is downloaded if it is not in the cache yet.

    Only a file that was read without an error, and has its checksum, gets its name in the cache;
    so neither an interrupted download nor two at a time leave a wrong one there.
    """
    folder = cache_folder(data_home)
    path = folder / remote.name
    if path.exists():
        check(path, remote)
        result = read(path)
        check_rows(result, path, remote)
        return result
    if not download_if_missing:
        raise OSError(
            f"{remote.name} is not in {folder}, and download_if_missing is False. {instead(remote)}"
        )
    part = folder / f".{remote.name}.{os.getpid()}.part{path.suffix}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part.touch()
    except OSError as error:
        raise OSError(
            f"Cannot write to the cache folder {folder} ({error.strerror}). Set NKMEANS_DATA or "
            "data_home to a folder that can be written."
        ) from error
    try:
        download(remote, part)
        try:
            result = read(part)
            check_rows(result, part, remote)
        except ValueError as error:
            words = str(error).replace(str(part), "it")
            raise ValueError(f"{remote.url} is not the file it should be: {words}") from error
        note = part.with_name(part.name + ".sha256")
        note.write_text(digest(part) + "\n")
        os.replace(note, checksum_file(path))
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return result


def download(remote: Remote, to: Path) -> None:
    """Download to a file that exists and is empty; errors say where from and what else to do."""
    pooch = _pooch()
    pooch.get_logger().setLevel("WARNING")
    known = f"sha256:{remote.sha256}" if remote.sha256 else None
    to.unlink()
    try:
        pooch.retrieve(
            remote.url, known_hash=known, fname=to.name, path=to.parent,
            downloader=pooch.HTTPDownloader(progressbar=has_tqdm(), timeout=60),
        )  # fmt: skip
    except ValueError as error:
        raise OSError(f"{remote.url} is not the file it should be: {error}") from error
    except OSError as error:
        raise OSError(
            f"Could not download {remote.url} ({type(error).__name__}: {error}). {instead(remote)}"
        ) from error


def has_tqdm() -> bool:
    """Whether a progress bar can be shown."""
    return importlib.util.find_spec("tqdm") is not None


def instead(remote: Remote) -> str:
    """What to do without a network."""
    return (
        f"Without a network: get {remote.url} elsewhere and give its path (`path=`), or put it as "
        f"{remote.name} into the folder that NKMEANS_DATA names."
    )


def check(path: Path, remote: Remote) -> None:
    """Raise where a cached file has not the checksum it should have, or had."""
    wanted = remote.sha256
    if wanted is None and checksum_file(path).exists():
        wanted = checksum_file(path).read_text().strip()
    if wanted is not None and digest(path) != wanted:
        raise OSError(
            f"{path} is damaged: its SHA-256 is {digest(path)}, and should be {wanted}. Delete it "
            "to download it again."
        )


def check_rows(result: Any, path: Path, remote: Remote) -> None:
    """Raise where a file has more or fewer rows than it should."""
    if remote.rows is not None and len(result) != remote.rows:
        raise ValueError(f"{path} must have {remote.rows} rows; got {len(result)}.")


def checksum_file(path: Path) -> Path:
    """Where the checksum of a cached file is kept."""
    return path.with_name(path.name + ".sha256")


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _pooch() -> Any:
    try:
        import pooch
    except ImportError as error:
        raise ImportError(
            "Downloading needs pooch, which is not installed: pip install 'nkmeans[data]'."
        ) from error
    return pooch
