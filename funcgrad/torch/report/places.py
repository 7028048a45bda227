"""Places in the user's code, and what their source says: the statement, what it assigns, where its names come from."""

from __future__ import annotations

import ast
import functools
import linecache
import os
from collections.abc import Iterator
from typing import NamedTuple

from funcgrad.callers import user_frame
from funcgrad.draw.sources import tree_of


class Place(NamedTuple):
    """A line of the user's code, and the function that it stands in."""

    file: str
    line: int
    function: str

    @property
    def text(self) -> str:
        """The line itself."""
        return linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        """As `file.py:12: y = x.detach()`."""
        return f"{os.path.basename(self.file)}:{self.line}: {self.text}"


NOWHERE = Place("", 0, "")


def here() -> Place:
    """The innermost line of the user's code that is running."""
    frame = user_frame()
    return NOWHERE if frame is None else Place(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_BLOCKS = (*_FUNCTIONS, ast.ClassDef)


def _head(statement: ast.stmt) -> int:
    """The last line of a statement without the blocks in it."""
    blocks = [b for name in ("body", "orelse", "handlers", "finalbody") for b in getattr(statement, name, ())]
    lines = [b.lineno for b in blocks if isinstance(b, (ast.stmt, ast.excepthandler))]
    return min(lines) - 1 if lines else statement.end_lineno or statement.lineno


@functools.lru_cache(maxsize=64)
def _by_line(file: str) -> dict[int, ast.stmt]:
    found: dict[int, ast.stmt] = {}
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.stmt):
            for line in range(node.lineno, max(_head(node), node.lineno) + 1):
                known = found.get(line)
                if known is None or known.lineno <= node.lineno:
                    found[line] = node
    return found


def statement(place: Place) -> ast.stmt | None:
    """The statement at a place."""
    return _by_line(place.file).get(place.line)


def _names_of(target: ast.expr) -> Iterator[str]:
    if isinstance(target, (ast.Tuple, ast.List)):
        for t in target.elts:
            yield from _names_of(t)
    elif isinstance(target, ast.Starred):
        yield from _names_of(target.value)
    elif isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
        yield ast.unparse(target).removeprefix("self.")


def targets(place: Place) -> list[str]:
    """The names that the statement at a place assigns; if it is an expression, of what it calls methods or indexes."""
    found = statement(place)
    if isinstance(found, ast.Expr):
        value: ast.expr = found.value
        while isinstance(value, (ast.Call, ast.Attribute, ast.Subscript)):
            if isinstance(value, ast.Attribute) and isinstance(value.value, (ast.Name, ast.Attribute)):
                return [ast.unparse(value.value).removeprefix("self.")]
            value = value.func if isinstance(value, ast.Call) else value.value
    if isinstance(found, ast.Assign):
        return [n for t in found.targets for n in _names_of(t)]
    if isinstance(found, (ast.AnnAssign, ast.AugAssign, ast.For)):
        return list(_names_of(found.target))
    return []


def loads(node: ast.AST) -> set[str]:
    """The names, and attributes of self, that are read in a statement; of a compound one, in its head."""
    found = set()
    for n in (x for part in _parts(node) for x in ast.walk(part)):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load):
            found.add(n.id)
        elif isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and isinstance(n.ctx, ast.Load):
            found.add(n.attr if n.value.id == "self" else f"{n.value.id}.{n.attr}")
    return found


def values_in(place: Place) -> list[str]:
    """The names of values that a statement assigns and reads: no modules, functions or classes that it calls."""
    s = statement(place)
    if s is None:
        return targets(place)
    imports = [n for n in ast.walk(tree_of(place.file)) if isinstance(n, (ast.Import, ast.ImportFrom))]
    imported = {a.asname or a.name.partition(".")[0] for n in imports for a in n.names}
    calls = [n for part in _parts(s) for n in ast.walk(part) if isinstance(n, ast.Call)]
    called = {ast.unparse(n.func).removeprefix("self.") for n in calls}
    found = [n for n in sorted(loads(s)) if n.partition(".")[0] not in imported and n not in called and n != "self"]
    return [*targets(place), *found]


def _parts(node: ast.AST) -> list[ast.AST]:
    """A statement, or what is computed in the head of a compound one."""
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return [node.iter]
    if isinstance(node, (ast.If, ast.While)):
        return [node.test]
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return [i.context_expr for i in node.items]
    return [] if isinstance(node, (*_BLOCKS, ast.Try)) else [node]


def _scope(file: str, line: int) -> ast.AST:
    """The innermost function around a line, or the module."""
    root = tree_of(file)
    best: ast.AST = root
    begins = 0
    for node in ast.walk(root):
        if isinstance(node, _FUNCTIONS) and begins <= node.lineno <= line <= (node.end_lineno or 0):
            best, begins = node, node.lineno
    return best


def _statements(scope: ast.AST) -> Iterator[ast.stmt]:
    """The statements of a scope, those of functions in it left out."""
    pending: list[ast.AST] = [scope]
    while pending:
        node = pending.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                yield child
            if not isinstance(child, _BLOCKS):
                pending.append(child)


def _assigns(s: ast.stmt) -> set[str]:
    """The names whose values a statement makes or adds to."""
    if isinstance(s, ast.Assign):
        found = {n for t in s.targets for n in _names_of(t)}
    elif isinstance(s, (ast.AnnAssign, ast.AugAssign, ast.For)):
        found = set(_names_of(s.target))
    elif isinstance(s, ast.With):
        found = {n for i in s.items if i.optional_vars is not None for n in _names_of(i.optional_vars)}
    elif isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and isinstance(s.value.func, ast.Attribute):
        found = {ast.unparse(s.value.func.value)} if s.value.func.attr in _ADDING else set()
    else:
        found = set()
    return found | {n.partition("[")[0] for n in found}


_ADDING = {"append", "extend", "add", "update", "insert"}


@functools.lru_cache(maxsize=4096)
def lines_behind(file: str, line: int) -> frozenset[int]:
    """The lines that the values used in the statement of a line may come from, as the names in the source say.

    Followed are assignments within a function, and the bodies of functions of this file that are called.
    """
    root = tree_of(file)
    start = _by_line(file).get(line)
    if start is None:
        return frozenset([line])
    functions = {n.name: n for n in ast.walk(root) if isinstance(n, _FUNCTIONS)}
    found: set[int] = set()
    seen: set[tuple[int, str]] = set()
    pending: list[tuple[ast.AST, ast.stmt, int]] = [(_scope(file, line), start, 0)]
    while pending:
        scope, s, depth = pending.pop()
        found.update(range(s.lineno, max(_head(s), s.lineno) + 1))
        if depth > 8:
            continue
        for name in loads(s):
            short = name.rpartition(".")[2]
            if short in functions and (id(functions[short]), "") not in seen:
                seen.add((id(functions[short]), ""))
                body = functions[short]
                pending += [(body, t, depth + 1) for t in _statements(body) if isinstance(t, ast.Return)]
            for where in (scope, root) if scope is not root else (root,):
                if (id(where), name) in seen:
                    continue
                seen.add((id(where), name))
                pending += [(where, t, depth + 1) for t in _statements(where) if name in _assigns(t)]
    return frozenset(found)


def forget() -> None:
    """Forget what was read of files, which may have changed."""
    for f in (_by_line, lines_behind):
        f.cache_clear()
