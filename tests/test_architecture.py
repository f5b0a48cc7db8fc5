"""The arrows go one way."""

import ast
from pathlib import Path

import nkmeans

ROOT = Path(nkmeans.__file__).parent
# Each layer may import from those before it. Modules of one layer may import each other.
LAYERS = [
    ["kernels"],
    ["data"],
    ["engines"],
    ["survey"],
    ["problem"],
    ["summarize"],
    ["denoise"],
    ["assign"],
    ["cluster"],
    ["pipeline", "validation", "datasets", "preparation", "prepared", "column_survey", "views"],
    ["choose"],
    ["metrics", "estimators"],
    ["comparison", "bench", "model_file", "pyod_detector", "report"],
    ["plot", "suggestion"],
    ["demo", "cli"],
]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}


def imports(path):
    """Names of the package's parts that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        modules = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            modules = [node.module] if node.module != "nkmeans" else [
                f"nkmeans.{alias.name}" for alias in node.names
            ]  # fmt: skip
        for module in modules:
            if module.split(".")[0] == "nkmeans" and "." in module:
                yield module.split(".")[1]


def files():
    return [path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py"]


def part_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def test_every_part_has_its_layer():
    assert {part_of(path) for path in files()} == set(RANK)


def test_no_arrow_points_upwards():
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files()
        for name in imports(path)
        if RANK[name] > RANK[part_of(path)]
    ]
    assert wrong == []


def test_numba_is_imported_in_one_place():
    assert [path.name for path in files() if "numba import" in path.read_text()] == ["jit.py"]


def test_only_public_names_of_scikit_learn_are_used():
    for path in files():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn"):
                names = [*node.module.split("."), *(alias.name for alias in node.names)]
                assert not any(name.startswith("_") for name in names), f"{path}: {names}"
