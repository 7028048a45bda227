"""Entries: how a compiled function is called with arguments like those that it had before.

What a call needs to know of its arguments is known once they have been seen: which containers they are, and the shape
and dtype of each leaf. An entry is a Python function, written for one program, that asks for just that, calls the
kernel, and builds the result as a literal. For anything else it gives NotImplemented, and the call goes the general
way, which knows every case. An entry takes about 1 us, and 0.1 more for each further array, where the general way
takes 7 to 12.

    def entry(args, kwargs):
        if kwargs or len(args) != 1: return NotImplemented
        x0, = args
        if type(x0) is not list or len(x0) != 2: return NotImplemented
        x1, x2, = x0
        kind = type(x1)
        if kind is Array: x1 = x1._value; kind = type(x1)
        if kind is not ndarray or x1.shape != (3,) or x1.dtype is not dtype_x1: return NotImplemented
        ...
        o0, = program.kernel(x1, x2)
        r0 = new(Array); r0._value = o0
        return r0
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from types import CodeType, FunctionType, NoneType
from typing import Any

import numpy as np

from funcgrad.compile.arguments import DTYPES, statics
from funcgrad.compile.compiled import Compiled
from funcgrad.compile.signature import Marked
from funcgrad.core.array import NATIVE, Array, new
from funcgrad.core.tree_registry import is_namedtuple, nodes
from funcgrad.core.weak import Weak
from funcgrad.transforms.closing import weakened

MOST_LEAVES = 256
MOST_LEVELS = 16
_KINDS = {dtype: kind for kind, dtype in DTYPES.items()}
_BY_VALUE = (int, bool, float, str, bytes, NoneType)
"""Static arguments of these types are compared by ==; what is hashed by its identity is compared by that."""


class _UnusualError(Exception):
    """There is something among arguments or results that only the general way knows."""


def entry(args: tuple, kwargs: dict, static: Marked, program: Compiled) -> Callable[[tuple, dict], Any] | None:
    """The entry for arguments like these; None if they have something that only the general way knows.

    Arguments:
        args, kwargs: of a call that this program was found for.
        static: which of them are static.
        program: has a kernel. The entry asks for it in each call, for it may be replaced.
    """
    if program.kernel is None or program.constants or program.call.recorded or len(program.types) > MOST_LEAVES:
        return None
    try:
        written = _Entry(program)
        written.arguments(args, kwargs, static)
        written.results()
    except _UnusualError:
        return None
    text = "def entry(args, kwargs):\n" + "".join([f"    {line}\n" for line in written.lines])
    code = next(c for c in compile(text, "<funcgrad entry>", "exec").co_consts if type(c) is CodeType)
    return FunctionType(code, written.scope)


class _Entry:
    """The source of an entry under construction.

    Attributes:
        lines: of its body.
        scope: what they refer to.
    """

    def __init__(self, program: Compiled) -> None:
        self.program = program
        self.lines: list[str] = []
        self.scope: dict[str, Any] = {
            "Array": Array, "Weak": Weak, "array": np.array, "ndarray": np.ndarray, "new": new, "program": program,
            "weakened": weakened, "__builtins__": builtins,
        }  # fmt: skip
        self._leaves: list[str] = []
        self._names = 0

    def arguments(self, args: tuple, kwargs: dict, static: Marked) -> None:
        """Take the arguments apart, and check everything that the program was made for."""
        numbers, names = statics(static, args, kwargs)
        wrong = f"len(kwargs) != {len(kwargs)}" if kwargs else "kwargs"
        self._demand(f"{wrong} or len(args) != {len(args)}")
        for k, (name, x) in enumerate(zip(self._apart("args", args), args, strict=True)):
            if k in numbers:
                self._static(name, x)
            else:
                self._take(name, x, 0)
        for k, name in self._items("kwargs", sorted(kwargs)):
            if k in names:
                self._static(name, kwargs[k])
            else:
                self._take(name, kwargs[k], 0)
        if len(self._leaves) != len(self.program.types):
            raise _UnusualError

    def _demand(self, wrong: str) -> None:
        self.lines.append(f"if {wrong}: return NotImplemented")

    def _constant(self, name: str, value: Any) -> str:
        self.scope[name] = value
        return name

    def _fresh(self) -> str:
        self._names += 1
        return f"x{self._names - 1}"

    def _apart(self, name: str, x: Any) -> list[str]:
        """Names for the items of a sequence."""
        found = [self._fresh() for _ in x]
        if found:
            self.lines.append(f"{''.join([n + ', ' for n in found])}= {name}")
        return found

    def _items(self, name: str, keys: Any) -> list[tuple[Any, str]]:
        """Names for the values of a dict of as many keys."""
        if not all(type(k) in (str, int) for k in keys):
            raise _UnusualError
        found = [(k, self._fresh()) for k in keys]
        if found:
            self.lines += ["try:", *[f"    {n} = {name}[{k!r}]" for k, n in found]]
            self.lines += ["except KeyError: return NotImplemented"]
        return found

    def _static(self, name: str, x: Any) -> None:
        kind = type(x)
        known = self._constant(f"static_{name}", x)
        if kind in _BY_VALUE:
            self._demand(f"type({name}) is not {self._constant(f'type_{name}', kind)} or {name} != {known}")
        elif kind.__hash__ is object.__hash__ and kind.__eq__ in (object.__eq__, type.__eq__):
            self._demand(f"{name} is not {known}")
        else:
            raise _UnusualError

    def _take(self, name: str, x: Any, level: int) -> None:
        """A pytree among the arguments."""
        kind = type(x)
        if nodes[kind] is None:
            self._leaf(name)
            return
        if level == MOST_LEVELS:
            raise _UnusualError
        if x is None:
            self._demand(f"{name} is not None")
            return
        if kind is dict:
            self._demand(f"type({name}) is not dict or len({name}) != {len(x)}")
            for key, inner in self._items(name, sorted(x)):
                self._take(inner, x[key], level + 1)
            return
        if kind is not list and kind is not tuple and not is_namedtuple(kind):
            raise _UnusualError
        self._demand(f"type({name}) is not {self._constant(f'type_{name}', kind)} or len({name}) != {len(x)}")
        for inner, child in zip(self._apart(name, x), x, strict=True):
            self._take(inner, child, level + 1)

    def _leaf(self, name: str) -> None:
        """A leaf: what it must be for the program, and what the kernel takes in its place."""
        if len(self._leaves) == len(self.program.types):
            raise _UnusualError
        shape, dtype, weak = self.program.types[len(self._leaves)]
        if dtype not in NATIVE or (weak and dtype not in _KINDS):
            raise _UnusualError
        dtype = np.dtype(dtype.char)  # the one object that NumPy has for it
        self._leaves.append(name)
        if weak:
            self._number(name, dtype)
            return
        known = self._constant(f"dtype_{name}", dtype)
        same = f"{name}.shape == {shape!r} and {name}.dtype is {known}"
        wrong = f"kind is not ndarray or {name}.shape != {shape!r} or {name}.dtype is not {known}"
        self.lines += [f"kind = type({name})", f"if kind is Array: {name} = {name}._value; kind = type({name})"]
        if self.program.shows_inputs:  # a result may be a view of it, and its owner may write into it later
            self.lines.append(f"elif kind is ndarray and {same}: {name} = array({name})")
        if shape == ():
            scalar = self._constant(f"type_{name}", dtype.type)
            if dtype.kind == "b":
                self.lines.append(f"if kind is bool: {name} = {scalar}({name})")
                wrong = f"kind is not bool and ({wrong})"
            wrong = f"kind is not {scalar} and ({wrong})"
        self._demand(wrong)

    def _number(self, name: str, dtype: np.dtype) -> None:
        """A Python number, which has no dtype of its own."""
        kind = self._constant(f"type_{name}", _KINDS[dtype])
        self.lines.append(f"if type({name}) is Weak: {name} = {name}._value")
        small = f" or not {-(2**63)} <= {name} < {2**63}" if dtype.kind == "i" else ""
        self._demand(f"type({name}) is not {kind}{small}")
        self.lines.append(f"{name} = {self._constant(f'dtype_{name}', dtype.type)}({name})")

    def results(self) -> None:
        """Call the kernel, and build the result."""
        p, n = self.program, len(self.program.weak)
        outs = "".join([f"o{k}, " for k in range(n)])
        self.lines.append(f"{outs}{'= ' if outs else ''}program.kernel({', '.join(self._leaves)})")
        for k, is_weak in enumerate(p.weak):
            self.lines += [f"r{k} = new(Array); r{k}._value = o{k}"]
            if is_weak:
                self.lines.append(f"r{k} = weakened(r{k})")
        try:
            found = self._literal(p.out_tree.unflatten([_Place(k) for k in range(n)]), 0)
        except _UnusualError:
            found = f"program.out_tree.unflatten([{', '.join([f'r{k}' for k in range(n)])}])"
        self.lines.append(f"return {found}")

    def _literal(self, x: Any, level: int) -> str:
        """A result as a literal."""
        kind = type(x)
        if kind is _Place:
            return f"r{x.number}"
        if x is None:
            return "None"
        if level == MOST_LEVELS or (kind not in (tuple, list, dict) and not is_namedtuple(kind)):
            raise _UnusualError
        if kind is dict:
            pairs = [(self._constant(f"key_{self._fresh()}", k), self._literal(v, level + 1)) for k, v in x.items()]
            return "{" + ", ".join([f"{k}: {v}" for k, v in pairs]) + "}"
        items = "".join([self._literal(v, level + 1) + ", " for v in x])
        if kind is list:
            return f"[{items}]"
        return f"({items})" if kind is tuple else f"{self._constant(f'type_{self._fresh()}', kind)}({items})"


class _Place:
    """Stands for a leaf of the result."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number
