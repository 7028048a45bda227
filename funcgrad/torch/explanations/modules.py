"""What `torch.explain` says of a module: which of its parameters get no gradient, and why."""

from __future__ import annotations

from typing import Any

from funcgrad.torch.explanations.explanation import Explanation
from funcgrad.torch.explanations.relation import nodes_of
from funcgrad.torch.explanations.tensors import explain_pair, explain_tensor, say_what_is_kept


def explain_module(module: Any, name: str, loss: Any = None, loss_name: str = "") -> Explanation:
    """How many parameters learn, and an explanation of each that does not; those that are alike are joined."""
    found = Explanation(name)
    learning: list[str] = []
    reasons: dict[str, list[str]] = {}
    for path, p in module.named_parameters():
        part = explain_tensor(p, path) if loss is None else explain_pair(p, loss, path, loss_name, kept=False)
        found.parts[path] = part
        if p._grad is not None or (loss is not None and part.path_count):
            learning.append(path)
        if path not in learning or (loss is None and part.remedies):
            reasons.setdefault(_key(part, path), []).append(path)
    if not found.parts:
        found.say(f"{name} has no parameters.")
        return found
    one = len(learning) == 1
    has = (
        ("has" if one else "have") + " a gradient"
        if loss is None
        else f"{'is' if one else 'are'} reached from {loss_name}"
    )
    found.say(f"{len(learning)} of the {len(found.parts)} parameters of {name} {has}.")
    for paths in reasons.values():
        part = found.parts[paths[0]]
        found.say("")
        found.say(f"{_list(paths)}:")
        found.take(part)
    if loss is not None:
        found.say("")
        say_what_is_kept(found, loss_name, nodes_of(loss))
    return found


def _key(part: Explanation, path: str) -> str:
    """What is the same for parameters that are told of together."""
    lines = part.text.replace(path, "*").split("\n")
    return "\n".join(lines[:1] + [line for line in lines[1:] if "*" not in line])


def _list(paths: list[str]) -> str:
    shown = ", ".join(paths[:6])
    return shown + (f" and {len(paths) - 6} more" if len(paths) > 6 else "")
