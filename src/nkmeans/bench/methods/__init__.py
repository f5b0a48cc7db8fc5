"""One file a method: its `NAME` as in `paper.json`, its `ORDER`, and `make(k, z, seed)`.

A new file here is a new method: it is found by itself.
"""

import pkgutil
from importlib import import_module
from types import ModuleType


def methods() -> dict[str, ModuleType]:
    """All of them, by name, in the order of the paper's columns."""
    modules = [import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__)]
    return {module.NAME: module for module in sorted(modules, key=lambda module: module.ORDER)}
