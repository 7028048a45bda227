"""What torch says about arguments that do not fit, what those that fit come to, and numpy's names for arguments.

A signature is written as torch prints it, `"(Tensor input, int dim, bool keepdim = False, *, Tensor out = None)"`;
a type with a question mark takes None, too, one with a plus numbers, and ints with an exclamation mark must come in a
tuple, or as several arguments if they are the only one; no mark is printed. That of the method leaves out the first
argument and `out`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.torch.base import dtypes, meta
from funcgrad.torch.base.generator import Generator
from funcgrad.torch.base.storage import TypedStorage, UntypedStorage
from funcgrad.torch.declare.arguments import PYTHON_DTYPES, is_int, is_number, type_name, warn_native
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import arguments as texts

NUMPY_NAMES = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}


class Misfit:
    """Why arguments do not fit a signature, in torch's words."""

    __slots__ = ("final", "text")

    def __init__(self, text: str, final: bool = False) -> None:
        self.text = text
        self.final = final  # torch does not look at further overloads then


_DEFAULTS: dict[str, Any] = {"None": None, "True": True, "False": False} | {str(n): n for n in (-2, -1, 0, 1, 2)}
"""Python's values of the commonest defaults; of others the text is shown."""


class Parameter:
    """One parameter of a signature."""

    __slots__ = ("default", "keyword_only", "name", "none", "number", "optional", "several", "type")

    def __init__(self, text: str, keyword_only: bool) -> None:
        declared, _, default = text.partition(" = ")
        self.default = _DEFAULTS.get(default, default)
        self.type, _, self.name = declared.rpartition(" ")
        self.keyword_only, self.optional = keyword_only, bool(default)
        self.none = default == "None" or self.type.endswith("?")
        self.number, self.several = self.type.endswith("+"), self.type.endswith("!")
        self.type = self.type.rstrip("?+!")

    def accepts(self, x: Any) -> bool:
        """Whether an argument is of the type."""
        if x is not None and self.several and not isinstance(x, (tuple, list)):
            return False
        return (x is None and self.none) or CHECKS[self.type](x) or (self.number and is_number(x))

    def taken(self, name: str, x: Any, place: int, by_place: bool) -> Any:
        """What the body is given for an argument, with Python's own ints and bools; or why it is not of the type.

        Arguments:
            name: of the function.
            x: the argument.
            place: of the parameter, from 0.
            by_place: whether it was given without its name.
        """
        several = isinstance(x, (tuple, list))
        if not self.accepts(x):
            where, got = f" (position {place + 1})" if by_place else "", f"not {type_name(x)}"
            if by_place and several and x and self.type in ("tuple of ints", "tuple of floats"):
                got = f"but found element of type {type_name(x[0])} at pos 0"
            return Misfit(f"{name}(): argument '{self.name}'{where} must be {self.type}, {got}")
        if x is None:
            return x
        if self.type == "torch.dtype":
            return PYTHON_DTYPES.get(x, x)
        if several and self.type == "tuple of ints":
            return x if plain_ints(x) else self._ints(name, x)
        if several and self.type == "tuple of Tensors":
            for k, e in enumerate(x):
                if not isinstance(e, Tensor):
                    return Misfit(texts.NO_TENSOR.format(k=k, place=place, kind=type_name(e)), final=True)
        if several:
            return x
        if self.type in ("int", "tuple of ints"):
            return int(x) if isinstance(x, Tensor) else operator.index(x)
        if self.type in ("float", "Number") and isinstance(x, Tensor) and not isinstance(x._value, Array):
            return x.item()  # that of a batch is for the body to refuse, if it needs it
        return x

    def _ints(self, name: str, x: tuple | list) -> tuple[int, ...] | Misfit:
        """Elements of a tuple that count as ints, of which the first has been looked at."""
        found = []
        for k, e in enumerate(x):
            what = ""
            if not is_element(e) and not (k and isinstance(e, bool)):
                what = texts.NO_INT.format(kind=type_name(e))
            elif not have_room((n := int(e) if isinstance(e, Tensor) else operator.index(e),)):
                what = texts.TOO_LARGE
            if what:
                return Misfit(texts.NOT_UNPACKED.format(name=name, argument=self.name, k=k + 1, what=what), final=True)
            found.append(n)
        return tuple(found)

    def names(self, x: Any) -> bool:
        """Whether the type is that of an argument word for word, as torch asks when it explains an error.

        No argument is called a Number; and what has a default torch does not recognise at all.
        """
        if self.optional or not self.accepts(x) or self.type == "Number":
            return False
        if self.type.startswith("tuple"):
            return isinstance(x, (tuple, list))
        return isinstance(x, Tensor) if self.type == "Tensor" else self.type != "float" or type(x) is float


_NO_MARKS = str.maketrans("", "", "?+!")


