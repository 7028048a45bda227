"""What a function calls its arguments, read from its code: `inspect.signature` takes long for hundreds of functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import NamedTuple


class Parameters(NamedTuple):
    """The names of a function's parameters."""

    by_place: tuple[str, ...]
    by_keyword: tuple[str, ...]
    further: bool  # whether it takes *args
    options: bool  # whether it takes **kwargs


def parameters(f: Callable) -> Parameters:
    """The parameters of a function; of other callables, and of wrapped functions, as `inspect` sees them."""
    if type(f) is FunctionType and not hasattr(f, "__wrapped__"):
        code = f.__code__
        places, names = code.co_argcount, code.co_varnames
        keywords = names[places : places + code.co_kwonlyargcount]
        further, options = code.co_flags & inspect.CO_VARARGS, code.co_flags & inspect.CO_VARKEYWORDS
        return Parameters(names[:places], keywords, bool(further), bool(options))
    seen = list(inspect.signature(f).parameters.values())
    return Parameters(
        tuple([p.name for p in seen if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]),
        tuple([p.name for p in seen if p.kind is p.KEYWORD_ONLY]),
        any(p.kind is p.VAR_POSITIONAL for p in seen),
        any(p.kind is p.VAR_KEYWORD for p in seen),
    )
