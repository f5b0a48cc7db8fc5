"""The package's names, imported when they are used."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import nkmeans


@pytest.mark.parametrize("name", nkmeans.__all__)
def test_every_name_is_there(name):
    assert getattr(nkmeans, name) is getattr(nkmeans, name)
    assert name in dir(nkmeans)


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(nkmeans.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.name: f"{node.module}.{alias.name}".removeprefix("nkmeans.")
        for node in block.body
        for alias in node.names
    }
    homes = {name: f"{home}.{name}".lstrip(".") for name, home in nkmeans._HOMES.items()}
    assert seen == homes
    assert sorted(seen) == sorted(nkmeans.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'nkmeans' has no attribute 'NKMeens'"):
        nkmeans.NKMeens  # noqa: B018


def test_importing_the_package_imports_nothing_else():
    code = "import sys, nkmeans; print([n for n in ('numpy', 'numba', 'sklearn') if n in sys.modules]); from nkmeans import *; print(compare, NKMeans)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first == "[]"
    assert second.startswith("<function compare")
