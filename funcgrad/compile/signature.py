"""Which arguments of a compiled function are static or donated, by position and by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from operator import index
from typing import NamedTuple

from funcgrad.errors import ArgumentError

_Numbers = int | Sequence[int] | None
_Names = str | Iterable[str] | None


class Marked(NamedTuple):
    """Arguments that the user singled out."""

    numbers: tuple[int, ...]
    names: tuple[str, ...]


def signature_of(f: Callable) -> inspect.Signature | None:
    """The signature of a function; some builtins have none."""
    try:
        return inspect.signature(f)
    except (TypeError, ValueError):
        return None


def marked(f: Callable, numbers: _Numbers, names: _Names, what: str) -> Marked:
    """The arguments of f that these numbers and names single out.

    If only one of the two is given, the other is inferred from the signature of f, so that the arguments may be passed
    either way. If both are given they are taken as they are.

    Arguments:
        f: the function.
        numbers, names: None where the user gave none.
        what: they are, for messages: "static" or "donate".

    Raises:
        ArgumentError: f has no such argument.
    """
    given_numbers = None if numbers is None else _tuple(numbers)
    given_names = None if names is None else (names,) if isinstance(names, str) else tuple(names)
    signature = signature_of(f)
    if signature is None:
        return Marked(given_numbers or (), given_names or ())
    parameters = list(signature.parameters.values())
    positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    _check_numbers(parameters, positional, given_numbers or (), what)
    _check_names(parameters, given_names or (), what)
    if given_numbers is None and given_names is not None:
        given_numbers = tuple([positional.index(n) for n in given_names if n in positional])
    elif given_names is None and given_numbers is not None:
        taken = {positional[n] for n in given_numbers if -len(positional) <= n < len(positional)}
        given_names = tuple([p.name for p in parameters if p.name in taken and p.kind is p.POSITIONAL_OR_KEYWORD])
    return Marked(given_numbers or (), given_names or ())


def check_disjoint(static: Marked, donated: Marked) -> None:
    """See to it that no argument is static and donated.

    Raises:
        ArgumentError: one is.
    """
    for a, b, what in ((static.names, donated.names, "names"), (static.numbers, donated.numbers, "nums")):
        both = set(a) & set(b)
        if both:
            raise ArgumentError(
                f"static_arg{what} and donate_arg{what} cannot intersect. {both} appear in both; a static argument is "
                f"part of the program, so there is no memory to donate"
            )


def _tuple(numbers: int | Sequence[int]) -> tuple[int, ...]:
    return tuple([index(n) for n in numbers]) if isinstance(numbers, Sequence) else (index(numbers),)


def _check_numbers(parameters: list, positional: list[str], numbers: tuple[int, ...], what: str) -> None:
    n = len(positional)
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return
    if any(not -n <= k < n for k in numbers):
        raise ArgumentError(
            f"Jitted function has {what}_argnums={numbers}, but only accepts {n} positional arguments: {positional}"
        )


def _check_names(parameters: list, names: tuple[str, ...], what: str) -> None:
    keywords = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    unnamed = {p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL)} & set(names)
    if unnamed:
        raise ArgumentError(
            f"Jitted function has invalid argnames {unnamed} in {what}_argnames. These are positional-only; give their "
            f"positions in {what}_argnums"
        )
    unknown = set(names) - set(keywords)
    if unknown and not any(p.kind is p.VAR_KEYWORD for p in parameters):
        raise ArgumentError(
            f"Jitted function has invalid argnames {unknown} in {what}_argnames. Function does not take these args; it "
            f"takes {keywords}"
        )
