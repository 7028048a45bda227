"""Where a value goes that Python or NumPy carries on: what the text of a function says of its variables.

A number from `item()`, or an array from `numpy()`, is followed by nobody while the program runs. The statements of the
function tell which variables it went through, as far as plain assignments go.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from typing import NamedTuple

from funcgrad.draw.sources import tree_of


class Statement(NamedTuple):
    """A simple statement, or the head of a loop.

    Attributes:
        first, last: its lines.
        reads, writes, adds: the names of variables that it reads, assigns, and changes by a method, as `append`.
    """

    first: int
    last: int
    reads: frozenset[str]
    writes: frozenset[str]
    adds: frozenset[str]


def reaches(file: str, first: int, last: int) -> bool:
    """Whether a value that is made in one line goes into another one, the same or a later one of the same function.

    Arguments:
        file: of the program.
        first, last: the lines.
    """
    if first == last:
        return True
    carriers: set[str] = set()
    for s in _statements(tree_of(file), first):
        if s.first <= first <= s.last:
            carriers |= s.writes | s.adds
            if s.first <= last <= s.last:
                return True
        elif first < s.first and carriers:
            if s.first <= last <= s.last:
                return bool(s.reads & carriers)
            if s.reads & carriers:
                carriers |= s.writes | s.adds
            else:
                carriers -= s.writes
    return False


@functools.lru_cache(maxsize=256)
def _statements(tree: ast.Module, line: int) -> list[Statement]:
    """The statements of the innermost function that a line is in, in the order of the text."""
    scope: ast.AST = tree
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.lineno <= line <= (node.end_lineno or 0):
            scope = node
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {(alias.asname or alias.name).partition(".")[0] for node in imports for alias in node.names}
    return [
        s._replace(adds=frozenset(n for n in s.adds if n.partition(".")[0] not in modules))  # `torch.save(x, file)`
        for s in _inside(scope)
    ]


def _inside(scope: ast.AST) -> Iterator[Statement]:
    waiting = list(reversed(getattr(scope, "body", [])))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        blocks = [b for name in ("body", "orelse", "handlers", "finalbody") for b in getattr(node, name, [])]
        if isinstance(node, ast.For | ast.AsyncFor):
            yield _statement(node.lineno, node.iter.end_lineno, [node.iter], [node.target])
        elif not blocks:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            yield _statement(node.lineno, node.end_lineno, [node], [t for t in targets if t is not None])
        waiting += reversed(blocks)


def _statement(first: int, last: int | None, parts: list[ast.AST], targets: list[ast.expr]) -> Statement:
    found = [x for part in parts for x in ast.walk(part)]
    reads = {_name(x) for x in found if isinstance(getattr(x, "ctx", None), ast.Load)}
    calls = [x.value for x in found if isinstance(x, ast.Expr) and isinstance(x.value, ast.Call)]  # as a.append(x)
    adds = {_name(c.func.value) for c in calls if isinstance(c.func, ast.Attribute) and c.args}
    writes = {_name(x) for t in targets for x in ast.walk(t) if isinstance(getattr(x, "ctx", None), ast.Store)}
    adds |= {_name(t.value) for t in targets if isinstance(t, ast.Subscript)}
    return Statement(first, last or first, frozenset(reads - {""}), frozenset(writes - {""}), frozenset(adds - {""}))


def _name(x: ast.AST) -> str:
    """A variable, or an attribute of one as `self.scale`; empty for other expressions."""
    parts = []
    while isinstance(x, ast.Attribute):
        parts.append(x.attr)
        x = x.value
    return ".".join([x.id, *reversed(parts)]) if isinstance(x, ast.Name) else ""
