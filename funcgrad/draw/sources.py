"""What the source of a program says of a line: its text, the function around it, and which variables it assigns."""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Hashable, Sequence
from typing import TypeVar

from funcgrad.draw.graph import Place


def place(file: str, line: int, function: str | None = None) -> Place:
    """A line of a program with its text and its function.

    Arguments:
        file, line: where it is.
        function: the function around it, if that is known; else the source is asked.
    """
    text = linecache.getline(file, line).strip()
    return Place(file, line, ".".join(functions_around(file, line)) if function is None else function, text)


def functions_around(file: str, line: int) -> tuple[str, ...]:
    """The names of the functions in whose text a line is, the outermost first."""
    spans = _said(tree_of(file))[0]
    return tuple([name for first, last, name in spans if first <= line <= last])


def assigned(file: str, line: int) -> tuple[str, ...]:
    """The variables that the statement on a line assigns: `("y",)` for `y = f(x)`, nothing for other statements."""
    return _said(tree_of(file))[1].get(line, ())


Key = TypeVar("Key", bound=Hashable)


def names_by_line(lines: Sequence[tuple[Key, tuple[str, int] | None]]) -> dict[Key, str]:
    """What the program calls results: the variable that a line assigns names the last operation of that line.

    Arguments:
        lines: operations in the order of time, and the file and line of each.
    """
    found: dict[Key, str] = {}
    for k, (key, line) in enumerate(lines):
        after = lines[k + 1][1] if k + 1 < len(lines) else None
        names = assigned(*line) if line is not None and line != after else ()
        if len(names) == 1:
            found[key] = names[0]
    return found


_trees: dict[str, tuple[list[str], ast.Module]] = {}


def tree_of(file: str) -> ast.Module:
    """The syntax tree of a file, an empty one if it is none of Python's."""
    lines = linecache.getlines(file)
    known = _trees.get(file)
    if known is None or known[0] is not lines:  # linecache has the same list until the file changes
        try:
            tree = ast.parse("".join(lines))
        except (SyntaxError, ValueError):
            tree = ast.Module([], [])
        known = _trees[file] = lines, tree
    return known[1]


@functools.lru_cache(maxsize=64)
def _said(tree: ast.Module) -> tuple[list[tuple[int, int, str]], dict[int, tuple[str, ...]]]:
    """The first and last line and the name of each function, and for each line of an assignment its targets."""
    spans, targets = [], {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            spans.append((node.lineno, node.end_lineno or node.lineno, node.name))
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            left = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = tuple([ast.unparse(x) for target in left for x in parts_of(target)])
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                targets[line] = names
    return sorted(spans, key=lambda span: (span[0], -span[1])), targets


def parts_of(target: ast.expr) -> list[ast.expr]:
    """What an assignment to a target assigns, each part of a tuple by itself."""
    return [x for e in target.elts for x in parts_of(e)] if isinstance(target, ast.Tuple | ast.List) else [target]
