"""The layers hold: a module imports only from its own layer and those below. Function-level imports count.

CONTRIBUTING.md has the same table, with a word on what lives in each layer.
"""

import ast
import functools
import re
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import funcgrad

ROOT = Path(funcgrad.__file__).parent

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
    "debug": {"errors", "callers", "core", "transforms", "draw"},
    "ad_checkpoint": {"core", "transforms"},
    "devices": {"errors", "core"},
    "custom_derivatives": {"core", "transforms"},
    "compile": {"errors", "core", "ops", "transforms", "lax"},
    "comparing": {"errors", "core", "transforms", "draw", "debug", "torch", "torch.explanations"},
    "draw": {"errors", "callers", "core", "transforms"},
    "testing": {"errors", "core", "transforms"},
    "tree": {"core"},
    "tree_util": {"core"},
}

# The rooms of torch, the lowest first, and what each may import from outside. Each may import from the rows above it;
# what stands in one row knows nothing of the others in it.
TORCH = [
    ("texts", ""),
    ("base", "core"),
    ("tensor", "errors core ops numpy transforms"),
    ("declare", "core ops transforms"),
    ("random", "core transforms"),
    ("primitives", "core ops"),
    ("ops", "core ops numpy transforms"),
    ("func", "core transforms"),
    ("autograd", "core transforms"),
    ("__future__ _utils multiprocessing settings devices absent storage version imports", "core"),
    ("__config__ jit metadata overrides path profiler programs types", "core"),
    ("fft special linalg quasirandom utils serialization drawing", "core draw"),
    ("nn hub", "core"),
    ("optim distributions amp", "core"),
    ("_dynamo", "core compile transforms"),
    ("compiler", "core"),
    ("explanations", "core draw"),
    ("__init__", "core"),
    ("report", "callers core draw"),
    ("__main__", "core"),
]


def layers_of_torch() -> dict[str, set[str]]:
    found, rows_above = {}, set()
    for rooms, outside in TORCH:
        row = {"torch" if room == "__init__" else f"torch.{room}" for room in rooms.split()}
        found |= dict.fromkeys(row, rows_above | set(outside.split()))
        rows_above = rows_above | row
    return found


BELOW |= layers_of_torch()

INSIDE_FUNCTIONS = 3
"""How many imports inside functions there may be at most, each with its reason."""


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(p for p in parts if p != "__init__")


MODULES = {name_of(path): path for path in sorted(ROOT.rglob("*.py"))}


def layer_of(module: str) -> str:
    parts = module.split(".")[1:]
    return ".".join(parts[: 2 if parts[0] == "torch" else 1]) if parts else "funcgrad"


@functools.cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text())


def nodes(node: ast.AST, inside: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """What runs in a module, and whether it does in a function; what is for type checkers alone is left out."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            continue  # nothing in it is imported
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            yield from nodes(ast.Module(child.orelse, []), inside)
            continue
        yield child, inside
        yield from nodes(child, inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))


def imported(node: ast.AST) -> set[str]:
    """The modules that a statement imports."""
    if isinstance(node, ast.Import):
        return {a.name for a in node.names}
    if not isinstance(node, ast.ImportFrom):
        return set()
    assert node.level == 0, "imports are absolute"
    parts = {f"{node.module}.{a.name}" for a in node.names}
    return {p if p in MODULES else node.module for p in parts}


def needs(module: str) -> set[str]:
    """The modules of funcgrad that a module imports, in functions as well."""
    return {m for node, _ in nodes(tree_of(module)) for m in imported(node) if m in MODULES} - {module}


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_down(module):
    if module == "funcgrad":
        return  # the list of public names imports from every layer
    layer = layer_of(module)
    assert layer in BELOW, f"{module} is in no layer of the design"
    everything = {m for node in ast.walk(tree_of(module)) for m in imported(node)}  # what type checkers see included
    for target in everything:
        assert target.split(".")[0] != "funcgrad" or layer_of(target) in {layer, *BELOW[layer]}, (
            f"{module} imports {target}: {layer} knows nothing of {layer_of(target)}"
        )


def test_no_module_imports_itself_through_others():
    graph = {m: needs(m) for m in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as e:
        pytest.fail("each of these is imported by the next: " + ", ".join(e.args[1]))


def test_a_cycle_is_found(monkeypatch):
    """One of the two imports stands in a function, where Python itself would let it pass."""
    trees = {
        "funcgrad.errors": ast.parse("def f():\n    from funcgrad.core import trace\n"),
        "funcgrad.core.trace": ast.parse("from funcgrad.errors import FuncgradError\n"),
    }
    monkeypatch.setitem(globals(), "MODULES", {m: MODULES[m] for m in trees})
    monkeypatch.setitem(globals(), "tree_of", trees.get)
    with pytest.raises(pytest.fail.Exception, match=r"each of these is imported by the next: funcgrad\."):
        test_no_module_imports_itself_through_others()


def test_what_type_checkers_alone_import_is_not_needed(monkeypatch):
    inside = ast.parse("def f():\n    from funcgrad.core import trace\n")
    checked = ast.parse("if TYPE_CHECKING:\n    from funcgrad.core import trace\n")
    monkeypatch.setitem(globals(), "tree_of", {"funcgrad.errors": checked}.get)
    assert needs("funcgrad.errors") == set()
    monkeypatch.setitem(globals(), "tree_of", {"funcgrad.errors": inside}.get)
    assert needs("funcgrad.errors") == {"funcgrad.core.trace"}


def test_imports_inside_functions_have_their_reasons():
    """The reason is a comment on the line of the import, or on the line above."""
    found = []
    for module in MODULES:
        lines = ["", *MODULES[module].read_text().splitlines()]
        for node, inside in nodes(tree_of(module)):
            if inside and imported(node):
                found.append(f"{module}, line {node.lineno}")
                above = lines[node.lineno - 1].strip()
                assert "  # " in lines[node.lineno] or above.startswith("# "), f"{found[-1]}: why in a function?"
    assert len(found) <= INSIDE_FUNCTIONS, found


@pytest.mark.parametrize("module", MODULES)
def test_third_parties_at_import_are_numpy_only(module):
    """SciPy, matplotlib and jaxtyping are not paid for by a plain import."""
    allowed = {"numpy", "funcgrad"} | sys.stdlib_module_names
    for node in tree_of(module).body:  # what stands in an `if` or `try` is an option
        for target in imported(node):
            assert target.split(".")[0] in allowed, f"{module} imports {target} at module level"


def test_the_tables_of_layers_in_contributing_are_these():
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text()
    rows = re.findall(r"^\| `funcgrad/([\w/]+?)(?:\.py|/)` \|.*\| ([\w., ]+) \|$", text, re.M)
    table = {layer: set(below.split(", ")) - {"nothing"} for layer, below in rows}
    assert table == {layer: below for layer, below in BELOW.items() if layer.split(".")[0] != "torch"}
    rows = re.findall(r"^\| (`[^|]*`) \|.*\| ([\w, ]+) \|$", text.partition("`funcgrad/torch/` |")[2], re.M)
    house = [(re.findall(r"`(\w+)(?:\.py|/)`", rooms), set(below.split(", ")) - {"nothing"}) for rooms, below in rows]
    assert house == [(rooms.split(), set(outside.split())) for rooms, outside in TORCH]
