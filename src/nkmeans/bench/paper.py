"""The numbers of the paper's tables."""

import json
from functools import cache
from importlib import resources
from typing import Any

# What the paper writes for a run that it stopped.
TIMEOUT = "> 4 h"


@cache
def numbers() -> dict[str, Any]:
    """`paper.json`: {suite: {score: {data set: {method: number, None or "> 4 h"}}}}."""
    found: dict[str, Any] = json.loads(
        resources.files("nkmeans.bench").joinpath("paper.json").read_text()
    )
    return found


def paper(suite: str, score: str, data: str, method: str) -> float | str | None:
    """One number of the paper; None where it has none."""
    table = numbers().get(suite, {}).get(score, {}).get(data, {})
    number: float | str | None = table.get(method)
    return number
