"""PyTorch's words, as data: each text stands once, is used, and gets the fields that it has."""

from __future__ import annotations

import ast
import importlib
import re
import string
from collections import defaultdict
from pathlib import Path

import pytest

from funcgrad import torch

ROOT = Path(torch.__file__).parent
TEXTS = {
    (path.stem, name): text
    for path in sorted((ROOT / "texts").glob("[a-z]*.py"))
    for name, text in vars(importlib.import_module(f"funcgrad.torch.texts.{path.stem}")).items()
    if isinstance(text, str) and name.isupper() and not name.startswith("_")
}


@pytest.fixture(scope="module")
def modules() -> dict[str, list[ast.AST]]:
    """The nodes of each module, by its place in the package."""
    paths = [path for path in ROOT.rglob("*.py") if "texts" not in path.parts]
    return {str(path.relative_to(ROOT)): list(ast.walk(ast.parse(path.read_text()))) for path in paths}


def uses(module: str, nodes: list[ast.AST]) -> list[tuple[str, tuple[str, str], ast.AST | None]]:
    """The places where a module names a text: (where, text, what fills it).

    What fills a text is the call of its `format`, or the `raise` that takes it as it is; None: it is filled elsewhere.
    """
    families, names, filled = {}, {}, {}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module == "funcgrad.torch.texts":
            families |= {a.asname or a.name: a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("funcgrad.torch.texts."):
            names |= {a.asname or a.name: (node.module.rpartition(".")[2], a.name) for a in node.names}
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            filled |= {id(arg): node for arg in node.exc.args}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            filled[id(node.func.value)] = node
    found = []
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in families:
            text = families[node.value.id], node.attr
        elif isinstance(node, ast.Name) and node.id in names:
            text = names[node.id]
        else:
            continue
        found.append((f"{module}:{node.lineno}", text, filled.get(id(node))))
    return found


@pytest.fixture(scope="module")
def all_uses(modules):
    return [use for module, nodes in modules.items() for use in uses(module, nodes)]


def fields(text: str) -> set[str]:
    names = [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]
    return {name for name in names if not name or name.isidentifier()}  # torch has braces of its own: "e^{i phi}"


def plain(text: str) -> str:
    return re.sub(r"\{[^{}]*\}", "{}", text)


def test_no_text_stands_twice():
    places = defaultdict(list)
    for place, text in TEXTS.items():
        places[plain(text)].append(place)
    assert [p for p in places.values() if len(p) > 1] == []


def test_no_module_says_a_text_in_its_own_words(modules):
    texts = {plain(text) for text in TEXTS.values() if len(text) > 25}
    for module, nodes in modules.items():
        for node in nodes:
            if isinstance(node, ast.JoinedStr):
                said = "".join([v.value if isinstance(v, ast.Constant) else "{}" for v in node.values])
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                said = node.value
            else:
                continue
            assert said not in texts, f"{module}:{node.lineno}"


def test_every_text_is_used(all_uses):
    assert set(TEXTS) - {text for _, text, _ in all_uses} == set()


def test_texts_get_the_fields_they_have(all_uses):
    for where, text, filled in all_uses:
        if filled is None or text not in TEXTS:  # a table of texts
            continue
        keywords = filled.keywords if isinstance(filled, ast.Call) else []
        given = {k.arg for k in keywords} | ({""} if getattr(filled, "args", None) else set())
        assert None in given or given == fields(TEXTS[text]), f"{where}: {text}"