class Signature:
    """One overload."""

    __slots__ = ("fewest", "int_list", "parameters", "positional", "text")

    def __init__(self, text: str) -> None:
        self.text = text.translate(_NO_MARKS)
        self.parameters: list[Parameter] = []
        keyword_only = False
        for part in text[1:-1].split(", "):
            if part == "*":
                keyword_only = True
            elif part:
                self.parameters.append(Parameter(part, keyword_only))
        self.positional = sum(not p.keyword_only for p in self.parameters)
        self.fewest = sum(not p.optional for p in self.parameters)
        first = self.parameters[0] if self.positional == 1 else None
        self.int_list = first is not None and first.type == "tuple of ints" and not first.optional

    def bind(self, name: str, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any] | Misfit:
        """The arguments by torch's names, in the order of the signature; or why they do not fit."""
        if self.int_list and args and is_element(args[0]):
            args = (args,)  # f(2, 3) is f((2, 3))
        if not self.parameters and (args or kwargs):
            what = f"no arguments ({len(args)} given)" if args else "no keyword arguments"
            return Misfit(f"TensorBase.{name}() takes {what}")
        if len(args) > self.positional:
            return self._too_many(name, len(args))
        bound: dict[str, Any] = {}
        inside: Misfit | None = None  # what is wrong in a tuple torch says when all the rest fits
        rest = dict(kwargs)
        for place, p in enumerate(self.parameters):
            by_place = place < len(args)
            if by_place:
                x = args[place]
            else:
                word = next((n for n in (p.name, *NUMPY_NAMES.get(p.name, ())) if n in rest), None)
                if word is None:
                    if p.optional:
                        continue
                    return self._missing(name, place)
                x = rest.pop(word)
            taken = p.taken(name, x, place, by_place)
            if isinstance(taken, Misfit):
                if not taken.final:
                    return taken
                inside = inside or taken
            bound[p.name] = taken
        for word in rest:
            known = any(word == p.name for p in self.parameters)
            return Misfit(
                f"{name}() got multiple values for argument '{word}'"
                if known
                else f"{name}() got an unexpected keyword argument '{word}'"
            )
        return inside or bound

    def _too_many(self, name: str, given: int) -> Misfit:
        most = self.positional
        if self.fewest != most:
            return Misfit(f"{name}() takes from {self.fewest} to {most} positional arguments but {given} were given")
        plural, were = "" if most == 1 else "s", "was" if given == 1 else "were"
        return Misfit(f"{name}() takes {most} positional argument{plural} but {given} {were} given")

    def _missing(self, name: str, first: int) -> Misfit:
        missing = [f'"{p.name}"' for p in self.parameters[first:] if not p.optional]
        plural = "s" if len(missing) == 1 else ""  # torch has it the wrong way round
        return Misfit(f"{name}() missing {len(missing)} required positional argument{plural}: {', '.join(missing)}")

    def mismatch(self, args: tuple, kwargs: dict) -> str:
        """What torch adds to a signature that has as many parameters as there are arguments."""
        parts = self.text[1:-1].split(", ")
        if len(parts) != len(args) + len(kwargs):
            return ""
        names = [p.name for p in self.parameters if not p.optional]  # torch does not recognise what has a default
        wrong = list(kwargs) if len(args) > self.positional else [k for k in kwargs if k not in names]
        if wrong:
            return f"      didn't match because some of the keywords were incorrect: {', '.join(wrong)}\n"
        return f"      didn't match because some of the arguments have invalid types: {self.marked(args, kwargs)}\n"

    def marked(self, args: tuple, kwargs: dict) -> str:
        """The types of the arguments, those that do not fit between exclamation marks."""
        found = []
        for k, x in enumerate((*args, *kwargs.values())):
            fits = k < len(self.parameters) and self.parameters[k].names(x)
            word = f"{self.parameters[k].name}=" if k >= len(args) else ""
            kind = type_name(x)
            if isinstance(x, (tuple, list)):
                inside = ", ".join(type(e).__name__ for e in x)
                kind += f" of ({inside}{',' * (len(x) == 1)})" if isinstance(x, tuple) else f" of [{inside}]"
            found.append(f"{word}{kind}" if fits else f"!{word}{kind}!")
        return f"({', '.join(found)})" if args else f"({''.join(f + ', ' for f in found)})"


