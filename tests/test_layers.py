"""The layers hold: a module imports only from its own layer and those below. Function-level imports count."""

import ast
from pathlib import Path

import pytest

import funcgrad

ROOT = Path(funcgrad.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))

# For each layer the layers that it may import from, beside itself.
BELOW = {
    "callers": set(),
    "errors": {"callers"},
    "core": {"errors", "callers"},
    "ops": {"errors", "core"},
    "numpy": {"errors", "callers", "core", "ops"},
    "transforms": {"errors", "callers", "core", "ops"},
    "lax": {"errors", "core", "ops", "numpy", "transforms"},
    "random": {"errors", "core", "ops", "numpy"},
    "scipy": {"errors", "core", "ops", "numpy", "transforms", "lax", "random"},
    "experimental": {"core", "scipy"},
    "nn": {"errors", "core", "ops", "numpy", "scipy", "random"},
    "debug": {"errors", "callers", "core", "ops", "numpy", "transforms"},
    "ad_checkpoint": {"transforms"},
    "devices": {"errors", "core"},
    "custom_derivatives": {"transforms"},
    "compile": {"errors", "core", "ops", "numpy", "transforms", "lax", "scipy", "random", "draw"},
    "draw": {"errors", "core"},
    "testing": {"errors", "core", "ops", "numpy", "transforms"},
    "torch": {"errors", "core", "ops", "numpy", "transforms", "lax", "draw"},
    "tree": {"core"},
    "tree_util": {"core", "tree"},
}


def layer_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "funcgrad"


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            if node.module == "funcgrad":
                found |= {f"funcgrad.{a.name}" for a in node.names}
            else:
                found.add(node.module)
    return found


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(p for p in parts if p != "__init__")


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_go_down(path):
    module = name_of(path)
    if module == "funcgrad":
        return  # the list of public names imports from every layer
    layer = layer_of(module)
    assert layer in BELOW, f"{module} is in no layer of the design"
    for imported in imports(path):
        if imported.split(".")[0] != "funcgrad":
            continue
        target = layer_of(imported)
        assert target == layer or target in BELOW[layer], (
            f"{module} imports {imported}: {layer} knows nothing of {target}"
        )


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_third_parties_at_import_are_numpy_only(path):
    """SciPy, matplotlib and jaxtyping are not paid for by a plain import."""
    allowed = {"numpy", "funcgrad"} | set(__import__("sys").stdlib_module_names)
    guarded = {
        id(n)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for n in node.body
    }
    for node in ast.parse(path.read_text()).body:
        if id(node) in guarded or isinstance(node, ast.If):
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module]
            for n in names:
                assert n.split(".")[0] in allowed, f"{path} imports {n} at module level"
