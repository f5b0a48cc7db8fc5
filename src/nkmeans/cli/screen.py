"""What a command tells its user: a bar on a terminal, warnings, and one line for an error."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nkmeans.data.writing import naming

Tell = Callable[[float], None]


@contextmanager
def until_enough() -> Iterator[None]:
    """Writing to standard output ends, without complaint, when its reader has had enough."""
    try:
        yield
    except BrokenPipeError:
        # Python must not try to write the rest when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Screen:
    """Where a command speaks.

    Parameters
    ----------
    quiet : bool
        Say nothing but errors.
    as_json : bool
        The result as JSON on standard output, and no warnings beside it: they are in it.
    """

    def __init__(self, quiet: bool = False, as_json: bool = False) -> None:
        self.quiet, self.as_json = quiet, as_json
        self.warnings: list[str] = []

    def warn(self, words: str) -> None:
        """Something that the user should know; it is kept for the report, too."""
        self.warnings.append(words)
        if not (self.quiet or self.as_json):
            print(f"nkmeans: warning: {words}", file=sys.stderr)

    def tell(self, words: str) -> None:
        """Something that is done and is no reason to worry."""
        if not (self.quiet or self.as_json):
            print(f"nkmeans: {words}", file=sys.stderr)

    def result(
        self, words: Callable[[], str], facts: Callable[[], dict[str, Any]], file: Any = None
    ) -> None:
        """What came out, in words or as JSON."""
        with until_enough(), naming(Path("standard output")):
            if self.as_json:
                text = json.dumps(facts(), ensure_ascii=False, allow_nan=False)
                print(text, file=file, flush=True)
            elif not self.quiet:
                print(words(), file=file, flush=True)

    @contextmanager
    def working(self, what: str) -> Iterator[Tell]:
        """A bar for a piece of work, which is told the share that is done (or never told)."""
        if self.quiet or self.as_json or not sys.stderr.isatty():
            yield lambda share: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TimeElapsedColumn

        bar = Progress(
            "{task.description}",
            BarColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        with bar:
            task = bar.add_task(what, total=None)
            yield lambda share: bar.update(task, completed=share, total=1.0)