class Signatures:
    """All overloads of a function.

    A text that begins with a minus is one that torch accepts but does not show; with a tilde, one that it advises
    against besides.
    """

    __slots__ = ("deprecated", "name", "overloads", "shown")

    def __init__(self, name: str, texts: tuple[str, ...]) -> None:
        self.name, self.overloads = name, [Signature(t.lstrip(HIDDEN)) for t in texts]
        self.shown = [s for s, t in zip(self.overloads, texts, strict=True) if t[0] not in HIDDEN]
        self.deprecated = [s for s, t in zip(self.overloads, texts, strict=True) if t[0] == "~"]

    def match(self, args: tuple, kwargs: dict[str, Any]) -> tuple[Signature, dict[str, Any]]:
        """The first overload that the arguments fit, and the arguments by its names.

        Raises:
            TypeError: they fit none, in torch's words.
        """
        for s in self.overloads:
            found = s.bind(self.name, args, kwargs)
            if not isinstance(found, Misfit):
                return s, found
            if found.final or len(self.overloads) == 1:
                raise TypeError(found.text)
        raise TypeError(self._why_none_fits(args, kwargs))

    def advise_against(self, overload: Signature, stacklevel: int) -> None:
        """Warn of a call by an overload that is deprecated; only the first time, whichever function it is of."""
        shown = "\n\t".join(self.name + s.text for s in self.shown)
        text = texts.DEPRECATED_OVERLOAD.format(name=self.name, overload=self.name + overload.text, shown=shown)
        warn_native(text, "torch/csrc/utils/python_arg_parser.cpp:1841", stacklevel + 1, "a deprecated overload")

    def _why_none_fits(self, args: tuple, kwargs: dict[str, Any]) -> str:
        number = len(args) + len(kwargs)
        plausible = [s for s in self.shown if s.fewest <= number <= len(s.parameters)]
        if len(plausible) == 1:
            found = plausible[0].bind(self.name, args, kwargs)
            if isinstance(found, Misfit):
                return found.text
        start = f"{self.name}() received an invalid combination of arguments - got "
        got = [f"{type_name(x)}, " for x in args] + [f"{k}={type_name(x)}, " for k, x in kwargs.items()]
        text = "".join(got).removesuffix(", ") if args else "".join(got)
        if len(self.shown) > 1:
            options = "".join(f" * {s.text}\n{s.mismatch(args, kwargs)}" for s in self.shown)
            return f"{start}({text}), but expected one of:\n{options}"
        (only,) = self.shown
        unknown = [k for k in kwargs if all(k != p.name for p in only.parameters)]
        if unknown:
            return f"{start}unrecognized keyword arguments: {', '.join(unknown)}"
        marked = only.marked(args, kwargs) if number == len(only.text.split(", ")) else f"({text})"
        return f"{start}{marked}, but expected {only.text}"

    def bind(self, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments by torch's names, see `match`."""
        return self.match(args, kwargs)[1]


def plain_ints(x: tuple | list) -> bool:
    """Whether all elements are Python's ints that have room in 64 bits."""
    for e in x:  # noqa: SIM110  (the generator of all() takes three times as long)
        if type(e) is not int or not _LEAST <= e <= _MOST:
            return False
    return True


_LEAST, _MOST = -(2**63), 2**63 - 1


def have_room(ints: tuple | list) -> bool:
    """Whether ints have room in 64 bits."""
    return not ints or (min(ints) >= _LEAST and max(ints) <= _MOST)


def is_element(x: Any) -> bool:
    """Whether x counts as an int in a tuple of them, and as the first of several ints."""
    return is_int(x) or (isinstance(x, Tensor) and x._value.size == 1 and x._value.dtype.kind in "iub")


def _is_float(x: Any) -> bool:
    return is_int(x) or isinstance(x, (float, bool, np.floating)) or (isinstance(x, Tensor) and x._value.ndim == 0)


def _are(check: Callable) -> Callable:
    return lambda x: isinstance(x, (tuple, list)) and (not x or check(x[0]))


CHECKS: dict[str, Callable[[Any], bool]] = {
    "Tensor": lambda x: isinstance(x, Tensor),
    "int": is_int,
    "float": _is_float,
    "Number": is_number,
    "bool": lambda x: isinstance(x, bool),
    "str": lambda x: isinstance(x, str),
    "torch.dtype": lambda x: isinstance(x, dtypes.dtype) or (isinstance(x, type) and x in PYTHON_DTYPES),
    "torch.device": lambda x: isinstance(x, (meta.device, str, int)) and not isinstance(x, bool),
    "torch.layout": lambda x: isinstance(x, meta.layout),
    "torch.memory_format": lambda x: isinstance(x, meta.memory_format),
    "torch.Storage": lambda x: isinstance(x, (UntypedStorage, TypedStorage)),
    "torch.Generator": lambda x: isinstance(x, Generator),
    "object": lambda x: True,
    "tuple of ints": lambda x: is_element(x) or _are(is_element)(x),
    "tuple of floats": _are(_is_float),
    "tuple of Scalars": _are(is_number),
    "Any": lambda x: True,  # of a function that PyTorch, too, has written in Python
    "tuple of Tensors": lambda x: isinstance(x, (tuple, list)),
}
"""By type, whether an argument is of it; of a tuple of numbers the first is looked at, as torch does."""


HIDDEN = "-~"
"""What a signature begins with that torch does not show."""


def method_form(text: str) -> str:
    """A signature without the tensor itself, which mostly comes first, and without `out`."""
    if text[0] in HIDDEN:
        return text[0] + method_form(text[1:])
    first, *others = without_out(text)[1:-1].split(", ")
    if first.startswith("Number ") and others[0] in ("Tensor input", "Tensor self"):
        others[0] = first  # the factor of a deprecated overload
    return f"({', '.join(others)})"


def without_out(text: str) -> str:
    """A signature without `out`."""
    parts = [p for p in text[1:-1].split(", ") if not p.endswith(" out = None")]
    return f"({', '.join(parts[:-1] if parts[-1] == '*' else parts)})"
