"""Errors for results that must have the same structure and types: those of branches, and a carry before and after."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from funcgrad.core import tree
from funcgrad.errors import ArgumentError, type_text


class Result(NamedTuple):
    """What a function gave."""

    label: str  # what the function is called: "true_fun"
    function: Callable
    structure: Any
    kinds: Sequence[Any]  # of the leaves: arrays, or ShapeDtypeStructs


def check_branches(name: str, one: Result, other: Result) -> None:
    """See to it that two branches give the same types.

    Raises:
        ArgumentError: the structures differ, or a shape or a dtype.
    """
    both = f"{one.label} is {_source(one.function)}\n{other.label} is {_source(other.function)}"
    if one.structure != other.structure:
        lines = [
            f"{one.label} output{f' at path {place}' if place else ''} is {a} but {other.label} output{there} is {b}, "
            f"so {why}"
            for place, a, b, why in structure_differences(one.structure, other.structure)
            for there in [f" at path {place}" if place else ""]
        ]
        raise ArgumentError(
            f"{name} branch outputs must have the same pytree structure, but they differ:\n\n{both}\n\n"
            f"{_listed(lines)}\n\nMake {one.label} and {other.label} return the same containers, with the same keys."
        )
    lines = [
        f"the output of {one.label}{f' at path {place}' if place else ''} has type {a} but the corresponding output of "
        f"{other.label} has type {b}, so {why}"
        for place, a, b, why in type_differences(one.structure, one.kinds, other.kinds)
    ]
    if lines:
        raise ArgumentError(
            f"{name} branches must have equal output types but they differ.\n\n{both}\n\n{_listed(lines)}\n\n"
            f"Convert one of them, with .astype, reshape or broadcast_to."
        )


def carry_structure_error(name: str, argument: str, before: Any, after: Any) -> ArgumentError:
    """The error for a loop whose carry changes its structure."""
    lines = [
        f"the input carry {f'component {argument}{place}' if place else argument} is {a} but the corresponding "
        f"component of the carry output is {b}, so {why}"
        for place, a, b, why in structure_differences(before, after)
    ]
    return ArgumentError(
        f"{name} body function carry input and carry output must have the same pytree structure, but they differ:\n\n"
        f"{_listed(lines)}\n\nReturn a carry of the structure of the initial one, {before}; got {after}."
    )


def carry_type_error(
    name: str, argument: str, structure: Any, before: Sequence[Any], after: Sequence[Any]
) -> ArgumentError:
    """The error for a loop whose carry changes a shape or a dtype."""
    lines = [
        f"the input carry {f'component {argument}{place}' if place else argument} has type {a} but the corresponding "
        f"output carry component has type {b}, so {why}"
        for place, a, b, why in type_differences(structure, before, after)
    ]
    return ArgumentError(
        f"{name} body function carry input and carry output must have equal types, but they differ:\n\n"
        f"{_listed(lines)}\n\nStart with a carry of the type that the function gives, or convert what it returns with "
        f".astype, reshape or broadcast_to."
    )


def first_argument(f: Callable, default: str) -> str:
    """The name of the first parameter of a function."""
    try:
        names = list(inspect.signature(f).parameters)
    except (TypeError, ValueError):  # some builtins have no signature
        names = []
    return names[0] if names else default


def structure_differences(a: Any, b: Any, path: str = "") -> list[tuple[str, str, str, str]]:
    """Where two structures differ: (place, what is there, what is there instead, why that is not the same)."""
    if a == b:
        return []
    one, other = a.node_data(), b.node_data()
    words = path, _described(a), _described(b)
    if one is None or other is None or one[0] is not other[0]:
        return [(*words, "their Python types differ")]
    if len(a.children()) != len(b.children()):
        sequence = one[0] in (tuple, list)
        return [(*words, "the lengths do not match" if sequence else "the numbers of children do not match")]
    if one[1] != other[1]:
        return [(path, f"{words[1]} of {one[1]}", f"{words[2]} of {other[1]}", "the keys do not match")]
    keys = [k for k, _ in tree.flatten_one_level_with_keys(a.unflatten(range(a.num_leaves)))[0]]
    return [
        line
        for key, x, y in zip(keys, a.children(), b.children(), strict=True)
        for line in structure_differences(x, y, f"{path}{key}")
    ]


def _described(structure: Any) -> str:
    data, n = structure.node_data(), len(structure.children())
    if data is None:
        return "a pytree leaf"
    if data[0] is type(None):
        return "None"
    if data[0] in (tuple, list):
        return f"a {data[0].__name__} of length {n}"
    return f"a {data[0]} with {n} {'child' if n == 1 else 'children'}"


def type_differences(structure: Any, before: Sequence[Any], after: Sequence[Any]) -> list[tuple[str, str, str, str]]:
    """Where the types of leaves differ: (place, type, the other type, why that is not the same)."""
    paths = [path for path, _ in tree.leaves_with_path(structure.unflatten(range(len(before))))]
    found = []
    for path, a, b in zip(paths, before, after, strict=True):
        reasons = [f"the {what}s do not match" for what in ("dtype", "shape") if getattr(a, what) != getattr(b, what)]
        if reasons:
            found.append((tree.keystr(path), type_text(a), type_text(b), ", and ".join(reasons)))
    return found


def _source(f: Callable) -> str:
    code = getattr(inspect.unwrap(f), "__code__", None)
    name = getattr(f, "__name__", repr(f))
    return f"{name} at {code.co_filename}:{code.co_firstlineno}" if code else name


def _listed(lines: list[str]) -> str:
    if len(lines) == 1:
        return f"The {lines[0].removeprefix('the ')}." if lines[0].startswith("the ") else f"{lines[0]}."
    return "\n".join([f"  * {line}{'.' if line is lines[-1] else ';'}" for line in lines])
