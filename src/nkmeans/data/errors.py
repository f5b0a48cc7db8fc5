"""The error for a data file that cannot be used: which file, where in it, and what is wrong."""

from collections.abc import Iterator
from contextlib import contextmanager


class DataFileError(ValueError):
    """A data file, or a place in one, is not what it should be."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")


def first_line(error: BaseException) -> str:
    """What an error of a library says, in one line."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


@contextmanager
def blaming(name: str, kind: str) -> Iterator[None]:
    """Errors of the libraries that read a file become one that names it."""
    import pyarrow

    try:
        yield
    except DataFileError:
        raise
    except OSError as error:
        if error.errno is not None:
            raise
        raise DataFileError(name, f"cannot be read as {kind}: {first_line(error)}") from error
    except (ValueError, EOFError, pyarrow.ArrowException) as error:
        raise DataFileError(name, f"cannot be read as {kind}: {first_line(error)}") from error
