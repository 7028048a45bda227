"""What the text of a line tells: which names it assigns, and which of them it reads."""

from __future__ import annotations

import ast
from typing import Any

from funcgrad.draw.sources import parts_of
from funcgrad.torch.explanations.explanation import Explanation
from funcgrad.torch.tensor.journal import Entry


def statement(text: str) -> Any:
    """The statement of a line; None if the line is not all of one."""
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return None
    return body[0] if len(body) == 1 else None


def names_in(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def carried_on(text: str) -> list[str]:
    """What a line both reads and assigns, such as the state in `out, state = cell(x, state)`: names, with dots."""
    found = statement(text)
    if isinstance(found, ast.AugAssign):
        return [ast.unparse(found.target)]
    if not isinstance(found, ast.Assign):
        return []
    read = {ast.unparse(n) for n in ast.walk(found.value) if isinstance(n, ast.Name | ast.Attribute)}
    assigned = [ast.unparse(part) for target in found.targets for part in parts_of(target)]
    return [name for name in assigned if name in read]


def called_on(text: str, method: str) -> str:
    """What a line calls a method of, as it is written there; "" if that is not to be seen."""
    found = statement(text)
    for n in () if found is None else ast.walk(found):
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == method:
            return f"({ast.unparse(n.func.value)})" if isinstance(n.func.value, _BARE) else ast.unparse(n.func.value)
    return ""


_BARE = (ast.BinOp, ast.UnaryOp, ast.Compare)
"""Expressions that need brackets before a dot."""


def feeds(first: Entry, then: Entry) -> bool:
    """Whether a line reads a name that another one of its file assigns, or is the same line."""
    if first.place is None or then.place is None or first.place.file != then.place.file:
        return False
    one, other = statement(first.place.text), statement(then.place.text)
    if not isinstance(one, ast.Assign) or other is None:
        return first.place == then.place
    read = names_in(other.value if isinstance(other, ast.Assign) else other)
    return first.place == then.place or not set().union(*map(names_in, one.targets)).isdisjoint(read)


def renamed(explanation: Explanation, name: str, entry: Entry) -> bool:
    """Explain a line such as `w = w - lr * w.grad`, which takes the name from a leaf; gives whether it is one."""
    text = "" if entry.place is None else entry.place.text
    found = statement(text)
    if not isinstance(found, ast.Assign) or carried_on(text) != [name] or ".grad" not in text:
        return False
    explanation.say(f"The line gives the name {name} to its result. The leaf that had the name before has none now.")
    value = found.value
    short = ""
    if isinstance(value, ast.BinOp) and isinstance(value.left, ast.Name) and value.left.id == name:
        sign = {ast.Sub: "-=", ast.Add: "+="}.get(type(value.op), "")
        short = f"with torch.no_grad():\n    {name} {sign} {ast.unparse(value.right)}" if sign else ""
    explanation.advise("change the leaf itself, without recording it", entry, short)
    return True
